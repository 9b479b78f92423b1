"""The terms that a change concerns, by the direction in which a test looks at them.

The cone of a term is the term, everything above it and everything below it, through any property, restriction or list,
in either version. Only `rdfs:isDefinedBy` does not count. A changed triple touches the term that it describes; if that
is a blank node, the terms to which the blank node belongs. A change concerns a term if its cone has a touched term. So
one search up and one search down from the touched terms answer the question for all terms. They visit only terms that
are concerned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from kgprobe.owl.name_kinds import is_reserved
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import OWL, RDF, RDFS, SKOS, BlankNode, NamedNode, Term, Triple
from kgprobe.selection.changed_triples import Changed
from kgprobe.selection.tests import Direction

_TWO_WAYS = (OWL.equivalentClass, OWL.equivalentProperty, OWL.sameAs, OWL.inverseOf)
_OF_AN_AXIOM = (OWL.annotatedSource, OWL.annotatedTarget)
_UNIONS = (OWL.unionOf, OWL.disjointUnionOf)
# From which key a key was reached, and over which triple.
_Reached: TypeAlias = dict[Key, tuple[Key, KeyTriple]]
_Step: TypeAlias = tuple[Key, KeyTriple]
_BLANK, _LITERAL, _RESERVED = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Way:
    """A path from a changed triple to a term; `size` is the number of changed triples that have the term itself."""

    changed: Changed
    path: tuple[Triple, ...]
    size: int


class Cones:
    """The terms whose cones a change touches. Each search is made when a test first needs it."""

    def __init__(self, old: Graph, new: Graph, changed: Sequence[tuple[KeyTriple, Changed]]) -> None:
        """`changed` are the changed triples by their keys in the two graphs, which share a table."""
        self._graph = old
        self._both = _BothVersions(old, new)
        self._touched = {keys[0]: each for keys, each in reversed(changed)}
        self._changed = changed

    def way_to(self, term: Term, direction: Direction = Direction.ANY) -> Way | None:
        """The path from the change to a term whose cone, or the part of it in one direction, is touched."""
        key = self._graph.key(term)
        if key in self._named:
            return Way(self._named[key], (), self._times[key])
        if key in self._owners:
            return self._way(key, {})
        if direction in (Direction.ANY, Direction.DESCENDANTS) and key in self._above:
            return self._way(key, self._above)
        if direction in (Direction.ANY, Direction.ANCESTORS) and key in self._below:
            return self._way(key, self._below)
        return None

    def is_name(self, key: Key) -> bool:
        """Whether a key stands for an IRI."""
        return self._both.kind(key) in (0, _RESERVED)

    def owners_of(self, starts: Iterable[Key]) -> dict[Key, Key]:
        """What some blank nodes are parts of, each with the node through which it was found."""
        return {owner: before for owner, (before, _) in _search(self._both.owners, starts).items()}

    def _way(self, key: Key, reached: _Reached) -> Way:
        path = []
        while key in reached:
            key, over = reached[key]
            path.append(self._graph.triple(over))
        while key in self._owners:
            key, over = self._owners[key]
            path.append(self._graph.triple(over))
        return Way(self._touched[key], tuple(reversed(path)), 1)

    @cached_property
    def _named(self) -> dict[Key, Changed]:
        """The terms in changed triples."""
        named = {keys[1]: each for keys, each in self._changed}
        named.update((keys[2], each) for keys, each in self._changed)
        named.update(self._touched)
        return named

    @cached_property
    def _times(self) -> Counter[Key]:
        return Counter(chain.from_iterable(keys for keys, _ in self._changed))

    @cached_property
    def _owners(self) -> _Reached:
        """The terms to which changed blank nodes belong."""
        return _search(self._both.owners, self._touched)

    @cached_property
    def _above(self) -> _Reached:
        """The terms above touched ones: the change may be seen by a test that looks at everything below them."""
        return _search(self._both.above, [*self._touched, *self._owners])

    @cached_property
    def _below(self) -> _Reached:
        mute = self._both.annotation_properties & self._touched.keys()
        if mute:  # the terms that use such a property show no more of it than its name
            mute -= {keys[0] for keys, _ in self._changed if keys[0] in mute and keys[1] in self._both.naming}
        return _search(self._both.below, [key for key in (*self._touched, *self._owners) if key not in mute])


def _search(step: Callable[[Key], Iterable[_Step]], starts: Iterable[Key]) -> _Reached:
    """Everything that the steps lead to from the starts."""
    reached: _Reached = {}
    pending = list(starts)
    seen = set(pending)
    for key in pending:
        for following, triple in step(key):
            if following not in seen:
                seen.add(following)
                pending.append(following)
                reached[following] = key, triple
    return reached


class _BothVersions:
    """The triples that one of two versions has, and the steps of the searches."""

    def __init__(self, old: Graph, new: Graph) -> None:
        self._graph = old
        self._table = old.table
        # The triples that are not in the table, by their subjects, predicates and objects.
        self._added: tuple[dict[Key, list[KeyTriple]], ...] = ({}, {}, {})
        for keys in dict.fromkeys(keys for state in (old, new) for keys, added in state.changed_keys.items() if added):
            for place, key in zip(self._added, keys, strict=True):
                place.setdefault(key, []).append(keys)
        self._defined_by, self._first, self._rest = map(old.key, (RDFS.isDefinedBy, RDF.first, RDF.rest))
        self._below_class = old.key(RDFS.subClassOf)
        self._union = {old.key(predicate) for predicate in _UNIONS}
        self._of_an_axiom = {old.key(predicate) for predicate in _OF_AN_AXIOM}

    def owners(self, key: Key) -> Iterator[_Step]:
        """From a blank node to what it is a part of; from the outermost one to the terms that it is about."""
        if self.kind(key) == _BLANK:
            around = self._to(key)
            for row in around:
                yield row[0], row
            if not around:
                yield from self._described(key)

    def _described(self, key: Key) -> Iterator[_Step]:
        rows = self._about(key)
        of_an_axiom = [row for row in rows if row[1] in self._of_an_axiom]
        for row in of_an_axiom or rows:
            if self.kind(row[2]) not in (_LITERAL, _RESERVED):
                yield row[2], row

    def above(self, key: Key) -> Iterator[_Step]:
        """To the terms that a term is described with, properties included."""
        kind = self.kind
        if kind(key) in (_LITERAL, _RESERVED):  # the vocabulary of OWL connects everything with everything
            return
        for row in self._about(key):
            if kind(row[2]) != _LITERAL and row[1] != self._defined_by:
                yield row[2], row
            yield row[1], row
        for row in self._to(key):
            if row[1] in self._two_ways:
                yield row[0], row
            elif row[1] == self._first:
                yield from self._unions(row)

    def _unions(self, row: KeyTriple) -> Iterator[_Step]:
        """From a member of a list to what the list is the union of: that is above the member."""
        seen = set()
        while row[1] in (self._first, self._rest) and row[0] not in seen:
            seen.add(row[0])
            around = self._to(row[0])
            if not around:
                return
            row = around[0]
        if row[1] in self._union:
            yield from ((fact[0], fact) for fact in self._to(row[0]) if fact[1] in self._two_ways)
            yield from ((fact[2], fact) for fact in self._about(row[0]) if fact[1] == self._below_class)
            if self.kind(row[0]) != _BLANK:
                yield row[0], row

    def below(self, key: Key) -> Iterator[_Step]:
        """To the terms that are described with a term."""
        kind = self.kind(key)
        if kind in (_LITERAL, _RESERVED):
            return
        around = self._to(key)
        for row in around:
            if row[1] != self._defined_by:
                yield row[0], row
        if kind == _BLANK and not around:
            yield from self._described(key)
        if kind != _BLANK:
            for row in self._with(key):
                yield row[0], row
        for row in self._about(key):
            if row[1] in self._two_ways and self.kind(row[2]) != _LITERAL:
                yield row[2], row
            elif row[1] in self._union:
                yield from self._members(row)

    def _members(self, row: KeyTriple) -> Iterator[_Step]:
        """The members of a list, which a row refers to."""
        seen: set[Key] = set()
        rows = [row]
        for link in rows:
            if link[2] not in seen:
                seen.add(link[2])
                found = self._about(link[2])
                rows += [cell for cell in found if cell[1] == self._rest]
                yield from ((cell[2], cell) for cell in found if cell[1] == self._first)

    @cached_property
    def annotation_properties(self) -> set[Key]:
        return {row[0] for row in self._to(self._graph.key(OWL.AnnotationProperty))}

    @cached_property
    def naming(self) -> set[Key]:
        """The properties that name a property, or say what is above it."""
        return {self._graph.key(predicate) for predicate in (RDFS.label, SKOS.prefLabel, RDFS.subPropertyOf)}

    def _about(self, key: Key) -> Sequence[KeyTriple]:
        found: list[KeyTriple] = self._table.about(key)  # type: ignore[assignment]  # the list is not shared
        return [*found, *self._added[0][key]] if key in self._added[0] else found

    def _to(self, key: Key) -> Sequence[KeyTriple]:
        found: list[KeyTriple] = self._table.to(key)  # type: ignore[assignment]  # the list is not shared
        return [*found, *self._added[2][key]] if key in self._added[2] else found

    def _with(self, predicate: Key) -> Iterator[KeyTriple]:
        return chain(self._table.rows(None, predicate, None), self._added[1].get(predicate, ()))

    @cached_property
    def _two_ways(self) -> frozenset[Key]:
        """The properties that connect in both directions: equivalences, symmetric properties, and inverses."""
        key = self._graph.key
        found = {key(predicate) for predicate in _TWO_WAYS}
        found.update(row[0] for row in self._to(key(OWL.SymmetricProperty)))
        for row in self._with(key(OWL.inverseOf)):
            found.update((row[0], row[2]))
        return frozenset(key for key in found if next(self._with(key), None) is not None)

    def kind(self, key: Key) -> int:
        return self._kinds[key] if type(key) is int else _kind_of(self._graph.term(key))

    @cached_property
    def _kinds(self) -> bytes:
        return bytes(map(_kind_of, self._table.terms))


def _kind_of(term: Term) -> int:
    kind = type(term)
    if kind is NamedNode:
        return _RESERVED if is_reserved(term) else 0  # type: ignore[arg-type]  # it is a name
    return _BLANK if kind is BlankNode else _LITERAL
