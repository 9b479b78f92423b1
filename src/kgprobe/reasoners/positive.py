"""Class expressions with negations only where nothing else can stand: in front of names, individuals and loops.

pyHermiT overlooks counts and data restrictions that are negated, or stand on the left of a subclass axiom, and gets the
same right when it is said without a negation. It also forgets that whatever a property leads to is a thing, or a
literal, unless it is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, pairwise
from typing import cast

from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.terms import OWL, RDFS, Term
from kgprobe.reasoners.signature import entities

__all__ = ["negated", "spelled_out", "truisms"]

_Part = str | int | Term | Expression

_EXCHANGED = {
    "ObjectIntersectionOf": "ObjectUnionOf",
    "ObjectUnionOf": "ObjectIntersectionOf",
    "ObjectSomeValuesFrom": "ObjectAllValuesFrom",
    "ObjectAllValuesFrom": "ObjectSomeValuesFrom",
    "DataSomeValuesFrom": "DataAllValuesFrom",
    "DataAllValuesFrom": "DataSomeValuesFrom",
}
_OPPOSITE: dict[object, _Part] = {OWL.Thing: OWL.Nothing, OWL.Nothing: OWL.Thing}
_COUNTS = {
    f"{kind}{bound}Cardinality": (kind, bound) for kind in ("Object", "Data") for bound in ("Min", "Max", "Exact")
}
_DELICATE = frozenset({*_COUNTS, "DataSomeValuesFrom", "DataAllValuesFrom", "DataHasValue"})


def positive(kind: _Part) -> _Part:
    """The class expression, with negations pushed inwards."""
    if type(kind) is not tuple:
        return kind
    head, *rest = kind
    match head:
        case "ObjectComplementOf":
            return negated(rest[0])
        case "ObjectIntersectionOf" | "ObjectUnionOf":
            return _joined(str(head), map(positive, rest))
        case "ObjectSomeValuesFrom" | "ObjectAllValuesFrom":
            return (head, rest[0], positive(rest[1]))
        case "ObjectMinCardinality" | "ObjectMaxCardinality" | "ObjectExactCardinality":
            return (head, *rest[:2], *map(positive, rest[2:]))
    return kind


def negated(kind: _Part) -> _Part:
    """All that is not in the class expression, with negations pushed inwards."""
    if type(kind) is not tuple:
        return _OPPOSITE.get(kind) or ("ObjectComplementOf", kind)
    head, *rest = kind
    match head:
        case "ObjectComplementOf":
            return positive(rest[0])
        case "ObjectIntersectionOf" | "ObjectUnionOf":
            return _joined(_EXCHANGED[str(head)], map(negated, rest))
        case "ObjectSomeValuesFrom" | "ObjectAllValuesFrom":
            return (_EXCHANGED[str(head)], rest[0], negated(rest[1]))
        case "DataSomeValuesFrom" | "DataAllValuesFrom":
            return (_EXCHANGED[str(head)], *rest[:-1], _other_values(rest[-1]))
        case "DataHasValue":
            return ("DataAllValuesFrom", rest[0], ("DataComplementOf", ("DataOneOf", rest[1])))
    if head in _COUNTS:
        return _uncounted(*_COUNTS[str(head)], cast(int, rest[0]), *rest[1:])
    return ("ObjectComplementOf", kind)


def _joined(head: str, parts: Iterable[_Part]) -> _Part:
    """A union or intersection, each part once."""
    kept = tuple(dict.fromkeys(parts))
    return (head, *kept) if len(kept) > 1 else kept[0]


def _other_values(values: _Part) -> _Part:
    return values[1] if type(values) is tuple and values[0] == "DataComplementOf" else ("DataComplementOf", values)


def _uncounted(kind: str, bound: str, number: int, prop: _Part, *qualifier: _Part) -> _Part:
    """Not at least n is less than n; not at most n is more than n; not exactly n is either."""
    kept = tuple(map(positive, qualifier)) if kind == "Object" else qualifier
    more = (f"{kind}MinCardinality", number + 1, prop, *kept)
    less = (f"{kind}MaxCardinality", number - 1, prop, *kept) if number else OWL.Nothing
    if bound == "Max":
        return more
    return less if bound == "Min" else _joined("ObjectUnionOf", [less, more])


def spelled_out(axioms: Iterable[Expression]) -> Iterator[Expression]:
    """The axioms, with no count and no data restriction negated or on the left of a subclass axiom."""
    for axiom in axioms:
        spell = _SPELLED.get(str(axiom[0]))
        if spell is not None and _is_delicate(axiom):
            yield from spell(*axiom[1:])
        else:
            yield axiom


def _is_delicate(axiom: Expression) -> bool:
    pending = [axiom]
    while pending:
        tree = pending.pop()
        if tree[0] in _DELICATE:
            return True
        pending += (part for part in tree[1:] if type(part) is tuple)
    return False


def _below(lower: _Part, upper: _Part) -> Iterator[Expression]:
    if type(lower) is tuple and _is_delicate(lower):
        yield ("SubClassOf", OWL.Thing, _joined("ObjectUnionOf", [negated(lower), positive(upper)]))
    else:
        yield ("SubClassOf", lower, positive(upper))


def _equivalent(*parts: _Part) -> Iterator[Expression]:
    for first, second in pairwise((*parts, parts[0])):
        yield from _below(first, second)


def _disjoint(*parts: _Part) -> Iterator[Expression]:
    for first, second in combinations(dict.fromkeys(parts), 2):
        yield ("SubClassOf", OWL.Thing, _joined("ObjectUnionOf", [negated(first), negated(second)]))


def _disjoint_union(whole: _Part, *parts: _Part) -> Iterator[Expression]:
    yield from _equivalent(whole, _joined("ObjectUnionOf", parts))
    yield from _disjoint(*parts)


def _with_positive(head: str) -> Callable[[_Part, _Part], Iterator[Expression]]:
    def spell(prop: _Part, kind: _Part) -> Iterator[Expression]:
        yield (head, prop, positive(kind))

    return spell


def _class_assertion(kind: _Part, individual: _Part) -> Iterator[Expression]:
    yield ("ClassAssertion", positive(kind), individual)


_SPELLED: dict[str, Callable[..., Iterator[Expression]]] = {
    "SubClassOf": _below,
    "EquivalentClasses": _equivalent,
    "DisjointClasses": _disjoint,
    "DisjointUnion": _disjoint_union,
    "ClassAssertion": _class_assertion,
    **{head: _with_positive(head) for head in ("ObjectPropertyDomain", "ObjectPropertyRange", "DataPropertyDomain")},
}


def truisms(axioms: Iterable[Expression]) -> Iterator[Expression]:
    """That each property leads from things to things, or to literals."""
    for kind, name in sorted(entities(axioms), key=str):
        if kind == "ObjectProperty":
            yield ("ObjectPropertyDomain", name, OWL.Thing)
            yield ("ObjectPropertyRange", name, OWL.Thing)
        elif kind == "DataProperty":
            yield ("DataPropertyRange", name, RDFS.Literal)
