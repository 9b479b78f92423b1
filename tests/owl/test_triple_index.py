"""The numbers of triples: a graph, changed or not, has the same ones as its triples one by one."""

from __future__ import annotations

from kgprobe.owl.triple_index import TripleIndex
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple

# Each is a prefix of another, or nearly.
SUBJECTS: list[BlankNode | NamedNode] = [
    *map(BlankNode, ("b", "b1", "b10", "b1-2", "b1.2", "bé")),
    *map(NamedNode, ("urn:a", "urn:a!", "urn:a#", "urn:aé", "urn:a/b")),
]
PREDICATES = list(map(NamedNode, ("urn:p", "urn:p!", "urn:p#")))
OBJECTS: list[Term] = [*SUBJECTS, *map(Literal, ("", " ", "a", "a b", 'a"', "é")), Literal("a", language="en")]


def test_triples_are_in_the_order_of_their_text() -> None:
    given = [Triple(s, p, o) for s in SUBJECTS for p in PREDICATES for o in OBJECTS]
    given.append(Triple(SUBJECTS[0], PREDICATES[0], given[0]))
    expected = [(each.subject, each.predicate, each.object) for each in sorted(given, key=str)]
    changed = Graph([*given[::2], Triple(SUBJECTS[0], PREDICATES[0], Literal("gone"))])
    for triple in given:
        changed.add(triple)
    changed.remove(Triple(SUBJECTS[0], PREDICATES[0], Literal("gone")))
    for index in (
        TripleIndex(reversed(given + given)),
        TripleIndex(Graph(given)),
        TripleIndex(changed),
        TripleIndex((), parts=TripleIndex(Graph(given)).statements[::-1]),
    ):
        assert index.statements == expected
        assert [index.original(number) for number in range(len(given))] == sorted(given, key=str)
