"""Facts for tests, from Turtle."""

from __future__ import annotations

import tempfile
from pathlib import Path

from kgprobe.questions.facts.database import Facts
from kgprobe.questions.facts.loading import open_facts

EXAMPLE = "http://e.org/"
PREFIXES = f"""
@prefix : <{EXAMPLE}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <http://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def facts_in(turtle: str, *, language: str = "en") -> Facts:
    """The facts of a graph, in memory."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "graph.ttl")
        file.write_text(PREFIXES + turtle, encoding="utf-8")
        return open_facts([file], language=language)


def id_in(facts: Facts, name: str) -> int:
    """The id of an IRI, or of a name in the namespace of the tests."""
    found = facts.id_of(name if ":" in name else EXAMPLE + name)
    assert found is not None
    return found
