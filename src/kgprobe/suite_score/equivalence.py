"""Whether the same follows from a mutant as from the original."""

from __future__ import annotations

from kgprobe.entailment.closure import EntailedChange
from kgprobe.entailment.rules import Regime
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import BlankNode
from kgprobe.sparql.engine.exact_store import PreparedQuery, SparqlIndex
from kgprobe.suite_score.suggestions import MOST_TRIPLES, QueryWriter

__all__ = ["is_equivalent"]


def is_equivalent(change: EntailedChange, regime: Regime, graph: Graph) -> bool:
    """Whether the closures say the same.

    Under a regime, blank nodes are things without a name: if all that is gone is a copy of what is still there, such as
    one of two equal restrictions, the same follows. Without one, only the triples count.
    """
    if not change.gone and not change.come:
        return True
    if regime is Regime.NONE or change.come or len(change.gone) > MOST_TRIPLES:
        return False
    gone = change.removed
    if not all(isinstance(triple.subject, BlankNode) or isinstance(triple.object, BlankNode) for triple in gone):
        return False
    variables: dict[BlankNode, str] = {}
    store = SparqlIndex.of(change.new).store
    for query in QueryWriter(graph).query("ASK {{ {} }}", gone, variables):
        # Blank nodes that the mutant still has stand for themselves.
        kept = {name.removeprefix("?"): node for node, name in variables.items() if change.new.mentions(node)}
        return store.ask(PreparedQuery.of(query, "<query>"), kept) is True
    return False
