"""The files that are searched for tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from kgprobe.errors import InputError
from kgprobe.selection.discovery.files import walk
from kgprobe.selection.discovery.finder import find_tests

from .finding import find, vocabulary, write


def names(*given: Path, root: Path, notes: list[str] | None = None) -> list[str]:
    return [file.name for file in walk(given, root, (notes if notes is not None else []).append)]


def test_hidden_folders_and_those_of_tools_are_left_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.rq": "",
            "b/c.rq": "",
            ".git/x.rq": "",
            ".venv/x.rq": "",
            "env/pyvenv.cfg": "",
            "env/x.rq": "",
            "node_modules/x.rq": "",
            "b/__pycache__/x.rq": "",
            ".hidden.rq": "",
        },
    )
    assert names(tmp_path, root=tmp_path) == ["a.rq", "b/c.rq"]


def test_a_file_that_is_named_twice_is_found_once(tmp_path: Path) -> None:
    write(tmp_path, {"a/b.rq": "", "a/c.rq": ""})
    assert names(tmp_path / "a" / "c.rq", tmp_path, tmp_path / "a", root=tmp_path) == ["a/c.rq", "a/b.rq"]


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
def test_cyclic_links_are_followed_once_and_a_folder_keeps_its_own_name(tmp_path: Path) -> None:
    write(tmp_path, {"z/b.rq": ""})
    (tmp_path / "z" / "loop").symlink_to(tmp_path)
    (tmp_path / "a").symlink_to(tmp_path / "z")
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    outside = tmp_path.with_name(tmp_path.name + "-outside")
    write(outside, {"c.rq": ""})
    (tmp_path / "out").symlink_to(outside)
    assert sorted(names(tmp_path, root=tmp_path)) == ["out/c.rq", "z/b.rq"]


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        names(tmp_path / "missing", root=tmp_path)
    with pytest.raises(InputError):
        names(Path("a\0b"), root=tmp_path)


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() == 0, reason="needs a folder that may not be read")
def test_a_folder_that_cannot_be_read_is_noted(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir(mode=0)
    notes: list[str] = []
    assert names(tmp_path, root=tmp_path, notes=notes) == []
    assert len(notes) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pipe with a name")
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.rq")
    assert names(tmp_path, root=tmp_path) == []
    with pytest.raises(InputError, match="neither a file nor a folder"):
        names(tmp_path / "a.rq", root=tmp_path)


def test_a_name_that_is_not_text_is_noted(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"\xff.rq")).touch()
    except OSError:
        pytest.skip("such names cannot be had here")
    suite = find(tmp_path, {"a.rq": "ASK {}"})
    assert [test.name for test in suite.tests] == ["a.rq"]
    assert len(suite.notes) == 1
    suite.notes[0].encode()


def test_progress_is_reported(tmp_path: Path) -> None:
    write(tmp_path, {f"{n}.rq": "ASK {}" for n in range(250)})
    told: list[tuple[int, int]] = []
    suite = find_tests([tmp_path], vocabulary(), on_progress=lambda done, total: told.append((done, total)))
    assert told == [(100, 250), (200, 250), (250, 250)]
    assert len(suite.tests) == 250
