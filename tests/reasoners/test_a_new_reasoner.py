"""A module in `engines` and an entry in the catalogue are all that a new reasoner needs: the recipe, carried out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ENGINE = '''
from kgprobe.reasoners.engines import RefutingEngine


class Suspicious(RefutingEngine):
    """Takes every ontology with owl:Nothing in it for inconsistent."""

    def consistent_with(self, more):
        return "owl#Nothing" not in self.body + more

    def classify(self):
        return {"equivalents": [], "parents": [], "unsatisfiable": []}


def engine(name, memory_mb, folder):
    return Suspicious()
'''
# Python imports this module at the start of each process, so the child finds the engine, too.
EVERY_PROCESS = """
from pathlib import Path
from kgprobe.reasoners import engines
engines.__path__.append(str(Path(__file__).parent / "engines"))
"""
ENTRY = """
from kgprobe.reasoners import catalogue
from kgprobe.reasoners.gaps import Reliability, alone
from kgprobe.reasoners.protocol import Availability
catalogue.REASONERS["suspicious"] = catalogue.Entry(
    "suspicious", "Suspicious", "toy", lambda: Availability("1"), Reliability(gaps=alone("SubClassOf"), is_sound=False)
)
from kgprobe.__main__ import main
main()
"""
TURTLE = "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"


def run(folder: Path, *words: str) -> str:
    """The output of a command, with the reasoner installed."""
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    ended = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", ENTRY, *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.stdout + ended.stderr


def test_one_module_and_one_entry_are_enough(tmp_path: Path) -> None:
    (tmp_path / "engines").mkdir()
    (tmp_path / "engines" / "suspicious.py").write_text(ENGINE)
    (tmp_path / "sitecustomize.py").write_text(EVERY_PROCESS)
    (tmp_path / "harmless.ttl").write_text(
        TURTLE + "<urn:A> a owl:Class ; rdfs:subClassOf <urn:B> . <urn:B> a owl:Class ."
    )
    (tmp_path / "empty.ttl").write_text(TURTLE + "<urn:A> a owl:Class ; rdfs:subClassOf owl:Nothing .")
    assert "Suspicious" in run(tmp_path, "reasoners", "--only", "suspicious")
    harmless, empty = (
        run(tmp_path, "check", f"{name}.ttl", "--reasoner", "suspicious") for name in ("harmless", "empty")
    )
    assert "suspicious is not reliable with SubClassOf" in harmless, harmless
    assert "inconsistent" in empty, empty
