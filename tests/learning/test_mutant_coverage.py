"""Coverage of mutants: what new operators bring, and which operators bring what is missing."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from support.shared_data import needs_shared_data, shared

from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.input_coverage.features import BUILT_IN, feature_set
from kgprobe.learning.mutant_coverage import CoveragePlan, bringers, coverage, curve_of
from kgprobe.mutation.catalogue import example_graph
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, NamedNode

_EL = Path(__file__).parents[1] / "mutation" / "el_ontology.ttl"
_ORE = sorted(shared("ore").glob("*.owl"))


@needs_shared_data
@pytest.mark.parametrize(
    ("operators", "at_least"), [("owl-el", 59), ("owl-el,annotations", 63), ("owl-el,annotations,imports", 64)]
)
@pytest.mark.parametrize("first", [0, 57])
def test_mutants_of_ten_ontologies_cover_the_table(operators: str, at_least: int, first: int) -> None:
    seeds = [load(path).graph for path in _ORE[first : first + 10]]
    found = coverage(seeds, operators=[operators], mutations=[50], count=100, groups=[1])
    assert len(found.graphs) == 110
    never = {each.short for each in found.never}
    assert found.covered == at_least, never
    left = {"owl:imports"} | {f"owl:{name}" for name in ("Annotation", *(f"annotated{x}" for x in _REIFIED))}
    assert never <= left


_REIFIED = ("Source", "Property", "Target")


def test_results_are_frozen_and_repeatable() -> None:
    graph = load(_EL).graph
    one = coverage([graph], operators=["owl-el", "generic"], mutations=[0, 4], count=5, groups=[1, 2])
    assert one == coverage([graph], operators=["owl-el", "generic"], mutations=[0, 4], count=5, groups=[1, 2])
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.features = 1  # type: ignore[misc]
    assert len(one.graphs) == 11
    terms = {term.value for term in graph.terms() if isinstance(term, NamedNode)}
    assert set(one.features_of(one.graphs[0])) >= terms & set(feature_set("owl-el").features)
    # The mutants of a curve do not depend on the other curves.
    alone = coverage([graph], operators=["generic"], mutations=[0, 4], count=5, groups=[1, 2])
    assert alone.rows == one.rows[4:]
    assert alone.graphs[1:] == one.graphs[6:]


def test_seed_graphs_take_turns() -> None:
    seeds = [load(_EL).graph, example_graph(":A a owl:Class . :B a owl:Class . :C a owl:Class .")]
    found = coverage(seeds, operators=["AddSubClassOf"], mutations=[1], count=5, groups=[1])
    small = [len(found.features_of(graph)) < 10 for graph in found.graphs]
    assert small == [False, True, False, True, False, True, False]


def test_mutants_of_different_graphs_are_made_by_different_choices() -> None:
    text = "".join(f":C{number} a owl:Class . " for number in range(30))
    found = coverage([example_graph(text)] * 4, operators=["owl-el"], mutations=[20], count=4, groups=[1])
    assert len({graph.features for graph in found.graphs[4:]}) > 1


def test_files_of_operators(tmp_path: Path) -> None:
    source = Path("src/kgprobe/mutation/operators/owl_el/AddSubClassOf.ru").read_text(encoding="utf-8")
    (tmp_path / "own.ru").write_text(source.replace("AddSubClassOf", "Own"), encoding="utf-8")
    curve = curve_of("own.ru, AddInstance", tmp_path)
    assert [operator.description.name for operator in curve.operators] == ["Own", "AddInstance"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mutations": []}, "0 or more"),
        ({"mutations": [-1]}, "0 or more"),
        ({"count": 0}, "must be 1 or more"),
        ({"groups": []}, "at least one graph"),
        ({"groups": [0]}, "at least one graph"),
        ({"operators": ["no-such"]}, "is not a set of operators"),
        ({"features": "no-such"}, "neither a set of features nor a file"),
        ({"graphs": []}, "there is no graph"),
        ({"graphs": [Graph()]}, "graph 1 is empty"),
    ],
)
def test_wrong_arguments(change: dict[str, object], words: str) -> None:
    arguments: dict[str, object] = {"graphs": [load(_EL).graph], **change}
    with pytest.raises(InputError, match=words):
        coverage(**arguments)  # type: ignore[arg-type]
    assert CoveragePlan().count == 500


# -- operators that would bring a feature ------------------------------------------------------------------------------


def test_operators_bring_what_they_are_said_to_bring() -> None:
    """All features of Table 4 can be brought, except for the header that the ontology itself has."""
    features = feature_set("owl-el")
    found = bringers(features, features.features)
    assert found[OWL.imports.value] == ("AddNewImport",)
    assert found[OWL.AllDisjointClasses.value] == ("AddAllDisjointClasses",)
    assert "AddTypedAnnotation" in found["http://www.w3.org/2001/XMLSchema#hexBinary"]
    assert not any("Remove" in name for names in found.values() for name in names)
    without = [features.short(feature) for feature, names in found.items() if not names]
    assert without == ["owl:Ontology"]


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_every_set_names_operators(name: str) -> None:
    features = feature_set(name)
    found = bringers(features, features.features)
    assert list(found) == list(features.features)
    assert any(found.values()) is (name != "suave")  # no built-in operator knows the robot
    if name == "axioms":
        assert "AddHasKey" in found["HasKey"]
        assert "DeclareClass" in found["Declaration"]
    if name == "shapes":
        assert "AddObjectOneOf" in found["ObjectOneOf"]
