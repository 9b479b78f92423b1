"""Triples that are nearly the same: a class or property next to the stated one, or the opposite direction.

Data often have a more general class than the query asks for, a more special property, or a link that was written the
wrong way round. Without entailment, a query sees none of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kgprobe.owl.expression import Argument, Expression, is_headed
from kgprobe.queries.testing.data import Datum, graph_of, placed
from kgprobe.rdf.terms import OWL, RDF, RDFS, Literal, NamedNode

__all__ = ["Neighbours"]

_MOST_ABOVE_AND_BELOW = 4
_VOCABULARIES = (RDF.iri, RDFS.iri, OWL.iri)


class Neighbours:
    """The names right above and right below a class or property, and the inverses of a property, as stated."""

    def __init__(self, axioms: Iterable[Expression]) -> None:
        self._above: dict[NamedNode, dict[NamedNode, None]] = {}
        self._below: dict[NamedNode, dict[NamedNode, None]] = {}
        self._inverse: dict[NamedNode, dict[NamedNode, None]] = {}
        for axiom in axioms:
            self._add(axiom)

    def _add(self, axiom: Expression) -> None:
        match axiom:
            case Expression("SubClassOf" | "SubObjectPropertyOf" | "SubDataPropertyOf", (lower, upper)):
                self._order(lower, upper)
            case Expression(
                "EquivalentClasses" | "EquivalentObjectProperties" | "EquivalentDataProperties", (first, *others)
            ):
                for other in others:
                    self._order(first, other)
                    self._order(other, first)
            case Expression("DisjointUnion", (whole, *parts)):
                for part in parts:
                    self._order(part, whole)
            case Expression("InverseObjectProperties", (one, other)):
                if isinstance(one, NamedNode) and isinstance(other, NamedNode):
                    self._inverse.setdefault(one, {})[other] = None
                    self._inverse.setdefault(other, {})[one] = None

    def _order(self, lower: Argument, upper: Argument) -> None:
        """A class is below each part of an intersection, and above each part of a union."""
        for above in upper.args if is_headed(upper, "ObjectIntersectionOf") else (upper,):
            for below in lower.args if is_headed(lower, "ObjectUnionOf") else (lower,):
                if _is_own(above) and _is_own(below):
                    assert isinstance(above, NamedNode)  # noqa: S101 - just checked
                    assert isinstance(below, NamedNode)  # noqa: S101 - just checked
                    self._above.setdefault(below, {})[above] = None
                    self._below.setdefault(above, {})[below] = None

    def of(self, datum: Datum) -> Iterator[Datum]:
        """Triples that say a little more, a little less, or the opposite, in the same graph."""
        subject, predicate, object_ = datum.subject, datum.predicate, datum.object
        graph = graph_of(datum)
        if predicate == RDF.type:
            if isinstance(object_, NamedNode):
                yield from (placed(subject, predicate, name, graph) for name in self._next_to(object_))
        elif _is_own(predicate):
            yield from (placed(subject, name, object_, graph) for name in self._next_to(predicate))
            if not isinstance(object_, Literal) and object_ != subject:
                for name in (predicate, *self._inverse.get(predicate, ())):
                    yield placed(object_, name, subject, graph)

    def _next_to(self, name: NamedNode) -> list[NamedNode]:
        above, below = (list(table.get(name, ()))[:_MOST_ABOVE_AND_BELOW] for table in (self._above, self._below))
        return list(dict.fromkeys([*above, *below]))


def _is_own(name: Argument) -> bool:
    """Whether this is a name of the ontology, and not one of RDF or OWL."""
    return isinstance(name, NamedNode) and not name.value.startswith(_VOCABULARIES)
