"""The overhead of a campaign: `python -m bench.campaign`. Yardsticks are measured in the same run.

The second part compares with a plain `ProcessPoolExecutor.map` over the same function, which makes no mutants, checks
no mask and stores nothing. The third part opens, resumes and reports a store with a million results, without a system.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sqlite3
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path

from bench.measure import Row, report
from kgprobe.campaign.events import Judged
from kgprobe.campaign.local import LocalWorkers
from kgprobe.campaign.plan import Plan
from kgprobe.campaign.run import open_store, run_campaign
from kgprobe.campaign.sources.mutants import Mutants, SeedState
from kgprobe.campaign.store import read_store
from kgprobe.campaign.summary import summary_of
from kgprobe.config.loading import load_profile
from kgprobe.mutation.generator import Tally
from kgprobe.oracles.signatures import KnownBugs

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
DEMO = Path(__file__).resolve().parents[1] / "src" / "kgprobe" / "demo"
WORKERS = 2
TRIVIAL = "def run(graph):\n    return len(graph)\n"
SLOW = "import time\n\ndef run(graph):\n    time.sleep(0.2)\n    return 1\n"


def write_profile(folder: Path, graph: Path, mutation: str, mask: str, code: str) -> Path:
    """A profile with one function under test."""
    folder.mkdir()
    shutil.copy(graph, folder / graph.name)
    shutil.copy(DEMO / "inspection-shapes.ttl", folder / "shapes.ttl")
    (folder / "classes.rq").write_text("ASK { ?class a <http://www.w3.org/2002/07/owl#Class> }")
    (folder / "system.py").write_text(code)
    profile = folder / "profile.toml"
    profile.write_text(
        f'[graph]\nseeds = ["{graph.name}"]\n[mutation]\n{mutation}\n[mask]\n{mask}\n'
        '[python]\nsystems = [{ function = "system.py:run" }]\n'
    )
    return profile


def seconds_a_case(profile: Path, skipped: int) -> float:
    """Wall time from one result to the next, once the workers are warm."""
    made = load_profile(profile)
    times = [
        time.perf_counter()
        for event in run_campaign(made, lambda job: LocalWorkers(job, WORKERS))
        if isinstance(event, Judged)
    ]
    return (times[-1] - times[skipped]) / (len(times) - skipped - 1)


def trivial(number: int) -> int:
    """The function that the yardstick runs."""
    return number


def seconds_a_plain_call(count: int) -> float:
    """The same work with only a process pool."""
    with ProcessPoolExecutor(WORKERS) as pool:
        list(pool.map(trivial, range(100)))
        start = time.perf_counter()
        list(pool.map(trivial, range(count)))
        return (time.perf_counter() - start) / count


def loop_rows(folder: Path, cases: int) -> list[Row]:
    """The overhead of the loop, for a slow system and for one that does nothing."""
    demo = DEMO / "inspection.ttl"
    shapes, classes = 'shapes = ["shapes.ttl"]', 'queries = ["classes.rq"]'
    small = f'operators = ["abox"]\nmutations = 3\nmutants = {cases}'
    slow = write_profile(
        folder / "slow", demo, f'operators = ["abox"]\nmutations = 3\nmutants = {cases // 5}', shapes, SLOW
    )
    each = seconds_a_case(slow, 10)
    rows = [
        Row("a system of 200 ms, two workers: time a case / 100 ms", f"{1e3 * each:.1f} ms", "100 ms", each / 0.1, 1.05)
    ]
    plain = seconds_a_plain_call(cases)
    profiles = {"demo graph, 3 mutations, shapes": write_profile(folder / "small", demo, small, shapes, TRIVIAL)}
    ontology = SHARED / "ore" / "ore_ont_12397.owl"
    if ontology.is_file():
        large = f'operators = ["owl-el"]\nmutations = 30\nmutants = {cases}'
        profiles[f"{ontology.stem}, 30 mutations, a query"] = write_profile(
            folder / "large", ontology, large, classes, TRIVIAL
        )
    for what, profile in profiles.items():
        each = seconds_a_case(profile, 20)
        more = 1e3 * (each - plain)
        rows.append(Row(f"nothing to run, {what}: ms more", f"{1e3 * each:.2f} ms", f"{1e3 * plain:.2f} ms", more, 3))
    return rows


def fill(store: Path, count: int) -> None:
    """Write results as a campaign would have left them."""
    with closing(sqlite3.connect(store)) as connection, connection as writing:
        rows = ((n, 0, f"[{n},{n}]", n * 7919, "fail" if n % 100 == 0 else "pass", 0.2) for n in range(1, count + 1))
        writing.executemany(
            "INSERT INTO cases (number, source, recipe, likeness, outcome, seconds) VALUES (?,?,?,?,?,?)", rows
        )
        writing.executemany(
            "INSERT INTO signatures VALUES (?, ?, 'run', 'kind', ?)",
            [(n, f"run: kind: {n}", str(n)) for n in range(10)],
        )
        failures = ((n // 100 % 10, n, "[]") for n in range(100, count + 1, 100))
        writing.executemany("INSERT INTO failures VALUES (?, ?, ?)", failures)
        state = SeedState(Tally(count, count), is_tried=True).value()
        writing.execute("UPDATE sources SET state = ?", (json.dumps(state),))


def store_rows(folder: Path, count: int) -> list[Row]:
    """Open, resume and report a store with many results."""
    mutation = f'operators = ["abox"]\nmutations = 3\nmutants = {count + 10}'
    profile = load_profile(write_profile(folder / "many", DEMO / "inspection.ttl", mutation, "", TRIVIAL))
    path = profile.campaign.store
    kind = Mutants()
    with kind.prepare(profile) as prepared:
        with open_store(profile, prepared):
            pass
        fill(path, count)
        start = time.perf_counter()
        with open_store(profile, prepared) as store:
            plan = Plan(kind, prepared.open(store), store)
            assert not list(plan.interrupted())
            assert plan.further(1)
        resumed = time.perf_counter() - start
    start = time.perf_counter()
    with read_store(path) as store:
        assert summary_of(store, KnownBugs([])).cases >= count
    told = time.perf_counter() - start
    what = f"{count:,} results:"
    return [
        Row(f"{what} seconds to open and resume", f"{resumed:.2f} s", "", resumed, 10),
        Row(f"{what} seconds to report", f"{told:.2f} s", "", told, 10),
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--results", type=int, default=1_000_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        report([*loop_rows(Path(name), asked.cases), *store_rows(Path(name), asked.results)])


if __name__ == "__main__":
    main()
