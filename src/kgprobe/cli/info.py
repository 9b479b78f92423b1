"""`kgprobe info`: what is in a graph."""

from __future__ import annotations

import click

from kgprobe.cli.options import print_json, reads_graph
from kgprobe.graph.files import Loaded
from kgprobe.graph.imports import imports_of
from kgprobe.ontology.entities import entities

_EXAMPLES = """\b
Examples:
  kgprobe info pizza.owl                        the format is found from the content
  kgprobe info go.obo.gz --json                 for a machine
  kgprobe info robot.ttl --imports ontologies/  with all that it imports
  curl … | kgprobe info -                       from standard input
"""


@click.command("info", epilog=_EXAMPLES)
@reads_graph("graph")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(loaded: Loaded, as_json: bool) -> None:
    """Say what GRAPH is: its format, and how many triples, classes, properties and individuals it has."""
    found = entities(loaded.graph)
    counts = {
        "triples": len(loaded.graph),
        "classes": len(found.classes),
        "object_properties": len(found.object_properties),
        "data_properties": len(found.data_properties),
        "annotation_properties": len(found.annotation_properties),
        "individuals": len(found.individuals),
    }
    imports = [term.value for term in imports_of(loaded.graph)]
    if as_json:
        print_json({"name": loaded.name, "format": loaded.format.name, **counts, "imports": imports})
        return
    click.echo(f"{loaded.name}: {loaded.format.title}")
    for name, count in counts.items():
        click.echo(f"  {name.replace('_', ' '):<22}{count:>10,}")
    for iri in imports:
        click.echo(f"  imports {iri}")
