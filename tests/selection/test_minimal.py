"""A small part of a plan that covers the change."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from kgprobe.selection.discovery.sql_files import SQL
from kgprobe.selection.plan import PlannedTest, Reason, SelectionPlan, covering, minimal
from kgprobe.selection.tests import Test

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
