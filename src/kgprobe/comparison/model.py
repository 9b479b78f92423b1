"""What a comparison of two graphs finds, as values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.terms import NamedNode, Term, Triple

__all__ = [
    "AnnotationChange",
    "Aspect",
    "ChangedAxiom",
    "Comparison",
    "Counts",
    "Entity",
    "EntityChange",
    "InferredChanges",
    "Kind",
    "Obsoleted",
    "Renamed",
    "Subsumptions",
    "ValueChange",
]


class Kind(StrEnum):
    """What a name is a name of."""

    CLASS = "class"
    OBJECT_PROPERTY = "object property"
    DATA_PROPERTY = "data property"
    ANNOTATION_PROPERTY = "annotation property"
    PROPERTY = "property"  # not known which
    DATATYPE = "datatype"
    INDIVIDUAL = "individual"
    ONTOLOGY = "ontology"
    OTHER = "other"  # something is said about it, but not what it is


class Aspect(StrEnum):
    """What a value says about an entity."""

    PARENT = "parent"  # a class above a class, a property above a property, a type of an individual
    LABEL = "label"
    DEFINITION = "definition"
    SYNONYM = "synonym"
    ANNOTATION = "annotation"  # anything else without a meaning in logic


# Those of which there can be a hundred thousand are named tuples, which are made in a third of the time.


class Entity(NamedTuple):
    """A name, and what it is a name of in the version that has it, or in the new one if both have."""

    term: NamedNode
    kind: Kind


class ValueChange(NamedTuple):
    """The values of one predicate that an entity has lost, and those that it has got."""

    aspect: Aspect
    predicate: NamedNode
    removed: tuple[Term, ...]
    added: tuple[Term, ...]


class EntityChange(NamedTuple):
    """All values of an entity that only one version has. Of an entity that is new, these are all its values."""

    entity: Entity
    values: tuple[ValueChange, ...]

    def about(self, aspect: Aspect) -> Iterator[ValueChange]:
        """The changes in one aspect."""
        return (value for value in self.values if value.aspect is aspect)


@dataclass(frozen=True, slots=True)
class Renamed:
    """An entity that has another name now, and how that was recognised."""

    old: Entity
    new: Entity
    why: str


@dataclass(frozen=True, slots=True)
class Obsoleted:
    """An entity that is deprecated now, what to use in its place, and what to think of otherwise."""

    entity: Entity
    replaced_by: tuple[Term, ...] = ()
    consider: tuple[Term, ...] = ()


class AnnotationChange(NamedTuple):
    """What was changed in the annotations of one statement, which both versions have."""

    subject: Term
    predicate: NamedNode
    object: Term
    annotation: ValueChange


@dataclass(frozen=True, slots=True)
class ChangedAxiom:
    """An axiom that only one version has, as a tree; or triples that are no axiom, if there is no tree."""

    added: bool
    about: NamedNode | None
    expression: Expression | None
    triples: tuple[Triple, ...] = ()

    @property
    def kind(self) -> str:
        return "no axiom" if self.expression is None else str(self.expression.head)


@dataclass(frozen=True, slots=True)
class Subsumptions:
    """Pairs of a class and one above it. All are counted; those that others follow from are listed, up to a limit."""

    count: int
    listed: tuple[tuple[NamedNode, NamedNode], ...] = ()


@dataclass(frozen=True, slots=True)
class InferredChanges:
    """What follows from only one version, for classes that both have, and is not itself a statement that changed."""

    gained: Subsumptions
    lost: Subsumptions
    unsatisfiable: tuple[NamedNode, ...]  # those that can have no members any more
    satisfiable: tuple[NamedNode, ...]  # those that can have members again
    how: tuple[str, str]  # how the old and the new hierarchy were found


@dataclass(frozen=True)
class Counts:
    """How much has changed."""

    triples: tuple[int, int]  # removed, added; if blank nodes that hang together differ at all, then in all triples
    kinds: tuple[Counter[Kind], Counter[Kind], Counter[Kind]]  # of entities added, removed and changed
    annotations: Mapping[NamedNode, tuple[int, int]]  # values removed and added, of changed entities, by predicate
    of_statements: Mapping[NamedNode, tuple[int, int]]  # the same for annotations of statements


@dataclass(frozen=True)
class Comparison:
    """All changes from an old to a new version. Entities are in the order of their names."""

    counts: Counts
    added: Sequence[EntityChange]
    removed: Sequence[EntityChange]
    changed: Sequence[EntityChange]  # entities of both versions; those that were renamed by their new names
    by_aspect: Mapping[Aspect, Sequence[EntityChange]]  # the changed ones that have other values in an aspect
    renamed: tuple[Renamed, ...]
    obsoleted: tuple[Obsoleted, ...]
    unobsoleted: tuple[Entity, ...]
    axioms: tuple[ChangedAxiom, ...]  # those with a meaning in logic, without declarations of what is new or gone
    annotations: Sequence[AnnotationChange]
    inferred: InferredChanges | None = None

    @property
    def anything(self) -> bool:
        """Whether the versions differ at all."""
        return any(self.counts.triples)

    @property
    def moved(self) -> Sequence[EntityChange]:
        """The entities of both versions that have other parents."""
        return self.by_aspect[Aspect.PARENT]
