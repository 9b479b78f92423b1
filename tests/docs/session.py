"""Runs all blocks of a page in order, in one folder, as a reader would who follows the page from the top."""

from __future__ import annotations

import contextlib
import doctest
import shutil
import tempfile
from pathlib import Path

from . import console
from .fences import ROOT, Fence, fences

__all__ = ["blocks", "outcomes"]

# The example files that pages use; each page gets a fresh copy.
FILES = ROOT / "docs" / "files"


def blocks(page: Path) -> list[Fence]:
    """The blocks of a page that are run: `console`, and `python` with prompts."""
    return [block for block in fences(page) if block.language == "console" or _is_doctest(block)]


def outcomes(page: Path, files: Path = FILES) -> dict[int, list[str]]:
    """What is wrong with each block, by the line where it opens.

    A block may use what those above it left behind, so the page is always run as a whole.
    """
    namespace: dict[str, object] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory(prefix="kgprobe-docs-") as name:
        folder = Path(name)
        if files.is_dir():
            shutil.copytree(files, folder, dirs_exist_ok=True)
        return {block.line: _check(block, folder, namespace) for block in blocks(page)}


def _check(block: Fence, folder: Path, namespace: dict[str, object]) -> list[str]:
    if _is_doctest(block):
        return _check_python(block, folder, namespace)
    try:
        return console.complaints(block, console.run(block, folder))
    except (ValueError, TimeoutError) as error:
        return [str(error)]


def _is_doctest(block: Fence) -> bool:
    return block.language == "python" and any(line.startswith(">>> ") for line in block.lines)


def _check_python(block: Fence, folder: Path, namespace: dict[str, object]) -> list[str]:
    test = doctest.DocTestParser().get_doctest(block.text, namespace, str(block), str(block.page), block.line)
    printed: list[str] = []
    with contextlib.chdir(folder):
        done = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=printed.append, clear_globs=False)
    namespace.update(test.globs)
    return ["".join(printed)] if done.failed else []
