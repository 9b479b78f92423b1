"""Groups, queries and updates: from the syntax tree to the algebra.

The recursion is only as deep as the braces of the text, which are limited.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import NamedNode, Term
from kgprobe.sparql.algebra import (
    Bind,
    Constant,
    Dataset,
    Element,
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
    Projected,
    QueryTree,
    Service,
    Span,
    Union,
    Values,
)
from kgprobe.sparql.expressions import ExpressionReader
from kgprobe.sparql.prologue import GAP
from kgprobe.sparql.source import IRIS, Source
from kgprobe.sparql.tree import Node
from kgprobe.sparql.triples import TripleReader, variable_of

__all__ = ["AlgebraReader", "form_of"]

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


def form_of(query: Node, source: Source) -> Form:
    """The form of a query. The tree shows a CONSTRUCT with an empty template as an ASK."""
    form = _FORMS[query.kind]
    if form == "ASK" and source.text[query.start : query.start + len("CONSTRUCT")].upper() == "CONSTRUCT":
        return "CONSTRUCT"
    return form


class _Modifiers(NamedTuple):
    """The clauses after the pattern of a query, by the names that they have in a QueryTree."""

    groups: tuple[Expression | Bind, ...]
    having: tuple[Filter, ...]
    order: tuple[Expression, ...]
    limit: int | None
    offset: int | None


class AlgebraReader:
    """Reads the groups, queries and updates of one text."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.triples = TripleReader(source)
        self.expressions = ExpressionReader(source, self.triples, self.group)

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
        where = next((self.group(part.children[-1]) for part in parts.get("where_clause", ())), None)
        template = [*chain.from_iterable(part.children for part in parts.get("construct_template", ()))]
        if short := parts.get("triples_template"):  # CONSTRUCT WHERE, whose pattern is its template
            template = short
        triples = tuple(chain.from_iterable(map(self.triples.read_all, template)))
        if short:
            where = Group(triples, Span(*self._source.braces(short[0])))
        [modifiers] = parts.get("solution_modifier") or [node._replace(children=[])]
        for part in parts.get("values_clause", ()):
            values = self._values(part)
        is_distinct = any(each.kind == "DISTINCT" for part in parts.get("select_clause", ()) for each in part.children)
        projected, described = self._results(node, parts)
        return QueryTree(
            form="SELECT" if node.kind == "sub_select" else form_of(node, self._source),
            projected=projected,
            where=where,
            span=_span(node),
            template=triples,
            described=described,
            values=values,
            is_distinct=is_distinct,
            datasets=tuple(map(self._dataset, parts.get("dataset_clause", ()))),
            **self._modifiers(modifiers.children)._asdict(),
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
        if any(part.kind == "*" for part in parts):
            return None
        place = 0
        while place < len(parts):
            first = parts[place]
            if place + 1 < len(parts) and parts[place + 1].kind == "AS":
                last = parts[place + 2]
                expression = self.expressions.read(first)
                found.append(Projected(variable_of(self._source, last), expression, Span(first.start, last.end)))
                place += 3
            else:
                found.append(Projected(variable_of(self._source, first), None, _span(first)))
                place += 1
        return tuple(found)

    def _modifiers(self, clauses: list[Node]) -> _Modifiers:
        groups: list[Expression | Bind] = []
        having: list[Filter] = []
        order: list[Expression] = []
        numbers: dict[str, int] = {}
        for part in chain.from_iterable(clause.children for clause in clauses):
            match part.kind:
                case "group_condition":
                    groups.append(self._group_condition(part))
                case "having_condition":
                    having.append(Filter(self.expressions.read(part.children[-1]), _span(part)))
                case "order_condition":
                    order.append(self.expressions.read(part.children[-1]))
                case "limit_clause" | "offset_clause":
                    number = part.children[-1]
                    digits = self._source.text[number.start : number.end]
                    numbers[part.kind] = int(
                        digits[:_MOST_DIGITS]
                    )  # in a text that somebody still types, it may be long
        limit, offset = numbers.get("limit_clause"), numbers.get("offset_clause")
        return _Modifiers(tuple(groups), tuple(having), tuple(order), limit, offset)

    def _group_condition(self, node: Node) -> Expression | Bind:
        expression = self.expressions.read(node.children[0])
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
                return Filter(self.expressions.read(children[-1]), span)
            case "bind":
                return Bind(self.expressions.read(children[0]), variable_of(self._source, children[-1]), span)
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
                triples = tuple(triple for each in templates for triple in self.triples.read_all(each))
                found.append(GraphTriples(self._name(name), triples, _span(part)))
        return tuple(found)


def _span(node: Node) -> Span:
    return Span(node.start, node.end)


def _pattern(quads: tuple[GraphTriples, ...], span: Span) -> Group:
    """The triples of DELETE WHERE as a pattern."""
    elements: list[Element] = []
    for each in quads:
        if each.graph is None:
            elements += each.triples
        else:
            elements.append(GraphGroup(each.graph, Group(each.triples, each.span), each.span))
    return Group(tuple(elements), span)
