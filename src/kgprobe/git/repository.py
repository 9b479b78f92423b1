"""A git repository: its files at a revision, their content, and the changes since."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kgprobe.errors import InputError, Position, UnavailableError

__all__ = ["Repository"]

_CACHES = ("__pycache__/", "*.pyc", ".pytest_cache/", ".hypothesis/", ".mypy_cache/", ".ruff_cache/")
_SECONDS = 60
# A repository can come from anybody, with a configuration that names programs for git to run. None of these has a part
# in reading versions. Nor is anything fetched, and an object is what its name says, whatever replaces it.
_SAFE = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.sshCommand=false",
    "core.askPass=false",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "log.showSignature=false",
    "protocol.allow=never",
)
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",  # several processes can use git at the same time
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",  # the language of messages
}
_GIT = ("git", "--literal-pathspecs", "--no-pager", *(part for setting in _SAFE for part in ("-c", setting)))
_PLAIN_DIFF = ("--no-ext-diff", "--no-textconv")
_FILTER_ENTRY = re.compile(
    r"(?:local|worktree)\0filter\.(?P<name>[^\0\n]+)\.(?:clean|smudge|process)\n(?P<command>[^\0]*)\0"
)
_OF_LFS = re.compile(r"git-lfs (?:clean|smudge|filter-process)(?: --skip)?(?: -- %f)?")
_LARGEST = 1 << 30  # bytes of a file: a few kilobytes in a repository can stand for any number
_REVISION = "a revision is a commit, a tag or a branch, such as HEAD~1 or v1.2"
_SHALLOW = (
    "this clone is shallow, so it lacks most of the history: run 'git fetch --unshallow', or in GitHub Actions set "
    "'fetch-depth: 0' for actions/checkout"
)
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry at a revision: a file, a symbolic link, or another repository (a submodule)."""

    mode: str
    object: str

    @property
    def is_link(self) -> bool:
        return self.mode == "120000"

    @property
    def is_submodule(self) -> bool:
        return self.mode == "160000"


@dataclass(frozen=True)
class Repository:
    """A repository with a working tree, by its top folder."""

    root: Path

    @classmethod
    def around(cls, path: Path) -> Repository:
        """The repository that a file or a folder is in, whether it exists or not. InputError if it is in none."""
        folder = next((place for place in (path, *path.absolute().parents) if place.is_dir()), Path())
        found = _git(folder, path, "rev-parse", "--show-toplevel")
        return cls(Path(os.fsdecode(found.removesuffix(b"\n"))))

    def relative(self, path: Path) -> str | None:
        """A path as git names it; None if it is outside the repository. Links are not followed."""
        place = path.absolute()
        try:
            place = place.parent.resolve() / place.name if place.name not in ("", "..") else place.resolve()
            return place.relative_to(self.root).as_posix()
        except (ValueError, OSError, RuntimeError):  # elsewhere, or links in a circle
            return None

    def commit(self, revision: str, asked_for: Path) -> str:
        """The full name of a commit. InputError, about `asked_for`, if it does not exist."""
        where = Position(str(asked_for))
        if not revision.strip():
            raise InputError("the name of the revision is empty", where=where, hint=_REVISION)
        if revision.startswith(("-", "^")):  # git would take it for an option, or for everything else
            raise InputError(f"git has no revision '{revision}'", where=where, hint=_REVISION)
        found = self._git(asked_for, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", check=False)
        if not found:
            hint = _SHALLOW if self.is_shallow else _REVISION
            raise InputError(f"git has no revision '{revision}'", where=where, hint=hint)
        return found.decode().strip()

    @property
    def is_shallow(self) -> bool:
        """Whether the clone lacks the older part of the history."""
        return self._git(self.root, "rev-parse", "--is-shallow-repository", check=False).strip() == b"true"

    @property
    def shallow_hint(self) -> str | None:
        """Advice for something that is missing because the clone is shallow; None if it is not shallow."""
        return _SHALLOW if self.is_shallow else None

    def tree(self, commit: str) -> Mapping[str, Entry]:
        """All files at a commit, by their paths from the top folder."""
        listed = self._git(self.root, "ls-tree", "-r", "-z", "--full-tree", commit)
        found = {}
        for line in filter(None, listed.split(b"\0")):
            about, _, name = line.partition(b"\t")
            mode, _, object_ = about.decode().split(" ")
            found[os.fsdecode(name)] = Entry(mode, object_)
        return found

    def content(self, commit: str, name: str) -> bytes:
        """The content of a file at a commit, with the line ends and filters of a checkout."""
        self._check_size(f"{commit}:{name}", Path(name))
        found = self._git(self.root / name, *self._without_its_filters, "cat-file", "--filters", f"{commit}:{name}")
        if found.startswith(_LFS_POINTER):
            hint = f"fetch it: git lfs fetch origin {commit[:12]}"
            raise InputError(
                "is kept by Git LFS, and this version has not been fetched", where=Position(name), hint=hint
            )
        return found

    def raw(self, entry: Entry) -> bytes:
        """An object as git stores it."""
        self._check_size(entry.object, self.root)
        return self._git(self.root, "cat-file", "blob", entry.object)

    def _check_size(self, object_: str, asked_for: Path) -> None:
        size = self._git(asked_for, "cat-file", "-s", object_)
        if int(size or 0) > _LARGEST:
            raise InputError(f"is larger than {_LARGEST >> 20} MB in git", where=Position(str(asked_for)))

    @cached_property
    def _without_its_filters(self) -> list[str]:
        """Options that switch off filters which the repository itself configures, other than those of Git LFS.

        A filter of the user's own configuration is wanted, but one that comes with the repository can be any program.
        """
        listed = self._git(
            self.root,
            "config",
            "--show-scope",
            "-z",
            "--get-regexp",
            r"^filter\..*\.(clean|smudge|process)$",
            check=False,
        )
        options: list[str] = []
        for hit in _FILTER_ENTRY.finditer(os.fsdecode(listed)):
            if not _OF_LFS.fullmatch(hit["command"]):
                values = {"clean": "", "smudge": "", "process": "", "required": "false"}
                for key, value in values.items():
                    options += ["-c", f"filter.{hit['name']}.{key}={value}"]
        return options

    def changes(self, commit: str) -> dict[Path, bool]:
        """The files that differ from what they were at a commit, and whether they existed then.

        Changes that are not committed count, and so do files that git does not know yet, unless it ignores them.
        """
        arguments = ("--name-status", "--no-renames", *_PLAIN_DIFF, "--ignore-submodules=none", "-z", commit, "--")
        fields = self._git(self.root, *self._without_its_filters, "diff", *arguments).split(b"\0")
        found = {
            self.root / os.fsdecode(name): status != b"A"
            for status, name in zip(fields[::2], fields[1::2], strict=False)
        }
        # Running the tests leaves caches behind, which not every project has in .gitignore.
        caches = [f"--exclude={name}" for name in _CACHES]
        untracked = self._git(self.root, "ls-files", "--others", "--exclude-standard", *caches, "-z").split(b"\0")
        for name in filter(None, untracked):
            found.setdefault(self.root / os.fsdecode(name), False)
        return found

    def moved_from(self, path: Path, commit: str) -> str | None:
        """The name of a file at a commit, if git detects that it was moved since."""
        arguments = ("--name-status", "--find-renames", "--diff-filter=R", *_PLAIN_DIFF, "-z", commit, "--")
        fields = self._git(self.root, *self._without_its_filters, "diff", *arguments)
        parts = [os.fsdecode(name) for name in fields.split(b"\0")]
        renamed = {new: old for _, old, new in zip(parts[::3], parts[1::3], parts[2::3], strict=False)}
        return renamed.get(self.relative(path) or "")

    def files(self) -> list[Path]:
        """All files that git knows, or would add."""
        names = self._git(self.root, "ls-files", "--cached", "--others", "--exclude-standard", "-z").split(b"\0")
        return [self.root / os.fsdecode(name) for name in names if name]

    def ignored(self, path: Path) -> list[Path]:
        """The files in a folder, or the one file, that git ignores."""
        name = self.relative(path)
        if name is None:
            return []
        names = self._git(path, "ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--", name)
        return [self.root / os.fsdecode(name) for name in names.split(b"\0") if name]

    def log(self, asked_for: Path, *arguments: str, check: bool = True) -> list[str]:
        """The lines that `git log` prints."""
        return (
            self._git(asked_for, "log", *_PLAIN_DIFF, *arguments, check=check).decode("utf-8", "replace").splitlines()
        )

    def _git(self, asked_for: Path, *arguments: str, check: bool = True) -> bytes:
        return _git(self.root, asked_for, *arguments, check=check)


def _git(folder: Path, asked_for: Path, *arguments: str, check: bool = True) -> bytes:
    """The output of git in a folder; with `check`, a failure raises an error, otherwise the output is empty."""
    where = Position(str(asked_for))
    try:
        done = subprocess.run(  # noqa: S603 - a list of arguments, and revisions cannot be taken for options
            [*_GIT, "-C", str(folder), *arguments],
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **_ENVIRONMENT},
        )
    except FileNotFoundError:
        raise UnavailableError("versions need git, which is not installed", hint="give both files instead") from None
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"git took more than {_SECONDS} seconds", where=where) from None
    except ValueError:  # a null character
        raise InputError("git cannot handle this name", where=where) from None
    if done.returncode and check:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["git gave no reason"]
        message = said[0].removeprefix("fatal: ")
        hint = "give both versions as files instead" if "not a git repository" in message else None
        raise InputError(f"git failed: {message}", where=where, hint=hint)
    return b"" if done.returncode else done.stdout
