"""The members of classes: what their bodies and their methods make them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kgprobe.selection.discovery.python.modules import FUNCTIONS, Function, Module, Modules, statements
from kgprobe.selection.discovery.python.names import sources
from kgprobe.selection.discovery.python.scopes import Binding, Bound, Scope, bound_by

__all__ = ["Member", "members", "with_bases"]


class Member(NamedTuple):
    """One thing that a member is bound to: the statement of the class that does it, and the method if that is one."""

    binding: Binding
    statement: ast.stmt
    method: Function | None = None


def members(owner: ast.ClassDef, module: Module) -> Mapping[str, list[Member]]:
    """The members that a class has of its own, in its body or set on `self`; found out once for each class."""
    known = module.members.get(owner)
    if known is None:
        found: dict[str, list[Member]] = defaultdict(list)
        for statement in statements(owner.body):
            for name, binding in bound_by(statement):
                found[name].append(Member(binding, statement))
            if isinstance(statement, FUNCTIONS):
                for name, value in _set_on_self(statement):
                    found[name].append(Member(Bound(value), statement, statement))
        known = module.members[owner] = dict(found)
    return known


def with_bases(owner: ast.ClassDef, module: Module, modules: Modules) -> Iterator[tuple[ast.ClassDef, Module]]:
    """A class and those of the project that it inherits from, the nearest first."""
    pending = [(owner, module)]
    seen: set[int] = set()
    for each, place in pending:
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each, place
        for base in each.bases:
            if isinstance(base, ast.Name):
                for binding, where, _ in sources(base.id, Scope(place), modules):
                    if isinstance(binding, ast.ClassDef):
                        pending.append((binding, where))


def _set_on_self(method: Function) -> Iterator[tuple[str, ast.expr]]:
    """What a method makes attributes of `self` be."""
    for node in ast.walk(method):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                    yield target.attr, node.value
