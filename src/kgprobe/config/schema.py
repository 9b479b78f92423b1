"""The JSON Schema of profiles, made from the table types, and readable messages for its errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from datetime import date, time
from functools import cache
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from kgprobe.config.profile import PROFILE_KEYS
from kgprobe.config.tables import (
    FILLED_IN,
    MOST_HINTS,
    Key,
    OneOf,
    PythonFunction,
    Reading,
    hints_of,
    name_of,
    reading_of,
)
from kgprobe.config.toml import KeyPath, Places
from kgprobe.errors import InputError, did_you_mean, nearest
from kgprobe.processes.programs import as_list

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

__all__ = ["SCHEMA_NAME", "problems", "schema", "schema_text", "spelled"]

_TYPES = {
    "object": "a table",
    "array": "an array",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
_COMMANDS = ("command", "start", "stop")
# Longer values are cut: their start is enough to recognise them.
_LONGEST = 60
SCHEMA_NAME = "urn:kgprobe:profile"
"""The identifier of the schema."""


@cache
def schema() -> Mapping[str, Any]:
    """The schema of profiles."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_NAME,
        "title": "kgprobe profile",
        "description": (
            "How to make mutants of a graph, and which systems to run on them. All paths are relative to the profile."
        ),
        "type": "object",
        "additionalProperties": False,
        "properties": {name: _part(hint) for name, hint in PROFILE_KEYS.items()},
    }


def schema_text() -> str:
    """The schema as JSON."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


# -- from types to JSON Schema -----------------------------------------------------------------------------------------

_OF_TYPES: Mapping[Any, Mapping[str, Any]] = {
    str: {"type": "string", "minLength": 1},
    Path: {"type": "string", "minLength": 1},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    PythonFunction: {"type": "string", "pattern": r"^[^:]+\.py:[A-Za-z_][A-Za-z_0-9]*$"},
    Reading.ANY_TEXT: {"type": "string"},
    Reading.FACTS: {"type": "string", "minLength": 1},
    Reading.DURATION: {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?[smh]$"},
}


def _part(hint: Any, default: Any = None) -> dict[str, Any]:
    """What the schema says about a key of this type. The default stands there if a profile may have that value."""
    [described] = (mark for mark in hint.__metadata__ if isinstance(mark, Key))
    part = {"title": described.title, "description": described.description, **_shape(hint), **described.demands}
    if part.keys() & {"enum", "pattern"}:
        part.pop("minLength", None)
    if default or (default is not None and not part.keys() & {"minItems", "minLength"}):
        part["default"] = _as_json(default)
    return part


def _shape(hint: Any) -> Mapping[str, Any]:
    """What the type itself demands."""
    origin, inner, reading = get_origin(hint), get_args(hint), reading_of(hint)
    if reading in _OF_TYPES:
        return _OF_TYPES[reading]
    if origin is Annotated:
        kinds = next((mark.kinds for mark in hint.__metadata__ if isinstance(mark, OneOf)), None)
        shape = _shape(inner[0]) if kinds is None else _table(kinds.values())
        return {**shape, "type": ["array", "string"]} if reading is Reading.ONE_OR_MORE else shape
    if origin in (Union, UnionType):
        shapes = [_shape(kind) for kind in inner if kind is not type(None)]
        return shapes[0] if len(shapes) == 1 else {"type": [shape["type"] for shape in shapes]}
    if origin is Literal:
        return _shape(str)
    if origin is tuple:
        return {"type": "array", "items": _part(inner[0])}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": _part(inner[1])}
    return _OF_TYPES.get(hint) or _table([hint])


def _table(kinds: Collection[type]) -> Mapping[str, Any]:
    """A table of one of these types. Which keys it needs is said here if there is one type."""
    properties: dict[str, Any] = {}
    needed: list[str] = []
    for kind in kinds:
        for name, hint, field in _keys(kind):
            has_default = field.default is not MISSING or field.default_factory is not MISSING
            if not has_default and field.metadata != FILLED_IN:
                needed.append(name)
            default = field.default if field.default_factory is MISSING else field.default_factory()
            is_said = has_default and default != Path()  # which stands for a file that has not been named
            properties.setdefault(name, _part(hint, default if is_said else None))
    shape = {"type": "object", "additionalProperties": False, "properties": properties}
    return {**shape, "required": needed} if needed and len(kinds) == 1 else shape


def _keys(kind: type) -> Iterator[tuple[str, Any, Field[Any]]]:
    """The keys of a table type, each with its type and field. What has no description is no key."""
    for field in fields(kind):
        hint = hints_of(kind)[field.name]
        if field.metadata.get("same"):
            yield from _keys(hint)
        elif any(isinstance(mark, Key) for mark in getattr(hint, "__metadata__", ())):
            yield name_of(field), hint, field


def _as_json(default: object) -> object:
    if isinstance(default, tuple):
        return list(default)
    return int(default) if isinstance(default, float) and default.is_integer() else default


# -- problems in a profile ---------------------------------------------------------------------------------------------


def problems(document: Mapping[str, Any], places: Places, allowed: Mapping[str, Any]) -> list[InputError]:
    """Everything in a profile that this schema does not allow."""
    from jsonschema import Draft202012Validator  # not above: most commands read no profile

    validator = Draft202012Validator(allowed)
    return [problem for error in validator.iter_errors(document) for problem in _explained(error, places)]


def spelled(path: KeyPath) -> str:
    """A path as in messages: `[mutation] seed`."""
    table, *keys = path
    inner = ".".join(str(key) for key in keys if isinstance(key, str))
    return f"[{table}] {inner}".strip()


@dataclass(frozen=True)
class _Complaint:
    """An error of the validator: a keyword of the schema, its value there, and the value that does not fit."""

    keyword: str
    asked: Any
    schema: Mapping[str, Any]
    value: Any
    path: KeyPath
    places: Places

    def at_value(self, message: str, hint: str | None = None) -> InputError:
        return InputError(message, where=self.places.value(self.path), hint=hint)


def _explained(error: ValidationError, places: Places) -> Iterator[InputError]:
    asked: Any = error.validator_value
    around: Any = error.schema
    complaint = _Complaint(str(error.validator), asked, around, error.instance, tuple(error.absolute_path), places)
    return _EXPLAINED[complaint.keyword](complaint)


def _unknown_key(complaint: _Complaint) -> Iterator[InputError]:
    valid = list(complaint.schema["properties"])
    unknown = [key for key in complaint.value if key not in complaint.schema["properties"]]
    for number, key in enumerate(unknown):
        what = f"[{complaint.path[0]}] has no key '{key}'" if complaint.path else f"a profile has no '{key}'"
        hint = _hint(key, valid) if number < MOST_HINTS else None
        yield InputError(what, where=complaint.places.key((*complaint.path, key)), hint=hint)


def _missing_key(complaint: _Complaint) -> Iterator[InputError]:
    # The validator has one error for each; none of our tables needs more than one key.
    [key] = complaint.asked
    if nearest(key, complaint.value.keys() - complaint.schema["properties"].keys()):
        return  # it is misspelled, and another problem says so
    what = f"[{complaint.path[0]}] needs '{key}'" if complaint.path else f"a profile needs a table [{key}]"
    yield InputError(what, where=complaint.places.key(complaint.path))


def _wrong_type(complaint: _Complaint) -> Iterator[InputError]:
    is_element = isinstance(complaint.path[-1], int)
    verb = "holds" if is_element else "is"
    asked = [complaint.asked] if isinstance(complaint.asked, str) else complaint.asked
    kind = " or ".join(map(_TYPES.__getitem__, asked)) + (" in each place" if is_element else "")
    meant = None
    if asked == ["array"] and isinstance(complaint.value, str):
        is_command = complaint.path[-1] in _COMMANDS
        meant = f"write {as_list(complaint.value) if is_command else f'[{_shown(complaint.value)}]'}"
    elif asked == ["string"] and type(complaint.value) in (int, float) and "enum" not in complaint.schema:
        meant = f'write "{_shown(complaint.value)}"'
    yield complaint.at_value(f"{spelled(complaint.path)} {verb} {kind}, not {_shown(complaint.value)}", meant)


def _wrong_choice(complaint: _Complaint) -> Iterator[InputError]:
    if isinstance(complaint.value, str):  # other values have another complaint
        what = f"{_shown(complaint.value)} is not a value for {spelled(complaint.path)}"
        valid = [each if isinstance(each, str) else _shown(each) for each in complaint.asked]
        yield complaint.at_value(what, _hint(complaint.value, valid))


def _wrong_size(complaint: _Complaint) -> Iterator[InputError]:
    words = {"minimum": "at least", "exclusiveMinimum": "more than", "maximum": "at most"}[complaint.keyword]
    yield complaint.at_value(f"{spelled(complaint.path)} is {words} {complaint.asked}, not {_shown(complaint.value)}")


def _empty(complaint: _Complaint) -> Iterator[InputError]:
    what = "has an empty element" if isinstance(complaint.path[-1], int) else "is empty"
    yield complaint.at_value(f"{spelled(complaint.path)} {what}")


def _wrong_form(complaint: _Complaint) -> Iterator[InputError]:
    what = f"{_shown(complaint.value)} is not a value for {spelled(complaint.path)}"
    yield complaint.at_value(what, f"write {complaint.schema['description']}")


# Each keyword that the schema uses in a way that a profile can fail.
_EXPLAINED: Mapping[str, Callable[[_Complaint], Iterator[InputError]]] = {
    "additionalProperties": _unknown_key,
    "required": _missing_key,
    "type": _wrong_type,
    "enum": _wrong_choice,
    "minimum": _wrong_size,
    "exclusiveMinimum": _wrong_size,
    "maximum": _wrong_size,
    "minItems": _empty,
    "minLength": _empty,
    "pattern": _wrong_form,
}


def _hint(value: str, valid: list[str]) -> str:
    return did_you_mean(value, valid, f"valid are {', '.join(valid)}")


def _shown(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        text = f"[{', '.join(map(_shown, value))}]"
    elif isinstance(value, date | time):
        text = value.isoformat()
    elif isinstance(value, float):
        text = repr(value)  # inf and nan, too
    else:
        text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
