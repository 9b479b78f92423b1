"""Makes a text that somebody still types readable: blanks out the parts that are not SPARQL, and closes open braces.

The result has the same length, apart from what is added at its end, so all places stay the same. The search begins at
the first mistake. It blanks out the smallest part around it that helps: a predicate with its objects, a line of a
statement, the statement, its group, and so on up to the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from kgprobe.sparql.tokens import UPDATES, Token, tokens

_CLOSING = {"{": "}", "(": ")", "[": "]"}
_COMMENT = re.compile(r"#[^\n]*")
_OPEN_IRI = re.compile(r"<[A-Za-z][\w+.\-]*:[^<>\s\"{}]*")
_REST_OF_LINE = re.compile(r"[^\n]*")
_NOT_SPACE = re.compile(r"\S")
_SPACE = re.compile(r"\s+")
# The words that begin a statement of a group, and those that begin a clause outside of all groups.
_STATEMENTS = frozenset(("FILTER", "OPTIONAL", "BIND", "VALUES", "MINUS", "GRAPH", "SERVICE", "SELECT"))
_FORMS = frozenset(("SELECT", "ASK", "CONSTRUCT", "DESCRIBE"))
_MODIFIERS = frozenset(("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES"))
_CLAUSES = _FORMS.union(UPDATES) | _MODIFIERS | {"PREFIX", "BASE", "FROM", "WHERE", "USING", "{", ";"}
_MOST_ROUNDS = 30
_LONGEST_WORD = 15


class _Region(NamedTuple):
    """Characters to blank out. With a `filler`, it takes the place of the last one."""

    start: int
    end: int
    filler: str = " "


def repaired(text: str, mistake: Callable[[str], int | None]) -> str:
    """A text that can be read. `mistake` gives the offset of the first mistake in a text; None if it can be read."""
    text = _without_open_strings(text)
    text, closing = _with_matching_brackets(text)
    for _ in range(_MOST_ROUNDS):
        offset = mistake(text + closing)
        if offset is None:
            return text + closing
        layout = _Layout(text)
        if layout.needs_a_group and mistake(f"{text}\n{{}}") is None:
            return f"{text}\n{{}}"
        places = (offset, max(offset - _LONGEST_WORD, 0))  # the mistake may be up to a word earlier
        parts = dict.fromkeys(part for place in places for part in layout.statements(place))
        groups = dict.fromkeys(part for place in places for part in layout.groups(place))
        better = _best(text, closing, parts, mistake) or _best(text, closing, groups, mistake)
        if better is None:
            break
        text = better
    return _blanked(text, _Region(0, len(text)))


def _best(
    text: str, closing: str, regions: Iterable[tuple[_Region, int]], mistake: Callable[[str], int | None]
) -> str | None:
    """The text without one of the regions, so that as much as possible is left; None if that does not help.

    It helps if no mistake is left, or else if the next one is after the limit of the region.
    """
    attempts = [(_blanked(text, region), limit) for region, limit in regions]
    attempts.sort(key=lambda attempt: _size(attempt[0]), reverse=True)
    further: str | None = None
    for attempt, limit in attempts:
        left = mistake(attempt + closing)
        if left is None:
            return attempt
        if further is None and left > limit:
            further = attempt
    return further


def _size(text: str) -> int:
    return len(_SPACE.sub("", text))


def _without_open_strings(text: str) -> str:
    """The text without IRIs that lack their end, and without the rest of each line that has a single quote."""
    for token in tokens(text):
        if token.text == "<" and (found := _OPEN_IRI.match(text, token.start)):
            text = _blanked(text, _Region(*found.span()), keep_comments=False)
    while single := next((token for token in tokens(text) if token.kind == "sign" and token.text in "\"'"), None):
        rest = _REST_OF_LINE.match(text, single.start)
        text = _blanked(text, _Region(single.start, rest.end() if rest else len(text)), keep_comments=False)
    return text


def _with_matching_brackets(text: str) -> tuple[str, str]:
    """The text without closing brackets that nothing opens, and the braces to close at its end."""
    opened: list[Token] = []
    for token in tokens(text):
        if token.text in _CLOSING:
            opened.append(token)
        elif token.text in _CLOSING.values() and token.kind == "sign":
            if any(_CLOSING[bracket.text] == token.text for bracket in opened):
                while _CLOSING[opened.pop().text] != token.text:
                    pass
            else:
                text = _blanked(text, _Region(token.start, token.end))
    braces = sum(bracket.text == "{" for bracket in opened)
    return text, "\n" + "}" * braces if braces else ""


def _blanked(text: str, region: _Region, *, keep_comments: bool = True) -> str:
    start, end, filler = region
    piece = text[start:end]
    comments: list[tuple[int, int]] = []
    if keep_comments and "#" in piece:
        edges = [0, *(edge for token in tokens(piece) for edge in (token.start, token.end)), len(piece)]
        gaps = zip(edges[::2], edges[1::2], strict=True)
        comments = [found.span() for gap in gaps for found in _COMMENT.finditer(piece, *gap)]
    done = 0
    blanked = ""
    for first, last in [*comments, (len(piece), len(piece))]:
        blanked += _NOT_SPACE.sub(" ", piece[done:first]) + piece[first:last]
        done = last
    if filler != " ":
        blanked = blanked[:-1] + filler
    return text[:start] + blanked + text[end:]


# -- where the statements and groups are -------------------------------------------------------------------------------


class _Layout:
    """The tokens of a text with their brackets, whether or not it is SPARQL."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens(text)
        self._words = [token.text.upper() if token.kind in ("word", "sign") else "" for token in self._tokens]
        self._partner = self._pairs()

    def _pairs(self) -> dict[int, int]:
        """The partner of each bracket that has one. Braces at the end of the text may lack theirs."""
        opened: list[int] = []
        found: dict[int, int] = {}
        for place, word in enumerate(self._words):
            if word in _CLOSING:
                opened.append(place)
            elif word in _CLOSING.values() and opened:
                while opened and _CLOSING[self._words[opened[-1]]] != word:
                    opened.pop()
                if opened:
                    found[place] = opened.pop()
                    found[found[place]] = place
        for place in opened:
            if self._words[place] == "{":
                found[place] = len(self._tokens)
        return found

    @property
    def needs_a_group(self) -> bool:
        """Whether the text is a query that has not come to its pattern yet."""
        return "{" not in self._words and not _FORMS.isdisjoint(self._words)

    def statements(self, offset: int) -> Iterator[tuple[_Region, int]]:
        """Statements around an offset, and parts of them, in each group around it.

        Each has a limit: if it was the wrong one, the next mistake is not after that.
        """
        at = self._at(offset)
        for group in self._groups(at):
            split = self._split(group)
            here = [piece for piece in split if piece.start <= at < piece.stop]
            # At the beginning of a statement, the one before may be unfinished.
            before = [piece for piece in split if piece.stop <= at][-1:] if not here or here[0].start == at else []
            for piece in (*before, *here):
                yield from self._parts(piece, at)

    def groups(self, offset: int) -> Iterator[tuple[_Region, int]]:
        """The contents of the groups around an offset, and the rest of the text."""
        at = self._at(offset)
        for group in self._groups(at):
            if split := self._split(group):
                yield self._region(range(split[0].start, split[-1].stop))
            if group is None and at < len(self._tokens):
                yield self._region(range(at, len(self._tokens)))

    def _at(self, offset: int) -> int:
        return next((n for n, token in enumerate(self._tokens) if token.end > offset), len(self._tokens))

    def _split(self, group: int | None) -> list[range]:
        if group is None:
            return self._statements(range(len(self._tokens)), _CLAUSES)
        return self._statements(range(group + 1, self._partner[group]), _STATEMENTS)

    def _groups(self, at: int) -> Iterator[int | None]:
        """The opening braces of the groups around a token, the innermost first; None is outside of all groups."""
        opened = [
            n for n in range(min(at, len(self._words))) if self._words[n] == "{" and self._partner.get(n, 0) >= at
        ]
        yield from reversed(opened)
        yield None

    def _statements(self, inside: range, beginnings: frozenset[str]) -> list[range]:
        """The statements of a group. Each includes its groups and the dot after it."""
        found: list[range] = []
        start = place = inside.start
        while place < inside.stop:
            word = self._words[place]
            if place > start and word in beginnings and self._words[place - 1] != "UNION":
                found.append(range(start, place))
                start = place
            opening = place
            place = self._partner.get(place, place) + 1 if word in _CLOSING else place + 1
            following = self._words[place] if place < inside.stop else ""
            is_condition = word == "(" and opening in self._partner and self._words[start] in ("FILTER", "BIND")
            if (word == "." or (word == "{" and following != "UNION") or is_condition) and following != ".":
                found.append(range(start, min(place, inside.stop)))
                start = place
        if start < inside.stop:
            found.append(range(start, inside.stop))
        return found

    def _parts(self, statement: range, at: int) -> Iterator[tuple[_Region, int]]:
        """Parts of a statement around a token, and the statement."""
        whole, limit = self._region(statement)
        first = self._words[statement.start]
        if first in _FORMS:
            yield from self._projection(statement, limit)
        elif first not in _CLAUSES and first not in _STATEMENTS and (part := self._predicate(statement, at)):
            yield self._region(part)[0], limit
        for place in range(max(at, statement.start + 1), min(at + 3, statement.stop)):
            if self._line(place - 1) < self._line(place):  # a dot between two lines may be missing
                end = self._tokens[place - 1].end
                yield _Region(end, end + 1, "."), limit
        yield from ((region, limit) for region in self._lines(statement, at))
        yield whole, limit

    def _predicate(self, statement: range, at: int) -> range | None:
        """The predicate and its objects around a token, between two semicolons; None before the first semicolon."""
        marks = [n for n in statement if self._words[n] == ";" and self._is_direct(n, statement)]
        start = max((n + 1 for n in marks if n < at), default=None)
        if start is None:
            return None
        end = min((n for n in marks if n >= start), default=statement.stop)
        while end > start and self._words[end - 1] == ".":
            end -= 1
        return range(start, end) if end > start else None

    def _projection(self, clause: range, limit: int) -> Iterator[tuple[_Region, int]]:
        """The variables of a SELECT, with a star instead."""
        start = self._tokens[clause.start].end
        end = self._tokens[clause.stop].start if clause.stop < len(self._tokens) else len(self._text)
        if end > start:
            yield _Region(start, end, "*"), limit

    def _lines(self, statement: range, at: int) -> Iterator[_Region]:
        """The lines of a statement, those nearest to the token first."""
        lines = [list(each) for _, each in groupby(statement, key=self._line)]
        if len(lines) > 1:
            nearest = sorted(lines, key=lambda each: (min(abs(at - n) for n in each), each[0]))
            for each in nearest[:3]:
                yield self._region(range(each[0], each[-1] + 1))[0]

    def _line(self, place: int) -> int:
        return self._text.count("\n", 0, self._tokens[place].start)

    def _is_direct(self, place: int, statement: range) -> bool:
        """Whether a token of a statement is in none of its brackets."""
        return not any(self._partner.get(n, 0) > place for n in range(statement.start, place) if n in self._partner)

    def _region(self, places: range) -> tuple[_Region, int]:
        start, end = self._tokens[places.start].start, self._tokens[places.stop - 1].end
        return _Region(start, end), end
