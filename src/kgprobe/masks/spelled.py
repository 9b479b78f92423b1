"""Terms, triples and shapes as a person would write them in Turtle, for the words of a rejection."""

from __future__ import annotations

import re

from kgprobe.graph.graph import Graph
from kgprobe.graph.lists import BrokenListError, read_list
from kgprobe.graph.spelling import Spelling
from kgprobe.graph.terms import RDF, XSD, BlankNode, Literal, NamedNode, Term, Triple
from kgprobe.masks.paths import read_path
from kgprobe.masks.vocabulary import LISTS, SH

__all__ = ["shape_text", "term_text", "triple_text"]

_SHORT = {
    XSD.integer: re.compile(r"[+-]?\d+"),
    XSD.decimal: re.compile(r"[+-]?\d*\.\d+"),
    XSD.boolean: re.compile("true|false"),
}
# Nobody reads a shape within a shape within a shape in an error message.
_DEEPEST = 2
_MOST_MEMBERS = 8


def term_text(term: Term, spelling: Spelling) -> str:
    """A term as in Turtle, numbers without their types."""
    if not isinstance(term, Literal) or term.language or term.datatype == XSD.string:
        return spelling.term(term)
    short = _SHORT.get(term.datatype)
    if short and short.fullmatch(term.value):
        return term.value
    return f"{Literal(term.value)}^^{spelling.term(term.datatype)}"


def triple_text(triple: Triple, spelling: Spelling) -> str:
    """A triple as in Turtle, numbers without their types."""
    if not isinstance(triple.object, Literal):
        return spelling.triple(triple)
    return f"{spelling.term(triple.subject)} {spelling.term(triple.predicate)} {term_text(triple.object, spelling)}"


def shape_text(shape: Term, shapes: Graph, spelling: Spelling, *, depth: int = 0) -> str:
    """The name of a shape; one without a name is shown by what it demands, as far as that is short."""
    if not isinstance(shape, BlankNode):
        return term_text(shape, spelling)
    if depth == _DEEPEST:
        return "[ … ]"
    demands = [
        f"{spelling.term(predicate)} {_value_text(predicate, value, shapes, spelling, depth)}"
        for predicate, value in _demands(shape, shapes)
    ]
    return f"[ {' ; '.join(demands)} ]" if demands else "[ ]"


def _demands(shape: Term, shapes: Graph) -> list[tuple[NamedNode, Term]]:
    rows = [(shapes.term(row[1]), shapes.term(row[2])) for row in shapes.rows(shapes.key(shape))]
    told = [(p, o) for p, o in rows if isinstance(p, NamedNode) and p != RDF.type]
    return sorted(told, key=lambda demand: (demand[0] != SH.path, str(demand[0]), str(demand[1])))


def _value_text(predicate: NamedNode, value: Term, shapes: Graph, spelling: Spelling, depth: int) -> str:
    if predicate == SH.path:
        return read_path(shapes, value).text(spelling)
    if predicate.value.removeprefix(SH.iri) not in LISTS:
        return shape_text(value, shapes, spelling, depth=depth + 1)
    try:
        members = read_list(shapes, value).members
    except BrokenListError:
        return "( … )"
    texts = [shape_text(member, shapes, spelling, depth=depth + 1) for member in members[:_MOST_MEMBERS]]
    return f"( {' '.join([*texts, *(['…'] if len(members) > _MOST_MEMBERS else [])])} )"
