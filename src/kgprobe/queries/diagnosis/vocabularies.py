"""The names of RDF, RDF Schema, OWL 2 and XML Schema."""

from __future__ import annotations

from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, NamedNode

__all__ = ["BUILT_IN_NAMES", "LINKS_TO_NODES", "VOCABULARIES"]

_RDF = """
    Alt Bag CompoundLiteral HTML JSON List PlainLiteral Property Seq Statement XMLLiteral direction dirLangString first
    langString language nil object predicate reifies rest subject type value
"""
_RDFS = """
    Class Container ContainerMembershipProperty Datatype Literal Resource comment domain isDefinedBy label member range
    seeAlso subClassOf subPropertyOf Proposition
"""
_OWL = """
    AllDifferent AllDisjointClasses AllDisjointProperties Annotation AnnotationProperty AsymmetricProperty Axiom Class
    DataRange DatatypeProperty DeprecatedClass DeprecatedProperty FunctionalProperty InverseFunctionalProperty
    IrreflexiveProperty NamedIndividual NegativePropertyAssertion Nothing ObjectProperty Ontology OntologyProperty
    ReflexiveProperty Restriction SymmetricProperty TransitiveProperty Thing allValuesFrom annotatedProperty
    annotatedSource annotatedTarget assertionProperty backwardCompatibleWith bottomDataProperty bottomObjectProperty
    cardinality complementOf datatypeComplementOf deprecated differentFrom disjointUnionOf disjointWith distinctMembers
    equivalentClass equivalentProperty hasKey hasSelf hasValue imports incompatibleWith intersectionOf inverseOf
    maxCardinality maxQualifiedCardinality members minCardinality minQualifiedCardinality onClass onDataRange
    onDatatype onProperties onProperty oneOf priorVersion propertyChainAxiom propertyDisjointWith qualifiedCardinality
    rational real sameAs someValuesFrom sourceIndividual targetIndividual targetValue topDataProperty topObjectProperty
    unionOf versionIRI versionInfo withRestrictions
"""
_XSD = """
    ENTITIES ENTITY ID IDREF IDREFS NCName NMTOKEN NMTOKENS NOTATION Name QName anyAtomicType anySimpleType anyType
    anyURI base64Binary boolean byte date dateTime dateTimeStamp dayTimeDuration decimal double duration float
    fractionDigits gDay gMonth gMonthDay gYear gYearMonth hexBinary int integer language length long maxExclusive
    maxInclusive maxLength minExclusive minInclusive minLength negativeInteger nonNegativeInteger nonPositiveInteger
    normalizedString pattern positiveInteger short string time token totalDigits unsignedByte unsignedInt unsignedLong
    unsignedShort whiteSpace yearMonthDuration
"""

VOCABULARIES = (RDF.iri, RDFS.iri, OWL.iri, XSD.iri)

BUILT_IN_NAMES: frozenset[NamedNode] = frozenset(
    space[name] for space, names in ((RDF, _RDF), (RDFS, _RDFS), (OWL, _OWL), (XSD, _XSD)) for name in names.split()
)

LINKS_TO_NODES: frozenset[NamedNode] = frozenset(
    {RDF.type, RDF.rest, RDFS.subClassOf, RDFS.subPropertyOf, RDFS.domain, RDFS.range, OWL.sameAs, OWL.differentFrom}
    | {OWL.equivalentClass, OWL.equivalentProperty, OWL.disjointWith, OWL.inverseOf, OWL.propertyDisjointWith}
    | {OWL.complementOf, OWL.unionOf, OWL.intersectionOf, OWL.onProperty, OWL.onClass, OWL.imports}
)
"""Properties of these vocabularies whose values are not literals, unless the data are odd."""
