"""Whether the conclusion of a rule follows from its premises by its conditions alone, for any facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from kgprobe.questions.rules.syntax import TYPE, Condition, Variant

__all__ = ["follows"]

_Fact: TypeAlias = tuple[str, str, str]


def follows(variant: Variant) -> bool:
    """Whether each claim of the conclusion follows; if not, it must be looked up in the closure."""
    alias_of = {atom.object: atom.subject for atom in variant.premises if atom.is_alias}
    facts = {(atom.subject, atom.path[0], atom.object) for atom in variant.premises if not atom.is_alias}
    while True:
        new = {fact for condition in variant.conditions for fact in _conclusions(condition, facts)} - facts
        if not new:
            break
        facts |= new
    if variant.at_least:
        return _are_counted(variant, facts)
    return all(
        _path_holds(alias_of.get(atom.subject, atom.subject), atom.path, alias_of.get(atom.object, atom.object), facts)
        for atom in variant.conclusion
    )


def _conclusions(condition: Condition, facts: set[_Fact]) -> Iterator[_Fact]:
    match condition.name, condition.parts:
        case "transitive", (relation,):
            yield from _joined((relation, relation), relation, facts)
        case "chain", (*path, relation):
            yield from _joined(tuple(path), relation, facts)
        case "symmetric", (relation,):
            yield from ((o, relation, s) for s, p, o in facts if p == relation)
        case "inverse", (one, other):
            yield from ((o, other, s) for s, p, o in facts if p == one)
            yield from ((o, one, s) for s, p, o in facts if p == other)
        case "sub-property", (narrow, wide):
            yield from ((s, wide, o) for s, p, o in facts if p == narrow)
        case "sub-class", (narrow, wide):
            yield from ((s, TYPE, wide) for s, p, o in facts if p == TYPE and o == narrow)
        case "domain", (relation, class_):
            yield from ((s, TYPE, class_) for s, p, _ in facts if p == relation)
        case "range", (relation, class_):
            yield from ((o, TYPE, class_) for _, p, o in facts if p == relation)


def _joined(path: tuple[str, ...], relation: str, facts: set[_Fact]) -> Iterator[_Fact]:
    ends = {(s, o) for s, p, o in facts if p == path[0]}
    for step in path[1:]:
        ends = {(start, o) for start, middle in ends for s, p, o in facts if p == step and s == middle}
    return ((start, relation, end) for start, end in ends)


def _path_holds(start: str, path: tuple[str, ...], end: str, facts: set[_Fact]) -> bool:
    here = {start}
    for step in path:
        here = {o for s, p, o in facts if p == step and s in here}
    return end in here


def _are_counted(variant: Variant, facts: set[_Fact]) -> bool:
    """Whether enough values are there that are all different from each other."""
    (atom,) = variant.conclusion
    if len(atom.path) > 1:
        return False
    values = sorted({o for s, p, o in facts if s == atom.subject and p == atom.path[0]})
    different = {frozenset(each.parts) for each in variant.conditions if each.name == "different"}
    return len(values) >= variant.at_least and all(
        frozenset((one, other)) in different for number, one in enumerate(values) for other in values[:number]
    )
