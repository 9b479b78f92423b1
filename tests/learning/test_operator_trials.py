"""Mined operators that leave OWL 2 EL are repaired or dropped, and what is left stays in it."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from random import Random

import pytest
from mutation.example_runner import fits, graph_of, outcomes, prefixes_of
from support.owlapi import needs_owlapi, read_by_owlapi
from support.shared_data import needs_shared_data, shared

from kgprobe.errors import InputError
from kgprobe.formats.files import load, save
from kgprobe.learning.el_check import ElCheck
from kgprobe.learning.operator_trials import Outcome, TriedOperators, keep_in_el
from kgprobe.mining.operators import MinedOperator, Update, mined_operators, update_of, update_text
from kgprobe.mining.rules import Budget, Rule
from kgprobe.mining.search import mine
from kgprobe.mutation.catalogue import operator_set
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.mutation.mutant import Mutant
from kgprobe.mutation.update import UpdateOperator, parse_operator
from kgprobe.owl.axioms import AxiomView
from kgprobe.owl.profiles import Profile, violations
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, NamedNode, Triple

_ONTOLOGY = Path(__file__).resolve().parents[1] / "mutation" / "el_ontology.ttl"
_EX = "https://kgprobe.example/#"
A, B, C = (Variable(name) for name in "abc")


@cache
def _graph() -> Graph:
    return load(_ONTOLOGY).graph


@cache
def _mined(vocabulary_only: bool = True) -> tuple[MinedOperator, ...]:
    found = mine(_graph(), min_body=2, min_head=2, min_confidence=0.5, vocabulary_only=vocabulary_only)
    return mined_operators(found.rules)


@cache
def _tried() -> TriedOperators:
    return keep_in_el(_mined(), [_graph()])


def _parsed(update: Update) -> UpdateOperator:
    return parse_operator(update_text(update), update.name)


def _is_in_el(graph: Graph) -> bool:
    return next(iter(violations(AxiomView(graph), [Profile.EL])), None) is None


def _mutants(updates: tuple[Update, ...], graph: Graph, count: int) -> list[Mutant]:
    operators = [Weighted(_parsed(update)) for update in updates]
    return list(Generator(graph, operators, mutations=30, seed=5).mutants(count))


def _rule(*atoms: tuple[object, object, object]) -> Rule:
    return Rule(tuple(atoms[:-1]), atoms[-1], 1, 1, 1, 1)  # type: ignore[arg-type]


def test_what_is_left_stays_in_el() -> None:
    tried = _tried()
    assert len(tried.operators) == len(_mined()) > 100
    counts = {outcome: tried.count(outcome) for outcome in Outcome}
    assert sum(counts.values()) == len(tried.operators)
    assert min(counts[each] for each in (Outcome.KEPT, Outcome.REPAIRED, Outcome.DROPPED)) >= 3, counts
    assert tried.mutants >= 300
    assert tried.invalid <= 0.004 * tried.mutants
    mutants = _mutants(tried.updates, _graph(), 60)
    assert len(mutants) == 60
    invalid = sum(not _is_in_el(mutant.graph) for mutant in mutants)
    assert invalid <= 1
    # Each step changes something.
    assert all(len(mutant.steps) == 30 for mutant in mutants)
    assert all(step.delta.removed or step.delta.added for mutant in mutants for step in mutant.steps)
    used = Counter(step.operator for mutant in mutants for step in mutant.steps)
    assert len(used) >= len(tried.updates) / 2
    # As mined, hardly any mutant is in EL.
    as_mined = _mutants(tuple(map(update_of, _mined())), _graph(), 20)
    assert sum(not _is_in_el(mutant.graph) for mutant in as_mined) >= 18


def test_each_operator_that_is_changed_has_a_reason() -> None:
    for each in _tried().operators:
        assert (each.reason is None) is (each.outcome is Outcome.KEPT)
        assert (each.update is None) is (each.outcome in (Outcome.DROPPED, Outcome.MERGED))
        if each.reason is not None:
            assert "\n" not in each.reason
            assert each.reason.startswith("it ")
    names = [update.name for update in _tried().updates]
    assert len(set(names)) == len(names)
    assert any(each.reason == "it leaves OWL 2 EL: undeclared class" for each in _tried().operators)


def test_the_examples_of_repaired_operators_are_right() -> None:
    repaired = [each.update for each in _tried().operators if each.outcome is Outcome.REPAIRED and each.update]
    assert len(repaired) >= 5
    for update in repaired:
        operator = _parsed(update)
        [example] = operator.description.examples
        before, after = (graph_of(text, prefixes_of(operator)) for text in (example.before, example.after))
        assert any(fits(graph, before, after) for graph, _ in outcomes(operator, before, 400)), operator.source


def test_trials_are_repeatable() -> None:
    operators = _mined()[:6]
    one, other = (keep_in_el(operators, [_graph()], seed=3) for _ in range(2))
    assert one == other


def test_a_new_restriction_is_completed() -> None:
    rule = _rule((A, OWL.onProperty, B), (B, RDF.type, OWL.ObjectProperty), (A, RDF.type, OWL.Restriction))
    tried = keep_in_el(mined_operators([rule]), [_graph()])
    [update] = [each.update for each in tried.operators if each.update is not None and not each.update.delete][:1]
    added = {(predicate, value) for _, predicate, value in update.insert}
    assert (RDF.type, OWL.Restriction) in added
    assert {predicate for predicate, _ in added} >= {OWL.onProperty, OWL.someValuesFrom, RDFS.subClassOf}
    assert update.blank
    assert update.name.endswith("-el")


def test_an_operator_that_breaks_lists_is_dropped() -> None:
    rule = _rule((A, RDF.first, B), (A, RDF.rest, RDF.nil))
    tried = keep_in_el(mined_operators([rule]), [_graph()])
    assert [each.outcome for each in tried.operators] == [Outcome.DROPPED] * 3
    assert all("list" in (each.reason or "") for each in tried.operators)


def test_a_new_value_of_a_data_property_is_a_literal() -> None:
    serial, device = NamedNode(_EX + "serial"), NamedNode(_EX + "Device")
    rule = _rule((A, serial, B), (A, RDF.type, device))
    tried = keep_in_el(mined_operators([rule]), [_graph()])
    values = [call for update in tried.updates for _, call in update.calls if call.startswith("kg:value")]
    assert values
    for mutant in _mutants(tried.updates, _graph(), 10):
        assert _is_in_el(mutant.graph)


def test_operators_that_differ_in_names_of_the_domain_share_their_form() -> None:
    names = [NamedNode(f"{_EX}{name}") for name in ("Pump", "Pipe", "Robot", "Valve", "Motor", "Engine", "Sensor")]
    rules = [_rule((A, RDFS.subClassOf, name), (A, RDF.type, OWL.Class)) for name in names]
    tried = keep_in_el(mined_operators(rules), [_graph()])
    by_kind: dict[str, set[Outcome]] = {}
    for each in tried.operators:
        words = each.name.rpartition("-")[0]
        for name in names:
            words = words.replace(name.value.removeprefix(_EX), "X")
        by_kind.setdefault(words, set()).add(each.outcome)
    assert len(by_kind) == 3
    assert all(len(outcomes) == 1 for outcomes in by_kind.values())


def test_names_of_one_ontology_are_not_added_to_another() -> None:
    other = graph_of("<urn:o> a owl:Ontology . :X a owl:Class . :Y a owl:Class ; rdfs:subClassOf :X . :i a :X .")
    device, pump = NamedNode(_EX + "Device"), NamedNode(_EX + "Pump")
    rules = [
        _rule((A, RDFS.subClassOf, device), (A, RDF.type, OWL.Class)),
        # Additions that bring a name of the first ontology to another one, and additions that look for this name.
        _rule((A, RDF.type, B), (pump, RDF.type, B)),
        _rule((pump, RDF.type, A), (B, RDF.type, A), (B, RDFS.subClassOf, device)),
        _rule((A, RDFS.subClassOf, pump), (A, RDF.type, device)),
    ]
    # They are tried where the names are declared, where all of them do well.
    tried = keep_in_el(mined_operators(rules), [_graph()])
    operators = [Weighted(_parsed(update)) for update in tried.updates]
    assert len(operators) >= 10
    generator = Generator(other, operators, mutations=30, seed=1)
    brought = 0
    for attempt in range(40):
        graph, steps = generator.attempt(attempt)
        assert len(steps) == 30
        assert _is_in_el(graph)
        brought += graph.mentions(pump)
    assert brought >= 30


def test_an_operator_with_names_of_the_domain_asks_for_what_it_needs() -> None:
    rule = _rule((A, RDFS.subClassOf, NamedNode(_EX + "Device")), (A, RDF.type, OWL.Class))
    first = keep_in_el(mined_operators([rule]), [_graph()]).operators[0]
    assert first.update is not None
    assert first.update.where == ((NamedNode(_EX + "Device"), RDF.type, OWL.Class),)
    assert first.outcome is Outcome.REPAIRED
    assert first.reason == "it does not make sure that graphs stay in OWL 2 EL"


def test_an_operator_that_could_not_be_tried_asks_for_what_it_needs() -> None:
    """All classes of the graph are declared. So the operator does nothing as it was mined, and cannot be tried."""
    graph = graph_of("<urn:o> a owl:Ontology . :X a owl:Class . :Y a owl:Class ; rdfs:subClassOf :X .")
    tried = keep_in_el(mined_operators([_rule((A, RDFS.subClassOf, B), (A, RDF.type, OWL.Class))]), [graph])
    [update] = [each for each in tried.updates if each.where and each.insert == ((A, RDF.type, OWL.Class),)]
    assert "kg:isName" in {condition.function for condition in update.filters}


def test_all_families_take_part_in_the_trials_together() -> None:
    """Most operators are of one family here. The few others are found nevertheless, and dropped."""
    names = [NamedNode(f"{_EX}X{number}") for number in range(1000)]
    graph = _graph().copy()
    for name in names:
        graph.add(Triple(name, RDF.type, OWL.Class))
    many = [_rule((A, RDFS.subClassOf, name), (A, RDF.type, OWL.Class)) for name in names]
    few = _mined()
    tried = keep_in_el([*mined_operators(many), *few], [graph])
    assert len(tried.updates) >= 3000
    own = {update_of(each).name for each in few}
    left = [each.update for each in tried.operators if each.name in own and each.update is not None]
    assert len(left) >= 20
    mutants = _mutants(tuple(left), _graph(), 60)
    assert sum(not _is_in_el(mutant.graph) for mutant in mutants) <= 3  # most, if only large families take part


def test_without_a_graph_in_el_nothing_can_be_kept() -> None:
    graph = graph_of(":p a owl:ObjectProperty , owl:SymmetricProperty . :a :p :b .")
    with pytest.raises(InputError, match="none of the graphs is in OWL 2 EL"):
        keep_in_el(_mined()[:3], [graph])


def test_what_could_not_be_tried_is_dropped() -> None:
    tried = keep_in_el(_mined()[:10], [_graph()], budget=Budget(1e-9))
    assert tried.count(Outcome.DROPPED) == 10
    assert all("not tried" in (each.reason or "") for each in tried.operators)
    assert not tried.updates


def test_the_quick_check_agrees_with_the_profile_check() -> None:
    graph = _graph()
    quick, view = ElCheck(graph), AxiomView(graph)
    unread = sum(axiom.expression is None for axiom in view)
    mined = [_parsed(update_of(operator)) for operator in _mined()[::2]]
    sets = [
        (operator_set("owl-dl"), 2),
        (operator_set("owl-el"), 25),
        (mined, 1),
        ([*mined, *operator_set("owl-dl")], 3),
    ]
    answers: Counter[bool] = Counter()
    for operators, mutations in sets:
        generator = Generator(graph, [Weighted(each) for each in operators], mutations=mutations, seed=2)
        for attempt in range(60):
            changed, _ = generator.attempt(attempt)
            view.follow(changed)
            axioms = list(view)
            is_valid = next(iter(violations(axioms, [Profile.EL])), None) is None
            is_valid = is_valid and sum(axiom.expression is None for axiom in axioms) <= unread
            assert (quick.broken_rule(changed) is None) is is_valid
            answers[is_valid] += 1
    assert min(answers[True], answers[False]) >= 40, answers


# -- real ontologies ---------------------------------------------------------------------------------------------------


@cache
def _real(every: int, vocabulary_only: bool) -> tuple[tuple[Graph, ...], TriedOperators]:
    files = sorted(shared("ore").glob("*.owl"), key=lambda path: path.stat().st_size)[::every]
    graphs = tuple(load(path).graph for path in files)
    mined = mine(graphs, vocabulary_only=vocabulary_only)
    return graphs, keep_in_el(mined_operators(mined.rules), graphs)


def _drawn(tried: TriedOperators, number: int) -> tuple[Update, ...]:
    """All operators, or some of very many."""
    return tuple(Random(number).sample(tried.updates, min(600, len(tried.updates))))


@needs_shared_data
@pytest.mark.thorough
@pytest.mark.parametrize(("every", "vocabulary_only"), [(1, True), (6, False)])
def test_mutants_of_real_ontologies_stay_in_el(every: int, vocabulary_only: bool) -> None:
    graphs, tried = _real(every, vocabulary_only)
    assert len(tried.updates) >= (20 if vocabulary_only else 1000)
    made = invalid = 0
    for number, graph in enumerate(graphs):
        for mutant in _mutants(_drawn(tried, number), graph, -(-500 // len(graphs))):
            made += 1
            invalid += not _is_in_el(mutant.graph)
    assert made >= 500
    assert invalid <= 0.05 * made


@needs_shared_data
@needs_owlapi
@pytest.mark.thorough
@pytest.mark.parametrize("vocabulary_only", [True, False])
def test_owlapi_agrees_that_mutants_stay_in_el(vocabulary_only: bool, tmp_path: Path) -> None:
    graphs, tried = _real(6, vocabulary_only)
    files: list[Path] = []
    for number, graph in enumerate(graphs):
        for mutant in _mutants(_drawn(tried, number), graph, 4):
            files.append(tmp_path / f"{number}-{mutant.number}.ttl")
            save(mutant.graph, files[-1])
    read = read_by_owlapi(files)
    assert len(read) == len(files) >= 80
    assert sum(each.failure is not None or "EL" not in each.profiles for each in read.values()) <= 0.05 * len(files)
