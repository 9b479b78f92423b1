"""What triples say that OWL's mapping to RDF would write in another way: older spellings, expressions that are shared.

Tools read them, so reasoners are told, too. What cannot be read even so is counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kgprobe.graph.axioms.entity_kinds import KnownKinds
from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.terms import BlankNode, Triple
from kgprobe.ontology.axiom_groups import axiom_groups
from kgprobe.ontology.odd_groups import statements_within

__all__ = ["Loose", "loose_axioms"]


class Loose(NamedTuple):
    """Axioms, each with the text of a triple of it, and how many triples say what could not be read."""

    axioms: list[tuple[tuple[str, ...], Expression]]
    leftovers: int


def loose_axioms(triples: Iterable[Triple], kinds: KnownKinds) -> Loose:
    """What these triples say, none of which belongs to an axiom as the mapping writes them."""
    given = list(triples)
    joined = [triple for triple in given if type(triple.subject) is BlankNode or type(triple.object) is BlankNode]
    axioms: list[tuple[tuple[str, ...], Expression]] = []
    leftovers = len(given) - len(joined)  # there is one way only to write what has no blank nodes
    for group in axiom_groups(joined, kinds) if joined else ():
        trees = [group.expression] if group.expression is not None else statements_within(group.triples, kinds)
        first = group.triples[0]
        text = (str(first.subject), str(first.predicate), str(first.object))
        axioms += [(text, tree) for tree in trees if tree is not None]
        if group.expression is None and not all(map(_is_all_said, trees)):
            leftovers += len(group.triples)
    return Loose(axioms, leftovers)


def _is_all_said(tree: Expression | None) -> bool:
    """Whether nothing is lost: of what is shared there are copies, and an individual is no longer the same in them."""
    return tree is not None and not any(map(_has_blank_node, tree))


def _has_blank_node(part: object) -> bool:
    return any(map(_has_blank_node, part)) if type(part) is tuple else type(part) is BlankNode
