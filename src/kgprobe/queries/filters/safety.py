"""Conditions that are true whatever the values: they cannot be false, and cannot be an error. Also, expressions that
cannot be an error.

Numbers that are written as owl:rational, which engines do not compare, are left out of account.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgprobe.owl.literal_values import Value, value_of
from kgprobe.queries.filters.branches import COMPARISONS, TooManyWaysError, ways
from kgprobe.queries.filters.expressions import evaluated
from kgprobe.queries.filters.refutation import Fact, Link, domain_of, is_refuted
from kgprobe.queries.filters.term_sets import ANYTHING, IRIS, LITERALS, NUMBER_SPACES, TermSet, of_spaces
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import OWL, XSD, Literal, NamedNode
from kgprobe.sparql.algebra import Aggregate, Call, Constant, Expression, Span, VariableUse

__all__ = ["always_has_value", "always_true"]

# The values that all engines compare with each other. Dates are left out: engines differ on time zones.
_COMPARABLE = (
    frozenset({"integer", "decimal", "float", "double"}),
    frozenset({"string"}),
    frozenset({"boolean"}),
)
_TESTS = frozenset({"ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "SAMETERM", "BOUND"})


def always_true(condition: Expression, facts: Sequence[Fact | Link]) -> bool:
    """Whether the condition is true for all values of its variables that the facts allow."""
    known = [fact for fact in facts if isinstance(fact, Fact)]
    links = [fact for fact in facts if isinstance(fact, Link)]

    def is_bound(variable: Variable) -> bool:
        return any(fact.is_bound for fact in known if fact.variable == variable)

    return _Sure(is_bound, domain_of(known)).has_truth(condition) and _is_never_false(condition, known, links)


def always_has_value(
    expression: Expression, is_bound: Callable[[Variable], bool], domain: Callable[[Variable], TermSet]
) -> bool:
    """Whether an expression has a value for all terms that its variables may have. Numbers never become too large."""
    return _Sure(is_bound, domain).has_value(expression)


def _is_never_false(condition: Expression, facts: Sequence[Fact], links: Sequence[Link]) -> bool:
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
                return all(self._is_taken(each, _TAKEN[name]) for each in arguments)
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
