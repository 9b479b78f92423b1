"""Finds the kind of source that a profile, or a store, is about."""

from __future__ import annotations

from kgprobe.campaign.source import SourceKind
from kgprobe.campaign.sources.mutants import Mutants
from kgprobe.campaign.store import Store
from kgprobe.config.profile import Profile

__all__ = ["kind_for", "kind_in"]

_MUTANTS = Mutants()
_KINDS: dict[str, SourceKind] = {kind.name: kind for kind in (_MUTANTS,)}


def kind_for(_profile: Profile) -> SourceKind:
    """The kind that a profile asks for."""
    return _MUTANTS


def kind_in(store: Store) -> SourceKind:
    """The kind whose cases a store holds. InputError if this is not a kind that we know."""
    name = store.source_kind
    if name not in _KINDS:
        raise store.damaged(f"it holds cases from an unknown source, {name!r:.60}")
    return _KINDS[name]
