"""Random graphs over the OWL vocabulary: complete axioms, and changes that cut them, join them and retype names."""

from __future__ import annotations

from hypothesis import strategies as st

from kgprobe.owl.grammar import SWRL
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Subject, Term, Triple

EX = "http://example.org/"
names = st.sampled_from([NamedNode(EX + name) for name in ("A", "B", "C", "D")])
properties = st.sampled_from([NamedNode(EX + name) for name in ("p", "q")])
blanks = st.sampled_from([BlankNode(f"n{i}") for i in range(6)])
one = Literal("1", datatype=XSD.nonNegativeInteger)

_types = st.sampled_from(
    [
        *(OWL.Class, OWL.Restriction, OWL.Axiom, OWL.Annotation, OWL.Ontology, OWL.ObjectProperty, OWL.NamedIndividual),
        *(OWL.DatatypeProperty, OWL.AnnotationProperty, OWL.FunctionalProperty, OWL.TransitiveProperty),
        *(RDFS.Datatype, RDF.List, OWL.AllDisjointClasses, OWL.NegativePropertyAssertion),
        *(SWRL.Variable, SWRL.Imp, SWRL.AtomList, SWRL.ClassAtom),
    ]
)
_predicates = st.sampled_from(
    [
        *(RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith, RDFS.subPropertyOf, OWL.inverseOf, RDFS.range),
        *(RDFS.domain, OWL.onProperty, OWL.someValuesFrom, OWL.allValuesFrom, OWL.hasValue, OWL.minCardinality),
        *(
            OWL.intersectionOf,
            OWL.complementOf,
            OWL.oneOf,
            OWL.members,
            OWL.distinctMembers,
            RDF.first,
            RDF.rest,
            RDFS.label,
        ),
        *(OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget, OWL.sameAs, OWL.propertyChainAxiom),
        *(OWL.imports, OWL.versionIRI, SWRL.body, SWRL.head, SWRL.argument1, SWRL.classPredicate, RDF.type),
    ]
)
_subjects: st.SearchStrategy[Subject] = st.one_of(names, properties, blanks)
_objects: st.SearchStrategy[Term] = st.one_of(
    names, properties, blanks, st.sampled_from([one, RDF.nil, XSD.integer, OWL.Thing, RDFS.label])
)
_loose = st.one_of(
    st.builds(Triple, _subjects, st.one_of(_predicates, properties), _objects),
    st.builds(Triple, _subjects, st.just(RDF.type), st.one_of(_types, names)),
)


@st.composite
def _restrictions(draw: st.DrawFn) -> list[Triple]:
    node, subject = draw(blanks), draw(st.one_of(names, blanks))
    filler = draw(st.sampled_from([OWL.someValuesFrom, OWL.allValuesFrom, OWL.hasValue]))
    return [
        Triple(subject, draw(st.sampled_from([RDFS.subClassOf, OWL.equivalentClass, RDF.type])), node),
        Triple(node, RDF.type, OWL.Restriction),
        Triple(node, OWL.onProperty, draw(properties)),
        Triple(node, filler, draw(_objects)),
    ]


def _list_of_two(draw: st.DrawFn, first: BlankNode, second: BlankNode) -> list[Triple]:
    return [
        Triple(first, RDF.first, draw(_objects)),
        Triple(first, RDF.rest, second),
        Triple(second, RDF.first, draw(_objects)),
        Triple(second, RDF.rest, RDF.nil),
    ]


@st.composite
def _unions(draw: st.DrawFn) -> list[Triple]:
    node, first, second = draw(st.lists(blanks, min_size=3, max_size=3, unique=True))
    kind = draw(st.sampled_from([OWL.Class, RDFS.Datatype]))
    return [
        Triple(draw(names), RDFS.subClassOf, node),
        Triple(node, RDF.type, kind),
        Triple(node, draw(st.sampled_from([OWL.unionOf, OWL.oneOf])), first),
        *_list_of_two(draw, first, second),
    ]


@st.composite
def _groups(draw: st.DrawFn) -> list[Triple]:
    node, first, second = draw(st.lists(blanks, min_size=3, max_size=3, unique=True))
    kind = draw(st.sampled_from([OWL.AllDisjointClasses, OWL.AllDisjointProperties, OWL.AllDifferent]))
    note = [Triple(node, RDFS.comment, one)] if draw(st.booleans()) else []
    return [
        *note,
        Triple(node, RDF.type, kind),
        Triple(node, draw(st.sampled_from([OWL.members, OWL.distinctMembers])), first),
        *_list_of_two(draw, first, second),
    ]


@st.composite
def _annotations(draw: st.DrawFn) -> list[Triple]:
    node, main = draw(blanks), draw(_loose)
    return [
        main,
        Triple(node, RDF.type, draw(st.sampled_from([OWL.Axiom, OWL.Annotation]))),
        Triple(node, OWL.annotatedSource, main.subject),
        Triple(node, OWL.annotatedProperty, main.predicate),
        Triple(node, OWL.annotatedTarget, main.object),
        Triple(node, draw(st.sampled_from([RDFS.comment, NamedNode(EX + "p")])), draw(_objects)),
    ]


@st.composite
def _rules(draw: st.DrawFn) -> list[Triple]:
    rule, atom, cell = draw(st.lists(blanks, min_size=3, max_size=3, unique=True))
    variable = draw(_subjects)
    return [
        Triple(rule, RDF.type, SWRL.Imp),
        Triple(rule, SWRL.body, RDF.nil),
        Triple(rule, SWRL.head, cell),
        Triple(cell, RDF.type, SWRL.AtomList),
        Triple(cell, RDF.first, atom),
        Triple(cell, RDF.rest, RDF.nil),
        Triple(atom, RDF.type, SWRL.ClassAtom),
        Triple(atom, SWRL.classPredicate, draw(names)),
        Triple(atom, SWRL.argument1, variable),
        Triple(variable, RDF.type, SWRL.Variable),
    ]


_quoting = st.builds(lambda node, name: Triple(name, RDFS.seeAlso, Triple(node, RDFS.label, one)), blanks, names)

_pieces = st.one_of(
    st.lists(_loose, min_size=1, max_size=3),
    _restrictions(),
    _unions(),
    _groups(),
    _annotations(),
    _rules(),
    st.lists(_quoting, min_size=1, max_size=1),
)
owl_triples = st.lists(_pieces, max_size=6).map(lambda pieces: [triple for piece in pieces for triple in piece])


@st.composite
def graphs_and_flips(draw: st.DrawFn) -> tuple[Graph, list[list[Triple]]]:
    """A graph, and steps: triples to remove if the graph has them, and to add otherwise."""
    loaded = draw(owl_triples)
    known = st.sampled_from(loaded) if loaded else _loose
    step = st.lists(
        st.one_of(known, known, _loose, st.sampled_from(draw(owl_triples) or loaded or [_PLAIN])), max_size=4
    )
    return Graph(loaded), draw(st.lists(step, min_size=1, max_size=4))


_PLAIN = Triple(NamedNode(EX + "A"), RDFS.subClassOf, NamedNode(EX + "B"))
