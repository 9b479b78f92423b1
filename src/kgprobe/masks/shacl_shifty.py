"""SHACL validation with shifty, in its safe mode: it validates only the data, infers nothing and ignores nothing.

The shapes are read once. Each table has one session, which holds the table's triples. To validate a graph, the session
gets only its changes, so that neither the shapes nor the graph are written and parsed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyoxigraph import RdfFormat, parse

from kgprobe.errors import InputError, Position
from kgprobe.graph.derived import PerTable
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import TripleTable
from kgprobe.graph.terms import BlankNode, NamedNode, Term
from kgprobe.masks.paths import Path, Predicate, read_path
from kgprobe.masks.results import Result
from kgprobe.masks.vocabulary import SH, is_not_enforced

if TYPE_CHECKING:  # imported where it is used, because most commands have no shapes
    import shifty

__all__ = ["ShiftyEngine"]

_MARK = "kgprobe-shapes-"


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


def _path(shapes: Graph, shape: Term, reported: Term | None) -> Path | None:
    if isinstance(reported, NamedNode):
        return Predicate(reported)
    # The path of a shape is in the shapes graph; a report may have a copy of the path or only its label.
    at = next((shapes.term(row[2]) for row in shapes.rows(shapes.key(shape), shapes.key(SH.path))), None)
    return None if reported is None or at is None else read_path(shapes, at)
