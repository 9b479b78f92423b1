"""The score of a suite of queries, computed the slow and obvious way: every query on every mutant, from scratch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyoxigraph

from kgprobe.entailment.closure import closed
from kgprobe.entailment.rules import Regime
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Triple

__all__ = ["NaiveScore", "answer", "naive_score"]


@dataclass(frozen=True)
class NaiveScore:
    """The numbers of mutants, and for each query the mutants that it kills."""

    killed: int
    survived: int
    equivalent: int
    kills: tuple[int, ...]


def answer(query: str, triples: Iterable[Triple]) -> object:
    """The answer of a new store: yes or no, or how often each row or triple occurs."""
    store = pyoxigraph.Store()
    store.extend(pyoxigraph.Quad(each.subject, each.predicate, each.object) for each in triples)
    found = store.query(query)
    if isinstance(found, pyoxigraph.QueryBoolean):
        return bool(found)
    if isinstance(found, pyoxigraph.QuerySolutions):
        return Counter(tuple(str(row[name]) for name in found.variables) for row in found)
    return Counter(map(str, found))


def naive_score(
    original: Sequence[Triple], mutants: Iterable[Sequence[Triple]], queries: Sequence[str], regime: Regime
) -> NaiveScore:
    """The score, from the triples of the original and of each mutant."""
    before = set(closed(Graph(original), regime).graph)
    wanted = [answer(query, before) for query in queries]
    kills = [0] * len(queries)
    killed = survived = equivalent = 0
    for mutant in mutants:
        after = set(closed(Graph(mutant), regime).graph)
        if after == before:
            equivalent += 1
            continue
        killers = [number for number, query in enumerate(queries) if answer(query, after) != wanted[number]]
        killed += bool(killers)
        survived += not killers
        for number in killers:
            kills[number] += 1
    return NaiveScore(killed, survived, equivalent, tuple(kills))
