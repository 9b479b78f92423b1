"""`kgprobe questions`: test question-answering software with questions made from a graph."""

from __future__ import annotations

import click

from kgprobe.cli.questions_compare import command as compare
from kgprobe.cli.questions_export import command as export
from kgprobe.cli.questions_generate import command as generate
from kgprobe.cli.questions_read import command as read
from kgprobe.cli.questions_report import command as report
from kgprobe.cli.questions_rules import command as rules
from kgprobe.cli.questions_run import command as run

_EXAMPLES = """\b
Examples:
  kgprobe questions generate qa.toml --sample 20    make questions, and look at some of them
  kgprobe questions run qa.toml                     ask all systems of a profile
  kgprobe questions report qa.sqlite                what they got right and wrong
  kgprobe questions compare old.sqlite new.sqlite   what a change has fixed and broken
  kgprobe questions read answers.jsonl              what do these answers decide?
"""


@click.group("questions", epilog=_EXAMPLES)
def command() -> None:
    """Test whether the answers of question-answering software follow from each other."""


for _each in (generate, run, report, compare, export, rules, read):
    command.add_command(_each)
