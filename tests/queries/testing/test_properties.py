"""All kinds of properties and of queries: which pass, which are falsified, and with how few triples."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from kgprobe.config.query_data import read_wishes
from kgprobe.errors import InputError
from kgprobe.queries import test as query_test
from kgprobe.queries.testing.data import Outcome, Wishes
from kgprobe.queries.testing.expansion import deviations
from kgprobe.queries.testing.request import Request, Text, read_expectation
from kgprobe.queries.testing.run import Settings, prepared_test
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Term, Triple
from kgprobe.reasoners.auto import opened
from kgprobe.sparql.documents import read_document

from .social_network import FOLDER, PREFIXES, case, result_of, social_network

PASSED = [
    ("SELECT ?u (COUNT(?e) AS ?n) { ?u sn:attends_to ?e } GROUP BY ?u HAVING(COUNT(?e) > 2)", "?n: xsd:integer[>= 3]"),
    ("SELECT ?x { VALUES ?x { sn:antonio sn:luis } ?x sn:age ?a }", "?x: sn:User"),
    ("SELECT ?x { [] sn:friend_of [ sn:friend_of ?x ] }", "?x: sn:User"),
    ("SELECT ?x { ?x sn:age ?a FILTER(isBlank(?x)) }", "?x: sn:User"),
    ("SELECT ?u { ?u sn:name ?n FILTER(REGEX(?n, '^Ab+c')) }", "?u: sn:name some xsd:string"),
    (
        "SELECT ?e { ?e sn:date ?d FILTER(YEAR(?d) = 2018 && MONTH(?d) = 8) }",
        '?e: sn:date some xsd:dateTime[>= "2017-01-01T00:00:00Z"^^xsd:dateTime]',
    ),
]


@pytest.mark.parametrize(("text", "expected"), PASSED)
def test_a_property_that_holds(text: str, expected: str) -> None:
    result = result_of(text, Request(expect=[expected]), tests=60)
    assert result.outcome is Outcome.PASSED, result
    assert result.nontrivial > 0


FALSIFIED: list[tuple[str, Request, int]] = [
    (
        "SELECT ?u { ?u a sn:User OPTIONAL { ?u sn:age ?a } FILTER(!BOUND(?a) || ?a > 18) }",
        Request(expect=["?u: sn:age some xsd:integer[> 18]"]),
        1,
    ),
    ("SELECT ?a ?b { ?a sn:friend_of+ ?b }", Request(related=["?a sn:friend_of ?b"]), 2),
    ("ASK { ?a sn:friend_of ?b . FILTER NOT EXISTS { ?b sn:friend_of ?a } }", Request(empty=True), 1),
    ("SELECT ?x ?y { ?x sn:age ?a . ?y sn:age ?b FILTER(?a < ?b) }", Request(at_most=2), 2),
    ("SELECT ?x { ?x sn:age ?a FILTER(?a > 40) }", Request(nonempty=True), 0),
    (
        "SELECT ?x { ?x sn:age ?a FILTER(?a > 18) }",
        Request(same_as=[Text("SELECT ?x { ?x sn:age ?a FILTER(?a >= 18) }", "other.rq")]),
        1,
    ),
    (
        "SELECT DISTINCT ?x { ?x sn:likes ?y }",
        Request(same_as=[Text("SELECT ?x { ?x sn:likes ?y }", "other.rq")]),
        2,
    ),
    ("SELECT ?x { ?x sn:age ?a }", Request(ask=[Text("ASK { ?x a sn:User }", "user.rq")]), 1),
    ("SELECT ?e ?y { ?e sn:date ?d BIND(YEAR(?d) AS ?y) }", Request(expect=["?y: xsd:integer[>= 2000]"]), 1),
    ("CONSTRUCT { ?b sn:likes ?a } { ?a sn:likes ?b }", Request(expect=["?subject: sn:User"]), 1),
]


@pytest.mark.parametrize(("text", "request_", "triples"), FALSIFIED)
def test_a_property_that_does_not_hold(text: str, request_: Request, triples: int) -> None:
    result = result_of(text, request_)
    assert result.outcome is Outcome.FALSIFIED
    assert result.counterexample is not None
    assert len(result.counterexample.triples) == triples, result.counterexample.turtle


PROVEN = [
    ("SELECT ?x { { ?x sn:likes ?e } UNION { ?x sn:attends_to ?e } }", ["?x: sn:User"]),
    ("SELECT ?x ?y { { ?x sn:likes ?e } UNION { ?y sn:date ?d } }", ["?x: sn:User", "?y: sn:Activity"]),
    ("SELECT ?x { ?x (sn:likes|sn:attends_to) ?e }", ["?x: sn:User"]),
    ("SELECT ?x { { { ?x sn:likes ?e } UNION { ?x sn:age ?a } } UNION { ?x sn:name ?n } }", ["?x: sn:User"]),
]
NOT_PROVEN = [
    ("SELECT ?x { { ?x sn:likes ?e } UNION { ?x sn:date ?d } }", "?x: sn:User"),
    ("CONSTRUCT { ?o sn:likes ?subject } WHERE { ?subject sn:likes ?o }", "?subject: sn:User"),
    ("SELECT ?x { { ?x sn:likes ?e } UNION { ?y sn:likes ?e } } VALUES ?x { sn:athleticswch }", "?x: sn:User"),
]


@pytest.mark.parametrize(("text", "expected"), PROVEN)
def test_what_each_branch_entails_is_proven(text: str, expected: list[str]) -> None:
    result = result_of(text, Request(expect=expected), tests=40)
    assert (result.outcome, result.proven) == (Outcome.PASSED, True)


@pytest.mark.parametrize(("text", "expected"), NOT_PROVEN)
def test_what_one_branch_does_not_entail_is_not_proven(text: str, expected: str) -> None:
    result = result_of(text, Request(expect=[expected]), tests=40)
    assert (result.outcome, result.proven) == (Outcome.FALSIFIED, False)


NEIGHBOURS = [
    ("SELECT ?x { ?x a sn:Event }", "SELECT ?x { ?x a sn:Event FILTER NOT EXISTS { ?x a sn:Activity } }"),
    ("SELECT ?x { ?x sn:created_by ?y }", "SELECT ?x { ?x (sn:created_by|sn:added_by) ?y }"),
    ("SELECT ?x { ?x sn:added_by ?y }", "SELECT DISTINCT ?x { ?x sn:added_by|sn:created_by ?y }"),
    ("SELECT ?x ?y { ?x sn:friend_of ?y }", "SELECT ?x ?y { ?x sn:friend_of|^sn:friend_of ?y }"),
    ("SELECT ?x ?y { ?x sn:likes ?y }", "SELECT DISTINCT ?x ?y { ?x sn:likes|^sn:liked_by ?y }"),
]


@pytest.mark.parametrize(("text", "other"), NEIGHBOURS)
def test_near_misses_in_the_hierarchy_and_in_the_opposite_direction(text: str, other: str) -> None:
    result = result_of(text, Request(same_as=[Text(other, "other.rq")]), tests=60)
    assert result.outcome is Outcome.FALSIFIED


def test_data_next_to_a_pattern_come_without_another_query() -> None:
    with opened() as reasoner:
        text = "SELECT * { ?x a sn:Activity . ?x sn:created_by ?y . ?y sn:friend_of ?z }"
        test = prepared_test(text, social_network(), Request(), reasoner, Settings(), prefixes=PREFIXES)
        made = [str(datum) for data in islice(test.data_sets, 30) for datum in data]
    for name in ("Event", "Message", "added_by", "sent_by"):
        assert any(name in each for each in made), name
    assert any(each.startswith("<urn:kgprobe:new:z>") for each in made)


def test_an_inverse_property_follows_and_is_proven() -> None:
    result = result_of("SELECT ?a ?b { ?b sn:liked_by ?a }", Request(related=["?a sn:likes ?b"]), tests=40)
    assert (result.outcome, result.proven) == (Outcome.PASSED, True)


def test_possible_is_weaker_than_entailed() -> None:
    text = "SELECT ?x { ?x a sn:User }"
    young = ["?x: sn:age some xsd:integer[< 40]"]
    assert result_of(text, Request(expect=young)).outcome is Outcome.FALSIFIED
    possible = result_of(text, Request(expect=young, possible=True))
    assert possible.outcome is Outcome.FALSIFIED  # antonio is 40, and age is functional
    assert possible.counterexample is not None
    assert possible.counterexample.triples == ()
    activity = result_of(text, Request(expect=["?x: not sn:Message"], possible=True), tests=40)
    assert activity.outcome is Outcome.PASSED


def test_entailment_changes_what_a_query_sees() -> None:
    text = "SELECT ?e { ?e a sn:Activity }"
    seen = query_test(text, FOLDER / "ontology.ttl", nonempty=True, regime="rdfs", tests=10)
    assert seen.outcome is Outcome.PASSED  # athleticswch is an event, and so an activity
    unseen = query_test(text, FOLDER / "ontology.ttl", nonempty=True, tests=10)
    assert unseen.outcome is Outcome.FALSIFIED


def test_a_function_checks_answers() -> None:
    def is_old(answer: Mapping[str, Term], graph: Graph) -> bool:
        age = NamedNode(PREFIXES["sn"] + "age")
        return any(int(triple.object.value) >= 40 for triple in graph.triples(answer["x"], age))  # type: ignore[union-attr]

    def fails(answer: Mapping[str, Term], graph: Graph) -> Any:
        raise ValueError(f"{len(answer)} of {len(graph)}")

    text = "SELECT ?x { ?x sn:age ?a FILTER(?a >= 40) }"
    assert query_test(text, FOLDER / "ontology.ttl", checks=[is_old], tests=30).outcome is Outcome.PASSED
    result = query_test(text, FOLDER / "ontology.ttl", checks=[fails])
    assert result.counterexample is not None
    assert "the function raises ValueError: 1 of " in result.counterexample.reason


def test_wishes_for_the_data_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "data.toml"
    file.write_text('individuals = 8\n[properties."sn:age"]\nvalues = [41, 60]\n[classes."sn:User"]\nleast = 2\n')
    wishes = read_wishes(file, social_network(), PREFIXES)
    assert wishes.individuals == 8
    with opened() as reasoner:
        test = prepared_test(case(3), social_network(), Request(), reasoner, Settings(wishes=wishes), prefixes=PREFIXES)
        sets = [data for _, data in zip(range(200), test.data_sets, strict=False)]
    ages = {str(t.object.value) for data in sets for t in data if t.predicate.value.endswith("#age")}  # type: ignore[union-attr]
    assert ages == {"41", "60"}
    large = [data for data in sets if len({str(t.subject) for t in data}) > 3]
    assert len(large) > 50


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[properties."sn:agee"]\nvalues = [1]', ":1:1: the ontology has no property sn:agee (did you mean 'sn:age'?)"),
        ('[properties."sn:age"]\nvalues = ["x"]', ":2:11: 'x' is not in the range of sn:age"),
        ('[properties."sn:age"]\nvalue = [1]', ":2:1: 'value' is not a key (did you mean 'values'?)"),
        ('[classes."sn:User"]\nleast = 3\nmost = 2', ":2:9: least is 3, which is more than most, 2"),
        ("individuals = 0", ":1:15: 'individuals' is a whole number from 1"),
        ("classes = 3", ":1:11: 'classes' is a table"),
        ('[classes."sn:User"]\nnames = [3]', "a name is a text"),
        ("x =", ":1:"),
    ],
)
def test_wrong_wishes_are_refused(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "data.toml"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_wishes(file, social_network(), PREFIXES)
    assert message in str(caught.value)


def test_every_way_to_match_has_a_template() -> None:
    text = """SELECT * { { ?a sn:likes ?b } UNION { ?a sn:attends_to ?b } OPTIONAL { ?a sn:age ?c }
        ?a sn:friend_of* ?d  FILTER NOT EXISTS { ?a sn:name ?n } }"""
    [query] = read_document(text, "q", PREFIXES).operations
    names = [
        sorted(triple[1].value.rpartition("#")[2] for triple in deviation.triples)  # type: ignore[union-attr]
        for deviation in deviations(query)  # type: ignore[arg-type]
    ]
    assert names[0] == ["age", "friend_of", "likes"]
    assert ["age", "attends_to", "friend_of"] in names
    assert ["friend_of", "likes"] in names
    assert ["age", "likes"] in names  # no step
    assert ["age", "friend_of", "friend_of", "likes"] in names
    assert ["age", "friend_of", "likes", "name"] in names


def test_both_sides_of_a_boundary_are_tried() -> None:
    with opened() as reasoner:
        test = prepared_test(case(3), social_network(), Request(), reasoner, Settings(), prefixes=PREFIXES)
        sets = [data for _, data in zip(range(120), test.data_sets, strict=False)]
    values = {t.object.value for data in sets for t in data if isinstance(t.object, Literal)}
    assert {"39", "40", "41", "2016-12-31T23:59:59Z", "2017-01-01T00:00:00Z"} <= values


SN = PREFIXES["sn"]
NEW_USERS = "SELECT ?u ?a { ?u a sn:User ; sn:age ?a FILTER(?a < 60 && ?u NOT IN (sn:antonio, sn:luis, sn:jesus)) }"


def _counted(number: int) -> tuple[Literal, ...]:
    return (Literal(str(number), datatype=XSD.integer),)


@pytest.mark.parametrize(
    ("wishes", "text"),
    [
        (Wishes(values={NamedNode(f"{SN}age"): (*_counted(50), *_counted(30))}), NEW_USERS),
        (Wishes(values={NamedNode(f"{SN}age"): _counted(50)}, least={NamedNode(f"{SN}User"): 5}), NEW_USERS),
        (Wishes(members={NamedNode(f"{SN}User"): (NamedNode(f"{SN}eva"), NamedNode(f"{SN}tom"))}), NEW_USERS),
        (Wishes(least={NamedNode(f"{SN}friend_of"): 2}), "SELECT ?u { ?u sn:friend_of ?v , ?w FILTER(?v != ?w) }"),
        (Wishes(least={NamedNode(f"{SN}Event"): 3}, most={NamedNode(f"{SN}Event"): 3}), NEW_USERS),
    ],
)
def test_a_counterexample_meets_what_the_user_wants_of_the_data(wishes: Wishes, text: str) -> None:
    result = result_of(text, Request(expect=["?u: sn:Event"]), wishes=wishes, tests=80)
    assert result.counterexample is not None
    assert not wishes.unmet(result.counterexample.triples, social_network()), result.counterexample.turtle


def test_what_data_lack_of_a_wish() -> None:
    age, user, luis = (NamedNode(f"{SN}{name}") for name in ("age", "User", "luis"))
    eva, [fifty], [zero] = NamedNode(f"{SN}eva"), _counted(50), _counted(0)
    member = Triple(eva, RDF.type, user)
    for wishes, data, unmet in [
        (Wishes(values={age: (fifty,)}), [Triple(eva, age, fifty)], set()),
        (Wishes(values={age: (fifty,)}), [Triple(eva, age, fifty), Triple(luis, age, zero)], {("values", age)}),
        (Wishes(members={user: (luis,)}), [member], {("values", user)}),
        (Wishes(members={user: (luis, eva)}), [member], set()),
        (Wishes(most={age: 1}), [Triple(eva, age, fifty), Triple(eva, age, zero)], {("most", age)}),
        (Wishes(least={age: 2}), [Triple(eva, age, fifty)], {("least", age)}),
        (Wishes(least={age: 2}), [member], set()),
        (Wishes(least={user: 50}), [member], {("least", user)}),
    ]:
        assert wishes.unmet(data, social_network()) == unmet, (wishes, data)


@pytest.mark.parametrize("shape", ["{}", "({})", "(({}))", "{} and {}", "{} or {}", "not ({})", "(not ({})) and ({})"])
@pytest.mark.parametrize(
    ("expression", "is_data"),
    [
        *((f"{word}{each}", False) for word in ("", "not ") for each in (
            "sn:User", "<https://example.org/social-network#User>", "(sn:age some xsd:integer)", "(sn:age value 40)",
            "(inverse sn:likes some sn:User)", "(sn:likes Self)", "(sn:likes min 2)", "(sn:likes exactly 1 sn:Event)",
            "{sn:antonio, sn:athleticswch}", "(sn:likes only (not sn:User or sn:Event))", "owl:Thing",
            "(inverse (sn:likes) only not sn:User)", "(sn:age max 1 integer)", "(sn:name value \"Eva\"@en)",
        )),
        ("sn:age some xsd:integer[>= 18, < 40]", False),
        ("inverse sn:likes some inverse sn:likes some sn:User", False),
        ("sn:User that sn:age some not {40, 41}", False),
        *((f"{word}{each}", True) for word in ("", "not ") for each in (
            "xsd:integer", "integer", "{1, 2}", "{\"a\"@en, true}", "(xsd:integer[> 3] or xsd:string)", "rdfs:Literal",
            "({1.5} or not xsd:decimal)", "<http://www.w3.org/2001/XMLSchema#integer>",
        )),
    ],
)  # fmt: skip
def test_all_forms_of_class_expressions_and_data_ranges(expression: str, is_data: bool, shape: str) -> None:
    schema = social_network()
    prefixes = {**PREFIXES, "owl": OWL.iri, "rdfs": RDFS.iri}
    text = shape.replace("{}", expression)
    for written in (f"?u: {text}", f"?u :{text}", f"$u:  {text} "):
        found = read_expectation(written, schema, prefixes, ["u"])
        assert found.is_data_range == is_data
    assert read_expectation(f"?u: ({text})", schema, prefixes, ["u"]).kind == found.kind


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not",
        "not not",
        "sn:User and",
        "(sn:User",
        "sn:User)",
        "sn:likes some",
        "{}",
        "not {",
        "sn:age some [> 3]",
        "inverse",
    ],
)
def test_what_is_no_class_expression(text: str) -> None:
    with pytest.raises(InputError) as raised:
        read_expectation(f"?u: {text}", social_network(), PREFIXES, ["u"])
    assert raised.value.where is not None
    assert "prefix ':'" not in raised.value.message
