"""The speed of graphs: `python -m bench.graph`. All yardsticks are measured in the same run.

The graphs are generated from a fixed seed. OBO files are read from ../shared/data if that folder exists.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from random import Random

from pyoxigraph import Quad, RdfFormat, Store, parse, serialize

from bench.measure import Row, best_of, report, resident_growth
from kgprobe.formats.files import load
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import RDFS, NamedNode, Triple
from kgprobe.sparql.matching import compile_where

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
PREFIXES = {"s": "http://example.org/schema#", "rdfs": RDFS.iri}
FIRST_PATTERN = compile_where("?x rdfs:label ?label", PREFIXES)
FOUR_PATTERNS = "?x a ?class . ?x s:prop1 ?y . ?y a ?other . ?y rdfs:label ?label"


def statements(count: int) -> Iterator[str]:
    """N-Triples like those of a real dataset: types, labels, links, numbers; five for each subject."""
    random = Random(1)
    for number in range(count // 5):
        subject = f"<http://example.org/data/entity/{number}>"
        schema = "http://example.org/schema#"
        yield (
            f"{subject} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{schema}Class{random.randrange(500)}> .\n"
            f'{subject} <http://www.w3.org/2000/01/rdf-schema#label> "entity number {number}"@en .\n'
        )
        for _ in range(2):
            other = random.randrange(count // 5)
            yield f"{subject} <{schema}prop{random.randrange(8)}> <http://example.org/data/entity/{other}> .\n"
        yield f'{subject} <{schema}value> "{random.random()}"^^<http://www.w3.org/2001/XMLSchema#decimal> .\n'


def write(folder: Path, count: int, rdf_format: RdfFormat) -> Path:
    nt = folder / f"{count}.nt"
    if not nt.exists():
        nt.write_text("".join(statements(count)), encoding="utf-8")
    if rdf_format == RdfFormat.N_TRIPLES:
        return nt
    path = folder / f"{count}.{rdf_format.file_extension}"
    quads = parse(path=nt, format=RdfFormat.N_TRIPLES)
    serialize((quad.triple for quad in quads), path, rdf_format, prefixes={**PREFIXES, "d": "http://example.org/data/"})
    return path


def only_parse(path: Path, rdf_format: RdfFormat) -> None:
    for _ in parse(path=path, format=rdf_format):
        pass


def load_and_match(path: Path) -> Graph:
    """From a file to the first match of a pattern."""
    graph = load(path).graph
    assert FIRST_PATTERN.sample(graph, Random(1)) is not None
    return graph


def load_with_all_orders(path: Path) -> Graph:
    """A graph with all its lookup indexes built."""
    graph = load_and_match(path)
    s, p, o = next(iter(graph.rows()))
    graph.objects(s, p)
    graph.subjects(p, o)
    graph.predicates(s, o)
    return graph


def fill_store(path: Path) -> Store:
    store = Store()
    store.bulk_load(path=path, format=RdfFormat.N_TRIPLES)
    return store


def only_read_lines(path: Path) -> None:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for _ in lines:
            pass


def loading(folder: Path, sizes: list[int]) -> Iterator[Row]:
    for size in sizes:
        runs = 20 if size < 100_000 else 2
        for rdf_format in (RdfFormat.N_TRIPLES, RdfFormat.TURTLE, RdfFormat.RDF_XML):
            path = write(folder, size, rdf_format)
            floor = best_of(runs, partial(only_parse, path, rdf_format))
            ours = best_of(runs, partial(load_and_match, path))
            what = f"load {size:,} triples of {rdf_format.name} / only parse"
            yield Row(what, f"{ours:.4f} s", f"{floor:.4f} s", ours / floor, 5)


def obo() -> Iterator[Row]:
    for path in sorted(SHARED.glob("*/*.obo.gz")):
        floor = best_of(5, partial(only_read_lines, path))
        ours = best_of(5, partial(load_and_match, path))
        yield Row(f"load {path.name} / only read its lines", f"{ours:.3f} s", f"{floor:.3f} s", ours / floor, 10)


def memory(folder: Path, size: int) -> Iterator[Row]:
    path = write(folder, size, RdfFormat.N_TRIPLES)
    ours = resident_growth(load_with_all_orders, path)
    store = resident_growth(fill_store, path)
    yield Row(
        f"memory of {size:,} triples / in-memory Store", f"{ours >> 20} MiB", f"{store >> 20} MiB", ours / store, 2
    )


def changing(folder: Path) -> Iterator[Row]:
    graph = load(write(folder, 5_000, RdfFormat.N_TRIPLES)).graph
    triples = list(graph)
    random = Random(2)
    quads = [Quad(t.subject, t.predicate, t.object) for t in triples]
    copy = best_of(20, lambda: Store().extend(quads))
    removed = random.sample(triples, 10)
    subjects = [random.choice(triples).subject for _ in range(10)]
    added = [Triple(s, NamedNode("http://new/p"), NamedNode(f"http://new/{n}")) for n, s in enumerate(subjects)]
    delta = Delta(removed, added)
    equal = cycle([Delta(removed, added), Delta(removed, added)])  # a graph knows only the last delta

    def there_and_back() -> None:
        graph.apply(delta)
        graph.revert(delta)

    def first_time() -> None:
        new = next(equal)
        graph.apply(new)
        graph.revert(new)

    for what, work, limit in (
        ("apply and revert 20 changes / copy 5,000 triples to a Store", there_and_back, 1 / 300),
        ("the same, for a delta that is new to the graph", first_time, 1 / 50),
    ):
        ours = best_of(2_000, work)
        yield Row(what, f"{ours * 1e6:.1f} µs", f"{copy * 1e3:.2f} ms", ours / copy, limit)


def sampling(folder: Path) -> Iterator[Row]:
    graph = load(write(folder, 5_000, RdfFormat.N_TRIPLES)).graph
    store = Store()
    store.extend(Quad(t.subject, t.predicate, t.object) for t in graph)
    where = compile_where(FOUR_PATTERNS, PREFIXES)
    query = f"SELECT * WHERE {{ {FOUR_PATTERNS} }}"
    random = Random(3)
    assert where.sample(graph, random) is not None
    count = sum(1 for _ in where.matches(graph))
    all_matches = best_of(50, lambda: list(store.query(query, prefixes=PREFIXES)))  # type: ignore[arg-type]
    ours = best_of(500, lambda: where.sample(graph, random))
    enumerated = best_of(50, lambda: list(where.matches(graph)))
    what = f"pyoxigraph, all {count} matches of 4 patterns / one at random"
    yield Row(what, f"{ours * 1e6:.1f} µs", f"{all_matches * 1e6:.0f} µs", all_matches / ours, 3, at_least=True)
    yield Row(
        f"pyoxigraph, all {count} matches / ours, all matches",
        f"{enumerated * 1e6:.0f} µs",
        f"{all_matches * 1e6:.0f} µs",
        all_matches / enumerated,
        0.3,
        at_least=True,
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="leave out the million triples")
    sizes = [5_000] if options.parse_args().quick else [5_000, 1_000_000]
    with tempfile.TemporaryDirectory(prefix="kgprobe-bench-") as name:
        folder = Path(name)
        # The largest comes last, since its leftovers in the process would slow the others down.
        rows = [*changing(folder), *sampling(folder), *obo(), *loading(folder, sizes), *memory(folder, sizes[-1])]
    report(rows)


if __name__ == "__main__":
    main()
