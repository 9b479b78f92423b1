"""The operator that removes any node. A request cannot filter the value of `kg:node()`, and this operator must."""

from __future__ import annotations

from kgprobe.mutation.functions import BINDINGS
from kgprobe.mutation.operator import Change, Site, described
from kgprobe.owl.name_kinds import is_reserved
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import NamedNode

__all__ = ["OPERATORS"]

# The number of draws. A node may be pinned, or belong to the vocabulary of RDF or OWL.
_TRIES = 20


def _remove_node(site: Site) -> Change | None:
    """Draw nodes until one is outside the vocabularies of RDF and OWL."""
    for _ in range(_TRIES):
        node = BINDINGS["node"].give(site, ())
        if node is None:
            return None
        if not _is_word(site.graph, node):
            change = _without(site, node)
            if change is not None:
                return change
    return None


def _without(site: Site, node: Key) -> Change | None:
    graph = site.graph
    rows = dict.fromkeys([*graph.rows(node), *graph.rows(None, node), *graph.rows(None, None, node)])
    return Change(list(rows), (), {"node": node}) if site.pins.allow(graph, rows) else None


def _is_word(graph: Graph, node: Key) -> bool:
    term = graph.term(node)
    return isinstance(term, NamedNode) and is_reserved(term)


OPERATORS = (
    described(
        """
name: RemoveNode
does: remove a node outside the vocabularies of RDF and OWL, with all triples that it occurs in
target: both
sets: generic
paper: table 1
rdfmutate: RemoveNodeMutation
before:
  :p1 :drives :p2 . :p2 :feeds :p3 ; :weight 2.5 . :p3 :drives :p1 .
after:
  :p3 :drives :p1 .
""",
        _remove_node,
    ),
)
