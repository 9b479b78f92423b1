"""The triples that a change added or removed, and those among them that match a pattern."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from pyoxigraph import Quad, QuerySolutions, Store

from kgprobe.graph.terms import Literal, Term, Triple
from kgprobe.queries.uses import Condition, Slot, TripleUse

__all__ = ["ChangedTriple", "ChangedTriples"]

_NAME = re.compile(r"\w+")
_NO_NAME = re.compile(r"\W")
_LANGUAGE = re.compile(r"\bLANG\s*\(", re.IGNORECASE)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', re.DOTALL)


@dataclass(frozen=True, slots=True)
class ChangedTriple:
    """A triple that only one of two graphs has: the new one if it was added, else the old one."""

    triple: Triple
    added: bool


_Index = dict[tuple[Term | Triple, ...], list[ChangedTriple]]


class ChangedTriples:
    """An index of changed triples. What it costs is in proportion to the change, and paid when it is first needed."""

    def __init__(self, removed: Iterable[Triple], added: Iterable[Triple]) -> None:
        self._all = [ChangedTriple(triple, added=False) for triple in removed]
        self._all += [ChangedTriple(triple, added=True) for triple in added]
        self._indexes: dict[tuple[int, ...], _Index] = {}

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[ChangedTriple]:
        return iter(self._all)

    def with_predicate(self, predicate: Term) -> list[ChangedTriple]:
        """The changed triples with this predicate."""
        return self._indexed((1,)).get((predicate,), [])

    def matching(self, use: TripleUse) -> Iterator[ChangedTriple]:
        """The changed triples that match a pattern and meet its conditions, in the order of the change.

        Literals are compared as an engine would that takes `1` and `01` for the same: some do, and some do not.
        """
        slots = (use.subject, use.predicate, use.object)
        if any(isinstance(term, Literal) for slot in slots for term in slot.terms or ()):
            return self._by_engine(use, _known_slots(slots))
        if use.conditions or _repeats(slots):
            return self._by_engine(use, slots)
        return self._with_constants(slots)

    # -- by constants --------------------------------------------------------------------------------------------

    def _with_constants(self, slots: tuple[Slot, ...]) -> Iterator[ChangedTriple]:
        places = tuple(place for place, slot in enumerate(slots) if slot.terms is not None)
        index = self._indexed(places)
        for constants in product(*(sorted(slots[place].terms or (), key=str) for place in places)):
            yield from index.get(constants, ())

    def _indexed(self, places: tuple[int, ...]) -> _Index:
        """The changed triples by their parts at these places."""
        if places not in self._indexes:
            found: _Index = defaultdict(list)
            for changed in self._all:
                parts = tuple(changed.triple)
                found[tuple([parts[place] for place in places])].append(changed)
            self._indexes[places] = dict(found)
        return self._indexes[places]

    # -- by conditions -------------------------------------------------------------------------------------------

    def _by_engine(self, use: TripleUse, slots: tuple[Slot, ...]) -> Iterator[ChangedTriple]:
        """By way of pyoxigraph, in a store of all changed triples.

        A store writes literals in a form of its own, so a condition on how one is written is not judged there: a triple
        with a literal in another form is taken to meet every condition.
        """
        seen = set()
        query, names = _query((use.subject, use.predicate, use.object), use.conditions)
        solutions = self._store.query(query)
        assert isinstance(solutions, QuerySolutions)  # noqa: S101 - that is what SELECT gives
        for solution in solutions:
            key = tuple(solution[name] for name in names)
            if key not in seen:
                seen.add(key)
                yield from self._stored_forms.get(key, ())
        if self._odd:
            constants = [slot.terms for slot in slots]
            for changed in self._odd:
                parts = (changed.triple.subject, changed.triple.predicate, changed.triple.object)
                if all(terms is None or part in terms for part, terms in zip(parts, constants, strict=True)):
                    yield changed

    @cached_property
    def _store(self) -> Store:
        store = Store()
        store.bulk_extend(Quad(*changed.triple) for changed in self._all)
        return store

    @cached_property
    def _stored_forms(self) -> dict[object, list[ChangedTriple]]:
        """The changed triples by how the store has them, but for those whose object it writes in another way."""
        stored = {(quad.subject, quad.predicate, quad.object) for quad in self._store}
        found: dict[object, list[ChangedTriple]] = defaultdict(list)
        for changed in self._all:
            key = tuple(changed.triple)
            if key in stored:
                found[key].append(changed)
        return dict(found)

    @cached_property
    def _odd(self) -> list[ChangedTriple]:
        usual = {id(changed) for group in self._stored_forms.values() for changed in group}
        return [changed for changed in self._all if id(changed) not in usual]


def _known_slots(slots: tuple[Slot, ...]) -> tuple[Slot, ...]:
    """The slots, with literals left open: how a literal is written does not tell which others an engine equates."""
    return tuple(Slot() if any(isinstance(term, Literal) for term in slot.terms or ()) else slot for slot in slots)


def _repeats(slots: tuple[Slot, ...]) -> bool:
    variables = [slot.variable for slot in slots if slot.variable]
    return len(set(variables)) < len(variables)


def _query(slots: tuple[Slot, ...], conditions: Iterable[Condition]) -> tuple[str, tuple[str, ...]]:
    """The query for a pattern, and the names of its subject, predicate and object in the solutions."""
    names = tuple(
        slot.variable if slot.variable and _NAME.fullmatch(slot.variable) else f"hidden_{slot.variable or number}"
        for number, slot in enumerate(slots)
    )
    names = tuple(_NO_NAME.sub("_", name) for name in names)
    values = [
        f"VALUES ?{name} {{ {' '.join(sorted(map(str, slot.terms)))} }}"
        for name, slot in zip(names, slots, strict=True)
        if slot.terms is not None
    ]
    judged = [f"FILTER({each.text})" for each in conditions if _can_be_judged(each)]
    pattern = " ".join(f"?{name}" for name in names)
    return f"SELECT * WHERE {{ {' '.join(values)} {pattern} {' '.join(judged)} }}", names


def _can_be_judged(condition: Condition) -> bool:
    """Language tags are lower case in pyoxigraph, so a condition on one that is not could be judged wrongly."""
    if not _LANGUAGE.search(condition.text):
        return True
    return all(text == text.lower() for text in _STRING.findall(condition.text))
