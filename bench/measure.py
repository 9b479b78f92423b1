"""Measuring: the best of several runs, and the memory of a fresh process."""

from __future__ import annotations

import gc
import multiprocessing
import resource
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Row", "best_of", "best_of_each", "report", "resident_growth"]


@dataclass(frozen=True)
class Row:
    """Our time and the yardstick's, and the maximum ratio (with `at_least`, the minimum ratio)."""

    what: str
    ours: str
    yardstick: str
    ratio: float
    limit: float
    at_least: bool = False

    def __str__(self) -> str:
        good = self.ratio >= self.limit if self.at_least else self.ratio <= self.limit
        sign = "≥" if self.at_least else "≤"
        verdict = "ok" if good else "MISSED"
        limit = f"{sign} {self.limit:.4g}"
        return f"{self.what:<58}{self.ours:>12}{self.yardstick:>14}{self.ratio:>11.4g}{limit:>12}  {verdict}"


def best_of(runs: int, work: Callable[[], object]) -> float:
    """The least processor time of several runs, in seconds: other load on the machine only adds to it.

    It includes that of processes that were started and have ended.
    """
    [best] = best_of_each(runs, work)
    return best


def best_of_each(runs: int, *works: Callable[[], object]) -> list[float]:
    """The same for several functions to compare, run in turn, so that a slow phase affects all of them."""
    gc.collect()  # only once, since it empties caches that later runs would have
    times: list[list[float]] = [[] for _ in works]
    for _ in range(runs):
        for work, taken in zip(works, times, strict=True):
            start = _processor_time()
            made = work()
            taken.append(_processor_time() - start)
            del made  # after the measurement: freeing a result is not part of making it
    return [min(taken) for taken in times]


def _processor_time() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def resident_growth(make: Callable[[Path], object], path: Path) -> int:
    """The number of bytes by which a fresh process grows while it creates and keeps an object."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_grow, (make, path))


def _grow(make: Callable[[Path], object], path: Path) -> int:
    gc.collect()
    before = _resident()
    kept = make(path)
    gc.collect()
    grown = _resident() - before
    del kept
    return grown


def _resident() -> int:
    fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return int(fields[1]) * 4096


def report(rows: list[Row]) -> None:
    """Print the rows as a table."""
    print(f"{'':<58}{'ours':>12}{'yardstick':>14}{'ratio':>11}{'wanted':>12}")
    for row in rows:
        print(row, flush=True)
