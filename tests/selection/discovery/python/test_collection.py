"""The tests that kgprobe collects from a Python file, the terms that they declare, and where names are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from kgprobe.entailment.rules import Regime

from ..finding import EX, find, only, terms, write
from .python_files import HEAD, PIZZA, found

COLLECTED = """
import os
import unittest
import pytest
from helpers import test_imported, helper, Shared

QUERY = "ASK { <http://example.org/pizza#Pizza> ?p ?o }"

def test_plain(): ask(QUERY)
async def test_async(): ask(QUERY)
def tests_too(): ask(QUERY)
def not_a_test(): ask(QUERY)
@pytest.fixture
def test_fixture(): return QUERY
@pytest.mark.parametrize("n", [1, 2])
def test_many(n): ask(QUERY)
test_value = QUERY
if os.name:
    def test_in_if(): ask(QUERY)
try:
    def test_in_try(): ask(QUERY)
finally:
    pass
def test_twice(): pass
def test_twice(): ask(QUERY)
class TestClass:
    def test_method(self): ask(QUERY)
    def helper(self): ask(QUERY)
    @staticmethod
    def test_static(): ask(QUERY)
    @classmethod
    def test_class(cls): ask(QUERY)
    class TestInner:
        def test_inner(self): ask(QUERY)
    class Inner:
        def test_no(self): ask(QUERY)
class TestDerived(TestClass):
    def test_more(self): ask(QUERY)
class TestShared(Shared): pass
class TestMade:
    def __init__(self): pass
    def test_no(self): ask(QUERY)
class TestOff:
    __test__ = False
    def test_no(self): ask(QUERY)
class Mixin:
    def test_mixed(self): ask(QUERY)
class TestMixed(Mixin): pass
class Case(unittest.TestCase):
    def setUp(self): self.q = QUERY
    def test_case(self): ask(self.q)
class Later(Case):
    def test_later(self): ask(self.q)
"""
HELPERS = """
Q = "ASK { <http://example.org/pizza#Pizza> ?p ?o }"
def test_imported(): query(Q)
def helper(): query(Q)
class Shared:
    def test_shared(self): query(Q)
"""


def test_the_node_ids_are_those_of_pytest(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"suite/test_all.py": COLLECTED, "suite/helpers.py": HELPERS, "suite/other_test.py": "def test_x(): 1"},
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--collect-only",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        ".",
        "suite",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603
    # Parametrised tests are one test, with their plain id.
    expected = {line.partition("[")[0] for line in done.stdout.splitlines() if "::" in line}
    assert len(expected) > 15, done.stdout + done.stderr
    suite = find(tmp_path, {})
    assert {test.name for test in suite.tests} == expected - {"suite/other_test.py::test_x"}
    assert suite.notes == ("1 Python test does not use the graph",)
    assert all(terms(test) == {"Pizza"} and not test.unseen for test in suite.tests)


def test_only_files_that_pytest_would_collect(tmp_path: Path) -> None:
    code = "def test_it(): query('ASK { ex:Pizza ?p ?o }')\n"
    files = dict.fromkeys(["test_a.py", "b_test.py", "conftest.py", "c.py", "sub/test_d.py"], code)
    assert [test.name for test in find(tmp_path, files).tests] == [
        "b_test.py::test_it",
        "sub/test_d.py::test_it",
        "test_a.py::test_it",
    ]


def test_declared_terms_are_all_that_a_test_uses(tmp_path: Path) -> None:
    code = (
        HEAD
        + """
marked = pytest.mark.kg_terms("Mozzarella")
@pytest.mark.kg_terms("ex:Pizza", "Pizza pie", "<http://example.org/pizza#Food>", EX.Margherita)
def test_a(): graph.query(make())
@marked
def test_b(): graph.query(make())
@pytest.mark.kg_terms("Food")
class TestC:
    pytestmark = [pytest.mark.slow, pytest.mark.kg_terms("VeggiePizza")]
    @pytest.mark.kg_terms("Pizza")
    def test_d(self): graph.query(make())
@pytest.mark.kg_terms()
def test_e(): graph.query(make())
@pytest.mark.kg_terms(make())
def test_f(): pass
@pytest.mark.kg_terms("Piza")
def test_g(): pass
"""
    )
    suite = find(tmp_path, {"test_a.py": code})
    tests = found(suite)
    assert {name: terms(test) for name, test in tests.items()} == {
        "TestC::test_d": {"Pizza", "Food", "VeggiePizza"},
        "test_a": {"Pizza", "Food", "Margherita"},
        "test_b": {"Mozzarella"},
        "test_e": set(),
        "test_f": set(),
        "test_g": set(),
    }
    assert [name for name, test in tests.items() if test.unseen] == ["test_f", "test_g"]
    assert suite.notes == (
        f"test_a.py:{code[: code.index('Piza')].count(chr(10)) + 1}: "
        "no term of the ontology is called 'Piza' (did you mean 'Pizza'?)",
    )
    assert [mention.written for mention in tests["test_a"].mentions] == [
        "ex:Pizza",
        "Pizza pie",
        "<http://example.org/pizza#Food>",
        "Margherita",
    ]


def test_a_file_can_declare_terms_for_all_of_its_tests(tmp_path: Path) -> None:
    code = "import pytest\npytestmark = pytest.mark.kg_terms('Food')\n"
    code += "def test_a(): pass\nclass TestB:\n def test_c(self): pass\n"
    tests = found(find(tmp_path, {"test_a.py": code}))
    assert [terms(test) for test in tests.values()] == [{"Food"}, {"Food"}]


def test_positions_of_term_names(tmp_path: Path) -> None:
    code = '''# Größe
def test_it():
    graph.query("""SELECT ?x {
        ?x a <http://example.org/pizza#Pizza> }""")
    check("ex:Food", EX.Mozzarella, EX["Margherita"], r'http://example.org/pizza#VeggiePizza')
'''
    for text in (HEAD + code, "\ufeff" + HEAD + code):
        test = found(find(tmp_path, {"test_a.py": text}))["test_it"]
        written = {mention.term: mention.written for mention in test.mentions}
        assert written == {
            EX.Pizza: "<http://example.org/pizza#Pizza>",
            EX.Food: "ex:Food",
            EX.Mozzarella: "Mozzarella",
            EX.Margherita: "Margherita",
            EX.VeggiePizza: "http://example.org/pizza#VeggiePizza",
        }


def test_lines_of_uses_are_lines_of_the_file(tmp_path: Path) -> None:
    code = 'def test_it():\n    graph.query("""\n    SELECT ?x {\n    ?x a <http://example.org/pizza#Pizza> }""")\n'
    test = only(find(tmp_path, {"test_a.py": code}))
    assert [use.line for use in test.uses] == [4]


def test_a_comment_at_the_start_states_the_regime(tmp_path: Path) -> None:
    code = f"# kgprobe: regime=dl\ndef test_it(): graph.query('{PIZZA}')\n"
    assert only(find(tmp_path, {"test_a.py": code})).regime is Regime.DL
