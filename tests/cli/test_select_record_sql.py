"""`kgprobe select --record` with tests that ask a database: what they ran is known, so the next selection is exact."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.commands import kgprobe

PREFIXES = """@prefix : <http://example.org/food#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
OLD = """:Cola a owl:Class ; rdfs:label "cola" . :Bread a owl:Class ; rdfs:label "bread" .
:Ham a owl:Class ; rdfs:label "ham's" ."""
NEW = OLD.replace('"cola"', '"cola", "coke"')
SCHEMA = "CREATE TABLE terms (id TEXT, label TEXT);"
CONNECT = {
    "sqlite": "import sqlite3\nMARK = '?'\ndef connect():\n    return sqlite3.connect('food.db')\n",
    "duckdb": "import duckdb\nMARK = '?'\ndef connect():\n    return duckdb.connect('food.duck')\n",
    "postgresql": "import psycopg\nMARK = '%s'\ndef connect():\n    return psycopg.connect(open('url').read())\n",
}
# What the tests ask for comes from a place that nobody can read without running them.
TESTS = """
import json, pathlib, subprocess, sys
import pytest
from database import MARK, connect
NAMES = dict(line.split("=") for line in pathlib.Path("names.txt").read_text().split("\\n") if line)
def ask(name, end=""):
    return connect().execute(f"SELECT id FROM terms WHERE label = {MARK}" + end, (NAMES[name],)).fetchall()
def test_cola(): assert ask("a")
def test_bread(): assert ask("b")
def test_ham(): assert ask("c")
def test_all():
    assert connect().execute("SELECT count(*) FROM terms").fetchone()[0] > 2
def test_commented():
    # A statement is no comment if it only starts with one.
    assert connect().execute("-- all\\nSELECT count(*) FROM terms WHERE label <> 'x'").fetchone()
def test_program():
    ask("b")
    subprocess.run([sys.executable, "-c", "pass"], check=True)
def test_fails():
    ask("b")
    assert False
def test_nothing(): pass
def test_many():
    cursor = connect().cursor()
    cursor.execute("CREATE TEMP TABLE wanted (label TEXT)")
    cursor.executemany(f"INSERT INTO wanted VALUES ({MARK})", [("bread",), ("ham's",)])
    assert cursor.execute("SELECT label FROM wanted ORDER BY 1").fetchall()
"""


FILL = """
import sys
sys.path.insert(0, 'tests')
from database import MARK, connect
c = connect()
c.execute(SCHEMA)
for row in (('1', 'cola'), ('2', 'bread'), ('3', "ham's")):
    c.execute(f'INSERT INTO terms VALUES ({MARK}, {MARK})', row)
c.commit()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("old.ttl", PREFIXES + OLD), ("new.ttl", PREFIXES + NEW), ("schema.sql", SCHEMA)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "names.txt").write_text("a=cola\nb=bread\nc=ham's\n", encoding="utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_db.py").write_text(TESTS, encoding="utf-8")
    return tmp_path


RUN = f"'{sys.executable}' -m pytest -q -p no:cacheprovider {{test}}"


def _recorded(folder: Path, engine: str) -> dict[str, dict[str, object]]:
    (folder / "tests" / "database.py").write_text(CONNECT[engine], encoding="utf-8")
    (folder / "fill.py").write_text(FILL.replace("SCHEMA", repr(SCHEMA)), encoding="utf-8")
    subprocess.run([sys.executable, "fill.py"], check=True, timeout=60)
    given = ("old.ttl", "--tests", "tests", "--record", RUN, "--recorded", "record.jsonl")
    done = kgprobe("select", *given, environment={"PYTHONPATH": str(folder / "tests")})
    assert done.returncode == 1, done.stderr  # one test fails
    found: dict[str, dict[str, object]] = {}
    for line in (folder / "record.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        found[entry.pop("test").rpartition("::")[2]] = entry
    return found


def _selected(*arguments: str) -> set[str]:
    given = ("select", "old.ttl", "new.ttl", "--tests", "tests", "--format", "list", *arguments)
    done = kgprobe(*given)
    assert done.returncode == 0, done.stderr
    return {name.rpartition("::")[2] for name in done.stdout.splitlines()}


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_what_tests_run_is_recorded_and_selection_is_exact(folder: Path, engine: str) -> None:
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    _check(folder, engine)


def _check(folder: Path, engine: str) -> None:
    found = _recorded(folder, engine)
    complete = {name for name, entry in found.items() if entry.get("complete")}
    assert complete == {"test_cola", "test_bread", "test_ham", "test_all", "test_commented", "test_many"}
    assert found["test_cola"]["sql"] == ["SELECT id FROM terms WHERE label = 'cola'"]
    assert found["test_ham"]["sql"] == ["SELECT id FROM terms WHERE label = 'ham''s'"]
    assert "test_nothing" not in found
    assert "it runs another program" in str(found["test_program"]["unseen"])
    assert "it did not come to its end" in str(found["test_fails"]["unseen"])
    chosen = _selected("--recorded", "record.jsonl", "--schema", "schema.sql")
    assert chosen == {"test_cola", "test_all", "test_commented", "test_program", "test_fails"}


def test_without_the_schema_the_tests_are_selected_and_the_reason_says_it(folder: Path) -> None:
    _recorded(folder, "sqlite")
    given = ("old.ttl", "new.ttl", "--tests", "tests", "--recorded", "record.jsonl")
    done = kgprobe("select", *given)
    assert "tests/test_db.py::test_bread" in done.stdout
    assert "relation 'terms' is not known" in done.stdout


@pytest.fixture
def server(folder: Path) -> Iterator[Path]:
    """A PostgreSQL in the folder, run by an unprivileged user."""
    pytest.importorskip("psycopg")
    if shutil.which("initdb") is None:
        pytest.skip("there is no initdb")
    data, sockets = folder / "data", Path(os.environ.get("TMPDIR", "/tmp")) / f"kgprobe-pg-{os.getpid()}"  # noqa: S108
    user: dict[str, object] = {}
    sockets.mkdir(mode=0o777)
    data.mkdir()
    if os.getuid() == 0:
        user = {"user": "nobody"}
        shutil.chown(data, "nobody")
        shutil.chown(sockets, "nobody")
        for each in (folder, *folder.parents):
            if each.stat().st_uid == 0 and each != Path("/") and not each.stat().st_mode & 0o001:
                each.chmod(each.stat().st_mode | 0o011)
    initdb = ["initdb", "-D", str(data), "-U", "kg", "--auth=trust", "--no-sync"]
    made = subprocess.run(initdb, check=False, timeout=120, capture_output=True, cwd="/", **user)  # type: ignore[call-overload]  # noqa: S603
    assert made.returncode == 0, made.stderr
    binary = shutil.which("postgres") or str(Path(os.path.realpath(shutil.which("initdb") or "")).with_name("postgres"))
    running = subprocess.Popen(  # type: ignore[call-overload]  # noqa: S603
        [binary, "-D", str(data), "-k", str(sockets), "-c", "listen_addresses=", "-F"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        **user,
    )
    (folder / "url").write_text(f"host={sockets} user=kg dbname=postgres", encoding="utf-8")
    try:
        _wait_for((folder / "url").read_text(encoding="utf-8"))
        yield folder
    finally:
        running.terminate()
        running.wait(30)
        shutil.rmtree(sockets, ignore_errors=True)


def _wait_for(url: str) -> None:
    import time

    import psycopg

    end = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            assert time.monotonic() < end, "PostgreSQL does not start"
            time.sleep(0.2)
        else:
            return


def test_postgresql_is_recorded_too(server: Path) -> None:
    _check(server, "postgresql")
