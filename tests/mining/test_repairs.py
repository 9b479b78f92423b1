"""Repaired operators ask for all that they need: they stay in OWL 2 EL on graphs that they were not tried on."""

from __future__ import annotations

import pytest
from mutation.example_runner import graph_of

from kgprobe.mining.operators import MinedOperator, update_of, update_text
from kgprobe.mining.repair_draft import kinds_from
from kgprobe.mining.repairs import CannotRepairError, repaired
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.mutation.update import parse_operator
from kgprobe.owl.axioms import AxiomView
from kgprobe.owl.profiles import Profile, violations
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Term

A, B = Variable("a"), Variable("b")


def _name(local: str) -> NamedNode:
    return NamedNode(f"https://kgprobe.example/#{local}")


P, Q, C, D = map(_name, "pqCD")
_CHAIN = ":p owl:propertyChainAxiom ( :q :q ) . "
_PROPERTIES = ":p a owl:ObjectProperty . :q a owl:ObjectProperty . :C a owl:Class . :D a owl:Class . "


def _is_in_el(graph: Graph) -> bool:
    return next(iter(violations(AxiomView(graph), [Profile.EL])), None) is None


def _results(
    finds: tuple[TriplePattern, ...],
    leaves: tuple[TriplePattern, ...],
    text: str,
    kinds: tuple[tuple[NamedNode, Term], ...] = (),
) -> tuple[list[bool], list[bool]]:
    """For an operator as mined and repaired: whether each of its results is in EL; none if it does not apply."""
    graph = graph_of(text)
    assert _is_in_el(graph)
    declared = [
        (triple.subject, triple.object)
        for triple in graph
        if isinstance(triple.subject, NamedNode) and isinstance(triple.object, NamedNode)
    ]
    operator = MinedOperator(finds, leaves)
    mined = update_of(operator)
    [changed, *_] = repaired(operator, mined, kinds_from([*declared, *kinds]))
    both: list[list[bool]] = []
    for update in (mined, changed):
        parsed = parse_operator(update_text(update), update.name)
        generator = Generator(graph, [Weighted(parsed)], mutations=1, seed=1)
        attempts = [generator.attempt(number) for number in range(20)]
        both.append([_is_in_el(result) for result, steps in attempts if steps])
    return both[0], both[1]


# What it finds, what it leaves, a graph that it takes out of EL, and one that it may change.
_CASES: dict[str, tuple[tuple[TriplePattern, ...], tuple[TriplePattern, ...], str, str]] = {
    "a class that another ontology declares": (
        ((A, RDF.type, D),),
        ((A, RDF.type, D), (A, RDF.type, C)),
        ":D a owl:Class . :i a :D .",
        ":D a owl:Class . :C a owl:Class . :i a :D .",
    ),
    "a range for a property that a chain implies": (
        (),
        ((P, RDFS.range, C),),
        _PROPERTIES + _CHAIN,
        _PROPERTIES,
    ),
    "a property that a chain implies below one with a range": (
        ((Q, RDFS.range, C),),
        ((Q, RDFS.range, C), (P, RDFS.subPropertyOf, Q)),
        _PROPERTIES + ":r a owl:ObjectProperty . :p owl:propertyChainAxiom ( :r :r ) . :q rdfs:range :C .",
        _PROPERTIES + ":q rdfs:range :C .",
    ),
    "a transitive property that has to be simple": (
        (),
        ((P, RDF.type, OWL.TransitiveProperty),),
        _PROPERTIES + ":C rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:hasSelf true ] .",
        _PROPERTIES,
    ),
    "a range that the last property of a chain needs": (
        ((A, RDFS.range, C), (A, RDF.type, OWL.ObjectProperty)),
        ((A, RDF.type, OWL.ObjectProperty),),
        _PROPERTIES + _CHAIN + ":q rdfs:range :C . :p rdfs:range :C .",
        _PROPERTIES + ":q rdfs:range :C . :p rdfs:range :C .",
    ),
    "a class that is equivalent to itself": (
        ((A, RDFS.subClassOf, D),),
        ((A, RDFS.subClassOf, D), (A, OWL.equivalentClass, C)),
        ":C a owl:Class . :D a owl:Class . :C rdfs:subClassOf :D .",
        ":C a owl:Class . :D a owl:Class . :E a owl:Class ; rdfs:subClassOf :D .",
    ),
    "an expression as the value of an annotation": (
        ((C, RDFS.subClassOf, A),),
        ((C, RDFS.subClassOf, A), (C, RDFS.seeAlso, A)),
        ":p a owl:ObjectProperty . :C a owl:Class ; rdfs:subClassOf "
        "[ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :C ] .",
        ":C a owl:Class . :D a owl:Class . :C rdfs:subClassOf :D .",
    ),
    "a name as the value of a data property": (
        ((C, RDFS.seeAlso, A),),
        ((C, RDFS.seeAlso, A), (D, P, A)),
        ":p a owl:DatatypeProperty . :C rdfs:seeAlso :D .",
        ":p a owl:DatatypeProperty . :C rdfs:seeAlso 'D' .",
    ),
}


@pytest.mark.parametrize("case", _CASES)
def test_a_repaired_operator_does_not_apply_where_it_would_leave_el(case: str) -> None:
    finds, leaves, harmed, fine = _CASES[case]
    mined, changed = _results(finds, leaves, harmed, kinds=((C, OWL.Class),))
    assert mined
    assert not all(mined)
    assert all(changed)
    mined, changed = _results(finds, leaves, fine)
    assert mined
    assert changed
    assert all(changed)


def test_a_property_can_have_another_kind_in_another_graph() -> None:
    """As a data property, it has literals; as an object property, individuals."""
    kinds: tuple[tuple[NamedNode, Term], ...] = ((P, OWL.ObjectProperty), (P, OWL.DatatypeProperty))
    value = Literal("x", datatype=XSD.string)
    individuals = ":p a owl:ObjectProperty . :C a owl:Class . :i a :C ; :p :j ."
    literals = ":p a owl:DatatypeProperty . :C a owl:Class . :i a :C ; :p 'y' ."
    for new, fitting, other in ((value, literals, individuals), (_name("k"), individuals, literals)):
        finds, leaves = ((A, RDF.type, C),), ((A, RDF.type, C), (A, P, new))
        mined, changed = _results(finds, leaves, other, kinds)
        assert mined
        assert not all(mined)
        assert not changed
        mined, changed = _results(finds, leaves, fitting, kinds)
        assert all(mined)
        assert changed
        assert all(changed)
    unused = ":p a owl:ObjectProperty , owl:DatatypeProperty . :C a owl:Class . :i a :C ."
    mined, changed = _results(((A, RDF.type, C),), ((A, RDF.type, C), (A, P, value)), unused)
    assert mined
    assert not any(mined)
    assert not changed


def test_a_property_that_no_graph_declares_cannot_be_added() -> None:
    operator = MinedOperator(((A, RDF.type, C),), ((A, RDF.type, C), (A, P, B)))
    with pytest.raises(CannotRepairError, match="no graph in OWL 2 EL declares its property"):
        repaired(operator, update_of(operator), kinds_from([(C, OWL.Class)]))
