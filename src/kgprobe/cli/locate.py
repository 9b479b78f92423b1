"""`kgprobe locate`: find the steps of failing mutants that cause their failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import click

from kgprobe.campaign.store import Store
from kgprobe.campaign.store_reading import Finding
from kgprobe.cli.app import resumable, tell
from kgprobe.cli.options import named_store, parted, print_json
from kgprobe.cli.progress import live_line
from kgprobe.learning.located import Located
from kgprobe.learning.locating import RUNS, failing_cases, locating
from kgprobe.learning.stored_campaign import check_judged
from kgprobe.report.campaign import location_lines, locations_value

_EXAMPLES = """\b
Examples:
  kgprobe locate profile.sqlite             the causes of all failures
  kgprobe locate profile.sqlite#1           of the first finding only
  kgprobe locate profile.sqlite --case 7    of one case, with all of its steps
  kgprobe locate profile.sqlite --runs 100  with more runs for each case
  kgprobe locate profile.sqlite --json      for a machine
"""


@click.command("locate", epilog=_EXAMPLES)
@click.argument("source", metavar="STORE[#N]")
@click.option(
    "--runs", type=click.IntRange(1), default=RUNS, show_default=True, metavar="N", help="Most runs for each case."
)
@click.option("--case", type=int, metavar="N", help="Only the case with this number.")
@click.option("--workers", type=click.IntRange(1, 1024), metavar="N", help="Graphs that run at the same time.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(source: str, runs: int, case: int | None, workers: int | None, as_json: bool) -> None:
    """Find the steps that cause the failures of a campaign.

    The STORE of a campaign, or its profile, has failing mutants. The steps that led to them are ranked by what failing
    runs have and passing ones lack. Then the systems run on the mutant without each step, and with each step alone. A
    step is confirmed if the failure is gone without it, or comes with it alone. N is the number of a finding.

    All results are kept in the store: run the same command again to resume. 'kgprobe show' shows them, too.
    """
    name, number = parted(source)
    path, _ = named_store(name)
    with resumable(path), Store.reopen(path) as store:
        waiting = failing_cases(store, number, case)
        if not waiting:
            check_judged(store)
        located = _located(store, waiting, runs, workers)
    if not located.cases:
        tell("warning", f"{path}: no case of this campaign fails: there is nothing to locate")
    if as_json:
        for located_case in located.cases:
            if located_case.note and not located_case.culprits:
                tell("note", f"{located_case.case}: {located_case.note}")
        print_json(locations_value(located))
        return
    for line in location_lines(located, path.name):
        click.echo(line)


def _located(store: Store, waiting: Sequence[tuple[Finding, int]], runs: int, workers: int | None) -> Located:
    if not waiting:
        return Located(())
    found = []
    with _progress(len(waiting)) as show:
        for case in locating(store, waiting, runs=runs, workers=workers):
            found.append(case)
            show(len(found))
    return Located(tuple(found))


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    with live_line() as show:
        yield lambda done: show(lambda: f"locating causes: {done} of {total} failing cases")
