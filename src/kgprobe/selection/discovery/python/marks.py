"""Terms that a test declares by hand: `@pytest.mark.kg_terms("ex:Pizza")` on it, on its class or on its file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from kgprobe.selection.discovery.python.calls import called_name
from kgprobe.selection.discovery.python.folding import Folder
from kgprobe.selection.discovery.python.modules import Module
from kgprobe.selection.discovery.python.reach import Start, marks_in
from kgprobe.selection.discovery.python.scopes import Bound, Scope

__all__ = ["Declaration", "declarations"]

_MARK = "kg_terms"
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Declaration:
    """What one mark says: names of terms and where they stand, or None if they cannot be told."""

    names: tuple[tuple[str, ast.expr], ...] | None
    line: int
    module: Module


def declarations(start: Start, folder: Folder) -> list[Declaration]:
    """The marks that count for a test."""
    scope = Scope(start.module, None, start.owner)
    nodes = [each for node in (*start.functions, *start.classes) for each in node.decorator_list]
    for owner in start.classes:
        nodes += marks_in(owner.body)
    nodes += marks_in(start.module.tree.body)
    for other, module in start.others:
        found = [
            each for node in (*other.decorator_list, *marks_in(other.body)) for each in _in(node, folder, Scope(module))
        ]
        if found:
            return found
    return [each for node in nodes for each in _in(node, folder, scope)]


def _in(node: ast.expr, folder: Folder, scope: Scope, depth: int = 0) -> Iterator[Declaration]:
    if depth > _DEEPEST:
        return
    match node:
        case ast.Call() if called_name(node) == _MARK:
            names: list[tuple[str, ast.expr]] = []
            for argument in node.args:
                texts = folder.texts(argument, scope)
                if texts is None:
                    yield Declaration(None, node.lineno, scope.module)
                    return
                names += [(text, argument) for text in texts]
            yield Declaration(tuple(names), node.lineno, scope.module)
        case ast.List() | ast.Tuple():
            for each in node.elts:
                yield from _in(each, folder, scope, depth + 1)
        case ast.Name():
            for binding, module, _ in folder.sources(node.id, scope):
                if isinstance(binding, Bound) and not binding.path:
                    yield from _in(binding.value, folder, Scope(module), depth + 1)
