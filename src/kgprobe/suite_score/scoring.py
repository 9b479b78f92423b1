"""Scores a suite: makes the mutants, judges them in batches, and adds up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import StrEnum
from os import PathLike
from pathlib import Path
from typing import Protocol, TypeAlias

from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError
from kgprobe.formats.catalogue import FORMATS, by_extension
from kgprobe.formats.files import load
from kgprobe.masks.mask import DEFAULT_SECONDS
from kgprobe.mutation.catalogue import resolve_operators
from kgprobe.mutation.operator import Operator
from kgprobe.rdf.canonical import fingerprint
from kgprobe.rdf.graph import Graph
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.vocabulary import Vocabulary
from kgprobe.selection.tests import Suite
from kgprobe.suite_score.judging import Judge, Setting
from kgprobe.suite_score.model import Change, Fate, Judged, LeftOut, Outcome, Score, Selecting, Survivor, TestScore
from kgprobe.suite_score.mutants import axiom_changes, operator_changes
from kgprobe.suite_score.selecting import Order
from kgprobe.suite_score.store import ScoreStore, digest
from kgprobe.suite_score.tests import Command
from kgprobe.suite_score.workers import Task, Workers

__all__ = ["Asked", "score", "scored"]

# What was learned about tests is used from the next batch on, so that the number of workers makes no difference.
_BATCH = 64
_MOST_NAMED = 5
Progress: TypeAlias = Callable[[int, int], None]
_COMMAND_SECONDS = 600.0


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What to score, and how. Without operators, each axiom is taken out once, and all kills are found."""

    graph: Graph
    suite: Suite
    shapes: tuple[Path, ...] = ()
    run: str | None = None
    seconds: float | None = None  # for each run of a test; None stands for the defaults, and infinity for no limit
    file_name: str = "graph.ttl"  # the name of the original
    annotations: bool = False
    operators: tuple[str | Operator, ...] = ()
    count: int = 100
    seed: int = 0
    regime: Regime = Regime.NONE
    reasoner: str | None = None
    selecting: Selecting = Selecting.AUTO
    all_kills: bool = False
    skip_failing: bool = False
    store: Path | None = None
    workers: int = 1


def score(
    ontology: Graph | str | PathLike[str],
    tests: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    *,
    shapes: Iterable[str | PathLike[str]] = (),
    run: str | None = None,
    seconds: float | None = None,
    annotations: bool = False,
    operators: str | Iterable[str | Operator] = (),
    count: int = 100,
    seed: int = 0,
    regime: str = "none",
    reasoner: str | None = None,
    select: str = "auto",
    all_kills: bool = False,
    skip_failing: bool = False,
    store: str | PathLike[str] | None = None,
    workers: int = 1,
) -> Score:
    """How many mutants of an ontology the tests in these files and folders notice.

    Without `operators`, each logical axiom is taken out once. The arguments are the options of `kgprobe score`;
    `seconds` is `--time-limit`. With `math.inf` there is none, and without workers, no process is started for queries.
    InputError if a test fails on the ontology itself, unless `skip_failing`.
    """
    graph = ontology if isinstance(ontology, Graph) else load(Path(ontology)).graph
    places = [tests] if isinstance(tests, str | PathLike) else list(tests)
    suite = find_tests(list(map(Path, places)), Vocabulary.of(graph, graph)) if places else Suite(())
    asked = Asked(
        graph=graph,
        suite=suite,
        shapes=tuple(map(Path, shapes)),
        run=run,
        seconds=seconds,
        file_name="graph.ttl" if isinstance(ontology, Graph) else Path(ontology).name,
        annotations=annotations,
        operators=(operators,) if isinstance(operators, str) else tuple(operators),
        count=count,
        seed=seed,
        regime=Regime(_one_of(regime, Regime, "regime")),
        reasoner=reasoner,
        selecting=Selecting(_one_of(select, Selecting, "way to select tests")),
        all_kills=all_kills,
        skip_failing=skip_failing,
        store=None if store is None else Path(store),
        workers=workers,
    )
    found = scored(asked)
    return replace(found, notes=(*suite.notes, *found.notes))


def _one_of(value: str, valid: type[StrEnum], what: str) -> str:
    if value not in list(valid):
        raise InputError(f"there is no {what} '{value}'", hint=f"valid are {', '.join(valid)}")
    return value


def scored(asked: Asked, on_progress: Progress = lambda _done, _total: None) -> Score:
    """Score a suite. InputError if it has no test that can be run, or tests that fail on the original."""
    if not len(asked.graph):
        raise InputError("the ontology is empty: it has no triples", hint="name a file with triples")
    setting, notes = _setting(asked)
    with ExitStack() as resources:
        judge = resources.enter_context(Judge(setting))
        notes += judge.notes
        _check_runnable(judge)
        store = None
        if asked.store is not None:
            store = resources.enter_context(ScoreStore.open(asked.store, _identity(asked, setting)))
        judges = _judges(judge, setting, asked.workers, resources)
        known = None if store is None else store.failures()
        failing = judges.failures() if known is None else known
        names = _passing(judge, failing, skip=asked.skip_failing)
        if setting.reasoner is not None and judge.is_consistent(asked.graph) is False:
            hint = "make it consistent first, or leave out --reasoner"
            raise InputError("the ontology itself is inconsistent, so --reasoner would kill every mutant", hint=hint)
        if store is not None:
            store.add_failures(failing)
        changes, more = _changes(asked)
        judge.keep(names)
        judges.learn(names)
        done = _judged(changes, judges, Order(judge.tests), store, on_progress)
    skipped = [replace(each, why=f"fails on the original: {each.why}") for each in failing]
    left_out = sorted((*judge.left_out, *skipped), key=lambda each: each.test)
    return _added_up(changes, done, names, left_out, (*notes, *more), is_complete=setting.all_kills)


def _setting(asked: Asked) -> tuple[Setting, list[str]]:
    given = asked.seconds
    if given is not None and not given > 0:
        raise InputError(f"a time limit of {given:g} s leaves no time", hint="more than 0")
    command = None if asked.run is None else Command.read(asked.run, _COMMAND_SECONDS if given is None else given)
    notes = []
    name = Path(asked.file_name).name.removesuffix(".gz")
    format_ = by_extension(name)
    if format_ is None or not format_.writes_any_graph:
        if command is not None:
            notes.append(
                f"--run gets mutants in Turtle: kgprobe does not write {format_.title if format_ else 'these'}"
            )
        name, format_ = f"{Path(name).stem or 'graph'}.ttl", FORMATS["turtle"]
    setting = Setting(
        asked.graph,
        asked.suite,
        tuple({path.resolve(): path for path in asked.shapes}.values()),
        command,
        DEFAULT_SECONDS if given is None else given,
        name,
        format_.name,
        asked.regime,
        asked.reasoner,
        asked.selecting,
        asked.all_kills or not asked.operators,
        not asked.operators,
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
    names = {each.test for each in failing}
    if failing and not skip:
        shown = ", ".join(each.test for each in failing[:_MOST_NAMED])
        more = f" and {len(failing) - _MOST_NAMED} more" if len(failing) > _MOST_NAMED else ""
        many = "1 test fails" if len(failing) == 1 else f"{len(failing)} tests fail"
        why = failing[0].why if len(failing) == 1 else f"the first because: {failing[0].why}"
        raise InputError(f"{many} on the original: {shown}{more}: {why}", hint="repair them, or --skip-failing")
    passing = [each.test.name for each in judge.tests if each.test.name not in names]
    if not passing:
        raise InputError("all tests fail on the original", hint="a score needs tests that pass on it")
    return passing


def _changes(asked: Asked) -> tuple[list[Change], list[str]]:
    if not asked.operators:
        changes = axiom_changes(asked.graph, annotations=asked.annotations)
        return changes, [] if changes else ["there are no mutants: the ontology has no logical axioms"]
    changes = operator_changes(asked.graph, _operators(asked), asked.count, asked.seed)
    if len(changes) == asked.count:
        return changes, []
    return changes, [f"only {len(changes)} different mutants were found, not {asked.count}"]


def _identity(asked: Asked, setting: Setting) -> dict[str, str]:
    """Digests of what the results depend on."""
    files = dict.fromkeys(
        file
        for test in asked.suite.tests
        for file in (test.file, test.expected, *test.parts)
        if file is not None and file.is_file()
    )
    texts = [part for file in sorted(files) for part in (str(file), file.read_bytes())]
    operators = [part for each in _operators(asked) for part in (each.description.name, str(each.source))]
    return {
        "the ontology": digest(str(fingerprint(asked.graph))),
        "the tests": digest(*(test.name for test in asked.suite.tests), *texts),
        "--shapes": digest(*(part for path in asked.shapes for part in (str(path), path.read_bytes()))),
        "--run": asked.run or "",
        "--annotations": str(asked.annotations),
        "--operators": digest(*operators) if operators else "",
        "--count": str(asked.count) if operators else "",
        "--seed": str(asked.seed) if operators else "",
        "--regime": asked.regime.value,
        "--reasoner": asked.reasoner or "",
        "--select": asked.selecting.value,
        "--all-kills": str(asked.all_kills),
        "--time-limit": f"{setting.seconds:g} {setting.command.seconds if setting.command else 0:g}",
    }


def _operators(asked: Asked) -> list[Operator]:
    names = [each for each in asked.operators if isinstance(each, str)]
    return [*resolve_operators(names, Path()), *(each for each in asked.operators if not isinstance(each, str))]


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
    fates = Counter(each.fate for each in done)
    kills = Counter(number for each in done for number in each.killers)
    runs: Counter[int] = Counter(number for each in done if each.ran is not None for number in each.ran)
    whole = sum(each.ran is None for each in done)
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
        executions_without_selection=sum(each.without for each in done),
        is_complete=is_complete,
        inconsistent=sum(each.fate is Fate.KILLED and not each.killers for each in done),
        left_out=tuple(left_out),
        reasons=tuple(Counter(each.why for each in done if each.fate is Fate.UNDECIDED).most_common()),
        notes=tuple(notes),
        outcomes=tuple(
            Outcome(found.fate, words[0], words[1], tuple(names[number] for number in found.killers), found.why)
            for words, found in zip(described, done, strict=True)
        ),
    )
