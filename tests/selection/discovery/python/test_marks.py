"""Terms that Python tests declare with a mark."""

from __future__ import annotations

from pathlib import Path

from ..finding import find, terms
from .python_files import HEAD, found


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
