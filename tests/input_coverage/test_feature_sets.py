"""Sets of features: what is in them, and that counting changes gives the same as counting the whole graph."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.input_coverage.feature_set import FeatureSet
from kgprobe.input_coverage.features import BUILT_IN, declared_terms, feature_set
from kgprobe.mutation.catalogue import example_graph, operator_set
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Term, Triple

_EL = Path(__file__).parents[1] / "mutation" / "el_ontology.ttl"
_NAMES = [NamedNode(f"urn:n{number}") for number in range(3)]
_NODES: list[Term] = [*_NAMES, BlankNode("b"), OWL.Class, OWL.Thing, RDF.nil, XSD.token]
_PREDICATES = [RDF.type, RDFS.subClassOf, OWL.hasSelf, OWL.onProperty, RDFS.label]
_LITERALS = [
    *(Literal("a"), Literal("b"), Literal("a", language="en"), Literal("true", datatype=XSD.boolean)),
    *(Literal("1", datatype=XSD.integer), Literal("1", datatype=XSD.nonNegativeInteger)),
]
_TRIPLES = st.builds(
    Triple, st.sampled_from(_NODES), st.sampled_from(_PREDICATES), st.sampled_from([*_NODES, *_LITERALS])
)


def _found(features: FeatureSet, graph: Graph) -> set[str]:
    return set(features.finder(graph)(graph))


def _short(features: FeatureSet, turtle: str) -> set[str]:
    return {features.short(feature) for feature in _found(features, example_graph(turtle))}


# -- what is in them ---------------------------------------------------------------------------------------------------


def test_table_4_has_64_features() -> None:
    features = feature_set("owl-el")
    assert features.size == len(set(features.features)) == 64
    assert OWL.NamedIndividual.value in features.features
    assert OWL.namedIndividual.value not in features.features
    assert {features.short(each).partition(":")[0] for each in features.features} == {"rdf", "rdfs", "owl", "xsd"}


def test_the_full_list_adds_what_the_table_forgets() -> None:
    listed, full = feature_set("owl-el").features, feature_set("owl-el-full").features
    assert full[:64] == listed
    assert len(set(full)) == len(full) > 64
    assert {each.value for each in (OWL.equivalentProperty, OWL.hasSelf, OWL.Axiom, RDFS.label)} <= set(full[64:])


def test_the_robot_has_88_features() -> None:
    features = feature_set("suave")
    assert features.size == len(set(features.features)) == 88
    prefixes = [features.short(each).partition(":")[0] for each in features.features]
    assert {prefix: prefixes.count(prefix) for prefix in prefixes} == {"mros": 12, "tomasys": 50, "suave": 26}


def test_sizes_of_the_other_sets() -> None:
    assert feature_set("pairs").size == 64 * 63 // 2
    assert feature_set("axioms").size == 37
    shapes = feature_set("shapes").features
    assert len(set(shapes)) == len(shapes) == 17 + 8 * 17 + 5 * 5
    assert "ObjectSomeValuesFrom(ObjectIntersectionOf)" in shapes
    assert "DataSomeValuesFrom(DataOneOf)" in shapes
    assert not {"ObjectHasValue(ObjectOneOf)", "DataSomeValuesFrom(ObjectOneOf)", "DataOneOf"} & set(shapes)


def test_an_unknown_set_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'owl-el'"):
        feature_set("owl_el")
    with pytest.raises(InputError, match="terms:ONTOLOGY or a file"):
        feature_set("qqqqqq")
    with pytest.raises(InputError, match="needs the file of an ontology"):
        feature_set("terms:")
    with pytest.raises(InputError, match="only owl-el can be counted as in the paper, not 'axioms'"):
        feature_set("axioms", count_as="paper")


# -- what counts -------------------------------------------------------------------------------------------------------


def test_an_iri_counts_wherever_it_occurs() -> None:
    features = feature_set("owl-el")
    assert _short(features, ":a :p owl:Thing .") == {"owl:Thing"}
    assert _short(features, "owl:Thing :p :a .") == {"owl:Thing"}
    assert _short(features, ":a owl:onProperty :b .") == {"owl:onProperty"}
    assert _short(features, ':a :p "x", "1"^^xsd:integer, "x"@en .') == {"xsd:string", "xsd:integer"}
    assert _short(features, ":a rdfs:label :b .") == set()  # Table 4 lacks it
    assert _short(feature_set("owl-el-full"), ':a rdfs:label "x"@en .') == {"rdfs:label", "rdf:langString"}


def test_counting_as_the_paper_does() -> None:
    """Any IRI of four namespaces, no datatypes of literals, and a share of 64."""
    features = feature_set("owl-el", count_as="paper")
    assert features.size == 64
    turtle = ':a rdfs:label "x", "1"^^xsd:integer ; owl:noSuchThing xsd:token ; :p owl:Class .'
    assert _short(features, turtle) == {"rdfs:label", "owl:noSuchThing", "xsd:token", "owl:Class"}


def test_pairs_are_two_features_in_one_graph() -> None:
    features = feature_set("pairs")
    assert _short(features, ":A a owl:Class .") == {"rdf:type + owl:Class"}
    assert len(_short(features, ":A a owl:Class ; rdfs:subClassOf owl:Thing .")) == 6
    assert _found(features, example_graph("")) == set()


def test_kinds_of_axioms() -> None:
    turtle = ":A a owl:Class ; rdfs:subClassOf :B . :B a owl:Class ; owl:disjointWith :A ."
    assert _short(feature_set("axioms"), turtle) == {"Declaration", "SubClassOf", "DisjointClasses"}


def test_shapes_have_at_most_depth_2() -> None:
    turtle = """
      :A a owl:Class . :p a owl:ObjectProperty . :x a owl:NamedIndividual .
      :A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom
        [ a owl:Class ; owl:intersectionOf ( :A [ a owl:Restriction ; owl:onProperty :p ; owl:hasValue :x ] ) ] ] .
    """
    assert _short(feature_set("shapes"), turtle) == {
        *("ObjectSomeValuesFrom", "ObjectIntersectionOf", "ObjectHasValue"),
        *("ObjectSomeValuesFrom(ObjectIntersectionOf)", "ObjectIntersectionOf(ObjectHasValue)"),
    }


def test_declared_terms() -> None:
    owl = example_graph(":A a owl:Class . :p a owl:ObjectProperty . :i a owl:NamedIndividual, :C . [] a owl:Class .")
    assert [iri.rpartition("#")[2] for iri in declared_terms(owl)] == ["A", "p", "i"]  # :C is used, not declared
    assert len(declared_terms(example_graph(":A a rdfs:Class . :p a rdf:Property ."))) == 2
    assert declared_terms(example_graph(":a :p :b .")) == []


# -- changes are enough ------------------------------------------------------------------------------------------------


def _occurring(graph: Graph, listed: set[str]) -> set[str]:
    """The features of a list by definition: without keys, counts or changes."""
    found = set()
    for triple in graph:
        for term in (triple.subject, triple.predicate, triple.object):
            if isinstance(term, NamedNode):
                found.add(term.value)
            elif isinstance(term, Literal):
                found.add(term.datatype.value)
    return found & listed


def _in_namespaces(graph: Graph) -> set[str]:
    terms = {term for triple in graph for term in (triple.subject, triple.predicate, triple.object)}
    spaces = (RDF.iri, RDFS.iri, OWL.iri, XSD.iri)
    return {term.value for term in terms if isinstance(term, NamedNode) and term.value.startswith(spaces)}


@given(st.lists(_TRIPLES), st.lists(st.lists(_TRIPLES), max_size=3))
def test_features_follow_from_the_changes(loaded: list[Triple], steps: list[list[Triple]]) -> None:
    seed = Graph(loaded)
    features, paper, pairs = feature_set("owl-el"), feature_set("owl-el", count_as="paper"), feature_set("pairs")
    finders = [each.finder(seed) for each in (features, paper, pairs)]
    for step in [[], *steps]:
        graph = seed.copy()
        for triple in step:  # a triple that is there is removed, and one that is not is added
            if not graph.add(triple):
                graph.remove(triple)
        found, as_in_paper, together = (list(find(graph)) for find in finders)
        assert set(found) == _occurring(graph, set(features.features))
        assert set(as_in_paper) == _in_namespaces(graph)
        assert len(found) == len(set(found))
        assert {frozenset(pairs.parts(each)) for each in together} == set(map(frozenset, combinations(found, 2)))
        assert set(together) <= set(pairs.features)


def _mutants(count: int) -> Iterator[tuple[Graph, Graph]]:
    """Mutants of an ontology with all constructs, and copies that know nothing of their seed graph."""
    operators = [Weighted(each) for name in ("owl-dl", "annotations", "imports") for each in operator_set(name)]
    unique = {each.operator.description.name: each for each in operators}
    generator = Generator(load(_EL).graph, list(unique.values()), mutations=15, seed=3)
    for mutant in generator.mutants(count):
        yield mutant.graph, Graph(list(mutant.graph))


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_mutants_have_the_features_that_they_have_alone(name: str) -> None:
    features = feature_set(name)
    compared, pairs = 0, list(_mutants(12))
    find = features.finder(pairs[0][0])  # a finder may start from any graph of the table
    for mutant, alone in pairs:
        assert set(find(mutant)) == _found(features, alone)
        compared += 1
    assert compared == 12


def test_a_graph_of_another_seed_is_refused() -> None:
    find = feature_set("owl-el").finder(Graph())
    with pytest.raises(ValueError, match="was not made from the seed graph"):
        find(Graph())
