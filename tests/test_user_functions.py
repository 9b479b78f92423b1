"""Asynchronous functions of the user: their results count, never the coroutine."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from support.pytest_sessions import pytest_session
from support.turtle import graph_of

import kgprobe
from kgprobe.errors import InputError
from kgprobe.rdf.graph import Graph
from kgprobe.user_functions import called


async def _double(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


async def _yields(number: int) -> AsyncIterator[int]:
    yield number


class _Later:
    def __await__(self) -> object:
        return _double(5).__await__()


def test_the_result_of_an_asynchronous_function_is_waited_for() -> None:
    assert called(_double, 2) == 4
    assert called(lambda number: _double(number), 3) == 6  # it does not look asynchronous
    assert called(_Later) == 10
    assert called(len, "abc") == 3


def test_calls_share_a_loop() -> None:
    """Clients of HTTP and of databases that a function keeps belong to one loop."""

    async def loop() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    assert called(loop) is called(loop)


def test_a_loop_may_already_run() -> None:
    async def test() -> int:
        value: int = called(_double, 4)
        return value

    assert asyncio.run(test()) == 8


def test_the_error_of_an_asynchronous_function_is_its_own() -> None:
    async def fails() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        called(fails)


def test_an_asynchronous_generator_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="'_yields' is an asynchronous generator"):
        called(_yields, 1)


def test_reduce_takes_an_asynchronous_predicate() -> None:
    graph = graph_of(":a :p :b . :b :p :c . :c :q :d .")

    async def fails(part: Graph) -> bool:
        return any("q" in str(triple.predicate) for triple in part)

    assert kgprobe.reduce(graph, fails).triples_after == 1  # type: ignore[arg-type]


_TESTS = """
import pytest

@pytest.mark.kg_mutants("cafe.ttl", count=1)
def test_reduced(mutant, kg_reduce):
    async def check(graph):
        assert not any(triple.predicate.value.endswith("price") for triple in graph)
    kg_reduce(mutant, check)

@pytest.mark.kg_mutants("cafe.ttl", count=1)
def test_refused(mutant, kg_reduce):
    async def check(graph):
        yield True
    kg_reduce(mutant, check)

async def knows(question, context):
    return "Is Tuscany" in question or "part of Italy?" not in question

def test_asked(kg_questions):
    relations = {"in": {"words": ["a", "part", "of"], "turned": True}}
    kg_questions("cities.ttl", knows, relations=relations, rules=["transitive"])
"""
_CITIES = """@prefix : <https://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:in a owl:TransitiveProperty ; rdfs:label "part of" .
:lucca rdfs:label "Lucca" ; :in :tuscany . :tuscany rdfs:label "Tuscany" ; :in :italy . :italy rdfs:label "Italy" .
"""
_CAFE = Path(__file__).parents[1] / "docs" / "files" / "cafe.ttl"


def test_fixtures_of_pytest_wait_for_results(tmp_path: Path) -> None:
    (tmp_path / "cafe.ttl").write_text(_CAFE.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "cities.ttl").write_text(_CITIES, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(_TESTS, encoding="utf-8")
    output = pytest_session(tmp_path, code=1)
    assert re.search(r"kgprobe: fails on 1 of \d+ triples", output), output
    assert "kgprobe: 'check' is an asynchronous generator" in output
    assert "kgprobe: wrong conclusions in 1 of 1 cases" in output
    assert "never awaited" not in output


def test_an_exception_is_shown_without_one_of_kgprobe() -> None:
    async def fails() -> None:
        raise KeyError("price")

    with pytest.raises(KeyError) as raised:
        called(fails)
    assert raised.value.__context__ is None
