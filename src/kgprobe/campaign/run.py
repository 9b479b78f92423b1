"""A campaign from its profile: opens what it needs, goes on where it stopped, and reduces what it found."""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Callable, Generator
from contextlib import closing
from typing import TypeAlias

from kgprobe.campaign.events import Event
from kgprobe.campaign.executor import Executor
from kgprobe.campaign.identity import identity_of
from kgprobe.campaign.later import Later
from kgprobe.campaign.loop import Bounds, Loop
from kgprobe.campaign.reducing import reductions
from kgprobe.campaign.seed_trials import try_seeds
from kgprobe.campaign.store import Store
from kgprobe.campaign.task import Job, Resource
from kgprobe.config.generation import names_of
from kgprobe.config.oracles import known_in
from kgprobe.config.preparation import Preparation, prepare
from kgprobe.config.profile import Profile
from kgprobe.errors import InputError

__all__ = ["Events", "MakeExecutor", "campaign", "check_systems", "job_of"]

MakeExecutor: TypeAlias = Callable[[Job], Executor]
Events: TypeAlias = Generator[Event, None, None]


def campaign(profile: Profile, make_executor: MakeExecutor, *, on_note: Callable[[str], None]) -> Events:
    """Run it, and yield what happens; `on_note` gets notes for the user about the input."""
    check_systems(profile)
    with prepare(profile) as preparation:
        for note in preparation.notes:
            on_note(note)
        with Store.open(profile.campaign.store, identity_of(preparation), names_of(preparation)) as store:
            _remember(store, preparation)
            yield from _events(preparation, store, make_executor, on_note)


def check_systems(profile: Profile) -> None:
    """InputError if there is nothing to run."""
    if not profile.systems:
        hint = "name one in [[systems]], or a function in [[python.systems]]"
        raise InputError("the profile names no system under test", where=profile.places.key(()), hint=hint)


def job_of(preparation: Preparation) -> Job:
    """What workers have to know."""
    names = names_of(preparation)
    seeds = tuple(Resource(name, pickle.dumps(seed.graph)) for name, seed in zip(names, preparation.seeds, strict=True))
    return Job(preparation.profile.harness, seeds)


def _events(
    preparation: Preparation,
    store: Store,
    make_executor: MakeExecutor,
    on_note: Callable[[str], None],
) -> Events:
    profile = preparation.profile
    known = known_in(profile.known)
    bounds = Bounds(profile.campaign.seconds, profile.campaign.findings, reduces=profile.campaign.reduce > 0)
    # A campaign that has come to its end is only reported: nobody waits for systems to start.
    with closing(Later(lambda: make_executor(job_of(preparation)))) as executor:
        for note in try_seeds(preparation, store, executor, known, bounds.seconds):
            on_note(note)
        yield from Loop(preparation, store, executor, known, bounds).events()
        executor.forget()  # a loop that has found enough does not wait for the cases after that
        begun, before = time.monotonic(), store.seconds
        left = None if bounds.seconds is None else begun + bounds.seconds - before
        try:
            yield from reductions(preparation, store, executor, left)
        finally:
            store.set("seconds", f"{before + time.monotonic() - begun:.3f}")


def _remember(store: Store, preparation: Preparation) -> None:
    """What a report needs to know of the profile, which may be elsewhere by then."""
    store.set("profile", str(preparation.profile.path))
    prefixes = [dict(seed.graph.spelling.prefixes) for seed in preparation.seeds]
    store.set("prefixes", json.dumps(prefixes))
    summaries = {each.operator.description.name: each.operator.description.summary for each in preparation.operators}
    store.set("operators", json.dumps(summaries))
