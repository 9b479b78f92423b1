"""What statements can see if nobody says what the tables hold: joins that stay with the named terms, and others."""

from __future__ import annotations

import pytest

from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import read_graph
from kgprobe.rdf.diff import aligned
from kgprobe.selection.discovery.sql_files import SQL, SqlTexts
from kgprobe.selection.plan import safe_plan
from kgprobe.selection.sql.catalogue import Catalogue
from kgprobe.selection.tests import Suite, Test
from kgprobe.selection.vocabulary import Vocabulary

ONTOLOGY = """
@prefix : <http://example.org/#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:1 a owl:Class ; rdfs:label "root" .
:2 a owl:Class ; rdfs:label "branch" ; rdfs:subClassOf :1 .
:3 a owl:Class ; rdfs:label "leaf" ; rdfs:subClassOf :2 .
:4 a owl:Class ; rdfs:label "sister" ; rdfs:subClassOf :2 .
"""
SCHEMA = """
CREATE TABLE node (id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT);
CREATE TABLE below (lower TEXT REFERENCES node(code), upper TEXT REFERENCES node(code));
CREATE TABLE arc (lower INTEGER REFERENCES node(id), upper INTEGER REFERENCES node(id));
CREATE TABLE alias (id INTEGER REFERENCES node(id), text TEXT);
"""
# What leads to the sister of the leaf.
ELSEWHERE = {
    "over the row of the parent": """SELECT t.name FROM below a JOIN node p ON p.code = a.upper
        JOIN below b ON b.upper = p.code JOIN node t ON t.code = b.lower WHERE a.lower = 'http://example.org/#3'""",
    "over the key of the parent": """SELECT t.name FROM below a JOIN below b ON b.upper = a.upper
        JOIN node t ON t.code = b.lower WHERE a.lower = 'http://example.org/#3'""",
    "over numbers": """SELECT t.name FROM node s JOIN arc a ON a.lower = s.id JOIN arc b ON b.upper = a.upper
        JOIN node t ON t.id = b.lower WHERE s.name = 'leaf'""",
    "up and down": """WITH RECURSIVE near(id) AS (SELECT id FROM node WHERE name = 'leaf' UNION
        SELECT b.lower FROM near JOIN arc a ON a.lower = near.id JOIN arc b ON b.upper = a.upper)
        SELECT t.name FROM near JOIN node t ON t.id = near.id""",
    "other rows of the parent": """SELECT x.text FROM node s JOIN arc a ON a.lower = s.id
        JOIN alias x ON x.id = a.upper WHERE s.name = 'leaf'""",
    # A row about what is below may name another term above that.
    "rows of what is below": """SELECT count(DISTINCT x.text) FROM node s JOIN arc a ON a.upper = s.id
        JOIN node t ON t.id = a.lower JOIN alias x ON x.id = t.id WHERE s.name = 'leaf'""",
    "no rows of what is below": """SELECT t.name FROM node s JOIN arc a ON a.upper = s.id JOIN node t ON t.id = a.lower
        WHERE s.name = 'leaf' AND NOT EXISTS (SELECT 1 FROM alias x WHERE x.id = t.id)""",
}
WITHIN = {
    "up": """SELECT t.name FROM node s JOIN arc a ON a.lower = s.id JOIN node t ON t.id = a.upper
        WHERE s.name = 'leaf'""",
    "two up": """SELECT t.name FROM node s JOIN arc a ON a.lower = s.id JOIN node m ON m.id = a.upper
        JOIN arc b ON b.lower = m.id JOIN node t ON t.id = b.upper WHERE s.name = 'leaf'""",
    "aliases": "SELECT x.text FROM node s JOIN alias x ON x.id = s.id WHERE s.name = 'leaf'",
    "a walk": """WITH RECURSIVE up AS (SELECT s.id, s.name FROM node s WHERE s.name = 'leaf' UNION
        SELECT t.id, t.name FROM up JOIN arc a ON a.lower = up.id JOIN node t ON t.id = a.upper) SELECT name FROM up""",
}


def _selected(statements: dict[str, str], new: str) -> set[str]:
    versions = aligned(read_graph(ONTOLOGY.encode()), read_graph(new.encode()))
    texts = SqlTexts(Vocabulary.of(versions.new, versions.old), Catalogue.of([("schema.sql", SCHEMA)]), "postgres")
    found = {name: texts.read(text) for name, text in statements.items()}
    tests = tuple(Test(name, SQL, each.uses, each.unseen) for name, each in found.items())
    assert not any(each.unseen for each in tests)
    return {each.test.name for each in safe_plan(versions, Suite(tests), Regime.NONE).chosen}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_joins_that_lead_to_siblings_read_more_than_the_cone(name: str) -> None:
    assert _selected({name: ELSEWHERE[name]}, ONTOLOGY.replace('"sister"', '"brother"')) == {name}


def test_joins_in_one_direction_stay_in_the_cone() -> None:
    assert _selected(WITHIN, ONTOLOGY.replace('"sister"', '"brother"')) == set()
    assert _selected(WITHIN, ONTOLOGY.replace('"root"', '"top"')) == set(WITHIN)


def test_the_reason_says_that_any_row_may_change() -> None:
    versions = aligned(*(read_graph(text.encode()) for text in (ONTOLOGY, ONTOLOGY.replace('"sister"', '"brother"'))))
    texts = SqlTexts(Vocabulary.of(versions.new, versions.old), Catalogue.of([("schema.sql", SCHEMA)]))
    test = Test("test", SQL, texts.read("SELECT count(*) FROM node WHERE name <> 'leaf'").uses * 2)
    (planned,) = safe_plan(versions, Suite((test,)), Regime.NONE).chosen
    (reason,) = map(str, planned.because)
    assert reason.startswith("any row may change, because - ")
    assert reason.endswith("; line 1 reads it")
