"""The progress of a campaign on stderr: one live line on a terminal, otherwise an occasional plain line."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from kgprobe.campaign.events import Begun, Event, Found, Judged, Reducing
from kgprobe.cli.app import is_quiet
from kgprobe.config.profile import Profile

__all__ = ["campaign_progress"]

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_DRAWINGS = 0.1


@contextmanager
def campaign_progress(profile: Profile) -> Iterator[Callable[[Event], None]]:
    """A function to call with each event."""
    if is_quiet():
        yield lambda _event: None
        return
    state = _State(profile.campaign.seconds)
    if not sys.stderr.isatty():
        yield _Shown(state, _SECONDS_BETWEEN_LINES, lambda line: click.echo(f"kgprobe: {line}", err=True))
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
        yield _Shown(state, _SECONDS_BETWEEN_DRAWINGS, lambda line: live.update(Text(line), refresh=True))


class _Shown:
    """Shows the state after each pause, so a short campaign shows nothing."""

    def __init__(self, state: _State, pause: float, show: Callable[[str], None]) -> None:
        self._state = state
        self._pause = pause
        self._show = show
        self._shown = time.monotonic()

    def __call__(self, event: Event) -> None:
        self._state.take(event)
        if time.monotonic() - self._shown >= self._pause:
            self._show(self._state.line())
            self._shown = time.monotonic()


class _State:
    """The state of the campaign after the events so far."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._start = time.monotonic()
        self._total = self._before = self._done = self._findings = 0
        self._valid = 1.0
        self._reducing: Reducing | None = None

    def take(self, event: Event) -> None:
        match event:
            case Begun(total, done, findings):
                self._total, self._before, self._findings = total, done, findings
            case Judged():
                self._done += 1
                self._valid = event.kept / max(1, event.attempts)
            case Found(is_known=False):
                self._findings += 1
            case Reducing():
                self._reducing = event
            case _:
                pass

    def line(self) -> str:
        if self._reducing is not None:
            now = self._reducing
            return f"reducing case {now.number}: {now.triples} triples after {now.runs} runs ({now.phase})"
        passed = time.monotonic() - self._start
        rate = self._done / passed if passed else 0.0
        return (
            f"{self._before + self._done} of {self._total} cases, {rate:.1f}/s, {100 * self._valid:.0f} % valid,"
            f" {self._findings} {'finding' if self._findings == 1 else 'findings'}, {self._left(passed, rate)} left"
        )

    def _left(self, passed: float, rate: float) -> str:
        by_cases = (self._total - self._before - self._done) / rate if rate else float("inf")
        by_time = float("inf") if self._seconds is None else max(0.0, self._seconds - passed)
        left = min(by_cases, by_time)
        if left == float("inf"):
            return "?"
        minutes, seconds = divmod(round(left), 60)
        return f"{minutes}:{seconds:02}"
