"""What rules need and no single triple says: the items of lists, and that a number is one.

A list is read as a path of cells from its head to rdf:nil. If a cell has two items or two cells after it, which can
follow from owl:sameAs, each choice is a list.
"""

from __future__ import annotations

from collections.abc import Iterator

from kgprobe.entailment.facts import NUMBERS, Fact, Facts
from kgprobe.entailment.rules import ITEM, LIST, ONE, QUALIFIED_ONE
from kgprobe.entailment.saturation import Saturation
from kgprobe.entailment.steps import News
from kgprobe.errors import InputError
from kgprobe.graph.terms import OWL, RDF, XSD, Literal, Term

__all__ = ["LISTING", "read"]

LISTING = tuple(
    NUMBERS[name] for name in (OWL.intersectionOf, OWL.unionOf, OWL.oneOf, OWL.propertyChainAxiom, OWL.hasKey)
)
"""The predicates whose objects are lists that rules look into."""

_FIRST, _REST, _NIL = NUMBERS[RDF.first], NUMBERS[RDF.rest], NUMBERS[RDF.nil]
_LIST, _ITEM = NUMBERS[LIST], NUMBERS[ITEM]
_ONES = {NUMBERS[OWL.maxCardinality]: NUMBERS[ONE], NUMBERS[OWL.maxQualifiedCardinality]: NUMBERS[QUALIFIED_ONE]}
_MOST_WAYS = 1000
_NUMBER_TYPES = frozenset(
    XSD[name]
    for name in (
        *("nonNegativeInteger", "positiveInteger", "integer", "int", "long", "short", "byte", "decimal"),
        *("unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte"),
    )
)


def read(saturation: Saturation, news: News | None, _: News | None) -> None:
    """Note what can be read from the news, or from all facts."""
    facts = saturation.facts
    if news is None or _FIRST in news.pairs or _REST in news.pairs:
        heads = [head for predicate in LISTING for head in facts.relation(predicate).into]
    else:
        heads = [head for predicate in LISTING for _, head in news.pairs.get(predicate, ())]
    for head in dict.fromkeys(heads):
        _read_list(saturation, head)
    for predicate, reading in _ONES.items():
        stated = facts.relation(predicate).pairs() if news is None else news.pairs.get(predicate, ())
        for subject, value in list(stated):
            if _is_one(facts.term(value)):
                saturation.conclude((subject, reading, value), "", ((subject, predicate, value),))


def _read_list(saturation: Saturation, head: int) -> None:
    facts = saturation.facts
    items = facts.relation(_FIRST).out
    for cells in list(_ways(facts, head)):
        number = facts.lists.get(cells)
        if number is None:
            number = facts.lists[cells] = facts.new_number()
        whole = (head, _LIST, number)
        saturation.conclude(whole, "", tuple(_triples(facts, cells)))
        for cell in cells:
            for item in items[cell]:
                saturation.conclude((head, _ITEM, item), "", (whole, (cell, _FIRST, item)))


def _triples(facts: Facts, cells: tuple[int, ...]) -> Iterator[Fact]:
    """The triples that make a list; of several items of a cell, one is enough."""
    items = facts.relation(_FIRST).out
    for cell, following in zip(cells, (*cells[1:], _NIL), strict=True):
        yield cell, _REST, following
        yield cell, _FIRST, min(items[cell])


def _ways(facts: Facts, head: int) -> Iterator[tuple[int, ...]]:
    """The ways from a head to the end of its list."""
    items, rests = facts.relation(_FIRST).out, facts.relation(_REST).out
    pending: list[tuple[list[int], int]] = [([], head)]
    for count, (cells, start) in enumerate(pending):
        if count > _MOST_WAYS:
            raise InputError("a list of the graph branches in too many ways", hint="look for owl:sameAs between cells")
        cell, seen = start, set(cells)
        while cell != _NIL and cell in items and cell in rests and cell not in seen:
            seen.add(cell)
            cells.append(cell)
            following = sorted(rests[cell])
            pending += (([*cells], other) for other in following[1:])
            cell = following[0]
        if cell == _NIL and cells:
            yield tuple(cells)


def _is_one(term: Term | None) -> bool:
    if type(term) is not Literal or term.datatype not in _NUMBER_TYPES:
        return False
    text = term.value.strip().removeprefix("+")
    return text.partition(".")[0].lstrip("0") == "1" and not text.partition(".")[2].strip("0")
