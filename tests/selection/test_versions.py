"""Versions of a file, from a real repository."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kgprobe.errors import InputError
from kgprobe.selection.versions import history, version_file

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with three versions of menu.ttl, and one commit that is about something else."""
    for arguments in (["init", "--quiet"], ["config", "user.email", "a@example.org"], ["config", "user.name", "A"]):
        _git(tmp_path, *arguments)
    file = tmp_path / "menu.ttl"
    for number in (1, 2, 3):
        file.write_text(f"<urn:menu> <urn:version> {number} .\n", encoding="utf-8")
        _git(tmp_path, "add", ".")
        _git(tmp_path, "commit", "--quiet", "-m", f"menu {number}")
        _git(tmp_path, "tag", f"v{number}")
    (tmp_path / "other.txt").write_text("nothing", encoding="utf-8")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "--quiet", "-m", "other")
    return file


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)  # noqa: S603, S607


def test_a_file_as_it_was(repository: Path) -> None:
    with version_file(repository, "v1") as old:
        assert old.name == "menu.ttl"
        assert "version> 1 " in old.read_text(encoding="utf-8")
    assert not old.exists()


def test_the_file_may_be_gone_by_now(repository: Path) -> None:
    repository.unlink()
    with version_file(repository, "HEAD") as old:
        assert "version> 3 " in old.read_text(encoding="utf-8")


@pytest.mark.parametrize("revision", ["v9", "--output=/tmp/x", "HEAD~77", ""])
def test_a_revision_that_is_none_is_said_to_be_none(repository: Path, revision: str) -> None:
    with pytest.raises(InputError, match=r"menu\.ttl"), version_file(repository, revision):
        pass


def test_a_folder_without_a_repository(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="give both files"), version_file(tmp_path / "menu.ttl", "HEAD"):
        pass


def test_the_last_commits_that_changed_the_file(repository: Path) -> None:
    assert [version.subject for version in history(repository, "2")] == ["menu 1", "menu 2", "menu 3"]
    assert [version.subject for version in history(repository, "1")] == ["menu 2", "menu 3"]
    assert [version.subject for version in history(repository, "99")] == ["menu 1", "menu 2", "menu 3"]


def test_a_range_starts_with_what_it_was_made_from(repository: Path) -> None:
    assert [version.subject for version in history(repository, "v1..v3")] == ["menu 1", "menu 2", "menu 3"]
    assert [version.subject for version in history(repository, "v2..")] == ["menu 2", "menu 3"]


def test_a_range_that_is_none(repository: Path) -> None:
    with pytest.raises(InputError, match="revision"):
        history(repository, "v8..v9")
