"""CITATION.cff is readable, agrees with the package, and names the papers."""

from __future__ import annotations

import pytest
import yaml

from kgprobe.version import __version__

from .fences import ROOT

TITLES = {
    "Mutation-Based Testing of Knowledge Graphs",
    "Efficient Regression Testing of Ontology-Driven Systems",
    "Type Checking and Testing of SPARQL Queries",
    "Knowledge Graph Driven Inference Testing for Question Answering Software",
}


@pytest.fixture(scope="module")
def citation() -> dict[str, object]:
    loaded = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_the_software(citation: dict[str, object]) -> None:
    # Required by the format.
    assert citation["cff-version"] == "1.2.0"
    assert {"authors", "message", "title"} <= citation.keys()
    # Must match the package.
    assert citation["version"] == __version__


def test_four_papers(citation: dict[str, object]) -> None:
    references = citation["references"]
    assert isinstance(references, list)
    assert len(references) == 4
    assert {reference["title"] for reference in references} == TITLES
    for reference in references:
        assert reference["type"]
        assert all(author["family-names"] and author["given-names"] for author in reference["authors"])
