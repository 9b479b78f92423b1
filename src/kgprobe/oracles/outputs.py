"""Oracles for the output of a system: it must equal an expected text or satisfy an ASK query."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from kgprobe.errors import InputError
from kgprobe.graph.files import read_graph
from kgprobe.masks.ask import AskCheck
from kgprobe.masks.mask import DEFAULT_SECONDS
from kgprobe.model import Case, Failure, Observation, Outcome, Verdict
from kgprobe.oracles.protocol import Observed, the_case_itself
from kgprobe.oracles.signatures import way_told_by
from kgprobe.oracles.verdicts import of_each_finished
from kgprobe.oracles.wording import text_difference

__all__ = ["ExpectedOutput", "OutputQuery", "Part"]


class Part(StrEnum):
    """The part of an observation that is compared."""

    STDOUT = "stdout"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class ExpectedOutput:
    """The standard output must be this text, or the answer must be this JSON.

    Differences in line endings, a final line break, and the order of JSON keys are ignored.
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
        raise InputError(f"the expected value is not JSON: {error}") from None


def _lines(text: str) -> str:
    return "\n".join(text.replace("\r\n", "\n").removesuffix("\n").split("\n"))


def _json(value: Any) -> str:
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False, indent=1)


def _plain(value: Any) -> Any:
    """The value in JSON types; a set becomes a list, sorted by the texts of its items."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((_plain(item) for item in value), key=lambda item: json.dumps(item, sort_keys=True))
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


# -- queries over the graph that a system wrote ------------------------------------------------------------------------


class OutputQuery:
    """The answer to an ASK query over the output must be true.

    The output is the file that the system wrote, or else its standard output.
    """

    compares_systems: ClassVar[bool] = False
    needs = the_case_itself

    def __init__(
        self,
        query: str,
        name: str = "output query",
        prefixes: Mapping[str, str] | None = None,
        *,
        seconds: float = DEFAULT_SECONDS,
    ) -> None:
        """Raises InputError if the query is not an ASK query.

        It may use `prefixes` in addition to its own. `seconds` limits its running time for each output.
        """
        self.name = name
        self._check = AskCheck(query, name, prefixes, seconds=seconds)

    def judge(self, case: Case, observed: Observed) -> Verdict:
        return of_each_finished(observed.on(case.input), self._verdict)

    def _verdict(self, seen: Observation) -> Verdict:
        if seen.output is None and not seen.stdout.strip():
            return Verdict(Outcome.UNDECIDED, f"{seen.system} wrote nothing")
        try:
            graph = read_graph(seen.stdout.encode(errors="surrogatepass") if seen.output is None else seen.output)
        except InputError as error:
            failure = Failure(seen.system, "unreadable output", "", (str(error),), way_told_by(error.message))
            return Verdict(Outcome.FAIL, failures=(failure,))
        rejections = self._check.rejections(graph)
        if not rejections:
            return Verdict(Outcome.PASS)
        words = tuple(rejection.words for rejection in rejections)
        if any(rejection.is_undecided for rejection in rejections):
            return Verdict(Outcome.UNDECIDED, f"{self.name}: {'; '.join(words)}")
        return Verdict(Outcome.FAIL, failures=(Failure(seen.system, "output query", self.name, words),))
