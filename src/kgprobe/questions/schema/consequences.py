"""What axioms about relations imply about other relations: an inverse of a transitive relation is transitive."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from kgprobe.questions.schema.axioms import Axioms, Pair
from kgprobe.rdf.reachability import reached

__all__ = ["completed", "transitively_closed"]

_OF_INVERSES = {
    "transitive": "transitive",
    "symmetric": "symmetric",
    "asymmetric": "asymmetric",
    "irreflexive": "irreflexive",
    "functional": "inverse-functional",
    "inverse-functional": "functional",
}
_OF_NARROWER = frozenset({"asymmetric", "irreflexive", "functional", "inverse-functional"})
# A taxonomy with more pairs than this is kept as it is stated.
_MOST_PAIRS = 3_000_000


def completed(axioms: Axioms) -> Axioms:
    """The axioms with their consequences for traits, hierarchies, domains and ranges."""
    wider = transitively_closed(axioms.sub_properties | _of_inverses(axioms))
    inverses = _inverses(axioms, wider)
    # A relation that is its own inverse is symmetric, and that is all that it is.
    symmetric = {(a, "symmetric") for a, b in inverses if a == b}
    inverses = {(a, b) for a, b in inverses if a != b}
    traits = _traits(axioms.traits | symmetric, inverses, wider)
    domains = axioms.domains | {(inverse, c) for r, c in axioms.ranges for inverse in _partners(inverses)[r]}
    ranges = axioms.ranges | {(inverse, c) for r, c in axioms.domains for inverse in _partners(inverses)[r]}
    return replace(
        axioms,
        traits=frozenset(traits),
        inverses=frozenset(inverses),
        sub_properties=frozenset(wider),
        sub_classes=frozenset(transitively_closed(axioms.sub_classes)),
        domains=frozenset(domains | {(narrow, c) for narrow, wide in wider for r, c in domains if r == wide}),
        ranges=frozenset(ranges | {(narrow, c) for narrow, wide in wider for r, c in ranges if r == wide}),
        disjoint_properties=axioms.disjoint_properties | _narrower_pairs(axioms.disjoint_properties, wider),
    )


def transitively_closed(pairs: Iterable[Pair]) -> set[Pair]:
    """All (narrow, wide) pairs that follow, without pairs of a name with itself."""
    stated = set(pairs)
    wider: dict[int, set[int]] = defaultdict(set)
    for narrow, wide in stated:
        wider[narrow].add(wide)
    closed: set[Pair] = set()
    for start in wider:
        above = reached(wider[start], lambda each: wider.get(each, ()))
        closed.update((start, each) for each in above if each != start)
        if len(closed) > _MOST_PAIRS:
            return {(a, b) for a, b in stated if a != b}
    return closed


def _partners(pairs: Iterable[Pair]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for a, b in pairs:
        found[a].add(b)
    return found


def _of_inverses(axioms: Axioms) -> set[Pair]:
    """Inverses of relations with a wider relation have a wider relation: the inverse of that, if it has a name."""
    inverse = _partners(axioms.inverses)
    return {(a, b) for narrow, wide in axioms.sub_properties for a in inverse[narrow] for b in inverse[wide]}


def _inverses(axioms: Axioms, wider: set[Pair]) -> set[Pair]:
    """Two relations that are wider than each other have the same inverses, and so on."""
    equal = _partners((a, b) for a, b in wider if (b, a) in wider)
    return {(a, b) for r, s in axioms.inverses for a in (r, *equal.get(r, ())) for b in (s, *equal.get(s, ()))}


def _traits(stated: Iterable[tuple[int, str]], inverses: set[Pair], wider: set[Pair]) -> set[tuple[int, str]]:
    inverse = _partners(inverses)
    narrower = _partners((wide, narrow) for narrow, wide in wider)
    equal = _partners((a, b) for a, b in wider if (b, a) in wider)
    found: set[tuple[int, str]] = set()
    waiting = list(stated)
    while waiting:
        relation, trait = waiting.pop()
        if (relation, trait) in found:
            continue
        found.add((relation, trait))
        waiting.extend((each, _OF_INVERSES[trait]) for each in inverse.get(relation, ()))
        waiting.extend((each, trait) for each in equal.get(relation, ()))
        if trait in _OF_NARROWER:
            waiting.extend((each, trait) for each in narrower.get(relation, ()))
        if trait == "asymmetric":
            waiting.append((relation, "irreflexive"))
        if {(relation, "transitive"), (relation, "irreflexive")} <= found:
            waiting.append((relation, "asymmetric"))
        if (relation, "symmetric") in found:
            waiting.extend((relation, _OF_INVERSES[each]) for r, each in list(found) if r == relation)
    return found


def _narrower_pairs(disjoint: Iterable[Pair], wider: set[Pair]) -> frozenset[Pair]:
    narrower = _partners((wide, narrow) for narrow, wide in wider)
    return frozenset((c, d) for a, b in disjoint for c in (a, *narrower.get(a, ())) for d in (b, *narrower.get(b, ())))
