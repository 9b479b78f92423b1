"""Konclude: a program that answers one question in one run."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from kgprobe.errors import UnavailableError
from kgprobe.reasoners.engines.engine import SOMETHING, Engine, RefutingEngine, UnanswerableError, document

__all__ = ["engine"]

_VERDICT = re.compile(r"is (consistent|inconsistent)", re.IGNORECASE)


def engine(_name: str, _memory_mb: int, folder: Path) -> Engine:
    """The engine, ready."""
    return _Konclude(folder)


class _Konclude(RefutingEngine):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        program = shutil.which("Konclude")
        if program is None:
            raise UnavailableError("the program Konclude is not installed", hint="apt-get install konclude")
        self._program = program
        self._file = folder / "ontology.ofn"

    def consistent_with(self, more: str) -> bool:
        self._file.write_text(document(self.body + SOMETHING + more), encoding="utf-8")
        # With one worker thread it waits for ever. It reads its standard input, if there is one.
        done = subprocess.run(  # noqa: S603 - the program that was found above
            [self._program, "consistency", "-w", "2", "-i", str(self._file)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        verdict = _VERDICT.search(done.stdout)
        if verdict is None:
            raise UnanswerableError("Konclude gave no verdict")
        return verdict[1].lower() == "consistent"

    def classify(self) -> dict[str, Any]:
        raise UnanswerableError("kgprobe asks Konclude for consistency and entailment only")
