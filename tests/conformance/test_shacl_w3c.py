"""The W3C SHACL test suite, through the same interface that a mask uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyoxigraph import parse
from support.shared_data import needs_shared_data, shared

from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.masks.incremental import BeyondLookupsError, read_statements
from kgprobe.masks.mask import Mask
from kgprobe.masks.shacl import ShaclCheck
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, SH, NamedNode, Namespace, Term

MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
SHT = Namespace("http://www.w3.org/ns/shacl-test#")


@dataclass(frozen=True)
class Case:
    """One test: a data graph, a shapes graph, and whether one conforms to the other (None: it must be refused)."""

    name: str
    data: Path
    shapes: Path
    conforms: bool | None


def read(path: Path) -> Graph:
    return Graph(quad.triple for quad in parse(path=path, base_iri=path.as_uri()))


def only(graph: Graph, node: Term, predicate: NamedNode) -> Term:
    (row,) = graph.rows(graph.key(node), graph.key(predicate))
    return graph.term(row[2])


def local(term: Term) -> Path:
    return Path(term.value.removeprefix("file://"))


def cases(part: str) -> list[Case]:
    """The tests of a part of the suite. The manifests leave one file out, so all files are looked at."""
    return [case for path in sorted(shared(f"shacl-w3c/{part}").rglob("*.ttl")) for case in cases_in(path)]


def cases_in(path: Path) -> Iterator[Case]:
    graph = read(path)
    for row in graph.rows(None, graph.key(RDF.type), graph.key(SHT.Validate)):
        test = graph.term(row[0])
        action, result = only(graph, test, MF.action), only(graph, test, MF.result)
        expected = None if result == SHT.Failure else only(graph, result, SH.conforms).value in ("true", "1")
        data, shapes = local(only(graph, action, SHT.dataGraph)), local(only(graph, action, SHT.shapesGraph))
        yield Case(str(local(test)), data, shapes, expected)


def verdict(case: Case) -> bool | None:
    """The verdict of a mask on the data; None if it refuses the shapes."""
    try:
        mask = Mask([ShaclCheck(load(case.shapes).graph, case.shapes.name)])
    except InputError:
        return None
    data = load(case.data).graph
    admitted = mask.admits(data)
    assert admitted == (not mask.rejections(data)), case.name
    return admitted


def verdict_on_changes(case: Case) -> bool:
    """The verdict of a mask if all data was added by changes, half of it before the first verdict."""
    mask = Mask([ShaclCheck(load(case.shapes).graph, case.shapes.name)])
    triples = list(load(case.data).graph)
    graph = Graph(triples[::2])
    mask.admits(graph)
    for triple in triples[1::2]:
        graph.add(triple)
    assert mask.admits(graph) == (not mask.rejections(graph)), case.name
    return mask.admits(graph)


def lookups_decide(case: Case) -> bool:
    try:
        return read_statements(load(case.shapes).graph) is not None
    except BeyondLookupsError:
        return False


@needs_shared_data
@pytest.mark.parametrize(("part", "count"), [("core", 98), ("sparql", 23)])
def test_every_verdict_is_right(part: str, count: int) -> None:
    collected = cases(part)
    assert len(collected) == count
    assert [case.name for case in collected if verdict(case) is not case.conforms] == []


@needs_shared_data
def test_every_verdict_is_right_for_a_graph_with_changes() -> None:
    usable = [case for part in ("core", "sparql") for case in cases(part) if case.conforms is not None]
    assert len(usable) == 114
    assert [case.name for case in usable if verdict_on_changes(case) is not case.conforms] == []
    assert sum(map(lookups_decide, usable)) == 95
