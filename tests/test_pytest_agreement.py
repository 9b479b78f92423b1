"""`kgprobe select --format pytest` names the tests that the pytest plugin runs, in ordinary and in odd suites."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from support.commands import kgprobe
from support.pytest_sessions import pytest_session

PIZZERIA = Path(__file__).parent.parent / "examples" / "pizzeria"
USES, USES_NOT = '"https://example.org/pizzeria#VeggiePizza"', '"https://example.org/pizzeria#Branch"'

MARKS = """
import pytest
mark = pytest.mark.kg_terms
@mark("VeggiePizza")
def test_marked(): pass
@mark("Branch")
def test_marked_with_another_term(): USES
@mark("Nothing at all")
def test_marked_with_an_unknown_name(): pass
@mark("<https://example.org/pizzeria#Nope>", " Branch ")
def test_marked_with_an_unknown_iri(): pass
@pytest.mark.parametrize("x", [pytest.param(1, marks=mark("VeggiePizza")), pytest.param(2, marks=mark("Branch"))])
def test_only_the_first_case_is_affected(x): pass
@pytest.mark.parametrize("x", [pytest.param(1, marks=mark("Branch")), pytest.param(2)])
def test_a_case_without_a_mark(x): USES
@mark("Branch")
class TestMarked:
    def test_inherits_it(self): USES
    @mark("VeggiePizza")
    def test_adds_to_it(self): pass
"""
KINDS = """
import pytest, unittest
from helpers import Base, test_imported
EX = "https://example.org/pizzeria#"
def testing(): USES
def test_other(): NOT
def test_nothing(): pass
@pytest.mark.parametrize("x", [EX + "VeggiePizza", EX + "Branch"])
def test_cases(x): assert x
@pytest.mark.skip
def test_skipped(): USES
class TestA:
    def test_in(self): USES
    class TestInner:
        def test_deep(self): USES
        def test_deep_not(self): NOT
class TestB(Base): pass
class CaseU(unittest.TestCase):
    def test_u(self): USES
    def test_n(self): NOT
class TestWithConstructor:
    def __init__(self): pass
    def test_never(self): USES
class TestOff:
    __test__ = False
    def test_off(self): USES
if EX:
    def test_conditional(): USES
@pytest.fixture
def kind(): return USES
def test_by_fixture(kind): assert kind
def test_twice(): NOT
def test_twice(): USES
async def helper(): pass
"""
HELPERS = """
def test_imported(): USES
class Base:
    def test_base(self): USES
    def test_base_not(self): NOT
"""
FILES = {
    "test_marks.py": MARKS,
    "test_kinds.py": KINDS,
    "helpers.py": HELPERS,
    "sub/kinds_test.py": "import pytest\npytestmark = pytest.mark.kg_terms('VeggiePizza')\ndef test_m(): pass\n",
    "sub/test_é.py": "def test_æ(): USES\n",
    "conftest.py": "import sys, pathlib\nsys.path.insert(0, str(pathlib.Path(__file__).parent))\n",
    "count.rq": "SELECT * { ?x ?p ?o }",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        shutil.copy(PIZZERIA / f"menu-{number}.ttl", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return tmp_path


def _write(project: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        file = project / "tests" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        filled = text.replace("return USES", f"return {USES}").replace("USES", f"assert {USES}")
        file.write_text(filled.replace("NOT", f"assert {USES_NOT}"), encoding="utf-8")


def _by_plugin(project: Path, *options: str) -> set[str]:
    output = pytest_session(project, "tests", *options)
    return {name.partition("[")[0] for name in re.findall(r"^(\S+::\S+) (?:PASSED|SKIPPED)", output, re.MULTILINE)}


def _by_select(*options: str) -> set[str]:
    done = kgprobe("select", "menu-1.ttl", "menu-2.ttl", "--tests", "tests", "--format", "pytest", *options)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines())


PAIR = ("--kg-old=menu-1.ttl", "--kg-new=menu-2.ttl")


GRAPH = """@prefix : <https://example.org/pizzeria#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:VeggiePizza rdfs:label "{}" . :Branch rdfs:label "branch" ."""


def test_they_agree_on_an_odd_suite(project: Path) -> None:
    _write(project, FILES)
    for number, label in ((1, "veggie pizza"), (2, "vegetarian pizza")):
        (project / f"menu-{number}.ttl").write_text(GRAPH.format(label), encoding="utf-8")
    by_plugin = _by_plugin(project, *PAIR)
    assert _by_select() == by_plugin
    everything = _by_plugin(project)
    assert len(by_plugin) < len(everything)
    assert {"test_only_the_first_case_is_affected", "test_a_case_without_a_mark", "test_nothing"} <= {
        name.rpartition("::")[2] for name in by_plugin
    }


@pytest.mark.parametrize("regime", ["none", "rdfs"])
def test_they_agree_on_the_example(project: Path, regime: str) -> None:
    shutil.copytree(PIZZERIA / "tests", project / "tests")
    assert _by_select("--regime", regime) == _by_plugin(project, *PAIR, f"--kg-regime={regime}")


def test_both_find_the_definitions_of_tables_beside_the_tests(project: Path) -> None:
    test = "def test_NAME():\n    Database().execute(\"SELECT * FROM terms WHERE term = 'NAME'\")\n"
    tests = "".join(test.replace("NAME", name) for name in ("Salami", "VeggiePizza"))
    database = "class Database:\n    def execute(self, text): return text\n"
    schema = "CREATE TABLE terms (term text, ancestor text);"
    _write(project, {"test_database.py": database + tests, "tables/schema.sql": schema})
    by_plugin = _by_plugin(project, *PAIR)
    assert by_plugin == {"tests/test_database.py::test_VeggiePizza"}
    assert _by_select() == by_plugin


def test_without_a_change_they_agree(project: Path) -> None:
    _write(project, FILES)
    shutil.copy(project / "menu-1.ttl", project / "menu-2.ttl")
    assert _by_select() == _by_plugin(project, *PAIR)


def test_a_test_that_code_makes_is_found_by_both(project: Path) -> None:
    _write(project, {"test_made.py": "def make():\n    def inner(): NOT\n    return inner\ntest_made = make()\n"})
    assert _by_select() == _by_plugin(project, *PAIR) == {"tests/test_made.py::test_made"}


OWN_KIND = """
import pytest

class Case(pytest.Item):
    def runtest(self):
        pass

class Cases(pytest.File):
    def collect(self):
        yield Case.from_parent(self, name="case")

def pytest_collect_file(file_path, parent):
    return Cases.from_parent(parent, path=file_path) if file_path.suffix == ".case" else None
"""


def test_tests_that_only_pytest_finds_always_run_there(project: Path) -> None:
    _write(project, {"conftest.py": OWN_KIND, "menu.case": ""})
    assert _by_plugin(project, *PAIR) == {"tests/menu.case::case"}
    assert _by_select() == set()
