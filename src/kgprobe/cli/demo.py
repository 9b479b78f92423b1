"""`kgprobe demo`: a small, real run of each method."""

from __future__ import annotations

import click

from kgprobe.version import __version__

_EXAMPLES = """\b
Examples:
  kgprobe demo
"""
_NEXT = """
Try it on your own graph (Turtle, RDF/XML, JSON-LD, OWL, OBO, …; compressed files work, too):
  kgprobe info GRAPH                     show what it contains
  kgprobe convert GRAPH out.ttl          convert it to another format
  kgprobe check GRAPH --reasoner auto    check that it is consistent
  kgprobe init GRAPH                     write a profile: the settings for the next two commands
  kgprobe mutate profile.toml            generate mutants
  kgprobe test profile.toml              test your software on mutants (name it in the profile first)
  kgprobe mask learn profile.toml        learn from the results which graphs the software can handle
  kgprobe diff OLD NEW                   compare two versions
  kgprobe select OLD NEW --tests DIR     list the tests that the change can affect
  kgprobe score ONTOLOGY --tests DIR     count the changes of it that no test notices
  kgprobe query check QUERY --ontology O find parts of a query that can never match
  kgprobe query test QUERY --ontology O  test the query on generated data
  kgprobe questions run profile.toml     ask software questions about the graph (name both in the profile)"""


@click.command("demo", epilog=_EXAMPLES)
def command() -> None:
    """Show what kgprobe does, on built-in graphs, in a few seconds."""
    from kgprobe.demo import parts  # `kgprobe demo --help` need not wait for them

    titles = {
        "1. GRAPHS: change a graph, and undo the change": parts.show_graphs,
        "2. MASKS: which graphs must the software be able to handle?": parts.show_masks,
        "3. MUTATION: generate mutants that pass the mask": parts.show_mutants,
        "4. CAMPAIGNS: does the software still work on the mutants?": parts.show_campaigns,
        "5. LEARNED MASK: what does the software rely on?": parts.show_learned_mask,
        "6. SELECTION: the ontology has changed, so which tests must run again?": parts.show_selection,
        "7. SCORE: how good are these tests?": parts.show_score,
        "8. QUERIES: is this SPARQL query wrong, whatever the data are?": parts.show_queries,
        "9. QUESTIONS: do the answers of a program follow from each other?": parts.show_questions,
    }
    click.echo(f"kgprobe {__version__} tests software that depends on a knowledge graph or an ontology.")
    click.echo("Here is what it does, in nine small examples that run now, on built-in graphs.")
    for title, show in titles.items():
        click.echo(f"\n{title}")
        for line in show():
            click.echo(f"  {line}")
    click.echo(_NEXT)
