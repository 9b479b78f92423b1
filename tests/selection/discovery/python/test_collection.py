"""The tests that kgprobe collects from a Python file, the terms that they declare, and where names are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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


MADE = """
import functools
import sys
import unittest
import pytest
import shared
from hypothesis.stateful import RuleBasedStateMachine, rule
from shared import *
from shared import TestCommon as TestRenamed, ask_later, completed, made_class, Completed, Meta

QUERY = "ASK { <http://example.org/pizza#Pizza> ?p ?o }"

def check(query): ask(query)
def no_test(): ask(QUERY)
def decorated(function):
    @functools.wraps(function)
    def inner(): function(QUERY)
    del inner.__wrapped__
    return inner
test_lambda = lambda: ask(QUERY)
test_made = ask_later(QUERY)
test_partial = functools.partial(check, QUERY)
test_alias = no_test
test_decorated = decorated(lambda query: ask(query))
test_one, test_two = (lambda: ask(QUERY)), (lambda: ask(QUERY))
test_chosen = (lambda: ask(QUERY)) if sys.platform else None
test_cases = [QUERY]
test_client = shared.Client(QUERY)
test_answer = shared.answer(QUERY)
class TestDotted(shared.Hidden): pass
class TestGeneric(shared.Hidden, metaclass=type): pass
TestMade = made_class(QUERY)
TestType = type("TestType", (shared.Hidden,), {})
class TestBody:
    test_in_body = lambda self: ask(QUERY)
    def helper(self): ask(QUERY)
    test_in_alias = helper
class Machine(RuleBasedStateMachine):
    @rule()
    def step(self): ask(QUERY)
TestMachine = Machine.TestCase
class Marked:
    __test__ = True
    def test_marked(self): ask(QUERY)
"""
SHARED = """
Q = "ASK { <http://example.org/pizza#Pizza> ?p ?o }"
def query(text): pass
def ask(text): query(text)
def ask_later(text):
    def run(): query(text)
    return run
def answer(text): return len(text)
class Client:
    def __init__(self, text): self.text = text
def test_star(): query(Q)
class TestCommon:
    def test_common(self): query(Q)
class Hidden:
    def test_hidden(self): query(Q)
def made_class(text):
    class Inner:
        def test_inner(self): query(text)
    return Inner
def completed(cls):
    setattr(cls, "test_added", lambda self: query(Q))
    return cls
class Meta(type):
    def __new__(mcs, name, bases, members):
        members["test_meta"] = lambda self: query(Q)
        return super().__new__(mcs, name, bases, members)
class Completed:
    def __init_subclass__(cls):
        setattr(cls, "test_completed", lambda self: query(Q))
"""
UNNAMED = {
    "test_globals.py": "from shared import *\nfor n in 'ab':\n    globals()['test_' + n] = ask_later(Q)\n",
    "test_given.py": """
from shared import ask_later, Q
def generate(space):
    space["test_generated"] = ask_later(Q)
generate(globals())
""",
    "test_module.py": """
import sys
import shared
setattr(sys.modules[__name__], 'test_set', shared.ask_later(shared.Q))
""",
    "test_classes.py": """
from shared import completed, Completed, Meta, ask_later, Q
@completed
class TestDecorator: pass
class TestMeta(metaclass=Meta): pass
class TestBase(Completed): pass
class TestSpace:
    locals()["test_" + "space"] = lambda self: ask_later(Q)()
""",
}


def _collected_by_pytest(folder: Path, *arguments: str) -> set[str]:
    """The node ids that pytest finds, without parameters: parametrised tests are one test."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr
    return {line.partition("[")[0] for line in done.stdout.splitlines() if "::" in line}


def test_the_node_ids_are_those_of_pytest(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"suite/test_all.py": COLLECTED, "suite/helpers.py": HELPERS, "suite/other_test.py": "def test_x(): 1"},
    )
    expected = _collected_by_pytest(tmp_path, "--rootdir", ".", "suite")
    assert len(expected) > 15
    suite = find(tmp_path, {})
    assert {test.name for test in suite.tests} == expected - {"suite/other_test.py::test_x"}
    assert suite.notes == ("1 Python test does not use the graph",)
    assert all(terms(test) == {"Pizza"} and not test.unseen for test in suite.tests)


def test_tests_that_code_makes_have_the_node_ids_of_pytest(tmp_path: Path) -> None:
    write(tmp_path, {"suite/test_made.py": MADE, "suite/shared.py": SHARED})
    expected = _collected_by_pytest(tmp_path, "--rootdir", ".", "suite")
    # The statement that makes a class is read as a whole, so the class is one test.
    classes = {f"suite/test_made.py::{name}" for name in ("TestMade", "TestType", "TestMachine")}
    assert {name.rpartition("::")[0] for name in expected} >= classes
    suite = find(tmp_path, {})
    known = {test.name for test in suite.tests}
    assert known == {name for name in expected if name.rpartition("::")[0] not in classes} | classes
    assert [test.name for test in suite.tests if not test.unseen and terms(test) != {"Pizza"}] == []


def test_a_file_is_a_test_if_the_names_of_its_tests_are_computed(tmp_path: Path) -> None:
    write(tmp_path, {**{f"suite/{name}": code for name, code in UNNAMED.items()}, "suite/shared.py": SHARED})
    expected = _collected_by_pytest(tmp_path, "--rootdir", ".", "suite")
    assert len(expected) == 10  # with those that test_globals.py imports
    suite = find(tmp_path, {})
    known = {test.name for test in suite.tests}
    for name in expected:
        parts = name.split("::")
        assert any("::".join(parts[:count]) in known for count in range(1, len(parts) + 1)), name
    assert all(test.unseen or terms(test) == {"Pizza"} for test in suite.tests)


def test_the_fixtures_of_the_importing_file_count_for_an_imported_test(tmp_path: Path) -> None:
    files = {
        "lib/shared.py": "def test_near(menu): menu()\nclass TestShared:\n    def test_it(self, menu): menu()\n",
        "suite/test_a.py": "from lib.shared import test_near, TestShared\n",
        "suite/conftest.py": f"import pytest\n@pytest.fixture\ndef menu():\n    return lambda: query('{PIZZA}')\n",
    }
    suite = find(tmp_path, files)
    assert {test.name: terms(test) for test in suite.tests} == {
        "suite/test_a.py::test_near": {"Pizza", "type"},
        "suite/test_a.py::TestShared::test_it": {"Pizza", "type"},
    }


def test_a_base_class_of_a_library_may_have_tests(tmp_path: Path) -> None:
    code = f"""
from compliance import StoreTests
class TestStore(StoreTests):
    def setup_method(self): self.answer = query('{PIZZA}')
class TestPlain(StoreTests): pass
"""
    suite = find(tmp_path, {"test_a.py": code})
    assert [test.name for test in suite.tests] == ["test_a.py::TestStore"]
    assert suite.tests[0].unseen
    assert suite.unrelated == ("test_a.py::TestPlain",)


def test_decorators_that_rename_tests_make_the_class_a_test(tmp_path: Path) -> None:
    code = f"""
import unittest
from parameterized import parameterized
class MenuTest(unittest.TestCase):
    @parameterized.expand([("a", "{PIZZA}")])
    def test_query(self, name, text): query(text)
"""
    assert "test_a.py::MenuTest" in [test.name for test in find(tmp_path, {"test_a.py": code}).tests]


_SETTINGS = {
    "pytest.ini": "[pytest]\npython_files = check_*.py\npython_classes = *Suite\npython_functions = check_* probe\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npython_files = ["check_*.py"]\npython_classes = "*Suite"\n'
    'python_functions = ["check_*", "probe"]\n',
    "tox.ini": "[pytest]\npython_files = check_*.py\npython_classes = *Suite\npython_functions = check_* probe\n",
    "setup.cfg": "[tool:pytest]\npython_files = check_*.py\npython_classes = *Suite\n"
    "python_functions =\n    check_*\n    probe\n",
}


@pytest.mark.parametrize("settings", _SETTINGS)
def test_the_settings_of_pytest_say_what_is_a_test(tmp_path: Path, settings: str) -> None:
    code = (
        "def query(text): pass\n"
        f"def check_a(): query('{PIZZA}')\n"
        f"def probe_b(): query('{PIZZA}')\n"
        f"def test_c(): query('{PIZZA}')\n"
        f"class MenuSuite:\n    def check_d(self): query('{PIZZA}')\n"
        f"class TestMenu:\n    def check_e(self): query('{PIZZA}')\n"
    )
    write(tmp_path, {settings: _SETTINGS[settings], "suite/check_menu.py": code, "suite/test_menu.py": code})
    expected = _collected_by_pytest(tmp_path, "suite")
    assert expected == {f"suite/check_menu.py::{name}" for name in ("check_a", "probe_b", "MenuSuite::check_d")}
    assert {test.name for test in find(tmp_path, {}).tests} == expected


def test_examples_in_texts_and_docstrings_are_tests(tmp_path: Path) -> None:
    files = {
        "pytest.ini": "[pytest]\naddopts = --doctest-modules --doctest-glob=*.rst\n",
        "menu.py": f'def pizzas():\n    """\n    >>> pizzas()\n    1\n    """\n    query("{PIZZA}")\n    return 1\n',
        "quiet.py": 'def two():\n    """\n    >>> two()\n    2\n    """\n    return 2\n',
        "guide.rst": f"Ask\n\n    >>> query('{PIZZA}')\n    1\n",
        "plain.rst": "No examples, and ASK { <http://example.org/pizza#Pizza> ?p ?o }\n",
        "odd.rst": "    >>> if menu.query:\n    ... query(\n",
    }
    suite = find(tmp_path, files)
    assert {test.name: terms(test) for test in suite.tests} == {
        "guide.rst": {"Pizza", "type"},
        "menu.py": {"Pizza", "type"},
        "odd.rst": set(),
    }
    assert [test.name for test in suite.tests if test.unseen] == ["odd.rst"]
    assert suite.unrelated == ("quiet.py",)
    assert (".rst", 1) in suite.skipped


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
