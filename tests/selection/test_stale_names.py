"""Labels that a change takes away, as values in SQL, CSV and Python: they are listed, and repaired in their quoting."""

from __future__ import annotations

import ast
import csv
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import load
from kgprobe.rdf.diff import aligned
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.python_files import PYTHON
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.gaps_and_repairs import apply, with_gaps_and_repairs
from kgprobe.selection.plan import SelectionPlan, safe_plan
from kgprobe.selection.stale_names import constants_of
from kgprobe.selection.tests import Test
from kgprobe.selection.vocabulary import Vocabulary

PREFIXES = """@prefix : <https://example.org/food#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
"""
OLD = r"""
:A a owl:Class ; rdfs:label "cola", "brus"@no .
:B a owl:Class ; rdfs:label "baker's roll" .
:C a owl:Class ; rdfs:label "tea, green" .
:D a owl:Class ; rdfs:label "stew" .
:E1 a owl:Class ; rdfs:label "two" . :E2 a owl:Class ; rdfs:label "two" .
:F a owl:Class ; rdfs:label "kept" .
:G a owl:Class ; rdfs:label "split" .
:H a owl:Class ; rdfs:label "lost's" .
"""
NEW = r"""
:A a owl:Class ; rdfs:label "the chef's \"coke\", cold", "leskedrikk"@no .
:B a owl:Class ; rdfs:label "bun" .
:C a owl:Class ; rdfs:label "green tea" .
:D a owl:Class ; rdfs:label "stew" ; owl:deprecated true ; dcterms:isReplacedBy :D2 .
:D2 a owl:Class ; rdfs:label "smalahove" .
:E1 a owl:Class ; rdfs:label "one" . :E2 a owl:Class ; rdfs:label "other" .
:F a owl:Class ; rdfs:label "changed" . :F2 a owl:Class ; rdfs:label "kept" .
:G a owl:Class ; rdfs:label "part 1", "part 2" .
"""
COLD = 'the chef\'s "coke", cold'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").mkdir()
    for name, text in (("old.ttl", OLD), ("new.ttl", NEW)):
        (tmp_path / name).write_text(PREFIXES + text, encoding="utf-8")
    return tmp_path


def _plan(name: str, text: str) -> SelectionPlan:
    (Path("tests") / name).write_bytes(text.encode())
    versions = aligned(load("old.ttl").graph, load("new.ttl").graph)
    options = FinderOptions(test_files=("*.csv", "*.tsv"))
    suite = find_tests([Path("tests")], Vocabulary.of(versions.new, versions.old), options)
    return with_gaps_and_repairs(safe_plan(versions, suite, Regime.NONE), versions)


_CODE = "def test_it(db):\n    about = 'https://example.org/food#F'\n    {}\n"
CASES = """import pytest
@pytest.mark.parametrize('k', [{}])
def test_it(db, k):
    about = 'https://example.org/food#F'
    db.execute('SELECT x FROM t WHERE y = ?', (k,))
"""
SHARED = "Q = '''SELECT x FROM t\nWHERE y = '{}' '''\n" + _CODE.format("db.execute(Q)")  # noqa: S608
QUOTED = COLD.replace("'", "''")
IN_SQL = "SELECT * FROM t WHERE label = 'cola'"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("q.sql", "SELECT 1 FROM t WHERE x = 'cola';\r\n", f"SELECT 1 FROM t WHERE x = '{QUOTED}';\r\n"),  # noqa: S608
        ("q.pgsql", "SELECT 'é' FROM t WHERE x IN ('brus', 'x')", "SELECT 'é' FROM t WHERE x IN ('leskedrikk', 'x')"),
        ("q.sql", "SELECT 1 FROM t WHERE x = 'baker''s roll'", "SELECT 1 FROM t WHERE x = 'bun'"),
        ("q.sql", "SELECT 1 FROM t WHERE x = 'stew'", "SELECT 1 FROM t WHERE x = 'smalahove'"),
        ("q.sql", "SELECT 1 FROM t WHERE x LIKE 'brus'", "SELECT 1 FROM t WHERE x LIKE 'leskedrikk'"),
        ("q.csv", "name,n\ncola,1\n", 'name,n\n"the chef\'s ""coke"", cold",1\n'),
        ("q.csv", 'name,n\n"tea, green",1\n', 'name,n\n"green tea",1\n'),
        ("q.tsv", "name\tn\ntea, green\t1\n", "name\tn\ngreen tea\t1\n"),
        ("q.csv", 'name;n\n"cola" ; 1\n', 'name;n\n"the chef\'s ""coke"", cold" ; 1\n'),
        ("test_q.py", _CODE.format("db.execute('SELECT x FROM t WHERE y = ?', ('cola',))"),
         _CODE.format("db.execute('SELECT x FROM t WHERE y = ?', ('the chef\\'s \"coke\", cold',))")),
        ("test_q.py", _CODE.format("db.execute('SELECT x FROM t WHERE y = ?', (\"baker's roll\",))"),
         _CODE.format("db.execute('SELECT x FROM t WHERE y = ?', (\"bun\",))")),
        ("test_q.py", _CODE.format("db.execute('SELECT x FROM t WHERE y = ?', ['baker\\'s roll'])"),
         _CODE.format("db.execute('SELECT x FROM t WHERE y = ?', ['bun'])")),
        ("test_q.py", _CODE.format('é = 1; db.execute("SELECT x FROM t WHERE y = \'brus\'")'),
         _CODE.format('é = 1; db.execute("SELECT x FROM t WHERE y = \'leskedrikk\'")')),
        ("test_q.py", CASES.format("'cola'"), CASES.format("'the chef\\'s \"coke\", cold'")),
        ("test_q.py", SHARED.format("brus"), SHARED.format("leskedrikk")),
    ],
)  # fmt: skip
def test_a_stale_label_is_listed_and_repaired_as_it_is_quoted(name: str, before: str, after: str) -> None:
    plan = _plan(name, before)
    assert plan.broken
    assert [repair.after for repair in plan.repairs] == [after]
    apply(plan.repairs)
    assert (Path("tests") / name).read_bytes().decode() == after
    if name.endswith(".py"):
        ast.parse(after)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.sql", "SELECT 1 FROM t WHERE x = 'split'"),  # two new labels
        ("q.sql", "SELECT 1 FROM t WHERE x = 'lost''s'"),  # no replacement
        ("q.sql", "SELECT 1 FROM t WHERE x LIKE 'cola'"),  # the new label has signs that a pattern reads
        ("test_q.py", _CODE.format("db.execute(r'SELECT x FROM t WHERE y = ?', (r'cola',))")),
        ("test_q.py", _CODE.format("db.execute(r'SELECT x FROM t WHERE y = ?', ('split',))")),
    ],
)
def test_what_cannot_be_written_is_only_listed(name: str, text: str) -> None:
    plan = _plan(name, text)
    assert [(each.test.file and each.test.file.name, bool(each.label)) for each in plan.broken] == [(name, True)]
    assert plan.repairs == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.sql", "SELECT x AS 'cola' FROM t WHERE y = 'one'"),
        ("q.sql", "SELECT x AS \"cola\" FROM t -- 'cola'\n/* 'cola' */"),
        ("q.sql", "SELECT x FROM t WHERE y = 'cola' || ' light'"),
        ("q.sql", "SELECT x FROM t WHERE y = ' light' || 'cola'"),
        ("q.sql", "-- kgprobe: ignore unknown-term\nSELECT x FROM t WHERE y = 'cola'"),
        ("q.sql", "SELECT x FROM t WHERE y = 'two'"),  # two entities had it
        ("q.sql", "SELECT x FROM t WHERE y = 'kept'"),  # another has it now
        ("test_q.py", _CODE.format("assert 'cola' != db")),
        ("test_q.py", _CODE.format("db.execute(f'SELECT x FROM t WHERE y = {1}', ('co' 'la',))")),
        ("q.csv", "name\ncola light\n"),
    ],
)
def test_what_is_not_a_value_or_not_stale_is_left_alone(name: str, text: str) -> None:
    plan = _plan(name, text)
    assert [each for each in plan.broken if each.label] == []
    assert plan.repairs == ()


def test_the_reason_says_which_label_changed() -> None:
    plan = _plan("q.sql", "SELECT 1 FROM t WHERE x = 'baker''s roll'")
    [chosen] = plan.chosen
    assert str(chosen.because[0]) == "has the label 'baker's roll' of :B, which is 'bun' now"


# -- constants are written so that their language reads them back ------------------------------------------------------

VALUES = st.text(st.sampled_from("ab é'\"\\,;\t\n%_{}ß"), min_size=1, max_size=8).filter(
    lambda text: text.strip() == text
)


def _rewritten(name: str, text: str, old: str, new: str) -> str | None:
    test = Test(f"{name}::test_it", PYTHON, file=Path(name))
    places = [each for each in constants_of(test, text, Path(name)) if each.value == old]
    assert len(places) <= 1
    if not places:
        return None
    written = places[0].written_as(new)
    return None if written is None else text[: places[0].start] + written + text[places[0].end :]


@given(VALUES, VALUES)
def test_sql_reads_back_what_was_written(old: str, new: str) -> None:
    quoted = "'" + old.replace("'", "''") + "'"
    after = _rewritten("q.sql", f"SELECT 1, {quoted}, 2", old, new)
    if "\\" not in old + new:
        assert after is not None
    if after is not None:
        assert sqlite3.connect(":memory:").execute(after).fetchall() == [(1, new, 2)]


@given(VALUES, VALUES, st.booleans())
def test_csv_reads_back_what_was_written(old: str, new: str, is_quoted: bool) -> None:
    cell = '"' + old.replace('"', '""') + '"' if is_quoted or not set(old).isdisjoint('",\n') else old
    after = _rewritten("q.csv", f"head,n\n{cell},1\nx,2\n", old, new)
    assert after is not None
    assert list(csv.reader(after.splitlines(keepends=True))) == [["head", "n"], [new, "1"], ["x", "2"]]


@given(VALUES, VALUES, st.sampled_from(["'", '"', "'''", '"""']), st.sampled_from(["", "u", "r"]))
def test_python_reads_back_what_was_written(old: str, new: str, quote: str, prefix: str) -> None:
    inner = old if prefix == "r" else old.replace("\\", "\\\\").replace("\n", "\\n").replace(quote[0], f"\\{quote[0]}")
    text = f"def test_it(db):\n    db.execute('SELECT x FROM t', [{prefix}{quote}{inner}{quote}])\n"  # noqa: S608
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    if [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)][1:] != [old]:
        return
    after = _rewritten("test_q.py", text, old, new)
    if after is not None:
        assert [node.value for node in ast.walk(ast.parse(after)) if isinstance(node, ast.Constant)][1:] == [new]
    else:
        assert prefix == "r" or old == "SELECT x FROM t"
