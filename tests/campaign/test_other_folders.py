"""A campaign is the same one from whatever folder kgprobe runs, and where all its files were moved together."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from support.commands import kgprobe

_GRAPH = """@prefix : <https://example.org/greenhouse#> .
:main :feeds :left , :right . :left :feeds :ferns . :right :feeds :palms .
"""
_PROGRAM = "import sys\nsys.exit('two pipes are needed' if open(sys.argv[1]).read().count('feeds') < 3 else 0)\n"
_MUTANTS = """
[graph]
seeds = ["greenhouse.ttl"]
imports = ["shared"]
[mutation]
operators = ["generic", "cut.ru"]
mutations = 2
mutants = 6
[mask]
queries = ["some.rq"]
[pins]
files = ["pinned.ttl"]
"""
_GIVEN = '[cases]\ngraphs = ["*house.ttl", "small.ttl"]\n'
_SYSTEM = """
[[systems]]
name = "pump"
command = [{python}, "pump.py", "{{graph}}"]
[oracle]
queries = []
"""


def _campaign(folder: Path, cases: str) -> Path:
    (folder / "shared").mkdir(parents=True)
    (folder / "greenhouse.ttl").write_text(_GRAPH)
    (folder / "small.ttl").write_text(_GRAPH.replace(":main :feeds :left , :right .", ""))
    (folder / "pinned.ttl").write_text(_GRAPH.replace(":right :feeds :palms .", "").replace(", :right", ""))
    (folder / "some.rq").write_text("ASK { ?s ?p ?o }")
    (folder / "cut.ru").write_text(
        "# name: Cut\n# does: cut a pipe\n# target: both\nDELETE { ?a ?p ?b } WHERE { ?a ?p ?b }"
    )
    (folder / "pump.py").write_text(_PROGRAM)
    profile = folder / "pump.toml"
    profile.write_text(cases + _SYSTEM.format(python=f'"{sys.executable}"'))
    return profile


@pytest.mark.parametrize("cases", [_MUTANTS, _GIVEN], ids=["mutants", "given"])
def test_a_campaign_can_be_resumed_and_shown_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cases: str
) -> None:
    profile = _campaign(tmp_path / "house" / "pumps", cases)
    monkeypatch.chdir(profile.parent)
    first = kgprobe("test", profile.name)
    assert first.returncode == 1, first.stderr

    monkeypatch.chdir(tmp_path / "house")
    for name in ("pumps/pump.toml", str(profile)):
        again = kgprobe("test", name)
        assert again.returncode == 1, again.stderr
    moved = (tmp_path / "house").rename(tmp_path / "moved")
    (moved / "elsewhere").mkdir()
    monkeypatch.chdir(moved / "elsewhere")
    again = kgprobe("test", "../pumps/pump.toml")
    assert again.returncode == 1, again.stderr

    shown = kgprobe("show", "../pumps/pump.sqlite#1").stdout.splitlines()
    commands = [line.strip() for line in shown[shown.index("Reproduce with") + 1 :]]
    assert len(commands) == 2
    for command in commands:
        seen = kgprobe(*shlex.split(command)[1:])
        assert seen.returncode == 1, f"{command}\n{seen.stderr}"


def test_the_mutants_of_a_campaign_that_was_moved_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = _campaign(tmp_path / "house", _MUTANTS)
    monkeypatch.chdir(profile.parent)
    kgprobe("test", profile.name)
    monkeypatch.chdir(tmp_path)
    moved = profile.parent.rename(tmp_path / "moved")
    for command in (["locate", "moved/pump.sqlite"], ["mask", "learn", "moved/pump.sqlite"]):
        seen = kgprobe(*command)
        assert seen.returncode == 0, seen.stderr
    (moved / "greenhouse.ttl").write_text(_GRAPH + ":ferns :need :water .\n")
    seen = kgprobe("locate", "moved/pump.sqlite")
    assert seen.returncode == 2
    assert "greenhouse.ttl changed since" in seen.stderr
