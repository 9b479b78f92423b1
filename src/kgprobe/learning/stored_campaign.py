"""Opens the campaign that a store belongs to, so that its cases can be made again and run again.

The store names its profile. A campaign that has changed since is refused: its cases would be others.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from kgprobe.campaign.identity import identity_of
from kgprobe.campaign.plan import Plan
from kgprobe.campaign.sources.mutants import Mutants, MutantSource, PreparedMutants
from kgprobe.campaign.store import Store
from kgprobe.campaign.stored_profile import profile_file
from kgprobe.config.loading import load_profile
from kgprobe.config.profile import MutationTable, Profile
from kgprobe.errors import InputError, Position

__all__ = ["StoredCampaign", "check_mutants", "opened_campaign", "profile_of"]

_OTHERS = {"given graphs": "graphs that were given", "query data": "data for a query", "questions": "questions"}


@dataclass(frozen=True)
class StoredCampaign:
    """A campaign with mutants, ready to make its cases again."""

    profile: Profile
    prepared: PreparedMutants
    sources: tuple[MutantSource, ...]
    plan: Plan


@contextmanager
def opened_campaign(store: Store, *, runs_systems: bool = False) -> Iterator[StoredCampaign]:
    """The campaign of a store. InputError if it has no mutants, or if its files are gone or have changed.

    Its systems and oracles may have changed if nothing is run: the store has their verdicts.
    """
    check_mutants(store)
    profile = profile_of(store)
    if not isinstance(profile.method, MutationTable):
        raise _changed(store, [f"{profile.path} makes no mutants any more"])
    kind = Mutants()
    with kind.prepare(profile) as prepared:
        now = dict(identity_of(profile, prepared).parts) if runs_systems else prepared.identity()
        _check_unchanged(store, now)
        if prepared.names() != [source.name for source in store.sources()]:
            raise _changed(store, ["the seed graphs are not the same any more"])
        sources = prepared.open(store)
        yield StoredCampaign(profile, prepared, tuple(sources), Plan(kind, sources, store))


def check_mutants(store: Store) -> None:
    """InputError if the cases of a store are not mutants."""
    if store.source_kind != Mutants.name:
        what = _OTHERS.get(store.source_kind, "other cases")
        hint = "name the store of a campaign with mutants: its profile has [mutation]"
        raise InputError(f"this store has {what}, not mutants of a seed graph", where=_at(store), hint=hint)


def profile_of(store: Store) -> Profile:
    """The profile that a campaign ran, with its random seed."""
    profile = load_profile(profile_file(store))
    profile = replace(profile, campaign=replace(profile.campaign, store=store.path))
    seed = store.value("seed")
    if seed is not None and isinstance(profile.method, MutationTable):
        with store.reading():
            profile = replace(profile, method=replace(profile.method, seed=int(seed)))
    return profile


def _check_unchanged(store: Store, now: dict[str, str]) -> None:
    before = store.identity
    changed = [part for part, digest in now.items() if before.get(part) != digest]
    if changed:
        raise _changed(store, [f"{', '.join(changed[:3])} changed since"])


def _changed(store: Store, words: list[str]) -> InputError:
    message = f"holds the results of another campaign: {', '.join(words)}"
    return InputError(message, where=_at(store), hint="undo the change, or run the campaign again with --fresh")


def _at(store: Store) -> Position:
    return Position(str(store.path))
