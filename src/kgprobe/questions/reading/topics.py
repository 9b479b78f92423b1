"""What the words of a piece are about: our question, the same with its two things exchanged, or another one."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from kgprobe.questions.reading.asking import Asked, Words, contains, spelled
from kgprobe.questions.reading.claims import restated
from kgprobe.questions.reading.languages import ENGLISH, Language, languages
from kgprobe.questions.reading.text import Token, is_title

__all__ = ["About", "about", "has_verb", "names_either"]

_ENGLISH = languages()[ENGLISH]
_ARTICLES, _FILLERS = (_ENGLISH.words[name] for name in ("articles", "fillers"))
_PREPOSITIONS, _LABELS = _ENGLISH.words["prepositions"], _ENGLISH.words["labels"]
_CLAIMS, _REPORTS = _ENGLISH.words["claims"], _ENGLISH.words["reports"]
_TOPIC_PREPOSITIONS = frozenset({"for", "to", "about", "regarding", "concerning"})
_ORDINALS = tuple(_ENGLISH.words[name] for name in ("first", "second", "third"))
_NO_NAMES = _ENGLISH.hints | _ENGLISH.verbs | _ENGLISH.subjects | _ARTICLES | _FILLERS | _PREPOSITIONS | _LABELS
_PRONOUNS = _ENGLISH.subjects | _ENGLISH.words["objects"] | {"who", "what"}
_NOUNS_IN_CAPITALS = "de"
_PLACES = _ENGLISH.words["places"]
_LONGEST_TOPIC = 6
_LONGEST_LABEL = 4
_SHORTEST_NAME = 3


class About(Enum):
    """What a piece of an answer is about. MAYBE_OTHER: something else, if another piece names our question."""

    OURS = "ours"
    TURNED = "turned"
    OTHER = "other"
    MAYBE_OTHER = "maybe other"
    UNSAID = "unsaid"

    @property
    def is_other(self) -> bool:
        """Whether it is surely not our question."""
        return self in (About.TURNED, About.OTHER)


def about(tokens: Sequence[Token], question: Asked, language: Language, *, is_question: bool = False) -> About:
    """Which question the words of a piece are about."""
    tokens, introduces = _without_lead(tokens, language)
    words = tuple(spelled(token.text) for token in tokens if token.is_word and token.text not in _ARTICLES | _FILLERS)
    if (ordinal := _ordinal(words, question)) is not None:
        return ordinal
    if not words:
        return About.UNSAID
    if any(_is_about_part(words, tokens, other, question, language) for other in question.others):
        return About.OTHER
    first, second = _place(words, question.subject, question), _place(words, question.object, question)
    if first >= 0 and second >= 0:
        return _by_order(words, tokens, question, language)
    foreign = _foreign(tokens, question, language)
    replaced = _replaced(tuple(word for word in words if word not in _ENGLISH.verbs), foreign, question, language)
    if replaced is not None:
        return replaced
    if is_question and any(place > 0 for place, _ in foreign):
        return About.OTHER
    if first >= 0 or second >= 0:
        return _fragment(words, question, [token for _, token in foreign])
    if foreign and introduces:
        return About.OTHER
    return _unknown(tokens, words, language)


def _without_lead(tokens: Sequence[Token], language: Language) -> tuple[Sequence[Token], bool]:
    """The words without a number, a report or a word for the claim in front, and whether "for" introduces them."""
    introduces = False
    reports = [place for place, token in enumerate(tokens) if token.text in _REPORTS and place]
    if reports and tokens[0].text in language.words["others"]:
        tokens, introduces = tokens[reports[0] + 1 :], True
    while tokens:
        first = tokens[0]
        is_number = first.kind not in ("word", "cjk") and len(tokens) > 1
        is_introduced = first.text in _TOPIC_PREPOSITIONS and language.code == ENGLISH
        introduces = introduces or is_introduced
        length, kinds = language.match(tokens, 0)
        if "turned" in kinds and len(tokens) > length:  # "the reverse (Croatia in Zagreb)"
            tokens = tokens[length:]
            continue
        is_idle = len(tokens) > 1 and length == 1 and kinds == {"idle"}
        if not (is_number or is_introduced or is_idle or first.text in _CLAIMS | _ARTICLES | _LABELS):
            break
        tokens = tokens[1:]
    while tokens and not tokens[-1].is_word:
        tokens = tokens[:-1]
    if len(tokens) > 1 and tokens[-1].text == "answer":  # "for Emma, the answer is no"
        tokens = tokens[:-1]
    return tokens, introduces


def _is_about_part(words: Words, tokens: Sequence[Token], other: Asked, question: Asked, language: Language) -> bool:
    """Whether a piece is about another part of a conjunction."""
    claim = restated(tokens, other, language)
    if claim is not None and claim.is_whole:
        return True
    ours, theirs = set(question.claim), set(other.claim)
    return theirs.issuperset(words) and not ours.issuperset(words)


def _ordinal(words: Words, question: Asked) -> About | None:
    """What "the first part" and "the second" are about, in an answer to a conjunction."""
    if question.ordinal is None or len(words) > _LONGEST_TOPIC:
        return None
    named = [place for place, ordinals in enumerate(_ORDINALS) if not ordinals.isdisjoint(words)]
    if len(named) != 1:
        return None
    return About.OURS if named == [question.ordinal] else About.OTHER


def _by_order(words: Words, tokens: Sequence[Token], question: Asked, language: Language) -> About:
    """What a piece is about that names both things of the question."""
    if restated(tokens, question, language) is not None:
        return About.OURS
    if question.turned is None:
        return About.OURS
    turned = restated(tokens, question.turned, language)
    if turned is not None and turned.is_whole:
        return About.TURNED
    first, second = _place(words, question.subject, question), _place(words, question.object, question)
    if first < second:
        return About.OURS
    # "Emma was written by Jane Austen", "Norway has a city named Bergen" and "Ada's son is Bob" are not turned round.
    start = 1 if words[0] in _ENGLISH.verbs | language.verbs else 0
    others = set(words) - {*question.claim, *_PLACES, *_ENGLISH.words["inside"], *_ENGLISH.words["lies"]}
    others -= _ENGLISH.verbs | language.verbs | language.negations
    is_unlike = bool(others) and language.code == ENGLISH
    return About.TURNED if second == start and not is_unlike else About.UNSAID


def _place(words: Words, end: Words, question: Asked) -> int:
    """Where one of the two things is named, in full or by a word of its name; -1 if it is not."""
    whole = contains(words, end)
    if whole >= 0:
        return whole
    other = question.object if end == question.subject else question.subject
    others = {*other, *question.relation}  # "Lake" does not tell Lake Como from another lake
    telling = [word for word in end if word in question.names and word not in others and len(word) >= _SHORTEST_NAME]
    return next((place for place, word in enumerate(words) if word in telling), -1)


def _replaced(words: Words, foreign: Sequence[tuple[int, Token]], question: Asked, language: Language) -> About | None:
    """OTHER for a claim like ours about another thing: "hair loss" where the question has "headache"."""
    if len(words) > 2 * len(question.claim) or not question.object or language.code != ENGLISH:
        return None  # in another language, the names and the words of the relation can be others
    names = {token.text for _, token in foreign}
    relation, length = contains(words, question.relation), len(question.relation)
    if relation < 0 and question.relation[0] in _PLACES:  # "Vestland is in Sweden"
        relation, length = contains(words, question.relation[-1:]), 1
        if relation < 1 or not names.intersection(words):
            return None
    if relation < 0:
        return None
    before, after = words[:relation], words[relation + length :]
    is_subject, is_object = _is_end(before, question.subject), _is_end(after, question.object)
    is_before, is_after = before[:1] and before[0] not in _PRONOUNS, after[:1] and after[0] not in _PRONOUNS
    if is_subject and is_object:
        return None
    if is_object and not before:  # "the capital of Canada is Toronto"
        return About.OTHER if names.intersection(after) else None
    if is_after and not is_object:
        return About.OTHER if is_subject or is_before or not before or before[0] in _ENGLISH.subjects else None
    return About.OTHER if is_before and is_object and len(before) <= _SHORTEST_NAME else None


def _is_end(words: Words, end: Words) -> bool:
    return words[: len(end)] == end or words[-len(end) :] == end or (bool(words) and words == end[-len(words) :])


def _fragment(words: Words, question: Asked, foreign: Sequence[Token]) -> About:
    """OURS for a piece that only names one of the two things, in whole or in part: "Norway: yes"."""
    if {*question.claim, question.verb, *_ENGLISH.verbs, *_ENGLISH.subjects, "not", "only"}.issuperset(words):
        return About.OURS
    if len(words) > _LONGEST_TOPIC:
        return About.UNSAID
    is_whole = contains(words, question.subject) >= 0 or contains(words, question.object) >= 0
    return About.MAYBE_OTHER if foreign else About.OURS if is_whole else About.UNSAID


def _foreign(tokens: Sequence[Token], question: Asked, language: Language) -> list[tuple[int, Token]]:
    """The names that are not in the question, with their places. The first word of a sentence has a capital anyway."""
    words = [token for token in tokens if token.kind == "word"]
    if language.code == _NOUNS_IN_CAPITALS or (len(words) > 1 and all(token.is_upper for token in words)):
        return []
    return [
        (place, token)
        for place, token in enumerate(tokens)
        if (token.is_capital or (token.kind == "number" and place > 0 and tokens[place - 1].is_capital))
        and token.text not in question.words | _NO_NAMES
        and not language.match(tokens, place)[1]
    ]


def _unknown(tokens: Sequence[Token], words: Words, language: Language) -> About:
    """MAYBE_OTHER for a short piece that names neither thing of the question, such as "Finland" and "in Speed"."""
    if is_title(tokens) and len(words) <= _LONGEST_TOPIC:
        return About.MAYBE_OTHER
    names = [word for word in words if word not in _PREPOSITIONS | _ENGLISH.subjects | _ENGLISH.verbs]
    is_known = not names or names[0] in _NO_NAMES
    if is_known or len(words) > _LONGEST_TOPIC or any(language.match(tokens, place)[0] for place in range(len(tokens))):
        return About.UNSAID
    is_label = len(words) <= _LONGEST_LABEL and not has_verb(tokens, language)
    has_name = any(token.is_capital for token in tokens)
    return About.MAYBE_OTHER if is_label or (has_name and has_verb(tokens, language)) else About.UNSAID


def has_verb(tokens: Sequence[Token], language: Language) -> bool:
    """Whether words have a verb that can restate a claim."""
    return any(token.text in language.verbs for token in tokens)


def names_either(words: Words, question: Asked) -> bool:
    """Whether words name one of the two things of the question."""
    return any(_place(words, end, question) >= 0 for end in (question.subject, question.object))
