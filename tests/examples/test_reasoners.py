"""The profiles that compare reasoners: each runs, and they find a known bug."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.commands import kgprobe

from kgprobe.config.loading import load_profile
from kgprobe.reasoners.catalogue import REASONERS

_FOLDER = Path(__file__).resolve().parents[2] / "examples" / "reasoners"
_PROFILES = sorted(path.name for path in _FOLDER.glob("*.toml"))
# p is reflexive, so each A has a p that is an A, namely itself: every A is a B.
_REFLEXIVE = """@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:p a owl:ObjectProperty , owl:ReflexiveProperty .
:A a owl:Class .
:B a owl:Class ; owl:equivalentClass [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :A ] .
"""


def _prepared(folder: Path, profile: str) -> Path:
    """The profile with its installed reasoners and one seed graph."""
    (folder / "seeds").mkdir()
    (folder / "seeds" / "reflexive.ttl").write_text(_REFLEXIVE)
    head, *systems = (_FOLDER / profile).read_text().split("[[systems]]\n")
    *systems, last = systems
    last, campaign = last.split("[campaign]")
    usable = [text for text in [*systems, last] if REASONERS[text.split('"')[1]].available().usable]
    path = folder / profile
    path.write_text("[[systems]]\n".join([head, *usable]) + "[campaign]" + campaign)
    return path


def test_all_profiles_can_be_read(tmp_path: Path) -> None:
    assert len(_PROFILES) == 4
    for profile in _PROFILES:
        (tmp_path / profile).mkdir()
        assert load_profile(_prepared(tmp_path / profile, profile)).systems


def test_a_profile_runs(tmp_path: Path) -> None:
    path = _prepared(tmp_path, "dl-consistency.toml")
    if len(load_profile(path).systems) < 3:
        pytest.skip("too few reasoners are installed")
    done = kgprobe("test", path, "--count", "2", "--reduce", "0", "--workers", "1", "--json", seconds=300)
    assert done.returncode in (0, 1), done.stderr
    told = json.loads(done.stdout)
    assert told["cases"] == 2
    assert told["outcomes"]["undecided"] == 0


@pytest.mark.skipif(not REASONERS["openllet"].available().usable, reason="Openllet is not installed")
def test_a_known_bug_is_found(tmp_path: Path) -> None:
    path = _prepared(tmp_path, "el-hierarchy.toml")
    done = kgprobe("test", path, "--on", tmp_path / "seeds" / "reflexive.ttl", seconds=300)
    assert done.returncode == 1
    assert "openllet: misses: subclass" in done.stdout
    assert "<http://example.org/A> ⊑ <http://example.org/B>" in done.stdout
    assert shutil.which("Konclude") is None or "konclude" in done.stdout
