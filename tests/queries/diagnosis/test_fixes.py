# ruff: noqa: E501 - one line for each query
"""A fix is offered if it is near, and the mistake is gone after it and no other has come; `--fix` makes those that are safe."""

from __future__ import annotations

import ast
import re
from collections import Counter

import pytest

from kgprobe.errors import InputError
from kgprobe.queries.diagnosis.changes import fixed_text
from kgprobe.queries.diagnosis.checking import Checker, check_source
from kgprobe.queries.diagnosis.names import distance, is_near
from kgprobe.queries.diagnostics import Fix, Report
from kgprobe.queries.files.query_files import source_of
from kgprobe.queries.files.texts import QueryText
from queries.checks import PREFIXES, check, checker
from queries.diagnosis.broken_queries import MISTAKES, RIGHT, broken

ZOO = """
Declaration(Class(:Animal)) Declaration(Class(:Keeper)) Declaration(Class(:Cage)) DisjointClasses(:Animal :Keeper :Cage)
Declaration(ObjectProperty(:caredForBy)) ObjectPropertyDomain(:caredForBy :Animal) ObjectPropertyRange(:caredForBy :Keeper)
Declaration(ObjectProperty(:livesIn)) ObjectPropertyDomain(:livesIn :Animal) ObjectPropertyRange(:livesIn :Cage)
Declaration(ObjectProperty(:mailbox)) ObjectPropertyDomain(:mailbox :Keeper)
Declaration(DataProperty(:weight)) DataPropertyDomain(:weight :Animal) DataPropertyRange(:weight xsd:integer)
Declaration(DataProperty(:label)) DataPropertyRange(:label xsd:string)
Declaration(DataProperty(:born)) DataPropertyRange(:born xsd:dateTime) Declaration(DataProperty(:bought)) DataPropertyRange(:bought xsd:date)
Declaration(DataProperty(:hatched)) DataPropertyRange(:hatched xsd:gYear) Declaration(DataProperty(:sleeps)) DataPropertyRange(:sleeps xsd:duration)
Declaration(Class(:WeightClass)) Declaration(ObjectProperty(:weightClass)) AnnotationAssertion(rdf:type :visitors rdf:Property)
Declaration(ObjectProperty(:likes)) IrreflexiveObjectProperty(:likes) Declaration(ObjectProperty(:value)) Declaration(NamedIndividual(:anna)) ClassAssertion(:Keeper :anna)
"""


def _report(group: str, head: str = "SELECT *") -> Report:
    return check(f"{head} {{ {group} }}", ZOO)


def _offered(report: Report) -> list[str]:
    return [fix.title for diagnostic in report.diagnostics for fix in diagnostic.fixes]


def _repaired(group: str, head: str = "SELECT *") -> str:
    """The group after all safe fixes."""
    text, _ = fixed_text(f"{PREFIXES}{head} {{ {group} }}", _report(group, head))
    return text[len(f"{PREFIXES}{head} {{ ") : -2]


@pytest.mark.parametrize(
    ("group", "repaired"),
    [
        ("?x a owl:DataProperty", "?x a owl:DatatypeProperty"),
        ("?x rdf:subClassOf* ?y", "?x rdfs:subClassOf* ?y"),
        ("?x rdfs:subClassOF ?y", "?x rdfs:subClassOf ?y"),
        ("?x rdfs:type :Animal", "?x rdf:type :Animal"),
        ("?x a :Anmial", "?x a :Animal"),
        ("?x :caredforBy ?y", "?x :caredForBy ?y"),
        ("?x :weigth ?w", "?x :weight ?w"),
        ("?x <https://example.org/zoo#wieght> ?w", "?x <https://example.org/zoo#weight> ?w"),
        ('?x :weight "40"', "?x :weight 40"),
        ('?x :weight ?w FILTER(?w > "40")', "?x :weight ?w FILTER(?w > 40)"),
        ("?x :label 40", '?x :label "40"'),
        ('?k :mailbox "mailto:eva@zoo.org"', "?k :mailbox <mailto:eva@zoo.org>"),
        ("?keeper :livesIn ?cage . ?keper :weight ?w", "?keeper :livesIn ?cage . ?keper :weight ?w"),
        ("?animal :weight ?w . ?animal :livesIn ?cage . ?anmial :label ?l", "?animal :weight ?w . ?animal :livesIn ?cage . ?animal :label ?l"),
        ("?animal :weight ?weight . ?animal :livesIn ?c FILTER(?wieght > 3 && ?weight < 9)", "?animal :weight ?weight . ?animal :livesIn ?c FILTER(?weight > 3 && ?weight < 9)"),
        ("?keeper :caredForBy ?animal . ?animal a :Animal . ?keeper a :Keeper", "?animal :caredForBy ?keeper . ?animal a :Animal . ?keeper a :Keeper"),
        # literals of other datatypes
        ('?x :born "2020-01-31T00:00:00Z"', '?x :born "2020-01-31T00:00:00Z"^^xsd:dateTime'),
        ('?x :born ?b FILTER(?b < "2020-01-31T10:00:00")', '?x :born ?b FILTER(?b < "2020-01-31T10:00:00"^^xsd:dateTime)'),
        ('?x :bought ?b FILTER(?b < "2020-01-31")', '?x :bought ?b FILTER(?b < "2020-01-31"^^xsd:date)'),
        ("?x :hatched 2020", '?x :hatched "2020"^^xsd:gYear'),
        ('?x :hatched "2020"', '?x :hatched "2020"^^xsd:gYear'),
        ('?x :sleeps "PT8H"', '?x :sleeps "PT8H"^^xsd:duration'),
        ('?x :weight "40"^^xsd:string', "?x :weight 40"),
        ('?x :weight ?w FILTER(?w IN ("40", "50"))', "?x :weight ?w FILTER(?w IN (40, 50))"),
        ('?k :mailbox ?m VALUES ?m { "mailto:a@zoo.org" "mailto:b@zoo.org" }', "?k :mailbox ?m VALUES ?m { <mailto:a@zoo.org> <mailto:b@zoo.org> }"),
        # variables that are never bound
        ("?x :label ?name FILTER(STRLEN(?nmae) > 3)", "?x :label ?name FILTER(STRLEN(?name) > 3)"),
        ("?x :weight ?weight FILTER(?wieght > 3 && ?wieght < 9)", "?x :weight ?wieght FILTER(?wieght > 3 && ?wieght < 9)"),
        ("?x :label ?name BIND(UCASE(?nam) AS ?big)", "?x :label ?name BIND(UCASE(?nam) AS ?big)"),  # `?nam` may be another word
        ("?x :livesIn ?cage . ?cage :label ?l . ?cagee :label ?k", "?x :livesIn ?cage . ?cage :label ?l . ?cage :label ?k"),
        ("?x a :weightClass", "?x a :WeightClass"),
        # names of which nothing says what they stand for
        ("?x <https://example.org/zoo#visitor> ?y", "?x <https://example.org/zoo#visitors> ?y"),
        ("?x <https://example.org/zoo/weight> ?w", "?x <https://example.org/zoo#weight> ?w"),
    ],
)  # fmt: skip
def test_what_is_repaired(group: str, repaired: str) -> None:
    assert _repaired(group) == repaired


@pytest.mark.parametrize(
    "group",
    [
        "?x rdfs:wrong ?y",
        "?x owl:foo ?y",
        "?x a owl:wrong",
        "?x :color ?y",
        "?r :caredForBy ?o . ?u :weight ?w . ?o :weight ?v",  # another variable would only silence the error
        "?x a :Animal FILTER NOT EXISTS { ?x a :Keeper }",
        "?x :label ?object FILTER(STRLEN(?subject) > 3)",
        "?x :label ?related FILTER(STRLEN(?created) > 3)",
        "?x a :Animal FILTER NOT EXISTS { ?x :mailbox ?y }",
    ],
)
def test_what_has_no_near_fix(group: str) -> None:
    report = _report(group)
    assert not [title for title in _offered(report) if "variable" in title or "name" in title], _offered(report)
    if "caredForBy" not in group:  # which the ontology confirms when it is turned round
        assert _repaired(group) == group


@pytest.mark.parametrize(
    ("group", "shown"),
    [
        # one end fits, so that the other may be the wrong variable
        ("?x :livesIn ?c . ?c :caredForBy ?k", "swap the ends: ?c :livesIn ?x"),
        ("?k :caredForBy ?a . ?a a :Animal", "swap the ends: ?a :caredForBy ?k"),
        ("?x :label ?n . ?n :caredForBy ?k", "swap the ends: ?n :label ?x"),
        ("?x :label ?n . ?k :livesIn ?n", "swap the ends: ?n :label ?x"),
        ("?x :caredForBy ?k MINUS { ?k :weight ?w }", "swap the ends: ?k :caredForBy ?x"),
        ("?x :caredForBy [ :weight ?w ]", "follow the property backwards: ?x ^:caredForBy [ :weight ?w ]"),
        # the data may have it
        ("?x :caredForBy :ana", "use the nearest name: :anna"),
        # short names may be other words
        ("?x :label ?data FILTER(STRLEN(?date) > 3)", "use the variable ?data"),
        # either condition may be wrong
        ("?x :likes ?y . ?y ?p ?v FILTER(?v > 3) FILTER(LANG(?v) = 'en')", 'write "3"'),
        # two numbers as strings: the condition of one of them may be wrong
        ("?x :weight ?w BIND(3 AS ?y) FILTER(?y > 4)", 'write "3", "4"'),
        ("?x :weight ?w VALUES ?y { 3 } FILTER(?y > 4)", 'write "3", "4"'),
        # no data with 3 have 3.0
        ('?x :weight "3.0"', "write 3.0"),
        # another variable of the query fits
        ("?a :caredForBy ?k . ?k :likes ?k", "use another variable: ?k2"),
        # another prefix has the name, too
        ("?x owl:value ?y", "use the nearest name: :value"),
        ("?x owl:value ?y", "use the nearest name: rdf:value"),
        ("?x rdfs:weight ?y", "use the nearest name: :weight"),
        ("?x :subClassOf ?y", "use the nearest name: rdfs:subClassOf"),
    ],
)
def test_what_is_only_plausible_is_shown_but_not_made(group: str, shown: str) -> None:
    report = _report(group)
    assert shown in _offered(report), _offered(report)
    assert _repaired(group) == group


def test_a_template_is_not_turned_round() -> None:
    for head in ("CONSTRUCT { ?p :label ?n } WHERE", "INSERT { ?p :label ?n } WHERE"):
        group = "?n :label ?p"
        assert _report(group, head).diagnostics
        assert _repaired(group, head) == group


@pytest.mark.parametrize(
    "text",
    [
        "DELETE WHERE { ?x :wieght ?w }",
        "DELETE { ?x :weight ?ww } WHERE { ?x :weight ?w }",
        "DELETE { ?x :weight ?weight } WHERE { ?x :weight ?weight FILTER(?wieght > 3) }",
        "DELETE { ?x :weight ?w } INSERT { ?x :weight 4 } WHERE { ?x :weight ?w ; :lable 'a' }",
    ],
)
def test_an_update_that_deletes_is_never_changed(text: str) -> None:
    report = check(text, ZOO)
    assert report.diagnostics
    assert fixed_text(PREFIXES + text, report)[1] == 0


def test_an_update_may_replace_names_that_are_unknown() -> None:
    """It mends data that have a wrong name."""
    report = check("DELETE { ?x :wieght ?w } INSERT { ?x :weight ?w } WHERE { ?x :wieght ?w }", ZOO)
    assert [(diagnostic.is_error, diagnostic.fixes) for diagnostic in report.diagnostics] == [(False, ())] * 2
    assert "but this update replaces it by other names" in report.diagnostics[0].message
    assert check("DELETE { ?x :weight ?w } INSERT { ?x :wieght ?w } WHERE { ?x :weight ?w }", ZOO).errors
    assert check("DELETE { ?x :wieght ?w } WHERE { ?x :wieght ?w }", ZOO).errors


def test_a_namespace_that_is_almost_a_known_one() -> None:
    for wrong in (
        "https://example.org/zoo/",
        "https://example.org/zoo",
        "https://example.org/zo#",
        "https://exmaple.org/zoo#",
    ):
        query = f"PREFIX z: <{wrong}> SELECT ?x {{ ?x a z:Animal ; z:weight ?w }}"
        report = checker(ZOO).check(QueryText.whole("query.rq", query))
        text, applied = fixed_text(query, report)
        assert text == query.replace(wrong, "https://example.org/zoo#"), report
        assert applied == 1  # one change mends all names
    # The ontology has no z:Fish in any namespace.
    query = "PREFIX z: <https://example.org/zoo/> SELECT ?x { ?x a z:Animal , z:Fish }"
    assert fixed_text(query, checker(ZOO).check(QueryText.whole("query.rq", query)))[0] == query


def test_a_declaration_of_a_namespace_that_the_ontology_has_stays() -> None:
    """The prefix of the name is wrong, not what it stands for."""
    ontology = "Declaration(Class(<https://example.org/zo#Visitor>)) Declaration(Class(:Animal))"
    query = "PREFIX zo: <https://example.org/zo#> SELECT ?x { ?x a zo:Animal }"
    report = check(query, ontology)
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["unknown-term"]
    assert _offered(report) == ["use the nearest name: :Animal"]
    assert fixed_text(PREFIXES + query, report) == (PREFIXES + query, 0)


def test_a_fix_writes_only_prefixes_that_the_text_has() -> None:
    """Software may know others, such as those of the ontology, but the engine that runs the query may not."""
    others = {"xsd": "http://www.w3.org/2001/XMLSchema#"}
    text = 'PREFIX : <https://example.org/zoo#> ASK { ?x :bought "2020-01-31" }'
    for query, datatype in (
        (text, "<http://www.w3.org/2001/XMLSchema#date>"),
        (text.replace(" }", " ; :weight '3'^^xsd:integer }"), "xsd:date"),
    ):
        report = checker(ZOO).check(QueryText.whole("query.rq", query), others)
        assert fixed_text(query, report)[0] == query.replace('"2020-01-31"', f'"2020-01-31"^^{datatype}')


def test_a_fix_leaves_the_program_around_a_query_intact() -> None:
    prefixes = "PREFIX : <https://example.org/zoo#> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>"
    source = f'''
A = "{prefixes} ASK {{ ?x :bought '2020-01-31' }}"
B = "{prefixes} ASK {{ ?x :label 40 }}"
C = """{prefixes} ASK {{ ?x :bought "2020-01-31" }}"""
D = "{prefixes} ASK {{ ?x :bought \\"2020-01-31\\" }}"
E = '{prefixes} ASK {{ ?x :weight "40" }}'
'''
    report, errors = check_source(source_of("queries.py", source), checker(ZOO))
    assert not errors
    assert len(report.errors) == 5
    text, applied = fixed_text(source, report)
    ast.parse(text)
    assert applied == 3
    assert text == source.replace("'2020-01-31'", "'2020-01-31'^^xsd:date").replace('ht "40"', "ht 40").replace(
        ' "2020-01-31"', ' "2020-01-31"^^xsd:date'
    )


def test_results_keep_their_values() -> None:
    """A column is never renamed without the user, and a variable that is a column is not taken from the pattern."""
    for column, variable in (("?agnt", "?agent"), ("?agent", "?agnt")):
        group = f"{variable} :weight ?w . {variable} :livesIn ?c"
        assert _offered(_report(group, head=f"SELECT {column}")) == [f"use the variable {variable}"]
        assert _repaired(group, head=f"SELECT {column}") == group


def test_a_variable_with_another_number_is_shown_only() -> None:
    group = "?animal1 :weight ?w . ?animal1 :livesIn ?c . ?animal2 :label ?l"
    report = _report(group)
    assert _offered(report) == ["use the variable ?animal1"]
    assert _repaired(group) == group


def _after(fix: Fix, text: str) -> str:
    for edit in sorted(fix.edits, key=lambda each: each.place.start, reverse=True):
        text = text[: edit.place.start] + edit.text + text[edit.place.end :]
    return text


def _shape(text: str) -> str:
    """A query without the names of its variables."""
    numbers: dict[str, int] = {}
    return re.sub(r"\?\w+", lambda found: f"?{numbers.setdefault(found[0], len(numbers))}", text)


def _outcome(right: str, wrong: str, by: Checker) -> str:
    try:
        report = by.check(QueryText.whole("query.rq", wrong))
    except InputError:
        return "refused"
    text, _ = fixed_text(wrong, report)
    fixes = [fix for diagnostic in report.diagnostics for fix in diagnostic.fixes]
    for fix in fixes:
        after = by.check(QueryText.whole("query.rq", _after(fix, wrong)))
        assert len(after.diagnostics) < len(report.diagnostics), (wrong, fix)
    if _shape(text) == _shape(right):
        return "repaired"
    if text != wrong:
        return "wrongly changed"
    if not report.diagnostics:
        return "not noticed"
    return "shown" if any(_after(fix, wrong) == right for fix in fixes) else "no right fix"


def test_right_queries_have_no_findings() -> None:
    for query in RIGHT:
        assert not checker().check(QueryText.whole("query.rq", query)).diagnostics, query


@pytest.mark.parametrize("seed", range(3))
def test_broken_queries_are_repaired_and_never_changed_wrongly(seed: int) -> None:
    """Of 300 broken queries, about three quarters become what they were, and none another one."""
    outcomes = Counter((kind, _outcome(right, wrong, checker())) for kind, right, wrong in broken(seed, 100))
    print("\n".join(f"{kind}: {outcome} {count}" for (kind, outcome), count in sorted(outcomes.items())))
    counts = Counter(outcome for kind, outcome in outcomes.elements())
    assert counts["wrongly changed"] == 0, outcomes
    assert counts["repaired"] >= 60, outcomes
    for kind in MISTAKES:
        assert outcomes[kind, "repaired"] > 0, outcomes


def test_distances() -> None:
    for one, other, changes in [
        ("", "", 0),
        ("a", "", 1),
        ("abcd", "abdc", 1),
        ("abc", "axc", 1),
        ("kitten", "sitting", 3),
    ]:
        assert distance(one, other) == distance(other, one) == changes
    assert is_near("agnt", "agent")
    assert is_near("DataProperty", "DatatypeProperty")
    assert not is_near("wrong", "range")
    assert not is_near("created", "related")
    assert not is_near("subject", "object")
    assert not is_near("a", "b")
    assert not is_near("agent", "agent")
