"""How fast a server is asked: how many requests are in flight, and how long to wait after a failed one."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_WAIT = 60.0
"""A server can ask for a longer pause, but not make kgprobe take it."""
_LONGEST_NUMBER = 12


class Gate:
    """Lets some requests pass at the same time: at most `most`, and fewer while the server cannot cope.

    All threads that ask a server share its gate. A failure halves the number, and each success raises it a little.
    """

    def __init__(self, most: int) -> None:
        self._most = max(1, most)
        self._limit = float(self._most)
        self._in_flight = 0
        self._opens = 0.0
        self._slowed = 0.0
        self._change = threading.Condition()

    @property
    def limit(self) -> int:
        """How many requests may be in flight now."""
        return max(1, int(self._limit))

    @contextmanager
    def passed(self) -> Iterator[float]:
        """Wait until one more request may be sent; gives the time when it is."""
        with self._change:
            while (left := self._opens - time.monotonic()) > 0 or self._in_flight >= self.limit:
                self._change.wait(left if left > 0 else None)
            self._in_flight += 1
        try:
            yield time.monotonic()
        finally:
            with self._change:
                self._in_flight -= 1
                self._change.notify_all()

    def slow_down(self, sent: float, pause: float = 0.0) -> None:
        """A request that was sent at this time has failed: let fewer pass, and none for a while.

        The requests that were already in flight are likely to fail for the same reason. They count once.
        """
        with self._change:
            self._opens = max(self._opens, time.monotonic() + pause)
            if sent >= self._slowed:
                self._slowed = time.monotonic()
                self._limit = max(1.0, self._limit / 2)

    def open(self) -> None:
        """End a pause: those who wait need not."""
        with self._change:
            self._opens = 0.0
            self._change.notify_all()

    def speed_up(self) -> None:
        """A request has succeeded."""
        with self._change:
            self._limit = min(float(self._most), self._limit + 1 / self._limit)
            self._change.notify_all()


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a question is asked, and how long to wait in between: twice as long each time, more or less.

    A question that was not answered in time is asked less often, since each time costs that time again. If a server
    says that it gets too many requests, the question is asked more often: it is not to blame.
    """

    tries: int = 6
    tries_if_late: int = 2
    tries_if_busy: int = 8
    first_wait: float = 0.5

    def wait(self, attempt: int, seed: str, asked: float | None = None) -> float:
        """The seconds to wait after an attempt; `asked` is the time that the server asked for.

        The seed spreads the requests of several threads. The same seed gives the same times.
        """
        chance = random.Random(f"{seed} {attempt}").random()
        own = self.first_wait * 2.0**attempt
        if asked is not None:
            return min(LONGEST_WAIT, asked + self.first_wait * chance)
        return min(LONGEST_WAIT, own * (0.5 + chance))


def seconds_asked_for(header: str | None) -> float | None:
    """The seconds that the header Retry-After asks for, as a number or as a date; None if it has neither."""
    text = (header or "").strip()
    if not text:
        return None
    if len(text) <= _LONGEST_NUMBER and text.replace(".", "", 1).isdecimal() and text.isascii():
        return min(LONGEST_WAIT, float(text))
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return min(LONGEST_WAIT, max(0.0, (date - datetime.now(UTC)).total_seconds()))
