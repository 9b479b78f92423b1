"""The JSON Schema of profiles, made from the table types, and readable messages for its errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from datetime import date, time
from functools import cache
from itertools import chain
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from kgprobe.config.profile import (
    CampaignTable,
    CasesTable,
    GraphTable,
    KnownBug,
    MaskTable,
    MutationTable,
    OracleTable,
    OutputTable,
    PinsTable,
    QueryTable,
)
from kgprobe.config.questions import QuestionsTable
from kgprobe.config.system_table import SystemTable
from kgprobe.config.systems import SYSTEMS, FunctionTable
from kgprobe.config.tables import (
    IN_SAME_TABLE,
    MOST_HINTS,
    Key,
    PythonFunction,
    Reading,
    described,
    hints_of,
    is_needed,
    key,
    key_of,
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


# -- the keys of a profile ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _PythonTable:
    """Python code to run. Other tables hold the values, so that they do not say where a function was named."""

    systems: tuple[FunctionTable, ...] = key(
        "Systems in Python",
        "Functions under test.",
        items=("A function under test", "It runs in a separate process."),
        is_filled_in=True,
    )
    oracle: PythonFunction | None = key("Oracle in Python", "file.py:function", default=None)
    operators: tuple[PythonFunction, ...] = key(
        "Operators in Python",
        "Functions as file.py:function, in the folder of the profile. The docstring of each is its header.",
        items=("A function", "file.py:function"),
        default=(),
    )


@dataclass(frozen=True)
class Document:
    """All tables of a profile."""

    graph: GraphTable = key("Seed graphs", "The graphs to start from, and how to read them.", default=None)
    mutation: MutationTable = key("Mutation", "Which operators to apply, and how often.", default=None)
    cases: CasesTable = key(
        "Cases",
        "Graphs that exist, to test on instead of mutants: files, or all versions of a file in git.",
        default=None,
    )
    query: QueryTable = key(
        "Query",
        "Data for a query, to test on instead of mutants: graphs that are generated from the query and an ontology.",
        default=None,
    )
    questions: QuestionsTable = key(
        "Questions",
        "Questions whose answers follow from each other, to test question-answering software: made from facts, or "
        "given.",
        default=None,
    )
    mask: MaskTable = key(
        "Mask", "The conditions for admissible mutants. Without conditions, all mutants are admissible.", default=None
    )
    pins: PinsTable = key("Pins", "Triples that no operator may touch.", default=None)
    output: OutputTable = key("Output", "Where mutants are written, and how.", default=None)
    systems: tuple[SystemTable, ...] = key(
        "Systems under test",
        "The systems to run on each mutant, or to ask each question. Python functions belong in [[python.systems]].",
        items=described(
            "A system under test",
            "One of the keys command, reasoner, http, sparql and chat determines its kind.",
            kinds=SYSTEMS.values(),
        ),
        default=None,
    )
    oracle: OracleTable = key(
        "Oracle",
        "How runs are judged. A crash or a timeout always counts as a failure; all other checks are optional.",
        default=None,
    )
    known: tuple[KnownBug, ...] = key(
        "Known bugs",
        "Findings that are counted separately.",
        items=("A known bug", "The findings that belong to this bug."),
        default=None,
    )
    campaign: CampaignTable = key(
        "Campaign", "When a campaign stops, how many workers it uses, and where it stores results.", default=None
    )
    python: _PythonTable = key(
        "Python code", "Python code to run. No other table of a profile loads code.", default=None
    )


@cache
def schema(document: type = Document) -> Mapping[str, Any]:
    """The schema of profiles."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_NAME,
        "title": "kgprobe profile",
        "description": (
            "How to make mutants of a graph, and which systems to run on them. All paths are relative to the profile."
        ),
        **_table([document]),
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


def _part(said: Key, hint: Any, default: Any = None) -> dict[str, Any]:
    """What the schema says about a key of this type. The default stands there if a profile may have that value."""
    part = {"title": said.title, "description": said.description, **_shape(said, hint), **said.demands}
    if part.keys() & {"enum", "pattern"}:
        part.pop("minLength", None)
    if default or (default is not None and not part.keys() & {"minItems", "minLength"}):
        part["default"] = _as_json(default)
    return part


def _shape(said: Key, hint: Any) -> Mapping[str, Any]:
    """What the type itself demands."""
    origin, inner, reading = get_origin(hint), get_args(hint), reading_of(hint)
    if said.kinds:
        return _table(said.kinds)
    if reading in _OF_TYPES:
        return _OF_TYPES[reading]
    if origin is Annotated:
        shape = _shape(said, inner[0])
        return {**shape, "type": ["array", "string"]} if reading is Reading.ONE_OR_MORE else shape
    if origin in (Union, UnionType):
        shapes = [_shape(said, kind) for kind in inner if kind is not type(None)]
        return shapes[0] if len(shapes) == 1 else {"type": [shape["type"] for shape in shapes]}
    if origin is Literal:
        return _OF_TYPES[str]
    if said.items is not None:
        is_array = origin is tuple
        item = _part(said.items, inner[0 if is_array else 1])
        return {"type": "array", "items": item} if is_array else {"type": "object", "additionalProperties": item}
    return _OF_TYPES.get(hint) or _table([hint])


def _table(kinds: Collection[type]) -> Mapping[str, Any]:
    """A table of one of these types. Which keys it needs is said here if there is one type."""
    properties: dict[str, Any] = {}
    keys = list(chain.from_iterable(map(_keys, kinds)))
    for said, hint, field in keys:
        default = field.default if field.default_factory is MISSING else field.default_factory()
        # An empty path stands for a file that has not been named.
        properties.setdefault(name_of(field), _part(said, hint, None if default in (MISSING, Path()) else default))
    shape = {"type": "object", "additionalProperties": False, "properties": properties}
    needed = [name_of(field) for _, _, field in keys if is_needed(field)]
    return {**shape, "required": needed} if needed and len(kinds) == 1 else shape


def _keys(kind: type) -> Iterator[tuple[Key, Any, Field[Any]]]:
    """The keys of a table type, each with the type of its values and its field."""
    for field in fields(kind):
        said, hint = key_of(field), hints_of(kind)[field.name]
        if field.metadata == IN_SAME_TABLE:
            yield from _keys(hint)
        elif said is not None:
            yield said, hint, field


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
    inner = ".".join(name for name in keys if isinstance(name, str))
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
    unknown = [name for name in complaint.value if name not in complaint.schema["properties"]]
    for number, name in enumerate(unknown):
        what = f"[{complaint.path[0]}] has no key '{name}'" if complaint.path else f"a profile has no '{name}'"
        hint = _hint(name, valid) if number < MOST_HINTS else None
        yield InputError(what, where=complaint.places.key((*complaint.path, name)), hint=hint)


def _missing_key(complaint: _Complaint) -> Iterator[InputError]:
    # The validator has one error for each; none of our tables needs more than one key.
    [name] = complaint.asked
    if nearest(name, complaint.value.keys() - complaint.schema["properties"].keys()):
        return  # it is misspelled, and another problem says so
    what = f"[{complaint.path[0]}] needs '{name}'" if complaint.path else f"a profile needs a table [{name}]"
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
        valid = [choice if isinstance(choice, str) else _shown(choice) for choice in complaint.asked]
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
