"""Algebra as SPARQL text, with all brackets and one triple per dot; and algebra without its places, to compare."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import Literal, NamedNode
from kgprobe.sparql.algebra import (
    Aggregate,
    Bind,
    Call,
    Constant,
    Document,
    Element,
    Exists,
    Expression,
    Filter,
    GraphGroup,
    GraphTriples,
    Group,
    Management,
    Minus,
    Modify,
    Operation,
    Optional,
    Part,
    PlacedTriple,
    Projected,
    QueryTree,
    Service,
    Union,
    Values,
    VariableUse,
)
from kgprobe.sparql.paths import AlternativePath, EdgePath, NegatedPath, Path, RepeatedPath, SequencePath

__all__ = ["document_text", "element_text", "expression_text", "operation_text", "without_places"]

_UNARY = 1


def document_text(document: Document) -> str:
    """All operations of a document."""
    return " ;\n".join(map(operation_text, document.operations))


# -- terms and paths ---------------------------------------------------------------------------------------------------


def part_text(part: Part | Path | None) -> str:
    """A position of a triple, or a cell of VALUES."""
    if part is None:
        return "UNDEF"
    if isinstance(part, Variable):
        if part.hidden:
            return part.name if part.name.startswith("_:") else f"_:b{part.name[1:-1]}"
        return f"?{part.name}"
    if isinstance(part, EdgePath | NegatedPath | SequencePath | AlternativePath | RepeatedPath):
        return path_text(part)
    return str(part)


def path_text(path: Path) -> str:
    """A path, in brackets."""
    match path:
        case EdgePath(edges):
            return f"({'|'.join(f'^{edge}' if backwards else str(edge) for edge, backwards in sorted(edges, key=str))})"
        case NegatedPath(excluded, backwards):
            return f"!({'|'.join(f'^{edge}' if backwards else str(edge) for edge in sorted(excluded, key=str))})"
        case SequencePath(parts):
            return f"({'/'.join(map(path_text, parts))})"
        case AlternativePath(parts):
            return f"({'|'.join(map(path_text, parts))})"
        case RepeatedPath(inner, may_be_none, many):
            return f"{path_text(inner)}{'*' if may_be_none and many else '+' if many else '?'}"


# -- expressions -------------------------------------------------------------------------------------------------------


def expression_text(expression: Expression) -> str:
    """An expression with brackets around each operation."""
    match expression:
        case Constant(term):
            return str(term)
        case VariableUse(variable):
            return f"?{variable.name}"
        case Exists(group, is_negated):
            return f"{'NOT ' if is_negated else ''}EXISTS {element_text(group)}"
        case Aggregate():
            return _aggregate_text(expression)
        case Call(name, arguments):
            return _call_text(name, [expression_text(each) for each in arguments])


def _call_text(name: str, arguments: list[str]) -> str:
    if name in ("IN", "NOT IN"):
        return f"({arguments[0]} {name} ({', '.join(arguments[1:])}))"
    if name == "!" or (name in ("+", "-") and len(arguments) == _UNARY):
        return f"({name} ({arguments[0]}))"
    if not name[0].isalpha():
        return f"({f' {name} '.join(arguments)})"
    return f"{f'<{name}>' if ':' in name else name}({', '.join(arguments)})"


def _aggregate_text(aggregate: Aggregate) -> str:
    distinct = "DISTINCT " if aggregate.is_distinct else ""
    argument = "*" if aggregate.argument is None else expression_text(aggregate.argument)
    separator = "" if aggregate.separator is None else f" ; SEPARATOR = {Literal(aggregate.separator)}"
    return f"{aggregate.name}({distinct}{argument}{separator})"


# -- groups ------------------------------------------------------------------------------------------------------------


def element_text(element: Element) -> str:
    """An element of a group."""
    match element:
        case PlacedTriple(subject, predicate, object_):
            return f"{part_text(subject)} {part_text(predicate)} {part_text(object_)} ."
        case Filter(condition):
            return f"FILTER({expression_text(condition)})"
        case Bind(expression, variable):
            return f"BIND({expression_text(expression)} AS ?{variable.name})"
        case Values():
            return _values_text(element)
        case Group(elements):
            return f"{{ {''.join(f'{element_text(each)} ' for each in elements)}}}"
        case QueryTree():
            return operation_text(element)
    return _nested_text(element)


def _nested_text(element: Optional | Union | Minus | GraphGroup | Service) -> str:
    match element:
        case Optional(group):
            return f"OPTIONAL {element_text(group)}"
        case Union(branches):
            return " UNION ".join(map(element_text, branches))
        case Minus(group):
            return f"MINUS {element_text(group)}"
        case GraphGroup(name, group):
            return f"GRAPH {part_text(name)} {element_text(group)}"
        case Service(name, group, is_silent):
            return f"SERVICE {'SILENT ' if is_silent else ''}{part_text(name)} {element_text(group)}"


def _values_text(values: Values) -> str:
    names = " ".join(f"?{variable.name}" for variable in values.variables)
    rows = "".join(f"({' '.join(map(part_text, row))}) " for row in values.rows)
    return f"VALUES ({names}) {{ {rows}}}"


# -- queries and updates -----------------------------------------------------------------------------------------------


def operation_text(operation: Operation) -> str:
    """A query or an update. The operands of graph management are left out."""
    match operation:
        case Management(name):
            return name
        case Modify():
            return _modify_text(operation)
    head = operation.form + (" DISTINCT" if operation.is_distinct else "")
    match operation.form:
        case "SELECT" | "DESCRIBE":
            described = [str(each.term) for each in operation.described]
            projected = (
                None if operation.projected is None else [*map(_projected_text, operation.projected), *described]
            )
            head += " *" if projected is None else "".join(f" {each}" for each in projected)
        case "CONSTRUCT":
            head += f" {{ {''.join(f'{element_text(each)} ' for each in operation.template)}}}"
    where = "" if operation.where is None else f" WHERE {element_text(operation.where)}"
    return head + where + _modifiers_text(operation)


def _projected_text(projected: Projected) -> str:
    if projected.expression is None:
        return f"?{projected.variable.name}"
    return f"({expression_text(projected.expression)} AS ?{projected.variable.name})"


def _modifiers_text(query: QueryTree) -> str:
    text = ""
    if query.groups:
        text += " GROUP BY " + " ".join(map(_group_text, query.groups))
    if query.having:
        text += " HAVING " + " ".join(f"({expression_text(each.condition)})" for each in query.having)
    if query.order:
        text += " ORDER BY " + " ".join(f"({expression_text(each)})" for each in query.order)
    if query.limit is not None:
        text += f" LIMIT {query.limit}"
    if query.offset is not None:
        text += f" OFFSET {query.offset}"
    return text + ("" if query.values is None else f" {_values_text(query.values)}")


def _group_text(condition: Expression | Bind) -> str:
    if isinstance(condition, Bind):
        return f"({expression_text(condition.expression)} AS ?{condition.variable.name})"
    return f"?{condition.variable.name}" if isinstance(condition, VariableUse) else f"({expression_text(condition)})"


def _modify_text(update: Modify) -> str:
    if update.where is None:
        word = "INSERT DATA" if update.inserted else "DELETE DATA"
        return f"{word} {{ {_quads_text(update.inserted or update.deleted)}}}"
    graph = f"WITH {part_text(update.graph)} " if update.graph is not None else ""
    delete, insert = (f"{{ {_quads_text(each)}}}" for each in (update.deleted, update.inserted))
    return f"{graph}DELETE {delete} INSERT {insert} WHERE {element_text(update.where)}"


def _quads_text(quads: tuple[GraphTriples, ...]) -> str:
    text = ""
    for each in quads:
        triples = "".join(f"{element_text(triple)} " for triple in each.triples)
        text += triples if each.graph is None else f"GRAPH {part_text(each.graph)} {{ {triples}}} "
    return text


# -- comparison --------------------------------------------------------------------------------------------------------


def without_places(value: object) -> object:
    """A value of the algebra as nested tuples without spans. Hidden variables are numbered in order of appearance."""
    numbers: dict[Variable, int] = {}
    counter = itertools.count(1)

    def plain(value: Any) -> object:
        if isinstance(value, Variable):
            if value.hidden and value not in numbers:
                numbers[value] = next(counter)
            return ("hidden", numbers[value]) if value.hidden else value
        if isinstance(value, NamedNode | Literal):
            return value
        if isinstance(value, PlacedTriple):
            return ("PlacedTriple", *map(plain, (value.subject, value.predicate, value.object)))
        if isinstance(value, tuple):
            return tuple(map(plain, value))
        if dataclasses.is_dataclass(value):
            fields = [field.name for field in dataclasses.fields(value)]
            kept = [name for name in fields if not name.endswith("span") and name != "datasets"]
            return (type(value).__name__, *(plain(getattr(value, name)) for name in kept))
        return value

    return plain(value)
