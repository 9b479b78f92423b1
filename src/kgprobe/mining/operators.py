"""From rules to operators: those that add the pattern of a rule to a graph, and those that remove it.

This is section 5.4 of the paper on mutation testing. An operator is a pair of patterns: the triples to find, and the
triples that replace them. For each part of a rule's body, there is an operator that finds this part and adds the rest
of the rule; and for each part but the empty one, there is an operator that finds the whole rule, and removes this part
and the head.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from kgprobe.mining.rules import Rule
from kgprobe.rdf.pattern import TriplePattern, Variable, variables_of
from kgprobe.rdf.terms import BlankNode, Term

__all__ = ["MinedOperator", "canonical_names", "mined_operators", "operators_of"]

# Enough for all that a rule can have: the variables of an operator are ?a, ?b, …
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

_Atoms: TypeAlias = frozenset[TriplePattern]
_Patterns: TypeAlias = tuple[TriplePattern, ...]


@dataclass(frozen=True)
class MinedOperator:
    """The triples to find, and those that replace them; variables in the latter only are new nodes.

    Both are sorted, and the names of variables depend on nothing but the patterns: operators that differ only in the
    names of their variables are equal. `rules` are those that it was made from.
    """

    finds: tuple[TriplePattern, ...]
    leaves: tuple[TriplePattern, ...]
    rules: tuple[Rule, ...] = ()

    @cached_property
    def added(self) -> tuple[TriplePattern, ...]:
        """The triples that it adds."""
        return tuple(atom for atom in self.leaves if atom not in self.finds)

    @cached_property
    def removed(self) -> tuple[TriplePattern, ...]:
        """The triples that it removes."""
        return tuple(atom for atom in self.finds if atom not in self.leaves)

    @cached_property
    def new_nodes(self) -> tuple[Variable, ...]:
        """The variables that stand for new nodes."""
        found = variables_of(self.finds)
        return tuple(variable for variable in variables_of(self.leaves) if variable not in found)


def mined_operators(rules: Iterable[Rule]) -> tuple[MinedOperator, ...]:
    """The operators of all rules, in the order of the rules; equal ones once, with all rules that they come from."""
    sources: dict[tuple[_Patterns, _Patterns], list[Rule]] = {}
    for rule in rules:
        for operator in operators_of(rule):
            known = sources.setdefault((operator.finds, operator.leaves), [])
            if not known or known[-1] is not rule:  # two parts of a symmetric body make the same operator
                known.append(rule)
    return tuple(MinedOperator(*patterns, tuple(known)) for patterns, known in sources.items())


def operators_of(rule: Rule) -> Iterator[MinedOperator]:
    """The operators of one rule: 2ⁿ that add its pattern, then 2ⁿ-1 that remove it, for n atoms in the body."""
    whole = frozenset((*rule.body, rule.head))
    if any(isinstance(part, BlankNode) for atom in whole for part in atom):
        raise ValueError(f"a rule cannot have a blank node as a constant: {rule}")
    parts = [frozenset(part) for size in range(len(rule.body) + 1) for part in itertools.combinations(rule.body, size)]
    for part in parts:
        yield MinedOperator(*_canonical(part, whole), (rule,))
    for part in parts:
        if part:
            yield MinedOperator(*_canonical(whole, whole - part - {rule.head}), (rule,))


# -- equal up to the names of variables --------------------------------------------------------------------------------


def _canonical(finds: _Atoms, leaves: _Atoms) -> tuple[_Patterns, _Patterns]:
    """The two patterns with variables named in one way, the same for all patterns that differ in those names only."""
    fixed = canonical_names([*(("finds", *atom) for atom in finds), *(("leaves", *atom) for atom in leaves)])
    # In the order in which a reader meets them.
    ordered = sorted(finds | leaves, key=lambda atom: _written(_renamed(atom, fixed)))
    names = {variable: Variable(_letter(n)) for n, variable in enumerate(variables_of(ordered))}

    def named(part: _Atoms) -> _Patterns:
        return tuple(sorted((_renamed(atom, names) for atom in part), key=_written))

    return named(finds), named(leaves)


def canonical_names(rows: Iterable[tuple[object, ...]]) -> dict[Variable, Variable]:
    """A name for each variable in some rows: the same rows after renaming, if they differ in names of variables only.

    The order of the rows makes no difference.
    """
    rows = sorted(rows, key=_shape)
    groups: dict[tuple[object, ...], list[Variable]] = {}
    for variable in dict.fromkeys(part for row in rows for part in row if isinstance(part, Variable)):
        around = sorted((tuple(part == variable for part in row), _shape(row)) for row in rows if variable in row)
        groups.setdefault(tuple(around), []).append(variable)
    # Variables with different surroundings never change places. So there are few orders to compare.
    orders = itertools.product(*(itertools.permutations(groups[key]) for key in sorted(groups)))
    best: tuple[list[tuple[str, ...]], dict[Variable, Variable]] | None = None
    for order in orders:
        names = {old: Variable(_letter(n)) for n, old in enumerate(itertools.chain.from_iterable(order))}
        key = sorted(tuple(str(names[p] if isinstance(p, Variable) else p) for p in row) for row in rows)
        if best is None or key < best[0]:
            best = key, names
    return {} if best is None else best[1]


def _shape(row: Iterable[object]) -> tuple[str, ...]:
    return tuple("?" if isinstance(part, Variable) else str(part) for part in row)


def _written(atom: TriplePattern) -> tuple[str, ...]:
    return tuple(map(str, (atom[1], atom[0], atom[2])))


def _renamed(atom: TriplePattern, names: Mapping[Variable, Variable]) -> TriplePattern:
    def part(given: Variable | Term) -> Variable | Term:
        return names[given] if isinstance(given, Variable) else given

    return part(atom[0]), part(atom[1]), part(atom[2])


def _letter(number: int) -> str:
    return _LETTERS[number] if number < len(_LETTERS) else f"v{number}"
