"""Compares two versions of a graph: entities, their values, axioms, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, cast

import numpy as np

from kgprobe.comparison.annotations import ChangedAnnotations, split_annotations
from kgprobe.comparison.axioms import changed_axioms
from kgprobe.comparison.inferred import inferred_changes
from kgprobe.comparison.made_on_demand import OnDemand
from kgprobe.comparison.model import (
    Aspect,
    ChangedAxiom,
    Comparison,
    Counts,
    EntityChange,
    Kind,
    Obsoleted,
    Renamed,
)
from kgprobe.comparison.versions import TwoVersions
from kgprobe.comparison.vocabulary import CONSIDER, DEPRECATED, REPLACED_BY
from kgprobe.graph.axioms.expression import split_annotations as split_tree
from kgprobe.graph.graph import Graph
from kgprobe.graph.rows import Numbers
from kgprobe.graph.table import collection_paused
from kgprobe.graph.terms import Literal, NamedNode, Term
from kgprobe.ontology.words import labels_of

if TYPE_CHECKING:  # whoever does not ask for what follows need not wait for the reasoners to be imported
    from kgprobe.entailment.class_hierarchy import ClassEdges

__all__ = ["compare", "with_inferred"]

_REPLACED = "replaced by"


def compare(old: Graph, new: Graph, *, follow_renames: bool = True) -> Comparison:
    """All that is stated in only one of two versions of a graph.

    With `follow_renames`, an entity that went and came back under another name is one entity, and what both versions
    say about it, each by its name, is no change.
    """
    with collection_paused():
        return _comparison(TwoVersions(old, new, follow_renames=follow_renames))


def with_inferred(found: Comparison, old: ClassEdges, new: ClassEdges, *, most: int = 1000) -> Comparison:
    """The same with what follows from the class hierarchies of the versions; at most `most` pairs are listed."""
    names: dict[Term, Term] = {
        each.old.term: each.new.term for each in found.renamed if each.new.kind is Kind.CLASS and each.why != _REPLACED
    }
    if names:
        old = replace(
            old,
            nodes=old.nodes.renamed(lambda term: names.get(term, term)),
            unsatisfiable=frozenset(names.get(each, each) for each in old.unsatisfiable),
        )
    stated: tuple[list[tuple[Term, Term]], list[tuple[Term, Term]]] = [], []
    for axiom in found.axioms:
        stated[axiom.added].extend(_subsumptions(axiom))
    with collection_paused():
        changes = inferred_changes(old, new, removed=stated[0], added=stated[1], most=most)
    return replace(found, inferred=changes)


def _subsumptions(axiom: ChangedAxiom) -> Iterator[tuple[Term, Term]]:
    """What an axiom says about names that are below names."""
    if axiom.expression is None or axiom.kind not in ("SubClassOf", "EquivalentClasses"):
        return
    names = [each for each in split_tree(axiom.expression)[1] if type(each) is NamedNode]
    if axiom.kind == "EquivalentClasses":
        yield from permutations(names, 2)
    elif len(names) == 2:
        yield names[0], names[1]


def _comparison(versions: TwoVersions) -> Comparison:
    terms, statements = versions.terms, versions.statements
    # That an entity is new, or gone, needs no further word.
    logic = statements.logic(without=[*versions.only[0], *versions.only[1]])
    split = [split_annotations(terms, versions.is_blank, rows) for rows in versions.blank]
    annotations = ChangedAnnotations(terms, (split[0][0], split[1][0]), versions.ground)
    axioms = changed_axioms(
        terms,
        logic,
        (split[0][1], split[1][1]),
        (versions.finders[0].properties, versions.finders[1].properties),
    )
    removed, added = (np.array(list(only), dtype=np.int64) for only in versions.only)
    is_changed = np.zeros(len(terms), dtype=bool)
    is_changed[[s for rows in logic for s, _, _ in rows]] = True
    is_changed[annotations.subjects()] = True
    is_changed[_about(terms, axioms, (split[0][1], split[1][1]))] = True
    is_changed[statements.subjects()] = True
    is_changed[[*versions.only[0], *versions.only[1]]] = False
    changed = np.flatnonzero(is_changed & ~versions.is_blank)
    obsoleted = tuple(_obsoleted(versions))

    def changes(numbers: Numbers) -> OnDemand[EntityChange]:
        return OnDemand(
            numbers.tolist(),
            lambda number: EntityChange(versions.entity(number), statements.values(number)),
            key=lambda number: terms[number].value,
        )

    return Comparison(
        counts=Counts(
            versions.triples,
            (versions.kind_counts(added), versions.kind_counts(removed), versions.kind_counts(changed)),
            statements.counts(Aspect.ANNOTATION, changed),
            annotations.counts(),
        ),
        added=changes(added),
        removed=changes(removed),
        changed=changes(changed),
        by_aspect={aspect: changes(np.intersect1d(statements.subjects(aspect), changed)) for aspect in Aspect},
        renamed=tuple(_renamed(versions, obsoleted)),
        obsoleted=obsoleted,
        unobsoleted=tuple(map(versions.entity, _deprecated(versions, 0))),
        axioms=tuple(axioms),
        annotations=OnDemand(range(len(annotations)), annotations.change),
    )


def _about(terms: Sequence[Term], axioms: Iterable[ChangedAxiom], rows: Iterable[Numbers]) -> list[int]:
    """The names in these rows that an axiom is about."""
    named = {number for part in rows for number in part[:, ::2].reshape(-1).tolist()}
    about = {axiom.about for axiom in axioms} if named else set()
    return [number for number in named if terms[number] in about]


def _deprecated(versions: TwoVersions, side: int) -> list[int]:
    """The entities of both versions that only the old (side 0) or only the new one says are deprecated."""
    found = []
    for number, values in versions.statements.having(DEPRECATED).items():
        sides = [any(map(_is_true, each)) for each in values]
        if sides[side] and not sides[1 - side] and not any(number in only for only in versions.only):
            found.append(number)
    return sorted(found, key=lambda number: versions.terms[number].value)


def _is_true(term: Term) -> bool:
    return type(term) is Literal and term.value in ("true", "1")


def _obsoleted(versions: TwoVersions) -> Iterator[Obsoleted]:
    graph = versions.graphs[1]
    for number in _deprecated(versions, 1):
        entity = versions.entity(number)
        replaced_by, consider = (
            tuple(cast(Term, each.object) for predicate in predicates for each in graph.triples(entity.term, predicate))
            for predicates in (REPLACED_BY, CONSIDER)
        )
        yield Obsoleted(entity, replaced_by, consider)


def _renamed(versions: TwoVersions, obsoleted: Iterable[Obsoleted]) -> Iterator[Renamed]:
    """Entities that went and came back, and those that stayed behind deprecated while their label moved on."""
    for before, (after, why) in versions.renames.items():
        yield Renamed(versions.entity(before), versions.entity(after), why)
    old, new = versions.graphs
    added = {versions.terms[number]: number for number in versions.only[1]}
    for each in obsoleted:
        for term in each.replaced_by:
            if term in added and set(labels_of(each.entity.term, old)) & set(labels_of(cast(NamedNode, term), new)):
                yield Renamed(each.entity, versions.entity(added[term]), _REPLACED)
