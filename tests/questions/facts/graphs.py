"""Facts from small texts."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from kgprobe.questions.facts.database import Facts
from kgprobe.questions.facts.loading import open_facts

__all__ = ["facts_of", "names_of", "reasons_of"]

_PREFIXES = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def facts_of(turtle: str, *, language: str = "en") -> Facts:
    """The facts of a Turtle text, in memory. The usual prefixes are declared."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "graph.ttl")
        file.write_text(_PREFIXES + turtle, encoding="utf-8")
        return open_facts([file], language=language)


def names_of(facts: Facts, table: str = "names") -> set[tuple[str, str]]:
    """The rows of a table of names, with the local names of IRIs."""
    return {(_local(facts, id_), name) for id_, name in facts.sql(f"FROM {table}")}


def reasons_of(facts: Facts) -> dict[str, str]:
    """Why things cannot be asked about, by their local names."""
    return {_local(facts, id_): reason for id_, reason in facts.sql("SELECT * FROM unusable")}


def _local(facts: Facts, id_: int) -> str:
    return facts.term(id_).value.removeprefix("http://example.org/")
