"""Rules by brute force: every combination of atoms is tried, and its matches are listed one by one.

Nothing here is shared with the search that it checks, except for the values that it returns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import TypeAlias

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import BlankNode, NamedNode, Term, Triple

__all__ = ["BruteForce", "Counts", "RuleKey"]

RuleKey: TypeAlias = tuple[frozenset[str], str]
Match: TypeAlias = dict[Variable, Term]

_NAMES = [Variable(name) for name in "abcd"]


@dataclass(frozen=True)
class Counts:
    """The counts of a rule."""

    support: int
    body_size: int
    head_size: int
    pca_body_size: int


@dataclass(frozen=True)
class Candidate:
    """A rule of the language."""

    body: tuple[TriplePattern, ...]
    head: TriplePattern

    @property
    def key(self) -> RuleKey:
        """The rule as text, whatever the order of its atoms."""
        return frozenset(map(text, self.body)), text(self.head)


class BruteForce:
    """All rules of a graph, with their counts."""

    def __init__(self, graph: Graph, *, constants: str = "all", max_atoms: int = 3) -> None:
        self.triples: list[tuple[Term, NamedNode, Term]] = [_parts(each) for each in graph]
        self.constants = constants
        self.max_atoms = max_atoms

    def rules(
        self, *, min_support: int, min_body: int, min_head: int, min_confidence: float, keep_redundant: bool
    ) -> dict[RuleKey, Counts]:
        """The rules that meet the thresholds."""
        found: dict[RuleKey, Counts] = {}
        for rule, counts in self._supported:
            if (
                counts.support >= min_support
                and counts.body_size >= min_body
                and counts.head_size >= min_head
                and counts.support / counts.body_size >= min_confidence
            ) and (keep_redundant or not self.is_redundant(rule, counts, min_head)):
                assert rule.key not in found, "each rule once"
                found[rule.key] = counts
        return found

    @cached_property
    def _supported(self) -> list[tuple[Candidate, Counts]]:
        """All rules with a support, and their counts."""
        rules = (Candidate(body, head) for head in self._heads for body in self._bodies(head))
        counted = ((rule, self.counts(rule.body, rule.head)) for rule in rules)
        return [(rule, counts) for rule, counts in counted if counts.support]

    # -- the language ------------------------------------------------------------------------------------------------

    @cached_property
    def _atoms(self) -> list[TriplePattern]:
        """All atoms with variables a to d, and the constants of the graph, that match some triple."""
        subjects = {s for s, _, _ in self.triples if not isinstance(s, BlankNode)} if self.constants == "all" else ()
        objects = {o for _, _, o in self.triples if not isinstance(o, BlankNode)} if self.constants != "none" else ()
        predicates = sorted({p for _, p, _ in self.triples}, key=str)
        atoms = [
            (s, p, o)
            for s, p, o in product(
                [*_NAMES, *sorted(subjects, key=str)], predicates, [*_NAMES, *sorted(objects, key=str)]
            )
            if s != o or not isinstance(s, Variable)  # no variable twice in one atom
        ]
        return [atom for atom in atoms if variables(atom) and self.matches([atom])]

    @property
    def _heads(self) -> Iterator[TriplePattern]:
        """The heads, whose variables are called a and b in order."""
        for atom in self._atoms:
            if [each.name for each in variables(atom)] in (["a"], ["a", "b"]):
                yield atom

    def _bodies(self, head: TriplePattern) -> Iterator[tuple[TriplePattern, ...]]:
        for size in range(1, self.max_atoms):
            for body in combinations(self._atoms_for(head), size):
                if _is_rule(body, head) and not _is_renamed(body, head):
                    yield body

    def _atoms_for(self, head: TriplePattern) -> list[TriplePattern]:
        return [atom for atom in self._atoms if atom != head]

    # -- matches -----------------------------------------------------------------------------------------------------

    def matches(self, atoms: Sequence[TriplePattern]) -> list[Match]:
        """All matches of some atoms."""
        key = tuple(map(text, atoms))
        if key not in self._known:
            self._known[key] = list(self._search(atoms, {}))
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[str, ...], list[Match]]:
        return {}

    def _search(self, atoms: Sequence[TriplePattern], match: Match) -> Iterator[Match]:
        if not atoms:
            yield match
            return
        for triple in self.triples:
            extended = dict(match)
            for part, term in zip(atoms[0], triple, strict=True):
                if isinstance(part, Variable):
                    if extended.setdefault(part, term) != term:
                        break
                elif part != term:
                    break
            else:
                yield from self._search(atoms[1:], extended)

    def counts(self, body: Sequence[TriplePattern], head: TriplePattern) -> Counts:
        """The counts of a rule."""
        names = variables(head)
        bindings = {tuple(match[name] for name in names) for match in self.matches(body)}
        heads = {tuple(match[name] for name in names) for match in self.matches([head])}
        subject, predicate, object_ = head
        if isinstance(subject, Variable):
            place, values = names.index(subject), {s for s, p, _ in self.triples if p == predicate}
        else:
            assert isinstance(object_, Variable)
            place, values = names.index(object_), {o for _, p, o in self.triples if p == predicate}
        return Counts(
            support=len(bindings & heads),
            body_size=len(bindings),
            head_size=len(heads),
            pca_body_size=sum(binding[place] in values for binding in bindings),
        )

    # -- redundancy --------------------------------------------------------------------------------------------------

    def is_redundant(self, rule: Candidate, counts: Counts, min_head: int) -> bool:
        """Whether a rule is dropped: by a part of its body, by a fact in it, or since its head is a body atom."""
        return self._follows_from_part(rule, counts) or self._has_fact(rule, min_head) or self._is_body_atom(rule)

    def _follows_from_part(self, rule: Candidate, counts: Counts) -> bool:
        for atom in rule.body:
            rest = [each for each in rule.body if each != atom]
            if rest and set(variables(rule.head)) <= set(all_variables(rest)):
                part = self.counts(rest, rule.head)
                if part.support / part.body_size >= counts.support / counts.body_size:
                    return True
        return False

    def _has_fact(self, rule: Candidate, min_head: int) -> bool:
        """Whether an atom has one match only, and its value in place of its variable makes a shorter rule."""
        for atom in rule.body:
            matches = self.matches([atom])
            if len(variables(atom)) == 1 and len(matches) == 1:
                body = [replaced(each, matches[0]) for each in rule.body if each != atom]
                head = replaced(rule.head, matches[0])
                if (
                    body
                    and variables(head)
                    and all(self._has_allowed_constants(each) for each in (*body, head))
                    and all(map(variables, body))
                    and len(self.matches([head])) >= min_head
                ):
                    return True
        return False

    def _has_allowed_constants(self, atom: TriplePattern) -> bool:
        subject, _, object_ = atom
        if isinstance(subject, BlankNode) or isinstance(object_, BlankNode):
            return False
        if self.constants == "objects":
            return isinstance(subject, Variable)
        return self.constants == "all"

    def _is_body_atom(self, rule: Candidate) -> bool:
        matches = self.matches(rule.body)
        fixed = {
            name: matches[0][name]
            for name in all_variables(rule.body)
            if all(match[name] == matches[0][name] for match in matches)
        }
        head = replaced(rule.head, fixed)
        predicate = head[1]
        pairs = [(s, o) for s, p, o in self.triples if p == predicate]
        is_functional = len({s for s, _ in pairs}) == len(pairs)
        is_inverse_functional = len({o for _, o in pairs}) == len(pairs)
        for atom in (replaced(each, fixed) for each in rule.body):
            if atom[1] == predicate:
                subjects, objects = atom[0] == head[0], atom[2] == head[2]
                if (subjects and objects) or (subjects and is_functional) or (objects and is_inverse_functional):
                    return True
        return False


def _parts(triple: Triple) -> tuple[Term, NamedNode, Term]:
    s, p, o = triple.subject, triple.predicate, triple.object
    assert not isinstance(s, Triple)
    assert not isinstance(o, Triple)
    return s, p, o


def variables(atom: TriplePattern) -> list[Variable]:
    """The variables of an atom, in order."""
    return [part for part in atom if isinstance(part, Variable)]


def all_variables(atoms: Iterable[TriplePattern]) -> list[Variable]:
    """The variables of some atoms, each once."""
    return list(dict.fromkeys(name for atom in atoms for name in variables(atom)))


def text(atom: TriplePattern) -> str:
    """An atom as text."""
    return " ".join(map(str, atom))


def replaced(atom: TriplePattern, match: Match) -> TriplePattern:
    """An atom with values in place of variables."""
    s, p, o = (match.get(part, part) if isinstance(part, Variable) else part for part in atom)
    assert isinstance(p, NamedNode)
    return s, p, o


def _is_rule(body: tuple[TriplePattern, ...], head: TriplePattern) -> bool:
    """Whether each variable is in two atoms, and the atoms are connected."""
    atoms = [*body, head]
    uses = [name for atom in atoms for name in variables(atom)]
    if any(uses.count(name) < 2 for name in uses):
        return False
    reached, rest = set(variables(head)), list(body)
    while touching := [atom for atom in rest if reached & set(variables(atom))]:
        reached.update(all_variables(touching))
        rest = [atom for atom in rest if atom not in touching]
    return not rest


def _is_renamed(body: tuple[TriplePattern, ...], head: TriplePattern) -> bool:
    """Whether the rule is another one with other names: names must be used without gaps, the head's first."""
    used = {name.name for name in all_variables([head, *body])}
    return used != set("abcd"[: len(used)])
