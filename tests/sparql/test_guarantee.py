"""If the answers on two graphs differ, the change between them matches a use of the query."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from kgprobe.rdf.terms import Triple
from kgprobe.sparql.reading import read_query
from kgprobe.sparql.uses import AnyUse
from sparql.random_queries import TRIPLES, random_graph, random_query
from sparql.reference import Asked, matches


def _misses(text: str, graph: set[Triple], changes: Iterable[set[Triple]]) -> tuple[list[set[Triple]], int]:
    """The changes that alter the answer but match no use, and the number of changes that alter the answer."""
    query = read_query(text)
    assert not query.unseen, text
    assert not any(isinstance(use, AnyUse) for use in query.uses)
    asked = Asked(text, graph)
    before = asked.answer()
    missed: list[set[Triple]] = []
    differences = 0
    for change in changes:
        for triple in change:
            asked.flip(triple)
        if asked.answer() != before:
            differences += 1
            if not any(matches(use, graph, graph ^ change) for use in query.uses):
                missed.append(change)
        for triple in change:
            asked.flip(triple)
    return missed, differences


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.randoms(use_true_random=False))
def test_a_change_of_an_answer_matches_a_use(random: Random) -> None:
    text, graph = random_query(random), random_graph(random)
    changes = [set(random.sample(TRIPLES, random.randint(2, 4))) for _ in range(5)]
    missed, differences = _misses(text, graph, [*({triple} for triple in TRIPLES), *changes])
    event("some changes make a difference" if differences else "no change makes a difference")
    assert not missed, f"{text}\non {sorted(map(str, graph))}\nwith {sorted(map(str, missed[0]))} flipped"


def test_many_random_queries() -> None:
    """More queries than Hypothesis can draw in the time. Some of the changes do alter an answer."""
    differences = 0
    for seed in range(250):
        random = Random(seed)
        text, graph = random_query(random), random_graph(random)
        missed, found = _misses(text, graph, [{triple} for triple in TRIPLES])
        assert not missed, text
        differences += found
    assert differences > 300


def test_uses_are_precise() -> None:
    """Many of the changes that do not alter the answer match no use."""
    unmatched = 0
    for seed in range(100):
        random = Random(seed)
        query, graph = read_query(random_query(random)), random_graph(random)
        changed = graph ^ {random.choice(TRIPLES)}
        unmatched += not any(matches(use, graph, changed) for use in query.uses)
    assert unmatched > 30
