"""Whether claims about the values of variables contradict each other.

Each claim narrows the terms that its variables may have, until nothing changes. Then comparisons between variables are
checked as orders (`orders.py`). The search is sound, not complete: "not refuted" proves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from kgprobe.owl.literal_values import FLOATS, NUMBERS, Value, single, value_of
from kgprobe.owl.value_parts import ALL_POINTS, TEXT_LAYERS, Intervals, Texts
from kgprobe.owl.value_sets import EVERYTHING, ValueSet
from kgprobe.queries.filters.expressions import (
    FLIPPED,
    Claim,
    Compare,
    IsBound,
    IsNan,
    IsTerm,
    Truth,
    evaluated,
    identity,
)
from kgprobe.queries.filters.orders import Comparison, has_contradiction
from kgprobe.queries.filters.term_sets import (
    ANYTHING,
    BLANKS,
    FAMILIES,
    IRIS,
    LITERALS,
    NAN,
    NO_TERM,
    NODES,
    TermSet,
    nearly,
    number_hull,
    of_spaces,
    order_family,
    satisfying,
)
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode
from kgprobe.sparql.algebra import Aggregate, Bind, Call, Expression, Span, VariableUse


@dataclass(frozen=True)
class KnownTerms:
    """The terms that a variable may have, if it has one, and whether it has one: None if that is open.

    `origin` is for the caller, and `words` say in plain words what is known, as in "?age is a number".
    """

    variable: Variable
    origin: Hashable
    allowed: TermSet = ANYTHING
    is_bound: bool | None = True
    words: str = ""


@dataclass(frozen=True)
class SameValue:
    """Two variables that have the same value; or even the same term, if it is by term."""

    left: Variable
    right: Variable
    origin: Hashable
    by_term: bool = False
    words: str = ""


def domain_of(facts: Iterable[KnownTerms | SameValue]) -> Callable[[Variable], TermSet]:
    """What facts say about the terms of each variable."""
    known: dict[Variable, TermSet] = {}
    for fact in facts:
        if isinstance(fact, KnownTerms):
            known[fact.variable] = known.get(fact.variable, ANYTHING) & fact.allowed
    return lambda variable: known.get(variable, ANYTHING)


_MOST_ROUNDS = 6
_NO_SPAN = Span(0, 0)
_NO_NAN = TermSet(ALL_POINTS, True, ~NAN)


def is_refuted(
    claims: Sequence[Claim],
    facts: Iterable[KnownTerms],
    links: Sequence[SameValue],
    bindings: Sequence[Bind],
    *,
    with_nan: bool,
) -> bool:
    """Whether no values satisfy all of this.

    Unless it is `with_nan`, a variable about which nothing is known is not NaN, the number that is unequal to itself.
    """
    known = list(facts)
    search = _Search(None if with_nan else _floats(known, links))
    if not all(map(search.learn, known)):
        return True
    for _ in range(_MOST_ROUNDS):
        before = dict(search.domains)
        for binding in bindings:
            search.bind(binding)
        if not all(map(search.link, links)) or not all(map(search.claim, claims)) or not search.is_possible:
            return True
        if search.domains == before:
            break
    comparisons = _comparisons(claims, links, bindings)
    # A BIND with an error leaves its variable unbound. That is no contradiction.
    used = [
        comparison
        for comparison in comparisons
        if not search.value(comparison.left).is_empty and not search.value(comparison.right).is_empty
    ]
    return has_contradiction(used, search.value)


def _floats(facts: Iterable[KnownTerms], links: Sequence[SameValue]) -> frozenset[Variable]:
    """The variables that are known to be floats, and those that have the same values: they may well be NaN."""
    found = {
        fact.variable
        for fact in facts
        if fact.allowed.literals.spaces & NAN.spaces and "other" not in fact.allowed.literals.spaces
    }
    for _ in links:
        found |= {end for link in links if found & {link.left, link.right} for end in (link.left, link.right)}
    return frozenset(found)


def _comparisons(claims: Iterable[Claim], links: Iterable[SameValue], bindings: Iterable[Bind]) -> Iterable[Comparison]:
    for claim in claims:
        if isinstance(claim, Compare):
            yield Comparison(claim.operator, claim.left, claim.right)
        elif isinstance(claim, IsTerm) and not isinstance(claim.term, NamedNode | BlankNode | Literal):
            yield Comparison("same", claim.expression, claim.term)
    for link in links:
        yield Comparison("same", _use(link.left), _use(link.right))
    for binding in bindings:
        yield Comparison("same", _use(binding.variable), binding.expression)


def _use(variable: Variable) -> VariableUse:
    return VariableUse(variable, _NO_SPAN)


class _Search:
    """The terms that each variable may have, narrowed by one claim after the other."""

    def __init__(self, maybe_nan: frozenset[Variable] | None) -> None:
        # The keys are variables, and other expressions by their identity.
        self.domains: dict[Hashable, TermSet] = {}
        self._bound: set[Variable] = set()
        self._unbound: set[Variable] = set()
        self._maybe_nan = maybe_nan  # None stands for all variables

    @property
    def is_possible(self) -> bool:
        return not any(variable in self._unbound or self._of(variable).is_empty for variable in self._bound)

    def learn(self, fact: KnownTerms) -> bool:
        if fact.is_bound:
            self._bound.add(fact.variable)
        elif fact.is_bound is False:
            self._unbound.add(fact.variable)
        self.domains[fact.variable] = self.domains.get(fact.variable, ANYTHING) & fact.allowed
        return self.is_possible

    def link(self, link: SameValue) -> bool:
        left, right = self._of(link.left), self._of(link.right)
        common = left & right if link.by_term else left & TermSet(right.iris, right.blanks, right.literals)
        self.domains[link.left] = common
        self.domains[link.right] = common if link.by_term else right & TermSet(left.iris, left.blanks, left.literals)
        return self.is_possible

    def bind(self, binding: Bind) -> None:
        self.domains[binding.variable] = self._of(binding.variable) & self.value(binding.expression)

    def claim(self, claim: Claim) -> bool:
        """Narrows the terms of the variables in a claim; False if it cannot hold."""
        if isinstance(claim, IsBound):
            (self._bound if claim.is_bound else self._unbound).add(claim.variable)
            return self.is_possible
        if isinstance(claim, IsNan):
            return self._narrow(claim.expression, TermSet.of_values(NAN))
        if isinstance(claim, IsTerm):
            return self._same_term(claim)
        if isinstance(claim, Truth):
            return self._truth(claim.expression, is_true=claim.is_true)
        return self._compare(claim)

    def value(self, expression: Expression) -> TermSet:
        """The terms that an expression may evaluate to."""
        found = evaluated(expression, self._of)
        if isinstance(expression, Call | Aggregate):
            return found & self.domains.get(identity(expression), ANYTHING)
        return found

    def _of(self, variable: Variable) -> TermSet:
        if variable in self._unbound:
            return NO_TERM
        found = self.domains.get(variable, ANYTHING)
        is_number = self._maybe_nan is not None and variable not in self._maybe_nan
        return found & _NO_NAN if is_number else found

    # -- comparisons -----------------------------------------------------------------------------------------------

    def _compare(self, claim: Compare) -> bool:
        left, right = self.value(claim.left), self.value(claim.right)
        if left.is_empty or right.is_empty:
            return False
        constants = ((claim.left, claim.operator, right), (claim.right, FLIPPED[claim.operator], left))
        for side, operator, other in constants:
            if other.only_value is not None and not self._narrow(side, satisfying(operator, other.only_value)):
                return False
        if claim.operator == "!=":
            return True
        common = _common_families(claim.operator, left, right)
        number = ANYTHING if _is_equal_nan(claim.operator, left, right) else _NO_NAN
        return all(
            self._narrow(side, number & self.value(side).limited(common))
            and (claim.operator != "=" or self._narrow(side, _equal_to(other)))
            and all(self._narrow(side, limited) for limited in _within(operator, other, self.value(side)))
            for side, operator, other in constants
        )

    def _same_term(self, claim: IsTerm) -> bool:
        if isinstance(claim.term, NamedNode | BlankNode | Literal):
            return self._narrow(claim.expression, TermSet.of_term(claim.term))
        left, right = self.value(claim.expression), self.value(claim.term)
        return self._narrow(claim.expression, right) and self._narrow(claim.term, left)

    # -- truth values ----------------------------------------------------------------------------------------------

    def _truth(self, expression: Expression, *, is_true: bool) -> bool:
        if not isinstance(expression, Call):
            return self._narrow(expression, _TRUE if is_true else _FALSE)
        if self.value(expression).is_empty:
            return False
        name, arguments = expression.name, expression.arguments
        if name in _TESTS and len(arguments) == 1:
            return self._narrow(arguments[0], _TESTS[name][0 if is_true else 1])
        if name in _PARTS and is_true:
            return self._has_part(name, arguments)
        if name == "LANGMATCHES" and is_true and isinstance(arguments[0], Call) and arguments[0].name == "LANG":
            if Literal("") in self.value(arguments[1]):  # engines differ on whether it matches an empty tag
                return True
            return self._narrow(arguments[0].arguments[0], FAMILIES["string with a language"])
        return not (self.value(expression) & (_TRUE if is_true else _FALSE)).is_empty

    def _has_part(self, name: str, arguments: Sequence[Expression]) -> bool:
        part = self.value(arguments[1]).only_value
        if not isinstance(part, Literal):
            return True
        text = part.value
        lengths = (Intervals.between(Fraction(len(text))),) * len(TEXT_LAYERS)
        longer = ValueSet.of_parts({"string": Texts(lengths)}) | ~ValueSet.of_spaces("string")
        if not self._narrow(arguments[0], TermSet.of_values(longer)):
            return False
        texts = self.value(arguments[0]).only_texts
        return texts is None or any(_PARTS[name](whole, text) for whole in texts)

    # -- narrowing -------------------------------------------------------------------------------------------------

    def _narrow(self, expression: Expression, allowed: TermSet) -> bool:
        """Keeps only the allowed values of an expression; False if none is left."""
        if isinstance(expression, VariableUse):
            found = self._of(expression.variable) & allowed
            self.domains[expression.variable] = found
            return not found.is_empty
        found = self.value(expression) & allowed
        if found.is_empty:
            return False
        if isinstance(expression, Call | Aggregate):
            self.domains[identity(expression)] = found
        return not isinstance(expression, Call) or self._narrow_argument(expression, found)

    def _narrow_argument(self, call: Call, result: TermSet) -> bool:
        """What a result says about the argument of a function."""
        if call.name == "DATATYPE" and isinstance(result.constant, NamedNode):
            # Some engines compute with ill-typed literals, such as "-5"^^xsd:positiveInteger.
            spaces = ValueSet.of_datatype(result.constant).spaces | {"other"}
            return self._narrow(call.arguments[0], of_spaces(*spaces))
        if call.name == "LANG":
            empty = Literal("") in result
            tagged = not (result & _NOT_EMPTY).is_empty
            allowed = TermSet.of_values(ValueSet.of_spaces("langString")) if tagged else NO_TERM
            return self._narrow(call.arguments[0], allowed | _NO_LANGUAGE if empty else allowed)
        return True


def _common_families(operator: str, left: TermSet, right: TermSet) -> frozenset[str]:
    if operator == "=":
        return left.families & right.families
    orders = {order_family(family) for family in left.families} & {order_family(other) for other in right.families}
    # Some engines find `<=` true if both operands are the same node.
    nodes = frozenset({"IRI", "blank node"}) if operator in ("<", ">") else frozenset()
    return frozenset(family for family in FAMILIES if order_family(family) in orders - nodes)


def _within(operator: str, other: TermSet, own: TermSet) -> Iterator[TermSet]:
    """The numbers that a value must be in, because another one does not reach farther."""
    if not own.families <= {"number"} or not other.families <= {"number"} or other.literals.spaces & NAN.spaces:
        return
    if (own.literals.spaces | other.literals.spaces) <= set(NUMBERS):
        return  # comparisons of exact numbers are difference constraints
    low, high = number_hull(other)
    for sign, (limit, _) in (("<=", high), (">=", low)):
        if (operator == "=" or operator[0] == sign[0]) and not math.isinf(limit):
            found = nearly(sign, Fraction(limit))
            if found is not None:
                yield found


def _is_equal_nan(operator: str, left: TermSet, right: TermSet) -> bool:
    """Whether an engine may find `<=` true because both operands are NaN."""
    return operator in ("<=", ">=") and bool(left.literals.spaces & NAN.spaces and right.literals.spaces & NAN.spaces)


@lru_cache(maxsize=10_000)
def _equal_to(others: TermSet) -> TermSet:
    """The terms that may be equal to one of these terms."""
    spaces = others.literals.spaces
    loose = [each for each in others.families - {"IRI", "blank node"} if each not in ("number", "string")]
    values = TermSet.of_values(others.literals)
    for family in sorted(loose):
        if family not in ("boolean", "string with a language"):
            values |= FAMILIES[family]
    if "number" in others.families:
        values |= of_spaces(*FLOATS) if spaces & set(NUMBERS) else NO_TERM
        values |= FAMILIES["number"] if spaces & set(FLOATS) else NO_TERM
    if "string" in others.families:
        values |= FAMILIES["string"] if "anyURI" in spaces else of_spaces("anyURI")
    return TermSet(others.iris, others.blanks, values.literals)


# -- the sets that tests and truth values divide -----------------------------------------------------------------------


def _value(literal: Literal) -> ValueSet:
    value = value_of(literal)
    return ValueSet.of_parts({value.space: single(value)}) if isinstance(value, Value) else EVERYTHING


_OTHER = FAMILIES["literal of another datatype"].literals
_NOT_EMPTY = TermSet.of_values(
    ValueSet.of_parts({"string": Texts((Intervals.between(Fraction(1)),) * len(TEXT_LAYERS))})
)
_NO_LANGUAGE = LITERALS & TermSet.of_values(~ValueSet.of_spaces("langString"))
_ZEROS = satisfying("=", Literal(0)).literals.only((*NUMBERS, *FLOATS)) | NAN
_FALSY = _ZEROS | ValueSet.of_literals([Literal("false", datatype=Literal(True).datatype), Literal("")])
_TRUTHY = (
    FAMILIES["number"].literals & ~ValueSet.of_literals([Literal(0)]) & ~NAN
    | ValueSet.of_literals([Literal(True)])
    | _NOT_EMPTY.literals
)
_OPEN = _OTHER | ValueSet.of_spaces("langString", "anyURI")
_TRUE, _FALSE = TermSet.of_values(_TRUTHY | _OPEN), TermSet.of_values(_FALSY | _OPEN)
# A literal of owl:rational or of an unknown datatype is not numeric for an engine, even if its value is a number.
_TESTS = {
    "ISIRI": (IRIS, BLANKS | LITERALS),
    "ISURI": (IRIS, BLANKS | LITERALS),
    "ISBLANK": (BLANKS, IRIS | LITERALS),
    "ISLITERAL": (LITERALS, NODES),
    "ISNUMERIC": (FAMILIES["number"] | FAMILIES["literal of another datatype"], ANYTHING),
}
_PARTS = {
    "CONTAINS": lambda whole, part: part in whole,
    "STRSTARTS": str.startswith,
    "STRENDS": str.endswith,
}
