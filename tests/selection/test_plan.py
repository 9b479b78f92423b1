"""The order of selected tests."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError
from kgprobe.rdf.terms import NamedNode, Triple
from kgprobe.selection.changed_triples import ChangedTriple
from kgprobe.selection.discovery.sparql_files import SPARQL
from kgprobe.selection.discovery.sql_files import SQL
from kgprobe.selection.impact import Hit, Selected
from kgprobe.selection.order import past_failures
from kgprobe.selection.plan import PlannedTest, Reason, SelectionPlan, covering, minimal, ordered
from kgprobe.selection.tests import Test
from kgprobe.sparql.uses import AnyUse

TRIPLE = Triple(NamedNode("urn:a"), NamedNode("urn:p"), NamedNode("urn:b"))


def _selected(name: str, *, steps: int | None = 0, size: int = 1) -> Selected:
    test = Test(name, SPARQL)
    if steps is None:
        return Selected(Test(name, SPARQL, unseen=("a template",)), Regime.NONE)
    return Selected(
        test, Regime.NONE, (Hit(AnyUse(), ChangedTriple(TRIPLE, added=True), (TRIPLE,) * (steps + 1), size),)
    )


def _names(*selected: Selected, **failures: int) -> list[str]:
    return [each.test.name for each in ordered(selected, failures)]


def test_near_changes_come_first() -> None:
    assert _names(_selected("far", steps=5), _selected("near", steps=1)) == ["near", "far"]


def test_large_changes_come_before_small_ones_at_the_same_distance() -> None:
    assert _names(_selected("small", size=1), _selected("large", size=9)) == ["large", "small"]


def test_past_failures_count_most() -> None:
    assert _names(_selected("near"), _selected("far", steps=9), far=1) == ["far", "near"]


def test_a_test_with_unknown_uses_is_between_near_and_far() -> None:
    given = [_selected("far", steps=9), _selected("unknown", steps=None), _selected("near")]
    assert _names(*given) == ["near", "unknown", "far"]


def test_names_break_ties() -> None:
    assert _names(_selected("b"), _selected("a")) == ["a", "b"]


def test_failures_are_counted_over_several_reports(tmp_path: Path) -> None:
    for number, tag in enumerate(("failure", "error", "skipped")):
        (tmp_path / f"{number}.xml").write_text(
            f'<testsuites><testsuite><testcase classname="tests.test_menu.TestIt" name="test_a[1]"><{tag}/></testcase>'
            f'<testcase classname="sparql" name="q.rq"/></testsuite></testsuites>',
            encoding="utf-8",
        )
    counted = past_failures(sorted(tmp_path.iterdir()))
    assert counted["tests/test_menu.py::TestIt::test_a"] == 2
    assert counted["test_a[1]"] == 2
    assert counted["q.rq"] == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<testsuite>", "not XML"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><testsuite>&a;</testsuite>', "document type"),
    ],
)
def test_an_invalid_report(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "report.xml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        past_failures([file])
    with pytest.raises(InputError, match="no such file"):
        past_failures([tmp_path / "missing.xml"])


# -- a small part of a plan that covers the change ---------------------------------------------------------------------


SETS = st.dictionaries(st.sampled_from("abcdefg"), st.frozensets(st.sampled_from("12345678"), max_size=5), max_size=7)


@given(SETS)
def test_the_cover_is_one_none_is_superfluous_and_it_is_not_much_larger_than_the_best(
    sets: dict[str, frozenset[str]],
) -> None:
    whole = frozenset[str]().union(*sets.values())
    chosen = covering(sets, sorted(sets))
    assert frozenset[str]().union(*(sets[name] for name in chosen)) == whole
    for name in chosen:
        assert frozenset[str]().union(*(sets[each] for each in chosen if each != name)) != whole
    best = next(
        size
        for size in range(len(sets) + 1)
        if any(frozenset[str]().union(*(sets[n] for n in some)) == whole for some in combinations(sets, size))
    )
    harmonic = sum(1 / n for n in range(1, max(map(len, sets.values()), default=0) + 1))
    assert len(chosen) <= max(best * harmonic, best)


def _planned(name: str, *changes: str) -> PlannedTest:
    return PlannedTest(Test(name, SQL), tuple(Reason(change, False, (), "use", None) for change in changes))


def test_the_first_of_equals_stays_and_what_is_unknown_stays() -> None:
    planned = (
        _planned("a", "+ 1"),
        _planned("b", "+ 1"),
        _planned("c", ""),
        _planned("d", "+ 1", "- 2"),
        _planned("e", "- 2", ""),
    )
    plan = minimal(SelectionPlan("safe", planned, tuple(each.test for each in planned), 1, 1))
    assert [each.test.name for each in plan.chosen] == ["c", "d", "e"]
    assert [each.test.name for each in plan.left_out] == ["a", "b"]
    assert "this is a choice, and not safe" in plan.how[-1]
