"""Which names an axiom uses, and as what: the declarations that strict reasoners insist on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from kgprobe.graph.axioms.expression import Expression, inner
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, NamedNode

__all__ = ["declarations", "entities"]

_KINDS = {
    "c": "Class",
    "o": "ObjectProperty",
    "d": "DataProperty",
    "t": "Datatype",
    "i": "NamedIndividual",
}

# What a name is at each place of a construct; the last letter goes for all further places, and "-" is no entity.
_PLACES: dict[str, str] = {
    **dict.fromkeys(["SubClassOf", "EquivalentClasses", "DisjointClasses", "DisjointUnion"], "c"),
    **dict.fromkeys(["ObjectIntersectionOf", "ObjectUnionOf", "ObjectComplementOf"], "c"),
    **dict.fromkeys(["ObjectOneOf", "SameIndividual", "DifferentIndividuals"], "i"),
    **dict.fromkeys(["SameIndividualAtom", "DifferentIndividualsAtom"], "i"),
    **dict.fromkeys(
        ["ObjectSomeValuesFrom", "ObjectAllValuesFrom", "ObjectPropertyDomain", "ObjectPropertyRange"], "oc"
    ),
    **dict.fromkeys(["ObjectMinCardinality", "ObjectMaxCardinality", "ObjectExactCardinality"], "-oc"),
    **dict.fromkeys(["ObjectHasValue", "ObjectPropertyAssertion", "NegativeObjectPropertyAssertion"], "oi"),
    "ObjectPropertyAtom": "oi",
    **dict.fromkeys(["ObjectHasSelf", "ObjectInverseOf", "ObjectPropertyChain", "SubObjectPropertyOf"], "o"),
    **dict.fromkeys(["EquivalentObjectProperties", "DisjointObjectProperties", "InverseObjectProperties"], "o"),
    **dict.fromkeys(["FunctionalObjectProperty", "InverseFunctionalObjectProperty", "ReflexiveObjectProperty"], "o"),
    **dict.fromkeys(["IrreflexiveObjectProperty", "SymmetricObjectProperty", "AsymmetricObjectProperty"], "o"),
    "TransitiveObjectProperty": "o",
    **dict.fromkeys(["DataSomeValuesFrom", "DataAllValuesFrom", "DataPropertyRange"], "dt"),
    **dict.fromkeys(["DataMinCardinality", "DataMaxCardinality", "DataExactCardinality"], "-dt"),
    **dict.fromkeys(["SubDataPropertyOf", "EquivalentDataProperties", "DisjointDataProperties"], "d"),
    **dict.fromkeys(["FunctionalDataProperty", "DataHasValue"], "d"),
    **dict.fromkeys(["DataPropertyAssertion", "NegativeDataPropertyAssertion", "DataPropertyAtom"], "di-"),
    "DataPropertyDomain": "dc",
    **dict.fromkeys(["DataIntersectionOf", "DataUnionOf", "DataComplementOf", "DatatypeDefinition"], "t"),
    **dict.fromkeys(["DatatypeRestriction", "DataRangeAtom"], "t-"),
    **dict.fromkeys(["ClassAssertion", "ClassAtom"], "ci"),
}

# Small ontologies come in numbers, and are variants of each other: what was found in an axiom is remembered.
_FEW = 1_000

_BUILT_IN = tuple(vocabulary.iri for vocabulary in (OWL, RDF, RDFS, XSD))


def entities(axioms: Iterable[Expression]) -> set[tuple[str, NamedNode]]:
    """The names that the axioms use, each with its kind; those of OWL's own vocabulary are not among them."""
    stated = list(axioms)
    if len(stated) <= _FEW:
        return set().union(*map(_named_in, stated))
    return _without_built_in(named for axiom in stated for named in _used(axiom))


def declarations(axioms: Iterable[Expression]) -> list[Expression]:
    """A declaration for each name that the axioms use, in an order that depends on the names only."""
    used = sorted(entities(axioms), key=lambda found: (found[0], found[1].value))
    return [Expression("Declaration", Expression(kind, name)) for kind, name in used]


@lru_cache(maxsize=16 * _FEW)
def _named_in(axiom: Expression) -> frozenset[tuple[str, NamedNode]]:
    return frozenset(_without_built_in(_used(axiom)))


def _without_built_in(found: Iterable[tuple[str, NamedNode]]) -> set[tuple[str, NamedNode]]:
    return {(kind, name) for kind, name in set(found) if not name.value.startswith(_BUILT_IN)}


def _used(axiom: Expression) -> Iterator[tuple[str, NamedNode]]:
    pending = _key_parts(axiom) if axiom.head == "HasKey" else [axiom]
    while pending:
        tree = pending.pop()
        for place, argument in enumerate(tree.args):
            if type(argument) is Expression:
                pending.append(argument)
            elif isinstance(argument, NamedNode):
                kind = _kind(tree.head, place, len(tree.args) - 1)
                if kind is not None:
                    yield kind, argument


def _key_parts(axiom: Expression) -> list[Expression]:
    """The lists of a key under names that say what is in them: by itself, a list does not."""
    keyed, objects, data = axiom.args
    return [
        Expression("SubClassOf", keyed),
        Expression("EquivalentObjectProperties", *inner(objects).args),
        Expression("EquivalentDataProperties", *inner(data).args),
    ]


@cache
def _kind(head: str, place: int, last: int) -> str | None:
    places = _PLACES.get(head, "-")
    if places == "dt" and head != "DataPropertyRange":  # any number of properties, then one range
        return "Datatype" if place == last else "DataProperty"
    return _KINDS.get(places[min(place, len(places) - 1)])
