"""The operator that changes a double. SPARQL would search every literal of the graph each time."""

from __future__ import annotations

from kgprobe.mutation.operator import Change, Site, described
from kgprobe.owl.random_values import random_literal
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import KeyTriple, TripleTable
from kgprobe.rdf.terms import XSD, Literal

__all__ = ["OPERATORS"]

# The number of draws. A triple may be pinned, or already removed from the graph.
_TRIES = 20


def _change_double(site: Site) -> Change | None:
    graph = site.graph
    loaded = _DOUBLES.of(graph.table)
    added = [keys for keys, is_added in graph.changed_keys.items() if is_added and _is_double(graph, keys)]
    for _ in range(_TRIES if loaded or added else 0):
        place = int(site.random.random() * (len(loaded) + len(added)))
        row = loaded[place] if place < len(loaded) else added[place - len(loaded)]
        value = random_literal(XSD.double, site.random)
        if value is None or not graph.has(*row):
            continue
        new = (row[0], row[1], graph.key(value))
        if not graph.has(*new) and site.pins.allow(graph, [row, new]):
            return Change([row], [new], {"old": row[2], "new": new[2]})
    return None


def _is_double(graph: Graph, keys: KeyTriple) -> bool:
    term = graph.term(keys[2])
    return isinstance(term, Literal) and term.datatype == XSD.double


def _doubles(table: TripleTable) -> list[KeyTriple]:
    """The triples of a table with a double."""
    literals = ((n, term) for n, term in enumerate(table.terms) if isinstance(term, Literal))
    numbers = [n for n, term in literals if term.datatype == XSD.double]
    return [row for number in numbers for row in table.rows(None, None, number)]


_DOUBLES = PerTable(_doubles)

OPERATORS = (
    described(
        """
name: ChangeDouble
does: replace the value of a double by a random one
target: both
sets: generic
paper: table 1
rdfmutate: ChangeDoubleMutation
before:
  :p1 :weight 2.5e0 , 2.5 .
after:
  :p1 :weight "*"^^xsd:double , 2.5 .
""",
        _change_double,
    ),
)
