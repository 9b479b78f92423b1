"""Tests of pytest and unittest: each with what it uses, as far as the text of the project tells."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kgprobe.entailment.regime import Regime
from kgprobe.errors import InputError
from kgprobe.graph.terms import NamedNode
from kgprobe.selection.discovery.files import TestFile
from kgprobe.selection.discovery.python.collection import collected
from kgprobe.selection.discovery.python.fixtures import Fixtures
from kgprobe.selection.discovery.python.folding import Folder
from kgprobe.selection.discovery.python.gathering import Gathering
from kgprobe.selection.discovery.python.marks import Declaration, declarations
from kgprobe.selection.discovery.python.modules import Module, Modules
from kgprobe.selection.discovery.python.positions import name_place
from kgprobe.selection.discovery.python.reach import Reach
from kgprobe.selection.discovery.python.visitor import Reader
from kgprobe.selection.discovery.regimes import stated_regime
from kgprobe.selection.discovery.search import Search
from kgprobe.selection.tests import Mention, TermUse, Test

__all__ = ["PythonTests"]

_BLIND = "cannot see what this test uses"


class PythonTests:
    """Finds the tests of Python files. `others` are those that have nothing to do with a graph."""

    def __init__(self, search: Search, folders: Iterable[Path]) -> None:
        self._search = search
        self._modules = Modules(search.root, folders)
        fixtures = Fixtures(self._modules)
        self._folder = Folder(self._modules, fixtures.given)
        self._reader = Reader(self._folder, search.vocabulary)
        self._reach = Reach(self._reader, fixtures)
        self.others: list[Test] = []

    def tests(self, found: TestFile) -> list[Test]:
        """The tests of a file that use a graph, or may do so."""
        try:
            module = self._modules.parse(found.file, found.name)
            return self._tests(module, found)
        except InputError as error:
            reason = f"{_BLIND}: its file {error.message}"
        except RecursionError:
            reason = f"{_BLIND}: its file is nested too deeply"
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
                findings, is_cut = self._reach.findings(start)
                gathering = Gathering(findings, self._reader, self._search, module)
                if is_cut:
                    gathering.unseen[f"{_BLIND}: it reaches too much code to follow"] = None
                test = gathering.test(name, line, regime)
                if not gathering.is_about_graph:
                    self.others.append(test)
                    continue
            tests[name] = test
        return list(tests.values())

    def _declared(
        self, name: str, declared: list[Declaration], found: TestFile, line: int, regime: Regime | None
    ) -> Test:
        """A test that says itself what it uses."""
        uses: dict[TermUse, None] = {}
        unseen: dict[str, None] = {}
        mentions: dict[Mention, None] = {}
        for each in declared:
            if each.names is None:
                unseen[f"{_BLIND}: what kg_terms declares is put together (line {each.line})"] = None
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
