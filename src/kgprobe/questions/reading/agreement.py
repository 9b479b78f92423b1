"""Whether all that a text says agrees with the decision that was found in it.

The other modules find a decision. This one looks through the same sentences for signs of the opposite. Each must have
an explanation: it is withdrawn, conceded, reported, or follows a plain answer. Without one, nothing is decided: a
reader that does not know is better than one that says the opposite of what is meant.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from kgprobe.questions.reading.clause_values import CLAIM, OPEN, REMARK, ClauseDecision, negations_in, value_of
from kgprobe.questions.reading.languages import ENGLISH, SYMBOLS, Clause, Language, clauses_of, languages
from kgprobe.questions.reading.question import AskedClaim, repeats
from kgprobe.questions.reading.text import Sentence, Token
from kgprobe.questions.reading.topics import names_either, verdict_of

TURNS = frozenset({"change", "so", "but"})
"""The kinds of words after which the opposite of what was said before may hold."""
_SPEAKERS = frozenset({"he", "she", "they", "i"})
_AGREEING = frozenset({"agree", "disagree", "disagreed", "differ", "concur"})
_PRONOUNS = frozenset({"he", "she", "it", "they"})
_NOT_OTHERS = frozenset({"i", "we", "you", "that", "this", "the", "which", "it"})
_AGAINST = frozenset({"against", "reject", "rejects", "refute", "refutes", "exclude", "excludes", "contradicts"})
_NEGATION_LAST = frozenset({"ja", "ko", "tr"})
_WITHOUT_SPACES = frozenset({"zh", "ja"})
_POLAR = frozenset({"yes", "no", "negation", "true", "false"})
_SAME_START = 3
"""Letters by which a name of the question is known in another language: Rome, Roma."""
_MOST_UNKNOWN = 2


@dataclass(frozen=True, slots=True)
class Sign:
    """What a clause says: "yes", "no", or nothing.

    `turn`: the kinds of the words that begin it, of TURNS. `marks` are of these:
    leads     it is the first of the text, and nothing but an answer
    bare      its sentence has nothing but answers and single words
    last      it ends the first sentence with an answer after one other word: "oui, enfin non"
    explained conceded, in brackets, or only polite: "Sure! The answer is …"
    remark    it judges the claim: "that is wrong"
    judges    it judges somebody who said something: "he is wrong", "I disagree"
    reported  somebody else says it
    contrary  it denies what was said before, which need not be the claim: "quite the opposite"
    turned    it says that the claim holds the other way round
    that      it has a "that" before what it says
    end       only its last word decides

    and in languages other than English:
    hidden    what it says belongs to a subordinate clause, or is not said at its start or end
    vague     it has a negation, but does not name what it denies
    denies    it has a verb or noun of denying: "nobody denies it"
    """

    decision: str
    marks: frozenset[str] = frozenset()
    turn: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()


def _signs_of(sentences: Sequence[Sentence], language: Language, question: AskedClaim) -> Iterator[Sign]:
    """A sign for each clause, up to an explanation; and an empty one at the end of each sentence."""
    for number, sentence in enumerate(sentences):
        if sentence.is_question:
            continue
        if number and language.explains(sentence.tokens):
            return
        clauses = clauses_of(sentence.tokens, language)
        is_conceded = False
        for place, clause in enumerate(clauses):
            is_conceded = is_conceded or "although" in clause.openers
            sign = _english(clause, language, question)
            if language.code != ENGLISH:
                sign = _foreign(sign, clause, sentence, language, question)
            marks = {*sign.marks, *_marks(place, clauses, sentence, language)}
            if number:
                marks -= {"leads", "last"}
            if is_conceded:
                marks.add("explained")
            first = language.phrases.get((clause.items[0].tokens[0].text,), frozenset())  # "mais" of "mais non"
            words = tuple(token.text for token in clause.tokens)
            yield replace(sign, marks=frozenset(marks), turn=sign.turn | clause.openers | (first & TURNS), words=words)
        yield Sign("", turn=_trailing(sentence.tokens, clauses, language))


def _marks(place: int, clauses: Sequence[Clause], sentence: Sentence, language: Language) -> Iterator[str]:
    """The marks that a clause has by its place in the sentence, as if that were the first of the text."""
    items = clauses[place].items
    before = sentence.before(items[0].tokens[0])
    if all(len(clause.items) == 1 or all(item.is_answer for item in clause.items) for clause in clauses):
        yield "bare"
    if 0 < place == len(clauses) - 1 and len(items) == 2 and items[1].is_answer:
        yield "last"
    if place == 0 and all(item.is_answer for item in items) and items[0].text not in language.words["contrary"]:
        yield "leads"
    if before == "(":
        yield "explained"
    if place and before == ":" and _is_reported(clauses[place - 1], language):
        yield "reported"


def _trailing(tokens: Sequence[Token], clauses: Sequence[Clause], language: Language) -> frozenset[str]:
    """The kinds of words that end a sentence, or are all of it: "Yes, wait. No." """
    place = max((i + 1 for i, token in enumerate(tokens) if clauses and token is clauses[-1].tokens[-1]), default=0)
    kinds: set[str] = set()
    while place < len(tokens):
        length, phrase_kinds = language.match(tokens, place)
        kinds |= phrase_kinds
        place += max(length, 1)
    return frozenset(kinds) & TURNS


def _english(clause: Clause, language: Language, question: AskedClaim) -> Sign:
    """What the rules that hold in every language find, and those for English."""
    items = clause.items
    if any(item.text in SYMBOLS for item in items):
        return Sign("")
    if items[0].text in language.words["contrary"]:
        return Sign("", frozenset({"contrary"}))
    marks = {"turned"} if any("turned" in item.kinds for item in items) else set()
    if any("that" in item.kinds and item.text not in language.subjects for item in items):
        marks.add("that")
    value, verdict = value_of(clause, language, question), verdict_of(clause, language)
    if (value or verdict) and _is_reported(clause, language):
        marks.add("reported")
    if value is not None:
        return _of_value(value, clause, marks)
    if verdict is not None:
        return Sign(verdict.decision, frozenset({*marks, "end"}))
    return Sign(_in_short(clause, language, question) if language.code == ENGLISH else "", frozenset(marks))


def _of_value(value: ClauseDecision, clause: Clause, marks: set[str]) -> Sign:
    items = clause.items
    words = [item.text for item in items]
    is_past = words[0] in ("i", "that", "this", "it") and words[1:2] == ["was"]
    if value.strength == REMARK and value.decision == "no" and is_past:  # "that was a mistake"
        return Sign("", turn=frozenset({"change"}))
    if value.reports or all(item.kinds & {"adverbs", "idle"} for item in items):
        marks.add("explained")
    if value.strength == REMARK:
        marks.add("remark")
    if value.decision != OPEN and (words[0] in _SPEAKERS or not _AGREEING.isdisjoint(words[0].split())):
        marks.add("judges")
    return Sign(value.reports if value.decision == OPEN else value.decision, frozenset(marks))


def _in_short(clause: Clause, language: Language, question: AskedClaim) -> str:
    """What a clause says that has only a pronoun and a verb, or denies a part of the claim: "it is", "but not Rome"."""
    words = [item.text for item in clause.items]
    is_denied = words[-1] == "not"
    if len(words) == 2 + is_denied and words[0] in _PRONOUNS and words[1] in language.verbs:
        return "no" if is_denied else "yes"
    is_part = words[0] == "not" and "but" in clause.openers and question.words.issuperset(words[1:])
    return "no" if is_part and len(words) > 1 else ""


def _is_reported(clause: Clause, language: Language) -> bool:
    """Whether others than the speaker and the given text say something: "my colleague says no"."""
    words = [token.text for token in clause.tokens]
    place = next((i for i, word in enumerate(words) if i and word in language.words["reports"]), 0)
    is_others = bool(place) and (_NOT_OTHERS | language.words["sources"]).isdisjoint(words[:place])
    return is_others or not _AGAINST.isdisjoint(words)


def _foreign(sign: Sign, clause: Clause, sentence: Sentence, language: Language, question: AskedClaim) -> Sign:
    """The sign with what makes it doubtful in a language of which less is known; or one for a negation."""
    items = clause.items
    if "contrary" in sign.marks or any(item.text in SYMBOLS for item in items):
        return sign
    marks = set(sign.marks)
    is_first = items[0].tokens[0] is sentence.tokens[0]
    last_that = max((place for place, item in enumerate(items) if "that" in item.kinds), default=0)
    if is_first and not any(item.kinds & _POLAR for item in items[last_that + 1 :]):
        marks.discard("that")  # "no creo que Toledo esté en España"
    if is_first and "that" in items[0].kinds and last_that == 0:  # "dat is niet waar"
        marks.discard("that")
    if _denies(clause, language):
        marks.add("denies")
    if not is_first and len(items) > 1 and "negation" in items[0].kinds:  # ", nicht in Rom"
        marks.add("vague")
    is_own = sentence.tokens[0].text in language.words["own"]
    is_own = is_own or "adverbs" in language.match(sentence.tokens, 0)[1]
    if ("that" in marks or "although" in clause.openers) and not is_own:
        marks.add("hidden")
    inner = next((item.kinds for item in items if item.is_answer and "negation" not in item.kinds), None)
    if not sign.decision and inner is not None:
        decision = "yes" if "yes" in inner else "no"
        return replace(sign, decision=decision, marks=frozenset({*marks, "hidden"}))
    is_denial = not sign.decision and negations_in(items) % 2 == 1
    if _is_vague(clause, language, question, sign.decision, marks):
        marks.add("vague")
    return replace(sign, decision="no" if is_denial else sign.decision, marks=frozenset(marks))


def _is_vague(clause: Clause, language: Language, question: AskedClaim, decision: str, marks: Container[str]) -> bool:
    """Whether a clause has negations, and it is not sure what they deny."""
    negations = negations_in(clause.items)
    if decision and sum(bool(item.kinds & {"no", "negation"}) for item in clause.items) > 1:
        return True
    if not negations or (decision and "end" not in marks):
        return False
    is_nested = not decision and ("that" in marks or negations > 1)
    return is_nested or not _names_something(clause, language, question)


def _denies(clause: Clause, language: Language) -> bool:
    """Whether a clause has a word of denying or doubting, which with a negation affirms."""
    if language.code in _WITHOUT_SPACES:
        text = "".join(token.text for token in clause.tokens)
        return any(word in text for word in language.words["denying"])
    return any(token.text.startswith(_denying()) for token in clause.tokens)


@cache
def _denying() -> tuple[str, ...]:
    """How the words of denying begin, of all languages, since a short text can be taken for another language."""
    return tuple(start for language in languages().values() for start in language.words["denying"])


def _names_something(clause: Clause, language: Language, question: AskedClaim) -> bool:
    """Whether a denial names what it denies: by a verb that restates a claim, a pronoun or a name of the question."""
    if language.code in _NEGATION_LAST:
        last = [item for item in clause.items if "idle" not in item.kinds][-1:]
        return any("negation" in item.kinds for item in last)
    words = {token.text for token in clause.tokens}
    starts = {name[:_SAME_START] for name in question.names}
    if any(word in question.words or word[:_SAME_START] in starts or not word.isascii() for word in words):
        return True
    known = language.verbs | language.subjects
    return not known.isdisjoint(words) and len(words - known - language.hints - language.negations) <= _MOST_UNKNOWN


_QUANTIFIERS = frozenset({"all", "every", "everything", "everyone", "each", "most", "none", "any"})
_EXCEPTING = frozenset({"but", "except", "excepting", "save"})
_SHORTEST_DOUBT = 3
_OPPOSITE = {"yes": "no", "no": "yes"}


def is_contested(
    decision: str, strength: int, sentences: Sequence[Sentence], language: Language, question: AskedClaim
) -> bool:
    """Whether something in the sentences says the opposite of the decision, and nothing explains that.

    `strength`: how the decision was made.
    """
    if len(sentences) == 1 and len(sentences[0].tokens) == 1:
        return False
    if _asks_what_to_say(sentences, language, question):
        return True
    if strength == CLAIM and any(map(_excepts, sentences)):
        return True
    signs = _judged(_signs_of(sentences, language, question))
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
        is_turned = any(sign.turn & TURNS for sign in after)
        if not ours:  # the claim is restated: "That is false. Ottawa is.", but not "Myth: Rome is the capital"
            is_turned = strength == CLAIM and len(after) > 1 and not (place == 0 and "remark" in sign.marks)
        if not follows and not is_turned:
            return True
    return False


def _asks_what_to_say(sentences: Sequence[Sentence], language: Language, question: AskedClaim) -> bool:
    """Whether the first sentence asks about an answer: "Would I be wrong if I said yes? No." """
    first = sentences[0]
    if len(sentences) == 1 or not first.is_question or repeats(first.tokens, question):
        return False
    items = [item for clause in clauses_of(first.tokens, language) for item in clause.items]
    return len(items) > _SHORTEST_DOUBT and any(item.is_answer for item in items[1:])


def _excepts(sentence: Sentence) -> bool:
    """Whether a sentence is like "all cities but Rome are in France"."""
    words = [token.text for token in sentence.tokens]
    return words[0] in _QUANTIFIERS and not _EXCEPTING.isdisjoint(words)


def _judged(signs: Iterable[Sign]) -> list[Sign]:
    """The signs; "he is wrong" turns round the only answer before it, which is then no sign any more."""
    kept: list[Sign] = []
    for sign in signs:
        said = [sign for sign in kept if sign.decision]
        judges = "judges" in sign.marks or (
            "remark" in sign.marks and any("reported" in earlier.marks for earlier in said)
        )
        if judges and sign.decision and len(said) == 1 and "leads" not in said[0].marks:
            judged = said[0].decision if sign.decision == "yes" else _OPPOSITE[said[0].decision]
            kept = [replace(sign, decision=judged)]
        else:
            kept.append(sign)
    return kept


def _is_doubtful(ours: Sequence[Sign], signs: Sequence[Sign], is_sure: bool, question: AskedClaim) -> bool:
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
