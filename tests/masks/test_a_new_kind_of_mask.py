"""A kind of mask takes a class and a line in `READERS`, as CONTRIBUTING.md says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import kgprobe
from kgprobe.errors import InputError
from kgprobe.masks.files import READERS, CheckOptions
from kgprobe.masks.mask import Cost, Rejection
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode


@dataclass(frozen=True)
class MostTriples:
    """A graph may have this many triples."""

    name: str
    most: int
    cost: Cost = Cost.CHANGES

    def admits(self, graph: Graph) -> bool:
        return len(graph) <= self.most

    def rejections(self, graph: Graph) -> list[Rejection]:
        return [] if self.admits(graph) else [Rejection(self.name, None, f"has more than {self.most} triples")]

    def mentions(self, name: NamedNode) -> bool:  # noqa: ARG002 - as all checks
        return False


def _read(path: Path, options: CheckOptions) -> MostTriples:
    assert options.seconds is not None
    return MostTriples(str(path), int(path.read_text(encoding="utf-8")))


def test_files_of_a_new_kind_are_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, most, query = tmp_path / "graph.ttl", tmp_path / "most.SIZE", tmp_path / "some.rq"
    graph.write_text("@prefix : <https://e.example/> . :a :b :c . :d :e :f .", encoding="utf-8")
    query.write_text("ASK { ?s ?p ?o }", encoding="utf-8")
    most.write_text("1", encoding="utf-8")
    with pytest.raises(InputError):  # without its reader, a file is one of shapes
        kgprobe.read_mask(most)
    monkeypatch.setitem(READERS, ".size", _read)
    mask = kgprobe.read_mask(most, query)
    assert [type(check).__name__ for check in mask.checks] == ["MostTriples", "AskCheck"]
    assert [rejection.words for rejection in mask.rejections(kgprobe.load(graph))] == ["has more than 1 triples"]
    most.write_text("2", encoding="utf-8")
    assert kgprobe.read_mask(most, query).admits(kgprobe.load(graph))
