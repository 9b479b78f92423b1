"""Compares what a system says with what it must say, whatever the graph is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from kgprobe.errors import InputError
from kgprobe.model import Case, Failure, Observation, Outcome, Verdict
from kgprobe.oracles.combined import of_each_finished
from kgprobe.oracles.protocol import Observed, the_case_itself
from kgprobe.oracles.wording import text_difference

__all__ = ["ExpectedOutput", "Part"]


class Part(StrEnum):
    """What of an observation is compared."""

    STDOUT = "stdout"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class ExpectedOutput:
    """The standard output must be this text, or the answer must be this JSON.

    How lines end, and whether the last one does, is no difference. Nor is the order of keys in JSON.
    """

    text: str
    part: Part = Part.STDOUT
    name: str = "expected output"
    compares_systems: ClassVar[bool] = False
    needs = the_case_itself

    def __post_init__(self) -> None:
        if self.part is Part.VALUE:
            _parsed(self.text)

    def judge(self, case: Case, observed: Observed) -> Verdict:
        expected = _lines(self.text) if self.part is Part.STDOUT else _json(_parsed(self.text))
        return of_each_finished(observed.on(case.input), lambda seen: self._verdict(expected, seen))

    def _verdict(self, expected: str, seen: Observation) -> Verdict:
        found = _lines(seen.stdout) if self.part is Part.STDOUT else _json(seen.value)
        if found == expected:
            return Verdict(Outcome.PASS)
        failure = Failure(seen.system, "unexpected output", str(self.part), text_difference(expected, found))
        return Verdict(Outcome.FAIL, failures=(failure,))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"the expected value is no JSON: {error}") from None


def _lines(text: str) -> str:
    return "\n".join(text.replace("\r\n", "\n").removesuffix("\n").split("\n"))


def _json(value: Any) -> str:
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False, indent=1)


def _plain(value: Any) -> Any:
    """The value with what JSON does not have as what it has; a set as a list in order of its texts."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((_plain(item) for item in value), key=lambda item: json.dumps(item, sort_keys=True))
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
