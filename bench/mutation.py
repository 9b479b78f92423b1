"""The speed of mutation: `python -m bench.mutation`. The yardstick is measured in the same run.

Needs the ontologies of ../shared/data/ore.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from pyoxigraph import Quad, Store

from bench.measure import Row, best_of_each, report
from kgprobe.formats.files import load
from kgprobe.mutation.catalogue import operator_set
from kgprobe.mutation.generator import Generator, Tally, Weighted
from kgprobe.mutation.mutant import Mutant, entry_line
from kgprobe.mutation.output import rdf_patch
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, NamedNode, Triple

ORE = Path(__file__).resolve().parents[2] / "shared" / "data" / "ore"
MUTATIONS = 30
_COUNT, _BATCHES = 40, 10
SMALL, LARGE = 5_000, 200_000
_WRITERS: dict[str, Callable[[Mutant], object]] = {
    "a mutant as a patch": lambda mutant: rdf_patch(mutant.delta),
    "a mutant as a line of the manifest": lambda mutant: entry_line(mutant, None),
}
_VOCABULARY = (OWL.iri, RDF.iri, RDFS.iri, XSD.iri)


def seeds(count: int) -> dict[str, Graph]:
    """The ontologies whose size is nearest to 5,000 triples."""
    graphs = {path.name: load(path).graph for path in sorted(ORE.glob("*.owl"))}
    nearest = sorted(graphs, key=lambda name: abs(len(graphs[name]) - SMALL))
    return {name: graphs[name] for name in nearest[:count]}


def enlarged(graph: Graph, triples: int) -> Graph:
    """Copies of one ontology under other names, until there are this many triples."""
    copies = max(1, triples // len(graph))

    def renamed(term: object, copy: int) -> object:
        if isinstance(term, BlankNode):
            return BlankNode(f"{term.value}c{copy}")
        if isinstance(term, NamedNode) and not term.value.startswith(_VOCABULARY):
            return NamedNode(f"{term.value}-{copy}")
        return term

    return Graph(
        Triple(renamed(t.subject, copy), renamed(t.predicate, copy), renamed(t.object, copy))  # type: ignore[arg-type]
        for copy in range(copies)
        for t in graph
    )


def making(graph: Graph) -> Callable[[], list[Mutant]]:
    """A function that makes the same mutants each time."""
    generator = Generator(graph, [Weighted(operator) for operator in operator_set("owl-el")], mutations=MUTATIONS)

    def again() -> list[Mutant]:
        generator.tally = Tally()
        return list(generator.mutants(_COUNT))

    again()  # the first call compiles the operators
    return again


def against_copies(graph: Graph) -> tuple[float, float, float, float]:
    """The seconds for one mutant, and for a copy of the seed graph into a store.

    The copy is timed from a kgprobe graph, by the fastest way available, and then, which is less work, from a list of
    quads and from a store.
    """
    quads = list(map(Quad, *graph.columns()))
    seed = Store()
    seed.extend(quads)
    mutants, *copies = best_of_each(
        25,
        making(graph),
        lambda: Store().extend(map(Quad, *graph.columns())),
        lambda: Store().extend(quads),
        lambda: Store().extend(seed),
    )
    as_it_is, as_quads, as_store = copies
    return mutants / _COUNT, as_it_is, as_quads, as_store


def writing(graph: Graph, write: Callable[[Mutant], object]) -> Callable[[], object]:
    """A function that writes the same mutants each time. Mutants cache their change, so each object is written once."""
    make = making(graph)
    batches = [make() for _ in range(_BATCHES)]
    return lambda: [write(mutant) for mutant in batches.pop()]


def where_time_goes(graph: Graph) -> None:
    """Print the share of each module in making 200 mutants."""
    generator = Generator(graph, [Weighted(operator) for operator in operator_set("owl-el")], mutations=MUTATIONS)
    list(generator.mutants(5))
    profile = cProfile.Profile()
    profile.enable()
    list(generator.mutants(200))
    profile.disable()
    shares: dict[str, float] = defaultdict(float)
    stats: dict[tuple[str, int, str], tuple[int, int, float, float, object]] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    for (file, _, _), (_, _, own, _, _) in stats.items():
        shares[file.partition("kgprobe/")[2] or Path(file).name] += own
    total = sum(shares.values())
    print("\nwhere the time goes, as a profiler sees it (~: built-in functions; <pattern>: compiled WHERE clauses)")
    for name, seconds in sorted(shares.items(), key=lambda item: -item[1])[:12]:
        print(f"  {100 * seconds / total:5.1f} %  {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=6, help="how many ontologies of about 5,000 triples")
    chosen = seeds(parser.parse_args().seeds)
    print(f"mutants of {MUTATIONS} mutations each with owl-el and no mask; processor time")
    rows = []
    for name, graph in chosen.items():
        ours, copy, of_quads, of_store = against_copies(graph)
        what = f"a mutant of {name} / copy {len(graph):,} triples to a Store"
        rows.append(Row(what, f"{ours * 1e3:.2f} ms", f"{copy * 1e3:.2f} ms", ours / copy, 1 / 5))
        stricter = f"{ours / of_quads:.2f} of a copy of quads, {ours / of_store:.2f} of one of a Store"
        print(f"  {name}: {1 / ours:,.0f} mutants per second; {stricter}")
    for name, graph in chosen.items():
        large = enlarged(graph, LARGE)
        small_time, large_time = (each / _COUNT for each in best_of_each(25, making(graph), making(large)))
        what = f"a mutant of {name} x {len(large) // len(graph)} / of itself"
        rows.append(Row(what, f"{large_time * 1e3:.2f} ms", f"{small_time * 1e3:.2f} ms", large_time / small_time, 2))
        last = graph, large
    graph, large = last
    for what, write in _WRITERS.items():
        times = best_of_each(_BATCHES, writing(graph, write), writing(large, write))
        small_time, large_time = (each / _COUNT for each in times)
        label = f"{what}, {len(large):,} / {len(graph):,} triples"
        rows.append(Row(label, f"{large_time * 1e3:.2f} ms", f"{small_time * 1e3:.2f} ms", large_time / small_time, 2))
    report(rows)
    where_time_goes(graph)


if __name__ == "__main__":
    main()
