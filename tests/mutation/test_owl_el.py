"""The operators of `owl-el`: they include all of the paper's, and keep an ontology in OWL 2 EL and well-formed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support.owlapi import needs_owlapi
from support.shared_data import needs_shared_data, shared

from kgprobe.formats.files import load
from kgprobe.mutation.catalogue import all_operators, operator_set
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.mutation.operator import Target
from kgprobe.owl.axioms import AxiomView
from kgprobe.owl.profiles import Profile, violations
from kgprobe.rdf.graph import Graph

from .owl_structure import faults, punned
from .owlapi_axioms import read_completely

_OWN = Path(__file__).parent / "el_ontology.ttl"
_ROWS = {*range(1, 20), *range(21, 30), *range(31, 56)}
_ORE = sorted(path.name for path in shared("ore").glob("*.owl"))
_MUTATIONS = 30


def _mutants(
    graph: Graph, count: int, seed: int = 0, sets: Sequence[str] = ("owl-el",)
) -> Iterator[tuple[Graph, list[str]]]:
    operators = {each.description.name: Weighted(each) for name in sets for each in operator_set(name)}
    generator = Generator(graph, list(operators.values()), mutations=_MUTATIONS, seed=seed)
    for number in range(count):
        mutant, changes = generator.attempt(number)
        assert len(changes) == _MUTATIONS
        yield mutant, [name for name, _ in changes]


def _assert_sound(seed: Graph, mutant: Graph, view: AxiomView) -> None:
    view.follow(mutant)
    assert [f"{found.rule}: {found.culprit}" for found in violations(view, [Profile.EL])] == []
    assert faults(mutant) <= faults(seed)
    assert punned(mutant) <= punned(seed)


def test_each_row_of_the_table_has_its_operator() -> None:
    found = Counter(
        int(match[1])
        for operator in all_operators()
        if (match := re.search(r"table 2, row (\d+)$", operator.description.paper or ""))
    )
    assert set(found) == _ROWS
    assert found[51] == 2  # the paper gives this number twice


def test_the_rows_are_in_the_sets_that_they_belong_to() -> None:
    for operator in all_operators():
        told = operator.description
        if "table 2" in (told.paper or ""):
            assert "owl-dl" in told.sets
            assert ("abox" in told.sets) is (told.target is Target.ABOX)
            assert ("owl-el" in told.sets) is (told.name != "AddDatatypeDefinition")


def test_every_addition_has_a_removal() -> None:
    names = {operator.description.name for operator in operator_set("owl-el")}
    assert {name for name in names if name.startswith("Add") and not _removals(name) & names} == set()
    declared = {name for name in names if name.startswith("Declare")}
    assert {name.replace("Declare", "Remove") for name in declared} <= names


def _removals(name: str) -> set[str]:
    """The removal that undoes an addition: expressions are removed with their axiom."""
    removal = name.replace("Add", "Remove", 1)
    general = re.sub("(Object|Data)Propert(y|ies)", lambda found: f"Propert{found[2]}", removal)
    wider = {"AddRangedDataProperty": {"RemoveDataProperty"}, "AddTypedAnnotation": {"RemoveAnnotation"}}
    in_expressions = {"RemoveSubClassOf"} if re.search("Of$|From$|HasValue$|HasSelf$", name) else set()
    return {removal, general, removal.replace("HasDataKey", "HasKey"), *in_expressions, *wider.get(name, ())}


def test_mutants_of_an_ontology_with_all_constructs_are_sound() -> None:
    seed = load(_OWN).graph
    view = AxiomView(seed)
    _assert_sound(seed, seed, view)
    applied: Counter[str] = Counter()
    for mutant, names in _mutants(seed, 150):
        applied.update(names)
        _assert_sound(seed, mutant, view)
    named = {operator.description.name for operator in operator_set("owl-el") if operator.description.paper}
    assert named <= set(applied)


def test_mutants_of_a_tiny_ontology_are_sound() -> None:
    seed = Graph(list(load(_OWN).graph)[:1])
    for mutant, _ in _mutants(seed, 30):
        _assert_sound(seed, mutant, AxiomView(mutant))


@needs_shared_data
@pytest.mark.parametrize("name", _ORE[::10])
def test_mutants_of_real_ontologies_are_sound(name: str) -> None:
    seed = load(shared(f"ore/{name}")).graph
    view = AxiomView(seed)
    for mutant, _ in _mutants(seed, 2):
        _assert_sound(seed, mutant, view)


_WITH_ANNOTATIONS = ("owl-el", "annotations", "imports")


def test_mutants_with_annotated_axioms_and_imports_are_sound() -> None:
    seed = load(_OWN).graph
    view = AxiomView(seed)
    applied: Counter[str] = Counter()
    for mutant, names in _mutants(seed, 150, sets=_WITH_ANNOTATIONS):
        applied.update(names)
        _assert_sound(seed, mutant, view)
    added = {each.description.name for each in (*operator_set("annotations"), *operator_set("imports"))}
    assert added - {"AddImport"} <= set(applied)  # that needs an ontology that is imported indirectly


@needs_shared_data
@pytest.mark.parametrize("name", _ORE[3::8])
def test_mutants_of_real_ontologies_with_annotated_axioms_are_sound(name: str) -> None:
    seed = load(shared(f"ore/{name}")).graph
    view = AxiomView(seed)
    for mutant, _ in _mutants(seed, 2, sets=_WITH_ANNOTATIONS):
        _assert_sound(seed, mutant, view)


@needs_shared_data
def test_the_sample_of_real_ontologies_is_large_enough() -> None:
    assert len(_ORE) == 123
    assert len(_ORE[::10]) == 13
    assert len(_ORE[3::8]) == 15


@needs_owlapi
def test_owlapi_reads_every_axiom_of_mutants(tmp_path: Path) -> None:
    seeds = [_OWN, *(shared(f"ore/{name}") for name in _ORE[5::24])]
    mutants = [mutant for seed in seeds for mutant, _ in _mutants(load(seed).graph, 25 if seed == _OWN else 2, seed=7)]
    for seed in seeds:  # without imports, which OWL API would try to load
        mutants += [mutant for mutant, _ in _mutants(load(seed).graph, 3, seed=8, sets=("owl-el", "annotations"))]
    assert all("EL" in read.profiles for read in read_completely(mutants, tmp_path))
