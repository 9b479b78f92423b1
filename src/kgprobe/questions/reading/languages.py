"""The languages of answers: their phrases, which of them a text is in, and the clauses of a sentence as phrases."""

from __future__ import annotations

import tomllib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Final

from kgprobe.questions.reading.text import Token, plain, tokens_of

ENGLISH: Final = "en"
_SCRIPTS = {"ru": ("\u0400", "\u052f"), "ar": ("\u0600", "\u06ff"), "ko": ("\uac00", "\ud7a3")}
_KINDS = ("ignored", "turned", "open", "yes", "no", "negation", "true", "false", "adverbs", "idle")
_DECIDING = frozenset({"yes", "no", "not"})
_SHORT = 30
_LONGEST_LABEL = 5  # tokens, with the colon
_MARKERS = ("but", "although", "change", "so", "that")

Phrase = tuple[str, ...]


@dataclass(frozen=True)
class Language:
    """The phrases of a language.

    `phrases` gives the kinds of each phrase: a word can be an answer, and a negation inside a sentence. `starts` has
    the length of the longest phrase for each first word. `words` has lists that only this language needs.
    """

    code: str
    phrases: Mapping[Phrase, frozenset[str]]
    starts: Mapping[str, int]
    answers: frozenset[Phrase]
    explanations: frozenset[Phrase]
    subjects: frozenset[str]
    verbs: frozenset[str]
    hints: frozenset[str]
    words: Mapping[str, frozenset[str]]

    @property
    def has_hints(self) -> bool:
        """Whether the language is recognised by its words, not by its script."""
        return self.code not in (*_SCRIPTS, "zh", "ja")

    @cached_property
    def negations(self) -> frozenset[str]:
        """The single words that negate."""
        return frozenset(
            phrase[0] for phrase, kinds in self.phrases.items() if len(phrase) == 1 and "negation" in kinds
        )

    def explains(self, tokens: Sequence[Token]) -> bool:
        """Whether a sentence begins with the label of an explanation, or is one: "Reasoning: …"."""
        words = tuple(token.text for token in tokens[:_LONGEST_LABEL])
        return words in self.explanations or any(
            words[:length] in self.explanations and words[length] == ":" for length in range(1, len(words))
        )

    def match(self, tokens: Sequence[Token], position: int) -> tuple[int, frozenset[str]]:
        """The length and kinds of the longest phrase at a position; 0 if there is none."""
        longest = self.starts.get(tokens[position].text, 0)
        words = tuple(token.text for token in tokens[position : position + longest])
        for length in range(len(words), 0, -1):
            kinds = self.phrases.get(words[:length])
            if kinds is not None:
                return length, kinds
        return 0, frozenset()


@cache
def languages() -> Mapping[str, Language]:
    """All languages by their code, English first."""
    content = files(__package__).joinpath("languages.toml").read_text(encoding="utf-8")
    return {code: _language(code, table) for code, table in tomllib.loads(content).items()}


def _language(code: str, table: Mapping[str, Any]) -> Language:
    phrases: dict[Phrase, set[str]] = {}
    for kind in (*_KINDS, *_MARKERS):
        for text in table.get(kind, ()):
            phrases.setdefault(_phrase(text), set()).add(kind)
    starts: dict[str, int] = {}
    for phrase in phrases:
        starts[phrase[0]] = max(starts.get(phrase[0], 0), len(phrase))
    return Language(
        code,
        {phrase: frozenset(kinds) for phrase, kinds in phrases.items()},
        starts,
        frozenset(map(_phrase, table["answer"])),
        frozenset(map(_phrase, table["explanation"])),
        frozenset(word for text in table["subject"] for word in _phrase(text)),
        frozenset(word for text in table["verb"] for word in _phrase(text)),
        frozenset(word for text in table["hints"] for word in _phrase(text)) | _telling(phrases),
        defaultdict(frozenset, {name: frozenset(words) for name, words in table.get("words", {}).items()}),
    )


def _telling(phrases: Mapping[Phrase, set[str]]) -> set[str]:
    """The single words that decide, by which a short answer shows its language."""
    return {phrase[0] for phrase, kinds in phrases.items() if len(phrase) == 1 and kinds & set(_KINDS) - {"ignored"}}


def _phrase(text: str) -> Phrase:
    return tuple(token.text for token in tokens_of(plain(text)))


def languages_of(tokens: Sequence[Token], asked: Collection[str] = ()) -> list[Language]:
    """The languages that a text can be in, the likeliest first. English comes first among equals.

    The words of the question (`asked`) are English, unless they decide.
    """
    words = Counter(token.text for token in tokens if token.kind in ("word", "cjk"))
    others = Counter({word: count for word, count in words.items() if word not in asked or word in _DECIDING})
    scores = {code: _score(language, words if code == ENGLISH else others) for code, language in languages().items()}
    if len(tokens) <= _SHORT:
        best = max(scores.values())
        for code in [code for code, score in scores.items() if 0 < score >= best - 1]:
            scores[code] += _in_phrases(tokens, languages()[code])
    return [languages()[code] for code, _ in sorted(scores.items(), key=lambda score: -score[1])]


def _in_phrases(tokens: Sequence[Token], language: Language) -> int:
    """The number of words in phrases of two or more words, which tell short texts in similar languages apart."""
    count = position = 0
    while position < len(tokens):
        length, _ = language.match(tokens, position)
        count += length if length > 1 else 0
        position += max(length, 1)
    return count


def _score(language: Language, words: Mapping[str, int]) -> float:
    match language.code:
        case "zh" | "ja":
            count = sum(times for word, times in words.items() if "\u3005" <= word[0] <= "\ufaff" and len(word) == 1)
            kana = any("\u3040" <= word <= "\u30ff" for word in words)
            return count if kana == (language.code == "ja") else 0
        case "ru" | "ar" | "ko":
            first, last = _SCRIPTS[language.code]
            return sum(times for word, times in words.items() if first <= word[0] <= last)
    return sum(times for word, times in words.items() if word in language.hints)


SYMBOLS = {
    **dict.fromkeys("✓✔✅☑👍", "yes"),
    **dict.fromkeys("✗✘❌✖👎", "no"),
}
"""Characters that decide."""

_CLAUSE_ENDS = frozenset(",;:()[]/|—\u2013-،、؛·=→⇒")
_WHOLE = frozenset({("so", "it", "is"), ("that", "it", "is")})  # no answers in "so it is not a part of"
_INSERTED = frozenset({"however", "though", "indeed"})
_BEFORE_INSERTED = frozenset({"is", "are", "was", "were", "does", "did", "do", "has", "have", "not"})
_OPENERS = frozenset({"but", "although", "change", "so"})


@dataclass(frozen=True, slots=True)
class Item:
    """A phrase of a list, or any other token."""

    tokens: tuple[Token, ...]
    kinds: frozenset[str]

    @property
    def text(self) -> str:
        """The words, with spaces between them."""
        return " ".join(token.text for token in self.tokens)

    @property
    def is_answer(self) -> bool:
        """Whether it is an answer by itself."""
        return bool(self.kinds & {"yes", "no"})


@dataclass(frozen=True, slots=True)
class Clause:
    """The phrases of a clause, and the kinds of the words that begin it, such as "but"."""

    items: tuple[Item, ...]
    openers: frozenset[str]

    @property
    def tokens(self) -> tuple[Token, ...]:
        """All its tokens."""
        return tokens_in(self.items)


def tokens_in(items: Iterable[Item]) -> tuple[Token, ...]:
    """All tokens of the phrases."""
    return tuple(token for item in items for token in item.tokens)


def _items(tokens: Sequence[Token], language: Language) -> list[Item]:
    items, position = [], 0
    while position < len(tokens):
        length, kinds = language.match(tokens, position)
        is_whole = position + length == len(tokens) or not tokens[position + length].is_word
        if not is_whole and tuple(token.text for token in tokens[position : position + length]) in _WHOLE:
            length, kinds = language.match(tokens[: position + 1], position)
        length = length or 1
        items.append(Item(tuple(tokens[position : position + length]), kinds))
        position += length
    return items


def clauses_of(tokens: Sequence[Token], language: Language) -> list[Clause]:
    """The sentence cut at marks, and before words such as "but" and "wait"."""
    tokens = _without_insertion(tokens)
    clauses: list[Clause] = []
    items: list[Item] = []
    openers: set[str] = set()

    def close() -> None:
        nonlocal items, openers
        if items:
            clauses.append(Clause(tuple(items), frozenset(openers)))
            items, openers = [], set()

    for item in _items(tokens, language):
        if not item.kinds and item.text in _CLAUSE_ENDS:
            close()
        elif marks := item.kinds & _OPENERS:
            if items and item.kinds & {"true", "idle"}:  # "that is so", "it is actually": not the start of a clause
                items.append(item)
                continue
            close()
            openers |= marks
            if item.kinds & {"yes", "no", "open"}:
                items.append(item)
        else:
            items.append(item)
    close()
    return clauses


def _without_insertion(tokens: Sequence[Token]) -> Sequence[Token]:
    """Without a "however" between commas inside of a clause: "it is not, however, a member"."""
    for place in range(2, len(tokens) - 1):
        is_between = tokens[place - 1].text == "," and tokens[place + 1].text == ","
        if tokens[place].text in _INSERTED and is_between and tokens[place - 2].text in _BEFORE_INSERTED:
            return (*tokens[: place - 1], *tokens[place + 2 :])
    return tokens


def without_apposition(tokens: Sequence[Token], language: Language) -> Sequence[Token]:
    """The sentence without the words between its first two commas, if they only describe: "Lyon, a city, is in …".

    Another comma ends it.
    """
    commas = [i for i, token in enumerate(tokens) if token.text == ","]
    inner = _items(tokens[commas[0] + 1 : commas[1]], language) if len(commas) > 1 else []
    if inner and inner[0].text == "not":  # "Lyon, not Paris, is in …"
        inner = inner[1:]
    if not inner or any(item.kinds for item in inner):
        return ()
    return (*tokens[: commas[0]], *tokens[commas[1] + 1 : commas[2] if len(commas) > 2 else None])
