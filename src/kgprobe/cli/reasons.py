"""The option of commands that search for the reason for a reasoner's answer. Others do not import reasoners."""

from __future__ import annotations

import click

from kgprobe.reasoners.protocol import SECONDS_FOR_A_REASON

__all__ = ["seconds_for_a_reason"]

seconds_for_a_reason = click.option(
    "--seconds",
    metavar="N",
    type=click.FloatRange(min=0, min_open=True),
    default=SECONDS_FOR_A_REASON,
    show_default=True,
    help="The time to search for the reason once the answer is known.",
)
