"""The class expressions of a graph, and their texts as labels of property edges.

Expressions are read from the triples directly, not with the reader of axioms in `kgprobe.owl`. That reader
leaves out malformed expressions, but a change inside one must change a label, too: nesting may be deep, shared or
cyclic, and nodes may have too few or too many triples.

A named filler is the target of its edge, and is not in the label: `<p>[some]`. Any other filler is in the label, and
the edge leads to each class, datatype and individual that it names. So any change inside a nested expression changes a
label or a target:

- a restriction is chained: `<p>[some <q>[only]]`;
- anything else is spelled out, with operands in order of their texts: `<p>[only (<A> or <B>)]`.

A label depends neither on the labels of blank nodes nor on the order of operands. A text that is too long to read is
cut and ends with a digest of the whole text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Term

SUB_PROPERTY = "subPropertyOf"
UNDEFINED = "[]"  # a blank node without a definition
_NAME = re.compile(r'<([^<>"{}|^`\\\x00-\x20]+)>')


class Entity(NamedTuple):
    """⟨n, -, -⟩, the node of a class, or ⟨s, t, p⟩, a property edge.

    In a label every name is an IRI in angle brackets: `<http://example.org/hasTopping>[some]`. So a label never depends
    on the rest of an ontology, and the labels of two versions can be compared. `ShortNames` makes them readable.
    """

    source: Term
    target: Term | None = None
    label: str | None = None


def in_order(entity: Entity) -> tuple[str, str, str]:
    """The sort key of entities: source, target, label."""
    source, target, label = entity
    return source.value, "" if target is None else target.value, label or ""


@dataclass(frozen=True)
class ShortNames:
    """Short names for labels, where they are unambiguous: `hasTopping[some]`. Other names are shown in full."""

    shown: Mapping[str, str]

    def label(self, label: str) -> str:
        """A readable form of a label."""
        return with_names(label, lambda name: self.shown.get(name, name))

    def row(self, entity: Entity) -> list[str | None]:
        """An entity for JSON: its source, its target or None, its label or None."""
        source, target, label = entity
        return [source.value, None if target is None else target.value, None if label is None else self.label(label)]


def short_names(*edges: Iterable[Entity]) -> ShortNames:
    """The short names of all names in the labels of these edges, except those that two names share."""
    labels = {edge.label for some in edges for edge in some if edge.label is not None}
    owners: dict[str, list[str]] = {}
    for name in {name for label in labels for name in names_in(label)}:
        owners.setdefault(local_name(name), []).append(name)
    return ShortNames({names[0]: short for short, names in owners.items() if len(names) == 1})


def edges_by_name(edges: Iterable[Entity]) -> dict[str, list[Entity]]:
    """Property edges by the IRIs in their labels, and those between properties by their ends."""
    found: dict[str, list[Entity]] = {}
    names: dict[str, list[str]] = {}
    for edge in edges:
        source, target, label = edge
        if label is None or target is None:
            continue
        if label not in names:
            names[label] = list(dict.fromkeys(names_in(label)))
        for name in (source.value, target.value) if label == SUB_PROPERTY else names[label]:
            found.setdefault(name, []).append(edge)
    return found


def spelled(term: Term) -> str:
    """The spelling of a term in labels."""
    return UNDEFINED if type(term) is BlankNode else str(term)


def names_in(label: str) -> list[str]:
    """The IRIs in a label."""
    return _NAME.findall(label)


def with_names(label: str, shown: Callable[[str], str]) -> str:
    """A label with each IRI in angle brackets replaced."""
    return _NAME.sub(lambda found: shown(found[1]), label)


def local_name(iri: str) -> str:
    """The part after the last # or /; the whole IRI if that part is empty."""
    return re.split(r"[#/]", iri)[-1] or iri


# -- class expressions -------------------------------------------------------------------------------------------------


FILLERS = {"someValuesFrom": "some", "allValuesFrom": "only", "hasValue": "value"}
_NUMBERS = {
    **dict.fromkeys(("minCardinality", "minQualifiedCardinality"), "min"),
    **dict.fromkeys(("maxCardinality", "maxQualifiedCardinality"), "max"),
    **dict.fromkeys(("cardinality", "qualifiedCardinality"), "exactly"),
}
_PROPERTIES = ("onProperty", "onProperties")
_QUALIFIERS = ("onClass", "onDataRange")
_OPERANDS = {"intersectionOf": ("(", " and ", ")"), "unionOf": ("(", " or ", ")"), "oneOf": ("{", ", ", "}")}
_COMPLEMENTS = ("complementOf", "datatypeComplementOf")
_OTHERS = ("hasSelf", "onDatatype", "withRestrictions", "inverseOf")
_WORDS = {
    word: OWL[word] for word in (*_PROPERTIES, *FILLERS, *_NUMBERS, *_QUALIFIERS, *_OPERANDS, *_COMPLEMENTS, *_OTHERS)
}


@dataclass(frozen=True, slots=True)
class Restriction:
    """A restriction: its property as text, its kind (`some`, `min 2`), and its filler or a default target."""

    property: str
    kind: str
    filler: Key | None
    default: NamedNode | None = None  # the target if there is no filler; None: the class that is restricted


class Shape(NamedTuple):
    """The spelling of a node: its parts, in order of their texts, between fixed texts."""

    before: str
    between: str
    after: str
    parts: tuple[Key, ...]


class Expressions:
    """The class expressions of a graph, as of their first use."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        facts: dict[Key, list[tuple[str, Key]]] = {}
        for word, predicate in _WORDS.items():
            for subject, _, value in graph.rows(None, graph.key(predicate)):
                facts.setdefault(subject, []).append((word, value))
        term = graph.term
        self.anonymous = {key for key in facts if type(term(key)) is BlankNode}
        """The blank nodes that stand for expressions."""
        self.named = [key for key in facts if key not in self.anonymous]
        """The names that are expressions themselves: a class with an owl:intersectionOf, or a named restriction."""
        self.facts = facts
        """The triples that define each of them, its property first."""
        self._properties: dict[Key, str] = {}

    def conjuncts(self, key: Key) -> Iterator[Key]:
        """The anonymous operands of a (nested) intersection; the expression itself, if it is not an intersection."""
        pending, seen = [key], {key}
        while pending:
            each = pending.pop()
            facts = self.facts[each]
            if any(word != "intersectionOf" for word, _ in facts):
                yield each
            for part in reversed(
                [part for word, head in facts if word == "intersectionOf" for part in self._list(head)]
            ):
                if part in self.anonymous and part not in seen:
                    seen.add(part)
                    pending.append(part)

    def restrictions(self, key: Key) -> list[Restriction]:
        """The restrictions that a node defines: at most one, unless it is malformed."""
        facts = self.facts.get(key, ())
        properties = [value for word, value in facts if word in _PROPERTIES]
        if not properties:
            return []
        return [restriction for property_key in properties for restriction in self._restrictions(property_key, facts)]

    def _restrictions(self, on: Key, facts: Iterable[tuple[str, Key]]) -> Iterator[Restriction]:
        name = self.property_text(on)
        for word, value in facts:
            if word in FILLERS:
                yield Restriction(name, FILLERS[word], value)
            elif word == "hasSelf":
                yield Restriction(name, "self", None)
            elif word in _NUMBERS:
                kind = f"{_NUMBERS[word]} {self._number(value)}"
                qualifiers = [qualifier for qualified, qualifier in facts if qualified in _QUALIFIERS]
                for qualifier in qualifiers:
                    yield Restriction(name, kind, qualifier)
                if not qualifiers:
                    yield Restriction(name, kind, None, RDFS.Literal if self._is_of_data(on) else OWL.Thing)

    def ends(self, key: Key) -> list[Term]:
        """The targets of an edge to this filler."""
        term = self._graph.term(key)
        return [term] if type(term) is NamedNode else self.names(key) or [OWL.Thing]

    def names(self, key: Key) -> list[Term]:
        """The classes, datatypes and individuals that an expression names. A literal names its datatype."""
        found: dict[Term, None] = {}
        for part in self._inside(key):
            term = self._graph.term(part)
            if part == key and key in self.facts:  # this is the definition itself
                continue
            if isinstance(term, Literal):
                found[term.datatype] = None
            elif type(term) is NamedNode:
                found[term] = None
        return list(found)

    def has_restriction(self, key: Key) -> bool:
        """Whether an expression is a restriction or has one inside."""
        return any(self.restrictions(part) for part in self._inside(key) if part in self.anonymous or part == key)

    def _inside(self, key: Key) -> Iterator[Key]:
        """The node and all its parts, each once."""
        pending, seen = [key], {key}
        while pending:
            each = pending.pop()
            yield each
            if each not in self.anonymous and each != key:
                continue
            for part in reversed([part for shape in self.shapes(each) for part in shape.parts]):
                if part not in seen:
                    seen.add(part)
                    pending.append(part)

    def shapes(self, key: Key) -> list[Shape]:
        """The shapes of a node: one, unless it is malformed."""
        facts = self.facts.get(key, ())
        shapes = [
            Shape(f"{one.property}[{one.kind}{' ' * (one.filler is not None)}", "", "]", _parts(one.filler))
            for one in self.restrictions(key)
        ]
        for word, value in facts:
            if word in _OPERANDS:
                shapes.append(Shape(*_OPERANDS[word], tuple(dict.fromkeys(self._list(value)))))
            elif word in _COMPLEMENTS:
                shapes.append(Shape("not ", "", "", (value,)))
            elif word == "onDatatype":
                facets = [self._facets(head) for other, head in facts if other == "withRestrictions"]
                shapes.append(Shape("", "", "".join(facets), (value,)))
        return shapes

    def _facets(self, head: Key) -> str:
        term = self._graph.term
        facets = {
            f"{spelled(term(facet))} {spelled(term(value))}"
            for member in self._list(head)
            for _, facet, value in self._graph.rows(member)
        }
        return f"[{', '.join(sorted(facets))}]"

    def property_text(self, key: Key) -> str:
        """The text of a property, which may be the inverse of one."""
        known = self._properties.get(key)
        if known is None:
            known = self._properties[key] = self._spelled_property(key)
        return known

    def _spelled_property(self, key: Key) -> str:
        if type(self._graph.term(key)) is NamedNode:
            return spelled(self._graph.term(key))
        inverted = [value for word, value in self.facts.get(key, ()) if word == "inverseOf"]
        if inverted:
            return f"inverse {spelled(self._graph.term(inverted[0]))}"
        several = [spelled(self._graph.term(part)) for part in self._list(key)]
        return f"({', '.join(several)})" if several else UNDEFINED

    def _is_of_data(self, key: Key) -> bool:
        return self._graph.has(key, self._graph.table.is_a, self._graph.key(OWL.DatatypeProperty))

    def _number(self, key: Key) -> str:
        term = self._graph.term(key)
        return term.value.lstrip("0") or "0" if isinstance(term, Literal) else spelled(term)

    def _list(self, head: Key) -> list[Key]:
        """The members of a list; a malformed one is read until it ends or repeats."""
        first, rest = self._graph.key(RDF.first), self._graph.key(RDF.rest)
        members: list[Key] = []
        seen: set[Key] = set()
        cells: list[Key] = [head]
        while cells and cells[0] not in seen:
            seen.add(cells[0])
            members += self._graph.objects(cells[0], first)
            cells = list(self._graph.objects(cells[0], rest))
        return members


def _parts(filler: Key | None) -> tuple[Key, ...]:
    return () if filler is None else (filler,)


# -- texts -------------------------------------------------------------------------------------------------------------

_LONGEST = 1000
_LONGEST_CHAIN = 20


class ExpressionTexts:
    """The texts of the expressions of a graph; each is made once."""

    def __init__(self, graph: Graph, expressions: Expressions) -> None:
        self._graph = graph
        self._expressions = expressions
        self._texts: dict[Key, str] = {}
        self._plain_labels: dict[tuple[Key, str], str] = {}

    def plain(self, key: Key) -> tuple[Term, str] | None:
        """The target and the label of a restriction with a named filler, which is by far the most common case."""
        facts = self._expressions.facts[key]
        if len(facts) != 2:
            return None
        (first, on), (word, filler) = facts  # the property comes first
        target = self._graph.term(filler)
        if first != "onProperty" or word not in FILLERS or type(target) is not NamedNode:
            return None
        label = self._plain_labels.get((on, word))
        if label is None:
            label = self._plain_labels[on, word] = self.label(
                Restriction(self._expressions.property_text(on), FILLERS[word], filler)
            )
        return target, label

    def label(self, restriction: Restriction) -> str:
        """The label of a restriction's edges."""
        texts: list[str] = []
        links = 0
        while True:
            texts.append(f"{restriction.property}[{restriction.kind}")
            filler = restriction.filler
            if filler is None or type(self._graph.term(filler)) is NamedNode:
                break
            chained = self._expressions.restrictions(filler)
            if len(chained) != 1 or links == _LONGEST_CHAIN or len(self._expressions.shapes(filler)) != 1:
                texts.append(self.text(filler))
                break
            links += 1
            restriction = chained[0]
        return _cut(" ".join(texts) + "]" * (links + 1))

    def text(self, key: Key) -> str:
        """The text of an expression or of a term."""
        texts = self._texts
        pending, open_ = [key], set[Key]()
        while pending:
            each = pending[-1]
            if each in texts:
                pending.pop()
                continue
            shapes = self._expressions.shapes(each) if each in self._expressions.anonymous else []
            if not shapes:
                texts[each] = spelled(self._graph.term(each))
                continue
            missing = [part for shape in shapes for part in shape.parts if part not in texts and part not in open_]
            if missing and each not in open_:
                open_.add(each)
                pending += missing
                continue
            texts[each] = self._joined(shapes)
            open_.discard(each)
        return texts[key]

    def definition(self, key: Key) -> str:
        """The text of a node's definition, even if the node has a name."""
        shapes = self._expressions.shapes(key)
        for part in chain.from_iterable(shape.parts for shape in shapes):
            self.text(part)
        return self._joined(shapes)

    def _joined(self, shapes: Iterable[Shape]) -> str:
        """The text of a node, from those of its parts. A part without a text contains itself."""
        texts = self._texts
        return _cut(
            " ".join(
                sorted(
                    before + between.join(sorted(texts.get(part, UNDEFINED) for part in parts)) + after
                    for before, between, after, parts in shapes
                )
            )
        )


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    # Cut between two names, so that the remaining ones can still be shortened.
    return f"{text[:_LONGEST].rpartition(' ')[0]} … #{hashlib.sha256(text.encode()).hexdigest()[:16]}"
