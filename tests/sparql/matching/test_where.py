"""Patterns against pyoxigraph: the same solutions, for random graphs and random patterns."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Quad, QuerySolutions, Store
from support.strategies import blanks, iris, predicates, subjects

from kgprobe.errors import InputError
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import RDF, XSD, Literal, NamedNode, Triple
from kgprobe.sparql.matching import Binding, compile_where
from kgprobe.sparql.matching.where import _Native, _Sparql

PREFIXES = {"": "http://example.org/", "rdf": RDF.iri, "xsd": XSD.iri}

# Literals that a store keeps unchanged. Literals that it changes are tested below.
plain_literals = st.sampled_from(
    [Literal("1", datatype=XSD.integer), Literal("2", datatype=XSD.integer), Literal("x", language="en"), Literal("x")]
)
plain_triples = st.builds(Triple, subjects, predicates, st.one_of(iris, blanks, plain_literals))


@st.composite
def changed_graphs(draw: st.DrawFn) -> Graph:
    graph = Graph(draw(st.lists(plain_triples, max_size=30)))
    for triple in draw(st.lists(plain_triples, max_size=6)):
        graph.flip(graph.keys(triple))
    return graph


variables = st.sampled_from(["?u", "?v", "?w", "_:h"])
nodes = st.one_of(variables, iris.map(str))
pattern_triples = st.tuples(
    nodes, st.one_of(variables, predicates.map(str)), st.one_of(nodes, plain_literals.map(str))
).filter(lambda triple: triple[1] != "_:h")  # SPARQL does not allow a blank node here
simple_filters = st.sampled_from(
    [
        "FILTER(?u != ?v)",
        "FILTER(?u = ?v)",
        "FILTER(((?u) = ?v))",
        "FILTER(!(!isIRI(?v)))",
        "FILTER sameTerm(?v, ?w)",
        "FILTER(!isLiteral(?v))",
        "FILTER isIRI(?w)",
        "FILTER isBlank(?u)",
        "FILTER(?v > 1)",
        'FILTER(str(?v) = "x" || ?u = :a)',
        "FILTER(bound(?z))",
        "FILTER NOT EXISTS { ?u :p ?v }",
        "FILTER EXISTS { ?u :p ?z . ?z ?any ?w FILTER(?z != ?u) }",
    ]
)
beyond = st.sampled_from(
    [
        "OPTIONAL { ?u :p ?z }",
        "{ ?u :p ?z } UNION { ?v :q ?z . ?z :p ?w }",
        "MINUS { ?u :q ?v }",
        "?u :p/:q ?z .",
        "?u :p* ?v .",
        "VALUES ?u { :a :b }",
        "BIND(str(?u) AS ?text)",
        "FILTER(?u = :a || EXISTS { ?u :q ?v })",
        "{ SELECT ?u WHERE { ?u :p ?n } ORDER BY ?u LIMIT 1 }",
    ]
)


def group(triples: list[tuple[str, str, str]], rest: list[str]) -> str:
    return " . ".join(" ".join(triple) for triple in triples) + (" . " if triples else "") + " ".join(rest)


native_patterns = st.builds(
    group, st.lists(pattern_triples, min_size=1, max_size=4), st.lists(simple_filters, max_size=2)
)
other_patterns = st.builds(
    group, st.lists(pattern_triples, max_size=2), st.lists(beyond, min_size=1, max_size=2, unique=True)
)


def by_pyoxigraph(graph: Graph, text: str) -> Counter[str]:
    store = Store()
    store.extend(Quad(t.subject, t.predicate, t.object) for t in graph)
    found = store.query(f"SELECT * WHERE {{ {text} }}", prefixes=PREFIXES)
    assert isinstance(found, QuerySolutions)
    names = [variable.value for variable in found.variables]
    return Counter(shown({name: s[name] for name in names if s[name] is not None}) for s in found)


def shown(binding: Binding) -> str:
    return str(sorted((name, str(term)) for name, term in binding.items()))


@given(changed_graphs(), native_patterns)
@settings(max_examples=400, deadline=None)
def test_basic_patterns_have_the_solutions_of_sparql(graph: Graph, text: str) -> None:
    where = compile_where(text, PREFIXES)
    assert isinstance(where, _Native)
    expected = by_pyoxigraph(graph, text)
    assert Counter(map(shown, where.matches(graph))) == expected
    sampled = where.sample(graph, Random(0))
    assert (sampled is None) is (not expected)
    assert sampled is None or shown(sampled) in expected


@given(changed_graphs(), other_patterns, st.lists(plain_triples, max_size=5))
@settings(max_examples=200, deadline=None)
def test_other_patterns_use_an_index_that_follows_changes(graph: Graph, text: str, flipped: list[Triple]) -> None:
    where = compile_where(text, PREFIXES)
    assert isinstance(where, _Sparql)
    assert Counter(map(shown, where.matches(graph))) == by_pyoxigraph(graph, text)
    for triple in flipped:
        graph.flip(graph.keys(triple))
    assert Counter(map(shown, where.matches(graph))) == by_pyoxigraph(graph, text)
    original = Graph.from_table(graph.table)
    assert Counter(map(shown, where.matches(original))) == by_pyoxigraph(original, text)


def ex(name: str) -> NamedNode:
    return NamedNode(f"http://example.org/{name}")


A, B, C, P, Q = map(ex, "abcpq")


@pytest.mark.parametrize("text", ["?s :p ?o", "?s :p ?o OPTIONAL { ?s :q ?z }"])
def test_lexical_forms_and_datatypes_round_trip_exactly(text: str) -> None:
    forms = [("01", XSD.integer), ("1", XSD.integer), ("1", XSD.int), ("1.0", XSD.decimal), ("1.00", XSD.decimal)]
    triples = [Triple(ex(f"s{n}"), P, Literal(value, datatype=t)) for n, (value, t) in enumerate(forms)]
    where = compile_where(text, PREFIXES)
    graph = Graph(triples)
    assert {shown(b) for b in where.matches(graph)} == {shown({"s": t.subject, "o": t.object}) for t in triples}  # type: ignore[dict-item]
    graph.apply(Delta(removed=triples[:1], added=[Triple(A, P, Literal("001", datatype=XSD.integer))]))
    expected = [*triples[1:], Triple(A, P, Literal("001", datatype=XSD.integer))]
    assert {shown(b) for b in where.matches(graph)} == {shown({"s": t.subject, "o": t.object}) for t in expected}  # type: ignore[dict-item]


@pytest.mark.parametrize(("sign", "count"), [("=", 5), ("!=", 4)])
def test_literals_are_compared_by_value(sign: str, count: int) -> None:
    """Also if they are spelled in different ways, or have different datatypes."""
    numbers = [
        Literal("1", datatype=XSD.integer),
        Literal("01", datatype=XSD.integer),
        Literal("2.0", datatype=XSD.decimal),
    ]
    graph = Graph(Triple(NamedNode("urn:a"), NamedNode("urn:p"), number) for number in numbers)
    where = compile_where(f"?a ?p ?x . ?a ?p ?y FILTER(?x {sign} ?y)")
    assert isinstance(where, _Native)
    assert len(list(where.matches(graph))) == count


def test_removing_one_of_two_triples_that_a_store_identifies() -> None:
    one, other = (Triple(A, P, Literal(text, datatype=XSD.decimal)) for text in ("1.0", "1.00"))
    graph = Graph([one, other])
    where = compile_where("?s :p ?o OPTIONAL { ?s :q ?z }", PREFIXES)
    assert len(list(where.matches(graph))) == 2
    graph.remove(one)
    assert [b["o"] for b in where.matches(graph)] == [other.object]
    graph.remove(other)
    assert list(where.matches(graph)) == []


# -- every match is equally likely -----------------------------------------------------------------------------------

DRAWS = 12_000


def skewed() -> Graph:
    """Nodes with very different numbers of neighbours, partly loaded, partly added, with some triples removed."""
    triples = [Triple(ex(f"n{i}"), P, ex(f"n{j}")) for i in range(8) for j in range(i + 1)]
    triples += [Triple(ex(f"n{i}"), Q, ex(f"m{i % 3}")) for i in range(8)]
    graph = Graph(triples)
    for i in range(3):
        graph.add(Triple(ex("n1"), P, ex(f"extra{i}")))
        graph.remove(Triple(ex("n7"), P, ex(f"n{i}")))
    return graph


@pytest.mark.parametrize(
    "text",
    [
        "?x :p ?y",
        "?x :p ?y . ?x :q ?z",
        "?x :p ?y . ?y :p ?z",
        "?x :p ?y . ?y :p ?z . ?z :q ?m",
        "?x :p ?y . ?x :p ?z . FILTER(?y != ?z)",
        "?x :p ?x",
        "?x :p ?y . ?a :q ?b . FILTER(?x != ?a)",
        "?x :q ?m . ?y :q ?m . FILTER NOT EXISTS { ?x :p ?y }",
        "?x ?r :n1",
        "?x :p ?y OPTIONAL { ?y :q ?z }",
    ],
)
def test_samples_are_uniform(text: str) -> None:
    graph = skewed()
    where = compile_where(text, PREFIXES)
    matches = Counter(map(shown, where.matches(graph)))
    assert len(matches) > 5
    random = Random(20)
    draws = DRAWS if isinstance(where, _Native) else 2_000
    drawn = Counter(shown(found) for found in (where.sample(graph, random) for _ in range(draws)) if found is not None)
    assert sum(drawn.values()) == draws
    assert set(drawn) <= set(matches)
    expected = draws / len(matches)
    chi_square = sum((drawn[match] - expected) ** 2 / expected for match in matches)
    freedom = len(matches) - 1
    # The 99.9% point of the chi-square distribution, by Wilson and Hilferty's approximation.
    assert chi_square < freedom * (1 - 2 / (9 * freedom) + 3.09 * (2 / (9 * freedom)) ** 0.5) ** 3


def test_a_cross_product_is_not_enumerated() -> None:
    classes = [Triple(ex(f"c{i}"), RDF.type, C) for i in range(20_000)]
    where = compile_where("?x a :c . ?y a :c . ?z a :c . FILTER(?x != ?y) FILTER NOT EXISTS { ?x :p ?z }", PREFIXES)
    graph = Graph(classes)
    random = Random(1)
    assert len({shown(where.sample(graph, random) or {}) for _ in range(50)}) == 50  # out of 8,000,000,000,000


def test_a_rare_match_in_a_large_graph_is_found() -> None:
    triples = [Triple(ex(f"s{i}"), P, ex("hub")) for i in range(3_000)]
    triples += [Triple(ex("hub"), Q, ex(f"o{i}")) for i in range(3_000)]
    graph = Graph([*triples, Triple(ex("s7"), Q, ex("o9"))])
    where = compile_where("?x :p ?h . ?x :q ?y . ?h :q ?y", PREFIXES)
    assert where.sample(graph, Random(1)) == {"x": ex("s7"), "h": ex("hub"), "y": ex("o9")}


def test_the_same_seed_gives_the_same_sample() -> None:
    for text in ("?x :p ?y . ?y :p ?z", "?x :p ?y OPTIONAL { ?y :q ?z }"):
        samples = [compile_where(text, PREFIXES).sample(skewed(), Random(5)) for _ in range(3)]
        assert samples[0] == samples[1] == samples[2]


# -- unsupported patterns --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("?x :p", r"ops.ru:1:6: the pattern ends too early"),
        ("?x :p ] .", r"ops.ru:1:\d+: expected"),
        ("?x :p ?y .\n?x nope:p ?y", r"ops.ru:2:\d+: .*Prefix not found"),
        ("SERVICE <http://example.org/> { ?x ?y ?z }", "SERVICE would use the network"),
        ("?x :p ?y FILTER(RAND() < 0.5)", r"RAND\(\) gives a different answer each time"),
    ],
)
def test_unsupported_patterns_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        compile_where(text, PREFIXES, name="ops.ru")


def test_words_in_strings_and_names_are_not_keywords() -> None:
    where = compile_where('?x :RAND "SERVICE" # NOW\n', PREFIXES)
    assert list(where.matches(Graph([Triple(A, ex("RAND"), Literal("SERVICE"))]))) == [{"x": A}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("?x :p [ :q ?y ]", [{"x": A, "y": C}]),
        ("?x :p [ :q ?y ; a :c ]", []),
        ("[] :q ?y", [{"y": C}]),
        ("[ :p ?b ] .", [{"b": B}]),
        (":a :p ?b ; ?r ?b , :b .", [{"b": B, "r": P}]),
        ("?x <http://example.org/p> :b", [{"x": A}]),
        (":a :p :b", [{}]),
        ("", [{}]),
    ],
)
def test_ways_to_write_a_pattern(text: str, expected: list[Binding]) -> None:
    where = compile_where(text, PREFIXES)
    assert isinstance(where, _Native)
    assert list(where.matches(Graph([Triple(A, P, B), Triple(B, Q, C)]))) == expected


def test_a_pattern_with_very_many_triples() -> None:
    text = " . ".join(f"?v{n} :p ?v{n + 1}" for n in range(40))
    graph = Graph([Triple(A, P, A)])
    assert len(list(compile_where(text, PREFIXES).matches(graph))) == 1
