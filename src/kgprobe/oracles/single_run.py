"""Oracles for a single run: how it ended, whether its output is right, and the judgement of a function of the user."""

from __future__ import annotations

import functools
import inspect
import json
import re
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, islice
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar, TypeAlias

from kgprobe.errors import InputError, KgprobeError, Position, one_line
from kgprobe.formats.files import read_graph
from kgprobe.given_files import read_text
from kgprobe.masks.ask import AskCheck
from kgprobe.masks.mask import DEFAULT_SECONDS
from kgprobe.model import (
    Case,
    Crash,
    Failure,
    Input,
    Observation,
    Outcome,
    Status,
    Verdict,
    Way,
    is_of_the_language,
)
from kgprobe.oracles.differences import of_texts
from kgprobe.oracles.facts import listed
from kgprobe.oracles.protocol import Observed, Oracle, merged, of_each_finished, the_case_itself
from kgprobe.oracles.signatures import crash_shape, way_of, way_told_by
from kgprobe.user_functions import called
from kgprobe.wording import number_of

__all__ = [
    "ORACLES",
    "Beside",
    "ExitStatus",
    "ExpectedOutput",
    "Judgement",
    "Maker",
    "OutputQuery",
    "Part",
    "Predicate",
]

_PASS = Verdict(Outcome.PASS)
Judgement: TypeAlias = bool | str | None
_SHOWN = 60
_MOST_FRAMES = 20
_LONGEST_CYCLE = 6
# Under which other people's servers and containers run a Java program.
_JAVA_FRAMEWORK = re.compile(
    r"org\.(?:springframework|apache\.\w+|eclipse\.jetty|glassfish\.\w+|jboss\.\w+|junit)|io\.(?:netty|undertow|quarkus"
    r"|micronaut|vertx)|jakarta\.servlet|reactor\.\w+(?=\.)|com\.sun\.\w+"
)
_LONGEST_KIND = 120
# The parts that vary from graph to graph: names, quoted texts, and words with digits or underscores.
_OF_THE_GRAPH = re.compile(
    r"""<[^<>\s]*> | "[^"]*" | (?<!\w)'[^']*'(?!\w) | \w+:(?://)?[^\s,;]+ | [^\s,;()]*[\d_][^\s,;()]*""", re.VERBOSE
)


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
        return merged(map(self.of, observed.on(case.input)))

    def of(self, seen: Observation) -> Verdict:
        """The verdict on one run."""
        if seen.obstacle:
            return Verdict(Outcome.UNDECIDED, seen.obstacle)
        if seen.status is Status.CRASHED:
            return _crashed(seen)
        if not seen.is_finished:
            took = f"{seen.status} after {seen.seconds:.3g} s" if seen.seconds else ""
            return _failed(Failure(seen.system, seen.status.ending, "", tuple(filter(None, [took, seen.remark]))))
        if seen.exit_code in self.invalid:
            why = f"{seen.system} does not accept the graph: exit status {seen.exit_code}"
            return Verdict(Outcome.INVALID, why)
        if seen.exit_code is None or seen.exit_code in self.allowed:
            return _PASS
        if seen.crash is not None:  # a server that survives an exception answers with a status
            return _crashed(seen)
        last = seen.stderr.strip().splitlines()[-1:]
        shape = str(seen.exit_code)
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
    frames = islice(_without_repetitions([f"at {frame}" for frame in _frames(seen.crash)]), _MOST_FRAMES)
    return (*_sentence(seen.crash.kind, seen.crash.message).splitlines(), *line, *frames)


def _frames(crash: Crash) -> Iterator[str]:
    """The frames of a crash. Those of libraries that follow each other are one line."""
    libraries = [*crash.libraries, *map(_framework, crash.frames[len(crash.libraries) :])]
    for is_own, group in groupby(zip(crash.frames, libraries, strict=True), key=lambda each: not each[1]):
        frames = list(group)
        if is_own or len(frames) == 1:
            yield from (frame for frame, _ in frames)
        else:
            names = listed(list(dict.fromkeys(library for _, library in frames)))
            yield f"{number_of(len(frames), 'frame')} of {names}"


def _without_repetitions(frames: Sequence[str]) -> Iterator[str]:
    """The frames, in which functions that call each other again and again are shown once."""
    start = 0
    while start < len(frames):
        length, times = max(
            ((length, _times(frames, start, length)) for length in range(1, _LONGEST_CYCLE + 1)),
            key=lambda found: (found[1] > 2, -found[0]),
        )
        yield from frames[start : start + length]
        if times > 2:
            yield f"{'this frame' if length == 1 else f'these {length} frames'} {times - 1} more times"
        start += length * (times if times > 2 else 1)


def _times(frames: Sequence[str], start: int, length: int) -> int:
    """How often the frames at this place are there, one after another."""
    cycle, times = frames[start : start + length], 1
    while frames[start + times * length : start + (times + 1) * length] == cycle:
        times += 1
    return times


def _framework(frame: str) -> str:
    """The framework that a Java frame belongs to; empty for frames of the system."""
    if is_of_the_language(frame):
        return "Java"
    found = _JAVA_FRAMEWORK.match(frame)
    return found[0] if found else ""


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
        difference = of_texts(expected, found, ("expected", "observed"))
        if difference is None:
            return Verdict(Outcome.PASS)
        way = Way(difference=difference.kinds)
        failure = Failure(seen.system, "unexpected output", str(self.part), difference.lines, way)
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


@dataclass(frozen=True, slots=True)
class Predicate:
    """A function that returns whether an answer is right: True, False, or None if it cannot tell.

    It may also return a text that describes the failure. The part before the first colon is the kind of failure.
    Failures are grouped by predicate and kind, since the rest may contain names of the graph. Names, quoted texts and
    numbers in the kind are ignored.
    """

    function: Callable[[Case, Observation], Judgement]
    name: str
    compares_systems: ClassVar[bool] = False
    needs = the_case_itself

    def judge(self, case: Case, observed: Observed) -> Verdict:
        return of_each_finished(observed.on(case.input), lambda seen: self._verdict(case, seen))

    def _verdict(self, case: Case, seen: Observation) -> Verdict:
        found = self._call(case, seen)
        if found is True:
            return Verdict(Outcome.PASS)
        if found is None:
            return Verdict(Outcome.UNDECIDED, f"the predicate '{self.name}' cannot tell for {seen.system}")
        words = found if isinstance(found, str) and found else f"the predicate '{self.name}' does not hold"
        kind = _kind(words)
        shape = f"{self.name}: {kind}" if kind else self.name
        failure = Failure(seen.system, "predicate", shape, tuple(words.splitlines()), way_told_by(words))
        return Verdict(Outcome.FAIL, failures=(failure,))

    def _call(self, case: Case, seen: Observation) -> Judgement:
        try:
            found: object = called(self.function, case, seen)
        except KgprobeError:
            raise
        except (Exception, SystemExit) as error:
            message = f"the predicate '{self.name}' failed: {type(error).__name__}: {error}"
            raise InputError(message, where=_position(self.function, error)) from error
        if found is None or isinstance(found, bool | str):
            return found
        message = f"the predicate '{self.name}' returned {one_line(repr(found))[:_SHOWN]}"
        hint = "it must return True, False, None or a text that describes the failure"
        raise InputError(message, where=_position(self.function, None), hint=hint)


def _kind(words: str) -> str:
    """The kind of failure that a text begins with; empty if it has none."""
    before, colon, _ = words.strip().split("\n", 1)[0].partition(": ")
    if not colon or len(before) > _LONGEST_KIND:
        return ""
    kind = " ".join(_OF_THE_GRAPH.sub("…", before).split())
    return kind if any(character.isalpha() for character in kind) else ""


def _position(function: Callable[..., Any], error: BaseException | None) -> Position | None:
    """The innermost line of the function's file in the traceback, or else the start of the function."""
    code = _code(function)
    if code is None:
        return None
    frames = traceback.extract_tb(error.__traceback__) if error else []
    lines = [frame.lineno for frame in frames if frame.filename == code.co_filename]
    return Position(code.co_filename, lines[-1] if lines else code.co_firstlineno)


def _code(function: Any) -> CodeType | None:
    """The code of a function, or of the `__call__` method of an object."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    return code if isinstance(code, CodeType) else None


# -- in a profile ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Beside:
    """What oracles are made with, beside the value of their key.

    `endings` judges how runs ended. `questions` has an element for each system: the question that it answers, if known.
    """

    endings: ExitStatus
    questions: tuple[str | None, ...]


Maker: TypeAlias = Callable[[Any, Beside], Iterable[Oracle]]
"""Makes the oracles that the value of a key of [oracle] asks for; none if it asks for none."""


def _expected(file: Path | None, _beside: Beside) -> Iterable[Oracle]:
    return () if file is None else (ExpectedOutput(read_text(file)),)


def _queries(files: Iterable[Path], _beside: Beside) -> Iterable[Oracle]:
    return (OutputQuery(read_text(file), file.name) for file in files)


ORACLES: Mapping[str, Maker] = {"expected": _expected, "queries": _queries}
"""What makes these oracles, by the fields of [oracle]."""
