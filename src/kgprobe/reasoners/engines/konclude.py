"""Konclude: a program that answers one question in one run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from kgprobe.errors import UnavailableError
from kgprobe.processes.child import Output, Setup, run
from kgprobe.processes.guard import Guards
from kgprobe.processes.limits import Limits
from kgprobe.reasoners.engines import Engine, RefutingEngine, UnanswerableError, document

_OWL = "{http://www.w3.org/2002/07/owl#}"
_THING, _NOTHING = (f"http://www.w3.org/2002/07/owl#{name}" for name in ("Thing", "Nothing"))
_VERDICT = re.compile(r"is (consistent|inconsistent)", re.IGNORECASE)
_NO_LIMITS = Limits(1e6, 0)


def engine(_name: str, _memory_mb: int, folder: Path) -> Engine:
    """The engine, ready for use."""
    return _Konclude(folder)


class _Konclude(RefutingEngine):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        program = shutil.which("Konclude")
        if program is None:
            raise UnavailableError("the program Konclude is not installed", hint="apt-get install konclude")
        self._program = program
        self._file = folder / "ontology.ofn"
        self._hierarchy = folder / "hierarchy.owx"
        self._guards = Guards()

    def consistent_with(self, more: str) -> bool:
        said = self._asked("consistency", self.body + more)
        verdict = _VERDICT.search(said)
        if verdict is None:
            raise UnanswerableError("Konclude gave no verdict")
        return verdict[1].lower() == "consistent"

    def classify(self) -> dict[str, Any]:
        self._hierarchy.unlink(missing_ok=True)
        self._asked("classification", self.body, "-o", str(self._hierarchy))
        try:
            # The file is Konclude's output, and has no document type.
            found = ElementTree.parse(self._hierarchy).getroot()  # noqa: S314
        except (OSError, ElementTree.ParseError):
            raise UnanswerableError("Konclude gave no hierarchy") from None
        return _as_values(found)

    def _asked(self, question: str, axioms: str, *more: str) -> str:
        self._file.write_text(document(axioms), encoding="utf-8")
        # With one worker thread, Konclude hangs. The parent enforces the time limit: it ends this process and its
        # children.
        ended = run(
            [self._program, question, "-w", "2", "-i", str(self._file), *more],
            _NO_LIMITS,
            Setup(output=Output.MERGED),
            guards=self._guards,
        )
        return ended.stdout.text()


def _as_values(ontology: ElementTree.Element) -> dict[str, Any]:
    """The hierarchy that Konclude writes: an axiom for each group of equivalent classes, and for each direct parent."""
    classes = {name for declaration in ontology.iter(f"{_OWL}Declaration") for name in _names(declaration)}
    groups = [_names(axiom) for axiom in ontology.iter(f"{_OWL}EquivalentClasses")]
    group_of = {name: group for group in groups for name in group}
    unsatisfiable = set(group_of.get(_NOTHING, [])) - {_NOTHING}
    named = sorted(classes - unsatisfiable - {_THING, _NOTHING})
    pairs = [_names(axiom) for axiom in ontology.iter(f"{_OWL}SubClassOf")]
    return {
        "equivalents": [sorted(set(group_of.get(name, [name])) - {_THING}) for name in named],
        # A statement about one class holds for all classes that are equivalent to it.
        "parents": [
            [name, parent]
            for lower, upper in pairs
            for name in group_of.get(lower, [lower])
            for parent in sorted(set(group_of.get(upper, [upper])) - {_THING})[:1]
        ],
        "unsatisfiable": sorted(unsatisfiable - {_THING}),
    }


def _names(axiom: ElementTree.Element) -> list[str]:
    return [part.get("IRI") or part.get("abbreviatedIRI") or "" for part in axiom.iter(f"{_OWL}Class")]
