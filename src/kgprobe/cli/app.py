"""The `kgprobe` command: finds the command, runs it, and turns errors into exit codes.

0: nothing was found. 1: findings. 2: the input is wrong. 3: kgprobe failed, or could not reach the system under test.
Users see no traceback unless they set KGPROBE_DEBUG.
"""

from __future__ import annotations

import errno
import importlib
import os
import platform
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

from kgprobe.cli.streams import open_streams
from kgprobe.errors import KgprobeError, did_you_mean, one_line, visible
from kgprobe.processes.limits import no_idle_threads, remove_abandoned_folders, remove_folders, without_idle_threads
from kgprobe.version import __version__

# -- interruptions -----------------------------------------------------------------------------------------------------

# The first signal becomes an exception, so that whatever is open is closed and whatever is temporary is removed. More
# signals change nothing: they would interrupt that. An engine may turn the exception into an error of its own, as
# DuckDB does, so every error after a signal counts as the interruption. An engine may also not let Python see the
# signal, so a thread sees it, too: it waits a while, removes the temporary folders, and ends the process.


_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SECONDS_TO_END = 20.0
_RESUMED_BY = "kgprobe.resumed_by"
RESUME = "run the same command to resume"
_NOT_IN_TIME = b"kgprobe: error: interrupted\n"
_received: list[int] = []  # not the exception, whose traceback would keep databases open


class Interrupted(KeyboardInterrupt):
    """A signal asked the command to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


def end_in_order() -> None:
    """From now on, let signals end this process in order. A signal that it was told to ignore is still ignored."""
    read, write = os.pipe()
    for descriptor in (read, write):
        os.set_blocking(descriptor, descriptor == read)
    handled = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]

    def handle(number: int, _frame: FrameType | None) -> None:
        if not _received:
            _received.append(number)
            raise Interrupted(number)

    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    threading.Thread(target=_end_if_stuck, args=(read, handled), name="kgprobe-signals", daemon=True).start()
    for number in handled:
        signal.signal(number, handle)


def _end_if_stuck(signals: int, handled: list[signal.Signals]) -> None:
    while (number := os.read(signals, 1)[0]) not in handled:
        pass
    threading.Event().wait(_SECONDS_TO_END)
    remove_folders()
    os.write(2, _NOT_IN_TIME)
    os._exit(128 + number)


def interruption_behind(error: BaseException) -> KeyboardInterrupt | None:
    """The interruption that an error is, or that it came from; None if nobody has interrupted this process."""
    if isinstance(error, KeyboardInterrupt):
        return error
    is_ours = isinstance(error, click.exceptions.Exit | SystemExit)
    return None if is_ours or not _received else Interrupted(_received[0])


@contextmanager
def resumable(kept: Path | None, how: str = RESUME, *, result: Path | None = None) -> Iterator[None]:
    """Within this block, the command keeps what it has done in a file. An interruption tells the user how to go on.

    `result` is a file that the command does not replace: once it is there, the same command would only refuse.
    """
    try:
        yield
    except BaseException as error:
        context = click.get_current_context(silent=True)
        is_kept = kept is not None and kept.is_file() and (result is None or not result.exists())
        if interruption_behind(error) and context is not None and is_kept:
            context.meta[_RESUMED_BY] = how
        raise


def interruption() -> str:
    """What to tell the user of the current command about its interruption."""
    context = click.get_current_context(silent=True)
    how = None if context is None else context.meta.get(_RESUMED_BY)
    return "interrupted" if how is None else f"interrupted; {how}"


# -- the command -------------------------------------------------------------------------------------------------------


# The commands with a description that fits one line of a terminal. Each is the `command` of the module with its name,
# which is imported only when it is needed, so that `kgprobe --help` does not wait for libraries that it does not use.
COMMANDS = {
    "demo": "see kgprobe at work on built-in graphs",
    "info": "describe a graph: format, size, axioms, profiles, imports",
    "convert": "convert a graph to another format",
    "check": "check whether a graph is admissible, and explain why not",
    "diff": "show what changed between two versions of a graph",
    "reasoners": "list the reasoners, and test how well they reason",
    "explain": "explain an inconsistency, or why a class is below another",
    "mutate": "make mutants of a graph",
    "test": "test software on mutants of a graph, or on graphs you have",
    "show": "show the story of a finding of kgprobe test",
    "locate": "find the steps that cause the failures of kgprobe test",
    "mask": "learn a mask from failures, or judge one",
    "reduce": "reduce a graph on which a system fails",
    "select": "select the tests that a change of an ontology can affect",
    "score": "score a test suite by the changes that it notices",
    "query": "find queries that can never have an answer, and say why",
    "questions": "test whether answers of a system follow from each other",
    "lsp": "start a language server for SPARQL, for editors",
    "coverage": "measure which features graphs and mutants cover",
    "operators": "list the built-in operators, or make new ones from graphs",
    "init": "write a profile for a graph, as a starting point",
    "schema": "print the JSON Schema of profiles",
    "import-rdfmutate": "convert a configuration of RDFMutate to a profile",
}
_QUIET = "kgprobe.quiet"


def _be_quiet(ctx: click.Context, _option: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_QUIET] = True  # a command and the group above it share this


_QUIET_OPTION = click.Option(
    ["-q", "--quiet"],
    is_flag=True,
    expose_value=False,
    callback=_be_quiet,
    help="Print results and errors only: no warnings, notes or progress.",
)


def is_quiet() -> bool:
    """Whether the user wants results and errors only."""
    context = click.get_current_context(silent=True)
    return context is not None and context.meta.get(_QUIET, False)


def with_quiet_option(command: click.Command) -> click.Command:
    """The command with `--quiet`, which every command takes, including those of a group."""
    if _QUIET_OPTION not in command.params:
        command.params.append(_QUIET_OPTION)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            with_quiet_option(inner)
    return command


class _AskedToEndError(Exception):
    """The message about an interruption, and the exit code."""


class LazyGroup(click.Group):
    """A group that imports its commands on demand, and suggests a name for a mistyped one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        no_idle_threads()
        with without_idle_threads():
            command = importlib.import_module(f"kgprobe.cli.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)  # noqa: S101 - the table above is ours
        return with_quiet_option(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            hint = did_you_mean(args[0], COMMANDS, "see 'kgprobe --help'")
            raise click.UsageError(f"no command named '{args[0]}' ({hint})", error.ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BaseException as error:
            if (asked := interruption_behind(error)) is None:
                raise
            # click would print an empty line for a KeyboardInterrupt
            raise _AskedToEndError(interruption(), getattr(asked, "exit_code", 130)) from None


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Run 'kgprobe COMMAND --help' for the options of a command, with examples.",
    params=[_QUIET_OPTION],
)
@click.version_option(__version__, message="kgprobe %(version)s")
def cli() -> None:
    """Test software that depends on a knowledge graph or an ontology."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Every user error is printed here as one line."""
    try:
        outcome = cli.main(args=arguments, prog_name="kgprobe", standalone_mode=False)
        sys.stdout.flush()  # a failure to write must be noticed here, not at exit
        return outcome if isinstance(outcome, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        return _refuse(error.format_message(), 2)
    except KgprobeError as error:
        return _refuse(str(error), error.exit_code)
    except _AskedToEndError as error:
        return _refuse(*error.args)
    except (KeyboardInterrupt, click.exceptions.Abort) as error:
        return _refuse("interrupted", getattr(error, "exit_code", 130))
    except SystemExit:
        raise
    except BaseException as error:  # including a panic in Rust code, which is not an Exception
        return _failed(error)


def main() -> NoReturn:
    """The entry point of the `kgprobe` script."""
    open_streams()
    end_in_order()
    remove_abandoned_folders()
    code = run()
    try:
        sys.stdout.flush()
    except KgprobeError as error:
        code = _refuse(str(error), error.exit_code)
    sys.exit(code)


def tell(kind: str, message: str) -> None:
    """Print a message on stderr, on one line: even a file's name may contain a line end.

    With `--quiet`, only errors are printed.
    """
    if kind != "error" and is_quiet():
        return
    click.echo(f"kgprobe: {kind}: {visible(message)}", err=True)


def _refuse(message: str, exit_code: int) -> int:
    tell("error", message)
    return exit_code


def _failed(error: BaseException) -> int:
    """Handle an unexpected error: a resource is exhausted, or kgprobe has a bug."""
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return _refuse("the output cannot be written: no space left", 3)
    if isinstance(error, MemoryError):
        return _refuse("out of memory: kgprobe needs more than this machine, or its limit, allows", 3)
    if os.environ.get("KGPROBE_DEBUG"):
        raise error
    click.echo(_bug_report(error), err=True)
    return 3


def _bug_report(error: BaseException) -> str:
    """Two short lines about a bug in kgprobe, which name a file with the details to attach to an issue."""
    story = "\n".join(
        [
            f"kgprobe {__version__}, Python {platform.python_version()}, {platform.platform()}",
            f"command: {sys.argv!r}",
            "",
            "".join(traceback.format_exception(error)),
        ]
    )
    summary = f"kgprobe: internal error: {type(error).__name__}: {one_line(str(error))}\n"
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="backslashreplace", prefix="kgprobe-bug-", suffix=".txt", delete=False
        ) as file:
            file.write(story)
    except OSError:  # report the error even if the disk is full
        return f"{summary}This is a bug in kgprobe, not in your input. KGPROBE_DEBUG=1 shows the traceback."
    return (
        f"{summary}This is a bug in kgprobe, not in your input. Please open an issue and attach {file.name}"
        " (see CONTRIBUTING.md; KGPROBE_DEBUG=1 shows the traceback)."
    )
