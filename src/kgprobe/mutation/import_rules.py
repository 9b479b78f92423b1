"""Which ontology may import which: one that can be loaded, and that does not lead back to the importer.

An ontology has several names: its IRI and those of its versions. A file can hold the headers of several ontologies, as
a graph does that was read together with its imports; OWLAPI takes all imports in a file for those of one ontology. So
a circle, however long, can become an ontology that imports itself, which OWLAPI refuses to load.
"""

from __future__ import annotations

from collections.abc import Iterator

from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, NamedNode

__all__ = ["may_import"]


def may_import(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether the first ontology may get an import of the second, which the graph holds and it does not import yet."""
    importer, imported = keys
    if not all(isinstance(graph.term(key), NamedNode) for key in keys):
        return False
    targets = set(_ontologies(graph, imported))
    if not targets:
        return False  # it was not found when the graph was read, and will not be found in the mutant
    already = {each for name in _imports(graph, importer) for each in _ontologies(graph, name)}
    return targets.isdisjoint(already) and importer not in _reachable(graph, targets)


def _reachable(graph: Graph, ontologies: set[Key]) -> set[Key]:
    """The ontologies themselves, and all that they import, directly or not."""
    found = set(ontologies)
    pending = list(ontologies)
    while pending:
        for name in _imports(graph, pending.pop()):
            new = set(_ontologies(graph, name)) - found
            found |= new
            pending += new
    return found


def _imports(graph: Graph, ontology: Key) -> Iterator[Key]:
    return iter(graph.objects(ontology, graph.key(OWL.imports)))


def _ontologies(graph: Graph, name: Key) -> Iterator[Key]:
    """The ontologies in the graph that have this name, as their own or as that of their version."""
    candidates = [name, *graph.subjects(graph.key(OWL.versionIRI), name)]
    return (each for each in candidates if graph.has(each, graph.key(RDF.type), graph.key(OWL.Ontology)))
