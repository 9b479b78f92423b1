"""`kgprobe questions`: test question-answering software with questions made from a graph."""

from __future__ import annotations

import click

from kgprobe.cli.questions_read import command as read

__all__ = ["command"]

_EXAMPLES = """\b
Examples:
  kgprobe questions read answers.jsonl               what do these answers decide?
"""


@click.group("questions", epilog=_EXAMPLES)
def command() -> None:
    """Test whether the answers of question-answering software follow from each other."""


command.add_command(read)
