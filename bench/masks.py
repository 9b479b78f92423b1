"""The speed of masks: `python -m bench.masks`. All yardsticks are measured in the same run.

Needs pyshacl, and the graphs and masks of ../shared/data. Each measurement also compares the verdicts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import shifty
from pyoxigraph import RdfFormat, parse

from bench.measure import Row, best_of, report
from kgprobe.formats.files import load
from kgprobe.masks.pins import PinnedTriples
from kgprobe.masks.shacl import ShaclCheck, ShiftyEngine, ntriples
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import Triple

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
SEEDS = {
    "suave mask7": ("suave/suave_original_with_imports.ttl", "suave/masks/mask7.ttl"),
    "geo mask1": ("geo/geo_original.ttl", "geo/mask1.ttl"),
}
# A shape that needs a full validator, to measure its cost for a stream of mutants.
SPARQL = b"""
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
<urn:s> a sh:NodeShape ; sh:targetClass owl:Class ;
    sh:sparql [ sh:select "SELECT $this { $this <http://www.w3.org/2000/01/rdf-schema#subClassOf> $this }" ] .
"""


def mutants(graph: Graph, count: int) -> list[Delta]:
    """Changes of two triples each: one is removed, and one that combines parts of others is added."""
    random = Random(1)
    triples = list(graph)
    found: list[Delta] = []
    while len(found) < count:
        gone, one, other = (random.choice(triples) for _ in range(3))
        come = Triple(one.subject, one.predicate, other.object)
        if come not in graph:
            found.append(Delta([gone], [come]))
    return found


def stream(graph: Graph, deltas: list[Delta], judge: Callable[[Graph], bool | None]) -> tuple[float, list[bool | None]]:
    """The seconds to judge one mutant, without making it, and the verdicts."""
    verdicts: list[bool | None] = []
    seconds = 0.0
    judge(graph)
    for delta in deltas:
        graph.apply(delta)
        start = time.perf_counter()
        verdicts.append(judge(graph))
        seconds += time.perf_counter() - start
        graph.revert(delta)
    return seconds / len(deltas), verdicts


def compared(name: str, seed: str, mask: str, count: int, sample: int) -> Iterator[Row]:
    graph, shapes = load(SHARED / seed).graph, load(SHARED / mask).graph
    deltas = mutants(graph, count)
    engine = ShiftyEngine(shapes, mask)
    # The first mutant pays for validating the seed graph and recording what the verdicts depend on.
    ours, verdicts = stream(graph, deltas, ShaclCheck(shapes, mask).admits)
    for what, judge, few, limit in (
        (f"pyshacl ({sample} mutants)", ShaclCheck(shapes, mask, engine="pyshacl").admits, sample, 20.0),
        ("full validation by shifty", engine.conforms_afresh, count, 5.0),
        ("EvidenceSession.revalidate", engine.conforms, count, 1.0),
    ):
        theirs, same = stream(graph, deltas[:few], judge)
        assert same == verdicts[:few], f"{what} and kgprobe disagree about {name}"
        yield ratio(f"{name}: {what} / ours", ours, theirs, limit)
    text = ntriples(graph)
    prepared = shifty.PreparedValidator((SHARED / mask).read_bytes())
    theirs = best_of(20, lambda: prepared.validate_algebra(text, graph_mode="data", infer=False))
    yield ratio(f"{name}: PreparedValidator, no writing / ours", ours, theirs, 1)


def ratio(what: str, ours: float, theirs: float, limit: float) -> Row:
    return Row(what, f"{ours * 1e3:.4f} ms", f"{theirs * 1e3:.3f} ms", theirs / ours, limit, at_least=True)


def beyond_lookups(count: int) -> Iterator[Row]:
    """Shapes that need a full validator: is sending changes to a session faster than writing the graph?"""
    graph = load(SHARED / "geo/geo_original.ttl").graph
    engine = ShiftyEngine(Graph(quad.triple for quad in parse(SPARQL, format=RdfFormat.TURTLE)), "sparql")
    deltas = mutants(graph, count)
    ours, verdicts = stream(graph, deltas, engine.conforms)
    theirs, same = stream(graph, deltas, engine.conforms_afresh)
    assert same == verdicts
    yield ratio("geo, a SPARQL shape: full validation / revalidate", ours, theirs, 1)


def pinned(count: int) -> Iterator[Row]:
    """Compare pinned triples with shapes that pin triples."""
    seed, mask = SEEDS["suave mask7"]
    graph, shapes = load(SHARED / seed).graph, load(SHARED / mask).graph
    deltas = mutants(graph, count)
    pins = PinnedTriples(load(SHARED / "suave/suave_unmutatable.owl").graph, "pins")
    ours, _ = stream(graph, deltas, pins.admits)
    theirs, _ = stream(graph, deltas, ShaclCheck(shapes, mask).admits)
    yield ratio("suave: mask7 by lookups / 103 pinned triples", ours, theirs, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=1_000)
    parser.add_argument("--sample", type=int, default=200, help="how many of them pyshacl judges, which takes minutes")
    options = parser.parse_args()
    rows: list[Row] = []
    for name, (seed, mask) in SEEDS.items():
        rows += compared(name, seed, mask, options.mutants, options.sample)
    rows += beyond_lookups(min(options.mutants, 200))
    rows += pinned(options.mutants)
    report(rows)


if __name__ == "__main__":
    main()
