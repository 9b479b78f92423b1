"""What a system printed and answered, beside the words of a failure: often that tells more than how it was judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgprobe.errors import one_line
from kgprobe.model import Observation, Verdict

__all__ = ["with_last_words"]

_MOST_LINES = 10
_LONGEST_LINE = 200
_TRACEBACK = "Traceback (most recent call last):"


def with_last_words(verdict: Verdict, observed: Sequence[Observation]) -> Verdict:
    """The verdict, and with each failure what its system said last."""
    if not verdict.failures:
        return verdict
    by_name = {seen.system: seen for seen in observed}
    failures = (
        replace(failure, words=(*failure.words, *_last_words(by_name[failure.system], failure.words)))
        if failure.system in by_name
        else failure
        for failure in verdict.failures
    )
    return replace(verdict, failures=tuple(failures))


def _last_words(seen: Observation, words: Sequence[str]) -> Iterator[str]:
    said = frozenset(line.strip() for line in words)
    for what, text in (("standard error", _without_trace(seen)), ("standard output", seen.stdout)):
        lines = [line for line in text.splitlines() if line.strip()]
        if any(line.strip() not in said for line in lines):
            yield f"{what} ends with:" if len(lines) > _MOST_LINES else f"{what}:"
            yield from (f"  {line[:_LONGEST_LINE].rstrip()}" for line in lines[-_MOST_LINES:])
    if seen.value is not None:
        yield f"it answered: {one_line(repr(seen.value))[:_LONGEST_LINE]}"


def _without_trace(seen: Observation) -> str:
    """What is on standard error beside the traceback of the exception that the crash is."""
    if seen.crash is None or not seen.crash.frames:
        return seen.stderr
    before, trace, after = seen.stderr.rpartition(_TRACEBACK)
    return before if trace else after
