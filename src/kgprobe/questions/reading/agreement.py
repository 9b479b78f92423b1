"""Whether all that a text says agrees with the decision that was found in it.

The other modules find a decision. This one looks through the same sentences for signs of the opposite. Each must have
an explanation: it is withdrawn, conceded, reported, or follows a plain answer. Without one, nothing is decided: a
reader that does not know is better than one that says the opposite of what is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kgprobe.questions.reading.asking import Asked, repeats
from kgprobe.questions.reading.clause_values import CLAIM, OPEN, REMARK, negations_in, value_of
from kgprobe.questions.reading.clauses import SYMBOLS, Clause, clauses_of
from kgprobe.questions.reading.languages import ENGLISH, Language
from kgprobe.questions.reading.pieces import verdict_of
from kgprobe.questions.reading.text import Sentence, Token
from kgprobe.questions.reading.topics import names_either

__all__ = ["is_contested"]

_TURNS = frozenset({"change", "so", "but"})
_SPEAKERS = frozenset({"he", "she", "they", "i"})
_CONTRARY = frozenset({"on the contrary", "quite the opposite", "quite the contrary", "im gegenteil", "au contraire"})
_CONTRARY |= {"al contrario", "dimpotriva", "wrecz przeciwnie", "naopak", "ellenkezoleg", "aksine", "tam tersine"}
"""Phrases that deny what was said before, which need not be our claim."""
_PRONOUNS = frozenset({"he", "she", "it", "they"})
_NOT_OTHERS = frozenset({"i", "we", "you", "that", "this", "the", "which", "it"})
_AGREEING = frozenset({"agree", "disagree", "disagreed", "differ", "concur"})
_DENYING = ("dubb", "dout", "dud", "duvid", "zweifel", "twijfel", "tvivel", "сомн", "watpl", "pochyb", "kets", "suphe")
_DENYING += ("leugn", "bestr", "abstr", "negar", "nega", "nier", "niega", "tvek", "contrair", "contrari", "gegenteil", "tegendeel")
_DENYING += ("ontken", "отриц", "отрек", "zaprzec", "popr", "tagad", "inkar", "否", "疑", "問題", "의심", "부인")
"""The beginnings of words that deny, in languages other than English: with a negation, they affirm."""
_I = ("je", "ich", "ik", "jag", "eu", "yo", "cre", "pens", "piens", "ach", "я", "дума", "mysl", "sadz", "cred", "azt", "glaub")
"""The beginnings of words by which somebody tells an own belief, in languages other than English."""
_AGAINST = frozenset({"against", "reject", "rejects", "refute", "refutes", "exclude", "excludes", "contradicts"})
_SHORTEST_DOUBT = 3
_NEGATION_LAST = frozenset({"ja", "ko", "tr"})
_OPPOSITE = {"yes": "no", "no": "yes"}


@dataclass(frozen=True, slots=True)
class _Sign:
    """What a clause says for itself: "yes", "no", or nothing if it only turns what was said before.

    `is_bare`: its sentence has nothing but answers. `leads`: it is the first of the text, and nothing but an answer.
    `is_explained`: conceded, or only polite. `judges`: it is about one who said something. `turn`: it begins with
    words such as "wait", "so" or "but". `is_contrary`: it denies what was said before. `is_reported`: others say it. `is_turned`: "the other way
    round". `names`: it names something of the question. `is_subordinate`: it begins with
    "that". `is_hidden`: after a "that" or a
    "because". `denies`: it has a verb or noun of denying, as in "nobody denies it". `is_vague`: a negation without a verb that restates a claim, or with a clause of its own.
    """

    decision: str
    is_bare: bool = False
    leads: bool = False
    is_explained: bool = False
    judges: bool = False
    turn: frozenset[str] = frozenset()
    is_contrary: bool = False
    is_reported: bool = False
    is_turned: bool = False
    names: bool = False
    is_subordinate: bool = False
    is_vague: bool = False
    is_hidden: bool = False
    is_remark: bool = False
    denies: bool = False


def is_contested(
    decision: str, strength: int, sentences: Sequence[Sentence], language: Language, question: Asked
) -> bool:
    """Whether something in the sentences says the opposite of the decision, and nothing explains that.

    `strength`: how the decision was made.
    """
    if _asks_for_doubt(sentences, language, question):
        return True
    signs = list(_judged(_signs(sentences, language, question)))
    leads = bool(signs) and signs[0].leads and signs[0].decision == decision
    ours = [place for place, sign in enumerate(signs) if sign.decision == decision]
    if language.code != ENGLISH and not leads and ours and _is_foreign_doubt(signs[ours[0] :]):
        return True
    if ours and decision == "no" and all(signs[place].is_turned for place in ours) and any(sign.names for sign in signs[: ours[0]]):
        return True
    if language.code == ENGLISH and ours and all(signs[place].is_reported for place in ours):
        return True
    if strength != CLAIM and not ours and any(sign.is_contrary for sign in signs) and len(signs) > 2:
        return True
    for place, sign in enumerate(signs):
        if sign.decision in ("", decision) or sign.is_explained:
            continue
        follows = leads and not sign.is_bare and "change" not in sign.turn
        after = signs[place + 1 : ours[-1] + 1 if ours else len(signs)]
        is_turned = any(each.turn & _TURNS for each in after) if ours else strength == CLAIM and len(after) > 1
        if not follows and not is_turned:
            return True
    return False


def _is_foreign_doubt(signs: Sequence[_Sign]) -> bool:
    """Whether what decides has an objection after it, or is only a negation of who knows what."""
    if any("but" in sign.turn for sign in signs[1:]) or any(sign.denies for sign in signs):
        return True
    denials = [sign for sign in signs if sign.decision == "no"]
    if any(sign.is_subordinate for sign in denials[1:]) or (denials and all(sign.is_hidden or sign.is_vague for sign in denials)):
        return True  # "one cannot say that it is not so"
    return False


def _asks_for_doubt(sentences: Sequence[Sentence], language: Language, question: Asked) -> bool:
    """Whether the first sentence asks what is false or would be said: "Would I be wrong to say yes? No." """
    first = sentences[0]
    if len(sentences) == 1 or not first.is_question or repeats(first.tokens, question):
        return False
    clauses = clauses_of(first.tokens, language)
    items = [item for clause in clauses for item in clause.items]
    return len(items) > _SHORTEST_DOUBT and any(item.is_answer for item in items[1:])


def _judged(signs: Iterator[_Sign]) -> Iterator[_Sign]:
    """The signs; "he is wrong" turns round the only answer before it, which is then no sign any more."""
    before: list[_Sign] = []
    for sign in signs:
        said = [each for each in before if each.decision]
        judges = sign.judges or (sign.is_remark and any(each.is_reported for each in said))
        if judges and sign.decision and len(said) == 1 and not said[0].leads:
            before = [replace(sign, decision=said[0].decision if sign.decision == "yes" else _OPPOSITE[said[0].decision])]
        else:
            before.append(sign)
    yield from before


def _signs(sentences: Sequence[Sentence], language: Language, question: Asked) -> Iterator[_Sign]:
    for number, sentence in enumerate(sentences):
        if sentence.is_question:
            continue
        if number and language.explains(sentence.tokens):
            return
        clauses = clauses_of(sentence.tokens, language)
        is_bare = all(len(clause.items) == 1 or all(item.is_answer for item in clause.items) for clause in clauses)
        is_conceded = False
        is_own = sentence.tokens[0].text.startswith(_I) or "adverbs" in clauses[0].items[0].kinds if clauses else True
        for place, clause in enumerate(clauses):
            is_conceded = is_conceded or "although" in clause.openers
            is_inserted = sentence.before(clause.items[0].tokens[0]) == "("
            is_labelled = sentence.before(clause.items[0].tokens[0]) == ":"
            sign = _sign(clause, language, question)
            words = tuple(token.text for token in clause.tokens)
            yield replace(
                sign,
                is_bare=is_bare,
                leads=number == place == 0 and all(item.is_answer for item in clause.items) and not sign.is_contrary,
                is_explained=sign.is_explained or is_conceded or is_inserted,
                is_turned=any("turned" in item.kinds for item in clause.items),
                is_hidden=sign.is_hidden or ((sign.is_subordinate or "although" in clause.openers) and not is_own),
                is_vague=sign.is_vague or (place > 0 and _begins_with_not(clause, language)),
                is_reported=sign.is_reported or (place > 0 and is_labelled and _is_reported(clauses[place - 1], language)),
                denies=language.code != ENGLISH and any(word.startswith(_DENYING) for word in words),
                names=names_either(words, question),
                turn=sign.turn | clause.openers | _opening(clause, language),
            )
        yield _Sign("", turn=_trailing(sentence.tokens, clauses, language))


def _opening(clause: Clause, language: Language) -> frozenset[str]:
    """The kinds of the first word, if it belongs to a longer phrase: "mais non"."""
    return language.phrases.get((clause.items[0].tokens[0].text,), frozenset()) & _TURNS


def _trailing(tokens: Sequence[Token], clauses: Sequence[Clause], language: Language) -> frozenset[str]:
    """The kinds of words that end a sentence, or are all of it: "Yes, wait. No." """
    place = max((i + 1 for i, token in enumerate(tokens) if clauses and token is clauses[-1].tokens[-1]), default=0)
    kinds: set[str] = set()
    while place < len(tokens):
        length, found = language.match(tokens, place)
        kinds |= found
        place += max(length, 1)
    return frozenset(kinds) & _TURNS


def _sign(clause: Clause, language: Language, question: Asked) -> _Sign:
    """What a clause says for itself."""
    items = clause.items
    if any(item.text in SYMBOLS for item in items):
        return _Sign("")
    if items[0].text in _CONTRARY:
        return _Sign("", is_contrary=True)
    value, verdict = value_of(clause, language, question), verdict_of(clause, language)
    negations = negations_in(items)
    has_that = any("that" in item.kinds and item.text not in language.subjects for item in items)
    is_double = language.code != ENGLISH and sum(bool(item.kinds & {"no", "negation"}) for item in items) > 1
    if value is not None:
        is_polite = all(item.kinds & {"adverbs", "idle"} for item in items)
        decision = value.reports if value.decision == OPEN else value.decision
        first = items[0].text.split()
        judges = value.decision != OPEN and (items[0].text in _SPEAKERS or not _AGREEING.isdisjoint(first))
        if value.strength == REMARK and value.decision == "no" and _was_wrong(clause):
            return _Sign("", turn=frozenset({"change"}))
        return _Sign(
            decision,
            is_explained=is_polite or bool(value.reports),
            judges=judges,
            is_subordinate=has_that,
            is_reported=_is_reported(clause, language),
            is_vague=is_double,
            is_remark=value.strength == REMARK,
        )
    if verdict is not None:
        is_vague = language.code != ENGLISH and negations > 0 and not _names_something(clause, language, question)
        is_reported = _is_reported(clause, language)
        return _Sign(verdict.decision, is_subordinate=has_that, is_reported=is_reported, is_vague=is_vague)
    if language.code != ENGLISH:
        inner = next((item.kinds for item in items if item.is_answer and "negation" not in item.kinds), None)
        if inner is not None:
            return _Sign("yes" if "yes" in inner else "no", is_hidden=True)
        is_vague = has_that or negations > 1 or not _names_something(clause, language, question)
        return _Sign("no" if negations % 2 else "", is_vague=is_vague, is_subordinate=has_that)
    return _Sign(_in_short(clause, language, question))


def _is_reported(clause: Clause, language: Language) -> bool:
    """Whether others than the speaker and the given text say something: "my colleague says no"."""
    words = [token.text for token in clause.tokens]
    place = next((i for i, word in enumerate(words) if i and word in language.words["reports"]), 0)
    own = _NOT_OTHERS | language.words["sources"]
    return (bool(place) and own.isdisjoint(words[:place])) or not _AGAINST.isdisjoint(words)


def _begins_with_not(clause: Clause, language: Language) -> bool:
    """Whether a clause is like "not in Rome" in another language than English."""
    return language.code != ENGLISH and len(clause.items) > 1 and "negation" in clause.items[0].kinds


def _was_wrong(clause: Clause) -> bool:
    """Whether a clause takes back what was said: "that was a mistake", "I was wrong"."""
    words = [item.text for item in clause.items]
    return words[0] in ("i", "that", "this", "it") and words[1:2] == ["was"]


def _names_something(clause: Clause, language: Language, question: Asked) -> bool:
    """Whether a denial names what it denies: by a verb that restates a claim, a pronoun or a name of the question."""
    if language.code in _NEGATION_LAST:
        last = [item for item in clause.items if "idle" not in item.kinds][-1:]
        return any("negation" in item.kinds for item in last)
    words = {token.text for token in clause.tokens}
    starts = {name[:3] for name in question.names}
    if any(word in question.words or word[:3] in starts or not word.isascii() for word in words):
        return True
    known = language.verbs | language.subjects
    return not known.isdisjoint(words) and len(words - known - language.hints - language.negations) <= 2


def _in_short(clause: Clause, language: Language, question: Asked) -> str:
    """What a clause says that has only a pronoun and a verb, or denies a part of the claim: "it is", "but not Rome"."""
    words = [item.text for item in clause.items]
    is_denied = words[-1] == "not"
    if len(words) == 2 + is_denied and words[0] in _PRONOUNS and words[1] in language.verbs:
        return "no" if is_denied else "yes"
    is_part = words[0] == "not" and "but" in clause.openers and question.words.issuperset(words[1:])
    return "no" if is_part and len(words) > 1 else ""
