"""The axioms of a graph as a set that can be compared with that of another graph."""

from __future__ import annotations

from kgprobe.owl.axioms import AxiomView
from kgprobe.owl.expression import Expression
from kgprobe.owl.name_kinds import NameKinds
from kgprobe.owl.unusual_axioms import statements_within
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import BlankNode

__all__ = ["axioms_of"]

_NO_AXIOMS = ("Ontology", "Import", "Variable")


def axioms_of(graph: Graph) -> set[object]:
    """The axioms of a graph, independent of their spelling and of blank node labels."""
    kinds = NameKinds(graph)
    trees = [
        tree
        for group in AxiomView(graph)
        for tree in ([group.expression] if group.expression else statements_within(group.triples, kinds))
    ]
    return {_nameless(tree) for tree in trees if tree is not None and tree.head not in _NO_AXIOMS}


def _nameless(part: object) -> object:
    if type(part) is Expression:
        return (part.head, *map(_nameless, part.args))
    return "_:" if type(part) is BlankNode else part
