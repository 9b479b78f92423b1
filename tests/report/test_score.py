"""The score of a suite as text, as JSON and in JUnit's format says the same."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from kgprobe.report.score import score_as_json, score_as_junit, score_lines
from kgprobe.suite_score.model import Fate, LeftOut, Outcome, Score, Survivor, TestScore

SURVIVOR = Survivor("- A SubClassOf B", "SubClassOf", "urn:a#A", "ASK { <urn:a#A> ?p ?o }")
SCORE = Score(
    mutants=4,
    killed=1,
    survived=1,
    equivalent=1,
    undecided=1,
    tests=(TestScore("one.rq", 1, 4), TestScore("two.rq", 0, 3)),
    survivors=(SURVIVOR,),
    executions=7,
    executions_without_selection=8,
    reasons=(("too slow", 1),),
    left_out=(LeftOut("slow.rq", "it\nhas no result"),),
    outcomes=(
        Outcome(Fate.KILLED, "- A SubClassOf C", "SubClassOf", ("one.rq",), ""),
        Outcome(Fate.SURVIVED, SURVIVOR.change, SURVIVOR.axiom, (), ""),
        Outcome(Fate.EQUIVALENT, "- A SubClassOf D", "SubClassOf", (), ""),
        Outcome(Fate.UNDECIDED, "- a Type A", "ClassAssertion", (), "too slow"),
    ),
)


def test_as_text() -> None:
    assert list(score_lines(SCORE)) == [
        "Score: 50.0 % of the mutants are killed",
        "  4 mutants: 1 killed, 1 survived, 1 equivalent, 1 undecided",
        "  2 tests, 7 executions; without selection 8",
        "  undecided: 1 mutant: too slow",
        "",
        "NOT RUN, and not counted: 1 test",
        "  slow.rq: it has no result",
        "",
        "Tests that kill nothing: 1",
        "  two.rq",
        "",
        "No test notices these changes: 1. A query that would, for each:",
        "  A, SubClassOf",
        "    - A SubClassOf B",
        "      ASK { <urn:a#A> ?p ?o }",
    ]


def test_long_lists_are_cut_with_a_count() -> None:
    many = tuple(Survivor(f"- change {number:02}", "SubClassOf", "urn:A", None) for number in range(33))
    lines = list(score_lines(replace(SCORE, survivors=many)))
    assert lines[-1] == "  and 3 more"
    assert sum("no query was found" in line for line in lines) == 30


def test_without_a_score() -> None:
    none = replace(SCORE, killed=0, survived=0, survivors=())
    assert next(iter(score_lines(none))) == "NO SCORE: no mutant was killed, and none survived"
    assert score_as_json(none)["score"] is None


def test_as_json() -> None:
    value = score_as_json(SCORE)
    assert value["score"] == 50.0
    assert value["tests"] == [{"name": "one.rq", "kills": 1, "runs": 4}, {"name": "two.rq", "kills": 0, "runs": 3}]
    assert [survivor["suggestion"] for survivor in value["survivors"]] == ["ASK { <urn:a#A> ?p ?o }"]


def test_in_junits_format() -> None:
    [suite] = ElementTree.fromstring(score_as_junit(SCORE, "onto.ttl"))  # noqa: S314 - our own text
    outcomes = [[element.tag for element in case] for case in suite]
    assert outcomes == [["system-out"], ["failure"], ["skipped"], ["skipped"]]
    failure, undecided = suite[1][0], suite[3][0]
    assert (failure.text, undecided.attrib["message"]) == (SURVIVOR.suggestion, "undecided: too slow")
