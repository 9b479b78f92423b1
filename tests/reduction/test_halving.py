"""Algorithm 1 of the paper: the same result and the same runs as a direct transcription of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from hypothesis import given
from hypothesis import strategies as st
from support.strategies import triple_lists

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode, Triple
from kgprobe.reduction.problem import Steps, last_of
from kgprobe.reduction.search import halve
from reduction.failures import Recorded, has_triples, reduced

# The failures here are there every time: one run tells.
reduce = partial(reduced, repeats=1)

_Set = frozenset[Triple]


def transcribed(graph: list[Triple], program: Callable[[_Set], bool]) -> list[Triple]:
    """The pseudocode, line by line; a set is a list without duplicates here, so that `split` has a middle."""

    def minimize_kg(s: list[Triple], g: list[Triple], o: bool) -> list[Triple]:
        if len(g) == 1:
            return g
        s1, s2 = g[: len(g) // 2], g[len(g) // 2 :]
        if program(frozenset(s) | frozenset(s1)) == o:
            return minimize_kg(s, s1, o)
        if program(frozenset(s) | frozenset(s2)) == o:
            return minimize_kg(s, s2, o)
        s1_min = minimize_kg(s + s2, s1, o)
        s2_min = minimize_kg(s + s1_min, s2, o)
        return s1_min + s2_min

    outcome = program(frozenset(graph))
    return minimize_kg([], graph, outcome)


@given(triple_lists.filter(bool), st.randoms(use_true_random=False), st.booleans())
def test_the_runs_are_those_of_the_pseudocode(triples, random, monotone):  # type: ignore[no-untyped-def]
    graph = Graph(triples)
    everything = list(graph)
    cause = frozenset(random.sample(everything, random.randint(0, min(4, len(everything)))))
    odd = random.randrange(3)

    def fails(found: _Set) -> bool:
        return cause <= found and (monotone or len(found) == len(everything) or len(found) % 3 != odd)

    asked: list[_Set] = []

    def program(found: _Set) -> bool:
        asked.append(found)
        return fails(found)

    expected = transcribed(everything, program)
    test = Recorded(lambda candidate: fails(frozenset(candidate)))
    result = reduce(graph, test, algorithm="halving")
    assert set(result.graph) == set(expected)
    assert [frozenset(each) for each in test.graphs] == asked
    assert result.system_runs == len(asked)


def test_nothing_to_halve() -> None:
    assert last_of(halve([], _asked)) == []


def _asked(triples: list[Triple]) -> Steps[Graph, bool]:
    yield from ()
    raise AssertionError(triples)


def test_one_triple_of_many_takes_about_three_runs_for_two_halves() -> None:
    triples = [Triple(NamedNode(f"urn:s{n}"), NamedNode("urn:p"), NamedNode("urn:o")) for n in range(64)]
    result = reduce(Graph(triples), has_triples_batch([triples[-1]]), algorithm="halving")
    assert list(result.graph) == [triples[-1]]
    assert result.system_runs == 1 + 2 * 6
    assert not result.is_minimal


def has_triples_batch(wanted: list[Triple]) -> Recorded:
    return Recorded(has_triples(wanted))
