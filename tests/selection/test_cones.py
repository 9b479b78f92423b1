"""The terms that a change concerns: those whose cones it touches."""

from __future__ import annotations

import pytest

from kgprobe.entailment.closure import entailed_change
from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import read_graph
from kgprobe.rdf.diff import aligned
from kgprobe.rdf.terms import NamedNode
from kgprobe.selection.impact import Impact
from kgprobe.selection.tests import Direction, TermUse

ONTOLOGY = """
@prefix : <urn:x:> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<urn:x> a owl:Ontology ; owl:versionInfo "1" .
:partOf a owl:ObjectProperty ; rdfs:label "part of" .
:near a owl:ObjectProperty , owl:SymmetricProperty .
:cell a owl:Class ; rdfs:label "cell" ; rdfs:isDefinedBy <urn:x> .
:membrane rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :partOf ; owl:someValuesFrom :cell ] .
:raft rdfs:subClassOf :membrane .
:wall owl:equivalentClass [ owl:unionOf ( :membrane :coat ) ] .
:coat a owl:Class .
:gap :near :cell .
:leaf rdfs:subClassOf :other ; :note "green" .
:note a owl:AnnotationProperty .
:other a owl:Class .
[] a owl:Axiom ; owl:annotatedSource :raft ; owl:annotatedProperty rdfs:label ; owl:annotatedTarget "raft" ;
  rdfs:comment "a source" .
"""
ALL = ["cell", "membrane", "raft", "wall", "coat", "gap", "leaf", "other", "partOf", "near"]


def _concerned(old: str, new: str, direction: Direction = Direction.ANY) -> list[str]:
    assert old in ONTOLOGY
    before, after = (read_graph(text.encode()) for text in (ONTOLOGY, ONTOLOGY.replace(old, new, 1)))
    versions = aligned(before, after)
    impact = Impact(entailed_change(versions.old, versions.new, Regime.NONE))
    return [name for name in ALL if impact.hit(TermUse(NamedNode(f"urn:x:{name}"), direction=direction)) is not None]


@pytest.mark.parametrize(
    ("old", "new", "concerned"),
    [
        # A renamed term concerns everything below it, also through a restriction, a union or a symmetric property.
        ('rdfs:label "cell"', 'rdfs:label "a cell"', "cell membrane raft wall coat gap"),
        # The filler of a restriction belongs to the class that has the restriction.
        ("someValuesFrom :cell", "someValuesFrom :coat", "cell membrane raft wall coat gap partOf near"),
        # A new name of a property may be in the rows of all terms that are connected by it.
        ('rdfs:label "part of"', 'rdfs:label "in"', "membrane raft wall coat partOf"),
        # An annotation of an axiom is about the subject of the axiom, and may be read from above.
        ('"a source"', '"another"', "cell membrane raft wall gap partOf near"),
        # A union is above its members.
        (":leaf rdfs:subClassOf :other", ":leaf rdfs:subClassOf :coat", "wall coat leaf other"),
        # The declaration of an annotation property says nothing about the terms that have such annotations.
        (":note a owl:AnnotationProperty .", "", ""),
        # A new version of the ontology does not touch the terms that it defines.
        ('versionInfo "1"', 'versionInfo "2"', ""),
    ],
)
def test_a_change_concerns_the_terms_above_and_below(old: str, new: str, concerned: str) -> None:
    found = _concerned(old, new)
    assert set(concerned.split()) <= set(found)
    assert len(found) < len(ALL)


@pytest.mark.parametrize(
    ("direction", "concerned"),
    [
        (Direction.TERM, "membrane"),
        (Direction.DESCENDANTS, "cell membrane wall coat gap partOf near"),
        (Direction.ANCESTORS, "membrane raft wall coat"),
    ],
)
def test_a_direction_limits_what_a_test_sees(direction: Direction, concerned: str) -> None:
    change = (":raft rdfs:subClassOf", ':membrane rdfs:label "membrane" . :raft rdfs:subClassOf')
    assert " ".join(_concerned(*change, direction)) == concerned
