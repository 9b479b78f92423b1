"""`kgprobe convert`: the same graph in another format."""

from __future__ import annotations

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import print_json, reads_graph
from kgprobe.graph.files import Loaded, save

_EXAMPLES = """\b
Examples:
  kgprobe convert pizza.owl pizza.ttl           formats are found from content and name
  kgprobe convert go.obo.gz go.nt.gz            packed on both sides
  kgprobe convert - - --to turtle < data.jsonld a filter
  kgprobe convert a.ttl b.ttl --imports lib/    with all that it imports, in one file
"""


@click.command("convert", epilog=_EXAMPLES)
@reads_graph("in")
@click.argument("out", metavar="OUT")
@click.option("--to", "to", metavar="FORMAT", help="Write this format, whatever OUT is called.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
def command(loaded: Loaded, out: str, to: str | None, as_json: bool) -> None:
    """Write the graph in IN to OUT in another format. OUT is replaced as a whole, or not at all."""
    written = save(loaded.graph, out, format_name=to)
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
        click.echo(
            f"{loaded.name} ({loaded.format.title}) → {out} ({written.format.title}): {len(loaded.graph):,} triples"
        )
