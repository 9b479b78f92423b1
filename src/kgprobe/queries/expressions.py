"""Expressions: what of a FILTER can be asked of one triple, away from the query.

A conjunct that says which IRIs a variable may be is taken as that. Any other becomes a condition, if it has one answer
for given values of its variables, wherever and whenever it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kgprobe.graph.terms import XSD, NamedNode
from kgprobe.queries.source import IRIS, Source
from kgprobe.queries.tree import Node
from kgprobe.queries.uses import Condition

__all__ = ["condition", "conjuncts", "equality", "variables_of"]

# The casts that SPARQL itself has.
_CASTS = frozenset(XSD[name] for name in ("boolean", "dateTime", "decimal", "double", "float", "integer", "string"))
# Kinds of nodes that mean the same everywhere, beside the signs between them.
_LITERALS = frozenset(("rdf_literal", "string", "lang_tag", "integer", "decimal", "double", "boolean_literal", "nil"))
_OPERATIONS = frozenset(("binary_expression", "unary_expression", "bracketted_expression", "substring_expression"))
_LISTS = frozenset(("expression_list", "arg_list"))
_PLAIN = _LITERALS | _OPERATIONS | _LISTS
# Functions with another value each time, and those that depend on BASE.
_UNREPEATABLE = frozenset(("RAND", "NOW", "UUID", "STRUUID", "BNODE", "IRI", "URI"))
# What not every engine reads alike in a regular expression: groups with a question mark, letters with a backslash,
# quantifiers that give nothing back, sets in sets. What is an error in one may be a look-ahead in another.
_UNPORTABLE_PATTERN = re.compile(r"\(\?|\\(?:\w|$)|[*+?}]\+|\{,|\[\^?\]|\[[^\]]*\[|&&|--|~~")
_UNPORTABLE_REPLACEMENT = re.compile(r"[$\\]")
_UNPORTABLE_FLAGS = re.compile(r"[^ism]")


def conjuncts(expression: Node) -> Iterator[Node]:
    """The parts that && joins, without the brackets around them. The whole is true only if each of them is."""
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

    An IRI equals nothing but itself, so `=`, IN and sameTerm all say that. Literals can be equal and not the same.
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
    """The variables in an expression, if its answer depends on nothing but their values; else None."""
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
    """The expression, as it can be asked away from the query."""
    return Condition(source.spelled(node), tuple(sorted(variables)))


def _operator(node: Node) -> str | None:
    return node.children[1].kind if node.kind == "binary_expression" else None


def _compared(node: Node) -> list[Node]:
    """What `=`, IN or sameTerm compares: one side, and what it may be equal to. Empty if the node is none of these."""
    sign = _operator(node)
    if sign == "=":
        return [node.children[0], node.children[2]]
    if sign == "IN":
        return [node.children[0], *(each for each in node.children[2].children if each.kind != "nil")]
    if node.kind == "build_in_function" and node.children[0].kind.upper() == "SAMETERM":
        return node.children[1:]
    return []


def _is_repeatable(node: Node, source: Source) -> bool:
    """Whether a part of an expression, apart from the parts of it, gives the same everywhere and each time."""
    kind = node.kind
    if kind in IRIS:
        return source.iri(node) is not None
    if kind == "function_call":
        return source.iri(node.children[0]) in _CASTS
    if kind == "build_in_function":
        return node.children[0].kind.upper() not in _UNREPEATABLE
    if kind in ("regex_expression", "string_replace_expression"):
        return _is_portable(node, source)
    # Signs and keywords are not in lower case. EXISTS, aggregates and what nobody thought of are.
    return kind in _PLAIN or not kind.islower()


def _is_portable(node: Node, source: Source) -> bool:
    """Whether REGEX or REPLACE has a pattern that is written out, and means the same in every engine."""
    suspicious = [_UNPORTABLE_PATTERN, _UNPORTABLE_REPLACEMENT, _UNPORTABLE_FLAGS]
    if node.kind == "regex_expression":
        del suspicious[1]
    _, *written = [each for each in node.children if each.kind.islower()]
    if any(each.kind != "rdf_literal" for each in written):
        return False
    values = [source.string(each.children[0]) for each in written]
    return not any(each.search(value) for each, value in zip(suspicious, values, strict=False))
