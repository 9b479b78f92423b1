"""`kgprobe select --audit --load … --run …`: real tests in SQL, run on a real database that is loaded twice."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from support.commands import assert_refused, kgprobe

PREFIXES = """@prefix : <http://example.org/food#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
OLD = ':Cola rdfs:subClassOf :Drink ; rdfs:label "cola" . :Bread rdfs:label "bread" ; rdfs:subClassOf :Food .'
NEW = ':Cola rdfs:subClassOf :Drink ; rdfs:label "coke" . :Bread rdfs:label "bread" ; rdfs:subClassOf :Food .'
# Loads the labels into SQLite. The name of the graph, which may be anything, comes as an argument.
LOAD = """
import pathlib, re, sqlite3, sys
db = sqlite3.connect("food.db")
db.executescript("DROP TABLE IF EXISTS terms; CREATE TABLE terms (id TEXT, label TEXT)")
text = pathlib.Path(sys.argv[1]).read_text()
db.executemany("INSERT INTO terms VALUES (?, ?)", re.findall(r':(\\w+) [^.]*?rdfs:label "(\\w+)"', text))
db.commit()
"""
RUN = """
import os, pathlib, sqlite3, sys
text = pathlib.Path(sys.argv[1]).read_text()
if "slow" in text:
    import time
    time.sleep(30)
if "random" in text:
    print(os.urandom(8))
print(sqlite3.connect("food.db").execute(text.partition(";")[0]).fetchall())
if "fails" in text:
    sys.exit(3)
"""
COMMANDS = ("--load", f"'{sys.executable}' load.py {{graph}}", "--run", f"'{sys.executable}' run.py {{test}}")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("old $(id).ttl", PREFIXES + OLD),
        ("new.ttl", PREFIXES + NEW),
        ("load.py", LOAD),
        ("run.py", RUN),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "tests").mkdir()
    return tmp_path


def _audit(folder: Path, *arguments: str, **tests: str) -> tuple[int, dict[str, object]]:
    for name, text in tests.items():
        (folder / "tests" / f"{name}.cases").write_text(text, encoding="utf-8")
    given = ("old $(id).ttl", "new.ttl", "--tests", "tests", "--audit", *COMMANDS, *arguments, "--json")
    done = kgprobe("select", *given, "--test-files", "*.cases")
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout)


COLA = "SELECT label FROM terms WHERE id = 'Cola'"
BREAD = "SELECT label FROM terms WHERE id = 'Bread'"


def test_what_changed_and_what_did_not(folder: Path) -> None:
    code, found = _audit(folder, right=COLA, same=BREAD, unneeded="SELECT id FROM terms WHERE id = 'Cola'")
    assert (code, found["missed"]) == (0, [])
    assert (found["tests"], found["changed"], found["not_comparable"]) == (3, ["tests/right.cases"], [])
    assert "tests/unneeded.cases" in str(found["unneeded"])
    assert found["failed_on_both"] == []


def test_chance_is_told_from_change(folder: Path) -> None:
    random = f"{BREAD}; random"
    code, found = _audit(folder, random=random, exits=f"{COLA}; random, fails", right=COLA, fails=f"{BREAD}; fails")
    assert (code, found["not_comparable"]) == (0, ["tests/exits.cases", "tests/random.cases"])
    assert (found["changed"], found["failed_on_both"]) == (
        ["tests/right.cases"],
        ["tests/exits.cases", "tests/fails.cases"],
    )


def test_a_test_that_takes_too_long_is_not_comparable(folder: Path) -> None:
    _, found = _audit(folder, "--time-limit", "3", slow=f"{COLA}; slow", right=COLA)
    assert found["not_comparable"] == ["tests/slow.cases"]


def test_a_miss_is_shown_with_both_results(folder: Path) -> None:
    (folder / "tests" / "count.rq").write_text(
        "PREFIX : <http://example.org/food#> SELECT ?x { :Bread ?p ?x }", encoding="utf-8"
    )
    (folder / "run.py").write_text("print(open('food.db', 'rb').read().count(b'coke'))", encoding="utf-8")
    done = kgprobe("select", "old $(id).ttl", "new.ttl", "--tests", "tests", "--audit", *COMMANDS)
    assert done.returncode == 1, done.stderr
    assert "1 test, each run twice on both versions: 1 changed their results, 0 were selected" in done.stdout
    assert "MISSED: tests/count.rq" in done.stdout
    assert "on the old version: exit code 0: 0\n" in done.stdout
    assert "on the new one: exit code 0: 1\n" in done.stdout


def test_without_any_changed_result_a_warning_says_so(folder: Path) -> None:
    (folder / "tests" / "same.sql").write_text(BREAD, encoding="utf-8")
    done = kgprobe("select", "old $(id).ttl", "new.ttl", "--tests", "tests", "--audit", *COMMANDS)
    assert done.returncode == 0, done.stderr
    assert "no result changed, so this audit cannot show that selection is safe" in done.stderr


def test_a_load_that_hangs_or_no_tests_is_refused(folder: Path) -> None:
    done = kgprobe("select", "old $(id).ttl", "new.ttl", "--tests", "tests", "--audit", *COMMANDS)
    assert done.returncode == 2
    assert "there are no tests to run" in done.stderr
    (folder / "tests" / "same.sql").write_text(BREAD, encoding="utf-8")
    (folder / "load.py").write_text("import time; time.sleep(60)", encoding="utf-8")
    given = ("old $(id).ttl", "new.ttl", "--tests", "tests", "--audit", *COMMANDS, "--time-limit", "1")
    assert_refused(done := kgprobe("select", *given))
    assert "--load: it took longer than 1 s to load old $(id).ttl" in done.stderr


@pytest.mark.parametrize(
    ("load", "run", "words"),
    [
        ("nowhere {graph}", "cat {test}", "--load: 'nowhere' cannot be started"),
        ("ls -@ {graph}", "cat {test}", "--load: ended with "),
        ("cat {graph}", "nowhere {test}", "--run: 'nowhere' cannot be started"),
        ("cat {graph}", "ls -@ {test}", "every test fails on both versions"),
    ],
)
def test_commands_that_do_not_work_are_refused(folder: Path, load: str, run: str, words: str) -> None:
    (folder / "tests" / "same.sql").write_text(BREAD, encoding="utf-8")
    given = ("old $(id).ttl", "new.ttl", "--tests", "tests", "--audit")
    assert_refused(done := kgprobe("select", *given, "--load", load, "--run", run))
    assert words in done.stderr
