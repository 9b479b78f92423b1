"""The possible values of an expression, and the results of operations on them. Nothing here looks at other code.

Texts are plain `str`. Subclasses mark texts with a known meaning: an IRI, a namespace, the content of a file. What an
operation returns are all its possible results; None if an unknown one is possible.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable
from itertools import product, starmap
from math import prod
from pathlib import Path
from typing import Final, TypeAlias

LONGEST_TEXT: Final = 1 << 20
MOST_VALUES: Final = 10_000


class Iri(str):
    """The IRI of a term."""

    __slots__ = ()


class NamespaceIri(str):
    """The IRI of a namespace, such as EX in `EX.Pizza`."""

    __slots__ = ()


class FileText(str):
    """The content of a file."""

    file: Path

    def __new__(cls, text: str, file: Path) -> FileText:
        found = super().__new__(cls, text)
        found.file = file
        return found


class Pairs(tuple["tuple[Value, Value]", ...]):
    """The items of a dictionary."""

    __slots__ = ()


class Unordered(tuple["Value", ...]):
    """The elements of a set, a sorted list or a comprehension: nothing is known of their places, or of how many."""

    __slots__ = ()


Value: TypeAlias = str | int | float | bool | Path | tuple["Value", ...] | Pairs | None
# All possible values; None if an unknown value is possible.
Values: TypeAlias = tuple[Value, ...] | None


def parts_of(values: Values) -> Values:
    """The possible elements in a loop over one of these values."""
    return None if values is None else either(map(_elements, values))


def _elements(value: Value) -> Values:
    if isinstance(value, Pairs):
        return tuple(key for key, _ in value)
    return tuple(value) if isinstance(value, tuple) else None


def either(choices: Iterable[Values]) -> Values:
    """All values of all choices; None if one choice is unknown."""
    possible: list[Value] = []
    for values in choices:
        if values is None:
            return None
        possible += values
    return tuple(possible)


def applied(operation: Callable[..., Values], *operands: Values) -> Values:
    """The results of an operation for all combinations of its operands; None if one is unknown, or there are many."""
    known = [values for values in operands if values is not None]
    if len(known) < len(operands) or prod(len(values) or 1 for values in known) > MOST_VALUES:
        return None
    return either(starmap(operation, product(*known)))


def once(values: Values) -> Values:
    """Each value once; None if there are too many."""
    if values is None or len(values) > MOST_VALUES:
        return None
    if len(values) < 2:
        return values
    unique: dict[tuple[type, Value], Value] = {(type(value), value): value for value in values}
    return tuple(unique.values())


def _only(value: Value) -> Values:
    """The one result of an operation that has no result if this is None."""
    return None if value is None else (value,)


# -- formatted strings -------------------------------------------------------------------------------------------------

_FIELD = re.compile(r"\{\{|\}\}|\{(\w*)\}|[{}]")
_PERCENT = re.compile(r"%(?:\((\w+)\))?([sd%])|%")


def formatted(template: Value, positional: tuple[Value, ...], named: dict[str, Value]) -> Values:
    """The result of `template.format(…)`; None if a field is not plain, or its value is missing."""
    if not isinstance(template, str):
        return None
    count = 0

    def filled(field: re.Match[str]) -> str:
        nonlocal count
        if field[0] in ("{{", "}}"):
            return field[0][0]
        name = field[1]
        if name is None:
            raise LookupError
        if name == "":
            name, count = str(count), count + 1
        return _text(positional[int(name)] if name.isdigit() else named[name])

    return _substituted(_FIELD, filled, template)


def _percent_formatted(template: str, values: Value) -> Values:
    """The result of `template % values`; None if it has fields other than %s and %d."""
    if isinstance(values, Unordered):
        return None
    pending = list(values) if isinstance(values, tuple) and not isinstance(values, Pairs) else [values]
    named = dict(values) if isinstance(values, Pairs) else {}
    pending.reverse()

    def filled(field: re.Match[str]) -> str:
        if field[0] == "%%":
            return "%"
        if field[2] is None:
            raise LookupError
        return _text(named[field[1]] if field[1] else pending.pop())

    return _substituted(_PERCENT, filled, template)


def _substituted(fields: re.Pattern[str], filled: Callable[[re.Match[str]], str], template: str) -> Values:
    try:
        text = fields.sub(filled, template)
    except LookupError:
        return None
    return (text,) if len(text) <= LONGEST_TEXT else None


def concatenated(*parts: Value) -> Values:
    """The result of a formatted string with these parts."""
    if any(isinstance(part, tuple) for part in parts) or sum(len(str(part)) for part in parts) > LONGEST_TEXT:
        return None
    return ("".join(map(str, parts)),)


def _text(value: Value) -> str:
    if isinstance(value, tuple):
        raise LookupError("a list is not a useful text")
    return str(value)


# -- operators, items and attributes -----------------------------------------------------------------------------------

_PATH_PARTS: Final = frozenset(["parent", "name", "stem", "suffix"])


def operated(operator: ast.operator, left: Value, right: Value) -> Values:
    """The result of an operator."""
    match operator, left, right:
        case ast.Add(), str(), str() if len(left) + len(right) <= LONGEST_TEXT:
            return (left + right,)
        case ast.Add(), tuple(), tuple() if type(left) is tuple and type(right) is tuple:
            return ((*left, *right),)
        case ast.Mod(), str(), _:
            return _percent_formatted(left, right)
        case ast.Div(), Path(), str() | Path():
            return (left / right,)
        case ast.BitOr(), Pairs(), Pairs():
            return (Pairs((*left, *right)),)
    return None


def items_of(base: Value, keys: Values) -> Values:
    """The possible items of a value. If the key is unknown, any item is possible."""
    if isinstance(base, NamespaceIri):
        return None if keys is None else tuple(Iri(base + str(key)) for key in keys)
    if isinstance(base, Pairs):
        fitting = tuple(value for key, value in base if keys is not None and key in keys)
        return fitting or tuple(value for _, value in base)
    if isinstance(base, Unordered):
        return tuple(base)
    if isinstance(base, tuple):
        places = [key for key in keys or () if isinstance(key, int) and -len(base) <= key < len(base)]
        return tuple(base[place] for place in places) or base
    return None


def component(base: Value, place: int) -> Values:
    """What is at a position of a list when it is unpacked."""
    if isinstance(base, Unordered):
        return tuple(base)
    return (base[place],) if isinstance(base, tuple) and not isinstance(base, Pairs) and place < len(base) else None


def attribute_of(base: Value, name: str) -> Values:
    """The value of an attribute."""
    if isinstance(base, NamespaceIri):
        return (Iri(base + name),)
    if isinstance(base, Path) and name in _PATH_PARTS:
        return (getattr(base, name),)
    if isinstance(base, Path) and name == "parents":
        return (tuple(base.parents),)
    return (base,) if name == "value" else None  # of an enum member


# -- methods -----------------------------------------------------------------------------------------------------------

_UNCHANGING: Final = frozenset(["read", "encode", "decode", "toPython"])
_TEXT_METHODS: Final = frozenset(
    ["strip", "lstrip", "rstrip", "lower", "upper", "removeprefix", "removesuffix", "split", "splitlines"]
)


def method_values(base: Value, name: str, arguments: tuple[Value, ...]) -> Values:
    """The possible results of a method that does not access files."""
    if isinstance(base, Pairs):
        return _pairs_method(base, name)
    if isinstance(base, Path):
        return _only(_path_method(base, name, arguments))
    if not isinstance(base, str):
        return None
    if name == "n3" and isinstance(base, Iri):
        return (f"<{base}>",)
    if name in _UNCHANGING or (name == "strip" and isinstance(base, FileText)):
        return (base,)
    return _only(_text_method(base, name, arguments))


def _pairs_method(base: Pairs, name: str) -> Values:
    match name:
        case "items":
            return (tuple(base),)
        case "values":
            return (tuple(value for _, value in base),)
        case "keys":
            return (tuple(key for key, _ in base),)
        case "get" | "pop":
            return tuple(value for _, value in base)
        case "copy":
            return (base,)
    return None


def _path_method(base: Path, name: str, arguments: tuple[Value, ...]) -> Path | None:
    if name in ("resolve", "absolute", "expanduser"):
        return base
    if not arguments or not all(isinstance(part, str | Path) for part in arguments):
        return None
    try:
        match name:
            case "joinpath":
                return base.joinpath(*map(str, arguments))
            case "with_suffix":
                return base.with_suffix(str(arguments[0]))
            case "with_name":
                return base.with_name(str(arguments[0]))
    except ValueError:
        pass
    return None


def _text_method(base: str, name: str, arguments: tuple[Value, ...]) -> Value:
    texts = [text for text in arguments if isinstance(text, str)]
    if name == "join" and len(arguments) == 1:
        return _joined(base, arguments[0])
    if len(texts) < len(arguments):
        return None
    if isinstance(base, NamespaceIri) and name == "term" and len(texts) == 1:
        return Iri(base + texts[0])
    if name == "replace" and len(texts) == 2:
        old, new = texts
        is_small = (base.count(old) + 1) * max(len(new), 1) + len(base) <= LONGEST_TEXT
        return base.replace(old, new) if is_small else None
    if name in _TEXT_METHODS and len(texts) <= 1:
        try:
            outcome = getattr(str, name)(base, *texts)
        except (TypeError, ValueError):
            return None
        return tuple(outcome) if isinstance(outcome, list) else str(outcome)
    return None


def _joined(separator: str, texts: Value) -> str | None:
    pieces = _elements(texts)
    if pieces is None or isinstance(texts, Unordered) or not all(isinstance(piece, str) for piece in pieces):
        return None
    size = sum(len(str(piece)) + len(separator) for piece in pieces)
    return separator.join(map(str, pieces)) if size <= LONGEST_TEXT else None


# -- functions ---------------------------------------------------------------------------------------------------------

_IRIS: Final = frozenset(["URIRef", "NamedNode", "IRI", "Iri", "IRIRef", "UriRef"])
_COLLECTIONS: Final = frozenset(["sorted", "list", "tuple", "set", "frozenset", "iter", "reversed"])
_UNCHANGED: Final = frozenset(["str", "text", "prepareQuery"])
_PATHS: Final[dict[str, Callable[[list[str]], Path]]] = {
    "Path": lambda parts: Path(*parts),
    "PurePath": lambda parts: Path(*parts),
    "join": lambda parts: Path(*parts),  # of os.path
    "dirname": lambda parts: Path(parts[0]).parent,
    "abspath": lambda parts: Path(parts[0]),
    "realpath": lambda parts: Path(parts[0]),
    "normpath": lambda parts: Path(parts[0]),
    "fspath": lambda parts: Path(parts[0]),
}


def function_values(name: str, arguments: tuple[Value, ...]) -> Values:
    """The possible results of a function that does not access files."""
    if name == "param":  # pytest.param
        return (arguments[0] if len(arguments) == 1 else arguments,)
    if name in _PATHS and arguments and all(isinstance(part, str | Path) for part in arguments):
        try:
            return (_PATHS[name](list(map(str, arguments))),)
        except ValueError:
            pass
    if len(arguments) != 1:
        return None
    match arguments[0]:
        case tuple() as parts if name == "enumerate":
            return (tuple(enumerate(parts)),)
        case tuple() as parts if name in _COLLECTIONS:
            return (_collection(name, parts),)
        case Path() as path if name == "str":
            return (path,)
        case str() as text:
            return _only(_of_text(name, text))
    return None


def _collection(name: str, base: tuple[Value, ...]) -> Value:
    parts = _elements(base) or ()
    if isinstance(base, Unordered) or name in ("set", "frozenset"):
        return Unordered(parts)
    if name == "sorted":
        return tuple(sorted(map(str, parts))) if all(type(part) is str for part in parts) else Unordered(parts)
    return parts[::-1] if name == "reversed" else parts


def _of_text(name: str, text: str) -> Value:
    if name in _IRIS:
        return Iri(text)
    if name.endswith("Namespace"):
        return NamespaceIri(text)
    if name == "dedent":
        return textwrap.dedent(text)
    if name == "cleandoc":
        return inspect.cleandoc(text)
    return text if name in _UNCHANGED else None
