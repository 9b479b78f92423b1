"""The result of a comparison, and the annotation properties that it knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from kgprobe.owl.expression import Expression
from kgprobe.owl.name_kinds import ANNOTATION, BUILT_IN
from kgprobe.rdf.terms import OBO, OWL, RDFS, SKOS, NamedNode, Namespace, Term, Triple

__all__ = ["Comparison"]


class Kind(StrEnum):
    """The kinds of names."""

    CLASS = "class"
    OBJECT_PROPERTY = "object property"
    DATA_PROPERTY = "data property"
    ANNOTATION_PROPERTY = "annotation property"
    PROPERTY = "property"  # of unknown kind
    DATATYPE = "datatype"
    INDIVIDUAL = "individual"
    ONTOLOGY = "ontology"
    OTHER = "other"  # used, but not as one of the above


class Aspect(StrEnum):
    """The kinds of values of an entity."""

    PARENT = "parent"  # a class above a class, a property above a property, a type of an individual
    LABEL = "label"
    DEFINITION = "definition"
    SYNONYM = "synonym"
    ANNOTATION = "annotation"  # any other annotation


# A comparison can have 100,000 of some values. These are named tuples, which are three times as fast to create.


class Entity(NamedTuple):
    """A name and its kind, in the new version if both have it."""

    term: NamedNode
    kind: Kind


class ValueChange(NamedTuple):
    """The values of one predicate that were removed from an entity, and those that were added."""

    aspect: Aspect
    predicate: NamedNode
    removed: tuple[Term, ...]
    added: tuple[Term, ...]


class EntityChange(NamedTuple):
    """All values of an entity that only one version has; all values of an added entity."""

    entity: Entity
    values: tuple[ValueChange, ...]

    def about(self, aspect: Aspect) -> Iterator[ValueChange]:
        """The changes in one aspect."""
        return (value for value in self.values if value.aspect is aspect)


@dataclass(frozen=True, slots=True)
class Renamed:
    """An entity with a new name, and how the new name was recognised."""

    old: Entity
    new: Entity
    why: str


@dataclass(frozen=True, slots=True)
class Obsoleted:
    """An entity that is deprecated now, its replacements, and the alternatives to consider."""

    entity: Entity
    replaced_by: tuple[Term, ...] = ()
    consider: tuple[Term, ...] = ()


class AnnotationChange(NamedTuple):
    """A change of the annotations of a statement that both versions have."""

    subject: Term
    predicate: NamedNode
    object: Term
    annotation: ValueChange


@dataclass(frozen=True, slots=True)
class ChangedAxiom:
    """An axiom that only one version has; or triples that do not form an axiom, without an expression."""

    added: bool
    about: NamedNode | None
    expression: Expression | None
    triples: tuple[Triple, ...] = ()

    @property
    def kind(self) -> str:
        return "no axiom" if self.expression is None else str(self.expression.head)


@dataclass(frozen=True, slots=True)
class Subsumptions:
    """Pairs of a class and one above it. All are counted; those that imply the others are listed, up to a limit."""

    count: int
    listed: tuple[tuple[NamedNode, NamedNode], ...] = ()


@dataclass(frozen=True, slots=True)
class InferredChanges:
    """Subsumptions that follow from only one version, between classes of both, and that no changed axiom states."""

    gained: Subsumptions
    lost: Subsumptions
    unsatisfiable: tuple[NamedNode, ...]  # new in this version: classes that can have no members
    satisfiable: tuple[NamedNode, ...]  # classes that can have members again
    how: tuple[str, str]  # how the old and the new hierarchy were found


@dataclass(frozen=True)
class Counts:
    """The numbers of changes."""

    triples: tuple[int, int]  # removed, added; a changed group of connected blank nodes counts with all its triples
    kinds: tuple[Counter[Kind], Counter[Kind], Counter[Kind]]  # of entities added, removed and changed
    annotations: Mapping[NamedNode, tuple[int, int]]  # values removed and added, of changed entities, by predicate
    of_statements: Mapping[NamedNode, tuple[int, int]]  # likewise for annotations of statements


@dataclass(frozen=True)
class Comparison:
    """All changes from an old to a new version. Entities are in the order of their names."""

    counts: Counts
    added: Sequence[EntityChange]
    removed: Sequence[EntityChange]
    changed: Sequence[EntityChange]  # entities of both versions; those that were renamed by their new names
    by_aspect: Mapping[Aspect, Sequence[EntityChange]]  # the changed ones whose values of an aspect differ
    renamed: tuple[Renamed, ...]
    obsoleted: tuple[Obsoleted, ...]
    unobsoleted: tuple[Entity, ...]
    axioms: tuple[ChangedAxiom, ...]  # logical ones, without declarations of added and removed entities
    annotations: Sequence[AnnotationChange]
    inferred: InferredChanges | None = None

    @property
    def anything(self) -> bool:
        """Whether the versions differ at all."""
        return any(self.counts.triples)

    @property
    def moved(self) -> Sequence[EntityChange]:
        """The entities of both versions whose parents differ."""
        return self.by_aspect[Aspect.PARENT]


# -- annotation properties that many ontologies use --------------------------------------------------------------------

_OBO_IN_OWL = Namespace("http://www.geneontology.org/formats/oboInOwl#")
_TERMS = Namespace("http://purl.org/dc/terms/")

DEPRECATED = OWL.deprecated
REPLACED_BY = (OBO.IAO_0100001, _TERMS.isReplacedBy)
CONSIDER = (_OBO_IN_OWL.consider,)
IN_SUBSET = _OBO_IN_OWL.inSubset

# Synonym properties and their scopes; None if the property does not imply one.
SCOPES: dict[NamedNode, str | None] = {
    **{_OBO_IN_OWL[f"has{scope.capitalize()}Synonym"]: scope for scope in ("exact", "narrow", "broad", "related")},
    **dict.fromkeys((_OBO_IN_OWL.hasSynonym, SKOS.altLabel, OBO.IAO_0000118), None),
}

ASPECTS: dict[NamedNode, Aspect] = {
    **{predicate: Aspect.ANNOTATION for predicate, kind in BUILT_IN.items() if kind == ANNOTATION},
    **dict.fromkeys((RDFS.label, SKOS.prefLabel), Aspect.LABEL),
    **dict.fromkeys((OBO.IAO_0000115, SKOS.definition), Aspect.DEFINITION),
    **dict.fromkeys(SCOPES, Aspect.SYNONYM),
    **dict.fromkeys((*REPLACED_BY, *CONSIDER, IN_SUBSET, OWL.versionIRI), Aspect.ANNOTATION),
}
