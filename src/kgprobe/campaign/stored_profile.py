"""The profile that a campaign ran, as its store names it: found from any folder, and where both were moved together."""

from __future__ import annotations

from pathlib import Path

from kgprobe.campaign.store import Store
from kgprobe.campaign.store_reading import StoreReader
from kgprobe.config.toml import relative
from kgprobe.errors import InputError, Position

__all__ = ["profile_file", "remember_profile", "shown_profile"]


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
