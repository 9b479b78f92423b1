"""The differential oracle: which system it names, the differences that it shows, and irrelevant variations."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgprobe.model import Failure, Observation, Outcome, Status, Verdict
from kgprobe.oracles.differential import Differential
from kgprobe.oracles.protocol import Observed
from kgprobe.reasoners.protocol import Hierarchy

from .made import CASE, all_said, hierarchies, hierarchy, iri, large, renamed, said


def judge(*observed: Observation, question: str = "") -> Verdict:
    return Differential(question).judge(CASE, Observed.of(CASE, observed))


def signatures(*observed: Observation, question: str = "") -> list[str]:
    verdict = judge(*observed, question=question)
    assert verdict.outcome is (Outcome.FAIL if verdict.failures else Outcome.PASS)
    return [failure.signature for failure in verdict.failures]


FULL, LESS = hierarchy("A < B", "B < C"), hierarchy("A < B", "C")


def test_the_odd_one_out_misses_something() -> None:
    verdict = judge(*all_said(hermit=FULL, openllet=LESS, elk=FULL))
    assert verdict.failures == (
        Failure(
            "openllet",
            "misses",
            "subclass",
            (
                "<urn:test:B> ⊑ <urn:test:C>: elk and hermit have it",
                "<urn:test:A> ⊑ <urn:test:C>: elk and hermit have it",
            ),
        ),
    )


def test_the_odd_one_out_has_too_much() -> None:
    verdict = judge(*all_said(hermit=LESS, openllet=FULL, elk=LESS))
    assert [failure.signature for failure in verdict.failures] == ["openllet: adds: subclass"]
    assert verdict.failures[0].words[0] == "<urn:test:B> ⊑ <urn:test:C>: elk and hermit do not have it"


def test_sides_of_the_same_size() -> None:
    verdict = judge(*all_said(openllet=LESS, hermit=FULL, rustdl=LESS, elk=FULL))
    assert [failure.signature for failure in verdict.failures] == ["elk, hermit | openllet, rustdl: disagree: subclass"]
    assert verdict.failures[0].words[0] == (
        "<urn:test:B> ⊑ <urn:test:C>: elk and hermit have it, openllet and rustdl do not"
    )
    assert signatures(*all_said(b=LESS, a=FULL)) == ["a | b: disagree: subclass"]
    assert signatures(*all_said(a=LESS, b=FULL)) == ["b | a: disagree: subclass"]


def test_one_system_can_err_in_two_ways() -> None:
    odd = hierarchy("A < C", "B < nothing")
    assert signatures(*all_said(a=FULL, b=FULL, c=odd)) == ["c: adds: unsatisfiable class", "c: misses: subclass"]
    other = hierarchy("B < A", "C")
    assert signatures(*all_said(a=FULL, b=FULL, c=other)) == ["c: adds: subclass", "c: misses: subclass"]


def test_unsatisfiable_classes() -> None:
    broken = hierarchy("A < nothing", "B < C")
    assert signatures(*all_said(a=broken, b=broken, c=FULL)) == ["c: misses: unsatisfiable class"]


def test_a_partial_system_may_miss_facts() -> None:
    assert signatures(said("elk", LESS, partial=True), *all_said(a=FULL, b=FULL)) == []
    assert signatures(said("elk", LESS, partial=True), *all_said(a=FULL)) == []
    # But the facts that it has count.
    assert signatures(said("elk", FULL, partial=True), *all_said(a=LESS, b=LESS)) == ["elk: adds: subclass"]
    assert signatures(said("elk", FULL, partial=True), *all_said(a=FULL, b=LESS)) == ["b: misses: subclass"]
    assert signatures(said("elk", FULL, partial=True), *all_said(a=LESS)) == ["elk | a: disagree: subclass"]


def test_a_contradiction_that_some_systems_miss() -> None:
    found = signatures(*all_said(a=False, b=False, c=FULL))
    assert found == ["c: wrong answer: says consistent"]
    assert signatures(*all_said(a=FULL, b=FULL, c=False)) == ["c: wrong answer: says inconsistent"]
    assert signatures(*all_said(a=FULL, b=False)) == ["b | a: disagree: inconsistency"]
    # The systems that classify are still compared.
    assert signatures(*all_said(a=FULL, b=FULL, c=False, d=LESS)) == [
        "c: wrong answer: says inconsistent",
        "d: misses: subclass",
    ]


def test_a_partial_system_does_not_vote_for_consistency() -> None:
    verdict = judge(said("elk", FULL, partial=True), said("a", False))
    assert verdict.outcome is Outcome.UNDECIDED
    assert signatures(said("elk", FULL, partial=True), *all_said(a=False, b=False)) == []
    assert signatures(said("elk", False, partial=True), *all_said(a=FULL)) == ["elk | a: disagree: inconsistency"]


def test_consistency() -> None:
    verdict = judge(*all_said(a=True, b=True, c=False), question="consistency")
    assert [failure.signature for failure in verdict.failures] == ["c: wrong answer: says inconsistent"]
    assert verdict.failures[0].words == ("says inconsistent: a and b say consistent",)
    assert signatures(*all_said(a=True, b=False), question="consistency") == ["b | a: disagree: inconsistency"]
    partial = said("elk", True, partial=True)
    assert signatures(partial, *all_said(a=False, b=False), question="consistency") == []


def test_truth_values() -> None:
    assert signatures(*all_said(a=True, b=True, c=False)) == ["c: wrong answer: says false"]
    assert signatures(*all_said(a=True, b=False)) == ["a | b: disagree: truth value"]
    assert signatures(*all_said(a=True, b=True, c=False), question="cq1") == ["c: wrong answer: says false (cq1)"]
    assert signatures(said("p", False, partial=True), *all_said(a=True, b=True), question="cq1") == []
    assert signatures(said("p", True, partial=True), *all_said(a=False), question="cq1") == [
        "p | a: disagree: truth value (cq1)"
    ]
    assert judge(said("p", True, partial=True), *all_said(a=False)).outcome is Outcome.UNDECIDED


def test_single_answers() -> None:
    verdict = judge(*all_said(a=3, b=3, c=4))
    assert [failure.signature for failure in verdict.failures] == ["c: wrong answer: answer"]
    assert verdict.failures[0].words == ("says 4: a and b say 3",)
    assert signatures(*all_said(a=3, b=4, c=5, d=3)) == ["a, d | b | c: disagree: answer"]


def test_rows() -> None:
    rows = {"cq1": [{"x": iri("a")}, {"x": iri("b")}], "cq2": [1]}
    fewer = {"cq1": [{"x": iri("a")}], "cq2": [1]}
    assert signatures(*all_said(a=rows, b=rows, c=fewer)) == ["c: misses: rows of cq1"]
    assert signatures(*all_said(a=rows["cq1"], b=rows["cq1"], c=fewer["cq1"]), question="cq1") == [
        "c: misses: rows of cq1"
    ]
    assert signatures(*all_said(a=frozenset({1}), b=frozenset({1}), c=frozenset({1, 2}))) == ["c: adds: fact"]


def test_several_questions() -> None:
    right = {"ask": True, "count": 3, "rows": frozenset({("x", 1)})}
    wrong = {"ask": False, "count": 4, "rows": None}
    assert signatures(*all_said(a=right, b=right, c=wrong)) == [
        "c: wrong answer: answer (count)",
        "c: wrong answer: says false (ask)",
        "c: wrong answer: says nothing (rows)",
    ]
    assert signatures(*all_said(a=right, b={**right, "rows": None})) == ["a | b: disagree: no answer (rows)"]
    assert signatures(*all_said(a={"q": []}, b={"q": []}, c={})) == ["c: wrong answer: says nothing (q)"]
    assert signatures(*all_said(a={}, b={})) == []
    partial = said("p", {"ask": False, "count": 9}, partial=True)
    assert signatures(partial, *all_said(a=right, b=right)) == []


def test_keys_that_are_names_of_the_graph_are_not_in_signatures() -> None:
    rows = {"http://example.org/a": [1, 2]}
    assert signatures(*all_said(a=rows, b=rows, c={"http://example.org/a": [1]})) == ["c: misses: fact"]


def test_many_differences_are_cut() -> None:
    (failure,) = judge(*all_said(a=range_of(100), b=range_of(100), c=[])).failures
    assert len(failure.words) == 21
    assert failure.words[-1] == "and 80 more"


def range_of(size: int) -> list[int]:
    return list(range(size))


def test_fewer_than_two_answers() -> None:
    crashed = Observation("c", Status.CRASHED)
    silent = Observation("b", Status.FINISHED, remark="does not classify")
    verdict = judge(crashed, said("a", FULL), silent)
    assert verdict.outcome is Outcome.UNDECIDED
    assert verdict.why == "fewer than two answers to compare; b: does not classify; c: crashed"
    # Another oracle judges the crash; the other systems are compared.
    assert signatures(crashed, *all_said(a=FULL, b=FULL)) == []


def test_two_answers_of_one_system_are_refused() -> None:
    with pytest.raises(ValueError, match="observed twice"):
        judge(said("a", 1), said("a", 2))


def test_large_hierarchies() -> None:
    verdict = judge(*all_said(a=large(10_000), b=large(10_000), c=large(10_000, without=[100])))
    assert [failure.signature for failure in verdict.failures] == ["c: misses: subclass"]
    assert all("Class000100> ⊑" in line for line in verdict.failures[0].words[:1])


values = st.one_of(
    st.lists(st.one_of(hierarchies, st.booleans()), min_size=2, max_size=5),
    st.lists(st.sets(st.integers(0, 3)), min_size=2, max_size=5),
    st.lists(st.integers(0, 2), min_size=2, max_size=5),
    st.lists(
        st.dictionaries(st.sampled_from(["q", "r"]), st.lists(st.integers(0, 2), max_size=2)), min_size=2, max_size=5
    ),
)


@st.composite
def observations(draw: st.DrawFn) -> list[Observation]:
    given_ = draw(values)
    partial = draw(st.lists(st.booleans(), min_size=len(given_), max_size=len(given_)))
    return [said(f"s{n}", value, partial=partial[n]) for n, value in enumerate(given_)]


questions = st.sampled_from(["", "consistency", "cq1"])


@settings(deadline=None)
@given(observations(), questions, st.randoms(use_true_random=False))
def test_the_order_of_systems_does_not_matter(observed: list[Observation], question: str, random: Any) -> None:
    shuffled = list(observed)
    random.shuffle(shuffled)
    assert judge(*shuffled, question=question) == judge(*observed, question=question)


@settings(deadline=None)
@given(observations(), questions)
def test_systems_that_agree_do_not_fail(observed: list[Observation], question: str) -> None:
    same = [said(seen.system, observed[0].value, partial=seen.is_partial) for seen in observed]
    assert not judge(*same, question=question).failures


@settings(deadline=None)
@given(observations(), questions)
def test_systems_in_the_majority_do_not_fail(observed: list[Observation], question: str) -> None:
    added = [said(f"t{n}", observed[0].value) for n in range(len(observed) + 1)]
    failing = judge(*observed, *added, question=question).failures
    # Systems in the minority may disagree with each other.
    named = {system for failure in failing for side in failure.system.split(" | ") for system in side.split(", ")}
    assert named <= {seen.system for seen in observed[1:]}


@settings(deadline=None)
@given(observations(), questions)
def test_signatures_are_unique_and_sorted(observed: list[Observation], question: str) -> None:
    failures = judge(*observed, question=question).failures
    assert len({failure.signature for failure in failures}) == len(failures)
    assert list(failures) == sorted(failures, key=lambda failure: (failure.system, failure.kind, failure.shape))
    assert all(failure.words and failure.shape and len(failure.words) <= 21 for failure in failures)


@settings(deadline=None)
@given(st.lists(hierarchies, min_size=2, max_size=4), st.permutations("ABCDE"))
def test_names_of_the_graph_are_not_in_signatures(given_: list[Hierarchy], names: list[str]) -> None:
    mapping = {iri(old): iri(f"other/{new}") for old, new in zip("ABCDE", names, strict=True)}
    observed = [said(f"s{n}", value) for n, value in enumerate(given_)]
    about_others = [said(f"s{n}", renamed(value, mapping)) for n, value in enumerate(given_)]
    assert signatures(*about_others) == signatures(*observed)


@settings(deadline=None)
@given(st.lists(st.frozensets(st.sampled_from("abc").map(iri)), min_size=2, max_size=4), st.permutations("abc"))
def test_names_in_sets_are_not_in_signatures(given_: list[frozenset[Any]], names: list[str]) -> None:
    mapping = {iri(old): iri(new) for old, new in zip("abc", names, strict=True)}
    about_others = [said(f"s{n}", frozenset(mapping[each] for each in value)) for n, value in enumerate(given_)]
    assert signatures(*about_others) == signatures(*(said(f"s{n}", value) for n, value in enumerate(given_)))
