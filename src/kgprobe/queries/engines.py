"""Properties that an engine computes, where it knows them: a pattern with one looks at more than triples with it."""

from __future__ import annotations

from kgprobe.graph.terms import NamedNode

__all__ = ["is_computed"]

_COMPUTED = (
    "bif:",  # Virtuoso
    "http://jena.apache.org/ARQ/list#",
    "http://jena.apache.org/ARQ/property#",
    "http://jena.apache.org/spatial#",
    "http://jena.apache.org/text#",
    "http://jena.hpl.hp.com/ARQ/list#",
    "http://jena.hpl.hp.com/ARQ/property#",
    "http://qlever.cs.uni-freiburg.de/builtin-functions/",
    "http://www.bigdata.com/rdf/",
    "http://www.ontotext.com/connectors/",
    "http://www.ontotext.com/owlim/",
    "http://www.ontotext.com/path#",
    "http://www.openrdf.org/contrib/lucenesail#",
    # The topological relations of GeoSPARQL, which follow from coordinates.
    "http://www.opengis.net/ont/geosparql#eh",
    "http://www.opengis.net/ont/geosparql#rcc8",
    "http://www.opengis.net/ont/geosparql#sf",
    "tag:stardog:api:",
)


def is_computed(term: NamedNode) -> bool:
    """Whether the triples with this property need not be in the graph."""
    return term.value.startswith(_COMPUTED)
