"""Questions made from the facts that a profile names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from kgprobe.config.profile import Profile
from kgprobe.config.questions import settings_of
from kgprobe.errors import InputError
from kgprobe.questions.settings import SettingsError

if TYPE_CHECKING:
    from kgprobe.questions.facts.loading import Progress
    from kgprobe.questions.generation.texts import Generated

__all__ = ["generated_from"]


@contextmanager
def generated_from(
    profile: Profile,
    *,
    facts_file: Path | None = None,
    engine: str = "duckdb",
    on_progress: Callable[[Progress], None] | None = None,
) -> Iterator[Generated]:
    """Cases made from the facts of a profile. Wrong settings are an InputError with their place in the profile."""
    # Loading DuckDB takes time, and a file of cases does not need it.
    from kgprobe.questions.generation.steps import generate

    table = profile.questions
    if not table.facts:
        hint = 'name the facts that cases are made from: facts = ["cities.ttl"]'
        raise InputError("[questions] has no 'facts'", where=profile.places.key(("questions",)), hint=hint)
    settings = settings_of(table, profile.folder)
    try:
        generated = generate(table.facts, settings, facts_file=facts_file, engine=engine, on_progress=on_progress)
    except SettingsError as error:
        raise _placed(error, profile) from None
    with generated:
        yield generated


def _placed(error: SettingsError, profile: Profile) -> InputError:
    """The error with its place in the profile; in an array, that of the element that the message names."""
    path: tuple[str | int, ...] = ("questions", *error.path)
    elements: object = getattr(profile.questions, error.path[0], None) if len(error.path) == 1 else None
    if isinstance(elements, tuple):
        named = (number for number, each in enumerate(elements) if f"'{each}'" in error.message)
        path = (*path, *islice(named, 1))
    return InputError(error.message, where=error.where or profile.places.value(path), hint=error.hint)
