"""A small graph about places and composers, and settings for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from kgprobe.questions.cases import Question, QuestionCase
from kgprobe.questions.generation.steps import generate
from kgprobe.questions.generation.texts import Generated
from kgprobe.questions.settings import RelationSettings, Settings

PREFIXES = """
@prefix : <http://e.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
"""
CITIES = f"""{PREFIXES}
:contains a owl:TransitiveProperty, owl:AsymmetricProperty .
:birthPlace a owl:FunctionalProperty ; rdfs:domain :Person ; rdfs:range :Place .
:City rdfs:subClassOf :Place ; rdfs:label "City" . :Place rdfs:label "Place" ; owl:disjointWith :Person .
:Region rdfs:subClassOf :Place ; rdfs:label "Region" . :Person rdfs:label "Person" .
:italy rdfs:label "Italy" ; :contains :tuscany, :lazio .
:tuscany rdfs:label "Tuscany" ; skos:altLabel "Toscana" ; :contains :lucca, :pisa ; a :Region .
:lazio rdfs:label "Lazio" ; :contains :rome ; a :Region .
:lucca rdfs:label "Lucca" ; :contains :square ; a :City . :pisa rdfs:label "Pisa" ; a :City .
:rome rdfs:label "Rome" ; a :City . :square rdfs:label "Piazza Grande" .
:puccini rdfs:label "Puccini" ; :birthPlace :lucca ; a :Person .
:rossini rdfs:label "Rossini" ; :birthPlace :rome ; a :Person .
:tosca rdfs:label "Tosca" ; :composer :puccini . :otello rdfs:label "Otello" ; :composer :rossini .
"""
SETTINGS = Settings(
    relations={
        "contains": RelationSettings(words=("a", "place", "in")),
        "composer": RelationSettings(words=("the", "composer", "of")),
    }
)


def made(folder: Path, text: str = CITIES, settings: Settings = SETTINGS, **changes: Any) -> Generated:
    """The cases of a graph in Turtle."""
    file = folder / "graph.ttl"
    file.write_text(text, "utf-8")
    return generate([file], replace(settings, **changes))


def questions(cases: Iterable[QuestionCase], kind: str = "basic") -> set[tuple[str, str]]:
    """The conclusions of a kind with their expected answers."""
    return {(each.text, each.expected) for each in conclusions(cases, kind)}


def conclusions(cases: Iterable[QuestionCase], kind: str = "basic") -> list[Question]:
    """The conclusions of a kind."""
    return [each for case in cases for each in case.consequences if each.kind == kind]
