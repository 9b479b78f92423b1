"""`kgprobe select --run`: run the selected tests. `--record`: run all tests and record their queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from kgprobe.cli.app import is_quiet, tell
from kgprobe.cli.options import Reading
from kgprobe.cli.selection_options import SelectOptions, found_tests
from kgprobe.errors import InputError
from kgprobe.graph.diff import Versions
from kgprobe.selection.discovery.recording import RecordingEndpoint
from kgprobe.selection.plan import SelectionPlan
from kgprobe.selection.running import Ran, command_for, run_tests, saving

__all__ = ["recorded_map", "run_selected"]


def run_selected(plan: SelectionPlan, command: Callable[[str], Sequence[str]], limit: float, selecting: float) -> int:
    """Run the tests of a plan, report each, and print the time saved. Return 1 if a test failed."""
    names = [each.test.name for each in plan.chosen]
    done = run_tests(names, command, limit=limit, on_done=_tell)
    failed = [ran for ran in done if not ran.passed]
    found = saving(done, len(plan.tests), selecting)
    tell(
        "note",
        f"{len(done) - len(failed)} passed, {len(failed)} failed in {found.running:.1f} s; "
        f"selecting took {found.selecting:.1f} s; all {len(plan.tests)} tests would take about "
        f"{found.everything:.1f} s: {max(found.share, 0):.0%} saved",
    )
    return int(bool(failed))


def _tell(ran: Ran) -> None:
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
    with RecordingEndpoint(graph, record) as endpoint:
        done = run_tests(
            [test.name for test in suite.tests],
            command,
            limit=options.time_limit,
            on_done=lambda _: None,
            environment=endpoint.environment,
        )
    failed = sum(not ran.passed for ran in done)
    tell("note", f"{len(suite.tests)} tests run, {failed} failed; their queries are in {record}")
    return int(bool(failed))
