"""A campaign from its profile: opens what it needs, goes on where it stopped, and reduces what it found."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from typing import TypeAlias

from kgprobe.campaign.events import Event
from kgprobe.campaign.executor import Executor
from kgprobe.campaign.identity import identity_of
from kgprobe.campaign.later import Later
from kgprobe.campaign.loop import Bounds, Loop
from kgprobe.campaign.plan import Plan
from kgprobe.campaign.reducing import OnStep, reductions
from kgprobe.campaign.source import CaseSource, PreparedSources
from kgprobe.campaign.sources.catalogue import kind_for
from kgprobe.campaign.store import Store
from kgprobe.campaign.task import Job
from kgprobe.config.oracles import known_in
from kgprobe.config.profile import Profile
from kgprobe.errors import InputError

__all__ = ["Events", "MakeExecutor", "campaign", "check_systems", "job_of", "open_store"]

MakeExecutor: TypeAlias = Callable[[Job], Executor]
Events: TypeAlias = Generator[Event, None, None]


def campaign(
    profile: Profile, make_executor: MakeExecutor, *, on_note: Callable[[str], None], on_step: OnStep
) -> Events:
    """Run it, and tell what happens.

    `on_note` is told what the user should know about the input, and `on_step` how far a reduction has come.
    """
    check_systems(profile)
    with kind_for(profile).prepare(profile) as prepared:
        for note in prepared.notes:
            on_note(note)
        with open_store(profile, prepared) as store:
            # A report needs these, and the profile may be elsewhere by then.
            store.set("profile", str(profile.path))
            store.set("about", json.dumps(prepared.about(), ensure_ascii=False))
            yield from _events(profile, prepared, store, make_executor, on_note, on_step)


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


def _events(
    profile: Profile,
    prepared: PreparedSources,
    store: Store,
    make_executor: MakeExecutor,
    on_note: Callable[[str], None],
    on_step: OnStep,
) -> Events:
    known = known_in(profile.known)
    bounds = Bounds(profile.campaign.seconds, profile.campaign.findings, reduces=profile.campaign.reduce > 0)
    # A campaign that has come to its end is only reported: nobody waits for systems to start.
    sources = prepared.open(store)
    plan = Plan(kind_for(profile), sources, store)
    with closing(Later(lambda: make_executor(job_of(profile, sources)))) as executor:
        for note in prepared.begin(store, executor, known, bounds.seconds):
            on_note(note)
        yield from Loop(plan, store, executor, known, bounds).events()
        executor.forget()  # a loop that has found enough does not wait for the cases after that
        begun, before = time.monotonic(), store.seconds
        left = None if bounds.seconds is None else begun + bounds.seconds - before
        try:
            yield from reductions(profile, plan, store, executor, on_step, left)
        finally:
            store.set("seconds", f"{before + time.monotonic() - begun:.3f}")
