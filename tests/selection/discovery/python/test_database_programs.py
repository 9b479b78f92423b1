"""Random Python tests of a database are run, and the rows that they really ask for are compared with their uses."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

from kgprobe.selection.discovery.python_files import PYTHON
from kgprobe.selection.discovery.sql_files import read_sql
from kgprobe.selection.sql.catalogue import Catalogue
from kgprobe.selection.tests import Source, TablesUse, Test

from ..finding import find, vocabulary
from .python_files import found

SCHEMA = """
CREATE TABLE closure (ancestor TEXT, descendant TEXT);
CREATE TABLE term (id TEXT, label TEXT);
"""
HEAD = """
import contextlib, functools, operator, sqlite3
import duckdb
SQL = "SELECT descendant FROM closure WHERE ancestor = ?"
TWO = "SELECT * FROM closure WHERE ancestor = ? AND descendant = ?"
NAMED = "SELECT descendant FROM closure WHERE ancestor = :name"
NAMES = ["Pizza", "Food", "VeggiePizza"]
BY = {"a": "Pizza", "b": "Margherita"}
QUERIES = {"below": SQL, "all": "SELECT * FROM term WHERE label = ?"}
con = sqlite3.connect(":memory:"); con.executescript(SCHEMA)
duck = duckdb.connect(); duck.execute(SCHEMA)
def rows(con, sql, *values): return con.execute(sql, values).fetchall()
def below(name, where=con): return where.execute(SQL, (name,)).fetchall()
def deep(name): return below(name)
def any_of(names): return [below(name) for name in names]
def both(a, b="Food"): return con.execute(TWO, [a, b]).fetchall()
def same(value): return value
def swap(a, b): return b
class Repo:
    def __init__(self, con): self.con = con
    def run(self, sql, values=()): return self.con.execute(sql, values).fetchall()
    def below(self, name): return self.run(SQL, (name,))
class Cases:
    one = "Pizza"
    def __init__(self): self.two = "Food"
"""
NAMES = ("Pizza", "Food", "VeggiePizza", "Margherita", "it's")

# Expressions for a name.
VALUES = [
    "'NAME'", '"NAME"', "NAMES[0]", "NAMES[-1]", "BY['b']", "BY.get('a')", "same('NAME')", "swap(1, 'NAME')",
    "Cases.one", "list(set(NAMES))[0]", "[n for n in NAMES if n != 'Pizza'][0]", "{'NAME'}.pop()", "NAMES[::-1][0]",
    "Cases().two", "'Na' + 'me'", "f'{NAMES[1]}'", "'%s' % NAMES[2]", "max(NAMES)", "next(iter(NAMES))",
    "'NAME'.strip()", "[*NAMES, 'NAME'][3]", "(NAMES + ['NAME'])[-1]", "list(reversed(NAMES))[0]", "{**BY}['b']",
    "(lambda v: v)('NAME')", "('NAME' if len(NAMES) > 2 else 'Food')", "[n for n in NAMES][1]", "str('NAME')",
    "functools.reduce(lambda a, b: b, NAMES)", "operator.itemgetter(0)(NAMES)", "(n := 'NAME')", "sorted(NAMES)[0]",
    "'name'.capitalize()", "NAMES.copy().pop()", "dict(x='NAME')['x']", "' '.join(['NAME'])",
    "'NAME'.replace('P', 'F')", "NAMES[len(BY)]", "BY[sorted(BY)[1]]", "(BY | {'a': 'NAME'})['a']",
    "list(BY.values())[1]", "sorted(NAMES, reverse=True)[0]", "sorted(NAMES, key=len)[0]", "[n for n in [*NAMES]][-1]",
]  # fmt: skip
# Bodies: `V` and `W` are values.
BODIES = [
    "con.execute(SQL, (V,)).fetchall()",
    "con.execute(SQL, [V])",
    "con.cursor().execute(SQL, (V,)).fetchone()",
    "con.execute(NAMED, {'name': V})",
    "con.execute(NAMED, dict(name=V))",
    "given = {}; given['name'] = V; con.execute(NAMED, given)",
    "given = {'name': 'Food'}; given.update(name=V); con.execute(NAMED, given)",
    "given = ['Food']; given[0] = V; con.execute(SQL, given)",
    "given = []; given.append(V); con.execute(SQL, given)",
    "given = (V,); con.execute(SQL, given)",
    "given = ('Food',); given = (V,); con.execute(SQL, given)",
    "a, b = V, W; con.execute(TWO, (a, b))",
    "a, b = V, W; a, b = b, a; con.execute(TWO, (a, b))",
    "con.execute(TWO, (V, W))",
    "con.execute(TWO, (V, *[W]))",
    "con.execute(*(SQL, (V,)))",
    "con.execute(SQL.replace('ancestor', 'descendant'), (V,))",
    "con.execute(SQL + ' OR descendant = ?', (V, W))",
    "con.execute(QUERIES['below'], (V,))",
    "con.execute(QUERIES[V] if V in QUERIES else QUERIES['all'], (W,))",
    "for name in [V, W]: con.execute(SQL, (name,))",
    "for sql in QUERIES.values(): con.execute(sql, (V,))",
    "for name, sql in zip([V, W], [SQL, QUERIES['all']]): con.execute(sql, (name,))",
    "[con.execute(SQL, (name,)) for name in (V, W)]",
    "con.executemany('INSERT INTO closure SELECT * FROM closure WHERE ancestor = ?', [(V,), (W,)])",
    "below(V)",
    "below(name=V)",
    "below(V); below(W)",
    "below(V, con)",
    "deep(V)",
    "any_of([V, W])",
    "both(V)",
    "both(V, W)",
    "both(b=V, a=W)",
    "list(map(below, [V, W]))",
    "run = below; run(V)",
    "functools.partial(below, V)()",
    "rows(con, SQL, V)",
    "rows(con, TWO, V, W)",
    "rows(con, TWO, *[V, W])",
    "rows(sql=SQL, con=con) if 0 else rows(con, SQL, V)",
    "Repo(con).below(V)",
    "Repo(con).run(SQL, [V])",
    "Repo(con).run(sql=QUERIES['all'], values=(V,))",
    "repo = Repo(con); repo.con.execute(SQL, (V,)); repo.below(W)",
    "run = con.execute; run(SQL, (V,))",
    "getattr(con, 'execute')(SQL, (V,))",
    "operator.methodcaller('execute', SQL, (V,))(con)",
    "with contextlib.closing(con.cursor()) as cur: cur.execute(SQL, (V,))",
    "with con: con.execute(SQL, (V,))",
    "def inner(name): return con.execute(SQL, (name,)).fetchall()\n    inner(V)",
    "def inner(): return con.execute(SQL, (kept,)).fetchall()\n    kept = V\n    inner()",
    "def inner(sql, *values, **named): return con.execute(sql, values or named)\n    inner(SQL, V)",
    "def inner(sql, *values, **named): return con.execute(sql, values or named)\n    inner(NAMED, name=W)",
    "name = V\n    if len(NAMES) > 1: name = W\n    con.execute(SQL, (name,))",
    "name = V\n    for name in NAMES: pass\n    con.execute(SQL, (name,))",
    "name = 'F'; name += 'ood'; con.execute(SQL, (name,))",
    "sql = SQL; sql += ' OR ancestor = ?'; con.execute(sql, (V, W))",
    "sql = f'SELECT * FROM closure WHERE ancestor = \\'{NAMES[0]}\\''; con.execute(sql)",
    "con.execute('SELECT * FROM closure WHERE ancestor IN (?, ?)', (V, W))",
    "con.execute('SELECT * FROM closure WHERE ancestor IN (%s)' % ','.join('??'), (V, W))",
    "con.execute('SELECT * FROM term WHERE label LIKE ?', (V,))",
    "con.execute('SELECT * FROM term WHERE label LIKE ?', ('%' + V[:2] + '%',))",
    "con.execute('SELECT * FROM term t JOIN closure c ON t.id = c.ancestor WHERE t.label = ?', (V,))",
    "con.execute('SELECT * FROM term WHERE label <> ?', (V,))",
    "con.execute('SELECT ?, label FROM term', (V,))",
    "con.execute('SELECT * FROM closure WHERE ancestor = ?2 AND descendant = ?1', (V, W))",
    "con.execute('SELECT * FROM closure WHERE ancestor = @name', {'name': V})",
    "duck.execute(SQL, [V]).fetchall()",
    "duck.sql(SQL, params=[V]).fetchall()",
    "duck.execute('SELECT * FROM closure WHERE ancestor = $1', [V])",
    "duck.execute('SELECT * FROM closure WHERE ancestor = $2 AND descendant = $1', [V, W])",
    "duck.execute('SELECT * FROM closure WHERE ancestor = $name', {'name': V})",
    "duck.cursor().execute(SQL, [V]).df if 0 else duck.execute(SQL, [W])",
    "Repo(duck).below(V)",
    "rows(duck, SQL, V)",
]  # fmt: skip


class _Recorder:
    """A connection or a cursor that notes what it runs."""

    def __init__(self, real: Any, asked: list[tuple[str, Any]]) -> None:
        self.__dict__.update(_real=real, _asked=asked)

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._real, name)
        if name not in ("execute", "executemany", "sql", "cursor"):
            return member

        def called(*given: Any, **named: Any) -> Any:
            if name != "cursor":
                values = given[1] if len(given) > 1 else named.get("params", ())
                for each in values if name == "executemany" else [values]:
                    self._asked.append((given[0], each))
            result = member(*given, **named)
            return _Recorder(result, self._asked) if name == "cursor" else result

        return called

    def __enter__(self) -> _Recorder:
        self._real.__enter__()
        return self

    def __exit__(self, *given: Any) -> None:
        self._real.__exit__(*given)


@contextmanager
def _recording(names: dict[str, Any]) -> Iterator[list[tuple[str, Any]]]:
    asked: list[tuple[str, Any]] = []
    for name in ("con", "duck"):
        names[name] = _Recorder(names[name], asked)
    names["below"].__defaults__ = (names["con"],)
    yield asked


def _parameters(values: Any) -> dict[str, Sequence[str]]:
    pairs = values.items() if isinstance(values, dict) else ((str(n), each) for n, each in enumerate(values, 1))
    return {str(name): (each,) for name, each in pairs if isinstance(each, str)}


def _is_covered(asked: TablesUse, test: Test) -> bool:
    return any(
        isinstance(use, TablesUse)
        and all(any(_is_wider(mine, source) for mine in use.sources) for source in asked.sources)
        for use in test.uses
    )


def _is_wider(mine: Source, asked: Source) -> bool:
    """Whether a source reads at least what another one reads."""
    if mine.table != asked.table:
        return False
    for name, said in mine.constants.items():
        theirs = asked.constants.get(name)
        if theirs is None or not theirs.texts <= said.texts or not set(theirs.patterns) <= set(said.patterns):
            return False
    return mine.equal == asked.equal or not mine.equal


def _bodies(random: Random, count: int) -> list[str]:
    found = []
    for _ in range(count):
        body = random.choice(BODIES)
        values = [random.choice(VALUES).replace("'NAME'", repr(random.choice(NAMES))) for _ in range(6)]
        said = ""
        for index, letter in enumerate(body):
            around = body[index - 1 : index] + body[index + 1 : index + 2]
            is_value = letter in "VW" and not any(each.isalnum() or each == "_" for each in around)
            said += random.choice(values) if is_value else letter
        found.append(said)
    return found


def _is_runnable(body: str, names: dict[str, Any]) -> bool:
    try:
        exec(f"def test():\n    {body}\ntest()", names)  # noqa: S102 - our own code
    except (SyntaxError, sqlite3.Error, duckdb.Error, TypeError, IndexError, UnboundLocalError):
        return False
    return True


@pytest.mark.filterwarnings("ignore")
def test_no_row_that_a_random_test_asks_for_is_missed(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    count = 4000 if request.config.getoption("--thorough") else 300
    bodies = [*_bodies(Random(0), count), *_bodies(Random(1), count)]
    code = HEAD.replace("SCHEMA", repr(SCHEMA)) + "".join(
        f"def test_{number}():\n    {body}\n" for number, body in enumerate(bodies)
    )
    names: dict[str, Any] = {}
    exec(compile(HEAD.replace("SCHEMA", repr(SCHEMA)), "test_a.py", "exec"), names)  # noqa: S102 - our own code
    tests = found(find(tmp_path, {"schema.sql": SCHEMA, "test_a.py": code}))
    catalogue = Catalogue.of([("schema.sql", SCHEMA)])
    ran = seen = narrow = 0
    missed = []
    with _recording(names) as asked:
        for number, body in enumerate(bodies):
            asked.clear()
            if not _is_runnable(body, names) or not asked:
                continue
            ran += 1
            test = tests.get(f"test_{number}", Test("", PYTHON))
            if test.unseen:
                continue
            seen += 1
            narrow += all(use.sources[0].constants for use in test.uses if isinstance(use, TablesUse))
            for text, values in asked:
                for use in read_sql(text, vocabulary(), catalogue, None, _parameters(values)).uses:
                    if isinstance(use, TablesUse) and not _is_covered(use, test):
                        missed.append((body, text, values))
    assert missed == []
    assert ran >= len(bodies) * 3 // 4
    # To call everything unknown, or to read whole tables always, would miss nothing, too.
    assert seen >= ran * 3 // 4
    assert narrow >= seen * 3 // 8
