"""The values in files of cases that code reads: JSON, YAML, TOML and CSV."""

from __future__ import annotations

import ast
import csv
import io
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

from kgprobe.selection.discovery.files import text_of
from kgprobe.selection.discovery.python.modules import Import, Modules, called_name, root_name
from kgprobe.selection.discovery.python.scopes import Scope, only_value, sources
from kgprobe.selection.discovery.python.values import LONGEST_TEXT, MOST_VALUES, Pairs, Value, Values, either

ValuesOf: TypeAlias = Callable[[ast.expr, Scope], Values]

_DEEPEST: Final = 20
_PASSING: Final = frozenset(["read", "decode", "strip", "splitlines", "readlines"])


def short_text(file: Path | None) -> str | None:
    """The text of a file; None if there is none, if it is too long, or if it cannot be read."""
    text = None if file is None else text_of(file)
    return text if text is not None and len(text) <= LONGEST_TEXT else None


def _rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def _yaml(text: str) -> Any:
    try:
        import yaml  # it is in an extra
    except ImportError:
        raise ValueError from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        raise ValueError from None


def _records(text: str) -> list[dict[str, str]]:
    return [dict(row) for row in csv.DictReader(io.StringIO(text), restkey="", restval="")]


READERS: Final[dict[tuple[str, str], Callable[[str], Any]]] = {
    **dict.fromkeys((("json", "load"), ("json", "loads")), json.loads),
    **dict.fromkeys((("yaml", "safe_load"), ("yaml", "load"), ("yaml", "full_load")), _yaml),
    **dict.fromkeys((("tomllib", "load"), ("tomllib", "loads"), ("tomli", "load"), ("tomli", "loads")), tomllib.loads),
    ("csv", "reader"): _rows,
    ("csv", "DictReader"): _records,
}
"""The readers by package and name. Options, as for other delimiters, are not understood."""


def case_values(node: ast.Call, scope: Scope, modules: Modules, values_of: ValuesOf) -> Values:
    """The content of the files that a call such as `json.loads(path.read_text())` can read; None if it is unknown."""
    root, name = root_name(node.func), called_name(node)
    packages = {
        source.binding.package
        for source in (() if root is None else sources(root, scope, modules))
        if isinstance(source.binding, Import)
    }
    options = [keyword.arg for keyword in node.keywords if keyword.arg != "Loader"]
    if len(packages) != 1 or options or not node.args or (len(node.args) > 1 and name != "load"):
        return None
    read = READERS.get((packages.pop(), name))
    paths = None if read is None else _paths(node.args[0], scope, modules, values_of)
    if read is None or not paths:
        return None
    return either(_content(modules.file(path, scope.module), read) for path in paths)


def _paths(node: ast.expr, scope: Scope, modules: Modules, values_of: ValuesOf) -> list[Path] | None:
    """The files whose content, or whose open file, an expression is."""
    for _ in range(_DEEPEST):
        match node:
            case ast.Name(id=name):
                only = only_value(name, scope, modules)
                if only is None:
                    return None
                node, scope = only
            case ast.Call(func=ast.Attribute(value=base, attr=name), args=[]) if name in _PASSING:
                node = base
            case (
                ast.Call(func=ast.Name(id="open"), args=[path, *_])
                | ast.Call(func=ast.Attribute(value=path, attr="open" | "read_text" | "read_bytes"))
            ):
                values = values_of(path, scope)
                is_known = values and all(isinstance(value, str | Path) for value in values)
                return [Path(str(value)) for value in values or ()] if is_known else None
            case _:
                return None
    return None


def _content(file: Path | None, read: Callable[[str], Any]) -> Values:
    text = short_text(file)
    if text is None:
        return None
    try:
        value, count = _as_value(read(text.removeprefix("\ufeff")), 0)
    except (ValueError, csv.Error, RecursionError, TypeError):
        return None
    return (value,) if count <= MOST_VALUES else None


def _as_value(data: Any, depth: int) -> tuple[Value, int]:
    """The data as a value, and how many values it has. TypeError for what is no text, number or collection."""
    if depth > _DEEPEST:
        raise TypeError
    if data is None or isinstance(data, str | int | float):
        return data, 1
    if isinstance(data, dict):
        pairs = [(key, _as_value(item, depth + 1)) for key, item in data.items()]
        return Pairs((key, value) for key, (value, _) in pairs), 1 + sum(count for _, (_, count) in pairs)
    if isinstance(data, list):
        inner = [_as_value(item, depth + 1) for item in data]
        return tuple(value for value, _ in inner), 1 + sum(count for _, count in inner)
    raise TypeError
