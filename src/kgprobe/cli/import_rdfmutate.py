"""`kgprobe import-rdfmutate`: convert a configuration of RDFMutate to a profile."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from kgprobe.cli.app import tell
from kgprobe.config.loading import load_profile
from kgprobe.config.rdfmutate import convert
from kgprobe.written_files import check_new, write_new

_EXAMPLES = """\b
Examples:
  kgprobe import-rdfmutate config.yaml              writes profile.toml and operators/*.ru
  kgprobe import-rdfmutate config.yaml --out pipes  writes pipes/profile.toml and pipes/operators/*.ru
"""


@click.command("import-rdfmutate", epilog=_EXAMPLES)
@click.argument("config", metavar="CONFIG", type=click.Path(path_type=Path))
@click.option(
    "--out",
    "folder",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    show_default=True,
    help="The folder to write to.",
)
@click.option("--force", is_flag=True, help="Replace files that exist.")
def command(config: Path, folder: Path, force: bool) -> None:
    """Convert a configuration of RDFMutate to a profile, and its rules to operators.

    For a configuration that extracts operators from graphs, the command that does the same is printed.
    """
    conversion = convert(config, folder)
    files = {} if conversion.command else {**conversion.operators, "profile.toml": conversion.profile}
    texts = {folder / file: text for file, text in files.items()}
    for path in texts:  # all or none
        check_new(path, force=force)
    for path, text in texts.items():
        write_new(path, text, force=force)
    for note in conversion.notes:
        tell("note", note)
    if conversion.command:
        click.echo(shlex.join(conversion.command))
        return
    load_profile(folder / "profile.toml")
    for path in texts:
        click.echo(path)
