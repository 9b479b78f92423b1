"""pyshacl as a second engine: the same verdicts and messages, from a separate process."""

from __future__ import annotations

import importlib.util
import os
import signal
from collections import Counter

import pytest
from support.shared_data import needs_shared_data, shared
from support.turtle import triples_in

from kgprobe.errors import InputError, UnavailableError
from kgprobe.formats.files import load
from kgprobe.masks.mask import Check, NoAnswerError
from kgprobe.masks.shacl import PyshaclEngine, ShaclCheck
from kgprobe.owl.axioms import AxiomView
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling

from .random_mutants import mutants, needed
from .shape_strategies import PREFIXES

needs_pyshacl = pytest.mark.skipif(importlib.util.find_spec("pyshacl") is None, reason="needs pyshacl, an extra")


def graph_of(text: str) -> Graph:
    return Graph(triples_in(PREFIXES + text), spelling=Spelling({"ex": "http://example.org/"}))


SUAVE, GEO = "suave/suave_original_with_imports.ttl", "geo/geo_original.ttl"


# pyshacl takes a second for one graph with the large mask of geo, so here it judges a few. bench/masks.py compares its
# verdicts on 200 mutants of the whole graph, and the test below on those of a part of it.
@needs_shared_data
@needs_pyshacl
@pytest.mark.parametrize(
    ("seed", "mask", "count", "verdicts"),
    [
        (SUAVE, "suave/masks/mask7.ttl", 60, {True, False}),
        pytest.param(SUAVE, "suave/masks/mask7.ttl", 200, {True, False}, marks=pytest.mark.thorough),
        *((SUAVE, f"suave/masks/mask{number}.ttl", 30, {True, False}) for number in range(7)),
        (GEO, "geo/mask0.ttl", 60, {True}),
        pytest.param(GEO, "geo/mask0.ttl", 200, {True}, marks=pytest.mark.thorough),
        (GEO, "geo/mask1.ttl", 3, {True, False}),
        pytest.param(GEO, "geo/mask1.ttl", 6, {True, False}, marks=pytest.mark.thorough),
    ],
)
def test_both_engines_agree_about_real_masks(seed: str, mask: str, count: int, verdicts: set[bool]) -> None:
    graph, shapes = load(shared(seed)).graph, load(shared(mask)).graph
    one, other = ShaclCheck(shapes, mask), ShaclCheck(shapes, mask, engine="pyshacl")
    assert one.admits(graph)
    assert other.admits(graph)
    seen = set()
    for delta in mutants(graph, one, count):
        graph.apply(delta)
        verdict = one.admits(graph)
        assert other.admits(graph) is verdict
        seen.add(verdict)
        graph.revert(delta)
    assert seen == verdicts


def demanded_part(graph: Graph, check: Check, step: int) -> Graph:
    """The triples that a mask demands, and one in `step` of the others; the mask must not forbid anything.

    Leaving out the other triples cannot make a graph inadmissible, since the mask does not demand them. Neither can
    their presence: these shapes require minimum numbers of values, never maximum numbers. The test checks both.
    """
    demanded = set(needed(graph, check))
    axioms = list(AxiomView(graph))
    others = [axiom for axiom in axioms if demanded.isdisjoint(axiom.triples)]
    kept = {*(axiom for axiom in axioms if not demanded.isdisjoint(axiom.triples)), *others[::step]}
    return Graph((triple for axiom in axioms if axiom in kept for triple in axiom.triples), spelling=graph.spelling)


@needs_shared_data
@needs_pyshacl
@pytest.mark.parametrize("count", [24, pytest.param(200, marks=pytest.mark.thorough)])
def test_both_engines_agree_about_mutants_of_the_demanded_part_of_geo(count: int) -> None:
    whole, shapes = load(shared(GEO)).graph, load(shared("geo/mask1.ttl")).graph
    one, other = ShaclCheck(shapes, "mask1"), ShaclCheck(shapes, "mask1", engine="pyshacl")
    part = demanded_part(whole, one, 20)
    assert set(needed(whole, one)) == set(needed(part, one))
    assert len(needed(part, one)) == 36
    assert one.admits(part)
    assert other.admits(part)
    seen: Counter[bool | None] = Counter()
    for delta in mutants(part, one, count):
        part.apply(delta)
        in_whole = whole.fitted(delta)
        whole.apply(in_whole)
        verdict = one.admits(part)
        assert other.admits(part) is verdict
        assert one.admits(whole) is verdict
        seen[verdict] += 1
        part.revert(delta)
        whole.revert(in_whole)
    assert seen.total() == count
    assert min(seen[True], seen[False]) >= count // 4


@needs_pyshacl
def test_both_engines_report_violations_in_the_same_words() -> None:
    shapes = graph_of(
        "ex:S a sh:NodeShape ; sh:targetClass ex:C ;"
        ' sh:property [ sh:path ex:p ; sh:minCount 1 ; sh:in ( ex:b "01"^^xsd:integer ) ],'
        " [ sh:path [ sh:inversePath ex:q ] ; sh:qualifiedMinCount 1 ; sh:qualifiedValueShape [ sh:class ex:C ] ] ."
    )
    graph = graph_of("_:x a ex:C ; ex:p 1 ; ex:q _:x . ex:b a ex:C . ex:c a ex:C ; ex:p 01 ; ex:q ex:c .")
    one, other = ShaclCheck(shapes, "s"), ShaclCheck(shapes, "s", engine="pyshacl")
    assert len(one.rejections(graph)) == 3
    assert set(other.rejections(graph)) == set(one.rejections(graph))
    assert not other.admits(graph)


@needs_pyshacl
@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ("ex:S sh:target [ sh:select 'SELECT ?this {}' ] .", "m: pyshacl does not support sh:target"),
        (
            "ex:S a sh:NodeShape ; sh:targetNode ex:a ; sh:sparql [ sh:select 'SELECT $this { $this no:p ?x }' ] .",
            "m: pyshacl cannot use these shapes",
        ),
    ],
)
def test_shapes_that_pyshacl_cannot_use_are_refused(shapes: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        PyshaclEngine(graph_of(shapes), "m", None)


def test_without_pyshacl_the_error_names_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(UnavailableError, match=r"^pyshacl is not installed \(pip install 'kgprobe\[pyshacl\]'\)$"):
        PyshaclEngine(graph_of("ex:S sh:targetNode ex:a ."), "m", None)


@needs_pyshacl
def test_a_process_that_dies_is_reported() -> None:
    engine = PyshaclEngine(graph_of("ex:S a sh:NodeShape ; sh:targetNode ex:a ; sh:class ex:C ."), "m", None)
    assert not engine.conforms(graph_of(""))
    os.kill(engine._worker.child.pid, signal.SIGTERM)
    with pytest.raises(UnavailableError, match="the process of pyshacl ended"):
        engine.conforms(graph_of(""))


@needs_pyshacl
def test_a_process_that_is_ended_for_its_memory_gives_no_answer() -> None:
    engine = PyshaclEngine(graph_of("ex:S a sh:NodeShape ; sh:targetNode ex:a ; sh:class ex:C ."), "m", None)
    assert not engine.conforms(graph_of(""))
    os.kill(engine._worker.child.pid, signal.SIGKILL)  # as the system does when memory runs out
    with pytest.raises(NoAnswerError, match="it needs more memory than is available"):
        engine.conforms(graph_of(""))
    assert not engine.conforms(graph_of(""))  # in a new process


@needs_pyshacl
def test_a_mask_that_fills_the_memory_is_undecided() -> None:
    steps = " ".join(f"BIND(REPLACE(?t{n}, 'a', '{'a' * 900}') AS ?t{n + 1})" for n in range(5))
    shapes = graph_of(f"""
        ex:Shape a sh:NodeShape ; sh:targetNode ex:a ; sh:sparql [ a sh:SPARQLConstraint ; sh:message "no" ;
          sh:select "SELECT $this {{ BIND('aaaaaaaaaa' AS ?t0) {steps} FILTER(STRLEN(?t5) > 3) }}" ] .
    """)
    check = ShaclCheck(shapes, "shapes.ttl", engine="pyshacl", seconds=60)
    graph = graph_of("ex:a ex:p ex:b .")
    assert check.admits(graph) is None
    [rejection] = check.rejections(graph)
    assert rejection.is_undecided
    assert "it needs more memory than is available" in rejection.words
