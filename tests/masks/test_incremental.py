"""Incremental validation gives the same answers as full validation."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.shared_data import needs_shared_data, shared
from support.turtle import graph_in

from kgprobe.formats.files import load
from kgprobe.masks import incremental as incremental_module
from kgprobe.masks.evaluation import conforms
from kgprobe.masks.incremental import BeyondLookupsError, IncrementalValidator, read_statements
from kgprobe.masks.shacl import ShaclCheck, ShiftyEngine
from kgprobe.masks.shapes_file import check_shapes
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import NamedNode, Triple

from .random_mutants import mutants
from .shape_strategies import PREFIXES, crowds, shapes_texts, triples_to_validate, witness_texts


def assert_same_answers(text: str, loaded: list[Triple], changes: list[list[Triple]]) -> None:
    """Judge several mutants of one graph independently."""
    shapes = graph_in(text)
    check_shapes(shapes, "shapes")
    full, incremental = ShiftyEngine(shapes, "shapes"), IncrementalValidator(read_statements(shapes))
    graph = Graph(loaded)
    for changed in changes:
        delta = Delta([t for t in changed if t in graph], [t for t in changed if t not in graph])
        graph.apply(delta)
        expected = full.conforms_afresh(graph)
        assert full.conforms(graph) is expected
        assert incremental.conforms(graph) is expected
        assert set(incremental.results(graph)) == set(full.results(graph))
        graph.revert(delta)
    assert incremental.conforms(graph) is full.conforms(graph)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    shapes_texts(),
    st.lists(triples_to_validate, max_size=20),
    st.lists(st.lists(triples_to_validate, min_size=1, max_size=4), min_size=1, max_size=3),
)
def test_incremental_verdicts_agree_with_full_validation(
    text: str, loaded: list[Triple], changes: list[list[Triple]]
) -> None:
    assert_same_answers(text, loaded, changes)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    witness_texts,
    st.lists(crowds, min_size=4, max_size=12, unique=True),
    st.lists(st.lists(crowds, min_size=1, max_size=3), max_size=3),
)
def test_verdicts_that_rest_on_a_few_of_many_values_are_right(
    text: str, loaded: list[Triple], changes: list[list[Triple]]
) -> None:
    without_each = [[triple] for triple in loaded]
    assert_same_answers(text, loaded, [*without_each, *changes])


@needs_shared_data
@pytest.mark.parametrize(
    ("seed", "mask", "verdicts"),
    [
        ("suave/suave_original_with_imports.ttl", "suave/masks/mask7.ttl", {True, False}),
        ("geo/geo_original.ttl", "geo/mask1.ttl", {True, False}),
        ("geo/geo_original.ttl", "geo/mask0.ttl", {True}),
    ],
)
def test_mutants_of_real_graphs_get_the_verdicts_of_full_validation(seed: str, mask: str, verdicts: set[bool]) -> None:
    graph, shapes = load(shared(seed)).graph, load(shared(mask)).graph
    check = ShaclCheck(shapes, mask)
    full = ShiftyEngine(shapes, mask) if len(shapes) else None
    seen = set()
    assert check.admits(graph)
    for delta in mutants(graph, check, 60):
        graph.apply(delta)
        admitted = check.admits(graph)
        seen.add(admitted)
        assert admitted is (full is None or full.conforms_afresh(graph))
        assert bool(check.rejections(graph)) is not admitted
        graph.revert(delta)
    assert seen == verdicts


EVERY_C_HAS_P = "ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:property [ sh:path ex:p ; sh:minCount 1 ] ."


def ex(*names: str) -> Triple:
    type_ = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
    s, p, o = (type_ if name == "a" else NamedNode(f"http://example.org/{name}") for name in names)
    return Triple(s, p, o)


def test_only_nodes_that_a_change_affects_are_validated_again(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[object] = []
    validator = IncrementalValidator(read_statements(graph_in(PREFIXES + EVERY_C_HAS_P)))
    graph = Graph([ex(f"n{n}", "a", "C") for n in range(50)] + [ex(f"n{n}", "p", "o") for n in range(50)])
    assert validator.conforms(graph)

    def counted(shape: object, view: object, focus: object) -> bool:
        judged.append(focus)
        return conforms(shape, view, focus)  # type: ignore[arg-type]

    monkeypatch.setattr(incremental_module, "conforms", counted)
    graph.add(ex("n1", "q", "o"))
    graph.remove(ex("n7", "a", "C"))
    assert validator.conforms(graph)
    assert judged == []
    graph.add(ex("new", "a", "C"))
    graph.remove(ex("n9", "p", "o"))
    assert not validator.conforms(graph)
    assert {graph.term(key) for key in judged} <= {NamedNode(f"http://example.org/{name}") for name in ("new", "n9")}  # type: ignore[arg-type]


def test_subclass_changes_add_and_remove_targets() -> None:
    sub_class_of = NamedNode("http://www.w3.org/2000/01/rdf-schema#subClassOf")
    link = Triple(ex("D", "p", "C").subject, sub_class_of, ex("D", "p", "C").object)
    validator = IncrementalValidator(read_statements(graph_in(PREFIXES + EVERY_C_HAS_P)))
    graph = Graph([ex("n", "a", "D")])
    assert validator.conforms(graph)
    graph.add(link)
    assert not validator.conforms(graph)
    graph = Graph([ex("n", "a", "D"), link])
    assert not validator.conforms(graph)
    graph.remove(link)
    assert validator.conforms(graph)


@pytest.mark.parametrize(
    "shapes",
    [
        "ex:S sh:targetNode ex:a ; sh:node ex:S .",
        "ex:S sh:targetNode ex:a ; sh:sparql [ sh:select 'SELECT $this { $this ex:p ?x }' ] .",
        "ex:S sh:target [ sh:select 'SELECT ?this { ?this ex:p ?x }' ] ; sh:nodeKind sh:IRI .",
        "ex:S sh:targetNode ex:a ; sh:not [ sh:class ex:C ; sh:deactivated true ] .",
        "ex:S sh:targetNode ex:a ; sh:minCount 1 .",
        "ex:S a sh:NodeShape, <http://www.w3.org/2002/07/owl#Class> ; sh:nodeKind sh:Literal .",
        "ex:S a rdfs:Class ; sh:targetNode ex:a ; sh:nodeKind sh:Literal .",
        "ex:S sh:targetNode ex:a ; sh:property [ sh:path ex:p ; sh:qualifiedMinCount 1 ] .",
    ],
)
def test_shapes_beyond_lookups_use_full_validation(shapes: str) -> None:
    graph = graph_in(PREFIXES + shapes)
    with pytest.raises(BeyondLookupsError):
        read_statements(graph)


def test_shapes_beyond_lookups_are_validated_for_graphs_with_changes() -> None:
    text = "ex:S sh:targetClass ex:C ; sh:sparql [ sh:select 'SELECT $this { $this <http://example.org/p> ?x }' ] ."
    check = ShaclCheck(graph_in(PREFIXES + text), "s")
    graph = Graph([ex("n", "a", "C")])
    assert check.admits(graph)
    graph.add(ex("n", "p", "o"))
    assert not check.admits(graph)
    assert [rejection.node for rejection in check.rejections(graph)] == [ex("n", "p", "o").subject]
    graph.remove(ex("n", "a", "C"))
    assert check.admits(graph)
    assert check.rejections(graph) == []


def test_a_deactivated_shape_demands_nothing() -> None:
    validator = IncrementalValidator(
        read_statements(graph_in(PREFIXES + "ex:S sh:targetNode ex:a ; sh:class ex:C ; sh:deactivated true ."))
    )
    assert validator.results(Graph()) == []
