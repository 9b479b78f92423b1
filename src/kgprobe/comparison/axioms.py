"""Axioms, and annotations of statements, that only one version has.

Both are read from the changed rows alone: these include all rows of the blank nodes of a changed axiom.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from typing import cast

import numpy as np

from kgprobe.comparison.model import AnnotationChange, Aspect, ChangedAxiom, ValueChange
from kgprobe.owl.axiom_groups import Axiom, axiom_groups
from kgprobe.owl.axioms import ANNOTATED
from kgprobe.owl.expression import Expression, inner, split_annotations
from kgprobe.owl.grammar import CLASS, OBJECT_PROPERTY
from kgprobe.owl.name_kinds import KnownKinds, is_reserved
from kgprobe.rdf.rows import Numbers, among, distinct, only_in_one, row_tuples
from kgprobe.rdf.table import Row
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Term, Triple

# These axioms are about their second argument.
_ABOUT_SECOND = ("ClassAssertion", "ObjectPropertyAssertion", "DataPropertyAssertion", "AnnotationAssertion")
_UNKNOWN: frozenset[str] = frozenset()
_CLASS, _OBJECT = frozenset({CLASS}), frozenset({OBJECT_PROPERTY})


def changed_axioms(
    terms: Sequence[Term],
    ground: tuple[list[Row], list[Row]],
    others: tuple[Numbers, Numbers],
    kinds: tuple[KnownKinds, KnownKinds],
) -> list[ChangedAxiom]:
    """The axioms that only one version has: the removed ones first, ordered by the name that they are about.

    For each version, `ground` has the rows without blank nodes that only it has, `others` all rows of blank nodes that
    differ, and `kinds` the kinds of its names.
    """
    found: list[ChangedAxiom] = []
    read: list[list[Axiom]] = []
    for side in (0, 1):
        left: list[Row] = []
        for row in ground[side]:
            plain = _plain(side == 1, terms[row[0]], cast(NamedNode, terms[row[1]]), terms[row[2]])
            if plain is None:
                left.append(row)
            else:
                found.append(plain)
        read.append(_read(terms, left, row_tuples(others[side]), kinds[side]))
    # An axiom with blank nodes can be equal in both versions even if another axiom of these nodes differs.
    counts = [Counter(map(_key, axioms)) for axioms in read]
    for side, axioms in enumerate(read):
        only_here = counts[side] - counts[1 - side]
        for axiom in axioms:
            if only_here[key := _key(axiom)] > 0:
                only_here[key] -= 1
                found.append(ChangedAxiom(side == 1, _about(axiom), axiom.expression, axiom.triples))
    return sorted(found, key=lambda axiom: (axiom.added, "" if axiom.about is None else axiom.about.value))


def _read(terms: Sequence[Term], ground: list[Row], others: list[Row], kinds: KnownKinds) -> list[Axiom]:
    """The axioms that rows without and rows with blank nodes state."""
    found, rest = _restrictions(terms, others, kinds)
    rows = [*ground, *rest]
    if rows:
        columns = ([terms[number] for number in column] for column in zip(*rows, strict=True))
        found += axiom_groups(map(Triple, *columns), kinds)
    return found


def _plain(added: bool, subject: Term, predicate: NamedNode, value: Term) -> ChangedAxiom | None:
    """The axiom of a single triple, if it does not depend on the kinds of its names."""
    tree: Expression
    if predicate == RDFS.subClassOf:
        tree = Expression("SubClassOf", subject, value)
    elif predicate == RDF.type and not is_reserved(cast(NamedNode, value)):
        tree = Expression("ClassAssertion", value, subject)
    elif is_reserved(predicate):
        return None
    else:
        head = "DataPropertyAssertion" if type(value) is Literal else "ObjectPropertyAssertion"
        tree = Expression(head, predicate, subject, value)
    return ChangedAxiom(added, cast(NamedNode, subject), tree)


def _restrictions(terms: Sequence[Term], rows: list[Row], kinds: KnownKinds) -> tuple[list[Axiom], list[Row]]:
    """Names below existential restrictions, which are frequent in large ontologies; and the other rows.

    This is a shortcut. `axiom_groups` would read the same axioms, but comparing two versions of a large ontology would
    take about a third longer. The shortcut reads only rows that cannot mean anything else.
    """
    by_node: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        for number in row[::2]:
            if type(terms[number]) is BlankNode:
                by_node[number].append(row)
    found: list[Axiom] = []
    read: set[Row] = set()
    for node, own in by_node.items():
        tree = _restriction(terms, node, own, kinds) if len(own) == 4 else None
        if tree is not None:
            found.append(Axiom(tree, ()))
            read.update(own)
    return found, [row for row in rows if row not in read] if read else rows


def _restriction(terms: Sequence[Term], node: int, rows: list[Row], kinds: KnownKinds) -> Expression | None:
    parts = {terms[p]: terms[s if o == node else o] for s, p, o in rows}
    if {RDFS.subClassOf, OWL.onProperty, OWL.someValuesFrom, RDF.type} != parts.keys():
        return None
    lower, on, value = (parts[predicate] for predicate in (RDFS.subClassOf, OWL.onProperty, OWL.someValuesFrom))
    is_below = any(terms[p] == RDFS.subClassOf and o == node for _, p, o in rows)
    if not is_below or not all(type(part) is NamedNode for part in (lower, on, value)):
        return None
    if parts[RDF.type] != OWL.Restriction or kinds.get(on, _UNKNOWN) != _OBJECT or kinds.get(value, _UNKNOWN) != _CLASS:
        return None
    return Expression("SubClassOf", lower, Expression("ObjectSomeValuesFrom", on, value))


def _key(axiom: Axiom) -> Hashable:
    return axiom.expression or axiom.triples


def _about(axiom: Axiom) -> NamedNode | None:
    """The name that an axiom is listed under."""
    if axiom.expression is None:
        subjects = [triple.subject for triple in axiom.triples]
        return next((subject for subject in subjects if type(subject) is NamedNode), None)
    arguments = split_annotations(axiom.expression)[1]
    if axiom.head == "Declaration":
        arguments = inner(arguments[0]).args
    if axiom.head in _ABOUT_SECOND:
        arguments = arguments[1:]
    return next((argument for argument in arguments if type(argument) is NamedNode), None)


# -- annotations of statements -----------------------------------------------------------------------------------------

_STATEMENT, _ANNOTATION = slice(0, 3), slice(3, 5)


def annotation_rows(terms: Sequence[Term], is_blank: Numbers, rows: Numbers) -> tuple[Numbers, Numbers]:
    """The annotations of statements among some rows, and the other rows.

    An annotation is a row of five: a statement, and a predicate and a value that annotate it. Only a node that
    annotates one statement without blank nodes, and with nothing but names and literals, is read. All nodes are read at
    once, in columns, because large ontologies annotate most of their statements; `axiom_groups` reads the other rows.
    """
    predicates = {terms[number]: number for number in set(rows[:, 1].tolist())}
    parts = [predicates.get(part) for part in ANNOTATED]
    if None in parts:
        return np.zeros((0, 5), dtype=np.int64), rows
    is_read = np.ones(len(is_blank), dtype=bool)
    values = []
    for part in parts:
        stated = rows[rows[:, 1] == part]
        value = np.zeros(len(is_blank), dtype=np.int64)
        value[stated[:, 0]] = stated[:, 2]
        values.append(value)
        is_read &= np.bincount(stated[:, 0], minlength=len(is_blank)) == 1
    is_read[rows[is_blank[rows[:, 2]]][:, ::2]] = False
    of_nodes = is_read[rows[:, 0]]
    said = rows[of_nodes]
    said = said[~np.isin(said[:, 1], [*cast(list[int], parts), predicates.get(RDF.type, -1)])]
    return np.stack([*(value[said[:, 0]] for value in values), said[:, 1], said[:, 2]], axis=1), rows[~of_nodes]


class ChangedAnnotations:
    """The annotations that only one version has, of statements that both have."""

    def __init__(
        self, terms: Sequence[Term], annotations: tuple[Numbers, Numbers], statements: tuple[Numbers, Numbers]
    ) -> None:
        """Compare the annotations of both versions, given the statements that only one version has.

        The annotations of a statement that has itself changed do not count as changes.
        """
        self._terms = terms
        kept = [rows[~among(rows[:, _STATEMENT], own)] for rows, own in zip(annotations, statements, strict=True)]
        # Each statement gets a number, so that an annotation is a row of three.
        both = np.concatenate(kept)
        self._statements, numbers = distinct(both[:, _STATEMENT])
        rows = np.column_stack((numbers, both[:, _ANNOTATION]))
        removed, added = only_in_one(*(distinct(part)[0] for part in (rows[: len(kept[0])], rows[len(kept[0]) :])))
        found = np.column_stack((np.concatenate((removed, added)), np.repeat([0, 1], [len(removed), len(added)])))
        self._rows = found[np.lexsort((found[:, 3], found[:, 1], found[:, 0]))]
        # The annotations of one statement with one predicate count as one change.
        is_first = np.ones(len(found), dtype=bool)
        is_first[1:] = (self._rows[1:, :2] != self._rows[:-1, :2]).any(axis=1)
        self._starts = np.append(np.flatnonzero(is_first), len(found))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def subjects(self) -> Numbers:
        """The subjects of the statements whose annotations have changed; some occur more than once."""
        return cast(Numbers, self._statements[self._rows[self._starts[:-1], 0], 0])

    def change(self, place: int) -> AnnotationChange:
        """The change at an index."""
        rows = self._rows[self._starts[place] : self._starts[place + 1]].tolist()
        statement = [self._terms[number] for number in self._statements[rows[0][0]].tolist()]
        gone, come = (tuple(self._terms[row[2]] for row in rows if row[3] == side) for side in (0, 1))
        value = ValueChange(Aspect.ANNOTATION, cast(NamedNode, self._terms[rows[0][1]]), gone, come)
        return AnnotationChange(statement[0], cast(NamedNode, statement[1]), statement[2], value)

    def counts(self) -> dict[NamedNode, tuple[int, int]]:
        """How many annotations were removed and added, by predicate."""
        found: dict[int, list[int]] = {}
        for side in (0, 1):
            for predicate, count in Counter(self._rows[self._rows[:, 3] == side, 1].tolist()).items():
                found.setdefault(predicate, [0, 0])[side] = count
        return {cast(NamedNode, self._terms[p]): (gone, come) for p, (gone, come) in found.items()}
