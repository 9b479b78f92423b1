"""From the features of graphs to shares: for single graphs and for groups of them, each compared with the seeds.

Features are bits of an integer: the features of a group are one `or`, and ten thousand graphs need little memory.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, reduce
from operator import or_
from random import Random
from typing import Any

from kgprobe.errors import UnavailableError
from kgprobe.input_coverage.feature_set import FeatureSet

__all__ = ["CoverageRow", "FeatureBits", "MeasuredGraph", "check_scipy", "summarized"]


_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Comparison:
    """The result of a test: its name, its p-value, and the 95 % interval of the difference of the means."""

    test: str | None = None
    p: float | None = None
    low: float | None = None
    high: float | None = None


NO_TEST = Comparison()


def check_scipy() -> None:
    """UnavailableError if tests cannot be made. Long work should not end with that."""
    _distributions()


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean, and the standard deviation of the sample: None for a single value."""
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None


def compared(mutants: Sequence[float], seeds: Sequence[float], *, one_seed: bool) -> Comparison:
    """A two-sided test of whether the means differ, and the interval of mutants minus seeds.

    With one seed graph there is one value to compare with, which is certain. Without any variation, or with too few
    values, there is no test.
    """
    if one_seed:
        return _one_sample(mutants, seeds[0])
    return _welch(mutants, seeds)


def _one_sample(mutants: Sequence[float], expected: float) -> Comparison:
    if len(mutants) < 2 or len(set(mutants)) == 1:
        return NO_TEST
    error = math.sqrt(statistics.variance(mutants) / len(mutants))
    return _comparison("one-sample", statistics.fmean(mutants) - expected, error, len(mutants) - 1)


def _welch(mutants: Sequence[float], seeds: Sequence[float]) -> Comparison:
    if min(len(mutants), len(seeds)) < 2 or len(set(mutants)) == len(set(seeds)) == 1:
        return NO_TEST
    parts = [statistics.variance(values) / len(values) for values in (mutants, seeds)]
    # Welch and Satterthwaite
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(values) - 1) for part, values in zip(parts, (mutants, seeds), strict=True)
    )
    difference = statistics.fmean(mutants) - statistics.fmean(seeds)
    return _comparison("welch", difference, math.sqrt(sum(parts)), freedom)


def _comparison(test: str, difference: float, error: float, freedom: float) -> Comparison:
    """The test for a difference with this standard error and these degrees of freedom."""
    student = _distributions()
    p = 2 * float(student.stdtr(freedom, -abs(difference / error)))
    reach = float(student.stdtrit(freedom, (1 + _CONFIDENCE) / 2)) * error
    return Comparison(test, p, difference - reach, difference + reach)


@cache
def _distributions() -> Any:
    try:
        import scipy.special
    except ImportError:
        raise UnavailableError("the tests need SciPy", hint="pip install 'kgprobe[learn]'") from None
    return scipy.special


SAMPLES = 100
"""How many groups are drawn, if they have more than one graph."""


@dataclass(frozen=True, slots=True)
class MeasuredGraph:
    """The features of one graph, as bits; a seed graph has no operators and no mutations."""

    operators: str | None
    mutations: int
    features: int


@dataclass(frozen=True)
class CoverageRow:
    """The shares of covered features in groups of graphs that were made in the same way, and a test against the seeds.

    `n` is the number of groups, and `sd` is None if there is only one.
    """

    operators: str | None
    mutations: int
    group: int
    mean: float
    sd: float | None
    n: int
    test: str | None = None
    p: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass
class FeatureBits:
    """Numbers the features: those of the set first, then others that are found."""

    features: FeatureSet
    _numbers: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._numbers = {feature: number for number, feature in enumerate(self.features.features)}

    def pack(self, features: Iterable[str]) -> int:
        """Features as bits."""
        bits = 0
        for feature in features:
            bits |= 1 << self._numbers.setdefault(feature, len(self._numbers))
        return bits

    def names(self) -> tuple[str, ...]:
        """The features so far: number n stands for bit n."""
        return tuple(self._numbers)

    def missing(self, graphs: Iterable[MeasuredGraph]) -> list[str]:
        """The features of the set that none of these graphs has."""
        covered = reduce(or_, (graph.features for graph in graphs), 0)
        return [feature for feature in self.features.features if not covered >> self._numbers[feature] & 1]


def summarized(
    seeds: Sequence[MeasuredGraph],
    curves: Iterable[tuple[str | None, int, Sequence[MeasuredGraph]]],
    *,
    groups: Sequence[int],
    size: int,
    seed: int,
) -> list[CoverageRow]:
    """A row for each size of a group, on each point of a curve: operators, a number of mutations, and the graphs.

    For 0 mutations, the graphs are the seeds, and no test is made.
    """
    seed_shares = {group: _shares(seeds, group, size, Random(f"{seed}/seeds/{group}")) for group in groups}
    rows = []
    for operators, mutations, graphs in curves:
        for group in groups:
            if mutations == 0:
                shares, comparison = seed_shares[group], NO_TEST
            else:
                shares = _shares(graphs, group, size, Random(f"{seed}/{operators}/{mutations}/{group}"))
                comparison = compared(shares, seed_shares[group], one_seed=len(seeds) == 1)
            rows.append(_row(operators, mutations, group, shares, comparison))
    return rows


def _row(
    operators: str | None, mutations: int, group: int, shares: Sequence[float], comparison: Comparison
) -> CoverageRow:
    mean, deviation = mean_and_deviation(shares)
    values: dict[str, Any] = vars(comparison)
    return CoverageRow(operators, mutations, group, mean, deviation, len(shares), **values)


def _shares(graphs: Sequence[MeasuredGraph], group: int, size: int, random: Random) -> list[float]:
    """The share of features that each group covers: each graph once, or samples with replacement."""
    if group == 1:
        covered = [graph.features for graph in graphs]
    else:
        covered = [
            reduce(or_, (graph.features for graph in random.choices(graphs, k=group)), 0) for _ in range(SAMPLES)
        ]
    return [bits.bit_count() / size for bits in covered]
