"""What one sentence decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgprobe.questions.reading.asking import NOTHING_ASKED, Asked
from kgprobe.questions.reading.claims import Restated, begins_with_subject, denies_object, names_object, restated
from kgprobe.questions.reading.clauses import Clause, Item, clauses_of, without_apposition
from kgprobe.questions.reading.languages import ENGLISH, Language
from kgprobe.questions.reading.text import Sentence, is_title
from kgprobe.questions.reading.topics import about

__all__ = ["ANSWER", "CLAIM", "OPEN", "RESTATES", "Found", "decide", "plain_answer"]

OPEN = "open"
"""The decision of a sentence that says that it does not decide."""
ANSWER, REMARK, CLAIM = 3, 2, 1
"""How a sentence decides: by "yes" or "no", by a remark about the claim ("that is wrong"), by restating the claim."""

RESTATES = "restates the claim"
"""The reason for a decision by an asserted claim."""

_SHORT = 8
_LONGEST_TITLE = 4
_NO_CLAIM = frozenset({"open", "true", "false"})
"""The kinds of phrases that make a clause something else than a restated claim."""
_ASIDE_IF = frozenset({"you", "i", "we", "one", "so", "not", "memory", "true", "anything"})
_SHORTEST_CONDITION = 3
_FARTHEST_REPORT = 3
_MODALS = frozenset({"could", "might", "may", "can"})
_OBJECTIONS = frozenset({"but", "although"})
_BEFORE_VERDICT = frozenset(":|=—\u2013-→⇒")


@dataclass(frozen=True, slots=True)
class Found:
    """A decision ("yes", "no" or OPEN), how it was made, and why.

    `is_whole`: the whole claim is restated. `changes`, `concludes`: it says that it changes an earlier decision, or
    follows from the text before. `leads`: the sentence begins with the answer. `is_aside`: that, and the rest is about
    something else, as in "yes, he did contribute". `reports`: the answer that others give.
    """

    decision: str
    strength: int
    why: str
    is_whole: bool = False
    changes: bool = False
    concludes: bool = False
    leads: bool = False
    is_aside: bool = False
    reports: str = ""

    def judged(self, value: Found) -> Found:
        """The value, or what a remark makes of the answer that others give: "People say no. They are wrong"."""
        if not self.reports or value.strength != REMARK:
            return value
        other = {"yes": "no", "no": "yes"}[self.reports]
        return replace(value, decision=self.reports if value.decision == "yes" else other)


def decide(sentence: Sentence, language: Language, question: Asked) -> Found | None:
    """What a sentence decides; None if it says nothing about it."""
    if _tells_question(sentence, language):
        return None
    if _is_condition(sentence):
        return Found(OPEN, REMARK, 'says "if"')
    if (reported := _reported_claim(sentence, language, question)) is not None:
        return reported
    clauses = _without_tag(clauses_of(sentence.tokens, language), sentence)
    found: Found | None = None
    is_aside = False
    place = 0
    for number, clause in enumerate(clauses):
        value = _value(clause, language, question)
        if value is not None and number + 1 < len(clauses) and value.strength == REMARK:
            value = _with_subordinate(value, clauses[number + 1])
        if value is not None and _is_only_named(clause, clauses):
            value = None
        is_aside = _is_aside(clause, found, is_aside)
        if value is None or is_aside:
            continue
        value = replace(value, changes="change" in clause.openers, concludes="so" in clause.openers)
        is_all = number == len(clauses) - 1 == 1 and _is_about_oneself(clause)
        found = _combined(found, value, is_all=is_all, is_next=number == place + 1)
        place = number
    said = found
    found = _with_claim(found, sentence, clauses, language, question)
    if found is None:
        return None
    if found is said and found.strength == ANSWER and _has_two_sides(sentence, clauses):
        return Found(OPEN, REMARK, "says yes for one thing, and no for another")
    openers = frozenset().union(*(clause.openers for clause in clauses)) if clauses else frozenset()
    leads = found.strength == ANSWER and clauses[0].items[0].is_answer
    has_rest = not all(_is_bare(clause) for clause in clauses)
    trails = not leads and found is said and has_rest and _trails(sentence, clauses)
    is_aside = leads and found is said and has_rest and _claim(sentence, clauses, language, question) is None
    return replace(
        found,
        changes="change" in openers,
        concludes="so" in openers,
        leads=leads,
        is_aside=is_aside or trails,
    )


def _tells_question(sentence: Sentence, language: Language) -> bool:
    """Whether a sentence only tells the question: "The question is whether …"."""
    text = " ".join(token.text for token in sentence.tokens if token.is_word)
    return any(text.startswith(f"{phrase} ") for phrase in language.words["whether"])


def _reported_claim(sentence: Sentence, language: Language, question: Asked) -> Found | None:
    """A claim that others make: "Some say that she is not the author"."""
    words = [token.text for token in sentence.tokens if token.is_word]
    place = next((i for i, token in enumerate(sentence.tokens) if token.text in language.words["reports"]), 0)
    if words[:1] == [] or words[0] not in language.words["others"] or not 0 < place <= _FARTHEST_REPORT:
        return None
    inner = [token for token in sentence.tokens[place + 1 :] if token.text != "that"]
    claim = restated(inner, question, language)
    if claim is None:
        return None
    decision = "yes" if claim.asserts else "no"
    return Found(OPEN, REMARK, f"reports a {decision}", reports=decision)


def _is_condition(sentence: Sentence) -> bool:
    """Whether a sentence says what would be, such as "If Lyon is in France, yes"; not "if you ask me, no"."""
    words = [token.text for token in sentence.tokens if token.is_word]
    if words[:1] != ["if"] or len(words) < _SHORTEST_CONDITION:
        return False
    return words[1] not in _ASIDE_IF or words[1:3] in (["you", "mean"], ["you", "refer"], ["you", "meant"])


def _has_two_sides(sentence: Sentence, clauses: Sequence[Clause]) -> bool:
    """Whether a sentence concedes something else, or has an answer for each of two: "it is near, yes, but not in it"."""
    places = [place for place, clause in enumerate(clauses) if _is_bare(clause)]
    before = {place: sentence.before(clauses[place].items[0].tokens[0]) for place in places}
    concedes = [place for place in places if place and before[place] == "," and "yes" in clauses[place].items[0].kinds]
    following = [clauses[place + 1] for place in concedes if place + 1 < len(clauses)]
    ends = places and not any(item.is_answer for clause in clauses[places[-1] + 1 :] for item in clause.items)
    if ends and any("but" in clause.openers for clause in following):
        return True
    kinds = {kind for place in places for item in clauses[place].items for kind in item.kinds & {"yes", "no"}}
    is_split = any(token.text == ";" for token in sentence.tokens)
    return len(places) == 2 and 0 < places[0] < places[1] - 1 and len(kinds) == 2 and is_split


def _trails(sentence: Sentence, clauses: Sequence[Clause]) -> bool:
    """Whether a sentence ends with an answer after a comma, such as "it is large, yes"."""
    return _is_bare(clauses[-1]) and sentence.before(clauses[-1].items[0].tokens[0]) == ","


def _without_tag(clauses: list[Clause], sentence: Sentence) -> list[Clause]:
    """The clauses without a last one that asks for approval: "it is in France, yes?"."""
    is_tag = sentence.is_question and len(clauses) > 1 and _is_bare(clauses[-1]) and not clauses[-1].openers
    return clauses[:-1] if is_tag else clauses


def _is_aside(clause: Clause, found: Found | None, was_aside: bool) -> bool:
    """Whether a clause belongs to a concession or reason after a decision: "no, although yes, he contributed"."""
    if found is None or found.decision == OPEN or clause.openers - {"although"}:
        return False
    return was_aside or "although" in clause.openers


def plain_answer(sentence: Sentence, language: Language) -> Found | None:
    """The answer of a sentence that begins with yes or no and a mark, or of a short one that ends so."""
    tokens = sentence.tokens
    commas = [i + 1 for i, token in enumerate(tokens[:-1]) if token.text == ","] if len(tokens) <= _SHORT else []
    for start in (0, *commas[-1:]):
        length, kinds = language.match(tokens, start)
        is_alone = start + length == len(tokens) or (start == 0 and not tokens[length].is_word)
        if kinds & {"yes", "no"} and "open" not in kinds and is_alone:
            text = " ".join(token.text for token in tokens[start : start + length])
            return Found("yes" if "yes" in kinds else "no", ANSWER, f'says "{text}"')
    return None


def _with_claim(
    found: Found | None, sentence: Sentence, clauses: Sequence[Clause], language: Language, question: Asked
) -> Found | None:
    claim = _claim(sentence, clauses, language, question)
    if claim is None and found is None:
        claim = _denied_by_turning(clauses, language, question)
    if claim is None:
        return found
    if claim.is_whole and (judgement := _judgement(sentence, clauses)) is not None:
        return Found("yes" if claim.asserts == judgement else "no", REMARK, "judges the claim")
    restated_claim = Found(
        "yes" if claim.asserts else "no",
        CLAIM,
        RESTATES if claim.asserts else "denies the claim",
        claim.is_whole,
    )
    if found is None:
        return restated_claim
    if found.decision == OPEN:
        if claim.is_whole and len(clauses) == 1:  # "France does not contain Lyon"
            return restated_claim
        return restated_claim if any(clause.openers & _OBJECTIONS for clause in clauses) else found
    if (
        found.decision == restated_claim.decision
        or found.concludes
        or any("change" in clause.openers for clause in clauses)
    ):
        return found
    if claim.asserts and len(clauses) > 1 and _is_bare(clauses[-1]) and not _is_bare(clauses[0]):
        return found  # "Quebec is in Canada: no"
    if found.strength == ANSWER:
        return Found(OPEN, REMARK, f"says {found.decision} and the opposite")
    return restated_claim if len(clauses) > 1 else found  # "right, it is not"


def _judgement(sentence: Sentence, clauses: Sequence[Clause]) -> bool | None:
    """Whether a sentence ends with a true or a false that judges what comes before: "Lyon is in France | False"."""
    last = clauses[-1].items
    kinds = [item.kinds & {"true", "false"} for item in last if not item.kinds & {"adverbs", "idle"}]
    if len(clauses) == 1 or len(kinds) != 1 or not kinds[0] or sentence.before(last[0].tokens[0]) not in _BEFORE_VERDICT:
        return None
    return "true" in kinds[0]


def _claim(sentence: Sentence, clauses: Sequence[Clause], language: Language, question: Asked) -> Restated | None:
    bare = next((i for i, clause in enumerate(clauses) if not _is_bare(clause)), len(clauses))
    clauses = clauses[bare:]
    if bare and language.code != ENGLISH and any("but" in clause.openers for clause in clauses[1:]):
        return None  # a contrast: "ja, Lyon ist nicht in Italien, sondern in Frankreich"
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


def _denied_by_turning(clauses: Sequence[Clause], language: Language, question: Asked) -> Restated | None:
    """A denial by the opposite claim, "and not the other way round"."""
    items = [item for clause in clauses for item in clause.items]
    place = next((place for place, item in enumerate(items) if "turned" in item.kinds), None)
    if question.turned is None or place is None or not _negations(items[:place]) % 2:
        return None
    before = [token for item in items[: place - 1] for token in item.tokens]
    while before and before[-1].text in ("and", "not", "but"):
        before.pop()
    claim = restated(before, question.turned, language)
    return Restated(False, True) if claim is not None and claim.asserts else None


def _is_bare(clause: Clause) -> bool:
    return all(item.is_answer for item in clause.items)


def _value(clause: Clause, language: Language, question: Asked) -> Found | None:
    items = [item for item in clause.items if "ignored" not in item.kinds and item.tokens[0].is_word]
    items = _without_label(items)
    if not items:
        return None
    if (found := _head(items, language, question)) is not None:
        return found
    if any("turned" in item.kinds for item in items):
        return _turned(items, clause, language)
    if any("open" in item.kinds for item in items):
        return Found(OPEN, REMARK, f'says "{next(item.text for item in items if "open" in item.kinds)}"')
    return _adverbs(items, language) or _remark(items, language, question) or _tail(items, language)


def _turned(items: Sequence[Item], clause: Clause, language: Language) -> Found | None:
    """A clause that says that the claim holds the other way round, and nothing else: "It is the other way around"."""
    around = language.words["around_turned"] | language.subjects | language.verbs
    others = [item for item in items if "turned" not in item.kinds]
    is_all = all(item.text in around or item.kinds & {"true", "idle", "adverbs"} for item in others)
    if not is_all or _negations(items) or items[0].text == "and" or clause.openers & {"but", "although"}:
        return None
    text = next(item.text for item in items if "turned" in item.kinds)
    return Found("no", REMARK, f'says "{text}"')


def _is_only_named(clause: Clause, clauses: Sequence[Clause]) -> bool:
    """Whether a clause only names the opposite, and another one judges it: "the reverse (…) is false"."""
    names = any("turned" in item.kinds for item in clause.items) and not any(item.text == "is" for item in clause.items)
    judging = [item for other in clauses if other is not clause for item in other.items]
    return names and any(item.is_answer or item.kinds & {"true", "false"} for item in judging)


def _without_label(items: list[Item]) -> list[Item]:
    """Without the number or letter of a choice at the start: "1. Yes", "B) No"."""
    while len(items) > 1 and (items[0].tokens[0].kind == "number" or (_is_letter(items[0]) and items[1].is_answer)):
        items = items[1:]
    return items


def _is_letter(item: Item) -> bool:
    return len(item.text) == 1 and item.tokens[0].kind == "word" and item.tokens[0].is_capital


def _head(items: Sequence[Item], language: Language, question: Asked) -> Found | None:
    """A clause that starts with yes or no, after adverbs."""
    start = 0
    while start < len(items) - 1 and items[start].kinds & {"adverbs", "idle"}:
        start += 1
    first, rest = items[start], items[start + 1 :]
    if (rest and not _is_in(rest, language)) or not first.kinds & {"yes", "no"}:
        return None
    if _is_title(first, rest, question):
        return None
    if rest and first.text in language.verbs:  # "是" is a yes, and also "is"
        return None
    if first.kinds & {"true", "false"} and _negations(rest[:5]):  # "falso no es": a remark, which can be turned round
        return None
    if rest and "that" in rest[0].kinds and len(first.tokens) > 1:
        return _belief(first, rest, language)
    if "yes" in first.kinds:
        return _started("yes", first, rest[:5], language)
    if not _is_no(first, rest, language, question) or any("open" in item.kinds for item in rest[:3]):
        return None
    return _started("no", first, rest[:5], language)


def _started(decision: str, first: Item, rest: Sequence[Item], language: Language) -> Found:
    """What a clause decides that starts with yes or no, unless its next words contradict that."""
    if any("open" in item.kinds for item in rest[:2]):
        return Found(OPEN, REMARK, f'says "{first.text} {rest[0].text}"')
    has_remark = any(item.kinds & {"true", "false"} for item in rest)
    if decision == "yes" and _negations(rest) % 2 and not has_remark:
        return Found(OPEN, REMARK, "says yes and not")
    judged = _judged(rest, language)
    if judged is not None and judged != decision:
        return Found(OPEN, REMARK, f"says {decision} and the opposite")
    return Found(decision, ANSWER, f'says "{first.text}"')


def _belief(first: Item, rest: Sequence[Item], language: Language) -> Found:
    """What a belief about a clause decides: "I do not think that this is true"."""
    inner = _judged(rest, language) or ("no" if _negations(rest) % 2 else "yes")
    is_yes = (inner == "yes") == ("yes" in first.kinds)
    return Found("yes" if is_yes else "no", REMARK, f'says "{first.text} {rest[0].text}"')


def _is_title(first: Item, rest: Sequence[Item], question: Asked) -> bool:
    """Whether all words have capitals, as in a title that begins with yes or no: "Yes Minister"."""
    tokens = [token for item in (first, *rest) for token in item.tokens]
    return (
        0 < len(rest) <= _LONGEST_TITLE
        and is_title(tokens)
        and not any(item.kinds or item.text in question.words for item in rest)
    )


def _is_in(items: Sequence[Item], language: Language) -> bool:
    """Whether words after a yes or no are in its language, so that it is not part of a name: "Ja Rule", "Sim City"."""
    if language.code == ENGLISH or not language.has_hints:
        return True
    return any(item.kinds or item.tokens[0].text in language.hints for item in items)


def _is_no(first: Item, rest: Sequence[Item], language: Language, question: Asked) -> bool:
    """Whether a word for "no" is the answer, not part of a longer phrase: "no author", "no es cierto"."""
    if not rest:
        return True
    if first.text == "no" and language.code == ENGLISH:
        following = rest[0]
        is_known = following.text in language.words["after_no"] | question.names
        return is_known or bool(following.kinds & {"no", "adverbs", "idle"}) or _negations(rest[:8]) > 0
    return "negation" not in first.kinds


def _negations(items: Sequence[Item]) -> int:
    return sum("negation" in item.kinds for item in items)


def _adverbs(items: Sequence[Item], language: Language) -> Found | None:
    """A clause of adverbs and negations only: "probably", "certainly not"."""
    filler = language.words["around_adverbs"]
    if not all(item.kinds & {"adverbs", "idle", "negation"} or item.text in filler for item in items):
        return None
    negations = _negations(items)
    if not items[-1].kinds & {"adverbs", "idle", "negation"} and items[-1].text != "so":
        return None
    if not any(item.kinds & {"adverbs", "negation"} for item in items):
        return None
    if not any("adverbs" in item.kinds for item in items) and any(item.text == "is" for item in items):
        return None  # "it is not" restates the claim
    return Found("no" if negations % 2 else "yes", ANSWER, f'says "{" ".join(item.text for item in items)}"')


def _remark(items: Sequence[Item], language: Language, question: Asked) -> Found | None:
    """A remark about the claim: "that is not true", and the claim after "that", which may be negated, too."""
    if is_title([token for item in items for token in item.tokens]):
        return None
    for position, item in enumerate(items):
        if not item.kinds & {"true", "false"}:
            continue
        before, after = items[:position], items[position + 1 :]
        if len(items) > 1 and not _is_in([*before, *after], language):  # "Vera Wang"
            continue
        if language.code == ENGLISH and not _judges(item, before, after, language, question):
            continue
        that = next((i for i, each in enumerate(after) if "that" in each.kinds), None)
        main, claim = (after, []) if that is None else (after[:that], after[that + 1 :])
        if _is_about_another(claim, question, language):
            return None
        negations = _negations(before) + _negations(main) + _negations(claim)
        negations -= bool(claim) and "not" in question.relation
        if claim and "no" in claim[-1].kinds and "negation" not in claim[-1].kinds:  # "it would be wrong to say no"
            negations += 1
        is_yes = ("true" in item.kinds) == (negations % 2 == 0)
        said = " ".join(each.text for each in items[max(0, position - 3) : position + 1])
        return Found("yes" if is_yes else "no", REMARK, f'says "{said}"')
    return None


def _judges(item: Item, before: Sequence[Item], after: Sequence[Item], language: Language, question: Asked) -> bool:
    """Whether an English "true" or "wrong" is about the claim, not about a thing ("the right bank")."""
    leads, idle = language.words["before_true"] | question.words, {"adverbs", "idle", "negation", "so", "change"}
    lead = all(each.text in leads or each.kinds & idle for each in before)
    if after and after[0].text == "answer" and (len(after) > 1 or not before):  # "the correct answer is no"
        return False
    if not before and (len(item.tokens) > 1 or item.text == "truth"):  # "the truth about it"
        return False
    if item.text == "so" and not (before and before[-1].text in ("is", "not")):
        return False
    return lead and (
        not after or after[0].text in language.words["after_true"] or bool(after[0].kinds & {"negation", "that"})
    )


def _judged(items: Sequence[Item], language: Language) -> str | None:
    found = _remark(items, language, NOTHING_ASKED)
    return found.decision if found else None


def _is_about_another(claim: Sequence[Item], question: Asked, language: Language) -> bool:
    if claim and about([token for item in claim for token in item.tokens], question, language).is_other:
        return True
    names = [token.text for item in claim for token in item.tokens if token.is_capital]
    return bool(names and question.words) and not question.words.intersection(names)


def _tail(items: Sequence[Item], language: Language) -> Found | None:
    """A clause that ends with yes or no: "the answer is no", "I would say yes", "it's a yes from me"."""
    while "idle" in items[-1].kinds and language.code != ENGLISH and len(items) > 1:
        items = items[:-1]
    position = next((i for i, item in enumerate(items) if i and _is_after_yes(items, i, language)), len(items) - 1)
    items, last = items[:position], items[position]
    if not 0 < len(items) < 12 or not last.kinds & {"yes", "no"} or last.kinds & {"true", "false", "adverbs", "idle"}:
        return None
    if last.text in language.verbs and items[0].tokens[0].text not in language.subjects:
        return None
    if is_title([token for item in (*items, last) for token in item.tokens]) and not any(
        (item.text,) in language.answers for item in items
    ):  # "Just Say No"
        return None
    if _is_reported(items, language):
        answer = "yes" if "yes" in last.kinds else "no"
        return Found(OPEN, REMARK, f'reports "{answer}"', reports=answer)
    leads = items[-1].text in language.words["before_yes"] or items[-1].kinds & {"adverbs", "idle", "so", "that"}
    if _negations(items) % 2 or not _is_in(items, language) or (language.code == ENGLISH and not leads):
        return None
    return Found("yes" if "yes" in last.kinds else "no", ANSWER, f'says "{last.text}"')


def _is_reported(items: Sequence[Item], language: Language) -> bool:
    """Whether a clause tells what others say, or what the speaker said before: "some would say no"."""
    words = [item.text for item in items]
    is_modal = words[0] == "you" and not _MODALS.isdisjoint(words[1:2])
    earlier = language.words["earlier"].intersection(words)
    return words[0] in language.words["others"] or is_modal or bool(earlier)


def _is_after_yes(items: Sequence[Item], position: int, language: Language) -> bool:
    """Whether a word that can follow an answer comes after this item, which is one."""
    if position + 1 >= len(items) or not items[position].kinds & {"yes", "no"}:
        return False
    return items[position + 1].text in language.words["after_yes"]


def _with_subordinate(value: Found, following: Clause) -> Found:
    """The value turned round by a negation in the clause that begins with "that": "not true, that … not"."""
    items = following.items
    if not items or "that" not in items[0].kinds or _negations(items) % 2 == 0:
        return value
    return replace(value, decision={"yes": "no", "no": "yes"}.get(value.decision, value.decision))


def _is_about_oneself(clause: Clause) -> bool:
    """Whether a clause is like "I don't know", not like "the text does not say"."""
    return clause.items[0].text in ("i", "we") or all(item.kinds & {"open", "idle"} for item in clause.items)


def _combined(found: Found | None, value: Found, *, is_all: bool, is_next: bool) -> Found:
    """What a sentence decides with one more clause.

    `is_all`: it is the second and last, and is about the speaker. `is_next`: it follows the decision at once.
    """
    if found is None:
        return value
    if value.decision == found.decision:
        return found if found.strength >= value.strength else value
    if found.decision == OPEN:
        return found.judged(value) if value.strength >= REMARK else found
    if value.decision == OPEN:
        is_empty = is_all and found.decision == "no" and found.strength == ANSWER
        return value if value.changes or is_empty else found
    if value.changes or value.concludes or value.strength == ANSWER:
        return value
    if found.strength == ANSWER and value.strength == REMARK and is_next:
        return Found(OPEN, REMARK, f"says {found.decision} and the opposite")
    return found
