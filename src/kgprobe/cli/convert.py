"""`kgprobe convert`: write a graph in another format."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import Reading, print_json, reads_graphs, writes_graphs
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


@click.command("convert", epilog=_EXAMPLES)
@click.argument("in", metavar="IN")
@click.argument("out", metavar="OUT")
@reads_graphs
@writes_graphs("written_as", "Write this format, regardless of the name of OUT.")
@click.option("--force", is_flag=True, help="Replace OUT without asking if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(reading: Reading, out: str, written_as: str | None, force: bool, as_json: bool, **given: str) -> None:
    """Write the graph in IN to OUT in another format. OUT is replaced as a whole, or not at all."""
    if out != "-" and not force:
        force = _may_replace(Path(out), input_is_free=given["in"] != "-")
    loaded = reading.read(given["in"])
    written = save(loaded.graph, out, format_name=written_as, force=force)
    for note in written.notes:
        tell("warning", f"{out}: {note}")
    if as_json and out != "-":
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
