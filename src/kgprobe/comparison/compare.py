"""The comparison of two versions of a graph: entities, their values, axioms, and inferred subsumptions.

Subsumptions that hold in only one version are found by looking only around changed edges of the hierarchies. A pair of
classes can differ only if the lower class is below an edge that only one version has, and the upper class is above such
an edge. The upper classes of each such lower class form one bit set, so comparing the versions takes one operation per
lower class.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, permutations
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray

from kgprobe.comparison.axioms import ChangedAnnotations, annotation_rows, changed_axioms
from kgprobe.comparison.model import (
    CONSIDER,
    DEPRECATED,
    REPLACED_BY,
    Aspect,
    ChangedAxiom,
    Comparison,
    Counts,
    EntityChange,
    InferredChanges,
    Kind,
    Obsoleted,
    Renamed,
    Subsumptions,
)
from kgprobe.comparison.versions import TwoVersions
from kgprobe.owl.expression import split_annotations
from kgprobe.owl.wording import labels_of
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.reachability import Condensed, Edges, reached
from kgprobe.rdf.rows import Numbers
from kgprobe.rdf.table import Interner, collection_paused
from kgprobe.rdf.terms import Literal, NamedNode, Term
from kgprobe.wording import number_of

if TYPE_CHECKING:  # without inferred changes, no reasoner is imported
    from kgprobe.entailment.class_hierarchy import ClassEdges


__all__ = ["compare", "with_inferred"]

_REPLACED = "replaced by"
_Item = TypeVar("_Item")
_Pairs: TypeAlias = NDArray[np.int64]
# The upper classes are processed in blocks of this size, which bounds the memory for the bit sets.
_MOST_BITS = 1 << 13


def compare(old: Graph, new: Graph, *, follow_renames: bool = True) -> Comparison:
    """Compare the statements of two versions of a graph.

    With `follow_renames`, an entity that was removed and added again under another name is one entity. Statements that
    both versions make about it, each by its name, are not changes.
    """
    with collection_paused():
        return _comparison(TwoVersions(old, new, follow_renames=follow_renames))


def with_inferred(found: Comparison, old: ClassEdges, new: ClassEdges, *, most: int = 1000) -> Comparison:
    """Add the inferred changes of the class hierarchy to a comparison; at most `most` pairs are listed."""
    names: dict[Term, Term] = {
        renamed.old.term: renamed.new.term
        for renamed in found.renamed
        if renamed.new.kind is Kind.CLASS and renamed.why != _REPLACED
    }
    if names:
        old = replace(
            old,
            nodes=old.nodes.renamed(lambda term: names.get(term, term)),
            unsatisfiable=frozenset(names.get(name, name) for name in old.unsatisfiable),
        )
    stated: tuple[list[tuple[Term, Term]], list[tuple[Term, Term]]] = [], []
    for axiom in found.axioms:
        stated[axiom.added].extend(_subsumptions(axiom))
    with collection_paused():
        changes = inferred_changes(old, new, removed=stated[0], added=stated[1], most=most)
    return replace(found, inferred=changes)


def _subsumptions(axiom: ChangedAxiom) -> Iterator[tuple[Term, Term]]:
    """The pairs of names that an axiom puts below each other."""
    if axiom.expression is None or axiom.kind not in ("SubClassOf", "EquivalentClasses"):
        return
    names = [argument for argument in split_annotations(axiom.expression)[1] if type(argument) is NamedNode]
    if axiom.kind == "EquivalentClasses":
        yield from permutations(names, 2)
    elif len(names) == 2:
        yield names[0], names[1]


def _comparison(versions: TwoVersions) -> Comparison:
    terms, statements = versions.terms, versions.statements
    # The declarations of added and removed entities are not listed again.
    logic = statements.logic(without=[*versions.only[0], *versions.only[1]])
    split = [annotation_rows(terms, versions.is_blank, rows) for rows in versions.blank]
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

    def changes(numbers: Numbers) -> _OnDemand[EntityChange]:
        return _OnDemand(
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
        annotations=_OnDemand(range(len(annotations)), annotations.change),
    )


def _about(terms: Sequence[Term], axioms: Iterable[ChangedAxiom], rows: Iterable[Numbers]) -> list[int]:
    """The names in these rows that an axiom is about."""
    named = {number for part in rows for number in part[:, ::2].reshape(-1).tolist()}
    about = {axiom.about for axiom in axioms} if named else set()
    return [number for number in named if terms[number] in about]


def _deprecated(versions: TwoVersions, side: int) -> list[int]:
    """The entities of both versions that only the old one (side 0) or only the new one deprecates."""
    found = []
    for number, values in versions.statements.having(DEPRECATED).items():
        sides = [any(map(_is_true, side)) for side in values]
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
            tuple(
                cast(Term, triple.object)
                for predicate in predicates
                for triple in graph.triples(entity.term, predicate)
            )
            for predicates in (REPLACED_BY, CONSIDER)
        )
        yield Obsoleted(entity, replaced_by, consider)


def _renamed(versions: TwoVersions, obsoleted: Iterable[Obsoleted]) -> Iterator[Renamed]:
    """Entities that got a new name, and deprecated ones whose label moved to another entity."""
    for before, (after, why) in versions.renames.items():
        yield Renamed(versions.entity(before), versions.entity(after), why)
    old, new = versions.graphs
    added = {versions.terms[number]: number for number in versions.only[1]}
    for change in obsoleted:
        for term in change.replaced_by:
            if term in added and set(labels_of(change.entity.term, old)) & set(labels_of(cast(NamedNode, term), new)):
                yield Renamed(change.entity, versions.entity(added[term]), _REPLACED)


class _OnDemand(Sequence[_Item], Generic[_Item]):
    """Items that a function builds from numbers on access: there may be very many, and most are never shown."""

    def __init__(
        self, numbers: Sequence[int], make: Callable[[int], _Item], *, key: Callable[[int], str] | None = None
    ) -> None:
        """`key` is the sort key of the numbers; they are sorted on first access."""
        self._numbers = numbers
        self._make = make
        self._key = key

    @cached_property
    def _in_order(self) -> Sequence[int]:
        return self._numbers if self._key is None else sorted(self._numbers, key=self._key)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> _Item: ...

    @overload
    def __getitem__(self, place: slice) -> list[_Item]: ...

    def __getitem__(self, place: int | slice) -> _Item | list[_Item]:
        if isinstance(place, slice):
            return list(map(self._make, self._in_order[place]))
        return self._make(self._in_order[place])

    def __iter__(self) -> Iterator[_Item]:
        return map(self._make, self._in_order)

    def __repr__(self) -> str:
        return f"<{number_of(len(self), 'item')}>"


def inferred_changes(
    old: ClassEdges,
    new: ClassEdges,
    *,
    removed: Collection[tuple[Term, Term]] = (),
    added: Collection[tuple[Term, Term]] = (),
    most: int = 1000,
) -> InferredChanges:
    """The subsumptions between classes of both versions that only one version has.

    `removed` and `added` are those that were stated in only one version; they are not counted. At most `most` pairs
    of each kind are listed.
    """
    numbers = Interner()
    (old_pairs, old_classes), (new_pairs, new_classes) = (_numbered(numbers, side) for side in (old, new))
    stated = [np.array([numbers[term] for pair in pairs for term in pair]).reshape(-1, 2) for pairs in (removed, added)]
    shared = set(old_classes).intersection(new_classes)
    usable = shared - {numbers[term] for term in old.unsatisfiable | new.unsatisfiable}
    both = _Both([old_pairs, new_pairs], stated, usable, list(numbers))
    counts = both.counts()
    lost, gained = (Subsumptions(counts[side], tuple(islice(both.listed(side), most))) for side in (0, 1))
    return InferredChanges(
        gained=gained,
        lost=lost,
        unsatisfiable=_named(numbers[term] in shared and term for term in new.unsatisfiable - old.unsatisfiable),
        satisfiable=_named(numbers[term] in shared and term for term in old.unsatisfiable - new.unsatisfiable),
        how=(old.how, new.how),
    )


def _numbered(numbers: Interner, edges: ClassEdges) -> tuple[_Pairs, list[int]]:
    """The edges and the classes as numbers."""
    nodes = edges.nodes
    found = np.fromiter(map(numbers.__getitem__, nodes.terms), dtype=np.int64, count=len(nodes.terms))
    return found[nodes.rows], found[: nodes.count].tolist()


def _named(terms: Iterable[Term | bool]) -> tuple[NamedNode, ...]:
    return tuple(sorted((cast(NamedNode, term) for term in terms if term), key=lambda term: term.value))


class _Both:
    """The old hierarchy (side 0) and the new one (side 1)."""

    def __init__(self, pairs: list[_Pairs], stated: list[_Pairs], usable: set[int], terms: list[Term]) -> None:
        count = len(terms)
        self._terms = terms
        self._usable = usable
        self._up = [Edges.of_rows(side, count) for side in pairs]
        self._stated: list[dict[int, set[int]]] = [defaultdict(set), defaultdict(set)]
        for side in (0, 1):
            for below, above in stated[side].tolist():
                self._stated[side][below].add(above)
        only = _only_in_one(*pairs)
        lower: set[int] = set()
        upper: set[int] = set()
        for side in (0, 1):
            down = Edges.of_rows(pairs[side][:, ::-1], count)
            lower.update(reached(only[side][:, 0].tolist(), down.__getitem__))
            upper.update(reached(only[side][:, 1].tolist(), self._up[side].__getitem__))
        self._lower = sorted(lower & usable)
        self._upper = sorted(upper & usable)
        self._differing: tuple[set[int], set[int]] = (set(), set())

    def counts(self) -> tuple[int, int]:
        """The numbers of pairs that only the first and only the second side has."""
        counts = [0, 0]
        old, new = (Condensed(up, self._lower) for up in self._up)
        for start in range(0, len(self._upper), _MOST_BITS):
            bits = {number: 1 << place for place, number in enumerate(self._upper[start : start + _MOST_BITS])}
            old_masks, new_masks = old.gathered(bits), new.gathered(bits)
            for lower in self._lower:
                before, after = old_masks[old.component_of[lower]], new_masks[new.component_of[lower]]
                if before != after:
                    for side, mask in ((0, before & ~after), (1, after & ~before)):
                        mask &= ~bits.get(lower, 0)
                        for upper in self._stated[side].get(lower, ()):
                            mask &= ~bits.get(upper, 0)
                        if mask:
                            counts[side] += mask.bit_count()
                            self._differing[side].add(lower)
        return counts[0], counts[1]

    def listed(self, side: int) -> Iterator[tuple[NamedNode, NamedNode]]:
        """The pairs that only this side has and that do not follow from another such pair."""
        up = self._up[side]
        known: dict[int, set[int]] = {}
        for lower in sorted(self._differing[side], key=lambda number: str(self._terms[number])):
            found = self._found(lower, side, known)
            implied = {upper for above in up[lower] for upper in self._found(above, side, known)}
            for above in found:
                implied |= reached(up[above], up.__getitem__).keys() - {above}
            for upper in sorted(found - implied, key=lambda number: str(self._terms[number])):
                yield cast(NamedNode, self._terms[lower]), cast(NamedNode, self._terms[upper])

    def _found(self, lower: int, side: int, known: dict[int, set[int]]) -> set[int]:
        if lower not in self._differing[side]:
            return set()
        if lower not in known:
            here, there = (reached(up[lower], up.__getitem__).keys() for up in (self._up[side], self._up[1 - side]))
            known[lower] = ((here - there) & self._usable) - self._stated[side].get(lower, set()) - {lower}
        return known[lower]


def _only_in_one(old: _Pairs, new: _Pairs) -> tuple[_Pairs, _Pairs]:
    """The edges that only the first and only the second hierarchy has."""
    one, other = (pairs[:, 0] << 32 | pairs[:, 1] for pairs in (old, new))
    return old[~np.isin(one, other)], new[~np.isin(other, one)]
