"""Cases, observations and hierarchies made by hand, and random ones."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from kgprobe.model import Case, GraphInput, Observation, Status
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode, Triple
from kgprobe.reasoners.protocol import Hierarchy

CASE = Case.of_graph("case", Graph(), "seed")
SEED = GraphInput(Graph([Triple(NamedNode("urn:test:s"), NamedNode("urn:test:p"), NamedNode("urn:test:o"))]))
WITH_SEED = replace(CASE, reference=SEED)


def iri(name: str) -> NamedNode:
    return NamedNode(f"urn:test:{name}")


def said(system: str, value: Any, *, partial: bool = False) -> Observation:
    return Observation(system, Status.FINISHED, value=value, is_partial=partial)


def all_said(**values: Any) -> list[Observation]:
    return [said(system, value) for system, value in values.items()]


def hierarchy(*statements: str) -> Hierarchy:
    """A hierarchy from statements `A < B`, `A = B`, `A < nothing` and `A`."""
    below: set[tuple[str, str]] = set()
    names: set[str] = set()
    for statement in statements:
        lower, relation, upper = (*statement.split(), "", "")[:3]
        names |= {lower, upper or lower}
        if relation:
            below.add((lower, upper))
        if relation == "=":
            below.add((upper, lower))
    return from_pairs(below, names)


def from_pairs(below: Iterable[tuple[str, str]], names: Iterable[str]) -> Hierarchy:
    """The hierarchy that follows from classes being below each other; `nothing` is the class without members."""
    every = {*names, "nothing"}
    above = {name: {name} for name in every}
    stated = list(below)
    changed = True
    while changed:
        changed = False
        for lower, upper in stated:
            for uppers in above.values():
                if lower in uppers and not above[upper] <= uppers:
                    uppers |= above[upper]
                    changed = True
    impossible = {name for name, uppers in above.items() if "nothing" in uppers}
    classes = every - impossible
    groups = {name: frozenset(other for other in classes & above[name] if name in above[other]) for name in classes}
    least = {name: min(members) for name, members in groups.items()}
    parents = {
        name: frozenset(
            iri(least[upper])
            for upper in above[name] - groups[name]
            if not any(upper in above[middle] - groups[middle] for middle in above[name] - groups[name])
        )
        for name in set(least.values())
    }
    return Hierarchy(
        {iri(name): frozenset(map(iri, groups[name])) for name in set(least.values())},
        {iri(name): uppers for name, uppers in parents.items()},
        frozenset(map(iri, impossible - {"nothing"})),
    )


def renamed(value: Hierarchy, names: Mapping[NamedNode, NamedNode]) -> Hierarchy:
    """The same hierarchy with other names."""
    name_of = {
        name: min((names.get(member, member) for member in members), key=str) for name, members in value.groups.items()
    }
    return Hierarchy(
        {name_of[name]: frozenset(names.get(each, each) for each in members) for name, members in value.groups.items()},
        {name_of[name]: frozenset(name_of[upper] for upper in uppers) for name, uppers in value.parents.items()},
        frozenset(names.get(each, each) for each in value.unsatisfiable),
    )


_NAMES = "ABCDE"
_pairs = st.tuples(st.sampled_from(_NAMES), st.sampled_from([*_NAMES, "nothing"]))
hierarchies = st.lists(_pairs, max_size=6).map(lambda below: from_pairs(below, _NAMES))


def large(size: int, *, without: Iterable[int] = ()) -> Hierarchy:
    """A hierarchy of many classes with one or two parents each; some parents are removed."""
    random_ = random.Random(7)
    names = [iri(f"Class{number:06}") for number in range(size)]
    parents = {
        name: frozenset(names[random_.randrange(number // 5, number // 3 + 1)] for _ in range(number % 2 + 1)) - {name}
        for number, name in enumerate(names)
    }
    parents |= {names[number]: frozenset() for number in without}
    return Hierarchy({name: frozenset({name}) for name in names}, parents, frozenset())
