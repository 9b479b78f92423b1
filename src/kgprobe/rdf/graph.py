"""`Graph`, an exact set of triples, and `Delta`, a change to it. Applying or reverting a change costs O(change).

A graph consists of a `TripleTable`, which never changes, and its `Changes`. All graphs made from a table share it, so
copying a graph costs only as much as its changes. A graph whose changes have all been reverted is exactly as it was
when loaded: later results do not depend on its history.

Pattern matching works on the keys of terms, see `KeyGraph`; all other code uses terms. `FreshNames` makes names for
nodes that a graph does not have yet.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from kgprobe.rdf.key_graph import KeyGraph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.table import KeyTriple, TableBuilder, TripleTable
from kgprobe.rdf.terms import RDF, BlankNode, NamedNode, Subject, Term, Triple
from kgprobe.wording import number_of

__all__ = ["NEW_NAMESPACE", "BrokenListError", "Delta", "FreshNames", "Graph", "read_list"]

_parts = operator.attrgetter("subject", "predicate", "object")
_S, _P, _O = 0, 1, 2
# Each position of a triple holds its own kind of term, which the types cannot express.
_mapped: Callable[..., Iterator[Any]] = map
NEW_NAMESPACE = "urn:kgprobe:new:"


@dataclass(frozen=True)
class Delta:
    """Triples to remove and triples to add; no triple is in both. Both parts are sorted, so equal deltas look the same.

    A delta is exact: it applies only to graphs that have all of `removed` and none of `added`. Reverting it therefore
    always restores the graph.
    """

    removed: tuple[Triple, ...]
    added: tuple[Triple, ...]

    def __init__(self, removed: Iterable[Triple] = (), added: Iterable[Triple] = ()) -> None:
        gone, come = set(removed), set(added)
        if both := gone & come:
            raise ValueError(f"a delta cannot both remove and add {min(map(str, both))}")
        object.__setattr__(self, "removed", tuple(sorted(gone, key=str)))
        object.__setattr__(self, "added", tuple(sorted(come, key=str)))

    def __len__(self) -> int:
        return len(self.removed) + len(self.added)

    def inverse(self) -> Delta:
        """The delta that undoes this one."""
        return Delta(removed=self.added, added=self.removed)

    def then(self, later: Delta) -> Delta:
        """This delta followed by the later one, as one delta. Triples that the later one restores are left out."""
        removed, added = set(self.removed), set(self.added)
        again, back = set(later.removed), set(later.added)
        if clash := (removed & again) | (added & back):
            raise ValueError(f"these deltas cannot follow each other: both change {min(map(str, clash))}")
        return Delta(removed=(removed - back) | (again - added), added=(added - again) | (back - removed))

    def lines(self) -> list[str]:
        """One line for each triple: `- ` or `+ `, and the triple as in N-Triples."""
        return [f"- {triple} ." for triple in self.removed] + [f"+ {triple} ." for triple in self.added]


@dataclass(frozen=True, slots=True)
class _Resolution:
    """The effect of a delta on the graphs of one table: the triples that become changes, and those that cease to be."""

    delta: Delta
    into: dict[KeyTriple, bool]
    out_of: dict[KeyTriple, bool]


class Graph(KeyGraph):
    """A set of RDF triples, in an order that depends only on how it was loaded and changed."""

    __slots__ = ("_resolved", "spelling")

    def __init__(self, triples: Iterable[Triple] = (), *, spelling: Spelling | None = None) -> None:
        builder = TableBuilder()
        builder.extend(chain.from_iterable(map(_parts, triples)))
        self.__setstate__((builder.build(), spelling or Spelling(), {}))

    @classmethod
    def from_table(cls, table: TripleTable, spelling: Spelling | None = None) -> Graph:
        """The graph with the triples of a table."""
        graph = cls.__new__(cls)
        graph.__setstate__((table, spelling or Spelling(), {}))
        return graph

    def copy(self) -> Graph:
        """An independent graph with the same triples. Copying costs as much as the changes made so far."""
        graph = Graph.__new__(Graph)
        graph.__setstate__(self.__getstate__())
        return graph

    def __getstate__(self) -> tuple[TripleTable, Spelling, dict[KeyTriple, bool]]:
        return self.table, self.spelling, dict(self._records)

    def __setstate__(self, state: tuple[TripleTable, Spelling, dict[KeyTriple, bool]]) -> None:
        table, self.spelling, changes = state
        super().__init__(table, changes)
        self._resolved: _Resolution | None = None  # most changes are reverted soon

    # -- the set of triples --------------------------------------------------------------------------------------

    def __len__(self) -> int:
        added = sum(self._records.values())
        return len(self.table) + added - (len(self._records) - added)

    def __contains__(self, triple: Triple) -> bool:
        return self.has(*self.keys(triple))

    def __iter__(self) -> Iterator[Triple]:
        return map(Triple, *self.columns())

    def columns(self) -> tuple[Iterator[NamedNode | BlankNode], Iterator[NamedNode], Iterator[Term]]:
        """The subjects, the predicates and the objects of all triples, in the order of the triples.

        `map(Quad, *graph.columns())` is several times faster than a loop over triples.
        """
        s, p, o = (_mapped(self.table.terms.__getitem__, keys) for keys in self.table.columns(self._removed()))
        added = [keys for keys, is_added in self._records.items() if is_added]
        if not added:
            return s, p, o
        new_s, new_p, new_o = (_mapped(self.term, keys) for keys in zip(*added, strict=True))
        return chain(s, new_s), chain(p, new_p), chain(o, new_o)

    def __eq__(self, other: object) -> bool:
        """Whether the triples are the same, with blank nodes by label. For isomorphism see `graph.canonical`."""
        if not isinstance(other, Graph):
            return NotImplemented
        if self.table is other.table:
            return self._records == other._records
        return len(self) == len(other) and all(triple in other for triple in self)

    __hash__ = None  # type: ignore[assignment]  # a graph can change

    def __repr__(self) -> str:
        return f"<Graph of {number_of(len(self), 'triple')}>"

    def triples(
        self, subject: Term | None = None, predicate: Term | None = None, object_: Term | None = None
    ) -> Iterator[Triple]:
        """The triples with these parts; None stands for any."""
        s, p, o = (None if part is None else self.key(part) for part in (subject, predicate, object_))
        return map(self.triple, self.rows(s, p, o))

    def mentions(self, term: Term) -> bool:
        """Whether any triple of the graph has this term."""
        key = self.key(term)
        if not isinstance(key, int):  # only added triples can have it
            parts = self._changes.parts
            return key in parts(_S) or key in parts(_O) or key in parts(_P)
        return any(self.count(*(key if i == place else None for i in range(3))) for place in (_S, _P, _O))

    def terms(self) -> Iterator[Term]:
        """Each term of this graph once, in order of appearance."""
        return map(self.term, dict.fromkeys(chain.from_iterable(self.rows())))

    # -- changing the graph --------------------------------------------------------------------------------------

    def add(self, triple: Triple) -> bool:
        """Add a triple; False if the graph has it already."""
        keys = self.keys(triple)
        if self.has(*keys):
            return False
        self.flip(keys)
        return True

    def remove(self, triple: Triple) -> bool:
        """Remove a triple; False if the graph does not have it."""
        keys = self.keys(triple)
        if not self.has(*keys):
            return False
        self.flip(keys)
        return True

    def apply(self, delta: Delta) -> None:
        """Make the change. If the delta does not fit this graph exactly, raise ValueError and change nothing."""
        resolved = self._resolve(delta)
        self._switch(resolved.into, resolved.out_of)

    def revert(self, delta: Delta) -> None:
        """Undo the change: the graph is as it was before `apply`."""
        resolved = self._resolve(delta)
        self._switch(resolved.out_of, resolved.into)

    def fitted(self, delta: Delta) -> Delta:
        """The part of the delta that would change this graph: removals of its triples, and additions that it lacks."""
        return Delta(
            removed=[triple for triple in delta.removed if triple in self],
            added=[triple for triple in delta.added if triple not in self],
        )

    def changes(self) -> Delta:
        """All changes since this graph was loaded."""
        parts: dict[bool, list[Triple]] = {True: [], False: []}
        for keys, added in self._records.items():
            parts[added].append(self.triple(keys))
        return Delta(removed=parts[False], added=parts[True])

    def _switch(self, into: dict[KeyTriple, bool], out_of: dict[KeyTriple, bool]) -> None:
        changed = self._records.keys()
        if not (changed.isdisjoint(into) and changed >= out_of.keys()):
            culprit = next(keys for keys in chain(into, out_of) if (keys in changed) is (keys in into))
            verb = "has" if self.has(*culprit) else "lacks"
            raise ValueError(f"this change does not fit the graph, which {verb} {self.triple(culprit)}")
        self._changes.switch(into, out_of)
        self._findings.clear()

    def _resolve(self, delta: Delta) -> _Resolution:
        """Look up the triples of a delta."""
        if self._resolved is not None and self._resolved.delta is delta:
            return self._resolved
        resolved = self._resolved = _Resolution(delta, {}, {})
        for keys in map(self.keys, delta.removed):
            in_table = self._in_table(keys)
            (resolved.into if in_table else resolved.out_of)[keys] = not in_table
        for keys in map(self.keys, delta.added):
            in_table = self._in_table(keys)
            (resolved.out_of if in_table else resolved.into)[keys] = not in_table
        return resolved

    # -- triples and their keys ----------------------------------------------------------------------------------

    def keys(self, triple: Triple) -> KeyTriple:
        """The keys of a triple's parts."""
        get = self.table.numbers.get
        s, p, o = _parts(triple)
        return get(s, s), get(p, p), get(o, o)

    def triple(self, keys: KeyTriple) -> Triple:
        """The triple with these keys."""
        s, p, o = keys
        terms = self.table.terms
        return Triple(
            terms[s] if type(s) is int else s,  # type: ignore[arg-type]  # each position holds its own kind of term
            terms[p] if type(p) is int else p,  # type: ignore[arg-type]
            terms[o] if type(o) is int else o,  # type: ignore[arg-type]
        )


@functools.cache
def _mark(seed: int) -> str:
    """The part of a name that identifies its seed, so that the results of two campaigns can share a graph."""
    return hashlib.sha256(str(seed).encode()).hexdigest()[:8]


# All mutants of a seed use the same new names. Lookups also find the identical object sooner than an equal one.
@functools.lru_cache(maxsize=1 << 12)
def _iri(namespace: str, mark: str, number: int) -> NamedNode:
    return NamedNode(f"{namespace}n{mark}-{number}")


@functools.lru_cache(maxsize=1 << 12)
def _blank(mark: str, number: int) -> BlankNode:
    return BlankNode(f"n{mark}x{number}")


class FreshNames:
    """Generates names. The same seed and the same graph give the same names on any machine."""

    def __init__(self, graph: Graph, seed: int) -> None:
        self._graph = graph
        self._mark = _mark(seed)
        self._numbers = itertools.count()

    def iri(self, namespace: str = NEW_NAMESPACE) -> NamedNode:
        """An IRI that the graph does not have."""
        while self._graph.mentions(name := _iri(namespace, self._mark, next(self._numbers))):
            pass
        return name

    def blank(self) -> BlankNode:
        """A blank node that the graph does not have."""
        while self._graph.mentions(name := _blank(self._mark, next(self._numbers))):
            pass
        return name


# -- RDF lists; a broken one is not read in part -----------------------------------------------------------------------


_FIRST, _REST, _NIL = RDF.first, RDF.rest, RDF.nil


class BrokenListError(ValueError):
    """Not a list: a cell lacks one of its two parts or has several, or the cells form a cycle."""


@dataclass(frozen=True)
class RdfList:
    """The members of a list, and the triples that make it up."""

    members: tuple[Term, ...]
    triples: tuple[Triple, ...]


def read_list(graph: Graph, head: Term) -> RdfList:
    """The list that begins at this node; `rdf:nil` is the empty list."""
    members: list[Term] = []
    triples: list[Triple] = []
    seen: set[Term] = set()
    cell = head
    while cell != _NIL:
        if cell in seen:
            raise BrokenListError(f"the list at {head} is cyclic")
        seen.add(cell)
        first = _only(graph, cell, _FIRST, head)
        rest = _only(graph, cell, _REST, head)
        members.append(graph.term(first[2]))
        triples += [graph.triple(first), graph.triple(rest)]
        cell = graph.term(rest[2])
    return RdfList(tuple(members), tuple(triples))


def write_list(members: Sequence[Term], fresh: Callable[[], BlankNode]) -> tuple[Subject, list[Triple]]:
    """The head of a new list with these members, and the triples to add for it."""
    cells: list[Subject] = [*(fresh() for _ in members), _NIL]
    triples: list[Triple] = []
    for cell, member, rest in zip(cells, members, cells[1:], strict=False):
        triples += [Triple(cell, _FIRST, member), Triple(cell, _REST, rest)]
    return cells[0], triples


def _only(graph: Graph, cell: Term, predicate: NamedNode, head: Term) -> KeyTriple:
    rows = list(graph.rows(graph.key(cell), graph.key(predicate)))
    if len(rows) != 1:
        raise BrokenListError(f"the list at {head} has {len(rows)} values for {predicate} at {cell}, not one")
    return rows[0]
