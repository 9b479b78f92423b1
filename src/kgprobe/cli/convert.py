"""`kgprobe convert`: write a graph in another format."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import Reading, option, print_json, reads_graphs, takes
from kgprobe.errors import InputError, Position
from kgprobe.formats.files import save
from kgprobe.wording import number_of
from kgprobe.written_files import check_new

_EXAMPLES = """\b
Examples:
  kgprobe convert pizza.owl pizza.ttl                formats are detected from the content and the name
  kgprobe convert go.obo.gz go.nt.gz                 compressed on both sides
  kgprobe convert - - --format turtle < data.jsonld  a filter
  kgprobe convert a.ttl b.ttl --imports lib/         with all its imports, in one file
  kgprobe convert a.ttl b.ttl --force                replaces b.ttl
"""


@dataclass(frozen=True, kw_only=True)
class ConvertOptions:
    """The options of the command."""

    written_as: str | None = option(
        "--format", old="--to", metavar="FORMAT", help="Write this format, regardless of the name of OUT."
    )
    force: bool = option("--force", is_flag=True, help="Replace OUT without asking if it exists.")
    as_json: bool = option("--json", is_flag=True, help="Print JSON.")


@click.command("convert", epilog=_EXAMPLES)
@click.argument("in", metavar="IN")
@click.argument("out", metavar="OUT")
@reads_graphs
@takes(ConvertOptions)
def command(reading: Reading, out: str, options: ConvertOptions, **given: str) -> None:
    """Write the graph in IN to OUT in another format. OUT is replaced as a whole, or not at all."""
    force = options.force
    if out != "-" and not force:
        force = _may_replace(Path(out), input_is_free=given["in"] != "-")
    loaded = reading.read(given["in"])
    written = save(loaded.graph, out, format_name=options.written_as, force=force)
    for note in written.notes:
        tell("warning", f"{out}: {note}")
    if options.as_json and out != "-":
        print_json(
            {
                "in": loaded.name,
                "in_format": loaded.format.name,
                "out": out,
                "out_format": written.format.name,
                "triples": len(loaded.graph),
            }
        )
    elif out != "-":
        triples = number_of(len(loaded.graph), "triple")
        click.echo(f"{loaded.name} ({loaded.format.title}) → {out} ({written.format.title}): {triples}")


def _may_replace(out: Path, *, input_is_free: bool) -> bool:
    """Whether the user lets us replace the file, if it exists. Without a terminal, a file that exists is an error."""
    try:
        exists = out.is_file()  # a pipe or a device is written to, not replaced
    except (OSError, ValueError):  # no file can have this name: `save` reports the error
        return False
    if not exists:
        return False
    if input_is_free and sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty():
        if not click.confirm(f"{out} exists. Replace it?", err=True):
            raise InputError("was not replaced", where=Position(str(out)))
    else:
        check_new(out, force=False)
    return True
