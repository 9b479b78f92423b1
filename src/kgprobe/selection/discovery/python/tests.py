"""Tests of pytest and unittest, found by the rules of pytest, with their node ids and uses."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from doctest import script_from_examples
from pathlib import Path
from typing import Final

from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError
from kgprobe.given_files import exact_text
from kgprobe.rdf.pattern import TriplePattern
from kgprobe.rdf.terms import NamedNode
from kgprobe.selection.discovery.files import TestFile
from kgprobe.selection.discovery.python.collection import CollectedTest, collected
from kgprobe.selection.discovery.python.evaluation import Evaluator
from kgprobe.selection.discovery.python.findings import CallSite, Findings, ParametricText, Text, mentions_at
from kgprobe.selection.discovery.python.fixtures import Fixtures
from kgprobe.selection.discovery.python.modules import Module, Modules, called_name, name_place, place_of
from kgprobe.selection.discovery.python.reach import ReachableCode, Reached, marks_in
from kgprobe.selection.discovery.python.scopes import Bound, Scope
from kgprobe.selection.discovery.python.tracking import GRAPH_FILES
from kgprobe.selection.discovery.python.values import FileText
from kgprobe.selection.discovery.python.visitor import DefinitionReader
from kgprobe.selection.discovery.python_files import PYTHON, has_examples, is_test_file
from kgprobe.selection.discovery.search import BLIND, Search, stated_regime
from kgprobe.selection.discovery.sql_files import looks_like_sql
from kgprobe.selection.tests import Mention, TermUse, Test, TestUse
from kgprobe.sparql.reading import looks_like_query

_PASSED_ON: Final = "a query is passed on when the test runs"
_MOST_REASONS: Final = 5
_MOST_CALLS: Final = 1000
_QUERIES: Final = (".rq", ".sparql")
_LONGEST_NAME: Final = 2000
_LINE: Final = re.compile(r" \(line \d+\)\Z")


class UseCollector:
    """Collects the uses of one test."""

    def __init__(self, reached: Reached, reader: DefinitionReader, search: Search, module: Module) -> None:
        findings = reached.findings
        self._flow = reached.flow
        self._reader = reader
        self._search = search
        self._module = module
        self.uses: dict[TestUse, None] = {}
        self.terms: dict[TermUse, None] = {}
        self.unseen: dict[str, None] = {}
        self.patterns: dict[TriplePattern, None] = {}
        self.mentions: dict[Mention, None] = {}
        self._parts_of_test: dict[Path, None] = {}  # files with definitions of tables
        self._failed: dict[str, list[str]] = {}
        self._asked: dict[str, None] = {}
        self._seen: set[tuple[str, bool, bool]] = set()
        declared = dict.fromkeys(pair for finding in findings for pair in finding.prefixes.items())
        self._prefixes = dict(declared.keys())
        if len(self._prefixes) < len(declared):
            self._not_seen("the prefixes of its queries have several meanings")
        found = [*findings, *([] if reached.is_cut else self._parametric_findings(findings))]
        self._parts = {part for finding in found for part in finding.parts}
        functions = {name for finding in findings for name in finding.functions}
        for finding in found:
            if not finding.is_silent:
                self._gather(finding, functions)
        self._settle()
        self._gather_flow()
        self._signal = next((finding.signal for finding in found if finding.signal is not None), None)
        if self._signal is not None and not self.uses and not self.unseen:
            self.unseen[f"{BLIND}: it uses a graph, but names no query and no term"] = None
        else:
            self.uses.update(dict.fromkeys(self._flow.vague))
            self._not_seen_in_flow(self._flow.vaguely_unseen)
        if reached.is_cut:
            self._not_seen("it reaches too much code to follow")

    @property
    def is_about_graph(self) -> bool:
        """Whether the test uses a graph."""
        return bool(self.uses or self.unseen)

    def test(self, name: str, line: int, regime: Regime | None) -> Test:
        """The test."""
        return Test(
            name,
            PYTHON,
            uses=tuple(self.uses),
            terms=tuple(self.terms),
            unseen=tuple(self.unseen),
            file=self._module.file,
            line=line,
            mentions=tuple(self.mentions),
            patterns=tuple(self.patterns),
            parts=tuple(self._parts_of_test),
            regime=regime,
        )

    def _parametric_findings(self, findings: Sequence[Findings]) -> list[Findings]:
        """The findings in texts that depend on the parameters of functions, at every call of those functions."""
        found: list[Findings] = []
        claimed = self._flow.claimed
        pending = [
            (parametric, finding.scope)
            for finding in findings
            for parametric in finding.parametric_texts
            if parametric.is_query or id(parametric.node) not in claimed
        ]
        calls_of: dict[str, list[CallSite]] = defaultdict(list)
        for finding in findings if pending else ():
            for name, calls in finding.calls.items():
                calls_of[name] += calls
        done: set[ParametricText] = set()
        while pending and len(found) <= _MOST_CALLS:
            parametric, scope = pending.pop()
            if parametric in done:
                continue
            done.add(parametric)
            own = parametric.function.name
            calls = [call for name in parametric.names for call in calls_of.get(name, ()) if not _is_inside(call, own)]
            # A function without references is never called. One with references but no calls may be called anywhere.
            if not calls and any(parametric.names[-1] in finding.referred for finding in findings):
                found.append(Findings(scope, unseen=[(_PASSED_ON, parametric.node.lineno, parametric.node)]))
            for call in calls[:_MOST_CALLS]:
                result = self._reader.asked(parametric, call)
                found.append(result)
                pending += [(other, result.scope) for other in result.parametric_texts]
        if pending:
            self._not_seen("it passes on too many queries to follow")
        return found

    def _gather(self, found: Findings, functions: set[str]) -> None:
        module = found.scope.module
        claimed = self._flow.claimed
        self.uses.update((use, None) for use, node in found.term_uses if id(node) not in claimed)
        self.mentions.update(dict.fromkeys(found.mentions))
        for text in found.relevant_texts:
            # A function of the project may change the text, and is read by itself.
            is_asked = text.asked_by is not None and text.asked_by not in functions
            key = (text.value, is_asked, id(text.origin) in claimed)
            if key not in self._seen:
                self._seen.add(key)
                is_plain = is_asked or text.asked_by is None
                self._text(text if is_plain else replace(text, asked_by=None), module, found)
        for path, line in found.files:
            self._file(path, line, module, found)
        for reason, line, node in found.unseen:
            if id(node) not in claimed:
                self._not_seen(f"{reason} ({self._where(module, line)})")

    def _gather_flow(self) -> None:
        """Take over what the test reads of the graphs that it follows."""
        self.uses.update(dict.fromkeys(self._flow.uses))
        for iri, line in self._flow.named:
            self.uses[TermUse(NamedNode(iri), iri, line)] = None
        for text, line, module in self._flow.queries:
            self._query(Text(text, line, asked_by=""), module, None)
        for text, line, module in self._flow.updates:
            reading = self._search.queries.read_update(text, self._prefixes)
            self._not_seen_in_flow((reason, line, module) for reason, _ in reading.reasons)
            self.uses.update((replace(use, line=line), None) for use in reading.uses)
        for asked, line, module in dict.fromkeys(self._flow.sql):
            self._sql(asked.text, dict(asked.parameters), line, module)
        self._not_seen_in_flow(self._flow.unseen)

    def _not_seen_in_flow(self, reasons: Iterable[tuple[str, int, Module]]) -> None:
        for reason, line, module in reasons:
            self._not_seen(f"{reason} ({self._where(module, line)})")

    # -- texts ---------------------------------------------------------------------------------------------------

    def _text(self, text: Text, module: Module, found: Findings) -> None:
        value = text.value
        is_claimed = id(text.origin) in self._flow.claimed
        if isinstance(value, FileText):
            self._content(str(value), value.file, is_claimed=is_claimed)
        elif looks_like_query(value):
            place = None if text.node is None else place_of(text.node, module)
            self._query(text, module, place)
        elif looks_like_sql(value):
            if not is_claimed:
                self._sql(value, None, text.line, module)
        elif len(value) <= _LONGEST_NAME:
            self._name(text, module, found)

    def _sql(self, text: str, parameters: Mapping[str, Sequence[str] | None] | None, line: int, module: Module) -> None:
        """Read SQL that the test runs. Without a call that runs it, SQL about nothing may be any text."""
        reading = self._search.sql.read(text, parameters)
        if parameters is None and not (reading.uses or reading.terms):
            return
        self.terms.update(dict.fromkeys(reading.terms))
        self._parts_of_test.update(dict.fromkeys(map(Path, reading.files)))
        self.uses.update((replace(use, line=line), None) for use in reading.uses)
        for reason in reading.unseen:
            said = _LINE.sub("", reason.removeprefix(f"{BLIND}: "))
            self._not_seen(f"{said} ({self._where(module, line)})")

    def _name(self, text: Text, module: Module, found: Findings) -> None:
        """Read a short text, which may be a term name or a file name."""
        if ":" in text.value:
            for term in self._search.vocabulary.spelled(text.value):
                self.uses[TermUse(term, text.value, text.line)] = None
                if text.node is not None:
                    self.mentions.update(dict.fromkeys(mentions_at(term.value, text.node, module)))
        if text.value.endswith((*_QUERIES, ".sql", *GRAPH_FILES)):
            is_claimed = id(text.origin) in self._flow.claimed
            self._file(Path(text.value), text.line, module, found, is_claimed=is_claimed)

    def _query(self, text: Text, module: Module | Path, place: int | None) -> None:
        """Read a query in a module or another file; `place` is its position there, if it is a literal text."""
        file, first = module if isinstance(module, Path) else module.file, text.line
        reading = self._search.queries.read(str(text.value), self._prefixes)
        reasons = [f"{reason} ({self._where(module, first + (line or 1) - 1)})" for reason, line in reading.reasons]
        if reasons and text.asked_by is None:
            self._failed[text.value] = reasons
            return
        for reason in reasons:
            self._not_seen(reason)
        if place is not None:
            self.mentions.update(dict.fromkeys(reading.mentions(file, place)))
        if text.value in self._asked:
            return
        self._asked[text.value] = None
        self.uses.update((replace(use, line=first + (use.line or 1) - 1), None) for use in reading.uses)
        self.patterns.update(dict.fromkeys(reading.patterns))

    def _settle(self) -> None:
        """Report the texts that could not be read, except those that are parts of other queries."""
        for text, reasons in self._failed.items():
            if text in self._parts or any(text in asked for asked in self._asked):
                continue
            for reason in reasons:
                self._not_seen(reason)

    # -- files and terms -----------------------------------------------------------------------------------------

    def _file(self, path: Path, line: int, module: Module, found: Findings, *, is_claimed: bool = False) -> None:
        suffix = path.suffix.lower()
        if suffix in GRAPH_FILES and found.signal is None:
            found.signal = line
        if suffix not in (*_QUERIES, ".sql"):
            return
        file = self._reader.evaluator.modules.file(path, module)
        if file is None:
            return
        try:
            self._content(exact_text(file), file, is_claimed=is_claimed)
        except InputError as error:
            self._not_seen(f"{file.name} {error.message}")

    def _content(self, text: str, file: Path, *, is_claimed: bool) -> None:
        """Read a query or SQL. If it is claimed, its parameters are known, and it has been read with them."""
        if file.suffix.lower() == ".sql":
            reading = self._search.sql.read(text)
            if is_claimed:
                self.mentions.update(dict.fromkeys(reading.mentions(file)))
                return
            self.terms.update(dict.fromkeys(reading.terms))
            self._parts_of_test.update(dict.fromkeys(map(Path, reading.files)))
            self.uses.update(dict.fromkeys(reading.uses))
            self.mentions.update(dict.fromkeys(reading.mentions(file)))
            for reason in reading.unseen:
                self._not_seen(reason.removeprefix(f"{BLIND}: "))
        else:
            query = text.removeprefix("\ufeff")
            self._query(Text(query, 1, asked_by=""), file, len(text) - len(query))

    def _not_seen(self, reason: str) -> None:
        if len(self.unseen) < _MOST_REASONS:
            self.unseen[f"{BLIND}: {reason}"] = None

    def _where(self, module: Module | Path, line: int) -> str:
        if module is self._module:
            return f"line {line}"
        return f"{module.name if isinstance(module, Path) else module.file.name}, line {line}"


def _is_inside(call: CallSite, name: str) -> bool:
    function = call.scope.function
    return function is not None and function.name == name


_DEEPEST = 20

# -- declared terms: `@pytest.mark.kg_terms("ex:Pizza")` on a test, its class or its file ------------------------------

_MARK = "kg_terms"
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declaration of one mark: term names and their places, or None if they are unknown."""

    names: tuple[tuple[str, ast.expr], ...] | None
    line: int
    module: Module


def declarations(start: CollectedTest, evaluator: Evaluator) -> list[Declaration]:
    """The declarations of a test."""
    scope = Scope(start.module, None, start.owner)
    nodes = [decorator for node in (*start.functions, *start.classes) for decorator in node.decorator_list]
    for owner in start.classes:
        nodes += marks_in(owner.body)
    nodes += marks_in(start.module.tree.body)
    for other, module in start.others:
        found = [
            declaration
            for node in (*other.decorator_list, *marks_in(other.body))
            for declaration in _in(node, evaluator, Scope(module))
        ]
        if found:
            return found
    return [declaration for node in nodes for declaration in _in(node, evaluator, scope)]


def _in(node: ast.expr, evaluator: Evaluator, scope: Scope, depth: int = 0) -> Iterator[Declaration]:
    if depth > _DEEPEST:
        return
    match node:
        case ast.Call() if called_name(node) == _MARK or _is_mark(node.func, evaluator, scope):
            names: list[tuple[str, ast.expr]] = []
            for argument in node.args:
                texts = evaluator.texts(argument, scope)
                if texts is None:
                    yield Declaration(None, node.lineno, scope.module)
                    return
                names += [(text, argument) for text in texts]
            yield Declaration(tuple(names), node.lineno, scope.module)
        case ast.List() | ast.Tuple():
            for element in node.elts:
                yield from _in(element, evaluator, scope, depth + 1)
        case ast.Name():
            for binding, module, _ in evaluator.sources(node.id, scope):
                if isinstance(binding, Bound) and not binding.path:
                    yield from _in(binding.value, evaluator, Scope(module), depth + 1)


def _is_mark(function: ast.expr, evaluator: Evaluator, scope: Scope) -> bool:
    """Whether a name stands for the mark: `mark = pytest.mark.kg_terms`."""
    return isinstance(function, ast.Name) and any(
        isinstance(binding, Bound) and not binding.path and getattr(binding.value, "attr", "") == _MARK
        for binding, _, _ in evaluator.sources(function.id, scope)
    )


# -- the tests of Python files -----------------------------------------------------------------------------------------

_ELSEWHERE = "code that is not in the project makes tests of this class"


class PythonTests:
    """Reads Python files. Tests that do not use a graph are added to `search.unrelated`."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._modules = Modules(search.root, search.folders)
        fixtures = Fixtures(self._modules)
        self._evaluator = Evaluator(self._modules, fixtures.given)
        self._reader = DefinitionReader(self._evaluator, search.vocabulary)
        self._reachable = ReachableCode(self._reader, fixtures, search.vocabulary)

    def tests(self, file: TestFile) -> Iterable[Test]:
        """The tests of a file that use a graph, or may use one."""
        if is_test_file(file, self._search):
            yield from self._test_functions(file)
        if has_examples(file, self._search):
            yield from self._examples(file)

    def finish(self) -> Iterable[Test]:
        return ()

    def _test_functions(self, found: TestFile) -> list[Test]:

        def tests_of_code() -> list[Test]:
            module = self._modules.parse(found.file, found.name)
            return self._tests(module, found, collected(module, self._modules, self._search.collecting))

        return self._unless_unreadable(tests_of_code, found)

    def _examples(self, found: TestFile) -> list[Test]:
        """The test of the examples in a text, or in the docstrings of code: `>>> price("Cola")`."""

        def test_of_examples() -> list[Test]:
            text = exact_text(found.file)
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
            declared = declarations(start, self._evaluator)
            if declared:
                test = self._declared(name, declared, found, line, regime)
            else:
                collector = UseCollector(self._reachable.findings(start), self._reader, self._search, module)
                test = collector.test(name, line, regime)
                if not collector.is_about_graph:
                    self._search.unrelated.append(test)
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
        for declaration in declared:
            if declaration.names is None:
                unseen[f"{BLIND}: the terms of kg_terms are built when the test runs (line {declaration.line})"] = None
            for term, node in declaration.names or ():
                known, unclear = self._search.named(term, f"{found.name}:{declaration.line}", declaration.line)
                uses.update(dict.fromkeys(known))
                unseen.update(dict.fromkeys(unclear))
                place = name_place(node, declaration.module)
                if len(known) == 1 and isinstance(known[0].term, NamedNode) and place is not None:
                    start, written = place
                    mention = Mention(known[0].term, declaration.module.file, start, start + len(written), written)
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
