"""The questions of a profile in their order, and asking a function all of them, without a campaign."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from kgprobe.config.profile import Profile
from kgprobe.config.question_cases import generated_from
from kgprobe.errors import InputError
from kgprobe.model import Case, Dialogue, Input, Observation, Prompt, Status, Verdict
from kgprobe.oracles.inference import InferenceOracle
from kgprobe.oracles.protocol import Observed, judged, needed
from kgprobe.questions.case_files import open_cases
from kgprobe.questions.cases import QuestionCase
from kgprobe.wording import number_of

if TYPE_CHECKING:
    from kgprobe.questions.facts.loading import Progress
    from kgprobe.questions.generation.texts import Generated

__all__ = ["Cases", "JudgedCase", "ask_all", "cases_of"]

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


@dataclass(frozen=True)
class JudgedCase:
    """A case, and the verdict on the answers of the function."""

    case: QuestionCase
    verdict: Verdict


def ask_all(
    cases: Iterable[QuestionCase], answer: Callable[[Prompt], str], oracle: InferenceOracle, name: str
) -> Iterator[JudgedCase]:
    """Ask a function all questions of these cases, each question once. Its errors are not caught."""
    known: dict[str, Observation] = {}

    def ask(given: Input) -> Observation:
        if not isinstance(given, Dialogue):
            raise InputError(f"a {given.kind} is not a question")
        key = given.digest()
        if key not in known:
            known[key] = Observation(name, Status.FINISHED, stdout=answer(given.prompts[0]))
        return known[key]

    for each in cases:
        case = Case(each.id, each.input)
        observed = Observed()
        while wanted := needed([oracle], case, observed, [name]):
            for given, _ in wanted:
                observed = observed.and_on(given, [ask(given)])
        yield JudgedCase(each, judged([oracle], case, observed))
