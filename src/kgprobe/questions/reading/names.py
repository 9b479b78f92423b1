"""Answers that are names: to a choice, to an open question, or where a yes or no was asked for.

They are judged against all right labels and aliases, and against the other choices. A name counts as a whole ("New
York" is not York), and not if it is denied ("not Paris but Lyon").

A name that answers a yes-no question decides nothing. As in Table 9 of the paper on inference testing, only the format
is wrong if it is the name that the question is about: "male" for "Is the producer of What If a female?". Otherwise the
keyword is wrong, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgprobe.model import Prompt, Reading
from kgprobe.questions.reading.clause_values import OPEN
from kgprobe.questions.reading.languages import ENGLISH, languages, languages_of
from kgprobe.questions.reading.marks import json_answer, labelled, marked
from kgprobe.questions.reading.question import asked
from kgprobe.questions.reading.sentences import decide
from kgprobe.questions.reading.text import Token, is_error, plain, sentences_of, tokens_of, without_thinking

RIGHT, WRONG, UNDECIDED = "right", "wrong", "undecided"

_ARTICLES = frozenset({"a", "an", "the"})
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
}
# Words beside a name that are not part of a longer name, although a sentence can begin with them.
_BESIDE = languages()[ENGLISH].words["beside_names"]
_CLAUSE_ENDS = frozenset(",;:()")
_REACH = 4
"""Words between a negation and the name that it denies."""
_SHORT = 8


@dataclass(frozen=True, slots=True)
class _Mention:
    """A name in an answer. `is_right`: it is one of the right names."""

    position: int
    is_right: bool
    is_denied: bool
    name: str


def read_name(answer: str, prompt: Prompt) -> Reading:
    """Whether an answer names a right answer: "right", "wrong" or "undecided"."""
    text = plain(answer)
    if not text or is_error(text):
        return Reading(UNDECIDED, "an error, not an answer" if text else "empty")
    text = without_thinking(text)
    if (stated := json_answer(text) or marked(text)) is not None:
        return _read(plain(stated.text), prompt)
    for label in labelled(text):
        reading = _read(label.text, prompt)
        if reading.decision != UNDECIDED:
            return reading
    return _read(text, prompt)


def _read(text: str, prompt: Prompt) -> Reading:
    tokens = [token for token in tokens_of(text) if token.text not in _ARTICLES]
    mentions = list(_mentions(tokens, prompt))
    asserted = [mention for mention in mentions if not mention.is_denied]
    kinds = {mention.is_right for mention in asserted}
    if len(kinds) == 1:
        mention = asserted[0]
        return Reading(RIGHT if mention.is_right else WRONG, f'names "{mention.name}"')
    if kinds:
        return _last(tokens, asserted)
    if any(mention.is_right for mention in mentions):
        return Reading(WRONG, "denies the right answer")
    if mentions or prompt.form == "choice":
        return Reading(UNDECIDED, "names none of the choices" if prompt.form == "choice" else "only denies a name")
    return _unknown(text, tokens, prompt)


def _mentions(tokens: Sequence[Token], prompt: Prompt) -> Iterator[_Mention]:
    """The names in the answer, the longest first, none inside another."""
    names = {_words(name): (True, name) for name in prompt.right}
    names |= {words: (False, name) for name in prompt.wrong if (words := _words(name)) not in names}
    texts = [_NUMBERS.get(token.text, token.text) for token in tokens]
    taken: set[int] = set()
    for words in sorted(names, key=len, reverse=True):
        for start in range(len(texts) - len(words) + 1) if words else ():
            places = range(start, start + len(words))
            if tuple(texts[start : start + len(words)]) != words or taken.intersection(places):
                continue
            if not _is_whole(tokens, start, start + len(words)):
                continue
            taken.update(places)
            is_right, name = names[words]
            yield _Mention(start, is_right, _is_denied(tokens, start, start + len(words)), name)


def _words(name: str) -> tuple[str, ...]:
    words = [token.text for token in tokens_of(plain(name))]
    return tuple(_NUMBERS.get(word, word) for word in words if word not in _ARTICLES)


def _is_whole(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a name is not part of a longer one: no other name word stands right beside it."""
    has_capitals = any(token.is_capital for token in tokens)
    is_short = sum(token.is_word for token in tokens) <= _REACH
    for position in (start - 1, end):
        if not 0 <= position < len(tokens):
            continue
        token = tokens[position]
        if token.kind != "word" or token.text in _BESIDE:
            continue
        if token.is_capital or (not has_capitals and is_short):
            return False
    return True


def _is_denied(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a negation stands before the name in its clause, or right after it with a verb ("Paris is not")."""
    before = []
    for token in reversed(tokens[max(0, start - _REACH) : start]):
        if token.text in _CLAUSE_ENDS or token.kind == "end" or token.text == "but":
            break
        before.append(token.text)
    after = [token.text for token in tokens[end : end + 2]]
    denied = languages_of(tokens)[0].negations | languages()[ENGLISH].negations
    return bool(denied.intersection(before)) or (len(after) == 2 and after[1] in denied)


def _last(tokens: Sequence[Token], asserted: Sequence[_Mention]) -> Reading:
    """Names of both kinds: the last one counts if it comes after a change of mind or a conclusion."""
    last = max(asserted, key=lambda mention: mention.position)
    others = [mention.position for mention in asserted if mention.is_right != last.is_right]
    language = languages_of(tokens)[0]
    between = range(max(others) + 1, last.position)
    if any(language.match(tokens, position)[1] & {"change", "so"} for position in between):
        return Reading(RIGHT if last.is_right else WRONG, f'concludes with "{last.name}"')
    return Reading(UNDECIDED, "names several answers")


def _unknown(text: str, tokens: Sequence[Token], prompt: Prompt) -> Reading:
    """An answer to an open question that has no known name: wrong if it names something else."""
    language = languages_of(tokens)[0]
    for sentence in sentences_of(tokens_of(text)):
        decision = decide(sentence, language, asked(prompt.text))
        if decision is not None:
            why = decision.why if decision.decision == OPEN else "answers yes or no"
            return Reading(UNDECIDED, why, "" if decision.decision == OPEN else "wrong format")
    words = [token for token in tokens if token.is_word]
    known = asked(prompt.text).words
    if words and (len(words) <= _SHORT or any(word.is_capital and word.text not in known for word in words[1:])):
        return Reading(WRONG, "names none of the right answers")
    return Reading(UNDECIDED, "names nothing")


WRONG_FORMAT, WRONG_KEYWORD = "wrong format", "wrong keyword"

_LONGEST_NAME = 6
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def kind_of(answer: str, prompt: Prompt) -> str:
    """The kind of an answer that decides nothing: empty if it is not a name or another keyword."""
    name = _words_of(without_thinking(plain(answer)))
    if not 0 < len(name) <= _LONGEST_NAME:
        return ""
    return WRONG_FORMAT if _is_right(name, prompt) else WRONG_KEYWORD


def _words_of(text: str) -> list[str]:
    return [token.text for token in tokens_of(plain(text)) if token.is_word and token.text not in _ARTICLES]


def _is_right(name: Sequence[str], prompt: Prompt) -> bool:
    """Whether the name answers the question: its subject if yes is expected, else the one in the context."""
    question = _words_of(prompt.text)[1:]
    if prompt.expected == "yes":
        return question[: len(name)] == name or question[-len(name) :] == name
    if _has(question, name) or not _has(_words_of(prompt.context), name):
        return False
    # Sentences about the same relation as the question: they end their subject before the words that both share.
    subjects = [subject for sentence in _SENTENCE.split(prompt.context) if (subject := _subject(sentence, question))]
    return not subjects or list(name) in subjects


def _subject(sentence: str, question: list[str]) -> list[str] | None:
    """The subject of a sentence whose predicate begins like that of the question: "family name of"."""
    words = _words_of(sentence)
    if "is" not in words[1:]:
        return None
    verb = words.index("is", 1)
    predicate = words[verb + 1 :]
    relation = next((predicate[: i + 1] for i, word in enumerate(predicate) if word in ("of", "in", "for") and i), None)
    if relation is None or question[: len(relation)] == relation:  # "Is the producer of What If a female?"
        return None
    return words[:verb] if _has(question, relation) else None


def _has(words: Sequence[str], part: Sequence[str]) -> bool:
    return any(list(words[i : i + len(part)]) == list(part) for i in range(len(words) - len(part) + 1))
