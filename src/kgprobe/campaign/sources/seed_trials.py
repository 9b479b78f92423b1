"""Before mutants are made, the systems run on each seed graph itself.

If a system fails there, or the mask does not admit the seed graph, every mutant would show just that: such a seed graph
is left out. Systems that disagree on a seed graph are a finding like any other.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from kgprobe.campaign.executor import ChangedGraph, Executor, Result, Task
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_reading import Planned
from kgprobe.config.preparation import Seed
from kgprobe.config.profile import Profile
from kgprobe.errors import UnavailableError, one_line
from kgprobe.model import Failure, Outcome, Verdict
from kgprobe.mutation.generator import likeness
from kgprobe.oracles.signatures import KnownBugs

if TYPE_CHECKING:  # that module uses this one
    from kgprobe.campaign.sources.mutants import MutantSource

_PASS = Verdict(Outcome.PASS)
_HEADS_OF_A_DIFFERENCE = ("--- ", "+++ ")


def try_seeds(
    sources: Sequence[MutantSource],
    profile: Profile,
    store: Store,
    executor: Executor,
    known: KnownBugs,
    seconds: float | None,
) -> Iterator[str]:
    """Run the systems on the seed graphs that they have not run on, and say which ones are left out, and why.

    UnavailableError if none is left. No trial starts after `seconds` of the whole campaign.
    """
    _Trials(sources, store, executor, known).run(seconds)
    left_out = [(source.seed, why) for source in sources if (why := source.seed_state.left_out) is not None]
    keeps_going = profile.campaign.keep_going
    if len(left_out) == len(sources) and not keeps_going:
        raise _nothing_left(profile, left_out)
    for seed, why in left_out:
        yield f"{seed.path.name}: {why}; {'used all the same' if keeps_going else 'this seed graph is left out'}"


class _Trials:
    def __init__(self, sources: Sequence[MutantSource], store: Store, executor: Executor, known: KnownBugs) -> None:
        self._sources = sources
        self._store = store
        self._executor = executor
        self._known = known

    def run(self, most_seconds: float | None) -> None:
        """Try the seed graphs that were not tried before. No trial starts after `most_seconds` of the campaign."""
        begun = time.monotonic()
        before = self._store.seconds

        def seconds() -> float:
            return before + time.monotonic() - begun

        under_way: set[int] = set()
        for source in _untried(self._sources):
            if (most_seconds is None or seconds() < most_seconds) and self._is_to_run(source):
                seed = ChangedGraph(source.name, {})
                file = source.seed.path.name
                self._executor.submit(Task(source.number, file, seed, origin=source.name, is_reference=True))
                under_way.add(source.number)
                if len(under_way) >= self._executor.capacity:
                    self._collect(under_way)
        while under_way:
            self._collect(under_way)
        self._store.set("seconds", f"{seconds():.3f}")

    def _is_to_run(self, source: MutantSource) -> bool:
        """Whether the mask admits the seed graph; if it does not, that is noted."""
        why = _objection(source.seed)
        if why is not None:
            source.tried(why)
            self._store.begun(source.number, source.state(), None, _PASS, 0.0)
        return why is None

    def _collect(self, under_way: set[int]) -> None:
        for result in self._executor.wait():
            under_way.remove(result.ticket)
            self._note(self._sources[result.ticket], result)

    def _note(self, source: MutantSource, result: Result) -> None:
        if result.error is not None:
            raise result.error
        failures = [
            failure for failure in (result.verdict or _PASS).failures if self._known.note_for(failure.signature) is None
        ]
        compared = result.compared or _PASS
        source.tried(_failure_text(failures))
        case = self._case(source) if compared.failures else None
        self._store.begun(source.number, source.state(), case, compared, result.seconds)

    def _case(self, source: MutantSource) -> Planned:
        """The seed graph as a case: it comes before all mutants, whose numbers begin at 1."""
        number = self._store.case_number(0, source.number)
        return Planned(number, source.number, source.recipe_of_seed, likeness(source.seed.graph))


def _untried(sources: Sequence[MutantSource]) -> list[MutantSource]:
    """The seed graphs to try. If all were left out, something may have been repaired since that we cannot see."""
    are_all_out = all(source.seed_state.left_out is not None for source in sources)
    return [source for source in sources if are_all_out or not source.seed_state.is_tried]


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


def _nothing_left(profile: Profile, left_out: Sequence[tuple[Seed, str]]) -> UnavailableError:
    (seed, why), *others = left_out
    more = f", and {len(others)} more like it" if others else ""
    again = shlex.join(["kgprobe", "test", str(profile.path), "--on", str(seed.path)])
    hint = f"{again} shows more; --keep-going tests its mutants anyway"
    return UnavailableError(f"no seed graph can be used: {seed.path.name}: {why}{more}", hint=hint)
