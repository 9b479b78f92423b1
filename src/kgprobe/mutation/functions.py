"""The functions that an operator may call in addition to those of SPARQL, by IRIs in kgprobe's namespace.

`BIND(kg:fresh() AS ?new)` and the like assign a value to a variable once a solution has been chosen. The functions that
a FILTER may call are in `profile_rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.mutation.individuals import random_individual, random_object_for, random_subject_for
from kgprobe.mutation.operator import Site
from kgprobe.owl.random_values import random_value_for
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import BlankNode, Literal

__all__ = ["BINDINGS", "NAMESPACE", "Function"]

NAMESPACE = "urn:kgprobe:function:"

# Returns a value for these arguments, or None if no value exists.
_Give: TypeAlias = Callable[[Site, Sequence[Key]], Key | None]


@dataclass(frozen=True)
class Function:
    """A function that returns a value: its syntax, a description of its result, and its number of arguments."""

    form: str
    gives: str
    least: int
    most: int
    give: _Give


def _fresh(site: Site, arguments: Sequence[Key]) -> Key | None:
    if not arguments:
        return site.fresh.iri()
    namespace = site.graph.term(arguments[0])
    if isinstance(namespace, BlankNode):
        return None
    try:
        return site.fresh.iri(namespace.value)
    except ValueError:  # a literal that cannot begin an IRI
        return None


def _node(site: Site, arguments: Sequence[Key]) -> Key | None:  # noqa: ARG001 - takes none
    """Any node, each as likely as any other.

    This draws terms until one is a node of the current graph. Graphs have about as many other terms as nodes, so this
    takes a few tries. A graph with hardly any nodes is searched instead.
    """
    graph, random = site.graph, site.random
    known = len(graph.table.terms)
    ends = (key for s, _, o in graph.changed_keys for key in (s, o))
    new = list(dict.fromkeys(key for key in ends if not isinstance(key, int)))
    for _ in range(100 if known or new else 0):
        place = int(random.random() * (known + len(new)))
        key = place if place < known else new[place - known]
        if _is_node(graph, key):
            return key
    nodes = [key for key in [*range(known), *new] if _is_node(graph, key)]
    return nodes[int(random.random() * len(nodes))] if nodes else None


def _is_node(graph: Graph, key: Key) -> bool:
    if isinstance(graph.term(key), Literal):
        return False
    return graph.count(key) > 0 or graph.count(None, None, key) > 0


def _individual(site: Site, arguments: Sequence[Key]) -> Key | None:
    return random_individual(site.graph, site.random, arguments)


def _subject_for(site: Site, arguments: Sequence[Key]) -> Key | None:
    return random_subject_for(site.graph, arguments[0], site.random)


def _object_for(site: Site, arguments: Sequence[Key]) -> Key | None:
    return random_object_for(site.graph, arguments[0], site.random)


def _value(site: Site, arguments: Sequence[Key]) -> Key | None:
    term = random_value_for(site.graph, arguments[0], site.random)
    return None if term is None else site.graph.key(term)


def _pick(site: Site, arguments: Sequence[Key]) -> Key | None:
    return arguments[int(site.random.random() * len(arguments))]


# More arguments than any operator needs.
_MANY = 1000

_FRESH = "an IRI that the graph does not have; kg:fresh(ex:) is one in that namespace"
_NODE = "any IRI or blank node that is a subject or an object in the graph"
_INDIVIDUAL = "any individual that has a name; kg:individual(A, …) is one other than these"
_SUBJECT = "an individual that is in all domains of the property P"
_OBJECT = "an individual that is in all ranges of the property P"
_VALUE = "a random literal in the range of the property P, or of the datatype P"

BINDINGS: dict[str, Function] = {
    "fresh": Function("kg:fresh()", _FRESH, 0, 1, _fresh),
    "node": Function("kg:node()", _NODE, 0, 0, _node),
    "individual": Function("kg:individual()", _INDIVIDUAL, 0, _MANY, _individual),
    "subjectFor": Function("kg:subjectFor(P)", _SUBJECT, 1, 1, _subject_for),
    "objectFor": Function("kg:objectFor(P)", _OBJECT, 1, 1, _object_for),
    "value": Function("kg:value(P)", _VALUE, 1, 1, _value),
    "pick": Function("kg:pick(A, B, …)", "one of its arguments", 1, _MANY, _pick),
}
