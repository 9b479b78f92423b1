"""The messages of an editor, as pygls reads them, with headers that it can rely on.

pygls ignores a header that it does not understand, and then waits for ever; and it makes room for as many bytes as a
header announces. A request whose parameters it does not understand gets no answer from it.
"""

from __future__ import annotations

import re
from typing import Any, BinaryIO

from lsprotocol.types import ResponseError
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol

from kgprobe.errors import InputError, Position, one_line

LARGEST_MESSAGE = 64 << 20
"""Bytes; a message has at most the whole text of a document."""
_LONGEST_HEADER = 4096
_HEADER = re.compile(rb"[A-Za-z][A-Za-z-]*[ \t]*:[^\r\n]*")
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(.*?)[ \t]*", re.IGNORECASE)
_SHOWN = 40


class Messages:
    """Standard input, with each header in the form that pygls expects. InputError if it is no header at all."""

    def __init__(self, given: BinaryIO) -> None:
        self._given = given
        self._has_length = False

    def readline(self) -> bytes:
        """The next line of a header; empty at the end."""
        line = self._given.readline(_LONGEST_HEADER)
        content = line.strip()
        if not line:
            return line
        if not content:
            return self._blank()
        if len(line) == _LONGEST_HEADER or not _HEADER.fullmatch(content):
            raise _refused(f"this is not a header: {_shown(content)}")
        length = _LENGTH.fullmatch(content)
        if length is None:
            return content + b"\r\n"
        number = length[1].decode(errors="replace")
        if not re.fullmatch("[0-9]{1,20}", number) or not 0 < int(number) <= LARGEST_MESSAGE:
            raise _refused(
                f"Content-Length must be a number from 1 to {LARGEST_MESSAGE:,}, and not {_shown(length[1])}"
            )
        self._has_length = True
        return b"Content-Length: %d\r\n" % int(number)

    def _blank(self) -> bytes:
        """The end of a header."""
        if not self._has_length:
            raise _refused("a header has no Content-Length")
        self._has_length = False
        return b"\r\n"

    def read(self, size: int) -> bytes:
        """The content of a message."""
        return self._given.read(size)

    def close(self) -> None:
        """Close the input."""
        self._given.close()


class AnsweringProtocol(LanguageServerProtocol):
    """The protocol of pygls, with an answer to each request."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message from its JSON."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(data.get("id"), int | str):
                told = "these parameters are not as the protocol wants them"
                self._send_response(data["id"], error=ResponseError(error.CODE, told))
            raise


def _refused(why: str) -> InputError:
    hint = "an editor starts this command, and talks to it in the Language Server Protocol"
    return InputError(why, where=Position("standard input"), hint=hint)


def _shown(content: bytes) -> str:
    text = one_line(content.decode(errors="replace"))
    return f"'{text if len(text) <= _SHOWN else text[:_SHOWN] + '…'}'"
