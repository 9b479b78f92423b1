"""Expressions of a query as text, so that an engine can evaluate them without the query around them."""

from __future__ import annotations

from kgprobe.sparql.algebra import Call, Constant, Expression, VariableUse

__all__ = ["rendered"]

_INFIX = frozenset(["=", "!=", "<", "<=", ">", ">=", "&&", "||", "+", "-", "*", "/"])


def rendered(expression: Expression) -> str:
    """The expression in SPARQL, with full IRIs. ValueError for one that looks at a graph or at several rows."""
    match expression:
        case Constant(term=term):
            return str(term)
        case VariableUse(variable=variable):
            return str(variable)
        case Call(name=name, arguments=arguments):
            return _rendered_call(name, [rendered(argument) for argument in arguments])
        case _:
            raise ValueError(type(expression).__name__)


def _rendered_call(name: str, arguments: list[str]) -> str:
    if name in ("IN", "NOT IN"):
        return f"({arguments[0]} {name} ({', '.join(arguments[1:])}))"
    if name in _INFIX and len(arguments) > 1:
        return f"({f' {name} '.join(arguments)})"
    if len(arguments) == 1 and name in ("!", "+", "-"):
        return f"({name}{arguments[0]})"
    called = name if name.replace("_", "").isalnum() else f"<{name}>"
    return f"{called}({', '.join(arguments)})"
