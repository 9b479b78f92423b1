"""How OWLAPI reads files: `python tests/mutation/owlapi_reading.py FILE…`, one line of JSON for each.

Its parsers of RDF tell what triples they could not make sense of, but not of all; so its axioms are counted as well.
A Java machine gets a process of its own.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgprobe.errors import UnavailableError
from kgprobe.reasoners.java_parts import find_parts

__all__ = ["ReadByOwlapi", "is_available", "read_by_owlapi"]

_SECONDS = 300


@dataclass(frozen=True)
class ReadByOwlapi:
    """What came of a file: an exception, or axioms; how many of each type, and whether they are in OWL 2 EL."""

    failure: str | None
    left_over: tuple[str, ...]
    is_el: bool
    axioms: Counter[str]


def is_available() -> bool:
    """Whether OWLAPI and a Java machine are here."""
    try:
        find_parts()
    except UnavailableError:
        return False
    return True


def read_by_owlapi(files: Sequence[Path]) -> list[ReadByOwlapi]:
    """What OWLAPI makes of each file."""
    done = subprocess.run(  # noqa: S603 - our own module, our own files
        [sys.executable, __file__, *map(str, files)], capture_output=True, timeout=_SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
    return [
        ReadByOwlapi(answer["failure"], tuple(answer["left over"]), answer["is EL"], Counter(answer["axioms"]))
        for answer in answers
    ]


class _Reader:
    def __init__(self) -> None:
        parts = find_parts()
        jpype: Any = importlib.import_module("jpype")  # it has no types
        jpype.startJVM(
            parts.machine,
            *("-Xmx1g", "-XX:+UseSerialGC", "-Xss16m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=off"),
            classpath=list(parts.jars),
            convertStrings=False,
        )
        java, api = jpype.JClass, "org.semanticweb.owlapi"
        self._failure = jpype.JException
        self._managers = java(f"{api}.apibinding.OWLManager")
        self._file = java("java.io.File")
        self._source = java(f"{api}.io.FileDocumentSource")
        silent = java(f"{api}.model.MissingImportHandlingStrategy").SILENT
        self._settings = java(f"{api}.model.OWLOntologyLoaderConfiguration")().setMissingImportHandlingStrategy(silent)
        self._el = java(f"{api}.profiles.OWL2ELProfile")()

    def read(self, file: str) -> dict[str, Any]:
        try:
            ontology = self._managers.createOWLOntologyManager().loadOntologyFromOntologyDocument(
                self._source(self._file(file)), self._settings
            )
        except self._failure as error:
            return {"failure": str(error), "left over": [], "is EL": False, "axioms": {}}
        found = ontology.getFormat().getOntologyLoaderMetaData().get().getUnparsedTriples()
        return {
            "failure": None,
            # It also lists types of individuals which it has read, such as expressions and owl:Nothing.
            "left over": [text for text in map(str, found.iterator()) if "22-rdf-syntax-ns#type>" not in text],
            "is EL": bool(self._el.checkOntology(ontology).isInProfile()),
            "axioms": Counter(str(axiom.getAxiomType().getName()) for axiom in ontology.axioms().iterator()),
        }


def main(files: Sequence[str]) -> Iterator[str]:
    reader = _Reader()
    for file in files:
        yield json.dumps(reader.read(file))


if __name__ == "__main__":
    for line in main(sys.argv[1:]):
        sys.stdout.write(line + "\n")
