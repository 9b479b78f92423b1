"""Scopes, and the bindings of names in functions and classes."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from kgprobe.selection.discovery.python.modules import (
    FUNCTIONS,
    Function,
    Import,
    Module,
    changed_names,
    imported_names,
)
from kgprobe.selection.discovery.python.values import Values

__all__ = ["Binding", "Bound", "Changed", "Opaque", "Parameter", "Scope", "bindings", "bound_by"]


@dataclass(frozen=True, slots=True)
class Bound:
    """A component of the value of an expression. In its `path`, a number is a position, and None is every element."""

    value: ast.expr
    path: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter, whose value a caller provides."""

    function: Function
    name: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """A binding whose value is unknown."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A change of an existing value, which matters for lists and dictionaries."""


Binding: TypeAlias = Changed | Bound | Parameter | Opaque | Import | Function | ast.ClassDef


@dataclass(frozen=True, eq=False)
class Scope:
    """The place of an expression. `given` are values of names that apply to one evaluation."""

    module: Module
    function: Function | None = None
    owner: ast.ClassDef | None = None  # the class around the method
    outer: Scope | None = None
    given: Mapping[str, Values] = field(default_factory=dict)

    def within(self, function: Function) -> Scope:
        """The scope inside a function that is defined here."""
        return Scope(self.module, function, self.owner, self)

    def giving(self, given: Mapping[str, Values]) -> Scope:
        """The same place, with values for some names."""
        return Scope(self.module, self.function, self.owner, self.outer, {**self.given, **given})


def bindings(function: Function, module: Module) -> Mapping[str, tuple[Binding, ...]]:
    """The bindings of names in a function, without those of its inner functions. Cached for each function."""
    known: Mapping[str, tuple[Binding, ...]] | None = module.bindings.get(function)
    if known is None:
        known = module.bindings[function] = _bindings(function)
    return known


def _bindings(function: Function) -> dict[str, tuple[Binding, ...]]:
    found: dict[str, list[Binding]] = defaultdict(list)
    arguments = function.args
    for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        found[each.arg].append(Parameter(function, each.arg))
    for packed in (arguments.vararg, arguments.kwarg):
        if packed is not None:
            found[packed.arg].append(Opaque())
    for node in _nodes(function.body):
        for name, binding in bound_by(node):
            found[name].append(binding)
    # A name that is only changed here is bound elsewhere.
    return {name: tuple(each) for name, each in found.items() if not all(isinstance(b, Changed) for b in each)}


def bound_by(node: ast.AST) -> Iterator[tuple[str, Binding]]:
    """The names that a statement or a part of one binds, with their bindings."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield node.name, node
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from imported_names(node)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name, Opaque()
    elif isinstance(node, ast.AugAssign):
        yield from ((name, Opaque()) for name, _ in _targets(node.target, node.value))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield from ((name, Changed()) for name in changed_names(node.value))
    else:
        for target, value, path in _assigned(node):
            yield from _targets(target, value, path)


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, tuple[int | None, ...]]]:
    match node:
        case ast.Assign():
            yield from ((target, node.value, ()) for target in node.targets)
        case ast.AnnAssign(value=ast.expr() as value) | ast.NamedExpr(value=value):
            yield node.target, value, ()
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            yield node.target, node.iter, (None,)
        case ast.withitem(optional_vars=ast.expr() as target):
            yield target, node.context_expr, ()


def _targets(target: ast.expr, value: ast.expr, path: tuple[int | None, ...] = ()) -> Iterator[tuple[str, Binding]]:
    if isinstance(target, ast.Name):
        yield target.id, Bound(value, path)
    elif isinstance(target, ast.Subscript | ast.Attribute) and isinstance(target.value, ast.Name):
        yield target.value.id, Changed()
    elif isinstance(target, ast.Tuple | ast.List):
        is_plain = not any(isinstance(each, ast.Starred) for each in target.elts)
        for place, each in enumerate(target.elts):
            inner = each.value if isinstance(each, ast.Starred) else each
            if is_plain:
                yield from _targets(inner, value, (*path, place))
            elif isinstance(inner, ast.Name):
                yield inner.id, Opaque()


def _nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes of a body, except those inside its functions and classes."""
    pending: list[ast.AST] = list(reversed(body))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            pending += reversed(list(ast.iter_child_nodes(node)))
