"""OBO to OWL: one small example for each tag, errors with their positions, and real ontologies by their counts."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import CanonicalizationAlgorithm, Dataset, Quad
from support.shared_data import shared
from support.turtle import triples_in

from kgprobe.errors import InputError
from kgprobe.formats.syntaxes.obo import reader
from kgprobe.formats.syntaxes.obo.text import references
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import TableBuilder
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Triple

DATA = shared("")
OIO = "http://www.geneontology.org/formats/oboInOwl#"
IAO = "http://purl.obolibrary.org/obo/IAO_"
PREFIXES = f"""
@prefix dc: <http://purl.org/dc/elements/1.1/> . @prefix ex: <http://example.org/> . @prefix iao: <{IAO}> .
@prefix obo: <http://purl.obolibrary.org/obo/> . @prefix oio: <{OIO}> . @prefix owl: <{OWL.iri}> .
@prefix rdf: <{RDF.iri}> . @prefix rdfs: <{RDFS.iri}> . @prefix t: <http://purl.obolibrary.org/obo/t#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
ONTOLOGY = NamedNode("http://purl.obolibrary.org/obo/t.owl")


def read(text: str) -> Graph:
    builder = TableBuilder()
    reader.read(text, "file.obo", builder)
    return Graph.from_table(builder.build())


def canonical(triples: list[Triple]) -> Dataset:
    dataset = Dataset(Quad(*triple) for triple in triples)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return dataset


def turtle(text: str) -> list[Triple]:
    return triples_in(PREFIXES + text)


def is_same_everywhere(triple: Triple) -> bool:
    """Triples of every document: its name, frame identifiers, and the annotation properties of the vocabulary."""
    about_vocabulary = str(triple.subject).startswith((f"<{OIO}", f"<{IAO}"))
    return (
        triple.object == OWL.Ontology
        or triple.predicate.value == OIO + "id"
        or (about_vocabulary and triple.object == OWL.AnnotationProperty)
    )


def check(text: str, expected: str, header: str = "") -> None:
    found = [triple for triple in read(f"ontology: t\n{header}\n{text}") if not is_same_everywhere(triple)]
    assert canonical(found) == canonical(turtle(expected)), sorted(map(str, found))


TERM = "[Term]\nid: X:1\n"
TYPEDEF = "[Typedef]\nid: r\n"


def axiom(source: str, property_: str, target: str, annotations: str) -> str:
    """A triple and its annotations."""
    return f"""{source} {property_} {target} . [] a owl:Axiom ; owl:annotatedSource {source} ;
        owl:annotatedProperty {property_} ; owl:annotatedTarget {target} ; {annotations}"""


CLASS = "obo:X_1 a owl:Class . "
CLAUSES = {
    "is_anonymous: true": "obo:X_1 oio:is_anonymous true",
    "name: one": 'obo:X_1 rdfs:label "one"',
    "name: one {two} three": 'obo:X_1 rdfs:label "one {two} three"',
    "name: a\\nb\\Wc\\!d\\{e\\\\f ! gone": 'obo:X_1 rdfs:label "a\\nb c!d{e\\\\f"',
    "name:": 'obo:X_1 rdfs:label ""',
    "namespace: ns": 'obo:X_1 oio:hasOBONamespace "ns"',
    "alt_id: X:2": """obo:X_1 oio:hasAlternativeId "X:2" .
        obo:X_2 a owl:Class ; owl:deprecated true ; iao:0100001 obo:X_1 ; iao:0000231 iao:0000227""",
    'def: "A \\"b\\"." []': 'obo:X_1 iao:0000115 "A \\"b\\"."',
    'def: "A." [P:1, P:2 "two, three", P\\,3]': axiom(
        "obo:X_1", "iao:0000115", '"A."', 'oio:hasDbXref "P:1", "P:2", "P,3"'
    ),
    "comment: why": 'obo:X_1 rdfs:comment "why"',
    'comment: why {xref="P:1"}': axiom("obo:X_1", "rdfs:comment", '"why"', 'oio:hasDbXref "P:1"'),
    "subset: slim": "obo:X_1 oio:inSubset t:slim",
    'synonym: "s" EXACT []': 'obo:X_1 oio:hasExactSynonym "s"',
    'synonym: "s" BROAD []': 'obo:X_1 oio:hasBroadSynonym "s"',
    'synonym: "s" NARROW []': 'obo:X_1 oio:hasNarrowSynonym "s"',
    'synonym: "s" RELATED []': 'obo:X_1 oio:hasRelatedSynonym "s"',
    'synonym: "s" []': 'obo:X_1 oio:hasRelatedSynonym "s"',
    'synonym: "s" EXACT lay [P:1] {source="me"}': axiom(
        "obo:X_1", "oio:hasExactSynonym", '"s"', 'oio:hasSynonymType t:lay ; oio:hasDbXref "P:1" ; oio:source "me"'
    ),
    'exact_synonym: "s" [P:1]': axiom("obo:X_1", "oio:hasExactSynonym", '"s"', 'oio:hasDbXref "P:1"'),
    'broad_synonym: "s" []': 'obo:X_1 oio:hasBroadSynonym "s"',
    'narrow_synonym: "s" []': 'obo:X_1 oio:hasNarrowSynonym "s"',
    'related_synonym: "s" []': 'obo:X_1 oio:hasRelatedSynonym "s"',
    "xref: P:1": 'obo:X_1 oio:hasDbXref "P:1"',
    "xref_analog: P:1": 'obo:X_1 oio:hasDbXref "P:1"',
    "xref: a b": 'obo:X_1 oio:hasDbXref "a b"',
    'xref: P:1 "what"': axiom("obo:X_1", "oio:hasDbXref", '"P:1"', 'rdfs:label "what"'),
    "builtin: false": "obo:X_1 oio:builtin false",
    'property_value: rdfs:seeAlso "5" xsd:integer': "obo:X_1 rdfs:seeAlso 5",
    'property_value: rdfs:seeAlso "a" xsd:string': 'obo:X_1 rdfs:seeAlso "a"',
    'property_value: rdfs:seeAlso "a"': 'obo:X_1 rdfs:seeAlso "a"',
    "property_value: rdfs:seeAlso a:b xsd:string": 'obo:X_1 rdfs:seeAlso "a:b"',
    "property_value: rdfs:seeAlso Y:1": "obo:X_1 rdfs:seeAlso obo:Y_1",
    "property_value: http://example.org/p http://example.org/o": """obo:X_1 ex:p ex:o .
        ex:p a owl:AnnotationProperty""",
    "is_a: X:2 ! two": "obo:X_2 a owl:Class . obo:X_1 rdfs:subClassOf obo:X_2",
    'is_a: X:2 {source="P:1"} ! two': "obo:X_2 a owl:Class . "
    + axiom("obo:X_1", "rdfs:subClassOf", "obo:X_2", 'oio:source "P:1"'),
    'is_a: X:2 {gci_relation="r", gci_filler="X:3"}': """obo:X_2 a owl:Class . obo:X_3 a owl:Class .
        t:r a owl:ObjectProperty . [] a owl:Class ; rdfs:subClassOf obo:X_2 ; owl:intersectionOf
        (obo:X_1 [a owl:Restriction ; owl:onProperty t:r ; owl:someValuesFrom obo:X_3])""",
    "intersection_of: X:2\nintersection_of: r X:3": """obo:X_2 a owl:Class . obo:X_3 a owl:Class .
        t:r a owl:ObjectProperty . obo:X_1 owl:equivalentClass [a owl:Class ; owl:intersectionOf
        (obo:X_2 [a owl:Restriction ; owl:onProperty t:r ; owl:someValuesFrom obo:X_3])]""",
    "union_of: X:2\nunion_of: X:3": """obo:X_2 a owl:Class . obo:X_3 a owl:Class .
        obo:X_1 owl:equivalentClass [a owl:Class ; owl:unionOf (obo:X_2 obo:X_3)]""",
    "equivalent_to: X:2": "obo:X_2 a owl:Class . obo:X_1 owl:equivalentClass obo:X_2",
    "disjoint_from: X:2": "obo:X_2 a owl:Class . obo:X_1 owl:disjointWith obo:X_2",
    "created_by: Jo": 'obo:X_1 oio:created_by "Jo"',
    "creation_date: 2008-02-27T02:20:00Z": 'obo:X_1 oio:creation_date "2008-02-27T02:20:00Z"',
    "is_obsolete: true": "obo:X_1 owl:deprecated true",
    "is_obsolete: false": "obo:X_1 owl:deprecated false",
    "replaced_by: X:2": "obo:X_1 iao:0100001 obo:X_2",
    "consider: X:2": "obo:X_1 oio:consider obo:X_2",
    "use_term: X:2": "obo:X_1 oio:consider obo:X_2",
}


@pytest.mark.parametrize("clause", CLAUSES)
def test_a_clause_of_a_term(clause: str) -> None:
    check(f"{TERM}{clause}\n", f"{CLASS}{CLAUSES[clause]} .")


RESTRICTIONS = {
    "": "a owl:Restriction ; owl:onProperty t:r ; owl:someValuesFrom obo:X_2",
    'all_some="true"': "a owl:Restriction ; owl:onProperty t:r ; owl:someValuesFrom obo:X_2",
    'all_only="true"': "a owl:Restriction ; owl:onProperty t:r ; owl:allValuesFrom obo:X_2",
    'all_only="true", all_some="true"': """a owl:Class ; owl:intersectionOf (
        [a owl:Restriction ; owl:onProperty t:r ; owl:someValuesFrom obo:X_2]
        [a owl:Restriction ; owl:onProperty t:r ; owl:allValuesFrom obo:X_2])""",
    'cardinality="2"': """a owl:Restriction ; owl:onProperty t:r ; owl:onClass obo:X_2 ;
        owl:qualifiedCardinality "2"^^xsd:nonNegativeInteger""",
    'minCardinality="2"': """a owl:Restriction ; owl:onProperty t:r ; owl:onClass obo:X_2 ;
        owl:minQualifiedCardinality "2"^^xsd:nonNegativeInteger""",
    'maxCardinality="2"': """a owl:Restriction ; owl:onProperty t:r ; owl:onClass obo:X_2 ;
        owl:maxQualifiedCardinality "2"^^xsd:nonNegativeInteger""",
    'minCardinality="1", maxCardinality="2"': """a owl:Class ; owl:intersectionOf (
        [a owl:Restriction ; owl:onProperty t:r ; owl:onClass obo:X_2 ;
            owl:minQualifiedCardinality "1"^^xsd:nonNegativeInteger]
        [a owl:Restriction ; owl:onProperty t:r ; owl:onClass obo:X_2 ;
            owl:maxQualifiedCardinality "2"^^xsd:nonNegativeInteger])""",
    'maxCardinality="0"': """a owl:Restriction ; owl:onProperty t:r ; owl:allValuesFrom
        [a owl:Class ; owl:complementOf obo:X_2]""",
    'cardinality="0"': """a owl:Restriction ; owl:onProperty t:r ; owl:allValuesFrom
        [a owl:Class ; owl:complementOf obo:X_2]""",
}


@pytest.mark.parametrize("qualifiers", RESTRICTIONS)
def test_a_relationship(qualifiers: str) -> None:
    clause = f"relationship: r X:2 {{{qualifiers}}} ! two\n" if qualifiers else "relationship: r X:2 ! two\n"
    check(
        TERM + clause + clause,  # a repeated triple counts once
        f"""{CLASS} obo:X_2 a owl:Class . t:r a owl:ObjectProperty .
            obo:X_1 rdfs:subClassOf [{RESTRICTIONS[qualifiers]}] .""",
    )


def test_an_annotated_relationship() -> None:
    check(
        TERM + 'relationship: r X:2 {source="P:1", cardinality="2"}\n',
        """obo:X_1 a owl:Class ; rdfs:subClassOf _:c . obo:X_2 a owl:Class . t:r a owl:ObjectProperty .
        _:c a owl:Restriction ; owl:onProperty t:r ; owl:onClass obo:X_2 ;
            owl:qualifiedCardinality "2"^^xsd:nonNegativeInteger .
        [] a owl:Axiom ; owl:annotatedSource obo:X_1 ; owl:annotatedProperty rdfs:subClassOf ;
            owl:annotatedTarget _:c ; oio:source "P:1" .""",
    )


def test_relationships_that_are_not_restrictions() -> None:
    check(
        f"{TERM}relationship: m X:2\nrelationship: c X:3\nintersection_of: X:4\nintersection_of: c X:5\n\n"
        "[Typedef]\nid: m\nis_metadata_tag: true\n\n[Typedef]\nid: c\nis_class_level: true\n",
        """t:m a owl:AnnotationProperty ; oio:is_metadata_tag true .
        t:c a owl:ObjectProperty ; oio:is_class_level true .
        obo:X_1 a owl:Class ; t:m obo:X_2 ; t:c obo:X_3 . obo:X_4 a owl:Class . obo:X_5 a owl:NamedIndividual .
        obo:X_1 owl:equivalentClass [a owl:Class ; owl:intersectionOf (obo:X_4
            [a owl:Restriction ; owl:onProperty t:c ; owl:hasValue obo:X_5])] .""",
    )


OTHER = "t:q a owl:ObjectProperty . "
TYPEDEF_CLAUSES = {
    "domain: X:1": "obo:X_1 a owl:Class . t:r rdfs:domain obo:X_1",
    "range: X:1": "obo:X_1 a owl:Class . t:r rdfs:range obo:X_1",
    "inverse_of: q": OTHER + "t:r owl:inverseOf t:q",
    "transitive_over: q": OTHER + "t:r owl:propertyChainAxiom (t:r t:q)",
    "holds_over_chain: q r": OTHER + "t:r owl:propertyChainAxiom (t:q t:r)",
    "equivalent_to_chain: q r": OTHER
    + """_:1 rdf:first t:q ; rdf:rest _:2 . _:2 rdf:first t:r ; rdf:rest () . """
    + axiom("t:r", "owl:propertyChainAxiom", "_:1", 'obo:IAO_isReversiblePropertyChain "true"'),
    "is_a: q": OTHER + "t:r rdfs:subPropertyOf t:q",
    "disjoint_from: q": OTHER + "t:r owl:propertyDisjointWith t:q",
    "disjoint_over: q": "t:r oio:disjoint_over t:q",
    "equivalent_to: q": OTHER + "t:r owl:equivalentProperty t:q",
    "intersection_of: q": OTHER + "t:r rdfs:subPropertyOf t:q ; oio:relation_intersection_of t:q",
    "union_of: q": OTHER + "t:q rdfs:subPropertyOf t:r . t:r oio:relation_union_of t:q",
    "relationship: m q": OTHER + "t:m a owl:AnnotationProperty . t:r t:m t:q",
    "is_transitive: true": "t:r a owl:TransitiveProperty",
    "is_transitive: false": "t:r oio:is_transitive false",
    "is_symmetric: true": "t:r a owl:SymmetricProperty",
    "is_asymmetric: true": "t:r a owl:AsymmetricProperty",
    "is_reflexive: true": "t:r a owl:ReflexiveProperty",
    "is_functional: true": "t:r a owl:FunctionalProperty",
    "is_inverse_functional: true": "t:r a owl:InverseFunctionalProperty",
    "is_anti_symmetric: true": "t:r iao:0000427 true",
    "is_cyclic: true": "t:r oio:is_cyclic true",
    "is_class_level: true": "t:r oio:is_class_level true",
    'expand_expression_to: "x" []': 't:r iao:0000424 "x"',
    'expand_assertion_to: "x" []': 't:r iao:0000425 "x"',
    "alt_id: q": """t:r oio:hasAlternativeId "q" . t:q a owl:ObjectProperty ; owl:deprecated true ;
        iao:0100001 t:r ; iao:0000231 iao:0000227""",
}


@pytest.mark.parametrize("clause", TYPEDEF_CLAUSES)
def test_a_clause_of_a_typedef(clause: str) -> None:
    check(f"{TYPEDEF}{clause}\n", f"t:r a owl:ObjectProperty . {TYPEDEF_CLAUSES[clause]} .")


def test_a_typedef_of_an_annotation_property() -> None:
    check(
        f"{TYPEDEF}is_metadata_tag: true\nis_a: q\nis_transitive: true\ninverse_of: q\nrelationship: m q\n",
        """t:r a owl:AnnotationProperty ; oio:is_metadata_tag true ; rdfs:subPropertyOf t:q ; oio:is_transitive true ;
        oio:inverse_of "q" ; t:m t:q . t:m a owl:AnnotationProperty . t:q a owl:AnnotationProperty .""",
    )


def test_an_instance() -> None:
    check(
        "[Instance]\nid: X:1\nname: one\ninstance_of: X:2\nrelationship: r X:3\nproperty_value: p X:4\n",
        """obo:X_1 a owl:NamedIndividual, obo:X_2 ; rdfs:label "one" ; t:r obo:X_3 ; t:p obo:X_4 .
        obo:X_2 a owl:Class . obo:X_3 a owl:NamedIndividual . t:r a owl:ObjectProperty .
        t:p a owl:AnnotationProperty .""",
    )


IDENTIFIERS = {
    "GO:0000001": "http://purl.obolibrary.org/obo/GO_0000001",
    "NCBITaxon:species": "http://purl.obolibrary.org/obo/NCBITaxon_species",
    "NCBITaxon:taxonomic_rank": "http://purl.obolibrary.org/obo/NCBITaxon#_taxonomic_rank",
    "EX:0_1": "http://example.org/0_1",
    "unprefixed": "http://purl.obolibrary.org/obo/t#unprefixed",
    "https://example.org/a": "https://example.org/a",
    "owl:Thing": OWL.Thing.value,
    "A\\:b": "http://purl.obolibrary.org/obo/A_b",
}


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_an_identifier(identifier: str) -> None:
    graph = read(f"idspace: EX http://example.org/ \nontology: t\n\n[Term]\nid: {identifier}\n")
    assert Triple(NamedNode(IDENTIFIERS[identifier]), RDF.type, OWL.Class) in graph


def test_a_relation_with_a_reference_is_a_shorthand_wherever_it_is_used() -> None:
    check(
        f"{TERM}relationship: part_of X:2\n\n"
        "[Typedef]\nid: part_of\nxref: OLD:1\nxref: BFO:0000050\n\n[Typedef]\nid: other\nxref: A:1\nxref: EX:1\n",
        f"""{CLASS} obo:X_2 a owl:Class . obo:X_1 rdfs:subClassOf
            [a owl:Restriction ; owl:onProperty obo:BFO_0000050 ; owl:someValuesFrom obo:X_2] .
        obo:BFO_0000050 a owl:ObjectProperty ; oio:shorthand "part_of" ; oio:hasDbXref "OLD:1", "BFO:0000050" .
        ex:1 a owl:ObjectProperty ; oio:shorthand "other" ; oio:hasDbXref "A:1", "EX:1" .""",
        header="idspace: EX http://example.org/\n",
    )


NAME = "<http://purl.obolibrary.org/obo/t.owl>"
HEADER = {
    "format-version: 1.4": f'{NAME} oio:hasOBOFormatVersion "1.4"',
    "data-version: 2020-01-01": f"{NAME} owl:versionIRI <http://purl.obolibrary.org/obo/t/2020-01-01/t.owl>",
    "data-version: http://example.org/v": f"{NAME} owl:versionIRI ex:v",
    "date: 01:02:2020 13:05": f'{NAME} oio:date "01:02:2020 13:05"',
    "saved-by: Jo": f'{NAME} oio:saved-by "Jo"',
    "auto-generated-by: tool": f'{NAME} oio:auto-generated-by "tool"',
    "default-namespace: ns": f'{NAME} oio:default-namespace "ns"',
    "namespace-id-rule: * X:$n$": f'{NAME} oio:NamespaceIdRule "* X:$n$"',
    "import: http://example.org/i.owl": f"{NAME} owl:imports ex:i.owl",
    "import: go": f"{NAME} owl:imports obo:go.owl",
    "remark: hello {you}": f'{NAME} rdfs:comment "hello {{you}}"',
    'subsetdef: slim "A slim"': """t:slim a owl:AnnotationProperty ; rdfs:subPropertyOf oio:SubsetProperty ;
        rdfs:label "slim" ; rdfs:comment "A slim" """,
    'synonymtypedef: lay "for all" EXACT': """t:lay a owl:AnnotationProperty ; rdfs:label "for all" ;
        rdfs:subPropertyOf oio:SynonymTypeProperty ; oio:hasScope oio:hasExactSynonym""",
    'synonymtypedef: lay "for all"': """t:lay a owl:AnnotationProperty ; rdfs:label "for all" ;
        rdfs:subPropertyOf oio:SynonymTypeProperty""",
    'idspace: EX http://example.org/ "what"\nproperty_value: EX:p EX:o': f"""{NAME} ex:p ex:o .
        ex:p a owl:AnnotationProperty""",
    'property_value: dc:title "T" xsd:string': f'{NAME} dc:title "T" . dc:title a owl:AnnotationProperty',
    "treat-xrefs-as-equivalent: A": f'{NAME} oio:treat-xrefs-as-equivalent "A"',
    "treat-xrefs-as-relationship: A r": f'{NAME} oio:treat-xrefs-as-relationship "A r"',
    "owl-axioms: SubClassOf(:X_1\nowl-axioms:   :X_2) SubClassOf(:X_3 ObjectComplementOf(:X_4))": """
        obo:X_1 rdfs:subClassOf obo:X_2 . obo:X_3 rdfs:subClassOf [a owl:Class ; owl:complementOf obo:X_4]""",
    "owl-axioms: Prefix(e:=<http://example.org/>)\\nOntology(\\nSubClassOf(e:a e:b)\\n)": "ex:a rdfs:subClassOf ex:b",
    "some-other-tag: anything": f'{NAME} oio:some-other-tag "anything"',
}


@pytest.mark.parametrize("clause", HEADER)
def test_a_clause_of_the_header(clause: str) -> None:
    check("", HEADER[clause] + " .", header=clause + "\n")


def test_the_name_of_the_ontology() -> None:
    assert Triple(ONTOLOGY, RDF.type, OWL.Ontology) in read("ontology: t\n")
    named = read("ontology: http://example.org/o\ndata-version: 1\n\n[Term]\nid: x\n")
    assert Triple(NamedNode("http://example.org/o"), OWL.versionInfo, Literal("1")) in named
    assert Triple(NamedNode("http://example.org/o#x"), RDF.type, OWL.Class) in named
    assert list(read("")) == [Triple(BlankNode("b0"), RDF.type, OWL.Ontology)]


def test_frames_are_in_the_default_namespace_unless_they_say_otherwise() -> None:
    check(
        f"{TERM}\n[Term]\nid: X:2\nnamespace: other\n",
        f"""{NAME} oio:default-namespace "ns" . obo:X_1 a owl:Class ; oio:hasOBONamespace "ns" .
            obo:X_2 a owl:Class ; oio:hasOBONamespace "other" .""",
        header="default-namespace: ns\n",
    )


def test_two_frames_of_one_entity_are_one() -> None:
    check(
        f"{TERM}intersection_of: X:2\n\n{TERM}intersection_of: X:3\n",
        f"""{CLASS} obo:X_2 a owl:Class . obo:X_3 a owl:Class .
            obo:X_1 owl:equivalentClass [a owl:Class ; owl:intersectionOf (obo:X_2 obo:X_3)] .""",
    )


def test_properties_that_annotate_are_declared_only_when_used() -> None:
    graph = read(f"ontology: t\n\n{TERM}xref: P:1\nname: one\n")
    declared = {triple.subject for triple in graph.triples(None, RDF.type, OWL.AnnotationProperty)}
    assert declared == {NamedNode(OIO + "id"), NamedNode(OIO + "hasDbXref")}


def test_every_term_of_the_table_is_in_a_triple() -> None:
    everything = "\n".join([*CLAUSES, *(f"relationship: r X:2 {{{q}}}" for q in RESTRICTIONS)])
    graph = read(f"ontology: t\n\n{TERM}{everything}\n\n{TYPEDEF}" + "\n".join(TYPEDEF_CLAUSES) + "\n")
    assert all(map(graph.mentions, graph.terms()))


def test_the_same_file_gives_the_same_blank_nodes() -> None:
    text = f'ontology: t\n\n{TERM}def: "a" [P:1]\nrelationship: r X:2\n'
    assert read(text) == read(text)
    types = {triple.subject: triple.object for triple in read(text).triples(None, RDF.type)}
    assert (types[BlankNode("b0")], types[BlankNode("b1")]) == (OWL.Axiom, OWL.Restriction)


@pytest.mark.parametrize(
    "value",
    [
        "p one xsd:date",
        "  p   one \t xsd:date  ",
        "p o\\ ne xsd:date",
        'p "one" xsd:date',
        'p "o ne" xsd:date',
        'p "one" xsd:date {source="a"}',
        'p o"ne xsd:date',
        "p one xsd:date ! xsd:time",
        "p one !  xsd:date",
        'p one xsd:date {source="a"}',
        "p X:2",
        "q one xsd:date",
        "p one xsd:time",
    ],
)
def test_a_property_value_means_the_same_after_others_like_it(value: str) -> None:
    clause = f"[Term]\nid: X:1\nproperty_value: {value}\n\n"
    others = '[Term]\nid: X:9\nproperty_value: p two xsd:date\nproperty_value: p "two" xsd:date\n\n'
    known, alone = read(others + clause), read(clause + others)
    assert canonical(list(known)) == canonical(list(alone))


def test_the_prefixes_are_those_of_the_vocabularies_and_the_idspaces() -> None:
    text = "idspace: EX http://example.org/\nidspace: -- http://example.org/no/prefix\nontology: t\n"
    prefixes = reader.read(text, "file.obo", TableBuilder())
    assert prefixes.keys() == {"obo", "oboInOwl", "owl", "rdf", "rdfs", "xsd", "EX"}


@pytest.mark.parametrize(
    "text",
    [
        "ontology:t\n\n[Term]\nid:X:1\nname:one\n",
        "\ufeffontology: t\n\n[Term] ! a class\n! nothing\n\nid: X:1 ! its id\n  name: one  \n",
        "ontology: t\r\n\r\n[Term]\r\nid: X:1\r\nname: one\r\n",
        "ontology: t\n[Term]\nid: X:1\nname: on\\\ne",
    ],
)
def test_equivalent_spellings(text: str) -> None:
    assert canonical(list(read(text))) == canonical(list(read("ontology: t\n\n[Term]\nid: X:1\nname: one\n")))
    bare = TableBuilder()
    reader.read(text, "file.obo", bare)
    assert Graph.from_table(bare.build()) == read(text)


ERRORS = {
    "ontology: t\nno colon\n": "2:1: expected a tag, a colon and a value",
    "ontology: t\n[Trem]\nid: X:1\n": "2:1: unknown frame [Trem] (did you mean [Term]?)",
    "[Term]\nname: one\n": "2:1: expected the id of the frame first, found 'name'",
    "[Term]\n[Term]\nid: X:1\n": "2:1: expected the id of the frame first, found '[Term]'",
    "[Term]\n": "1: expected the id of the frame, found the end of the file",
    "ontology: t\n\n[Term]\n! none\n\nname: one\n": "6:1: expected the id of the frame first, found 'name'",
    "ontology: t\n\n[Term]\n! none\n\nid: X:1\n\nis_a: X:2 X:3\n": "8:11: expected the end of the clause, found 'X:3'",
    f"{TERM}id: X:2\n": "3:1: expected one id in the frame, found a second",
    f"{TERM}nmae: one\n": "3:1: unknown tag 'nmae' (did you mean 'name'?)",
    f"{TERM}is_transitive: true\n": "3:1: unknown tag 'is_transitive'",
    f"{TERM}\n[Typedef]\nid: X:1\n": "5:5: 'X:1' already has a frame of another type",
    "[Term]\nid: X:<1>\n": "2:5: 'X:<1>' does not make a valid IRI: Invalid IRI code point '<'",
    f"{TERM}is_a:\n": "3:6: expected an identifier, found the end of the line",
    f"{TERM}is_a: X:2 X:3\n": "3:11: expected the end of the clause, found 'X:3'",
    f'{TERM}def: "never ends []\n': "3:6: the quoted string is never closed",
    f"{TERM}def: no quotes []\n": "3:6: expected a quoted string, found 'no quotes []'",
    f'{TERM}def: "a" [P:1\n': "3:14: expected ',' or ']', found the end of the line",
    f'{TERM}synonym: "a" EXCAT []\n': "3:14: 'EXCAT' is not a synonym scope (did you mean EXACT?)",
    f'{TERM}xref: "what"\n': "3:7: expected a reference, found '\"what\"'",
    f"{TERM}name: \ud800\n": "3:1: found a lone surrogate, which is not a character",
    f"{TERM}is_obsolete: yes\n": "3:14: expected true or false, found 'yes'",
    f"{TERM}name: one {{source=P:1}}\n": "3:19: expected a quoted string, found 'P:1}'",
    f'{TERM}is_a: X:2 {{source="a"\n': "3:22: expected ',' or '}', found the end of the line",
    f'{TERM}relationship: r X:2 {{cardinality="x"}}\n': "3:15: expected a number, found 'x'",
    f'{TERM}is_a: X:2 {{gci_relation="r"}}\n': "3:7: gci_relation and gci_filler must be used together",
    f"{TERM}intersection_of: X:2\n": "1: intersection_of and union_of need two clauses or more in a frame, found one",
    f"{TERM}union_of: r X:2\n": "3:11: expected the end of the clause, found 'X:2'",
    f"{TYPEDEF}holds_over_chain: q\n": "3:19: a chain needs two relations",
    f'{TERM}property_value: p "a" string\n': "3:23: 'string' is not a datatype (write one such as xsd:string)",
    "ontology: t\nowl-axioms: SubClassOf(<a:b>\n": "2:13: invalid functional syntax: ",
    "owl-axioms: Ontology(Import(<a:b>))\n": "1:13: owl-axioms may contain only axioms, not imports",
    "import: ../go.obo\n": "1:9: expected the IRI of an import, found a file name",
    "a b: c\n": "1:1: the tag 'a b' does not make a valid IRI",
    "ontology: t\nsubsetdef: slim\n": "2:16: expected a quoted string, found the end of the line",
    'synonymtypedef: lay "x" SOME\n': "1:25: 'SOME' is not a synonym scope",
    "name: \0\n[Term]\nid: X:\0\n": "3:5: 'X:\0' does not make a valid IRI".replace("\0", " "),
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors_and_their_positions(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).startswith(f"file.obo:{ERRORS[text]}")
    assert "\n" not in str(caught.value)


def test_long_lines_and_strange_characters_are_text_like_any_other() -> None:
    long = "x" * 2_000_000
    graph = read(f'ontology: t\n\n{TERM}name: {long}\ncomment: a\0b\ndef: "{long}" [{"P:1, " * 10_000}]\n')
    assert Triple(NamedNode("http://purl.obolibrary.org/obo/X_1"), RDFS.label, Literal(long)) in graph
    assert any(triple.object == Literal("a\0b") for triple in graph)
    with pytest.raises(InputError, match="is never closed"):
        read(f'{TERM}def: "{long}')


def escape(text: str) -> str:
    for character, escaped in (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ('"', '\\"')):
        text = text.replace(character, escaped)
    return text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_escapes_in_quoted_strings_are_resolved(text: str) -> None:
    builder = TableBuilder()
    reader.read(f'[Term]\nid: X:1\ndef: "{escape(text)}" []\n', "file.obo", builder)
    graph = Graph.from_table(builder.build())
    assert [t.object for t in graph.triples(None, NamedNode(f"{IAO}0000115"))] == [Literal(text)]


@pytest.mark.parametrize(
    ("path", "triples", "classes", "subclasses", "axioms"),
    [
        ("go/go-2022-07.obo.gz", 263368, 43558, 85713, 0),
        ("go/go-2024.obo.gz", 246993, 40939, 79313, 0),
        ("hpo/hp-2021.obo.gz", 310396, 20046, 20529, 23780),
        ("hpo/hp-2025.obo.gz", 345390, 22929, 23392, 25337),
    ],
)
def test_real_ontologies(path: str, triples: int, classes: int, subclasses: int, axioms: int) -> None:
    if not (DATA / path).exists():
        pytest.skip(f"the data folder with {path} is not here")
    builder = TableBuilder()
    with gzip.open(DATA / path, "rt", encoding="utf-8") as stream:
        reader.read(stream.read(), path, builder)
    graph = Graph.from_table(builder.build())
    by_type = (graph.count(None, graph.key(RDF.type), graph.key(type_)) for type_ in (OWL.Class, OWL.Axiom))
    assert [len(graph), *by_type, graph.count(None, graph.key(RDFS.subClassOf))] == [
        triples,
        classes,
        axioms,
        subclasses,
    ]


@pytest.mark.parametrize(
    ("text", "start", "expected"),
    [
        ('"x" [A:1, B:2 "note"] y', 3, (["A:1", "B:2"], 21)),
        ('"x" []', 3, ([], 6)),
        ('"x" synonym [A:1]', 3, ([], 3)),  # something else comes first
        ('"x" synonym', 3, ([], 3)),
        ("", 0, ([], 0)),
        ("A:1]", 0, ([], 0)),
    ],
)
def test_references_are_in_a_list_that_comes_next(text: str, start: int, expected: tuple[list[str], int]) -> None:
    assert references(text, start) == expected
