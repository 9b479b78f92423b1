"""Writing graphs to files: completely or not at all, and always the same bytes."""

from __future__ import annotations

import errno
import gzip
import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from kgprobe.errors import InputError, visible
from kgprobe.formats.files import load, save, writable_format
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Literal, NamedNode, Triple

TRIPLE = Triple(NamedNode("urn:a"), NamedNode("urn:b"), Literal("x"))
GRAPH = Graph([TRIPLE])
TEXT = b'<urn:a> <urn:b> "x" .\n'


def test_a_file_is_written_without_leftovers(tmp_path: Path) -> None:
    save(GRAPH, tmp_path / "a.nt")
    assert [path.name for path in tmp_path.iterdir()] == ["a.nt"]
    assert (tmp_path / "a.nt").read_bytes() == TEXT


def test_a_compressed_file_has_no_time_stamp(tmp_path: Path) -> None:
    save(GRAPH, tmp_path / "a.nt.gz")
    packed = (tmp_path / "a.nt.gz").read_bytes()
    assert gzip.decompress(packed) == TEXT
    assert packed[4:8] == b"\0\0\0\0"  # where gzip stores the time
    assert load(tmp_path / "a.nt.gz").graph == GRAPH


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text("old")
    (tmp_path / "a.nt").chmod(0o640)
    save(GRAPH, tmp_path / "a.nt")
    assert stat.S_IMODE((tmp_path / "a.nt").stat().st_mode) == 0o640
    assert (tmp_path / "a.nt").read_bytes() == TEXT


def test_symbolic_links_are_kept(tmp_path: Path) -> None:
    (tmp_path / "real.nt").write_text("old")
    (tmp_path / "link.nt").symlink_to("real.nt")
    save(GRAPH, tmp_path / "link.nt")
    assert (tmp_path / "link.nt").is_symlink()
    assert (tmp_path / "real.nt").read_bytes() == TEXT


def test_the_longest_name_that_a_folder_allows_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 252 + ".nt")
    save(GRAPH, path)
    assert path.read_bytes() == TEXT


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_special_files_are_written_to_but_not_replaced(tmp_path: Path) -> None:
    # A named pipe stands in for /dev/null, which root could replace with a file.
    os.mkfifo(tmp_path / "pipe.nt")
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append((tmp_path / "pipe.nt").read_bytes()), daemon=True)
    reader.start()
    save(GRAPH, tmp_path / "pipe.nt")
    reader.join(timeout=10)
    assert received == [TEXT]
    assert stat.S_ISFIFO((tmp_path / "pipe.nt").stat().st_mode)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no/such/a.nt", "cannot be written: No such file or directory (there is no folder no/such)"),
        ("folder.nt", "is a folder (name the file to write)"),
        ("file/a.nt", "cannot be written: Not a directory"),
        ("a" * 300 + ".nt", "cannot be written: File name too long"),
        ("nul\0.nt", "cannot be written: no file can have this name"),
    ],
)
def test_unwritable_destinations_are_reported(
    name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.nt").mkdir()
    Path("file").touch()
    with pytest.raises(InputError) as raised:
        save(GRAPH, name)
    assert str(raised.value).startswith(f"{visible(name)}: {message}")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder.nt"]


def test_the_root_folder_is_a_folder() -> None:
    with pytest.raises(InputError, match=r"^/: is a folder"):
        save(GRAPH, "/", format_name="nt")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everything")
@pytest.mark.parametrize("protected", ["file", "folder"])
def test_write_protected_files_are_not_changed(protected: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.nt").write_text("old")
    (folder / "a.nt" if protected == "file" else folder).chmod(0o555)
    with pytest.raises(InputError, match="cannot be written"):
        save(GRAPH, folder / "a.nt")
    folder.chmod(0o755)
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("a.nt", "old")]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.nt").write_text("old")

    def half_written(path: Path, data: bytes) -> int:
        with path.open("wb") as file:
            file.write(data[:5])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", half_written)
    with pytest.raises(InputError, match="cannot be written: No space left on device"):
        save(GRAPH, tmp_path / "a.nt")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.nt", "old")]


def test_closed_standard_output_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(InputError, match="standard output is closed"):
        save(GRAPH, "-", format_name="turtle")


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [("a.ttl", None, "turtle"), ("a.ttl.gz", None, "turtle"), ("a.ttl", "nt", "ntriples"), ("-", "JSONLD", "jsonld")],
)
def test_the_format_to_write(path: str, name: str | None, expected: str) -> None:
    assert writable_format(path, name).name == expected


@pytest.mark.parametrize(
    ("path", "name", "message"),
    [
        ("a", None, "a: this file name does not imply a format"),
        ("-", None, "-: this file name does not imply a format"),
        ("a.obo", None, "OBO can be read, but not written"),
        ("a.ttl", "manchester", "OWL Manchester syntax can be read, but not written"),
        ("a.ttl", "tutle", "no format named 'tutle' (did you mean 'turtle'?)"),
        ("a.ttl", "xyzzy", "no format named 'xyzzy' (available formats: turtle, "),
    ],
)
def test_a_format_that_cannot_be_written_is_reported(path: str, name: str | None, message: str) -> None:
    with pytest.raises(InputError) as raised:
        writable_format(path, name)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("base", ["", "relative", "http://exa mple.org/", "a b:"])
def test_a_base_must_be_an_absolute_iri(base: str, tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_bytes(TEXT)
    with pytest.raises(InputError, match="the base is not an absolute IRI"):
        load(tmp_path / "a.nt", base=base)


def test_a_file_that_disappears_while_being_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.ofn").write_text("Ontology()")
    monkeypatch.setattr(
        "kgprobe.formats.functional.parse", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "I/O error"))
    )
    with pytest.raises(InputError, match=r"a\.ofn: cannot be read: I/O error"):
        load(tmp_path / "a.ofn")
