"""Random ontologies whose stated hierarchy is usually complete."""

from __future__ import annotations

from hypothesis import strategies as st
from support.turtle import EX

from kgprobe.rdf.graph import write_list
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Subject, Triple

__all__ = ["simple_ontologies"]

_classes = st.sampled_from([EX[name] for name in "ABCDE"])
_properties = st.sampled_from([EX[name] for name in "pqr"])
_things = st.sampled_from([EX[name] for name in "ij"])
_DECLARED = [
    *(Triple(EX[name], RDF.type, OWL.Class) for name in "ABCDE"),
    *(Triple(EX[name], RDF.type, OWL.ObjectProperty) for name in "pqr"),
    *(Triple(EX[name], RDF.type, OWL.NamedIndividual) for name in "ij"),
]


class _Making:
    """An ontology under construction."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._count = 0
        self.triples = list(_DECLARED)

    def _fresh(self) -> BlankNode:
        self._count += 1
        return BlankNode(f"x{self._count}")

    def _expression(self, depth: int) -> Subject:
        kind = self._draw(st.sampled_from(["name", "some", "and"])) if depth else "name"
        if kind == "name":
            return self._draw(_classes)
        node = self._fresh()
        if kind == "some":
            self._add(node, RDF.type, OWL.Restriction)
            self._add(node, OWL.onProperty, self._draw(_properties))
            self._add(node, OWL.someValuesFrom, self._expression(depth - 1))
        else:
            head, cells = write_list([self._expression(depth - 1), self._expression(depth - 1)], self._fresh)
            self._add(node, RDF.type, OWL.Class)
            self._add(node, OWL.intersectionOf, head)
            self.triples += cells
        return node

    def _add(self, *parts: Subject) -> None:
        self.triples.append(Triple(*parts))  # type: ignore[arg-type]  # each in its place

    def sub_class(self) -> None:
        self._add(self._draw(_classes), RDFS.subClassOf, self._expression(2))

    def equivalent(self) -> None:
        self._add(self._draw(_classes), OWL.equivalentClass, self._draw(_classes))

    def between_properties(self) -> None:
        how = self._draw(st.sampled_from([RDFS.subPropertyOf, OWL.equivalentProperty, OWL.inverseOf]))
        self._add(self._draw(_properties), how, self._draw(_properties))

    def chain(self) -> None:
        head, cells = write_list([self._draw(_properties), self._draw(_properties)], self._fresh)
        self._add(self._draw(_properties), OWL.propertyChainAxiom, head)
        self.triples += cells

    def domain(self) -> None:
        self._add(self._draw(_properties), RDFS.domain, self._draw(_classes))

    def range(self) -> None:
        self._add(self._draw(_properties), RDFS.range, self._draw(_classes))

    def mark(self) -> None:
        kind = self._draw(st.sampled_from(["Transitive", "Symmetric", "Reflexive"]))
        self._add(self._draw(_properties), RDF.type, OWL[f"{kind}Property"])

    def is_a(self) -> None:
        self._add(self._draw(_things), RDF.type, self._expression(1))

    def fact(self) -> None:
        self._add(self._draw(_things), self._draw(_properties), self._draw(_things))

    def same(self) -> None:
        self._add(EX.i, OWL.sameAs, EX.j)

    def odd(self) -> None:
        self._add(self._expression(1), RDFS.subClassOf, self._draw(_classes))


_HARMLESS = [*[_Making.sub_class] * 5, _Making.equivalent, _Making.is_a, _Making.fact, _Making.same]
_ABOUT_PROPERTIES = [_Making.between_properties, _Making.chain, _Making.mark, _Making.domain, _Making.range]


@st.composite
def simple_ontologies(draw: st.DrawFn) -> list[Triple]:
    """Random axioms. The kinds are drawn first, so that some ontologies avoid combinations that are incomplete."""
    kinds = [*_HARMLESS, *draw(st.lists(st.sampled_from([*_ABOUT_PROPERTIES, _Making.odd]), max_size=3))]
    making = _Making(draw)
    for make in draw(st.lists(st.sampled_from(kinds), min_size=2, max_size=12)):
        make(making)
    return list(dict.fromkeys(making.triples))
