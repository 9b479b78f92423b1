"""Writes expressions as SPARQL."""

from __future__ import annotations

from kgprobe.rdf.terms import XSD, Literal, NamedNode, Term
from kgprobe.sparql.algebra import Aggregate, Call, Constant, Exists, Expression, Given, VariableUse

__all__ = ["text_in_full", "text_of"]

_SIGNS = frozenset({"=", "!=", "<", "<=", ">", ">=", "&&", "||", "+", "-", "*", "/"})
_CONNECTIVES = frozenset({"&&", "||"})
_LISTS = frozenset({"IN", "NOT IN"})
_SHORT = (XSD.integer, XSD.decimal, XSD.double, XSD.boolean)  # without quotes
_SPELLED = {
    **{name: f"is{name[2:].capitalize()}" for name in ("ISBLANK", "ISLITERAL", "ISNUMERIC")},
    "ISIRI": "isIRI",
    "ISURI": "isURI",
    "SAMETERM": "sameTerm",
    "LANGMATCHES": "langMatches",
}


def text_of(expression: Expression) -> str:
    """The expression for people: numbers without quotes, the names of XML Schema with a prefix, and no groups."""
    return _text(expression, "", in_full=False)


def text_in_full(expression: Expression) -> str:
    """The expression for an engine, without the query around it.

    ValueError for one that looks at a graph or at several rows.
    """
    return _text(expression, "", in_full=True)


def _text(expression: Expression, around: str, *, in_full: bool) -> str:
    """The expression inside an operator; `around` is empty if no operator is around it."""
    match expression:
        case VariableUse(variable):
            is_blank = variable.hidden and not isinstance(variable, Given)
            return "a blank node" if is_blank and not in_full else str(variable)
        case Constant(term):
            return str(term) if in_full else _term(term)
        case Exists() | Aggregate() if in_full:
            raise ValueError(type(expression).__name__)
        case Exists(is_negated=is_negated):
            return "NOT EXISTS {…}" if is_negated else "EXISTS {…}"
        case Aggregate(name, argument, is_distinct):
            inside = "*" if argument is None else _text(argument, "", in_full=in_full)
            return f"{name}({'DISTINCT ' if is_distinct else ''}{inside})"
        case Call():
            return _call(expression, around, in_full=in_full)


def _call(call: Call, around: str, *, in_full: bool) -> str:
    name = call.name
    operator = name if name in _SIGNS or name in _LISTS or name == "!" else ""
    texts = [_text(argument, operator, in_full=in_full) for argument in call.arguments]
    if name in _LISTS:
        text = f"{texts[0]} {name} ({', '.join(texts[1:])})"
        return f"({text})" if around and around not in _CONNECTIVES else text
    if name in _SIGNS and len(texts) > 1:
        text = f" {name} ".join(texts)
        return f"({text})" if around else text
    if operator:
        return f"{name}{texts[0]}"
    named = _name(name, in_full=in_full) if call.has_iri else name if in_full else _SPELLED.get(name, name)
    return f"{named}({', '.join(texts)})"


def _name(iri: str, *, in_full: bool) -> str:
    if iri.startswith(XSD.iri) and not in_full:
        return f"xsd:{iri.removeprefix(XSD.iri)}"
    return iri if iri.startswith("<") else f"<{iri}>"


def _term(term: Term) -> str:
    if isinstance(term, NamedNode):
        return _name(term.value, in_full=False)
    if not isinstance(term, Literal) or term.language or term.datatype == XSD.string:
        return str(term)
    if term.datatype in _SHORT:
        return term.value
    return f"{str(term).rpartition('^^')[0]}^^{_name(term.datatype.value, in_full=False)}"
