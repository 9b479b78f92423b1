"""Code that runs although no test names it: registered definitions, hooks of pytest, and checks at import time."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from kgprobe.selection.discovery.python.evaluation import called_name
from kgprobe.selection.discovery.python.modules import FUNCTIONS, Import, Module, Modules, root_name, statements
from kgprobe.selection.discovery.python.scopes import Scope, Source, members, sources, with_bases

__all__ = ["Placed", "UnnamedCode"]

Placed: TypeAlias = tuple[ast.AST, Scope]
"""A statement, and the scope around it."""
_Name: TypeAlias = tuple[Module, str]

_PARSING: Final = frozenset(["pytest_addoption", "pytest_addhooks", "pytest_cmdline_parse"])
_STOPPING: Final = frozenset(["skip", "exit", "fail", "xfail"])
_REGISTERS: Final = ("__init_subclass__", "__set_name__")


class UnnamedCode:
    """Finds such code in the files of a project. Each file is searched once."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._decorated: dict[Module, list[tuple[_Name, Placed]]] = {}
        self._important: dict[Module, list[ast.stmt]] = {}
        self._registered: dict[tuple[Module, ...], Mapping[_Name, list[Placed]]] = {}

    def registered(self, homes: tuple[Module, ...], module: Module, name: str) -> Iterable[Placed]:
        """The definitions that files register with a name, if these homes or what they import define them."""
        if homes not in self._registered:
            found: defaultdict[_Name, list[Placed]] = defaultdict(list)
            for each in dict.fromkeys(inner for home in homes for inner in self._modules.loaded_by(home)):
                for key, placed in self._registrations(each):
                    found[key].append(placed)
            self._registered[homes] = found
        return self._registered[homes].get((module, name), ())

    def hooks(self, module: Module) -> Iterator[Placed]:
        """The hooks of pytest in a conftest.py, a plugin or a test file."""
        for statement in statements(module.tree.body):
            is_hook = isinstance(statement, FUNCTIONS) and statement.name.startswith("pytest_")
            if is_hook and getattr(statement, "name", "") not in _PARSING:
                yield statement, Scope(module)

    def at_import(self, homes: Iterable[Module]) -> Iterator[Placed]:
        """What can fail or skip when these files and those that they import are imported, or changes other files."""
        for each in dict.fromkeys(inner for home in homes for inner in self._modules.loaded_by(home)):
            yield from ((statement, Scope(each)) for statement in self._at_import(each))

    def _at_import(self, module: Module) -> list[ast.stmt]:
        if module not in self._important:
            self._important[module] = [each for each in module.tree.body if self._matters(each, module)]
        return self._important[module]

    def _matters(self, statement: ast.stmt, module: Module) -> bool:
        is_test_code = self._modules.is_test_code(module)
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Import() | ast.ImportFrom():
                return False
            case ast.Expr(value=ast.Call(func=ast.Name(id=name))) if is_test_code:
                return any(isinstance(each.binding, FUNCTIONS) for each in sources(name, Scope(module), self._modules))
            case ast.Assign(targets=targets) if is_test_code:
                return any(self._is_elsewhere(each, module) for each in targets)
        return any(_stops(each) for each in statements([statement]))

    def _is_elsewhere(self, target: ast.expr, module: Module) -> bool:
        """Whether an assignment sets a name of another file: `menu.graph = load()`."""
        root = root_name(target)
        return isinstance(target, ast.Attribute | ast.Subscript) and root in module.imports

    # -- registrations -------------------------------------------------------------------------------------------

    def _registrations(self, module: Module) -> list[tuple[_Name, Placed]]:
        if module not in self._decorated:
            self._decorated[module] = list(dict.fromkeys(self._found(module)))
        return self._decorated[module]

    def _found(self, module: Module) -> Iterator[tuple[_Name, Placed]]:
        for statement in statements(module.tree.body):
            if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                continue
            own = Scope(module)
            inner = statements(statement.body) if isinstance(statement, ast.ClassDef) else ()
            methods = [each for each in inner if isinstance(each, FUNCTIONS)]
            for decorator in statement.decorator_list:
                yield from ((key, (statement, own)) for key in self._registers(decorator, module))
            if isinstance(statement, ast.ClassDef):
                for method in methods:
                    for decorator in method.decorator_list:
                        keys = self._registers(decorator, module)
                        yield from ((key, (method, Scope(module, None, statement))) for key in keys)
                yield from ((key, (statement, own)) for key in self._registering_bases(statement, module))

    def _registers(self, decorator: ast.expr, module: Module) -> Iterator[_Name]:
        """The names through which code can reach what has this decorator."""
        root = root_name(decorator)
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        for source in () if root is None else sources(root, Scope(module), self._modules):
            target = source
            if isinstance(source.binding, Import):
                place = self._modules.resolved(source.binding, source.module)
                if place is None or place[1] is not None or not isinstance(called, ast.Attribute):
                    continue
                named = sources(called.attr, Scope(place[0]), self._modules)
                if not named:
                    continue
                target = named[0]
            if target.top is None:
                continue
            is_function = isinstance(target.binding, FUNCTIONS)
            if not is_function or (isinstance(called, ast.Attribute) and target is source):
                yield target.module, target.top
            if is_function:
                yield from self._changed_by(target)

    def _changed_by(self, target: Source) -> Iterator[_Name]:
        """The names that a function changes, as a decorator that appends to a list."""
        for name, functions in target.module.changers.items():
            if any(each is target.binding for each in functions):
                yield target.module, name

    def _registering_bases(self, owner: ast.ClassDef, module: Module) -> Iterator[_Name]:
        """The classes above a class through which code can reach it: they list their subclasses."""
        for base, place in with_bases(owner, module, self._modules):
            if base is owner:
                continue
            own = members(base, place)
            is_listing = any(name in own for name in _REGISTERS) or "__subclasses__" in place.text + module.text
            if is_listing or any(keyword.arg == "metaclass" for keyword in base.keywords):
                yield place, base.name


def _stops(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assert() | ast.Raise():
            return True
        case ast.Expr(value=ast.Call() as call):
            return called_name(call) in _STOPPING
    return False
