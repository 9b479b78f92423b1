"""A command loads only what it needs: libraries that are slow to import are loaded only by commands that use them."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import needs_linux

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Literal, NamedNode, Triple

_PROJECT = Path(__file__).resolve().parents[2]
_CAFE = str(_PROJECT / "docs/files/cafe.ttl")
_IMPORTED = re.compile(r"^import time:.*\| +(\S+)$", re.MULTILINE)

# Libraries that no command loads unless it uses them.
_SLOW = {
    *("numpy", "jsonschema", "shifty", "rdflib", "pyshacl", "rustdl", "pyhermit", "tree_sitter", "rich", "yaml"),
    *("dask", "distributed", "sqlite3", "asyncio", "urllib.request", "http.client"),
}
_GRAPHS = {"kgprobe.rdf.table", "pyoxigraph"}
_MASKS = {"kgprobe.masks.shacl", "kgprobe.masks.judge"}
_REASONERS = {"kgprobe.reasoners.auto", "kgprobe.reasoners.host", "kgprobe.entailment"}
_CAMPAIGNS = {"kgprobe.campaign", "kgprobe.systems", "kgprobe.oracles", "kgprobe.reduction"}
_SELECTION = {"kgprobe.selection.discovery", "kgprobe.selection.plan", "kgprobe.comparison", "kgprobe.sparql.tree"}
_METHODS = {"kgprobe.mutation", *_CAMPAIGNS, *_SELECTION}

# Commands and the modules that they must not import.
_UNUSED: dict[str, set[str]] = {
    "--version": {*_SLOW, *_GRAPHS, *_MASKS, *_REASONERS, *_METHODS},
    "--help": {*_SLOW, *_GRAPHS, *_MASKS, *_REASONERS, *_METHODS},
    "schema": {*_SLOW, *_MASKS, *_REASONERS, *_METHODS},  # types of tables know formats, and so graphs
    "operators list": {*_SLOW, "kgprobe.masks", *_REASONERS, *_CAMPAIGNS, *_SELECTION} - {"kgprobe.sparql.tree"},
    "operators show AddSubClassOf": {*_SLOW, "kgprobe.masks", *_REASONERS, *_CAMPAIGNS, *_SELECTION}
    - {"kgprobe.sparql.tree"},
    "reasoners --help": {*_SLOW, *_MASKS, *_METHODS},
    "info --help": {*_SLOW, *_MASKS, *_REASONERS, *_METHODS},
    "check --help": {*_SLOW, *_REASONERS, *_METHODS},
    "mutate --help": {*_SLOW, *_SELECTION} - {"kgprobe.sparql.tree"},
    "test --help": {*_SLOW, *_SELECTION}
    - {"sqlite3", "http.client", "kgprobe.sparql.tree"},  # the store, and systems behind HTTP
    "info CAFE": {*_SLOW, *_MASKS, *_REASONERS, *_METHODS} - {"numpy"},
    "convert CAFE cafe.nt": {*_SLOW, *_MASKS, *_REASONERS, *_METHODS} - {"numpy"},
    "check CAFE": {*_SLOW, *_REASONERS, *_METHODS} - {"numpy"},
    "diff CAFE CAFE": {*_SLOW, *_MASKS, *_REASONERS, *_CAMPAIGNS, "kgprobe.mutation", "kgprobe.sparql.tree"}
    - {"numpy"},
    "init CAFE": {*_SLOW, *_REASONERS, *_SELECTION} - {"numpy", "jsonschema", "kgprobe.sparql.tree"},
    # Operators are SPARQL updates, so mutation reads them.
    "mutate CAFE --operators generic --count 1 --out mutants": {*_SLOW, *_SELECTION}
    - {"numpy", "tree_sitter", "kgprobe.sparql.tree"},
}


@pytest.mark.parametrize("command", _UNUSED)
def test_a_command_loads_nothing_that_it_does_not_use(command: str, tmp_path: Path) -> None:
    given = [_CAFE if word == "CAFE" else word for word in command.split()]
    run = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-X", "importtime", "-m", "kgprobe", *given],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, _IMPORTED.sub("", run.stderr)
    imported = set(_IMPORTED.findall(run.stderr))
    assert "click" in imported  # checks that the names are parsed correctly
    assert sorted(imported & _UNUSED[command]) == []


_THREADS = """
import os, sys
from kgprobe.cli.app import run
code = run(["info", sys.argv[1]])
assert "numpy" in sys.modules
print(code, len(os.listdir("/proc/self/task")), "OPENBLAS_NUM_THREADS" in os.environ)
"""


@needs_linux
def test_a_command_starts_no_threads_for_linear_algebra_and_leaves_the_environment_as_it_was() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    run = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", _THREADS, _CAFE], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines()[-1] == "0 1 False"


_LOADED_LATER = """
import pickle, sys
import kgprobe.campaign.worker
before = set(sys.modules)
pickle.load(sys.stdin.buffer)
print(sorted(set(sys.modules) - before))
"""


def test_a_worker_loads_what_graphs_need_before_its_first_task() -> None:
    graph = Graph([Triple(NamedNode("urn:a"), NamedNode("urn:b"), Literal("c"))])
    run = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", _LOADED_LATER], input=pickle.dumps(graph), capture_output=True, check=True
    )
    assert run.stdout.strip() == b"[]"
