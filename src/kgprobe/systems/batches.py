"""A Python function that answers many questions in one call.

Threads that ask at the same time share a batch: while the function works on one, the next one grows.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgprobe.model import Case, Crash, Observation, Status
from kgprobe.processes.limits import Limits
from kgprobe.systems.function import FunctionSystem
from kgprobe.systems.protocol import Payload, content_for

__all__ = ["BatchedFunction", "Batches", "batches_for"]

_MOST = 64  # questions in a call


@dataclass(eq=False)
class _Question:
    content: object
    seen: Observation | None = None


class Batches:
    """A function that gets a list of questions and returns a list of answers. Threads may share it."""

    def __init__(self, function: FunctionSystem, limits: Limits) -> None:
        self._function = function
        self._limits = limits
        self._waiting: deque[_Question] = deque()
        self._turn = threading.Lock()

    def start(self) -> None:
        """Start the process of the function."""
        with self._turn:
            self._function.start()

    def asked(self, content: object) -> Observation:
        """The answer to a question, which is asked together with the questions of other threads."""
        question = _Question(content)
        self._waiting.append(question)
        while question.seen is None:
            with self._turn:  # while this thread waited here, another may have asked its question
                if question.seen is None:
                    self._ask([self._waiting.popleft() for _ in range(min(_MOST, len(self._waiting)))])
        return question.seen

    def _ask(self, batch: Sequence[_Question]) -> None:
        try:
            observed = self._observed([each.content for each in batch])
        except BaseException:
            self._waiting.extendleft(reversed(batch))  # the other threads still wait for theirs
            raise
        for question, seen in zip(batch, observed, strict=True):
            question.seen = seen

    def _observed(self, contents: list[object]) -> list[Observation]:
        count = len(contents)
        seen = self._function.observe(contents, replace(self._limits, seconds=count * self._limits.seconds))
        if seen.is_finished and isinstance(seen.value, list) and len(seen.value) == count:
            return [replace(seen, value=value, seconds=seen.seconds / count) for value in seen.value]
        if count > 1:  # one of them may be to blame
            return [observation for content in contents for observation in self._observed([content])]
        if not seen.is_finished:
            return [seen]
        message = "it must return a list with an answer to each question"
        return [replace(seen, status=Status.CRASHED, value=None, crash=Crash("no answer", message), remark=message)]


class BatchedFunction:
    """The function as one thread uses it."""

    def __init__(self, name: str, batches: Batches, payload: Payload[object]) -> None:
        self.name = name
        self._batches = batches
        self._payload = payload

    def start(self) -> None:
        """Start the process of the function."""
        self._batches.start()

    def run(self, case: Case) -> Observation:
        """Ask a question."""
        content = content_for(case, self._payload, self.name)
        return content if isinstance(content, Observation) else self._batches.asked(content)

    def close(self) -> None:
        """Do nothing: the process ends when no thread uses the function any more."""


_batches: weakref.WeakValueDictionary[str, Batches] = weakref.WeakValueDictionary()
_choosing = threading.Lock()


def batches_for(key: str, function: FunctionSystem, limits: Limits) -> Batches:
    """The batches of this process with this key; those of the function if there are none yet."""
    with _choosing:
        found = _batches.get(key)
        if found is None:
            found = Batches(function, limits)
            _batches[key] = found
        return found
