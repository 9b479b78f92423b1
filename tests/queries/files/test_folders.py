"""`kgprobe query check` on a folder: what is read, what is skipped and why, and one report sorted by certainty."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from kgprobe.cli.app import run
from kgprobe.errors import InputError
from kgprobe.queries.files.query_files import query_paths
from kgprobe.queries.files.texts import read_prefixes, unknown_prefixes

SARIF = Path(__file__).resolve().parents[4] / "shared" / "sarif" / "sarif-schema-2.1.0.json"
WRONG = "SELECT ?x WHERE {\n  ?x rdf:typ ?y }\n"
RDF = "PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in a folder below one with a dot."""
    root = tmp_path / ".hidden" / "project"
    files = {
        "queries/one.rq": RDF + WRONG,
        "queries/two.sparql": "SELECT ?x ?z WHERE { ?x a ?y }",
        "README.md": f"Text.\n\n```sparql\n{WRONG}```\n\n```sparql\nSELECT …\n```\n",
        "app.js": "const q = `SELECT ?x WHERE { ?x rdf:typ ${y} }`;\n",
        "broken.ttl": '<urn:a> <urn:p> "SELECT ?x { ?x ?y ?z }" ',
        "plain.json": '{"a": "Select one of {these}"}',
        ".git/queries/five.rq": WRONG,
        ".cache/six.rq": WRONG,
        "node_modules/seven.rq": WRONG,
        ".eight.rq": WRONG,
        "latin.md": "```sparql\nSELECT ?x { ?x a ?y } # \xe9\n```\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode("latin-1" if name == "latin.md" else "utf-8"))
    return root


def test_a_folder_below_one_with_a_dot_is_read(project: Path) -> None:
    found = query_paths(str(project))
    names = [Path(path).relative_to(project).as_posix() for path in found.paths]
    assert sorted(names) == [
        *("README.md", "app.js", "broken.ttl", "latin.md", "plain.json", "queries/one.rq"),
        "queries/two.sparql",
    ]
    assert dict(found.left_out) == {
        "in a folder whose name begins with a dot": 1,
        "in a folder of libraries": 1,
        "whose name begins with a dot": 1,
    }
    # a folder that the user names is read, whatever its name
    assert len(query_paths(str(project / ".cache")).paths) == 1
    assert len(query_paths(str(project / "node_modules")).paths) == 1


def test_a_folder_without_queries_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("SELECT")
    with pytest.raises(InputError, match="no file that may have queries"):
        query_paths(str(tmp_path))


def test_one_report_for_a_folder(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "check", "--no-ontology", str(project)]) == 1
    printed = capsys.readouterr()
    assert printed.err == ""
    lines = [line.removeprefix(f"{project}/") for line in printed.out.splitlines()]
    heads = [line.partition(" ")[0] for line in lines if ": error [" in line or ": warning [" in line]
    assert heads == ["README.md:5:6:", "app.js:1:33:", "queries/one.rq:3:6:", "queries/two.sparql:1:11:"]
    assert ": warning [" in lines[[line.partition(" ")[0] for line in lines].index(heads[-1])]
    assert "4 queries: 3 errors, 1 warning, 3 skipped" in lines
    assert any("skipped: is not UTF-8 text: " in line and "latin.md:2" in line for line in lines)
    assert any("skipped: a text that is not SPARQL 1.1: " in line and "README.md:9" in line for line in lines)
    assert any("broken.ttl:1" in line and "skipped: is not " in line for line in lines)
    assert "  left out: 1 file in a folder whose name begins with a dot" in lines


def test_the_report_as_json_says_what_was_skipped(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "check", "--no-ontology", "--json", str(project)]) == 1
    report = json.loads(capsys.readouterr().out)
    assert [each["severity"] for each in report["diagnostics"]] == ["error", "error", "error", "warning"]
    assert sorted(Path(each["file"]).name for each in report["skipped"]) == ["README.md", "broken.ttl", "latin.md"]
    assert report["left_out"]["in a folder of libraries"] == 1


def test_sarif_notes_what_was_skipped(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "check", "--no-ontology", "--sarif", "-", str(project)]) == 1
    sarif = json.loads(capsys.readouterr().out)
    if SARIF.is_file():
        jsonschema.validate(sarif, json.loads(SARIF.read_text()))
    [invocation] = sarif["runs"][0]["invocations"]
    notes = [each["message"]["text"] for each in invocation["toolExecutionNotifications"]]
    assert "skipped: a text that is not SPARQL 1.1" in notes
    assert len(notes) == 3


def test_a_file_that_is_named_and_broken_is_an_error(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "check", "--no-ontology", str(project / "broken.ttl")]) == 2
    assert "broken.ttl" in capsys.readouterr().err
    (project / "queries" / "three.rq").write_text("SELECT ?x {")
    assert run(["query", "check", "--no-ontology", str(project)]) == 2  # a query file that is no query
    assert "three.rq" in capsys.readouterr().err


def test_a_template_that_cannot_be_filled_is_an_error_only_if_it_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    query = tmp_path / "a.rq"
    query.write_text("SELECT ?x WHERE {x} WHERE")
    assert run(["query", "check", "--no-ontology", str(query)]) == 2
    assert "a.rq:1: this is a template that is no query before it is filled in" in capsys.readouterr().err
    assert run(["query", "check", "--no-ontology", str(tmp_path)]) == 0
    assert "0 queries: 0 errors, 0 warnings, 1 skipped" in capsys.readouterr().out


def test_no_ontology_contradicts_an_ontology(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "check", "--no-ontology", "--ontology", "a.ttl", str(project)]) == 2
    assert "contradict each other" in capsys.readouterr().err


# -- prefixes ----------------------------------------------------------------------------------------------------------

TABLES = {
    "a.ttl": "@prefix e: <http://e.org/> .\n@prefix : <urn:x#> .\n",
    "a.rq": "PREFIX e: <http://e.org/>\nprefix : <urn:x#>\nSELECT * {}",
    "a.jsonld": '{"@context": ["http://e.org/c", {"e": "http://e.org/", "x": {"@id": "urn:x#", "@prefix": true}}]}',
    "a.json": '{"e": "http://e.org/", "x": "urn:x#", "n": 1}',
    "a.csv": "prefix,iri\ne,http://e.org/\nx:,<urn:x#>\n",
    "a.tsv": "e:\thttp://e.org/\nx\turn:x#\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_prefixes(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(TABLES[name])
    found = read_prefixes(str(tmp_path / name))
    assert found["e"] == "http://e.org/"
    assert found.get("x", found.get("")) == "urn:x#"


@pytest.mark.parametrize("text", ["", "a\nb\n", "{}", "[1", '{"a": 1}', "\x00,\x00"])
def test_a_table_without_prefixes_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "p").write_text(text)
    with pytest.raises(InputError):
        read_prefixes(str(tmp_path / "p"))


def test_a_table_of_prefixes_completes_queries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.rq").write_text("SELECT ?x { ?x e:typ ?y }")
    (tmp_path / "p.csv").write_text("e,http://www.w3.org/1999/02/22-rdf-syntax-ns#\n")
    query = str(tmp_path / "a.rq")
    assert run(["query", "check", "--no-ontology", query]) == 2
    assert run(["query", "check", "--no-ontology", "--prefixes", str(tmp_path / "p.csv"), query]) == 1
    assert "RDF has no name e:typ" in capsys.readouterr().out


def test_examples_of_an_endpoint_share_their_prefixes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    declared = '[] sh:declare [ sh:prefix "r" ; sh:namespace "http://www.w3.org/2000/01/rdf-schema#"^^xsd:anyURI ] .\n'
    head = "@prefix sh: <http://www.w3.org/ns/shacl#> .\n@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
    example = '<urn:q> a sh:SPARQLSelectExecutable ; sh:select """SELECT ?x { ?x r:lable ?y }""" .\n'
    (tmp_path / "UniProt").mkdir()
    (tmp_path / "prefixes.ttl").write_text(head + declared)
    (tmp_path / "UniProt" / "1.ttl").write_text(head + example)
    assert run(["query", "check", "--no-ontology", str(tmp_path / "UniProt")]) == 1
    assert f"1.ttl:3:{example.index('r:lable') + 1}: error [unknown-term]" in capsys.readouterr().out


def test_names_of_an_undeclared_prefix_are_unknown() -> None:
    assert unknown_prefixes("SELECT ?x { ?x a e:C ; rdf:type f:D }", {"f": "urn:f:"}) == {
        "e": "urn:x-prefix:e:",
        "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    }
