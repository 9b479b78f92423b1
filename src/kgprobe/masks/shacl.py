"""A check that a graph conforms to SHACL shapes, and the engines that validate graphs.

The default engine is shifty in its safe mode: it validates only the data, infers nothing and ignores nothing. The
shapes are read once. Each table has one session, which holds the table's triples. To validate a graph, the session gets
only its changes, so that neither the shapes nor the graph are written and parsed again. If the shapes allow it, graphs
with changes are validated by lookups instead (see `incremental`).

pyshacl gives a second opinion: it is slower, and developed independently. It runs in its own process.
"""

from __future__ import annotations

import importlib.util
import json
import math
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pyoxigraph import RdfFormat, parse

from kgprobe.errors import InputError, Position, UnavailableError
from kgprobe.formats.files import Loaded, load
from kgprobe.formats.imports import united
from kgprobe.masks.ask import is_named_in
from kgprobe.masks.incremental import BeyondLookupsError, IncrementalValidator, read_statements
from kgprobe.masks.judge import Judge
from kgprobe.masks.mask import DEFAULT_SECONDS, Cost, NoAnswerError, Rejection
from kgprobe.masks.paths import Path as PropertyPath
from kgprobe.masks.paths import Predicate, read_path
from kgprobe.masks.results import Result, words
from kgprobe.masks.shapes_file import check_shapes, has_queries, is_not_enforced, may_run_away
from kgprobe.processes.child import Output, Setup
from kgprobe.processes.limits import Limits, ending
from kgprobe.processes.worker import NoReplyError, Worker
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.table import TripleTable
from kgprobe.rdf.terms import SH, BlankNode, Literal, NamedNode, Term
from kgprobe.sparql.engine.rewriting import rewritten_literals

if TYPE_CHECKING:  # imported where it is used, because most commands have no shapes
    import shifty

__all__ = ["DEFAULT_ENGINE", "ENGINES", "ShaclCheck", "read_shapes"]

_MARK = "kgprobe-shapes-"
_SETUP = Setup(environment={"PYTHONWARNINGS": "ignore"}, output=Output.DROPPED)
DEFAULT_ENGINE = "shifty"


class ShaclCheck:
    """A graph must conform to all shapes of a shapes graph. A result of any severity rejects it.

    Only the graph itself is validated: triples about classes in the shapes graph are not part of the data. A shapes
    graph without triples admits everything.
    """

    cost = Cost.SHAPES

    def __init__(
        self, shapes: Graph, name: str, *, engine: str = DEFAULT_ENGINE, seconds: float | None = DEFAULT_SECONDS
    ) -> None:
        """`name` is the file of the shapes, `engine` one of `ENGINES`, and `seconds` the time limit for a graph.

        Without a limit, all engines except pyshacl run in this process, where they cannot be stopped.
        """
        check_shapes(shapes, name)
        self.name = name
        self.shapes = shapes
        self._engine_name = engine
        self._seconds = seconds
        self._engine = ENGINES[engine](shapes, name, seconds) if len(shapes) else None
        self._names = frozenset(term for term in shapes.terms() if isinstance(term, NamedNode))
        texts = (term.value for term in shapes.terms() if isinstance(term, Literal))
        self._queries = tuple(texts) if has_queries(shapes) else ()
        self._judge: Judge | None = None
        if seconds is not None and engine == DEFAULT_ENGINE and may_run_away(shapes):
            self._judge = Judge(ShaclCheck(shapes, name, seconds=None), seconds)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.shapes, self.name, self._engine_name, self._seconds))

    def admits(self, graph: Graph) -> bool | None:
        if self._judge is not None and not self._is_by_lookups(graph):
            return self._judge.admits(graph)
        try:
            return self._engine is None or self._engine.conforms(graph)
        except NoAnswerError:
            return None

    def rejections(self, graph: Graph) -> list[Rejection]:
        if self._judge is not None and not self._is_by_lookups(graph):
            return self._judge.rejections(graph)
        try:
            results = [] if self._engine is None else self._engine.results(graph)
        except NoAnswerError as error:
            return [Rejection(self.name, None, f"undecided: {error}", is_undecided=True)]
        told = [Rejection(self.name, result.focus, words(result, self.shapes, graph.spelling)) for result in results]
        # Results with the same text count once, and the order is the same with every engine.
        return sorted(dict.fromkeys(told), key=lambda rejection: rejection.words)

    def mentions(self, name: NamedNode) -> bool:
        return name in self._names or any(is_named_in(query, name) for query in self._queries)

    def doubt(self, graph: Graph) -> str | None:
        """Why SPARQL in the shapes may give a wrong verdict on this graph (shifty changes some literals), or None."""
        if self._engine_name != DEFAULT_ENGINE or not has_queries(self.shapes):
            return None
        odd = sorted(rewritten_literals(set(graph.columns()[2])), key=str)
        if not odd:
            return None
        example = graph.spelling.term(odd[0])
        return f"SPARQL in these shapes may not see the lexical form of a literal of the graph: {example}"

    def _is_by_lookups(self, graph: Graph) -> bool:
        """Whether our own code validates the graph, which checks the time limit itself."""
        return isinstance(self._engine, _Shifty) and self._engine.is_incremental(graph)


def _rebuild(shapes: Graph, name: str, engine: str, seconds: float | None) -> ShaclCheck:
    return ShaclCheck(shapes, name, engine=engine, seconds=seconds)


def read_shapes(
    *paths: str | Path, engine: str = DEFAULT_ENGINE, seconds: float | None = DEFAULT_SECONDS
) -> list[ShaclCheck]:
    """The checks for files with shapes, in any graph format, which are one mask.

    Files complete each other: a shape can refer to one of another file, get further constraints there, or be
    deactivated. Such files are one shapes graph, and one check. All others are checked one by one, which comes to the
    same and says which file a graph violates.
    """
    return [
        ShaclCheck(
            files[0].graph if len(files) == 1 else united(files),
            " and ".join(loaded.name for loaded in files),
            engine=engine,
            seconds=seconds,
        )
        for files in _together([load(path) for path in paths])
    ]


def _together(files: Sequence[Loaded]) -> list[list[Loaded]]:
    """Groups of files that complete each other: each names a subject of the other, or both have it."""
    subjects = [_names(triple.subject for triple in loaded.graph) for loaded in files]
    names = [_names(loaded.graph.terms()) for loaded in files]

    def completed_by(number: int) -> Iterator[int]:
        for other in range(len(files)):
            if not (subjects[number].isdisjoint(names[other]) and names[number].isdisjoint(subjects[other])):
                yield other

    groups: list[list[Loaded]] = []
    done: set[int] = set()
    for number in range(len(files)):
        group = sorted(reached([number], completed_by).keys() - done)
        done.update(group)
        if group:
            groups.append([files[place] for place in group])
    return groups


def _names(terms: Iterable[object]) -> set[NamedNode]:
    return {term for term in terms if isinstance(term, NamedNode)}


class _Engine(Protocol):
    def conforms(self, graph: Graph) -> bool: ...
    def results(self, graph: Graph) -> list[Result]: ...


class _Shifty:
    """shifty, or evaluation by lookups for graphs with changes if the shapes allow it."""

    def __init__(self, shapes: Graph, name: str, seconds: float | None) -> None:
        self._full = ShiftyEngine(shapes, name)
        self._incremental = _incremental(shapes, seconds)

    def conforms(self, graph: Graph) -> bool:
        if self._incremental is None:
            return self._full.conforms(graph)
        return self._incremental.conforms(graph) if self.is_incremental(graph) else self._full.conforms_afresh(graph)

    def results(self, graph: Graph) -> list[Result]:
        if self._incremental is None or not self.is_incremental(graph):
            return self._full.results(graph)
        return self._incremental.results(graph)

    def is_incremental(self, graph: Graph) -> bool:
        """Whether the graph is validated by lookups."""
        # A graph without changes may be the only one of its table, and then recording lookups has no benefit.
        incremental = self._incremental
        return incremental is not None and (bool(graph.changed_keys) or incremental.is_ready_for(graph))


def _incremental(shapes: Graph, seconds: float | None) -> IncrementalValidator | None:
    try:
        return IncrementalValidator(read_statements(shapes), seconds=seconds)
    except BeyondLookupsError:
        return None


class ShiftyEngine:
    """Validates graphs against one shapes graph, which must not be empty."""

    def __init__(self, shapes: Graph, name: str) -> None:
        import shifty

        self._shapes = shapes
        self._text = turtle(shapes)
        try:
            self._validator = shifty.PreparedValidator(self._text)
            # Only validation shows what is unsupported.
            self._validator.validate_algebra(b"", graph_mode="data", infer=False, on_unsupported="error")
        except ValueError as error:
            raise InputError(f"these shapes cannot be used: {error}", where=Position(name)) from None
        self._sessions = PerTable(self._session)

    def conforms(self, graph: Graph) -> bool:
        """Whether the graph has no violations of any severity."""
        import shifty

        session = self._sessions.of(graph.table)
        if not graph.changed_keys:
            return session.validate_conformance().conforms
        lines: dict[bool, list[str]] = {True: [], False: []}
        for keys, added in graph.changed_keys.items():
            lines[added].append(f"{graph.triple(keys)} .\n")
        delta = shifty.RepairDelta.from_ntriples("".join(lines[True]), "".join(lines[False]))
        return session.revalidate(delta).conforms

    def conforms_afresh(self, graph: Graph) -> bool:
        """The same from all triples of the graph, as a reference for measuring and testing `conforms`."""
        text = ntriples(graph)
        return self._validator.validate_algebra(text, graph_mode="data", infer=False, on_unsupported="error").conforms

    def results(self, graph: Graph) -> list[Result]:
        """All violations in the graph."""
        # The report of the public method goes through rdflib, which takes longer than validating and rewrites
        # literals. The method below returns the same report as text.
        report = self._validator._inner.validate_w3c(
            data=ntriples(graph),
            data_format="nt",
            graph_mode="data",
            run_infer=False,
            on_unsupported="error",
        )
        return [] if report.conforms else results_of(report._report_ntriples, self._shapes)

    def _session(self, table: TripleTable) -> shifty.EvidenceSession:
        import shifty

        return shifty.EvidenceSession(self._text, ntriples(Graph.from_table(table)), graph_mode="data", infer=False)


def ntriples(graph: Graph) -> bytes:
    """The triples of a graph as N-Triples, with the labels of its blank nodes, which reports refer to."""
    return "".join([f"{triple} .\n" for triple in graph]).encode()


def turtle(shapes: Graph) -> bytes:
    """A shapes graph as Turtle, with its prefixes, which its queries may use.

    The labels of blank nodes get a prefix: shifty renames nodes that share a label with one in the data, and reports
    would then refer to unknown shapes.
    """
    prefixes = [f"@prefix {prefix}: {NamedNode(iri)} .\n" for prefix, iri in shapes.spelling.prefixes.items()]
    triples = [
        f"{_marked(triple.subject)} {triple.predicate} {_marked(triple.object)} .\n"
        for triple in shapes
        if not is_not_enforced(triple.predicate, triple.object)
    ]
    return "".join([*prefixes, *triples]).encode()


def _marked(term: object) -> object:
    return BlankNode(_MARK + term.value) if isinstance(term, BlankNode) else term


def _unmarked(term: Term | None) -> Term | None:
    return BlankNode(term.value.removeprefix(_MARK)) if isinstance(term, BlankNode) else term


def results_of(report: str, shapes: Graph) -> list[Result]:
    """The results in a validation report."""
    graph = Graph(quad.triple for quad in parse(report, format=RdfFormat.N_TRIPLES))
    nodes = [triple.object for triple in graph.triples(None, SH.result)]
    return [_result(graph, node, shapes) for node in nodes if isinstance(node, BlankNode | NamedNode)]


def _result(report: Graph, node: Term, shapes: Graph) -> Result:
    def only(name: str) -> Term | None:
        return next((report.term(row[2]) for row in report.rows(report.key(node), report.key(SH[name]))), None)

    focus, shape, component = only("focusNode"), _unmarked(only("sourceShape")), only("sourceConstraintComponent")
    assert focus is not None and component is not None  # noqa: S101, PT018 - SHACL requires both
    assert isinstance(shape, BlankNode | NamedNode)  # noqa: S101 - the same
    name = component.value.removeprefix(SH.iri).removesuffix("ConstraintComponent")
    message = only("resultMessage")
    text = str(message.value) if message is not None else ""
    return Result(focus, shape, name, _path(shapes, shape, only("resultPath")), only("value"), text)


def _path(shapes: Graph, shape: Term, reported: Term | None) -> PropertyPath | None:
    if isinstance(reported, NamedNode):
        return Predicate(reported)
    # The path of a shape is in the shapes graph; a report may have a copy of the path or only its label.
    at = next((shapes.term(row[2]) for row in shapes.rows(shapes.key(shape), shapes.key(SH.path))), None)
    return None if reported is None or at is None else read_path(shapes, at)


class PyshaclEngine:
    """Validates graphs against one shapes graph, in a separate process that lives as long as this object."""

    def __init__(self, shapes: Graph, name: str, seconds: float | None) -> None:
        """`seconds` is the time limit for one graph; NoAnswerError if it takes longer."""
        if importlib.util.find_spec("pyshacl") is None:
            raise UnavailableError("pyshacl is not installed", hint="pip install 'kgprobe[pyshacl]'")
        self._shapes = shapes
        self._name = name
        self._seconds = seconds
        self._refuse_unsupported()
        self._worker = Worker(
            "kgprobe.masks.pyshacl_worker",
            what="process for pyshacl",
            setup=_SETUP,
            read=json.loads,
            bounds_itself=True,
        )
        self._table: weakref.ref[TripleTable] | None = None
        # Only validation shows whether the shapes are supported. Supported shapes can be slow even on an empty graph.
        with suppress(NoAnswerError):
            self.conforms(Graph())

    def conforms(self, graph: Graph) -> bool:
        """Whether the graph has no violations of any severity."""
        return bool(self._validate(graph)["conforms"])

    def results(self, graph: Graph) -> list[Result]:
        """All violations in the graph."""
        answer = self._validate(graph)
        return [] if answer["conforms"] else results_of(answer["report"], self._shapes)

    def _validate(self, graph: Graph) -> dict[str, Any]:
        if not self._worker.is_running:
            self._worker.start()
            self._table = None
            self._ask({"shapes": turtle(self._shapes).decode()})
        if self._table is None or self._table() is not graph.table:
            self._ask({"table": ntriples(Graph.from_table(graph.table)).decode()})
            self._table = weakref.ref(graph.table)
        lines: dict[bool, list[str]] = {True: [], False: []}
        for keys, added in graph.changed_keys.items():
            lines[added].append(f"{graph.triple(keys)} .\n")
        changes = {"added": "".join(lines[True]), "removed": "".join(lines[False])}
        return self._ask(changes, self._seconds)

    def _ask(self, request: dict[str, Any], seconds: float | None = None) -> dict[str, Any]:
        limits = Limits(math.inf if seconds is None else seconds, 0)
        try:
            answer: dict[str, Any] = self._worker.ask(json.dumps(request).encode(), limits=limits)
        except NoReplyError as error:
            if error.passed is not None:
                raise NoAnswerError(str(error)) from None
            how = "gives no answer" if error.code is None else f"ended ({ending(error.code)})"
            raise UnavailableError(f"the process of pyshacl {how}") from None
        if "error" in answer:
            raise InputError(f"pyshacl cannot use these shapes: {answer['error']}", where=Position(self._name))
        return answer

    def _refuse_unsupported(self) -> None:
        if self._shapes.count(None, self._shapes.key(SH.target)):
            raise InputError(
                "pyshacl does not support sh:target", where=Position(self._name), hint="use --shacl-engine shifty"
            )


ENGINES: dict[str, Callable[[Graph, str, float | None], _Engine]] = {DEFAULT_ENGINE: _Shifty, "pyshacl": PyshaclEngine}
