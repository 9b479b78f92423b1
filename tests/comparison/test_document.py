"""Comparisons as JSON, and that every output format handles every comparison."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import spelled_graphs

from kgprobe.comparison.compare import compare, with_inferred
from kgprobe.comparison.formats import commands, document
from kgprobe.comparison.wording import Wording, overview_lines, section_lines
from kgprobe.entailment.class_hierarchy import ClassEdges
from kgprobe.entailment.stated_hierarchy import stated_hierarchy
from kgprobe.owl.wording import Names
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Term, Triple

_names = st.sampled_from([NamedNode(f"http://example.org/{name}") for name in "abcd"])
_nodes = st.one_of(_names, st.sampled_from([BlankNode(f"n{n}") for n in range(4)]))
_vocabulary = [
    *(RDF.type, RDF.first, RDF.rest, RDFS.subClassOf, RDFS.subPropertyOf, RDFS.domain, RDFS.label, OWL.deprecated),
    *(OWL.onProperty, OWL.someValuesFrom, OWL.intersectionOf, OWL.equivalentClass, OWL.disjointWith, OWL.members),
    *(OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget, OWL.imports, OWL.versionIRI, OWL.sameAs),
]
_kinds = [
    *(OWL.Class, OWL.Restriction, OWL.Axiom, OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty),
    *(OWL.Ontology, OWL.TransitiveProperty, OWL.AllDisjointClasses, OWL.Thing, RDFS.Datatype, RDF.nil),
]
# Random triples over the OWL vocabulary: most are incomplete axioms, or nonsense.
_broken = st.builds(
    Triple,
    _nodes,
    st.one_of(st.sampled_from(_vocabulary), _names),
    st.one_of(_nodes, st.sampled_from(_kinds), st.sampled_from([Literal("true"), Literal("x", language="en")])),
)
broken_ontologies = st.lists(_broken, max_size=20).map(Graph)
any_graphs = st.one_of(broken_ontologies, spelled_graphs())


def stated(graph: Graph) -> ClassEdges:
    return ClassEdges(stated_hierarchy(graph).nodes, frozenset(), "stated")


@given(any_graphs, any_graphs)
@settings(max_examples=60, deadline=None)
def test_any_comparison_can_be_shown(old: Graph, new: Graph) -> None:
    found = with_inferred(compare(old, new), stated(old), stated(new))
    text = json.dumps(document(found, old, new))
    assert json.loads(text)["different"] is found.anything
    for summary in (True, False):
        sections = Wording(found, old, new, summary=summary).sections()
        lines = [*overview_lines(found), *section_lines(sections, 60 if summary else None)]
        assert not [line for line in lines if "\n" in line]
    plain = compare(old, new, follow_renames=False)
    assert not [line for line in commands(plain, Names(old, new)).lines if "\n" in line]


@given(any_graphs, any_graphs)
@settings(max_examples=50, deadline=None)
def test_comparing_in_reverse_swaps_added_and_removed(old: Graph, new: Graph) -> None:
    there, back = (compare(*pair, follow_renames=False) for pair in ((old, new), (new, old)))
    assert [change.entity.term for change in there.added] == [change.entity.term for change in back.removed]
    assert [change.entity.term for change in there.changed] == [change.entity.term for change in back.changed]
    assert there.counts.triples == back.counts.triples[::-1]
    assert len(there.axioms) == len(back.axioms)
    assert len(there.annotations) == len(back.annotations)


def test_terms_are_objects() -> None:
    a, note = NamedNode("http://example.org/a"), NamedNode("http://example.org/note")
    declared = [Triple(a, RDF.type, OWL.Class), Triple(note, RDF.type, OWL.AnnotationProperty)]
    values: list[Term] = [
        Literal("x"),
        Literal("x", language="en"),
        Literal("1", datatype=NamedNode("http://example.org/t")),
        a,
    ]
    old, new = Graph(declared), Graph([*declared, *(Triple(a, note, value) for value in values)])
    [change] = document(compare(old, new), old, new)["annotations"]
    assert change["property"] == note.value
    assert sorted(change["added"], key=str) == sorted(
        [
            {"value": "x"},
            {"value": "x", "language": "en"},
            {"value": "1", "datatype": "http://example.org/t"},
            {"iri": a.value, "name": f"<{a.value}>", "label": None},
        ],
        key=str,
    )
