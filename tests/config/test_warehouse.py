"""Warehouse profiles: those that come with kgprobe, and mistakes in others."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kgprobe.config.tables import keys_of
from kgprobe.config.warehouse import BUILT_IN, load_warehouse, warehouse_in, warehouse_schema
from kgprobe.errors import InputError
from kgprobe.selection.warehouse.profile import Table, Warehouse

QUERY = '[warehouse.tables.t]\nrows = "select"\nquery = "%s"\ncolumns = { c = "?y" }\n'
TABLE = '[warehouse.tables.t]\nrows = "%s"\ncolumns = { c = "%s" }\n'


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_profiles_that_come_with_kgprobe_are_right(name: str) -> None:
    found = load_warehouse(name)
    assert found.tables
    assert all(table.columns for table in found.tables.values())
    assert found.tables.keys().isdisjoint(found.data)


def test_the_schema_and_the_table_types_agree() -> None:
    whole: dict[str, Any] = dict(warehouse_schema())
    Draft202012Validator.check_schema(whole)
    warehouse = whole["properties"]["warehouse"]["properties"]
    table = warehouse["tables"]["additionalProperties"]["properties"]
    assert warehouse.keys() == keys_of(Warehouse) - {"name"}
    assert table.keys() == keys_of(Table)
    for kind, keys in ((Warehouse, warehouse), (Table, table)):
        for each in dataclasses.fields(kind):
            said = keys.get(each.name.replace("_", "-"), {})
            if "default" in said and each.default is not dataclasses.MISSING:
                default = list(each.default) if isinstance(each.default, tuple) else each.default
                assert said["default"] == default, each.name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[warehouses]\n", "a profile has no 'warehouses'; did you mean 'warehouse'?"),
        ("[warehouse.tables.t]\nrow = 'terms'\n", "has no key 'row'"),
        (TABLE % ("terms", "upper"), "a column of a table with terms cannot hold 'upper': it holds term, constant"),
        (TABLE % ("closure", "distanc"), "cannot hold 'distanc'"),
        (TABLE % ("terms", "foo:bar"), "'foo:bar' has an unknown prefix"),
        (TABLE % ("lines", "term"), '"lines" is not a value'),
        ('[warehouse.tables.t]\nrows = "select"\n', "the table 't' needs a 'query'"),
        ('[warehouse.tables.t]\nrows = "terms"\nquery = "x"\n', "has a 'query', which is for rows = \"select\""),
        (QUERY % "SELECT ?x WHERE { ?x bad", "the query of the table 't': the query ends too early"),
        (QUERY % "SELECT ?x WHERE { ?x foo:bar ?y }", "the query of the table 't': "),
        (QUERY % "ASK { ?x ?y ?z }", "the query of the table 't' is not a SELECT query"),
        (QUERY % "SELECT ?x WHERE { ?x ?y ?z }", "has no variable ?y, which the column 'c' should hold; it has ?x"),
        ('[warehouse]\ndata = ["t"]\n' + TABLE % ("terms", "term"), "the table 't' is also in 'data'"),
    ],
)
def test_a_mistake_is_said_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "warehouse.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        load_warehouse(str(file))
    said = f"{raised.value.message}; {raised.value.hint}" if raised.value.hint else raised.value.message
    assert message in said
    assert raised.value.where is not None
    assert raised.value.where.line is not None


def test_a_name_that_is_no_profile() -> None:
    with pytest.raises(InputError, match="does not exist") as raised:
        load_warehouse("i2b3")
    assert raised.value.hint == "did you mean 'i2b2'?"


def test_names_of_properties_may_have_any_declared_prefix() -> None:
    text = '[warehouse.prefixes]\nfoo = "urn:foo:"\n' + TABLE % ("terms", "foo:bar")
    assert warehouse_in(text, "w").tables["t"].columns == {"c": "foo:bar"}
