"""`kgprobe info`: describe a graph."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import print_json, prints_text_or_json, reads_graph
from kgprobe.formats.files import Loaded
from kgprobe.formats.imports import imports_of
from kgprobe.owl.axioms import AxiomView
from kgprobe.owl.entities import entities
from kgprobe.owl.profiles import Profile, profiles
from kgprobe.rdf.graph import Graph

_EXAMPLES = """\b
Examples:
  kgprobe info pizza.owl                        the format is detected from the content
  kgprobe info go.obo.gz --json                 print JSON
  kgprobe info go.obo.gz --axioms               with axioms and profiles, even if it is large
  kgprobe info robot.ttl --imports ontologies/  with all its imports
"""
# Reading axioms takes about 50 µs per triple: for this many, a few seconds.
_MOST_TRIPLES = 100_000
# Heads of groups of triples in the axiom view that are not axioms.
_NO_AXIOMS = ("Ontology", "Import", "Variable", None)


@dataclass(frozen=True)
class _Owl:
    """A graph as OWL: how many axioms of each kind, and the profiles that it is in."""

    axioms: dict[str, int]
    profiles: list[str]


@click.command("info", epilog=_EXAMPLES)
@prints_text_or_json
@reads_graph("graph")
@click.option(
    "--axioms/--no-axioms",
    "with_axioms",
    default=None,
    help=f"Count axioms and check OWL 2 profiles. Done by default up to {_MOST_TRIPLES:,} triples.",
)
def command(loaded: Loaded, with_axioms: bool | None, as_json: bool) -> None:
    """Describe GRAPH: its format, its profiles, and how many triples, classes, properties and axioms it has."""
    counts = _counts(loaded.graph)
    owl = _owl(loaded.graph) if _wanted(loaded, with_axioms) else None
    imports = [term.value for term in imports_of(loaded.graph)]
    if as_json:
        print_json(
            {
                "name": loaded.name,
                "format": loaded.format.name,
                **counts,
                "axioms": sum(owl.axioms.values()) if owl else None,
                "axiom_kinds": owl.axioms if owl else None,
                "profiles": owl.profiles if owl else None,
                "imports": imports,
            }
        )
        return
    click.echo(f"{loaded.name}: {loaded.format.title}")
    if owl:
        counts["axioms"] = sum(owl.axioms.values())
    for name, count in counts.items():
        click.echo(f"  {name.replace('_', ' '):<22}{count:>10,}")
    if owl:
        click.echo(f"  OWL 2 profiles        {', '.join(owl.profiles) or 'none':>10}")
    for iri in imports:
        click.echo(f"  imports {iri}")


def _wanted(loaded: Loaded, with_axioms: bool | None) -> bool:
    if with_axioms is None and len(loaded.graph) > _MOST_TRIPLES:
        tell("note", f"{loaded.name}: axioms and profiles of more than {_MOST_TRIPLES:,} triples need --axioms")
        return False
    return with_axioms is not False


def _counts(graph: Graph) -> dict[str, int]:
    found = entities(graph)
    return {
        "triples": len(graph),
        "classes": len(found.classes),
        "object_properties": len(found.object_properties),
        "data_properties": len(found.data_properties),
        "annotation_properties": len(found.annotation_properties),
        "individuals": len(found.individuals),
    }


def _owl(graph: Graph) -> _Owl:
    axioms = list(AxiomView(graph))
    kinds = Counter(axiom.head for axiom in axioms if axiom.head not in _NO_AXIOMS)
    inside = profiles(axioms)
    return _Owl(
        axioms={str(kind): kinds[kind] for kind in sorted(kinds, key=str)},
        profiles=[profile.value for profile in Profile if profile in inside],
    )
