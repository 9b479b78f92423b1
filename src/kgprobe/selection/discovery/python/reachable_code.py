"""The code that a test reaches: its own, its fixtures, and the functions, classes and constants that it refers to."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kgprobe.selection.discovery.python.findings import Findings
from kgprobe.selection.discovery.python.fixtures import Fixtures, decorators, is_fixture, parameter_names
from kgprobe.selection.discovery.python.modules import FUNCTIONS, Function, Import, Module, statements
from kgprobe.selection.discovery.python.scopes import RDF_LIBRARIES, Scope, Source, members, with_bases
from kgprobe.selection.discovery.python.visitor import DefinitionReader

__all__ = ["CollectedTest", "ReachableCode", "marks_in"]

_MOST_DEFINITIONS = 500
_SETUP = frozenset(
    [
        *("setup_module", "setup_function", "setup_method", "setup_class", "setUp", "setUpClass", "setUpModule"),
        *("asyncSetUp", "setup", "teardown_method", "tearDown"),
    ]
)


@dataclass(frozen=True)
class CollectedTest:
    """A test that pytest would collect: its functions (several can have one name), and the classes around it."""

    module: Module
    functions: tuple[Function, ...]
    classes: tuple[ast.ClassDef, ...] = ()
    others: tuple[tuple[ast.ClassDef, Module], ...] = ()  # classes in other files that inherit the test

    @property
    def owner(self) -> ast.ClassDef | None:
        return self.classes[-1] if self.classes else None


@dataclass(frozen=True, eq=False)
class _Definition:
    """Statements that belong together, and their scope."""

    key: tuple[int, ...]
    nodes: tuple[ast.AST, ...]
    scope: Scope


class ReachableCode:
    """Follows references from tests to definitions. Each definition is read once."""

    def __init__(self, reader: DefinitionReader, fixtures: Fixtures) -> None:
        self._reader = reader
        self._fixtures = fixtures
        self._known: dict[tuple[int, ...], tuple[Findings, tuple[_Definition, ...]]] = {}

    def findings(self, start: CollectedTest) -> tuple[list[Findings], bool]:
        """The findings in all definitions that a test reaches, the nearest first; True if there are too many."""
        found: list[Findings] = []
        pending = list(self._first(start))
        seen = {each.key for each in pending}
        for definition in pending:
            if len(found) >= _MOST_DEFINITIONS:
                return found, True
            findings, following = self._known.get(definition.key) or self._look(definition)
            found.append(findings)
            if findings.fixtures:
                following = (*following, *self._asked_for(findings.fixtures, start))
            for each in following:
                if each.key not in seen:
                    seen.add(each.key)
                    pending.append(each)
        return found, False

    def _look(self, definition: _Definition) -> tuple[Findings, tuple[_Definition, ...]]:
        findings = self._reader.read(definition.nodes, definition.scope)
        known = self._known[definition.key] = (findings, tuple(self._following(findings)))
        return known

    # -- where to start ------------------------------------------------------------------------------------------

    def _first(self, start: CollectedTest) -> Iterator[_Definition]:
        scope = Scope(start.module, None, start.owner)
        for function in start.functions:
            yield _of((function,), scope)
            yield from self._asked_for(parameter_names(function), start)
        for owner in start.classes:
            yield _of((*owner.decorator_list, *marks_in(owner.body)), scope)
            yield from (_of((each,), scope) for each in _set_up(owner.body))
        yield _of(marks_in(start.module.tree.body), Scope(start.module))
        yield from (_of((each,), Scope(start.module)) for each in _set_up(start.module.tree.body))
        yield from (_of((each,), Scope(module)) for each, module in start.others)
        marked = (start.functions, start.classes)
        yield from self._asked_for([name for nodes in marked for node in nodes for name in _used_fixtures(node)], start)
        for fixture in self._fixtures.visible(start.module):
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
            for fixture in self._fixtures.visible(start.module):
                if fixture.name == name:
                    yield _of((fixture.function,), fixture.scope)
                    pending += parameter_names(fixture.function)

    # -- where to continue ---------------------------------------------------------------------------------------

    def _following(self, findings: Findings) -> Iterator[_Definition]:
        folder = self._reader.folder
        for name, scope in findings.names.items():
            for source in folder.sources(name, scope):
                yield from self._at(source, findings)
        for (alias, attribute), scope in findings.attributes.items():
            for binding, module, _ in folder.sources(alias, scope):
                target = folder.modules.resolved(binding, module) if isinstance(binding, Import) else None
                if target is not None and target[1] is None:
                    for source in folder.sources(attribute, Scope(target[0])):
                        yield from self._at(source, findings)
        owner = findings.scope.owner
        if owner is not None and findings.members:
            yield from self._members(owner, findings.members, findings.scope.module)

    def _at(self, source: Source, findings: Findings) -> Iterator[_Definition]:
        """The top-level statements that set the value of a name."""
        if isinstance(source.binding, Import):
            if source.binding.package in RDF_LIBRARIES and findings.signal is None:
                findings.signal = 0
        elif source.top is not None:
            for statement in source.module.definitions[source.top]:
                yield _of((statement,), Scope(source.module))

    def _members(self, owner: ast.ClassDef, names: set[str], module: Module) -> Iterator[_Definition]:
        """The methods and attributes with these names, of a class and of its base classes."""
        for each, place in with_bases(owner, module, self._reader.folder.modules):
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
            yield from (str(each.value) for each in call.args if isinstance(each, ast.Constant))
