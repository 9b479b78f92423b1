"""Comparisons between values as orders: a cycle with a strict step is a contradiction.

Numbers and dates are places on a line, so their comparisons are difference constraints: x - y <= c, or x - y < c. The
sum of the constraints on a cycle says 0 <= (or <) the sum of their limits, so a cycle with a negative sum, or with the
sum zero and a strict constraint, is a proof by itself. Bellman-Ford finds one if any exists. For other values, only the
order counts. Two rules keep this right:

- Before an engine compares an exact number with a float, it rounds it. Rounding keeps the order of two numbers, but can
  make them equal. So `<` holds for the exact numbers, too, but `<=` and `=` only nearly.
- A date without a time zone is read in a time zone that only the engine knows, or is not comparable with dates that
  have one. So the places of all dates without a zone are relative to a point that may be 14 hours off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from kgprobe.owl.literal_values import DATES, FLOATS, NUMBERS, ZONE_SPAN, Value, value_of
from kgprobe.owl.value_parts import Cut, Intervals
from kgprobe.queries.filters.expressions import FLIPPED, evaluated, identity, linear
from kgprobe.queries.filters.term_sets import NAN, TermSet, float_number, number_hull, order_family, tolerance
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import Literal
from kgprobe.sparql.algebra import Call, Expression
from kgprobe.sparql.traversal import expressions_in


@dataclass(frozen=True, slots=True)
class Constraint:
    """`left - right <= limit`, or `<` if it is strict. `origin` is for the caller."""

    left: Hashable
    right: Hashable
    limit: Fraction
    is_strict: bool = False
    origin: Hashable = None


class _Distance(NamedTuple):
    """A sum of limits, and minus the number of strict constraints in it: of equal sums, the stricter is smaller."""

    total: Fraction
    strict: int


def _tightened(constraint: Constraint, whole: Collection[Hashable]) -> Constraint:
    """The same constraint, as sharp as possible if both sides are whole numbers: `< 3` is `<= 2`, as is `<= 2.5`."""
    if constraint.left not in whole or constraint.right not in whole:
        return constraint
    limit = math.ceil(constraint.limit) - 1 if constraint.is_strict else math.floor(constraint.limit)
    return replace(constraint, limit=Fraction(limit), is_strict=False)


def contradiction(
    constraints: Iterable[Constraint], whole: Collection[Hashable] = frozenset()
) -> tuple[Constraint, ...] | None:
    """Constraints on a cycle that no numbers satisfy; None if some numbers satisfy all constraints.

    `whole` are the variables that are whole numbers. If some of the variables are and others are not, "None" only
    means that no contradiction was found.
    """
    edges = [_tightened(constraint, whole) for constraint in constraints]
    distance: dict[Hashable, _Distance] = {}
    for edge in edges:
        distance[edge.left] = distance[edge.right] = _Distance(Fraction(0), 0)
    reached: dict[Hashable, Constraint] = {}
    changed: Hashable = None
    for _ in range(len(distance) + 1):
        changed = _relax(edges, distance, reached)
        if changed is _SETTLED:
            return None
    return _cycle(changed, reached, len(distance))


_SETTLED = object()


def _relax(
    edges: Sequence[Constraint], distance: dict[Hashable, _Distance], reached: dict[Hashable, Constraint]
) -> Hashable:
    """Shortens distances along each constraint; returns the last variable that changed."""
    changed: Hashable = _SETTLED
    for edge in edges:
        start = distance[edge.right]
        found = _Distance(start.total + edge.limit, start.strict - edge.is_strict)
        if found < distance[edge.left]:
            distance[edge.left] = found
            reached[edge.left] = edge
            changed = edge.left
    return changed


def _cycle(start: Hashable, reached: dict[Hashable, Constraint], size: int) -> tuple[Constraint, ...]:
    for _ in range(size):  # from anywhere, so many steps back end on the cycle
        start = reached[start].right
    found = []
    here = start
    while True:
        edge = reached[here]
        found.append(edge)
        here = edge.right
        if here == start:
            return tuple(reversed(found))


# -- comparisons -------------------------------------------------------------------------------------------------------

_Of = Callable[[Expression], TermSet]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left operator right` is true. The operator `same` says that both are one value, even NaN."""

    operator: str
    left: Expression
    right: Expression


_OUTCOMES = {
    "=": {"equal"},
    "!=": {"less", "greater", "other"},
    "<": {"less"},
    "<=": {"less", "equal"},
    ">": {"greater"},
    ">=": {"greater", "equal"},
}


def has_contradiction(comparisons: Sequence[Comparison], value: _Of) -> bool:
    """Whether the comparisons contradict each other, given the terms that each expression may evaluate to."""
    same = _Classes()
    for comparison in comparisons:
        if comparison.operator == "same":
            same.join(identity(comparison.left), identity(comparison.right))
    if _contradicts_itself(comparisons, same, value):
        return True
    parts = _Classes()
    for comparison in comparisons:
        if comparison.operator != "!=":
            parts.join(identity(comparison.left), identity(comparison.right))
        for side in (comparison.left, comparison.right):
            for part in _summands(side, value):
                parts.join(identity(side), part)
    groups: dict[Hashable, list[Comparison]] = {}
    for comparison in comparisons:
        if parts.find(identity(comparison.left)) == parts.find(identity(comparison.right)):
            groups.setdefault(parts.find(identity(comparison.left)), []).append(comparison)
    return any(_is_impossible(group, value) for group in groups.values())


def _summands(side: Expression, value: _Of) -> Iterable[Hashable]:
    """The parts of a sum of exact numbers."""
    found = linear(side, lambda part: _is_exact(value(part)))
    return () if found is None else found[0]


def _is_exact(terms: TermSet) -> bool:
    return terms.families <= {"number"} and terms.literals.spaces <= {"integer", "decimal"}


class _Classes:
    """Classes of things that have been joined."""

    def __init__(self) -> None:
        self._parent: dict[Hashable, Hashable] = {}

    def find(self, thing: Hashable) -> Hashable:
        while thing in self._parent:
            thing = self._parent[thing]
        return thing

    def join(self, left: Hashable, right: Hashable) -> None:
        a, b = self.find(left), self.find(right)
        if a != b:
            self._parent[a] = b


def _contradicts_itself(comparisons: Iterable[Comparison], same: _Classes, value: _Of) -> bool:
    """Whether two values would have to be both less and not less, for example. This holds for any kind of value."""
    left: dict[tuple[Hashable, Hashable], set[str]] = {}
    for comparison in comparisons:
        if comparison.operator == "same":
            continue
        pair = (same.find(identity(comparison.left)), same.find(identity(comparison.right)))
        operator = comparison.operator
        if pair[::-1] in left:
            pair, operator = (pair[1], pair[0]), FLIPPED[operator]
        outcomes = left.setdefault(pair, {"less", "equal", "greater", "other"})
        is_nan = _may_be_nan(value(comparison.left)) and _may_be_nan(value(comparison.right))
        # Some engines find NaN <= NaN true.
        outcomes &= _OUTCOMES[operator] | ({"other"} if is_nan and operator in ("<=", ">=") else set())
        if pair[0] == pair[1]:
            outcomes &= {"equal", "other"} if is_nan else {"equal"}
        if not outcomes:
            return True
    return False


def _is_impossible(group: Sequence[Comparison], value: _Of) -> bool:
    """Whether connected comparisons contradict each other for every family of values that their operands may have."""
    families: set[str] | None = None
    for comparison in group:
        for side in (comparison.left, comparison.right):
            found = {order_family(family) for family in value(side).families}
            families = found if families is None else families & found
    return all(_fails(family, group, value) for family in families or ())  # without a common family, it fails anyway


def _fails(family: str, group: Sequence[Comparison], value: _Of) -> bool:
    system = {"number": _numbers, "date": _dates}.get(family, _plain)(group, value)
    if system is None:
        return False
    if contradiction(system.constraints, system.whole) is not None:
        return True
    return any(_must_be_equal(system, left, right) for left, right in system.unequal)


@dataclass(frozen=True)
class _System:
    constraints: list[Constraint]
    whole: frozenset[Hashable] = frozenset()
    # Pairs of variables that differ.
    unequal: tuple[tuple[Hashable, Hashable], ...] = ()


def _must_be_equal(system: _System, left: Hashable, right: Hashable) -> bool:
    return all(
        contradiction([*system.constraints, Constraint(a, b, Fraction(0), is_strict=True)], system.whole) is not None
        for a, b in ((left, right), (right, left))
    )


def _steps(operator: str) -> Iterator[tuple[bool, bool]]:
    """A comparison as one or two steps upwards: whether left and right change places, and whether it is strict."""
    if operator in ("<", "<=", "=", "same"):
        yield False, operator == "<"
    if operator in (">", ">=", "=", "same"):
        yield True, operator == ">"


# -- values of which only the order is known ---------------------------------------------------------------------------


def _plain(group: Sequence[Comparison], value: _Of | None = None) -> _System:  # noqa: ARG001 - as for other families
    found: list[Constraint] = []
    unequal = []
    for comparison in group:
        left, right = identity(comparison.left), identity(comparison.right)
        if comparison.operator == "!=" and left != right:
            unequal.append((left, right))
        for is_flipped, is_strict in _steps(comparison.operator):
            ends = (right, left) if is_flipped else (left, right)
            found.append(Constraint(*ends, Fraction(0), is_strict))
    return _System(found, unequal=tuple(unequal))


# -- numbers -----------------------------------------------------------------------------------------------------------

_ZERO = ("number", Fraction(0))


def _numbers(group: Sequence[Comparison], value: _Of) -> _System:
    found: list[Constraint] = []
    operands: dict[Hashable, Expression] = {}
    unequal = []
    for comparison in group:
        if comparison.operator == "!=":
            if not _may_be_nan(value(comparison.left)) and not _may_be_nan(value(comparison.right)):
                unequal.append((identity(comparison.left), identity(comparison.right)))
            continue
        found += _number_constraints(comparison, value, operands)
    for key, expression in operands.items():
        found += _limits(key, *number_hull(value(expression)), _ZERO)
    whole = {key for key, expression in operands.items() if value(expression).literals.spaces <= {"integer"}}
    return _System(found, frozenset(whole | {_ZERO}), tuple(unequal))


def _may_be_nan(terms: TermSet) -> bool:
    return bool(terms.literals.spaces & NAN.spaces)


def _number_constraints(
    comparison: Comparison, value: _Of, operands: dict[Hashable, Expression]
) -> Iterator[Constraint]:
    left, right = value(comparison.left), value(comparison.right)
    slack = _slack(left, right)
    ends = _difference(comparison, value, operands)
    if ends is None:
        return
    plus, minus, number = ends  # plus - minus + number, compared with 0
    for is_flipped, is_strict in _steps(comparison.operator):
        loose = Fraction(0) if is_strict or comparison.operator == "same" else slack
        if loose is None:
            continue
        if is_flipped:
            yield Constraint(minus, plus, number + loose, is_strict)
        else:
            yield Constraint(plus, minus, loose - number, is_strict)


def _slack(left: TermSet, right: TermSet) -> Fraction | None:
    """How far apart two numbers may be that an engine finds equal; None if it may be any distance."""
    spaces = left.literals.spaces & {*NUMBERS, *FLOATS}, right.literals.spaces & {*NUMBERS, *FLOATS}
    if all(space <= set(NUMBERS) for space in spaces) or all(kinds <= set(FLOATS) for kinds in spaces):
        return Fraction(0)
    for terms in (left, right):
        low, high = number_hull(terms)
        if not math.isinf(low[0]) and not math.isinf(high[0]):
            return tolerance(max(abs(Fraction(low[0])), abs(Fraction(high[0]))))
    return None


def _difference(
    comparison: Comparison, value: _Of, operands: dict[Hashable, Expression]
) -> tuple[Hashable, Hashable, Fraction] | None:
    """The two sides of a comparison as `x - y + number`, compared with zero; None if they have another form."""

    def is_exact(expression: Expression) -> bool:
        if _is_exact(value(expression)):
            operands.setdefault(identity(expression), expression)
            return True
        return False

    sides = [linear(side, is_exact) for side in (comparison.left, comparison.right)]
    if sides[0] is not None and sides[1] is not None:
        parts = dict(sides[0][0])
        for key, count in sides[1][0].items():
            parts[key] = parts.get(key, 0) - count
        plus = [key for key, count in parts.items() if count == 1]
        minus = [key for key, count in parts.items() if count == -1]
        if any(abs(count) > 1 for count in parts.values()) or len(plus) > 1 or len(minus) > 1:
            return None
        number = sides[0][1] - sides[1][1]
        return (plus[0] if plus else _ZERO), (minus[0] if minus else _ZERO), number
    left, right = (_place(side, value, operands) for side in (comparison.left, comparison.right))
    return (left[0], right[0], left[1] - right[1]) if left and right else None


def _place(side: Expression, value: _Of, operands: dict[Hashable, Expression]) -> tuple[Hashable, Fraction] | None:
    only = value(side).only_value
    if isinstance(only, Literal):
        known = value_of(only)
        number = float_number(known) if isinstance(known, Value) else None
        if number is not None:
            return (_ZERO, Fraction(number)) if not math.isinf(number) else None
    operands.setdefault(identity(side), side)
    return identity(side), Fraction(0)


def _limits(key: Hashable, low: Cut, high: Cut, zero: Hashable) -> Iterator[Constraint]:
    if not math.isinf(low[0]):
        yield Constraint(zero, key, -Fraction(low[0]), is_strict=low[1] == 1)
    if not math.isinf(high[0]):
        yield Constraint(key, zero, Fraction(high[0]), is_strict=high[1] == 0)


# -- dates -------------------------------------------------------------------------------------------------------------

_ZONED, _UNZONED = ("start of time",), ("start of time without zone",)


def _dates(group: Sequence[Comparison], value: _Of) -> _System | None:
    operands = {identity(side): value(side) for comparison in group for side in (comparison.left, comparison.right)}
    kinds = {kind for terms in operands.values() for kind in _certain_kind(terms)}
    if len(kinds) > 1:
        return None  # engines differ on whether a date can be compared with a point in time
    plain = _plain([comparison for comparison in group if comparison.operator != "!="])
    found = [
        *plain.constraints,
        Constraint(_ZONED, _UNZONED, Fraction(ZONE_SPAN)),
        Constraint(_UNZONED, _ZONED, Fraction(ZONE_SPAN)),
    ]
    for key, terms in operands.items():
        spaces = {space for space in terms.literals.spaces if space.partition(" ")[0] in DATES}
        part = terms.literals.part(next(iter(spaces))) if len(spaces) == 1 else None
        if isinstance(part, Intervals) and part.cuts and terms.families <= {"date"}:
            zero = _UNZONED if next(iter(spaces)).endswith("zone") else _ZONED
            found += _limits(key, part.cuts[0], part.cuts[-1], zero)
    unequal = [
        (identity(comparison.left), identity(comparison.right))
        for comparison in group
        if comparison.operator == "!="
        and len({space for side in (comparison.left, comparison.right) for space in value(side).literals.spaces}) == 1
    ]
    return _System(found, unequal=tuple(unequal))


def mixed_dates(expression: Expression, value: Callable[[Variable], TermSet]) -> Iterator[tuple[Call, tuple[str, str]]]:
    """The comparisons of dates that are certainly of two kinds, such as an xsd:dateTime and an xsd:date."""
    for part in expressions_in(expression):
        if isinstance(part, Call) and (part.name in FLIPPED or part.name in ("IN", "NOT IN")) and part.arguments:
            first, *others = (evaluated(argument, value) for argument in part.arguments)
            pairs = ([_certain_kind(terms) for terms in (first, other)] for other in others)
            mixed = next((pair for pair in pairs if all(pair) and pair[0] != pair[1]), None)
            if mixed is not None:
                yield part, (min(mixed[0]), min(mixed[1]))


def _certain_kind(terms: TermSet) -> set[str]:
    kinds = {space.partition(" ")[0] for space in terms.literals.spaces}
    return kinds if len(kinds) == 1 and terms.families == {"date"} else set()
