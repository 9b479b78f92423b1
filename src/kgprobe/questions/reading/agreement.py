"""Whether all that a text says agrees with the decision that was found in it.

The other modules find a decision. This one looks through the same sentences for signs of the opposite. Each must have
an explanation: it is withdrawn, conceded, reported, or follows a plain answer. Without one, nothing is decided: a
reader that does not know is better than one that says the opposite of what is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kgprobe.questions.reading.asking import Asked, repeats
from kgprobe.questions.reading.clause_values import CLAIM
from kgprobe.questions.reading.clauses import clauses_of
from kgprobe.questions.reading.languages import ENGLISH, Language
from kgprobe.questions.reading.signs import TURNS, Sign, signs_of
from kgprobe.questions.reading.text import Sentence
from kgprobe.questions.reading.topics import names_either

__all__ = ["is_contested"]

_SHORTEST_DOUBT = 3
_OPPOSITE = {"yes": "no", "no": "yes"}


def is_contested(
    decision: str, strength: int, sentences: Sequence[Sentence], language: Language, question: Asked
) -> bool:
    """Whether something in the sentences says the opposite of the decision, and nothing explains that.

    `strength`: how the decision was made.
    """
    if len(sentences) == 1 and len(sentences[0].tokens) == 1:
        return False
    if _asks_what_to_say(sentences, language, question):
        return True
    signs = _judged(signs_of(sentences, language, question))
    leads = bool(signs) and "leads" in signs[0].marks and signs[0].decision == decision
    ours = [place for place, sign in enumerate(signs) if sign.decision == decision]
    if _is_doubtful([signs[place] for place in ours], signs, leads or strength == CLAIM, question):
        return True
    if language.code != ENGLISH and ours and not leads and _is_doubtful_abroad(signs[ours[0] :]):
        return True
    for place, sign in enumerate(signs):
        if sign.decision in ("", decision) or "explained" in sign.marks:
            continue
        follows = leads and not (sign.marks & {"bare", "last"}) and "change" not in sign.turn
        after = signs[place + 1 : ours[-1] + 1 if ours else len(signs)]
        is_turned = any(each.turn & TURNS for each in after)
        if not ours:  # the claim is restated: "That is false. Ottawa is.", but not "Myth: Rome is the capital"
            is_turned = strength == CLAIM and len(after) > 1 and not (place == 0 and "remark" in sign.marks)
        if not follows and not is_turned:
            return True
    return False


def _asks_what_to_say(sentences: Sequence[Sentence], language: Language, question: Asked) -> bool:
    """Whether the first sentence asks about an answer: "Would I be wrong if I said yes? No." """
    first = sentences[0]
    if len(sentences) == 1 or not first.is_question or repeats(first.tokens, question):
        return False
    items = [item for clause in clauses_of(first.tokens, language) for item in clause.items]
    return len(items) > _SHORTEST_DOUBT and any(item.is_answer for item in items[1:])


def _judged(signs: Iterable[Sign]) -> list[Sign]:
    """The signs; "he is wrong" turns round the only answer before it, which is then no sign any more."""
    found: list[Sign] = []
    for sign in signs:
        said = [each for each in found if each.decision]
        judges = "judges" in sign.marks or ("remark" in sign.marks and any("reported" in each.marks for each in said))
        if judges and sign.decision and len(said) == 1 and "leads" not in said[0].marks:
            judged = said[0].decision if sign.decision == "yes" else _OPPOSITE[said[0].decision]
            found = [replace(sign, decision=judged)]
        else:
            found.append(sign)
    return found


def _is_doubtful(ours: Sequence[Sign], signs: Sequence[Sign], is_sure: bool, question: Asked) -> bool:
    """Whether a decision rests on what others say, or on a word that refers to something said before."""
    if not ours:
        return not is_sure and any("contrary" in sign.marks for sign in signs) and len(signs) > 2
    if all("reported" in sign.marks for sign in ours):
        return True
    before = signs[: signs.index(ours[0])]
    if all("remark" in sign.marks for sign in ours) and any(
        "not" in sign.words and not sign.decision for sign in before
    ):
        return True  # "It is often claimed that she is not. That is wrong."
    return all("turned" in sign.marks for sign in ours) and any(names_either(sign.words, question) for sign in before)


def _is_doubtful_abroad(signs: Sequence[Sign]) -> bool:
    """Whether what decides in another language than English has an objection after it, or is only a negation.

    "One cannot say that it is not so", "nobody denies it" and "in France, not in Spain" are not a no.
    """
    if any("but" in sign.turn for sign in signs[1:]) or any("denies" in sign.marks for sign in signs):
        return True
    denials = [sign for sign in signs if sign.decision == "no"]
    if any("that" in sign.marks for sign in denials[1:]):
        return True
    return bool(denials) and all(sign.marks & {"hidden", "vague"} for sign in denials)
