"""How a change of the class hierarchy changes what follows from it, without all that stays the same."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kgprobe.entailment.classified import Classified
from kgprobe.graph.changes import Key, KeyTriple

__all__ = ["differences"]


def differences(
    old: Classified, new: Classified, removed: Collection[KeyTriple], added: Collection[KeyTriple]
) -> tuple[list[KeyTriple], list[KeyTriple]]:
    """The triples that followed or were stated and do no more, and the other way round; always in the same order.

    What is above a class can differ only if the class is, or was, below the beginning of an edge that has changed.
    `removed` and `added` are the triples that were stated in one of the graphs only.
    """
    beginnings = {lower for lower, _ in old.ancestry.edges.keys() ^ new.ancestry.edges.keys()}
    classes = old.ancestry.below(beginnings) | new.ancestry.below(beginnings)
    classes |= old.unsatisfiable ^ new.unsatisfiable
    things = _in_order(_things(old, new, classes, (*removed, *added)))
    in_order = _in_order(classes)
    return _surplus(old, new, removed, in_order, things), _surplus(new, old, added, in_order, things)


def _surplus(
    here: Classified, there: Classified, stated: Collection[KeyTriple], classes: list[Key], things: list[Key]
) -> list[KeyTriple]:
    """What is stated or follows here, and is neither stated nor follows there."""
    found = [keys for keys in stated if not there.entails(keys)]
    known = set(found)
    touched = {subject for subject, _, _ in stated}
    for each in classes:
        more = _about_class(here, there, each)
        found += [keys for keys in more if keys not in known] if each in touched else more
    for each in things:
        more = _in_order_of_objects(set(here.about_thing(each)).difference(there.about_thing(each)))
        found += [keys for keys in more if keys not in known and not there.graph.has(*keys)]
    return found


def _about_class(here: Classified, there: Classified, each: Key) -> list[KeyTriple]:
    above = here.ancestry.above(each)
    if each in above or each in here.unsatisfiable:
        surplus = _in_order_of_objects(set(here.about_class(each)).difference(there.about_class(each)))
        return [keys for keys in surplus if not there.graph.has(*keys)]
    above -= there.ancestry.above(each)
    return here.below(each, _in_order(above.difference(there.stated_above(each)))) if above else []


def _things(old: Classified, new: Classified, classes: set[Key], stated: Iterable[KeyTriple]) -> set[Key]:
    """What is in one of these classes, or is stated to be in others than before."""
    kinds = [(thing, kind) for thing, predicate, kind in stated if predicate == old.is_a]
    found: set[Key] = set()
    for state in (old, new):
        found.update(thing for thing, kind in kinds if state.ancestry.is_below_any(kind))
        for each in state.kinds() & classes:
            found.update(state.graph.subjects(state.is_a, each))
    return found


def _in_order(keys: Iterable[Key]) -> list[Key]:
    """In an order that depends on nothing but the keys: terms first, then numbers."""
    numbers = [key for key in keys if isinstance(key, int)]
    terms = [key for key in keys if not isinstance(key, int)]
    return [*sorted(terms, key=str), *sorted(numbers)]


def _in_order_of_objects(triples: set[KeyTriple]) -> list[KeyTriple]:
    return sorted(triples, key=lambda keys: [(isinstance(key, int), str(key)) for key in keys])
