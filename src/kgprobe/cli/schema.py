"""`kgprobe schema`: the JSON Schema of profiles."""

from __future__ import annotations

import click

from kgprobe.config.schema import schema_text

_EXAMPLES = """\b
Examples:
  kgprobe schema > profile.schema.json   for an editor: begin a profile with '#:schema profile.schema.json'
"""


@click.command("schema", epilog=_EXAMPLES)
def command() -> None:
    """Print the JSON Schema of profiles. Editors that know it complete keys, and tell what each is for."""
    click.echo(schema_text(), nl=False)
