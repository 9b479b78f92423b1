"""Axioms that only one version has, read from the changed rows alone: all rows of an axiom's blank nodes are there."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from typing import cast

from kgprobe.comparison.model import ChangedAxiom
from kgprobe.graph.axioms.axiom_groups import Axiom, axiom_groups
from kgprobe.graph.axioms.entity_kinds import DATA, KnownKinds, is_reserved
from kgprobe.graph.axioms.expression import Expression, inner, split_annotations
from kgprobe.graph.rows import Numbers, row_tuples
from kgprobe.graph.table import Row
from kgprobe.graph.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Term, Triple

__all__ = ["changed_axioms"]

# What these are about is their second argument.
_ABOUT_SECOND = ("ClassAssertion", "ObjectPropertyAssertion", "DataPropertyAssertion", "AnnotationAssertion")
_UNKNOWN: frozenset[str] = frozenset()


def changed_axioms(
    terms: Sequence[Term],
    ground: tuple[list[Row], list[Row]],
    others: tuple[Numbers, Numbers],
    kinds: tuple[KnownKinds, KnownKinds],
) -> list[ChangedAxiom]:
    """The axioms that only the old, or only the new version has: the removed ones first, by what they are about.

    Each version has rows without blank nodes that only it has; all rows of blank nodes that differ; and what its names
    are names of.
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
    # An axiom with blank nodes can be the same in both, where another axiom of these nodes differs.
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
    """The axiom of a single triple, if it is the same whatever its names are names of."""
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
    """Names below existential restrictions, which large ontologies are full of; and the other rows."""
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
    lower, on, value = (parts[each] for each in (RDFS.subClassOf, OWL.onProperty, OWL.someValuesFrom))
    is_below = any(terms[p] == RDFS.subClassOf and o == node for _, p, o in rows)
    if not is_below or not all(type(part) is NamedNode for part in (lower, on, value)):
        return None
    head = "DataSomeValuesFrom" if DATA in kinds.get(on, _UNKNOWN) else "ObjectSomeValuesFrom"
    return Expression("SubClassOf", lower, Expression(head, on, value))


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
