"""Progress while a large file is read: a bar on a terminal, plain lines elsewhere, nothing for a small file."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import kgprobe_on_a_terminal

from kgprobe.cli import progress
from kgprobe.graph.files import load


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
