"""A step in words: what the operator does, what it chose, and what that changed."""

from __future__ import annotations

from collections.abc import Iterator

from kgprobe.graph.spelling import Spelling
from kgprobe.mutation.mutant import Step

__all__ = ["explained"]


def explained(step: Step, does: str, spelling: Spelling) -> Iterator[str]:
    """Lines that explain a step, whose operator `does` this; + and - begin triples that came and went."""
    chosen = ", ".join(f"{name} is {spelling.term(term)}" for name, term in step.binding.items())
    yield f"{step.operator}: {does}" + (f"; {chosen}" if chosen else "")
    for sign, triples in (("-", step.delta.removed), ("+", step.delta.added)):
        yield from (f"{sign} {spelling.triple(triple)} ." for triple in triples)
