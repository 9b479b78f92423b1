"""The pipe inspection example: each campaign finds the bugs that its mask admits, and the last one finds none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyoxigraph
import pytest
from support.commands import kgprobe

from kgprobe.rdf.canonical import isomorphic
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import BlankNode, NamedNode, Triple

_PIPES = Path(__file__).resolve().parents[2] / "examples" / "pipes"
_LOST = "robot: crashed: LookupError in robot.py:inspect"
_PASSED = "robot: predicate: is_complete: a segment was passed and not inspected"
_UNREACHED = "robot: predicate: is_complete: a segment was never reached"


@pytest.mark.parametrize(
    ("profile", "findings"),
    [
        ("0-no-mask", {_LOST, _PASSED, _UNREACHED}),
        ("1-position", {_PASSED, _UNREACHED}),
        ("2-start", {_PASSED, _UNREACHED}),
        ("3-linear", {_UNREACHED}),
        ("4-connected", set()),
    ],
)
def test_each_mask_makes_its_bug_disappear(tmp_path: Path, profile: str, findings: set[str]) -> None:
    folder = Path(shutil.copytree(_PIPES, tmp_path / "pipes"))
    done = kgprobe("test", folder / f"{profile}.toml", "--json", seconds=300)
    assert done.returncode == bool(findings), done.stderr
    told = json.loads(done.stdout)
    assert told["cases"] == 100
    assert {finding["signature"] for finding in told["findings"]} == findings
    if profile == "0-no-mask":
        [bug] = [finding for finding in told["findings"] if finding["signature"] == _PASSED]
        [reduction] = bug["reductions"]
        assert _is_the_papers(Path(reduction["file"]))


def _is_the_papers(file: Path) -> bool:
    """Whether these are the paper's three triples, up to the names of segments."""
    names = "@prefix : <https://kgprobe.example/pipes#> . "
    three = names + ":auv :isAt _:p1 . _:p1 :nextTo _:p2 , _:p3 ."
    kept = (
        "https://kgprobe.example/pipes#auv",
        "https://kgprobe.example/pipes#isAt",
        "https://kgprobe.example/pipes#nextTo",
    )

    def anonymous(term: object) -> NamedNode | BlankNode:
        if isinstance(term, NamedNode) and term.value in kept:
            return term
        return BlankNode(f"n{abs(hash(term))}")

    found = Graph(
        Triple(anonymous(quad.subject), quad.predicate, anonymous(quad.object))
        for quad in pyoxigraph.parse(file.read_bytes(), pyoxigraph.RdfFormat.TURTLE)
    )
    expected = Graph(quad.triple for quad in pyoxigraph.parse(three.encode(), pyoxigraph.RdfFormat.TURTLE))
    return isomorphic(found, expected)
