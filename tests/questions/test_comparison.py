"""Intervals, McNemar's test and overlaps, against values from textbooks and from counting."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from kgprobe.questions.comparison import compared, interval, mcnemar, overlaps


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        # Newcombe (1998), table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_of_wilson(count: int, total: int, low: float, high: float) -> None:
    assert interval(count, total) == pytest.approx((low, high), abs=5e-5)


def test_an_interval_has_its_rate_inside_and_stays_between_0_and_1() -> None:
    for total in range(1, 60):
        for count in range(total + 1):
            low, high = interval(count, total)
            assert 0 <= low <= count / total <= high <= 1
    assert interval(0, 0) == (0, 1)
    assert interval(20, 20)[1] == 1


def test_mcnemar_counts_exactly() -> None:
    for fixed, broken in itertools.product(range(8), repeat=2):
        total = fixed + broken
        # All ways in which each of these cases could have gone, and those that are as one-sided, or more.
        as_one_sided = sum(
            max(sum(way), total - sum(way)) >= max(fixed, broken) for way in itertools.product((0, 1), repeat=total)
        )
        assert mcnemar(fixed, broken).p == pytest.approx(min(1.0, as_one_sided / 2**total))
    assert mcnemar(10, 2).p == pytest.approx(0.03857, abs=1e-5)
    assert mcnemar(0, 0).p == 1


def test_mcnemar_for_large_counts_is_close_to_the_exact_one() -> None:
    test = mcnemar(560, 450)
    assert not test.is_exact
    assert test.statistic == pytest.approx((110 - 1) ** 2 / 1010)
    exact = 2 * sum(math.comb(1010, k) for k in range(451)) / 2**1010
    assert test.p == pytest.approx(exact, rel=0.02)
    assert mcnemar(10**9, 10**9 + 5).p == pytest.approx(1, abs=1e-3)


def test_only_cases_that_both_were_tested_on_are_compared() -> None:
    before = {"a": True, "b": False, "c": True, "d": False, "e": None, "f": True}
    after = {"a": False, "b": True, "c": True, "d": False, "e": True, "g": True}
    found = compared(before, after)
    assert (found.fixed, found.broken, found.same, found.left_out) == (("a",), ("b",), 2, 3)


def test_overlaps_count_each_case_once() -> None:
    draw = random.Random(3)
    bugs = {name: {case for case in range(50) if draw.random() < 0.4} for name in ("small", "base", "large")}
    found = overlaps(bugs)
    assert sum(found.values()) == len(set().union(*bugs.values()))
    for names, count in found.items():
        inside = set.intersection(*(bugs[name] for name in names))
        outside = set().union(*(cases for name, cases in bugs.items() if name not in names))
        assert count == len(inside - outside)
    assert next(iter(found)) == ("small",)
    assert overlaps({"a": set(), "b": set()}) == {}
