"""Made-up tests for reductions, with a record of what they were asked; and random ontologies whose axioms are whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import Any

from hypothesis import strategies as st

from kgprobe.owl.axioms import Axiom, AxiomView
from kgprobe.owl.expression import Expression, OntologyDocument
from kgprobe.owl.to_triples import triples
from kgprobe.rdf.canonical import fingerprint
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, Literal, NamedNode, Triple
from kgprobe.reduction.problem import Effort, StillFails
from kgprobe.reduction.reducer import Options, Reduction, reduce_in_batches

EX = "http://example.com/things#"


class Recorded:
    """A test that remembers each graph that it was run on."""

    def __init__(self, fails: Callable[[Graph], bool]) -> None:
        self._fails = fails
        self.graphs: list[Graph] = []
        self.batches: list[int] = []

    def __call__(self, graphs: Sequence[Graph]) -> list[bool]:
        self.graphs += graphs
        self.batches.append(len(graphs))
        return [self._fails(graph) for graph in graphs]

    def assert_no_graph_twice(self) -> None:
        numbers = [fingerprint(graph) for graph in self.graphs]
        assert len(numbers) == len(set(numbers))


def options(**given: Any) -> Options:
    """Options and limits of a reduction by their names."""
    effort = {field.name: given.pop(field.name) for field in fields(Effort) if field.name in given}
    return Options(effort=Effort(**effort), **given)


def reduced(graph: Graph, still_fails: StillFails[Graph], **given: Any) -> Reduction:
    """A reduction with these options."""
    return reduce_in_batches(graph, still_fails, options(**given))


def has_triples(wanted: Iterable[Triple]) -> Callable[[Graph], bool]:
    """A failure that needs these triples."""
    needed = list(wanted)
    return lambda graph: all(triple in graph for triple in needed)


def but_for_names(fails: Callable[[Graph], bool]) -> Callable[[Graph], bool]:
    """The same failure, for software to which the names of blank nodes mean nothing: the first of several graphs that
    differ in nothing else decides.
    """
    verdicts: dict[int, bool] = {}

    def fails_but_for_names(graph: Graph) -> bool:
        number = fingerprint(graph)
        if number not in verdicts:
            verdicts[number] = fails(graph)
        return verdicts[number]

    return fails_but_for_names


def states(wanted: Iterable[Axiom]) -> Callable[[Graph], bool]:
    """A failure that needs the graph to state these axioms, however it is that they are read."""
    needed = list(wanted)

    def fails(graph: Graph) -> bool:
        stated = {axiom.expression for axiom in AxiomView(graph)}
        return all(axiom.expression in stated for axiom in needed)

    return fails


_CLASSES = [NamedNode(EX + name) for name in ("Tea", "Milk", "Cup", "Pot", "Leaf", "Water")]
_PROPERTIES = [NamedNode(EX + name) for name in ("with", "in", "near")]
DECLARATIONS = [
    *(Triple(name, RDF.type, OWL.Class) for name in _CLASSES),
    *(Triple(name, RDF.type, OWL.ObjectProperty) for name in _PROPERTIES),
]
_classes, _properties = st.sampled_from(_CLASSES), st.sampled_from(_PROPERTIES)
_individuals = st.sampled_from([NamedNode(EX + name) for name in ("earl", "jasmine")])


def _of(head: str, *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Expression]:
    return st.builds(Expression, st.just(head), *arguments)


_expressions = st.recursive(
    _classes,
    lambda inner: st.one_of(
        st.builds(Expression, st.sampled_from(["ObjectSomeValuesFrom", "ObjectAllValuesFrom"]), _properties, inner),
        st.lists(inner, min_size=2, max_size=3, unique=True).map(
            lambda all_: Expression("ObjectIntersectionOf", *all_)
        ),
        st.lists(inner, min_size=2, max_size=3, unique=True).map(lambda all_: Expression("ObjectUnionOf", *all_)),
        _of("ObjectComplementOf", inner),
    ),
    max_leaves=4,
)
_notes = st.text("ab", max_size=3).map(lambda text: Expression("Annotation", RDFS.comment, Literal(text)))
_axioms: st.SearchStrategy[Expression] = st.one_of(
    _of("SubClassOf", _classes, _expressions),
    _of("SubClassOf", _classes, _classes),
    _of("SubClassOf", _notes, _classes, _classes),
    _of("EquivalentClasses", _classes, _expressions),
    st.lists(_classes, min_size=2, max_size=4, unique=True).map(lambda all_: Expression("DisjointClasses", *all_)),
    _of("ReflexiveObjectProperty", _properties),
    _of("ObjectPropertyDomain", _properties, _classes),
    _of("SubObjectPropertyOf", _of("ObjectPropertyChain", _properties, _properties), _properties),
    _of("ClassAssertion", _expressions, _individuals),
    _of("AnnotationAssertion", st.just(RDFS.label), _classes, st.text("xyz", max_size=4).map(Literal)),
)


def _written(axioms: Sequence[Expression], declared: bool) -> Graph:
    statements = triples(OntologyDocument(axioms=tuple(axioms)), header=declared)
    stated = [Triple(*statement) for statement in statements]
    names = {term for triple in stated for term in (triple.subject, triple.object)}
    return Graph([*stated, *(triple for triple in DECLARATIONS if declared and triple.subject in names)])


ontologies = st.builds(_written, st.lists(_axioms, max_size=12, unique=True), st.booleans())


@st.composite
def ontologies_and_causes(draw: st.DrawFn) -> tuple[Graph, list[Axiom]]:
    """An ontology, and some of its axioms."""
    graph = draw(ontologies)
    axioms = list(AxiomView(graph))
    chosen = (
        draw(st.lists(st.sampled_from(axioms), max_size=4, unique_by=lambda axiom: axiom.triples)) if axioms else []
    )
    return graph, chosen
