"""A seed gives the same mutants in every version: frozen digests of manifests.

A change of kgprobe that changes mutants breaks every campaign that someone wants to resume, and every mutant that
someone has written down by its number. If one of these fails, the mutants have changed; that needs a reason and a line
in the changelog.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from support.commands import kgprobe
from support.shared_data import REASON, shared

_PROJECT = Path(__file__).resolve().parents[2]
_FROZEN = Path(__file__).with_name("frozen_manifests.json")
_SEEDS = {
    "cafe": _PROJECT / "docs/files/cafe.ttl",
    "menu": _PROJECT / "examples/pizzeria/menu-1.ttl",
    "el": _PROJECT / "tests/mutation/el_ontology.ttl",
    "inspection": _PROJECT / "src/kgprobe/demo/inspection.ttl",
    "geo": shared("geo/geo_original.ttl"),
    "ore": shared("ore/ore_ont_155.owl"),
}
_SETS = ("generic", "owl-el", "owl-dl", "abox")


def _digest(seed: Path, operators: str, folder: Path) -> str:
    asked: list[str | Path] = [
        "--operators",
        operators,
        "--mutations",
        "10",
        "--count",
        "12",
        "--seed",
        "7",
        "--out",
        folder,
    ]
    done = kgprobe("mutate", seed, *asked)
    assert done.returncode == 0, done.stderr
    header, *entries = (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    assert "kgprobe" in json.loads(header)  # the version, which may change
    assert len(entries) == 12
    return hashlib.sha256("\n".join(entries).encode()).hexdigest()


@pytest.mark.parametrize("operators", _SETS)
@pytest.mark.parametrize("seed", _SEEDS)
def test_the_mutants_are_those_of_earlier_versions(seed: str, operators: str, tmp_path: Path) -> None:
    if not _SEEDS[seed].exists():
        pytest.skip(REASON)
    assert _digest(_SEEDS[seed], operators, tmp_path) == json.loads(_FROZEN.read_text())[f"{seed} {operators}"]
