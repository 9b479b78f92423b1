"""`kgprobe select`: select the tests to run again after an ontology has changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import Reading, kept_until_the_end, print_json, read_pair, reads_graphs, takes
from kgprobe.cli.selection_options import SelectOptions, found_tests
from kgprobe.entailment.rules import UndecidedError
from kgprobe.errors import InputError
from kgprobe.formats.imports import united
from kgprobe.owl.wording import Names
from kgprobe.rdf.diff import Versions, aligned
from kgprobe.rdf.graph import Graph
from kgprobe.report.selection import coverage_as_json, coverage_lines, plan_as_json, plan_as_junit, plan_lines
from kgprobe.selection.gaps_and_repairs import with_gaps_and_repairs
from kgprobe.selection.ontology_versions import Edits
from kgprobe.selection.order import past_failures
from kgprobe.selection.plan import SelectionPlan, safe_plan
from kgprobe.selection.tests import Suite
from kgprobe.wording import number_of

if TYPE_CHECKING:
    from kgprobe.reasoners.protocol import Reasoner
    from kgprobe.selection.paper.planning import EntityCoverage

_EXAMPLES = """\b
Examples:
  kgprobe select old.ttl new.ttl --tests tests          the tests to run, and why
  kgprobe select onto.owl --since HEAD~1 --tests tests  the old version is in git
  kgprobe select old.ttl new.ttl --tests tests --format list | xargs -n1 ./run-test
  kgprobe select old.ttl new.ttl --tests tests --run 'pytest -q {test}'
  kgprobe select old.ttl new.ttl --tests tests --regime rdfs --json
  kgprobe select go-1.obo go-2.obo --also hp-1.obo hp-2.obo --tests tests   two ontologies
  kgprobe select old.obo new.obo --tests sql --warehouse go
  kgprobe select old.ttl new.ttl --tests it --test-files '*.java'   tests in any language
  kgprobe select onto.owl --history 10 --tests tests    one line for each of the last ten changes
  kgprobe select onto.owl --audit --tests tests         check on 1,000 mutants that selection is safe
  kgprobe select --audit                                the same for the built-in example
  kgprobe select old.ttl new.ttl --audit --tests tests --load './etl {graph}' --run 'psql -f {test} test'
                                                        run all tests on both versions, and compare their results
"""


@click.command("select", epilog=_EXAMPLES)
@click.argument("graphs", metavar="[OLD] NEW…", nargs=-1)
@takes(SelectOptions)
@reads_graphs
def command(graphs: tuple[str, ...], reading: Reading, options: SelectOptions) -> int:
    """Print the tests that the change from OLD to NEW can affect, and why.

    Tests are the SPARQL, SQL and Python files and W3C manifests in --tests. Exit codes: 0 if the plan was printed,
    1 if a test failed (--run) or selection missed one (--audit).
    """
    # Report invalid options before the work starts.
    options.check()
    options.finder()
    run = _command(options.run, "--run", "test")
    load = _command(options.load, "--load", "graph")
    failures = past_failures(options.failures)
    with _reasoner(options.reasoner) as reasoner:
        if options.audit and load is not None and run is not None:
            return _audited_by_running(graphs, options, reading, reasoner, load, run)
        if options.audit or options.history is not None or options.record is not None:
            return _other_job(graphs, options, reading, reasoner)
        began = time.monotonic()
        plan = _printed_plan(graphs, options, reading, reasoner, failures)
        if options.fix:
            fix(plan)
        if run is None:
            return 0
        from kgprobe.cli.selection_jobs import run_selected

        return run_selected(plan, run, options.time_limit, time.monotonic() - began)


# -- the jobs; the parts that are rarely used are imported only when they are needed -----------------------------------


def _audited_by_running(
    graphs: tuple[str, ...],
    options: SelectOptions,
    reading: Reading,
    reasoner: Reasoner | None,
    load: Callable[[str], list[str]],
    run: Callable[[str], list[str]],
) -> int:
    from kgprobe.cli.selection_jobs import audited_by_running

    if "-" in graphs:
        raise InputError("--load needs files, not standard input")
    with kept_until_the_end():
        pair = read_pair(graphs, None, reading, "select")
    versions = aligned(pair.old.graph, pair.new.graph)
    suite = found_tests(options.places, versions, options.finder())
    plan, _ = _plan(versions, suite, options, {}, reasoner)
    return audited_by_running(graphs, plan, load, run, options)


def _other_job(graphs: tuple[str, ...], options: SelectOptions, reading: Reading, reasoner: Reasoner | None) -> int:
    """An audit on mutants, the history, or a record."""
    from kgprobe.cli.selection_jobs import audited, history_table, recorded_map

    if options.history is not None:
        return history_table(_one(graphs, "--history"), options.history, options, reading, reasoner)
    if options.record is not None:
        return recorded_map(_one(graphs, "--record"), options.record, options, reading)
    is_bare = not graphs and not options.tests
    path, places = _audited_example() if is_bare else (_one(graphs, "--audit"), options.places)
    return audited(path, places, options, reading, reasoner)


def _printed_plan(
    graphs: tuple[str, ...],
    options: SelectOptions,
    reading: Reading,
    reasoner: Reasoner | None,
    failures: Mapping[str, int],
) -> SelectionPlan:
    """Print the tests to run, and return the plan with its repairs."""
    with kept_until_the_end():
        versions, edits = _versions(graphs, options, reading)
        suite = found_tests(options.places, versions, options.finder())
        plan, extra = _plan(versions, suite, options, failures, reasoner)
        if edits is not None:
            plan = _with_changed_tests(plan, edits, failures)
        if options.minimal:
            plan = _minimal(plan)
        covered = _coverage(versions, suite, reasoner) if options.with_coverage else None
        output = "json" if options.prints_json else options.output
        shown = replace(plan, repairs=()) if options.fix and output == "text" else plan
        found = {"notes": list(suite.notes), "unrelated": list(suite.unrelated), "skipped": dict(suite.skipped)}
        print_plan(shown, suite, {**extra, **found}, versions, covered, output)
    return plan


def _versions(graphs: tuple[str, ...], options: SelectOptions, reading: Reading) -> tuple[Versions, Edits | None]:
    """Both versions, each of all ontologies together, and the other changes since the revision of the old one."""
    if options.since is not None and options.also:
        raise InputError("--also and --since cannot be combined", hint="name each NEW before --since")
    if options.since is not None and len(graphs) > 1:
        pairs = [read_pair((graph,), options.since, reading, "select") for graph in graphs]
    else:
        given = [graphs, *options.also]
        pairs = [read_pair(each, options.since, reading, "select") for each in given]
    first = pairs[0]
    if len(pairs) == 1:
        return aligned(first.old.graph, first.new.graph), first.edits
    _warn_of_prefixes([pair.new.graph for pair in pairs])
    old, new = (united(each) for each in ([pair.old for pair in pairs], [pair.new for pair in pairs]))
    edits = first.edits
    if edits is not None:
        edits = replace(edits, ontology={path for pair in pairs if pair.edits for path in pair.edits.ontology})
    return aligned(old, new), edits


def _warn_of_prefixes(graphs: Iterable[Graph]) -> None:
    meanings: dict[str, str] = {}
    for graph in graphs:
        for prefix, iri in graph.spelling.prefixes.items():
            if prefix and meanings.setdefault(prefix, iri) != iri:
                said = f"the ontologies disagree on the prefix {prefix}:, which is taken for <{meanings[prefix]}>"
                tell("warning", f"{said} where a test does not declare it")


def _minimal(plan: SelectionPlan) -> SelectionPlan:
    from kgprobe.selection.plan import minimal

    small = minimal(plan)
    if small.left_out:
        left = "1 test" if len(small.left_out) == 1 else f"{len(small.left_out):,} tests"
        tell("warning", f"--minimal leaves out {left} that the change can affect: this is a choice, and not safe")
    return small


def _audited_example() -> tuple[Path, list[Path]]:
    """The built-in case study, which is audited by default."""
    from kgprobe.demo.parts import case_study

    folder = case_study("pizzeria")
    tell("note", "no graph and no tests given: using the built-in example, a menu and its tests")
    return folder / "menu-1.ttl", [folder / "tests"]


def _command(template: str | None, option: str, place: str) -> Callable[[str], list[str]] | None:
    if template is None:
        return None
    from kgprobe.selection.running import command_for

    return command_for(template, option, place)


def _one(graphs: tuple[str, ...], option: str) -> Path:
    if len(graphs) != 1:
        raise InputError(f"{option} takes one graph, not {len(graphs)}", hint="see 'kgprobe select --help'")
    return Path(graphs[0])


def _reasoner(name: str | None) -> AbstractContextManager[Reasoner | None]:
    if name is None:
        return nullcontext()
    from kgprobe.reasoners.auto import opened

    return opened(name)


def _plan(
    versions: Versions, suite: Suite, options: SelectOptions, failures: Mapping[str, int], reasoner: Reasoner | None
) -> tuple[SelectionPlan, dict[str, object]]:
    """The plan, and additional keys for JSON."""
    if options.mode == "paper":
        from kgprobe.selection.paper.planning import paper_plan

        try:
            found = paper_plan(versions, suite, reasoner=reasoner)
        except UndecidedError as error:
            raise error.or_else("use --mode safe, which needs no class hierarchy") from None
        # Only JSON shows the sets, and sorting them takes time.
        extra: dict[str, object] = {**found.named_sets()} if options.prints_json else {}
        return with_gaps_and_repairs(found.plan, versions), extra
    described = options.described
    plan = safe_plan(versions, suite, options.regime, reasoner=reasoner, failures=failures, warehouse=described)
    return with_gaps_and_repairs(plan, versions), {"regime": options.regime.value}


def _with_changed_tests(plan: SelectionPlan, edits: Edits, failures: Mapping[str, int]) -> SelectionPlan:
    from kgprobe.selection.changed_tests import ChangedTests, with_changed_tests

    outside = [test for test in plan.tests if test.file is not None and edits.repository.relative(test.file) is None]
    if outside:
        many = "1 test is" if len(outside) == 1 else f"{len(outside):,} tests are"
        tell(
            "warning",
            f"{many} outside the repository {edits.repository.root}, such as {outside[0].name}: "
            f"kgprobe cannot tell whether they have changed since {edits.revision}",
        )
    return with_changed_tests(plan, ChangedTests(edits), failures)


def _coverage(versions: Versions, suite: Suite, reasoner: Reasoner | None) -> EntityCoverage:
    from kgprobe.selection.paper.planning import covered_entities

    try:
        return covered_entities(suite.tests, versions.new, reasoner)
    except UndecidedError as error:
        raise error.or_else("leave out --coverage, which needs the class hierarchy") from None


# -- what is printed ---------------------------------------------------------------------------------------------------


def print_plan(
    plan: SelectionPlan,
    suite: Suite,
    extra: dict[str, object],
    versions: Versions,
    covered: EntityCoverage | None,
    output: str,
) -> None:
    if output == "json":
        print_json({**plan_as_json(plan), **extra, **_coverage_as_json(covered)})
    elif output == "junit":
        click.echo(plan_as_junit(plan), nl=False)
    elif output == "text":
        names = Names(versions.old, versions.new)
        click.echo("\n".join((*plan_lines(plan, names.explained), *(coverage_lines(covered) if covered else ()))))
    else:
        _print_names(plan, suite, for_pytest=output == "pytest")


def _coverage_as_json(covered: EntityCoverage | None) -> dict[str, object]:
    return {} if covered is None else {"coverage": coverage_as_json(covered)}


def _print_names(plan: SelectionPlan, suite: Suite, *, for_pytest: bool) -> None:
    """The names of the tests to run; for pytest, what its plugin runs: also tests that do not use the graph."""
    named = [planned.test.name for planned in plan.chosen if planned.test.language.runs_in_pytest or not for_pytest]
    for name in (*named, *(suite.unrelated if for_pytest else ())):
        click.echo(name)
    if len(named) < len(plan.chosen):
        others = len(plan.chosen) - len(named)
        tell("note", f"{others} selected tests are not for pytest; --format list has them")


def fix(plan: SelectionPlan) -> None:
    """Repair tests that name a deleted entity, and show the changes."""
    from kgprobe.selection.gaps_and_repairs import apply

    for repair in plan.repairs:
        click.echo(repair.as_diff(), nl=False, err=True)
    apply(plan.repairs)
    repaired = sum(use.replacement is not None or use.now is not None for use in plan.broken)
    left = len(plan.broken) - repaired
    rest = f"; {number_of(left, 'name')} without a known replacement" if left else ""
    tell("note", f"{number_of(len(plan.repairs), 'file')} repaired{rest}")
