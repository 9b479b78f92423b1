"""The last output of a system, added to the description of its failure, as a person wants to read it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html.parser import HTMLParser

from kgprobe.errors import one_line
from kgprobe.model import Observation, Verdict
from kgprobe.oracles.facts import answer_line

_MOST_LINES = 10
_LONGEST_LINE = 200
_TRACEBACK = "Traceback (most recent call last):"
# Between the tracebacks of an exception and its cause.
_BETWEEN = re.compile(r"\s|$|During handling of the above|The above exception was")
_PAGE = re.compile(r"\s*(?:<!doctype html|<html|<head|<body)", re.IGNORECASE)


def with_last_output(verdict: Verdict, observed: Sequence[Observation]) -> Verdict:
    """The verdict, with the last output of its system added to each failure."""
    if not verdict.failures:
        return verdict
    by_name = {seen.system: seen for seen in observed}
    failures = (
        replace(failure, words=_with_output(failure.words, by_name[failure.system]))
        if failure.system in by_name
        else failure
        for failure in verdict.failures
    )
    return replace(verdict, failures=tuple(failures))


def _with_output(words: tuple[str, ...], seen: Observation) -> tuple[str, ...]:
    """The words of a failure and the last output. The first word is the message: without one, the last line is."""
    if not words:
        outputs = (_without_traces(seen), _readable(seen.stdout))
        lines = next((lines for text in outputs if (lines := text.strip().splitlines())), [])
        words = tuple(_cut(line.strip()) for line in lines[-1:])
    return (*words, *_last_output(seen, words))


def _last_output(seen: Observation, words: Sequence[str]) -> Iterator[str]:
    said = frozenset(line.strip() for line in words)
    answer = "response" if seen.is_response else "standard output"
    for what, text in (("standard error", _without_traces(seen)), (answer, _readable(seen.stdout))):
        lines = [line for line in text.splitlines() if line.strip()]
        if any(line.strip() not in said for line in lines):
            yield f"{what} ends with:" if len(lines) > _MOST_LINES else f"{what}:"
            yield from (f"  {_cut(line)}" for line in lines[-_MOST_LINES:])
    if seen.value is not None:
        yield f"it answered: {_cut(one_line(answer_line(seen.value)))}"


def _cut(line: str) -> str:
    return line.rstrip() if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1].rstrip()}…"


def _without_traces(seen: Observation) -> str:
    """Standard error without the tracebacks of the crash."""
    if seen.crash is None or not seen.crash.frames:
        return seen.stderr
    return "\n".join(_outside_traces(seen.stderr.splitlines()))


def _outside_traces(lines: Iterable[str]) -> Iterator[str]:
    is_inside = False
    for line in lines:
        if line.rstrip().endswith(_TRACEBACK):
            is_inside = True
        elif not is_inside:
            yield line
        elif not _BETWEEN.match(line):
            is_inside = False  # the exception


def _readable(text: str) -> str:
    """The text that a page in HTML shows, or the text as it is."""
    if not _PAGE.match(text):
        return text
    page = _Page()
    page.feed(text)
    return "\n".join(dict.fromkeys(filter(None, (one_line(line) for line in page.lines))))


class _Page(HTMLParser):
    """Collects the text of a page; each element is a line."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._is_hidden = False

    def handle_starttag(self, tag: str, _attributes: object) -> None:
        """Leave out what a page does not show."""
        self._is_hidden = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        """The hidden part ends."""
        self._is_hidden = self._is_hidden and tag not in ("script", "style")

    def handle_data(self, data: str) -> None:
        """Some text."""
        if not self._is_hidden:
            self.lines.append(data)
