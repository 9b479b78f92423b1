"""Python tests that ask a database: what they read of its tables, or why that is unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgprobe.selection.discovery.python_files import PYTHON
from kgprobe.selection.tests import TablesUse, Test

from ..finding import find
from .python_files import found

SCHEMA = """
CREATE TABLE closure (ancestor TEXT, descendant TEXT);
CREATE TABLE term (id TEXT, label TEXT);
"""
HEAD = """
import contextlib, functools, sqlite3
import duckdb, psycopg, pytest
import pandas as pd
from sqlalchemy import bindparam, create_engine, select, text, Column, String
from sqlalchemy.orm import Session, declarative_base, relationship, sessionmaker
BELOW = "SELECT descendant FROM closure WHERE ancestor = ?"
CASES = ["VeggiePizza", "Margherita"]
ROWS = [("VeggiePizza", 2), ("Food", 7)]
Base = declarative_base()
class Term(Base):
    __tablename__ = "term"
    id = Column(String, primary_key=True)
    name = Column("label", String)
class Linked(Base):
    __tablename__ = "closure"
    ancestor = Column(String)
    terms = relationship("Term")
Sessions = sessionmaker(bind=create_engine("sqlite:///w.db"))
def rows(con, sql, *values): return con.execute(sql, values).fetchall()
def below(con, name): return con.execute(BELOW, (name,)).fetchall()
@pytest.fixture
def con():
    made = sqlite3.connect("w.db")
    yield made
    made.close()
@pytest.fixture
def session():
    with Session(create_engine("sqlite:///w.db")) as it: yield it
@pytest.fixture(params=["VeggiePizza", "Food"])
def name(request): return request.param
class Warehouse:
    def __init__(self): self.connection = psycopg.connect("dbname=w")
    def below(self, name):
        with self.connection.cursor() as cur:
            cur.execute("SELECT descendant FROM closure WHERE ancestor = %(name)s", {"name": name})
            return cur.fetchall()
"""


def _test(folder: Path, body: str, head: str = "") -> Test:
    tests = found(find(folder, {"schema.sql": SCHEMA, "test_a.py": f"{HEAD}{head}\n{body}\n"}))
    return tests.get("test_it", Test("test_it", PYTHON))


def _read(test: Test) -> set[str]:
    """The restrictions of each table that a test reads: `closure.ancestor=VeggiePizza`, or `closure`."""
    said = set()
    for use in test.uses:
        if isinstance(use, TablesUse):
            for source in use.sources:
                known = [f".{name}={'|'.join(sorted(each.texts))}" for name, each in sorted(source.constants.items())]
                said.add(source.table + "".join(known))
    return said


VEGGIE = "closure.ancestor=VeggiePizza"
BOTH = "closure.ancestor=Margherita|VeggiePizza"
UNDERSTOOD = {
    # bound parameters
    "con.execute(BELOW, ('VeggiePizza',)).fetchall()": {VEGGIE},
    "con.execute(BELOW, ['VeggiePizza']).fetchone()": {VEGGIE},
    "con.cursor().execute('SELECT * FROM closure WHERE ancestor = :a', {'a': 'VeggiePizza'})": {VEGGIE},
    "con.cursor().execute('SELECT * FROM closure WHERE ancestor = :a', dict(a='VeggiePizza'))": {VEGGIE},
    "cur = con.cursor(); cur.execute(BELOW, (CASES[0],)); cur.fetchall()": {VEGGIE},
    "values = ('VeggiePizza',); con.execute(BELOW, values)": {VEGGIE},
    "for case in CASES: con.execute(BELOW, (case,))": {BOTH},
    "[con.execute(BELOW, (case,)) for case in CASES]": {BOTH},
    "con.executemany('DELETE FROM closure WHERE ancestor = ?', [('VeggiePizza',), ('Margherita',)])": {BOTH},
    "con.execute(BELOW, (open('x').read(),))": {"closure"},
    "con.execute(BELOW, unknown())": {"closure"},
    "con.execute('SELECT * FROM closure WHERE ancestor = ? AND descendant = ?', ('VeggiePizza', unknown()))": {VEGGIE},
    "con.execute('SELECT * FROM closure')": {"closure"},
    "con.execute(\"SELECT * FROM closure WHERE ancestor = 'VeggiePizza'\")": {VEGGIE},
    "assert list(con.execute(BELOW, ('VeggiePizza',)))": {VEGGIE},
    "with contextlib.closing(con.cursor()) as cur: cur.execute(BELOW, ('VeggiePizza',))": {VEGGIE},
    "run = con.execute; run(BELOW, ('VeggiePizza',))": {VEGGIE},
    "with con: con.execute(BELOW, ('VeggiePizza',)); con.commit()": {VEGGIE},
    # helpers
    "below(con, 'VeggiePizza')": {VEGGIE},
    "below(con, name='VeggiePizza')": {VEGGIE},
    "below(con, 'VeggiePizza'); con.execute(BELOW, ('Food',))": {VEGGIE, "closure.ancestor=Food"},
    "rows(con, BELOW, 'VeggiePizza')": {VEGGIE},
    "rows(con, 'SELECT * FROM term')": {"term"},
    "Warehouse().below('VeggiePizza')": {VEGGIE},
    # libraries
    "duckdb.sql(\"SELECT * FROM closure WHERE ancestor = 'VeggiePizza'\").fetchall()": {VEGGIE},
    "duckdb.execute(BELOW, ['VeggiePizza']).df()": {VEGGIE},
    "duckdb.connect('w.db').execute('SELECT * FROM closure WHERE ancestor = $1', ['VeggiePizza'])": {VEGGIE},
    "duckdb.connect().sql('SELECT * FROM closure WHERE ancestor = ?', params=['VeggiePizza'])": {VEGGIE},
    "pd.read_sql(BELOW, con, params=('VeggiePizza',))": {VEGGIE},
    "pd.read_sql_query(sql=BELOW, con=con, params=['VeggiePizza'])": {VEGGIE},
    "psycopg.connect('').execute('SELECT * FROM closure WHERE ancestor = %s', ('VeggiePizza',))": {VEGGIE},
    "session.execute(text('SELECT * FROM closure WHERE ancestor = :a'), {'a': 'VeggiePizza'})": {VEGGIE},
    "session.execute(text('SELECT * FROM closure WHERE ancestor = :a').bindparams(a='VeggiePizza'))": {VEGGIE},
    "q = text('SELECT * FROM closure WHERE ancestor = :a').bindparams(bindparam('a', 'VeggiePizza'))\n"
    "    session.execute(q)": {VEGGIE},
    "create_engine('sqlite://').connect().exec_driver_sql(BELOW, ('VeggiePizza',))": {VEGGIE},
    # ORM
    "session.query(Term).filter_by(name='VeggiePizza').all()": {"term.label=VeggiePizza"},
    "session.query(Term).filter(Term.name == 'VeggiePizza').one()": {"term.label=VeggiePizza"},
    "session.query(Term.name).filter(Term.name.in_(CASES)).count()": {"term.label=Margherita|VeggiePizza"},
    "session.scalars(select(Term).where(Term.name == 'VeggiePizza')).all()": {"term.label=VeggiePizza"},
    "session.execute(select(Term).filter_by(name='VeggiePizza').order_by(Term.id)).all()": {"term.label=VeggiePizza"},
    "Sessions().query(Term).filter_by(name='VeggiePizza').first()": {"term.label=VeggiePizza"},
    "session.query(Term).all()": {"term"},
    "q = select(Term).filter_by(name='VeggiePizza'); session.execute(q)": {"term.label=VeggiePizza"},
}


@pytest.mark.parametrize("body", UNDERSTOOD)
def test_a_test_reads_the_rows_that_its_parameters_leave(tmp_path: Path, body: str) -> None:
    test = _test(tmp_path, f"def test_it(con, session):\n    {body}")
    assert test.unseen == ()
    assert _read(test) == UNDERSTOOD[body]


CASED = [
    ("@pytest.mark.parametrize('case', CASES)\ndef test_it(con, case): con.execute(BELOW, (case,))", BOTH),
    ("@pytest.mark.parametrize('case', CASES)\ndef test_it(con, case): below(con, case)", BOTH),
    (
        "@pytest.mark.parametrize('case, count', ROWS)\n"
        "def test_it(con, case, count): assert len(con.execute(BELOW, (case,)).fetchall()) == count",
        "closure.ancestor=Food|VeggiePizza",
    ),
    (
        "@pytest.mark.parametrize('case', [pytest.param('VeggiePizza', id='a')])\n"
        "def test_it(con, case): con.execute(BELOW, [case])",
        VEGGIE,
    ),
    ("def test_it(con, name): con.execute(BELOW, (name,))", "closure.ancestor=Food|VeggiePizza"),
    (
        "@pytest.mark.parametrize('sql', [BELOW])\ndef test_it(con, sql): con.execute(sql, ('VeggiePizza',))",
        VEGGIE,
    ),
    ("def test_it(cursor): cursor.execute(BELOW, ('VeggiePizza',))", VEGGIE),
    ("class TestCase:\n    db = sqlite3.connect('w')\n    def test_it(self): self.db.execute(BELOW, ('Food',))", ""),
]


@pytest.mark.parametrize(("code", "read"), CASED)
def test_cases_are_constants(tmp_path: Path, code: str, read: str) -> None:
    tests = found(find(tmp_path, {"schema.sql": SCHEMA, "test_a.py": f"{HEAD}\n{code}\n"}))
    test = tests["TestCase::test_it" if "TestCase" in code else "test_it"]
    assert test.unseen == ()
    assert _read(test) == {read or "closure.ancestor=Food"}


UNKNOWN = [
    "con.execute(unknown())",
    "con.execute('SELECT * FROM ' + unknown())",
    "con.execute('SELECT * FROM nowhere')",
    "con.execute(f'SELECT * FROM closure WHERE ancestor = {unknown()}')",
    "con.iterdump()",
    "unknown(con)",
    "con.backup(sqlite3.connect(':memory:'))",
    "getattr(con, unknown())('x')",
    "sqlite3.connect('w.db')",
    "duckdb.read_parquet('w.parquet')",
    "duckdb.connect().table('closure')",
    "duckdb.from_query(BELOW)",
    "psycopg.sql.SQL('x')",
    "session.get(Term, 'x')",
    "session.query(Linked).all()",
    "session.query(Term).join(Linked).all()",
    "session.query(Term, Linked).all()",
    "session.query(unknown()).all()",
    "session.query(Term).filter(Term.id.in_(select(Linked.ancestor))).all()",
    "sub = select(Linked.ancestor); session.query(Term).filter(Term.id.in_(sub)).all()",
    "q = session.query(Term); q.join(Linked).all()",
    "session.scalars(select(Term).join(Linked))",
    "session.execute(text(unknown()))",
    "pd.read_sql(unknown(), con)",
    "pd.read_sql_table('closure', con)",
    "rows(con, unknown())",
    "list(map(con.execute, [unknown()]))",
    "functools.partial(con.execute, unknown())()",
    "db.execute(unknown())",
    "cursor = unknown(); cursor.execute(unknown())",
]


@pytest.mark.parametrize("body", UNKNOWN)
def test_what_is_not_seen_makes_a_test_unanalysable(tmp_path: Path, body: str) -> None:
    assert _test(tmp_path, f"def test_it(con, session):\n    {body}").unseen


UNRELATED = [
    "assert 1 + 1 == 2",
    "assert pd.DataFrame({'a': [1]}).query('a == 1').shape == (1, 1)",
    "assert unknown().execute() is None",
    "assert sqlite3.sqlite_version_info > (3,)",
    "with pytest.raises(sqlite3.OperationalError): raise sqlite3.OperationalError",
    "command = unknown(); command.execute('go')",
    "assert Term.__tablename__ == 'term'",
]


@pytest.mark.parametrize("body", UNRELATED)
def test_a_test_without_a_database_is_none_of_the_suite(tmp_path: Path, body: str) -> None:
    tests = found(find(tmp_path, {"test_a.py": f"{HEAD}\ndef test_it():\n    {body}\n"}))
    assert "test_it" not in tests


FILES = {
    "cases.csv": "term,count\nVeggiePizza,2\nFood,7\n",
    "cases.json": '[{"term": "VeggiePizza", "count": 2}, {"term": "Food"}]',
    "cases.yaml": "below:\n- VeggiePizza\n- Food\n",
    "cases.toml": 'below = ["VeggiePizza", "Food"]\n',
}
FROM_FILES = [
    "with open('cases.csv') as f:\n        for row in csv.DictReader(f): con.execute(BELOW, (row['term'],))",
    "for row in csv.reader(Path('cases.csv').open()): con.execute(BELOW, (row[0],))",
    "[con.execute(BELOW, (case['term'],)) for case in json.loads(Path('cases.json').read_text())]",
    "with open(Path(__file__).parent / 'cases.json') as f: cases = json.load(f)\n"
    "    for case in cases: below(con, case['term'])",
    "for term in yaml.safe_load(open('cases.yaml').read())['below']: con.execute(BELOW, [term])",
    "with open('cases.toml', 'rb') as f: cases = tomllib.load(f)\n"
    "    con.execute(BELOW, (cases['below'][0],)); con.execute(BELOW, (cases.get('below')[1],))",
]


@pytest.mark.parametrize("body", FROM_FILES)
def test_cases_in_a_file_are_constants(tmp_path: Path, body: str) -> None:
    code = f"{HEAD}import csv, json, tomllib, yaml\nfrom pathlib import Path\ndef test_it(con):\n    {body}\n"
    test = found(find(tmp_path, {"schema.sql": SCHEMA, "test_a.py": code, **FILES}))["test_it"]
    assert test.unseen == ()
    read = {word for source in _read(test) for word in source.removeprefix("closure.ancestor=").split("|")}
    assert read - {"term"} == {"VeggiePizza", "Food"}


def test_cases_in_a_decorator(tmp_path: Path) -> None:
    code = f"{HEAD}import json\nfrom pathlib import Path\nFILE = Path(__file__).with_name('cases.json')\n"
    code += "LISTED = json.loads(FILE.read_text())\n"
    code += "@pytest.mark.parametrize('case', LISTED)\ndef test_it(con, case): con.execute(BELOW, (case['term'],))\n"
    test = found(find(tmp_path, {"schema.sql": SCHEMA, "test_a.py": code, **FILES}))["test_it"]
    assert _read(test) == {"closure.ancestor=Food|VeggiePizza"}


@pytest.mark.parametrize("content", ["{", "", '{"a": ', "[" * 5000])
def test_a_file_of_cases_that_cannot_be_read_restricts_nothing(tmp_path: Path, content: str) -> None:
    code = f"{HEAD}import json\ndef test_it(con): con.execute(BELOW, (json.load(open('cases.json'))[0],))\n"
    test = found(find(tmp_path, {"schema.sql": SCHEMA, "test_a.py": code, "cases.json": content}))["test_it"]
    assert _read(test) == {"closure"}


def test_a_class_that_asks_for_its_rows_is_not_understood(tmp_path: Path) -> None:
    code = "from django.db import models\nclass Dish(models.Model): name = models.CharField()\n"
    code += "def test_it(): assert Dish.objects.filter(name='VeggiePizza')\ndef test_name(): assert Dish.__name__\n"
    tests = found(find(tmp_path, {"test_a.py": code}))
    assert list(tests) == ["test_it"]
    assert "does not know what Dish.objects" in tests["test_it"].unseen[0]


def test_a_file_with_sql_is_read_with_its_parameters(tmp_path: Path) -> None:
    code = f"{HEAD}from pathlib import Path\nSQL = Path(__file__).with_name('below.txt.sql')\n"
    code += "def test_it(con): con.execute(SQL.read_text(), {'name': 'VeggiePizza'})\n"
    code += "def test_other(con): con.execute(Path('below.txt.sql').read_text(), {'name': 'Food'})\n"
    sql = "SELECT descendant FROM closure WHERE ancestor = :name"
    tests = found(find(tmp_path, {"schema.sql": SCHEMA, "test_a.py": code, "below.txt.sql": sql}))
    assert _read(tests["test_it"]) >= {VEGGIE}
    assert _read(tests["test_other"]) == {"closure.ancestor=Food"}


def test_a_text_that_is_also_used_in_another_way_is_read_without_parameters(tmp_path: Path) -> None:
    sql = "'SELECT * FROM closure WHERE ancestor = ?'"
    test = _test(tmp_path, f"def test_it(con): con.execute({sql}, ('VeggiePizza',)); report({sql}, 'Food')")
    assert _read(test) == {VEGGIE, "closure"}
    test = _test(tmp_path, "def test_it(con): con.execute(BELOW, ('VeggiePizza',)); report(BELOW, 'Food')")
    assert _read(test) == {VEGGIE, "closure"}


@pytest.mark.parametrize("call", ["connection.execute(sql)", "run(sql)"])
def test_names_in_a_file_with_sql_are_mentioned(tmp_path: Path, call: str) -> None:
    query = "SELECT * FROM closure WHERE ancestor = 'VeggiePizza'"
    code = f"""{HEAD}
from pathlib import Path
def test_it():
    sql = Path(__file__).with_name("veggie.sql").read_text()
    {call}
"""
    tests = found(find(tmp_path, {"schema.sql": SCHEMA, "veggie.sql": query, "test_a.py": code}))
    mentions = {(each.file.name, each.start, each.written) for each in tests["test_it"].mentions}
    assert mentions == {("veggie.sql", query.index("VeggiePizza"), "VeggiePizza")}
