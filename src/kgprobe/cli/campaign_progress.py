"""The line that shows how far a campaign is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kgprobe.campaign.events import Begun, CaseAgain, Event, Found, Judged, Preparing, Reducing
from kgprobe.cli.progress import live_line
from kgprobe.config.profile import Profile
from kgprobe.wording import number_of

__all__ = ["campaign_progress"]


@contextmanager
def campaign_progress(profile: Profile) -> Iterator[Callable[[Event], None]]:
    """A function that shows the progress of a campaign, to call with each event."""
    progress = _Progress(profile.campaign.seconds)
    with live_line() as show:

        def on_event(event: Event) -> None:
            progress.take(event)
            show(progress.line)

        yield on_event


class _Progress:
    """The state of the campaign after the events so far."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._start = time.monotonic()
        self._total = self._before = self._done = self._findings = 0
        self._valid = 1.0
        self._reducing: Reducing | None = None
        self._preparing = ""

    def take(self, event: Event) -> None:
        match event:
            case Preparing(text):
                self._preparing = text
            case Begun(total, done, findings):
                self._preparing = ""
                self._total, self._before, self._findings = total, done, findings
            case Judged():
                self._done += 1
                self._valid = event.kept / max(1, event.attempts)
            case CaseAgain():
                self._done += 1
            case Found(is_known=False):
                self._findings += 1
            case Reducing():
                self._reducing = event
            case _:
                pass

    def line(self) -> str:
        if self._preparing:
            return self._preparing
        if self._reducing is not None:
            now = self._reducing
            return f"reducing case {now.number}: {number_of(now.size, now.unit)} after {now.runs} runs ({now.phase})"
        passed = time.monotonic() - self._start
        rate = self._done / passed if passed else 0.0
        return (
            f"{self._before + self._done} of {self._total} cases, {rate:.1f}/s, {100 * self._valid:.0f} % valid,"
            f" {number_of(self._findings, 'finding')}, {self._left(passed, rate)} left"
        )

    def _left(self, passed: float, rate: float) -> str:
        by_cases = (self._total - self._before - self._done) / rate if rate else float("inf")
        by_time = float("inf") if self._seconds is None else max(0.0, self._seconds - passed)
        left = min(by_cases, by_time)
        if left == float("inf"):
            return "?"
        minutes, seconds = divmod(round(left), 60)
        return f"{minutes}:{seconds:02}"
