"""Means, and Student's t-tests in two forms: Welch's for two samples, and one for a sample and a fixed value.

SciPy has the distribution; it is imported when it is first needed. Its tests are not used, because they warn if one of
two samples does not vary, which is nothing unusual here.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from kgprobe.errors import UnavailableError

__all__ = ["NO_TEST", "Comparison", "check_scipy", "compared", "mean_and_deviation"]

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
