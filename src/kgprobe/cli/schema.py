"""`kgprobe schema`: print the JSON Schema of profiles."""

from __future__ import annotations

import click

from kgprobe.config.schema import schema_text

_EXAMPLES = """\b
Examples:
  kgprobe schema > profile.schema.json   for an editor: start a profile with '#:schema profile.schema.json'
"""


@click.command("schema", epilog=_EXAMPLES)
def command() -> None:
    """Print the JSON Schema of profiles, with which editors complete keys and describe them."""
    click.echo(schema_text(), nl=False)
