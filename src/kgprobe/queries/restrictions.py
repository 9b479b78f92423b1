"""What a group says of the values that its triples can have.

A group is a join. Each of its solutions has a match of each triple that stands in it directly, and the values of these
matches are the values of the solution: OPTIONAL, MINUS, BIND and VALUES keep, drop or extend solutions one by one, and
change no value. A FILTER is asked of the finished solution, wherever in the group it stands. So a match for which one
of its conjuncts is not true is in no solution, and a triple that has only such matches makes no difference. Nor does
one that fits no row of a VALUES, or not the value of a BIND, which are joined in the same way.

The FILTER in an OPTIONAL is asked of both sides together. What it says of the variables of one inner triple it still
says of the inner match, and a match for which that is not true joins with nothing.

Nothing is passed on to inner groups, or taken from them: there, a variable of the same name may be another one, or have
no value yet. VALUES behind the query says something of its results, of which little follows for the triples; it is not
used.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from itertools import chain, combinations

from kgprobe.graph.patterns.pattern import Variable
from kgprobe.graph.terms import Literal, Term
from kgprobe.queries.expressions import condition, conjuncts, equality, variables_of
from kgprobe.queries.source import IRIS, Source
from kgprobe.queries.tree import Node
from kgprobe.queries.triples import Part
from kgprobe.queries.uses import ANYTHING, Condition, Slot

__all__ = ["Restrictions"]


# So many conditions are kept of one use: to leave some out is safe, and a query could have thousands for each triple.
_MOST_CONDITIONS = 16
_FEW = 8  # to look at all of them takes no longer than to look for the right ones


class Restrictions:
    """What one group asks of its variables: the terms that they may be, and conditions."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._terms: dict[str, frozenset[Term]] = {}
        self._conjuncts: dict[frozenset[str], list[Node]] = {}  # by the variables in them
        self._conditions: dict[frozenset[str], list[Condition]] = {}

    def add_filter(self, expression: Node) -> bool:
        """Take what a FILTER says. Whether that is all of it, so that nothing in it looks at the graph."""
        understood = True
        for each in conjuncts(expression):
            if found := equality(each, self._source):
                self._restrict(*found)
            elif (variables := variables_of(each, self._source)) is None:
                understood = False
            elif variables:
                self._conjuncts.setdefault(variables, []).append(each)
        return understood

    def add_bind(self, expression: Node, variable: Node) -> None:
        """Take what BIND says, if it gives an IRI to the variable. No triple before it can have that variable."""
        if expression.kind in IRIS and (iri := self._source.iri(expression)):
            self._restrict(self._source.variable(variable), (iri,))

    def add_values(self, block: Node) -> None:
        """Take what VALUES says of each variable by itself. With UNDEF it can be anything."""
        names = [self._source.variable(part) for part in block.children if part.kind == "var"]
        cells = [part for part in block.children if part.kind not in ("var", "nil")]
        for column, name in enumerate(names):
            terms = [self._source.constant(cell) for cell in cells[column :: len(names)]]
            known = [term for term in terms if term is not None]
            if len(known) == len(terms):
                self._restrict(name, known)

    def slot(self, part: Part) -> Slot:
        """The place of a part in a use."""
        if not isinstance(part, Variable):
            return _constant(part)
        if part.hidden:
            return ANYTHING
        return Slot(self._terms[part.name], part.name) if part.name in self._terms else _open(part.name)

    def conditions(self, *slots: Slot) -> tuple[Condition, ...]:
        """The conditions that speak of nothing but these slots."""
        if not self._conjuncts:
            return ()
        variables = {slot.variable for slot in slots}
        among = self._conjuncts if len(self._conjuncts) < _FEW else _choices(variables)
        found: list[Condition] = []
        for each in among:
            if each <= variables:
                found += self._conditions_on(each)
        return tuple(found[:_MOST_CONDITIONS])

    def _conditions_on(self, variables: frozenset[str]) -> Iterable[Condition]:
        if variables not in self._conditions:
            nodes = self._conjuncts.get(variables, [])[:_MOST_CONDITIONS]
            self._conditions[variables] = [condition(node, variables, self._source) for node in nodes]
        return self._conditions[variables]

    def _restrict(self, name: str, terms: Iterable[Term]) -> None:
        """Each of several lists holds. Literals that look different may be one value, so all of the first are kept."""
        allowed = frozenset(terms)
        if name in self._terms:
            literal = any(isinstance(term, Literal) for term in allowed)
            allowed = frozenset(
                term for term in self._terms[name] if term in allowed or (literal and isinstance(term, Literal))
            )
        self._terms[name] = allowed


def _choices(names: set[str | None]) -> Iterator[frozenset[str]]:
    known = sorted(name for name in names if name)
    return map(frozenset, chain.from_iterable(combinations(known, size) for size in (1, 2, 3)))


# Most slots are of the same few predicates and variables, and most queries of the same few.
@functools.lru_cache(maxsize=4096)
def _constant(term: Term) -> Slot:
    return Slot(frozenset((term,)))


@functools.lru_cache(maxsize=1024)
def _open(name: str) -> Slot:
    return Slot(None, name)
