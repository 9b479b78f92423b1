"""Scores a suite: makes the mutants, judges them in batches, and adds up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError
from kgprobe.formats.catalogue import FORMATS, by_extension
from kgprobe.formats.files import load
from kgprobe.masks.mask import DEFAULT_SECONDS
from kgprobe.mutation.catalogue import resolve_operators
from kgprobe.mutation.operator import Operator
from kgprobe.rdf.canonical import fingerprint
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, RDFS, NamedNode, Term, Triple
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.tests import Suite, Test, named_in
from kgprobe.selection.vocabulary import Vocabulary
from kgprobe.suite_score.judging import Judge, Setting
from kgprobe.suite_score.model import Change, Fate, Judged, LeftOut, Outcome, Score, Selecting, Survivor, TestScore
from kgprobe.suite_score.mutants import axiom_changes, operator_changes
from kgprobe.suite_score.store import ScoreStore, digest
from kgprobe.suite_score.tests import Command, Runnable
from kgprobe.suite_score.workers import Task, Workers

__all__ = ["ScoreJob", "Scoring", "score", "scored"]

# What was learned about tests is used from the next batch on, so that the number of workers makes no difference.
_BATCH = 64
_MOST_NAMED = 5
Progress: TypeAlias = Callable[[int, int], None]
_COMMAND_SECONDS = 600.0
_USUAL_COUNT = 100


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """How to score: the options of `kgprobe score`. Without operators, each axiom is taken out once, for all kills.

    `seconds` is the time for each run of a test; None stands for the defaults, and infinity for no limit.
    """

    shapes: tuple[Path, ...] = ()
    run: str | None = None
    seconds: float | None = None
    annotations: bool = False
    operators: tuple[str | Operator, ...] = ()
    count: int | None = None
    seed: int | None = None
    regime: Regime = Regime.NONE
    reasoner: str | None = None
    select: Selecting = Selecting.AUTO
    all_kills: bool = False
    skip_failing: bool = False
    store: Path | None = None
    workers: int = 1

    @property
    def mutants(self) -> int:
        """The number of random mutants."""
        return _USUAL_COUNT if self.count is None else self.count

    @classmethod
    def of(
        cls,
        *,
        shapes: Iterable[str | PathLike[str]] = (),
        operators: str | Iterable[str | Operator] = (),
        regime: str = "none",
        select: str = "auto",
        store: str | PathLike[str] | None = None,
        **others: Any,
    ) -> Scoring:
        """The options as people write them in Python: names and paths are texts, too."""
        return cls(
            shapes=tuple(map(Path, shapes)),
            operators=(operators,) if isinstance(operators, str) else tuple(operators),
            regime=Regime(_one_of(regime, Regime, "regime")),
            select=Selecting(_one_of(select, Selecting, "way to select tests")),
            store=None if store is None else Path(store),
            **others,
        )


@dataclass(frozen=True, kw_only=True)
class ScoreJob(Scoring):
    """What to score, and how. `file_name` is the name of the original."""

    graph: Graph
    suite: Suite
    file_name: str = "graph.ttl"

    @classmethod
    def by(cls, options: Scoring, graph: Graph, suite: Suite, file_name: str) -> ScoreJob:
        """To score a suite as the options say."""
        given = {option.name: getattr(options, option.name) for option in fields(Scoring)}
        return cls(graph=graph, suite=suite, file_name=file_name, **given)


def score(
    ontology: Graph | str | PathLike[str], tests: str | PathLike[str] | Iterable[str | PathLike[str]] = (), **how: Any
) -> Score:
    """How many mutants of an ontology the tests in these files and folders notice.

    Without `operators`, each logical axiom is taken out once. The other arguments are the options of `kgprobe score`,
    as in `Scoring.of`; `seconds` is `--time-limit`. With `math.inf` there is none, and without workers, no process is
    started for queries. InputError if a test fails on the ontology itself, unless `skip_failing`.
    """
    options = Scoring.of(**how)
    graph = ontology if isinstance(ontology, Graph) else load(Path(ontology)).graph
    places = [tests] if isinstance(tests, str | PathLike) else list(tests)
    suite = find_tests(list(map(Path, places)), Vocabulary.of(graph, graph)) if places else Suite(())
    file_name = "graph.ttl" if isinstance(ontology, Graph) else Path(ontology).name
    found = scored(ScoreJob.by(options, graph, suite, file_name))
    return replace(found, notes=(*suite.notes, *found.notes))


def _one_of(value: str, valid: type[StrEnum], what: str) -> str:
    if value not in list(valid):
        raise InputError(f"there is no {what} '{value}'", hint=f"valid are {', '.join(valid)}")
    return value


def scored(job: ScoreJob, on_progress: Progress = lambda _done, _total: None) -> Score:
    """Score a suite. InputError if it has no test that can be run, or tests that fail on the original."""
    if not len(job.graph):
        raise InputError("the ontology is empty: it has no triples", hint="name a file with triples")
    setting, notes = _setting(job)
    with ExitStack() as resources:
        judge = resources.enter_context(Judge(setting))
        notes += judge.notes
        _check_runnable(judge)
        store = None
        if job.store is not None:
            store = resources.enter_context(ScoreStore.open(job.store, _identity(job, setting)))
        judges = _judges(judge, setting, job.workers, resources)
        known = None if store is None else store.failures()
        failing = judges.failures() if known is None else known
        names = _passing(judge, failing, skip=job.skip_failing)
        if setting.reasoner is not None and judge.is_consistent(job.graph) is False:
            hint = "make it consistent first, or leave out --reasoner"
            raise InputError("the ontology itself is inconsistent, so --reasoner would kill every mutant", hint=hint)
        if store is not None:
            store.add_failures(failing)
        changes, more = _changes(job)
        judge.keep(names)
        judges.learn(names)
        done = _judged(changes, judges, Order(judge.tests), store, on_progress)
    skipped = [replace(failure, why=f"fails on the original: {failure.why}") for failure in failing]
    left_out = sorted((*judge.left_out, *skipped), key=lambda each: each.test)
    return _added_up(changes, done, names, left_out, (*notes, *more), is_complete=setting.all_kills)


def _setting(job: ScoreJob) -> tuple[Setting, list[str]]:
    given = job.seconds
    if given is not None and not given > 0:
        raise InputError(f"a time limit of {given:g} s leaves no time", hint="more than 0")
    command = None if job.run is None else Command.read(job.run, _COMMAND_SECONDS if given is None else given)
    notes = []
    name = Path(job.file_name).name.removesuffix(".gz")
    format_ = by_extension(name)
    if format_ is None or not format_.writes_any_graph:
        if command is not None:
            notes.append(
                f"--run gets mutants in Turtle: kgprobe does not write {format_.title if format_ else 'these'}"
            )
        name, format_ = f"{Path(name).stem or 'graph'}.ttl", FORMATS["turtle"]
    setting = Setting(
        job.graph,
        job.suite,
        tuple({path.resolve(): path for path in job.shapes}.values()),
        command,
        DEFAULT_SECONDS if given is None else given,
        name,
        format_.name,
        job.regime,
        job.reasoner,
        job.select,
        job.all_kills or not job.operators,
        not job.operators,
    )
    return setting, notes


def _check_runnable(judge: Judge) -> None:
    if judge.tests or judge.broken:
        return
    if judge.left_out:
        first = judge.left_out[0]
        raise InputError(
            f"none of the {len(judge.left_out)} tests can be run: {first.test}: {first.why}",
            hint='--run "COMMAND {test} {graph}" runs any test',
        )
    raise InputError("no tests were found", hint="name a folder or file with tests, or --shapes FILE")


def _passing(judge: Judge, failing: Sequence[LeftOut], *, skip: bool) -> list[str]:
    names = {failure.test for failure in failing}
    if failing and not skip:
        shown = ", ".join(failure.test for failure in failing[:_MOST_NAMED])
        more = f" and {len(failing) - _MOST_NAMED} more" if len(failing) > _MOST_NAMED else ""
        many = "1 test fails" if len(failing) == 1 else f"{len(failing)} tests fail"
        why = failing[0].why if len(failing) == 1 else f"the first because: {failing[0].why}"
        raise InputError(f"{many} on the original: {shown}{more}: {why}", hint="repair them, or --skip-failing")
    passing = [runnable.test.name for runnable in judge.tests if runnable.test.name not in names]
    if not passing:
        raise InputError("all tests fail on the original", hint="a score needs tests that pass on it")
    return passing


def _changes(job: ScoreJob) -> tuple[list[Change], list[str]]:
    if not job.operators:
        changes = axiom_changes(job.graph, annotations=job.annotations)
        return changes, [] if changes else ["there are no mutants: the ontology has no logical axioms"]
    changes = operator_changes(job.graph, _operators(job), job.mutants, job.seed or 0)
    if len(changes) == job.mutants:
        return changes, []
    return changes, [f"only {len(changes)} different mutants were found, not {job.mutants}"]


def _identity(job: ScoreJob, setting: Setting) -> dict[str, str]:
    """Digests of what the results depend on."""
    files = dict.fromkeys(
        file
        for test in setting.suite.tests
        for file in (test.file, test.expected, *test.parts)
        if file is not None and file.is_file()
    )
    texts = [part for file in sorted(files) for part in (str(file), file.read_bytes())]
    operators = [part for operator in _operators(job) for part in (operator.description.name, str(operator.source))]
    return {
        "the ontology": digest(str(fingerprint(setting.graph))),
        "the tests": digest(*(test.name for test in setting.suite.tests), *texts),
        "--shapes": digest(*(part for path in job.shapes for part in (str(path), path.read_bytes()))),
        "--run": job.run or "",
        "--annotations": str(job.annotations),
        "--operators": digest(*operators) if operators else "",
        "--count": str(job.mutants) if operators else "",
        "--seed": str(job.seed or 0) if operators else "",
        "--regime": job.regime.value,
        "--reasoner": job.reasoner or "",
        "--select": job.select.value,
        "--all-kills": str(job.all_kills),
        "--time-limit": f"{setting.seconds:g} {setting.command.seconds if setting.command else 0:g}",
    }


def _operators(job: ScoreJob) -> list[Operator]:
    names = [operator for operator in job.operators if isinstance(operator, str)]
    return [
        *resolve_operators(names, Path()),
        *(operator for operator in job.operators if not isinstance(operator, str)),
    ]


# -- the loop ----------------------------------------------------------------------------------------------------------


class _Judges(Protocol):
    """One or more judges, in this process or in others."""

    def failures(self) -> list[LeftOut]: ...

    def learn(self, names: Sequence[str]) -> None: ...

    def judged(self, tasks: Sequence[Task]) -> Iterator[tuple[Change, Judged]]: ...


class _Here:
    """A judge in this process, where nothing can be stopped."""

    def __init__(self, judge: Judge) -> None:
        self.failures = judge.failures
        self.learn = judge.learn
        self._judge = judge

    def judged(self, tasks: Sequence[Task]) -> Iterator[tuple[Change, Judged]]:
        for change, order in tasks:
            yield change, self._judge.judged(change.delta, order)


def _judges(judge: Judge, setting: Setting, count: int, resources: ExitStack) -> _Judges:
    if count == 1 and setting.seconds == math.inf:
        return _Here(judge)
    return resources.enter_context(Workers(setting, count))


def _judged(
    changes: Sequence[Change], judges: _Judges, order: Order, store: ScoreStore | None, on_progress: Progress
) -> list[Judged]:
    """What became of each mutant, in order. Known results are not computed again."""
    known = {} if store is None else store.judged()
    done: list[Judged] = []
    for start in range(0, len(changes), _BATCH):
        batch = changes[start : start + _BATCH]
        tasks = [(change, order.of(change)) for change in batch if change.number not in known]
        for number, (change, found) in enumerate(judges.judged(tasks), start + len(batch) - len(tasks) + 1):
            known[change.number] = found
            if store is not None:
                store.add(change.number, found)
            on_progress(number, len(changes))
        for change in batch:
            done.append(known.pop(change.number))
            order.note(change, done[-1].killers)
    return done


def _added_up(
    changes: Sequence[Change],
    done: Sequence[Judged],
    names: Sequence[str],
    left_out: Iterable[LeftOut],
    notes: Iterable[str],
    *,
    is_complete: bool,
) -> Score:
    fates = Counter(judged.fate for judged in done)
    kills = Counter(number for judged in done for number in judged.killers)
    runs: Counter[int] = Counter(number for judged in done if judged.ran is not None for number in judged.ran)
    whole = sum(judged.ran is None for judged in done)
    described = [change.describe() for change in changes]
    survivors = [
        Survivor(*words, found.suggestion)
        for words, found in zip(described, done, strict=True)
        if found.fate is Fate.SURVIVED
    ]
    survivors.sort(key=lambda each: (each.about, each.axiom, each.change))
    return Score(
        mutants=len(done),
        killed=fates[Fate.KILLED],
        survived=fates[Fate.SURVIVED],
        equivalent=fates[Fate.EQUIVALENT],
        undecided=fates[Fate.UNDECIDED],
        tests=tuple(TestScore(name, kills[number], runs[number] + whole) for number, name in enumerate(names)),
        survivors=tuple(survivors),
        executions=sum(runs.values()) + whole * len(names),
        executions_without_selection=sum(judged.runs_without_selection for judged in done),
        is_complete=is_complete,
        inconsistent=sum(judged.fate is Fate.KILLED and not judged.killers for judged in done),
        left_out=tuple(left_out),
        reasons=tuple(Counter(judged.why for judged in done if judged.fate is Fate.UNDECIDED).most_common()),
        notes=tuple(notes),
        outcomes=tuple(
            Outcome(found.fate, words[0], words[1], tuple(names[number] for number in found.killers), found.why)
            for words, found in zip(described, done, strict=True)
        ),
    )


# -- the order of tests ------------------------------------------------------------------------------------------------


class Order:
    """Which tests are likely to kill a mutant: those that name its terms, and those that killed others of its kind.

    The order does not depend on which tests were left out by selection, because these kill nothing. So the first test
    that kills is the same with and without selection, and the runs without selection can be counted.
    """

    def __init__(self, tests: Sequence[Runnable]) -> None:
        self._count = len(tests)
        self._names = [runnable.test.name for runnable in tests]
        self._using: dict[Term, list[int]] = {}
        for number, runnable in enumerate(tests):
            for term in sorted(_terms(runnable.test), key=str):
                self._using.setdefault(term, []).append(number)
        self._kills: Counter[tuple[str, int]] = Counter()

    def note(self, change: Change, killers: Iterable[int]) -> None:
        """Learn which tests killed a mutant."""
        for number in killers:
            self._kills[change.group, number] += 1

    def of(self, change: Change) -> tuple[int, ...]:
        """All tests by their numbers, the most likely killers first."""
        shared: Counter[int] = Counter()
        for term in _changed_terms(change):
            shared.update(self._using.get(term, ()))

        def rank(number: int) -> tuple[int, str]:
            return -(1 + shared[number]) * (1 + self._kills[change.group, number]), self._names[number]

        return tuple(sorted(range(self._count), key=rank))


def _terms(test: Test) -> set[Term]:
    found: set[Term] = {mention.term for mention in test.mentions}
    for use in (*test.uses, *test.terms):
        found.update(named_in(use))
    return found - {RDF.type, RDFS.subClassOf}


def _changed_terms(change: Change) -> set[Term]:
    triples: Iterable[Triple] = (*change.delta.removed, *change.delta.added)
    return {
        term
        for triple in triples
        for term in (triple.subject, triple.predicate, triple.object)
        if type(term) is NamedNode
    }
