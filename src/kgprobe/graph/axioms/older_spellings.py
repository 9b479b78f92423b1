"""Older and looser ways to write OWL in RDF, rewritten into the one way that the mapping to RDF defines.

Real files have them, and tools accept them. The reader of axioms does not, because it must be able to write the same
triples again; here, only the meaning matters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from kgprobe.graph.axioms.vocabulary import CARDINALITIES, SWRL
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Term, Triple

__all__ = ["WithVariables", "rewritten", "untyped_variables", "without_groups_of_two"]

_PAIRWISE: dict[object, NamedNode] = {
    OWL.AllDisjointClasses: OWL.disjointWith,
    OWL.AllDisjointProperties: OWL.propertyDisjointWith,
    OWL.AllDifferent: OWL.differentFrom,
}


def without_groups_of_two(triples: list[Triple]) -> list[Triple]:
    """The triples, with one triple for each group of two, such as two classes: in the mapping, groups are larger.

    Annotations of the node of a group become annotations of the triple.
    """
    groups = [triple for triple in triples if _is_group(triple)]
    if not groups:
        return triples
    index = _Single(triples)
    written = dict.fromkeys(triples)
    for group in groups:
        node, predicate, found = group.subject, _PAIRWISE[group.object], index.pair(group)
        if found is None:
            continue
        for triple in found.structure:
            written.pop(triple, None)  # two groups can share a list
        written[Triple(found.one, predicate, found.other)] = None
        if index.is_annotated(node):
            about = {
                RDF.type: OWL.Axiom,
                OWL.annotatedSource: found.one,
                OWL.annotatedProperty: predicate,
                OWL.annotatedTarget: found.other,
            }
            written |= dict.fromkeys(Triple(node, key, value) for key, value in about.items())
    return list(written)


def _is_group(triple: Triple) -> bool:
    return triple.predicate == RDF.type and triple.object in _PAIRWISE and type(triple.subject) is BlankNode


class _Pair(NamedTuple):
    one: NamedNode | BlankNode
    other: NamedNode | BlankNode
    structure: list[Triple]


class _Single:
    """Triples that are the only one with their subject and predicate."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._found: dict[tuple[object, object], list[Triple]] = {}
        self._about: Counter[object] = Counter()
        for triple in triples:
            self._found.setdefault((triple.subject, triple.predicate), []).append(triple)
            self._about[triple.subject] += 1

    def is_annotated(self, node: object) -> bool:
        """Whether a group has triples besides its type and its members."""
        return self._about[node] > 2

    def pair(self, group: Triple) -> _Pair | None:
        """The two members of a group, and the triples that make them its members; None if its form differs."""
        kind, listed = self._only(group.subject, RDF.type), self._only(group.subject, OWL.members)
        first, rest = self._cell(listed)
        second, end = self._cell(rest)
        if kind is None or listed is None or first is None or rest is None or second is None or end is None:
            return None
        one, other = first.object, second.object
        if end.object != RDF.nil or not isinstance(one, NamedNode | BlankNode):
            return None
        if not isinstance(other, NamedNode | BlankNode):
            return None
        return _Pair(one, other, [kind, listed, first, rest, second, end])

    def _cell(self, to: Triple | None) -> tuple[Triple | None, Triple | None]:
        """The triples with the member and with the rest of the list cell that a triple leads to."""
        if to is None or type(to.object) is not BlankNode:
            return None, None
        return self._only(to.object, RDF.first), self._only(to.object, RDF.rest)

    def _only(self, subject: object, predicate: NamedNode) -> Triple | None:
        found = self._found.get((subject, predicate), ())
        return found[0] if len(found) == 1 else None


# -- single triples ----------------------------------------------------------------------------------------------------

_NUMBER_PREDICATES = {predicate for names in CARDINALITIES.values() for predicate in names[:2]}
_NUMBER_TYPES = {XSD.int, XSD.integer, XSD.long, XSD.short, XSD.string, XSD.positiveInteger, XSD.nonNegativeInteger}


def rewritten(triples: Iterable[Triple]) -> list[Triple]:
    """The triples as the mapping to RDF would write them, if their loose spellings are known."""
    given = list(triples)
    restrictions = {triple.subject for triple in given if triple.object == OWL.Restriction}
    lists = {triple.subject for triple in given if triple.predicate == RDF.first}
    written = []
    for triple in given:
        subject, predicate, value = triple.subject, triple.predicate, triple.object
        if predicate == RDF.type and type(subject) is BlankNode:
            if (value == RDF.List and subject in lists) or (value == OWL.Class and subject in restrictions):
                continue  # true, and adds nothing
            if value == OWL.DataRange:
                value = RDFS.Datatype
        elif predicate == OWL.distinctMembers:
            predicate = OWL.members
        elif predicate in _NUMBER_PREDICATES:
            value = _number(value) if type(value) is Literal else value
        written.append(Triple(subject, predicate, value))
    return without_groups_of_two(written)


def _number(literal: Literal) -> Literal:
    text = literal.value.strip()
    if literal.datatype not in _NUMBER_TYPES or not (text.isascii() and text.isdigit()):
        return literal
    return Literal(text.lstrip("0") or "0", datatype=XSD.nonNegativeInteger)


def untyped_variables(triples: Iterable[Triple]) -> frozenset[Term]:
    """Names among the arguments of a rule's built-ins: these can only be variables, declared or not."""
    values: dict[NamedNode, dict[object, object]] = {RDF.first: {}, RDF.rest: {}, SWRL.arguments: {}}
    for triple in triples:
        if triple.predicate in values:
            values[triple.predicate][triple.subject] = triple.object
    members = (term for head in values[SWRL.arguments].values() for term in _members(head, values))
    return frozenset(term for term in members if type(term) is NamedNode)


def _members(cell: object, values: dict[NamedNode, dict[object, object]]) -> Iterator[object]:
    seen: set[object] = set()
    while cell in values[RDF.rest] and cell not in seen:
        seen.add(cell)
        yield values[RDF.first].get(cell)
        cell = values[RDF.rest][cell]


class WithVariables:
    """The kinds of names, where some names are variables."""

    def __init__(self, known: Callable[[Term], frozenset[str]], variables: frozenset[Term]) -> None:
        self._known = known
        self._variables = variables

    def get(self, term: Term, _: frozenset[str], /) -> frozenset[str]:
        known = self._known(term)
        return known | {"Variable"} if term in self._variables else known
