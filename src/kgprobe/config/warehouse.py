"""Loads a warehouse profile: from a file, or one of those that come with kgprobe."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from kgprobe.config.schema import problems
from kgprobe.config.tables import Tables
from kgprobe.config.toml import KeyPath, Places, find_places
from kgprobe.errors import InputError, Position, did_you_mean
from kgprobe.given_files import LARGEST_SETTINGS, parse_toml, read_text
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import STANDARD_PREFIXES
from kgprobe.rdf.terms import OBO, SKOS
from kgprobe.selection.warehouse.profile import Table, Warehouse, content_of, problem_with
from kgprobe.sparql.engine.exact_store import GraphStore
from kgprobe.sparql.engine.results import Rows
from kgprobe.sparql.reading import read_query

__all__ = ["BUILT_IN", "load_warehouse", "warehouse_in", "warehouse_schema"]

BUILT_IN = ("go", "i2b2", "labels")
"""The profiles that come with kgprobe."""

_PREFIXES = {
    **STANDARD_PREFIXES,
    "obo": OBO.iri,
    "oboInOwl": "http://www.geneontology.org/formats/oboInOwl#",
    "skos": SKOS.iri,
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
}


@cache
def warehouse_schema() -> Mapping[str, Any]:
    """The JSON Schema of warehouse profiles."""
    schema: Mapping[str, Any] = json.loads(_own_file("warehouse.schema.json"))
    return schema


def load_warehouse(named: str) -> Warehouse:
    """The profile with this name, or in this file. InputError if there is neither, or for the first mistake in it."""
    if named in BUILT_IN:
        return warehouse_in(_own_file(f"warehouses/{named}.toml"), named)
    if not Path(named).exists():
        hint = did_you_mean(named, BUILT_IN, f"name a file, or one of {', '.join(BUILT_IN)}")
        raise InputError("does not exist", where=Position(named), hint=hint)
    return warehouse_in(read_text(Path(named), LARGEST_SETTINGS), named)


def _own_file(name: str) -> str:
    """The text of a file that comes with kgprobe."""
    return files("kgprobe.config").joinpath(name).read_text(encoding="utf-8")


def warehouse_in(text: str, name: str) -> Warehouse:
    """The profile in a text; `name` is its file, for messages."""
    document = parse_toml(text, name)
    places = find_places(text, name)
    misfits = problems(document, places, warehouse_schema())
    if misfits:
        raise misfits[0]
    tables = Tables(document, Path(name).parent, places)
    read = tables.table(Warehouse, ("warehouse",))
    prefixes = {**_PREFIXES, **read.prefixes}
    mistakes = [*tables.problems, *_mistakes(read, prefixes, places)]
    if mistakes:
        raise mistakes[0]
    return dataclasses.replace(read, prefixes=prefixes, name=name)


def _mistakes(read: Warehouse, prefixes: dict[str, str], places: Places) -> Iterator[InputError]:
    for name, table in read.tables.items():
        path: KeyPath = ("warehouse", "tables", name)
        if name in read.data:
            yield InputError(f"the table '{name}' is also in 'data'", where=places.key(path))
        if (table.rows == "select") != bool(table.query):
            what = "needs a 'query'" if table.rows == "select" else "has a 'query', which is for rows = \"select\""
            yield InputError(f"the table '{name}' {what}", where=places.key(path))
        if table.rows == "select" and table.query:
            yield from _odd_query(name, table, prefixes, places.value((*path, "query")))
        for column, said in table.columns.items():
            place = places.value((*path, "columns", column))
            problem = problem_with(said, table)
            if problem is not None:
                yield InputError(problem, where=place)
            else:
                yield from _unknown(content_of(said, table.rows).predicate, prefixes, place)
        for key in ("over", "without"):
            for number, each in enumerate(getattr(table, key)):
                yield from _unknown(each, prefixes, places.value((*path, key, number)))


def _odd_query(name: str, table: Table, prefixes: dict[str, str], place: Position) -> Iterator[InputError]:
    """What is wrong with the query of a table, which is tried on an empty graph."""
    source = f"the query of the table '{name}'"
    try:
        read_query(table.query, source, prefixes)
        answer = GraphStore(Graph()).query(table.query, source, prefixes)
    except InputError as error:
        yield InputError(f"{source}: {error.message}", where=place, hint=error.hint)
        return
    except (SyntaxError, RuntimeError, OSError) as error:  # pyoxigraph's
        yield InputError(f"{source}: {' '.join(str(error).split())}", where=place)
        return
    if not isinstance(answer, Rows):
        yield InputError(f"{source} is not a SELECT query", where=place)
        return
    for column, said in table.columns.items():
        if said.lstrip("?") not in answer.names:
            what = f"{source} has no variable ?{said.lstrip('?')}, which the column '{column}' should hold"
            yield InputError(what, where=place, hint=f"it has {', '.join(f'?{variable}' for variable in answer.names)}")


def _unknown(predicate: str, prefixes: dict[str, str], place: Position) -> Iterator[InputError]:
    prefix, colon, local = predicate.partition(":")
    if colon and prefix not in prefixes and not local.startswith("//") and not local.isdigit():
        hint = did_you_mean(prefix, prefixes, "declare it in [warehouse.prefixes]")
        yield InputError(f"'{predicate}' has an unknown prefix", where=place, hint=hint)
