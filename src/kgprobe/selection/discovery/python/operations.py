"""The results of operations on known values: strings, paths and dictionaries. None if a result is unknown."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Final

from kgprobe.selection.discovery.python.values import (
    LONGEST_TEXT,
    Iri,
    NamespaceIri,
    Pairs,
    Value,
    Values,
    parts_of,
    percent_formatted,
)

__all__ = ["operator_value", "pairs_method", "path_function", "path_method", "text_function", "text_method"]

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
    if pieces is None or not all(isinstance(each, str) for each in pieces):
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
