"""`kgprobe schema`: the JSON Schema of profiles."""

from __future__ import annotations

import click

from kgprobe.config.schema import schema_text

_EXAMPLES = """\b
Examples:
  kgprobe schema > profile.schema.json   for editors: start a profile with '#:schema profile.schema.json'
"""


@click.command("schema", epilog=_EXAMPLES)
def command() -> None:
    """Print the JSON Schema of profiles. Editors can use it to complete and explain keys."""
    click.echo(schema_text(), nl=False)
