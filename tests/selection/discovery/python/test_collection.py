"""The tests that kgprobe collects from a Python file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ..finding import find, terms, write

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
