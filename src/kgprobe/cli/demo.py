"""`kgprobe demo`: a small, real run of every method that exists so far."""

from __future__ import annotations

import click

from kgprobe import __version__
from kgprobe.demo import graph

_EXAMPLES = """\b
Examples:
  kgprobe demo
"""


@click.command("demo", epilog=_EXAMPLES)
def command() -> None:
    """See what kgprobe does, on graphs that come along, in a few seconds."""
    click.echo(
        f"kgprobe {__version__} tests software that depends on a knowledge graph. This runs what it has so far.\n"
    )
    click.echo("GRAPHS: exact triples, cheap changes")
    for line in graph.show():
        click.echo(f"  {line}")
    click.echo("\nTry next, with a graph of yours (Turtle, RDF/XML, JSON-LD, OWL, OBO, …, also packed):")
    click.echo("  kgprobe info GRAPH              what is in it")
    click.echo("  kgprobe convert GRAPH out.ttl   the same in another format")
