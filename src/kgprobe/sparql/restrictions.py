"""The restrictions of a group on its variables, from FILTER, BIND and VALUES.

A conjunct of a FILTER that lists the IRIs of a variable restricts that variable. Any other conjunct becomes a condition
that can be evaluated on a single triple, if its result depends only on the values of its variables.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from itertools import chain, combinations

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import XSD, Literal, NamedNode, Term
from kgprobe.sparql.algebra import Part
from kgprobe.sparql.source import IRIS, Source
from kgprobe.sparql.tree import Node
from kgprobe.sparql.uses import ANYTHING, Condition, Slot

__all__ = ["Restrictions", "condition", "conjuncts", "equality", "variables_of"]

# The casts that SPARQL defines.
_CASTS = frozenset(XSD[name] for name in ("boolean", "dateTime", "decimal", "double", "float", "integer", "string"))
# Kinds of nodes, apart from operators, that mean the same in any context.
_LITERALS = frozenset(("rdf_literal", "string", "lang_tag", "integer", "decimal", "double", "boolean_literal", "nil"))
_OPERATIONS = frozenset(("binary_expression", "unary_expression", "bracketted_expression", "substring_expression"))
_LISTS = frozenset(("expression_list", "arg_list"))
_PLAIN = _LITERALS | _OPERATIONS | _LISTS
# Functions with a new value at each call, and those that depend on BASE.
_UNREPEATABLE = frozenset(("RAND", "NOW", "UUID", "STRUUID", "BNODE", "IRI", "URI"))
# Syntax of regular expressions that engines read differently: groups with a question mark, letters with a backslash,
# possessive quantifiers, nested sets. An error in one engine may be a lookahead in another.
_UNPORTABLE_PATTERN = re.compile(r"\(\?|\\(?:\w|$)|[*+?}]\+|\{,|\[\^?\]|\[[^\]]*\[|&&|--|~~")
_UNPORTABLE_REPLACEMENT = re.compile(r"[$\\]")
_UNPORTABLE_FLAGS = re.compile(r"[^ism]")


def conjuncts(expression: Node) -> Iterator[Node]:
    """The operands of &&, without the brackets around them. The expression is true only if all of them are."""
    pending = [expression]
    while pending:
        node = pending.pop()
        while node.kind == "bracketted_expression":
            [node] = node.children
        if _operator(node) == "&&":
            pending += (node.children[2], node.children[0])
        else:
            yield node


def equality(node: Node, source: Source) -> tuple[str, frozenset[NamedNode]] | None:
    """The variable and the IRIs, if the expression is true exactly when the variable is one of these IRIs.

    An IRI equals only itself, so `=`, IN and sameTerm agree on IRIs. Different literals can be equal.
    """
    variables: set[str] = set()
    found: set[NamedNode] = set()
    pending = [node]
    while pending:
        node = pending.pop()
        if node.kind == "bracketted_expression":
            pending += node.children
            continue
        if _operator(node) == "||":
            pending += (node.children[0], node.children[2])
            continue
        sides = _compared(node)
        if len(sides) == 2 and sides[1].kind == "var":
            sides.reverse()
        if not sides or sides[0].kind != "var":
            return None
        variables.add(source.variable(sides[0]))
        for side in sides[1:]:
            term = source.iri(side) if side.kind in IRIS else None
            if term is None:
                return None
            found.add(term)
    return (variables.pop(), frozenset(found)) if len(variables) == 1 else None


def variables_of(node: Node, source: Source) -> frozenset[str] | None:
    """The variables in an expression; None if its result depends on more than their values."""
    found: set[str] = set()
    pending = [node]
    while pending:
        node = pending.pop()
        if node.kind == "var":
            found.add(source.variable(node))
        elif not _is_repeatable(node, source):
            return None
        pending += node.children
    return frozenset(found)


def condition(node: Node, variables: frozenset[str], source: Source) -> Condition:
    """The expression as a condition that can be evaluated outside the query."""
    return Condition(source.spelled(node.start, node.end), tuple(sorted(variables)))


def _operator(node: Node) -> str | None:
    return node.children[1].kind if node.kind == "binary_expression" else None


def _compared(node: Node) -> list[Node]:
    """The operands of `=`, IN or sameTerm: one side, and the values it is compared with. Empty for other nodes."""
    sign = _operator(node)
    if sign == "=":
        return [node.children[0], node.children[2]]
    if sign == "IN":
        return [node.children[0], *(each for each in node.children[2].children if each.kind != "nil")]
    if node.kind == "build_in_function" and node.children[0].kind.upper() == "SAMETERM":
        return node.children[1:]
    return []


def _is_repeatable(node: Node, source: Source) -> bool:
    """Whether a node, apart from its children, has the same result in any context and at any time."""
    kind = node.kind
    if kind in IRIS:
        return source.iri(node) is not None
    if kind == "function_call":
        return source.iri(node.children[0]) in _CASTS
    if kind == "build_in_function":
        return node.children[0].kind.upper() not in _UNREPEATABLE
    if kind in ("regex_expression", "string_replace_expression"):
        return _is_portable(node, source)
    # Operators and keywords are not in lower case. EXISTS, aggregates and all other kinds of nodes are.
    return kind in _PLAIN or not kind.islower()


def _is_portable(node: Node, source: Source) -> bool:
    """Whether REGEX or REPLACE has a literal pattern that means the same in every engine."""
    suspicious = [_UNPORTABLE_PATTERN, _UNPORTABLE_REPLACEMENT, _UNPORTABLE_FLAGS]
    if node.kind == "regex_expression":
        del suspicious[1]
    _, *written = [each for each in node.children if each.kind.islower()]
    if any(each.kind != "rdf_literal" for each in written):
        return False
    values = [source.string(each.children[0]) for each in written]
    return not any(each.search(value) for each, value in zip(suspicious, values, strict=False))


# -- the restrictions of a group ---------------------------------------------------------------------------------------

# The limit on conditions of one use. It is safe to omit some, and a query could have thousands for each triple.
_MOST_CONDITIONS = 16
_FEW = 8  # up to this number, a scan of all is as fast as a lookup


class Restrictions:
    """The restrictions of one group on its variables: the terms that they may be, and conditions."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._terms: dict[str, frozenset[Term]] = {}
        self._conjuncts: dict[frozenset[str], list[Node]] = {}  # by the variables in them
        self._conditions: dict[frozenset[str], list[Condition]] = {}

    def add_filter(self, expression: Node) -> bool:
        """Add a FILTER. True if all of it was understood, so that no part of it reads the graph."""
        understood = True
        for each in conjuncts(expression):
            if found := equality(each, self._source):
                self._restrict(*found)
            elif (variables := variables_of(each, self._source)) is None:
                understood = False
            elif variables:
                self._conjuncts.setdefault(variables, []).append(each)
        return understood

    def add_bind(self, expression: Node, variable: Node) -> None:
        """Add a BIND that gives the variable an IRI. No triple before it can have that variable."""
        if expression.kind in IRIS and (iri := self._source.iri(expression)):
            self._restrict(self._source.variable(variable), (iri,))

    def add_values(self, block: Node) -> None:
        """Add the terms that VALUES lists for each variable. With UNDEF, a variable can be any term."""
        names = [self._source.variable(part) for part in block.children if part.kind == "var"]
        cells = [part for part in block.children if part.kind not in ("var", "nil")]
        for column, name in enumerate(names):
            terms = [self._source.constant(cell) for cell in cells[column :: len(names)]]
            known = [term for term in terms if term is not None]
            if len(known) == len(terms):
                self._restrict(name, known)

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
        for each in among:
            if each <= variables:
                found += self._conditions_on(each)
        return tuple(found[:_MOST_CONDITIONS])

    def _conditions_on(self, variables: frozenset[str]) -> Iterable[Condition]:
        if variables not in self._conditions:
            nodes = self._conjuncts.get(variables, [])[:_MOST_CONDITIONS]
            self._conditions[variables] = [condition(node, variables, self._source) for node in nodes]
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
