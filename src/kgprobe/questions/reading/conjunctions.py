"""Answers to a question that joins several claims: "Yes for the first part, no for the second"."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace

from kgprobe.model import Reading
from kgprobe.questions.reading.asking import Asked
from kgprobe.questions.reading.clauses import Clause, clauses_of
from kgprobe.questions.reading.languages import ENGLISH, languages_of
from kgprobe.questions.reading.options import chosen
from kgprobe.questions.reading.pieces import verdict_of
from kgprobe.questions.reading.text import plain, sentences_of, tokens_of

__all__ = ["conjoined", "without_ordinals"]

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
_DENIES = re.compile(r"\b(?:no|not|never|false|wrong|incorrect|untrue|mistaken)\b|n't\b", re.I)
_AFFIRMS_FIRST = re.compile(r"\W*yes\b", re.I)
_POSITIVE = ("yes", "true")


def conjoined(text: str, question: Asked, read: Callable[[str, Asked], Reading]) -> Reading:
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
    whole = read(_about_all(text), Asked(question.verb, question.claim, question.words, question.names))
    parts = [
        read(text, replace(part, others=tuple(other for other in question.parts if other is not part)))
        for part in question.parts
    ]
    decided = {part.decision for part in parts}
    if decided == {"yes"} and _DENIES.search(text) and not _AFFIRMS_FIRST.match(text):
        return Reading(_UNDECIDED, "affirms the parts, but denies something")
    if decided == {"yes"} or "no" in decided:
        return _with_whole("no" if "no" in decided else "yes", whole)
    # Some part is undecided: then the whole decides, unless the others are all that it is about.
    return whole if decided == {_UNDECIDED} else Reading(_UNDECIDED, "decides only a part")


def _with_whole(decision: str, whole: Reading) -> Reading:
    return Reading(decision, f"says {decision} to the parts", whole.kind)


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
