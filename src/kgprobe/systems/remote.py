"""Systems on a network: the server behind one, which kgprobe may start, watch and end, and the requests for a case.

A server that kgprobe started is ended if it breaks or exceeds a limit. The next case gets a new one, so that earlier
cases cannot affect it.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from kgprobe.errors import InputError, KgprobeError, UnavailableError, one_line
from kgprobe.model import Case, Crash, Observation, Status, without_colours
from kgprobe.network.exchange import (
    LARGEST_ANSWER,
    HttpAnswer,
    NoAnswerError,
    check_headers,
    check_url,
    exchange,
    reach,
)
from kgprobe.processes.channel import CUT
from kgprobe.processes.child import Child, Setup, run
from kgprobe.processes.guard import Guards
from kgprobe.processes.limits import Limits, TemporaryFolder, ending, new_folder, removed
from kgprobe.processes.programs import check_program, refusal
from kgprobe.systems.command import check_arguments, filled, is_used
from kgprobe.systems.endings import crash_in, judged
from kgprobe.systems.protocol import GraphText, TextPayload, content_for

__all__ = ["Conversation", "HttpSystem", "Remote", "Service"]

_PLACEHOLDERS = ("port", "python", "folder")
_MOST_TRIES = 3  # another process can take a free port before the server starts
_LIMITS_TO_STOP = Limits(10.0, 0)
_SECONDS_FOR_HEALTH = 5.0
_FOREVER = Limits(1e6, 0)
_SECONDS_TO_REACH = 10.0
_FIRST_SERVER_ERROR = 500
_SECONDS_TO_GO = 0.5  # from the moment when a server breaks the connection to the end of its process


@dataclass(slots=True)
class _Running:
    child: Child
    folder: TemporaryFolder
    values: Mapping[str, str]
    reader: threading.Thread
    bell: socket.socket
    wake: socket.socket
    is_detached: bool = False
    stop: Callable[[], object] | None = None


class Service:
    """Commands with `{port}` for a free port, `{folder}` for the service's folder, and `{python}` for Python.

    `health` is a URL that answers without a server error (5xx) once the server is ready, or a command that then ends
    with 0. If there is a `stop` command, a start command may end with 0 and leave the server running in the background.
    """

    def __init__(
        self,
        start: Sequence[str],
        *,
        health: str | Sequence[str],
        stop: Sequence[str] | None = None,
        seconds_to_start: float = 30.0,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._start = check_arguments(start, _PLACEHOLDERS, what="the start of a service")
        self._stop = None if stop is None else check_arguments(stop, _PLACEHOLDERS, what="the stop of a service")
        self._health = (
            check_url(health)
            if isinstance(health, str)
            else check_arguments(health, _PLACEHOLDERS, what="the health check of a service")
        )
        self._seconds = seconds_to_start
        self._folder = folder
        self._environment = dict(environment or {})
        self._running: list[_Running] = []  # a list, so that the finalizer sees changes without holding the service
        self._guards = Guards()  # for health checks and the stop command
        self._finalizer = weakref.finalize(self, _end_all, self._running, self._guards)

    @property
    def pid(self) -> int | None:
        """Its process, if one runs."""
        return self._running[0].child.pid if self._running else None

    @property
    def exit_code(self) -> int | None:
        """The exit code if its process ended by itself; None if it runs, or was never started."""
        if not self._running or self._running[0].is_detached:
            return None
        return self._running[0].child.exit_code

    @property
    def lost(self) -> str:
        """Its attack on its guard: "killed" or "stopped"; empty if there was none."""
        return self._running[0].child.lost if self._running else ""

    def forget(self) -> None:
        """Drop the output of its process so far: later output belongs to the next case."""
        for running in self._running:
            running.child.read()
            running.child.stdout.clear()
            running.child.stderr.clear()

    def said(self) -> str:
        """The output of its process since `forget`, standard error last."""
        if not self._running:
            return ""
        child = self._running[0].child
        if self.exit_code is not None:
            self._running[0].reader.join(1)  # its last output may not have been read yet
        child.read()
        return "\n".join(filter(None, [child.stdout.text(), child.stderr.text()]))

    def filled(self, text: str) -> str:
        """A text with its placeholders replaced, such as the port of the running server."""
        return filled(text, self._running[0].values) if self._running else text

    def resident_mb(self) -> float:
        """The memory that it uses."""
        return self._running[0].child.resident_mb() if self._running else 0.0

    def start(self) -> None:
        """Start it, if it does not run, and wait until it is healthy; UnavailableError if that takes too long."""
        if self._running:
            if self.exit_code is None:
                return
            self.close()
        tries = _MOST_TRIES if is_used("port", self._start) else 1
        for left in reversed(range(tries)):
            try:
                self._start_once()
                return
            except _EndedError as error:
                if not left:
                    raise UnavailableError(error.message, hint=error.hint) from None

    def wait_for_end(self, seconds: float) -> int | None:
        """The exit code, if its process ends by itself within some seconds."""
        end = time.perf_counter() + seconds
        while self._running and self.exit_code is None and time.perf_counter() < end:
            time.sleep(0.01)
        return self.exit_code

    def close(self) -> None:
        """Run the stop command, and end what is left."""
        _end_all(self._running, self._guards)

    def _start_once(self) -> None:
        folder = new_folder()
        inside = Path(folder.name).resolve()
        values = {"port": str(_free_port()), "python": sys.executable, "folder": str(inside)}
        arguments = [filled(word, values) for word in self._start]
        try:
            child = Child(arguments, self._setup(inside))
        except OSError as error:
            removed(folder)
            path = self._environment.get("PATH", os.environ.get("PATH"))
            check_program(arguments[0], what="a service", folder=self._folder, path=path)
            raise UnavailableError(f"the service {refusal(arguments[0], self._folder or inside, error)}") from None
        bell, wake = socket.socketpair()
        reader = threading.Thread(target=_read_all, args=(child, wake), daemon=True)
        running = _Running(child, folder, values, reader, bell, wake)
        if self._stop is not None:
            stop = [filled(word, values) for word in self._stop]
            running.stop = partial(_succeeds, stop, _LIMITS_TO_STOP, self._setup(inside), self._guards)
        reader.start()
        self._running.append(running)
        try:
            self._wait_for_health(running)
        except BaseException:
            self.close()
            raise

    def _setup(self, scratch: Path) -> Setup:
        return Setup(folder=self._folder, environment=self._environment, scratch=scratch)

    def _wait_for_health(self, running: _Running) -> None:
        end = time.perf_counter() + self._seconds
        pause = 0.01
        while True:
            code = running.child.exit_code
            if code == 0 and self._stop is not None:
                running.is_detached = True
            elif code is not None:
                running.reader.join(1)
                what = f"the service {self._start[0]} ended immediately ({ending(code)})"
                raise _EndedError(what + self._words(running))
            left = end - time.perf_counter()
            if left <= 0:
                raise UnavailableError(
                    f"the service {self._start[0]} was not ready within {self._seconds:g} s" + self._words(running)
                )
            if self._is_healthy(running, min(left, _SECONDS_FOR_HEALTH)) and (
                running.is_detached or running.child.exit_code is None
            ):
                return
            time.sleep(min(pause, max(0.0, left)))
            pause = min(2 * pause, 0.25)

    def _is_healthy(self, running: _Running, seconds: float) -> bool:
        if isinstance(self._health, str):
            try:
                return exchange("GET", filled(self._health, running.values), seconds=seconds).status < 500
            except NoAnswerError:
                return False
        arguments = [filled(word, running.values) for word in self._health]
        inside = Path(running.folder.name).resolve()
        return _succeeds(arguments, Limits(seconds, 0), self._setup(inside), self._guards)

    def _words(self, running: _Running) -> str:
        words = running.child.stderr.text().strip().splitlines()
        return one_line(f": {words[-1]}") if words else ""


class _EndedError(UnavailableError):
    """A server that ended before it was ready: another port may help."""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _read_all(child: Child, wake: socket.socket) -> None:
    """Read the output of a server until it ends or `wake` is readable: otherwise, a full pipe would block it."""

    def is_done() -> bool:
        return child.exit_code is not None or _has_rung(wake)

    child.watch(_FOREVER, wake=wake, is_done=is_done)
    child.read()


def _has_rung(wake: socket.socket) -> bool:
    try:
        return bool(wake.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK))
    except BlockingIOError:
        return False


def _succeeds(arguments: Sequence[str], limits: Limits, setup: Setup, guards: Guards) -> bool:
    """Whether a command ends with 0."""
    try:
        ended = run(arguments, limits, setup, guards=guards)
    except OSError:
        return False
    return ended.passed is None and ended.code == 0


def _end_all(running: list[_Running], guards: Guards) -> None:
    while running:
        each = running.pop()
        if each.stop is not None and (each.is_detached or each.child.exit_code is None):
            each.stop()
            each.child.wait(1.0)  # it may be about to end
        each.bell.send(b"!")
        each.reader.join()
        each.child.end()
        each.bell.close()
        each.wake.close()
        removed(each.folder)
    guards.close()


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


# As uvicorn, gunicorn, werkzeug, Django, nginx and others write it, as Express does, and as Python's socketserver
# frames a traceback.
_REQUEST = re.compile(
    r"""["\s](?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\ \S+\ HTTP/\d(?:\.\d)?"\s*(?:\d{3}|-)
    |^\s*(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\ /\S*\ \d{3}\ [\d.]+\ *m?s\b
    |^-{40}$|^Exception\ (?:occurred|happened)\ during\ processing\ of\ request\ from\ """,
    re.VERBOSE,
)


def _without_requests(log: str) -> str:
    """The log of a server without colours, and without the lines that only say that it was asked."""
    lines = without_colours(log).split("\n")
    return "\n".join(line for line in lines if not _REQUEST.search(line))


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
        stderr = "" if is_well else _without_requests(service.said())
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


# -- a service that gets each case in a request ------------------------------------------------------------------------


class HttpSystem:
    """The payload is the body of a request; the answer is a value if it is JSON, otherwise text.

    The exit code is always the status of the answer. A `{port}` in the URL is that of the service.
    """

    def __init__(
        self,
        name: str,
        url: str,
        *,
        method: str = "POST",
        payload: TextPayload | None = None,
        headers: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        service: Service | None = None,
    ) -> None:
        self.name = name
        self._url = check_url(url)
        if not (method.isascii() and method.isalpha()):
            raise InputError(f"'{method}' is not an HTTP method", hint="write POST or PUT")
        self._method = method.upper()
        self._payload = payload or GraphText()
        self._headers = {
            "Content-Type": self._payload.media_type,
            "Accept": "*/*",
            **check_headers(headers or {}),
        }
        self._remote = Remote(name, self._url, limits, service)

    def start(self) -> None:
        """Start the service, or check that the server can be reached."""
        self._remote.start()

    def run(self, case: Case) -> Observation:
        """Send a case, and wait for the answer."""
        body = content_for(case, self._payload, self.name)
        if isinstance(body, Observation):
            return body

        def talk(conversation: Conversation) -> Observation:
            return self._observed(conversation.ask(self._method, self._url, body=body, headers=self._headers))

        return self._remote.observe(talk)

    def close(self) -> None:
        """End the service."""
        self._remote.close()

    def _observed(self, answer: HttpAnswer) -> Observation:
        value, remark = _value(answer)
        return Observation(
            self.name,
            Status.FINISHED,
            value=value,
            exit_code=answer.status,
            stdout="" if value is not None else answer.text,
            remark=remark,
            is_unreadable=bool(remark),
            is_response=True,
        )


def _value(answer: HttpAnswer) -> tuple[Any, str]:
    """The answer if it is JSON, or a remark if it should be."""
    if answer.is_cut:
        return None, f"the answer {CUT} {LARGEST_ANSWER} bytes"
    if answer.media_type != "application/json" and not answer.media_type.endswith("+json"):
        return None, ""
    try:
        return json.loads(answer.body), ""
    except (ValueError, RecursionError):
        return None, f"the answer is declared as {answer.media_type}, but is not valid JSON"
