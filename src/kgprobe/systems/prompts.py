"""Questions as payloads: the prompt for a question, and the values that a program, a function or a service gets.

Each case is a dialogue of one question. The reply of a system is text, in the standard output of its observation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from kgprobe.errors import InputError, did_you_mean
from kgprobe.model import Case, Crash, Dialogue, Observation, Prompt, Status
from kgprobe.processes.channel import CUT, MOST_KEPT
from kgprobe.systems.protocol import System, Understood

__all__ = [
    "DEFAULT_PROMPTS",
    "PromptObject",
    "PromptText",
    "QuestionObject",
    "QuestionText",
    "check_template",
    "prompt_of",
    "reply_text",
    "replying",
]

_PLACEHOLDERS = ("context", "question")
_WORD = re.compile(r"\{(\w+)\}")
DEFAULT_PROMPTS: Mapping[str, str] = {
    "yes-no": "{context}\n{question}\nAnswer yes or no.",
    "choice": "{context}\n{question}\nAnswer with one of the given choices, and nothing else.",
    "open": "{context}\n{question}\nAnswer with a name, and nothing else.",
}
"""The templates of prompts for each form of question."""


def check_template(template: str) -> str:
    """The template of a prompt, or InputError."""
    names = [placeholder[1] for placeholder in _WORD.finditer(template)]
    for name in names:
        if name not in _PLACEHOLDERS:
            hint = did_you_mean(name, _PLACEHOLDERS, "write {context} or {question}", shown="'{{{}}}'")
            raise InputError(f"a prompt has no placeholder '{{{name}}}'", hint=hint)
    if "question" not in names:
        raise InputError("a prompt needs the placeholder '{question}'")
    return template


class _Template:
    """A template, or the default for each form of question."""

    def __init__(self, template: str | None = None) -> None:
        self._template = None if template is None else check_template(template)

    def filled(self, prompt: Prompt) -> str:
        """The prompt for a question. Names in it may contain braces: they are not placeholders."""
        template = self._template or DEFAULT_PROMPTS.get(prompt.form, DEFAULT_PROMPTS["yes-no"])
        if not prompt.context:  # a line for the context would be empty
            template = "\n".join(line for line in template.split("\n") if line.strip() != "{context}")
        values = {"context": prompt.context, "question": prompt.text}
        return _WORD.sub(lambda found: values[found[1]], template)


class PromptText(_Template):
    """The prompt for a question, as text. In the arguments of a command, `{prompt}` is the text itself."""

    name = "prompt"
    extension = "txt"
    media_type = "text/plain; charset=utf-8"
    is_argument = True

    def content(self, case: Case) -> bytes:
        """The prompt."""
        return self.filled(prompt_of(case)).encode(errors="replace")


class PromptObject(_Template):
    """The prompt for a question, as a string."""

    def content(self, case: Case) -> str:
        """The prompt."""
        return self.filled(prompt_of(case))


class QuestionObject(_Template):
    """A question as a value: its text, its context, and the prompt that is made from them."""

    def content(self, case: Case) -> dict[str, str]:
        """The value."""
        prompt = prompt_of(case)
        return {"question": prompt.text, "context": prompt.context, "prompt": self.filled(prompt)}


class QuestionText(QuestionObject):
    """A question as JSON, for a service."""

    name = "question"
    extension = "json"
    media_type = "application/json"
    is_argument = False

    def content(self, case: Case) -> bytes:  # type: ignore[override]  # the same value, as text
        """The value as JSON."""
        return json.dumps(super().content(case)).encode()


def prompt_of(case: Case) -> Prompt:
    """The question of a case. InputError if it is something else."""
    if not isinstance(case.input, Dialogue):
        raise InputError(f"case {case.name} is a {case.input.kind}, not a question")
    if len(case.input.prompts) != 1:
        raise InputError(f"case {case.name} has {len(case.input.prompts)} questions; one can be asked at a time")
    return case.input.prompts[0]


# -- replies -----------------------------------------------------------------------------------------------------------


def replying(system: System, statuses: Collection[int]) -> System:
    """A system that is asked questions: its reply is text, in `stdout`, whatever kind of system it is.

    A run that ended with a status other than `statuses` has no reply, and so it is not finished.
    """

    def read(seen: Observation) -> Observation:
        if seen.exit_code is not None and seen.exit_code not in statuses:
            what = f"exit status {seen.exit_code}"
            crash = seen.crash or Crash(what)
            return replace(seen, status=Status.CRASHED, crash=crash, remark=seen.remark or f"no answer: {what}")
        if CUT in seen.remark:
            return replace(seen, status=Status.CRASHED, crash=seen.crash or Crash("too long an answer"))
        if seen.value is None:
            text = seen.stdout if seen.output is None else seen.output.decode(errors="replace")
            return replace(seen, stdout=reply_text(text), output=None)
        return replace(seen, stdout=reply_text(seen.value), value=None)

    return Understood(system, read)


def reply_text(value: Any) -> str:
    """The text of a reply. A truth value is yes or no, and an object may have the reply in `answer`."""
    if isinstance(value, Mapping) and "answer" in value:
        value = value["answer"]
    match value:
        case None:
            text = ""
        case bool():
            text = "yes" if value else "no"
        case str():
            text = value
        case _:
            text = json.dumps(value, ensure_ascii=False, default=str)
    # A lone half of a character is not text: no file could keep it.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text if len(text) <= MOST_KEPT else f"{text[:MOST_KEPT]}\n(the answer {CUT} {MOST_KEPT} characters)"
