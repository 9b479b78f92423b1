"""Checks queries in tests: short texts in, and what was found by severity, code and line."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from kgprobe.formats.files import load
from kgprobe.queries.clashes.reasoning import Engines
from kgprobe.queries.diagnosis.checking import Checker
from kgprobe.queries.diagnostics import Diagnostic, Report
from kgprobe.queries.files.texts import QueryText
from kgprobe.queries.schema import load_schema
from kgprobe.rdf.graph import Graph

__all__ = ["ENGINES", "PREFIXES", "SOCIAL_NETWORK", "check", "checker", "errors", "found", "warnings"]

SOCIAL_NETWORK = Path(__file__).parents[2] / "examples" / "social-network"

ENGINES = Engines()  # they start one process each, which ends with this one

PREFIXES = """\
PREFIX sn: <https://example.org/social-network#>
PREFIX : <https://example.org/zoo#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
"""
_LINES = PREFIXES.count("\n")


@lru_cache(maxsize=64)
def checker(ontology: Path | str = SOCIAL_NETWORK / "ontology.ttl") -> Checker:
    """A checker for a file, or for a text in functional syntax whose names have the empty prefix."""
    return Checker(load_schema([_written(ontology) if isinstance(ontology, str) else ontology]), ENGINES)


def _written(text: str) -> Graph:
    import tempfile

    header = (
        "Prefix(:=<https://example.org/zoo#>)\nPrefix(xsd:=<http://www.w3.org/2001/XMLSchema#>)\n"
        "Prefix(rdf:=<http://www.w3.org/1999/02/22-rdf-syntax-ns#>)\n"
        "Prefix(rdfs:=<http://www.w3.org/2000/01/rdf-schema#>)\nPrefix(owl:=<http://www.w3.org/2002/07/owl#>)\n"
        "Ontology(<https://example.org/zoo>\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "zoo.ofn"
        file.write_text(header + text + "\n)")
        return load(file).graph


def check(query: str, ontology: Path | str = SOCIAL_NETWORK / "ontology.ttl") -> Report:
    """The report on a query, which may use the prefixes without declaring them."""
    return checker(ontology).check(QueryText.whole("query.rq", PREFIXES + query))


def _short(each: Diagnostic) -> str:
    return f"{each.severity.value} {each.code} {each.place.line - _LINES}"


def found(query: str, ontology: Path | str = SOCIAL_NETWORK / "ontology.ttl") -> list[str]:
    """What was found, as "error contradiction 2": severity, code, and line of the query."""
    return [_short(diagnostic) for diagnostic in check(query, ontology).diagnostics]


def errors(query: str, ontology: Path | str = SOCIAL_NETWORK / "ontology.ttl") -> list[str]:
    """The errors, as "contradiction 2"."""
    return [each.removeprefix("error ") for each in found(query, ontology) if each.startswith("error ")]


def warnings(query: str, ontology: Path | str = SOCIAL_NETWORK / "ontology.ttl") -> list[str]:
    """The warnings, as "cross-product 2"."""
    return [each.removeprefix("warning ") for each in found(query, ontology) if each.startswith("warning ")]
