"""The cases that a profile with [questions] asks for: made from its facts, or read from a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from kgprobe.config.profile import Profile
from kgprobe.config.questions import settings_of
from kgprobe.errors import InputError
from kgprobe.questions.case_files import open_cases
from kgprobe.questions.cases import QuestionCase
from kgprobe.questions.settings import SettingsError
from kgprobe.wording import number_of

if TYPE_CHECKING:
    from kgprobe.questions.facts.loading import Progress
    from kgprobe.questions.generation.generated import Generated

__all__ = ["Cases", "cases_of", "generated_from"]

_BATCH = 500


class Cases(Protocol):
    """Cases in their order. `about` has counts for reports, and `notes` are for the user."""

    @property
    def total(self) -> int: ...

    @property
    def about(self) -> Mapping[str, Any]: ...

    @property
    def notes(self) -> Sequence[str]: ...

    def starting_at(self, number: int) -> Iterator[QuestionCase]:
        """The cases from this one on, counted from 0."""
        ...


@contextmanager
def cases_of(
    profile: Profile, *, facts_file: Path | None = None, on_progress: Callable[[str], object] = str
) -> Iterator[Cases]:
    """The cases of a profile. With `facts_file`, the facts are kept there for the next time."""
    table = profile.questions
    if table.cases is not None:
        yield open_cases(table.cases)
        return

    def show(progress: Progress) -> None:
        loaded = f"{progress.loaded} of {progress.sources} sources, {number_of(progress.triples, 'triple')}"
        on_progress(f"{progress.step}: {loaded}")

    with generated_from(profile, facts_file=facts_file, on_progress=show) as generated:
        yield _Made(generated)


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
    from kgprobe.questions.generation.generating import generate

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


@dataclass(frozen=True)
class _Made:
    """Cases made from facts. Rules take turns, so that a campaign that ends early has tried all of them."""

    generated: Generated

    @property
    def total(self) -> int:
        return len(self.generated.cases)

    @property
    def notes(self) -> Sequence[str]:
        return self.generated.notes

    @property
    def about(self) -> Mapping[str, Any]:
        made = self.generated
        return {"by_rule": dict(made.by_rule), "dropped": dict(made.dropped), "empty": dict(made.empty)}

    def starting_at(self, number: int) -> Iterator[QuestionCase]:
        sizes = self.generated.sizes
        blocks = [self._block(block, first) for block, first in enumerate(_firsts(sizes, number))]
        for block in _turns(sizes, number):
            yield next(blocks[block])

    def _block(self, block: int, first: int) -> Iterator[QuestionCase]:
        """The cases of a block from the `first` on, read in batches."""
        for start in range(first, self.generated.sizes[block], _BATCH):
            yield from self.generated.some(block, start, start + _BATCH)


def _turns(sizes: Sequence[int], number: int = 0) -> Iterator[int]:
    """Blocks of these sizes take turns, until each is used up. Starts with turn `number`."""
    before = 0
    for level, following in zip([0, *sorted(set(sizes))], sorted(set(sizes)), strict=False):
        active = [block for block, size in enumerate(sizes) if size > level]
        turns = (following - level) * len(active)
        skipped = min(turns, max(0, number - before))
        before += turns
        for turn in range(skipped, turns):
            yield active[turn % len(active)]


def _firsts(sizes: Sequence[int], number: int) -> list[int]:
    """How many cases of each block came before turn `number`."""
    left, level = number, 0
    while left > 0 and any(size > level for size in sizes):
        active = [block for block, size in enumerate(sizes) if size > level]
        following = min(sizes[block] for block in active)
        rounds = min(following - level, left // len(active))
        if rounds == following - level:
            left -= rounds * len(active)
            level = following
            continue
        started = set(active[: left - rounds * len(active)])
        return [min(size, level + rounds + (block in started)) for block, size in enumerate(sizes)]
    return [min(size, level) for size in sizes]
