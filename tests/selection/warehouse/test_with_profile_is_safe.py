"""A test that is not selected returns the same rows from a database that was really loaded with each version."""

from __future__ import annotations

from collections import Counter
from random import Random

import duckdb
import pytest

from kgprobe.config.warehouse import warehouse_in
from kgprobe.entailment.closure import entailed_change
from kgprobe.entailment.rules import Regime
from kgprobe.selection.discovery.sql_files import SQL
from kgprobe.selection.impact import select
from kgprobe.selection.sql.catalogue import Catalogue
from kgprobe.selection.sql.reader import read_statements
from kgprobe.selection.tests import Suite, Test

from ..sql.random_sql import Known, Statements
from .loading import COLUMNS, edited, graph_of, random_facts, random_loader

_QUERIES = 150
_SCHEMA = ";\n".join(
    f"CREATE TABLE {name} ({', '.join(f'{column} {kind}' for column, kind in columns.items())})"
    for name, columns in COLUMNS.items()
)


def _check(seed: int) -> Counter[str]:
    """Random statements over the tables of a random loader, before and after an edit of a random ontology."""
    random = Random(seed)
    facts = random_facts(random)
    loader = random_loader(random)
    old, new = graph_of(facts), graph_of(edited(facts, random))
    databases = [loader.load(graph) for graph in (old, new)]
    catalogue = Catalogue.of([("schema.sql", _SCHEMA)], "duckdb")
    statements = Statements(random, [Known(name, dict(columns)) for name, columns in COLUMNS.items()])
    counts: Counter[str] = Counter()
    tests, changed = [], set()
    for number in range(_QUERIES):
        text = statements.query(3, [])[0]
        if "POSITIONAL" in text:  # a loader may write the same rows in another order
            continue
        before, after = (_result(database, text) for database in databases)
        if isinstance(before, str) and before.startswith(("Parser", "Binder", "Catalog")):
            continue
        reading = read_statements(text, catalogue, "duckdb")
        if reading.problems:
            counts["unanalysable"] += 1
            continue
        name = f"{number}: {text}"
        tests.append(Test(name, SQL, tuple(reading.uses)))
        if before != after:
            changed.add(name)
    for database in databases:
        database.close()
    change = entailed_change(old, new, Regime.NONE)
    for what, profile in (("described", warehouse_in(loader.profile(), "profile")), ("not described", None)):
        found = select(Suite(tuple(tests)), Regime.NONE, lambda _: change, profile)
        selected = {each.test.name for each in found.selected}
        uses = {test.name: test.uses for test in tests}
        missed = sorted(changed - selected)
        assert not missed, (
            seed,
            what,
            missed[0],
            uses[missed[0]],
            loader,
            sorted(change.removed),
            sorted(change.added),
        )
        counts[f"selected, {what}"] += len(selected)
    counts["pairs"] += len(tests)
    counts["changed"] += len(changed)
    return counts


def _result(database: duckdb.DuckDBPyConnection, text: str) -> object:
    try:
        return Counter(database.execute(text).fetchall())
    except duckdb.Error as error:
        return f"{type(error).__name__}: {error}"


def _checked(seeds: range) -> Counter[str]:
    counts: Counter[str] = Counter()
    for seed in seeds:
        counts.update(_check(seed))
    return counts


def test_no_changed_result_is_left_out() -> None:
    counts = _checked(range(3))
    assert counts["pairs"] > 250, counts
    assert counts["changed"] > 20, counts
    assert counts["selected, described"] < counts["pairs"], counts


@pytest.mark.thorough
def test_no_changed_result_is_left_out_of_20_000() -> None:
    counts = _checked(range(1000, 1150))
    assert counts["pairs"] > 20_000, counts
    assert counts["changed"] > 1_000, counts
    assert counts["selected, described"] < 0.8 * counts["pairs"], counts
