"""The tests of a Python file, by the rules and with the node ids of pytest."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from kgprobe.selection.discovery.python.fixtures import is_fixture
from kgprobe.selection.discovery.python.members import with_bases
from kgprobe.selection.discovery.python.modules import FUNCTIONS, Function, Module, Modules, statements
from kgprobe.selection.discovery.python.names import sources
from kgprobe.selection.discovery.python.reach import Start
from kgprobe.selection.discovery.python.scopes import Scope

__all__ = ["collected"]

_DEEPEST = 20


def collected(module: Module, modules: Modules) -> Iterator[tuple[tuple[str, ...], Start]]:
    """The names that make up each node id, and where the test is. A name that is defined twice is one test."""
    functions: dict[str, list[Function]] = defaultdict(list)
    for statement in statements(module.tree.body):
        if isinstance(statement, FUNCTIONS) and _is_test(statement):
            functions[statement.name].append(statement)
        elif isinstance(statement, ast.ClassDef):
            yield from _of_class(statement, module, modules, (), ())
    for name, found in functions.items():
        yield (name,), Start(module, tuple(found))
    for name in module.imports:
        if name.startswith("test"):
            for binding, place, _ in sources(name, Scope(module), modules):
                if isinstance(binding, FUNCTIONS) and not is_fixture(binding):
                    yield (name,), Start(place, (binding,))


def _of_class(
    node: ast.ClassDef,
    module: Module,
    modules: Modules,
    names: tuple[str, ...],
    classes: tuple[ast.ClassDef, ...],
) -> Iterator[tuple[tuple[str, ...], Start]]:
    line = list(with_bases(node, module, modules))
    is_unittest = any(_is_test_case(each) for each, _ in line)
    if not is_unittest and not (node.name.startswith("Test") and not any(_has_maker(each) for each, _ in line)):
        return
    if _is_switched_off(node):
        return
    names, classes = (*names, node.name), (*classes, node)
    methods: dict[str, list[tuple[Function, ast.ClassDef, Module]]] = defaultdict(list)
    inner: set[str] = set()
    for owner, place in line:
        functions = [each for each in statements(owner.body) if isinstance(each, FUNCTIONS)]
        own = {each.name for each in functions if _is_test(each)} - methods.keys()
        for statement in statements(owner.body):
            if isinstance(statement, FUNCTIONS) and statement.name in own:
                methods[statement.name].append((statement, owner, place))
            elif isinstance(statement, ast.ClassDef) and place is module and statement.name not in inner:
                inner.add(statement.name)
                if len(names) < _DEEPEST:
                    yield from _of_class(statement, module, modules, names, classes)
    for name, found in methods.items():
        tests = tuple(function for function, _, _ in found)
        _, owner, place = found[0]
        if place is module:
            yield (*names, name), Start(module, tests, classes)
        else:
            yield (*names, name), Start(place, tests, (owner,), ((node, module),))


def _is_test(function: Function) -> bool:
    return function.name.startswith("test") and not is_fixture(function)


def _is_test_case(node: ast.ClassDef) -> bool:
    last = [base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases]
    return any(name.endswith("TestCase") for name in last)


def _has_maker(node: ast.ClassDef) -> bool:
    """pytest leaves classes out that are made in a way of their own."""
    return any(isinstance(each, FUNCTIONS) and each.name in ("__init__", "__new__") for each in node.body)


def _is_switched_off(node: ast.ClassDef) -> bool:
    return any(
        isinstance(each, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == "__test__" for target in each.targets)
        and isinstance(each.value, ast.Constant)
        and not each.value.value
        for each in node.body
    )
