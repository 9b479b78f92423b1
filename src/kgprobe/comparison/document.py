"""A comparison as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kgprobe.comparison.model import (
    Aspect,
    ChangedAxiom,
    Comparison,
    Entity,
    EntityChange,
    InferredChanges,
    Subsumptions,
    ValueChange,
)
from kgprobe.owl.axiom_groups import Axiom
from kgprobe.owl.wording import Names, axiom_in_words
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import XSD, Literal, NamedNode, Term

__all__ = ["document"]


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
