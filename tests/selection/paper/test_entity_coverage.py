"""The paper's Table 3: the coverage of an ontology by a test suite."""

from __future__ import annotations

import pytest

from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL
from kgprobe.selection.paper.model import ontology_graph
from kgprobe.selection.paper.planning import EntityCoverage, entity_coverage
from kgprobe.selection.tests import TermUse
from kgprobe.selection.tests import Test as Case
from selection.paper.versions import iri, model_of, node, rows, told

_ONTOLOGY = """
:A a owl:Class . :B rdfs:subClassOf :A . :C rdfs:subClassOf :B . :D a owl:Class . :E owl:equivalentClass :D .
:C rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :D ] ,
  [ a owl:Restriction ; owl:onProperty :q ; owl:someValuesFrom :D ] .
"""


def _naming(*names: str) -> list[Case]:
    return [Case(name, "sql", uses=(TermUse(iri(name)),)) for name in names]


@pytest.mark.parametrize(
    ("names", "direct", "indirect", "untouched"),
    [
        (["A"], 1, 2, {("D", "-", "-"), ("E", "-", "-"), ("C", "D", "p[some]"), ("C", "D", "q[some]")}),
        (["A", "B", "B"], 2, 1, {("D", "-", "-"), ("E", "-", "-"), ("C", "D", "p[some]"), ("C", "D", "q[some]")}),
        (["A", "D", "q"], 3, 3, {("C", "D", "p[some]")}),
        (["A", "E", "p", "q"], 4, 3, set()),
    ],
)
def test_classes_below_a_covered_one_are_covered_too(
    names: list[str], direct: int, indirect: int, untouched: set[tuple[str, str, str]]
) -> None:
    model = model_of(_ONTOLOGY)
    found = entity_coverage(_naming(*names), model)
    assert (found.classes, found.properties_and_restrictions, found.tests) == (5, 2, len(names))
    assert (found.direct, found.indirect) == (direct, indirect)
    assert found.percent == pytest.approx(100 * (direct + indirect) / 7)
    assert rows(found.untouched, model) == untouched


def test_a_test_of_everything_covers_all_classes() -> None:
    found = entity_coverage([Case("all", "sparql", uses=(TermUse(OWL.Thing),))], model_of(_ONTOLOGY))
    assert (found.direct, found.indirect, len(found.untouched)) == (0, 5, 2)


def test_an_unsatisfiable_class_is_below_all_classes() -> None:
    model = ontology_graph(Graph(), told([], [iri("A"), iri("B"), iri("C")], [iri("C")]))
    assert entity_coverage(_naming("A"), model).untouched == [node("B")]


def test_a_test_with_unknown_names_covers_nothing() -> None:
    found = entity_coverage([Case("blind", "python", unseen=("it is a template",)), *_naming("X")], model_of(_ONTOLOGY))
    assert (found.tests, found.direct, found.indirect, found.percent) == (2, 0, 0, 0)
    assert len(found.untouched) == 7


def test_an_empty_ontology_has_no_untouched_entities() -> None:
    assert entity_coverage([], ontology_graph(Graph(), told([], []))) == EntityCoverage(0, 0, 0, 0, 0, 100.0, [])
