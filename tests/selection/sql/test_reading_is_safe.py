"""If the rows that a reading names stay the same, the result of the statement does, on DuckDB."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random

import duckdb
import pytest

from kgprobe.selection.sql.catalogue import Catalogue
from kgprobe.selection.sql.reader import read_statements
from kgprobe.selection.tests import TablesUse

from .random_sql import TABLES, Row, Statements, definitions, random_row, random_rows
from .rows_read import rows_read

_STATEMENTS, _CHANGES = 25, 30  # for each random schema
_MOST_SEEN = 3  # changes that a reading names are run less often: there is nothing to miss


def _check(seed: int) -> Counter[str]:
    """Random statements over one random schema, and random changes of its rows."""
    random = Random(seed)
    statements = Statements(random)
    database = duckdb.connect()
    database.execute("SET threads = 1")
    made = definitions()
    for each in made:
        database.execute(each)
    for make in (statements.view, statements.macro, statements.recursive_view, statements.macro):
        made.append(_made(database, statements, make))
    catalogue = Catalogue.of([("schema.sql", ";\n".join(made))], "duckdb")
    counts: Counter[str] = Counter()
    for _ in range(_STATEMENTS):
        parts = statements.statement()
        old: dict[str, list[Row]] = {name: random_rows(name, random) for name in TABLES}
        before = _result(database, parts, old)
        if isinstance(before, str) and before.startswith(("Parser", "Binder", "Catalog")):
            counts["invalid"] += 1
            continue
        reading = read_statements(";\n".join(parts), catalogue, random.choice(["duckdb", None]))
        counts["statements"] += 1
        if reading.problems:
            counts["unanalysable"] += 1
            counts[f"because {reading.problems[0][0]}"] += 1
            continue
        counts["restricted"] += any(each.constants or each.equal for use in reading.uses for each in use.sources)
        seen = _rows(reading.uses, old)
        shown = 0
        for _ in range(_CHANGES):
            new = _changed(old, random)
            counts["pairs"] += 1
            is_seen = _rows(reading.uses, new) != seen
            counts["seen"] += is_seen
            shown += is_seen
            if is_seen and shown > _MOST_SEEN:
                continue  # it would be selected, whatever it returns
            after = _result(database, parts, new)
            counts["run"] += 1
            counts["changed"] += after != before
            assert is_seen or after == before, (seed, ";\n".join(parts), made, old, new, before, after, reading.uses)
    database.close()
    return counts


def _made(database: duckdb.DuckDBPyConnection, statements: Statements, make: Callable[[], str]) -> str:
    """The first definition that the database accepts."""
    while True:
        known, macros = list(statements.known), list(statements.macros)
        definition = make()
        try:
            database.execute(definition)
        except duckdb.Error:
            statements.known, statements.macros = known, macros
        else:
            return definition


def _rows(uses: Sequence[TablesUse], tables: Mapping[str, Sequence[Row]]) -> list[list[Counter[tuple[object, ...]]]]:
    return [rows_read(use, tables) for use in uses]


def _changed(tables: Mapping[str, list[Row]], random: Random) -> dict[str, list[Row]]:
    """A few rows added, removed or edited."""
    new = {name: [dict(row) for row in rows] for name, rows in tables.items()}
    for _ in range(random.choice([1, 1, 2])):
        name = random.choice(list(TABLES))
        rows = new[name]
        kind = random.random()
        if rows and kind < 0.35:
            rows.pop(random.randrange(len(rows)))
        elif rows and kind < 0.7:
            row = random.choice(rows)
            other = random_row(name, random)
            column = random.choice(list(row))
            row[column] = other[column]
        else:
            rows.append(random_row(name, random))
    return new


def _result(database: duckdb.DuckDBPyConnection, parts: Sequence[str], tables: Mapping[str, list[Row]]) -> object:
    """What the last statement returns, or its error."""
    database.execute("BEGIN")
    try:
        for name, rows in tables.items():
            if rows:
                database.execute(f"INSERT INTO {name} VALUES {', '.join(map(_written, rows))}")  # noqa: S608
        for part in parts:
            database.execute(part)
        return Counter(database.fetchall())
    except duckdb.Error as error:
        return f"{type(error).__name__.removesuffix('Exception').removesuffix('Error')}: {error}"
    finally:
        database.execute("ROLLBACK")


def _written(row: Row) -> str:
    values = ("NULL" if value is None else repr(value) for value in row.values())
    return f"({', '.join(values)})"


@pytest.mark.parametrize("seed", range(4))
def test_no_change_of_a_result_goes_unseen(seed: int) -> None:
    counts = _check(seed)
    assert counts["statements"] > 20
    assert counts["unanalysable"] < 3
    assert counts["run"] > 200
    assert counts["changed"] > 5


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(100, 200))
def test_no_change_of_a_result_goes_unseen_in_many_schemas(seed: int) -> None:
    assert _check(seed)["run"] > 200
