"""Algorithm 1 of "Mutation-based testing of knowledge graphs", for comparison: halves of the triples, again and again.

It is the paper's algorithm to the letter: it knows nothing of axioms or lists, and it runs a graph again that it has
run before. The paper divides at random, as is done here with a random source. Without one, the first half is the first
in the graph. Triples of one axiom tend to be neighbours, so that is the algorithm at its best.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeAlias

from kgprobe.graph.terms import Triple

__all__ = ["halve"]

_Triples: TypeAlias = list[Triple]


def halve(triples: _Triples, fails: Callable[[_Triples], bool], *, random: Random | None = None) -> _Triples:
    """Triples that are enough for the failure. That all of them together fail is known."""
    return _minimize([], triples, fails, random) if triples else []


def _minimize(kept: _Triples, triples: _Triples, fails: Callable[[_Triples], bool], random: Random | None) -> _Triples:
    # Halves get shorter with each call, so the depth is the logarithm of the number of triples.
    if len(triples) == 1:
        return triples
    if random is not None:
        triples = random.sample(triples, len(triples))
    middle = len(triples) // 2
    first, second = triples[:middle], triples[middle:]
    if fails(kept + first):
        return _minimize(kept, first, fails, random)
    if fails(kept + second):
        return _minimize(kept, second, fails, random)
    least_first = _minimize(kept + second, first, fails, random)
    least_second = _minimize(kept + least_first, second, fails, random)
    return least_first + least_second
