"""Reads files with OWLAPI: `python tests/support/owlapi.py FILE…` prints one line of JSON for each.

A JVM cannot be stopped inside a Python process, so a separate process runs one JVM for all files.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kgprobe.errors import UnavailableError
from kgprobe.reasoners.engines.java import find_parts

__all__ = ["ReadByOwlapi", "needs_owlapi", "read_by_owlapi"]

_PROFILES = ("DL", "EL", "QL", "RL")
_SECONDS = 600


def _missing() -> str | None:
    try:
        find_parts()
    except UnavailableError as error:
        return str(error)
    return None


needs_owlapi = pytest.mark.skipif(_missing() is not None, reason=f"needs OWLAPI: {_missing()}")


@dataclass(frozen=True)
class ReadByOwlapi:
    """A file as OWLAPI reads it: its profiles, the axioms that violate each profile, and the axioms by type.

    `failure` is the exception that it raised, if any. `left_over` are triples that its RDF parsers report as not
    understood. They do not report all of them, so axioms are counted as well.
    """

    failure: str | None = None
    profiles: frozenset[str] = frozenset()
    offending: dict[str, list[str]] = field(default_factory=dict)
    left_over: tuple[str, ...] = ()
    axioms: Counter[str] = field(default_factory=Counter)


def read_by_owlapi(files: Sequence[Path]) -> dict[Path, ReadByOwlapi]:
    """Read all files in one JVM."""
    done = subprocess.run(  # noqa: S603 - our own module, our own files
        [sys.executable, __file__, *map(str, files)], capture_output=True, timeout=_SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
    return {file: _answer(**answer) for file, answer in zip(files, answers, strict=True)}


def _answer(
    *,
    failure: str | None = None,
    profiles: Sequence[str] = (),
    offending: dict[str, list[str]] | None = None,
    left_over: Sequence[str] = (),
    axioms: dict[str, int] | None = None,
) -> ReadByOwlapi:
    return ReadByOwlapi(failure, frozenset(profiles), offending or {}, tuple(left_over), Counter(axioms or {}))


class _Reader:
    def __init__(self) -> None:
        parts = find_parts()
        jpype: Any = importlib.import_module("jpype")  # it has no types
        jpype.startJVM(
            parts.machine,
            "-Xmx2g",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",  # the runs are too short for the other compiler to pay off
            "-Xss64m",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
            "-DentityExpansionLimit=100000000",
            classpath=list(parts.jars),
            convertStrings=False,
        )
        java = jpype.JClass
        api = "org.semanticweb.owlapi"
        self._failure = jpype.JException
        self._managers = java(f"{api}.apibinding.OWLManager")
        self._file = java("java.io.File")
        silent = java(f"{api}.model.MissingImportHandlingStrategy").SILENT
        self._settings = java(f"{api}.model.OWLOntologyLoaderConfiguration")().setMissingImportHandlingStrategy(silent)
        self._source = java(f"{api}.io.FileDocumentSource")
        self._profiles = {name: java(f"{api}.profiles.OWL2{name}Profile")() for name in _PROFILES}
        self._types = list(java(f"{api}.model.AxiomType").AXIOM_TYPES)

    def read(self, file: str) -> dict[str, Any]:
        try:
            return self._read(file)
        except self._failure as error:
            return {"failure": str(error.getClass().getSimpleName())}

    def _read(self, file: str) -> dict[str, Any]:
        ontology = self._managers.createOWLOntologyManager().loadOntologyFromOntologyDocument(
            self._source(self._file(file)), self._settings
        )
        reports = {name: profile.checkOntology(ontology) for name, profile in self._profiles.items()}
        return {
            "profiles": [name for name, report in reports.items() if report.isInProfile()],
            "offending": {name: sorted(_axioms(report)) for name, report in reports.items()},
            "left_over": _left_over(ontology),
            "axioms": {
                str(kind.getName()): count for kind in self._types if (count := int(ontology.getAxiomCount(kind)))
            },
        }


def _axioms(report: Any) -> set[str]:
    return {str(violation.getAxiom()) for violation in report.getViolations() if violation.getAxiom() is not None}


def _left_over(ontology: Any) -> list[str]:
    told = ontology.getFormat().getOntologyLoaderMetaData()
    if not told.isPresent():
        return []
    # It also lists types of individuals that it has read, such as expressions and owl:Nothing, and what annotations of
    # annotations are about, which it has read as well.
    triples = list(map(str, told.get().getUnparsedTriples().iterator()))
    about_notes = {triple.split()[0] for triple in triples if "owl#annotatedSource> _:" in triple}
    return [
        triple
        for triple in triples
        if "22-rdf-syntax-ns#type>" not in triple
        and not (triple.split()[0] in about_notes and "owl#annotated" in triple.split()[1])
    ]


def main(files: Sequence[str]) -> Iterator[str]:
    reader = _Reader()
    for file in files:
        yield json.dumps(reader.read(file))


if __name__ == "__main__":
    for line in main(sys.argv[1:]):
        sys.stdout.write(line + "\n")
