"""The clauses of a sentence, as phrases that the lists of a language know and other words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kgprobe.questions.reading.languages import Language
from kgprobe.questions.reading.text import Token

__all__ = ["SYMBOLS", "Clause", "Item", "clauses_of", "tokens_in", "without_apposition"]

SYMBOLS = {
    **dict.fromkeys("✓✔✅☑👍", "yes"),
    **dict.fromkeys("✗✘❌✖👎", "no"),
}
"""Characters that decide."""

_CLAUSE_ENDS = frozenset(",;:()[]/|—\u2013-،、؛·=→⇒")
_WHOLE = frozenset({("so", "it", "is"), ("that", "it", "is")})  # no answers in "so it is not a part of"
_INSERTED = frozenset({"however", "though", "indeed"})
_BEFORE_INSERTED = frozenset({"is", "are", "was", "were", "does", "did", "do", "has", "have", "not"})
_MARKERS = frozenset({"but", "although", "change", "so"})


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
    found, position = [], 0
    while position < len(tokens):
        length, kinds = language.match(tokens, position)
        is_whole = position + length == len(tokens) or not tokens[position + length].is_word
        if not is_whole and tuple(token.text for token in tokens[position : position + length]) in _WHOLE:
            length, kinds = language.match(tokens[: position + 1], position)
        length = length or 1
        found.append(Item(tuple(tokens[position : position + length]), kinds))
        position += length
    return found


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
        elif marks := item.kinds & _MARKERS:
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
