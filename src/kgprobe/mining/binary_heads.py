"""Rules whose head has two variables, except for paths.

The body is one relation; two relations; a relation with one of its ends in a set; or two sets, one for each variable.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kgprobe.mining.budget import Budget
from kgprobe.mining.expansion import Flags, Numbers, chunks, counted
from kgprobe.mining.findings import Finding, InSet, Link, Thresholds
from kgprobe.mining.index import Index
from kgprobe.mining.shared_pairs import SharedPairs

__all__ = ["BinaryHeads"]

_A, _B = 0, 1


class BinaryHeads:
    """The search for rules whose head has two variables."""

    def __init__(self, index: Index, thresholds: Thresholds, shared: SharedPairs, budget: Budget) -> None:
        self._index = index
        self._thresholds = thresholds
        self._shared = shared
        self._budget = budget
        least = max(thresholds.least, thresholds.min_head)
        self.heads = [n for n in range(0, len(index.relations), 2) if len(index.relations[n]) >= least]

    def one_relation(self) -> Iterator[Finding]:
        """`?a q ?b ⇒ ?a p ?b` and `?b q ?a ⇒ ?a p ?b`"""
        heads = set(self.heads)
        for (relation, head), support in self._shared.counts.items():
            if head in heads:
                pairs = self._index.relations[relation]
                if self._thresholds.met_by(support, len(pairs)):
                    pca = int(pairs.degrees_of(self._index.relations[head].domain).sum())
                    yield self._finding((Link(relation, _A, _B),), head, support, len(pairs), pca)

    def two_relations(self) -> Iterator[Finding]:
        """`?a q ?b, ?a r ?b ⇒ ?a p ?b`, with each relation in both directions"""
        heads = set(self.heads)
        counts = self._shared.counts
        relations = self._index.relations
        for first, second, pairs in self._shared.pairs_of_two(max(self._thresholds.least, self._thresholds.min_body)):
            self._budget.check()
            size = len(pairs)
            for head, support in zip(*(each.tolist() for each in self._shared.heads_of(pairs)), strict=True):
                if head not in heads or head in (first, second) or not self._thresholds.met_by(support, size):
                    continue
                parts = (counts[each, head] / len(relations[each]) for each in (first, second))
                if not self._thresholds.keep_redundant and support / size <= max(parts):
                    continue
                pca = int(np.count_nonzero(relations[head].holds_for(pairs // self._index.nodes)))
                body = (Link(first, _A, _B), Link(second, _A, _B))
                yield self._finding(body, head, support, size, pca)

    def relation_and_set(self) -> Iterator[Finding]:
        """`?a q ?b, ?a r D ⇒ ?a p ?b` and `?a q ?b, ?b r D ⇒ ?a p ?b`, with q in both directions"""
        heads = set(self.heads if len(self._index.sets.sizes) else ())
        for (relation, head), common in self._shared.counts.items():
            if head not in heads or common < self._thresholds.least:
                continue
            share = common / len(self._index.relations[relation])
            if share < 1 or self._thresholds.keep_redundant:
                pairs = self._shared.common(relation, head)
                for variable in (_A, _B):
                    yield from self._restricted(relation, head, pairs, variable, share)

    def _restricted(self, relation: int, head: int, pairs: Numbers, variable: int, share: float) -> Iterator[Finding]:
        """Rules with this relation in the body and this head, whose variable is also in a set."""
        self._budget.check()
        sets, thresholds = self._index.sets, self._thresholds
        both = self._index.relations[relation]
        ends = np.divmod(pairs, self._index.nodes)[variable]
        support = np.zeros(len(sets.sizes), dtype=np.int64)
        for chunk in chunks(sets.of_node.sizes[ends]):
            self._budget.check()
            found, _ = sets.of_node.expanded(ends[chunk])
            support += np.bincount(found, minlength=len(support))
        candidates = np.flatnonzero(support >= thresholds.least)
        if not len(candidates):
            return
        known = self._index.relations[head].holds_for(both.x)
        degrees = np.bincount((both.x, both.y)[variable], minlength=self._index.nodes)
        of_known = np.bincount((both.x, both.y)[variable][known], minlength=self._index.nodes)
        members = sets.members.at(candidates)
        support, size = support[candidates], members.sums(degrees)
        enough = thresholds.met(support, size)
        if not thresholds.keep_redundant:
            known_node = relation ^ 1 if variable == _A else relation
            fact = self._are_facts(head, variable, candidates) & self._index.is_fact(known_node)[candidates]
            enough &= (support / size > share) & ~fact
        columns = (candidates, support, size, members.sums(of_known))
        for number, *counts in zip(*(column[enough].tolist() for column in columns), strict=True):
            yield self._finding((Link(relation, _A, _B), InSet(variable, number)), head, *counts)

    def two_sets(self, head: int) -> Iterator[Finding]:
        """`?a q D, ?b r E ⇒ ?a p ?b`"""
        sets, thresholds, nodes = self._index.sets, self._thresholds, self._index.nodes
        forward = self._index.relations[head]
        firsts, of_first = self._index.pairs_from_sets(head)
        seconds, of_second = self._index.pairs_from_sets(head ^ 1)
        first_wanted, second_wanted = of_first >= thresholds.least, of_second >= thresholds.least
        if not thresholds.keep_redundant:
            first_wanted &= ~self._are_facts(head, _A, firsts)
            second_wanted &= ~self._are_facts(head, _B, seconds)
        firsts, of_first = firsts[first_wanted], of_first[first_wanted]
        is_second = np.zeros(len(sets.sizes), dtype=bool)
        is_second[seconds[second_wanted]] = True
        for chunk in chunks(of_first):
            self._budget.check()
            numbers = firsts[chunk]
            members = sets.members.at(numbers)
            values, place = forward.expanded(members.values)
            codes, counts = counted(members.keys()[place] * nodes + values, len(numbers) * nodes)
            keys, values = np.divmod(codes, nodes)
            # A set of values has a value that enough members of the first set have: more than the average has.
            sizes = sets.sizes[numbers]
            most = np.zeros(len(numbers), dtype=np.int64)
            np.maximum.at(most, keys, counts)
            can = most >= thresholds.min_confidence * sizes - 1e-9
            kept = can[keys]
            yield from self._with_second_set(head, numbers, keys[kept], values[kept], counts[kept], is_second)

    def _with_second_set(
        self, head: int, numbers: Numbers, keys: Numbers, values: Numbers, counts: Numbers, is_second: Flags
    ) -> Iterator[Finding]:
        """For first sets and the values of their members, the second sets that have enough of these values."""
        sizes, of_node = self._index.sets.sizes, self._index.sets.of_node
        number = len(sizes)
        starts = np.searchsorted(keys, np.arange(len(numbers) + 1))
        rows = np.concatenate(([0], np.cumsum(of_node.start[values + 1] - of_node.start[values])))[starts]
        for chunk in chunks(np.diff(rows)):
            self._budget.check()
            part = slice(starts[chunk.start], starts[chunk.stop])
            found, place = of_node.expanded(values[part])
            wanted = is_second[found]
            found, place = found[wanted], place[wanted]
            codes = keys[part][place] * number + found
            order = np.argsort(codes, kind="stable")
            codes, weights = codes[order], counts[part][place][order]
            firsts = np.flatnonzero(np.diff(codes, prepend=-1))
            support = np.add.reduceat(weights, firsts) if len(firsts) else firsts
            key, second = np.divmod(codes[firsts], number)
            first = numbers[key]
            size = sizes[first] * sizes[second]
            enough = self._thresholds.met(support, size)
            first, second, support, size = first[enough], second[enough], support[enough], size[enough]
            members = self._index.sets.members.at(first)
            with_value = members.totals(self._index.relations[head].holds_for(members.values).astype(np.int64))
            columns = (first, second, support, size, with_value * sizes[second])
            for one, other, *found_counts in zip(*(column.tolist() for column in columns), strict=True):
                yield self._finding((InSet(_A, one), InSet(_B, other)), head, *found_counts)

    def _are_facts(self, head: int, variable: int, numbers: Numbers) -> Flags:
        """Which sets have one node only, and a shorter rule has this node in place of the variable of the head."""
        sets = self._index.sets
        known = head ^ 1 if variable == _A else head
        sizes = self._index.relations[known ^ 1].degrees_of(sets.members.values[sets.members.start[numbers]])
        return self._index.is_fact(known)[numbers] & (sizes >= self._thresholds.min_head)

    def _finding(self, body: tuple[Link | InSet, ...], head: int, support: int, size: int, pca: int) -> Finding:
        return Finding(body, Link(head, _A, _B), support, size, len(self._index.relations[head]), pca)
