"""The code that a test reaches: its fixtures, the definitions that it refers to, and what runs without being named.

A test reaches code without naming it if the code is registered with something that it names (`@app.get("/pizzas")`), is
a hook of pytest, or checks something when its file is imported.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from kgprobe.selection.discovery.python.collection import CollectedTest
from kgprobe.selection.discovery.python.findings import ANY_FIXTURE, Findings
from kgprobe.selection.discovery.python.fixtures import Fixture, Fixtures, decorators, is_fixture, parameter_names
from kgprobe.selection.discovery.python.graph_flow import GraphFlow
from kgprobe.selection.discovery.python.graph_reading import FlowFindings
from kgprobe.selection.discovery.python.modules import (
    FUNCTIONS,
    Function,
    Import,
    Module,
    Modules,
    called_name,
    root_name,
    statements,
)
from kgprobe.selection.discovery.python.scopes import RDF_LIBRARIES, Scope, Source, members, sources, with_bases
from kgprobe.selection.discovery.python.tracking import TrackedCode
from kgprobe.selection.discovery.python.visitor import DefinitionReader
from kgprobe.selection.vocabulary import Vocabulary

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
            for file in dict.fromkeys(inner for home in homes for inner in self._modules.loaded_by(home)):
                for key, placed in self._registrations(file):
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
        for file in dict.fromkeys(inner for home in homes for inner in self._modules.loaded_by(home)):
            yield from ((statement, Scope(file)) for statement in self._at_import(file))

    def _at_import(self, module: Module) -> list[ast.stmt]:
        if module not in self._important:
            self._important[module] = [statement for statement in module.tree.body if self._matters(statement, module)]
        return self._important[module]

    def _matters(self, statement: ast.stmt, module: Module) -> bool:
        is_test_code = self._modules.is_test_code(module)
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Import() | ast.ImportFrom():
                return False
            case ast.Expr(value=ast.Call(func=ast.Name(id=name))) if is_test_code:
                return any(isinstance(one.binding, FUNCTIONS) for one in sources(name, Scope(module), self._modules))
            case ast.Assign(targets=targets) if is_test_code:
                return any(self._is_elsewhere(target, module) for target in targets)
        return any(_stops(inner) for inner in statements([statement]))

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
            methods = [statement for statement in inner if isinstance(statement, FUNCTIONS)]
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
            if any(function is target.binding for function in functions):
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


# -- from a test to all code that it reaches ---------------------------------------------------------------------------


_MOST_DEFINITIONS = 500
_SETUP = frozenset(
    [
        *("setup_module", "setup_function", "setup_method", "setup_class", "setUp", "setUpClass", "setUpModule"),
        *("asyncSetUp", "setup", "teardown_method", "tearDown"),
    ]
)


@dataclass(frozen=True, eq=False)
class _Definition:
    """Statements that belong together, and their scope."""

    key: tuple[int, ...]
    nodes: tuple[ast.AST, ...]
    scope: Scope


@dataclass(frozen=True, eq=False)
class _Read:
    """A definition that was read: its findings, the definitions that it refers to, and names of files."""

    findings: Findings
    following: tuple[_Definition, ...]
    named: tuple[tuple[Module, str], ...]


@dataclass(frozen=True)
class Reached:
    """The findings in the code that a test reaches; `is_cut` if there is too much code to follow."""

    findings: list[Findings]
    flow: FlowFindings
    is_cut: bool


class ReachableCode:
    """Follows references from tests to definitions. Each definition is read once."""

    def __init__(self, reader: DefinitionReader, fixtures: Fixtures, vocabulary: Vocabulary) -> None:
        self._reader = reader
        self._fixtures = fixtures
        self._tracked = TrackedCode(reader.evaluator, vocabulary)
        self._unnamed = UnnamedCode(reader.evaluator.modules)
        self._known: dict[tuple[int, ...], _Read] = {}

    def findings(self, start: CollectedTest) -> Reached:
        """The findings in all definitions that a test reaches, the nearest first."""
        found: list[Findings] = []
        homes = start.homes
        unnamed = list(self._unnamed_in(homes))
        pending = [*self._first(start), *unnamed]
        seen = {definition.key for definition in pending}
        aside = {definition.key for definition in unnamed}
        for definition in pending:
            if len(found) >= _MOST_DEFINITIONS:
                return Reached(found, FlowFindings(), is_cut=True)
            read = self._known.get(definition.key) or self._look(definition)
            # A name there does not say that this test uses a graph.
            found.append(replace(read.findings, signal=None) if definition.key in aside else read.findings)
            following = list(read.following)
            if read.findings.fixtures:
                following += self._asked_for(read.findings.fixtures, start)
            for module, name in read.named:
                following += [_of((node,), scope) for node, scope in self._unnamed.registered(homes, module, name)]
            for other in following:
                if other.key not in seen:
                    seen.add(other.key)
                    pending.append(other)
        return Reached(found, self._flow(pending), is_cut=False)

    def _flow(self, definitions: Sequence[_Definition]) -> FlowFindings:
        codes = [self._tracked.code(definition.nodes, definition.scope.module) for definition in definitions]
        return GraphFlow(list(dict.fromkeys(codes)), self._tracked).run()

    def _look(self, definition: _Definition) -> _Read:
        findings = self._reader.read(definition.nodes, definition.scope)
        named: dict[tuple[Module, str], None] = {}
        following = {reached.key: reached for reached in self._following(findings, named)}
        known = self._known[definition.key] = _Read(findings, tuple(following.values()), tuple(named))
        return known

    def _unnamed_in(self, homes: tuple[Module, ...]) -> Iterator[_Definition]:
        files = list(dict.fromkeys(file for home in homes for file in self._fixtures.homes(home)))
        placed = [*self._unnamed.at_import(files), *(hook for file in files for hook in self._unnamed.hooks(file))]
        yield from (_of((node,), scope) for node, scope in placed)

    # -- where to start ------------------------------------------------------------------------------------------

    def _first(self, start: CollectedTest) -> Iterator[_Definition]:
        scope = Scope(start.module, None, start.owner)
        for function in start.functions:
            yield _of((function,), scope)
            yield from self._asked_for(parameter_names(function), start)
        for statement in start.made:
            yield _of((statement,), scope)
            yield from self._asked_for([ANY_FIXTURE], start)
        for owner in start.classes:
            yield _of((*owner.decorator_list, *marks_in(owner.body)), scope)
            yield from (_of((function,), scope) for function in _set_up(owner.body))
        yield _of(marks_in(start.module.tree.body), Scope(start.module))
        yield from (_of((function,), Scope(start.module)) for function in _set_up(start.module.tree.body))
        yield from (_of((each,), Scope(module)) for each, module in start.others)
        marked = (start.functions, start.classes)
        yield from self._asked_for([name for nodes in marked for node in nodes for name in _used_fixtures(node)], start)
        for fixture in self._visible(start):
            if fixture.is_automatic:
                yield _of((fixture.function,), fixture.scope)
                yield from self._asked_for(parameter_names(fixture.function), start)

    def _asked_for(self, names: Iterable[str], start: CollectedTest) -> Iterator[_Definition]:
        """The fixtures with these names, and those that they use."""
        pending = list(names)
        seen = {"self", "cls", "request"}
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            for fixture in self._visible(start):
                if name in (fixture.name, ANY_FIXTURE):
                    yield _of((fixture.function,), fixture.scope)
                    pending += parameter_names(fixture.function)

    def _visible(self, start: CollectedTest) -> list[Fixture]:
        return [fixture for home in start.homes for fixture in self._fixtures.visible(home)]

    # -- where to continue ---------------------------------------------------------------------------------------

    def _following(self, findings: Findings, named: dict[tuple[Module, str], None]) -> Iterator[_Definition]:
        evaluator = self._reader.evaluator
        for name, scope in findings.names.items():
            for source in evaluator.sources(name, scope):
                yield from self._at(source, findings, named)
        for (alias, attributes), scope in findings.attributes.items():
            for binding, module, _ in evaluator.sources(alias, scope):
                target = evaluator.modules.resolved(binding, module) if isinstance(binding, Import) else None
                if target is not None and target[1] is None:
                    yield from self._in_module(target[0], attributes, findings, named)
        for dotted, scope in findings.modules.items():
            yield from self._spelled(dotted, scope.module, findings, named)
        owner = findings.scope.owner
        if owner is not None and findings.members:
            yield from self._members(owner, findings.members, findings.scope.module)

    def _at(self, source: Source, findings: Findings, named: dict[tuple[Module, str], None]) -> Iterator[_Definition]:
        """The top-level statements that set the value of a name."""
        if isinstance(source.binding, Import):
            if source.binding.package in RDF_LIBRARIES and findings.signal is None:
                findings.signal = 0
        elif source.top is not None and (source.module, source.top) not in named:
            named[source.module, source.top] = None
            for statement in source.module.definitions.get(source.top, ()):
                yield _of((statement,), Scope(source.module))
            for function in source.module.changers.get(source.top, ()):
                yield _of((function,), self._tracked.file(source.module).scope(function))

    def _in_module(
        self,
        module: Module,
        attributes: tuple[str, ...],
        findings: Findings,
        named: dict[tuple[Module, str], None],
    ) -> Iterator[_Definition]:
        """The definition of `sub.menu.label`, in the file of a package."""
        modules = self._reader.evaluator.modules
        for place, name in enumerate(attributes):
            found = self._reader.evaluator.sources(name, Scope(module))
            for source in found:
                target = modules.resolved(source.binding, source.module) if isinstance(source.binding, Import) else None
                if target is not None and target[1] is None:
                    yield from self._in_module(target[0], attributes[place + 1 :], findings, named)
                else:
                    yield from self._at(source, findings, named)
            inner = None if found else modules.inside(module, name)
            if inner is None:
                if not found and "__getattr__" in module.definitions:
                    yield from (_of((statement,), Scope(module)) for statement in module.definitions["__getattr__"])
                return
            module = inner

    def _spelled(
        self, dotted: str, by: Module, findings: Findings, named: dict[tuple[Module, str], None]
    ) -> Iterator[_Definition]:
        """What a dotted name in a string stands for, as in `import_module("app.menu")`."""
        if dotted.endswith(".py"):
            script = self._reader.evaluator.modules.at(Path(dotted))
            if script is not None:
                yield _of(tuple(script.tree.body), Scope(script))
            return
        parts = dotted.replace(":", ".").split(".")
        for count in range(len(parts), 0, -1):
            module = self._reader.evaluator.modules.imported(Import(".".join(parts[:count]), 0), by)
            if module is not None:
                if count < len(parts):
                    yield from self._in_module(module, tuple(parts[count:]), findings, named)
                else:
                    yield _of(tuple(module.tree.body), Scope(module))
                return

    def _members(self, owner: ast.ClassDef, names: set[str], module: Module) -> Iterator[_Definition]:
        """The methods and attributes with these names, of a class and of its base classes."""
        for each, place in with_bases(owner, module, self._reader.evaluator.modules):
            own = members(each, place)
            for name in sorted(names):
                for member in own.get(name, ()):
                    yield _of((member.statement,), Scope(place, None, each))


def _of(nodes: tuple[ast.AST, ...], scope: Scope) -> _Definition:
    return _Definition((id(scope.owner), *map(id, nodes)), nodes, scope)


def marks_in(body: list[ast.stmt]) -> tuple[ast.expr, ...]:
    """The values of `pytestmark` in a file or a class."""
    found = []
    for statement in statements(body):
        if isinstance(statement, ast.Assign):
            names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
            found += [statement.value] if "pytestmark" in names else []
    return tuple(found)


def _set_up(body: list[ast.stmt]) -> Iterator[Function]:
    for statement in statements(body):
        if isinstance(statement, FUNCTIONS) and statement.name in _SETUP and not is_fixture(statement):
            yield statement


def _used_fixtures(node: Function | ast.ClassDef) -> Iterator[str]:
    for name, call in decorators(node):
        if name == "usefixtures" and call is not None:
            yield from (str(argument.value) for argument in call.args if isinstance(argument, ast.Constant))
