"""Rewrites axioms that rustdl misreads into a form that it reads correctly.

`auto` gives rustdl the rewritten ontology; rustdl under its own name gets the axioms of the graph. Each form on the
right has the same models as the form on the left. A mark is a class that occurs nowhere else: an axiom that does not
mention it follows from one form exactly if it follows from the other.

    not p(a, b)                     b is in a mark, and p leads from a to nothing in that mark
    DisjointClasses(C D)            nothing is in C and in D, unless both are names
    DisjointUnion(A C D)            A is the union, and the parts are disjoint
    FunctionalObjectProperty(p⁻)    InverseFunctionalObjectProperty(p), and so on for what can be said of p itself
    SubObjectPropertyOf(p⁻ q)       a property that occurs nowhere else is the inverse of p, and a subproperty of q
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from kgprobe.graph.axioms.expression import Argument, Expression, is_headed
from kgprobe.graph.terms import OWL, NamedNode

__all__ = ["NEGATIVE", "rephrased"]

NEGATIVE = "NegativeObjectPropertyAssertion"
_MARK = "urn:kgprobe:mark:"
_INVERSE = "urn:kgprobe:inverse:"


def rephrased(axioms: Iterable[Expression], *, with_marks: bool) -> tuple[Expression, ...]:
    """The axioms, with those that rustdl misreads rewritten; negative assertions only if marks are allowed."""
    found: list[Expression] = []
    for number, axiom in enumerate(axioms):
        head = axiom.head
        rephrase = _FORMS.get(head)
        if rephrase is not None:
            found += rephrase(head, *axiom.args)
        elif head == NEGATIVE and with_marks:
            found += _marked(NamedNode(f"{_MARK}{number}"), *axiom.args)
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
    return (part.head, (frozenset if part.head in _SETS else tuple)(map(_unordered, part.args)))


_SETS = frozenset(
    {"ObjectIntersectionOf", "ObjectUnionOf", "ObjectOneOf", "DataIntersectionOf", "DataUnionOf", "DataOneOf"}
)


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
