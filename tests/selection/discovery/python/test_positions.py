"""The positions of term names in Python files."""

from __future__ import annotations

from pathlib import Path

from kgprobe.entailment.rules import Regime

from ..finding import EX, find, only
from .python_files import HEAD, PIZZA, found


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
