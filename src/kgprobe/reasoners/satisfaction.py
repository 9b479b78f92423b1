"""Truth values for propositional clauses: a search with unit propagation that learns from conflicts.

A literal is a number, and its negation is the negative number; a clause is a list of literals, at least one of which
must be true. The search is small, deterministic and bounded by a number of conflicts: it is for problems of a few
thousand clauses, where starting a separate solver would take longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

_DECAY = 0.95


def satisfying(clauses: Iterable[Sequence[int]], variables: int, *, most_conflicts: int) -> set[int] | None:
    """The literals of an assignment that makes all clauses true; None if none exists or was found."""
    search = _Search(variables)
    for clause in clauses:
        if not search.add(sorted(set(clause))):
            return None
    return search.run(most_conflicts)


class _Search:
    def __init__(self, variables: int) -> None:
        self._variables = variables
        self._value = [0] * (2 * variables + 1)  # by literal, negative ones from the end: 1 is true, -1 is false
        self._watching: list[list[list[int]]] = [[] for _ in range(2 * variables + 1)]
        self._reason: list[list[int] | None] = [None] * (variables + 1)
        self._level = [0] * (variables + 1)
        self._activity = [0.0] * (variables + 1)
        self._step = 1.0
        self._trail: list[int] = []
        self._starts: list[int] = []  # where on the trail each level begins
        self._next = 0
        self._waiting = [(0.0, variable) for variable in self._all()]  # a heap; its entries may be out of date

    def add(self, clause: list[int]) -> bool:
        """Adds a clause; False if it contradicts the earlier ones."""
        if any(-literal in clause for literal in clause if literal > 0) or any(self._value[x] > 0 for x in clause):
            return True
        clause = [literal for literal in clause if self._value[literal] == 0]
        if len(clause) > 1:
            self._watch(clause)
            return True
        if clause:
            self._set(clause[0], None)
        return bool(clause) and self._conflict() is None

    def run(self, most_conflicts: int) -> set[int] | None:
        conflicts = 0
        while True:
            conflict = self._conflict()
            if conflict is None:
                chosen = self._choice()
                if chosen is None:
                    return {variable if self._value[variable] > 0 else -variable for variable in self._all()}
                self._starts.append(len(self._trail))
                self._set(chosen, None)
                continue
            conflicts += 1
            if not self._starts or conflicts > most_conflicts:
                return None
            learnt, level = self._learnt(conflict)
            self._return_to(level)
            if len(learnt) > 1:
                self._watch(learnt)
            self._set(learnt[0], learnt)
            self._step /= _DECAY

    def _all(self) -> range:
        return range(1, self._variables + 1)

    def _watch(self, clause: list[int]) -> None:
        self._watching[clause[0]].append(clause)
        self._watching[clause[1]].append(clause)

    def _set(self, literal: int, reason: list[int] | None) -> None:
        self._value[literal], self._value[-literal] = 1, -1
        self._reason[abs(literal)] = reason
        self._level[abs(literal)] = len(self._starts)
        self._trail.append(literal)

    def _conflict(self) -> list[int] | None:
        """Propagates the assigned values; returns a clause that can no longer be true, if any."""
        while self._next < len(self._trail):
            false = -self._trail[self._next]
            self._next += 1
            watching, self._watching[false] = self._watching[false], []
            for place, clause in enumerate(watching):
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], false
                if self._value[clause[0]] > 0 or not self._has_moved(clause):
                    self._watching[false].append(clause)
                    if self._value[clause[0]] < 0:
                        self._watching[false] += watching[place + 1 :]
                        return clause
                    if self._value[clause[0]] == 0:
                        self._set(clause[0], clause)
        return None

    def _has_moved(self, clause: list[int]) -> bool:
        """Whether another literal of the clause, one that is not false, can be watched in place of its second."""
        for place in range(2, len(clause)):
            if self._value[clause[place]] >= 0:
                clause[1], clause[place] = clause[place], clause[1]
                self._watching[clause[1]].append(clause)
                return True
        return False

    def _learnt(self, conflict: list[int]) -> tuple[list[int], int]:
        """The clause that rules out the cause of the conflict, and the level at which it adds information."""
        here = len(self._starts)
        seen: set[int] = set()
        others: list[int] = []
        open_ends = 0
        clause: Sequence[int] = conflict
        place = len(self._trail)
        while True:
            for literal in clause:
                variable = abs(literal)
                if variable not in seen and self._level[variable] > 0:
                    seen.add(variable)
                    self._activity[variable] += self._step
                    heappush(self._waiting, (-self._activity[variable], variable))
                    if self._level[variable] == here:
                        open_ends += 1
                    else:
                        others.append(literal)
            place -= 1
            while abs(self._trail[place]) not in seen:
                place -= 1
            literal = self._trail[place]
            open_ends -= 1
            if open_ends == 0:
                break
            clause = [other for other in self._reason[abs(literal)] or () if other != literal]
        others.sort(key=lambda other: -self._level[abs(other)])
        return [-literal, *others], self._level[abs(others[0])] if others else 0

    def _return_to(self, level: int) -> None:
        start = self._starts[level]
        for literal in self._trail[start:]:
            self._value[literal] = self._value[-literal] = 0
            heappush(self._waiting, (-self._activity[abs(literal)], abs(literal)))
        del self._trail[start:], self._starts[level:]
        self._next = start

    def _choice(self) -> int | None:
        """A literal to try: the variable in most conflicts, as false, because small models are preferred."""
        while self._waiting:
            _, variable = heappop(self._waiting)
            if self._value[variable] == 0:
                return -variable
        return None
