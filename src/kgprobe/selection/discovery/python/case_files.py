"""The values in files of cases that code reads: JSON, YAML, TOML and CSV."""

from __future__ import annotations

import ast
import csv
import io
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kgprobe.errors import InputError
from kgprobe.given_files import exact_text
from kgprobe.selection.discovery.python.modules import Import, root_name
from kgprobe.selection.discovery.python.scopes import Scope, only_value
from kgprobe.selection.discovery.python.values import LONGEST_TEXT, MOST_VALUES, Pairs, Value, Values

if TYPE_CHECKING:
    from kgprobe.selection.discovery.python.folding import ConstantFolder


_DEEPEST: Final = 20
_OPENING: Final = frozenset(["open", "read_text", "read_bytes"])
_PASSING: Final = frozenset(["read", "decode", "strip", "splitlines", "readlines"])


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


def case_values(folder: ConstantFolder, node: ast.Call, name: str, scope: Scope) -> Values:
    """The content of the files that a call such as `json.loads(path.read_text())` can read; None if it is unknown."""
    root = root_name(node.func)
    packages = {
        source.binding.package
        for source in (() if root is None else folder.sources(root, scope))
        if isinstance(source.binding, Import)
    }
    options = [each.arg for each in node.keywords if each.arg != "Loader"]
    if len(packages) != 1 or options or not node.args or (len(node.args) > 1 and name != "load"):
        return None
    read = READERS.get((packages.pop(), name))
    paths = None if read is None else _paths(folder, node.args[0], scope, 0)
    if read is None or not paths:
        return None
    found: list[Value] = []
    for path in paths:
        file = folder.modules.file(path, scope.module)
        try:
            text = "" if file is None else exact_text(file)
            if file is None or len(text) > LONGEST_TEXT:
                return None
            value, count = _as_value(read(text.removeprefix("\ufeff")), 0)
        except (InputError, ValueError, csv.Error, RecursionError, TypeError):
            return None
        if count > MOST_VALUES:
            return None
        found.append(value)
    return tuple(found)


def _paths(folder: ConstantFolder, node: ast.expr, scope: Scope, depth: int) -> list[Path] | None:
    """The files whose content, or whose open file, an expression is."""
    if depth > _DEEPEST:
        return None
    match node:
        case ast.Name(id=name):
            only = only_value(name, scope, folder.modules)
            return None if only is None else _paths(folder, *only, depth + 1)
        case ast.Call(func=ast.Name(id="open"), args=[path, *_]):
            return _folded(folder, path, scope)
        case ast.Call(func=ast.Attribute(value=base, attr=name)) if name in _OPENING:
            return _folded(folder, base, scope)
        case ast.Call(func=ast.Attribute(value=base, attr=name), args=[]) if name in _PASSING:
            return _paths(folder, base, scope, depth + 1)
    return None


def _folded(folder: ConstantFolder, node: ast.expr, scope: Scope) -> list[Path] | None:
    values = folder.fold(node, scope)
    if not values or not all(isinstance(each, str | Path) for each in values):
        return None
    return [Path(str(each)) for each in values]


def _as_value(data: Any, depth: int) -> tuple[Value, int]:
    """The data as a value, and how many values it has. TypeError for what is no text, number or collection."""
    if depth > _DEEPEST:
        raise TypeError
    if data is None or isinstance(data, str | int | float):
        return data, 1
    if isinstance(data, dict):
        parts = [(key, _as_value(each, depth + 1)) for key, each in data.items()]
        return Pairs((key, value) for key, (value, _) in parts), 1 + sum(count for _, (_, count) in parts)
    if isinstance(data, list):
        inner = [_as_value(each, depth + 1) for each in data]
        return tuple(value for value, _ in inner), 1 + sum(count for _, count in inner)
    raise TypeError
