"""Oracles for a single run: how it ended, and whether its output is the expected text or satisfies an ASK query."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from kgprobe.errors import InputError
from kgprobe.graph.files import read_graph
from kgprobe.masks.ask import AskCheck
from kgprobe.masks.mask import DEFAULT_SECONDS
from kgprobe.model import Case, Failure, Input, Observation, Outcome, Status, Verdict
from kgprobe.oracles.facts import text_difference
from kgprobe.oracles.protocol import Observed, merged, of_each_finished, the_case_itself
from kgprobe.oracles.signatures import crash_shape, way_of, way_told_by

__all__ = ["ExitStatus", "ExpectedOutput", "OutputQuery", "Part"]

_PASS = Verdict(Outcome.PASS)


@dataclass(frozen=True, slots=True)
class ExitStatus:
    """A run must finish with an allowed exit status.

    With a status in `invalid`, a system reports that it does not accept the graph.
    """

    allowed: Collection[int] = (0,)
    invalid: Collection[int] = ()
    name: str = "exit status"
    compares_systems: ClassVar[bool] = False

    def needs(self, _case: Case, _observed: Observed) -> Sequence[Input]:
        """Nothing: if no other oracle needs the case to be run, neither does this one."""
        return ()

    def judge(self, case: Case, observed: Observed) -> Verdict:
        return merged(map(self._verdict, observed.on(case.input)))

    def _verdict(self, seen: Observation) -> Verdict:
        if seen.obstacle:
            return Verdict(Outcome.UNDECIDED, seen.obstacle)
        if seen.status is Status.CRASHED:
            return _crashed(seen)
        if not seen.is_finished:
            took = f"after {seen.seconds:.3g} s" if seen.seconds else ""
            return _failed(Failure(seen.system, str(seen.status), "", tuple(filter(None, [took, seen.remark]))))
        if seen.exit_code in self.invalid:
            why = f"{seen.system} does not accept the graph: exit status {seen.exit_code}"
            return Verdict(Outcome.INVALID, why)
        if seen.exit_code is None or seen.exit_code in self.allowed:
            return _PASS
        if seen.crash is not None:  # a server that survives an exception answers with a status
            return _crashed(seen)
        last = seen.stderr.strip().splitlines()[-1:]
        shape = f"exit status {seen.exit_code}"
        return _failed(Failure(seen.system, "exit status", shape, tuple(last), way_of(seen)))


def _crashed(seen: Observation) -> Verdict:
    return _failed(Failure(seen.system, str(Status.CRASHED), crash_shape(seen), _crash_words(seen), way_of(seen)))


def _failed(failure: Failure) -> Verdict:
    return Verdict(Outcome.FAIL, failures=(failure,))


def _crash_words(seen: Observation) -> tuple[str, ...]:
    """The crash in the words of the system."""
    if seen.crash is None:
        return (seen.remark,) if seen.remark else ()
    place = seen.crash.place
    line = () if place is None else (_sentence(f"{place.file}:{place.line}", place.text),)
    frames = (f"at {frame}" for frame in seen.crash.frames[:20])
    return (*_sentence(seen.crash.kind, seen.crash.message).splitlines(), *line, *frames)


def _sentence(what: str, more: str) -> str:
    return f"{what}: {more}" if more else what


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
