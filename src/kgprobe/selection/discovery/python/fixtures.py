"""The parameters of tests: the values from `parametrize` and from fixtures."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from kgprobe.selection.discovery.python.evaluation import Evaluator
from kgprobe.selection.discovery.python.modules import (
    FUNCTIONS,
    Function,
    Import,
    Module,
    Modules,
    called_name,
    positional,
    statements,
)
from kgprobe.selection.discovery.python.scopes import Parameter, Scope
from kgprobe.selection.discovery.python.values import Value, Values


@dataclass(frozen=True, eq=False)
class Fixture:
    """A pytest fixture."""

    name: str
    function: Function
    scope: Scope  # the scope around its definition
    is_automatic: bool


class Fixtures:
    """The fixtures of test files and of their conftest.py files."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._visible: dict[Module, list[Fixture]] = {}
        self._own: dict[Module, list[Fixture]] = {}

    def visible(self, module: Module) -> list[Fixture]:
        """All fixtures that a test in this file can use."""
        if module not in self._visible:
            self._visible[module] = [fixture for home in self.homes(module) for fixture in self._of(home)]
        return self._visible[module]

    def homes(self, module: Module) -> list[Module]:
        """The test file, its conftest.py files, and their plugins in the project, the nearest first."""
        seen: dict[Module, None] = {}
        pending = [module, *self._modules.conftests(module.file)][::-1]
        while pending:
            each = pending.pop()
            if each not in seen:
                seen[each] = None
                pending += self._plugins(each)
        return list(seen)

    def given(self, evaluator: Evaluator, parameter: Parameter, scope: Scope) -> Values:
        """The possible values of a parameter of a test or a fixture; None if they are unknown."""
        if parameter.name == "request.param":
            return _requested(evaluator, parameter.function, scope)
        parametrized = list(_parametrized(evaluator, parameter, scope))
        if parametrized:
            return parametrized[0] if len(parametrized) == 1 else None
        if not (is_fixture(parameter.function) or parameter.function.name.startswith("test")):
            return None
        found: list[Value] = []
        fixtures = [fixture for fixture in self.visible(scope.module) if fixture.name == parameter.name]
        for fixture in fixtures:
            if fixture.function is parameter.function:  # it overrides another fixture of the same name
                continue
            values = evaluator.returned(fixture.function, fixture.scope.within(fixture.function))
            if values is None:
                return None
            found += values
        return tuple(found) if found else None

    def _of(self, module: Module) -> list[Fixture]:
        if module not in self._own:
            self._own[module] = list(self._defined(module))
        return self._own[module]

    def _defined(self, module: Module) -> Iterator[Fixture]:
        for statement in statements(module.tree.body):
            if isinstance(statement, FUNCTIONS):
                yield from _fixture(statement, Scope(module))
            elif isinstance(statement, ast.ClassDef):
                for inner in ast.walk(statement):
                    if isinstance(inner, FUNCTIONS):
                        yield from _fixture(inner, Scope(module, None, statement))
        yield from self._imported(module)

    def _imported(self, module: Module) -> Iterator[Fixture]:
        for name, imported in module.imports.items():
            target = self._modules.resolved(imported, module)
            if target is not None and target[1] is not None:
                for statement in target[0].definitions.get(target[1], ()):
                    if isinstance(statement, FUNCTIONS):
                        for fixture in _fixture(statement, Scope(target[0])):
                            yield Fixture(name, fixture.function, fixture.scope, fixture.is_automatic)

    def _plugins(self, module: Module) -> list[Module]:
        """The modules in `pytest_plugins` of a file, and those of its star imports."""
        names: list[Import] = list(module.stars)
        for statement in module.definitions.get("pytest_plugins", ()):
            for node in ast.walk(statement):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    names.append(Import(node.value, 0))
        found = (self._modules.imported(Import(name.module, name.level), module) for name in names)
        return [plugin for plugin in found if plugin is not None]


def decorators(node: Function | ast.ClassDef) -> Iterator[tuple[str, ast.Call | None]]:
    """The last parts of the names of decorators, and their calls, if they are calls."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call):
            yield called_name(decorator), decorator
        elif isinstance(decorator, ast.Attribute):
            yield decorator.attr, None
        elif isinstance(decorator, ast.Name):
            yield decorator.id, None


def is_fixture(function: Function) -> bool:
    return any(name == "fixture" for name, _ in decorators(function))


def fixture_names(function: Function, scope: Scope) -> list[str]:
    """The names under which tests ask for a function, if it is a fixture."""
    return [fixture.name for fixture in _fixture(function, scope)]


def positional_names(function: Function) -> list[str]:
    """The names of the parameters that arguments are given to by position, without `self` and `cls`."""
    names = [argument.arg for argument in positional(function.args)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def parameter_names(function: Function) -> list[str]:
    """The parameter names of a test or a fixture."""
    return [argument.arg for argument in (*positional(function.args), *function.args.kwonlyargs)]


def _fixture(function: Function, scope: Scope) -> Iterator[Fixture]:
    for name, call in decorators(function):
        if name == "fixture":
            options = {keyword.arg: keyword.value for keyword in call.keywords} if call else {}
            other = options.get("name")
            shown = other.value if isinstance(other, ast.Constant) and isinstance(other.value, str) else function.name
            automatic = options.get("autouse")
            is_automatic = automatic is not None and not (
                isinstance(automatic, ast.Constant) and automatic.value is False
            )
            yield Fixture(shown, function, scope, is_automatic)
            return
    if function.decorator_list and not function.name.startswith("test"):
        yield Fixture(function.name, function, scope, is_automatic=False)  # perhaps: a decorator may have any name


def _requested(evaluator: Evaluator, function: Function, scope: Scope) -> Values:
    for name, call in decorators(function):
        for keyword in call.keywords if name == "fixture" and call else ():
            if keyword.arg == "params":
                return evaluator.component(keyword.value, (None,), Scope(scope.module))
    return None


def _parametrized(evaluator: Evaluator, parameter: Parameter, scope: Scope) -> Iterator[Values]:
    """The values from each `parametrize` that names the parameter."""
    marked: list[Function | ast.ClassDef] = [parameter.function]
    marked += [scope.owner] if scope.owner is not None else []
    for definition in marked:
        for name, call in decorators(definition):
            if name == "parametrize" and call is not None and call.args:
                names = argument_names(evaluator, call.args[0], Scope(scope.module, None, scope.owner))
                values = next((k.value for k in call.keywords if k.arg == "argvalues"), None)
                values = call.args[1] if len(call.args) > 1 else values
                if parameter.name in names and values is not None:
                    place = names.index(parameter.name)
                    path = (None,) if len(names) == 1 else (None, place)
                    yield evaluator.component(values, path, Scope(scope.module, None, scope.owner))


def argument_names(evaluator: Evaluator, node: ast.expr, scope: Scope) -> list[str]:
    """The parameters that `parametrize` names in its first argument; none if they are unknown."""
    if isinstance(node, ast.Tuple | ast.List):
        return [str(element.value) for element in node.elts if isinstance(element, ast.Constant)]
    texts = evaluator.texts(node, scope)
    return [name.strip() for name in texts[0].split(",") if name.strip()] if texts and len(texts) == 1 else []
