"""The JSON Schema of profiles, and readable messages for its errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from kgprobe.config.toml import KeyPath, Places
from kgprobe.errors import InputError, did_you_mean, nearest
from kgprobe.processes.programs import as_list

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

__all__ = ["MOST_HINTS", "SCHEMA_NAME", "problems", "schema", "schema_text", "spelled"]

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
MOST_HINTS = 100
"""How many problems of a kind get a hint. Only the first one is shown, and hints take time."""


SCHEMA_NAME = "urn:kgprobe:profile"
"""The identifier of the schema."""


_PROFILE = "profile.schema.json"


def schema_text(name: str = _PROFILE) -> str:
    """The schema as it is in its file."""
    return files("kgprobe.config").joinpath(name).read_text(encoding="utf-8")


@cache
def schema(name: str = _PROFILE) -> Mapping[str, Any]:
    """The schema as a value."""
    found: Mapping[str, Any] = json.loads(schema_text(name))
    return found


def problems(document: Mapping[str, Any], places: Places, name: str = _PROFILE) -> list[InputError]:
    """Everything in a profile that a schema does not allow; the schema of campaigns, unless another is named."""
    from jsonschema import Draft202012Validator  # not above: most commands read no profile

    validator = Draft202012Validator(schema(name))
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
