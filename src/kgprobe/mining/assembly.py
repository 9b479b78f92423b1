"""From findings, which are numbers, to rules, which are terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product

from kgprobe.mining.budget import Budget
from kgprobe.mining.findings import Atom, Finding, Head, InSet, Link
from kgprobe.mining.index import Index
from kgprobe.mining.matches import first_matches
from kgprobe.mining.redundancy import Disguise
from kgprobe.mining.rules import Rule
from kgprobe.rdf.pattern import Binding, TriplePattern, Variable
from kgprobe.rdf.terms import Term

__all__ = ["Assembly"]

_VARIABLES = tuple(Variable(name) for name in "abc")


class Assembly:
    """Makes the rules of findings in one graph."""

    def __init__(self, index: Index, *, examples: int, keep_redundant: bool, budget: Budget) -> None:
        self._index = index
        self._examples = examples
        self._keep_redundant = keep_redundant
        self._budget = budget
        self._texts: dict[int, str] = {}
        self._patterns: dict[tuple[int, int], tuple[str, TriplePattern]] = {}

    def rules(self, finding: Finding) -> Iterator[Rule]:
        """The rules that a finding stands for."""
        examples: tuple[Binding, ...] | None = None
        disguise = Disguise(self._index, finding)
        judge = not self._keep_redundant and disguise.can_hide()
        heads = self._heads(finding.head)
        for items in self._bodies(finding.body):
            self._budget.check()
            atoms = [self._pattern(part, item) for part, item in zip(finding.body, items, strict=True)]
            body = tuple(pattern for _, pattern in sorted(atoms, key=lambda atom: atom[0]))
            for head in heads:
                if self._is_body_atom(finding, items, head) or (judge and disguise.hides(items, head)):
                    continue
                if examples is None:
                    examples = self._bindings(finding)
                yield Rule(
                    body,
                    self._pattern(finding.head, head)[1],
                    support=finding.support,
                    body_size=finding.body_size,
                    head_size=finding.head_size,
                    pca_body_size=finding.pca_body_size,
                    examples=examples,
                )

    def _is_body_atom(self, finding: Finding, items: tuple[int | None, ...], head: int | None) -> bool:
        return head in items and any(
            item == head and isinstance(part, InSet) and part.variable == 0
            for part, item in zip(finding.body, items, strict=True)
        )

    def _heads(self, head: Link | Head) -> list[int | None]:
        if isinstance(head, Link):
            return [None]
        sets = self._index.sets
        items = sets.items[head.set]
        return [*items[sets.relation[items] == head.relation].tolist()]

    def _bodies(self, body: tuple[Atom, ...]) -> Iterable[tuple[int | None, ...]]:
        """The items for the atoms of the body."""
        if len(body) == 2 and body[0] == body[1] and isinstance(body[0], InSet):
            return combinations(self._index.sets.items[body[0].set].tolist(), 2)
        return product(*([None] if isinstance(part, Link) else self._items(part) for part in body))

    def _items(self, part: InSet) -> list[int | None]:
        return [*self._index.sets.items[part.set].tolist()]

    def _pattern(self, part: Link | InSet | Head, item: int | None) -> tuple[str, TriplePattern]:
        """An atom, and its text."""
        if isinstance(part, Link):
            return self._made(part.relation, _VARIABLES[part.x], _VARIABLES[part.y])
        variable = part.variable if isinstance(part, InSet) else 0
        assert item is not None  # noqa: S101 - sets have items
        known = self._patterns.get((variable, item))
        if known is None:
            relation, constant = self._index.sets.pairs_of_items[item]
            known = self._made(relation, _VARIABLES[variable], self._index.terms[constant])
            self._patterns[variable, item] = known
        return known

    def _made(self, relation: int, x: Variable | Term, y: Variable | Term) -> tuple[str, TriplePattern]:
        subject, object_ = (x, y) if relation % 2 == 0 else (y, x)
        predicate = self._index.predicates[relation // 2]
        # A body lists its atoms by subject, with variables first.
        return f"{subject} {predicate} {object_}", (subject, predicate, object_)

    def _bindings(self, finding: Finding) -> tuple[Binding, ...]:
        terms = self._index.terms
        return tuple(
            {_VARIABLES[variable].name: terms[match[variable]] for variable in sorted(match)}
            for match in first_matches(self._index, finding, self._examples)
        )
