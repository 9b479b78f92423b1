"""A comparison for programs: as JSON, and in KGCL, the Knowledge Graph Change Language (https://w3id.org/kgcl).

The commands follow the reference grammar of kgcl-schema. It puts texts in single quotes and has no escape for a quote
or a line break, so texts that contain one cannot be written. KGCL cannot express many other changes either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgprobe.comparison.model import (
    DEPRECATED,
    IN_SUBSET,
    REPLACED_BY,
    SCOPES,
    Aspect,
    ChangedAxiom,
    Comparison,
    Entity,
    EntityChange,
    InferredChanges,
    Subsumptions,
    ValueChange,
)
from kgprobe.comparison.versions import spells
from kgprobe.owl.axiom_groups import Axiom
from kgprobe.owl.expression import Expression
from kgprobe.owl.wording import Names, axiom_in_words
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDFS, XSD, Literal, NamedNode, Term

_ANNOTATIONS = "added or removed annotations"
_OF_STATEMENTS = "annotations of statements"
_TEXTS = "texts that cannot be quoted"
_AXIOMS = "axioms that are not edges"
_SEVERAL = "multiple labels or definitions"


@dataclass(frozen=True)
class Commands:
    """The commands in an order in which they can be applied, and the numbers of changes that KGCL cannot express."""

    lines: tuple[str, ...]
    unsaid: dict[str, int]


def commands(found: Comparison, names: Names) -> Commands:
    """The commands of a comparison that does not follow renames: KGCL can change a label, but not an id."""
    writer = _Writer(names, {change.entity.term: change.replaced_by for change in found.obsoleted})
    for change in found.added:
        writer.create(change)
    for change in found.added:
        writer.say_values(change, is_new=True)
    for change in found.changed:
        writer.say_values(change, is_new=False)
    removed = {change.entity.term for change in found.removed}
    for axiom in found.axioms:
        if axiom.about not in removed:
            writer.say_axiom(axiom)
    for change in found.removed:
        writer.delete(change)
    for annotated in found.annotations:
        writer.unsaid[_OF_STATEMENTS] += len(annotated.annotation.removed) + len(annotated.annotation.added)
    return Commands(tuple(writer.lines), dict(sorted((+writer.unsaid).items())))


class _Writer:
    def __init__(self, names: Names, replacements: dict[NamedNode, tuple[Term, ...]]) -> None:
        self._names = names
        self._replacements = replacements
        self.lines: list[str] = []
        self.unsaid: Counter[str] = Counter()

    def create(self, change: EntityChange) -> None:
        """The command for an added entity, with the first of its labels that can be quoted."""
        name = self._short(change.entity.term)
        labels = [label for value in change.about(Aspect.LABEL) for label in value.added]
        texts = [text for text in map(_quoted, labels) if text]
        self.lines.append(f"create node {name} {texts[0]}" if texts else f"create {name}")
        if labels and not texts:
            self.unsaid[_TEXTS] += 1
        self.unsaid[_SEVERAL] += max(0, len(labels) - 1)

    def delete(self, change: EntityChange) -> None:
        """The command for a removed entity and all its values."""
        self.lines.append(f"delete {self._short(change.entity.term)}")

    def say_values(self, change: EntityChange, *, is_new: bool) -> None:
        """The commands for the changed values of an entity."""
        term, name = change.entity.term, self._short(change.entity.term)
        for value in change.values:
            if value.aspect is Aspect.PARENT:
                self._parents(name, value)
            elif value.aspect is Aspect.DEFINITION:
                self._definition(name, value)
            elif value.aspect is Aspect.ANNOTATION:
                self._annotation(term, name, value)
            elif value.aspect is Aspect.LABEL and not is_new:
                self._label(name, value)
        self._synonyms(name, list(change.about(Aspect.SYNONYM)))

    def say_axiom(self, axiom: ChangedAxiom) -> None:
        """The command for an axiom that is an edge between two names; parents already have their commands."""
        verb = "create" if axiom.added else "delete"
        match axiom.expression:
            case Expression("SubClassOf" | "ClassAssertion", (NamedNode(), NamedNode())):
                pass
            case Expression(head, (NamedNode(), NamedNode())) if head.endswith("PropertyOf"):
                pass
            case Expression(
                "SubClassOf",
                (
                    NamedNode() as lower,
                    Expression("ObjectSomeValuesFrom", (NamedNode() as edge, NamedNode() as value)),
                ),
            ):
                self.lines.append(f"{verb} edge {self._short(lower)} {self._short(edge)} {self._short(value)}")
            case Expression("ObjectPropertyAssertion", (NamedNode() as edge, NamedNode() as one, NamedNode() as other)):
                self.lines.append(f"{verb} edge {self._short(one)} {self._short(edge)} {self._short(other)}")
            case _:
                self.unsaid[_AXIOMS] += 1

    # -- aspects ----------------------------------------------------------------------------------------------------

    def _parents(self, name: str, value: ValueChange) -> None:
        edge = self._short(value.predicate)
        gone, come = (list(map(self._short, terms)) for terms in (value.removed, value.added))
        if len(gone) == len(come) == 1 and value.predicate == RDFS.subClassOf:
            self.lines.append(f"move {name} {edge} {gone[0]} from {gone[0]} to {come[0]}")
            return
        self.lines += [f"delete edge {name} {edge} {parent}" for parent in gone]
        self.lines += [f"create edge {name} {edge} {parent}" for parent in come]

    def _label(self, name: str, value: ValueChange) -> None:
        if len(value.removed) == len(value.added) == 1:
            self._say("rename {} from {} to {}", name, _quoted(value.removed[0]), _quoted(value.added[0]))
        else:
            self.unsaid[_SEVERAL] += len(value.removed) + len(value.added)

    def _definition(self, name: str, value: ValueChange) -> None:
        gone, come = (list(map(_untagged, terms)) for terms in (value.removed, value.added))
        if len(gone) == len(come) == 1:
            self._say("change definition of {} from {} to {}", name, gone[0], come[0])
        elif not gone and len(come) == 1:
            self._say("add definition {1} to {0}", name, come[0])
        elif len(gone) == 1 and not come:
            self._say("remove definition for {}", name)
        else:
            self.unsaid[_SEVERAL] += len(gone) + len(come)

    def _synonyms(self, name: str, values: Sequence[ValueChange]) -> None:
        # Removals first: if only the scope of a synonym changes, the command to remove it does not say which one.
        for text in [_quoted(term) for value in values for term in value.removed]:
            self._say("remove synonym {1} for {0}", name, text)
        for value in values:
            scope = SCOPES.get(value.predicate)
            for term in value.added:
                self._say(f"create {f'{scope} ' if scope else ''}synonym {{1}} for {{0}}", name, _quoted(term))

    def _annotation(self, term: NamedNode, name: str, value: ValueChange) -> None:
        if value.predicate == DEPRECATED:
            self._deprecation(term, name, value)
        elif value.predicate == IN_SUBSET:
            self.lines += [f"remove {name} from subset {self._short(subset)}" for subset in value.removed]
            self.lines += [f"add {name} to subset {self._short(subset)}" for subset in value.added]
        elif value.predicate in REPLACED_BY and len(value.added) == 1 and self._replacements.get(term) == value.added:
            self.unsaid[_ANNOTATIONS] += len(value.removed)  # the obsoletion names the added value
        elif len(value.removed) == len(value.added) == 1:
            edge, gone, come = self._short(value.predicate), self._value(value.removed[0]), self._value(value.added[0])
            self._say("change annotation of {} with {} from {} to {}", name, edge, gone, come)
        else:
            # A literal that only repeats the name, as in oboInOwl:id, does not count.
            said = [text for text in (*value.removed, *value.added) if not spells(text, term)]
            self.unsaid[_ANNOTATIONS] += len(said)

    def _deprecation(self, term: NamedNode, name: str, value: ValueChange) -> None:
        if not value.added:
            self.lines.append(f"unobsolete {name}")
            return
        replacements = [
            replacement for replacement in self._replacements.get(term, ()) if type(replacement) is NamedNode
        ]
        suffix = f" with replacement {self._short(replacements[0])}" if len(replacements) == 1 else ""
        self.lines.append(f"obsolete {name}{suffix}")

    # -- words ------------------------------------------------------------------------------------------------------

    def _short(self, term: Term) -> str:
        # Readers of the commands cannot look up an empty prefix.
        short = self._names.short(term)
        return str(term) if short.startswith(":") else short

    def _say(self, command: str, *parts: str | None) -> None:
        if None in parts:
            self.unsaid[_TEXTS] += 1
        else:
            self.lines.append(command.format(*parts))

    def _value(self, term: Term) -> str | None:
        """A value of an annotation; None if it cannot be written."""
        if type(term) is not Literal:
            return self._short(term) if type(term) is NamedNode else None
        if not term.value.isprintable():
            return None
        for quote in ('"', "'''", '"""'):
            if quote not in term.value and not term.value.endswith(quote[0]):
                kind = "" if term.datatype == XSD.string else f"^^{self._short(term.datatype)}"
                return f"{quote}{term.value}{quote}" + (f"@{term.language}" if term.language else kind)
        return None


def _quoted(term: Term) -> str | None:
    """A text in single quotes; None if it cannot be written."""
    if type(term) is not Literal or "'" in term.value or not term.value.isprintable() or not term.value:
        return None
    return f"'{term.value}'" + (f"@{term.language}" if term.language else "")


def _untagged(term: Term) -> str | None:
    """A text where a language tag is not allowed."""
    return None if type(term) is Literal and term.language else _quoted(term)


# -- JSON --------------------------------------------------------------------------------------------------------------


def document(found: Comparison, old: Graph, new: Graph) -> dict[str, Any]:
    """The comparison as values for JSON."""
    return _Document(Names(old, new), old, new).of(found)


class _Document:
    def __init__(self, names: Names, old: Graph, new: Graph) -> None:
        self._names = names
        self._graphs = old, new

    def of(self, found: Comparison) -> dict[str, Any]:
        return {
            "different": found.anything,
            "triples": {"removed": found.counts.triples[0], "added": found.counts.triples[1]},
            "added": [self._entity(change.entity) for change in found.added],
            "removed": [self._entity(change.entity) for change in found.removed],
            "changed": [self._entity(change.entity) for change in found.changed],
            "renamed": [
                {"from": self._entity(renamed.old), "to": self._entity(renamed.new), "why": renamed.why}
                for renamed in found.renamed
            ],
            "obsoleted": [
                {
                    **self._entity(obsoleted.entity),
                    "replaced_by": list(map(self._term, obsoleted.replaced_by)),
                    "consider": list(map(self._term, obsoleted.consider)),
                }
                for obsoleted in found.obsoleted
            ],
            "unobsoleted": list(map(self._entity, found.unobsoleted)),
            "moved": self._values(found.by_aspect, Aspect.PARENT),
            "labels": self._values(found.by_aspect, Aspect.LABEL),
            "definitions": self._values(found.by_aspect, Aspect.DEFINITION),
            "synonyms": self._values(found.by_aspect, Aspect.SYNONYM),
            "annotations": self._values(found.by_aspect, Aspect.ANNOTATION),
            "statement_annotations": [
                {
                    "statement": [
                        self._term(annotation.subject),
                        annotation.predicate.value,
                        self._term(annotation.object),
                    ],
                    **self._value(annotation.annotation),
                }
                for annotation in found.annotations
            ],
            "axioms": {
                "removed": [self._axiom(axiom) for axiom in found.axioms if not axiom.added],
                "added": [self._axiom(axiom) for axiom in found.axioms if axiom.added],
            },
            "inferred": None if found.inferred is None else self._inferred(found.inferred),
        }

    def _entity(self, entity: Entity) -> dict[str, Any]:
        return {
            "iri": entity.term.value,
            "name": self._names.short(entity.term),
            "kind": entity.kind.value,
            "label": self._names.label(entity.term),
        }

    def _values(self, changes: Mapping[Aspect, Iterable[EntityChange]], aspect: Aspect) -> list[dict[str, Any]]:
        return [
            {**self._entity(change.entity), **self._value(value)}
            for change in changes[aspect]
            for value in change.about(aspect)
        ]

    def _value(self, value: ValueChange) -> dict[str, Any]:
        return {
            "property": value.predicate.value,
            "removed": list(map(self._term, value.removed)),
            "added": list(map(self._term, value.added)),
        }

    def _term(self, term: Term) -> Any:
        if type(term) is NamedNode:
            return {"iri": term.value, "name": self._names.short(term), "label": self._names.label(term)}
        if type(term) is not Literal:
            return {"blank": term.value}
        if term.language:
            return {"value": term.value, "language": term.language}
        if term.datatype == XSD.string:
            return {"value": term.value}
        return {"value": term.value, "datatype": term.datatype.value}

    def _axiom(self, axiom: ChangedAxiom) -> dict[str, Any]:
        return {
            "about": None if axiom.about is None else axiom.about.value,
            "kind": None if axiom.expression is None else axiom.kind,
            "text": axiom_in_words(Axiom(axiom.expression, axiom.triples), self._graphs[axiom.added]),
        }

    def _inferred(self, changes: InferredChanges) -> dict[str, Any]:
        return {
            "gained": self._subsumptions(changes.gained),
            "lost": self._subsumptions(changes.lost),
            "unsatisfiable": [term.value for term in changes.unsatisfiable],
            "satisfiable": [term.value for term in changes.satisfiable],
            "how": {"old": changes.how[0], "new": changes.how[1]},
        }

    def _subsumptions(self, pairs: Subsumptions) -> dict[str, Any]:
        return {"count": pairs.count, "listed": [[lower.value, upper.value] for lower, upper in pairs.listed]}
