"""Conditions of a query, judged by the facts about its variables: contradictions, and conditions that are always true.

`judge` takes the FILTERs, BINDs and VALUES that apply together, and what is known about each variable. It proves, or
stays silent. A contradiction is minimal: without any one of its conditions and facts, it could not be proven.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import prod

from kgprobe.queries.filters.branches import Claim, TooManyWaysError, Way, ways
from kgprobe.queries.filters.condition_wording import reason_for
from kgprobe.queries.filters.refutation import Fact, Link, is_refuted
from kgprobe.queries.filters.safety import always_true
from kgprobe.rdf.reachability import reached
from kgprobe.sparql.algebra import Bind, Call, Constant, Expression, Values, VariableUse
from kgprobe.sparql.traversal import expressions_in

__all__ = ["AlwaysTrue", "Condition", "Contradiction", "Fact", "Judgement", "Link", "judge"]


@dataclass(frozen=True)
class Condition:
    """A condition that holds for every solution: an expression that is true, a BIND, or VALUES.

    `origin` is for the caller. `text` is the text of the query, for reasons.
    """

    content: Expression | Bind | Values
    origin: int
    text: str = ""


@dataclass(frozen=True)
class Contradiction:
    """Conditions and facts that cannot hold together, by their origins, and why, in plain words.

    If it is `unless_nan`, it holds only as long as a variable about which nothing is known is not NaN.
    """

    conditions: tuple[int, ...]
    facts: tuple[int, ...]
    reason: str
    unless_nan: bool = False


@dataclass(frozen=True)
class AlwaysTrue:
    """A condition that is true for all values that the facts allow."""

    condition: int
    reason: str


@dataclass(frozen=True)
class Judgement:
    """All that could be proven about the conditions."""

    contradictions: tuple[Contradiction, ...] = ()
    always_true: tuple[AlwaysTrue, ...] = ()


_Item = Condition | Fact | Link
# How many combinations of ways are tried. Beyond that, conditions with many ways are left out.
_MOST = 256


def judge(conditions: Iterable[Condition], facts: Iterable[Fact | Link]) -> Judgement:
    """Finds contradictions, each with other conditions than those before, and conditions that are always true."""
    stated, known = list(conditions), list(facts)
    contradictions = tuple(_contradictions(stated, known))
    if any(not each.conditions for each in contradictions):
        return Judgement(contradictions)  # the facts allow no value at all
    blamed = {number for each in contradictions for number in each.conditions}
    return Judgement(
        contradictions,
        tuple(
            AlwaysTrue(each.origin, "it is true for every value that its variables can have")
            for each in stated
            if each.origin not in blamed
            and not isinstance(each.content, Bind | Values)
            and always_true(each.content, known)
        ),
    )


def _contradictions(conditions: Sequence[Condition], facts: Sequence[Fact | Link]) -> Iterator[Contradiction]:
    """The contradictions in the order of the last thing that each needs. Facts that allow no value end the search."""
    items: list[_Item] = [*conditions, *facts]
    places = {id(item): place for place, item in enumerate(items)}
    found = [
        (max(places[id(item)] for item in core), contradiction)
        for group in _groups(items)
        for core, contradiction in _in_group(group)
    ]
    for _, contradiction in sorted(found, key=lambda each: (each[1].unless_nan, each[0])):
        yield contradiction
        if not contradiction.conditions:
            return


def _groups(items: Sequence[_Item]) -> Iterator[list[_Item]]:
    """The items in groups that have no variable in common, so that none can contradict another."""
    atoms = [frozenset(_atoms(item)) for item in items]
    having: dict[Hashable, list[int]] = {}
    for number, own in enumerate(atoms):
        for atom in own:
            having.setdefault(atom, []).append(number)
    seen: set[int] = set()
    for number in range(len(items)):
        if number not in seen:
            group = reached([number], lambda each: (other for atom in atoms[each] for other in having[atom]))
            seen.update(group)
            yield [items[each] for each in sorted(group)]


def _atoms(item: _Item) -> Iterator[Hashable]:
    """The variables of an item, and kinds of parts whose values depend on more than variables, such as `NOW()`."""
    if isinstance(item, Fact):
        yield item.variable
    elif isinstance(item, Link):
        yield from (item.left, item.right)
    elif isinstance(item.content, Values):
        yield from item.content.variables
    else:
        if isinstance(item.content, Bind):
            yield item.content.variable
        for part in expressions_in(item.content.expression if isinstance(item.content, Bind) else item.content):
            if isinstance(part, VariableUse):
                yield part.variable
            elif not isinstance(part, Constant) and not (isinstance(part, Call) and part.arguments):
                yield type(part).__name__


def _in_group(items: Sequence[_Item]) -> Iterator[tuple[list[_Item], Contradiction]]:
    """The contradictions among some items, each with what it needs, and without conditions of those before."""
    left = list(items)
    while True:
        for with_nan in (True, False):
            if _is_contradictory(left, with_nan=with_nan):
                found = _minimal(left, partial(_is_contradictory, with_nan=with_nan))
                break
        else:
            return
        taking_part = [item for item in found if isinstance(item, Condition)]
        known = [item for item in found if not isinstance(item, Condition)]
        yield (
            found,
            Contradiction(
                tuple(dict.fromkeys(item.origin for item in taking_part)),
                tuple(dict.fromkeys(item.origin for item in known)),
                reason_for([(item.content, item.text) for item in taking_part], known),
                unless_nan=not with_nan,
            ),
        )
        if not taking_part:
            return
        left = [item for item in left if item not in taking_part]


def _minimal(items: Sequence[_Item], fails: Callable[[list[_Item]], bool]) -> list[_Item]:
    """Items that fail together, none of which can be left out. The last ones are left out first."""
    kept = list(items)
    for item in reversed(items):
        fewer = [each for each in kept if each is not item]
        if fails(fewer):
            kept = fewer
    return kept


def _is_contradictory(items: Sequence[_Item], *, with_nan: bool) -> bool:
    conditions = [item for item in items if isinstance(item, Condition)]
    facts = [item for item in items if isinstance(item, Fact)]
    links = [item for item in items if isinstance(item, Link)]
    bindings = [item.content for item in conditions if isinstance(item.content, Bind)]
    for choice in product(*_alternatives(conditions)):
        claims: list[Claim] = [claim for way in choice for claim in way]
        if not is_refuted(claims, facts, links, bindings, with_nan=with_nan):
            return False
    return True


def _alternatives(conditions: Iterable[Condition]) -> list[Sequence[Way]]:
    found: list[Sequence[Way]] = []
    for condition in conditions:
        if isinstance(condition.content, Bind):
            continue
        try:
            found.append(ways(condition.content))
        except TooManyWaysError:
            continue
    found.sort(key=len)
    while found and prod(map(len, found)) > _MOST:
        found.pop()
    return found
