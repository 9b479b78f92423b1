"""Support for the tests of Python files: a common head, and the found tests by name."""

from __future__ import annotations

from pathlib import Path

from kgprobe.selection.tests import Suite, Test

from ..finding import check_mentions, find

HEAD = """
import pytest
from pathlib import Path
from rdflib import Graph, Namespace, URIRef, RDFS
EX = Namespace("http://example.org/pizza#")
graph = Graph()
graph.parse("pizza.ttl")
"""
PIZZA = "SELECT ?x { ?x a <http://example.org/pizza#Pizza> }"
FOOD = "ASK { <http://example.org/pizza#Food> ?p ?o }"


def found(suite: Suite) -> dict[str, Test]:
    """The tests of one file, by their names without the file name."""
    check_mentions(suite)
    return {test.name.partition("::")[2]: test for test in suite.tests}


def the_test(folder: Path, code: str, **files: str) -> Test:
    """The test `test_it` of a file that starts with HEAD."""
    return found(find(folder, {"test_a.py": HEAD + code, **files}))["test_it"]
