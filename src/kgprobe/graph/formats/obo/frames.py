"""Which tags the frames of OBO have, and what kind of clause each of them is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

from kgprobe.graph.formats.obo.axioms import chain, member, metarelation, relationship, subclass, subproperty
from kgprobe.graph.formats.obo.clauses import (
    Clause,
    alternative,
    boolean,
    characteristic,
    definition,
    namespace,
    property_value,
    reference,
    synonym,
    text,
    xref,
)
from kgprobe.graph.formats.obo.document import Document, Role
from kgprobe.graph.formats.obo.ids import IAO, OIO
from kgprobe.graph.terms import OWL, RDF, RDFS, NamedNode

__all__ = ["FRAMES", "Recipe"]

Recipe: TypeAlias = Callable[[Document], Clause]

_COMMON: Final[Mapping[str, Recipe]] = {
    "builtin": partial(boolean, OIO.builtin),
    "comment": partial(text, RDFS.comment),
    "consider": partial(reference, OIO.consider, None),
    "created_by": partial(text, OIO.created_by),
    "creation_date": partial(text, OIO.creation_date),
    "def": partial(definition, IAO["0000115"]),
    "is_anonymous": partial(boolean, OIO.is_anonymous),
    "is_obsolete": partial(boolean, OWL.deprecated),
    "name": partial(text, RDFS.label),
    "namespace": namespace,
    "property_value": property_value,
    "replaced_by": partial(reference, IAO["0100001"], None),
    "subset": partial(reference, OIO.inSubset, None),
    "synonym": synonym,
    "xref": xref,
    # What version 1.2 allows still.
    "broad_synonym": partial(definition, OIO.hasBroadSynonym),
    "exact_synonym": partial(definition, OIO.hasExactSynonym),
    "narrow_synonym": partial(definition, OIO.hasNarrowSynonym),
    "related_synonym": partial(definition, OIO.hasRelatedSynonym),
    "use_term": partial(reference, OIO.consider, None),
    "xref_analog": xref,
    "xref_unknown": xref,
}

_TERM: Final[Mapping[str, Recipe]] = {
    "disjoint_from": partial(reference, OWL.disjointWith, OWL.Class),
    "equivalent_to": partial(reference, OWL.equivalentClass, OWL.Class),
    "intersection_of": partial(member, OWL.intersectionOf),
    "is_a": subclass,
    "relationship": relationship,
    "union_of": partial(member, OWL.unionOf),
}

# What is no more than an annotation, of a relation of either kind.
_ANY_TYPEDEF: Final[Mapping[str, Recipe]] = {
    "domain": partial(reference, RDFS.domain, OWL.Class),
    "expand_assertion_to": partial(definition, IAO["0000425"]),
    "expand_expression_to": partial(definition, IAO["0000424"]),
    "is_anti_symmetric": partial(boolean, IAO["0000427"]),
    "is_class_level": partial(boolean, OIO.is_class_level),
    "is_cyclic": partial(boolean, OIO.is_cyclic),
    "is_metadata_tag": partial(boolean, OIO.is_metadata_tag),
    "range": partial(reference, RDFS.range, OWL.Class),
}

_CHARACTERISTICS: Final = {
    "is_asymmetric": OWL.AsymmetricProperty,
    "is_functional": OWL.FunctionalProperty,
    "is_inverse_functional": OWL.InverseFunctionalProperty,
    "is_reflexive": OWL.ReflexiveProperty,
    "is_symmetric": OWL.SymmetricProperty,
    "is_transitive": OWL.TransitiveProperty,
}

_TYPEDEF: Final[Mapping[str, Recipe]] = {
    **{tag: partial(characteristic, class_, OIO[tag]) for tag, class_ in _CHARACTERISTICS.items()},
    "disjoint_from": partial(reference, OWL.propertyDisjointWith, OWL.ObjectProperty),
    "disjoint_over": partial(reference, OIO.disjoint_over, None),
    "equivalent_to": partial(reference, OWL.equivalentProperty, OWL.ObjectProperty),
    "equivalent_to_chain": partial(chain, False, True),
    "holds_over_chain": partial(chain, False, False),
    "intersection_of": partial(subproperty, True, OIO.relation_intersection_of),
    "inverse_of": partial(reference, OWL.inverseOf, OWL.ObjectProperty),
    "is_a": partial(reference, RDFS.subPropertyOf, OWL.ObjectProperty),
    "relationship": partial(metarelation, OWL.AnnotationProperty, OWL.ObjectProperty),
    "transitive_over": partial(chain, True, False),
    "union_of": partial(subproperty, False, OIO.relation_union_of),
}

# OWL lets an annotation property be below another, and nothing more: the rest is kept as text.
_METADATA: Final[Mapping[str, Recipe]] = {
    **{tag: partial(boolean, OIO[tag]) for tag in _CHARACTERISTICS},
    **{tag: partial(text, OIO[tag]) for tag in _TYPEDEF if tag not in _CHARACTERISTICS},
    "is_a": partial(reference, RDFS.subPropertyOf, OWL.AnnotationProperty),
    "relationship": partial(metarelation, OWL.AnnotationProperty, OWL.AnnotationProperty),
}

_INSTANCE: Final[Mapping[str, Recipe]] = {
    "instance_of": partial(reference, RDF.type, OWL.Class),
    "relationship": partial(metarelation, OWL.ObjectProperty, OWL.NamedIndividual),
}


def _frame(role: Role, *tables: Mapping[str, Recipe]) -> Mapping[str, Recipe]:
    recipes: dict[str, Recipe] = dict(_COMMON)
    for table in tables:
        recipes.update(table)
    recipes["alt_id"] = partial(alternative, role)
    return recipes


FRAMES: Final[Mapping[NamedNode, Mapping[str, Recipe]]] = {
    OWL.Class: _frame(OWL.Class, _TERM),
    OWL.ObjectProperty: _frame(OWL.ObjectProperty, _ANY_TYPEDEF, _TYPEDEF),
    OWL.AnnotationProperty: _frame(OWL.AnnotationProperty, _ANY_TYPEDEF, _METADATA),
    OWL.NamedIndividual: _frame(OWL.NamedIndividual, _INSTANCE),
}
"""The tags of each kind of frame, by the type of the entity that it is about."""
