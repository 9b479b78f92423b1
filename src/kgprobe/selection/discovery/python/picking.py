"""Parts of what expressions give: elements of lists, of which not all need be known."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kgprobe.selection.discovery.python.calls import called_name
from kgprobe.selection.discovery.python.scopes import Bound, Scope
from kgprobe.selection.discovery.python.values import Pairs, Value, Values, either, parts_of

if TYPE_CHECKING:
    from kgprobe.selection.discovery.python.folding import Folder

__all__ = ["picked"]

_LONGEST_CHAIN = 60


def picked(folder: Folder, node: ast.expr, path: tuple[int | None, ...], scope: Scope) -> Values:
    """A part of what an expression gives, see `Bound`. Other parts of it need not be known."""
    if not path:
        return folder.fold(node, scope)
    place, rest = path[0], path[1:]
    written = _elements(folder, node, scope)
    if written is not None:
        elements, inside = written
        chosen = elements if place is None else elements[place : place + 1]
        return either(picked(folder, each, rest, inside) for each in chosen) if chosen else None
    values = folder.fold(node, scope)
    for step in path:
        values = parts_of(values) if step is None else _at(values, step)
    return values


def _elements(folder: Folder, node: ast.expr, scope: Scope) -> tuple[list[ast.expr], Scope] | None:
    """The elements of a list that is written out, here or where a name is bound to it."""
    for _ in range(_LONGEST_CHAIN):
        if not isinstance(node, ast.Name):
            break
        found = folder.sources(node.id, scope)
        binding = found[0].binding if len(found) == 1 else None
        if not isinstance(binding, Bound) or binding.path:
            return None
        node = binding.value
        scope = scope if found[0].top is None else Scope(found[0].module)
    elements: list[ast.expr] = []
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        elements = node.elts
    elif isinstance(node, ast.Call) and called_name(node) == "param":  # pytest.param
        elements = node.args
    is_plain = elements and not any(isinstance(each, ast.Starred) for each in elements)
    return (elements, scope) if is_plain else None


def _at(values: Values, place: int) -> Values:
    """The part with this number of whatever each of the values is."""
    found: list[Value] = []
    for value in values or ():
        if not isinstance(value, tuple) or isinstance(value, Pairs) or place >= len(value):
            return None
        found.append(value[place])
    return None if values is None else tuple(found)
