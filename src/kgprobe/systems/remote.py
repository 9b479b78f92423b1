"""The common part of systems on a network: a time limit for each case, and optionally a server that kgprobe starts.

A server that kgprobe started is ended if it breaks or exceeds a limit. The next case gets a new one, so that earlier
cases cannot affect it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from kgprobe.errors import KgprobeError, UnavailableError
from kgprobe.model import Crash, Observation, Status
from kgprobe.processes.limits import Limits, ending
from kgprobe.systems.endings import crash_in, judged
from kgprobe.systems.exchange import HttpAnswer, NoAnswerError, exchange, reach
from kgprobe.systems.service import Service

__all__ = ["Conversation", "Remote"]

_SECONDS_TO_REACH = 10.0
_FIRST_SERVER_ERROR = 500
_SECONDS_TO_GO = 0.5  # from the moment when a server breaks the connection to the end of its process


@dataclass(frozen=True, slots=True)
class Conversation:
    """The requests for one case, which share a time limit."""

    limits: Limits
    service: Service | None
    start: float

    def ask(
        self, method: str, url: str, *, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> HttpAnswer:
        """The answer to one request. NoAnswerError if none arrives."""
        left = self.limits.seconds - (time.perf_counter() - self.start)
        late = NoAnswerError(Status.TIMED_OUT, f"time limit of {self.limits.seconds:g} s passed")
        if left <= 0:
            raise late
        try:
            return exchange(
                method,
                self.service.filled(url) if self.service else url,
                seconds=left,
                body=body,
                headers=headers,
                is_too_large=self._is_too_large if self.service else None,
            )
        except NoAnswerError as error:
            raise (late if error.status is Status.TIMED_OUT else error) from None

    def _is_too_large(self) -> bool:
        return self.service is not None and self.service.resident_mb() > self.limits.memory_mb


class Remote:
    """A server that kgprobe starts, or an existing one, as a system uses it."""

    def __init__(self, name: str, url: str, limits: Limits | None, service: Service | None) -> None:
        self.name = name
        self._url = url
        self._limits = limits or Limits()
        self._service = service
        self._was_reached = False

    def start(self) -> None:
        """Start the server if it is ours, otherwise check that it can be reached."""
        if self._service is not None:
            self._service.start()
        elif not self._was_reached:
            try:
                reach(self._url, _SECONDS_TO_REACH)
            except NoAnswerError as error:
                raise UnavailableError(f"'{self.name}': {error.remark}", hint="start the server first") from None
            self._was_reached = True

    def close(self) -> None:
        """End the server if it is ours."""
        self._was_reached = False
        if self._service is not None:
            self._service.close()

    def observe(self, talk: Callable[[Conversation], Observation]) -> Observation:
        """The observation of a conversation about a case, or of the failure to have one."""
        lost = self._lost()
        if self._service is not None:
            try:
                self._service.start()
            except KgprobeError as error:
                return Observation(self.name, Status.UNREACHABLE, remark=str(error))
            self._service.forget()
        conversation = Conversation(self._limits, self._service, time.perf_counter())
        try:
            seen = talk(conversation)
        except NoAnswerError as error:
            seen = Observation(self.name, error.status, crash=error.crash, remark=error.remark)
        seen = replace(seen, seconds=time.perf_counter() - conversation.start)
        seen = self._with_service(seen)
        return replace(seen, remark="; ".join(filter(None, [lost, seen.remark])))

    def _lost(self) -> str:
        """A remark if our server has ended since the last case."""
        code = self._service.exit_code if self._service is not None else None
        return "" if code is None else f"the server had ended ({ending(code)}) and was restarted"

    def _with_service(self, seen: Observation) -> Observation:
        """The observation, updated with the state of our server."""
        service = self._service
        if service is None:
            return seen
        has_broken_off = seen.status in (Status.CRASHED, Status.UNREACHABLE)
        code = service.wait_for_end(_SECONDS_TO_GO) if has_broken_off else service.exit_code
        is_well = seen.is_finished and code is None and (seen.exit_code or 0) < _FIRST_SERVER_ERROR
        stderr = "" if is_well else service.said()
        if code is not None and seen.status is not Status.TIMED_OUT and seen.status is not Status.OUT_OF_MEMORY:
            status, crash = judged(code, stderr, service.lost)
            if status is not Status.OUT_OF_MEMORY:
                last = "".join(stderr.strip().splitlines()[-1:])
                status, crash = Status.CRASHED, crash or Crash(ending(code), last)
            remark = f"the server ended ({ending(code)})"
            seen = replace(seen, status=status, crash=crash, exit_code=code, remark=remark)
        elif not is_well and seen.status in (Status.CRASHED, Status.FINISHED):
            # The server's traceback is more informative than a broken connection or a status.
            seen = replace(seen, crash=crash_in(stderr) or seen.crash)
        if not seen.is_finished:
            service.close()
        return replace(seen, stderr=seen.stderr or stderr)
