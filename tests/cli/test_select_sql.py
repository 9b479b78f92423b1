"""`kgprobe select` on SQL tests whose results change in ways that the strings in them do not show."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import kgprobe

PREFIXES = """@prefix : <https://example.org/menu#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
"""
OLD = """:VeggiePizza a owl:Class ; rdfs:label "VeggiePizza" ; rdfs:subClassOf :Pizza .
:Pizza a owl:Class ; rdfs:label "Pizza" . :Drink a owl:Class ; rdfs:label "Drink" .
:Bread a owl:Class ; rdfs:label "Bread" .
:Cola a owl:Class ; rdfs:label "Cola" ; rdfs:subClassOf :Drink .
"""
NEW = OLD + ':Mushroom a owl:Class ; rdfs:label "Mushroom" ; rdfs:subClassOf :VeggiePizza .'
SCHEMA = """CREATE TABLE terms (term text, label text, path text, about text);
CREATE TABLE closure (term text, ancestor text);
CREATE VIEW veggie AS SELECT term FROM closure WHERE ancestor = 'VeggiePizza';
CREATE FUNCTION below(x text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT term FROM closure WHERE ancestor = x $$;
"""
# Each also names a term that has not changed.
AFFECTED = {
    "view": "SELECT count(*) FROM veggie WHERE term <> 'Bread'",
    "function": "SELECT 'Bread', count(*) FROM below('VeggiePizza')",
    "unequal": "SELECT term FROM closure WHERE ancestor <> 'Bread'",
    "join": "SELECT t.label FROM terms t, closure c WHERE t.term <> c.term AND c.ancestor = 'Bread'",
    "array": "SELECT term FROM closure WHERE ancestor = ANY('{Bread,VeggiePizza}')",
    "split": "SELECT term FROM closure WHERE ancestor = ANY(string_to_array('Bread,VeggiePizza', ','))",
    "json": 'SELECT 1 FROM closure WHERE ancestor IN (SELECT json_array_elements_text(\'["Bread", "VeggiePizza"]\'))',
    "trim": "SELECT term FROM closure WHERE ancestor = 'Bread' OR ancestor = trim(' VeggiePizza ')",
    "path": r"SELECT term FROM terms WHERE path LIKE '\\Pizza\\VeggiePizza\\%' OR term = 'Bread'",
    "search": "SELECT term FROM terms WHERE to_tsvector(about) @@ to_tsquery('veggie') OR term = 'Bread'",
    "copy": "SELECT term FROM terms WHERE term = 'Bread';\n\\copy terms FROM 'terms.csv'",
    "column": 'SELECT "VeggiePizza" FROM (SELECT count(*) AS "VeggiePizza" FROM terms WHERE term = \'Bread\') x',
    "unknown": "SELECT * FROM elsewhere WHERE term = 'Bread'",
    "stated": "-- kgprobe: descendants of VeggiePizza\nSELECT report('Bread')",
}
UNAFFECTED = {
    "bread": "SELECT label FROM terms WHERE term = 'Bread'",
    "drinks": "SELECT c.term FROM closure c WHERE c.ancestor = 'Drink' AND c.term IN ('Cola', 'Bread')",
    "stated": "-- kgprobe: term Bread\nSELECT report('VeggiePizza')",
}


def test_what_reads_changed_rows_is_selected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.ttl").write_text(PREFIXES + OLD, encoding="utf-8")
    Path("new.ttl").write_text(PREFIXES + NEW, encoding="utf-8")
    for folder, texts in (("affected", AFFECTED), ("unaffected", UNAFFECTED), ("schema", {"schema": SCHEMA})):
        Path(folder).mkdir()
        for name, text in texts.items():
            (tmp_path / folder / f"{name}.sql").write_text(text, encoding="utf-8")
    tests = ("--tests", "affected", "--tests", "unaffected", "--schema", "schema", "--dialect", "postgres")
    done = kgprobe("select", "old.ttl", "new.ttl", *tests, "--format", "list")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == sorted(f"affected/{name}.sql" for name in AFFECTED)
