"""The expressions of a query or an update: from the syntax tree to the algebra."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kgprobe.sparql.algebra import Aggregate, Call, Constant, Exists, Expression, Group, Span, VariableUse
from kgprobe.sparql.source import Source
from kgprobe.sparql.tree import Node
from kgprobe.sparql.triples import TripleReader, variable_of

__all__ = ["ExpressionReader"]

_EXISTS = frozenset(("exists_func", "not_exists_func"))
# Nodes that hold the arguments of a function, and keywords between them.
_LISTS = frozenset(("expression_list", "arg_list"))
_BETWEEN = frozenset(("nil", "DISTINCT"))
_AROUND = frozenset(("DISTINCT", "*", "SEPARATOR", "=", "string"))  # of the argument of an aggregate
_CONNECTIVES = frozenset(("&&", "||"))


class _Operation(NamedTuple):
    """An operator or a function to create when its operands are known."""

    node: Node
    name: str
    operands: int


class ExpressionReader:
    """Reads the expressions of one text. `group` reads the group of an EXISTS.

    `deepest` is the deepest nesting of operators and functions so far. A chain of && or of || counts once.
    """

    def __init__(self, source: Source, triples: TripleReader, group: Callable[[Node], Group]) -> None:
        self._source = source
        self._triples = triples
        self._group = group
        self.deepest = 0

    def read(self, node: Node) -> Expression:
        """The expression of a node. Without recursion, because a long chain of operators is a deep tree."""
        done: list[Expression] = []
        depths: list[int] = []
        pending: list[Node | _Operation] = [node]
        while pending:
            node_or_operation = pending.pop()
            if isinstance(node_or_operation, _Operation):
                node, name, count = node_or_operation
                place = len(done) - count
                arguments, depth = tuple(done[place:]), 1 + max(depths[place:], default=0)
                done[place:] = [self._created(node, name, arguments)]
                depths[place:] = [depth]
                continue
            node = node_or_operation
            while node.kind == "bracketted_expression":
                [node] = node.children
            if (found := self._operands(node)) is None:
                done.append(self._single(node))
                depths.append(0)
            else:
                name, operands = found
                pending.append(_Operation(node, name, len(operands)))
                pending += reversed(operands)
        self.deepest = max(self.deepest, depths[0])
        return done[0]

    def _operands(self, node: Node) -> tuple[str, list[Node]] | None:
        """The name of an operator, function or aggregate, and its operands; None for other nodes."""
        children = node.children
        match node.kind:
            case "binary_expression":
                return _binary(node)
            case "unary_expression":
                return children[0].kind, [children[1]]
            case "function_call":
                function = self._source.iri(children[0])
                name = self._source.written(children[0].start, children[0].end) if function is None else function.value
                return name, _arguments(children[1:])
            case "build_in_function" | "substring_expression" | "string_replace_expression":
                return children[0].kind.upper(), _arguments(children[1:])
            case "regex_expression":
                return "REGEX", children
            case "aggregate":
                return children[0].kind.upper(), [each for each in children[1:] if each.kind not in _AROUND]
        return None

    def _created(self, node: Node, name: str, arguments: tuple[Expression, ...]) -> Expression:
        span = Span(node.start, node.end)
        if node.kind == "aggregate":
            return self._aggregate(node, name, arguments[0] if arguments else None)
        if name != "!":
            return Call(name, arguments, span)
        # The tree has only one of several negations.
        [found] = arguments
        text = self._source.text
        for place in range(node.children[1].start - 1, node.start - 1, -1):
            if text[place] == "!":
                found = Call("!", (found,), Span(place, node.end))
        return found

    def _single(self, node: Node) -> Expression:
        span = Span(node.start, node.end)
        if node.kind == "var":
            return VariableUse(variable_of(self._source, node), span)
        if node.kind in _EXISTS:
            return Exists(self._group(node.children[-1]), node.kind == "not_exists_func", span)
        term = self._source.constant(node)
        return VariableUse(self._triples.given(node), span) if term is None else Constant(term, span)

    def _aggregate(self, node: Node, name: str, argument: Expression | None) -> Aggregate:
        kinds = [each.kind for each in node.children]
        separator = self._source.string(node.children[-1]) if "SEPARATOR" in kinds else None
        return Aggregate(name, argument, "DISTINCT" in kinds, Span(node.start, node.end), separator)


def _binary(node: Node) -> tuple[str, list[Node]]:
    left, sign, *right = node.children
    if sign.kind == "NOT":
        return "NOT IN", [left, *_arguments(right[1:])]
    if sign.kind == "IN":
        return "IN", [left, *_arguments(right)]
    if sign.kind not in _CONNECTIVES:
        return sign.kind, [left, *right]
    operands = right
    while left.kind == "binary_expression" and left.children[1].kind == sign.kind:
        operands.append(left.children[2])
        left = left.children[0]
    return sign.kind, [left, *reversed(operands)]


def _arguments(nodes: list[Node]) -> list[Node]:
    """The arguments among the nodes after the name of a function."""
    if len(nodes) == 1 and nodes[0].kind in _LISTS:
        nodes = nodes[0].children
    return [each for each in nodes if each.kind not in _BETWEEN]
