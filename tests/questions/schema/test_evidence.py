"""Traits that the facts support, and facts that contradict stated traits."""

from __future__ import annotations

import random
from itertools import permutations, product

import pytest

from kgprobe.questions.schema.evidence import mine
from kgprobe.questions.schema.traits import Schema, schema_of
from kgprobe.questions.settings import RelationSettings, Settings
from questions.fact_tables import facts_in, id_in


def turtle(relation: str, pairs: list[tuple[str, str]]) -> str:
    return "".join(f":{a} :{relation} :{b} .\n" for a, b in pairs)


def mined_in(graph: str) -> tuple[Schema, dict[str, set[str]]]:
    schema = schema_of(facts_in(graph), Settings(mine=True))
    return schema, {each.iri.removeprefix("http://e.org/"): set(each.mined) for each in schema.relations.values()}


CHAIN = [(f"n{i}", f"n{j}") for i in range(9) for j in range(i + 1, 9)]
PAIRS = [(f"a{i}", f"b{i}") for i in range(30)]


def test_a_closed_order_is_transitive_and_asymmetric() -> None:
    _, mined = mined_in(turtle("before", CHAIN))
    assert mined["before"] == {"transitive", "asymmetric", "irreflexive"}


def test_a_relation_with_both_directions_is_symmetric() -> None:
    schema, mined = mined_in(turtle("near", [*PAIRS, *((b, a) for a, b in PAIRS)]))
    assert mined["near"] == {"symmetric", "irreflexive", "functional", "inverse-functional"}
    assert next(iter(schema.relations.values())).mined["symmetric"].instances == 60


def test_a_missing_direction_in_fifty_is_tolerated_and_three_are_not() -> None:
    many = [(f"a{i}", f"b{i}") for i in range(100)]
    back = [(b, a) for a, b in many]
    _, mined = mined_in(turtle("near", many + back[:99]))
    assert "symmetric" in mined["near"]
    _, mined = mined_in(turtle("near", many + back[:95]))
    assert "symmetric" not in mined["near"]


def test_few_facts_support_nothing() -> None:
    _, mined = mined_in(turtle("near", PAIRS[:15]))
    assert mined["near"] == set()


def test_facts_between_things_of_one_class_without_a_path_do_not_show_that_a_relation_is_asymmetric() -> None:
    people = "".join(f":{each} a :Person .\n" for pair in PAIRS for each in pair)
    _, mined = mined_in(turtle("knows", PAIRS) + people)
    assert "asymmetric" not in mined["knows"]
    books = "".join(f":{a} a :Book . :{b} a :Person .\n" for a, b in PAIRS)
    _, mined = mined_in(turtle("author", PAIRS) + books)
    assert "asymmetric" in mined["author"]


def test_a_circle_of_three_shows_that_a_relation_need_not_be_asymmetric() -> None:
    line = [(f"n{i}", f"n{i + 1}") for i in range(40)]
    _, mined = mined_in(turtle("next", line))
    assert "asymmetric" in mined["next"]
    _, mined = mined_in(turtle("next", [*line, ("n2", "n0")]))
    assert "asymmetric" not in mined["next"]


def test_a_second_value_is_enough_to_exclude_a_functional_relation() -> None:
    _, mined = mined_in(turtle("capital", [*PAIRS, ("a3", "b100")]))
    assert "functional" not in mined["capital"]
    assert "inverse-functional" in mined["capital"]


def test_inverse_relations_and_narrower_relations() -> None:
    graph = turtle("contains", CHAIN) + turtle("inside", [(b, a) for a, b in CHAIN]) + turtle("over", [*CHAIN, *PAIRS])
    facts = facts_in(graph)
    schema = schema_of(facts, Settings(mine=True))
    contains, inside, over = (id_in(facts, name) for name in ("contains", "inside", "over"))
    assert set(schema.mined_pairs) == {
        ("inverse", contains, inside),
        ("inverse", inside, contains),
        ("sub-property", contains, over),
    }
    assert (contains, over) in schema.sub_properties
    assert (over, contains) not in schema.sub_properties


def test_a_stated_trait_is_not_marked_as_mined() -> None:
    _, mined = mined_in(turtle("before", CHAIN) + ":before a owl:TransitiveProperty .")
    assert mined["before"] == {"asymmetric", "irreflexive"}


def test_nothing_is_mined_unless_asked_for() -> None:
    schema = schema_of(facts_in(turtle("before", CHAIN)), Settings())
    assert all(not each.mined for each in schema.relations.values())


@pytest.mark.parametrize("seed", range(12))
def test_mining_agrees_with_the_definitions(seed: int) -> None:
    chance = random.Random(seed)
    things = [f"t{i}" for i in range(chance.randint(5, 9))]
    share = chance.choice([0.3, 0.6, 0.95, 1.0])
    facts = {pair for pair in permutations(things, 2) if chance.random() < share}
    if chance.random() < 0.5:
        facts |= {(b, a) for a, b in facts}
    graph = facts_in(turtle("r", sorted(facts)) + ":x :other :y .")
    found = mine(graph, -1).traits.get(id_in(graph, "r"), {})
    both = sum((b, a) in facts for a, b in facts)
    paths = [(a, c) for (a, b), (d, c) in product(facts, facts) if b == d and a != c]
    agreeing = sum(path in facts for path in paths)
    assert ("symmetric" in found) == (len(facts) >= 20 and both >= 0.98 * len(facts))
    assert ("transitive" in found) == (len(paths) >= 20 and agreeing >= 0.98 * len(paths))
    if "transitive" in found:
        assert found["transitive"].instances == len(paths)
    assert not (both and "asymmetric" in found)


# ---- contradictions


@pytest.mark.parametrize(
    ("graph", "note"),
    [
        (
            ":r a owl:AsymmetricProperty . :a :r :b . :b :r :a .",
            "http://e.org/r is asymmetric, but 1 of its facts hold both ways, for example http://e.org/a and http://e.org/b",
        ),
        (
            ":r a owl:IrreflexiveProperty . :a :r :a .",
            "http://e.org/r is irreflexive, but 1 of its facts are about a thing and itself,"
            " for example http://e.org/a and http://e.org/a",
        ),
        (
            ":C owl:disjointWith :D . :E rdfs:subClassOf :D . :a a :C, :E .",
            "http://e.org/C and http://e.org/D are disjoint, but have 1 common members, for example http://e.org/a",
        ),
        (
            ":r owl:propertyDisjointWith :q . :a :r :b ; :q :b .",
            "http://e.org/r and http://e.org/q are disjoint, but 1 facts of one hold for the other, too,"
            " for example http://e.org/a and http://e.org/b",
        ),
    ],
)
def test_a_graph_that_contradicts_its_schema_gets_a_note(graph: str, note: str) -> None:
    assert schema_of(facts_in(graph), Settings()).notes == (note,)


def test_two_values_contradict_a_functional_relation_only_if_names_are_unique() -> None:
    facts = facts_in(":a :r :b, :c .")
    relations = {"r": RelationSettings(traits=("functional",))}
    assert schema_of(facts, Settings(relations=relations)).notes == ()
    (note,) = schema_of(facts, Settings(relations=relations, unique_names=True)).notes
    assert "is functional, but 1 of its facts state a second value" in note
