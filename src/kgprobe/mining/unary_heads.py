"""Rules whose head has one variable.

The body of such a rule defines a set of nodes, and the rule says that this set is (mostly) part of the head's set.
There are four kinds of bodies: one set, two sets, a relation to a member of a set, and two relations to the same node.
Each kind of body is made for many rules at once, and then counted against the sets of all heads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from kgprobe.mining.budget import Budget
from kgprobe.mining.expansion import Lists, Numbers, chunks, counted, distinct
from kgprobe.mining.findings import Atom, Finding, Head, InSet, Link, Thresholds
from kgprobe.mining.index import Index
from kgprobe.mining.shared_pairs import SharedPairs

__all__ = ["UnaryHeads"]

_A, _B = 0, 1


class UnaryHeads:
    """The search for rules whose head has one variable."""

    def __init__(self, index: Index, thresholds: Thresholds, shared: SharedPairs, budget: Budget) -> None:
        self._index = index
        self._thresholds = thresholds
        self._shared = shared
        self._budget = budget
        sets = index.sets
        # Frequent sets, which alone can be heads, get numbers of their own.
        self._frequent = np.flatnonzero(sets.sizes >= thresholds.least)
        self._sizes = sets.sizes[self._frequent]
        number = np.full(len(sets.sizes), -1)
        number[self._frequent] = np.arange(len(self._frequent))
        kept = sets.of_node.only(number >= 0)
        self._of_node = Lists(kept.start, number[kept.values])

    # -- bodies ----------------------------------------------------------------------------------------------------

    def one_set(self) -> Iterator[Finding]:
        """`?a q D ⇒ ?a p C`"""
        codes, support = self._together
        body, head = np.divmod(codes, len(self._frequent))
        enough = self._thresholds.met(support, self._sizes[body])
        kept = distinct(body[enough])
        bodies = self._index.sets.members.at(self._frequent[kept])
        atoms = [(InSet(_A, place),) for place in self._frequent[kept].tolist()]
        yield from self._findings(bodies, atoms, np.searchsorted(kept, body[enough]), head[enough], support[enough])

    def two_sets(self) -> Iterator[Finding]:
        """`?a q D, ?a r E ⇒ ?a p C`"""
        codes, sizes = self._together
        first, second = np.divmod(codes, len(self._frequent))
        wanted = (first <= second) & (sizes >= self._thresholds.min_body)
        if not self._thresholds.keep_redundant:  # if one set includes the other, it adds nothing
            wanted &= (sizes < self._sizes[first]) & (sizes < self._sizes[second])
        pairs = codes[wanted]
        starts = np.searchsorted(pairs // max(len(self._frequent), 1), np.arange(len(self._frequent) + 1))
        firsts = np.flatnonzero(np.diff(starts))
        members = self._index.sets.members.at(self._frequent[firsts])
        for chunk in chunks(members.sums(self._of_node.sizes)):
            self._budget.check()
            nodes = members.values[members.start[chunk.start] : members.start[chunk.stop]]
            keys = np.repeat(firsts[chunk], members.sizes[chunk])
            seconds, place = self._of_node.expanded(nodes)
            both = keys[place] * len(self._frequent) + seconds
            found = np.minimum(np.searchsorted(pairs, both), len(pairs) - 1)
            kept = np.flatnonzero(pairs[found] == both)
            kept = kept[np.argsort(found[kept], kind="stable")]
            used = distinct(found[kept])
            bodies = Lists.of(np.searchsorted(used, found[kept]), nodes[place[kept]], len(used))
            yield from self._of_two_sets(bodies, *np.divmod(pairs[used], len(self._frequent)))

    def _of_two_sets(self, bodies: Lists, first: Numbers, second: Numbers) -> Iterator[Finding]:
        sets = self._frequent
        atoms = [
            (InSet(_A, one), InSet(_A, other))
            for one, other in zip(sets[first].tolist(), sets[second].tolist(), strict=True)
        ]
        for body, head, support in self._heads(bodies):
            if not self._thresholds.keep_redundant:
                size = bodies.sizes[body]
                better = np.ones(len(body), dtype=bool)
                for part in (first[body], second[body]):
                    better &= support / size > self._support_of(part, head) / self._sizes[part]
                body, head, support = body[better], head[better], support[better]
            yield from self._findings(bodies, atoms, body, head, support)

    def related_to_member(self, relation: int) -> Iterator[Finding]:
        """`?a q ?b, ?b r D ⇒ ?a p C`"""
        sets, thresholds = self._index.sets, self._thresholds
        forward, inverse = self._index.relations[relation], self._index.relations[relation ^ 1]
        candidates, edges = self._index.pairs_from_sets(relation ^ 1)
        wanted = edges >= max(thresholds.least, thresholds.min_body)
        if not thresholds.keep_redundant:
            # With all values of the relation in the set, the set adds nothing. With one node in the set, there is a
            # shorter rule about this node.
            wanted &= (edges < len(forward)) & ~self._index.is_fact(relation)[candidates]
        candidates = candidates[wanted]
        for chunk in chunks(edges[wanted]):
            self._budget.check()
            numbers = candidates[chunk]
            members = sets.members.at(numbers)
            values, place = inverse.expanded(members.values)
            codes = distinct(members.keys()[place] * self._index.nodes + values)
            keys, values = np.divmod(codes, self._index.nodes)
            bodies = Lists.of(keys, values, len(numbers))
            atoms = [(Link(relation, _A, _B), InSet(_B, number)) for number in numbers.tolist()]
            yield from self._better_than_parts(bodies, atoms, [relation])

    def related_twice(self) -> Iterator[Finding]:
        """`?a q ?b, ?a r ?b ⇒ ?a p C`"""
        if not len(self._frequent):
            return
        for first, second, pairs in self._shared.pairs_of_two(max(self._thresholds.least, self._thresholds.min_body)):
            self._budget.check()
            nodes = distinct(pairs // self._index.nodes)
            bodies = Lists(np.array([0, len(nodes)]), nodes)
            atoms = [(Link(first, _A, _B), Link(second, _A, _B))]
            yield from self._better_than_parts(bodies, atoms, [first, second])

    def _better_than_parts(
        self, bodies: Lists, atoms: Sequence[tuple[Atom, ...]], relations: Sequence[int]
    ) -> Iterator[Finding]:
        """What follows from bodies, but not with the same confidence from having one of the relations alone."""
        for body, head, support in self._heads(bodies):
            if not self._thresholds.keep_redundant:
                better = np.ones(len(body), dtype=bool)
                for relation in relations:
                    better &= support / bodies.sizes[body] > self._confidence_of_domain(relation)[head]
                body, head, support = body[better], head[better], support[better]
            yield from self._findings(bodies, atoms, body, head, support)

    # -- counts ----------------------------------------------------------------------------------------------------

    @cached_property
    def _together(self) -> tuple[Numbers, Numbers]:
        """The pairs of frequent sets, as codes, with enough common nodes, and how many these are."""
        members = self._index.sets.members.at(self._frequent)
        found = [(body * len(self._frequent) + head, count) for body, head, count in self._counts(members)]
        if not found:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        return np.concatenate([codes for codes, _ in found]), np.concatenate([counts for _, counts in found])

    def _support_of(self, body: Numbers, head: Numbers) -> Numbers:
        """How many nodes frequent sets have in common. The pairs are all among `_together`."""
        codes, counts = self._together
        return counts[np.searchsorted(codes, body * len(self._frequent) + head)]

    def _confidence_of_domain(self, relation: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """For each frequent set, the share of the nodes with this relation that are in the set."""
        if relation not in self._of_domains:
            domain = self._index.relations[relation].domain
            sets, _ = self._of_node.expanded(domain)
            self._of_domains[relation] = np.bincount(sets, minlength=len(self._frequent)) / len(domain)
        return self._of_domains[relation]

    @cached_property
    def _of_domains(self) -> dict[int, np.ndarray[tuple[int], np.dtype[np.float64]]]:
        return {}

    def _heads(self, bodies: Lists) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
        """The numbers of bodies, the heads that follow from them with enough confidence, and the supports."""
        for body, head, support in self._counts(bodies):
            enough = self._thresholds.met(support, bodies.sizes[body])
            yield body[enough], head[enough], support[enough]

    def _counts(self, bodies: Lists) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
        """The numbers of bodies, frequent sets, and how many nodes they share, if these are enough."""
        frequent = len(self._frequent)
        for chunk in chunks(bodies.sums(self._of_node.sizes)):
            self._budget.check()
            nodes = bodies.values[bodies.start[chunk.start] : bodies.start[chunk.stop]]
            keys = np.repeat(np.arange(chunk.stop - chunk.start), bodies.sizes[chunk])
            heads, place = self._of_node.expanded(nodes)
            codes, counts = counted(keys[place] * frequent + heads, (chunk.stop - chunk.start) * frequent)
            enough = counts >= self._thresholds.least
            body, head = np.divmod(codes[enough], max(frequent, 1))
            yield body + chunk.start, head, counts[enough]

    # -- findings --------------------------------------------------------------------------------------------------

    @cached_property
    def _relations(self) -> Lists:
        """The relations of the items of each frequent set."""
        sets = self._index.sets
        items = sets.items.at(self._frequent)
        number = max(len(self._index.relations), 1)
        codes = distinct(items.keys() * number + sets.relation[items.values])
        keys, relations = np.divmod(codes, number)
        return Lists.of(keys, relations, len(self._frequent))

    def _findings(
        self, bodies: Lists, atoms: Sequence[tuple[Atom, ...]], body: Numbers, head: Numbers, support: Numbers
    ) -> Iterator[Finding]:
        large = self._sizes[head] >= self._thresholds.min_head
        body, head, support = body[large], head[large], support[large]
        if not len(body):
            return
        relations, place = self._relations.expanded(head)
        body, head, support = body[place], head[place], support[place]
        columns = (
            body,
            self._frequent[head],
            relations,
            support,
            bodies.sizes[body],
            self._sizes[head],
            self._with_relation(bodies, body, relations),
        )
        for each, set_, relation, *counts in zip(*(column.tolist() for column in columns), strict=True):
            yield Finding(atoms[each], Head(relation, set_), *counts)

    def _with_relation(self, bodies: Lists, body: Numbers, relations: Numbers) -> Numbers:
        """How many nodes of a body have a relation to any node."""
        number = len(self._index.relations)
        wanted = body * number + relations
        codes, places = np.unique(wanted, return_inverse=True)
        result = np.zeros(len(codes), dtype=np.int64)
        used = distinct(body)
        of_nodes = self._index.relations_of_nodes
        used_bodies = bodies.at(used)
        for chunk in chunks(used_bodies.sums(of_nodes.sizes)):
            self._budget.check()
            nodes = used_bodies.values[used_bodies.start[chunk.start] : used_bodies.start[chunk.stop]]
            keys = np.repeat(used[chunk], used_bodies.sizes[chunk])
            found, place = of_nodes.expanded(nodes)
            made, counts = counted(keys[place] * number + found, len(bodies) * number)
            where = np.minimum(np.searchsorted(codes, made), len(codes) - 1)
            hit = codes[where] == made
            result[where[hit]] += counts[hit]
        counts_of_each: Numbers = result[places.reshape(-1)]
        return counts_of_each
