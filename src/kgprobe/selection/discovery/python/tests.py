"""Tests of pytest and unittest, found by the rules of pytest, with their node ids and uses."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError
from kgprobe.rdf.terms import NamedNode
from kgprobe.selection.discovery.files import TestFile
from kgprobe.selection.discovery.python.evaluation import called_name
from kgprobe.selection.discovery.python.fixtures import Fixtures, is_fixture
from kgprobe.selection.discovery.python.folding import ConstantFolder
from kgprobe.selection.discovery.python.modules import FUNCTIONS, Function, Module, Modules, name_place, statements
from kgprobe.selection.discovery.python.reach import CollectedTest, ReachableCode, marks_in
from kgprobe.selection.discovery.python.scopes import Bound, Scope, sources, with_bases
from kgprobe.selection.discovery.python.test_uses import UseCollector
from kgprobe.selection.discovery.python.visitor import DefinitionReader
from kgprobe.selection.discovery.search import BLIND, Search, stated_regime
from kgprobe.selection.tests import Mention, TermUse, Test

__all__ = ["Declaration", "PythonTests", "collected", "declarations"]

_DEEPEST = 20


def collected(module: Module, modules: Modules) -> Iterator[tuple[tuple[str, ...], CollectedTest]]:
    """The tests of a file, with the names in their node ids. Functions with the same name are one test."""
    functions: dict[str, list[Function]] = defaultdict(list)
    for statement in statements(module.tree.body):
        if isinstance(statement, FUNCTIONS) and _is_test(statement):
            functions[statement.name].append(statement)
        elif isinstance(statement, ast.ClassDef):
            yield from _of_class(statement, module, modules, (), ())
    for name, found in functions.items():
        yield (name,), CollectedTest(module, tuple(found))
    for name in module.imports:
        if name.startswith("test"):
            for binding, place, _ in sources(name, Scope(module), modules):
                if isinstance(binding, FUNCTIONS) and not is_fixture(binding):
                    yield (name,), CollectedTest(place, (binding,))


def _of_class(
    node: ast.ClassDef,
    module: Module,
    modules: Modules,
    names: tuple[str, ...],
    classes: tuple[ast.ClassDef, ...],
) -> Iterator[tuple[tuple[str, ...], CollectedTest]]:
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
            yield (*names, name), CollectedTest(module, tests, classes)
        else:
            yield (*names, name), CollectedTest(place, tests, (owner,), ((node, module),))


def _is_test(function: Function) -> bool:
    return function.name.startswith("test") and not is_fixture(function)


def _is_test_case(node: ast.ClassDef) -> bool:
    last = [base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases]
    return any(name.endswith("TestCase") for name in last)


def _has_maker(node: ast.ClassDef) -> bool:
    """Whether a class has a constructor: pytest does not collect such classes."""
    return any(isinstance(each, FUNCTIONS) and each.name in ("__init__", "__new__") for each in node.body)


def _is_switched_off(node: ast.ClassDef) -> bool:
    return any(
        isinstance(each, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == "__test__" for target in each.targets)
        and isinstance(each.value, ast.Constant)
        and not each.value.value
        for each in node.body
    )


# -- declared terms: `@pytest.mark.kg_terms("ex:Pizza")` on a test, its class or its file ------------------------------

_MARK = "kg_terms"


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declaration of one mark: term names and their places, or None if they are unknown."""

    names: tuple[tuple[str, ast.expr], ...] | None
    line: int
    module: Module


def declarations(start: CollectedTest, folder: ConstantFolder) -> list[Declaration]:
    """The declarations of a test."""
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


def _in(node: ast.expr, folder: ConstantFolder, scope: Scope, depth: int = 0) -> Iterator[Declaration]:
    if depth > _DEEPEST:
        return
    match node:
        case ast.Call() if called_name(node) == _MARK or _is_mark(node.func, folder, scope):
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


def _is_mark(function: ast.expr, folder: ConstantFolder, scope: Scope) -> bool:
    """Whether a name stands for the mark: `mark = pytest.mark.kg_terms`."""
    return isinstance(function, ast.Name) and any(
        isinstance(binding, Bound) and not binding.path and getattr(binding.value, "attr", "") == _MARK
        for binding, _, _ in folder.sources(function.id, scope)
    )


# -- the tests of Python files -----------------------------------------------------------------------------------------


class PythonTests:
    """Finds the tests of Python files. `others` are tests that do not use a graph."""

    def __init__(self, search: Search, folders: Iterable[Path]) -> None:
        self._search = search
        self._modules = Modules(search.root, folders)
        fixtures = Fixtures(self._modules)
        self._folder = ConstantFolder(self._modules, fixtures.given)
        self._reader = DefinitionReader(self._folder, search.vocabulary)
        self._reachable = ReachableCode(self._reader, fixtures, search.vocabulary)
        self.others: list[Test] = []

    def tests(self, found: TestFile) -> list[Test]:
        """The tests of a file that use a graph, or may use one."""
        try:
            module = self._modules.parse(found.file, found.name)
            return self._tests(module, found)
        except InputError as error:
            reason = f"{BLIND}: its file {error.message}"
        except RecursionError:
            reason = f"{BLIND}: its file is nested too deeply"
        return [Test(found.name, "python", unseen=(reason,), file=found.file)]

    def _tests(self, module: Module, found: TestFile) -> list[Test]:
        regime = stated_regime(module.text, found.name, self._search.note)
        tests: dict[str, Test] = {}
        for names, start in collected(module, self._modules):
            name = "::".join((found.name, *names))
            line = start.functions[0].lineno
            declared = declarations(start, self._folder)
            if declared:
                test = self._declared(name, declared, found, line, regime)
            else:
                collector = UseCollector(self._reachable.findings(start), self._reader, self._search, module)
                test = collector.test(name, line, regime)
                if not collector.is_about_graph:
                    self.others.append(test)
                    continue
            tests[name] = test
        return list(tests.values())

    def _declared(
        self, name: str, declared: list[Declaration], found: TestFile, line: int, regime: Regime | None
    ) -> Test:
        """A test that declares its terms."""
        uses: dict[TermUse, None] = {}
        unseen: dict[str, None] = {}
        mentions: dict[Mention, None] = {}
        for each in declared:
            if each.names is None:
                unseen[f"{BLIND}: the terms of kg_terms are built when the test runs (line {each.line})"] = None
            for term, node in each.names or ():
                known, unclear = self._search.named(term, f"{found.name}:{each.line}", each.line)
                uses.update(dict.fromkeys(known))
                unseen.update(dict.fromkeys(unclear))
                place = name_place(node, each.module)
                if len(known) == 1 and isinstance(known[0].term, NamedNode) and place is not None:
                    start, written = place
                    mention = Mention(known[0].term, each.module.file, start, start + len(written), written)
                    mentions[mention] = None
        return Test(
            name,
            "python",
            uses=tuple(uses),
            unseen=tuple(unseen),
            file=found.file,
            line=line,
            mentions=tuple(mentions),
            regime=regime,
        )
