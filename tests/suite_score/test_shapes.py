"""Shapes as tests: a shape that selection leaves out would not have rejected the mutant."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import pytest

from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import read_graph
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, RDFS, Literal, NamedNode, Triple
from kgprobe.selection.tests import Suite
from kgprobe.sparql.uses import AnyUse
from kgprobe.suite_score.model import Selecting
from kgprobe.suite_score.scoring import ScoreJob, scored
from kgprobe.suite_score.tests import shape_uses

PREFIXES = """@prefix : <urn:> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
"""
SHAPES = """
:s1 a sh:NodeShape ; sh:targetClass :A ; sh:property [ sh:path :p ; sh:minCount 1 ] .
:s2 a sh:NodeShape ; sh:targetNode :i ; sh:class :B .
:s3 a sh:NodeShape ; sh:targetSubjectsOf :q ; sh:property [ sh:path ( :p [ sh:inversePath :q ] ) ; sh:maxCount 1 ] .
:s4 a sh:NodeShape ; sh:targetObjectsOf :p ; sh:or ( [ sh:class :A ] [ sh:property [ sh:path :q ; sh:minCount 1 ] ] ) .
:s5 a sh:NodeShape ; sh:targetNode :j ; sh:closed true ; sh:ignoredProperties ( :p ) .
:s6 a sh:NodeShape ; sh:targetNode :i ; sh:property [ sh:path [ sh:zeroOrMorePath :p ] ; sh:not [ sh:hasValue :k ] ] .
:s7 a sh:NodeShape ; sh:targetNode :i , :j ; sh:property [ sh:path :p ; sh:equals :q ] .
:s8 a sh:PropertyShape ; sh:targetNode :k ; sh:path rdfs:label ; sh:uniqueLang true ; sh:node :s2 .
:s9 a sh:NodeShape , rdfs:Class ; sh:property [ sh:path :p ; sh:in ( :i :j ) ] .
"""
A, B, s9, i, j, k, p, q = (NamedNode(f"urn:{name}") for name in ("A", "B", "s9", "i", "j", "k", "p", "q"))
HOW = (Selecting.ALWAYS, Selecting.NEVER)
TRIPLES = [
    *(Triple(x, RDF.type, y) for x in (i, j, k) for y in (A, B, s9)),
    *(Triple(x, y, z) for x in (i, j, k) for y in (p, q) for z in (i, j, k)),
    Triple(A, RDFS.subClassOf, B),
    Triple(B, RDFS.subClassOf, A),
    *(Triple(k, RDFS.label, Literal(text, language="en")) for text in "ab"),
]


@pytest.mark.parametrize("regime", [Regime.NONE, Regime.RDFS])
def test_selection_of_shapes_changes_no_kill(tmp_path: Path, regime: Regime) -> None:
    file = tmp_path / "shapes.ttl"
    file.write_text(PREFIXES + SHAPES, encoding="utf-8")
    random = Random(5)
    kills: dict[str, int] = {}
    saved = 0
    for _ in range(8):
        asked = ScoreJob(
            seconds=math.inf,
            graph=Graph(random.sample(TRIPLES, random.choice([4, 8, 12, 16]))),
            suite=Suite(()),
            shapes=(file,),
            regime=regime,
            skip_failing=True,
            operators=("generic",),
            count=12,
            all_kills=True,
        )
        always, never = (scored(ScoreJob(**{**vars(asked), "select": how})) for how in HOW)
        assert [(test.name, test.kills) for test in always.tests] == [(test.name, test.kills) for test in never.tests]
        assert (always.killed, always.survived) == (never.killed, never.survived)
        saved += never.executions - always.executions
        for test in never.tests:
            kills[test.name] = kills.get(test.name, 0) + test.kills
    assert saved > 0
    assert len(kills) >= 7
    assert sum(count > 0 for count in kills.values()) >= 4, kills


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [
        ("sh:targetClass :A ; sh:property [ sh:path :p ; sh:minCount 1 ]", {RDF.type, RDFS.subClassOf, p}),
        ("sh:targetNode :i ; sh:property [ sh:path [ sh:alternativePath ( :p :q ) ] ; sh:datatype :d ]", {p, q}),
        ("sh:targetNode :i ; sh:property [ sh:path :p ; sh:lessThan :q ]", {p, q}),
        ("sh:targetNode :i ; sh:closed true", None),
        ("sh:targetNode :i ; :custom 1", None),
        ("sh:targetNode :i ; sh:sparql [ sh:select 'SELECT $this WHERE { $this :p ?x }' ]", None),
    ],
)
def test_a_shape_uses_the_predicates_that_it_names(shape: str, wanted: set[NamedNode] | None) -> None:
    uses = shape_uses(NamedNode("urn:s"), read_graph(f"{PREFIXES} :s a sh:NodeShape ; {shape} .".encode()))
    if wanted is None:
        assert [type(use) for use in uses] == [AnyUse]
    else:
        found = [use.predicate.terms for use in uses if not isinstance(use, AnyUse) and hasattr(use, "predicate")]
        assert set().union(*(terms or () for terms in found)) == wanted
