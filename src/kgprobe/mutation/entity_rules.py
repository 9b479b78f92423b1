"""Which names an operator may use as a class or a property: those declared as one, and not as a conflicting kind.

OWL 2 DL lets one name stand for a class and an individual, but not for a class and a datatype, nor for two kinds of
property. A name that is declared as two such kinds, but used as only one, is allowed. Using it as the other is not.
"""

from __future__ import annotations

from typing import Any

from kgprobe.owl.name_kinds import is_reserved
from kgprobe.rdf.derived import KeySet, PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import OWL, RDFS, NamedNode, Term
from kgprobe.sparql.matching.filters import NameTest

__all__ = ["is_class", "is_data_property", "is_object_property", "is_own", "is_own_name"]


def is_own(term: Term) -> bool:
    """Whether this is an IRI outside the vocabularies of RDF and OWL."""
    return isinstance(term, NamedNode) and not is_reserved(term)


def is_own_name(graph: Graph, key: Key) -> bool:
    """The same for a key."""
    return is_own(graph.term(key))


def _declared(kind: NamedNode, *others: NamedNode) -> NameTest:
    """A name with this type and none of the others."""
    wanted, unwanted = PerTable(lambda table: table.key(kind)), KeySet(*others)

    def is_one(graph: Graph, name: Key) -> bool:
        types = graph.objects(name, graph.table.is_a)
        if wanted.of(graph.table) not in types:
            return False
        return unwanted.of(graph).isdisjoint(types) and is_own_name(graph, name)

    known: PerTable[dict[Any, bool]] = PerTable(lambda _: {})
    return NameTest(is_one, known.of)


is_class = _declared(OWL.Class, RDFS.Datatype)
is_object_property = _declared(OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty)
is_data_property = _declared(OWL.DatatypeProperty, OWL.ObjectProperty, OWL.AnnotationProperty)
