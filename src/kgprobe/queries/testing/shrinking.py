"""Makes failing data smaller: fewer triples first, then individuals that the ontology has, then simpler values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kgprobe.queries.testing.assignments import NAMESPACE
from kgprobe.queries.testing.candidates import simplicity
from kgprobe.queries.testing.data import Data, Datum, graph_of, placed
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Term
from kgprobe.reduction.parts import reduce_parts
from kgprobe.reduction.problem import Effort

__all__ = ["shrunk"]

_MOST_ROUNDS = 10


def shrunk(
    data: Sequence[Datum],
    fails: Callable[[Sequence[Datum]], bool],
    *,
    individuals: Sequence[NamedNode],
    is_stated: Callable[[Datum], bool],
    simpler: Callable[[Literal], Iterable[Literal]],
) -> Data:
    """The smallest data found that still fail. `is_stated`: the ontology has this triple, so it counts for nothing."""
    search = _Search(fails, individuals, is_stated, simpler)
    best = search.fewer(tuple(triple for triple in data if not is_stated(triple)))
    for _ in range(_MOST_ROUNDS):
        before = best
        best = search.merged(best)
        best = search.simplified(best)
        if best == before:
            return best
    return best


class _Search:
    def __init__(
        self,
        fails: Callable[[Sequence[Datum]], bool],
        individuals: Sequence[NamedNode],
        is_stated: Callable[[Datum], bool],
        simpler: Callable[[Literal], Iterable[Literal]],
    ) -> None:
        self._known: dict[frozenset[Datum], bool] = {}
        self._fails_now = fails
        self._individuals = individuals
        self._is_stated = is_stated
        self._simpler = simpler

    def _fails(self, data: Sequence[Datum]) -> bool:
        key = frozenset(data)
        if key not in self._known:
            self._known[key] = self._fails_now(data)
        return self._known[key]

    def fewer(self, data: Data) -> Data:
        """As few of the triples as the failure needs."""
        if not data or not self._fails(data):
            return data
        effort = Effort(repeats=1)
        return reduce_parts(data, lambda some: [self._fails(each) for each in some], effort=effort).parts

    def merged(self, data: Data) -> Data:
        """The data with individuals replaced by others, as long as this saves triples."""
        while True:
            for candidate in self._with_fewer_individuals(data):
                if len(candidate) < len(data) and self._fails(candidate):
                    data = self.fewer(candidate)
                    break
                # A triple that another individual has already may have become superfluous.
                if len(candidate) == len(data) and self._fails(candidate):
                    smaller = self.fewer(candidate)
                    if len(smaller) < len(data):
                        data = smaller
                        break
            else:
                return data

    def _with_fewer_individuals(self, data: Data) -> Iterator[Data]:
        new = list(dict.fromkeys(each for triple in data for each in _new_in(triple)))
        for one in new:
            for other in (*self._individuals, *new):
                if one != other:
                    # The other individual may have its own values, and room for no more.
                    for kept in ([each for each in data if not _is_value_of(each, one)], data):
                        renamed = dict.fromkeys(_replaced(triple, one, other) for triple in kept)
                        yield tuple(triple for triple in renamed if not self._is_stated(triple))

    def simplified(self, data: Data) -> Data:
        """The data with the simplest literals that keep the failure."""
        for literal in dict.fromkeys(triple.object for triple in data if isinstance(triple.object, Literal)):
            for simpler in sorted(set(self._simpler(literal)), key=simplicity):
                if simplicity(simpler) >= simplicity(literal):
                    break
                candidate = tuple(dict.fromkeys(_replaced(triple, literal, simpler) for triple in data))
                if self._fails(candidate):
                    data = candidate
                    break
        return data


def _is_value_of(triple: Datum, individual: NamedNode | BlankNode) -> bool:
    return triple.subject == individual and isinstance(triple.object, Literal)


def _new_in(triple: Datum) -> Iterator[NamedNode | BlankNode]:
    for end in (triple.subject, triple.object, graph_of(triple)):
        if isinstance(end, BlankNode) or (isinstance(end, NamedNode) and end.value.startswith(NAMESPACE)):
            yield end


def _replaced(triple: Datum, one: Term, other: Term) -> Datum:
    subject = other if triple.subject == one else triple.subject
    object_ = other if triple.object == one else triple.object
    graph = graph_of(triple)
    return placed(subject, triple.predicate, object_, other if graph == one else graph)
