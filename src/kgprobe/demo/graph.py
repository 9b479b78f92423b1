"""The first part of the demo: load a graph, change it, show the change, take it back."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import as_file, files
from random import Random

from kgprobe.graph.canonical import fingerprint
from kgprobe.graph.delta import Delta
from kgprobe.graph.files import Loaded, load
from kgprobe.graph.fresh import FreshNames
from kgprobe.graph.graph import Graph
from kgprobe.graph.patterns import Binding, compile_where
from kgprobe.graph.terms import RDF, NamedNode, Triple
from kgprobe.ontology.entities import entities

__all__ = ["NAMESPACE", "example", "show"]

_SEED = 7
NAMESPACE = "https://kgprobe.example/inspection#"
# A connection between two segments, and no second one: a pipeline that is laid in a line.
_PATTERN = "?a :nextTo ?b . FILTER NOT EXISTS { ?a :nextTo ?c . FILTER(?c != ?b) }"


def example(name: str) -> Loaded:
    """A graph that comes along."""
    with as_file(files("kgprobe.demo").joinpath(name)) as path:
        return load(path)


def show() -> Iterator[str]:
    """Run it, and say what happens line by line."""
    loaded = example("inspection.ttl")
    yield from _introduce(loaded)
    graph = loaded.graph
    before, order = fingerprint(graph), list(graph)

    where = compile_where(_PATTERN, graph.spelling.prefixes)
    yield f"Look for   {_PATTERN}"
    yield f"           {sum(1 for _ in where.matches(graph))} matches, one of them drawn with the seed {_SEED}"

    match = where.sample(graph, Random(_SEED))
    assert match is not None  # noqa: S101 - there are matches in this graph
    delta = _insert_segment(graph, match)
    graph.apply(delta)
    yield f"Change     a new segment between the two: {len(delta.removed)} triple out, {len(delta.added)} in"
    for sign, part in (("-", delta.removed), ("+", delta.added)):
        yield from (f"             {sign} {graph.spelling.triple(triple)} ." for triple in part)
    yield f"           now {len(graph)} triples; the graph says something else: {_yes(fingerprint(graph) != before)}"

    graph.revert(delta)
    yield f"Take back  every triple is where it was: {_yes(fingerprint(graph) == before and list(graph) == order)}"


def _introduce(loaded: Loaded) -> Iterator[str]:
    found = entities(loaded.graph)
    yield f"Load       what an underwater robot knows of a pipeline ({loaded.format.title})"
    yield (
        f"           {len(loaded.graph)} triples: {len(found.classes)} classes, {len(found.individuals)} individuals,"
        f" {len(found.object_properties) + len(found.data_properties)} properties"
    )


def _insert_segment(graph: Graph, match: Binding) -> Delta:
    """A change of the kind that mutation testing makes: one connection is cut, and a new segment put in between."""
    new = FreshNames(graph, _SEED).iri(NAMESPACE)
    next_to, segment = NamedNode(NAMESPACE + "nextTo"), NamedNode(NAMESPACE + "Segment")
    [cut] = graph.triples(match["a"], next_to, match["b"])
    return Delta(
        removed=[cut],
        added=[
            Triple(new, RDF.type, segment),
            Triple(cut.subject, next_to, new),
            Triple(new, next_to, cut.object),
        ],
    )


def _yes(condition: bool) -> str:
    return "yes" if condition else "NO"
