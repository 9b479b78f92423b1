"""The rules of several graphs as one: each once, in a fixed order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgprobe.mining.rules import Rule
from kgprobe.rdf.pattern import TriplePattern

__all__ = ["united"]


def united(found: Sequence[Sequence[Rule]]) -> tuple[Rule, ...]:
    """All rules, the surest and most frequent first. The counts of a rule are the sums over the graphs that have it.

    The names of variables and the order of atoms depend on the rule only, so that equal rules are equal values.
    """
    order = _Order()
    if len(found) == 1:
        return tuple(sorted(found[0], key=order))
    rules: dict[tuple[tuple[TriplePattern, ...], TriplePattern], Rule] = {}
    for rule in (each for part in found for each in part):
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
