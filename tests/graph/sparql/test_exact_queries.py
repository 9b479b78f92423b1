"""Queries see terms as they are written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kgprobe.graph.graph import Graph
from kgprobe.graph.sparql.exact_store import ExactStore, Rows
from kgprobe.graph.terms import Literal, Term
from tests.graph.sparql.random_expressions import random_graph, random_query

WORKER = Path(__file__).with_name("rdflib_worker.py")


def _told(term: Term | None) -> Any:
    if isinstance(term, Literal):
        return ["literal", term.value, term.language or term.datatype.value]
    return None if term is None else ["other", term.value, ""]


def _answer(graph: Graph, query: str) -> list[Any]:
    found = ExactStore(graph).query(query)
    if isinstance(found, Rows):
        return sorted(([_told(row.get(name)) for name in found.names] for row in found.rows), key=str)
    assert isinstance(found, bool)
    return [found]


def test_answers_are_those_of_rdflib(pytestconfig: pytest.Config) -> None:
    """rdflib matches, compares and tells terms as they are written."""
    pytest.importorskip("rdflib")
    random = Random(14)
    count = 1000 if pytestconfig.getoption("--thorough") else 60
    graphs = [(random_graph(random), [random_query(random) for _ in range(8)]) for _ in range(count)]
    asked = [["".join(f"{triple} .\n" for triple in graph), queries] for graph, queries in graphs]
    run = subprocess.run([sys.executable, WORKER], input=json.dumps(asked), text=True, capture_output=True, check=True)
    expected = json.loads(run.stdout)
    differing = []
    interesting = 0
    for (graph, queries), answers in zip(graphs, expected, strict=True):
        for query, answer in zip(queries, answers, strict=True):
            interesting += answer not in ([], [False])
            if (ours := _answer(graph, query)) != answer:
                differing.append((list(map(str, graph)), query, ours, answer))
    assert not differing, f"{len(differing)}, the first: {differing[0]}"
    assert interesting > 2 * count
