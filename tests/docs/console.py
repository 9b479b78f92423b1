"""Runs the `console` blocks of a page and compares their output with the page.

A block is lines `$ command`, each followed by its output. In the expected output a line `...` stands for
any number of lines, and `...` inside a line for any text. A command that ends with a code other than 0 is
followed by `$ echo $?`, which shows the code. Trailing spaces and empty lines at the end of an output do not
count, since readers cannot see them.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import secrets
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from support.fork_server import program

from .fences import Fence

__all__ = ["Result", "Step", "complaints", "matches", "run", "steps"]

# The programs that a page may run. Any other program fails, so that adding one is a deliberate decision.
PROGRAMS = frozenset(
    {"cat", "cd", "cp", "diff", "echo", "grep", "gunzip", "gzip", "head", "kgprobe", "ls", "mkdir", "printf", "pwd"}
    | {"python", "sed", "sort", "source", "tail", "wc"}
)

_SEPARATORS = frozenset({"|", "|&", "||", "&&", "&", ";", "(", ")"})
# What a command that takes long says about its progress. How long one takes depends on how busy the machine is.
_PROGRESS = re.compile(r"^kgprobe: [^\n]+: (?:[\d,]+ of [\d,]+|\d+ %|\S+ triples? left after [^\n]+)\n", re.MULTILINE)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_SHOW_EXIT_CODE = "echo $?"
SECONDS_FOR_A_BLOCK = 300


@dataclass(frozen=True, slots=True)
class Step:
    """One command and its expected output."""

    command: str
    expected: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a command."""

    output: str
    exit_code: int


def steps(block: Fence) -> list[Step]:
    """The commands of a block; a command continues while its lines end with a backslash."""
    found: list[Step] = []
    lines = iter(block.lines)
    for line in lines:
        if line.startswith("$ "):
            found.append(Step(_whole_command(line.removeprefix("$ "), lines), ()))
        elif found:
            found[-1] = Step(found[-1].command, (*found[-1].expected, line))
        else:
            raise ValueError(f"{block}: a console block starts with a line '$ command', not with {line!r}")
    if not found:
        raise ValueError(f"{block}: a console block without a command")
    return found


def _whole_command(first: str, following: Iterator[str]) -> str:
    command = first
    while command.endswith("\\"):
        command += "\n" + next(following, "")
    return command


def programs(command: str) -> list[str]:
    """The programs that a command line starts, in order."""
    lexer = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    found = []
    at_start = True
    for word in lexer:
        if word in _SEPARATORS:
            at_start = True
        elif at_start and not _ASSIGNMENT.fullmatch(word):
            found.append(word)
            at_start = False
    return found


def run(block: Fence, folder: Path, *, has_kgprobe: bool = True) -> list[Result]:
    """Run a block's commands in one shell, so that variables and exit codes carry over; return their results.

    Without `has_kgprobe`, the shell finds kgprobe only after the block has activated its environment.
    """
    commands = [step.command for step in steps(block)]
    for command in commands:
        if unknown := [program for program in programs(command) if program not in PROGRAMS]:
            raise ValueError(f"{block}: a page may not run {unknown[0]!r}: {command}")
    mark = f"end-{secrets.token_hex(16)}"
    script = "".join(
        f"eval {shlex.quote(command)}\n"
        # The subshell passes the exit code to the next command, which may print it.
        f"code=$?; printf '\\n%s %d\\n' {mark} $code; (exit $code)\n"
        for command in commands
    )
    printed = _PROGRESS.sub("", _run_script(script, _environment(folder, has_kgprobe), folder, str(block)))
    parts = re.split(rf"\n{mark} (\d+)\n", printed)
    if len(parts) != 2 * len(commands) + 1:
        raise ValueError(f"{block}: the shell ended early, after printing:\n{printed}")
    return [Result(parts[n], int(parts[n + 1])) for n in range(0, len(parts) - 1, 2)]


def _run_script(script: str, environment: dict[str, str], folder: Path, name: str) -> str:
    with subprocess.Popen(  # noqa: S603 - commands of our own pages, checked above
        ["bash", "--norc", "-c", script],  # noqa: S607 - bash is wherever the system has it
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    ) as shell:
        try:
            return shell.communicate(timeout=SECONDS_FOR_A_BLOCK)[0]
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{name}: not done after {SECONDS_FOR_A_BLOCK} seconds") from None
        finally:
            # Processes that the shell left running would otherwise outlive the test.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)


def _environment(folder: Path, has_kgprobe: bool) -> dict[str, str]:
    """Only the path comes from the caller: a page must give the same output on every machine."""
    nowhere = "http://127.0.0.1:9"
    ours = str(Path(sys.executable).parent)
    others = [place for place in os.environ.get("PATH", os.defpath).split(os.pathsep) if place != ours]
    return {
        "PATH": os.pathsep.join([str(program().parent), ours, *others] if has_kgprobe else others),
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "COLUMNS": "100",
        # On a terminal, stdout and stderr appear in the order of writing; through a pipe, this setting is needed.
        "PYTHONUNBUFFERED": "1",
        # These plugins are for kgprobe's own tests, and print a warning where they are not configured.
        "PYTEST_ADDOPTS": "-p no:pytest-lsp -p no:asyncio",
        # Programs that respect proxies cannot reach a network.
        "http_proxy": nowhere,
        "https_proxy": nowhere,
        "all_proxy": nowhere,
    }


def complaints(block: Fence, results: list[Result]) -> list[str]:
    """The differences between the results and the page."""
    stated = steps(block)
    following = [step.command for step in stated[1:]] + [""]
    found = []
    for step, result, after in zip(stated, results, following, strict=True):
        if not matches(step.expected, result.output):
            found.append(_difference(step, result))
        if result.exit_code != 0 and after.strip() != _SHOW_EXIT_CODE:
            found.append(f"$ {step.command}\nended with {result.exit_code}; '$ {_SHOW_EXIT_CODE}' must follow it")
    return found


def matches(expected: tuple[str, ...], output: str) -> bool:
    """Whether an output is as expected, with `...` as the wildcard."""
    pattern = "".join(_line_pattern(line) for line in _seen(expected))
    actual = "".join(f"{line}\n" for line in _seen(output.split("\n")))
    return re.fullmatch(pattern, actual) is not None


def _line_pattern(line: str) -> str:
    if line.strip() == "...":
        return r"(?:[^\n]*\n)*"
    return r"[^\n]*".join(re.escape(part) for part in line.split("...")) + r"\n"


def _seen(lines: tuple[str, ...] | list[str]) -> list[str]:
    """The lines as a reader sees them."""
    stripped = [line.rstrip() for line in lines]
    while stripped and not stripped[-1]:
        stripped.pop()
    return stripped


def _difference(step: Step, result: Result) -> str:
    lines = difflib.unified_diff(
        _seen(step.expected), _seen(result.output.split("\n")), "the page", "the command", lineterm=""
    )
    return "\n".join([f"$ {step.command}", *lines])
