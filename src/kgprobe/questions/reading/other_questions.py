"""Answers to more than our question.

An answer often answers more than one question: "Is Canada a place in Quebec? No. Is Quebec a place in Canada? Yes."
Only the pieces that repeat our question, in its direction, or that name none, may decide. If our question joins several
claims, each is decided: "Yes for the first part, no for the second".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from kgprobe.model import Reading
from kgprobe.questions.reading.claims import restated
from kgprobe.questions.reading.languages import ENGLISH, Clause, Language, clauses_of, languages, languages_of
from kgprobe.questions.reading.marks import chosen
from kgprobe.questions.reading.question import AskedClaim
from kgprobe.questions.reading.text import Sentence, Token, plain, sentences_of, tokens_of, without_contractions
from kgprobe.questions.reading.topics import About, Piece, about, has_verb, names_either, pieces_of, verdict_of

_ENGLISH = languages()[ENGLISH]
_CLAIMS = _ENGLISH.words["claims"]
_LONGEST_LABEL = 3  # tokens, with the colon: "Q1:"


@dataclass(frozen=True, slots=True)
class _Placed:
    """A stretch of the text, up to the next, with what it is about; and what takes its place if it is left out."""

    start: int
    about: About
    verdict: str
    instead: str = ""


def without_other_questions(text: str, question: AskedClaim) -> tuple[str, bool]:
    """The text without what answers other questions than ours; and whether anything was left out."""
    if not (question.subject and question.object) and question.ordinal is None:
        return text, False
    text = without_contractions(text)
    tokens = tokens_of(text)
    sentences = list(_joined(sentences_of(tokens)))
    placed = list(_Reader(question, languages_of(tokens, question.words)[0]).placed(sentences))
    names_ours = any(place.about is About.OURS and place.verdict for place in placed)
    verdicts = [place for place in placed if place.verdict]
    names_others = len(verdicts) > 1 and all(place.about is About.MAYBE_OTHER for place in verdicts)
    left_out = {
        place.start
        for place in placed
        if place.about.is_other or (place.about is About.MAYBE_OTHER and place.verdict and (names_ours or names_others))
    }
    if not left_out:
        return text, False
    starts = [place.start for place in placed]
    ends = [*starts[1:], len(text)]
    before = text[: starts[0]]
    kept = (
        place.instead if place.start in left_out else text[place.start : end]
        for place, end in zip(placed, ends, strict=True)
    )
    return before + "".join(kept), True


def _joined(sentences: Iterator[Sentence]) -> Iterator[Sentence]:
    """The sentences; a number or letter of a list belongs to the one after it: "1. Yes"."""
    number: Sentence | None = None
    for sentence in sentences:
        if number is not None:
            sentence = Sentence((*number.tokens, *sentence.tokens), sentence.is_question, number.starts_line)
            number = None
        if sentence.starts_line and len(sentence.tokens) == 1 and sentence.tokens[0].kind == "number":
            number = sentence
        else:
            yield sentence
    if number is not None:
        yield number


class _Reader:
    """Walks through the sentences, and knows what the last one was about."""

    def __init__(self, question: AskedClaim, language: Language) -> None:
        self.question = question
        self.language = language
        self.asked = About.UNSAID  # what the last question was about, until it is answered
        self.told = About.UNSAID  # what the last statement or answered question was about

    def placed(self, sentences: Sequence[Sentence]) -> Iterator[_Placed]:
        for number, sentence in enumerate(sentences):
            if (
                number
                and _names_another(sentences[number - 1], self.question)
                and _is_no_to_us(sentence, self.question)
            ):
                yield _Placed(sentence.tokens[0].start, About.OTHER, "no", "Yes. ")  # "Rome? No, Lyon."
                continue
            if sentence.is_question and not _is_tag(sentence, self.language):
                self.asked = self._about_question(sentence)
                self.told = About.UNSAID
                yield _Placed(sentence.tokens[0].start, self.asked, "")
                continue
            for piece in pieces_of(sentence, self.question, self.language):
                if self.told is About.TURNED and _turns(piece):
                    instead = "No. " if piece.verdict == "no" else "Yes. "
                    yield _Placed(piece.start, About.TURNED, piece.verdict, instead)
                    continue
                topic = self._about_verdict(piece) if piece.verdict else self._about_statement(piece)
                yield _Placed(piece.start, topic, piece.verdict)

    def _about_question(self, sentence: Sentence) -> About:
        tokens = _without_label(sentence.tokens)
        topic = about(tokens, self.question, self.language, is_question=True)
        # "You asked whether: is Ada …?" and the like: the question begins at a verb before a name.
        for place in range(1, len(tokens) - 1):
            if topic is About.UNSAID and tokens[place].text in _ENGLISH.verbs and tokens[place + 1].is_capital:
                topic = about(tokens[place:], self.question, self.language, is_question=True)
        return topic

    def _about_statement(self, piece: Piece) -> About:
        """What a piece without a verdict is about, if it belongs to the answer to another question."""
        topic = about(piece.topic, self.question, self.language)
        is_told = topic is About.UNSAID and not piece.openers & {"so", "change"}
        words = tuple(token.text for token in piece.topic)
        is_pronoun = words[:1] != () and words[0] in _ENGLISH.subjects
        if is_told and self.told.is_other and is_pronoun and not names_either(words, self.question):
            return self.told
        self.told = topic
        return About.UNSAID

    def _about_verdict(self, piece: Piece) -> About:
        topic = about(piece.topic, self.question, self.language) if piece.topic else About.UNSAID
        if topic in (About.UNSAID, About.MAYBE_OTHER) and _turns(piece) and piece.clauses[-1].items[0].is_answer:
            return About.TURNED  # "to the reverse question: yes"
        asked, told = self.asked, self.told
        self.asked = About.UNSAID
        if piece.openers & {"so", "change"}:
            return About.UNSAID if piece.leads or topic is not About.OURS else topic
        if piece.leads and asked is not About.UNSAID and (topic is not About.OURS or asked.is_other):
            self.told = asked
            return asked
        if topic is About.UNSAID and told.is_other and _is_remark(piece):
            return told
        self.told = topic
        if piece.leads and topic in (About.TURNED, About.OTHER) and has_verb(piece.topic, self.language):
            return topic if self._answers_another(piece) else About.UNSAID
        return topic

    def _answers_another(self, piece: Piece) -> bool:
        """Whether a piece is like "Yes, Quebec is in Canada" if it was asked whether Canada is in Quebec.

        "No, Quebec is in Canada" denies what was asked. The parts of a conjunction are answered in the same way.
        """
        others = [other for other in (self.question.turned, *self.question.others) if other]
        claims = [restated(piece.topic, other, self.language) for other in others]
        return any(claim is not None and claim.asserts == (piece.verdict == "yes") for claim in claims)


def _names_another(sentence: Sentence, question: AskedClaim) -> bool:
    """Whether a sentence only asks about another name: "Rome?"."""
    words = [token for token in sentence.tokens if token.is_word]
    return sentence.is_question and len(words) == 1 and words[0].is_capital and words[0].text not in question.words


def _is_no_to_us(sentence: Sentence, question: AskedClaim) -> bool:
    """Whether a sentence is a no, and the subject of our question."""
    words = tuple(token.text for token in sentence.tokens if token.is_word)
    return words == ("no", *question.subject)


def _turns(piece: Piece) -> bool:
    """Whether a piece says that something holds the other way round."""
    items = [item for clause in piece.clauses for item in clause.items]
    return any("turned" in item.kinds for item in items) and not any("negation" in item.kinds for item in items)


def _is_remark(piece: Piece) -> bool:
    """Whether a piece only judges what was said before: "That is false"."""
    words = {token.text for token in piece.topic}
    is_true = any(item.kinds & {"true", "false"} for clause in piece.clauses for item in clause.items)
    return is_true and words <= _ENGLISH.subjects | _ENGLISH.verbs | _CLAIMS


def _is_tag(sentence: Sentence, language: Language) -> bool:
    """Whether a question has no topic of its own: "right?", "yes or no?"."""
    words = [token for token in sentence.tokens if token.is_word]
    return bool(words) and language.match(words, 0)[0] == len(words)


def _without_label(tokens: Sequence[Token]) -> Sequence[Token]:
    """Without a label or number at the start: "Q1: Is …"."""
    colons = [place + 1 for place, token in enumerate(tokens) if token.text in (":", ")")]
    starts = [place for place in colons if place < len(tokens)]
    starts = [place for place in starts if place <= _LONGEST_LABEL or tokens[place].text in _ENGLISH.verbs]
    return tokens[starts[-1] :] if starts else tokens


_UNDECIDED = "undecided"
_BOTH = re.compile(
    r"\bboth(?: of (?:them|these|those))?(?: (?:parts|claims|statements|questions|things|conditions|halves))?\b", re.I
)
_NEITHER = re.compile(r"\bneither\b", re.I)
_ONLY_ONE = re.compile(
    r"\b(?:only|just) (?:the )?(?:first|second|third|one|1st|2nd|former|latter|part)\b|\bnot all of\b"
    r"|\bone of (?:them|the two|these|those)\b[^.\n]{1,40}\b(?:other|false)\b"
    r"|\bnur (?:ein(?:e[rs]?|s)?|de[rs]|die|das) (?:von|der|erste|zweite)"
    r"|\b(?:seulement|uniquement|seule?) (?:le |la )?(?:premi|second|deuxi|un)"
    r"|\b(?:sol[ao]|solamente|s\u00f3lo|soltanto|apenas|somente|alleen|enkel) (?:el |la |il |lo |o |a |de |het )?"
    r"(?:prim|second|segund|eerste|tweede|un)",
    re.I,
)
_NUMBERED = re.compile(
    r"(?m)(?:^|(?<=[\w.,;] ))[ \t>*_-]*(?:\(?(\d)\s?[.):]|^[-*])[ \t*_]*(yes|no|true|false)\b(?:[.,;]|(?=\s|\Z))", re.I
)
_REPEATED = re.compile(
    r"\A\W*(yes|no|true|false)(?:\W+|\W+and\W+(?=\1|\w+\W+respectively)|\W*,\W*and\W+)(yes|no|true|false)"
    r"(?:\W+respectively)?\W*\Z",
    re.I,
)
_ORDINAL = re.compile(
    r"\b(?:the )?(?:(?:first|second|third|1st|2nd|3rd|former|latter)\b"
    r"(?: (?:part|claim|statement|question|one|half|condition|thing)\b)?|(?:part|claim|statement) [123]\b)",
    re.I,
)
_DENIES = re.compile(
    r"\b(?:no|not|never|false|wrong|incorrect|untrue|mistaken|den(?:y|ies|ied)|doubt\w*|reject\w*|fails?|except)\b|n't\b",
    re.I,
)
_AFFIRMS_FIRST = re.compile(r"\W*yes\b", re.I)
_POSITIVE = ("yes", "true")


def conjoined(text: str, question: AskedClaim, read: Callable[[str, AskedClaim], Reading]) -> Reading:
    """What a text decides about all parts of a question. No, if it denies one of them; yes, if it affirms each.

    `read` reads the answer to a question that is no conjunction.
    """
    listed = _listed(text, len(question.parts))
    if listed is not None:
        return listed
    if _ONLY_ONE.search(text):
        return Reading("no", "affirms only one part")
    if (of_parts := _foreign_parts(text)) is not None:
        return of_parts
    if (choice := chosen(text)) is not None:
        text = choice
    whole = read(_about_all(text), AskedClaim(question.verb, question.claim, question.words, question.names))
    parts = [
        read(text, replace(part, others=tuple(other for other in question.parts if other is not part)))
        for part in question.parts
    ]
    decided = {part.decision for part in parts}
    if decided == {"yes"} and _DENIES.search(text) and not _AFFIRMS_FIRST.match(text):
        return Reading(_UNDECIDED, "affirms the parts, but denies something")
    if decided == {"yes"} or "no" in decided:
        decision = "no" if "no" in decided else "yes"
        return Reading(decision, f"says {decision} to the parts", whole.kind)
    # Some part is undecided: then the whole decides, unless the others are all that it is about.
    return whole if decided == {_UNDECIDED} else Reading(_UNDECIDED, "decides only a part")


def _listed(text: str, count: int) -> Reading | None:
    """What a bare list of answers decides, one for each part."""
    answers = [match[2].lower() for match in _NUMBERED.finditer(text)]
    if repeated := _REPEATED.match(text):
        answers = [repeated[1].lower(), repeated[2].lower()]
    rest = _NUMBERED.sub("", text) if not repeated else ""
    if len(answers) != count or rest.strip(" \n*_.-"):
        return None
    is_yes = all(answer in _POSITIVE for answer in answers)
    return Reading("yes" if is_yes else "no", "answers each part")


def _foreign_parts(text: str) -> Reading | None:
    """What answers about the first and the second part decide that are not in English. No, if one of them is denied."""
    tokens = tokens_of(plain(text))
    language = languages_of(tokens)[0]
    ordinals = {token.text for token in tokens} & language.words["ordinals"]
    if not ordinals or language.code == ENGLISH:
        return None
    clauses = [clause for sentence in sentences_of(tokens) for clause in clauses_of(sentence.tokens, language)]
    decided = {kind for clause in clauses for kind in clause.items[0].kinds & {"yes", "no"}}
    decided |= {verdict.decision for clause in clauses if (verdict := verdict_of(clause, language))}
    if "no" in decided or any(_denies_one(clause, ordinals) for clause in clauses):
        return Reading("no", "denies a part")
    return Reading("yes", "affirms the parts") if decided and len(ordinals) > 1 else Reading(_UNDECIDED, "names a part")


def _denies_one(clause: Clause, ordinals: Collection[str]) -> bool:
    """Whether a clause is "the second not" or "not the second" in another language."""
    ends = clause.items[0].kinds | clause.items[-1].kinds
    return "negation" in ends and any(token.text in ordinals for token in clause.tokens)


def without_ordinals(text: str) -> str:
    """The text with "that" for "the first part" and the like, if it is all about this part."""
    return _ORDINAL.sub("that", text)


def _about_all(text: str) -> str:
    """The text with "not" for "neither", and without "both"."""
    return _NEITHER.sub("not", _BOTH.sub("", text))
