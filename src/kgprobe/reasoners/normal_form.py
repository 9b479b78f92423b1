"""Class expressions with negations only where they are unavoidable: before names, individuals and loops.

pyHermiT overlooks cardinalities and data restrictions that are negated, or on the left of a subclass axiom. It handles
the equivalent expression without a negation correctly. It also needs explicit axioms to know that the values of a
property are things, or literals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, pairwise

from kgprobe.graph.axioms.expression import Argument, Expression, is_headed, number
from kgprobe.graph.terms import OWL, RDFS
from kgprobe.reasoners.ontology import entities

__all__ = ["negated", "spelled_out", "truisms"]


_EXCHANGED = {
    "ObjectIntersectionOf": "ObjectUnionOf",
    "ObjectUnionOf": "ObjectIntersectionOf",
    "ObjectSomeValuesFrom": "ObjectAllValuesFrom",
    "ObjectAllValuesFrom": "ObjectSomeValuesFrom",
    "DataSomeValuesFrom": "DataAllValuesFrom",
    "DataAllValuesFrom": "DataSomeValuesFrom",
}
_OPPOSITE: dict[object, Argument] = {OWL.Thing: OWL.Nothing, OWL.Nothing: OWL.Thing}
_COUNTS = {
    f"{kind}{bound}Cardinality": (kind, bound) for kind in ("Object", "Data") for bound in ("Min", "Max", "Exact")
}
_DELICATE = frozenset({*_COUNTS, "DataSomeValuesFrom", "DataAllValuesFrom", "DataHasValue"})


def positive(kind: Argument) -> Argument:
    """The class expression, with negations pushed inwards."""
    if type(kind) is not Expression:
        return kind
    head, rest = kind.head, kind.args
    match head:
        case "ObjectComplementOf":
            return negated(rest[0])
        case "ObjectIntersectionOf" | "ObjectUnionOf":
            return _joined(head, map(positive, rest))
        case "ObjectSomeValuesFrom" | "ObjectAllValuesFrom":
            return Expression(head, rest[0], positive(rest[1]))
        case "ObjectMinCardinality" | "ObjectMaxCardinality" | "ObjectExactCardinality":
            return Expression(head, *rest[:2], *map(positive, rest[2:]))
    return kind


def negated(kind: Argument) -> Argument:
    """The complement of the class expression, with negations pushed inwards."""
    if type(kind) is not Expression:
        return _OPPOSITE.get(kind) or Expression("ObjectComplementOf", kind)
    head, rest = kind.head, kind.args
    match head:
        case "ObjectComplementOf":
            return positive(rest[0])
        case "ObjectIntersectionOf" | "ObjectUnionOf":
            return _joined(_EXCHANGED[head], map(negated, rest))
        case "ObjectSomeValuesFrom" | "ObjectAllValuesFrom":
            return Expression(_EXCHANGED[head], rest[0], negated(rest[1]))
        case "DataSomeValuesFrom" | "DataAllValuesFrom":
            return Expression(_EXCHANGED[head], *rest[:-1], _other_values(rest[-1]))
        case "DataHasValue":
            return Expression(
                "DataAllValuesFrom", rest[0], Expression("DataComplementOf", Expression("DataOneOf", rest[1]))
            )
    if head in _COUNTS:
        return _uncounted(*_COUNTS[head], number(rest[0]), *rest[1:])
    return Expression("ObjectComplementOf", kind)


def _joined(head: str, parts: Iterable[Argument]) -> Argument:
    """A union or intersection, without repeated parts."""
    kept = tuple(dict.fromkeys(parts))
    return Expression(head, *kept) if len(kept) > 1 else kept[0]


def _other_values(values: Argument) -> Argument:
    return values.args[0] if is_headed(values, "DataComplementOf") else Expression("DataComplementOf", values)


def _uncounted(kind: str, bound: str, limit: int, prop: Argument, *qualifier: Argument) -> Argument:
    """Not at least n means less than n, not at most n means more than n, and not exactly n means either."""
    kept = tuple(map(positive, qualifier)) if kind == "Object" else qualifier
    more = Expression(f"{kind}MinCardinality", limit + 1, prop, *kept)
    less = Expression(f"{kind}MaxCardinality", limit - 1, prop, *kept) if limit else OWL.Nothing
    if bound == "Max":
        return more
    return less if bound == "Min" else _joined("ObjectUnionOf", [less, more])


def spelled_out(axioms: Iterable[Expression]) -> Iterator[Expression]:
    """The axioms, without cardinalities or data restrictions that are negated or on the left of a subclass axiom."""
    for axiom in axioms:
        spell = _SPELLED.get(axiom.head)
        if spell is not None and _is_delicate(axiom):
            yield from spell(*axiom.args)
        else:
            yield axiom


def _is_delicate(axiom: Expression) -> bool:
    pending = [axiom]
    while pending:
        tree = pending.pop()
        if tree.head in _DELICATE:
            return True
        pending += (part for part in tree.args if type(part) is Expression)
    return False


def _below(lower: Argument, upper: Argument) -> Iterator[Expression]:
    if type(lower) is Expression and _is_delicate(lower):
        yield Expression("SubClassOf", OWL.Thing, _joined("ObjectUnionOf", [negated(lower), positive(upper)]))
    else:
        yield Expression("SubClassOf", lower, positive(upper))


def _equivalent(*parts: Argument) -> Iterator[Expression]:
    for first, second in pairwise((*parts, parts[0])):
        yield from _below(first, second)


def _disjoint(*parts: Argument) -> Iterator[Expression]:
    for first, second in combinations(dict.fromkeys(parts), 2):
        yield Expression("SubClassOf", OWL.Thing, _joined("ObjectUnionOf", [negated(first), negated(second)]))


def _disjoint_union(whole: Argument, *parts: Argument) -> Iterator[Expression]:
    yield from _equivalent(whole, _joined("ObjectUnionOf", parts))
    yield from _disjoint(*parts)


def _with_positive(head: str) -> Callable[[Argument, Argument], Iterator[Expression]]:
    def spell(prop: Argument, kind: Argument) -> Iterator[Expression]:
        yield Expression(head, prop, positive(kind))

    return spell


def _class_assertion(kind: Argument, individual: Argument) -> Iterator[Expression]:
    yield Expression("ClassAssertion", positive(kind), individual)


_SPELLED: dict[str, Callable[..., Iterator[Expression]]] = {
    "SubClassOf": _below,
    "EquivalentClasses": _equivalent,
    "DisjointClasses": _disjoint,
    "DisjointUnion": _disjoint_union,
    "ClassAssertion": _class_assertion,
    **{head: _with_positive(head) for head in ("ObjectPropertyDomain", "ObjectPropertyRange", "DataPropertyDomain")},
}


def truisms(axioms: Iterable[Expression]) -> Iterator[Expression]:
    """Axioms which state that each property leads from things to things, or to literals."""
    for kind, name in sorted(entities(axioms), key=str):
        if kind == "ObjectProperty":
            yield Expression("ObjectPropertyDomain", name, OWL.Thing)
            yield Expression("ObjectPropertyRange", name, OWL.Thing)
        elif kind == "DataProperty":
            yield Expression("DataPropertyRange", name, RDFS.Literal)
