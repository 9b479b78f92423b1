"""`kgprobe questions report`: the results of asking questions, from a store."""

from __future__ import annotations

from pathlib import Path

import click

from kgprobe.campaign.inferences import check_questions
from kgprobe.campaign.store import read_store
from kgprobe.campaign.summary import summary_of
from kgprobe.cli.options import print_json
from kgprobe.cli.test import questions_exit_code
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.report.questions import report_lines, report_value, reported

_EXAMPLES = """\b
Examples:
  kgprobe questions report qa.sqlite          a table for each system
  kgprobe questions report qa.sqlite --json   the same for a program
"""


@click.command("report", epilog=_EXAMPLES, short_help="show what the systems got right and wrong")
@click.argument("path", metavar="STORE", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(path: Path, as_json: bool) -> int:
    """Report the answers in the STORE of a campaign: for each system, rule and relation, the wrong conclusions.

    The campaign may still be running. Exit codes are those of 'kgprobe questions run'.
    """
    with read_store(path) as store:
        check_questions(store)
        report = reported(store, summary_of(store, KnownBugs([])))
    if as_json:
        print_json(report_value(report, ""))
    else:
        for line in report_lines(report, path.name):
            click.echo(line)
    return questions_exit_code(report)
