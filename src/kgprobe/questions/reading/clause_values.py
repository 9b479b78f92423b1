"""What one clause decides: an answer, adverbs, or a remark about the claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgprobe.questions.reading.languages import ENGLISH, SYMBOLS, Clause, Item, Language
from kgprobe.questions.reading.question import NOTHING_ASKED, AskedClaim
from kgprobe.questions.reading.text import is_title
from kgprobe.questions.reading.topics import about

OPEN = "open"
"""The decision of a sentence that says that it does not decide."""
ANSWER, REMARK, CLAIM = 3, 2, 1
"""How a sentence decides: by "yes" or "no", by a remark about the claim ("that is wrong"), by restating the claim."""

_LONGEST_TITLE = 4
_MODALS = frozenset({"could", "might", "may", "can"})
_SAYING = frozenset({"saying", "answering", "replying", "responding", "to say", "to answer", "a", "to", "answer"})
_AROUND_JUDGED = frozenset({"would", "be", "is", "was", "will", "as", "a", "an", "the", "answer", "here", "response"})


@dataclass(frozen=True, slots=True)
class ClauseDecision:
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

    def judged(self, value: ClauseDecision) -> ClauseDecision:
        """The value, or what a remark makes of the answer that others give: "People say no. They are wrong"."""
        if not self.reports or value.strength != REMARK:
            return value
        other = {"yes": "no", "no": "yes"}[self.reports]
        return replace(value, decision=self.reports if value.decision == "yes" else other)


def value_of(clause: Clause, language: Language, question: AskedClaim) -> ClauseDecision | None:
    """What a clause decides; None if it says nothing about the claim, or only restates it."""
    items = [item for item in clause.items if "ignored" not in item.kinds and item.tokens[0].is_word]
    items = _without_label(items)
    if not items or (any(item.text in SYMBOLS for item in clause.items) and negations_in(items) == len(items)):
        return None  # "(not ❌)"
    if (decision := _judged_answer(items) or _head(items, language, question)) is not None:
        return _about_others(decision, items, language)
    if any("turned" in item.kinds for item in items):
        return turned(items, clause, language)
    if any("open" in item.kinds for item in items):
        return ClauseDecision(OPEN, REMARK, f'says "{next(item.text for item in items if "open" in item.kinds)}"')
    decision = _adverbs(items, language) or _remark(items, language, question) or _tail(items, language)
    return _about_others(decision, items, language) if decision is not None else None


def _about_others(decision: ClauseDecision, items: Sequence[Item], language: Language) -> ClauseDecision:
    """The decision; open if its clause is about other things: "it is unlikely that anyone else wrote it"."""
    other = next((item.text for item in items if item.text in language.words["other_things"]), None)
    if other is None or items[0].text in ("yes", "no"):
        return decision
    return ClauseDecision(OPEN, REMARK, f'says something about "{other}"')


def _judged_answer(items: Sequence[Item]) -> ClauseDecision | None:
    """A clause that judges an answer: "saying yes would be wrong", "no is the correct answer"."""
    start = next((place for place, item in enumerate(items) if item.text not in _SAYING), len(items))
    if start + 2 > len(items) or items[start].text not in ("yes", "no"):
        return None
    rest = items[start + 1 :]
    judging = [item for item in rest if item.kinds & {"true", "false"}]
    if len(judging) != 1 or any(item.text not in _AROUND_JUDGED for item in rest if item is not judging[0]):
        return None
    if rest[0] is judging[0]:
        return None
    is_yes = (items[start].text == "yes") == ("true" in judging[0].kinds)
    return ClauseDecision("yes" if is_yes else "no", ANSWER, "judges an answer")


def turned(items: Sequence[Item], clause: Clause, language: Language) -> ClauseDecision | None:
    """A clause that says that the claim holds the other way round, and nothing else: "It is the other way around"."""
    text = next((item.text for item in items if "turned" in item.kinds), None)
    around = language.words["around_turned"] | language.subjects | language.verbs
    others = [item for item in items if "turned" not in item.kinds]
    is_all = all(item.text in around or item.kinds & {"true", "idle", "adverbs"} for item in others)
    is_objection = items[0].text == "and" or clause.openers & {"but", "although"}
    if text is None or not is_all or negations_in(items) or is_objection:
        return None
    return ClauseDecision("no", REMARK, f'says "{text}"')


def _without_label(items: list[Item]) -> list[Item]:
    """Without the number or letter of a choice at the start: "1. Yes", "B) No"."""
    while len(items) > 1 and (items[0].tokens[0].kind == "number" or (_is_letter(items[0]) and items[1].is_answer)):
        items = items[1:]
    return items


def _is_letter(item: Item) -> bool:
    return len(item.text) == 1 and item.tokens[0].kind == "word" and item.tokens[0].is_capital


def _head(items: Sequence[Item], language: Language, question: AskedClaim) -> ClauseDecision | None:
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
    if first.kinds & {"true", "false"} and negations_in(rest[:5]):  # "falso no es": a remark, which can be turned round
        return None
    if rest and "that" in rest[0].kinds and len(first.tokens) > 1:
        return _belief(first, rest, language)
    if "yes" in first.kinds:
        return _started("yes", first, rest[:5], language)
    if not _is_no(first, rest, language, question) or any("open" in item.kinds for item in rest[:3]):
        return None
    return _started("no", first, rest[:5], language)


def _started(decision: str, first: Item, rest: Sequence[Item], language: Language) -> ClauseDecision:
    """What a clause decides that starts with yes or no, unless its next words contradict that."""
    if any("open" in item.kinds for item in rest[:2]):
        return ClauseDecision(OPEN, REMARK, f'says "{first.text} {rest[0].text}"')
    has_remark = any(item.kinds & {"true", "false"} for item in rest)
    if decision == "yes" and negations_in(rest) % 2 and not has_remark:
        return ClauseDecision(OPEN, REMARK, "says yes and not")
    if decision == "no" and len(first.tokens) > 1 and negations_in(rest) % 2 and not has_remark:
        return ClauseDecision(OPEN, REMARK, "says no and not")  # "I doubt that she is not"
    judged = _judged(rest, language)
    if judged is not None and judged != decision:
        return ClauseDecision(OPEN, REMARK, f"says {decision} and the opposite")
    return ClauseDecision(decision, ANSWER, f'says "{first.text}"')


def _belief(first: Item, rest: Sequence[Item], language: Language) -> ClauseDecision:
    """What a belief about a clause decides: "I do not think that this is true"."""
    inner = _judged(rest, language) or ("no" if negations_in(rest) % 2 else "yes")
    is_yes = (inner == "yes") == ("yes" in first.kinds)
    return ClauseDecision("yes" if is_yes else "no", REMARK, f'says "{first.text} {rest[0].text}"')


def _is_title(first: Item, rest: Sequence[Item], question: AskedClaim) -> bool:
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


def _is_no(first: Item, rest: Sequence[Item], language: Language, question: AskedClaim) -> bool:
    """Whether a word for "no" is the answer, not part of a longer phrase: "no author", "no es cierto"."""
    if not rest:
        return True
    if first.text == "no" and language.code == ENGLISH:
        following = rest[0]
        is_known = following.text in language.words["after_no"] | question.names
        return is_known or bool(following.kinds & {"no", "adverbs", "idle"}) or negations_in(rest[:3]) > 0
    return "negation" not in first.kinds


def negations_in(items: Sequence[Item]) -> int:
    """How many negations there are."""
    return sum("negation" in item.kinds for item in items)


def _adverbs(items: Sequence[Item], language: Language) -> ClauseDecision | None:
    """A clause of adverbs and negations only: "probably", "certainly not"."""
    filler = language.words["around_adverbs"]
    if not all(item.kinds & {"adverbs", "idle", "negation"} or item.text in filler for item in items):
        return None
    negations = negations_in(items)
    if not items[-1].kinds & {"adverbs", "idle", "negation"} and items[-1].text != "so":
        return None
    if not any(item.kinds & {"adverbs", "negation"} for item in items):
        return None
    if not any("adverbs" in item.kinds for item in items) and any(item.text == "is" for item in items):
        return None  # "it is not" restates the claim
    return ClauseDecision("no" if negations % 2 else "yes", ANSWER, f'says "{" ".join(item.text for item in items)}"')


def _remark(items: Sequence[Item], language: Language, question: AskedClaim) -> ClauseDecision | None:
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
        that = next((i for i, item in enumerate(after) if "that" in item.kinds), None)
        main, claim = (after, []) if that is None else (after[:that], after[that + 1 :])
        if _is_about_another(claim, question, language):
            return None
        negations = negations_in(before) + negations_in(main) + negations_in(claim)
        negations += sum("false" in item.kinds for item in claim)  # "it is false that it is false"
        negations -= bool(claim) and "not" in question.relation
        if claim and "no" in claim[-1].kinds and "negation" not in claim[-1].kinds:  # "it would be wrong to say no"
            negations += 1
        is_yes = ("true" in item.kinds) == (negations % 2 == 0)
        said = " ".join(item.text for item in items[max(0, position - 3) : position + 1])
        return ClauseDecision("yes" if is_yes else "no", REMARK, f'says "{said}"')
    return None


def _judges(
    item: Item, before: Sequence[Item], after: Sequence[Item], language: Language, question: AskedClaim
) -> bool:
    """Whether an English "true" or "wrong" is about the claim, not about a thing ("the right bank")."""
    leads, idle = language.words["before_true"] | question.words, {"adverbs", "idle", "negation", "so", "change"}
    lead = all(item.text in leads or item.kinds & idle for item in before)
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
    remark = _remark(items, language, NOTHING_ASKED)
    return remark.decision if remark else None


def _is_about_another(claim: Sequence[Item], question: AskedClaim, language: Language) -> bool:
    if claim and about([token for item in claim for token in item.tokens], question, language).is_other:
        return True
    names = [token.text for item in claim for token in item.tokens if token.is_capital]
    return bool(names and question.words) and not question.words.intersection(names)


def _tail(items: Sequence[Item], language: Language) -> ClauseDecision | None:
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
        return ClauseDecision(OPEN, REMARK, f'reports "{answer}"', reports=answer)
    leads = items[-1].text in language.words["before_yes"] or items[-1].kinds & {"adverbs", "idle", "so", "that"}
    if negations_in(items) % 2 or not _is_in(items, language) or (language.code == ENGLISH and not leads):
        return None
    return ClauseDecision("yes" if "yes" in last.kinds else "no", ANSWER, f'says "{last.text}"')


def _is_reported(items: Sequence[Item], language: Language) -> bool:
    """Whether a clause tells what others say, or what the speaker said before: "some would say no"."""
    words = [item.text for item in items]
    is_modal = words[0] == "you" and not _MODALS.isdisjoint(words[1:2])
    said = " ".join(words)
    if "would have " in said and "would have to " not in said:  # "I would have said no, but …"
        return True
    earlier = language.words["earlier"].intersection(words)
    return words[0] in language.words["others"] or is_modal or bool(earlier)


def _is_after_yes(items: Sequence[Item], position: int, language: Language) -> bool:
    """Whether a word that can follow an answer comes after this item, which is one."""
    if position + 1 >= len(items) or not items[position].kinds & {"yes", "no"}:
        return False
    return items[position + 1].text in language.words["after_yes"]
