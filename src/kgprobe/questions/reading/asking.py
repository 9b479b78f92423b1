"""What a question asks: the words of its claim, the two things that it joins, and the parts of a conjunction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from kgprobe.questions.reading.languages import ENGLISH, languages
from kgprobe.questions.reading.text import Token, plain, sentences_of, tokens_of

__all__ = ["NOTHING_ASKED", "Asked", "Words", "asked", "contains", "repeats", "spelled"]

_ENGLISH = languages()[ENGLISH]
_ARTICLES, _FILLERS = (_ENGLISH.words[name] for name in ("articles", "fillers"))
_PREPOSITIONS = _ENGLISH.words["prepositions"] | {"than"}
_FRAMES = sorted((tuple(text.split()) for text in _ENGLISH.words["frames"]), key=len, reverse=True)
_BOTH = "both"
_SHORTEST_OUR = 6  # letters: "colour", but not "four"
_DOES = ("does", "do", "did")

Words = tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """What a question asks.

    `claim` has the words of the claim without the first verb and without articles. `subject`, `relation` and `object`
    are its three parts, if the question joins two things; `is_definite`: "the author of", not "an author of". `parts`
    are the questions that a conjunction joins, each with its number as `ordinal` and the `others`.
    """

    verb: str = ""
    claim: Words = ()
    words: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    subject: Words = ()
    relation: Words = ()
    object: Words = ()
    parts: tuple[Asked, ...] = ()
    ordinal: int | None = None
    others: tuple[Asked, ...] = ()
    is_definite: bool = False

    @cached_property
    def turned(self) -> Asked | None:
        """The question with its two things exchanged; None if that would ask the same, or makes no sense."""
        is_symmetric = not _ENGLISH.words["symmetric"].isdisjoint(self.relation)
        if not self.subject or not self.object or is_symmetric or self.subject == self.object:
            return None
        claim = (*self.object, *self.relation, *self.subject)
        return replace(self, claim=claim, subject=self.object, object=self.subject)


NOTHING_ASKED = Asked()


def contains(words: Sequence[str], part: Words) -> int:
    """The place of a part in words, -1 if it is not there."""
    length = len(part)
    places = range(len(words) - length + 1) if length else range(0)
    return next((place for place in places if tuple(words[place : place + length]) == part), -1)


def spelled(word: str) -> str:
    """A word in one of its two spellings: "neighbor" for "neighbour"."""
    return f"{word[:-3]}or" if len(word) >= _SHORTEST_OUR and word.endswith("our") else word


def repeats(tokens: Sequence[Token], question: Asked) -> bool:
    """Whether words repeat a question."""
    return contains(_bare([token for token in tokens if token.is_word]), (question.verb, *question.claim)) >= 0


@lru_cache(maxsize=10_000)
def asked(question: str) -> Asked:
    """What a question asks; without words if there is no question."""
    tokens = [token for token in tokens_of(plain(question)) if token.is_word or token.text == ","]
    words = frozenset(token.text for token in tokens)
    names = frozenset(token.text for token in tokens[1:] if token.is_capital)
    last = _last_question(question)
    whole = replace(_one(last), words=words, names=names)
    parts = tuple(
        replace(_one(part), words=words, names=names, ordinal=place) for place, part in enumerate(_parts(last))
    )
    return replace(whole, parts=parts) if len(parts) > 1 and all(part.verb for part in parts) else whole


def _last_question(question: str) -> list[Token]:
    """The words and commas of the question itself: what comes after a lead-in ("Someone says …, is Ada …?")."""
    found: list[Token] = []
    for sentence in sentences_of(tokens_of(plain(question))):
        tokens = sentence.tokens
        starts = [0] + [i + 1 for i, token in enumerate(tokens) if token.text == ","]
        starts = [start for start in starts if start < len(tokens) and tokens[start].text in _ENGLISH.verbs] or [0]
        if sentence.is_question or not found:
            found = [token for token in tokens[starts[0] :] if token.is_word or token.text == ","]
    return _without_frame(found)


def _without_frame(tokens: list[Token]) -> list[Token]:
    """The question inside of "Is it true that …?", with its verb in front."""
    words = tuple(token.text for token in tokens)
    for frame in _FRAMES:
        if words[: len(frame)] == frame:
            inner = tokens[len(frame) :]
            verb = next((i for i, token in enumerate(inner) if i and token.text in _ENGLISH.verbs), None)
            return tokens if verb is None else [inner[verb], *inner[:verb], *inner[verb + 1 :]]
    return tokens


def _one(tokens: Sequence[Token]) -> Asked:
    """A question that is not a conjunction, or is read as none."""
    words = [token for token in tokens if token.is_word]
    if not words or words[0].text not in _ENGLISH.verbs:
        return NOTHING_ASKED
    verb, *rest = words
    start = _complement(rest)
    inner = next((i for i in range(start + 1, len(rest)) if rest[i].text in _PREPOSITIONS), len(rest))
    if inner == len(rest) and verb.text in _DOES:
        inner = start
    ends = (rest[:start], rest[start : inner + 1], rest[inner + 1 :])
    subject, relation, object_ = (_bare(part) for part in ends)
    claim = (*subject, *relation, *object_)
    if not subject or subject[0] in _ENGLISH.subjects:
        return Asked(verb.text, claim)
    is_definite = rest[start].text == "the"
    return Asked(verb.text, claim, subject=subject, relation=relation, object=object_, is_definite=is_definite)


def _complement(tokens: Sequence[Token]) -> int:
    """Where the words about the subject begin: at an article that no preposition is in front of, or in lower case."""
    for place in range(1, len(tokens)):
        token, before = tokens[place], tokens[place - 1].text
        starts = token.text in _ARTICLES and not token.is_capital and before not in _PREPOSITIONS | _ARTICLES
        if starts or token.text == "not":
            return place
    return next((i for i in range(1, len(tokens)) if tokens[0].is_capital and not tokens[i].is_capital), 1)


def _bare(tokens: Sequence[Token]) -> Words:
    return tuple(spelled(token.text) for token in tokens if token.text not in _ARTICLES | _FILLERS)


def _parts(tokens: list[Token]) -> Iterator[list[Token]]:
    """The questions of a conjunction: "Is A the author of B, and is C …?", or "Is A both the author of B and a …?"."""
    words = [token.text for token in tokens]
    thats = [i for i in range(1, len(words) - 1) if words[i - 1 : i + 1] == ["and", "that"]]
    if thats:  # "Is it true that A is …, and that B is …?"
        for start, end in zip([0, *(that + 1 for that in thats)], [*thats, len(words)], strict=True):
            part = [token for token in tokens[start:end] if token.text != ","]
            part = part[:-1] if end in thats else part
            verb = next((i for i, token in enumerate(part) if token.text in _ENGLISH.verbs), 0)
            yield [*part[verb : verb + 1], *part[:verb], *part[verb + 1 :]]
        return
    cuts = [i for i in range(1, len(words)) if words[i] in _ENGLISH.verbs and words[i - 1] in (",", "and")]
    cuts = [cut for cut in cuts if words[cut - 1] == "," or words[cut - 2] == "," or words[cut] == words[0]]
    if cuts:
        for start, end in zip([0, *cuts], [*cuts, len(words)], strict=True):
            part = tokens[start:end]
            while part and part[-1].text in (",", "and"):
                part.pop()
            yield part
    elif _BOTH in words:
        both = words.index(_BOTH)
        ands = [i for i in range(both, len(words) - 1) if words[i] == "and" and words[i + 1] in _ARTICLES]
        ands = [i for i in ands if not tokens[i + 1].is_capital]
        if len(ands) == 1:
            yield tokens[:both] + tokens[both + 1 : ands[0]]
            yield tokens[:both] + tokens[ands[0] + 1 :]
