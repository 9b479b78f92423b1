"""The text of an answer as tokens and sentences, without accents, markup and thinking.

Error pages, errors as text, and names that say what they name are not answers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

LONGEST: Final = 20_000
"""Characters of a text that are read. An answer that is longer decides at its start or at its end."""

_CJK = "\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(
    rf"(?P<cjk>[{_CJK}])"
    rf"|(?P<word>[^\W\d_{_CJK}]+(?:-[^\W\d_{_CJK}]+)*)"
    r"|(?P<number>\d+(?:[.,]\d+)*)"
    r"|(?P<lines>\n\s*)"
    r"|(?P<other>[^\s\w])"
)
_ENDS = frozenset(".!?。؟\u06d4")
_MARKUP = frozenset("*`#~>\"'«»„「」『』¡¿<^{}$\\\u2018\u2019\u201a\u201c\u201d\u2039\u203a")
_TITLES = frozenset(
    {
        "dr",
        "mr",
        "mrs",
        "ms",
        "prof",
        "st",
        "sr",
        "jr",
        "vs",
        "eg",
        "ie",
        "inc",
        "ltd",
        "co",
        "fig",
        "vol",
        "ca",
        "approx",
    }
)
# Letters that Unicode does not take apart into a letter and an accent.
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "\u0131": "i", "æ": "ae", "œ": "oe", "ё": "\u0435"})
_ARABIC = str.maketrans("أإآٱىةؤئ", "اااايهوي", "\u0640")
_INVISIBLE = re.compile("[\u00ad\u061c\u064b-\u065f\u0670\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe0e\ufe0f\ufeff]")
# Arrows to the right in all styles, but "⇒", which is read as it is.
_ARROW = re.compile(
    "[\u219d\u21a0\u21a3\u21a6\u21aa\u21db\u21dd\u21e2\u21e8\u2794\u2798-\u27af\u27b1-\u27be\u27f6\u27f9\u27fc\u27fe\u2b62]|[-=]{1,3}>"
)

_CONTRACTIONS = [
    (re.compile(r"\bcan(?:'t|not)\b", re.I), "can not"),
    (re.compile(r"\bwon't\b", re.I), "will not"),
    (re.compile(r"\bshan't\b", re.I), "shall not"),
    (re.compile(r"\bain't\b", re.I), "is not"),
    (re.compile(r"\b(is|are|was|were|does|did|do|has|have|had|could|would|should|must|need)n'?t\b", re.I), r"\1 not"),
    (re.compile(r"\b(it|that|he|she|there|this|what|here|who|answer)'s\b", re.I), r"\1 is"),
    (re.compile(r"\b(they|you|we|these|those)'re\b", re.I), r"\1 are"),
    (re.compile(r"\bi'm\b", re.I), "i am"),
    (re.compile(r"\b(i|he|she|it|that|they|we|you)'d\b", re.I), r"\1 would"),
    (re.compile(r"\b(i|we|you|they)'ve\b", re.I), r"\1 have"),
    (re.compile(r"(?<=\w)'(?=\w)"), " "),
]
_BARE_CONTRACTIONS = [_CONTRACTIONS[0], _CONTRACTIONS[4]]  # "cannot", "isnt"

_THINKING_NAMES = (
    r"think(?:ing)?|thoughts?|reason(?:ing)?|scratch_?pad|reflection|analysis|seed:think|inner_?monologue|cot"
)
_THINKING_TAG = re.compile(
    rf"[<\[◁]\s*+(?P<close>/?)\s*+\|?(?:(?:begin|end|start)_of_)?(?P<name>{_THINKING_NAMES})\|?\s*[>\]▷]", re.I
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<\n]{0,80}<\|message\|>", re.I)
_BARE_CHANNEL = re.compile(r"\A\s*analysis(?=[A-Z\s]).*?assistant\s*final(?=\W|[A-Z])", re.S)
_STRUCK = re.compile(r"~~[^~\n]{1,500}~~")
_SPECIAL = re.compile(r"<\|[\w ]{1,40}\|>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>", re.I)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number, a mark, or a character of Chinese or Japanese. `text` has neither capitals nor accents.

    `start` and `end` are its place in the text.
    """

    text: str
    kind: str
    is_capital: bool = False
    is_upper: bool = False
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    @property
    def is_word(self) -> bool:
        """Whether it can be part of a phrase: not a mark."""
        return self.kind in ("word", "cjk", "number")


def is_title(tokens: Sequence[Token]) -> bool:
    """Whether all words begin with a capital, as in the title of a work, and none is all capitals."""
    words = [token for token in tokens if token.is_word]
    return len(words) > 1 and all(token.is_capital and not token.is_upper for token in words)


@dataclass(frozen=True, slots=True)
class Sentence:
    """Tokens without markup and without the mark at the end."""

    tokens: tuple[Token, ...]
    is_question: bool
    starts_line: bool

    def before(self, token: Token) -> str:
        """What comes before one of its tokens."""
        place = next(place for place, other in enumerate(self.tokens) if other is token)
        return self.tokens[place - 1].text if place else ""


def plain(text: str) -> str:
    """The text with compatibility characters, quotation marks and invisible characters made uniform.

    Of a very long text, only the start and the end are kept.
    """
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}\n{text[-LONGEST // 2 :]}"
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text.replace("\u2019", "'").replace("\u2018", "'")))
    return _ARROW.sub("→", text).replace("\r\n", "\n").replace("\r", "\n").strip()


@lru_cache(maxsize=50_000)
def fold(word: str) -> str:
    """A word without capitals and accents."""
    word = word.casefold().translate(_LETTERS)
    if word.isascii():
        return word
    parts = []
    for letter in word.translate(_ARABIC):
        apart = unicodedata.normalize("NFD", letter)
        # A mark is an accent in Latin letters; in other scripts it can make another letter (и and й, は and ば).
        # "Año" is not "ano", which is yes in Czech.
        is_accent = "a" <= apart[0] <= "z" and letter != "ñ"
        parts.append(apart[0] if is_accent else "" if unicodedata.combining(letter) else letter)
    return "".join(parts)


def without_contractions(text: str) -> str:
    """The text with "is not" for "isn't"."""
    for pattern, replacement in _CONTRACTIONS if "'" in text else _BARE_CONTRACTIONS:
        text = pattern.sub(replacement, text)
    return text


def tokens_of(text: str) -> list[Token]:
    """The tokens of a text that is `plain`. Their places are right if it has no contractions."""
    text = without_contractions(text)
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        tokens.append(_token(match, text, tokens))
    return tokens


def _token(match: re.Match[str], text: str, before: Sequence[Token]) -> Token:
    kind, word = match.lastgroup or "other", match[0]
    start, end = match.span()
    if kind == "lines":
        return Token("\n", "end", start=start, end=end)
    if kind in ("cjk", "number"):
        return Token(word, kind, start=start, end=end)
    if kind == "word":
        return Token(fold(word), kind, word[0].isupper(), len(word) > 1 and word.isupper(), start, end)
    if word not in _ENDS:
        return Token(word, "other", start=start, end=end)
    if _is_inside_name(word, text, end, before):
        return Token("·", "dot", start=start, end=end)
    return Token("?" if word == "؟" else word, "end", start=start, end=end)


def _is_inside_name(mark: str, text: str, position: int, before: Sequence[Token]) -> bool:
    """Whether a mark does not end a sentence: the dot of a name (J.R.), a title (Dr. No) or a number (No. 5)."""
    if mark != "." or not before or before[-1].kind != "word":
        return False
    last, following = before[-1].text, text[position : position + 4]
    is_inside = following[:1].isalnum() and (last not in ("yes", "no") or following[:1].isdigit())
    is_initial = len(last) == 1 and before[-1].is_capital and len(before) > 1 and following.strip()[:1].isupper()
    is_numbering = last in ("no", "nr") and following.strip()[:1].isdigit()
    return is_inside or is_initial or is_numbering or last in _TITLES


def sentences_of(tokens: Sequence[Token]) -> Iterator[Sentence]:
    """The sentences of a text, without markup. Lines end sentences."""
    current: list[Token] = []
    starts_line = True
    for token in tokens:
        if token.kind == "end":
            if any(token.kind != "other" for token in current):
                yield Sentence(tuple(current), token.text == "?", starts_line)
                starts_line = False
            current = []
            starts_line = starts_line or token.text == "\n"
        elif token.text not in _MARKUP and token.kind != "dot":
            current.append(token)
    if any(token.kind != "other" for token in current):
        yield Sentence(tuple(current), False, starts_line)


def without_thinking(text: str) -> str:
    """The part of a text that is meant as the answer: no thinking, closed or not, and only the final channel."""
    channels = list(_CHANNEL.finditer(text))
    if channels:
        final = [channel for channel in channels if channel[1].lower() not in ("analysis", "commentary")]
        if not final:
            return text[: channels[0].start()] if channels[0].start() else ""
        text = text[final[-1].end() :]
    if bare := _BARE_CHANNEL.match(text):
        text = text[bare.end() :]
    return _SPECIAL.sub(" ", _STRUCK.sub(" ", _outside_tags(text))).strip()


def _outside_tags(text: str) -> str:
    """The text outside of thinking tags. A tag that is only closed was opened before the text began."""
    kept: list[str] = []
    depth, position = 0, 0
    for tag in _THINKING_TAG.finditer(text):
        if tag["close"]:
            if depth == 0:
                kept.clear()
            depth = max(depth - 1, 0)
        else:
            if depth == 0:
                kept.append(text[position : tag.start()])
            depth += 1
        position = tag.end()
    if depth == 0:
        kept.append(text[position:])
    return "".join(kept)


_PAGE = re.compile(r"\A\s*(?:<!doctype\b|<\?xml\b|<html\b|<head\b|<body\b|<title\b|<center\b)", re.I)
_START = re.compile(
    r"\A\W*(?:HTTP/\d|(?:http |status |code |error )*[45]\d\d\b(?!\s*(?:yes|no)\b)"
    r"|traceback \(most recent|exception in thread|(?:\w+\.)*\w*(?:error|exception)\b\s*[:\[(]"
    r"|error\b(?:\s+\w+){0,4}\s*[:\-]|(?:fatal|panic|unhandled\w*)\b[^.\n]{0,40}:|segmentation fault"
    r"|invalid\b(?! (?:statement|claim))|curl: \(\d+\))",
    re.I,
)
_TELLS = re.compile(
    r"internal server error|bad gateway|service (?:is )?(?:temporarily )?unavailable|gateway time-?out|404 not found"
    r"|page not found|too many requests|rate[ -]?limit(?:ed|s| (?:exceeded|reached))|quota exceeded"
    r"|exceeded your (?:current )?quota|request timed out|connection (?:refused|reset|timed out|error)|invalid api key"
    r"|incorrect api key|401 unauthorized"
    r"|403 forbidden|access denied|most recent call last|nullpointerexception|^\s+at [\w$.]+\([\w.]+:\d+\)"
    r"|model is (?:currently )?(?:overloaded|loading)|context length exceeded|maximum context length|out of memory"
    r"|something went wrong|an error (?:has )?occurred|server is overloaded|try again later|no such file or directory"
    r"|command not found|max retries exceeded|no healthy upstream|upstream (?:connect|request)|core dumped",
    re.I | re.M,
)
_WITH_KIND = re.compile(
    r"\((?:[^()]* )?(?:film|song|album|band|single|novel|book|play|musical|opera|poem|magazine|newspaper|series|episode"
    r"|video game|game|river|city|town|village|island|mountain|county|surname|given name|disambiguation)\)\W*\Z",
    re.I,
)
_AGREES = r"(?:yes|yeah|yep|sure(?: thing)?|certainly|absolutely|of course|ok(?:ay)?|alright|no (?:problem|worries))"
_HELP = r"(?:help|assist|answer)(?: you)?(?: with (?:that|this))?"
_ASKED = r"(?:the|your|this) (?:question|request)"
_COURTESY = re.compile(
    rf"\A\W*(?:{_AGREES}\b[,.!]*\s+)?(?:(?:and )?"
    rf"(?:i (?:can|could|will|would) (?:certainly |gladly |definitely )?"
    rf"(?:help|assist|answer|do|look into|check)(?: you)?(?: out)?(?: with)?(?: (?:that|this|it|{_ASKED}))?"
    rf"|i understand(?: (?:that|{_ASKED}|what you (?:mean|ask|are asking)))?|i see {_ASKED}"
    rf"|i(?:'d| would) be (?:happy|glad) to {_HELP}|(?:i am |i'm )?(?:happy|glad) to {_HELP}"
    rf"|got it|thanks? (?:you )?for (?:asking|{_ASKED})|i(?:'m| am) (?:here|listening|ready))"
    r"\b\s*(?:[.!,;:\u2014]+|\u2013|-|(?=but\b)|\Z)\s*)+",
    re.I,
)
_LONGEST_NAME = 100
_DECISION = re.compile(r"\A\W*(?:yes|no)\b\s*(?:[,.!;:—\u2013-]|\Z)", re.I)


def is_error(text: str) -> bool:
    """Whether a reply is an error page, an error message or a stack trace."""
    if _PAGE.match(text):
        return True
    start = text[:2000]
    if _DECISION.match(start):
        return False
    return bool(_START.match(start) or _TELLS.search(start))


def is_name(text: str) -> bool:
    """Whether a reply is a name with its kind in parentheses, as in encyclopedias: "Hell Yes (song)"."""
    return len(text) <= _LONGEST_NAME and _WITH_KIND.search(text) is not None


def without_courtesy(text: str) -> str:
    """The text without words at its start that are only polite: "Yes, I can help with that! It is not."."""
    return _COURTESY.sub("", text, count=1)
