"""The operators for OWL 2 DL and those of `abox` keep an ontology in OWL 2 DL and well-formed."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.owlapi import needs_owlapi
from support.shared_data import needs_shared_data, shared

from kgprobe.formats.files import load
from kgprobe.mutation.catalogue import operator_set
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.owl.axiom_groups import axiom_groups
from kgprobe.owl.profiles import Profile, Violation, violations
from kgprobe.rdf.graph import Graph

from .example_runner import graph_of
from .owl_structure import faults
from .owlapi_axioms import read_completely

# All constructs: transitive properties and chains, properties that must be simple, and combinations of them.
_PLANT = """
    <https://kgprobe.example/plant> a owl:Ontology ; rdfs:comment "a plant" .
    :Device a owl:Class . :Pump a owl:Class ; rdfs:subClassOf :Device . :Valve a owl:Class ; rdfs:subClassOf :Device .
    :Part a owl:Class . :Safe a owl:Class ; owl:equivalentClass [
      a owl:Class ; owl:intersectionOf (:Device [ a owl:Restriction ; owl:onProperty :partOf ;
        owl:someValuesFrom [ a owl:Class ; owl:unionOf (:Pump :Valve :Part) ] ]) ] .
    [ a owl:Class ; owl:unionOf (:Pump [ a owl:Class ; owl:complementOf :Valve ]) ] rdfs:subClassOf :Device .
    [] a owl:Axiom ; owl:annotatedSource :Pump ; owl:annotatedProperty rdfs:subClassOf ;
      owl:annotatedTarget :Device ; rdfs:comment "of course" .
    :partOf a owl:ObjectProperty , owl:TransitiveProperty ; owl:inverseOf :hasPart .
    :hasPart a owl:ObjectProperty . :near a owl:ObjectProperty , owl:SymmetricProperty .
    :feeds a owl:ObjectProperty ; rdfs:subPropertyOf :reaches . :reaches a owl:ObjectProperty ;
      owl:propertyChainAxiom (:feeds :partOf) . :drives a owl:ObjectProperty , owl:FunctionalProperty .
    :heats a owl:ObjectProperty ; owl:propertyDisjointWith :cools . :cools a owl:ObjectProperty .
    :weight a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:range xsd:decimal . :name a owl:DatatypeProperty .
    :state a owl:DatatypeProperty ; rdfs:range [ a rdfs:Datatype ; owl:oneOf ("on" "off") ] .
    :maker a owl:AnnotationProperty . :Pump rdfs:label "pump"@en ; :maker :acme .
    :p1 a owl:NamedIndividual , :Pump ; :weight 2.5 ; :drives :p2 . :p2 a :Pump ; :name "second" . :v1 a :Valve .
    [] a owl:NegativePropertyAssertion ; owl:sourceIndividual :p1 ; owl:assertionProperty :feeds ;
      owl:targetIndividual :v1 .
    [] a owl:AllDisjointClasses ; owl:members (:Pump :Valve :Part) .
    [] a owl:AllDifferent ; owl:distinctMembers (:p1 :p2 :v1) .
"""


def _outside_dl(graph: Graph) -> list[Violation]:
    return list(violations(axiom_groups(graph), [Profile.DL]))


def _check(graph: Graph, *, mutants: int, seed: int) -> set[str]:
    """The operators that were used in mutants of a graph, after checking these mutants."""
    before = faults(graph)
    assert _outside_dl(graph) == []
    generator = Generator(graph, [Weighted(operator) for operator in operator_set("owl-dl")], mutations=30, seed=seed)
    count = 0
    for mutant in generator.mutants(mutants):
        steps = [step.operator for step in mutant.steps]
        assert _outside_dl(mutant.graph) == [], steps
        assert faults(mutant.graph) <= before, steps
        count += 1
    assert count == mutants
    return set(generator.tally.applied)


@pytest.mark.parametrize("seed", range(4))
def test_mutants_of_an_ontology_with_all_constructs_are_in_dl(seed: int) -> None:
    used = _check(graph_of(_PLANT), mutants=40, seed=seed)
    assert len(used) > 100


@needs_shared_data
@pytest.mark.parametrize("name", ["pizza-old.owl", "pizza-new.owl"])
def test_mutants_of_pizza_are_in_dl(name: str) -> None:
    _check(load(shared(f"pizza/{name}")).graph, mutants=20, seed=1)


@needs_owlapi
@needs_shared_data
@pytest.mark.parametrize("name", ["owl-dl", "abox"])
@pytest.mark.parametrize("counts", [(20, 12, 2), pytest.param((50, 30, 5), marks=pytest.mark.thorough)])
def test_owlapi_reads_every_axiom_of_mutants(name: str, counts: tuple[int, int, int], tmp_path: Path) -> None:
    pizza = [load(shared(f"pizza/{file}")).graph for file in ("pizza-old.owl", "pizza-new.owl")]
    suave = load(shared("suave/suave_original_with_imports.owl")).graph
    annotated = load(Path(__file__).parent / "el_ontology.ttl").graph
    mutants: list[Graph] = []
    small, medium, large = counts
    for graph, count in (
        (graph_of(_PLANT), small),
        (annotated, medium),
        *((seed, large) for seed in (*pizza, suave)),
    ):
        operators = [Weighted(operator) for operator in operator_set(name)]
        generator = Generator(graph, operators, mutations=30, seed=3)
        mutants += [mutant.graph.copy() for mutant in generator.mutants(count)]
    found = read_completely(mutants, tmp_path)
    assert all("DL" in read.profiles for read in found)
    assert len(found) == small + medium + 3 * large


def test_every_operator_for_dl_is_used() -> None:
    """An operator that never applies to a realistic ontology is a mistake."""
    graph = graph_of(_PLANT)
    generator = Generator(graph, [Weighted(operator) for operator in operator_set("owl-dl")], mutations=100, seed=9)
    list(generator.mutants(40))
    names = {operator.description.name for operator in operator_set("owl-dl")}
    assert names - set(generator.tally.applied) == set()
