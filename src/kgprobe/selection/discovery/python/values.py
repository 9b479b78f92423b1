"""The possible values of an expression, and the results of operations on them.

Texts are plain `str`. Subclasses mark texts with a known meaning: an IRI, a namespace, the content of a file.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
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
    if values is None:
        return None
    return either(_elements(value) for value in values)


def _elements(value: Value) -> Values:
    if isinstance(value, Pairs):
        return tuple(key for key, _ in value)
    return tuple(value) if isinstance(value, tuple) else None


def either(choices: Iterable[Values]) -> Values:
    """All values of all choices; None if one choice is unknown."""
    found: list[Value] = []
    for values in choices:
        if values is None:
            return None
        found += values
    return tuple(found)


def combinations(choices: list[Values]) -> Iterator[tuple[Value, ...]] | None:
    """All combinations of one value from each choice; None if a choice is unknown, or there are too many."""
    ways = 1
    known: list[tuple[Value, ...]] = []
    for values in choices:
        if values is None:
            return None
        known.append(values)
        ways *= len(values)
        if ways > MOST_VALUES:
            return None
    return _combined(known)


def _combined(choices: list[tuple[Value, ...]]) -> Iterator[tuple[Value, ...]]:
    found: list[tuple[Value, ...]] = [()]
    for values in choices:
        found = [(*start, value) for start in found for value in values]
    return iter(found)


# -- formatted strings -------------------------------------------------------------------------------------------------

_FIELD = re.compile(r"\{\{|\}\}|\{(\w*)\}|[{}]")
_PERCENT = re.compile(r"%(?:\((\w+)\))?([sd%])|%")


def formatted(template: str, positional: tuple[Value, ...], named: dict[str, Value]) -> str | None:
    """The result of `template.format(…)`; None if a field is not plain, or its value is missing."""
    count = 0

    def field(found: re.Match[str]) -> str:
        nonlocal count
        if found[0] in ("{{", "}}"):
            return found[0][0]
        name = found[1]
        if name is None:
            raise LookupError
        if name == "":
            name, count = str(count), count + 1
        return _text(positional[int(name)] if name.isdigit() else named[name])

    return _substituted(_FIELD, field, template)


def percent_formatted(template: str, values: Value) -> str | None:
    """The result of `template % values`; None if it has fields other than %s and %d."""
    if isinstance(values, Unordered):
        return None
    pending = list(values) if isinstance(values, tuple) and not isinstance(values, Pairs) else [values]
    named = dict(values) if isinstance(values, Pairs) else {}
    pending.reverse()

    def field(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        if found[2] is None:
            raise LookupError
        return _text(named[found[1]] if found[1] else pending.pop())

    return _substituted(_PERCENT, field, template)


def _substituted(pattern: re.Pattern[str], field: Callable[[re.Match[str]], str], template: str) -> str | None:
    try:
        found = pattern.sub(field, template)
    except LookupError:
        return None
    return found if len(found) <= LONGEST_TEXT else None


def _text(value: Value) -> str:
    if isinstance(value, tuple):
        raise LookupError("a list is not a useful text")
    return str(value)


# -- the results of operations on strings, paths and dictionaries; None if a result is unknown -------------------------

_IRIS: Final = frozenset(["URIRef", "NamedNode", "IRI", "Iri", "IRIRef", "UriRef"])
_TEXT_METHODS: Final = frozenset(
    ["strip", "lstrip", "rstrip", "lower", "upper", "removeprefix", "removesuffix", "split", "splitlines"]
)
_UNCHANGED: Final = frozenset(["str", "text", "prepareQuery"])


def operator_value(operator: ast.operator, left: Value, right: Value) -> Value:
    """The result of an operator."""
    if isinstance(operator, ast.Add):
        if isinstance(left, str) and isinstance(right, str) and len(left) + len(right) <= LONGEST_TEXT:
            return left + right
        if type(left) is tuple and type(right) is tuple:
            return (*left, *right)
    elif isinstance(operator, ast.Mod) and isinstance(left, str):
        return percent_formatted(left, right)
    elif isinstance(operator, ast.Div) and isinstance(left, Path) and isinstance(right, str | Path):
        return left / right
    elif isinstance(operator, ast.BitOr) and isinstance(left, Pairs) and isinstance(right, Pairs):
        return Pairs((*left, *right))
    return None


def pairs_method(base: Pairs, name: str) -> Values:
    """The possible results of a dictionary method."""
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


def path_method(base: Path, name: str, arguments: tuple[Value, ...]) -> Value:
    """The result of a path method that does not access files."""
    if name in ("resolve", "absolute", "expanduser"):
        return base
    if not arguments or not all(isinstance(each, str | Path) for each in arguments):
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


def path_function(name: str, arguments: tuple[Value, ...]) -> Path | None:
    """The result of a function that returns a path."""
    if name not in _PATHS or not arguments or not all(isinstance(each, str | Path) for each in arguments):
        return None
    try:
        return _PATHS[name](list(map(str, arguments)))
    except ValueError:
        return None


def text_method(base: str, name: str, arguments: tuple[Value, ...]) -> Value:
    """The result of a string method."""
    texts = [each for each in arguments if isinstance(each, str)]
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
    pieces = parts_of((texts,))
    if pieces is None or isinstance(texts, Unordered) or not all(isinstance(each, str) for each in pieces):
        return None
    size = sum(len(str(each)) + len(separator) for each in pieces)
    return separator.join(map(str, pieces)) if size <= LONGEST_TEXT else None


def text_function(name: str, text: str) -> Value:
    """The result of a function of one string."""
    if name in _IRIS:
        return Iri(text)
    if name.endswith("Namespace"):
        return NamespaceIri(text)
    if name == "dedent":
        return textwrap.dedent(text)
    if name == "cleandoc":
        return inspect.cleandoc(text)
    return text if name in _UNCHANGED else None
