"""`kgprobe init`: writes a starter profile."""

from __future__ import annotations

from pathlib import Path

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import Reading, accepts_old_format_option, takes
from kgprobe.cli.progress import reading_progress
from kgprobe.config.loading import load_profile
from kgprobe.config.schema import SCHEMA_NAME, schema_text
from kgprobe.config.starter import SCHEMA_FILE, Start, starter_profile
from kgprobe.errors import InputError, Position
from kgprobe.formats.files import load
from kgprobe.given_files import read_text
from kgprobe.masks.from_axioms import mask_from_axioms
from kgprobe.rdf.graph import Graph
from kgprobe.wording import number_of
from kgprobe.written_files import check_new, write_new

_EXAMPLES = """\b
Examples:
  kgprobe init robot.ttl                                       writes profile.toml
  kgprobe init robot.ttl --imports ontologies --out robot.toml
  kgprobe init robot.ttl --mask-from-axioms                    also writes profile-mask.ttl
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
@click.option(
    "--mask-from-axioms",
    "from_axioms",
    is_flag=True,
    help="Also write SHACL shapes, from the axioms of the graph.",
)
@click.option("--force", is_flag=True, help="Replace files that exist.")
@accepts_old_format_option
@takes(Reading, "reading", without=["strict_imports"])
def command(graph: Path, out: Path, from_axioms: bool, force: bool, reading: Reading) -> None:
    """Write a profile for making mutants of GRAPH, with comments on all other keys.

    The schema of profiles is written next to it, for editors that complete keys and values.
    """
    if str(graph) == "-":
        raise InputError("init cannot read from standard input: the profile must name the file of the graph")
    if out.suffix.lower() != ".toml":
        raise InputError("the name of a profile ends with .toml", where=Position(str(out)))
    with reading_progress(str(graph)) as on_read:
        own = load(graph, format_name=reading.format_name, base=reading.base, on_read=on_read)
    loaded = reading.completed(own, reading.library())
    check_new(out, force=force)
    _check_schema(out.parent / SCHEMA_FILE, force=force)
    mask = _write_mask(loaded.graph, out.with_name(f"{out.stem}-mask.ttl"), force=force) if from_axioms else None
    format_name = own.format.name if reading.format_name else None
    start = Start(graph, format_name, reading.base, reading.folders, reading.catalogs, mask)
    write_new(out, starter_profile(loaded.graph, start, out.parent, own=own.graph), force=force)
    write_new(out.parent / SCHEMA_FILE, schema_text(), force=True)
    load_profile(out)
    click.echo(f"{out} is a profile for {graph}")


def _check_schema(path: Path, *, force: bool) -> None:
    """Raise InputError unless the file is a schema of an earlier version, which is replaced."""
    check_new(path, force=True)
    if path.exists() and SCHEMA_NAME not in read_text(path):
        check_new(path, force=force)


def _write_mask(graph: Graph, path: Path, *, force: bool) -> Path | None:
    check_new(path, force=force)
    mask = mask_from_axioms(graph)
    for axiom in mask.left_out:
        tell("note", f"not in the mask: {axiom}")
    if not mask.shapes:
        tell("note", "no mask was written: the graph has no axiom that SHACL shapes can express")
        return None
    write_new(path, mask.text, force=force)
    click.echo(f"{path} is a mask with {number_of(mask.shapes, 'shape')}")
    return path
