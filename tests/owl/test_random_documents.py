"""Random ontologies survive a round trip through functional syntax and RDF."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import CanonicalizationAlgorithm, Dataset, Quad

from kgprobe.formats.functional import parse, render
from kgprobe.owl.axiom_reader import read
from kgprobe.owl.expression import Expression, OntologyDocument
from kgprobe.owl.to_triples import triples
from kgprobe.rdf.terms import RDFS, XSD, BlankNode, Literal, NamedNode, Triple

EX = "http://example.org/"


def names(*local: str) -> st.SearchStrategy[NamedNode]:
    return st.sampled_from([NamedNode(EX + each) for each in local])


def tree(head: str, *arguments: st.SearchStrategy[object]) -> st.SearchStrategy[Expression]:
    return st.tuples(*arguments).map(lambda drawn: Expression(head, *drawn))


def nary(
    head: str, member: st.SearchStrategy[object], least: int, *first: st.SearchStrategy[object]
) -> st.SearchStrategy[Expression]:
    members = st.lists(member, min_size=least, max_size=least + 2)
    return st.tuples(st.tuples(*first), members).map(lambda drawn: Expression(head, *drawn[0], *drawn[1]))


def each(heads: str, make: Callable[[str], st.SearchStrategy[Expression]]) -> st.SearchStrategy[Expression]:
    return st.one_of([make(head) for head in heads.split()])


CLASS_NAMES = names("A", "B", "C-1", "été", "x.y")
OBJECT_NAMES, DATA_NAMES, NOTES = names("p", "q"), names("d", "e"), names("n", "m")
INDIVIDUALS = st.one_of(names("i", "j"), st.sampled_from([BlankNode("b0"), BlankNode("anonymous")]))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
LITERALS: st.SearchStrategy[Literal] = st.one_of(
    TEXTS.map(Literal),
    TEXTS.map(lambda text: Literal(text, language="en-gb")),
    TEXTS.map(lambda text: Literal(text, datatype=XSD.integer)),
)
NUMBERS = st.integers(0, 3)
PROPERTIES = st.one_of(OBJECT_NAMES, tree("ObjectInverseOf", OBJECT_NAMES))
FACETS = st.sampled_from([XSD.minInclusive, XSD.pattern])


def bigger_ranges(ranges: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.one_of(
        each("DataIntersectionOf DataUnionOf", lambda head: nary(head, ranges, 2)),
        tree("DataComplementOf", ranges),
        nary("DataOneOf", LITERALS, 1),
        tree("DatatypeRestriction", st.just(XSD.string), FACETS, LITERALS, FACETS, LITERALS),
    )


RANGES = st.recursive(st.sampled_from([XSD.string, XSD.int, NamedNode(EX + "T")]), bigger_ranges, max_leaves=4)


def bigger_classes(classes: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    cardinality = "MinCardinality MaxCardinality ExactCardinality"
    return st.one_of(
        each("ObjectIntersectionOf ObjectUnionOf", lambda head: nary(head, classes, 2)),
        tree("ObjectComplementOf", classes),
        nary("ObjectOneOf", INDIVIDUALS, 1),
        each("ObjectSomeValuesFrom ObjectAllValuesFrom", lambda head: tree(head, PROPERTIES, classes)),
        tree("ObjectHasValue", PROPERTIES, INDIVIDUALS),
        tree("ObjectHasSelf", PROPERTIES),
        each(cardinality, lambda head: tree("Object" + head, NUMBERS, PROPERTIES)),
        each(cardinality, lambda head: tree("Object" + head, NUMBERS, PROPERTIES, classes)),
        each("DataSomeValuesFrom DataAllValuesFrom", lambda head: tree(head, DATA_NAMES, RANGES)),
        tree("DataAllValuesFrom", DATA_NAMES, DATA_NAMES, RANGES),
        tree("DataHasValue", DATA_NAMES, LITERALS),
        each(cardinality, lambda head: tree("Data" + head, NUMBERS, DATA_NAMES)),
        each(cardinality, lambda head: tree("Data" + head, NUMBERS, DATA_NAMES, RANGES)),
    )


CLASSES = st.recursive(CLASS_NAMES, bigger_classes, max_leaves=6)
VARIABLES = tree("Variable", names("x", "y"))
ATOMS = st.one_of(
    tree("ClassAtom", CLASSES, st.one_of(VARIABLES, INDIVIDUALS)),
    tree("ObjectPropertyAtom", PROPERTIES, VARIABLES, INDIVIDUALS),
    tree("DataPropertyAtom", DATA_NAMES, VARIABLES, LITERALS),
    tree("DataRangeAtom", RANGES, VARIABLES),
    nary("BuiltInAtom", st.one_of(VARIABLES, LITERALS), 1, names("less")),
    each("SameIndividualAtom DifferentIndividualsAtom", lambda head: tree(head, VARIABLES, INDIVIDUALS)),
)
BARE_AXIOMS = st.one_of(
    tree("SubClassOf", CLASSES, CLASSES),
    each("EquivalentClasses DisjointClasses", lambda head: nary(head, CLASSES, 2)),
    nary("DisjointUnion", CLASSES, 2, CLASS_NAMES),
    tree("SubObjectPropertyOf", PROPERTIES, PROPERTIES),
    tree("SubObjectPropertyOf", nary("ObjectPropertyChain", PROPERTIES, 2), PROPERTIES),
    each("EquivalentObjectProperties DisjointObjectProperties", lambda head: nary(head, PROPERTIES, 2)),
    # InverseObjectProperties(ObjectInverseOf(p) p) gives one triple instead of two, so it cannot be read back.
    tree("InverseObjectProperties", OBJECT_NAMES, PROPERTIES),
    tree("InverseObjectProperties", tree("ObjectInverseOf", names("p")), names("q")),
    each("ObjectPropertyDomain ObjectPropertyRange", lambda head: tree(head, PROPERTIES, CLASSES)),
    each(
        "FunctionalObjectProperty SymmetricObjectProperty TransitiveObjectProperty ReflexiveObjectProperty",
        lambda head: tree(head, PROPERTIES),
    ),
    each("EquivalentDataProperties DisjointDataProperties", lambda head: nary(head, DATA_NAMES, 2)),
    tree("DataPropertyDomain", DATA_NAMES, CLASSES),
    tree("DataPropertyRange", DATA_NAMES, RANGES),
    tree("FunctionalDataProperty", DATA_NAMES),
    tree("DatatypeDefinition", names("T"), RANGES),
    tree("HasKey", CLASSES, nary("", PROPERTIES, 1), nary("", DATA_NAMES, 0)),
    each("SameIndividual DifferentIndividuals", lambda head: nary(head, INDIVIDUALS, 2)),
    tree("ClassAssertion", CLASSES, INDIVIDUALS),
    each(
        "ObjectPropertyAssertion NegativeObjectPropertyAssertion",
        lambda head: tree(head, PROPERTIES, INDIVIDUALS, INDIVIDUALS),
    ),
    each(
        "DataPropertyAssertion NegativeDataPropertyAssertion",
        lambda head: tree(head, DATA_NAMES, INDIVIDUALS, LITERALS),
    ),
    tree("AnnotationAssertion", NOTES, INDIVIDUALS, st.one_of(INDIVIDUALS, LITERALS)),
    each(
        "SubAnnotationPropertyOf AnnotationPropertyDomain AnnotationPropertyRange",
        lambda head: tree(head, NOTES, NOTES),
    ),
    tree("DLSafeRule", nary("Body", ATOMS, 0), nary("Head", ATOMS, 0)),
)


def bigger_annotations(annotations: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return tree("Annotation", annotations, NOTES, st.one_of(LITERALS, INDIVIDUALS))


ANNOTATIONS = st.recursive(tree("Annotation", st.just(RDFS.label), LITERALS), bigger_annotations, max_leaves=3)
AXIOMS = st.tuples(BARE_AXIOMS, st.lists(ANNOTATIONS, max_size=2)).map(
    lambda drawn: Expression(drawn[0].head, *drawn[1], *drawn[0].args)
)
DECLARATIONS: tuple[Expression, ...] = tuple(
    Expression("Declaration", Expression(kind, NamedNode(EX + local)))
    for kind, locals_ in {
        "Class": "A B C-1 été x.y",
        "Datatype": "T",
        "ObjectProperty": "p q",
        "DataProperty": "d e",
        "AnnotationProperty": "n m",
    }.items()
    for local in locals_.split()
)
DOCUMENTS = st.builds(
    OntologyDocument,
    iri=names("o"),
    version=st.none() | names("v"),
    imports=st.lists(names("other", "more"), unique=True, max_size=2).map(tuple),
    annotations=st.lists(ANNOTATIONS, max_size=2).map(tuple),
    axioms=st.lists(AXIOMS, max_size=6).map(lambda axioms: (*DECLARATIONS, *axioms)),
    prefixes=st.sampled_from([{}, {"": EX, "ex": "http://example.org/x"}, {"xsd": XSD.iri, "e-x": EX}]),
)


def canonical(statements: Iterable[Triple]) -> Dataset:
    dataset = Dataset(Quad(each.subject, each.predicate, each.object) for each in statements)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return dataset


@settings(max_examples=120, deadline=None)
@given(DOCUMENTS)
def test_functional_syntax_is_read_as_it_was_written(document: OntologyDocument) -> None:
    assert parse("".join(render(document)), "random") == document


@settings(max_examples=120, deadline=None)
@given(DOCUMENTS)
def test_triples_are_read_as_they_were_written(document: OntologyDocument) -> None:
    written = [Triple(*statement) for statement in triples(document)]
    reading = read(written)
    again = [Triple(*statement) for statement in triples(reading.document)]
    assert reading.leftovers == ()
    assert canonical(again) == canonical(written)
