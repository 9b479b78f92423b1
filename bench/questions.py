"""Questions from large graphs: `python -m bench.questions`. Yardsticks are measured in the same run.

The first part loads an N-Triples file into a database of facts, and compares with a bare `pyoxigraph.parse` of the same
file. With `--large`, it also loads 50 million triples, which takes minutes and 10 GB of disk.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyoxigraph

from bench import asking
from bench.measure import Row, report
from bench.question_cases import case_rows
from kgprobe.questions.facts.loading import open_facts

RELATIONS = 20
_PRIME = 2_147_483_647
_LINES = """
SELECT '<http://example.org/thing/' || s || '> <http://example.org/relation/' || i % {relations} || '> '
  || '<http://example.org/thing/' || o || '> .' AS line
FROM (
  SELECT i, (i * 48271 + {seed}) % {prime} % {things} AS s, (i * 69621 + {seed} * 7 + i // 3) % {prime} % {things} AS o
  FROM range({triples}) AS t(i))
UNION ALL
SELECT '<http://example.org/thing/' || i || '> <http://www.w3.org/2000/01/rdf-schema#label> "Thing ' || i || '"@en .'
FROM range({things}) AS t(i)
"""


@dataclass(frozen=True)
class Cost:
    """What work cost in a fresh process: seconds of processor time and of the clock, and the most memory, in MB."""

    processor: float
    clock: float
    memory: float


def write_graph(file: Path, triples: int, *, seed: int = 7) -> None:
    """An N-Triples file: facts of 20 relations between a fifth as many things, and the label of each thing."""
    lines = _LINES.format(relations=RELATIONS, seed=seed, prime=_PRIME, things=triples // 5, triples=triples)
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '1GB'; SET enable_progress_bar = false")
        connection.execute(
            f"COPY ({lines}) TO '{file}' (FORMAT csv, HEADER false, DELIMITER '\x01', QUOTE '', ESCAPE '')"
        )


def cost_of(work: Callable[[Path, Path], object], source: Path, target: Path) -> Cost:
    """The cost of work in a fresh process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (work, source, target))


def _measured(work: Callable[[Path, Path], object], source: Path, target: Path) -> Cost:
    started, spent = time.perf_counter(), time.process_time()
    work(source, target)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return Cost(time.process_time() - spent, time.perf_counter() - started, usage.ru_maxrss / 1024)


def load(source: Path, target: Path) -> None:
    """Load a graph into a database of facts."""
    open_facts([source], target).close()


def parse(source: Path, _: Path) -> None:
    """The yardstick: the same file, and nothing is kept."""
    for _triple in pyoxigraph.parse(path=source, format=pyoxigraph.RdfFormat.N_TRIPLES):
        pass


def loading_rows(folder: Path, triples: int, most_memory: float) -> list[Row]:
    """The time and the memory of a load."""
    source, target = folder / f"{triples}.nt", folder / f"{triples}.duckdb"
    write_graph(source, triples)
    bare, ours = cost_of(parse, source, target), cost_of(load, source, target)
    millions = f"{triples / 1e6:.3g} million triples"
    size = source.stat().st_size / 2**20
    rows = [
        Row(
            f"load {millions}, processor time / bare parse",
            f"{ours.processor:.1f} s",
            f"{bare.processor:.1f} s",
            ours.processor / bare.processor,
            8.0,
        ),
        Row(
            f"load {millions}, clock / bare parse",
            f"{ours.clock:.1f} s",
            f"{bare.clock:.1f} s",
            ours.clock / bare.clock,
            8.0,
        ),
        Row(
            f"load {millions}, MB of memory / limit",
            f"{ours.memory:.0f}",
            f"{most_memory:.0f}",
            ours.memory / most_memory,
            1.0,
        ),
        Row(
            f"load {millions}, MB of the database / N-Triples",
            f"{target.stat().st_size / 2**20:.0f}",
            f"{size:.0f}",
            target.stat().st_size / 2**20 / size,
            1.0,
        ),
    ]
    source.unlink()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--triples", type=int, default=10_000_000)
    parser.add_argument("--large", action="store_true", help="also load 50 million triples")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report(loading_rows(Path(folder), arguments.triples, 3072))
        if arguments.large:
            report(loading_rows(Path(folder), 50_000_000, 4096))
    report(case_rows())
    report(asking.rows())


if __name__ == "__main__":
    main()
