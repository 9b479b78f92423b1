"""The same said in other words: axioms that rustdl misreads, in a form that it reads right.

`auto` gives rustdl the rephrased ontology; under its own name rustdl gets what the graph says. Each form on the right
has the models of the form on the left. A mark is a class that occurs nowhere else: whatever does not mention it follows
from the one form exactly if it follows from the other.

    not p(a, b)                     b is in a mark, and p leads from a to nothing in that mark
    DisjointClasses(C D)            nothing is in C and in D, unless both are names
    DisjointUnion(A C D)            A is the union, and the parts are disjoint
    FunctionalObjectProperty(p⁻)    InverseFunctionalObjectProperty(p), and so on for what can be said of p itself
    SubObjectPropertyOf(p⁻ q)       a property that occurs nowhere else is the inverse of p, and a subproperty of q
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.terms import OWL, NamedNode, Term

__all__ = ["NEGATIVE", "rephrased"]

NEGATIVE = "NegativeObjectPropertyAssertion"
_MARK = "urn:kgprobe:mark:"
_INVERSE = "urn:kgprobe:inverse:"
_Part = str | int | Term | Expression


def rephrased(axioms: Iterable[Expression], *, with_marks: bool) -> tuple[Expression, ...]:
    """The axioms, those that rustdl misreads in other words; negative assertions only if marks may be made."""
    found: list[Expression] = []
    for number, axiom in enumerate(axioms):
        head = axiom[0]
        rephrase = _FORMS.get(str(head))
        if rephrase is not None:
            found += rephrase(*axiom)
        elif head == NEGATIVE and with_marks:
            found += _marked(NamedNode(f"{_MARK}{number}"), *axiom[1:])
        else:
            found.append(axiom)
    return tuple(found)


def _marked(mark: NamedNode, prop: _Part, source: _Part, target: _Part) -> Iterator[Expression]:
    yield ("ClassAssertion", mark, target)
    yield ("ClassAssertion", ("ObjectAllValuesFrom", prop, ("ObjectComplementOf", mark)), source)


def _distinct(parts: Iterable[_Part]) -> tuple[_Part, ...]:
    """OWL takes them as a set: what is written twice is there once, in whatever order its own parts are."""
    return tuple({_unordered(part): part for part in parts}.values())


def _unordered(part: _Part) -> object:
    if type(part) is not tuple:
        return part
    return (part[0], frozenset(map(_unordered, part[1:])) if part[0] in _SETS else tuple(map(_unordered, part[1:])))


_SETS = frozenset(
    {"ObjectIntersectionOf", "ObjectUnionOf", "ObjectOneOf", "DataIntersectionOf", "DataUnionOf", "DataOneOf"}
)


def _disjoint_classes(head: _Part, *given: _Part) -> Iterator[Expression]:
    parts = _distinct(given)
    if len(parts) > 1 and all(isinstance(part, NamedNode) for part in parts):
        yield (head, *parts)
        return
    if len(parts) == 1:  # a class that is disjoint with itself
        yield ("SubClassOf", parts[0], OWL.Nothing)
    for pair in combinations(parts, 2):
        yield ("SubClassOf", ("ObjectIntersectionOf", *pair), OWL.Nothing)


def _disjoint_union(_head: _Part, whole: _Part, *given: _Part) -> Iterator[Expression]:
    parts = _distinct(given)
    yield ("EquivalentClasses", whole, ("ObjectUnionOf", *parts) if len(parts) > 1 else parts[0])
    if len(parts) > 1:
        yield from _disjoint_classes("DisjointClasses", *parts)


def _inverse(prop: _Part) -> _Part | None:
    """The property that this is the inverse of, if it is said so."""
    return prop[1] if type(prop) is tuple and prop[0] == "ObjectInverseOf" else None


def _turned(other: str) -> Callable[..., Iterator[Expression]]:
    """What is said of an inverse, said of the property with the word for the other direction."""

    def rephrase(head: _Part, prop: _Part, *rest: _Part) -> Iterator[Expression]:
        inverse = _inverse(prop)
        yield (head, prop, *rest) if inverse is None else (other, inverse, *rest)

    return rephrase


def _inverse_properties(head: _Part, first: _Part, second: _Part) -> Iterator[Expression]:
    for one, two in ((first, second), (second, first)):
        inverse = _inverse(one)
        if inverse is not None:
            if inverse != two:
                yield from _with_names("EquivalentObjectProperties", inverse, two)
            return
    yield (head, first, second)


def _assertion(head: _Part, prop: _Part, source: _Part, target: _Part) -> Iterator[Expression]:
    inverse = _inverse(prop)
    yield (head, prop, source, target) if inverse is None else (head, inverse, target, source)


def _with_names(head: _Part, *parts: _Part) -> Iterator[Expression]:
    """Inverses get names: in what is said of several properties, rustdl passes over an inverse without one."""
    named = dict[Expression, None]()

    def renamed(part: _Part) -> _Part:
        inverse = _inverse(part)
        if isinstance(inverse, NamedNode):
            name = NamedNode(_INVERSE + inverse.value)
            named["InverseObjectProperties", inverse, name] = None
            return name
        return (part[0], *map(renamed, part[1:])) if type(part) is tuple else part

    yield (head, *map(renamed, parts))
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
