"""A service that receives each case over HTTP as a system under test."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kgprobe.errors import InputError
from kgprobe.model import Case, Observation, Status
from kgprobe.network.exchange import LARGEST_ANSWER, HttpAnswer, check_headers, check_url
from kgprobe.processes.channel import CUT
from kgprobe.processes.limits import Limits
from kgprobe.systems.protocol import GraphText, TextPayload, content_for
from kgprobe.systems.remote import Conversation, Remote, Service

__all__ = ["HttpSystem"]


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
