"""Functions compiled from generated source show that source in tracebacks, and leave nothing behind."""

from __future__ import annotations

import gc
import linecache
import traceback
from collections.abc import Callable
from random import Random

import pytest

from kgprobe.mutation.operator import NO_PINS, Site
from kgprobe.mutation.update import parse_operator
from kgprobe.rdf.graph import FreshNames, Graph
from kgprobe.rdf.pattern import Filter, Variable
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import NamedNode, Triple
from kgprobe.sparql.matching.sampling import function_from
from kgprobe.sparql.matching.where import compile_where

_P = NamedNode("urn:p")


def _graph() -> Graph:
    nodes = [NamedNode(f"urn:n{number}") for number in range(5)]
    return Graph(Triple(one, _P, other) for one in nodes for other in nodes)


def _failing(_graph: Graph, _keys: tuple[Key, ...]) -> bool:
    raise RuntimeError("a filter fails")


def _enumerate() -> None:
    where = compile_where("?x <urn:p> ?y").restricted([Filter((Variable("x"),), _failing)])
    next(where.matches(_graph()))


def _sample() -> None:
    where = compile_where("?x <urn:p> ?y").restricted([Filter((Variable("x"),), _failing)])
    where.sample(_graph(), Random(1))


def _fill() -> None:
    header = "# name: Odd\n# does: nothing good\n# target: both\nPREFIX kg: <urn:kgprobe:function:>\n"
    operator = parse_operator(
        f"{header}INSERT {{ ?x <urn:p> ?new }} WHERE {{ ?x <urn:p> ?y BIND(kg:fresh() AS ?new) }}", "odd"
    )
    graph = _graph()
    fresh = FreshNames(graph, 1)
    fresh.iri = None  # type: ignore[method-assign,assignment]  # so that the call in the generated code fails
    operator.bound(NO_PINS)(Site(graph, Random(1), fresh, NO_PINS))


@pytest.mark.parametrize(
    ("provoke", "line"),
    [
        (_enumerate, "if filters[0](graph, (v0, )):"),
        (_sample, "if not (f0(graph, (v0, ))): continue"),
        (_fill, "v0 = give3(site, ())"),
    ],
)
def test_a_traceback_shows_the_generated_line_that_failed(provoke: Callable[[], None], line: str) -> None:
    with pytest.raises((RuntimeError, TypeError)) as caught:
        provoke()
    assert line in [frame.line for frame in traceback.extract_tb(caught.tb)]


def test_the_source_of_a_function_is_freed_with_the_function() -> None:
    function = function_from(["def double(x):", "    return 2 * x"], "double", {})
    file = function.__code__.co_filename
    assert function(21) == 42
    assert linecache.getlines(file) == ["def double(x):\n", "    return 2 * x\n"]
    linecache.checkcache()
    assert linecache.getlines(file)
    del function
    gc.collect()
    assert file not in linecache.cache


def test_compiling_again_and_again_keeps_no_sources() -> None:
    def sources() -> int:
        gc.collect()
        return sum(str(name).startswith("<kgprobe generated") for name in linecache.cache)

    before = sources()
    for _ in range(50):
        assert compile_where("?x <urn:p> ?y").sample(_graph(), Random(1))
    assert sources() == before
