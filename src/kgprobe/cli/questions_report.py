"""`kgprobe questions report`: the results of asking questions, from a store."""

from __future__ import annotations

import click

from kgprobe.campaign.store import read_store
from kgprobe.campaign.summary import check_questions, summary_of
from kgprobe.cli.campaign import questions_exit_code
from kgprobe.cli.options import print_json
from kgprobe.cli.show import named_store
from kgprobe.report.questions import report_lines, report_value, reported

_EXAMPLES = """\b
Examples:
  kgprobe questions report qa.sqlite          a table for each system
  kgprobe questions report qa.sqlite --json   the same for a program
"""


@click.command("report", epilog=_EXAMPLES, short_help="show what the systems got right and wrong")
@click.argument("name", metavar="STORE")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(name: str, as_json: bool) -> int:
    """Report the answers in the STORE of a campaign: for each system, rule and relation, the wrong conclusions.

    The STORE may be named by its profile, which may have known bugs. The campaign may still be running. Exit codes are
    those of 'kgprobe questions run'.
    """
    path, known = named_store(name)
    with read_store(path) as store:
        check_questions(store)
        report = reported(store, summary_of(store, known))
    if as_json:
        print_json(report_value(report, ""))
    else:
        for line in report_lines(report, path.name):
            click.echo(line)
    return questions_exit_code(report)
