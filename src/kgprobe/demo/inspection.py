"""The first three parts of the demo, on the graph of an underwater robot: graphs, masks, mutants."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from random import Random

from kgprobe.demo.materials import NAMESPACE, example
from kgprobe.graph.canonical import fingerprint
from kgprobe.graph.files import Loaded
from kgprobe.graph.graph import Delta, FreshNames, Graph
from kgprobe.graph.patterns import Binding, compile_where
from kgprobe.graph.terms import RDF, NamedNode, Triple
from kgprobe.masks.consistency import ConsistencyCheck
from kgprobe.masks.mask import Mask
from kgprobe.masks.shacl import ShaclCheck
from kgprobe.mutation.catalogue import operator_set
from kgprobe.mutation.generator import Generator, Tally
from kgprobe.mutation.mutant import Mutant, explained
from kgprobe.mutation.pins import Pins
from kgprobe.mutation.strategies import Weighted
from kgprobe.ontology.entities import entities
from kgprobe.reasoners.choice import open_reasoner
from kgprobe.reasoners.protocol import Reasoner

__all__ = ["show_graphs", "show_masks", "show_mutants"]

_SEED = 7
# Two segments side by side, where the first has no other neighbour.
_PATTERN = "?a :nextTo ?b . FILTER NOT EXISTS { ?a :nextTo ?c . FILTER(?c != ?b) }"
_MUTATIONS = 3
_MUTANTS = 5
_PINNED = f"{NAMESPACE}robot"


# -- graphs ------------------------------------------------------------------------------------------------------------


def show_graphs() -> Iterator[str]:
    """Load a graph, change it, show the change, undo it."""
    loaded = example("inspection.ttl")
    yield from _introduce(loaded)
    graph = loaded.graph
    before, order = fingerprint(graph), list(graph)

    where = compile_where(_PATTERN, graph.spelling.prefixes)
    yield f"Search     {_PATTERN}"
    yield f"           {sum(1 for _ in where.matches(graph))} matches; random seed {_SEED} picks one of them"

    match = where.sample(graph, Random(_SEED))
    assert match is not None  # noqa: S101 - there are matches in this graph
    delta = _insert_segment(graph, match)
    graph.apply(delta)
    yield f"Change     insert a new segment there: {len(delta.removed)} triple removed, {len(delta.added)} added"
    for sign, part in (("-", delta.removed), ("+", delta.added)):
        yield from (f"             {sign} {graph.spelling.triple(triple)} ." for triple in part)
    yield f"           {len(graph)} triples now; the graph has changed: {_yes(fingerprint(graph) != before)}"

    graph.revert(delta)
    yield f"Undo       the graph is exactly as before: {_yes(fingerprint(graph) == before and list(graph) == order)}"


def _introduce(loaded: Loaded) -> Iterator[str]:
    found = entities(loaded.graph)
    yield f"Load       a graph that an underwater robot uses: the pipeline it inspects ({loaded.format.title})"
    yield (
        f"           {len(loaded.graph)} triples: {len(found.classes)} classes, {len(found.individuals)} individuals,"
        f" {len(found.object_properties) + len(found.data_properties)} properties"
    )


def _insert_segment(graph: Graph, match: Binding) -> Delta:
    """A change such as a mutation makes: cut one connection, and put a new segment in between."""
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


# -- masks -------------------------------------------------------------------------------------------------------------


def show_masks() -> Iterator[str]:
    """Check a graph, and two broken variants, against a mask."""
    graph = example("inspection.ttl").graph
    with closing(open_reasoner("auto")) as reasoner:
        mask = _mask(reasoner)
        yield f"Mask       SHACL shapes, and no contradiction (OWL); the pipeline passes: {_yes(mask.admits(graph))}"
        for title, delta in _broken(graph):
            graph.apply(delta)
            yield f"Break      {title}; the mask rejects the graph:"
            yield from (f"             {r.check}: {r.words}" for r in mask.rejections(graph))
            graph.revert(delta)
        yield f"Undo       the pipeline passes again: {_yes(mask.admits(graph))}"


def _mask(reasoner: Reasoner) -> Mask:
    return Mask([ShaclCheck(example("inspection-shapes.ttl").graph, "shapes"), ConsistencyCheck(reasoner)])


def _broken(graph: Graph) -> Iterator[tuple[str, Delta]]:
    """A change that the shapes forbid, and one that makes the graph inconsistent."""
    segment, length = NamedNode(NAMESPACE + "segment3"), NamedNode(NAMESPACE + "lengthInMetres")
    yield "remove the length of a segment", Delta(removed=graph.triples(segment, length))
    valve, robot = NamedNode(NAMESPACE + "valve1"), NamedNode(NAMESPACE + "Robot")
    yield "say that a valve is a robot", Delta(added=[Triple(valve, RDF.type, robot)])


# -- mutants -----------------------------------------------------------------------------------------------------------


def show_mutants() -> Iterator[str]:
    """Generate mutants that pass the mask, and show how one of them was made."""
    graph = example("inspection.ttl").graph
    operators = operator_set("abox")
    with closing(open_reasoner("auto")) as reasoner:
        generator = Generator(
            graph,
            [Weighted(operator) for operator in operators],
            mutations=_MUTATIONS,
            seed=_SEED,
            mask=_mask(reasoner),
            pins=Pins(namespaces=[_PINNED]),
        )
        yield f"Operators  {len(operators)} that change facts about individuals, but none about the robot itself"
        mutants = list(generator.mutants(_MUTANTS))
    yield from _counted(generator.tally)
    descriptions = {operator.description.name: operator.description for operator in operators}
    mutant = max(mutants, key=_different)
    yield f"Mutant {mutant.number}   {len(mutant.delta)} triples differ from the pipeline, after {_MUTATIONS} steps:"
    for number, step in enumerate(mutant.steps, start=1):
        first, *changes = explained(step, descriptions[step.operator].summary, graph.spelling)
        yield f"             {number}. {first}"
        yield from (f"                  {line}" for line in changes)


def _counted(tally: Tally) -> Iterator[str]:
    rejected = ", ".join(f"{check} {count}" for check, count in tally.rejected.most_common())
    yield f"Mutants    {tally.kept} that pass the mask, from {tally.attempts} attempts (random seed {_SEED})"
    if rejected:
        yield f"           rejected by {rejected}"


def _different(mutant: Mutant) -> tuple[int, int]:
    """How many operators a mutant shows, and how much of their effect is left: more makes a better example."""
    return len({step.operator for step in mutant.steps}), len(mutant.delta)


def _yes(condition: bool) -> str:
    return "yes" if condition else "NO"
