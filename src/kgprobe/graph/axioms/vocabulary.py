"""The RDF vocabulary of each OWL construct: the tables that both directions of the mapping share.

They follow "OWL 2 Web Ontology Language: Mapping to RDF Graphs" (W3C), and for rules the SWRL submission.
"""

from __future__ import annotations

from kgprobe.graph.terms import OWL, RDFS, NamedNode, Namespace

__all__ = [
    "ATOMS",
    "CARDINALITIES",
    "CHAINS",
    "CHARACTERISTICS",
    "COLLECTIONS",
    "COMPLEMENTS",
    "ENTITIES",
    "FILLERS",
    "GROUPS",
    "LINKS",
    "SWRL",
]

SWRL = Namespace("http://www.w3.org/2003/11/swrl#")

ENTITIES: dict[str, NamedNode] = {
    "Class": OWL.Class,
    "Datatype": RDFS.Datatype,
    "ObjectProperty": OWL.ObjectProperty,
    "DataProperty": OWL.DatatypeProperty,
    "AnnotationProperty": OWL.AnnotationProperty,
    "NamedIndividual": OWL.NamedIndividual,
}

# first argument -> predicate -> second argument
LINKS: dict[str, NamedNode] = {
    "SubClassOf": RDFS.subClassOf,
    "SubObjectPropertyOf": RDFS.subPropertyOf,
    "SubDataPropertyOf": RDFS.subPropertyOf,
    "SubAnnotationPropertyOf": RDFS.subPropertyOf,
    "ObjectPropertyDomain": RDFS.domain,
    "DataPropertyDomain": RDFS.domain,
    "AnnotationPropertyDomain": RDFS.domain,
    "ObjectPropertyRange": RDFS.range,
    "DataPropertyRange": RDFS.range,
    "AnnotationPropertyRange": RDFS.range,
    "InverseObjectProperties": OWL.inverseOf,
    "DatatypeDefinition": OWL.equivalentClass,
}

# each argument -> predicate -> the next one
CHAINS: dict[str, NamedNode] = {
    "EquivalentClasses": OWL.equivalentClass,
    "EquivalentObjectProperties": OWL.equivalentProperty,
    "EquivalentDataProperties": OWL.equivalentProperty,
    "SameIndividual": OWL.sameAs,
}

# two arguments: a predicate; more: a node of a class, with a list of members
GROUPS: dict[str, tuple[NamedNode, NamedNode]] = {
    "DisjointClasses": (OWL.disjointWith, OWL.AllDisjointClasses),
    "DisjointObjectProperties": (OWL.propertyDisjointWith, OWL.AllDisjointProperties),
    "DisjointDataProperties": (OWL.propertyDisjointWith, OWL.AllDisjointProperties),
    "DifferentIndividuals": (OWL.differentFrom, OWL.AllDifferent),
}

# the argument -> rdf:type -> this class
CHARACTERISTICS: dict[str, NamedNode] = {
    "FunctionalObjectProperty": OWL.FunctionalProperty,
    "FunctionalDataProperty": OWL.FunctionalProperty,
    "InverseFunctionalObjectProperty": OWL.InverseFunctionalProperty,
    "ReflexiveObjectProperty": OWL.ReflexiveProperty,
    "IrreflexiveObjectProperty": OWL.IrreflexiveProperty,
    "SymmetricObjectProperty": OWL.SymmetricProperty,
    "AsymmetricObjectProperty": OWL.AsymmetricProperty,
    "TransitiveObjectProperty": OWL.TransitiveProperty,
}

# a node of a class, with a list of the arguments
COLLECTIONS: dict[str, tuple[NamedNode, NamedNode]] = {
    "ObjectIntersectionOf": (OWL.Class, OWL.intersectionOf),
    "ObjectUnionOf": (OWL.Class, OWL.unionOf),
    "ObjectOneOf": (OWL.Class, OWL.oneOf),
    "DataIntersectionOf": (RDFS.Datatype, OWL.intersectionOf),
    "DataUnionOf": (RDFS.Datatype, OWL.unionOf),
    "DataOneOf": (RDFS.Datatype, OWL.oneOf),
}

COMPLEMENTS: dict[str, tuple[NamedNode, NamedNode]] = {
    "ObjectComplementOf": (OWL.Class, OWL.complementOf),
    "DataComplementOf": (RDFS.Datatype, OWL.datatypeComplementOf),
}

# owl:Restriction: the predicate of the last argument
FILLERS: dict[str, NamedNode] = {
    "ObjectSomeValuesFrom": OWL.someValuesFrom,
    "ObjectAllValuesFrom": OWL.allValuesFrom,
    "ObjectHasValue": OWL.hasValue,
    "DataSomeValuesFrom": OWL.someValuesFrom,
    "DataAllValuesFrom": OWL.allValuesFrom,
    "DataHasValue": OWL.hasValue,
}

# owl:Restriction: the predicate of the number without a filler, with a filler, and of the filler
CARDINALITIES: dict[str, tuple[NamedNode, NamedNode, NamedNode]] = {
    "ObjectMinCardinality": (OWL.minCardinality, OWL.minQualifiedCardinality, OWL.onClass),
    "ObjectMaxCardinality": (OWL.maxCardinality, OWL.maxQualifiedCardinality, OWL.onClass),
    "ObjectExactCardinality": (OWL.cardinality, OWL.qualifiedCardinality, OWL.onClass),
    "DataMinCardinality": (OWL.minCardinality, OWL.minQualifiedCardinality, OWL.onDataRange),
    "DataMaxCardinality": (OWL.maxCardinality, OWL.maxQualifiedCardinality, OWL.onDataRange),
    "DataExactCardinality": (OWL.cardinality, OWL.qualifiedCardinality, OWL.onDataRange),
}

# the class of the atom's node, and the predicates of its arguments
ATOMS: dict[str, tuple[NamedNode, tuple[NamedNode, ...]]] = {
    "ClassAtom": (SWRL.ClassAtom, (SWRL.classPredicate, SWRL.argument1)),
    "DataRangeAtom": (SWRL.DataRangeAtom, (SWRL.dataRange, SWRL.argument1)),
    "ObjectPropertyAtom": (
        SWRL.IndividualPropertyAtom,
        (SWRL.propertyPredicate, SWRL.argument1, SWRL.argument2),
    ),
    "DataPropertyAtom": (
        SWRL.DatavaluedPropertyAtom,
        (SWRL.propertyPredicate, SWRL.argument1, SWRL.argument2),
    ),
    "SameIndividualAtom": (SWRL.SameIndividualAtom, (SWRL.argument1, SWRL.argument2)),
    "DifferentIndividualsAtom": (SWRL.DifferentIndividualsAtom, (SWRL.argument1, SWRL.argument2)),
}
