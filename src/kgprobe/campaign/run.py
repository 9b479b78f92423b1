"""Runs a campaign from its profile: opens what it needs, resumes where it stopped, and reduces what it found."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from typing import TypeAlias

from kgprobe.campaign.events import Event, Note
from kgprobe.campaign.executor import Executor, LazyExecutor
from kgprobe.campaign.identity import identity_of
from kgprobe.campaign.loop import Bounds, Loop
from kgprobe.campaign.plan import Plan
from kgprobe.campaign.reducing import reductions
from kgprobe.campaign.source import CaseSource, PreparedSources
from kgprobe.campaign.sources.catalogue import kind_for
from kgprobe.campaign.store import Store
from kgprobe.campaign.task import Job
from kgprobe.config.oracles import known_in
from kgprobe.config.profile import Profile
from kgprobe.errors import InputError

__all__ = ["Events", "MakeExecutor", "check_systems", "job_of", "open_store", "run_campaign"]

MakeExecutor: TypeAlias = Callable[[Job], Executor]
Events: TypeAlias = Generator[Event, None, None]


def run_campaign(profile: Profile, make_executor: MakeExecutor) -> Events:
    """Run the campaign of a profile, and yield what happens. Closing the generator stops it, and loses no result."""
    check_systems(profile)
    with kind_for(profile).prepare(profile) as prepared:
        yield from map(Note, prepared.notes)
        with open_store(profile, prepared) as store:
            # A report needs these, and the profile may be elsewhere by then.
            store.set("profile", str(profile.path))
            store.set("about", json.dumps(prepared.about(), ensure_ascii=False))
            yield from _events(profile, prepared, store, make_executor)


def open_store(profile: Profile, sources: PreparedSources) -> Store:
    """The store that a profile names, for cases from these sources."""
    identity = identity_of(profile, sources)
    return Store.open(profile.campaign.store, identity, kind_for(profile).name, sources.names())


def check_systems(profile: Profile) -> None:
    """InputError if there is nothing to run."""
    if not profile.systems:
        hint = "name one in [[systems]], or a function in [[python.systems]]"
        raise InputError("the profile names no system under test", where=profile.places.key(()), hint=hint)


def job_of(profile: Profile, sources: Iterable[CaseSource]) -> Job:
    """What workers have to know."""
    return Job(profile.harness, tuple(resource for source in sources for resource in source.resources()))


def _events(profile: Profile, prepared: PreparedSources, store: Store, make_executor: MakeExecutor) -> Events:
    known = known_in(profile.known)
    bounds = Bounds(profile.campaign.seconds, profile.campaign.findings, reduces=profile.campaign.reduce > 0)
    sources = prepared.open(store)
    plan = Plan(kind_for(profile), sources, store)
    # A campaign that is over is only reported: nobody waits for systems to start.
    with closing(LazyExecutor(lambda: make_executor(job_of(profile, sources)))) as executor:
        yield from map(Note, prepared.begin(store, executor, known, bounds.seconds))
        yield from Loop(plan, store, executor, known, bounds).events()
        executor.forget()  # a loop that has found enough does not wait for the cases after that
        begun, before = time.monotonic(), store.seconds
        left = None if bounds.seconds is None else begun + bounds.seconds - before
        try:
            yield from reductions(profile, plan, store, executor, left)
        finally:
            store.set("seconds", f"{before + time.monotonic() - begun:.3f}")
