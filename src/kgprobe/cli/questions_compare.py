"""`kgprobe questions compare`: what a change has fixed and broken, and which bugs several systems share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from kgprobe.campaign.store import read_store
from kgprobe.cli.options import print_json
from kgprobe.errors import InputError
from kgprobe.report.questions import (
    StoredAnswers,
    comparison_lines,
    comparison_value,
    overlap_lines,
    overlap_value,
    paired,
    stored_answers,
)

_EXAMPLES = """\b
Examples:
  kgprobe questions compare old.sqlite new.sqlite            what was fixed, and what was broken
  kgprobe questions compare qa.sqlite --overlap              which bugs the systems of one campaign share
  kgprobe questions compare a.sqlite b.sqlite c.sqlite --overlap --json
"""


@click.command("compare", epilog=_EXAMPLES, short_help="compare the answers of two campaigns, or of several systems")
@click.argument("paths", metavar="STORE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--overlap", is_flag=True, help="Count the bugs that each set of systems has in common.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(paths: tuple[Path, ...], overlap: bool, as_json: bool) -> None:
    """Compare two campaigns with the same cases: the bugs that were fixed, those that are new, and McNemar's test.

    Only cases that both systems were tested on count. With --overlap, any number of STOREs is compared, and each of
    their systems is one of the sets.
    """
    answers = [_answers(path) for path in paths]
    if overlap:
        if as_json:
            print_json(overlap_value(answers))
        else:
            _echo(overlap_lines(answers))
        return
    if len(answers) != 2:
        raise InputError(f"two stores are compared, not {len(answers)}", hint="--overlap takes any number")
    pairs = paired(answers[0], answers[1])
    if as_json:
        print_json(comparison_value(pairs))
    else:
        _echo(comparison_lines(pairs))


def _answers(path: Path) -> StoredAnswers:
    with read_store(path) as store:
        return stored_answers(store)


def _echo(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)
