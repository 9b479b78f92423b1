"""The sample of a large join: exactly the rows with the smallest hashes, whatever the number of threads."""

from __future__ import annotations

import pytest

from kgprobe.questions.facts.database import Facts, connect
from kgprobe.questions.generation.engines import Engine
from kgprobe.questions.generation.premises import PremiseJoin
from kgprobe.questions.generation.samples import cut, draw, row_hash

COLUMNS = {"?a": "e0.s", "?b": "e0.o", "?c": "e1.o"}
JOIN = PremiseJoin(("edges AS e0", "edges AS e1"), ("e0.p = 1", "e1.p = 2", "e0.o = e1.s"), COLUMNS)


def _edges(engine: Engine) -> None:
    """Facts of two relations, some of whose things have far more facts than others."""
    engine.facts.sql(
        "CREATE TABLE edges AS SELECT DISTINCT CAST(i % 9973 AS INTEGER) AS s, CAST(1 + i % 2 AS INTEGER) AS p,"
        " CAST((i * i) % 1009 * (i % 7) AS INTEGER) AS o FROM range(400000) AS t(i)"
    )


def _sampled(engine: Engine, limit: int, seed: int) -> set[tuple[int, ...]]:
    rows = draw(engine, JOIN, limit, seed, facts=400_000)
    kept = cut(engine, "sample", ["v_a", "v_b", "v_c"], rows, limit)
    return set(engine.query(f"SELECT v_a, v_b, v_c FROM sample AS t WHERE {kept}"))  # noqa: S608 - our names


@pytest.mark.parametrize(("limit", "seed"), [(1, 0), (1_000, 0), (1_000, 5), (50_000, 5)])
def test_the_sample_has_the_smallest_hashes(limit: int, seed: int) -> None:
    found = []
    for threads in (1, 2):
        with Facts(connect(None), None) as facts:
            facts.sql(f"SET threads = {threads}")
            engine = Engine(facts)
            _edges(engine)
            found.append(_sampled(engine, limit, seed))
            hash_ = row_hash(list(COLUMNS.values()), seed)
            exact = JOIN.select(f"e0.s, e0.o, e1.o, {hash_} AS h") + f" ORDER BY h, 1, 2, 3 LIMIT {limit}"
            assert found[-1] == {row[:3] for row in engine.query(exact)}
    assert found[0] == found[1]
    assert len(found[0]) == limit


def test_fewer_rows_than_the_limit_are_all_taken() -> None:
    with Facts(connect(None), None) as facts:
        engine = Engine(facts)
        _edges(engine)
        total = int(engine.value(JOIN.select("count(*)")))
        assert len(_sampled(engine, total + 1, 0)) == total
