"""The rules that a search finds, compared with those that brute force finds."""

from __future__ import annotations

import random

import pytest

from kgprobe.errors import InputError
from kgprobe.mining.index import chunks
from kgprobe.mining.rules import MinedRules, Rule
from kgprobe.mining.search import mine
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Subject, Term, Triple
from mining.brute_force import BruteForce, Candidate, Counts, RuleKey

EX = "http://example.org/"
# min_support, min_body, min_head, min_confidence
THRESHOLDS = ((1, 1, 1, 0.0), (2, 2, 1, 0.5), (1, 1, 3, 0.8), (2, 3, 2, 1.0))


def name(text: str) -> NamedNode:
    return NamedNode(EX + text)


def random_graph(source: random.Random) -> Graph:
    """A small graph with literals, blank nodes and loops."""
    subjects: list[Subject] = [name(f"n{n}") for n in range(source.choice([2, 3, 4]))]
    subjects += [BlankNode(f"b{n}") for n in range(source.choice([0, 1, 2]))]
    objects: list[Term] = [*subjects, *(Literal(str(n)) for n in range(source.choice([0, 1])))]
    predicates = [name(f"p{n}") for n in range(source.choice([1, 2, 3]))]
    size = source.choice([5, 8, 12])
    return Graph(
        Triple(source.choice(subjects), source.choice(predicates), source.choice(objects)) for _ in range(size)
    )


def counts(mined: MinedRules) -> dict[RuleKey, Counts]:
    found: dict[RuleKey, Counts] = {}
    for rule in mined.rules:
        key = key_of(rule)
        assert key not in found, "each rule once"
        found[key] = Counts(rule.support, rule.body_size, rule.head_size, rule.pca_body_size)
    return found


def key_of(rule: Rule) -> RuleKey:
    return Candidate(rule.body, rule.head).key


@pytest.mark.parametrize("constants", ["all", "objects", "none"])
@pytest.mark.parametrize("first", range(0, 24, 8))
def test_rules_are_those_of_brute_force(constants: str, first: int) -> None:
    compared, forms = 0, set()
    for seed in range(first, first + 8):
        graph = random_graph(random.Random(seed))
        reference = BruteForce(graph, constants=constants)
        for keep in (True, False):
            for support, body, head, confidence in THRESHOLDS:
                limits = {"min_support": support, "min_body": body, "min_head": head, "min_confidence": confidence}
                expected = reference.rules(**limits, keep_redundant=keep)  # type: ignore[arg-type]  # mixed numbers
                mined = mine(graph, constants=constants, keep_redundant=keep, **limits)  # type: ignore[arg-type]
                assert counts(mined) == expected, f"seed {seed}, {limits}, redundant: {keep}"
                compared += len(expected)
                forms |= {_form(rule) for rule in mined.rules}
    assert compared > {"all": 3000, "objects": 1000, "none": 100}[constants]
    assert len(forms) > {"all": 40, "objects": 12, "none": 5}[constants]


# The numbers that decide when bounds are made, and how many rows there are at a time.
_WAYS: list[dict[str, object]] = [
    {"paths._MANY": 10**9, "paths.Paths._many_rows": 10**9},
    {"paths._MANY": -1, "paths.Paths._many_rows": -1},
    {"paths.Paths._many_rows": -1, "paths._MOST_RELATIONS": 0, "index._MOST_PLACES": 0},
    {"paths._MANY": -1, "paths.chunks": lambda sizes, *_: chunks(sizes, 50)},
    {"paths.Paths._many_rows": -1, "paths.chunks": lambda sizes, *_: chunks(sizes, 50)},
]


def _form(rule: Rule) -> tuple[object, ...]:
    """Where a rule has which variables."""
    atoms = (rule.head, *rule.body)
    return tuple(tuple(str(part) if str(part).startswith("?") else "" for part in atom) for atom in atoms)


@pytest.mark.parametrize("way", _WAYS)
@pytest.mark.parametrize("seed", range(4))
def test_paths_in_a_larger_graph_are_those_of_sets(
    seed: int, way: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few of the paths of a graph with hubs make rules. Bounds must not lose them, whether they are made or not."""
    for attribute, value in way.items():
        monkeypatch.setattr(f"kgprobe.mining.{attribute}", value)
    source = random.Random(seed)
    relations: dict[str, set[tuple[str, str]]] = {}
    for number in range(6):
        size = source.choice([60, 200, 500])
        relations[f"p{number}"] = {(_hub(source), _hub(source)) for _ in range(size)}
    relations["p6"] = {
        (s, o) for s, m in relations["p0"] for n, o in relations["p1"] if m == n and source.random() < 0.9
    }
    relations["p7"] = {(o, s) for s, o in relations["p6"] if source.random() < 0.7}
    triples = [Triple(name(s), name(p), name(o)) for p, pairs in relations.items() for s, o in sorted(pairs)]
    least, confidence = source.choice([(20, 0.6), (50, 0.3), (20, 0.1)])
    expected = _paths(relations, least, confidence)
    mined = mine(Graph(triples), constants="none", min_support=least, min_body=1, min_head=1, min_confidence=confidence)
    found = {key: value for key, value in counts(mined).items() if any("?c" in atom for atom in key[0])}
    functional = {p for p, pairs in relations.items() if len({s for s, _ in pairs}) == len(pairs)}
    assert not functional, "no rule is dropped for its functional predicate"
    assert found == expected
    assert len(found) >= 2


def _hub(source: random.Random) -> str:
    return f"n{int(60 * source.random() ** 2)}"


def _paths(relations: dict[str, set[tuple[str, str]]], least: int, confidence: float) -> dict[RuleKey, Counts]:
    """All rules of the form `?a q ?c, ?c r ?b => ?a p ?b`, with q and r in both directions."""
    both = {f"{{}} {p} {{}}": pairs for p, pairs in relations.items()}
    both |= {f"{{1}} {p} {{0}}": {(o, s) for s, o in pairs} for p, pairs in relations.items()}
    found: dict[RuleKey, Counts] = {}
    for q, ones in both.items():
        for r, others in both.items():
            made = {(a, b) for a, c in ones for d, b in others if c == d}
            for p, pairs in relations.items():
                support = len(made & pairs)
                if support >= least and support / len(made) >= confidence:
                    key = rule_key([q.format("?a", "?c"), r.format("?c", "?b")], f"?a {p} ?b")
                    subjects = {s for s, _ in pairs}
                    found[key] = Counts(support, len(made), len(pairs), sum(a in subjects for a, _ in made))
    return found


def test_rules_with_two_atoms_are_those_with_one_body_atom() -> None:
    graph = random_graph(random.Random(3))
    reference = BruteForce(graph, max_atoms=2)
    limits = {"min_support": 1, "min_body": 1, "min_head": 1}
    expected = reference.rules(**limits, min_confidence=0.1, keep_redundant=True)
    assert expected
    found = mine(graph, max_atoms=2, min_confidence=0.1, keep_redundant=True, **limits)  # type: ignore[arg-type]
    assert counts(found) == expected


def test_changes_of_a_graph_count() -> None:
    graph = random_graph(random.Random(5))
    graph.add(Triple(name("n0"), name("new"), name("other")))
    graph.add(Triple(name("n1"), name("new"), name("n0")))
    graph.remove(next(iter(graph)))
    limits = {"min_support": 1, "min_body": 1, "min_head": 1, "min_confidence": 0.5}
    mined = mine(graph, keep_redundant=True, **limits)  # type: ignore[arg-type]
    assert counts(mined) == counts(mine(Graph(graph), keep_redundant=True, **limits))  # type: ignore[arg-type]
    assert any("new" in head for _, head in counts(mined))


def test_examples_match_body_and_head() -> None:
    graph = random_graph(random.Random(7))
    mined = mine(graph, min_support=1, min_body=1, min_head=1, min_confidence=0.3, keep_redundant=True)
    checked = 0
    for rule in mined.rules:
        assert 1 <= len(rule.examples) <= 3
        assert len(rule.examples) == min(3, rule.support)
        for example in rule.examples:
            for atom in (*rule.body, rule.head):
                s, p, o = (example[part.name] if not isinstance(part, Term) else part for part in atom)
                assert Triple(s, p, o) in graph  # type: ignore[arg-type]  # each position holds its own kind of term
                checked += 1
    assert checked > 500


# -- redundancy --------------------------------------------------------------------------------------------------------


def test_a_rule_that_follows_from_part_of_its_body_is_dropped() -> None:
    """All 60 are of A and of B and of C. That A and B imply C says no more than that A implies C."""
    graph = Graph(Triple(name(f"x{n}"), name("type"), name(kind)) for n in range(60) for kind in "ABC")
    graph = Graph([*graph, *(Triple(name(f"y{n}"), name("type"), name("A")) for n in range(5))])
    whole = rule_key(["?a type A", "?a type B"], "?a type C")
    part = rule_key(["?a type B"], "?a type C")
    found, all_found = counts(mine(graph)), counts(mine(graph, keep_redundant=True))
    assert part in found
    assert whole not in found
    assert whole in all_found
    assert all_found[whole] == Counts(60, 60, 60, 60)


def test_a_rule_with_more_confidence_than_its_parts_stays() -> None:
    triples = [Triple(name(f"x{n}"), name("type"), name(kind)) for n in range(60) for kind in "ABC"]
    triples += [Triple(name(f"y{n}"), name("type"), name(kind)) for n in range(60) for kind in "A"]
    triples += [Triple(name(f"z{n}"), name("type"), name(kind)) for n in range(60) for kind in "B"]
    found = counts(mine(Graph(triples)))
    assert found[rule_key(["?a type A", "?a type B"], "?a type C")] == Counts(60, 60, 60, 60)


def test_the_rule_of_figure_16_is_dropped() -> None:
    """`o_status type ?b, ?a type DatatypeProperty => ?a type ?b`, where o_status has one type only."""
    graph = Graph(Triple(name(f"p{n}"), name("type"), name("DatatypeProperty")) for n in range(60))
    graph = Graph([*graph, *(Triple(name(f"o{n}"), name("type"), name("ObjectProperty")) for n in range(60))])
    graph = Graph([*graph, Triple(name("o0"), name("type"), name("Other"))])
    rule = rule_key(["p0 type ?b", "?a type DatatypeProperty"], "?a type ?b")
    assert rule not in counts(mine(graph))
    assert counts(mine(graph, keep_redundant=True))[rule] == Counts(60, 60, 121, 60)


def test_a_head_that_a_functional_predicate_makes_equal_to_a_body_atom_is_dropped() -> None:
    """Each x has one value of p. So `?a p ?c, ?c same ?b => ?a p ?b` holds only where ?b is ?c."""
    triples = [Triple(name(f"x{n}"), name("p"), name(f"v{n % 30}")) for n in range(60)]
    triples += [Triple(name(f"v{n}"), name("same"), name(f"v{n}")) for n in range(30)]
    rule = rule_key(["?a p ?c", "?c same ?b"], "?a p ?b")
    assert rule not in counts(mine(Graph(triples)))
    assert rule in counts(mine(Graph(triples), keep_redundant=True))
    # With a second value for one subject, p is not functional.
    more = [*triples, Triple(name("x0"), name("p"), name("v1"))]
    assert counts(mine(Graph(more)))[rule] == Counts(61, 61, 61, 61)


def test_an_atom_with_one_match_gives_way_to_a_shorter_rule() -> None:
    """That `d type ?b` has one match only says what ?b is. The rule with this value in its place is shorter."""
    triples = [Triple(name(f"x{n}"), name("sub"), name("C")) for n in range(60)]
    triples += [Triple(name(f"x{n}"), name("type"), name("Class")) for n in range(60)]
    triples += [Triple(name("d"), name("type"), name("Class"))]
    long = rule_key(["?a sub C", "d type ?b"], "?a type ?b")
    found = counts(mine(Graph(triples)))
    assert rule_key(["?a sub C"], "?a type Class") in found
    assert long not in found
    assert long in counts(mine(Graph(triples), keep_redundant=True))


def rule_key(body: list[str], head: str) -> RuleKey:
    """A rule whose names are short for IRIs."""

    def atom(text: str) -> str:
        return " ".join(part if part.startswith("?") else str(name(part)) for part in text.split())

    return frozenset(map(atom, body)), atom(head)


# -- several graphs, and limits ----------------------------------------------------------------------------------------


def test_rules_of_several_graphs_are_united_and_their_counts_added() -> None:
    one = Graph(Triple(name(f"x{n}"), name("type"), name(kind)) for n in range(60) for kind in "AB")
    other = Graph(Triple(name(f"y{n}"), name("type"), name(kind)) for n in range(70) for kind in "AB")
    small = Graph(Triple(name(f"z{n}"), name("type"), name(kind)) for n in range(10) for kind in "AB")
    found = counts(mine([one, small, other]))
    assert found[rule_key(["?a type A"], "?a type B")] == Counts(130, 130, 130, 130), "too small a graph has no rule"
    assert mine([one, small, other]) == mine([one, small, other])


def test_only_names_of_the_vocabularies() -> None:
    rdfs, owl = "http://www.w3.org/2000/01/rdf-schema#", "http://www.w3.org/2002/07/owl#"
    kind = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
    triples = [Triple(name(f"x{n}"), kind, NamedNode(f"{owl}Class")) for n in range(60)]
    triples += [Triple(name(f"x{n}"), NamedNode(f"{rdfs}subClassOf"), NamedNode(f"{owl}Thing")) for n in range(60)]
    triples += [Triple(name(f"x{n}"), name("p"), name("C")) for n in range(60)]
    everything = counts(mine(Graph(triples)))
    found = counts(mine(Graph(triples), vocabulary_only=True))
    assert 0 < len(found) < len(everything)
    assert found == {
        key: value for key, value in everything.items() if EX not in key[1] and not any(EX in atom for atom in key[0])
    }


def test_a_search_without_time_says_what_it_did_not_explore() -> None:
    graph = Graph(Triple(name(f"x{n}"), name("type"), name(kind)) for n in range(60) for kind in "AB")
    mined = mine(graph, time_limit=1e-9)
    assert not mined.rules
    assert not mined.is_complete
    assert any("time limit" in each for each in mined.not_explored)
    assert mine(graph, time_limit=600).is_complete


def test_a_search_without_memory_says_so() -> None:
    graph = Graph(Triple(name(f"x{n}"), name("type"), name(kind)) for n in range(60) for kind in "AB")
    mined = mine(graph, memory_mb=1)
    assert not mined.is_complete
    assert "graph 1: all rules (the memory limit of 1 MB was reached)" in mined.not_explored


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"constants": "object"}, "did you mean 'objects'?"),
        ({"max_atoms": 4}, "rules have 2 or 3 atoms"),
        ({"min_confidence": 80}, "from 0 to 1"),
        ({"min_body": 0}, "min_body is 0"),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], words: str) -> None:
    graph = random_graph(random.Random(1))
    with pytest.raises(InputError, match=words.replace("?", r"\?")):
        mine(graph, **options)  # type: ignore[arg-type]


def test_an_empty_graph_is_refused() -> None:
    with pytest.raises(InputError, match="graph 1 is empty"):
        mine(Graph())
