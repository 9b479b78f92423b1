"""The jobs of `kgprobe select` beyond a plan: run the selected tests, record, audit, and show the history."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import click

from kgprobe.cli.app import is_quiet, tell
from kgprobe.cli.options import Reading, print_json, read_version
from kgprobe.cli.progress import counting_progress
from kgprobe.cli.selection_options import SelectOptions, found_tests
from kgprobe.entailment.class_hierarchy import share_class_edges
from kgprobe.entailment.rules import UndecidedError
from kgprobe.errors import InputError, Position, UnavailableError
from kgprobe.git.repository import Repository
from kgprobe.git.versions import Version, files_at, history
from kgprobe.mutation.catalogue import resolve_operators
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.rdf.diff import Versions, aligned
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.reasoners.auto import opened
from kgprobe.reasoners.protocol import Reasoner
from kgprobe.report.selection import audit_as_json, audit_lines, real_audit_as_json, real_audit_lines
from kgprobe.selection.audit import audit, audit_by_running
from kgprobe.selection.paper.planning import PaperSelector, paper_plan
from kgprobe.selection.plan import SelectionPlan, safe_plan
from kgprobe.selection.recording import RecordingEndpoint, SqlRecorder
from kgprobe.selection.running import Ran, command_for, run_tests, saving
from kgprobe.selection.tests import Suite
from kgprobe.wording import number_of


def run_selected(plan: SelectionPlan, command: Callable[[str], Sequence[str]], limit: float, selecting: float) -> int:
    """Run the tests of a plan, report each, and print the time saved. Return 1 if a test failed."""
    names = [planned.test.name for planned in plan.chosen]
    done = run_tests(names, command, limit=limit, on_done=_report)
    failed = [ran for ran in done if not ran.passed]
    found = saving(done, len(plan.tests), selecting)
    tell(
        "note",
        f"{len(done) - len(failed)} passed, {len(failed)} failed in {found.running:.1f} s; "
        f"selecting took {found.selecting:.1f} s; all {number_of(len(plan.tests), 'test')} would take about "
        f"{found.everything:.1f} s: {max(found.share, 0):.0%} saved",
    )
    return int(bool(failed))


def _report(ran: Ran) -> None:
    if ran.passed and is_quiet():
        return
    word = "passed" if ran.passed else "timed out" if ran.code is None else f"failed ({ran.code})"
    click.echo(f"{ran.test}: {word}, {ran.seconds:.1f} s", err=True)
    if not ran.passed:
        for line in ran.output.splitlines()[-20:]:
            click.echo(f"  {line}", err=True)


def recorded_map(path: Path, run: str, options: SelectOptions, reading: Reading) -> int:
    """Run every test with the address of the endpoint in its environment, and write its queries to a file."""
    record = options.recorded
    if record is None:
        raise InputError("--record needs --recorded FILE, the file for the record")
    graph = reading.read(path).graph
    suite = found_tests(options.places, Versions(graph, graph), options.finder())
    command = command_for(run)
    # Tests that do not seem to use the graph may ask a database.
    names = [*(test.name for test in suite.tests), *suite.unrelated]
    with RecordingEndpoint(graph, record) as endpoint, SqlRecorder() as recorder:
        done = run_tests(
            names,
            command,
            limit=options.time_limit,
            on_done=lambda _: None,
            environment=lambda test: {**endpoint.environment(test), **recorder.environment(test)},
        )
        for ran in done:
            entry = recorder.entry(ran.test, has_passed=ran.passed)
            if entry is not None:
                endpoint.add(entry)
    failed = sum(not ran.passed for ran in done)
    tell("note", f"{number_of(len(names), 'test')} run, {failed} failed; their queries are in {record}")
    return int(bool(failed))


@dataclass(frozen=True, slots=True)
class _ByPaper:
    """What the algorithm from the paper finds. It needs the class hierarchies of both versions."""

    add: int
    delete: int
    affect: int
    selected: int


@dataclass(frozen=True, slots=True)
class _Row:
    old: Version
    new: Version
    selected: int
    by_paper: _ByPaper | UndecidedError
    total: int


def history_table(path: Path, changes: str, options: SelectOptions, reading: Reading, reasoner: Reasoner | None) -> int:
    """Print what each change added, deleted and affected, and how many of the current tests it selects."""
    versions = _versions(path, changes, reading)
    rows = []
    with counting_progress("changes", len(versions) - 1) as advance:
        old = _graph_at(path, versions[0], reading)
        for number, (before, after) in enumerate(pairwise(versions), start=1):
            new = _graph_at(path, after, reading)
            both = aligned(old, new)
            with suppress(UndecidedError):
                # Otherwise, it would be classified twice: as the new version here, and as the old one in the next row.
                share_class_edges(new, both.new, reasoner)
            rows.append(_row(before, after, both, options, reasoner))
            old = new
            advance(number)
    unknown = [row.by_paper for row in rows if isinstance(row.by_paper, UndecidedError)]
    if unknown:
        lines = "1 line lacks" if len(unknown) == 1 else f"{len(unknown)} lines lack"
        tell("warning", f"{lines} the results of the algorithm from the paper: {unknown[0]}")
    if options.prints_json:
        print_json({"changes": [_row_as_json(row) for row in rows]})
    else:
        _print_rows(rows)
    return 0


def _versions(path: Path, changes: str, reading: Reading) -> list[Version]:
    """The versions of a graph. A change to one of its imports also makes a version."""
    library = reading.library()
    if path.exists() and (reading.folders or reading.catalogs):
        reading.read(path, library)
    versions = history([path, *library.found.values(), *reading.catalogs], changes)
    wanted = int(changes) if changes.isdecimal() else 1
    hint = Repository.around(path).shallow_hint if len(versions) <= wanted else None
    if len(versions) < 2:
        where = Position(str(path))
        raise InputError(
            "has fewer than two versions in this range", where=where, hint=hint or "--history 10, or v1..v2"
        )
    if hint is not None:
        tell("warning", f"{path} has only {number_of(len(versions), 'version')} here: {hint}")
    return versions


def _graph_at(path: Path, version: Version, reading: Reading) -> Graph:
    with files_at(path, version.revision) as files:
        return read_version(path, files, reading)[0].graph


def _row(old: Version, new: Version, both: Versions, options: SelectOptions, reasoner: Reasoner | None) -> _Row:
    suite = found_tests(options.places, both, options.finder())
    plan = safe_plan(both, suite, options.regime, reasoner=reasoner, warehouse=options.described)
    return _Row(old, new, len(plan.chosen), _by_paper(both, suite, reasoner), len(plan.tests))


def _by_paper(both: Versions, suite: Suite, reasoner: Reasoner | None) -> _ByPaper | UndecidedError:
    try:
        found = paper_plan(both, suite, reasoner=reasoner)
    except UndecidedError as error:
        return error
    sets = found.sets
    return _ByPaper(len(sets.add), len(sets.delete), len(sets.affect), len(found.plan.chosen))


def _print_rows(rows: Sequence[_Row]) -> None:
    click.echo(
        f"{'versions':19} {'date':10} {'ADD':>7} {'DELETE':>7} {'AFFECT':>7} {'selected':>13} {'':>7} {'paper':>7}"
    )
    for row in rows:
        paper = row.by_paper
        if isinstance(paper, UndecidedError):
            sizes, by_paper = f"{'-':>7} {'-':>7} {'-':>7}", f"{'-':>7}"
        else:
            sizes = f"{paper.add:7,} {paper.delete:7,} {paper.affect:7,}"
            by_paper = f"{_share(paper.selected, row):7.2%}"
        click.echo(
            f"{row.old.revision + ' ' + row.new.revision:19} {row.new.date:10} {sizes} "
            f"{f'{row.selected:,} / {row.total:,}':>13} {_share(row.selected, row):7.2%} {by_paper}"
        )


def _share(count: int, row: _Row) -> float:
    return count / row.total if row.total else 0.0


def _row_as_json(row: _Row) -> dict[str, object]:
    paper = row.by_paper
    sizes: dict[str, int | None] = {"add": None, "delete": None, "affect": None}
    by_paper, undecided = None, None
    if isinstance(paper, UndecidedError):
        undecided = str(paper)
    else:
        sizes = {"add": paper.add, "delete": paper.delete, "affect": paper.affect}
        by_paper = paper.selected
    return {
        "old": row.old.revision,
        "new": row.new.revision,
        "date": row.new.date,
        "subject": row.new.subject,
        **sizes,
        "selected": row.selected,
        "selected_by_paper": by_paper,
        "undecided": undecided,
        "total": row.total,
    }


# -- audits ------------------------------------------------------------------------------------------------------------


_USUAL_SETS = ("generic", "owl-dl", "abox")


def audited(
    path: Path,
    places: Sequence[Path],
    options: SelectOptions,
    reading: Reading,
    reasoner: Reasoner | None,
) -> int:
    """Make mutants, run all queries on both versions, and print how many tests each mode selected and missed."""
    graph = reading.read(path).graph
    suite = found_tests(places, Versions(graph, graph), options.finder())
    count = options.mutants
    with opened() if reasoner is None else nullcontext(reasoner) as asked:
        others = _others(graph, suite, asked)
        with counting_progress("mutants", count) as advance:
            found = audit(
                graph,
                suite,
                _changes(graph, options),
                options.regime,
                others=others,
                reasoner=asked,
                on_progress=advance,
            )
    if not found.tests:
        raise InputError("none of the tests is a query that can be run", hint="--tests names a folder with .rq files")
    if not found.changes:
        raise found.why_undecided or InputError(
            "no mutants could be made: none of the operators applies", where=Position(str(path)), hint="see --operators"
        )
    if not found.runs:
        why = f"every test takes too long, or too much memory: {', '.join(found.unanswered)}"
        raise UnavailableError(why, hint="nothing was audited; see --tests")
    if options.prints_json:
        print_json(audit_as_json(found))
    else:
        for line in audit_lines(found):
            click.echo(line)
    return int(bool(found.modes["safe"].misses))


def _others(graph: Graph, suite: Suite, reasoner: Reasoner) -> dict[str, PaperSelector]:
    """The algorithm from the paper, to compare with. It needs a class hierarchy, which the audit does not."""
    try:
        return {"paper": PaperSelector(graph, suite, reasoner)}
    except UndecidedError as error:
        tell("warning", f"the algorithm from the paper is left out: {error}")
        return {}


def _changes(graph: Graph, options: SelectOptions) -> Iterator[Delta]:
    """The mutants, as changes. The number of mutations varies from one to the requested number."""
    operators = list(map(Weighted, resolve_operators(options.operators or _USUAL_SETS, Path())))
    most = options.mutations
    generators = [
        Generator(graph, operators, mutations=mutations, seed=options.seed + mutations).mutants(options.mutants)
        for mutations in range(1, most + 1)
    ]
    for number in range(options.mutants):
        mutant = next(generators[number % most], None)
        if mutant is not None:
            yield mutant.delta


def audited_by_running(
    graphs: Sequence[str],
    plan: SelectionPlan,
    load: Callable[[str], Sequence[str]],
    command: Callable[[str], Sequence[str]],
    options: SelectOptions,
) -> int:
    """Load both versions, run every test on each, and print which results changed. Return 1 if selection missed one."""
    names = [test.name for test in plan.tests]
    if not names:
        raise InputError("there are no tests to run", hint="--tests names a folder with tests")
    old, new = (Path(graph) for graph in graphs)
    with counting_progress("runs", 4 * len(names)) as advance:
        found = audit_by_running(
            (old, new),
            names,
            [planned.test.name for planned in plan.chosen],
            load,
            command,
            limit=options.time_limit,
            on_progress=advance,
        )
    if len(found.failing) == len(names):
        first = found.results[names[0]].old.shown
        raise InputError(f"every test fails on both versions, so nothing can be compared; {names[0]}: {first}")
    if options.prints_json:
        print_json(real_audit_as_json(found))
    else:
        for line in real_audit_lines(found):
            click.echo(line)
    if not found.altered:
        tell("warning", "no result changed, so this audit cannot show that selection is safe")
    return int(bool(found.missed))
