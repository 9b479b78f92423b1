"""A set of features is a class and a name in `BUILT_IN`; nothing else has to know it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from kgprobe.cli.app import run
from kgprobe.input_coverage.feature_set import Elementary, FeatureSet, Find
from kgprobe.input_coverage.features import BUILT_IN, feature_set
from kgprobe.rdf.graph import Graph


@dataclass(frozen=True)
class Sizes(Elementary):
    """Whether a graph has at least so many triples."""

    name: str = "sizes"
    features: tuple[str, ...] = ("one", "many")

    @property
    def size(self) -> int:
        return len(self.features)

    def finder(self, _seed: Graph) -> Find:
        return lambda graph: [name for name, least in (("one", 1), ("many", 100)) if len(graph) >= least]


def test_a_new_set_is_found_by_its_name_and_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: type[FeatureSet] = Sizes
    monkeypatch.setitem(BUILT_IN, "sizes", made)
    assert feature_set("sizes") == Sizes()
    graph = tmp_path / "g.nt"
    graph.write_text("<urn:a> <urn:p> <urn:b> .\n", encoding="utf-8")
    assert run(["coverage", str(graph), "--features", "sizes", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["features"] == 2
    assert [missing["feature"] for missing in found["never"]] == ["many"]
