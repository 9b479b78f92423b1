"""The frame of the command line: versions, user errors, and internal errors."""

from __future__ import annotations

import re
import subprocess
import sys
import types
from pathlib import Path

import click
import pytest
from support.commands import kgprobe

from kgprobe.cli import app
from kgprobe.errors import InputError, Position, UnavailableError
from kgprobe.version import __version__


def test_version() -> None:
    done = kgprobe("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"kgprobe {__version__}\n", "")


def test_a_mistyped_command_gets_a_suggestion() -> None:
    done = kgprobe("dmo")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "kgprobe: error: no command named 'dmo' (did you mean 'demo'?)\n"


def test_the_list_of_commands_is_complete_on_a_small_terminal_and_imports_no_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = kgprobe("--help").stdout.splitlines()
    for name, summary in app.COMMANDS.items():
        assert f"  {name:<16}  {summary}" in lines
    script = "import sys; from kgprobe.cli.app import run; run(['--help']); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert done.stdout.endswith("False\n")


def test_every_command_explains_itself_with_examples() -> None:
    for name in app.COMMANDS:
        done = kgprobe(name, "--help")
        assert done.returncode == 0
        assert re.search(rf"Examples:\n +kgprobe {name}", done.stdout), done.stdout


def command_that_raises(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Make `kgprobe fail` a command that raises this exception."""

    @click.command("fail")
    def command() -> None:
        raise error

    module = types.ModuleType("kgprobe.cli.fail")
    module.command = command  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(app.COMMANDS, "fail", "it does")
    monkeypatch.delenv("KGPROBE_DEBUG", raising=False)


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InputError("is wrong", where=Position("a.ttl", 3, 4), hint="try b"), 2, "a.ttl:3:4: is wrong (try b)"),
        (UnavailableError("no Java here", hint="pip install it"), 3, "no Java here (pip install it)"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 3, "out of memory: kgprobe needs more than this machine, or its limit, allows"),
        (InputError("two\nlines\x1b[31m"), 2, "two lines [31m"),
    ],
)
def test_external_errors_are_reported_in_one_line(
    error: BaseException, code: int, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command_that_raises(monkeypatch, error)
    assert app.run(["fail"]) == code
    assert capsys.readouterr() == ("", f"kgprobe: error: {line}\n")


def test_an_internal_error_gives_a_short_report_and_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    command_that_raises(monkeypatch, ZeroDivisionError("a bug"))
    assert app.run(["fail"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0] == "kgprobe: internal error: ZeroDivisionError: a bug"
    assert "Traceback" not in err
    [report] = tmp_path.iterdir()
    assert str(report) in err
    story = report.read_text(encoding="utf-8")
    assert f"kgprobe {__version__}, Python" in story
    assert "ZeroDivisionError: a bug" in story
    assert "Traceback" in story


def test_an_internal_error_can_be_debugged(monkeypatch: pytest.MonkeyPatch) -> None:
    command_that_raises(monkeypatch, ZeroDivisionError("a bug"))
    monkeypatch.setenv("KGPROBE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        app.run(["fail"])
