"""A built-in operator is one file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import kgprobe

TOY = """# name: AddToy
# does: add a toy
# target: abox
# sets: generic
# before:
#   :a a :B .
# after:
#   :a a :B ; :toy :a .
PREFIX : <https://kgprobe.example/#>
INSERT { ?a :toy ?a } WHERE { ?a a ?b }
"""


def test_a_toy_operator(tmp_path: Path) -> None:
    package = tmp_path / "kgprobe"
    shutil.copytree(Path(kgprobe.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "mutation/operators/generic/AddToy.ru").write_text(TOY)
    (tmp_path / "a.ttl").write_text("<urn:a> a <urn:B> .")

    def run(*words: str) -> str:
        done = subprocess.run(  # noqa: S603 - our own command, our own arguments
            [sys.executable, "-m", "kgprobe", *words],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        return done.stdout

    assert "AddToy" in run("operators", "list", "--set", "generic")
    run("mutate", "a.ttl", "--operators", "addtoy", "--mutations", "1", "--count", "1")
    assert "#toy>" in (tmp_path / "mutants/mutant-0001.ttl").read_text()
