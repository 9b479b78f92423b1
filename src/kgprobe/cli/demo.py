"""`kgprobe demo`: a small, real run of every method."""

from __future__ import annotations

import click

from kgprobe import __version__
from kgprobe.demo import campaign, graph, masks, mutation, selection

_EXAMPLES = """\b
Examples:
  kgprobe demo
"""
_PARTS = {
    "GRAPHS: exact triples, cheap changes": graph.show,
    "MASKS: which graphs are admissible": masks.show,
    "MUTATION: change a graph step by step": mutation.show,
    "CAMPAIGNS: does the software still work?": campaign.show,
    "SELECTION: the ontology changed; which tests must run again?": selection.show,
}


@click.command("demo", epilog=_EXAMPLES)
def command() -> None:
    """See what kgprobe does, on built-in graphs, in a few seconds."""
    click.echo(f"kgprobe {__version__} tests software that depends on a knowledge graph. Here is what it can do.")
    for title, show in _PARTS.items():
        click.echo(f"\n{title}")
        for line in show():
            click.echo(f"  {line}")
    click.echo("\nTry these next, with your own graph (Turtle, RDF/XML, JSON-LD, OWL, OBO, …, compressed or not):")
    click.echo("  kgprobe info GRAPH                     summarise it")
    click.echo("  kgprobe convert GRAPH out.ttl          convert it to another format")
    click.echo("  kgprobe check GRAPH --reasoner auto    is it consistent?")
    click.echo("  kgprobe init GRAPH                     write a profile for it")
    click.echo("  kgprobe mutate profile.toml            make mutants of it")
    click.echo("  kgprobe test profile.toml              run your software on them, once the profile names it")
    click.echo("  kgprobe diff OLD NEW                   compare two versions")
    click.echo("  kgprobe select OLD NEW --tests DIR     find the tests that the change can affect")
