"""The fixture `kg_questions`, in separate pytest sessions."""

from __future__ import annotations

from pathlib import Path

from support.pytest_sessions import pytest_session

CITIES = """
@prefix : <https://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:in a owl:TransitiveProperty ; rdfs:label "part of" .
:lucca rdfs:label "Lucca" ; :in :tuscany . :tuscany rdfs:label "Tuscany" ; :in :italy .
:pisa rdfs:label "Pisa" ; :in :tuscany . :italy rdfs:label "Italy" .
"""
TEST = """
import pytest
RELATIONS = {"in": {"words": ["a", "part", "of"], "turned": True}}
KNOWN = {"Lucca a part of Tuscany", "Pisa a part of Tuscany", "Tuscany a part of Italy"}

def knows(question, context):
    return any(known in question for known in (*KNOWN, "Lucca a part of Italy", "Pisa a part of Italy"))

def forgets(prompt):
    return any(known in prompt for known in KNOWN) and "part of Italy?" not in prompt or "Is Tuscany" in prompt

def nothing(question, context):
    return "I do not know."

def test_right(kg_questions):
    found = kg_questions("cities.ttl", knows, relations=RELATIONS, rules=["transitive"])
    assert (found.cases, found.tested, found.undecided) == (2, 2, 0)

def test_wrong(kg_questions):
    kg_questions(["cities.ttl"], forgets, relations=RELATIONS, rules=["transitive"])

def test_nothing(kg_questions):
    kg_questions("cities.ttl", nothing, relations=RELATIONS, rules=["transitive"])

def test_misspelled(kg_questions):
    kg_questions("cities.ttl", knows, rules=["transitiv"])

def test_misspelled_key(kg_questions):
    kg_questions("cities.ttl", knows, limits=3)

def test_of_a_graph(kg_questions):
    import kgprobe
    from pathlib import Path
    graph = kgprobe.load(Path(__file__).with_name("cities.ttl"))
    assert kg_questions(graph, knows, relations=RELATIONS, rules=["transitive"]).tested == 2

def test_error_in_the_function(kg_questions):
    def fails(question, context):
        raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):
        kg_questions("cities.ttl", fails, relations=RELATIONS, rules=["transitive"])
"""


def test_a_test_fails_on_a_wrong_conclusion(tmp_path: Path) -> None:
    (tmp_path / "cities.ttl").write_text(CITIES)
    (tmp_path / "test_cities.py").write_text(TEST)
    output = pytest_session(tmp_path, code=1)
    for name, outcome in (
        ("right", "PASSED"),
        ("wrong", "FAILED"),
        ("nothing", "FAILED"),
        ("misspelled", "FAILED"),
        ("misspelled_key", "FAILED"),
        ("of_a_graph", "PASSED"),
        ("error_in_the_function", "PASSED"),
    ):
        assert f"test_cities.py::test_{name} {outcome}" in output, name
    assert "kgprobe: wrong conclusions in 2 of 2 cases" in output
    assert "forgets: transitive: in: basic, yes → no" in output
    assert "question: Is Lucca a part of Italy?" in output
    assert "kgprobe: nothing was tested: the answer to a premise is undecided" in output
    assert "there is no rule 'transitiv' (did you mean 'transitive'?)" in output
    assert "[questions] has no key 'limits' (did you mean 'limit'?)" in output
    assert "Traceback" not in output
