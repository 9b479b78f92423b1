"""Runs a campaign from its profile: opens what it needs, resumes where it stopped, and reduces what it found."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from kgprobe.campaign.events import Begun, Ended, Event, Judged, NewFinding, Note
from kgprobe.campaign.executor import Executor, Job, LazyExecutor, Result
from kgprobe.campaign.harness import harness_of, known_in
from kgprobe.campaign.identity import identity_of
from kgprobe.campaign.plan import Plan, PlannedCase
from kgprobe.campaign.reducing import reductions
from kgprobe.campaign.source import CaseSource, PreparedSources
from kgprobe.campaign.sources import kind_for
from kgprobe.campaign.store import Store, read_store
from kgprobe.campaign.store_reading import StoreReader
from kgprobe.campaign.summary import record_usage
from kgprobe.campaign.trial import answers_of
from kgprobe.config.profile import MutationTable, Profile
from kgprobe.config.toml import relative
from kgprobe.errors import InputError, LimitReachedError, Position
from kgprobe.model import Outcome, Verdict
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.wording import number_of

__all__ = [
    "ALL_HAVE_RUN",
    "Bounds",
    "Events",
    "Loop",
    "MakeExecutor",
    "OnProgress",
    "check_systems",
    "job_of",
    "open_store",
    "profile_file",
    "remember_profile",
    "run_campaign",
    "shown_profile",
]

ALL_HAVE_RUN = "all cases have run"
"""Why a campaign has ended that was not stopped before."""
MakeExecutor: TypeAlias = Callable[[Job], Executor]
OnProgress: TypeAlias = Callable[[str], object]
Events: TypeAlias = Generator[Event, None, None]


def run_campaign(
    profile: Profile,
    make_executor: MakeExecutor,
    on_progress: OnProgress = str,
    *,
    runs_again: bool = False,
) -> Events:
    """Run the campaign of a profile, and yield events. Closing the generator stops it without losing results.

    `on_progress` gets lines for the user while the inputs are prepared, before the first event. With `runs_again`, all
    cases of the store run again, and their results become former ones.
    """
    check_systems(profile)
    if runs_again:
        read_store(profile.campaign.store).__exit__(None, None, None)  # it must exist: opening it would create it
    with kind_for(profile).prepare(profile, on_progress) as prepared:
        yield from map(Note, prepared.notes)
        with open_store(profile, prepared, runs_again=runs_again) as store:
            if runs_again:
                _run_again(profile, prepared, store)
            remember_profile(store, profile.path)
            if isinstance(profile.method, MutationTable):  # an option can replace the number in the profile
                store.set("seed", str(profile.method.seed))
            store.set("command", profile.command or "")
            store.set("about", json.dumps(prepared.about(), ensure_ascii=False))
            try:
                yield from _events(profile, prepared, store, make_executor)
            finally:
                if harness_of(profile).input == "dialogue":
                    record_usage(profile, store)


def open_store(profile: Profile, sources: PreparedSources, *, runs_again: bool = False) -> Store:
    """The store that a profile names, for cases from these sources. If they run again, the systems may have changed."""
    identity = identity_of(profile, sources)
    kind = kind_for(profile).name
    return Store.open(profile.campaign.store, identity, kind, sources.names(), runs_again=runs_again)


def _run_again(profile: Profile, prepared: PreparedSources, store: Store) -> None:
    """Make all cases of a store run again, unless that was begun with the same systems, and interrupted."""
    identity = identity_of(profile, prepared)
    if store.former_results() and store.in_flight() and not identity.changed_since(store.identity):
        return
    kind = kind_for(profile)
    with store.reading():
        states = [kind.state_to_run_again(source.state) for source in store.sources()]
    store.run_again(identity, states)


def check_systems(profile: Profile) -> None:
    """InputError if there is nothing to run, or a system cannot get the inputs of this profile."""
    if not profile.systems:
        hint = "name one in [[systems]], or a function in [[python.systems]]"
        raise InputError("the profile names no system under test", where=profile.places.key(()), hint=hint)
    for system in profile.systems:
        try:
            system.check_input(harness_of(profile).input)
        except InputError as error:
            raise InputError(error.message, where=profile.places.key(()), hint=error.hint) from None


def job_of(profile: Profile, sources: Iterable[CaseSource]) -> Job:
    """The job for the workers."""
    return Job(harness_of(profile), tuple(resource for source in sources for resource in source.resources()))


def _events(profile: Profile, prepared: PreparedSources, store: Store, make_executor: MakeExecutor) -> Events:
    known = known_in(profile.known)
    bounds = Bounds(profile.campaign.seconds, profile.campaign.findings, reduces=profile.campaign.reduce > 0)
    sources = prepared.open(store)
    plan = Plan(kind_for(profile), sources, store)
    _begin_counting(profile, store)
    # If the campaign is complete, it is only reported: no system is started.
    with closing(LazyExecutor(lambda: make_executor(job_of(profile, sources)))) as executor:
        yield from map(Note, prepared.begin(store, executor, known, bounds.seconds))
        loop = Loop(plan, store, executor, known, bounds)
        yield from loop.events()
        executor.forget()  # a loop with enough findings leaves later cases in flight
        if loop.limit:  # a reduction would need requests, too
            return
        begun, before = time.monotonic(), store.seconds
        left = None if bounds.seconds is None else begun + bounds.seconds - before
        try:
            yield from reductions(profile, plan, store, executor, left)
        except LimitReachedError as error:
            yield Note(f"not everything is reduced: {error}")
        finally:
            store.set("seconds", f"{before + time.monotonic() - begun:.3f}")


def _begin_counting(profile: Profile, store: Store) -> None:
    """Count the requests of a new campaign from 0, and those of one that resumes from where they were."""
    answers = answers_of(harness_of(profile))
    if answers is not None:
        with closing(answers):
            answers.begin_run(is_new=not store.cases_run() and not store.in_flight())


# -- the loop: plan cases, run them, store their verdicts, and stop in time --------------------------------------------

_SECONDS_BETWEEN_NOTES = 1.0
_SHARE_FOR_CASES = 0.75  # of a limited time, if there is something to reduce


@dataclass(frozen=True)
class Bounds:
    """When to stop before all cases have run: after a total time in seconds, or a number of different findings.

    `reduces`: findings will be reduced, and part of the time is reserved for that.
    """

    seconds: float | None = None
    findings: int | None = None
    reduces: bool = False


class Loop:
    """One campaign. `events` may be called once."""

    def __init__(self, plan: Plan, store: Store, executor: Executor, known: KnownBugs, bounds: Bounds) -> None:
        self._store = store
        self._executor = executor
        self._known = known
        self._bounds = bounds
        self._plan = plan
        self._pending: dict[int, PlannedCase] = {}
        self._begun = time.monotonic()
        self._seconds_before = store.seconds
        self._noted = self._begun
        self.limit = ""  # the cap that ended it, if one did
        found = {finding.signature: finding.first for finding in store.findings()}
        self._all = set(found)
        self._reduced = {finding.signature for finding in store.findings() if finding.reductions}
        # Findings by the first case that has them; those that are known do not count.
        self._firsts = {signature: first for signature, first in found.items() if known.note_for(signature) is None}

    def events(self) -> Iterator[Event]:
        """Run the cases, and yield events. A caller that stops asking for events loses only the cases in flight."""
        done = self._store.cases_run()
        yield Begun(self._plan.total, done, len(self._firsts))
        waiting = self._plan.interrupted()
        is_complete = self._plan.is_over and not self._store.in_flight()
        try:
            while (why := self._reason_to_stop()) is None:
                is_complete = is_complete or not self._fill(waiting)
                yield from map(Note, self._plan.notes())
                if is_complete:
                    why = ALL_HAVE_RUN
                    break
                yield from self._collected()
            while self._pending and not self._has_enough_findings():
                yield from self._collected()
        finally:
            self._note_seconds()
        last = self._last_case()
        if last is not None:
            self._store.take_back(last)
        yield Ended(why)

    def _fill(self, waiting: Iterator[PlannedCase]) -> bool:
        """Submit as many cases as the workers can take: interrupted ones first, then new ones. False: none left."""
        room = max(0, self._executor.capacity - len(self._pending))
        cases = list(islice(waiting, room))
        if len(cases) < room:
            cases += self._plan.further(room - len(cases))
        for case in cases:
            planned = case.planned
            self._pending[planned.number] = case
            self._executor.submit(self._plan.task(planned.number, self._plan.name(planned), planned, case.input))
        return bool(self._pending)

    def _collected(self) -> Iterator[Event]:
        for result in self._executor.wait():
            case = self._pending.pop(result.ticket)
            yield from self._recorded(case, result)
        if time.monotonic() - self._noted > _SECONDS_BETWEEN_NOTES:
            self._note_seconds()

    def _recorded(self, case: PlannedCase, result: Result) -> Iterator[Event]:
        if isinstance(result.error, LimitReachedError):
            self.limit = self.limit or str(result.error)
            return  # the case stays in flight, so that a higher limit resumes it
        if result.error is not None:
            raise result.error
        verdict = result.verdict or Verdict(Outcome.UNDECIDED, "the worker gave no verdict")
        number = case.planned.number
        recipe = case.whole_recipe() if verdict.outcome is Outcome.FAIL else None
        self._store.record(number, verdict, result.seconds, recipe)
        attempts, kept = self._plan.counts()
        yield Judged(number, self._plan.name(case.planned), verdict, result.seconds, attempts, kept)
        for failure in verdict.failures:
            yield from self._counted(failure.signature, number)

    def _counted(self, signature: str, number: int) -> Iterator[Event]:
        is_known = self._known.note_for(signature) is not None
        if not is_known:
            self._firsts[signature] = min(number, self._firsts.get(signature, number))
        if signature not in self._all:
            self._all.add(signature)
            yield NewFinding(signature, number, is_known)

    def _reason_to_stop(self) -> str | None:
        if self.limit:
            return self.limit
        if self._has_enough_findings():
            return number_of(self._bounds.findings or 0, "finding")
        seconds = self._bounds.seconds
        if seconds is None:
            return None
        if self._seconds() >= seconds:
            return f"{seconds:g} s have passed"
        for_cases = _SHARE_FOR_CASES * seconds
        has_to_reduce = self._bounds.reduces and not self._reduced.issuperset(self._firsts)
        if has_to_reduce and self._seconds() >= for_cases:
            return f"{for_cases:g} of {seconds:g} s have passed: the rest is for reductions"
        return None

    def _has_enough_findings(self) -> bool:
        """Whether the cases up to some number have enough findings, and none of them is still in flight."""
        last = self._last_case()
        return last is not None and all(number > last for number in self._pending)

    def _last_case(self) -> int | None:
        """The case with the last finding that was asked for. It does not depend on the speed of the workers."""
        asked = self._bounds.findings
        if asked is None or len(self._firsts) < asked:
            return None
        return sorted(self._firsts.values())[asked - 1]

    def _seconds(self) -> float:
        return self._seconds_before + time.monotonic() - self._begun

    def _note_seconds(self) -> None:
        self._noted = time.monotonic()
        self._store.set("seconds", f"{self._seconds():.3f}")


# -- the profile in a store --------------------------------------------------------------------------------------------


def remember_profile(store: Store, profile: Path) -> None:
    """Write to a store where its profile is, for reports: it may have been moved by then."""
    store.set("profile", str(profile))
    store.set("profile file", str(profile.absolute()))


def profile_file(store: StoreReader) -> Path:
    """Where the profile is: as it was named, wherever it was, or beside the store. InputError if it is gone."""
    named, whole = store.value("profile"), store.value("profile file")
    where = Position(str(store.path))
    if named is None:
        raise InputError("this store does not name its profile", where=where)
    if Path(named).is_file() and (whole is None or Path(named).absolute() == Path(whole)):
        return Path(named)
    beside = store.path.parent / Path(named).name
    for path in (Path(whole or named), beside):
        if path.is_file():
            return path
    hint = f"move it back, or put it beside the store: {beside}"
    raise InputError(f"the profile of this campaign, {whole or named}, no longer exists", where=where, hint=hint)


def shown_profile(store: StoreReader) -> str:
    """The profile as a command names it that runs in this folder."""
    try:
        path = profile_file(store)
    except InputError:
        return store.value("profile") or "PROFILE"
    return min(str(path), relative(path, Path()), key=len) if path.is_absolute() else str(path)
