"""Shares, groups and tests, compared with definitions, tables and SciPy."""

from __future__ import annotations

import math
import warnings
from random import Random
from statistics import fmean

import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from kgprobe.input_coverage.features import feature_set
from kgprobe.input_coverage.measure import (
    NO_TEST,
    SAMPLES,
    FeatureBits,
    MeasuredGraph,
    compared,
    mean_and_deviation,
    summarized,
)

_SHARES = st.integers(0, 64).map(lambda count: count / 64)


def _close(found: float | None, expected: float) -> bool:
    return found is not None and math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)


def _p_for_4_degrees_of_freedom(t: float) -> float:
    """Student's distribution has a closed form for four degrees of freedom."""
    part = t * t / (1 + t * t / 4)
    return 1 - 3 / 4 * abs(t) / math.sqrt(1 + t * t / 4) * (1 - part / 12)


_QUANTILE = 2.7764451  # of 0.975, for four degrees of freedom, as in any table


def test_welch_by_hand() -> None:
    """Equal variances in samples of three have 2 + 2 degrees of freedom."""
    found = compared([3, 4, 5], [1, 2, 3], one_seed=False)
    error = math.sqrt(1 / 3 + 1 / 3)
    assert found.test == "welch"
    assert _close(found.p, _p_for_4_degrees_of_freedom(2 / error))
    assert found.low is not None
    assert found.high is not None
    assert abs(found.low - (2 - _QUANTILE * error)) < 1e-6
    assert abs(found.high - (2 + _QUANTILE * error)) < 1e-6


def test_one_sample_by_hand() -> None:
    found = compared([1, 2, 3, 4, 5], [2], one_seed=True)
    error = math.sqrt(2.5 / 5)
    assert found.test == "one-sample"
    assert _close(found.p, _p_for_4_degrees_of_freedom(1 / error))
    assert found.low is not None
    assert abs(found.low - (1 - _QUANTILE * error)) < 1e-6


@given(st.lists(_SHARES, min_size=2, max_size=30), st.lists(_SHARES, min_size=2, max_size=30))
def test_welch_equals_scipys(mutants: list[float], seeds: list[float]) -> None:
    found = compared(mutants, seeds, one_seed=False)
    if len(set(mutants)) == len(set(seeds)) == 1:
        assert found == NO_TEST
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns if one sample does not vary
        expected = scipy.stats.ttest_ind(mutants, seeds, equal_var=False)
        interval = expected.confidence_interval(0.95)
    assert found.test == "welch"
    assert _close(found.p, expected.pvalue)
    assert _close(found.low, interval.low)
    assert _close(found.high, interval.high)


@given(st.lists(_SHARES, min_size=2, max_size=30), _SHARES)
def test_one_sample_equals_scipys(mutants: list[float], seed: float) -> None:
    assume(len(set(mutants)) > 1)
    found = compared(mutants, [seed], one_seed=True)
    expected = scipy.stats.ttest_1samp(mutants, seed)
    interval = expected.confidence_interval(0.95)
    assert found.test == "one-sample"
    assert _close(found.p, expected.pvalue)
    assert _close(found.low, interval.low - seed)
    assert _close(found.high, interval.high - seed)


@pytest.mark.parametrize(
    ("mutants", "seeds", "one_seed"),
    [
        ([0.5, 0.5, 0.5], [0.25], True),
        ([0.5], [0.25], True),
        ([0.5, 0.5], [0.25, 0.25], False),
        ([0.5, 0.75], [0.25], False),
        ([0.5], [0.25, 0.5], False),
    ],
)
def test_without_variation_there_is_no_test(mutants: list[float], seeds: list[float], one_seed: bool) -> None:
    assert compared(mutants, seeds, one_seed=one_seed) == NO_TEST


def test_mean_and_deviation() -> None:
    assert mean_and_deviation([0.25, 0.75]) == (0.5, math.sqrt(0.125))
    assert mean_and_deviation([0.25]) == (0.25, None)


def test_groups() -> None:
    bits = FeatureBits(feature_set("owl-el"))
    names = bits.features.features
    seeds = [MeasuredGraph(None, 0, bits.pack(names[:2])), MeasuredGraph(None, 0, bits.pack(names[:4]))]
    mutants = [MeasuredGraph("a", 5, bits.pack(names[: number % 7])) for number in range(20)]
    curves = [("a", 0, []), ("a", 5, mutants)]
    rows = summarized(seeds, curves, groups=(1, 3, 50), size=64, seed=0)
    assert [(row.mutations, row.group, row.n) for row in rows] == [
        *((0, 1, 2), (0, 3, SAMPLES), (0, 50, SAMPLES)),
        *((5, 1, 20), (5, 3, SAMPLES), (5, 50, SAMPLES)),
    ]
    assert rows[0].mean == 3 / 64
    assert [row.test for row in rows[:3]] == [None] * 3
    assert math.isclose(rows[3].mean, fmean(number % 7 for number in range(20)) / 64)
    # A group of three covers what the largest of three draws covers: the mean is known.
    sizes = [number % 7 for number in range(20)]
    expected = sum(max(a, b, c) for a in sizes for b in sizes for c in sizes) / 20**3 / 64
    assert abs(rows[4].mean - expected) < 4 * (rows[4].sd or 0) / math.sqrt(SAMPLES)
    assert rows == summarized(seeds, curves, groups=(1, 3, 50), size=64, seed=0)
    assert rows != summarized(seeds, curves, groups=(1, 3, 50), size=64, seed=1)


def test_features_survive_packing() -> None:
    bits = FeatureBits(feature_set("owl-el", count_as="paper"))
    names = [*bits.features.features[:5], "http://www.w3.org/2002/07/owl#other"]  # found, but not in the list
    Random(1).shuffle(names)
    packed = bits.pack(names)
    assert {name for number, name in enumerate(bits.names()) if packed >> number & 1} == set(names)
    assert bits.missing([MeasuredGraph(None, 0, bits.pack(names))]) == list(bits.features.features[5:])
