"""An oracle that calls a Python function of the user."""

from __future__ import annotations

import functools
import inspect
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any, ClassVar, TypeAlias

from kgprobe.errors import InputError, KgprobeError, Position, one_line
from kgprobe.model import Case, Failure, Observation, Outcome, Verdict
from kgprobe.oracles.protocol import Observed, of_each_finished, the_case_itself
from kgprobe.oracles.signatures import way_told_by

__all__ = ["Judgement", "Predicate"]

Judgement: TypeAlias = bool | str | None
_SHOWN = 60
_LONGEST_KIND = 120
# The parts that vary from graph to graph: names, quoted texts, and words with digits or underscores.
_OF_THE_GRAPH = re.compile(
    r"""<[^<>\s]*> | "[^"]*" | (?<!\w)'[^']*'(?!\w) | \w+:(?://)?[^\s,;]+ | [^\s,;()]*[\d_][^\s,;()]*""", re.VERBOSE
)


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
            found: object = self.function(case, seen)
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
