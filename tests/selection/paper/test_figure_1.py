"""The pizza example of the paper's section 2.2: Figure 1, and the tests of Table 1."""

from __future__ import annotations

from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import OWL, RDFS
from kgprobe.selection.discovery.sparql_files import SPARQL
from kgprobe.selection.discovery.sql_files import SQL
from kgprobe.selection.paper.model import entities_of, matrix
from kgprobe.selection.paper.planning import affected, select
from kgprobe.selection.tests import TermUse
from kgprobe.selection.tests import Test as Case
from kgprobe.sparql.uses import PathUse, Slot
from selection.paper.versions import iri, model_of, node, rows, shown, use_of

_BOTH = """
:hasTopping a owl:ObjectProperty ; rdfs:domain :Pizza ; rdfs:range :Topping .
:Pizza a owl:Class . :Topping a owl:Class .
:VeggiePizza rdfs:subClassOf :Pizza .
:VeggieTopping rdfs:subClassOf :Topping . :Mozzarella rdfs:subClassOf :Topping .
:Tomato rdfs:subClassOf :VeggieTopping . :Mushroom rdfs:subClassOf :VeggieTopping .
:Margherita rdfs:subClassOf :VeggiePizza ,
  [ a owl:Restriction ; owl:onProperty :hasTopping ; owl:someValuesFrom :Tomato ] ,
  [ a owl:Restriction ; owl:onProperty :hasTopping ; owl:someValuesFrom :Mozzarella ] .
:MushroomPizza rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :hasTopping ; owl:someValuesFrom :Mushroom ] .
"""
_OLD = f"""{_BOTH}
:MushroomPizza rdfs:subClassOf :Pizza ,
  [ a owl:Restriction ; owl:onProperty :hasTopping ; owl:someValuesFrom :Mozzarella ] .
"""
_NEW = f"{_BOTH} :MushroomPizza rdfs:subClassOf :VeggiePizza ."

_R = Variable("r", hidden=True)
_RESTRICTION: tuple[TriplePattern, ...] = (
    (iri("MushroomPizza"), RDFS.subClassOf, _R),
    (_R, OWL.onProperty, iri("hasTopping")),
    (_R, OWL.someValuesFrom, iri("Mozzarella")),
)


_TESTS = [
    Case("t1", SQL, uses=(TermUse(iri("VeggiePizza")),)),
    Case(
        "t2",
        SPARQL,
        uses=(
            PathUse(
                Slot(frozenset([iri("MushroomPizza")])),
                frozenset([(RDFS.subClassOf, False)]),
                Slot(frozenset([iri("Pizza")])),
                reflexive=False,
            ),
        ),
    ),
    Case(
        "t3",
        SPARQL,
        uses=tuple(map(use_of, _RESTRICTION)),
        patterns=_RESTRICTION,
    ),
    Case("t4", SQL, uses=(TermUse(iri("VeggieTopping")),)),
]


def test_the_change_removes_a_restriction_and_adds_a_vegetarian_pizza() -> None:
    edge = ("MushroomPizza", "Mozzarella", "hasTopping[some]")
    assert shown(model_of(_OLD), model_of(_NEW)) == {
        "add": set(),
        "delete": {edge},
        "affect": {("VeggiePizza", "-", "-"), edge},
    }


def test_uses_of_the_tests_match_table_1() -> None:
    old = model_of(_OLD)
    entities = {test.name: rows(entities_of(test, old), old) for test in _TESTS}
    assert entities == {
        "t1": {("VeggiePizza", "-", "-")},
        "t2": {("Pizza", "-", "-"), ("MushroomPizza", "-", "-")},
        "t3": {("MushroomPizza", "Mozzarella", "hasTopping[some]")},
        "t4": {("VeggieTopping", "-", "-")},
    }


def test_t1_and_t3_are_selected() -> None:
    old, new = model_of(_OLD), model_of(_NEW)
    selected = select(affected(old, new).affect, matrix(_TESTS, old))
    assert [each.test.name for each in selected] == ["t1", "t3"]
    assert selected[0].because == (node("VeggiePizza"),)
    assert rows(selected[1].because, old, new) == {("MushroomPizza", "Mozzarella", "hasTopping[some]")}
