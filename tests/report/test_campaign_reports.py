"""A report on a campaign is one entry of `REPORTS`: its option, its check and its file follow from that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROFILE = """
[graph]
seeds = ["cafe.ttl"]
[mutation]
operators = ["generic"]
mutations = 1
mutants = 2
[[systems]]
name = "cat"
command = ["cat", "{graph}"]
"""
TOY = """
import sys
from kgprobe.report import campaign
from kgprobe.written_files import OwnKind

def counted(store, summary, name):
    return f"report on {name}: {summary.cases} cases\\n"

kind = OwnKind("a toy report", lambda start: start.startswith(b"report on"))
campaign.REPORTS["toy"] = campaign.CampaignReport("Write a toy report.", kind, counted)
from kgprobe.cli.app import run
sys.exit(run(sys.argv[1:]))
"""


def _kgprobe(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own command, our own arguments
        [sys.executable, "-c", TOY, *words], cwd=folder, capture_output=True, encoding="utf-8", check=False
    )


def test_a_toy_report(tmp_path: Path) -> None:
    (tmp_path / "cafe.ttl").write_text("<urn:a> <urn:b> <urn:c> , <urn:d> .")
    (tmp_path / "cafe.toml").write_text(PROFILE)
    (tmp_path / "mine.txt").write_text("mine")
    helped = _kgprobe(tmp_path, "test", "--help")
    assert "--toy FILE           Write a toy report." in helped.stdout
    assert "--junit FILE         Write a report in JUnit's format." in helped.stdout
    refused = _kgprobe(tmp_path, "test", "cafe.toml", "--toy", "mine.txt")
    assert (refused.returncode, "mine.txt: is not a toy report" in refused.stderr) == (2, True), refused.stderr
    assert not (tmp_path / "cafe.sqlite").exists(), "before any work"
    for _ in range(2):  # a report replaces a report
        done = _kgprobe(tmp_path, "test", "cafe.toml", "--toy", "toy.txt", "--junit", "junit.xml")
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "toy.txt").read_text() == "report on cafe.toml: 2 cases\n"
    assert "<testsuite" in (tmp_path / "junit.xml").read_text()
    again = _kgprobe(tmp_path, "test", "cafe.toml", "--rerun", "failing", "--toy", "toy.txt")
    assert (again.returncode, "--toy does not go with --rerun failing" in again.stderr) == (2, True), again.stderr
