"""What one sentence decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgprobe.questions.reading.claims import Restated, begins_with_subject, denies_object, names_object, restated
from kgprobe.questions.reading.clause_values import (
    ANSWER,
    CLAIM,
    OPEN,
    REMARK,
    ClauseDecision,
    negations_in,
    turned,
    value_of,
)
from kgprobe.questions.reading.languages import ENGLISH, Clause, Language, clauses_of, without_apposition
from kgprobe.questions.reading.question import AskedClaim
from kgprobe.questions.reading.text import Sentence

RESTATES = "restates the claim"
"""The reason for a decision by an asserted claim."""

_SHORT = 8
_NO_CLAIM = frozenset({"open", "true", "false"})
"""The kinds of phrases that make a clause something else than a restated claim."""
_ASIDE_IF = frozenset({"you", "i", "we", "one", "so", "not", "memory", "true", "anything"})
_SUPPOSING = frozenset({"suppose", "supposing", "assume", "assuming", "imagine"})
_SHORTEST_CONDITION = 3
_OBJECTIONS = frozenset({"but", "although"})
_BEFORE_VERDICT = frozenset(":|=—\u2013-→⇒")


def decide(sentence: Sentence, language: Language, question: AskedClaim) -> ClauseDecision | None:
    """What a sentence decides; None if it says nothing about it."""
    if _tells_question(sentence, language):
        return None
    if _is_condition(sentence):
        return ClauseDecision(OPEN, REMARK, 'says "if"')
    clauses = _without_tag(clauses_of(sentence.tokens, language), sentence)
    return _decided(sentence, clauses, language, question)


def _decided(
    sentence: Sentence, clauses: Sequence[Clause], language: Language, question: AskedClaim
) -> ClauseDecision | None:
    """What the clauses of a sentence decide together."""
    decision: ClauseDecision | None = None
    is_aside = False
    place = 0
    for number, clause in enumerate(clauses):
        value = value_of(clause, language, question)
        is_aside = _is_aside(clause, decision, is_aside)
        if (
            decision is not None
            and decision.strength == REMARK
            and decision.decision == "yes"
            and _is_turned(clause, language)
        ):
            decision = ClauseDecision("no", REMARK, "says that it holds the other way round")
        is_bracketed = decision is not None and sentence.before(clause.items[0].tokens[0]) == "("
        if value is None or is_aside or (is_bracketed and not clause.openers & {"change", "so"}):
            continue  # "No (yes for Paris)"
        value = replace(value, changes="change" in clause.openers, concludes="so" in clause.openers)
        is_all = number == len(clauses) - 1 == 1 and _is_about_oneself(clause)
        decision = _combined(decision, value, is_all=is_all, is_next=number == place + 1)
        place = number
    said = decision
    decision = _with_claim(decision, sentence, clauses, language, question)
    if decision is None:
        return None
    return _with_its_place(decision, decision is said, sentence, clauses, language, question)


def _with_its_place(
    decision: ClauseDecision,
    is_said: bool,
    sentence: Sentence,
    clauses: Sequence[Clause],
    language: Language,
    question: AskedClaim,
) -> ClauseDecision:
    """The decision, with where it is in the sentence. `is_said`: it is not made by restating the claim."""
    if is_said and decision.strength == ANSWER and _has_two_sides(sentence, clauses):
        return ClauseDecision(OPEN, REMARK, "says yes for one thing, and no for another")
    openers = frozenset().union(*(clause.openers for clause in clauses)) if clauses else frozenset()
    leads = decision.strength == ANSWER and clauses[0].items[0].is_answer
    has_rest = not all(_is_bare(clause) for clause in clauses)
    is_aside = leads and is_said and has_rest and _claim(sentence, clauses, language, question) is None
    return replace(
        decision,
        changes="change" in openers,
        concludes="so" in openers,
        leads=leads,
        is_aside=is_aside,
    )


def _tells_question(sentence: Sentence, language: Language) -> bool:
    """Whether a sentence only tells the question: "The question is whether …"."""
    text = " ".join(token.text for token in sentence.tokens if token.is_word)
    return any(text.startswith(f"{phrase} ") for phrase in language.words["whether"])


def _is_condition(sentence: Sentence) -> bool:
    """Whether a sentence says what would be, such as "If Lyon is in France, yes"; not "if you ask me, no"."""
    words = [token.text for token in sentence.tokens if token.is_word]
    if words[:1] and words[0] in _SUPPOSING:
        return True
    if words[:1] != ["if"] or len(words) < _SHORTEST_CONDITION:
        return False
    return words[1] not in _ASIDE_IF or words[1:3] in (["you", "mean"], ["you", "refer"], ["you", "meant"])


def _has_two_sides(sentence: Sentence, clauses: Sequence[Clause]) -> bool:
    """Whether a sentence concedes something, or has two answers: "it is near, yes, but not in it"."""
    places = [place for place, clause in enumerate(clauses) if _is_bare(clause)]
    before = {place: sentence.before(clauses[place].items[0].tokens[0]) for place in places}
    concedes = [place for place in places if place and before[place] == "," and "yes" in clauses[place].items[0].kinds]
    following = [clauses[place + 1] for place in concedes if place + 1 < len(clauses)]
    ends = places and not any(item.is_answer for clause in clauses[places[-1] + 1 :] for item in clause.items)
    if ends and places[-1] in concedes and any("but" in clause.openers for clause in following):
        return True
    says = [clause.items[-1] for clause in clauses if {"say", "says"} & {item.text for item in clause.items}]
    if len({kind for item in says for kind in item.kinds & {"yes", "no"}}) > 1 and len(says) == len(clauses):
        return True
    kinds = {kind for place in places for item in clauses[place].items for kind in item.kinds & {"yes", "no"}}
    is_split = any(token.text == ";" for token in sentence.tokens)
    return len(places) == 2 and 0 < places[0] < places[1] - 1 and len(kinds) == 2 and is_split


def _without_tag(clauses: list[Clause], sentence: Sentence) -> list[Clause]:
    """The clauses without a last one that asks for approval: "it is in France, yes?"."""
    is_tag = sentence.is_question and len(clauses) > 1 and _is_bare(clauses[-1]) and not clauses[-1].openers
    return clauses[:-1] if is_tag else clauses


def _is_aside(clause: Clause, earlier: ClauseDecision | None, was_aside: bool) -> bool:
    """Whether a clause belongs to a concession or reason after a decision: "no, although yes, he contributed"."""
    if earlier is None or earlier.decision == OPEN or clause.openers - {"although"}:
        return False
    return was_aside or "although" in clause.openers


def plain_answer(sentence: Sentence, language: Language) -> ClauseDecision | None:
    """The answer of a sentence that begins with yes or no and a mark, or of a short one that ends so."""
    tokens = sentence.tokens
    commas = [i + 1 for i, token in enumerate(tokens[:-1]) if token.text == ","] if len(tokens) <= _SHORT else []
    for start in (0, *commas[-1:]):
        length, kinds = language.match(tokens, start)
        is_alone = start + length == len(tokens) or (start == 0 and not tokens[length].is_word)
        if kinds & {"yes", "no"} and "open" not in kinds and is_alone:
            text = " ".join(token.text for token in tokens[start : start + length])
            return ClauseDecision("yes" if "yes" in kinds else "no", ANSWER, f'says "{text}"')
    return None


def _with_claim(
    decision: ClauseDecision | None,
    sentence: Sentence,
    clauses: Sequence[Clause],
    language: Language,
    question: AskedClaim,
) -> ClauseDecision | None:
    claim = _claim(sentence, clauses, language, question)
    if claim is None and decision is None:
        claim = _denied_by_turning(clauses, language, question)
    is_vague = language.code != ENGLISH and decision is not None and decision.decision != OPEN  # denies who knows what
    if claim is None or (is_vague and not claim.is_whole):
        return decision
    if claim.is_whole and (judgement := _judgement(sentence, clauses)) is not None:
        return ClauseDecision("yes" if claim.asserts == judgement else "no", REMARK, "judges the claim")
    restated_claim = ClauseDecision(
        "yes" if claim.asserts else "no",
        CLAIM,
        RESTATES if claim.asserts else "denies the claim",
        claim.is_whole,
    )
    if decision is None:
        return restated_claim
    if decision.decision == OPEN:
        if claim.is_whole and len(clauses) == 1:  # "France does not contain Lyon"
            return restated_claim
        return restated_claim if any(clause.openers & _OBJECTIONS for clause in clauses) else decision
    if (
        decision.decision == restated_claim.decision
        or decision.concludes
        or any("change" in clause.openers for clause in clauses)
    ):
        return decision
    if claim.asserts and len(clauses) > 1 and _is_bare(clauses[-1]) and not _is_bare(clauses[0]):
        return decision  # "Quebec is in Canada: no"
    if decision.strength == ANSWER:
        return ClauseDecision(OPEN, REMARK, f"says {decision.decision} and the opposite")
    return restated_claim if len(clauses) > 1 else decision  # "right, it is not"


def _judgement(sentence: Sentence, clauses: Sequence[Clause]) -> bool | None:
    """Whether a sentence ends with a true or a false that judges what comes before: "Lyon is in France | False"."""
    last = clauses[-1].items
    kinds = [item.kinds & {"true", "false"} for item in last if not item.kinds & {"adverbs", "idle"}]
    if (
        len(clauses) == 1
        or len(kinds) != 1
        or not kinds[0]
        or sentence.before(last[0].tokens[0]) not in _BEFORE_VERDICT
    ):
        return None
    return "true" in kinds[0]


def _claim(sentence: Sentence, clauses: Sequence[Clause], language: Language, question: AskedClaim) -> Restated | None:
    bare = next((i for i, clause in enumerate(clauses) if not _is_bare(clause)), len(clauses))
    clauses = clauses[bare:]
    claim = restated(sentence.tokens, question, language) if bare == 0 else None
    is_about_subject = begins_with_subject(sentence.tokens, question)
    for clause in () if claim else clauses:
        tokens = [token for item in clause.items if "idle" not in item.kinds for token in item.tokens]
        # Outside of English, any negation counts as a denial. One in a concession is about something else.
        is_vague = language.code != ENGLISH and bare > 0 and "although" in clause.openers
        is_about_claim = "that" not in clause.items[0].kinds and not any(
            item.kinds & _NO_CLAIM for item in clause.items
        )
        if is_about_claim and not is_vague:
            claim = restated(tokens, question, language) or claim
            if claim is None and is_about_subject and denies_object(tokens, question):
                claim = Restated(False, False)
            if claim is None and is_about_subject and "so" in clause.openers and names_object(tokens, question):
                claim = Restated(True, False)
        if bare > 0 and language.code != ENGLISH:
            break  # what comes later can be about something else: "oui, en France, pas en Italie"
    if claim is not None or bare:
        return claim
    return restated(without_apposition(sentence.tokens, language), question, language)


def _denied_by_turning(clauses: Sequence[Clause], language: Language, question: AskedClaim) -> Restated | None:
    """A denial by the opposite claim, "and not the other way round"."""
    items = [item for clause in clauses for item in clause.items]
    place = next((place for place, item in enumerate(items) if "turned" in item.kinds), None)
    if question.turned is None or place is None or not negations_in(items[:place]) % 2:
        return None
    before = [token for item in items[: place - 1] for token in item.tokens]
    while before and before[-1].text in ("and", "not", "but"):
        before.pop()
    claim = restated(before, question.turned, language)
    return Restated(False, True) if claim is not None and claim.asserts else None


def _is_bare(clause: Clause) -> bool:
    return all(item.is_answer for item in clause.items)


def _is_turned(clause: Clause, language: Language) -> bool:
    """Whether an objection only says that something holds the other way round: "but in the opposite direction"."""
    return "but" in clause.openers and turned(clause.items, Clause(clause.items, frozenset()), language) is not None


def _is_about_oneself(clause: Clause) -> bool:
    """Whether a clause is like "I don't know", not like "the text does not say"."""
    return clause.items[0].text in ("i", "we") or all(item.kinds & {"open", "idle"} for item in clause.items)


def _combined(earlier: ClauseDecision | None, value: ClauseDecision, *, is_all: bool, is_next: bool) -> ClauseDecision:
    """What a sentence decides with one more clause.

    `is_all`: it is the second and last, and is about the speaker. `is_next`: it follows the decision at once.
    """
    if earlier is None:
        return value
    if value.decision == earlier.decision:
        return earlier if earlier.strength >= value.strength else value
    if earlier.decision == OPEN:
        return earlier.judged(value) if value.strength >= REMARK else earlier
    if value.decision == OPEN:
        is_empty = is_all and earlier.decision == "no" and earlier.strength == ANSWER
        return value if value.changes or is_empty else earlier
    if value.changes or value.concludes or value.strength == ANSWER:
        return value
    if earlier.strength == ANSWER and value.strength == REMARK and is_next:
        return ClauseDecision(OPEN, REMARK, f"says {earlier.decision} and the opposite")
    return earlier
