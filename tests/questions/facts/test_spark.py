"""The same SQL gives the same rows on DuckDB and on a local Spark session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kgprobe.questions.facts.database import Facts
from kgprobe.questions.facts.spark import SparkTables
from questions.fact_tables import facts_in

_TABLES = ("terms", "facts", "same", "edges", "names", "aliases", "unusable", "labels")
pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")

_GRAPH = """
:a rdfs:label "A" ; :near :b, :c ; :size 1, 2 . :b rdfs:label "B \\"x\\" {y} 'z' \\\\ \\n😀" ; :near :c, :d .
:c owl:sameAs :d ; skos:altLabel "Sea" ; rdfs:label "C" . :d :near :a, :e .
"""


@pytest.fixture(scope="module")
def facts() -> Iterator[Facts]:
    with facts_in(_GRAPH) as facts:
        yield facts


@pytest.fixture(scope="module")
def spark(facts: Facts) -> Iterator[SparkTables]:
    with SparkTables(facts, master="local[2]", memory_mb=512) as tables:
        yield tables


@pytest.mark.parametrize("table", _TABLES)
def test_all_tables_are_equal(facts: Facts, spark: SparkTables, table: str) -> None:
    rows = facts.sql(f"FROM {table}")
    assert sorted(spark.sql(f"TABLE {table}")) == sorted(rows)
    assert rows


def test_joins_are_equal_row_by_row(facts: Facts, spark: SparkTables) -> None:
    query = """
SELECT x.s, x.p, y.o, (CAST(x.s AS BIGINT) * 1000003 + y.o) % 2147483647 AS hash, md5(n.name || '/' || m.name) AS digest
FROM edges AS x JOIN edges AS y ON x.o = y.s JOIN names AS n ON x.s = n.id JOIN names AS m ON y.o = m.id
WHERE NOT EXISTS (SELECT 1 FROM edges AS z WHERE z.s = x.s AND z.o = y.o AND z.p = x.p)
ORDER BY x.s, x.p, y.o
"""
    rows = facts.sql(query)
    assert rows
    assert spark.sql(query) == rows
    assert list(spark.stream(query)) == rows


def test_tables_are_made_extended_replaced_and_dropped(facts: Facts, spark: SparkTables, tmp_path: Path) -> None:
    spark.rows("given", "id INTEGER, is_new BOOLEAN, name VARCHAR", [(1, True, "one"), (2, False, "it's")])
    assert spark.sql("SELECT * FROM given ORDER BY id") == [(1, True, "one"), (2, False, "it's")]
    spark.table("copied", "SELECT id FROM given")
    spark.append("copied", "SELECT id + 10 AS id FROM copied")
    assert spark.sql("SELECT id FROM copied ORDER BY id") == [(1,), (2,), (11,), (12,)]
    spark.table("copied", "SELECT id FROM copied WHERE id > 10")
    spark.view("seen", "SELECT count(*) AS n FROM copied")
    assert spark.sql("SELECT n FROM seen") == [(2,)]
    spark.to_parquet("SELECT id FROM copied", tmp_path / "out")
    assert sorted(facts.sql(f"FROM read_parquet('{tmp_path}/out/*.parquet')")) == [(11,), (12,)]
    spark.rows("none", "id INTEGER", [])
    assert spark.sql("SELECT * FROM none") == []
    assert spark.bring("brought", "SELECT id, named_struct('a', id) AS s FROM copied ORDER BY id") == 2
    assert facts.sql("SELECT id FROM brought ORDER BY id") == [(11,), (12,)]
    assert spark.bring("empty", "SELECT id FROM copied WHERE id < 0") == 0
    facts.sql("CREATE OR REPLACE TEMP TABLE ours AS SELECT id + 1 AS id FROM brought")
    facts.sql("CREATE OR REPLACE TEMP VIEW seen_by_us AS SELECT id FROM ours")
    assert spark.sql("SELECT id FROM seen_by_us ORDER BY id") == [(12,), (13,)]
    facts.sql("INSERT INTO ours VALUES (14)")
    spark.drop("seen_by_us")
    assert spark.sql("SELECT id FROM seen_by_us ORDER BY id") == [(12,), (13,), (14,)]
    spark.drop("copied")
    spark.drop("never")
