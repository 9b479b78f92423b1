"""Checks that selection is safe, by running tests on two versions of a graph.

The versions are a graph and changes of it, such as mutants. A test that gives a different answer on the new version
but was not selected is a miss. The same check applies to the paper's algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from kgprobe.entailment.closure import EntailedChange, entailed_change, stated_difference
from kgprobe.entailment.rules import Regime, UndecidedError
from kgprobe.errors import InputError, one_line
from kgprobe.processes.child import Ended, Setup, run
from kgprobe.processes.guard import Guards
from kgprobe.processes.limits import Limits
from kgprobe.rdf.diff import Versions
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.reasoners.protocol import Reasoner
from kgprobe.selection.impact import select
from kgprobe.selection.order import rank_of
from kgprobe.selection.plan import broken_reasons, ordered
from kgprobe.selection.tests import Suite, Test
from kgprobe.sparql.engine.exact_store import GraphStore, UnansweredError, known_answer_of
from kgprobe.sparql.engine.results import ComparableAnswer, is_determined

__all__ = ["Audit", "RealAudit", "audit", "audit_by_running"]

Selector = Callable[[Graph], frozenset[str]]


@dataclass(frozen=True, slots=True)
class Miss:
    """A test that was not selected although a change altered its answer."""

    change: int
    test: str
    mode: str


@dataclass
class ModeResult:
    """The results of one selection mode: the numbers of changes and of selected tests, and the misses."""

    changes: int = 0
    altered: int = 0
    selected: int = 0
    misses: list[Miss] = field(default_factory=list)

    def count(self, change: int, mode: str, chosen: frozenset[str], altered: list[str]) -> None:
        """Record the tests that were selected for a change, and those whose answers it altered."""
        self.changes += 1
        self.altered += len(altered)
        self.selected += len(chosen)
        self.misses += [Miss(change, name, mode) for name in altered if name not in chosen]


@dataclass
class Audit:
    """The result of an audit. `altered` counts the pairs of a change and a test whose answer it altered."""

    regime: Regime
    tests: int
    left_out: int  # tests that are not queries, or whose answers depend on more than the graph
    # Tests that passed a limit of time or memory. They did not run again, since they would pass it again.
    unanswered: list[str] = field(default_factory=list)
    changes: int = 0
    runs: int = 0
    undecided: int = 0  # changes whose entailments could not be decided
    why_undecided: UndecidedError | None = None  # for the first of them
    altered: int = 0
    modes: dict[str, ModeResult] = field(default_factory=dict)
    orders: list[float] = field(default_factory=list)  # for each change, see `placed_first`

    @property
    def order(self) -> float | None:
        """How good the order of the selected tests is on average: 1 is best, and 0.5 is chance."""
        return sum(self.orders) / len(self.orders) if self.orders else None


def audit(
    graph: Graph,
    suite: Suite,
    changes: Iterable[Delta],
    regime: Regime,
    *,
    others: Mapping[str, Selector] | None = None,
    reasoner: Reasoner | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> Audit:
    """Run every test that is a query on the graph and on each change of it. `others` are other selection modes."""
    tests = tuple(test for test in suite.tests if _can_be_run(test))
    found = Audit(regime, len(tests), len(suite.tests) - len(tests))
    found.modes = {name: ModeResult() for name in (_OURS, *(others or {}))}
    runnable = Suite(tests)
    for number, delta in enumerate(changes):
        new = graph.copy()
        new.apply(delta)
        try:
            change = entailed_change(graph, new, regime, reasoner)
        except UndecidedError as error:
            found.undecided += 1
            found.why_undecided = found.why_undecided or error
            continue
        altered = _altered(tests, change.old, change.new, found)
        found.changes += 1
        found.altered += len(altered)
        chosen = _in_order(runnable, regime, change, Versions(graph, new, *stated_difference(graph, new)))
        found.modes[_OURS].count(number, _OURS, frozenset(chosen), altered)
        order = placed_first(chosen, altered)
        found.orders += [] if order is None else [order]
        for mode, selector in (others or {}).items():
            with suppress(UndecidedError):  # this mode needs an entailment that no reasoner can decide
                found.modes[mode].count(number, mode, selector(new), altered)
        on_progress(found.changes)
    return found


_OURS = "safe"


def _in_order(suite: Suite, regime: Regime, change: EntailedChange, versions: Versions) -> list[str]:
    """The names of the tests that selection chooses, in their order."""
    found = select(suite, regime, lambda _: change)
    broken = broken_reasons(versions, [selected.test for selected in found.selected])
    ranks = {selected.test.name: rank_of(selected, found.impacts[selected.regime]) for selected in found.selected}
    return [selected.test.name for selected in ordered(found.selected, ranks=ranks, broken=broken)]


def _can_be_run(test: Test) -> bool:
    return bool(test.queries) and all(map(is_determined, test.queries))


def _altered(tests: Sequence[Test], old: Graph, new: Graph, found: Audit) -> list[str]:
    """The tests whose answers differ on the new graph."""
    before = _answers(tests, old, found)
    after = _answers(tests, new, found)
    found.runs += len(after)
    return [name for name, answer in after.items() if before[name] != answer]


def _answers(tests: Iterable[Test], graph: Graph, found: Audit) -> dict[str, list[ComparableAnswer]]:
    """The answers of those tests that have not passed a limit."""
    store = GraphStore(graph)
    answers = {}
    for test in tests:
        if test.name not in found.unanswered:
            try:
                answers[test.name] = [known_answer_of(query, store) for query in test.queries]
            except UnansweredError:
                found.unanswered.append(test.name)
    return answers


def placed_first(order: Sequence[str], altered: Collection[str]) -> float | None:
    """The share of pairs of an altered test and another in which the altered test comes first; None without pairs.

    One half is chance, and one is the best order.
    """
    before = first = pairs = 0  # `before` is the number of altered tests so far
    for name in order:
        if name in altered:
            before += 1
        else:
            first += before
            pairs += 1
    return first / (before * pairs) if before and pairs else None


# -- checks that selection is safe by running the tests themselves, on both versions -----------------------------------


_MOST_OUTPUT = 64 << 20
_MOST_SHOWN = 200

Command = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Returned:
    """What two runs of a test on one version returned: None for a part that differed between them.

    Without `is_over`, a run exceeded the time limit or wrote too much, so that its result is unknown.
    """

    code: int | None
    output: bytes | None  # a digest
    errors: bytes | None  # a digest
    shown: str
    is_over: bool = True

    @property
    def is_stable(self) -> bool:
        return self.is_over and self.code is not None and self.output is not None

    def differs(self, other: Returned) -> bool:
        """Whether a part that is the same in both runs on each version is not the same on the other version."""
        if not (self.is_over and other.is_over):
            return False
        parts = zip((self.code, self.output, self.errors), (other.code, other.output, other.errors), strict=True)
        return any(None not in pair and pair[0] != pair[1] for pair in parts)


@dataclass(frozen=True, slots=True)
class Result:
    """What a test returned on both versions."""

    old: Returned
    new: Returned

    @property
    def is_altered(self) -> bool:
        return self.old.differs(self.new)

    @property
    def is_unstable(self) -> bool:
        return not self.is_altered and not (self.old.is_stable and self.new.is_stable)


@dataclass(frozen=True)
class RealAudit:
    """The results of all tests, by their names, and the names of those that were selected."""

    results: dict[str, Result]
    selected: tuple[str, ...]

    @property
    def altered(self) -> tuple[str, ...]:
        return tuple(name for name, result in self.results.items() if result.is_altered)

    @property
    def missed(self) -> tuple[str, ...]:
        """The tests whose results changed, but which were not selected."""
        return tuple(name for name in self.altered if name not in set(self.selected))

    @property
    def unneeded(self) -> tuple[str, ...]:
        """The selected tests whose results are the same."""
        kept = {*self.altered, *self.unstable}
        return tuple(name for name in self.selected if name not in kept)

    @property
    def unstable(self) -> tuple[str, ...]:
        return tuple(name for name, result in self.results.items() if result.is_unstable)

    @property
    def failing(self) -> tuple[str, ...]:
        """The tests that fail on both versions in the same way: they may not work at all."""
        return tuple(
            name for name, result in self.results.items() if result.old.code not in (0, None) and not result.is_altered
        )


def audit_by_running(
    versions: tuple[Path, Path],
    tests: Sequence[str],
    selected: Collection[str],
    load: Command,
    command: Command,
    *,
    limit: float,
    on_progress: Callable[[int], None] = lambda _: None,
) -> RealAudit:
    """Load the old version, run every test twice, and do the same with the new one.

    `limit` is the time for each load and each run, in seconds. InputError if a version cannot be loaded.
    """
    guards = Guards()
    done = 0

    def pass_over(names: Iterable[str]) -> dict[str, _Run]:
        nonlocal done
        found = {}
        for name in names:
            found[name] = _Run.of(_ended("--run", command(name), limit, guards))
            done += 1
            on_progress(done)
        return found

    both = []
    try:
        for graph in versions:
            _load(graph, load(str(graph)), limit, guards)
            first, second = pass_over(tests), pass_over(reversed(tests))
            both.append({name: first[name].with_second(second[name]) for name in tests})
    finally:
        guards.close()
    old, new = both
    return RealAudit({name: Result(old[name], new[name]) for name in tests}, tuple(selected))


@dataclass(frozen=True, slots=True)
class _Run:
    code: int | None
    output: bytes
    errors: bytes
    shown: str

    @classmethod
    def of(cls, ended: Ended) -> _Run:
        output, errors = ended.stdout.whole, ended.stderr.whole
        is_over = ended.passed is None and output is not None and errors is not None
        text = (output or b"").decode(errors="replace").strip() or (errors or b"").decode(errors="replace").strip()
        said = one_line(text)[:_MOST_SHOWN]
        if ended.passed is not None:
            said = "took too long"
        elif not is_over:
            said = f"wrote more than {_MOST_OUTPUT >> 20} MB"
        shown = f"exit code {ended.code}: {said}" if is_over else said
        return cls(
            ended.code if is_over else None, sha256(output or b"").digest(), sha256(errors or b"").digest(), shown
        )

    def with_second(self, other: _Run) -> Returned:
        is_over = self.code is not None and other.code is not None
        return Returned(
            self.code if self.code == other.code else None,
            self.output if self.output == other.output else None,
            self.errors if self.errors == other.errors else None,
            self.shown,
            is_over,
        )


def _load(graph: Path, arguments: Sequence[str], limit: float, guards: Guards) -> None:
    ended = _ended("--load", arguments, limit, guards)
    if ended.passed is not None:
        raise InputError(f"--load: it took longer than {limit:g} s to load {graph}", hint="see --time-limit")
    if ended.code:
        said = one_line(ended.stderr.text() or ended.stdout.text())[-_MOST_SHOWN:]
        raise InputError(f"--load: ended with {ended.code} for {graph}" + (f": {said}" if said else ""))


def _ended(option: str, arguments: Sequence[str], limit: float, guards: Guards) -> Ended:
    try:
        return run(
            arguments,
            Limits(limit, 0),
            Setup(folder=Path.cwd(), most_output=_MOST_OUTPUT),
            all_or_nothing=True,
            guards=guards,
        )
    except OSError as error:
        reason = error.strerror or error
        raise InputError(
            f"{option}: {arguments[0]!r} cannot be started: {reason}", hint="give the command as you would type it"
        ) from None
