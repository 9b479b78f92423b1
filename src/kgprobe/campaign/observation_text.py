"""Observations as text, for the file of kept answers.

It is JSON. Scalars stand for themselves; any other value is an array that starts with its type.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from kgprobe.model import Crash, Observation, Place, Status
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Triple
from kgprobe.reasoners.protocol import Hierarchy


def observation_text(seen: Observation) -> str:
    """An observation as text. RecursionError if its value is nested too deeply."""
    crash = None if seen.crash is None else _crash_values(seen.crash)
    values = {
        "status": seen.status.value,
        "seconds": seen.seconds,
        "value": _packed(seen.value),
        "exit_code": seen.exit_code,
        "stdout": seen.stdout,
        "stderr": seen.stderr,
        "output": _packed(seen.output),
        "crash": crash,
        "is_partial": seen.is_partial,
        "remark": seen.remark,
        "is_read": seen.is_read,
        "is_unreadable": seen.is_unreadable,
        "is_response": seen.is_response,
    }
    return json.dumps(values, separators=(",", ":"))


def observation_in(text: str, system: str) -> Observation:
    """The observation of a system in a text. Errors of many kinds if the text is something else."""
    values = json.loads(text)
    return Observation(
        system,
        Status(values["status"]),
        float(values["seconds"]),
        _unpacked(values["value"]),
        _optional(int, values["exit_code"]),
        _is(str, values["stdout"]),
        _is(str, values["stderr"]),
        _optional(bytes, _unpacked(values["output"])),
        None if values["crash"] is None else _crash(values["crash"]),
        _is(bool, values["is_partial"]),
        _is(str, values["remark"]),
        **{name: _is(bool, values.get(name, False)) for name in ("is_read", "is_unreadable", "is_response")},
    )


def _packed(value: Any) -> Any:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case bytes():
            return ["bytes", base64.b64encode(value).decode()]
        case list() | tuple() | set() | frozenset():
            return [type(value).__name__, *map(_packed, value)]
        case dict():
            return ["dict", *(_packed(part) for pair in value.items() for part in pair)]
        case NamedNode() | BlankNode():
            return [type(value).__name__, value.value]
        case Literal():
            return ["Literal", value.value, value.language, None if value.language else value.datatype.value]
        case Triple():
            return ["Triple", _packed(value.subject), _packed(value.predicate), _packed(value.object)]
        case Hierarchy():
            return [
                "Hierarchy",
                _packed(dict(value.groups)),
                _packed(dict(value.parents)),
                _packed(value.unsatisfiable),
            ]
    raise TypeError(f"a value of type {type(value).__name__} cannot be kept")


def _unpacked(packed: Any) -> Any:
    if not isinstance(packed, list):
        if isinstance(packed, dict):
            raise TypeError("an object where a value should be")
        return packed
    name, *items = packed
    return _TYPES[name](items)


def _dict(items: list[Any]) -> dict[Any, Any]:
    values = list(map(_unpacked, items))
    return dict(zip(values[::2], values[1::2], strict=True))


def _literal(items: list[Any]) -> Literal:
    text, language, datatype = items
    return Literal(text, language=language) if language else Literal(text, datatype=NamedNode(datatype))


def _collection(kind: Callable[[Any], Any]) -> Callable[[list[Any]], Any]:
    return lambda items: kind(map(_unpacked, items))


_TYPES: dict[str, Callable[[list[Any]], Any]] = {
    "bytes": lambda items: base64.b64decode(items[0], validate=True),
    "list": _collection(list),
    "tuple": _collection(tuple),
    "set": _collection(set),
    "frozenset": _collection(frozenset),
    "dict": _dict,
    "NamedNode": lambda items: NamedNode(*items),
    "BlankNode": lambda items: BlankNode(*items),
    "Literal": _literal,
    "Triple": lambda items: Triple(*map(_unpacked, items)),
    "Hierarchy": lambda items: Hierarchy(*(_unpacked(item) for item in items)),
}


def _crash_values(crash: Crash) -> list[Any]:
    place = None if crash.place is None else [crash.place.file, crash.place.line, crash.place.text]
    return [crash.kind, crash.message, list(crash.frames), place]


def _crash(values: list[Any]) -> Crash:
    kind, message, frames, place = values
    where = None if place is None else Place(_is(str, place[0]), _is(int, place[1]), _is(str, place[2]))
    return Crash(_is(str, kind), _is(str, message), tuple(_is(str, frame) for frame in frames), where)


def _is(kind: type[Any], value: Any) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"{value!r:.60} is not of type {kind.__name__}")
    return value


def _optional(kind: type[Any], value: Any) -> Any:
    return None if value is None else _is(kind, value)
