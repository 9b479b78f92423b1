"""Uses: the triples that an answer depends on, as precisely as the text of a query says.

An answer is a function of the triples that match one of its uses. So if no added or removed triple matches any of them,
the answer stays the same.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from typing import TYPE_CHECKING, TypeAlias

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import XSD, Literal, NamedNode, Term
from kgprobe.sparql.algebra import (
    Bind,
    Call,
    Constant,
    Expression,
    Given,
    Part,
    Values,
    VariableUse,
)
from kgprobe.sparql.tokens import UNREPEATABLE
from kgprobe.sparql.traversal import conjuncts, expressions_in

if TYPE_CHECKING:
    from kgprobe.sparql.source import Source  # which loads the parser

__all__ = ["ANYTHING", "AnyUse", "Condition", "PathUse", "Slot", "TripleUse", "Use"]


@dataclass(frozen=True, slots=True)
class Slot:
    """A position in a pattern: one of some terms, or any term (None). Conditions refer to it by its variable."""

    terms: frozenset[Term] | None = None
    variable: str | None = None


ANYTHING = Slot()


@dataclass(frozen=True, slots=True)
class Condition:
    """A SPARQL expression with all IRIs in full, and the names of its variables."""

    text: str
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TripleUse:
    """The triples that match one pattern and meet its conditions. A variable in two slots has one value."""

    subject: Slot
    predicate: Slot
    object: Slot
    conditions: tuple[Condition, ...] = ()
    text: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class PathUse:
    """The pairs of nodes that a chain of edges connects; `reflexive` if a chain may have no edge (`p*`, not `p+`).

    An edge is a predicate and whether it is followed from object to subject. Each step uses any one of the edges.
    """

    subject: Slot
    edges: frozenset[tuple[NamedNode, bool]]
    object: Slot
    reflexive: bool
    text: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class AnyUse:
    """Every triple."""

    text: str = ""
    line: int | None = None


Use: TypeAlias = TripleUse | PathUse | AnyUse


# -- what a group demands of its variables -----------------------------------------------------------------------------

# The casts that SPARQL defines.
_CASTS = frozenset(
    XSD[name].value for name in ("boolean", "dateTime", "decimal", "double", "float", "integer", "string")
)
_DEPENDING_ON_BASE = frozenset(("IRI", "URI"))
# Syntax of regular expressions that engines read differently: groups with a question mark, letters with a backslash,
# possessive quantifiers, nested sets. An error in one engine may be a lookahead in another.
_UNPORTABLE_PATTERN = re.compile(r"\(\?|\\(?:\w|$)|[*+?}]\+|\{,|\[\^?\]|\[[^\]]*\[|&&|--|~~")
_UNPORTABLE_REPLACEMENT = re.compile(r"[$\\]")
_UNPORTABLE_FLAGS = re.compile(r"[^ism]")
# What must not be in the arguments of a function after the first one.
_UNPORTABLE = {
    "REGEX": (_UNPORTABLE_PATTERN, _UNPORTABLE_FLAGS),
    "REPLACE": (_UNPORTABLE_PATTERN, _UNPORTABLE_REPLACEMENT, _UNPORTABLE_FLAGS),
}


def _equality(expression: Expression) -> tuple[str, frozenset[NamedNode]] | None:
    """The variable and the IRIs, if the expression is true exactly when the variable is one of these IRIs.

    An IRI equals only itself, so `=`, IN and sameTerm agree on IRIs. Different literals can be equal.
    """
    variables: set[str] = set()
    iris: set[NamedNode] = set()
    pending = [expression]
    while pending:
        current = pending.pop()
        if not isinstance(current, Call) or current.name not in ("||", "=", "IN", "SAMETERM"):
            return None
        if current.name == "||":
            pending += current.arguments
            continue
        first, *others = current.arguments
        if len(others) == 1 and isinstance(others[0], VariableUse):
            first, others = others[0], [first]
        if not isinstance(first, VariableUse) or isinstance(first.variable, Given):
            return None
        variables.add(first.variable.name)
        for other in others:
            if not isinstance(other, Constant) or not isinstance(other.term, NamedNode):
                return None
            iris.add(other.term)
    return (variables.pop(), frozenset(iris)) if len(variables) == 1 else None


def _variables_of(expression: Expression) -> frozenset[str] | None:
    """The variables in an expression; None if its result depends on more than their values."""
    found: set[str] = set()
    for part in expressions_in(expression):
        if isinstance(part, VariableUse) and not isinstance(part.variable, Given):
            found.add(part.variable.name)
        elif not isinstance(part, Constant) and not (isinstance(part, Call) and _is_repeatable(part)):
            return None
    return frozenset(found)


def _is_repeatable(call: Call) -> bool:
    """Whether a call, apart from its arguments, has the same result in any context and at any time."""
    if call.has_iri:
        return call.name in _CASTS
    suspicious = _UNPORTABLE.get(call.name)
    if suspicious is None:
        return call.name not in UNREPEATABLE and call.name not in _DEPENDING_ON_BASE
    # The pattern must be a literal that means the same in every engine.
    return all(
        isinstance(argument, Constant)
        and isinstance(argument.term, Literal)
        and not pattern.search(argument.term.value)
        for argument, pattern in zip(call.arguments[1:], suspicious, strict=False)
    )


# The limit on conditions of one use. It is safe to omit some, and a query could have thousands for each triple.
_MOST_CONDITIONS = 16
_FEW = 8  # up to this number, a scan of all is as fast as a lookup


class Restrictions:
    """The restrictions of one group on its variables, from FILTER, BIND and VALUES.

    A conjunct of a FILTER that lists the IRIs of a variable restricts that variable. Any other conjunct becomes a
    condition that can be evaluated on a single triple, if its result depends only on the values of its variables.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._terms: dict[str, frozenset[Term]] = {}
        self._conjuncts: dict[frozenset[str], list[Expression]] = {}  # by the variables in them
        self._conditions: dict[frozenset[str], list[Condition]] = {}

    def add_filter(self, condition: Expression) -> bool:
        """Add a FILTER. True if all of it was understood, so that no part of it reads the graph."""
        understood = True
        for conjunct in conjuncts(condition):
            if equality := _equality(conjunct):
                self._restrict(*equality)
            elif (variables := _variables_of(conjunct)) is None:
                understood = False
            elif variables:
                self._conjuncts.setdefault(variables, []).append(conjunct)
        return understood

    def add_bind(self, bind: Bind) -> None:
        """Add a BIND that gives the variable an IRI. No triple before it can have that variable."""
        if isinstance(bind.expression, Constant) and isinstance(bind.expression.term, NamedNode):
            self._restrict(bind.variable.name, (bind.expression.term,))

    def add_values(self, values: Values) -> None:
        """Add the terms that VALUES lists for each variable. With UNDEF, a variable can be any term."""
        for column, variable in enumerate(values.variables):
            terms = [row[column] for row in values.rows]
            known = [term for term in terms if term is not None]
            if len(known) == len(terms):
                self._restrict(variable.name, known)

    def slot(self, part: Part) -> Slot:
        """The slot of a part in a use."""
        if not isinstance(part, Variable):
            return _constant(part)
        if part.hidden:
            return ANYTHING
        return Slot(self._terms[part.name], part.name) if part.name in self._terms else _open(part.name)

    def conditions(self, *slots: Slot) -> tuple[Condition, ...]:
        """The conditions whose variables are all among these slots."""
        if not self._conjuncts:
            return ()
        variables = {slot.variable for slot in slots}
        among = self._conjuncts if len(self._conjuncts) < _FEW else _choices(variables)
        found: list[Condition] = []
        for chosen in among:
            if chosen <= variables:
                found += self._conditions_on(chosen)
        return tuple(found[:_MOST_CONDITIONS])

    def _conditions_on(self, variables: frozenset[str]) -> Iterable[Condition]:
        if variables not in self._conditions:
            expressions = self._conjuncts.get(variables, [])[:_MOST_CONDITIONS]
            names = tuple(sorted(variables))
            self._conditions[variables] = [
                Condition(self._source.spelled(*expression.span), names) for expression in expressions
            ]
        return self._conditions[variables]

    def _restrict(self, name: str, terms: Iterable[Term]) -> None:
        """Intersect lists of terms. Literals that look different may be equal, so all of the first list are kept."""
        allowed = frozenset(terms)
        if name in self._terms:
            literal = any(isinstance(term, Literal) for term in allowed)
            allowed = frozenset(
                term for term in self._terms[name] if term in allowed or (literal and isinstance(term, Literal))
            )
        self._terms[name] = allowed


def _choices(names: set[str | None]) -> Iterator[frozenset[str]]:
    known = sorted(name for name in names if name)
    return map(frozenset, chain.from_iterable(combinations(known, size) for size in (1, 2, 3)))


# Most slots have the same few predicates and variables.
@functools.lru_cache(maxsize=4096)
def _constant(term: Term) -> Slot:
    return Slot(frozenset((term,)))


@functools.lru_cache(maxsize=1024)
def _open(name: str) -> Slot:
    return Slot(None, name)
