"""The heads of rules: those about two variables, and those about one variable and a constant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from kgprobe.mining.index import Flags, Index, Lists, Numbers, chunks, counted, distinct, merged
from kgprobe.mining.rules import Atom, Budget, Finding, Head, RelationAtom, SetAtom, Thresholds


class SharedPairs:
    """The pairs of nodes with two relations or more."""

    def __init__(self, index: Index, least: int, budget: Budget) -> None:
        """`least` is the smallest number of common pairs that is of interest."""
        self._index = index
        self._least = least
        self._budget = budget
        pairs = index.pairs
        several = np.flatnonzero(pairs.relations.sizes > 1)
        self.codes: Numbers = pairs.codes[several]
        self.relations: Lists = pairs.relations.at(several)

    @cached_property
    def counts(self) -> dict[tuple[int, int], int]:
        """How many pairs two different relations have in common, in both orders, if these are enough."""
        number = len(self._index.relations)
        parts = [counted(ones * number + others, number * number) for ones, others in self._twos(self.relations)]
        if not parts:
            return {}
        codes, totals = merged(parts)
        enough = totals >= self._least
        frequent = zip(codes[enough].tolist(), totals[enough].tolist(), strict=True)
        return {divmod(code, number): total for code, total in frequent}

    def pairs_of_two(self, least: int) -> Iterator[tuple[int, int, Numbers]]:
        """Two relations, the smaller number first, and the pairs that they have in common, if these are enough."""
        for (first, second), count in self.counts.items():
            if first < second and count >= least:
                yield first, second, self.common(first, second)

    def common(self, first: int, second: int) -> Numbers:
        """The pairs that two relations have in common, as codes in order."""
        return self.codes[np.intersect1d(self._of(first), self._of(second), assume_unique=True)]

    def _of(self, relation: int) -> Numbers:
        return self._by_relation[relation]

    @cached_property
    def _by_relation(self) -> Lists:
        """For each relation, the places of its pairs among those with several relations."""
        order = np.argsort(self.relations.values, kind="stable")
        return Lists.of(self.relations.values[order], self.relations.keys()[order], len(self._index.relations))

    def _twos(self, relations: Lists) -> Iterator[tuple[Numbers, Numbers]]:
        """Each two different relations of a pair, in both orders."""
        for chunk in chunks(relations.sizes**2):
            self._budget.check()
            keys = np.repeat(np.arange(chunk.start, chunk.stop), relations.sizes[chunk])
            ones = relations.values[relations.start[chunk.start] : relations.start[chunk.stop]]
            others, place = relations.expanded(keys)
            different = ones[place] != others
            yield ones[place][different], others[different]

    def heads_of(self, pairs: Numbers) -> tuple[Numbers, Numbers]:
        """The relations of some pairs with several relations, and how many of the pairs have them."""
        heads, _ = self.relations.expanded(np.searchsorted(self.codes, pairs))
        return counted(heads, len(self._index.relations))


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
                    yield self._finding((RelationAtom(relation, _A, _B),), head, support, len(pairs), pca)

    def two_relations(self) -> Iterator[Finding]:
        """`?a q ?b, ?a r ?b ⇒ ?a p ?b`, with each relation in both directions"""
        heads = set(self.heads)
        counts = self._shared.counts
        relations = self._index.relations
        for first, second, pairs in self._shared.pairs_of_two(max(self._thresholds.least, self._thresholds.min_body)):
            self._budget.check()
            size = len(pairs)
            for head, support in zip(*(column.tolist() for column in self._shared.heads_of(pairs)), strict=True):
                if head not in heads or head in (first, second) or not self._thresholds.met_by(support, size):
                    continue
                parts = (counts[relation, head] / len(relations[relation]) for relation in (first, second))
                if not self._thresholds.keep_redundant and support / size <= max(parts):
                    continue
                pca = int(np.count_nonzero(relations[head].holds_for(pairs // self._index.nodes)))
                body = (RelationAtom(first, _A, _B), RelationAtom(second, _A, _B))
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
            items, _ = sets.of_node.expanded(ends[chunk])
            support += np.bincount(items, minlength=len(support))
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
            yield self._finding((RelationAtom(relation, _A, _B), SetAtom(variable, number)), head, *counts)

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
            sets, place = of_node.expanded(values[part])
            wanted = is_second[sets]
            sets, place = sets[wanted], place[wanted]
            codes = keys[part][place] * number + sets
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
                yield self._finding((SetAtom(_A, one), SetAtom(_B, other)), head, *found_counts)

    def _are_facts(self, head: int, variable: int, numbers: Numbers) -> Flags:
        """Which sets have one node only, and a shorter rule has this node in place of the variable of the head."""
        sets = self._index.sets
        known = head ^ 1 if variable == _A else head
        sizes = self._index.relations[known ^ 1].degrees_of(sets.members.values[sets.members.start[numbers]])
        return self._index.is_fact(known)[numbers] & (sizes >= self._thresholds.min_head)

    def _finding(
        self, body: tuple[RelationAtom | SetAtom, ...], head: int, support: int, size: int, pca: int
    ) -> Finding:
        return Finding(body, RelationAtom(head, _A, _B), support, size, len(self._index.relations[head]), pca)


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
        atoms = [(SetAtom(_A, place),) for place in self._frequent[kept].tolist()]
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
            places = np.minimum(np.searchsorted(pairs, both), len(pairs) - 1)
            kept = np.flatnonzero(pairs[places] == both)
            kept = kept[np.argsort(places[kept], kind="stable")]
            used = distinct(places[kept])
            bodies = Lists.of(np.searchsorted(used, places[kept]), nodes[place[kept]], len(used))
            yield from self._of_two_sets(bodies, *np.divmod(pairs[used], len(self._frequent)))

    def _of_two_sets(self, bodies: Lists, first: Numbers, second: Numbers) -> Iterator[Finding]:
        sets = self._frequent
        atoms = [
            (SetAtom(_A, one), SetAtom(_A, other))
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
            atoms = [(RelationAtom(relation, _A, _B), SetAtom(_B, number)) for number in numbers.tolist()]
            yield from self._better_than_parts(bodies, atoms, [relation])

    def related_twice(self) -> Iterator[Finding]:
        """`?a q ?b, ?a r ?b ⇒ ?a p C`"""
        if not len(self._frequent):
            return
        for first, second, pairs in self._shared.pairs_of_two(max(self._thresholds.least, self._thresholds.min_body)):
            self._budget.check()
            nodes = distinct(pairs // self._index.nodes)
            bodies = Lists(np.array([0, len(nodes)]), nodes)
            atoms = [(RelationAtom(first, _A, _B), RelationAtom(second, _A, _B))]
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
        pairs = [(body * len(self._frequent) + head, count) for body, head, count in self._counts(members)]
        if not pairs:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        return np.concatenate([codes for codes, _ in pairs]), np.concatenate([counts for _, counts in pairs])

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
        for atom, set_, relation, *counts in zip(*(column.tolist() for column in columns), strict=True):
            yield Finding(atoms[atom], Head(relation, set_), *counts)

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
            others, place = of_nodes.expanded(nodes)
            made, counts = counted(keys[place] * number + others, len(bodies) * number)
            where = np.minimum(np.searchsorted(codes, made), len(codes) - 1)
            hit = codes[where] == made
            result[where[hit]] += counts[hit]
        counts_of_each: Numbers = result[places.reshape(-1)]
        return counts_of_each
