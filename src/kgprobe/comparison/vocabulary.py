"""What ontologies say about their entities in words: the predicates for it that are in wide use."""

from __future__ import annotations

from kgprobe.comparison.model import Aspect
from kgprobe.graph.axioms.name_kinds import ANNOTATION, BUILT_IN
from kgprobe.graph.terms import OWL, RDFS, NamedNode, Namespace

__all__ = ["ASPECTS", "CONSIDER", "DEPRECATED", "IN_SUBSET", "OBO", "REPLACED_BY", "SCOPES"]

OBO = Namespace("http://purl.obolibrary.org/obo/")
_OBO_IN_OWL = Namespace("http://www.geneontology.org/formats/oboInOwl#")
_SKOS = Namespace("http://www.w3.org/2004/02/skos/core#")
_TERMS = Namespace("http://purl.org/dc/terms/")

DEPRECATED = OWL.deprecated
REPLACED_BY = (OBO.IAO_0100001, _TERMS.isReplacedBy)
CONSIDER = (_OBO_IN_OWL.consider,)
IN_SUBSET = _OBO_IN_OWL.inSubset

# The synonyms, and how close in meaning they are; None if the predicate does not tell.
SCOPES: dict[NamedNode, str | None] = {
    **{_OBO_IN_OWL[f"has{scope.capitalize()}Synonym"]: scope for scope in ("exact", "narrow", "broad", "related")},
    **dict.fromkeys((_OBO_IN_OWL.hasSynonym, _SKOS.altLabel, OBO.IAO_0000118), None),
}

ASPECTS: dict[NamedNode, Aspect] = {
    **{predicate: Aspect.ANNOTATION for predicate, kind in BUILT_IN.items() if kind == ANNOTATION},
    **dict.fromkeys((RDFS.label, _SKOS.prefLabel), Aspect.LABEL),
    **dict.fromkeys((OBO.IAO_0000115, _SKOS.definition), Aspect.DEFINITION),
    **dict.fromkeys(SCOPES, Aspect.SYNONYM),
    **dict.fromkeys((*REPLACED_BY, *CONSIDER, IN_SUBSET, OWL.versionIRI), Aspect.ANNOTATION),
}
