"""`kgprobe init`: a profile to start from."""

from __future__ import annotations

from pathlib import Path

import click

from kgprobe.cli.options import accepts_old_format_option, says_how_to_read, warn
from kgprobe.cli.progress import reading_progress
from kgprobe.config.loading import load_profile
from kgprobe.config.starter import Start, starter_profile
from kgprobe.config.writing import write_new
from kgprobe.errors import InputError, Position
from kgprobe.graph.catalogs import read_catalog
from kgprobe.graph.files import load
from kgprobe.graph.imports import Library, with_imports

_EXAMPLES = """\b
Examples:
  kgprobe init robot.ttl                                       writes profile.toml
  kgprobe init robot.ttl --imports ontologies --out robot.toml
"""


@click.command("init", epilog=_EXAMPLES)
@click.argument("graph", type=click.Path(path_type=Path))
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=Path("profile.toml"),
    show_default=True,
    help="The file to write.",
)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@accepts_old_format_option
@says_how_to_read
def command(
    graph: Path,
    out: Path,
    force: bool,
    format_name: str | None,
    base: str | None,
    folders: tuple[Path, ...],
    catalogs: tuple[Path, ...],
) -> None:
    """Write a profile for making mutants of GRAPH, with comments on what else it could say."""
    if str(graph) == "-":
        raise InputError("a profile names the file of its graph, and standard input is none")
    if out.suffix.lower() != ".toml":
        raise InputError("this is no name for a profile", where=Position(str(out)), hint="it ends with .toml")
    library = Library([read_catalog(path) for path in catalogs], folders)
    with reading_progress(str(graph)) as on_read:
        own = load(graph, format_name=format_name, base=base, on_read=on_read)
    loaded = with_imports(own, library)
    warn(loaded)
    start = Start(graph, own.format.name if format_name else None, base, folders, catalogs)
    write_new(out, starter_profile(loaded.graph, start, out.parent), force=force)
    load_profile(out)
    click.echo(f"{out} is a profile for {graph}")
