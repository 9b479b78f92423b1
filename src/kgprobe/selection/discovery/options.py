"""What the finder of tests may be told."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["FinderOptions"]


@dataclass(frozen=True)
class FinderOptions:
    """How to find tests. Without any, they are found by the names of files, and by what the files say."""

    root: Path = field(default_factory=Path.cwd)  # the working folder: what names are relative to, and modules start at
    matrix: Path | None = None  # a CSV or TOML file that says which test uses which term
    recorded: Path | None = None  # what was seen in a run: see `recorded`
    test_files: tuple[str, ...] = ()  # globs for further files that are tests
    terms_command: tuple[str, ...] = ()  # prints the terms that the file `{test}` uses
    command_seconds: float = 60.0  # how long it may take for one file
    sql_without_terms: bool = True  # whether a SQL file that names no term is a test (always selected), or none at all
