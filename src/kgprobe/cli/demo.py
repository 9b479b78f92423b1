"""`kgprobe demo`: a small, real run of every method that exists so far."""

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
    "MUTATION: graphs that differ, step by step": mutation.show,
    "CAMPAIGNS: does the software still work?": campaign.show,
    "SELECTION: the ontology changed, which tests must run again?": selection.show,
}


@click.command("demo", epilog=_EXAMPLES)
def command() -> None:
    """See what kgprobe does, on graphs that come along, in a few seconds."""
    click.echo(f"kgprobe {__version__} tests software that depends on a knowledge graph. This is what it has so far.")
    for title, show in _PARTS.items():
        click.echo(f"\n{title}")
        for line in show():
            click.echo(f"  {line}")
    click.echo("\nTry next, with a graph of yours (Turtle, RDF/XML, JSON-LD, OWL, OBO, …, also packed):")
    click.echo("  kgprobe info GRAPH                     what is in it")
    click.echo("  kgprobe convert GRAPH out.ttl          the same in another format")
    click.echo("  kgprobe check GRAPH --reasoner auto    is it consistent?")
    click.echo("  kgprobe init GRAPH                     a profile for it, to change and to keep")
    click.echo("  kgprobe mutate profile.toml            mutants of it")
    click.echo("  kgprobe test profile.toml              your software on them, once the profile names it")
    click.echo("  kgprobe diff OLD NEW                   what changed from one version to the next")
    click.echo("  kgprobe select OLD NEW --tests DIR     which tests that can affect")
