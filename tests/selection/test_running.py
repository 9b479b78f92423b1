"""Running selected tests with real commands."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.processes import are_gone

from kgprobe.errors import InputError
from kgprobe.selection.running import Ran, command_for, run_tests, saving

PYTHON = f"'{sys.executable}' -c"


def _run(template: str, *tests: str, limit: float = 20) -> list[Ran]:
    seen: list[Ran] = []
    done = run_tests(tests, command_for(template), limit=limit, on_done=seen.append)
    assert seen == done
    return done


def test_each_test_is_run_with_its_name_as_one_argument() -> None:
    template = f"{PYTHON} 'import sys; print(sys.argv[1:]); sys.exit(len(sys.argv[1]) % 2)' {{test}}"
    odd, even = _run(template, "a b; rm -rf $HOME", "ab")
    assert not odd.passed
    assert odd.output == "['a b; rm -rf $HOME']\n"
    assert even.passed


def test_a_test_that_takes_too_long_is_ended_with_its_child_processes(tmp_path: Path) -> None:
    script = tmp_path / "slow.py"
    script.write_text(
        "import subprocess, sys, time\n"
        "left = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(left.pid, flush=True)\ntime.sleep(60)\n",
        encoding="utf-8",
    )
    [late] = _run(f"'{sys.executable}' {script} {{test}}", "x", limit=3)
    assert late.code is None
    assert not late.passed
    assert are_gone(int(late.output))


def test_only_the_end_of_a_long_output_is_kept() -> None:
    [done] = _run(f'{PYTHON} \'print("x" * 10**6, "end")\' {{test}}', "t")
    assert done.output.endswith("end\n")
    assert len(done.output) <= 4000


@pytest.mark.parametrize(
    ("template", "words"),
    [("pytest", "where the test goes"), ("'open {test}", "not a command"), ("", "where the test goes")],
)
def test_an_invalid_command(template: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        command_for(template)


def test_a_missing_command() -> None:
    with pytest.raises(InputError, match="cannot be started"):
        _run("no-such-program {test}", "t")


def test_the_saving_is_relative_to_all_tests() -> None:
    done = [Ran("a", 0, 2.0, ""), Ran("b", 0, 4.0, "")]
    found = saving(done, total=10, selecting=1.0)
    assert found.everything == 30.0
    assert found.share == pytest.approx(1 - 7 / 30)
    assert saving([], total=10, selecting=1.0).share == 0.0
