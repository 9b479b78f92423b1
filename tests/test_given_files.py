"""Files that a user names: their contents or a one-line error, in bounded time and memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kgprobe import given_files
from kgprobe.errors import InputError, Position, visible
from kgprobe.given_files import DEEPEST, check_file, exact_text, parse_json, parse_toml, read_bytes, read_text

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")


def test_byte_order_marks_and_line_ends_are_kept_only_in_exact_text(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_bytes("\ufeffä\r\nb\rc\n".encode())
    assert exact_text(file) == "\ufeffä\r\nb\rc\n"
    assert read_text(file) == "ä\nb\rc\n"
    assert read_bytes(file, 100) == file.read_bytes()


def test_a_missing_file_gets_a_suggestion(tmp_path: Path) -> None:
    (tmp_path / "profile.toml").touch()
    with pytest.raises(InputError) as raised:
        read_text(tmp_path / "profil.toml")
    assert str(raised.value) == (
        f"{tmp_path / 'profil.toml'}: no such file (did you mean {tmp_path / 'profile.toml'}?)"
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing-like-it", "no such file"),
        ("no/such/folder.ttl", "no such file (there is no folder no/such)"),
        ("folder", "is a folder, not a file"),
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
    for read in (read_text, exact_text, check_file):
        with pytest.raises(InputError) as raised:
            read(name)
        assert str(raised.value) == f"{visible(name)}: {message}"


@needs_pipes
def test_a_pipe_is_refused_before_it_blocks(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=r"pipe: is a pipe or a device, not a file$"):
        read_text(tmp_path / "pipe")
    with pytest.raises(InputError, match=r"pipe: is a pipe or a device, not a file \(write a file\)$"):
        check_file(tmp_path / "pipe", for_pipes="write a file")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a file without an end")
def test_a_link_to_an_endless_device_is_refused(tmp_path: Path) -> None:
    (tmp_path / "profile.toml").symlink_to("/dev/zero")
    with pytest.raises(InputError, match=r"profile\.toml: is a pipe or a device"):
        read_text(tmp_path / "profile.toml")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given_files, "LARGEST_TEXT", 1 << 20)
    (tmp_path / "a").write_bytes(b"#" * (1 << 20))
    (tmp_path / "b").write_bytes(b"#" * ((1 << 20) + 1))
    assert len(read_text(tmp_path / "a")) == 1 << 20
    with pytest.raises(InputError, match="b: is larger than 1 MB"):
        read_text(tmp_path / "b")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs a file that does not tell its size")
def test_a_file_that_does_not_report_its_size_is_read() -> None:
    assert read_text("/proc/self/status").startswith("Name:")
    with pytest.raises(InputError, match="is larger than 0 MB"):
        read_bytes("/proc/self/status", 10)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs a file that does not tell its size")
def test_reading_stops_at_the_limit() -> None:
    whole = len(Path("/proc/self/maps").read_bytes())
    descriptor = os.open("/proc/self/maps", os.O_RDONLY)
    try:
        assert 10 < len(given_files._content(descriptor, 10)) < whole / 2  # it comes in pages
    finally:
        os.close(descriptor)


def test_invalid_text_is_reported_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.rq").write_bytes(b"a\nb\n\xff")
    with pytest.raises(InputError) as error:
        read_text(tmp_path / "a.rq")
    assert str(error.value) == f"{tmp_path / 'a.rq'}:3: is not UTF-8 text (save it as UTF-8)"


# -- contents ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        'a."b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v" = 1',
        f"a = '{'x.' * 100}' # {'[' * 100} {'x.' * 100}",
        "a = " + '"""' + f"{'[' * 100} {'x.' * 100}" + r' \""" ""' + '"""',
        "a = " + "'''" + f"{'{' * 100} '' {'x.' * 100}" + "'''",
        "a = [" + "[1], " * 100 + "]",
        ".".join("a" * DEEPEST) + " = 1",
        "a = " + "[" * DEEPEST + "]" * DEEPEST,
    ],
)
def test_text_that_only_looks_deeply_nested_is_read(text: str) -> None:
    assert set(parse_toml(text, "p.toml")) == {"a"}


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n" + ".".join("a" * (DEEPEST + 1)) + " = 1",
        "x = 1\n" + " . ".join(["'a.b'"] * (DEEPEST + 1)) + " = 1",
        "x = 1\n[" + ".".join("a" * (DEEPEST + 1)) + "]",
        "x = 1\na = " + "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1),
        "x = 1\na = " + "[{a = " * DEEPEST + "1" + "}]" * DEEPEST,
    ],
)
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^p\.toml:2:\d+: this is nested more than 16 levels deep$"):
        parse_toml(text, "p.toml")


@pytest.mark.parametrize("text", ['a = "' + '\\"' * 200_000, 'a = """' + "x" * 200_000, "a = '" + "[" * 100])
def test_an_unterminated_string_is_refused_quickly(text: str) -> None:
    with pytest.raises(InputError, match=r"^p\.toml:1(:\d+)?: this is not TOML: "):
        parse_toml(text, "p.toml")


def test_invalid_json_is_reported_with_its_position() -> None:
    assert parse_json("[1]", Position("a.json")) == [1]
    for text, told in (
        ("[1,\n x]", "a.json:4:2: is not JSON: "),
        ("[" * 100_000, "a.json:3: this JSON is nested too deeply"),
        ("9" * 5000, "a.json:3: this JSON is nested too deeply, or has too long a number"),
    ):
        with pytest.raises(InputError) as raised:
            parse_json(text, Position("a.json", 3))
        assert str(raised.value).startswith(told)
