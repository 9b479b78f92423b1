"""Runs all blocks of a page in order, in one folder, like a reader who follows the page from the top."""

from __future__ import annotations

import contextlib
import doctest
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from . import console
from .fences import ROOT, Fence, fences

__all__ = ["blocks", "outcomes", "outcomes_from_a_clone"]

# The example files that pages use; each page gets a fresh copy.
FILES = ROOT / "docs" / "files"


def blocks(page: Path) -> list[Fence]:
    """The blocks of a page that are run: `console`, and `python` with prompts."""
    return [block for block in fences(page) if block.language == "console" or _is_doctest(block)]


def outcomes(page: Path, files: Path = FILES) -> dict[int, list[str]]:
    """The complaints about each block, by the line where it opens.

    A block may use the results of those above it, so the page always runs as a whole.
    """
    namespace: dict[str, object] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory(prefix="kgprobe-docs-") as name:
        folder = Path(name)
        if files.is_dir():
            shutil.copytree(files, folder, dirs_exist_ok=True)
        return {block.line: _check(block, folder, namespace) for block in blocks(page)}


def outcomes_from_a_clone(page: Path) -> list[str]:
    """The complaints about a page whose blocks are pasted, one after the other, into one shell in a fresh clone.

    The Python blocks run last, in the folder where the shell ended.
    """
    found = blocks(page)
    shell = [block for block in found if block.language == "console"]
    pasted = Fence(page, shell[0].line, "console", tuple(line for block in shell for line in block.lines))
    last = Fence(page, pasted.line, "console", (*pasted.lines, "$ pwd > where.txt", "$ cp where.txt $HOME"))
    with tempfile.TemporaryDirectory(prefix="kgprobe-docs-") as name:
        clone = Path(name)
        # Some of the files are links to examples, as in a real clone.
        shutil.copytree(FILES, clone / FILES.relative_to(ROOT), symlinks=True)
        shutil.copytree(ROOT / "examples", clone / "examples")
        _stand_in_for_the_environment(clone / ".venv" / "bin")
        try:
            complaints = console.complaints(last, console.run(last, clone, has_kgprobe=False))
        except (ValueError, TimeoutError) as error:
            return [str(error)]
        folder = Path((clone / "where.txt").read_text().strip())
        namespace: dict[str, object] = {"__name__": "__main__"}
        for block in found:
            if block.language == "python":
                complaints += _check_python(block, folder, namespace)
        return complaints


def _stand_in_for_the_environment(scripts: Path) -> None:
    """Stand in for the virtual environment that README's first command creates, with the one that runs the tests."""
    scripts.mkdir(parents=True)
    (scripts / "activate").write_text(f'PATH={shlex.quote(str(Path(sys.executable).parent))}:"$PATH"\n')


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
