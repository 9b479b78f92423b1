"""Queries, updates, groups and expressions: from the syntax tree to the algebra.

The recursion is only as deep as the braces of the text, which are limited.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from typing import TypedDict

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import NamedNode, Term
from kgprobe.sparql.algebra import (
    Aggregate,
    Bind,
    Call,
    Constant,
    Dataset,
    Element,
    Exists,
    Expression,
    Filter,
    Form,
    GraphGroup,
    GraphTriples,
    Group,
    Management,
    Minus,
    Modify,
    Operation,
    Optional,
    PlacedTriple,
    Projected,
    QueryTree,
    Service,
    Span,
    Union,
    Values,
    VariableUse,
)
from kgprobe.sparql.source import IRIS, Source
from kgprobe.sparql.tokens import GAP
from kgprobe.sparql.tree import Node
from kgprobe.sparql.triples import TripleReader, variable_of

_MANAGEMENT = frozenset(("load", "clear", "drop", "add", "move", "copy", "create"))
_DATA = frozenset(("insert_data", "delete_data", "delete_where"))
_MOST_DIGITS = 20
_LABEL_SERVICE = NamedNode("http://wikiba.se/ontology#label")
_DATASET = re.compile(rf"FROM{GAP}(NAMED\b)?{GAP}(<[^<>]*>|[^\s<>\#{{}}]+)", re.IGNORECASE)
_FORMS: dict[str, Form] = {
    "select_query": "SELECT",
    "ask_query": "ASK",
    "construct_query": "CONSTRUCT",
    "describe_query": "DESCRIBE",
}

_EXISTS = frozenset(("exists_func", "not_exists_func"))
_FUNCTIONS = frozenset(("build_in_function", "substring_expression", "string_replace_expression"))
_WITH_OPERANDS = _FUNCTIONS | {
    *("binary_expression", "unary_expression", "function_call", "regex_expression", "aggregate"),
}
# Nodes that hold the arguments of a function, and keywords between them.
_LISTS = frozenset(("expression_list", "arg_list"))
_BETWEEN = frozenset(("nil", "DISTINCT"))
_AROUND = frozenset(("DISTINCT", "*", "SEPARATOR", "=", "string"))  # of the argument of an aggregate
_CONNECTIVES = frozenset(("&&", "||"))


def form_of(query: Node, source: Source) -> Form:
    """The form of a query. The tree shows a CONSTRUCT with an empty template as an ASK."""
    form = _FORMS[query.kind]
    if form == "ASK" and source.text[query.start : query.start + len("CONSTRUCT")].upper() == "CONSTRUCT":
        return "CONSTRUCT"
    return form


class _Modifiers(TypedDict, total=False):
    """The clauses after the pattern of a query, by the names that they have in a QueryTree."""

    groups: tuple[Expression | Bind, ...]
    having: tuple[Filter, ...]
    order: tuple[Expression, ...]
    limit: int
    offset: int


class AlgebraReader:
    """Reads the groups, queries and updates of one text."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.triples = TripleReader(source)
        self.deepest = 0  # the deepest nesting of operators and functions so far; a chain of && or of || counts once

    def operations(self) -> tuple[Operation, ...]:
        """The query, or the updates, of the text."""
        parts = self._source.tree.parts
        after = next((self._values(part) for part in parts if part.kind == "values_clause"), None)
        return tuple(
            self.query(part, after) if part.kind.endswith("_query") else self._update(part)
            for part in parts
            if part.kind not in ("prologue", "values_clause", ";")
        )

    # -- queries -------------------------------------------------------------------------------------------------

    def query(self, node: Node, values: Values | None = None) -> QueryTree:
        """A query, or a sub-select. The VALUES after a query are not part of its node."""
        parts: dict[str, list[Node]] = {}
        for part in node.children:
            parts.setdefault(part.kind, []).append(part)
        where: Group | None = None
        template: list[PlacedTriple] = []
        for part in parts.get("where_clause", ()):
            where = self.group(part.children[-1])
        for clause in parts.get("construct_template", ()):
            for part in clause.children:
                template += self.triples.read_all(part)
        for part in parts.get("triples_template", ()):  # CONSTRUCT WHERE, whose pattern is its template
            template = self.triples.read_all(part)
            where = Group(tuple(template), Span(*self._source.braces(part)))
        for part in parts.get("values_clause", ()):
            values = self._values(part)
        is_distinct = any(
            child.kind == "DISTINCT" for part in parts.get("select_clause", ()) for child in part.children
        )
        projected, described = self._results(node, parts)
        return QueryTree(
            form="SELECT" if node.kind == "sub_select" else form_of(node, self._source),
            projected=projected,
            where=where,
            span=_span(node),
            template=tuple(template),
            described=described,
            values=values,
            is_distinct=is_distinct,
            datasets=tuple([self._dataset(part) for part in parts.get("dataset_clause", ())]),
            **(self._modifiers(parts["solution_modifier"][0]) if "solution_modifier" in parts else {}),
        )

    def _results(
        self, node: Node, parts: Mapping[str, list[Node]]
    ) -> tuple[tuple[Projected, ...] | None, tuple[Constant, ...]]:
        """The variables that a query returns, None for all, and the IRIs that it describes."""
        if clause := parts.get("select_clause"):
            return self._projected(clause[0]), ()
        if node.kind != "describe_query" or "*" in parts:
            return None, ()
        variables = tuple(
            Projected(variable_of(self._source, part), None, _span(part)) for part in parts.get("var", ())
        )
        named = [(self._source.iri(part), _span(part)) for part in node.children if part.kind in IRIS]
        return variables, tuple(Constant(iri, span) for iri, span in named if iri is not None)

    def _projected(self, clause: Node) -> tuple[Projected, ...] | None:
        found: list[Projected] = []
        parts = [part for part in clause.children if part.kind not in ("DISTINCT", "REDUCED")]
        place = 0
        while place < len(parts):
            first = parts[place]
            if first.kind == "*":
                return None
            if place + 1 < len(parts) and parts[place + 1].kind == "AS":
                last = parts[place + 2]
                variable, span = variable_of(self._source, last), Span(first.start, last.end)
                found.append(Projected(variable, self.expression(first), span))
                place += 3
            else:
                found.append(Projected(variable_of(self._source, first), None, _span(first)))
                place += 1
        return tuple(found)

    def _modifiers(self, modifiers: Node) -> _Modifiers:
        found: _Modifiers = {}
        for part in chain.from_iterable(clause.children for clause in modifiers.children):
            match part.kind:
                case "group_condition":
                    found["groups"] = (*found.get("groups", ()), self._group_condition(part))
                case "having_condition":
                    condition = Filter(self.expression(part.children[-1]), _span(part))
                    found["having"] = (*found.get("having", ()), condition)
                case "order_condition":
                    found["order"] = (*found.get("order", ()), self.expression(part.children[-1]))
                case "limit_clause":
                    found["limit"] = self._number(part)
                case "offset_clause":
                    found["offset"] = self._number(part)
        return found

    def _number(self, clause: Node) -> int:
        number = clause.children[-1]
        return int(
            self._source.text[number.start : number.end][:_MOST_DIGITS]
        )  # it may be long while somebody types it

    def _group_condition(self, node: Node) -> Expression | Bind:
        expression = self.expression(node.children[0])
        if len(node.children) == 1:
            return expression
        return Bind(expression, variable_of(self._source, node.children[-1]), _span(node))

    # -- groups --------------------------------------------------------------------------------------------------

    def group(self, node: Node) -> Group:
        """A group in braces."""
        elements: list[Element] = []
        for part in node.children:
            if part.kind == "triples_block":
                elements += self.triples.read_all(part)
            else:
                elements.append(self._element(part))
        return Group(tuple(elements), _span(node))

    def _element(self, node: Node) -> Element:
        children, span = node.children, _span(node)
        match node.kind:
            case "filter":
                return Filter(self.expression(children[-1]), span)
            case "bind":
                return Bind(self.expression(children[0]), variable_of(self._source, children[-1]), span)
            case "inline_data":
                return self._values(node)
            case "optional_graph_pattern":
                return Optional(self.group(children[-1]), span)
            case "minus_graph_pattern":
                return Minus(self.group(children[-1]), span)
            case "graph_graph_pattern":
                return GraphGroup(self._name(children[0]), self.group(children[-1]), span)
            case "service_graph_pattern":
                is_silent = any(part.kind == "SILENT" for part in children)
                name = self._name(children[-2])
                labels = self.triples.labels if name == _LABEL_SERVICE else frozenset()
                return Service(name, self.group(children[-1]), is_silent, span, labels)
            case "sub_select":
                return self.query(node)
        groups = tuple(self.group(part) for part in children)
        return groups[0] if len(groups) == 1 else Union(groups, span)

    def _name(self, node: Node) -> Variable | NamedNode:
        if node.kind == "var":
            return variable_of(self._source, node)
        return self._source.iri(node) or self.triples.given(node)

    def _values(self, node: Node) -> Values:
        block = node.children[-1]
        variables = tuple(variable_of(self._source, part) for part in block.children if part.kind == "var")
        rows: list[tuple[Term | None, ...]]
        if variables:
            cells = [self._source.constant(part) for part in block.children if part.kind not in ("var", "nil")]
            width = len(variables)
            rows = [tuple(cells[place : place + width]) for place in range(0, len(cells), width)]
        else:
            rows = [() for _ in block.children[1:]]  # the first pair of brackets is for the variables
        return Values(variables, tuple(rows), _span(node))

    # -- expressions ---------------------------------------------------------------------------------------------

    def expression(self, node: Node) -> Expression:
        """The expression of a node."""
        expression, depth = self._nested(node)
        self.deepest = max(self.deepest, depth)
        return expression

    def _nested(self, node: Node) -> tuple[Expression, int]:
        """The expression of a node, and how deeply its operators and functions are nested.

        A long chain of operators is a tree that is deep on its left side. So first operands are read in a loop, and the
        recursion is only as deep as the brackets.
        """
        around: list[tuple[Node, str, list[Node]]] = []  # the operators whose first operand is still to be read
        while True:
            while node.kind == "bracketted_expression":
                [node] = node.children
            if node.kind not in _WITH_OPERANDS:
                expression, depth = self._single(node), 0
                break
            name, operands = self._operands(node)
            if not operands:
                expression, depth = self._created(node, name, ()), 1
                break
            around.append((node, name, operands))
            node = operands[0]
        while around:
            node, name, operands = around.pop()
            arguments = [expression]
            for operand in operands[1:]:
                argument, inner_depth = self._nested(operand)
                arguments.append(argument)
                depth = max(depth, inner_depth)
            expression, depth = self._created(node, name, tuple(arguments)), depth + 1
        return expression, depth

    def _operands(self, node: Node) -> tuple[str, list[Node]]:
        """The name of an operator, function or aggregate, and its operands."""
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
            case kind if kind in _FUNCTIONS:
                return children[0].kind.upper(), _arguments(children[1:])
            case "regex_expression":
                return "REGEX", children
        # An aggregate
        return children[0].kind.upper(), [child for child in children[1:] if child.kind not in _AROUND]

    def _created(self, node: Node, name: str, arguments: tuple[Expression, ...]) -> Expression:
        span = _span(node)
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
        span = _span(node)
        if node.kind == "var":
            return VariableUse(variable_of(self._source, node), span)
        if node.kind in _EXISTS:
            return Exists(self.group(node.children[-1]), node.kind == "not_exists_func", span)
        term = self._source.constant(node)
        return VariableUse(self.triples.given(node), span) if term is None else Constant(term, span)

    def _aggregate(self, node: Node, name: str, argument: Expression | None) -> Aggregate:
        kinds = [each.kind for each in node.children]
        separator = self._source.string(node.children[-1]) if "SEPARATOR" in kinds else None
        return Aggregate(name, argument, "DISTINCT" in kinds, Span(node.start, node.end), separator)

    # -- updates -------------------------------------------------------------------------------------------------

    def _update(self, node: Node) -> Operation:
        span = _span(node)
        if node.kind in _MANAGEMENT:
            return Management(node.kind.upper(), span)
        if node.kind in _DATA:
            quads = self._quads(node.children[-1])
            if node.kind == "insert_data":
                return Modify((), quads, None, span)
            where = _pattern(quads, _span(node.children[-1])) if node.kind == "delete_where" else None
            return Modify(quads, (), where, span)
        deleted: tuple[GraphTriples, ...] = ()
        inserted: tuple[GraphTriples, ...] = ()
        graph: Variable | NamedNode | None = None
        for part in node.children:
            match part.kind:
                case "delete_clause":
                    deleted = self._quads(part.children[-1])
                case "insert_clause":
                    inserted = self._quads(part.children[-1])
                case kind if kind in IRIS:
                    graph = self._name(part)
        datasets = tuple(_span(part) for part in node.children if part.kind == "using_clause")
        return Modify(deleted, inserted, self.group(node.children[-1]), span, graph, datasets)

    def _dataset(self, node: Node) -> Dataset:
        clause = _DATASET.match(self._source.text, node.start)
        assert clause is not None  # noqa: S101 - the grammar has read it
        name = self._source.resolved(clause[2]) or self.triples.hidden()
        return Dataset(name, clause[1] is not None, _span(node))

    def _quads(self, node: Node) -> tuple[GraphTriples, ...]:
        found: list[GraphTriples] = []
        for part in node.children:
            if part.kind == "triples_template":
                found.append(GraphTriples(None, tuple(self.triples.read_all(part)), _span(part)))
            elif part.kind == "quads_not_triples":
                name, *templates = part.children
                triples = tuple(triple for template in templates for triple in self.triples.read_all(template))
                found.append(GraphTriples(self._name(name), triples, _span(part)))
        return tuple(found)


def _span(node: Node) -> Span:
    return tuple.__new__(Span, node[1:3])  # faster than Span(…)


def _pattern(quads: tuple[GraphTriples, ...], span: Span) -> Group:
    """The triples of DELETE WHERE as a pattern."""
    elements: list[Element] = []
    for quad in quads:
        if quad.graph is None:
            elements += quad.triples
        else:
            elements.append(GraphGroup(quad.graph, Group(quad.triples, quad.span), quad.span))
    return Group(tuple(elements), span)


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
    return [node for node in nodes if node.kind not in _BETWEEN]
