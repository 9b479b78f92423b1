"""Rewrites axioms that reasoners misread into a form that they read correctly.

`auto` gives its reasoners the rewritten ontology; a reasoner under its own name gets the axioms of the graph. For
rustdl (`rephrased`), each form on the right has the same models as the form on the left. A mark is a class that occurs
nowhere else: an axiom that does not mention it follows from one form exactly if it follows from the other.

    not p(a, b)                     b is in a mark, and p leads from a to nothing in that mark
    DisjointClasses(C D)            nothing is in C and in D, unless both are names
    DisjointUnion(A C D)            A is the union, and the parts are disjoint
    FunctionalObjectProperty(p⁻)    InverseFunctionalObjectProperty(p), and so on for what can be said of p itself
    SubObjectPropertyOf(p⁻ q)       a property that occurs nowhere else is the inverse of p, and a subproperty of q

pyHermiT overlooks cardinalities and data restrictions that are negated, or on the left of a subclass axiom. It handles
the equivalent expression without a negation correctly, so `spelled_out` leaves negations only where they are
unavoidable: before names, individuals and loops. It also needs explicit axioms to know that the values of a property
are things, or literals (`truisms`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from kgprobe.owl.expression import Argument, Expression, has_head, is_headed, number
from kgprobe.owl.grammar import CARDINALITIES, COLLECTIONS
from kgprobe.owl.meaning import simpler
from kgprobe.rdf.terms import OWL, RDFS, NamedNode
from kgprobe.reasoners.ontology import entities

__all__ = ["NEGATIVE", "negated", "rephrased", "spelled_out", "truisms"]

NEGATIVE = "NegativeObjectPropertyAssertion"
_MARK = "urn:kgprobe:mark:"
_INVERSE = "urn:kgprobe:inverse:"
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
_DELICATE = frozenset({*CARDINALITIES, "DataSomeValuesFrom", "DataAllValuesFrom", "DataHasValue"})


def rephrased(axioms: Iterable[Expression], *, with_marks: bool) -> tuple[Expression, ...]:
    """The axioms, with those that rustdl misreads rewritten; negative assertions only if marks are allowed."""
    found: list[Expression] = []
    for place, axiom in enumerate(axioms):
        head = axiom.head
        rephrase = _FORMS.get(head)
        if rephrase is not None:
            found += rephrase(head, *axiom.args)
        elif head == NEGATIVE and with_marks:
            found += _marked(NamedNode(f"{_MARK}{place}"), *axiom.args)
        else:
            found.append(axiom)
    return tuple(found)


def _marked(mark: NamedNode, prop: Argument, source: Argument, target: Argument) -> Iterator[Expression]:
    yield Expression("ClassAssertion", mark, target)
    yield Expression(
        "ClassAssertion", Expression("ObjectAllValuesFrom", prop, Expression("ObjectComplementOf", mark)), source
    )


def _distinct(parts: Iterable[Argument]) -> tuple[Argument, ...]:
    """The parts without duplicates, because OWL treats them as a set. The order within a part is also irrelevant."""
    return tuple({_unordered(part): part for part in parts}.values())


def _unordered(part: Argument) -> object:
    if type(part) is not Expression:
        return part
    return (part.head, (frozenset if part.head in COLLECTIONS else tuple)(map(_unordered, part.args)))


def _disjoint_classes(head: str, *given: Argument) -> Iterator[Expression]:
    parts = _distinct(given)
    if len(parts) > 1 and all(isinstance(part, NamedNode) for part in parts):
        yield Expression(head, *parts)
        return
    if len(parts) == 1:  # a class that is disjoint with itself
        yield Expression("SubClassOf", parts[0], OWL.Nothing)
    for pair in combinations(parts, 2):
        yield Expression("SubClassOf", Expression("ObjectIntersectionOf", *pair), OWL.Nothing)


def _disjoint_union(_head: str, whole: Argument, *given: Argument) -> Iterator[Expression]:
    parts = _distinct(given)
    yield Expression("EquivalentClasses", whole, Expression("ObjectUnionOf", *parts) if len(parts) > 1 else parts[0])
    if len(parts) > 1:
        yield from _disjoint_classes("DisjointClasses", *parts)


def _inverse(prop: Argument) -> Argument | None:
    """The property that this is the inverse of, if it is an ObjectInverseOf."""
    return prop.args[0] if is_headed(prop, "ObjectInverseOf") else None


def _turned(other: str) -> Callable[..., Iterator[Expression]]:
    """An axiom about an inverse, rewritten as one about the property in the other direction."""

    def rephrase(head: str, prop: Argument, *rest: Argument) -> Iterator[Expression]:
        inverse = _inverse(prop)
        yield Expression(head, prop, *rest) if inverse is None else Expression(other, inverse, *rest)

    return rephrase


def _inverse_properties(head: str, first: Argument, second: Argument) -> Iterator[Expression]:
    for one, two in ((first, second), (second, first)):
        inverse = _inverse(one)
        if inverse is not None:
            if inverse != two:
                yield from _with_names("EquivalentObjectProperties", inverse, two)
            return
    yield Expression(head, first, second)


def _assertion(head: str, prop: Argument, source: Argument, target: Argument) -> Iterator[Expression]:
    inverse = _inverse(prop)
    yield Expression(head, *((prop, source, target) if inverse is None else (inverse, target, source)))


def _with_names(head: str, *parts: Argument) -> Iterator[Expression]:
    """Names inverses: rustdl ignores an unnamed inverse in axioms about several properties."""
    named = dict[Expression, None]()

    def renamed(part: Argument) -> Argument:
        inverse = _inverse(part)
        if isinstance(inverse, NamedNode):
            name = NamedNode(_INVERSE + inverse.value)
            named[Expression("InverseObjectProperties", inverse, name)] = None
            return name
        return Expression(part.head, *map(renamed, part.args)) if type(part) is Expression else part

    yield Expression(head, *map(renamed, parts))
    yield from named


_FORMS: dict[str, Callable[..., Iterator[Expression]]] = {
    "DisjointClasses": _disjoint_classes,
    "DisjointUnion": _disjoint_union,
    "InverseObjectProperties": _inverse_properties,
    **dict.fromkeys(["SubObjectPropertyOf", "EquivalentObjectProperties", "DisjointObjectProperties"], _with_names),
    "ObjectPropertyAssertion": _assertion,
    "FunctionalObjectProperty": _turned("InverseFunctionalObjectProperty"),
    "InverseFunctionalObjectProperty": _turned("FunctionalObjectProperty"),
    "ObjectPropertyDomain": _turned("ObjectPropertyRange"),
    "ObjectPropertyRange": _turned("ObjectPropertyDomain"),
    **{
        head: _turned(head)
        for head in (
            *("SymmetricObjectProperty", "AsymmetricObjectProperty", "TransitiveObjectProperty"),
            *("ReflexiveObjectProperty", "IrreflexiveObjectProperty"),
        )
    },
}


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
        if not has_head(axiom, _DELICATE):
            yield axiom
        elif spell is not None:
            yield from spell(*axiom.args)
        else:
            parts = simpler(axiom)
            yield from spelled_out(parts) if parts else [axiom]


def _below(lower: Argument, upper: Argument) -> Iterator[Expression]:
    if has_head(lower, _DELICATE):
        yield Expression("SubClassOf", OWL.Thing, _joined("ObjectUnionOf", [negated(lower), positive(upper)]))
    else:
        yield Expression("SubClassOf", lower, positive(upper))


def _disjoint(*parts: Argument) -> Iterator[Expression]:
    for first, second in combinations(dict.fromkeys(parts), 2):
        yield Expression("SubClassOf", OWL.Thing, _joined("ObjectUnionOf", [negated(first), negated(second)]))


def _with_positive(head: str) -> Callable[[Argument, Argument], Iterator[Expression]]:
    def spell(prop: Argument, kind: Argument) -> Iterator[Expression]:
        yield Expression(head, prop, positive(kind))

    return spell


def _class_assertion(kind: Argument, individual: Argument) -> Iterator[Expression]:
    yield Expression("ClassAssertion", positive(kind), individual)


_SPELLED: dict[str, Callable[..., Iterator[Expression]]] = {
    "SubClassOf": _below,
    "DisjointClasses": _disjoint,
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
