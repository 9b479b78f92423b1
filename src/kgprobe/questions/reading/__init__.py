"""Readers of answers: what a system decided, whatever the form and language of its reply.

Entry points: `read_answer` for a yes-no question, and `reader_for` for any question. Start with `words`, the default
reader, which takes these steps:

1. `text` removes thinking, recognises errors, and makes tokens and sentences.
2. `marks` finds where the answer is: JSON, boxes, labels, options ("A. Yes, B. No").
3. `other_questions` leaves out what is not about our question, and reads several claims one by one. `question` takes
   the question apart, and `topics` says what a piece of a sentence is about.
4. `sentences` combines what the clauses of a sentence decide: `clause_values` reads answers and negations, `claims`
   restated claims. `languages` and `languages.toml` have the words.
5. `agreement` looks for signs of the opposite, and nothing is decided if one has no explanation.

`names` reads the answers to choices and open questions, and says what is wrong with an undecided answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kgprobe.errors import InputError, did_you_mean
from kgprobe.model import Prompt, Reading
from kgprobe.questions.reading.names import kind_of, read_name
from kgprobe.questions.reading.other_readers import read_paper, read_similarity
from kgprobe.questions.reading.words import NOTHING, UNDECIDED, read_words

__all__ = ["READERS", "reader_for", "yes_no_reader"]

READERS: Mapping[str, Callable[[str, str], Reading]] = {
    "words": read_words,
    "paper": read_paper,
    "similarity": read_similarity,
}
"""The readers of yes-no answers by name: each takes an answer and its question."""


def read_answer(answer: str, question: str = "", reader: str = "words") -> Reading:
    """The decision of an answer to a yes-no question: "yes", "no" or "undecided"."""
    return yes_no_reader(reader)(answer, question)


def reader_for(name: str) -> Callable[[str, Prompt], Reading]:
    """A function that reads the answer to a prompt of any form, with the reader of this name."""
    read = yes_no_reader(name)

    def read_prompt(answer: str, prompt: Prompt) -> Reading:
        if prompt.form != "yes-no":
            return read_name(answer, prompt)
        reading = read(answer, prompt.text)
        if reading.decision != UNDECIDED or not _is_something_else(answer, prompt):
            return reading
        return Reading(UNDECIDED, reading.why, kind_of(answer, prompt))

    return read_prompt


def _is_something_else(answer: str, prompt: Prompt) -> bool:
    """Whether an answer is something else than yes or no, and neither an error nor a refusal nor a doubt."""
    reading = read_words(answer, prompt.text)
    return reading.decision == UNDECIDED and reading.why.endswith(NOTHING)


def yes_no_reader(name: str) -> Callable[[str, str], Reading]:
    """The function that reads answers to yes-no questions, by the name of the reader. It takes answer and question."""
    if name not in READERS:
        hint = did_you_mean(name, READERS, f"one of {', '.join(READERS)}")
        raise InputError(f"no reader named '{name}'", hint=hint)
    return READERS[name]
