"""What a piece of a sentence is about: our question, the same with its ends swapped, another one, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from kgprobe.questions.reading.claims import restated
from kgprobe.questions.reading.languages import (
    ENGLISH,
    SYMBOLS,
    Clause,
    Item,
    Language,
    clauses_of,
    languages,
    tokens_in,
)
from kgprobe.questions.reading.question import AskedClaim, Words, contains, spelled
from kgprobe.questions.reading.text import Sentence, Token, is_title

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


def about(tokens: Sequence[Token], question: AskedClaim, language: Language, *, is_question: bool = False) -> About:
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


def _is_about_part(
    words: Words, tokens: Sequence[Token], other: AskedClaim, question: AskedClaim, language: Language
) -> bool:
    """Whether a piece is about another part of a conjunction."""
    claim = restated(tokens, other, language)
    if claim is not None and claim.is_whole:
        return True
    ours, theirs = set(question.claim), set(other.claim)
    return theirs.issuperset(words) and not ours.issuperset(words)


def _ordinal(words: Words, question: AskedClaim) -> About | None:
    """What "the first part" and "the second" are about, in an answer to a conjunction."""
    if question.ordinal is None or len(words) > _LONGEST_TOPIC:
        return None
    named = [place for place, ordinals in enumerate(_ORDINALS) if not ordinals.isdisjoint(words)]
    if len(named) != 1:
        return None
    return About.OURS if named == [question.ordinal] else About.OTHER


def _by_order(words: Words, tokens: Sequence[Token], question: AskedClaim, language: Language) -> About:
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


def _place(words: Words, end: Words, question: AskedClaim) -> int:
    """Where one of the two things is named, in full or by a word of its name; -1 if it is not."""
    whole = contains(words, end)
    if whole >= 0:
        return whole
    other = question.object if end == question.subject else question.subject
    others = {*other, *question.relation}  # "Lake" does not tell Lake Como from another lake
    telling = [word for word in end if word in question.names and word not in others and len(word) >= _SHORTEST_NAME]
    return next((place for place, word in enumerate(words) if word in telling), -1)


def _replaced(
    words: Words, foreign: Sequence[tuple[int, Token]], question: AskedClaim, language: Language
) -> About | None:
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


def _fragment(words: Words, question: AskedClaim, foreign: Sequence[Token]) -> About:
    """OURS for a piece that only names one of the two things, in whole or in part: "Norway: yes"."""
    if {*question.claim, question.verb, *_ENGLISH.verbs, *_ENGLISH.subjects, "not", "only"}.issuperset(words):
        return About.OURS
    if len(words) > _LONGEST_TOPIC:
        return About.UNSAID
    is_whole = contains(words, question.subject) >= 0 or contains(words, question.object) >= 0
    return About.MAYBE_OTHER if foreign else About.OURS if is_whole else About.UNSAID


def _foreign(tokens: Sequence[Token], question: AskedClaim, language: Language) -> list[tuple[int, Token]]:
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


def names_either(words: Words, question: AskedClaim) -> bool:
    """Whether words name one of the two things of the question."""
    return any(_place(words, end, question) >= 0 for end in (question.subject, question.object))


_ANSWERS = {code: {" ".join(words) for words in language.answers} for code, language in languages().items()}


@dataclass(frozen=True, slots=True)
class Piece:
    """Some clauses of a sentence with one verdict or none.

    `verdict`: "yes", "no" or empty. `leads`: the verdict comes first. `topic`: the words beside the verdict.
    """

    start: int
    clauses: tuple[Clause, ...]
    verdict: str
    leads: bool
    topic: tuple[Token, ...]

    @property
    def openers(self) -> frozenset[str]:
        """The kinds of words that begin its clauses."""
        return frozenset().union(*(clause.openers for clause in self.clauses))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision of a clause, and its other words: "yes", "to Quebec in Canada"."""

    decision: str
    others: tuple[Token, ...]


def pieces_of(sentence: Sentence, question: AskedClaim, language: Language) -> Iterator[Piece]:
    """The sentence cut so that each piece has one verdict, before or after what it is about."""
    clauses = [clause for clause in clauses_of(sentence.tokens, language) if not _is_label(clause, language)]
    verdicts = [verdict_of(clause, language) for clause in clauses]
    places = [place for place, verdict in enumerate(verdicts) if verdict is not None]
    first = verdicts[0] if verdicts else None
    leads = first is not None and (clauses[0].items[0].is_answer or (len(clauses) > 1 and not first.others))
    cuts = {0, *(places if leads else (place + 1 for place in places))}
    cuts |= {place for place, clause in enumerate(clauses) if _objects(clause, question, language)}
    cuts |= {place for place, clause in enumerate(clauses) if any("open" in item.kinds for item in clause.items)}
    cuts |= {place for place in places if clauses[place].openers & {"so", "change"}}
    starts = sorted(cut for cut in cuts if cut < len(clauses))
    for start, end in zip(starts, [*starts[1:], len(clauses)], strict=False):
        begin = sentence.tokens[0] if start == 0 else clauses[start].items[0].tokens[0]
        yield _piece(begin.start, clauses[start:end], verdicts[start:end])


def _objects(clause: Clause, question: AskedClaim, language: Language) -> bool:
    """Whether a clause is an objection with a claim of its own: "but Canada is not in Quebec"."""
    tokens = clause.tokens
    if not clause.openers & {"but", "although"} or not has_verb(tokens, language):
        return False
    return about(tokens, question, language) in (About.OURS, About.TURNED)


def _is_label(clause: Clause, language: Language) -> bool:
    """Whether a clause is only the label of an answer: "A1", "Final answer"."""
    words = tuple(item.text for item in clause.items if item.tokens[0].kind == "word")
    return not clause.openers and " ".join(words) in _ANSWERS[language.code]


def _piece(start: int, clauses: Sequence[Clause], verdicts: Sequence[Verdict | None]) -> Piece:
    place = next((place for place, verdict in enumerate(verdicts) if verdict is not None), None)
    topic = [
        token
        for clause, verdict in zip(clauses, verdicts, strict=True)
        if verdict is not None or place is None or "although" not in clause.openers  # "since it is in Rome, yes"
        for token in (clause.tokens if verdict is None else verdict.others)
    ]
    is_judged = len(clauses) > 1 and verdicts[0] is not None and not verdicts[0].others  # "True: …"
    leads = place == 0 and (clauses[0].items[0].is_answer or is_judged)
    decision = verdicts[place] if place is not None else None
    return Piece(start, tuple(clauses), decision.decision if decision else "", leads, tuple(topic))


def verdict_of(clause: Clause, language: Language) -> Verdict | None:
    """The decision of a clause that begins or ends with one."""
    items = [item for item in clause.items if "ignored" not in item.kinds]
    symbols = {SYMBOLS[item.text] for item in items if item.text in SYMBOLS}
    words = [item for item in items if item.tokens[0].is_word]
    if len(symbols) == 1:
        return Verdict(symbols.pop(), tokens_in(item for item in words if not item.is_answer))
    if not words or any("open" in item.kinds for item in words):
        return None
    first, last = words[0], words[-1]
    if is_title(tokens_in(words)) and not any(item.kinds for item in words[1:]):  # "Yes Man"
        return None
    if first.is_answer and "negation" not in first.kinds - {"no"}:
        return Verdict("yes" if "yes" in first.kinds else "no", tokens_in(words[1:]))
    decides = last.kinds & {"yes", "no", "true", "false"}
    if not decides or (last.kinds & {"true", "false"} and len(words) > 1 and not _is_judged(words[:-1], language)):
        return None
    negations = sum("negation" in item.kinds for item in words[-3:-1])
    is_yes = bool(decides & {"yes", "true"}) == (negations % 2 == 0)
    rest = list(words[:-1])
    pronouns = language.subjects if len(rest) > 1 else frozenset()
    while rest and (rest[-1].text in language.verbs | pronouns or "negation" in rest[-1].kinds):
        rest.pop()
    return Verdict("yes" if is_yes else "no", tokens_in(rest))


def _is_judged(before: Sequence[Item], language: Language) -> bool:
    return before[-1].text in language.verbs or "negation" in before[-1].kinds
