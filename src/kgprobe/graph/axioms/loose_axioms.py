"""What triples say that OWL's mapping to RDF would write in another way: older spellings, expressions that are shared.

Tools read them, so reasoners are told, and formats for axioms can say them. What cannot be read even so is kept apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kgprobe.graph.axioms.axiom_groups import Axiom, axiom_groups
from kgprobe.graph.axioms.entity_kinds import KnownKinds
from kgprobe.graph.axioms.expression import Argument, Expression
from kgprobe.graph.axioms.odd_groups import says_nothing, statements_within
from kgprobe.graph.terms import OWL, BlankNode, Triple

__all__ = ["Loose", "loose_axioms", "loose_axioms_of"]

_PARTS_OF_HEADERS = frozenset({"Ontology", "Import", "Variable"})


class Loose(NamedTuple):
    """Axioms, each with the text of a triple of it; triples that could not be read; and those that make no axiom.

    What makes no axiom of OWL 2 is, for example, that a class is an rdfs:Class, too, the header of another ontology, or
    an expression that nothing uses.
    """

    axioms: list[tuple[tuple[str, ...], Expression]]
    unread: list[Triple]
    silent: list[Triple]
    absorbed: list[Triple]

    @property
    def leftovers(self) -> int:
        """How many triples may mean something and are in none of the axioms."""
        return len(self.unread) + sum(
            type(triple.subject) is not BlankNode and type(triple.object) is not BlankNode for triple in self.silent
        )


def loose_axioms(triples: Iterable[Triple], kinds: KnownKinds) -> Loose:
    """What these triples say, none of which belongs to an axiom as the mapping writes them."""
    found = Loose([], [], [], [])
    joined = []
    for triple in triples:
        if type(triple.subject) is BlankNode or type(triple.object) is BlankNode:
            joined.append(triple)
        else:  # there is one way only to write what has no blank nodes
            is_silent = says_nothing(triple) or triple.predicate == OWL.versionIRI
            (found.silent if is_silent else found.unread).append(triple)
    for group in axiom_groups(joined, kinds) if joined else ():
        _add(group, kinds, found)
    return found


def loose_axioms_of(triples: Iterable[Triple], leftovers: Iterable[Triple], kinds: KnownKinds) -> Loose:
    """The same for a whole graph, of which these triples are left over: they may need others to say something.

    Those others are `absorbed`: what annotates a node of a loose axiom is not an assertion of its own.
    """
    left = frozenset(leftovers)
    found = Loose([], [], [], [])
    for group in axiom_groups(triples, kinds):
        if not left.isdisjoint(group.triples):
            _add(group, kinds, found)
            found.absorbed.extend(triple for triple in group.triples if triple not in left)
    return found


def _add(group: Axiom, kinds: KnownKinds, found: Loose) -> None:
    if group.head in _PARTS_OF_HEADERS:
        found.silent.extend(group.triples)
        return
    whole = group.expression
    trees = [whole] if whole is not None else statements_within(group.triples, kinds)
    first = group.triples[0]
    text = (str(first.subject), str(first.predicate), str(first.object))
    found.axioms.extend((text, tree) for tree in trees if tree is not None)
    if whole is None and not all(_is_all_said(tree, group.triples) for tree in trees):
        found.unread.extend(group.triples)
    elif not trees:
        found.silent.extend(group.triples)


def _is_all_said(tree: Expression | None, triples: Iterable[Triple]) -> bool:
    """Whether nothing is lost: of what is shared there are copies, and an individual is no longer the same in them."""
    if tree is None:
        return False
    original = {term for triple in triples for term in (triple.subject, triple.object) if type(term) is BlankNode}
    return _blank_nodes(tree) <= original


def _blank_nodes(part: Argument) -> set[object]:
    """The blank nodes in an axiom."""
    if type(part) is Expression:
        return set().union(*map(_blank_nodes, part.args))
    return {part} if type(part) is BlankNode else set()
