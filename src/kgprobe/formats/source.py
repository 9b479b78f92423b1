"""The source of a graph's text: a file, a gzip file or standard input, any of which may be hostile."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import quote

from kgprobe.errors import InputError, Position
from kgprobe.given_files import check_file

if TYPE_CHECKING:
    from typing_extensions import Buffer  # in collections.abc from Python 3.12 on


_HEAD = 1 << 16
_GZIP_MAGIC = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# Real graphs compress to a tenth or a fiftieth. A file that grows by more than this is an attempt to fill memory.
_MOST_GROWTH = 200
_ALWAYS_ALLOWED = 1 << 26
_BETWEEN_REPORTS = 1 << 18


class Source:
    """The bytes of one document, unpacked if necessary, which can be read from the start more than once."""

    def __init__(self, path: str | Path, *, on_read: Callable[[int], None] | None = None) -> None:
        """`path` may be `-` for standard input. `on_read` is called from time to time with the number of bytes read."""
        self._on_read = on_read
        self.name = "<stdin>" if str(path) == "-" else str(path)
        self.path = None if str(path) == "-" else Path(path)
        # Standard input cannot be read twice, so its content is kept.
        self._kept = _standard_input() if self.path is None else None
        if self.path is not None:
            if not self.name:
                raise InputError("the name of the graph file is empty")
            check_file(self.path, "a graph file", for_pipes=f"give it as input: - < {self.name}")
        if b"\0" in self.head:
            raise InputError("is a binary file, not a graph", where=Position(self.name))

    @cached_property
    def head(self) -> bytes:
        """The first bytes of the text, without a byte order mark."""
        with self.open() as stream:
            return stream.read(_HEAD)

    @property
    def head_is_all(self) -> bool:
        """Whether the text has no more bytes than its head."""
        return len(self.head) < _HEAD

    @property
    def stem(self) -> str:
        """The file name without folders and `.gz`; the format and the base IRI depend on it."""
        return "stdin" if self.path is None else self.path.name.removesuffix(".gz")

    @property
    def base_iri(self) -> str:
        """The base of relative IRIs. It leaves out the folder, so that a file has the same meaning on every machine."""
        return f"file:///{quote(os.fsencode(self.stem))}"

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The text as bytes of UTF-8, without a byte order mark."""
        with self._readable(), self._raw() as raw:
            packed = raw.read(2) == _GZIP_MAGIC
            raw.seek(0)
            stream: IO[bytes] = _Unpacked(raw, self.name) if packed else raw
            start = stream.read(len(_BYTE_ORDER_MARK))
            if start.startswith(_UTF16_MARKS):
                raise InputError(
                    "is UTF-16 or UTF-32 text, but graphs are read as UTF-8",
                    where=Position(self.name),
                    hint="save it as UTF-8",
                )
            if start != _BYTE_ORDER_MARK:
                stream.seek(0)
            yield stream

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """InputError if the disk, or what pretends to be one, fails while the text is read."""
        try:
            yield
        except OSError as error:
            if error.errno is None:
                raise
            raise InputError(f"cannot be read: {error.strerror}", where=Position(self.name)) from None

    def read(self) -> bytes:
        """All of the text as bytes."""
        with self.open() as stream:
            return stream.read()

    def text(self) -> str:
        """All of the text."""
        data = self.read()
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise self._not_utf8(data, error.start) from None

    @contextmanager
    def lines(self) -> Iterator[Iterator[str]]:
        """The text line by line."""
        with self.open() as stream, io.TextIOWrapper(stream, encoding="utf-8") as text:
            try:
                yield text
            except UnicodeDecodeError:
                self.text()  # raises an error with the position
                raise

    def _not_utf8(self, data: bytes, offset: int) -> InputError:
        line_start = data.rfind(b"\n", 0, offset) + 1
        column = len(data[line_start:offset].decode()) + 1
        where = Position(self.name, data.count(b"\n", 0, offset) + 1, column)
        return InputError(f"this is not UTF-8 text: byte 0x{data[offset]:02x}", where=where, hint="save it as UTF-8")

    def _raw(self) -> IO[bytes]:
        if self._kept is not None:
            return io.BytesIO(self._kept)
        assert self.path is not None  # noqa: S101 - one of the two is set
        if self._on_read is None:
            return self.path.open("rb")
        return io.BufferedReader(_Watched(self.path, self._on_read), _BETWEEN_REPORTS)


class _Watched(io.FileIO):
    """A file that reports how far it was read."""

    def __init__(self, path: Path, on_read: Callable[[int], None]) -> None:
        super().__init__(path)
        self._on_read = on_read

    def readinto(self, buffer: Buffer) -> int | None:
        count = super().readinto(buffer)
        self._on_read(self.tell())
        return count


def _standard_input() -> bytes:
    if sys.stdin is None:  # the parent process has closed it
        raise InputError("standard input is closed", where=Position("<stdin>"))
    try:
        head = sys.stdin.buffer.read(_HEAD)
        # Binary data is refused later; do not read all of it, because it may be endless, like /dev/zero.
        return head if b"\0" in head and not head.startswith(_GZIP_MAGIC) else head + sys.stdin.buffer.read()
    except OSError as error:  # for example, a folder
        raise InputError(f"cannot be read: {error.strerror}", where=Position("<stdin>")) from None


class _Unpacked(io.BufferedReader):
    """The content of a gzip file, with a limit on its size relative to the file."""

    def __init__(self, raw: IO[bytes], name: str) -> None:
        self._name = name
        raw.seek(0, io.SEEK_END)
        self._most = max(_ALWAYS_ALLOWED, raw.tell() * _MOST_GROWTH)
        raw.seek(0)
        super().__init__(_Checked(gzip.GzipFile(fileobj=raw), self._most, name), buffer_size=1 << 18)


class _Checked(io.RawIOBase):
    """Reads a gzip file, and turns every error into an `InputError`."""

    def __init__(self, unpacker: gzip.GzipFile, most: int, name: str) -> None:
        self._unpacker = unpacker
        self._most = most
        self._name = name

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._unpacker.seek(offset, whence)

    def tell(self) -> int:
        return self._unpacker.tell()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            data = self._unpacker.read(len(buffer))
        except EOFError:
            raise InputError("the gzip file is cut short or damaged", where=Position(self._name)) from None
        except (OSError, zlib.error) as error:
            raise InputError(f"the gzip file is damaged: {error}", where=Position(self._name)) from None
        if self._unpacker.tell() > self._most:
            raise InputError(
                f"unpacks to more than {_MOST_GROWTH} times its size, which no real graph does",
                where=Position(self._name),
                hint="unpack it yourself if you trust it",
            )
        buffer[: len(data)] = data
        return len(data)
