"""`examples/wild`: findings in a checkout are joined with judgements, and each kind of bug has a repair and data."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pyoxigraph
import pytest

WILD = Path(__file__).resolve().parents[2] / "examples" / "wild"
QUERY = """PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT ?iri ?more WHERE {
  ?iri a owl:DataProperty ;
}
"""


@pytest.fixture
def checkouts(tmp_path: Path) -> Path:
    """A folder with a made-up repository."""
    root = tmp_path / "somebody+tiny"
    root.mkdir()
    (root / "properties.rq").write_text(QUERY)
    (root / "broken.rq").write_text("SELECT")
    (tmp_path / "somebody+tiny.commit").write_text("0123abc\n")
    (tmp_path / "judgements.csv").write_text(
        "repository,commit,path,line,rule,severity,verdict,bug,reason\n"
        "somebody/tiny,0123abc,properties.rq,4,unknown-term,error,true,data-property,a typing mistake\n"
    )
    return tmp_path


def _run(script: str, *arguments: Path | str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(WILD / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)  # noqa: S603


def test_findings_are_joined_with_judgements(checkouts: Path) -> None:
    done = _run("check.py", checkouts / "somebody+tiny", "--judgements", checkouts / "judgements.csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["repository"], row["commit"], row["path"], row["line"]) for row in rows] == [
        ("somebody/tiny", "0123abc", "properties.rq", "4"),
        ("somebody/tiny", "0123abc", "properties.rq", "3"),
    ]
    assert [(row["severity"], row["verdict"]) for row in rows] == [("error", "true"), ("warning", "")]
    assert done.stderr == "somebody+tiny: 1 query, 1 error (1 true), 1 warning, 1 skipped\n"
    done = _run("check.py", checkouts / "somebody+tiny", "--format", "json")
    assert [row["rule"] for row in json.loads(done.stdout)] == ["unknown-term", "unbound-column"]


def test_a_repair_changes_the_answers(checkouts: Path) -> None:
    done = _run("evidence.py", checkouts, "--judgements", checkouts / "judgements.csv")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1] == "somebody/tiny,properties.rq,4,data-property,0,2"


def test_every_true_judgement_has_a_repair_and_data() -> None:
    bugs = tomllib.loads((WILD / "bugs.toml").read_text())
    with (WILD / "judgements.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["verdict"] for row in rows} <= {"true", "intended", "debatable", "right", "harmless"}
    assert {row["bug"] for row in rows} - {""} == set(bugs)
    assert all(row["reason"] and row["commit"] for row in rows)
    for bug in bugs.values():
        store = pyoxigraph.Store()
        store.load((WILD / "data" / bug["data"]).read_bytes(), pyoxigraph.RdfFormat.TRIG)
        assert len(store) > 0


def test_repairs_of_a_program_and_of_a_template_in_a_document(tmp_path: Path) -> None:
    root = tmp_path / "somebody+tiny"
    root.mkdir()
    (root / "A.java").write_text(
        'q = em.query("SELECT ?comment WHERE { ?comment ?hasEditor ?editor . " +\n'
        '  "{ FILTER( ?editor = ?author) } UNION { ?x <urn:no> ?y } }").setParameter("author", a);\n'
    )
    (root / "a.md").write_text(
        "```sparql\nSELECT * WHERE {\n  ?term_uri a ?term_type {\n"
        '    FILTER (regex(str(?class), "{{arg1}}")) } UNION { ?x <urn:no> ?y }\n}\n```\n'
    )
    (tmp_path / "judgements.csv").write_text(
        "repository,commit,path,line,rule,severity,verdict,bug,reason\n"
        "somebody/tiny,0,A.java,2,unbound-in-filter,error,true,editor-in-branch,the branch does not ask for it\n"
        "somebody/tiny,0,a.md,4,unbound-in-filter,error,true,class-for-term-uri,nothing binds it\n"
    )
    done = _run("evidence.py", tmp_path, "--judgements", tmp_path / "judgements.csv")
    assert done.returncode == 0
    answers = [row.split(",")[-2:] for row in done.stdout.splitlines()[1:]]
    assert [before for before, _ in answers] == ["0", "0"]
    assert all(int(after) > 0 for _, after in answers)


def test_the_page_and_the_readme_agree_with_the_judgements() -> None:
    with (WILD / "judgements.csv").open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["severity"] == "error"]
    true = {(row["repository"], row["commit"][:12], f"{row['path']}:{row['line']}") for row in rows if _is_true(row)}
    assert len(true) == sum(map(_is_true, rows))
    page = (WILD.parents[1] / "docs" / "trophies.md").read_text()
    found = []
    for line in page.partition("## Queries")[2].splitlines():
        if (
            row := re.match(r"\| (?P<repository>[\w.-]+/[\w.-]+) (?:\| )?`(?P<commit>[0-9a-f]{12})` \|", line)
        ) is not None:
            cells = line[row.end() :].split("|")
            found += [(row["repository"], row["commit"], place) for place in re.findall(r"`([^`]+:\d+)`", cells[0])]
    assert sorted(found) == sorted(true)
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in ("true", "intended")}
    projects = len({row["repository"] for row in rows if _is_true(row)})
    assert f"| true | {counts['true']}, in {projects} projects |" in page
    assert f"| intended | {counts['intended']} |" in page
    kinds = re.findall(r"^\| (?:scope|unbound|name|contradiction|argument) \| (\d+) \|", page, re.MULTILINE)
    assert len(kinds) == 5
    assert sum(map(int, kinds)) == counts["true"]
    readme = (WILD.parents[1] / "README.md").read_text().replace("\n", " ")
    assert f"{counts['true']} errors in the published queries of {projects} projects" in readme


def _is_true(row: dict[str, str]) -> bool:
    return row["verdict"] == "true"
