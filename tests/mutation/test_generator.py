"""The generator: mutants depend only on the seed, are distinct, and never change pinned triples."""

from __future__ import annotations

import copy
import gc
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.turtle import graph_in

from kgprobe.formats.files import load
from kgprobe.masks.ask import AskCheck
from kgprobe.masks.mask import Mask
from kgprobe.masks.pins import PinnedTriples
from kgprobe.mutation.catalogue import operator_set
from kgprobe.mutation.generator import (
    STRATEGIES,
    CoverageGuided,
    Feature,
    Generator,
    Proposer,
    Proposers,
    Seen,
    Tally,
    Weighted,
    likeness,
)
from kgprobe.mutation.operator import Operator, Pins
from kgprobe.mutation.update import parse_operator
from kgprobe.rdf.canonical import isomorphic
from kgprobe.rdf.graph import Delta, FreshNames, Graph
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Triple
from mutation.pipeline import EX, operator, pipeline

_OWN = Path(__file__).parent / "el_ontology.ttl"

LINK = operator("Link", "INSERT { ?a ex:next ?b } WHERE { ?a a ex:Pipe . ?b a ex:Pipe }")
CUT = operator("Cut", "DELETE { ?a ex:next ?b } WHERE { ?a ex:next ?b }")
GROW = operator("Grow", "INSERT { ?a ex:next ?n . ?n a ex:Pipe } WHERE { ?a a ex:Pipe . BIND(kg:fresh() AS ?n) }")
NOTE = operator("Note", "INSERT { ?a ex:note [ ex:text ?a ] } WHERE { ?a a ex:Pipe }")


def weighted(*operators: Operator) -> list[Weighted]:
    return [Weighted(one) for one in operators]


def test_the_same_seed_gives_the_same_mutants() -> None:
    def made(seed: int) -> list[Delta]:
        generator = Generator(pipeline(4), weighted(LINK, CUT, GROW, NOTE), mutations=5, seed=seed)
        return [mutant.delta for mutant in generator.mutants(10)]

    assert made(1) == made(1)
    assert made(1) != made(2)


def test_the_generator_does_not_keep_mutants_alive() -> None:
    def there() -> int:
        return sum(type(each) is Graph for each in gc.get_objects())

    generator = Generator(pipeline(4), weighted(LINK, CUT, GROW, NOTE), mutations=5)
    mutants, before = generator.mutants(100), there()
    assert all(len(next(mutants).steps) == 5 for _ in range(60))
    assert there() - before < 20  # while it runs


_SCRIPT = """
import json, sys
from kgprobe.formats.files import load
from kgprobe.mutation.catalogue import operator_set
from kgprobe.mutation.generator import Generator
from kgprobe.mutation.generator import Weighted, STRATEGIES
graph = load(sys.argv[1]).graph
generator = Generator(graph, [Weighted(o) for o in operator_set("owl-dl")], mutations=12, seed=9,
                      strategy=STRATEGIES[sys.argv[2]]())
print(json.dumps([mutant.delta.lines() for mutant in generator.mutants(8)]))
"""


@pytest.mark.parametrize("strategy", ["uniform", "coverage"])
def test_the_same_seed_gives_the_same_mutants_in_every_process(strategy: str) -> None:
    outputs = set()
    for hash_seed in ("0", "1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        run = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", _SCRIPT, "src/kgprobe/demo/inspection.ttl", strategy],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1
    assert len(json.loads(outputs.pop())) == 8


def test_an_attempt_does_not_depend_on_those_before_it() -> None:
    operators = weighted(LINK, CUT, GROW, NOTE)
    one = Generator(pipeline(4), operators, mutations=5, seed=3)
    other = Generator(pipeline(4), operators, mutations=5, seed=3)
    in_order = [one.attempt(number)[0].changes() for number in range(6)]
    backwards = [other.attempt(number)[0].changes() for number in reversed(range(6))]
    assert in_order == backwards[::-1]


@pytest.mark.parametrize("operators", ["owl-dl", "generic"])
def test_an_attempt_does_not_depend_on_which_one_is_the_first(operators: str) -> None:
    """Operators are compiled for the first graph that they see, and a process may start with any attempt."""
    graph = load(_OWN).graph

    def attempts(numbers: Iterable[int]) -> list[Delta]:
        generator = Generator(graph, weighted(*operator_set(operators)), mutations=25)
        return [generator.attempt(number)[0].changes() for number in numbers]

    assert attempts(range(30)) == [delta for number in range(30) for delta in attempts([number])]


def test_steps_are_recorded_and_add_up() -> None:
    seed = pipeline(4)
    before = list(seed)
    for mutant in Generator(seed, weighted(LINK, CUT, GROW, NOTE), mutations=6).mutants(20):
        total = Delta()
        graph = seed.copy()
        for step in mutant.steps:
            graph.apply(step.delta)
            total = total.then(step.delta)
            assert step.operator in ("Link", "Cut", "Grow", "Note")
            assert "a" in step.binding
        assert len(mutant.steps) == 6
        assert total == mutant.delta
        assert graph == mutant.graph
    assert list(seed) == before


def test_mutants_are_distinct_and_all_are_found() -> None:
    # Three pipes can be linked in nine ways, and two links already exist.
    generator = Generator(pipeline(3), weighted(LINK), mutations=1, most_attempts=300)
    mutants = list(generator.mutants(10))
    assert len(mutants) == 7
    assert len({mutant.delta.lines()[0] for mutant in mutants}) == 7
    assert generator.tally.duplicates > 0
    assert generator.tally.attempts == 7 + generator.tally.duplicates


def test_mutants_that_differ_only_in_blank_node_labels_are_equal() -> None:
    generator = Generator(pipeline(3), weighted(NOTE), mutations=1, most_attempts=100)
    assert len(list(generator.mutants(10))) == 3


def test_a_mutant_equal_to_the_seed_is_skipped() -> None:
    # Two steps either restore the graph (a link and its removal) or change two different links.
    generator = Generator(pipeline(1), weighted(LINK, CUT), mutations=2, most_attempts=50)
    assert list(generator.mutants(1)) == []
    assert generator.tally.duplicates == 50


def test_equality_of_mutants_agrees_with_isomorphism() -> None:
    random = Random(5)
    seed = pipeline(3)
    generator = Generator(seed, weighted(LINK, CUT, NOTE), mutations=2, seed=1)
    seen, kept = Seen(seed), [seed]
    for number in range(150):
        graph = generator.attempt(random.randrange(60) + number // 3)[0]
        is_new = not any(isomorphic(graph, other) for other in kept)
        assert seen.add(graph) is is_new
        if is_new:
            kept.append(graph)
    assert 20 < len(kept) < 150


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_resuming_after_an_interruption(strategy: str) -> None:
    def made(tally: Tally | None = None, learned: Iterable[Feature] = ()) -> Generator:
        ready = STRATEGIES[strategy]()
        ready.learn(learned)
        return Generator(
            pipeline(3),
            weighted(LINK, CUT, NOTE, GROW),
            mutations=2,
            seed=3,
            strategy=ready,
            tally=copy.deepcopy(tally),
        )

    whole = made()
    expected = [(mutant.number, mutant.attempt, mutant.delta) for mutant in whole.mutants(20)]
    assert whole.tally.duplicates
    first = made()
    mutants = list(first.mutants(8))
    graphs = {mutant.attempt: mutant.graph for mutant in mutants}
    earlier = [(mutant.attempt, likeness(mutant.graph)) for mutant in mutants]
    rest = made(first.tally, first.strategy.learned() or ())
    for mutant in rest.mutants(20, Seen(pipeline(3), graphs.__getitem__, earlier)):
        graphs[mutant.attempt] = mutant.graph
        mutants.append(mutant)
    assert [(mutant.number, mutant.attempt, mutant.delta) for mutant in mutants] == expected
    assert rest.tally == whole.tally


def test_mutants_satisfy_the_mask_and_rejections_are_counted() -> None:
    no_circle = AskCheck("ASK { FILTER NOT EXISTS { ?x <https://kgprobe.example/#next> ?x } }", "no circle")
    generator = Generator(pipeline(3), weighted(LINK), mutations=1, mask=Mask([no_circle]), most_attempts=300)
    mutants = list(generator.mutants(10))
    assert len(mutants) == 4
    assert all(no_circle.admits(mutant.graph) for mutant in mutants)
    tally = generator.tally
    assert tally.rejected["no circle"] > 0
    assert tally.attempts == tally.kept + tally.duplicates + tally.stuck + tally.rejected.total()
    assert sum(mutant.attempts for mutant in mutants) + 300 == tally.attempts


def test_without_an_operator_that_applies_there_are_no_mutants() -> None:
    generator = Generator(pipeline(2), weighted(CUT), mutations=3, most_attempts=7)
    assert list(generator.mutants(5)) == []
    assert generator.tally.stuck == 7


def test_operators_that_do_not_apply_are_skipped() -> None:
    never = operator("Never", "DELETE { ?a ex:nothing ?b } WHERE { ?a ex:nothing ?b }")
    generator = Generator(pipeline(3), weighted(never, GROW), mutations=4)
    assert [mutant.steps[0].operator for mutant in generator.mutants(5)] == ["Grow"] * 5
    assert generator.tally.stuck == 0


def test_weights_determine_frequencies() -> None:
    proposers = Proposers([Proposer(str(weight), weight, lambda _: None) for weight in (1.0, 3.0, 6.0)])
    random = Random(1)
    first = Counter(next(proposers.in_random_order(random)).name for _ in range(10_000))
    assert [round(first[name] / 1000) for name in ("1.0", "3.0", "6.0")] == [1, 3, 6]
    assert {proposer.name for proposer in proposers.in_random_order(random)} == {"1.0", "3.0", "6.0"}


def test_coverage_guidance_finds_new_features_sooner() -> None:
    features = [operator(f"Feature{n}", f"INSERT {{ ?a ex:p{n} ?a }} WHERE {{ ?a a ex:Pipe }}") for n in range(12)]

    def seen_after(count: int, seed: int, strategy: CoverageGuided | None) -> int:
        generator = Generator(pipeline(3), weighted(*features), mutations=2, seed=seed, strategy=strategy)
        found = {triple.predicate for mutant in generator.mutants(count) for triple in mutant.delta.added}
        return len(found)

    guided = sum(seen_after(6, seed, CoverageGuided()) for seed in range(10))
    assert guided > 1.2 * sum(seen_after(6, seed, None) for seed in range(10))


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000), st.data())
def test_pinned_triples_are_never_changed(seed: int, data: st.DataObject) -> None:
    graph = pipeline(5)
    triples = list(graph)
    pinned = data.draw(st.lists(st.sampled_from(triples), max_size=6))
    spaces = data.draw(st.lists(st.sampled_from([f"{EX}p1", f"{EX}p2"]), max_size=1))
    pins = Pins([PinnedTriples(Graph(pinned), "pinned")], spaces)
    operators = weighted(LINK, CUT, GROW, NOTE, *operator_set("generic"), *operator_set("owl-dl"))
    generator = Generator(graph, operators, mutations=8, seed=seed, pins=pins, most_attempts=3)
    for mutant in generator.mutants(3):
        assert not set(mutant.delta.removed) & set(pinned)
        for step in mutant.steps:
            for triple in (*step.delta.removed, *step.delta.added):
                assert triple not in pinned
                subject = triple.subject
                assert not (isinstance(subject, NamedNode) and subject.value.startswith(tuple(spaces or ["\0"])))


def test_triples_connected_to_a_pinned_name_are_never_changed() -> None:
    text = b"""@prefix ex: <https://kgprobe.example/#> . @prefix o: <http://o.org/#> .
        @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        ex:A a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty ex:p ; owl:someValuesFrom o:B ] .
        ex:p a owl:ObjectProperty . o:B a owl:Class . o:C a owl:Class ; rdfs:subClassOf o:B ."""
    graph = graph_in(text)
    pinned = [t for t in graph if isinstance(t.subject, BlankNode) or str(t.subject).startswith(f"<{EX}")]
    operators = weighted(*operator_set("generic"), *operator_set("owl-dl"))
    generator = Generator(graph, operators, mutations=2, pins=Pins(namespaces=[EX]))
    mutants = list(generator.mutants(60))
    assert len(mutants) == 60
    assert all(triple in mutant.graph for mutant in mutants for triple in pinned)


def test_pinned_matches_are_excluded_before_drawing() -> None:
    """If one of many matches remains, it is found at once, uniformly among the remaining ones."""
    graph = pipeline(40)
    links = list(graph.triples(None, NamedNode(f"{EX}next")))
    pins = Pins([PinnedTriples(Graph(links[:-2]), "links")])
    generator = Generator(graph, weighted(CUT), mutations=1, pins=pins, most_attempts=1)
    first = Counter(generator.attempt(number)[0].changes().removed[0] for number in range(400))
    assert set(first) == set(links[-2:])
    assert min(first.values()) > 150


@pytest.mark.parametrize("template", ["?v ex:of ?s", "?s ?v ?s", "?s ?b ?s", "?n ex:of ?s"])
def test_invalid_triples_are_left_out_as_in_sparql(template: str) -> None:
    graph = pipeline(2)
    graph.add(Triple(NamedNode(f"{EX}p1"), NamedNode(f"{EX}length"), Literal("7")))
    graph.add(Triple(NamedNode(f"{EX}p1"), NamedNode(f"{EX}at"), BlankNode("b")))
    calls = "BIND(kg:value(<http://www.w3.org/2001/XMLSchema#integer>) AS ?n)"
    broken = operator("Broken", f"INSERT {{ {template} }} WHERE {{ ?s ex:length ?v ; ex:at ?b . {calls} }}")
    generator = Generator(Graph(graph), weighted(broken), mutations=1, most_attempts=3)
    assert list(generator.mutants(1)) == []
    half = operator("Half", f"INSERT {{ {template} . ?s ex:half ?s }} WHERE {{ ?s ex:length ?v ; ex:at ?b . {calls} }}")
    [mutant] = Generator(Graph(graph), weighted(half), mutations=1).mutants(1)
    assert [str(triple.predicate) for triple in mutant.delta.added] == [f"<{EX}half>"]


def test_a_variable_without_a_value_is_left_out_as_in_sparql() -> None:
    body = "INSERT { ?a ex:sees ?z . ?a ex:half ?a } WHERE { ?a a ex:Pipe OPTIONAL { ?a ex:next ?z } }"
    [mutant] = Generator(pipeline(1), weighted(operator("Half", body)), mutations=1).mutants(1)
    assert [str(triple.predicate) for triple in mutant.delta.added] == [f"<{EX}half>"]


def test_duplicate_triples_are_listed_once() -> None:
    body = "INSERT { ?a ex:has _:new . ?b ex:has _:new } WHERE { ?a a ex:Pipe . ?b a ex:Pipe }"
    generator = Generator(pipeline(2), weighted(operator("Share", body)), mutations=1)
    added = [generator.attempt(number)[1][0][1].added for number in range(30)]
    assert {len(triples) for triples in added} == {1, 2}
    assert all(len(set(triples)) == len(triples) for triples in added)


def test_new_names_are_new_and_the_same_in_all_mutants() -> None:
    graph = pipeline(2)
    graph.add(Triple(FreshNames(graph, 0).iri(), NamedNode(f"{EX}next"), NamedNode(f"{EX}p1")))
    generator = Generator(Graph(graph), weighted(GROW), mutations=3)
    for mutant in generator.mutants(5):
        new = {triple.subject for triple in mutant.delta.added if "urn:kgprobe:new:" in str(triple.subject)}
        assert len(new) == 3


def test_a_broken_operator_is_refused_when_it_is_read() -> None:
    with pytest.raises(Exception, match="has no value"):
        parse_operator("# name: X\n# does: x\n# target: both\nINSERT { ?a ?b ?c } WHERE { ?a ?b ?d }", "x.ru")
