"""Writes SPARQL as pyoxigraph reads it, for legal texts that it would refuse, or would take hours to parse.

What it refuses: names with more than one dot (`ec:1.1.1.353`), names with rare characters, code points written as
escapes outside of strings, `TRUE`, `CONCAT (…)` with a space, `!()`, a column that SELECT or DESCRIBE names twice, and
a grouped pattern of ASK, CONSTRUCT or DESCRIBE. What it is slow at: for a function with an optional last argument, it
parses the arguments twice if that one is missing, so nested calls take exponential time. Here, such calls get the
argument.

The places of the new text can be converted to those of the original, so errors are about what the user wrote.
"""

from __future__ import annotations

import functools
import itertools
import operator
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kgprobe.sparql.tokens import NAME_CHARACTERS, Token, tokens


class Edit(NamedTuple):
    """Characters `start` to `end` of a text become others."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Respelled:
    """A text for pyoxigraph. The anchors are pairs of equal places, in this text and in the original."""

    text: str
    anchors: tuple[tuple[int, int], ...] = ((0, 0),)

    def original(self, offset: int) -> int:
        """The place in the original text."""
        place = bisect_right(self.anchors, offset, key=operator.itemgetter(0))
        here, there = self.anchors[place - 1]
        following = self.anchors[place : place + 1]
        return min(there + offset - here, *(limit for _, limit in following)) if following else there + offset - here


_ESCAPED_CHARACTER = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
# Strings, IRIs and comments, in which pyoxigraph reads escapes itself; and other words.
_WORD_OR_OPAQUE = re.compile(
    rf"""
      (?P<opaque> \#[^\n\r]* | <(?>[^<>"{{}}|^`\\\s]|\\[uU])*>
                | \"\"\"(?>(?:[^"\\]|\\.|"(?!""))*)\"\"\" | '''(?>(?:[^'\\]|\\.|'(?!''))*)'''
                | "(?>(?:[^"\\\n\r]|\\.)*)" | '(?>(?:[^'\\\n\r]|\\.)*)' )
    | [?$@]? (?> (?: [{NAME_CHARACTERS}:.\-%] | \\. )+ )
    """,
    re.VERBOSE | re.DOTALL,
)
_ONLY_ESCAPES = re.compile(rf"(?:{_ESCAPED_CHARACTER.pattern})+")
_SIGNS = frozenset("{}()[].,;=!*+-/|^&")
_OF_A_WORD = re.compile(rf"[{NAME_CHARACTERS}:.\-]")


def legible(text: str) -> str:
    """The text with names, variables and keywords as characters instead of escapes, with spaces up to the same length.

    SPARQL decodes such escapes everywhere, before it reads anything.
    """
    if "\\u" not in text and "\\U" not in text:
        return text
    return _WORD_OR_OPAQUE.sub(_decoded_word, text)


def _decoded_word(found: re.Match[str]) -> str:
    if found["opaque"] is not None:
        return found[0]
    decoded = _ESCAPED_CHARACTER.sub(_decoded_character, found[0])
    if _ONLY_ESCAPES.fullmatch(found[0]):
        decoded = _ESCAPED_CHARACTER.sub(_decoded_sign, decoded)
    return decoded.ljust(len(found[0]))


def _decoded_character(found: re.Match[str]) -> str:
    character = _character(found)
    return character if _OF_A_WORD.fullmatch(character) else found[0]


def _decoded_sign(found: re.Match[str]) -> str:
    character = _character(found)
    return character if character in _SIGNS else found[0]


def _character(found: re.Match[str]) -> str:
    number = int(found[1] or found[2], 16)
    return chr(number) if number < 0x110000 else ""


# Whether a text has anything to respell. Most have nothing, and this is faster than reading their tokens.
_TWO_DOTS = re.compile(rf":(?:[{NAME_CHARACTERS}:\-%]|\\.)*\.[{NAME_CHARACTERS}:\-%\\.]+")
# By the words that are there if a pattern matches.
_SUSPECTS = tuple(
    (words, re.compile(pattern, re.IGNORECASE))
    for words, pattern in (
        (("CONCAT", "COALESCE", "BNODE"), r"\b(?:CONCAT|COALESCE|BNODE)(?:\s|\#)"),
        (("!",), r"!\s*(?:\#[^\n\r]*)?\s*\(\s*(?:\#[^\n\r]*)?\s*\)"),
        (("TRUE", "FALSE"), r"\b(?-i:(?!true|false))(?:TRUE|FALSE)\b"),
        (("DISTINCT",), r"\((?<=[:\w>]\()\s*DISTINCT\b"),
        (("GROUP", "HAVING"), r"\}(?:\s|\#[^\n\r]*)*(?:GROUP|HAVING)\b"),
    )
)
_HEAD = re.compile(r"(?:SELECT|DESCRIBE)([^{]*)")
_VARIABLE = re.compile(rf"[?$]([{NAME_CHARACTERS}]+)")
_HAS_OPTIONAL = {"REPLACE": (3, ', ""'), "REGEX": (2, ', ""'), "SUBSTR": (2, f", {2**31}"), "GROUP_CONCAT": (1, "")}
_NESTED = re.compile(r"REPLACE|REGEX|SUBSTR|GROUP_CONCAT")
_AGGREGATE = "GROUP_CONCAT"
_SOME_FUNCTION = "<urn:kgprobe:some-function>"
_FEW_CALLS = 6  # nested to this depth, they take no time worth mentioning
_NOT_TIGHT = frozenset(("CONCAT", "COALESCE", "BNODE"))
_UNUSED_PROPERTY = "!<urn:kgprobe:no-such-property>"
_FORMS = frozenset(("ASK", "CONSTRUCT", "DESCRIBE"))
_GROUPING = frozenset(("GROUP", "HAVING"))


def respelled(text: str, prefixes: Mapping[str, str] | None = None) -> Respelled:
    """A text that means the same to SPARQL. `prefixes` apply if it does not declare its own."""
    spelled = legible(text)
    if not _has_more_calls(spelled) and not _is_suspect(spelled):
        return Respelled(spelled)
    return _respelled(spelled, tuple(sorted((prefixes or {}).items())))


def _is_suspect(text: str) -> bool:
    if _TWO_DOTS.search(text) or (not text.isascii() and max(text) > "\uffff"):
        return True
    capitals = text.upper()
    for words, pattern in _SUSPECTS:
        for word in words:
            if word in capitals and pattern.search(text) is not None:
                return True
    for columns in _HEAD.findall(capitals):
        names = _VARIABLE.findall(columns)
        if len(set(names)) < len(names):
            return True
    return False


@functools.lru_cache(maxsize=64)
def _respelled(text: str, prefixes: tuple[tuple[str, str], ...]) -> Respelled:
    found = tokens(text)
    edits = [
        *_words(text, found),
        *_repeated_columns(found),
        *_names(found, dict(prefixes)),
        *_completed_calls(found),
        *_grouped_forms(found),
    ]
    return edited(text, edits)


def edited(text: str, edits: list[Edit]) -> Respelled:
    """The text with some edits, which do not overlap."""
    pieces: list[str] = []
    anchors = [(0, 0)]
    done = length = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        pieces += (text[done:start], new)
        length += start - done
        anchors.append((length, start))
        length += len(new)
        anchors.append((length, end))
        done = end
    return Respelled("".join([*pieces, text[done:]]), tuple(anchors))


def with_insertion(spelled: Respelled, offset: int, new: str) -> Respelled:
    """The text with something inserted at an offset of the original."""
    here = next((a + offset - b for a, b in reversed(spelled.anchors) if b <= offset), offset)
    before = [pair for pair in spelled.anchors if pair[0] < here]
    after = [(a + len(new), b) for a, b in spelled.anchors if a >= here]
    text = spelled.text[:here] + new + spelled.text[here:]
    return Respelled(text, ((0, 0), *before[1:], (here, offset), (here + len(new), offset), *after))


# -- words and names ---------------------------------------------------------------------------------------------------


def _words(text: str, found: tuple[Token, ...]) -> Iterator[Edit]:
    for place, token in enumerate(found):
        following = found[place + 1 : place + 3]
        sign = following[0].text if following else ""
        if token.kind == "word" and token.text.upper() in ("TRUE", "FALSE"):
            yield Edit(token.start, token.end, token.text.lower())
        elif (
            token.kind == "word" and token.text.upper() in _NOT_TIGHT and sign == "(" and following[0].start > token.end
        ):
            yield Edit(token.end, following[0].end, "(" + text[token.end : following[0].start])
        elif token.text == "!" and [each.text for each in following] == ["(", ")"]:
            yield Edit(token.start, following[1].end, _UNUSED_PROPERTY)
        elif token.kind in ("iri", "prefixed") and sign == "(" and following[-1].text.upper() == "DISTINCT":
            yield Edit(following[1].start, following[1].end, "")  # only an aggregate would use it


def _repeated_columns(found: tuple[Token, ...]) -> Iterator[Edit]:
    """The columns that have been named before. The results have each column once."""
    for place, token in enumerate(found):
        if token.kind != "word" or token.text.upper() not in ("SELECT", "DESCRIBE"):
            continue
        seen: set[str] = set()
        depth = 0
        for later in found[place + 1 :]:
            depth += (later.text == "(") - (later.text == ")")
            if later.text == "{" or (later.kind == "word" and later.text.upper() in ("WHERE", "FROM")):
                break
            if later.kind == "variable" and depth == 0:
                if later.text[1:] in seen:
                    yield Edit(later.start, later.end, "")
                seen.add(later.text[1:])


def _names(found: tuple[Token, ...], prefixes: dict[str, str]) -> Iterator[Edit]:
    for place, token in enumerate(found):
        if token.kind != "prefixed":
            continue
        prefix, _, local = token.text.partition(":")
        following = found[place + 1 : place + 2]
        if place and found[place - 1].text.upper() == "PREFIX" and following:
            prefixes[prefix] = following[0].text[1:-1]
        elif max(token.text) > "\uffff" and prefix in prefixes:
            name = re.sub(r"\\(.)", r"\1", local)
            yield Edit(token.start, token.end, f" <{prefixes[prefix]}{name}>")  # `?x<<` would be something else
        elif local.count(".") > 1:
            escaped = re.sub(r"\\?\.", r"\\.", local)
            yield Edit(token.end - len(local), token.end, escaped)


# -- ASK, CONSTRUCT and DESCRIBE with GROUP BY: their pattern becomes a subquery ---------------------------------------


def _grouped_forms(found: tuple[Token, ...]) -> Iterator[Edit]:
    outer = list(_outside_of_braces(found))
    words = [found[place].text.upper() for place in outer]
    grouped = next((n for n, word in enumerate(words) if word in _GROUPING), None)
    if grouped is None or _FORMS.isdisjoint(words) or not outer[grouped]:
        return
    closing = outer[grouped] - 1
    groups = [n for n, place in enumerate(outer[:grouped]) if found[place].text == "{"]
    if found[closing].text != "}" or not groups or (words[0:1] != ["ASK"] and "CONSTRUCT" in words and len(groups) < 2):
        return  # CONSTRUCT WHERE has a template for its pattern, which cannot be a subquery
    keys = [found[place].text for place in range(closing + 2, len(found)) if _is_key(found, place, closing)]
    projected = " ".join(dict.fromkeys(keys)) or "(1 AS ?kgprobe_row)"
    start = found[outer[groups[-1]]].start
    yield Edit(start, start, f"{{ SELECT {projected} ")
    yield Edit(found[-1].end, found[-1].end, " }")


def _is_key(found: tuple[Token, ...], place: int, closing: int) -> bool:
    """Whether a token is a variable of GROUP BY, or one that it creates."""
    depth = 0
    for token in found[closing + 1 : place]:
        if (
            depth == 0
            and token.kind == "word"
            and token.text.upper() in ("HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES")
        ):
            return False
        depth += (token.text == "(") - (token.text == ")")
    is_new = depth == 1 and found[place - 1].text.upper() == "AS"
    return found[place].kind == "variable" and (depth == 0 or is_new)


def _outside_of_braces(found: tuple[Token, ...]) -> Iterator[int]:
    """The places of the tokens outside of braces, and of the outermost opening braces."""
    depth = 0
    for place, token in enumerate(found):
        if token.kind == "sign" and token.text == "}":
            depth -= 1
        elif depth == 0:
            yield place
        if token.kind == "sign" and token.text == "{":
            depth += 1


# -- nested calls ------------------------------------------------------------------------------------------------------


class _Call(NamedTuple):
    """A call of a function and its closing bracket. The depth counts such calls; of those around it, some aggregate."""

    name: Token
    closing: Token
    arguments: int
    depth: int
    aggregates: int

    @property
    def is_aggregate(self) -> bool:
        return self.name.text.upper() == _AGGREGATE


def _calls(found: tuple[Token, ...]) -> Iterator[_Call]:
    """The calls of the functions with an optional argument. Other brackets do not count."""
    opened: list[tuple[Token | None, list[int]]] = []  # for each open bracket: the function if any, and its commas
    for place, token in enumerate(found):
        if token.kind != "sign":
            continue
        if token.text == "(":
            name = found[place - 1] if place else token
            opened.append((name if name.kind == "word" and name.text.upper() in _HAS_OPTIONAL else None, []))
        elif token.text == "," and opened:
            opened[-1][1].append(place)
        elif token.text == ")" and opened:
            function, commas = opened.pop()
            if function is not None:
                around = [each.text.upper() for each, _ in opened if each is not None]
                yield _Call(function, token, len(commas) + 1, len(around) + 1, around.count(_AGGREGATE))


def _completed_calls(found: tuple[Token, ...]) -> Iterator[Edit]:
    calls = list(_calls(found))
    if max((call.depth for call in calls), default=0) > _FEW_CALLS:
        for call in calls:
            least, argument = _HAS_OPTIONAL[call.name.text.upper()]
            if call.arguments == least and argument:
                yield Edit(call.closing.start, call.closing.start, argument)


def without_deep_calls(text: str, refuse: Callable[[str, int], Exception]) -> Respelled | None:
    """The text with calls of other functions, and without negations, in place of what may take exponential time.

    pyoxigraph tries every way to read a nested call or negation before it reports a mistake. None if the text has only
    few. `refuse` makes the error for a call that is wrong in itself, from a message and a place.
    """
    if not may_have_deep_calls(text):
        return None
    found = tokens(text)
    calls = list(_calls(found))
    for call in calls:
        least, _ = _HAS_OPTIONAL[call.name.text.upper()]
        if call.is_aggregate and call.aggregates > _FEW_CALLS:
            raise refuse(f"{call.name.text} is inside another aggregate", call.name.start)
        if not call.is_aggregate and not least <= call.arguments <= least + 1:
            message = f"{call.name.text} takes {least} or {least + 1} arguments, and here it has {call.arguments}"
            raise refuse(message, call.name.start)
    edits = [Edit(call.name.start, call.name.end, _SOME_FUNCTION) for call in calls if not call.is_aggregate]
    return edited(text, [*edits, *(Edit(sign.start, sign.end, "") for sign in found if sign.text == "!")])


def may_have_deep_calls(text: str) -> bool:
    """Whether pyoxigraph may take exponential time to parse a text, if it has a mistake."""
    return text.count("!") > _FEW_CALLS or _has_more_calls(text)


def _has_more_calls(text: str) -> bool:
    """Whether a text may call more than a few of the functions that are slow to parse."""
    if text.count("(") <= _FEW_CALLS:
        return False
    return next(itertools.islice(_NESTED.finditer(text.upper()), _FEW_CALLS, None), None) is not None
