"""A chat model behind an OpenAI-compatible server as a system under test: one request for each question.

A failed request is never an answer. It is sent again, more slowly; if it keeps failing, a trivial question shows
whether the server or the question is to blame. If it is the server, the campaign ends, and can be resumed.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from kgprobe.errors import InputError, KgprobeError, UnavailableError, one_line
from kgprobe.model import Case, Crash, Observation, Status, Usage
from kgprobe.network.exchange import Connections, HttpAnswer, NoAnswerError, check_url, exchange, reach
from kgprobe.processes.limits import Limits
from kgprobe.systems.pacing import Gate, Patience, seconds_asked_for
from kgprobe.systems.prompts import PromptText, reply_text
from kgprobe.systems.protocol import content_for

__all__ = ["ChatSystem", "Model", "request_url"]

_PATH = "/chat/completions"
_SECONDS_TO_REACH = 10.0
_REFUSED = frozenset({401, 402, 403, 407})
_WRONG_ADDRESS = frozenset({404, 405, 410})
_TOO_MANY = 429
_TRY_AGAIN = frozenset({408, 409, 425, _TOO_MANY})
_LONGEST_MESSAGE = 300
_MOST_TOKENS = 10**9
_BYTES_OF_A_TOKEN = 4
_SHORTEST_SECRET = 6  # a shorter key, such as "none", protects nothing, and may be part of any text
_REJECTED = (400, 422)
_TRIVIAL = "Is water wet? Answer yes or no."


def request_url(url: str) -> str:
    """The address that requests are sent to, for the address of an API. InputError if it is not a URL."""
    parts = urlsplit(check_url(url))
    if "@" in parts.netloc:  # it would be in messages and reports, so this message does not repeat it
        raise InputError("the address of a chat server has no name or password", hint="use 'key-env'")
    path = parts.path.rstrip("/")
    return urlunsplit(parts._replace(path=path if path.endswith(_PATH) else path + _PATH, fragment=""))


@dataclass(frozen=True)
class Model:
    """A model of a server, and how it is asked.

    The key is read from the variable `key_env`, and is in no message and no observation. A `temperature` of None is not
    sent. `concurrency` bounds the requests in flight.
    """

    url: str
    name: str
    key_env: str | None = None
    concurrency: int = 4
    answer_tokens: int | None = None
    temperature: float | None = 0


class ChatSystem:
    """A model that is asked. The reply to the prompt is in `stdout`; the tokens that it cost are in `usage`.

    All systems of this process with the same name and address share their connections, and the bound on requests in
    flight. `begin` is called before each request, and may refuse it with an error.
    """

    def __init__(
        self,
        name: str,
        model: Model,
        *,
        payload: PromptText | None = None,
        limits: Limits | None = None,
        begin: Callable[[], object] | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.name = name
        self._url = request_url(model.url)
        self._model = model
        self._payload = payload or PromptText()
        self._limits = limits or Limits()
        self._begin = begin or (lambda: None)
        self._patience = patience or Patience()
        self._server: _Server | None = None

    def start(self) -> None:
        """Check that the key exists and that the server can be reached."""
        self._key()
        server = self._shared()
        with server.turn:
            if not server.was_reached:
                try:
                    reach(self._url, min(_SECONDS_TO_REACH, self._limits.seconds))
                except NoAnswerError as error:
                    raise UnavailableError(f"'{self.name}': {error.remark}", hint="start the server first") from None
                server.was_reached = True

    def run(self, case: Case) -> Observation:
        """Ask a question. UnavailableError if no other question can be asked either, and errors of `begin`."""
        prompt = content_for(case, self._payload, self.name)
        if isinstance(prompt, Observation):
            return prompt
        server = self._shared()
        start = time.perf_counter()
        try:
            return self._asked(server, prompt.decode(), start)
        except KgprobeError as error:
            server.fatal = error  # the other threads need not find out by themselves
            server.gate.open()
            _retire(server)  # but the next campaign does
            raise

    def close(self) -> None:
        """Forget the server. Its connections are closed when no other thread uses them."""
        if self._server is not None:
            _retire(self._server)
        self._server = None

    # -- asking until there is a reply ---------------------------------------------------------------------------------

    def _asked(self, server: _Server, prompt: str, start: float) -> Observation:
        seed = hashlib.sha256(prompt.encode(errors="replace")).hexdigest()
        attempt = 0
        while True:
            try:
                reply = self._sent(server, prompt)
            except _FailedError as failed:
                attempt += 1
                if not failed.may_succeed or attempt >= self._tries(failed):
                    return self._given_up(server, failed, attempt, start)
                server.wait(self._patience.wait(attempt - 1, seed, failed.asked))
            else:
                usage = Usage(attempt + 1, reply.input_tokens, reply.output_tokens)
                seconds = time.perf_counter() - start
                return Observation(self.name, Status.FINISHED, seconds, stdout=reply.text, usage=usage)

    def _tries(self, failed: _FailedError) -> int:
        if failed.status is Status.TIMED_OUT:
            return self._patience.tries_if_late
        return self._patience.tries_if_busy if failed.is_busy else self._patience.tries

    def _given_up(self, server: _Server, failed: _FailedError, attempts: int, start: float) -> Observation:
        """The observation if only this question fails. UnavailableError if the server fails."""
        is_not_the_question = failed.is_busy or failed.status is Status.UNREACHABLE
        if is_not_the_question or not self._is_well(server):
            times = "" if attempts == 1 else f", {attempts} times"
            raise UnavailableError(f"'{self.name}': {failed.why}{times}", hint="the same command resumes the campaign")
        crash = None if failed.status is Status.TIMED_OUT else Crash(failed.kind, failed.why)
        seconds = time.perf_counter() - start
        usage = Usage(attempts)
        return Observation(self.name, failed.status, seconds, crash=crash, remark=failed.why, usage=usage)

    def _is_well(self, server: _Server) -> bool:
        """Whether the server answers a trivial question."""
        try:
            self._sent(server, _TRIVIAL)
        except _FailedError:
            return False
        return True

    # -- one request ---------------------------------------------------------------------------------------------------

    def _sent(self, server: _Server, prompt: str) -> _Reply:
        """The reply to one request. _FailedError if there is none."""
        body: dict[str, Any] = {
            "model": self._model.name,
            "messages": [{"role": "user", "content": prompt}],
            "stream": False,
        }
        if self._model.temperature is not None:
            body["temperature"] = self._model.temperature
        if self._model.answer_tokens is not None:
            body["max_tokens"] = self._model.answer_tokens
        key = self._key()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        with server.gate.passed() as sent:
            if server.fatal is not None:
                raise copy(server.fatal)
            self._begin()
            try:
                answer = exchange(
                    "POST",
                    self._url,
                    seconds=self._limits.seconds,
                    body=json.dumps(body).encode(),
                    headers=headers,
                    connections=server.connections,
                )
                reply = self._read(answer, prompt, _Secret(key))
            except NoAnswerError as error:
                late = f"no answer within {self._limits.seconds:g} s"
                why = late if error.status is Status.TIMED_OUT else _Secret(key).hidden(error.remark)
                server.gate.slow_down(sent)
                raise _FailedError(why, error.status, kind="no answer") from None
            except _FailedError as failed:
                if failed.may_succeed:
                    server.gate.slow_down(sent, failed.asked or 0.0)
                raise
        server.gate.speed_up()
        return reply

    def _read(self, answer: HttpAnswer, prompt: str, secret: _Secret) -> _Reply:
        """The reply in an answer of the server."""
        status = answer.status
        if 200 <= status < 300:
            return _reply_in(answer, prompt, secret)
        said = _message_in(answer, secret)
        told = f"{self._url} answered {status}" + (f": {said}" if said else "")
        if status in _REFUSED:
            hint = (
                f"check the variable {self._model.key_env}"
                if self._model.key_env
                else "name the variable of a key with 'key-env'"
            )
            raise UnavailableError(f"'{self.name}': {told}", hint=hint)
        if status in _WRONG_ADDRESS:
            raise UnavailableError(f"'{self.name}': {told}", hint="check 'chat' and 'model'")
        if 300 <= status < 400:
            to = secret.hidden(answer.headers.get("location", "another address"))
            message = f"'{self.name}': {self._url} redirects to {to}"
            raise UnavailableError(message, hint="kgprobe does not follow redirects: write the right address in 'chat'")
        if status in _REJECTED and (hint := self._remedy(said, prompt)):
            raise UnavailableError(f"'{self.name}': {told}", hint=hint)
        may_succeed = status >= 500 or status in _TRY_AGAIN
        asked = seconds_asked_for(answer.headers.get("retry-after")) if may_succeed else None
        is_busy = status == _TOO_MANY
        raise _FailedError(told, kind=f"HTTP {status}", may_succeed=may_succeed, is_busy=is_busy, asked=asked)

    def _remedy(self, said: str, prompt: str) -> str:
        """What to change in the profile if the server rejects a parameter of the request, not the question."""
        said, prompt = said.casefold(), prompt.casefold()
        if self._model.temperature is not None and "temperature" in said and "temperature" not in prompt:
            return 'write temperature = "default" for this system, so that none is sent, or a value that it accepts'
        if self._model.answer_tokens is not None and "max_tokens" in said and "max_tokens" not in prompt:
            return "remove 'answer-tokens' from this system: the server does not accept 'max_tokens'"
        return ""

    def _key(self) -> str:
        """The key, or an empty text. InputError if it does not exist or cannot be sent; it is not in the message."""
        if self._model.key_env is None:
            return ""
        key = os.environ.get(self._model.key_env, "").strip()
        if not key:
            hint = f"export {self._model.key_env}=…, or remove 'key-env'"
            raise InputError(
                f"'{self.name}' needs a key in the variable {self._model.key_env}, which is not set", hint=hint
            )
        if not (key.isascii() and key.isprintable()):
            raise InputError(
                f"the variable {self._model.key_env} of '{self.name}' has characters that a key cannot have"
            )
        return key

    def _shared(self) -> _Server:
        if self._server is None:
            self._server = _server_for(self.name, self._url, self._model.concurrency)
        return self._server


class _FailedError(Exception):
    """A request without a reply: why, whether the same request may succeed later, and the pause asked for.

    `is_busy`: the server gets too many requests, whatever the question.
    """

    def __init__(
        self,
        why: str,
        status: Status = Status.CRASHED,
        *,
        kind: str,
        may_succeed: bool = True,
        is_busy: bool = False,
        asked: float | None = None,
    ) -> None:
        super().__init__(why)
        self.why = why
        self.status = status
        self.kind = kind
        self.may_succeed = may_succeed
        self.is_busy = is_busy
        self.asked = asked


# -- what the server sends: it is not trusted --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Reply:
    text: str
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True, repr=False)
class _Secret:
    """A key. A server may repeat it, and its words are stored and printed."""

    key: str

    def hidden(self, text: str) -> str:
        """The text without the key, however it is written. Hide a key before a text is cut: a part of it is secret."""
        if len(self.key) < _SHORTEST_SECRET:
            return text
        for written in {self.key, json.dumps(self.key)[1:-1], quote(self.key, safe=""), escape(self.key)}:
            text = text.replace(written, "[key]")
        return text

    def hidden_in(self, value: Any) -> Any:
        """The same for all texts in a JSON value."""
        match value:
            case str():
                return self.hidden(value)
            case list():
                return [self.hidden_in(element) for element in value]
            case dict():
                return {self.hidden(name): self.hidden_in(inner) for name, inner in value.items()}
            case _:
                return value


def _reply_in(answer: HttpAnswer, prompt: str, secret: _Secret) -> _Reply:
    """The reply. _FailedError if there is none."""
    try:
        if answer.is_cut:
            raise ValueError("it is too long")
        value = secret.hidden_in(json.loads(answer.body))
        text = reply_text(secret.hidden(_content(value)))  # the parts of a text can be joined to the key
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        said = _message_in(answer, secret)
        why = f"the answer is not a chat completion: {said or one_line(secret.hidden(str(error)))}"
        raise _FailedError(why, kind="broken answer") from None
    usage = value.get("usage")
    given = usage if isinstance(usage, Mapping) else {}
    return _Reply(text, _tokens(given.get("prompt_tokens"), prompt), _tokens(given.get("completion_tokens"), text))


def _content(value: Any) -> str:
    """The text of the first choice. The thoughts of a model that it sends apart are not part of it."""
    message = value["choices"][0]["message"]
    content = message.get("content")
    if content is None:
        refusal = message.get("refusal")
        return refusal if isinstance(refusal, str) else ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise TypeError("its content is not text")
    return "".join(filter(None, map(_part, content)))


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        raise TypeError("its content has a part that is not text")
    text = part.get("text")
    return text if part.get("type", "text") in ("text", "output_text") and isinstance(text, str) else ""


def _tokens(told: Any, text: str) -> int:
    """The number that the server gave; if it is not plausible, an estimate."""
    if isinstance(told, int) and not isinstance(told, bool) and 0 <= told <= _MOST_TOKENS:
        return told
    return -(-len(text.encode(errors="replace")) // _BYTES_OF_A_TOKEN)


def _message_in(answer: HttpAnswer, secret: _Secret) -> str:
    """The message of the server about an error, in one line, without the key."""
    try:
        text = _message_of(secret.hidden_in(json.loads(answer.body)))
    except (ValueError, RecursionError):
        text = answer.text
    return one_line(secret.hidden(text)[: 10 * _LONGEST_MESSAGE])[:_LONGEST_MESSAGE]


def _message_of(value: Any) -> str:
    for key in ("error", "message", "detail"):
        if isinstance(value, Mapping) and value.get(key):
            value = value[key]
    if not value or (isinstance(value, Mapping) and "choices" in value):
        return ""
    return value if isinstance(value, str) else json.dumps(value)


# -- the state that all systems for a server share ---------------------------------------------------------------------


class _Server:
    """A server as all threads of this process see it."""

    def __init__(self, concurrency: int) -> None:
        self.gate = Gate(concurrency)
        self.connections = Connections()
        self.turn = threading.Lock()
        self.was_reached = False
        self.fatal: KgprobeError | None = None
        self._finalizer = weakref.finalize(self, self.connections.close)

    def wait(self, seconds: float) -> None:
        """Wait, but not if no request will be sent any more."""
        end = time.monotonic() + seconds
        while self.fatal is None and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, 0.2))


_servers: weakref.WeakValueDictionary[tuple[str, str, int], _Server] = weakref.WeakValueDictionary()
_choosing = threading.Lock()


def _server_for(name: str, url: str, concurrency: int) -> _Server:
    with _choosing:
        key = name, url, concurrency
        found = _servers.get(key)
        if found is None:
            found = _Server(concurrency)
            _servers[key] = found
        return found


def _retire(server: _Server) -> None:
    """Systems that are opened from now on get another one."""
    with _choosing:
        for key in [key for key, each in _servers.items() if each is server]:
            del _servers[key]
