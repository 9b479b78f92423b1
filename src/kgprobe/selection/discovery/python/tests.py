"""Tests of pytest and unittest, found by the rules of pytest, with their node ids and uses."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from doctest import script_from_examples
from pathlib import Path

from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError
from kgprobe.given_files import exact_text
from kgprobe.rdf.terms import NamedNode
from kgprobe.selection.discovery.files import TestFile
from kgprobe.selection.discovery.python.collection import CollectedTest, collected
from kgprobe.selection.discovery.python.evaluation import called_name
from kgprobe.selection.discovery.python.fixtures import Fixtures
from kgprobe.selection.discovery.python.folding import ConstantFolder
from kgprobe.selection.discovery.python.modules import Module, Modules, name_place
from kgprobe.selection.discovery.python.reach import ReachableCode, marks_in
from kgprobe.selection.discovery.python.scopes import Bound, Scope
from kgprobe.selection.discovery.python.test_uses import UseCollector
from kgprobe.selection.discovery.python.visitor import DefinitionReader
from kgprobe.selection.discovery.python_files import PYTHON
from kgprobe.selection.discovery.search import BLIND, Search, stated_regime
from kgprobe.selection.tests import Mention, TermUse, Test

__all__ = ["Declaration", "PythonTests", "declarations"]

_DEEPEST = 20

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

_ELSEWHERE = "code that is not in the project makes tests of this class"


class PythonTests:
    """Finds the tests of Python files. Those that do not use a graph are added to `unrelated`."""

    def __init__(self, search: Search, folders: Iterable[Path], unrelated: list[Test]) -> None:
        self._search = search
        self._modules = Modules(search.root, folders)
        fixtures = Fixtures(self._modules)
        self._folder = ConstantFolder(self._modules, fixtures.given)
        self._reader = DefinitionReader(self._folder, search.vocabulary)
        self._reachable = ReachableCode(self._reader, fixtures, search.vocabulary)
        self._unrelated = unrelated

    def tests(self, found: TestFile) -> list[Test]:
        """The tests of a file that use a graph, or may use one."""

        def tests_of_code() -> list[Test]:
            module = self._modules.parse(found.file, found.name)
            return self._tests(module, found, collected(module, self._modules, self._search.collecting))

        return self._unless_unreadable(tests_of_code, found)

    def examples(self, found: TestFile) -> list[Test]:
        """The test of the examples in a text, or in the docstrings of code: `>>> price("Cola")`."""

        def test_of_examples() -> list[Test]:
            text = exact_text(found.file)
            if ">>>" not in text:
                return []
            is_code = found.suffix == ".py"
            code = f"{text}\n" if is_code else ""
            module = self._modules.parse_text(code + script_from_examples(text), found.file, found.name)
            own = len(self._modules.parse(found.file, found.name).tree.body) if is_code else 0
            start = CollectedTest(module, (), made=tuple(module.tree.body[own:]))
            return [replace(test, mentions=()) for test in self._tests(module, found, [((), start)])]

        return self._unless_unreadable(test_of_examples, found)

    def _unless_unreadable(self, read: Callable[[], list[Test]], found: TestFile) -> list[Test]:
        try:
            return read()
        except InputError as error:
            reason = f"{BLIND}: its file {error.message}"
        except ValueError as error:  # examples that are indented inconsistently
            reason = f"{BLIND}: its examples cannot be read: {error}"
        except RecursionError:
            reason = f"{BLIND}: its file is nested too deeply"
        return [Test(found.name, PYTHON, unseen=(reason,), file=found.file)]

    def _tests(
        self, module: Module, found: TestFile, starts: Iterable[tuple[tuple[str, ...], CollectedTest]]
    ) -> list[Test]:
        regime = stated_regime(module.text, found.name, self._search.note)
        tests: dict[str, Test] = {}
        for names, start in starts:
            name = "::".join((found.name, *names))
            line = start.line
            declared = declarations(start, self._folder)
            if declared:
                test = self._declared(name, declared, found, line, regime)
            else:
                collector = UseCollector(self._reachable.findings(start), self._reader, self._search, module)
                test = collector.test(name, line, regime)
                if not collector.is_about_graph:
                    self._unrelated.append(test)
                    continue
                if start.is_partly_elsewhere:
                    test = replace(test, unseen=(*test.unseen, f"{BLIND}: {_ELSEWHERE}"))
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
            PYTHON,
            uses=tuple(uses),
            unseen=tuple(unseen),
            file=found.file,
            line=line,
            mentions=tuple(mentions),
            regime=regime,
        )
