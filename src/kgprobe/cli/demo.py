"""`kgprobe demo`: a small, real run of every method that exists so far."""

from __future__ import annotations

import click


@click.command("demo")
def command() -> None:
    """See what kgprobe does, on embedded examples, in a few seconds."""
    click.echo("kgprobe demo")
