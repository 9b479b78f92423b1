"""Drawing triples for operators in Python."""

from __future__ import annotations

from collections.abc import Iterable

from kgprobe.mutation.operator import Site
from kgprobe.rdf.table import Key, KeyTriple

__all__ = ["triple_with_one_of"]


def triple_with_one_of(predicates: Iterable[Key], site: Site) -> KeyTriple | None:
    """A random triple with one of these predicates, with equal probability for all of them; None if none exists."""
    graph = site.graph
    changed = graph.changed_parts(1)
    here = (predicate for predicate in predicates if type(predicate) is int or predicate in changed)
    counts = {predicate: graph.count(None, predicate) for predicate in here}
    point = int(site.random.random() * sum(counts.values()))
    for predicate, count in counts.items():
        if point < count:
            return graph.sample(site.random, None, predicate)
        point -= count
    return None
