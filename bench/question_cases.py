"""Cases from 10 million facts of 20 relations: 3 million cases, against DuckDB's bare joins in the same run.

The bare joins materialise all rows of the same 20 two-step joins. The cases are a sample of these rows, in numbers, and
then as text in a Parquet file.
"""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.measure import Row
from kgprobe.questions.facts.database import Facts, connect
from kgprobe.questions.generation.engines import Engine
from kgprobe.questions.generation.steps import generate_from
from kgprobe.questions.generation.texts import Generated
from kgprobe.questions.rules import read_rule
from kgprobe.questions.settings import RelationSettings, Settings

__all__ = ["case_rows"]

RELATIONS, THINGS, FACTS, LIMIT = 20, 300_000, 10_000_000, 150_000
_FIRST = 100  # the number of the first thing; smaller ones are relations
_TABLES = f"""
CREATE TABLE edges AS SELECT DISTINCT s, p, o FROM (
  SELECT CAST(hash(i) % {THINGS} + {_FIRST} AS INTEGER) AS s, CAST(i % {RELATIONS} + 1 AS INTEGER) AS p,
    CAST(hash(i * 31 + 7) % {THINGS} + {_FIRST} AS INTEGER) AS o FROM range({FACTS}) AS t(i)) ORDER BY p, s, o;
CREATE TABLE terms AS SELECT CAST(i AS INTEGER) AS id, 0 AS kind, '' AS extra,
  CASE WHEN i <= {RELATIONS} THEN 'http://example.org/relation' || i ELSE 'http://example.org/thing/' || i END AS text
  FROM range({THINGS + _FIRST}) AS t(i);
CREATE TABLE names AS SELECT id, 'Thing number ' || id || ' of all' AS name FROM terms WHERE id >= {_FIRST};
CREATE TABLE aliases (id INTEGER, name VARCHAR);
CREATE TABLE unusable (id INTEGER, reason VARCHAR);
CREATE TABLE labels (id INTEGER, name VARCHAR);
CREATE TABLE same (id INTEGER, rep INTEGER);
CREATE TABLE facts AS SELECT s, p, o FROM edges WHERE false;
"""  # noqa: S608 - constants


@dataclass(frozen=True)
class Cost:
    """Seconds of processor time, and the most memory of the process, in MB."""

    processor: float
    memory: float


def case_rows() -> list[Row]:
    """The cost of cases in numbers, and as text."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "facts.duckdb")
        with connect(file) as connection:
            connection.execute(_TABLES)
        bare, numbers, texts = (_in_process(work, file) for work in (_bare_joins, _numbers, _texts))
    return [
        Row(
            "3 million cases in numbers, processor time / bare joins",
            f"{numbers.processor:.1f} s",
            f"{bare.processor:.1f} s",
            numbers.processor / bare.processor,
            2.0,
        ),
        Row(
            "3 million cases as text, processor time / bare joins",
            f"{texts.processor:.1f} s",
            f"{bare.processor:.1f} s",
            texts.processor / bare.processor,
            8.0,
        ),
        Row("3 million cases as text, MB of memory / limit", f"{texts.memory:.0f}", "3072", texts.memory / 3072, 1.0),
    ]


def _in_process(work: Callable[[Path], float], file: Path) -> Cost:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (work, file))


def _measured(work: Callable[[Path], float], file: Path) -> Cost:
    spent = work(file)
    return Cost(spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _bare_joins(file: Path) -> float:
    with connect(file) as connection:
        started = time.process_time()
        connection.execute("CREATE TEMP TABLE joined (a INTEGER, b INTEGER, c INTEGER)")
        for one, other in _steps():
            connection.execute(
                "INSERT INTO joined SELECT e.s, e.o, f.o FROM edges AS e JOIN edges AS f ON e.o = f.s"
                " WHERE e.p = ? AND f.p = ?",
                [one, other],
            )
        return time.process_time() - started


def _numbers(file: Path) -> float:
    with Facts(connect(file), file) as facts:
        started = time.process_time()
        _generated(facts, file.parent)
        return time.process_time() - started


def _texts(file: Path) -> float:
    with Facts(connect(file), file) as facts:
        started = time.process_time()
        _generated(facts, file.parent).write(file.with_suffix(".parquet"))
        return time.process_time() - started


def _generated(facts: Facts, folder: Path) -> Generated:
    rule = folder / "steps.toml"
    variants = (
        f'[[variants]]\npremises = ["?a relation{one} ?b", "?b relation{other} ?c"]\n'
        f'conclusion = "?a relation{one}/relation{other} ?c"\n'
        for one, other in _steps()
    )
    rule.write_text(f'expected = "yes"\n{"".join(variants)}')
    words = {f"relation{one}": RelationSettings(words=("a", f"word{one}", "of")) for one, _ in _steps()}
    settings = Settings(limit=LIMIT, seed=3, relations=words, rules=(rule,))
    made = generate_from(Engine(facts), settings, [read_rule(rule)])
    assert len(made.cases) == LIMIT * RELATIONS
    return made


def _steps() -> list[tuple[int, int]]:
    """Each relation and the one that follows it."""
    return [(number, number % RELATIONS + 1) for number in range(1, RELATIONS + 1)]
