"""Property paths: their edges, and when they depend on the nodes of the graph."""

from __future__ import annotations

import pytest

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import RDF, RDFS, NamedNode
from kgprobe.sparql.uses import ANYTHING, Condition, PathUse, Slot, TripleUse, Use
from sparql.vocabulary import iri, one, read, terms, var

P, Q = iri("p"), iri("q")


def uses(group: str) -> list[Use]:
    """The uses of a group, without their texts and lines."""
    found: list[Use] = []
    for found_use in read(f"SELECT * {{ {group} }}").uses:
        assert found_use.line == 2
        if isinstance(found_use, TripleUse):
            found.append(TripleUse(found_use.subject, found_use.predicate, found_use.object, found_use.conditions))
        else:
            assert isinstance(found_use, PathUse)
            found.append(PathUse(found_use.subject, found_use.edges, found_use.object, found_use.reflexive))
    return found


def triple(subject: Slot, predicate: str, object_: Slot) -> TripleUse:
    return TripleUse(subject, Slot(terms(*map(iri, predicate))), object_)


def path(subject: Slot, edges: str, object_: Slot, *, reflexive: bool) -> PathUse:
    """`edges` are names of predicates, with ^ before those that are followed backwards."""
    walked: list[tuple[NamedNode, bool]] = []
    for name in edges.split():
        walked.append((iri(name.removeprefix("^")), name.startswith("^")))
    return PathUse(subject, frozenset(walked), object_, reflexive)


X, Y, A, HIDDEN = var("x"), var("y"), one("a"), ANYTHING


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ("?x :p ?y", [triple(X, "p", Y)]),
        ("?x (:p) ?y", [triple(X, "p", Y)]),
        ("?x ^:p ?y", [triple(Y, "p", X)]),
        ("?x ^(^:p) ?y", [triple(X, "p", Y)]),
        ("?x :p/:q ?y", [triple(X, "p", HIDDEN), triple(HIDDEN, "q", Y)]),
        ("?x ^(:p/:q) ?y", [triple(HIDDEN, "q", X), triple(Y, "p", HIDDEN)]),
        ("?x :p|:q ?y", [triple(X, "pq", Y)]),
        ("?x ^(:p|:q) ?y", [triple(Y, "pq", X)]),
        ("?x :p|^:q|:r ?y", [triple(X, "pr", Y), triple(Y, "q", X)]),
        ("?x :p|:q/:r ?y", [triple(X, "p", Y), triple(X, "q", HIDDEN), triple(HIDDEN, "r", Y)]),
        ("?x (:p|:q)/:r ?y", [triple(X, "pq", HIDDEN), triple(HIDDEN, "r", Y)]),
        ("?x :p+ ?y", [path(X, "p", Y, reflexive=False)]),
        ("?x ^:p+ :a", [path(X, "^p", A, reflexive=False)]),
        ("?x (:p|^:q)+ ?y", [path(X, "p ^q", Y, reflexive=False)]),
        ("?x ^((:p|^:q)+) ?y", [path(X, "^p q", Y, reflexive=False)]),
        ("?x :p* ?y", [path(X, "p", Y, reflexive=True)]),
        ("?x :p* ?x", [path(X, "p", X, reflexive=True)]),
        ("[] :p* []", [path(HIDDEN, "p", HIDDEN, reflexive=True)]),
        # Engines do not agree on whether a path stands still at a constant that the graph does not have.
        ("?x :p* :a", [path(X, "p", A, reflexive=True)]),
        (":a :p* :a", [path(A, "p", A, reflexive=True)]),
        # Repetitions of repetitions.
        ("?x (:p+)? ?y", [path(X, "p", Y, reflexive=True)]),
        ("?x (:p?)+ ?y", [path(X, "p", Y, reflexive=True)]),
        ("?x ((:p*)*)+ ?y", [path(X, "p", Y, reflexive=True)]),
        ("?x (:p+)+ ?y", [path(X, "p", Y, reflexive=False)]),
        # Once or not at all: the edge, and the nodes that there are.
        ("?x :p? ?y", [path(X, "", Y, reflexive=True), triple(X, "p", Y)]),
        (":a :p? ?y", [path(A, "", Y, reflexive=True), triple(A, "p", Y)]),
        ("?x (:p/:q)? :a", [path(X, "", A, reflexive=True), triple(X, "p", HIDDEN), triple(HIDDEN, "q", A)]),
        # The path inside may be anywhere on the way.
        ("?x (:p/:q)+ :a", [triple(HIDDEN, "p", HIDDEN), triple(HIDDEN, "q", HIDDEN)]),
        ("?x (:p/:q)* :a", [path(X, "", A, reflexive=True), triple(HIDDEN, "p", HIDDEN), triple(HIDDEN, "q", HIDDEN)]),
    ],
)
def test_uses_of_a_path(group: str, expected: list[Use]) -> None:
    assert uses(group) == expected


@pytest.mark.parametrize(
    ("group", "star"),
    [
        # Another triple has the variable as its subject or object: its value is a node of the graph in any case.
        ("?x :q ?z . ?x :p* ?y", path(X, "p", Y, reflexive=False)),
        ("?x :p* ?y . ?z :q ?x", path(X, "p", Y, reflexive=False)),
        ("?x :p* ?y . ?y ?r 1", path(X, "p", Y, reflexive=False)),
        ("?x :p* ?y . OPTIONAL { ?z :r ?z } ?y :q+ ?z", path(X, "p", Y, reflexive=False)),
        ("?x :q/:p* ?y", path(HIDDEN, "p", Y, reflexive=False)),
        ("?x :q/:p* :a", path(HIDDEN, "p", A, reflexive=False)),
        ("?x :p*/:q ?y", path(X, "p", HIDDEN, reflexive=False)),
        ("?x :p* [ :q ?y ]", path(X, "p", HIDDEN, reflexive=False)),
        ("_:b :p* ?y . _:b :q ?z", path(HIDDEN, "p", Y, reflexive=False)),
        # These do not help.
        ("?x :p* ?y . ?z ?x 1", path(X, "p", Y, reflexive=True)),
        ("?x :p* ?y . ?x :q* ?z", path(X, "p", Y, reflexive=True)),
        ("?x :p* ?y . ?x :q? ?z", path(X, "p", Y, reflexive=True)),
        ("?x :p* ?y . OPTIONAL { ?x :q ?z }", path(X, "p", Y, reflexive=True)),
        ("?x :p* ?y . { ?x :q ?z } UNION { }", path(X, "p", Y, reflexive=True)),
        ("?x :p* ?y . FILTER EXISTS { ?x :q ?z }", path(X, "p", Y, reflexive=True)),
        ("VALUES ?x { :a } ?x :p* ?y", path(Slot(terms(iri("a")), "x"), "p", Y, reflexive=True)),
        (":a :p*/:q* ?y", path(A, "p", HIDDEN, reflexive=True)),
    ],
)
def test_when_a_path_depends_on_the_nodes_of_the_graph(group: str, star: PathUse) -> None:
    assert star in uses(group)


@pytest.mark.parametrize(
    ("written", "forwards", "backwards"),
    [
        ("!:p", [P], None),
        ("!(:p)", [P], None),
        ("!(:p|a)", [P, RDF.type], None),
        ("!^:p", None, [P]),
        ("!(:p|^:q)", [P], [Q]),
        ("^(!(:p|^:q))", [Q], [P]),
        ("!(^a)", None, [RDF.type]),
    ],
)
def test_any_predicate_except_some(
    written: str, forwards: list[NamedNode] | None, backwards: list[NamedNode] | None
) -> None:
    expected: list[Use] = []
    for subject, excluded, object_ in ((X, forwards, Y), (Y, backwards, X)):
        if excluded is not None:
            condition = Condition(f"?predicate NOT IN ({', '.join(sorted(map(str, excluded)))})", ("predicate",))
            expected.append(TripleUse(subject, var("predicate"), object_, (condition,)))
    found = uses(f"?x {written} ?y")
    assert len(found) == len(expected)
    assert all(each in found for each in expected)


def test_the_variable_for_a_predicate_is_unused() -> None:
    [other, _] = uses("?x !:p ?predicate . ?z ?predicate1 ?y FILTER(?predicate > 1)")
    assert isinstance(other, TripleUse)
    assert other.predicate.variable == "predicate2"
    assert [condition.variables for condition in other.conditions] == [("predicate2",), ("predicate",)]


def test_every_use_of_a_path_shows_the_whole_path() -> None:
    found = read("SELECT * {\n ?x  a / rdfs:subClassOf* # up\n :Pizza }").uses
    assert {(each.text, each.line) for each in found} == {("?x a / rdfs:subClassOf* :Pizza", 3)}


def test_patterns_of_paths() -> None:
    group = "?x a/rdfs:subClassOf* :C . ?y ^:p ?z . ?u :q+ ?v . ?u :p|:q ?v . ?u :p? ?v . ?u !:p ?v . ?u (:p|:q)* ?v"
    x, y, z, u, v = map(Variable, "xyzuv")
    first, second, *others = read(f"SELECT * {{ {group} }}").patterns
    hidden = first[2]
    assert isinstance(hidden, Variable)
    assert hidden.hidden
    assert (first, second) == ((x, RDF.type, hidden), (hidden, RDFS.subClassOf, iri("C")))
    assert others == [(z, P, y), (u, Q, v)]
