"""The time to find rules in graphs: `python -m bench.mining`.

Mining is compared with loading the same graphs, by processor time in one run: WordNet (WN18RR) and a sample of YAGO
with constants, all ontologies of the OWL Reasoner Evaluation with the thresholds of the paper on mutation testing, and
two random graphs as large as FB15k-237: 270,000 triples with 237 predicates, where a few nodes and predicates have most
of the triples. In the first, each predicate has its own nodes; in the second, five nodes have 10 to 30 % of the objects
of all predicates. Some predicates follow from others, so that there are rules to find.
"""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from bench.measure import Row, report
from kgprobe.formats.files import load
from kgprobe.mining.rules import MinedRules
from kgprobe.mining.search import mine
from kgprobe.rdf.graph import Graph

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
BASE = "http://example.org/"
TRIPLES, PREDICATES, NODES = 270_000, 237, 14_500
MOST_MEMORY = 4.0  # GB
SEED = 18


def main() -> None:
    """Print one row for each graph."""
    rows: list[Row] = []
    for name in ("wn18rr", "yago-sample"):
        path = SHARED / "kg" / f"{name}.tsv.gz"
        rows.append(compared(f"{name}, constants, support 20", [path], 8, min_support=20, min_body=20))
    ore = sorted((SHARED / "ore").iterdir())
    rows.append(compared(f"{len(ore)} ontologies, thresholds of the paper", ore, 2))
    context = multiprocessing.get_context("spawn")
    limit = f"{MOST_MEMORY:g} GB"
    for kind, make in (("own nodes", _random_pairs), ("hubs", _pairs_with_hubs)):
        with tempfile.TemporaryDirectory() as folder, context.Pool(1) as pool:
            path = Path(folder) / "skewed.tsv"
            write_skewed(path, make)
            row, peak = pool.apply(_measured, (path, kind))  # the peak of the memory is that of a fresh process
        rows += [row, Row("the same: peak memory", f"{peak:.2f} GB", limit, peak / MOST_MEMORY, 1)]
    report(rows)


def _measured(path: Path, kind: str) -> tuple[Row, float]:
    what = f"{TRIPLES:,} triples, {kind}, support 100"
    row = compared(what, [path], 60, constants="none", min_support=100)
    return row, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def compared(what: str, paths: Sequence[Path], limit: float, **options: object) -> Row:
    """The time to mine graphs, each of them alone and then together, compared with the time to load them."""
    graphs: list[Graph] = []
    loading = _taken(lambda: graphs.extend(load(path, base=BASE).graph for path in paths))
    found: list[MinedRules] = []
    mining = _taken(lambda: found.append(mine(graphs, **options)))  # type: ignore[arg-type]  # passed on
    assert found[0].is_complete
    return Row(f"{what}: {len(found[0].rules):,} rules", f"{mining:.2f} s", f"{loading:.2f} s", mining / loading, limit)


def _taken(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def write_skewed(path: Path, make: Callable[[np.random.Generator, int], list[tuple[int, int]]]) -> None:
    """Write a graph with skewed degrees; the function makes the pairs of a predicate."""
    random = np.random.default_rng(SEED)
    sizes = _shares(PREDICATES, 1.0) * TRIPLES * 1.02
    lines: dict[str, None] = {}
    made: list[list[tuple[int, int]]] = []
    for number, size in enumerate(np.maximum(sizes.astype(int), 20).tolist()):
        pairs = _derived(random, made, number) if number % 10 == 9 else make(random, size)
        made.append(pairs)
        lines.update(dict.fromkeys(f"n{s}\tp{number}\tn{o}" for s, o in pairs))
    path.write_text("\n".join(list(lines)[:TRIPLES]) + "\n")


def _random_pairs(random: np.random.Generator, size: int) -> list[tuple[int, int]]:
    """Each predicate has its own kinds of subjects and objects."""
    ends: list[list[int]] = []
    for _ in range(2):
        kind = random.choice(NODES, size=int(random.integers(max(20, size // 20), max(40, min(NODES, size)))))
        ends.append(kind[random.choice(len(kind), size=size, p=_shares(len(kind), 0.8))].tolist())
    return list(zip(*ends, strict=True))


def _pairs_with_hubs(random: np.random.Generator, size: int) -> list[tuple[int, int]]:
    """All predicates have the same frequent nodes, and five objects that are more frequent than all others."""
    subjects, objects = (random.choice(NODES, size=size, p=_shares(NODES, 0.8)) for _ in range(2))
    is_hub = random.random(size) < random.uniform(0.1, 0.3)
    objects = np.where(is_hub, NODES - 1 - random.integers(0, 5, size), objects)
    return list(zip(subjects.tolist(), objects.tolist(), strict=True))


def _derived(
    random: np.random.Generator, made: Sequence[Sequence[tuple[int, int]]], number: int
) -> list[tuple[int, int]]:
    """Most pairs of an earlier predicate, in one direction or the other."""
    source = made[number - 5]
    kept = [pair for pair in source if random.random() < 0.9]
    return kept if number % 20 == 9 else [(o, s) for s, o in kept]


def _shares(number: int, exponent: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    weights = 1.0 / np.arange(1, number + 1) ** exponent
    shares: np.ndarray[tuple[int], np.dtype[np.float64]] = weights / weights.sum()
    return shares


if __name__ == "__main__":
    main()
