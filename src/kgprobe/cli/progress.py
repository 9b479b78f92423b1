"""Progress of long operations, on stderr: a bar on a terminal, and otherwise an occasional line."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgprobe.cli.app import is_quiet
from kgprobe.cli.streams import drawing_on
from kgprobe.errors import visible
from kgprobe.wording import number_of

if TYPE_CHECKING:
    from kgprobe.questions.facts.loading import Progress as Loading
    from kgprobe.reduction.problem import Progress

# Files that take less than about a second to read need no progress report.
_LARGE = 8 << 20
_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_DRAWINGS = 0.1


@contextmanager
def reading_progress(path: str) -> Iterator[Callable[[int], None] | None]:
    """A function to call with the number of bytes read so far; None for a small file, which needs no report."""
    file = Path(path)
    size = _size(file)
    if size < _LARGE or is_quiet():
        yield None
    elif sys.stderr.isatty():
        with _bar(file.name, size) as advance:
            yield advance
    else:
        yield _lines(f"reading {file.name}", size)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size if file.is_file() else 0
    except (OSError, ValueError):  # the reader of the file reports what is wrong with it
        return 0


@contextmanager
def counting_progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of items finished so far."""
    if is_quiet():
        yield lambda _done: None
        return
    if not sys.stderr.isatty():
        yield _lines(what, total)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=drawing_on(sys.stderr)), transient=True) as progress:
        task = progress.add_task(visible(what), total=total)
        yield lambda done: progress.update(task, completed=done)


@contextmanager
def reducing_progress(name: str) -> Iterator[Callable[[Progress], None]]:
    """A function that shows the progress of a reduction."""
    with live_line() as show:

        def on_progress(progress: Progress) -> None:
            triples, runs = number_of(progress.size, "triple"), number_of(progress.runs, "run")
            show(lambda: f"reducing {name}: {triples} left after {runs} ({progress.phase})")

        yield on_progress


@contextmanager
def loading_progress() -> Iterator[Callable[[Loading], None]]:
    """A function that shows how far facts are loaded."""
    with live_line() as show:

        def on_progress(loading: Loading) -> None:
            done = f"{number_of(loading.triples, 'triple')} of {loading.loaded}/{loading.sources} sources"
            show(lambda: f"loading {loading.step}: {done}")

        yield on_progress


@contextmanager
def steps_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Shows what is going on, how much of it is done, and how much there is."""
    with live_line() as show:
        yield lambda what, done, total: show(lambda: f"{what}: {done:,} of {total:,}")


@contextmanager
def live_line() -> Iterator[Callable[[Callable[[], str]], None]]:
    """A function to call often. It is given a function that makes a line, and shows one after each pause.

    A terminal has one line that changes; elsewhere, there are plain lines with longer pauses. What ends before the
    first pause shows nothing.
    """
    if is_quiet():
        yield lambda _line: None
        return
    if not sys.stderr.isatty():
        yield _now_and_then(_SECONDS_BETWEEN_LINES, lambda line: click.echo(f"kgprobe: {line}", err=True))
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(file=drawing_on(sys.stderr)), transient=True, auto_refresh=False) as live:
        yield _now_and_then(_SECONDS_BETWEEN_DRAWINGS, lambda line: live.update(Text(visible(line)), refresh=True))


def _now_and_then(pause: float, show: Callable[[str], None]) -> Callable[[Callable[[], str]], None]:
    shown = time.monotonic()

    def show_if_due(line: Callable[[], str]) -> None:
        nonlocal shown
        if time.monotonic() - shown >= pause:
            shown = time.monotonic()
            show(line())

    return show_if_due


@contextmanager
def _bar(name: str, size: int) -> Iterator[Callable[[int], None]]:
    # Import rich only if a bar is shown.
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("reading {task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=drawing_on(sys.stderr)), transient=True) as progress:
        task = progress.add_task(visible(name), total=size)
        yield lambda done: progress.update(task, completed=done)


def _lines(what: str, total: int) -> Callable[[int], None]:
    show = _now_and_then(_SECONDS_BETWEEN_LINES, lambda line: click.echo(f"kgprobe: {line}", err=True))
    return lambda done: show(lambda: f"{what}: {100 * done // total} %")
