"""Progress of reading a large file and of a campaign: live on a terminal, plain lines elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from campaign.campaigns import write_campaign
from support.commands import kgprobe_on_a_terminal

from kgprobe.campaign.events import Begun, Judged, NewFinding, Reducing
from kgprobe.cli import progress
from kgprobe.cli.reruns import campaign_progress
from kgprobe.config.loading import load_profile
from kgprobe.formats.files import load
from kgprobe.model import Outcome, Verdict

_SLOW = "import time\n\ndef inspect(graph):\n    time.sleep(0.05)\n    return {'missed': []}\n"


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "large.nt"
    path.write_text(f'<https://example.org/s> <https://example.org/p> "{"x" * (9 << 20)}" .\n', encoding="utf-8")
    return path


def test_a_bar_on_a_terminal(large: Path) -> None:
    code, stdout, shown = kgprobe_on_a_terminal("info", large)
    assert code == 0
    assert "reading large.nt" in shown
    assert b"reading" not in stdout


def test_quiet_shows_no_bar(large: Path) -> None:
    code, _, shown = kgprobe_on_a_terminal("info", large, "--quiet", typed="")
    assert (code, shown) == (0, "")


def test_plain_lines_elsewhere(
    large: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0)
    with progress.reading_progress(str(large)) as on_read:
        load(large, on_read=on_read)
    lines = capsys.readouterr().err.splitlines()
    assert "kgprobe: reading large.nt: 100 %" in lines
    assert all(line.startswith("kgprobe: reading large.nt: ") for line in lines)


def test_nothing_for_a_small_file(tmp_path: Path) -> None:
    small = tmp_path / "small.nt"
    small.write_text("", encoding="utf-8")
    with progress.reading_progress(str(small)) as on_read:
        assert on_read is None
    for name in ("-", "x" * 5_000, "a\0b"):
        with progress.reading_progress(name) as on_read:
            assert on_read is None


def test_a_campaign_has_a_live_line_on_a_terminal(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path / "a", system=_SLOW)
    code, stdout, shown = kgprobe_on_a_terminal("test", profile)
    assert code == 0
    assert re.search(r"\d+ of 40 cases, [0-9.]+/s, \d+ % valid, 0 findings, \d+:\d\d left", shown), shown
    assert b"left" not in stdout


def test_a_campaign_has_plain_lines_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0)
    profile = load_profile(write_campaign(tmp_path / "a"))
    with campaign_progress(profile) as tell:
        tell(Begun(40, 10, 0))
        tell(Judged(11, "pipes#11", Verdict(Outcome.PASS), 0.1, attempts=22, kept=11))
        tell(NewFinding("robot: crashed", 11, is_known=False))
        tell(NewFinding("robot: known", 11, is_known=True))
        tell(Reducing("robot: crashed", 11, "axioms", 12, 3))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("kgprobe: 10 of 40 cases, 0.0/s, 100 % valid, 0 findings, ? left")
    assert re.fullmatch(r"kgprobe: 11 of 40 cases, [0-9.]+/s, 50 % valid, 0 findings, \d+:\d\d left", lines[1])
    assert "1 finding," in lines[3]
    assert lines[-1] == "kgprobe: reducing case 11: 12 triples after 3 runs (axioms)"
