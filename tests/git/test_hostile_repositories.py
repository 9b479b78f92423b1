"""A repository from somebody else runs no program, however it is configured, and cannot fill the memory."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from support.repositories import Repo, needs_git

from kgprobe.errors import InputError
from kgprobe.git import repository as module
from kgprobe.git.versions import files_at, history

pytestmark = needs_git
TEXT = "<urn:menu> <urn:version> {} .\n"


def _hostile(folder: Path, mark: Path) -> Path:
    """A repository in which everything that can name a program names one that writes a mark."""
    repo = Repo.at(folder, {"menu.ttl": TEXT.format(1), ".gitattributes": "*.ttl filter=evil diff=evil\n"})
    repo.commit({"menu.ttl": TEXT.format(2)}, "v2")
    program = folder / "evil"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {shlex.quote(str(mark))}\ncat\n')
    program.chmod(0o755)
    for name in ("post-index-change", "post-checkout", "fsmonitor-watchman", "pre-auto-gc", "reference-transaction"):
        hook = folder / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(program.read_text())
        hook.chmod(0o755)
    for key in (
        *("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "diff.external"),
        *("diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process"),
        *("gpg.program", "credential.helper", "core.alternateRefsCommand", "uploadpack.packObjectsHook"),
    ):
        repo.git("config", key, str(program))
    repo.git("config", "filter.evil.required", "true")
    repo.git("config", "log.showSignature", "true")
    repo.git("config", "remote.origin.url", f"ext::{program}")
    repo.git("config", "protocol.ext.allow", "always")
    os.utime(folder / "menu.ttl", (1, 1))  # git has to look at its content again
    mark.unlink(missing_ok=True)
    return folder / "menu.ttl"


def test_no_program_of_the_repository_runs(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    menu = _hostile(tmp_path / "repository", mark)
    for revision in ("v1", "main", "HEAD~1"):
        with files_at(menu, revision) as files:
            loaded = files.load_moved(menu)
            assert loaded is not None
            assert len(loaded.graph) == 1
            files.repository.changes(files.commit)
            files.repository.moved_from(menu, files.commit)
            files.repository.files()
            files.repository.ignored(menu)
    assert len(history([menu], "v1..main")) == 2
    assert not mark.exists(), mark.read_text()


def test_a_filter_of_the_user_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "gitconfig"
    own.write_text('[filter "own"]\n\tsmudge = sed s/1/7/\n\tclean = cat\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    repo = Repo.at(tmp_path / "r", {"menu.ttl": TEXT.format(1), ".gitattributes": "*.ttl filter=own\n"})
    with files_at(repo.root / "menu.ttl", "v1") as files:
        loaded = files.load_moved(repo.root / "menu.ttl")
    assert loaded is not None
    assert '"7"' in str(next(iter(loaded.graph)).object)


def test_a_replaced_object_is_what_its_name_says(tmp_path: Path) -> None:
    repo = Repo.at(tmp_path / "r", {"menu.ttl": TEXT.format(1)})
    repo.commit({"menu.ttl": TEXT.format(2)}, "v2")
    repo.git("replace", "v1", "v2")
    with files_at(repo.root / "menu.ttl", "v1") as files:
        loaded = files.load_moved(repo.root / "menu.ttl")
    assert loaded is not None
    assert '"1"' in str(next(iter(loaded.graph)).object)


@pytest.mark.parametrize(
    "name", ["--help", "-x", "a b", "a\x1b[8m", "refs/heads/\u202e", "@{upstream}", "a..b", "^main"]
)
def test_odd_revisions_are_one_line(tmp_path: Path, name: str) -> None:
    repo = Repo.at(tmp_path / "r", {"menu.ttl": TEXT.format(1)})
    with pytest.raises(InputError) as caught, files_at(repo.root / "menu.ttl", name):
        pass
    assert str(caught.value).isprintable()


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LARGEST", 1000)
    repo = Repo.at(tmp_path / "r", {"menu.ttl": TEXT.format(1) * 100})
    with (
        pytest.raises(InputError, match=r"menu.ttl: is larger than \d+ MB in git"),
        files_at(repo.root / "menu.ttl", "v1") as files,
    ):
        files.load_moved(repo.root / "menu.ttl")
