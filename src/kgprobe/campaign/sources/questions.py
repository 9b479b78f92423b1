"""Questions whose answers follow from each other, as the cases of a campaign: made from facts, or given in a file.

All of them are one source. The recipe of a case is the whole case as JSON, so that reports, exports and `--case` need
the store alone, whatever becomes of the facts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from kgprobe.campaign.executor import Executor, Resource, Task, WholeInput
from kgprobe.campaign.identity import digest_of_file, digest_of_settings, digests_of_files
from kgprobe.campaign.source import Counts, Drawn, Json
from kgprobe.campaign.sources import QUESTIONS
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_file import expect
from kgprobe.campaign.store_reading import Planned
from kgprobe.config.preparation import NO_LIMITS, Limits
from kgprobe.config.profile import Profile
from kgprobe.config.questions import QuestionsTable, settings_of
from kgprobe.errors import InputError
from kgprobe.model import Case, Dialogue, Inference, Input, Observation, Prompt, Status, Verdict
from kgprobe.oracles.inference import InferenceOracle
from kgprobe.oracles.protocol import Observed, judged, needed
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.questions.cases import Question, QuestionCase, case_of_value, open_cases, value_of
from kgprobe.questions.settings import SettingsError
from kgprobe.rdf.graph import Graph
from kgprobe.wording import number_of

if TYPE_CHECKING:
    from kgprobe.questions.facts.loading import Progress
    from kgprobe.questions.generation.texts import Generated

__all__ = ["Cases", "JudgedCase", "ask_all", "cases_of", "generated_from"]

_BATCH = 500
_LARGE = 16 << 20  # bytes of facts


# -- the cases of a profile, in their order ----------------------------------------------------------------------------


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


# -- asking a function all of them, without a campaign -----------------------------------------------------------------


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


# -- the source of a campaign ------------------------------------------------------------------------------------------


class QuestionSource:
    """The cases, in their order. Its state is how many of them were drawn."""

    def __init__(self, name: str, cases: Cases, store: Store | None) -> None:
        self.name = name
        self._cases = cases
        self._store = store
        self._drawn = 0
        self._coming: Iterator[QuestionCase] | None = None
        self._is_exhausted = False
        if store is not None:
            with store.reading():
                [stored] = store.sources()
                self._drawn = _drawn_in(stored.state)

    @property
    def total(self) -> int:
        """The number of cases."""
        return self._cases.total

    @property
    def drawn(self) -> int:
        """The number of cases so far."""
        return self._drawn

    @property
    def is_over(self) -> bool:
        """Whether all cases were drawn."""
        return self._is_exhausted or self._drawn >= self.total

    @property
    def seed_graph(self) -> Graph | None:
        """None: cases are not graphs."""
        return None

    def compared_with(self, _planned: Planned) -> None:
        """None: cases are not graphs."""
        return

    def state(self) -> Json:
        """The number of cases so far."""
        return self._drawn

    def counts(self) -> Counts:
        """Each case that was made is one."""
        return Counts(self._drawn, self._drawn)

    def notes(self) -> list[str]:
        """None: questions need no explanation."""
        return []

    def resources(self) -> Sequence[Resource]:
        """None: a case is sent whole."""
        return ()

    def further(self, count: int) -> list[Drawn]:
        """The next cases."""
        if self._coming is None:
            self._coming = self._cases.starting_at(self._drawn)
        found = []
        for case in islice(self._coming, count):
            self._drawn += 1
            found.append(_drawn(self._drawn, case))
        self._is_exhausted = len(found) < count
        return found

    def remake(self, planned: Planned) -> Drawn:
        """A case that was drawn before, from its recipe."""
        assert self._store is not None  # noqa: S101 - without a store, nothing was planned
        with self._store.reading():
            return _drawn(planned.number, case_of_value(planned.recipe))

    def task(self, ticket: int, name: str, input_: Input, _origin: str | None = None) -> Task:
        """A case, or a part of one, as a task."""
        if not isinstance(input_, Inference):
            raise InputError(f"a {input_.kind} is not a question", hint="ask a case of the store: --case N")
        return Task(ticket, name, WholeInput(input_))

    def limits(self, _planned: Planned) -> Limits:
        """None: they are for graphs."""
        return NO_LIMITS


def _drawn(index: int, case: QuestionCase) -> Drawn:
    recipe = value_of(case)
    return Drawn(index, case.input, recipe, lambda: recipe)


def _drawn_in(state: Json) -> int:
    return 0 if state is None else expect(int, state)


class PreparedQuestions:
    """The cases that a profile asks for."""

    def __init__(self, profile: Profile, cases: Cases) -> None:
        self._profile = profile
        self._cases = cases
        self.notes = cases.notes

    def names(self) -> list[str]:
        """The name of the only source: that of the first file."""
        table = self._profile.questions
        return [Path(str(table.cases or table.facts[0])).name or "questions"]

    def identity(self) -> dict[str, str]:
        """The settings, and the files that they name."""
        return dict(_identity(self._profile.questions, self._profile.folder))

    def about(self) -> Json:
        """What became of the facts: how many cases each rule has, and what was dropped."""
        return dict(self._cases.about)

    def open(self, store: Store | None) -> list[QuestionSource]:
        """One source for all cases."""
        [name] = self.names()
        return [QuestionSource(name, self._cases, store)]

    def begin(self, _store: Store, _executor: Executor, _known: KnownBugs, _seconds: float | None) -> Iterator[str]:
        """Nothing has to run before the first case."""
        return iter(())


def _identity(table: QuestionsTable, folder: Path) -> Iterator[tuple[str, str]]:
    """Digests of everything that the cases and their verdicts depend on."""
    yield "[questions]", digest_of_settings(replace(table, facts=(), cases=None), folder)
    if table.cases is not None:
        yield "the cases", digest_of_file(table.cases)
    for source in table.facts:
        if isinstance(source, str):
            yield source, "an endpoint"
        else:
            yield from digests_of_files(_files(source), folder).items()
    for rule in table.rules:
        if (folder / rule).is_file():
            yield rule, digest_of_file(folder / rule)


def _are_large(table: QuestionsTable) -> bool:
    """Whether loading the facts takes so long that they are kept in a file for the next time."""
    paths = [source for source in table.facts if isinstance(source, Path)]
    size = sum(file.stat().st_size for source in paths for file in _files(source))
    return size > _LARGE or len(paths) < len(table.facts)


def _files(source: Path) -> list[Path]:
    return sorted(file for file in source.rglob("*") if file.is_file()) if source.is_dir() else [source]


class Questions:
    """Questions as a kind of source."""

    name = QUESTIONS
    thing = "source of facts"
    nothing = "there is no case"

    @contextmanager
    def prepare(self, profile: Profile, on_progress: Callable[[str], object] = str) -> Iterator[PreparedQuestions]:
        """Make the cases, or check the file that has them."""
        facts_file = profile.campaign.facts if _are_large(profile.questions) else None
        with cases_of(profile, facts_file=facts_file, on_progress=on_progress) as cases:
            yield PreparedQuestions(profile, cases)

    def state_to_run_again(self, state: Json) -> Json:
        """The same: nothing runs before the cases."""
        return state

    def case_name(self, source: str, recipe: Json) -> str:
        """The source, and the id of the case."""
        return f"{source}#{expect(str, recipe['id'])}"

    def origin(self, _source: str, _recipe: Json) -> str:
        """None: a case is not compared with another."""
        return ""

    def state_counts(self, _source: str, state: Json) -> Counts:
        """The number of cases so far."""
        drawn = _drawn_in(state)
        return Counts(drawn, drawn)

    def count_lines(self, _counts: Counts) -> Iterator[tuple[str, str]]:
        """Nothing that the report does not say otherwise."""
        return iter(())

    def count_values(self, _counts: Counts) -> dict[str, Any]:
        """Nothing that the report does not say otherwise."""
        return {}

    def story(self, _source: str, name: str, recipe: Json, _about: Json) -> Iterator[str]:
        """The facts, the rule, and all questions with their contexts and expected answers."""
        case = case_of_value(recipe)
        relations = ", ".join(case.relations)
        yield f"Where {name} comes from"
        yield f"  rule: {case.rule}" + (f", for {relations}" if relations else "")
        if case.is_mined:
            yield "  the rule relies on a trait that was found in the data, not stated"
        if case.facts:
            yield "  facts:"
            yield from (f"    {_one_line(' '.join(map(_term, fact)))} ." for fact in case.facts)
        for number, premise in enumerate(case.antecedents, start=1):
            yield from _question_lines(f"premise {number}", premise)
        for question in case.consequences:
            yield from _question_lines(f"{question.kind or 'basic'} conclusion", question)


def _question_lines(label: str, question: Question) -> Iterator[str]:
    yield f"  {label}: {_one_line(question.text)}"
    if question.context:
        yield f"    context: {_one_line(question.context)}"
    expected = question.expected if question.form == "yes-no" else " or ".join(question.right)
    why = f", because {_one_line(question.why)}" if question.why else ""
    yield f"    expected: {_one_line(expected)}{why}"


def _term(text: str) -> str:
    return text if text.startswith(('"', "_:", "<")) else f"<{text}>"


def _one_line(text: str) -> str:
    """A text with its line ends escaped: labels may contain any."""
    return text if text.isprintable() else json.dumps(text, ensure_ascii=False)[1:-1]
