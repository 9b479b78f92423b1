"""`kgprobe mask`: learn masks from mutants on which a system passed or failed, and judge masks by them."""

from __future__ import annotations

import click

from kgprobe.cli.mask_learn import command as learn
from kgprobe.cli.mask_score import command as score
from kgprobe.cli.mask_suggest import command as suggest

__all__ = ["command"]

_EXAMPLES = """\b
Examples:
  kgprobe mask learn run.sqlite --out mask.ttl   learn a mask from a campaign
  kgprobe mask score mask.ttl run.sqlite         how well does a mask fit a campaign?
  kgprobe mask suggest run.sqlite                which mutants would tell most?
"""


@click.group("mask", epilog=_EXAMPLES)
def command() -> None:
    """Learn masks from mutants on which a system passed or failed, and judge masks by them."""


for _each in (learn, score, suggest):
    command.add_command(_each)
