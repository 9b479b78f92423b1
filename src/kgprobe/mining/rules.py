"""Rules: a body of triple patterns that implies a head, and how often that is so in one graph or in several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgprobe.rdf.pattern import Binding, TriplePattern

__all__ = ["MinedRules", "Rule", "united"]


@dataclass(frozen=True)
class Rule:
    """A rule and its counts in the graphs that it was found in.

    All counts are those of SPARQL. `support` and `body_size` count distinct bindings of the variables of the head:
    those for which body and head hold, and those for which the body holds. `head_size` counts the triples that match
    the head. `pca_body_size` is the part of `body_size` whose subject (or object, if the subject is constant) has some
    value of the predicate of the head. `examples` are bindings for which body and head hold.
    """

    body: tuple[TriplePattern, ...]
    head: TriplePattern
    support: int
    body_size: int
    head_size: int
    pca_body_size: int
    examples: tuple[Binding, ...] = ()

    @property
    def confidence(self) -> float:
        """The share of the body's bindings for which the head holds."""
        return self.support / self.body_size

    @property
    def pca_confidence(self) -> float:
        """The same share under the partial completeness assumption."""
        return self.support / self.pca_body_size


@dataclass(frozen=True)
class MinedRules:
    """The rules that a search found, and what it did not explore before its time or memory was used up."""

    rules: tuple[Rule, ...]
    not_explored: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether the search explored everything."""
        return not self.not_explored


def united(found: Sequence[Sequence[Rule]]) -> tuple[Rule, ...]:
    """All rules, the surest and most frequent first. The counts of a rule are the sums over the graphs that have it.

    The names of variables and the order of atoms depend on the rule only, so that equal rules are equal values.
    """
    order = _Order()
    if len(found) == 1:
        return tuple(sorted(found[0], key=order))
    rules: dict[tuple[tuple[TriplePattern, ...], TriplePattern], Rule] = {}
    for rule in (rules for part in found for rules in part):
        key = rule.body, rule.head
        known = rules.get(key)
        rules[key] = rule if known is None else _sum(known, rule)
    return tuple(sorted(rules.values(), key=order))


def _sum(one: Rule, other: Rule) -> Rule:
    return replace(
        one,
        support=one.support + other.support,
        body_size=one.body_size + other.body_size,
        head_size=one.head_size + other.head_size,
        pca_body_size=one.pca_body_size + other.pca_body_size,
    )


class _Order:
    """The order of rules. Rules share the objects of their terms, so that the text of each is made once."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}

    def __call__(self, rule: Rule) -> tuple[float, int, int, list[str]]:
        texts = [self._text(part) for atom in (rule.head, *rule.body) for part in atom]
        return -rule.confidence, -rule.support, len(rule.body), texts

    def _text(self, part: object) -> str:
        known = self._texts.get(id(part))  # the rules keep the object
        if known is None:
            known = self._texts[id(part)] = str(part)
        return known
