"""Which names an operator may use as a class or a property: what is declared as one, and as nothing else like it.

OWL 2 DL lets one name stand for a class and an individual, but not for a class and a datatype, nor for two kinds of
property. A name that is declared twice and used once is allowed; using it in the other way would not be.
"""

from __future__ import annotations

from kgprobe.graph.axioms.entity_kinds import is_reserved
from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.patterns.filters import NameTest
from kgprobe.graph.terms import OWL, RDFS, NamedNode
from kgprobe.masks.per_table import PerTable

__all__ = ["is_class", "is_data_property", "is_object_property", "is_own_name"]


def is_own_name(graph: Graph, key: Key) -> bool:
    """Whether this is an IRI, and none of the languages themselves."""
    term = graph.term(key)
    return isinstance(term, NamedNode) and not is_reserved(term)


def _declared(kind: NamedNode, *others: NamedNode) -> NameTest:
    """A name with this type and none of the others."""
    keys_of = PerTable(lambda table: [table.numbers.get(name, name) for name in (kind, *others)])

    def is_one(graph: Graph, name: Key) -> bool:
        is_a, wanted = graph.table.is_a, True
        for each in keys_of.of(graph.table):  # the kind that is wanted, then those that are not
            if graph.has(name, is_a, each) is not wanted:
                return False
            wanted = False
        return is_own_name(graph, name)

    known: PerTable[dict[Key, bool]] = PerTable(lambda _: {})
    return NameTest(is_one, known.of)


is_class = _declared(OWL.Class, RDFS.Datatype)
is_object_property = _declared(OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty)
is_data_property = _declared(OWL.DatatypeProperty, OWL.ObjectProperty, OWL.AnnotationProperty)
