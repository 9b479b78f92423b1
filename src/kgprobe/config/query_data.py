"""Reads what a user wants of the data for a query from a TOML file: values, members, and how many of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from kgprobe.config.toml import KeyPath, Places, find_places
from kgprobe.errors import InputError, did_you_mean
from kgprobe.given_files import LARGEST_SETTINGS, parse_toml, read_text
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.data import Wishes
from kgprobe.rdf.spelling import STANDARD_PREFIXES
from kgprobe.rdf.terms import XSD, Literal, NamedNode, Term

__all__ = ["read_wishes"]

_TABLES = ("individuals", "classes", "properties")
_CLASS_KEYS = ("names", "least", "most")
_PROPERTY_KEYS = ("values", "least", "most")
_MOST = 10_000


def read_wishes(path: Path, schema: Schema, prefixes: Mapping[str, str]) -> Wishes:
    """The wishes in a file. InputError, with a position, for a key or a name that does not exist."""
    text = read_text(path, LARGEST_SETTINGS)
    document = parse_toml(text, str(path))
    return _Reader(document, find_places(text, str(path)), schema, {**STANDARD_PREFIXES, **prefixes}).wishes()


class _Reader:
    def __init__(
        self, document: Mapping[str, Any], places: Places, schema: Schema, prefixes: Mapping[str, str]
    ) -> None:
        self._document = document
        self._places = places
        self._schema = schema
        self._prefixes = prefixes

    def wishes(self) -> Wishes:
        self._check_keys(self._document, _TABLES, ())
        values: dict[NamedNode, tuple[Term, ...]] = {}
        members: dict[NamedNode, tuple[NamedNode, ...]] = {}
        least: dict[NamedNode, int] = {}
        most: dict[NamedNode, int] = {}
        for name, table, path in self._tables("classes", ("Class",), _CLASS_KEYS):
            members[name] = tuple(self._name(each, (*path, "names", n)) for n, each in self._list(table, "names", path))
            self._bounds(name, table, path, least, most)
        for name, table, path in self._tables("properties", ("ObjectProperty", "DataProperty"), _PROPERTY_KEYS):
            found = [self._value(name, each, (*path, "values", n)) for n, each in self._list(table, "values", path)]
            if found:
                values[name] = tuple(found)
            self._bounds(name, table, path, least, most)
        return Wishes(values, members, least, most, self._number(self._document, "individuals", (), least=1))

    def _tables(
        self, key: str, kinds: tuple[str, ...], keys: tuple[str, ...]
    ) -> Iterator[tuple[NamedNode, Mapping[str, Any], KeyPath]]:
        tables = self._document.get(key, {})
        if not isinstance(tables, Mapping):
            raise self._wrong(f"'{key}' is a table", (key,))
        for text, table in tables.items():
            path: KeyPath = (key, text)
            name = self._name(text, path, kinds)
            if not isinstance(table, Mapping):
                raise self._wrong(f"'{text}' is a table, such as {{ {keys[0]} = […] }}", path)
            self._check_keys(table, keys, path)
            yield name, table, path

    def _check_keys(self, table: Mapping[str, Any], keys: tuple[str, ...], path: KeyPath) -> None:
        for key in table:
            if key not in keys:
                hint = did_you_mean(key, keys, f"choose from {', '.join(keys)}")
                raise InputError(f"'{key}' is not a key", where=self._places.key((*path, key)), hint=hint)

    def _bounds(
        self,
        name: NamedNode,
        table: Mapping[str, Any],
        path: KeyPath,
        least: dict[NamedNode, int],
        most: dict[NamedNode, int],
    ) -> None:
        low, high = self._number(table, "least", path), self._number(table, "most", path)
        if low is not None and high is not None and low > high:
            raise self._wrong(f"least is {low}, which is more than most, {high}", (*path, "least"))
        if low is not None:
            least[name] = low
        if high is not None:
            most[name] = high

    def _number(self, table: Mapping[str, Any], key: str, path: KeyPath, *, least: int = 0) -> int | None:
        value = table.get(key)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _MOST:
            raise self._wrong(f"'{key}' is a whole number from {least} to {_MOST:,}, not {value!r:.40}", (*path, key))
        return value

    def _list(self, table: Mapping[str, Any], key: str, path: KeyPath) -> Iterator[tuple[int, Any]]:
        value = table.get(key, [])
        if not isinstance(value, list):
            raise self._wrong(f"'{key}' is a list", (*path, key))
        return enumerate(value)

    def _name(self, text: Any, path: KeyPath, kinds: tuple[str, ...] = ()) -> NamedNode:
        """`prefix:name`, or an IRI with or without angle brackets. With `kinds`, the ontology must have it."""
        if not isinstance(text, str):
            raise self._wrong(f"a name is a text, not {text!r:.40}", path)
        prefix, colon, local = text.partition(":")
        iri = text[1:-1] if text.startswith("<") and text.endswith(">") else text
        if colon and prefix in self._prefixes:
            iri = self._prefixes[prefix] + local
        try:
            name = NamedNode(iri)
        except ValueError:
            raise self._wrong(f"'{text}' is not a name; its prefix may not be declared", path) from None
        if kinds and not self._schema.kinds(name).intersection(kinds):
            spell = self._schema.graph.spelling.term
            known = [
                spell(known_name)
                for known_name in self._schema.names
                if self._schema.kinds(known_name).intersection(kinds)
            ]
            hint = did_you_mean(text, known)
            what = "class" if kinds == ("Class",) else "property"
            raise InputError(f"the ontology has no {what} {text}", where=self._places.key(path), hint=hint)
        return name

    def _value(self, name: NamedNode, value: Any, path: KeyPath) -> Term:
        if "DataProperty" not in self._schema.kinds(name):
            return self._name(value, path)
        text, usual = _literal_text(value)
        if text is None:
            raise self._wrong(f"{value!r:.40} is not a value", path)
        allowed = self._schema.values_of(name)
        datatypes = [usual, *(example.datatype for example in allowed.examples(12) if not example.language)]
        for datatype in dict.fromkeys(datatypes):
            literal = Literal(text, datatype=datatype)
            if allowed.contains(literal) is not False:
                return literal
        raise self._wrong(f"{value!r:.40} is not in the range of {self._schema.graph.spelling.term(name)}", path)

    def _wrong(self, message: str, path: KeyPath) -> InputError:
        return InputError(message, where=self._places.value(path))


def _literal_text(value: Any) -> tuple[str | None, NamedNode]:
    match value:
        case bool():
            return str(value).lower(), XSD.boolean
        case int():
            return str(value), XSD.integer
        case float():
            return repr(value), XSD.double
        case datetime():
            return value.isoformat().replace("+00:00", "Z"), XSD.dateTime
        case date():
            return value.isoformat(), XSD.date
        case time():
            return value.isoformat(), XSD.time
        case str():
            return value, XSD.string
        case _:
            return None, XSD.string
