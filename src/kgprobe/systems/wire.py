"""Encodes any value of a function as JSON, to send it to another process.

Lists, mappings and sets become a letter and their items, so that each value can be decoded unambiguously.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from typing import Any

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Triple

__all__ = ["decoded", "encoded"]

_LIST, _MAPPING, _SET = "l", "m", "s"
_DEEPEST = 200
_MOST_BITS = 10_000  # Python refuses to write much longer numbers
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def encoded(value: object, depth: int = 0) -> Any:
    """A value as JSON. Values that JSON does not have become text."""
    match value:
        case None | bool() | float():
            return value
        case str():
            return str(value)
        case int():
            return int(value) if value.bit_length() <= _MOST_BITS else hex(value)
        case NamedNode() | BlankNode() | Literal() | Triple():
            return str(value)
        case Graph():
            return "".join(sorted(f"{triple} .\n" for triple in value))
    if depth < _DEEPEST:
        match value:
            case list() | tuple():
                return [_LIST, [encoded(item, depth + 1) for item in value]]
            case Mapping():
                return [_MAPPING, [[_key(key), encoded(item, depth + 1)] for key, item in value.items()]]
            case Set():
                return [_SET, [encoded(item, depth + 1) for item in value]]
    return _text(value)


def decoded(wire: Any, *, hashable: bool = False) -> Any:
    """The value; sets are frozen, and lists in them are tuples. ValueError if it was not made by `encoded`."""
    if not isinstance(wire, list):
        if isinstance(wire, dict):
            raise ValueError("an object that is not a mapping")
        return wire
    match wire:
        case ["l", list(items)]:
            values = [decoded(item, hashable=hashable) for item in items]
            return tuple(values) if hashable else values
        case ["s", list(items)]:
            return frozenset(decoded(item, hashable=True) for item in items)
        case ["m", list(items)]:
            pairs = [(str(key), decoded(item, hashable=hashable)) for key, item in items]
            return tuple(pairs) if hashable else dict(pairs)
    raise ValueError("neither a list nor a mapping nor a set")


def _key(key: object) -> str:
    if isinstance(key, str | int | float | NamedNode | BlankNode | Literal):
        return str(key)
    return _text(key)


def _text(value: object) -> str:
    """Python's text for a value, without its address in memory, which differs in each run."""
    try:
        return _ADDRESS.sub("", repr(value))
    except Exception:  # its class is the user's
        return f"<{type(value).__qualname__}>"
