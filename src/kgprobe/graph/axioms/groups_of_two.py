"""Two disjoint classes, say, as a group: a node with a list, which OWL's mapping to RDF has for three and more only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from kgprobe.graph.terms import OWL, RDF, BlankNode, NamedNode, Triple

__all__ = ["without_groups_of_two"]

_PAIRWISE: dict[object, NamedNode] = {
    OWL.AllDisjointClasses: OWL.disjointWith,
    OWL.AllDisjointProperties: OWL.propertyDisjointWith,
    OWL.AllDifferent: OWL.differentFrom,
}


def without_groups_of_two(triples: list[Triple]) -> list[Triple]:
    """The triples with one for each group of two, such as two classes: the mapping has groups for more only.

    What annotates the node of a group annotates the triple.
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
    """What nodes have one of."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._found: dict[tuple[object, object], list[Triple]] = {}
        self._about: Counter[object] = Counter()
        for triple in triples:
            self._found.setdefault((triple.subject, triple.predicate), []).append(triple)
            self._about[triple.subject] += 1

    def is_annotated(self, node: object) -> bool:
        """Whether more is said about a group than what it is, and of what."""
        return self._about[node] > 2

    def pair(self, group: Triple) -> _Pair | None:
        """The two members of a group, and the triples that make them its members; None if it is not so."""
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
        """What is in the cell of a list that a triple leads to, and what leads to the next one."""
        if to is None or type(to.object) is not BlankNode:
            return None, None
        return self._only(to.object, RDF.first), self._only(to.object, RDF.rest)

    def _only(self, subject: object, predicate: NamedNode) -> Triple | None:
        found = self._found.get((subject, predicate), ())
        return found[0] if len(found) == 1 else None
