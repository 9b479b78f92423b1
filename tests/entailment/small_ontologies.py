"""Random small ontologies, as lists of triples, with the constructs that RDFS and OWL 2 RL have rules for."""

from __future__ import annotations

from hypothesis import strategies as st

from kgprobe.rdf.graph import write_list
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Namespace, Subject, Term, Triple

__all__ = ["EX", "ontologies", "rdfs_ontologies"]

EX = Namespace("http://example.org/")
_classes = st.sampled_from([EX[name] for name in "ABCDE"])
_properties = st.sampled_from([EX[name] for name in "pqr"])
_things = st.sampled_from([EX[name] for name in "abcd"])
_CHARACTERISTICS = [
    OWL[f"{name}Property"] for name in ("Functional", "InverseFunctional", "Symmetric", "Transitive", "Reflexive")
]
_KINDS = ["classes", "properties", "list", "end", "is a", "fact", "same", "declared"]
_ONE = Literal("1", datatype=XSD.nonNegativeInteger)


class _Blanks:
    """Fresh blank nodes for one ontology."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self) -> BlankNode:
        self._count += 1
        return BlankNode(f"n{self._count}")


def _expression(draw: st.DrawFn, fresh: _Blanks) -> tuple[Subject, list[Triple]]:
    """A class: a name, or a class expression over names."""
    kind = draw(st.sampled_from(["name", "name", "and", "or", "some", "only", "value", "one of", "max", "max of"]))
    if kind == "name":
        return draw(_classes), []
    node = fresh()
    if kind in ("and", "or", "one of"):
        members = draw(st.lists(_things if kind == "one of" else _classes, min_size=1, max_size=3))
        predicate = {"and": OWL.intersectionOf, "or": OWL.unionOf, "one of": OWL.oneOf}[kind]
        head, cells = write_list(members, fresh)
        return node, [Triple(node, RDF.type, OWL.Class), Triple(node, predicate, head), *cells]
    made = [Triple(node, RDF.type, OWL.Restriction), Triple(node, OWL.onProperty, draw(_properties))]
    if kind == "value":
        return node, [*made, Triple(node, OWL.hasValue, draw(_things))]
    if kind == "max":
        return node, [*made, Triple(node, OWL.maxCardinality, _ONE)]
    filler = draw(st.one_of(_classes, st.just(OWL.Thing)))
    if kind == "max of":
        return node, [*made, Triple(node, OWL.maxQualifiedCardinality, _ONE), Triple(node, OWL.onClass, filler)]
    return node, [*made, Triple(node, OWL.someValuesFrom if kind == "some" else OWL.allValuesFrom, filler)]


def _list_axiom(draw: st.DrawFn, fresh: _Blanks) -> list[Triple]:
    members = draw(st.lists(_properties, min_size=1, max_size=3))
    head, cells = write_list(members, fresh)
    subject, predicate = draw(
        st.one_of(st.tuples(_properties, st.just(OWL.propertyChainAxiom)), st.tuples(_classes, st.just(OWL.hasKey)))
    )
    return [Triple(subject, predicate, head), *cells]


def _about_properties(draw: st.DrawFn, fresh: _Blanks) -> list[Triple]:
    one, other = draw(_properties), draw(_properties)
    kind = draw(
        st.sampled_from([RDFS.subPropertyOf, OWL.equivalentProperty, OWL.inverseOf, RDF.type, OWL.ObjectProperty])
    )
    if kind == RDF.type:
        return [Triple(one, RDF.type, draw(st.sampled_from(_CHARACTERISTICS)))]
    if kind == OWL.ObjectProperty:
        return [Triple(one, RDF.type, kind)]
    if kind == RDFS.subPropertyOf and draw(st.booleans()):
        node = fresh()
        return [Triple(one, kind, node), Triple(node, OWL.inverseOf, other)]
    return [Triple(one, kind, other)]


@st.composite
def ontologies(draw: st.DrawFn) -> list[Triple]:
    """Some axioms and some facts."""
    fresh = _Blanks()
    made: list[Triple] = []
    for kind in draw(st.lists(st.sampled_from(_KINDS), max_size=14)):
        if kind in ("classes", "end", "is a"):
            expression, triples = _expression(draw, fresh)
            made += triples
            if kind == "classes":
                predicate = draw(st.sampled_from([RDFS.subClassOf, OWL.equivalentClass]))
                name = draw(_classes)
                if draw(st.booleans()):
                    made.append(Triple(name, predicate, expression))
                else:
                    made.append(Triple(expression, predicate, name))
            elif kind == "end":
                made.append(Triple(draw(_properties), draw(st.sampled_from([RDFS.domain, RDFS.range])), expression))
            else:
                made.append(Triple(draw(_things), RDF.type, expression))
        elif kind == "properties":
            made += _about_properties(draw, fresh)
        elif kind == "list":
            made += _list_axiom(draw, fresh)
        elif kind == "fact":
            made += [Triple(draw(_things), draw(_properties), draw(_things)) for _ in range(3)]
        elif kind == "same":
            made.append(Triple(draw(_things), OWL.sameAs, draw(_things)))
        else:
            made.append(Triple(draw(_classes), RDF.type, OWL.Class))
    return list(dict.fromkeys(made))


_rdfs_terms: st.SearchStrategy[NamedNode] = st.one_of(_classes, _properties, _things)
_rdfs_predicates = st.one_of(
    _properties, st.sampled_from([RDF.type, RDFS.subClassOf, RDFS.subPropertyOf, RDFS.domain, RDFS.range])
)
_values: st.SearchStrategy[Term] = st.one_of(_rdfs_terms, st.just(BlankNode("x")), st.just(Literal("text")))
rdfs_ontologies = st.lists(
    st.builds(Triple, st.one_of(_rdfs_terms, st.just(BlankNode("x"))), _rdfs_predicates, _values),
    max_size=20,
    unique=True,
)
"""Any mixture of RDFS, including unrealistic ones."""
