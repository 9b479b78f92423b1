"""Sources of text: files, compressed files and standard input, valid or not."""

from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path

import pytest

from kgprobe.errors import InputError, visible
from kgprobe.formats.source import Source

TEXT = b"<urn:a> <urn:b> <urn:c> .\n"
PACKED = gzip.compress(TEXT, mtime=0)  # without a time stamp, so that parameters are the same in each process
MARK = b"\xef\xbb\xbf"


def source(tmp_path: Path, data: bytes, name: str = "graph.nt") -> Source:
    (tmp_path / name).write_bytes(data)
    return Source(tmp_path / name)


class StandardInput:
    """A stand-in for `sys.stdin`."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.mark.parametrize(
    "data",
    [
        TEXT,
        MARK + TEXT,
        PACKED,
        gzip.compress(MARK + TEXT, mtime=0),
        gzip.compress(TEXT[:10], mtime=0) + gzip.compress(TEXT[10:], mtime=0),
        PACKED + b"\0" * 20,
    ],
    ids=["plain", "marked", "packed", "packed and marked", "two members", "padded"],
)
def test_text_is_unpacked_and_loses_its_mark_however_often_it_is_read(data: bytes, tmp_path: Path) -> None:
    opened = source(tmp_path, data)
    assert (opened.head, opened.read(), opened.text()) == (TEXT, TEXT, TEXT.decode())
    with opened.lines() as lines:
        assert list(lines) == [TEXT.decode()]
    assert opened.read() == TEXT


@pytest.mark.parametrize("data", [TEXT, PACKED, MARK + TEXT])
def test_standard_input_can_be_read_twice(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", StandardInput(data))
    opened = Source("-")
    assert (opened.name, opened.stem) == ("<stdin>", "stdin")
    assert opened.read() == opened.read() == TEXT


def test_closed_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match=r"^<stdin>: standard input is closed$"):
        Source("-")


def test_binary_standard_input_need_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            assert size >= 0, "there is no end to read to"
            return b"\0" * size

    endless = StandardInput(b"")
    endless.buffer = Endless()  # type: ignore[assignment]
    monkeypatch.setattr(sys, "stdin", endless)
    with pytest.raises(InputError, match=r"^<stdin>: is a binary file, not a graph$"):
        Source("-")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\0b", "is a binary file, not a graph"),
        (gzip.compress(b"a\0b", mtime=0), "is a binary file, not a graph"),
        ("<urn:a>".encode("utf-16"), "is UTF-16 or UTF-32 text"),
        ("<urn:a>".encode("utf-32"), "is UTF-16 or UTF-32 text"),
        (PACKED[:-1], "the gzip file is cut short or damaged"),
        (PACKED[:3], "the gzip file is cut short or damaged"),
        (PACKED[:-8] + b"00000000", "the gzip file is damaged"),
        (PACKED + b"more", "the gzip file is damaged"),
        (b"\x1f\x8b\x07" + PACKED[3:], "the gzip file is damaged"),
    ],
)
def test_binary_data_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        source(tmp_path, data).read()
    assert str(raised.value).startswith(f"{tmp_path / 'graph.nt'}: {message}")


@pytest.mark.parametrize("size", [0, 1, 100_000, 60_000_000])
def test_a_text_that_compresses_well_is_unpacked(size: int, tmp_path: Path) -> None:
    assert len(source(tmp_path, gzip.compress(b"#" * size)).read()) == size


def test_a_text_that_unpacks_without_end_is_refused(tmp_path: Path) -> None:
    packed = source(tmp_path, gzip.compress(b"#" * 80_000_000))
    with pytest.raises(InputError, match="unpacks to more than 200 times its size"):
        packed.read()


@pytest.mark.parametrize(
    ("data", "place"),
    [(b"\xff", "1:1"), (b"ok\n\xc3\xa9x\xff\n", "2:3"), (b"a\r\n\xc3", "2:1"), (b"#" * 100_000 + b"\n\x80", "2:1")],
)
def test_a_byte_that_is_not_utf8_is_reported_with_its_position(data: bytes, place: str, tmp_path: Path) -> None:
    opened = source(tmp_path, data)
    with pytest.raises(InputError, match=rf"graph\.nt:{place}: this is not UTF-8 text: byte 0x"):
        opened.text()
    with (
        pytest.raises(InputError, match=rf"graph\.nt:{place}: this is not UTF-8 text: byte 0x"),
        opened.lines() as lines,
    ):
        list(lines)


def test_a_missing_file_gets_a_suggestion(tmp_path: Path) -> None:
    (tmp_path / "pizza.owl").touch()
    with pytest.raises(InputError) as raised:
        Source(tmp_path / "piza.owl")
    assert str(raised.value) == f"{tmp_path / 'piza.owl'}: no such file (did you mean {tmp_path / 'pizza.owl'}?)"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "the name of the graph file is empty"),
        ("nothing-like-it", "no such file"),
        ("no/such/folder.ttl", "no such file (there is no folder "),
        ("folder", "is a folder, not a graph file"),
        ("file/inside", "cannot be read: Not a directory"),
        ("x" * 5000, "cannot be read: File name too long"),
        ("nul\0inside", "cannot be read: no file can have this name"),
    ],
)
def test_paths_that_are_not_files_are_refused(
    name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").touch()
    with pytest.raises(InputError) as raised:
        Source(name)
    assert str(raised.value).startswith(f"{visible(name)}: {message}" if name else message)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_refused_before_it_blocks(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="is a pipe or a device, not a file"):
        Source(tmp_path / "pipe")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.ttl").write_bytes(TEXT)
    (tmp_path / "secret.ttl").chmod(0)
    with pytest.raises(InputError, match=r"secret\.ttl: cannot be read: Permission denied"):
        Source(tmp_path / "secret.ttl")


@pytest.mark.parametrize(("size", "is_all"), [(0, True), (65_535, True), (65_536, False), (100_000, False)])
def test_the_head_says_whether_it_is_the_whole_text(size: int, is_all: bool, tmp_path: Path) -> None:
    opened = source(tmp_path, b"#" * size)
    assert opened.head_is_all is is_all
    assert len(opened.head) == min(size, 65_536)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that cannot be read from its start")
def test_a_file_that_fails_while_it_is_read_is_refused() -> None:
    with pytest.raises(InputError, match=r"^/proc/self/mem: cannot be read: Input/output error$"):
        Source("/proc/self/mem")
