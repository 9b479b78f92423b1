"""Conditions of a query, judged by the facts about its variables: contradictions, and conditions that are always true.

`judge` takes the FILTERs, BINDs and VALUES that apply together, and what is known about each variable. It proves, or
stays silent. A contradiction is minimal: without any one of its conditions and facts, it could not be proven. A
condition always holds if it can be neither false nor an error. Numbers that are written as owl:rational, which engines
do not compare, are left out of account.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product
from math import prod
from typing import TypeAlias

from kgprobe.owl.literal_values import Value, value_of
from kgprobe.queries.filters.condition_wording import reason_for
from kgprobe.queries.filters.expressions import COMPARISONS, Claim, TooManyWaysError, Way, evaluated, ways
from kgprobe.queries.filters.refutation import KnownTerms, SameValue, domain_of, is_refuted
from kgprobe.queries.filters.term_sets import ANYTHING, IRIS, LITERALS, NUMBER_SPACES, TermSet, of_spaces
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.terms import OWL, XSD, Literal, NamedNode
from kgprobe.sparql.algebra import Aggregate, Bind, Call, Constant, Expression, Span, Values, VariableUse
from kgprobe.sparql.traversal import expressions_in

# The worlds of a query share most of their conditions, and so do the changes that may mend it.
_MOST_REMEMBERED = 2_000
# The values that all engines compare with each other. Dates are left out: engines differ on time zones.
_COMPARABLE = (
    frozenset({"integer", "decimal", "float", "double"}),
    frozenset({"string"}),
    frozenset({"boolean"}),
)
_TESTS = frozenset({"ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "SAMETERM", "BOUND"})


@lru_cache(maxsize=_MOST_REMEMBERED)
def _is_always_true(condition: Expression, facts: tuple[KnownTerms | SameValue, ...]) -> bool:
    """Whether the condition is true for all values of its variables that the facts allow."""
    known = [fact for fact in facts if isinstance(fact, KnownTerms)]
    links = [fact for fact in facts if isinstance(fact, SameValue)]

    def is_bound(variable: Variable) -> bool:
        return any(fact.is_bound for fact in known if fact.variable == variable)

    return _Sure(is_bound, domain_of(known)).has_truth(condition) and _is_never_false(condition, known, links)


def always_has_value(
    expression: Expression, is_bound: Callable[[Variable], bool], domain: Callable[[Variable], TermSet]
) -> bool:
    """Whether an expression has a value for all terms that its variables may have. Numbers never become too large."""
    return _Sure(is_bound, domain).has_value(expression)


def _is_never_false(condition: Expression, facts: Sequence[KnownTerms], links: Sequence[SameValue]) -> bool:
    try:
        false_ways = ways(Call("!", (condition,), Span(0, 0)))
    except TooManyWaysError:
        return False
    return all(is_refuted(way, facts, links, (), with_nan=True) for way in false_ways)


# The literals that a function takes without an error in all engines.
_NUMBERS = of_spaces(*NUMBER_SPACES)
_STRINGS = of_spaces("string")
_DATE_TIMES = of_spaces("dateTime", "dateTime without zone")
_TAKEN = {
    **dict.fromkeys(("+", "-", "*", "ABS", "CEIL", "FLOOR", "ROUND"), _NUMBERS),
    **dict.fromkeys(("STR", XSD.string.value), IRIS | LITERALS),
    **dict.fromkeys(("STRLEN", "UCASE", "LCASE", "ENCODE_FOR_URI", "CONCAT"), _STRINGS),
    **dict.fromkeys(("CONTAINS", "STRSTARTS", "STRENDS", "STRBEFORE", "STRAFTER"), _STRINGS),
    **dict.fromkeys(("MD5", "SHA1", "SHA256", "SHA384", "SHA512"), _STRINGS),
    **dict.fromkeys(("LANG", "DATATYPE"), LITERALS),
    **dict.fromkeys(("YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS", "TZ"), _DATE_TIMES),
    **dict.fromkeys(("NOW", "RAND", "UUID", "STRUUID"), ANYTHING),
}
# Without GROUP BY, there may be no row: then these have a value all the same.
_AGGREGATED = {"COUNT": ANYTHING, "SUM": _NUMBERS, "AVG": _NUMBERS, "GROUP_CONCAT": _STRINGS}


@dataclass(frozen=True)
class _Sure:
    """Knows which variables surely have a value, and which values."""

    is_bound: Callable[[Variable], bool]
    domain: Callable[[Variable], TermSet]

    def has_truth(self, expression: Expression) -> bool:
        """Whether the expression has a truth value for all values of its variables."""
        if not isinstance(expression, Call):
            return isinstance(expression, Constant) and _is_plain(expression)
        arguments = expression.arguments
        if expression.name in ("&&", "||", "!"):
            return all(map(self.has_truth, arguments))
        if expression.name == "BOUND":
            return True
        if expression.name in ("IN", "NOT IN"):
            return all(self._is_comparable("=", arguments[0], member) for member in arguments[1:])
        if expression.name in COMPARISONS and len(arguments) == 2:
            return self._is_comparable(expression.name, arguments[0], arguments[1])
        return expression.name in _TESTS and all(map(self.has_value, arguments))

    def _is_comparable(self, operator: str, left: Expression, right: Expression) -> bool:
        if not self.has_value(left) or not self.has_value(right):
            return False
        terms = evaluated(left, self.domain) | evaluated(right, self.domain)
        if terms.literals.is_empty:
            return operator in ("=", "!=")
        is_literal = terms.iris.is_empty and not terms.blanks
        return is_literal and any(terms.literals.spaces <= family for family in _COMPARABLE)

    def has_value(self, expression: Expression) -> bool:
        """Whether the expression has a value, and no error, for all values of its variables."""
        match expression:
            case Constant(term=term):
                return not isinstance(term, Literal) or term.datatype != OWL.rational
            case VariableUse(variable=variable):
                return self.is_bound(variable)
            case Call(name="COALESCE", arguments=arguments):
                return any(map(self.has_value, arguments))
            case Call(name="IF", arguments=(condition, *others)):
                return self.has_truth(condition) and all(map(self.has_value, others))
            case Call(name=name, arguments=arguments) if name in _TAKEN:
                return all(self._is_taken(operand, _TAKEN[name]) for operand in arguments)
            case Aggregate(name="COUNT", argument=None | VariableUse()):
                return True
            case Aggregate(name=name, argument=argument) if argument is not None and name in _AGGREGATED:
                return self._is_taken(argument, _AGGREGATED[name])
            case _:
                return self.has_truth(expression)

    def _is_taken(self, argument: Expression, kind: TermSet) -> bool:
        if not self.has_value(argument):
            return False
        terms = evaluated(argument, self.domain)
        return terms.literals.spaces <= kind.literals.spaces and terms.families <= kind.families


def _is_plain(constant: Constant) -> bool:
    if isinstance(constant.term, NamedNode) or not isinstance(constant.term, Literal):
        return False
    if constant.term.datatype == OWL.rational:
        return False
    value = value_of(constant.term)
    return isinstance(value, Value) and value.space in ("boolean", "string", "integer", "decimal")


# -- judgements --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StatedCondition:
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
    facts: tuple[Hashable, ...]
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


_Item = StatedCondition | KnownTerms | SameValue
# How many combinations of ways are tried. Beyond that, conditions with many ways are left out.
_MOST = 256


def judge(conditions: Iterable[StatedCondition], facts: Iterable[KnownTerms | SameValue]) -> Judgement:
    """Finds contradictions, each with other conditions than those before, and conditions that are always true."""
    items: list[_Item] = [*conditions, *facts]
    groups = [(places, tuple(items[place] for place in places)) for places in _groups(items)]
    contradictions = tuple(_contradictions(groups))
    if any(not contradiction.conditions for contradiction in contradictions):
        return Judgement(contradictions)  # the facts allow no value at all
    blamed = {number for contradiction in contradictions for number in contradiction.conditions}
    always = [condition for _, group in groups for condition in _always_true(group, blamed)]
    return Judgement(contradictions, tuple(AlwaysTrue(number, _ALWAYS) for number in sorted(always)))


_Group: TypeAlias = tuple[_Item, ...]
_ALWAYS = "it is true for every value that its variables can have"


def _always_true(group: _Group, blamed: Collection[int]) -> Iterator[int]:
    """The conditions of a group that always hold, except those that are blamed for a contradiction."""
    known = tuple(item for item in group if not isinstance(item, StatedCondition))
    for item in group:
        if not isinstance(item, StatedCondition) or isinstance(item.content, Bind | Values) or item.origin in blamed:
            continue
        if _is_always_true(item.content, known):
            yield item.origin


def _contradictions(groups: Iterable[tuple[Sequence[int], _Group]]) -> Iterator[Contradiction]:
    """The contradictions in the order of the last thing that each needs. Facts that allow no value end the search."""
    found = [
        (max(places[number] for number in core), contradiction)
        for places, group in groups
        for core, contradiction in _in_group(group)
    ]
    for _, contradiction in sorted(found, key=lambda pair: (pair[1].unless_nan, pair[0])):
        yield contradiction
        if not contradiction.conditions:
            return


def _groups(items: Sequence[_Item]) -> Iterator[list[int]]:
    """The places of items in groups that have no variable in common, so that none can contradict another."""
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
            yield sorted(group)


def _atoms(item: _Item) -> Iterator[Hashable]:
    """The variables of an item, and kinds of parts whose values depend on more than variables, such as `NOW()`."""
    if isinstance(item, KnownTerms):
        yield item.variable
    elif isinstance(item, SameValue):
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


@lru_cache(maxsize=_MOST_REMEMBERED)
def _in_group(items: _Group) -> Sequence[tuple[list[int], Contradiction]]:
    """The contradictions among some items, each with the places of what it needs, and without conditions of others."""
    return list(_found_in_group(items))


def _found_in_group(items: _Group) -> Iterator[tuple[list[int], Contradiction]]:
    places = {id(item): place for place, item in enumerate(items)}
    left = list(items)
    while True:
        for with_nan in (True, False):
            if _is_contradictory(left, with_nan=with_nan):
                found = _minimal(left, partial(_is_contradictory, with_nan=with_nan))
                break
        else:
            return
        taking_part = [item for item in found if isinstance(item, StatedCondition)]
        known = [item for item in found if not isinstance(item, StatedCondition)]
        yield (
            [places[id(item)] for item in found],
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
        fewer = [other for other in kept if other is not item]
        if fails(fewer):
            kept = fewer
    return kept


def _is_contradictory(items: Sequence[_Item], *, with_nan: bool) -> bool:
    conditions = [item for item in items if isinstance(item, StatedCondition)]
    facts = [item for item in items if isinstance(item, KnownTerms)]
    links = [item for item in items if isinstance(item, SameValue)]
    bindings = [item.content for item in conditions if isinstance(item.content, Bind)]
    for choice in product(*_alternatives(conditions)):
        claims: list[Claim] = [claim for way in choice for claim in way]
        if not is_refuted(claims, facts, links, bindings, with_nan=with_nan):
            return False
    return True


def _alternatives(conditions: Iterable[StatedCondition]) -> list[Sequence[Way]]:
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
