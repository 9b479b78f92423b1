"""The audits of `kgprobe select`: on mutants, or by running the tests on two versions that the user's command loads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import Reading, print_json
from kgprobe.cli.progress import counting_progress
from kgprobe.cli.selection_options import SelectOptions, found_tests
from kgprobe.config.operators import resolve_operators
from kgprobe.entailment.rules import UndecidedError
from kgprobe.errors import InputError, Position
from kgprobe.mutation.generator import Generator
from kgprobe.mutation.strategies import Weighted
from kgprobe.rdf.diff import Versions
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.reasoners.auto import opened
from kgprobe.reasoners.protocol import Reasoner
from kgprobe.report.selection_audits import audit_as_json, audit_lines, real_audit_as_json, real_audit_lines
from kgprobe.selection.audit import audit
from kgprobe.selection.audit_by_running import audit_by_running
from kgprobe.selection.paper.planning import PaperSelector
from kgprobe.selection.plan import SelectionPlan
from kgprobe.selection.tests import Suite

__all__ = ["audited", "audited_by_running"]

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
    old, new = (Path(each) for each in graphs)
    with counting_progress("runs", 4 * len(names)) as advance:
        found = audit_by_running(
            (old, new),
            names,
            [each.test.name for each in plan.chosen],
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
