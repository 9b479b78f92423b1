"""The runner itself: a wrong page fails."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from . import console
from .fences import fences
from .session import outcomes


@pytest.fixture
def check(tmp_path: Path) -> Check:
    return Check(tmp_path)


class Check:
    """Writes a page, runs it, and returns the complaints about each of its blocks."""

    def __init__(self, folder: Path) -> None:
        self.page = folder / "page.md"
        self.files = folder / "files"
        self.files.mkdir()

    def __call__(self, text: str) -> list[list[str]]:
        self.page.write_text(textwrap.dedent(text), encoding="utf-8")
        return list(outcomes(self.page, self.files).values())


def test_right_output(check: Check) -> None:
    assert check("""
        ```console
        $ echo one; echo two
        one
        two
        $ printf 'no newline at the end'
        no newline at the end
        ```
    """) == [[]]


def test_wrong_output(check: Check) -> None:
    [[wrong]] = check("""
        ```console
        $ echo one
        two
        ```
    """)
    assert wrong.splitlines()[0] == "$ echo one"
    assert "-two" in wrong.splitlines()
    assert "+one" in wrong.splitlines()


@pytest.mark.parametrize("expected", ["", "one", "one\ntwo\nthree", "two\none", "one two"])
def test_every_line_counts(expected: str) -> None:
    assert not console.matches(tuple(expected.split("\n")), "one\ntwo\n")


@pytest.mark.parametrize("expected", ["...", "one\n...", "...\ntwo", "one\n...\ntwo", "o...\n...o", "one\ntwo..."])
def test_dots_match(expected: str) -> None:
    assert console.matches(tuple(expected.split("\n")), "one\ntwo\n")


@pytest.mark.parametrize("expected", ["one...", "one\n...\nthree", "o...x\ntwo", "...\none", "one...two"])
def test_dots_do_not_match_everything(expected: str) -> None:
    assert not console.matches(tuple(expected.split("\n")), "one\ntwo\n")


def test_pattern_characters_are_plain() -> None:
    assert not console.matches((".*",), "one\n")
    assert console.matches(("[a] (b)? $",), "[a] (b)? $\n")


def test_stderr_appears_where_a_reader_sees_it(check: Check) -> None:
    assert check("""
        ```console
        $ python -c 'import sys; print(1); print(2, file=sys.stderr); print(3)'
        1
        2
        3
        ```
    """) == [[]]


def test_a_stated_exit_code(check: Check) -> None:
    assert check("""
        ```console
        $ python -c 'raise SystemExit(3)'
        $ echo $?
        3
        ```
    """) == [[]]


def test_a_wrong_exit_code(check: Check) -> None:
    [[wrong]] = check("""
        ```console
        $ python -c 'raise SystemExit(3)'
        $ echo $?
        2
        ```
    """)
    assert wrong.startswith("$ echo $?")


def test_an_unstated_exit_code(check: Check) -> None:
    [[wrong]] = check("""
        ```console
        $ python -c 'raise SystemExit(3)'
        $ echo done
        done
        ```
    """)
    assert wrong.endswith("ended with 3; '$ echo $?' must follow it")


@pytest.mark.parametrize(
    "command", ["curl x", "echo | curl x", "echo && curl x", "A=1 curl x", "echo $(curl x)", "/bin/curl x"]
)
def test_an_unknown_program_is_not_run(check: Check, command: str) -> None:
    [[wrong]] = check(f"""
        ```console
        $ echo > made; {command}
        ```
        """)
    assert "a page may not run" in wrong
    assert "curl" in wrong


def test_a_shell_that_ends_early(check: Check) -> None:
    [[wrong]] = check("""
        ```console
        $ cd ${missing:?is not set}
        ...
        ```
    """)
    assert "the shell ended early" in wrong


def test_a_command_that_hangs(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "SECONDS_FOR_A_BLOCK", 0.5)
    [[wrong]] = check("""
        ```console
        $ python -c 'import time; time.sleep(600)'
        ```
    """)
    assert "not done after 0.5 seconds" in wrong


def test_a_command_over_several_lines(check: Check) -> None:
    assert check("""
        ```console
        $ echo one \\
            two
        one two
        ```
    """) == [[]]


def test_blocks_share_a_folder_with_the_example_files(check: Check) -> None:
    (check.files / "given.txt").write_text("given\n", encoding="utf-8")
    assert check("""
        ```console
        $ cp given.txt made.txt
        ```

        1. In a list:

            ```console
            $ cat made.txt
            given
            ```

        ```python
        >>> from pathlib import Path
        >>> text = Path("made.txt").read_text()
        ```

        ```python
        >>> text
        'given\\n'
        ```
    """) == [[], [], [], []]
    assert not (check.files / "made.txt").exists()


def test_wrong_python_output(check: Check) -> None:
    [[wrong]] = check("""
        ```python
        >>> 1 + 1
        3
        ```
    """)
    assert "Expected:\n    3\nGot:\n    2" in wrong


def test_a_block_without_commands(check: Check) -> None:
    [[first], [second]] = check("""
        ```console
        ```
        ```console
        kgprobe demo
        ```
    """)
    assert "without a command" in first
    assert "starts with a line '$ command'" in second


def test_an_unclosed_block(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"page\.md:1: this block is never closed"):
        list(fences(page))
