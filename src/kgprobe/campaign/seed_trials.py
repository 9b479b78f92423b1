"""Before mutants are made, the systems run on each seed graph itself.

If a system fails there, or the mask does not admit the seed graph, mutants would show nothing but that again: such a
seed graph is left out. Systems that disagree on a seed graph are a finding like any other.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable, Iterator
from itertools import islice

from kgprobe.campaign.executor import Executor
from kgprobe.campaign.store import Planned, SeedState, Store
from kgprobe.campaign.task import ChangedGraph, Result, Task
from kgprobe.config.generation import names_of
from kgprobe.config.preparation import Preparation, Seed
from kgprobe.errors import UnavailableError, one_line
from kgprobe.model import Failure, Outcome, Verdict
from kgprobe.mutation.duplicates import likeness
from kgprobe.oracles.known import KnownBugs

__all__ = ["try_seeds"]

_PASS = Verdict(Outcome.PASS)
_HEADS_OF_A_DIFFERENCE = ("--- ", "+++ ")


def try_seeds(
    preparation: Preparation, store: Store, executor: Executor, known: KnownBugs, seconds: float | None
) -> Iterator[str]:
    """Run the systems on the seed graphs that they have not run on, and tell which ones are left out, and why.

    UnavailableError if none is left. No more seed graphs are begun after so many `seconds` of the whole campaign.
    """
    trials = _Trials(preparation, store, executor, known)
    trials.run(seconds)
    states = store.seeds()
    left_out = {number: state.left_out for number, state in enumerate(states) if state.left_out is not None}
    keeps_going = preparation.profile.campaign.keep_going
    names = [seed.path.name for seed in preparation.seeds]
    if len(left_out) == len(states) and not keeps_going:
        raise _nothing_left(preparation, list(left_out.items()))
    for number, why in left_out.items():
        yield f"{names[number]}: {why}; {'used all the same' if keeps_going else 'this seed graph is left out'}"


class _Trials:
    def __init__(self, preparation: Preparation, store: Store, executor: Executor, known: KnownBugs) -> None:
        self._seeds = preparation.seeds
        self._names = names_of(preparation)
        self._store = store
        self._executor = executor
        self._known = known
        self._keeps_going = preparation.profile.campaign.keep_going

    def run(self, most_seconds: float | None) -> None:
        """Try what was not tried before, within so many seconds of the whole campaign."""
        begun = time.monotonic()
        before = self._store.seconds

        def seconds() -> float:
            return before + time.monotonic() - begun

        waiting = (
            number for number in _untried(self._store.seeds()) if most_seconds is None or seconds() < most_seconds
        )
        under_way: set[int] = set()
        for number in waiting:
            if self._is_to_run(number):
                name = self._names[number]
                seed = ChangedGraph(name, {})
                file = self._seeds[number].path.name
                self._executor.submit(Task(number, file, seed, origin=name, is_reference=True))
                under_way.add(number)
                if len(under_way) >= self._executor.capacity:
                    self._collect(under_way)
        while under_way:
            self._collect(under_way)
        self._store.set("seconds", f"{seconds():.3f}")

    def _is_to_run(self, number: int) -> bool:
        """Whether the mask admits the seed graph; if it does not, that is noted."""
        why = _objection(self._seeds[number])
        if why is not None:
            self._store.tried(number, why, None, _PASS, 0.0)
        return why is None

    def _collect(self, under_way: set[int]) -> None:
        for result in self._executor.wait():
            under_way.remove(result.ticket)
            self._note(result.ticket, result)

    def _note(self, number: int, result: Result) -> None:
        if result.error is not None:
            raise result.error
        failures = [each for each in (result.verdict or _PASS).failures if self._known.note_for(each.signature) is None]
        compared = result.compared or _PASS
        case = self._case(number) if compared.failures else None
        self._store.tried(number, _failure_text(failures), case, compared, result.seconds)

    def _case(self, number: int) -> Planned:
        """The seed graph as a case: it comes before all mutants, whose numbers begin at 1."""
        return Planned(number - len(self._seeds) + 1, number, 0, -1, likeness(self._seeds[number].graph))


def _untried(states: list[SeedState]) -> Iterable[int]:
    """The seed graphs to try. If all were left out, something may have been repaired since that we cannot see."""
    are_all_out = all(state.left_out is not None for state in states)
    return [number for number, state in enumerate(states) if are_all_out or not state.is_tried]


def _objection(seed: Seed) -> str | None:
    if seed.mask.admits(seed.graph):
        return None
    first = seed.mask.rejections(seed.graph)[0]
    return one_line(f"is not admissible: {first.check}: {first.words}")


def _failure_text(failures: list[Failure]) -> str | None:
    if not failures:
        return None
    first = failures[0]
    seen = (line for line in first.words if not line.startswith(_HEADS_OF_A_DIFFERENCE))
    what = ": ".join(part for part in (first.kind, first.shape, *islice(seen, 1)) if part)
    return one_line(f"{first.system} fails on it: {what}")


def _nothing_left(preparation: Preparation, left_out: list[tuple[int, str]]) -> UnavailableError:
    (number, why), *others = left_out
    seed = preparation.seeds[number].path
    more = f", and {len(others)} more like it" if others else ""
    again = shlex.join(["kgprobe", "test", str(preparation.profile.path), "--on", str(seed)])
    hint = f"{again} shows more; --keep-going tests its mutants anyway"
    return UnavailableError(f"no seed graph can be used: {seed.name}: {why}{more}", hint=hint)
