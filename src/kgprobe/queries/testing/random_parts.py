"""Random parts of data for a query: instances of its templates, most of them with an answer, changed here and there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from kgprobe.queries.testing.asked_facts import AskedFacts
from kgprobe.queries.testing.assignments import NAMESPACE, Assignment, Instances
from kgprobe.queries.testing.data import Data, Datum, graph_of, placed
from kgprobe.queries.testing.neighbours import Neighbours
from kgprobe.rdf.terms import RDF, BlankNode, NamedNode

__all__ = ["RandomParts"]

_MOST_SHAPES = 200
_MOST_ATTEMPTS = 8


class RandomParts:
    """Random parts of data. The number of shapes is limited, so that most parts are alike but for their values."""

    def __init__(
        self,
        shapes: Sequence[Instances],
        facts: AskedFacts,
        neighbours: Neighbours,
        individuals: Sequence[NamedNode],
        admits: Callable[[Data], bool | None],
        random: Random,
    ) -> None:
        self._facts = facts
        self._neighbours = neighbours
        self._individuals = individuals
        self._admits = admits
        self._random = random
        self._shapes = [shape for shape in shapes if shape.triples]
        self._made: list[tuple[Instances, Assignment, Data, frozenset[int]]] = []

    def draw(self, copy: int) -> Data:
        """A part whose new individuals have names of their own for each copy."""
        if not self._shapes:
            return ()
        if len(self._made) < _MOST_SHAPES:
            self._made.append(self._new())
            chosen = self._made[-1]
        else:
            chosen = self._made[int(self._random.random() * len(self._made))]
        instances, assignment, more, left_out = chosen
        row = instances.random_match(self._random) if self._random.random() < 0.75 else None
        if row is not None:  # most data should have an answer
            assignment = {**row, **{each: assignment[each] for each in instances.nodes}}
        if copy:
            assignment = {variable: _renamed(term, copy) for variable, term in assignment.items()}
            more = tuple(_copied(triple, copy) for triple in more)
        data = instances.data(assignment, left_out)
        return self._facts.added_to(data, more) if more else data

    def links(self, data: Sequence[Datum]) -> list[Datum]:
        """A link between two parts: the object of one triple for that of another with the same property."""
        between = [each for each in data if isinstance(each.object, NamedNode) and each.predicate != RDF.type]
        if not between:
            return []
        one, other = (between[int(self._random.random() * len(between))] for _ in range(2))
        link = placed(one.subject, other.predicate, other.object, graph_of(one))
        return [link] if one.predicate == other.predicate else []

    def _new(self) -> tuple[Instances, Assignment, Data, frozenset[int]]:
        """A shape that is consistent, if one is found in a few attempts."""
        for _ in range(_MOST_ATTEMPTS):
            instances, assignment, more, left_out = found = self._any()
            data = self._facts.added_to(instances.data(assignment, left_out), more)
            if self._admits(data) is not False:
                break
        return found

    def _any(self) -> tuple[Instances, Assignment, Data, frozenset[int]]:
        random = self._random
        instances = self._shapes[int(random.random() * len(self._shapes))]
        rows = instances.matching or instances.missing or [instances.usual]
        assignment = dict(rows[int(random.random() * len(rows))])
        nodes = instances.nodes
        left_out: frozenset[int] = frozenset()
        kind = random.random()
        more: Data = ()
        individuals = self._individuals
        if kind < 0.15 and len(nodes) > 1:
            one, other = random.sample(nodes, 2)
            assignment[other] = assignment[one]
        elif kind < 0.3 and nodes and individuals:
            assignment[random.choice(nodes)] = random.choice(individuals)
        elif kind < 0.4 and len(instances.triples) > 1:
            left_out = frozenset([int(random.random() * len(instances.triples))])
        elif kind < 0.5:
            left_out, more = self._changed(instances, assignment)
        asked = [assignment[each] for each in self._facts.variables if each in assignment]
        asked = [each for each in asked if isinstance(each, NamedNode)]
        if asked and random.random() < 0.5:
            more += self._facts.random(random.choice(asked), random)  # type: ignore[arg-type]
        return instances, assignment, more, left_out

    def _changed(self, instances: Instances, assignment: Assignment) -> tuple[frozenset[int], Data]:
        """A triple to leave out, and one that is nearly the same in its place."""
        random = self._random
        at = int(random.random() * len(instances.triples))
        others = frozenset(range(len(instances.triples))) - {at}
        near = [each for datum in instances.data(assignment, others) for each in self._neighbours.of(datum)]
        return (frozenset([at]), (random.choice(near),)) if near else (frozenset(), ())


def _copied(datum: Datum, copy: int) -> Datum:
    subject, object_, graph = (_renamed(part, copy) for part in (datum.subject, datum.object, graph_of(datum)))
    return placed(subject, datum.predicate, object_, graph)


@lru_cache(maxsize=1 << 12)
def _renamed(term: Any, copy: int) -> Any:
    if isinstance(term, BlankNode):
        return BlankNode(f"{term.value}-{copy + 1}")
    is_new = isinstance(term, NamedNode) and term.value.startswith(NAMESPACE)
    return NamedNode(f"{term.value}-{copy + 1}") if is_new else term
