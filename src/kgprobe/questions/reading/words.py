"""The reader `words`: finds the decision in an answer by the words of many languages.

The steps, each of which can decide: thinking is removed; an error page decides nothing; JSON, boxes and tags hold the
answer; then the sentences are read, up to a new question; labels such as "Final answer:" say where to start. Names that
hold a yes or no are replaced first: "No Country for Old Men" is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from kgprobe.model import Reading
from kgprobe.questions.reading.agreement import is_contested
from kgprobe.questions.reading.clause_values import ANSWER, CLAIM, OPEN, REMARK, ClauseDecision
from kgprobe.questions.reading.languages import ENGLISH, SYMBOLS, Language, languages, languages_of
from kgprobe.questions.reading.marks import chosen, excludes, is_odds, json_answer, labelled, marked, without_tex
from kgprobe.questions.reading.other_questions import conjoined, without_ordinals, without_other_questions
from kgprobe.questions.reading.question import AskedClaim, asked, repeats
from kgprobe.questions.reading.sentences import RESTATES, decide, plain_answer
from kgprobe.questions.reading.text import (
    Sentence,
    fold,
    is_error,
    is_name,
    is_title,
    plain,
    sentences_of,
    tokens_of,
    without_courtesy,
    without_thinking,
)

_DECIDING = languages()[ENGLISH]
_KINDS = frozenset({"yes", "no", "negation", "true", "false", "open"})
_LITTLE = r"(?:of|the|and|for|to|in|on|at|a|an|is|or|with|from|by|de|la)"
_CAPITAL = r"[A-Z][\w'\u2019-]*"
_NAME = re.compile(rf"{_CAPITAL}(?: (?:(?:{_LITTLE} ){{0,2}}{_CAPITAL}|\d+\b))+")
_QUOTED = re.compile(r"[\"\u201c\u00ab](?P<name>[A-Z][^\"\u201c\u201d\u00bb.:\n]{2,60})[\"\u201d\u00bb]")
_MARK = "Xnamed"


def _without_deciding_names(text: str, question: str) -> tuple[str, str]:
    """The text and the question, with other words for names that hold a yes, a no or the like."""
    names = [name for name in _names(text, question) if _decides(name)]
    for number, name in enumerate(sorted(dict.fromkeys(names), key=len, reverse=True)):
        mark = _MARK + "abcdefghijklmnopqrstuvwxyz"[number % 26] * (number // 26 + 1)
        whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        text, question = whole.sub(mark, text), whole.sub(mark, question)
    return text, question


def _names(text: str, question: str) -> Iterator[str]:
    """The names of the question after its first word, and quoted titles of the text."""
    _, _, rest = question.partition(" ")
    yield from (match[0] for match in _NAME.finditer(rest))
    for match in _QUOTED.finditer(text):
        words = [token for token in tokens_of(match["name"]) if token.is_word]
        if is_title([token for token in words if not re.fullmatch(_LITTLE, token.text)]):
            yield match["name"]


def _decides(name: str) -> bool:
    tokens = [token for token in tokens_of(name) if token.is_word]
    if len(tokens) < 2 or _DECIDING.match(tokens, 0)[0] == len(tokens):
        return False
    return any(_DECIDING.match(tokens, place)[1] & _KINDS for place in range(len(tokens)))


UNDECIDED = "undecided"
NOTHING = "nothing decides"
"""The reason for an undecided answer that neither refuses nor hesitates."""

_LETTERS = {"y": "yes", "n": "no", "t": "yes", "f": "no"}
# A line that begins like this asks something else.
_NEW_TURN = re.compile(
    r"(?m)(?:^|(?<=[.!?] ))[ \t>*_#]*+(?:(?:next |new )?question\b[^\n:]{0,12}(?::|$)|q\d*\s*[:.)]|user\s*:|human\s*:"
    r"|context\s*:|passage\s*:|input\s*:|<\|?(?:user|im_start)|pregunta\s*:|frage\s*:|pergunta\s*:|domanda\s*:|вопрос\s*:|问题\s*:|質問\s*:|질문\s*:)",
    re.I,
)
_CALL = re.compile(r"\b(\w{2,40})\((\w[^(),\n]{0,60}),\s*(\w[^(),\n]{0,60})\)")
_SHORTEST_QUESTION = 4
_FIRST = 3
"""Sentences in which a plain answer in another language than the text's is looked for."""
_MOST_TURNS = 3
_LONGEST_ADDRESS = 2


def read_words(answer: str, question: str = "") -> Reading:
    """The decision of an answer to a yes-no question."""
    text = plain(answer)
    if not text:
        return Reading(UNDECIDED, "empty")
    if is_error(text):
        return Reading(UNDECIDED, "an error, not an answer")
    text = without_thinking(text)
    if not text:
        return Reading(UNDECIDED, "nothing but thinking")
    text = without_courtesy(text)
    if not text:
        return Reading(UNDECIDED, NOTHING)
    text, question = _without_deciding_names(text, question)
    claim = asked(question)
    if is_name(text) or _is_work(text, claim):
        return Reading(UNDECIDED, NOTHING)
    if (value := json_answer(text)) is not None:
        inner = plain(value.text)
        if not inner or is_error(inner):
            return Reading(UNDECIDED, value.mark)
        return _under(value.mark, _read_ours(inner, claim))
    return _read_ours(text, claim)


def _read_ours(text: str, claim: AskedClaim) -> Reading:
    """The decision of the pieces of a text that answer our question."""
    text = _CALL.sub(lambda call: _in_words(call, claim), text)
    if is_odds(text):
        return Reading(UNDECIDED, "says how likely yes and no are")
    if claim.parts:
        return conjoined(text, claim, _read_one)
    if (choice := chosen(text)) is not None:
        if not choice:
            return Reading(UNDECIDED, "lists yes and no")
        text = choice
    elif excludes(text):
        return Reading(UNDECIDED, "says which option is wrong")
    return _read_one(text, claim)


def _in_words(call: re.Match[str], claim: AskedClaim) -> str:
    """A claim that is written like a function call: "Ann is a parent of Bob" for "parent(Ann, Bob)"."""
    is_ours = call[1].lower() in ("".join(claim.relation), *claim.relation[:1])
    return f"{call[2]} is {' '.join(claim.relation)} {call[3]}" if is_ours else call[0]


def _read_one(text: str, claim: AskedClaim) -> Reading:
    text, leaves_out = without_other_questions(text, claim)
    if claim.ordinal is not None:
        text = without_ordinals(text)
    text = _before_new_turn(without_tex(text), claim)
    mark = marked(text)
    if mark is not None:
        reading = _read_text(plain(mark.text), claim)
        if reading.decision != UNDECIDED or mark.text.strip():
            return _under(mark.mark, reading)
    reading = _read_text(text, claim)
    if leaves_out and reading.decision == UNDECIDED:
        return Reading(UNDECIDED, "answers another question", reading.kind)
    return reading


def _under(mark: str, reading: Reading) -> Reading:
    return Reading(reading.decision, f"{mark}: {reading.why}", reading.kind)


def _before_new_turn(text: str, claim: AskedClaim) -> str:
    """The text up to a label such as "Question:" after a decision; or only the part that repeats our question."""
    turns = [turn.start() for turn in islice(_NEW_TURN.finditer(text), _MOST_TURNS)] if claim.claim else []
    for start, end in pairwise([*turns, len(text)]):
        if repeats(tokens_of(text[start:end]), claim):
            return text[start:end]
    for turn in islice(_NEW_TURN.finditer(text), _MOST_TURNS):
        before = text[: turn.start()]
        if before.strip() and _read_text(before, claim).decision != UNDECIDED:
            return before
    return text


def _read_text(text: str, claim: AskedClaim) -> Reading:
    text = re.sub(r"</?(?:p|b|i|em|strong|div|span|br|ul|li|u|code|h\d)\s*/?>", " ", text, flags=re.I)
    if (letter := _read_letter(text)) is not None:
        return letter
    symbols = {SYMBOLS[character] for character in text if character in SYMBOLS}
    for label in labelled(text):
        reading = _read_letter(label.text) or _read_sentences(label.text, claim)
        if reading.decision != UNDECIDED:
            return _under(label.mark, reading)
        if reading.why != NOTHING and label.mark.lower().find("final") >= 0:
            return _under(label.mark, reading)
    reading = _read_sentences(text, claim)
    is_judged = reading.why == NOTHING or reading.why == RESTATES  # "Quebec is in Canada ✅"
    if is_judged and len(symbols) == 1:
        return Reading(symbols.pop(), "a symbol")
    return reading


def _read_letter(text: str) -> Reading | None:
    bare = fold(text.strip(" \t\n*_`\"'.!()[]{}"))
    return Reading(_LETTERS[bare], f'says "{bare}"') if bare in _LETTERS else None


def _read_sentences(text: str, claim: AskedClaim) -> Reading:
    tokens = tokens_of(text)
    sentences = list(sentences_of(tokens))
    likeliest, *others = languages_of(tokens, claim.words)
    reading = _in_language(sentences, likeliest, claim)
    if reading.decision == UNDECIDED and reading.why == NOTHING:
        for sentence in sentences[:_FIRST]:
            for language in () if sentence.is_question or _is_name(sentence, claim) else others:
                if (answer := plain_answer(sentence, language)) is not None:
                    return Reading(answer.decision, answer.why)
    return reading


def _in_language(sentences: Sequence[Sentence], language: Language, claim: AskedClaim) -> Reading:
    """What the sentences decide in a language."""
    decision: ClauseDecision | None = None
    undecided: ClauseDecision | None = None
    explains = False
    read = 0
    for sentence in sentences:
        explains = explains or (decision is not None and decision.leads and language.explains(sentence.tokens))
        value = decide(sentence, language, claim)
        if sentence.is_question and decision is not None and _is_new_question(sentence, claim, language):
            break
        read += 1
        is_asked = sentence.is_question and (value is None or value.strength < ANSWER or len(sentences) > 1)
        if value is None or (is_asked and not value.changes):
            continue
        if explains and not (value.changes or value.concludes):
            continue
        if value.decision == OPEN:
            undecided = undecided or value
            decision = None if value.changes else decision
        elif decision is not None:
            decision = _later(decision, value)
        elif undecided is None or value.strength > CLAIM or value.is_whole or undecided.reports:
            decision = undecided.judged(value) if undecided is not None else value
    if decision is None or decision.decision == OPEN:
        why = decision or undecided
        return Reading(UNDECIDED, why.why if why else NOTHING)
    if is_contested(decision.decision, decision.strength, sentences[:read], language, claim):
        return Reading(UNDECIDED, f"{decision.why}, but also the opposite")
    return Reading(decision.decision, decision.why)


def _is_work(text: str, claim: AskedClaim) -> bool:
    """Whether a text is like the title of a work that addresses someone: "Yes, Giorgio", "No, No, Nanette".

    "No, Paris" is an answer that names the right thing, and so is a text with a full stop.
    """
    tokens, english = tokens_of(text), languages()[ENGLISH]
    words = [token for token in tokens if token.is_word]
    said = [token.text for token in words if token.text in ("yes", "no")]
    others = [token for token in words if token.text not in said]
    if any(not token.is_word and token.text != "," for token in tokens) or not is_title(tokens):
        return False
    if tokens[1].text != "," or not 0 < len(others) <= _LONGEST_ADDRESS or said in ([], ["no"]):
        return False
    is_answer = tuple(token.text for token in words) in english.phrases
    return not is_answer and not any(
        token.text in claim.words or english.match([token], 0)[1] or token.text in english.hints for token in others
    )


def _is_name(sentence: Sentence, claim: AskedClaim) -> bool:
    """Whether the sentence begins with a word of the question, such as a name that is a word elsewhere."""
    return sentence.tokens[0].text in claim.words


def _is_new_question(sentence: Sentence, claim: AskedClaim, language: Language) -> bool:
    """Whether a question after an answer asks something else; not "Is it?"."""
    words = [token for token in sentence.tokens if token.is_word]
    others = [word for word in words[1:] if word.text not in claim.words | language.subjects | language.verbs]
    is_said = all(language.match(words, place)[0] for place, word in enumerate(words) if word in others)
    return len(words) >= _SHORTEST_QUESTION or (words[:1] != [] and words[0].text in language.verbs and not is_said)


def _later(earlier: ClauseDecision, value: ClauseDecision) -> ClauseDecision:
    """Which of two decisions holds: the later one if it is a plain answer, or says that it changes or concludes."""
    if value.decision == earlier.decision:
        return earlier if earlier.strength >= value.strength else value
    if earlier.reports:
        return earlier.judged(value)
    if value.changes or value.concludes:
        return value
    if value.strength == ANSWER:
        return earlier if earlier.leads and value.is_aside else value
    if value.strength == REMARK and earlier.strength == CLAIM and earlier.is_whole:
        # "X is Y. That is false" judges the claim; "X is not Y. That is true" can judge either.
        return (
            value
            if earlier.decision == "yes"
            else ClauseDecision(OPEN, REMARK, "denies the claim, and judges something")
        )
    if value.strength == CLAIM and value.is_whole:
        if earlier.strength < ANSWER:
            return value
        return ClauseDecision(OPEN, ANSWER, f"says {earlier.decision}, and a claim to the contrary")
    return earlier
