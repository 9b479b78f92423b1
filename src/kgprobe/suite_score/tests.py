"""The tests of a suite, by how they run: SPARQL queries, shapes, and the user's command."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kgprobe.entailment.closure import EntailedChange
from kgprobe.entailment.rules import Regime, UndecidedError
from kgprobe.errors import InputError, Position, one_line
from kgprobe.formats.files import load
from kgprobe.given_files import exact_text
from kgprobe.masks.shacl import ShaclCheck
from kgprobe.processes.child import Output, Setup, run
from kgprobe.processes.guard import Guards
from kgprobe.processes.limits import Limits, last_words
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, RDFS, SH, NamedNode, Term
from kgprobe.selection.discovery.search import is_template
from kgprobe.selection.discovery.sparql_files import SUFFIXES
from kgprobe.selection.tests import Language, Suite, Test, TestUse
from kgprobe.sparql.engine.exact_store import ExactStore, GraphStore, PreparedQuery, answer_of
from kgprobe.sparql.engine.results import ComparableAnswer, is_determined
from kgprobe.sparql.pyoxigraph import parse_query
from kgprobe.sparql.tokens import words
from kgprobe.sparql.uses import ANYTHING, AnyUse, Slot, TripleUse
from kgprobe.suite_score.answers import Expected, NotUnderstoodError, read_expected
from kgprobe.suite_score.limit import Limit
from kgprobe.suite_score.model import LeftOut, State

# Values that are shapes, paths or lists of them.
_INNER = ("property", "node", "and", "or", "not", "xone", "qualifiedValueShape")
_PATHS = ("path", "inversePath", "alternativePath", "zeroOrMorePath", "oneOrMorePath", "zeroOrOnePath")
# Values that are predicates of the data.
_PREDICATES = ("equals", "disjoint", "lessThan", "lessThanOrEquals", "targetSubjectsOf", "targetObjectsOf")
_CLASSES = ("class", "targetClass")
# Values that only terms are compared with, or that nothing depends on.
_PLAIN = (
    *("targetNode", "datatype", "nodeKind", "hasValue", "in", "languageIn", "uniqueLang", "pattern", "flags"),
    *("minCount", "maxCount", "minLength", "maxLength", "minInclusive", "maxInclusive", "minExclusive", "maxExclusive"),
    *("qualifiedMinCount", "qualifiedMaxCount", "qualifiedValueShapesDisjoint", "ignoredProperties"),
    *("message", "severity", "name", "description", "order", "group", "defaultValue", "deactivated"),
)


def shape_uses(shape: Term, shapes: Graph) -> tuple[TestUse, ...]:
    """What the shape, and those that it refers to, can see of a graph."""
    found: set[NamedNode] = set()
    pending, seen = [shape], {shape}
    for node in pending:
        for _, predicate, value in (map(shapes.term, row) for row in shapes.rows(shapes.key(node))):
            used = _used(predicate, value)
            if used is None:
                return (AnyUse("shape"),)
            found |= used
            is_path = predicate in _PATH_PREDICATES
            if is_path and isinstance(value, NamedNode):
                found.add(value)
            elif (is_path or predicate in _FOLLOWED) and value not in seen:
                seen.add(value)
                pending.append(value)
    found -= {RDF.nil}
    return tuple(TripleUse(ANYTHING, Slot(frozenset([predicate])), ANYTHING) for predicate in sorted(found, key=str))


_PATH_PREDICATES = frozenset(SH[name] for name in _PATHS)
# A list can be one of shapes or of paths. The predicates of a path are found as members of a list.
_FOLLOWED = frozenset([*(SH[name] for name in _INNER), RDF.first, RDF.rest])
_NAMED = frozenset(SH[name] for name in _PREDICATES)
_HIERARCHY = frozenset([RDF.type, RDFS.subClassOf])
_OF_CLASSES = frozenset(SH[name] for name in _CLASSES)
_IDLE = frozenset([*(SH[name] for name in _PLAIN), RDFS.label, RDFS.comment, RDFS.seeAlso, RDFS.isDefinedBy])


def _used(predicate: Term, value: Term) -> set[NamedNode] | None:
    """The predicates of the data that a triple of a shape names; None if the shape may see anything."""
    if predicate in _NAMED or predicate == RDF.first:
        return {value} if isinstance(value, NamedNode) else set()
    if predicate in _OF_CLASSES:
        return set(_HIERARCHY)
    if predicate == RDF.type:  # a shape that is a class targets its members
        return set() if value in (SH.NodeShape, SH.PropertyShape) else set(_HIERARCHY)
    if predicate in _IDLE or predicate in _FOLLOWED or predicate in _PATH_PREDICATES:
        return set()
    return None


_TEST, _GRAPH = "{test}", "{graph}"
_NO_LIMIT: AbstractContextManager[None] = nullcontext()
_SHAPES = Language("shapes")
_TARGETS = (SH.targetClass, SH.targetNode, SH.targetSubjectsOf, SH.targetObjectsOf)


class Runnable(Protocol):
    """A test that can be run on a graph."""

    @property
    def test(self) -> Test:
        """What selection knows about it."""
        ...

    @property
    def is_process(self) -> bool: ...

    def failure(self, original: State) -> str | None:
        """Why the test fails on the original; None if it passes. Call this first: it also learns the answer."""
        ...

    def kills(self, mutant: State) -> bool | None:
        """Whether the test fails on a mutant; None if that cannot be found."""
        ...


# -- queries -----------------------------------------------------------------------------------------------------------


class QueryTest:
    """Queries whose answers must be those on the original, or those that a file beside the test has."""

    is_process = False

    def __init__(
        self,
        test: Test,
        regime: Regime,
        expected: Expected | None = None,
        *,
        limit: AbstractContextManager[None] = _NO_LIMIT,
    ) -> None:
        self.test = test
        self._limit = limit
        self._regime = test.regime or regime
        self._queries = [PreparedQuery.of(text, test.name) for text in test.queries]
        self._expected = expected
        self._original: Graph | None = None
        self._answers: list[ComparableAnswer] = []
        self._tables: list[bytes | None] = []

    def failure(self, original: State) -> str | None:
        graph = original.change(self._regime).old
        _store(graph)  # making an index is not part of the test
        with self._limit:
            return self._learned(graph)

    def _learned(self, graph: Graph) -> str | None:
        self._original, self._answers = graph, [answer_of(query, _store(graph)) for query in self._queries]
        broken = next(
            (answer for answer in self._answers if isinstance(answer, str) and answer.startswith("error: ")), None
        )
        if broken is not None:
            return one_line(broken.removeprefix("error: "))
        if self._expected is not None and not self._is_met(graph):
            return f"its answer is not the one in {self.test.expected}"
        self._tables = [_table(query, graph) for query in self._queries]
        return None

    def kills(self, mutant: State) -> bool | None:
        try:
            change = mutant.change(self._regime)
        except UndecidedError:
            return None
        with self._limit:
            return self._is_changed(change)

    def _is_changed(self, change: EntailedChange) -> bool:
        if change.old is not self._original and (self._expected is None or self._regime is Regime.DL):
            # Under DL, the closures of a large ontology have only what is different in the other one.
            return any(
                answer_of(query, _store(change.old)) != answer_of(query, _store(change.new)) for query in self._queries
            )
        if self._expected is not None:
            return not self._is_met(change.new)
        known = zip(self._queries, self._answers, self._tables, strict=True)
        return any(_differs(query, change.new, answer, table) for query, answer, table in known)

    def _is_met(self, graph: Graph) -> bool:
        assert self._expected is not None  # noqa: S101 - the caller has checked
        return all(self._expected.is_met(query, _store(graph)) for query in self._queries)


def _differs(query: PreparedQuery, graph: Graph, answer: ComparableAnswer, table: bytes | None) -> bool:
    """Whether the answer of a graph differs from the one that is known."""
    found = None if table is None else _table(query, graph)
    if found is None or table is None:
        return answer_of(query, _store(graph)) != answer
    return found != table and sorted(found.split(b"\n")) != sorted(table.split(b"\n"))


def _table(query: PreparedQuery, graph: Graph) -> bytes | None:
    try:
        return _store(graph).table(query)
    except (RuntimeError, OSError, InputError):  # `answer_of` tells how it fails
        return None


def _store(graph: Graph) -> ExactStore | GraphStore:
    return GraphStore(graph)


@dataclass(frozen=True)
class Queries:
    """The tests of a suite that are queries; those that cannot be run; those that fail on any graph; and notes."""

    runnable: list[Runnable]
    left_out: list[LeftOut]
    broken: list[LeftOut]
    notes: list[str]


def query_tests(suite: Suite, regime: Regime, prefixes: Mapping[str, str], limit: Limit | None = None) -> Queries:
    """Sort the tests of a suite. Queries may use these prefixes without declaring them."""
    found: list[Runnable] = []
    left_out: list[LeftOut] = []
    broken: list[LeftOut] = []
    notes: list[str] = []
    for test in suite.tests:
        if not test.queries:
            (broken if _is_invalid(test, prefixes) else left_out).append(LeftOut(test.name, _why_not(test)))
        elif not all(map(is_determined, test.queries)):
            why = "its answer can differ on the same graph (LIMIT, OFFSET, SAMPLE, GROUP_CONCAT, RAND, NOW, …)"
            left_out.append(LeftOut(test.name, why))
        else:
            expected = None
            try:
                expected = _expected(test)
            except NotUnderstoodError as error:
                notes.append(f"{test.expected} {error}: {test.name} is compared with its answer on the original")
            try:
                found.append(QueryTest(test, regime, expected, limit=limit.of(test.name) if limit else _NO_LIMIT))
            except InputError as error:  # too long to be evaluated
                broken.append(LeftOut(test.name, error.message))
    return Queries(found, left_out, broken, notes)


def _expected(test: Test) -> Expected | None:
    found = None if test.expected is None else read_expected(test.expected)
    if found is not None and found.graph is not None and not all("CONSTRUCT" in words(query) for query in test.queries):
        raise NotUnderstoodError("is a graph, which only CONSTRUCT gives")  # often the ontology, with the same name
    return found


def _is_invalid(test: Test, prefixes: Mapping[str, str]) -> bool:
    """Whether a query file is not SPARQL, and so fails on any graph."""
    if test.file is None or test.file.suffix.lower() not in SUFFIXES:
        return False
    try:
        text = exact_text(test.file).removeprefix("\ufeff")
        if is_template(text):
            return False
        parse_query(text, test.name, prefixes)
    except (InputError, SyntaxError, ValueError):
        return True
    return False


def _why_not(test: Test) -> str:
    if test.unseen:
        return test.unseen[0].removeprefix("cannot see what this test uses: ")
    return f"it is {test.language.in_words}, which --run can run"


# -- shapes ------------------------------------------------------------------------------------------------------------


class ShapeTest:
    """A SHACL shape that the graph must conform to."""

    is_process = False

    def __init__(self, test: Test, check: ShaclCheck, regime: Regime) -> None:
        self.test = test
        self._check = check
        self._regime = regime

    def failure(self, original: State) -> str | None:
        rejections = self._check.rejections(original.change(self._regime).old)
        return rejections[0].words if rejections else None

    def kills(self, mutant: State) -> bool | None:
        try:
            is_admitted = self._check.admits(mutant.change(self._regime).new)
        except UndecidedError:
            return None
        return None if is_admitted is None else not is_admitted


def shape_tests(path: Path, regime: Regime, seconds: float | None) -> list[Runnable]:
    """One test for each shape of a file that has a target. `seconds` limit each run."""
    loaded = load(path)
    shapes = loaded.graph
    targeted = list(_targeted(shapes))
    whole = ShaclCheck(shapes, loaded.name, seconds=seconds)  # reports what is wrong with the file
    if not targeted:
        if not any(shapes.count(None, shapes.key(predicate)) for predicate in (SH.target, SH.targetWhere)):
            raise InputError(
                "has no shape with a target", where=Position(str(path)), hint="sh:targetClass, for example"
            )
        return [ShapeTest(Test(loaded.name, _SHAPES, (AnyUse("shape"),)), whole, regime)]
    found: list[Runnable] = []
    for number, shape in enumerate(targeted, 1):
        only = _only(shape, shapes, targeted)
        check = whole if len(targeted) == 1 else ShaclCheck(only, loaded.name, seconds=seconds)
        test = Test(_shape_name(loaded.name, shape, number, shapes), _SHAPES, shape_uses(shape, shapes))
        found.append(ShapeTest(test, check, regime))
    return found


def _shape_name(file: str, shape: Term, number: int, shapes: Graph) -> str:
    return f"{file}::{shapes.spelling.term(shape) if isinstance(shape, NamedNode) else number}"


def _targeted(shapes: Graph) -> Iterator[Term]:
    keys = dict.fromkeys(row[0] for target in _TARGETS for row in shapes.rows(None, shapes.key(target)))
    is_a = shapes.key(RDF.type)
    for kind in (SH.NodeShape, SH.PropertyShape):
        for key in shapes.subjects(is_a, shapes.key(kind)):
            if shapes.has(key, is_a, shapes.key(RDFS.Class)):  # it targets its own members
                keys[key] = None
    return iter(sorted(map(shapes.term, keys), key=str))


def _only(shape: Term, shapes: Graph, targeted: Sequence[Term]) -> Graph:
    """The shapes, without the targets of all others."""
    found = shapes.copy()
    for other in targeted:
        if other != shape:
            for target in _TARGETS:
                for triple in list(shapes.triples(other, target)):
                    found.remove(triple)
            for triple in list(shapes.triples(other, RDF.type, RDFS.Class)):
                found.remove(triple)
    return Graph(found, spelling=shapes.spelling)


# -- commands ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Command:
    """The user's command, in parts, and the seconds that it may take. No shell is involved."""

    parts: tuple[str, ...]
    seconds: float

    @classmethod
    def read(cls, template: str, seconds: float) -> Command:
        """InputError if the template is not a command with places for the test and the graph."""
        try:
            parts = tuple(shlex.split(template))
        except ValueError as error:
            raise InputError(f"--run: {template!r} is not a command: {error}") from None
        for place, what in ((_TEST, "test"), (_GRAPH, "graph")):
            if not any(place in part for part in parts):
                hint = "for example 'python check.py {test} {graph}'"
                raise InputError(f"--run: {template!r} does not say where the {what} goes", hint=hint)
        return cls(parts, seconds)

    def arguments(self, test: str, graph: Path) -> list[str]:
        """The arguments for one run. Names are never split, nor searched for further places."""
        return [str(graph).join(test.join(inner.split(_TEST)) for inner in part.split(_GRAPH)) for part in self.parts]


class CommandTest:
    """A test that the user's command runs on a file; any exit code but 0, or too much time, is a failure."""

    is_process = True

    def __init__(self, test: Test, command: Command, guards: Guards) -> None:
        self.test = test
        self._command = command
        self._guards = guards

    def failure(self, original: State) -> str | None:
        return self._failure(original)

    def kills(self, mutant: State) -> bool | None:
        return self._failure(mutant) is not None

    def _failure(self, state: State) -> str | None:
        arguments = self._command.arguments(self.test.name, state.file())
        try:
            ended = run(
                arguments,
                Limits(self._command.seconds, 0),
                Setup(folder=Path.cwd(), output=Output.MERGED),
                guards=self._guards,
            )
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"--run: {arguments[0]!r} cannot be started: {reason}") from None
        if ended.passed is not None:
            return f"it took longer than {self._command.seconds:g} s"
        if ended.code == 0:
            return None
        return last_words(ended.code, ended.stdout.text())


def command_tests(suite: Suite, command: Command, guards: Guards) -> list[Runnable]:
    """All tests of a suite, for the user's command."""
    return [CommandTest(test, command, guards) for test in suite.tests]
