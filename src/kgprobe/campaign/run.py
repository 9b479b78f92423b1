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
from kgprobe.campaign.reducing import reductions
from kgprobe.campaign.source import CaseSource, SourceKind
from kgprobe.campaign.sources.catalogue import kind_for
from kgprobe.campaign.store import Store
from kgprobe.campaign.task import Job
from kgprobe.config.oracles import known_in
from kgprobe.config.preparation import Preparation, prepare
from kgprobe.config.profile import Profile
from kgprobe.errors import InputError

__all__ = ["Events", "MakeExecutor", "campaign", "check_systems", "job_of", "open_store"]

MakeExecutor: TypeAlias = Callable[[Job], Executor]
Events: TypeAlias = Generator[Event, None, None]


def campaign(profile: Profile, make_executor: MakeExecutor, *, on_note: Callable[[str], None]) -> Events:
    """Run it, and yield what happens; `on_note` gets notes for the user about the input."""
    check_systems(profile)
    with prepare(profile) as preparation:
        for note in preparation.notes:
            on_note(note)
        kind = kind_for(profile)
        with open_store(preparation, kind) as store:
            # A report needs these, and the profile may be elsewhere by then.
            store.set("profile", str(profile.path))
            store.set("about", json.dumps(kind.about(preparation), ensure_ascii=False))
            yield from _events(preparation, kind, store, make_executor, on_note)


def open_store(preparation: Preparation, kind: SourceKind) -> Store:
    """The store that the profile names."""
    path = preparation.profile.campaign.store
    return Store.open(path, identity_of(preparation, kind), kind.name, kind.names(preparation))


def check_systems(profile: Profile) -> None:
    """InputError if there is nothing to run."""
    if not profile.systems:
        hint = "name one in [[systems]], or a function in [[python.systems]]"
        raise InputError("the profile names no system under test", where=profile.places.key(()), hint=hint)


def job_of(profile: Profile, sources: Iterable[CaseSource]) -> Job:
    """What workers have to know."""
    return Job(profile.harness, tuple(resource for source in sources for resource in source.resources()))


def _events(
    preparation: Preparation,
    kind: SourceKind,
    store: Store,
    make_executor: MakeExecutor,
    on_note: Callable[[str], None],
) -> Events:
    profile = preparation.profile
    known = known_in(profile.known)
    bounds = Bounds(profile.campaign.seconds, profile.campaign.findings, reduces=profile.campaign.reduce > 0)
    # A campaign that has come to its end is only reported: nobody waits for systems to start.
    sources = kind.open(preparation, store)
    plan = Plan(kind, sources, store)
    with closing(Later(lambda: make_executor(job_of(profile, sources)))) as executor:
        for note in kind.begin(sources, preparation, store, executor, known, bounds.seconds):
            on_note(note)
        yield from Loop(plan, store, executor, known, bounds).events()
        executor.forget()  # a loop that has found enough does not wait for the cases after that
        begun, before = time.monotonic(), store.seconds
        left = None if bounds.seconds is None else begun + bounds.seconds - before
        try:
            yield from reductions(profile, plan, store, executor, left)
        finally:
            store.set("seconds", f"{before + time.monotonic() - begun:.3f}")
