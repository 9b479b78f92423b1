"""Real git repositories, for tests that depend on versions."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

__all__ = ["Repo", "needs_git"]

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
_IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")


@dataclass(frozen=True)
class Repo:
    """A repository in a folder."""

    root: Path

    @classmethod
    def at(cls, root: Path, files: Mapping[str, str] | None = None) -> Repo:
        """A new repository; its first commit, with some files, is tagged v1."""
        root.mkdir(parents=True, exist_ok=True)
        repo = cls(root)
        repo.git("init", "--quiet", "--initial-branch=main")
        repo.commit(files or {}, "v1")
        return repo

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", *_IDENTITY, *arguments], cwd=self.root, check=True, capture_output=True)  # noqa: S603, S607

    def write(self, files: Mapping[str, str | None]) -> None:
        """Write files by name; None removes a file."""
        for name, text in files.items():
            path = self.root / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text), encoding="utf-8")

    def commit(self, files: Mapping[str, str | None], tag: str) -> None:
        """Change files, and tag the commit."""
        self.write(files)
        self.git("add", "--all", ".")
        self.git("commit", "--quiet", "--allow-empty", "-m", tag)
        self.git("tag", tag)
