"""A program that answers questions exactly from what follows from a graph. It shares no code with the generator.

It reads triples of short names, closes them by plain loops, and takes a question apart by the words of the relations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

Triple = tuple[str, str, str]
TYPE = "type"


@dataclass(frozen=True)
class World:
    """What is known: triples, axioms, names, and the words of the relations (article, noun, preposition, turned)."""

    triples: frozenset[Triple]
    traits: frozenset[tuple[str, str]] = frozenset()
    sub_properties: frozenset[tuple[str, str]] = frozenset()
    inverses: frozenset[tuple[str, str]] = frozenset()
    chains: frozenset[tuple[tuple[str, ...], str]] = frozenset()
    domains: frozenset[tuple[str, str]] = frozenset()
    ranges: frozenset[tuple[str, str]] = frozenset()
    sub_classes: frozenset[tuple[str, str]] = frozenset()
    disjoint_classes: frozenset[tuple[str, str]] = frozenset()
    disjoint_properties: frozenset[tuple[str, str]] = frozenset()
    same: frozenset[tuple[str, str]] = frozenset()
    different: frozenset[tuple[str, str]] = frozenset()
    closed: frozenset[str] = frozenset()
    unique_names: bool = False
    names: Mapping[str, str] = field(default_factory=dict)  # from a name to its thing
    words: Mapping[str, tuple[str, str, str, bool]] = field(default_factory=dict)
    nouns: Mapping[str, str] = field(default_factory=dict)  # from a noun to its class

    # ---- what follows

    @cached_property
    def closure(self) -> tuple[frozenset[Triple], Mapping[str, str]]:
        """All triples that follow, by the things that stand for others, and those."""
        return self.closed_with(())

    def closed_with(self, more: Iterable[Triple], *, merging: bool = True) -> tuple[frozenset[Triple], dict[str, str]]:
        """The closure of the triples and some more; `merging`: functional relations make things the same."""
        facts = set(self.triples) | set(more)
        same = {name: name for triple in facts for name in (triple[0], triple[2])}
        pairs = set(self.same)
        while True:
            for a, b in pairs:
                low, high = sorted((same.get(a, a), same.get(b, b)))
                if low != high:
                    same.update({name: low for name in (*same, a, b) if same.get(name, name) == high})
            facts = {(same.get(s, s), p, same.get(o, o)) for s, p, o in facts}
            new = set(self._steps(facts)) - facts
            pairs = set(self._merges(facts)) if merging else set()
            pairs = {(a, b) for a, b in pairs if same.get(a, a) != same.get(b, b)}
            if not new and not pairs:
                return frozenset(facts), same
            facts |= new

    def _steps(self, facts: set[Triple]) -> Iterator[Triple]:
        of: dict[str, list[tuple[str, str]]] = {}
        for s, p, o in facts:
            of.setdefault(p, []).append((s, o))
        for p in self._with("symmetric"):
            yield from ((o, p, s) for s, o in of.get(p, ()))
        for p in self._with("transitive"):
            yield from ((s, p, o) for (s, m), (n, o) in product(of.get(p, ()), repeat=2) if m == n)
        for p, q in self.sub_properties:
            yield from ((s, q, o) for s, o in of.get(p, ()))
        for p, q in self.inverses:
            yield from ((o, q, s) for s, o in of.get(p, ()))
            yield from ((o, p, s) for s, o in of.get(q, ()))
        for path, q in self.chains:
            ends = set(of.get(path[0], ()))
            for step in path[1:]:
                ends = {(s, o) for (s, m), (n, o) in product(ends, of.get(step, ())) if m == n}
            yield from ((s, q, o) for s, o in ends)
        yield from self._types(of)

    def _with(self, trait: str) -> list[str]:
        return [p for p, given in self.traits if given == trait]

    def _types(self, of: Mapping[str, Sequence[tuple[str, str]]]) -> Iterator[Triple]:
        for p, c in self.domains:
            yield from ((s, TYPE, c) for s, _ in of.get(p, ()))
        for p, c in self.ranges:
            yield from ((o, TYPE, c) for _, o in of.get(p, ()))
        for c, d in self.sub_classes:
            yield from ((s, TYPE, d) for s, o in of.get(TYPE, ()) if o == c)

    def _merges(self, facts: set[Triple]) -> Iterator[tuple[str, str]]:
        for p, trait in self.traits:
            if trait in ("functional", "inverse-functional"):
                pairs = [(s, o) if trait == "functional" else (o, s) for s, q, o in facts if q == p]
                yield from ((a, b) for (k, a), (j, b) in product(pairs, repeat=2) if k == j and a < b)

    # ---- whether something is a contradiction

    def is_contradictory(self, more: Iterable[Triple] = ()) -> bool:
        """Whether the triples and some more contradict the axioms."""
        facts, same = self.closed_with(more)
        members: dict[str, set[str]] = {}
        for s, p, o in facts:
            if p == TYPE:
                members.setdefault(o, set()).add(s)
        return (
            any((o, p, s) in facts for s, p, o in facts if (p, "asymmetric") in self.traits)
            or any(s == o for s, p, o in facts if (p, "irreflexive") in self.traits)
            or any(members.get(c, set()) & members.get(d, set()) for c, d in self.disjoint_classes)
            or any((s, q, o) in facts for s, p, o in facts for r, q in self.disjoint_properties if p == r)
            or any(same.get(a, a) == same.get(b, b) for a, b in self.different)
            or (self.unique_names and self._has_merged(same))
        )

    def _has_merged(self, same: Mapping[str, str]) -> bool:
        stated = self.closed_with((), merging=False)[1]
        groups: dict[str, set[str]] = {}
        for name, top in same.items():
            groups.setdefault(top, set()).add(stated.get(name, name))
        return any(len(each) > 1 for each in groups.values())

    # ---- claims

    def follows(self, subject: str, path: Iterable[str], object_: str) -> bool:
        """Whether a claim is in the closure."""
        return self._same(object_) in self.ends({subject}, path)

    def ends(self, starts: Iterable[str], path: Iterable[str]) -> set[str]:
        """The things at the end of a path."""
        here = {self._same(each) for each in starts}
        for step in path:
            here = {o for each in here for o in self._values[step].get(each, ())}
        return here

    @cached_property
    def _values(self) -> Mapping[str, Mapping[str, set[str]]]:
        found: dict[str, dict[str, set[str]]] = {p: {} for p in (*self.words, TYPE)}
        for s, p, o in self.closure[0]:
            found.setdefault(p, {}).setdefault(s, set()).add(o)
        return found

    def _same(self, thing: str) -> str:
        return self.closure[1].get(thing, thing)

    # ---- texts

    def answer(self, question: str) -> str:
        """The answer to a question in English: yes or no."""
        if found := re.fullmatch(r"Is (\S+) (?:the|an) alternative name for (\S+)\?", question):
            return _yes(self._same(self.names[found[1]]) == self._same(self.names[found[2]]))
        if found := re.fullmatch(r"Are there at least (\d+) (\w+)s (\w+) (.+)\?", question):
            relation = self._worded(found[2], found[3], turned=False)
            return _yes(len(self.ends(self._described(found[4]), [relation])) >= int(found[1]))
        if found := re.fullmatch(r"Is (.+) an? (\w+) (\w+) at least (\d+) different things\?", question):
            relation = self._worded(found[2], found[3], turned=True)
            return _yes(len(self.ends(self._described(found[1]), [relation])) >= int(found[4]))
        if found := re.fullmatch(r"Is (.+), and is (.+)\?", question):
            return _yes(self._holds(found[1]) and self._holds(found[2]))
        if found := re.fullmatch(r"Is (.+) both (.+) and (.+)\?", question):
            return _yes(self._holds(f"{found[1]} {found[2]}") and self._holds(f"{found[1]} {found[3]}"))
        found = re.fullmatch(r"Is (.+)\?", question)
        assert found, question
        return _yes(self._holds(found[1]))

    def _holds(self, clause: str) -> bool:
        """Whether "X the author of Y" or "X a city" is true. The first name ends the subject."""
        words = clause.split(" ")
        end = next(number for number, word in enumerate(words) if word in self.names) + 1
        subject, rest = " ".join(words[:end]), words[end:]
        things = self._described(subject)
        assert len(things) == 1, clause
        if rest[-1] in self.nouns:
            assert len(rest) == 2, clause
            return self._same(self.nouns[rest[-1]]) in self.ends(things, [TYPE])
        article, noun, preposition, *of = rest
        relation, is_turned = self._relation(noun, preposition)
        described = self._described(" ".join(of))
        if is_turned:
            assert article != "the" or len(self._starts(relation, described)) <= 1, clause
            return bool(described & self.ends(things, [relation]))
        return bool(things & self._values_of(article, relation, described, clause))

    def _nearest(self, values: set[str], relation: str) -> set[str]:
        """The values without those that only continue another one, as the region around a birth place does."""
        further = [path[1] for path, end in self.chains if len(path) == 2 and path[0] == relation == end != path[1]]
        return {
            value
            for value in values
            if not any(value in self.ends([other], [step]) for step in further for other in values - {value})
        }

    def _starts(self, relation: str, things: Iterable[str]) -> set[str]:
        return {s for s, p, o in self.closure[0] if p == relation and o in things}

    def _described(self, text: str) -> set[str]:
        """The things that a name, or "the author of Emma", stands for."""
        if text in self.names:
            return {self._same(self.names[text])}
        article, noun, preposition, rest = text.split(" ", 3)
        relation, is_turned = self._relation(noun, preposition)
        assert not is_turned, text
        return self._values_of(article, relation, self._described(rest), text)

    def _values_of(self, article: str, relation: str, things: Iterable[str], text: str) -> set[str]:
        """The values of a relation. "The maker of a keeper of X" is the only maker of one of several keepers."""
        each = [self._nearest(self.ends([thing], [relation]), relation) for thing in things]
        every = self.ends(things, [relation])
        only = set().union(*(values for values in each if len(values) == 1))
        several = set().union(*(values for values in each if len(values) > 1))
        assert article != "the" or only or not several, text
        return every if article != "the" or not several else only

    def _relation(self, noun: str, preposition: str) -> tuple[str, bool]:
        [found] = [(relation, words[3]) for relation, words in self.words.items() if words[1:3] == (noun, preposition)]
        return found

    def _worded(self, noun: str, preposition: str, *, turned: bool) -> str:
        relation, is_turned = self._relation(noun, preposition)
        assert is_turned == turned
        return relation


def _yes(value: bool) -> str:
    return "yes" if value else "no"
