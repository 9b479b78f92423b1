"""`kgprobe select --run`: run the selected tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from kgprobe.cli.app import is_quiet, tell
from kgprobe.selection.plan import SelectionPlan
from kgprobe.selection.running import Ran, run_tests, saving

__all__ = ["run_selected"]


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
