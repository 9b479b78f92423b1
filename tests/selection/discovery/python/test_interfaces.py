"""Small tests of all of rdflib and pyoxigraph are run, and what they read is compared with their uses."""

from __future__ import annotations

import ast
import pkgutil
import re
from collections import Counter
from pathlib import Path

import pyoxigraph
import pytest
import rdflib
import rdflib.collection
import rdflib.compare
import rdflib.container
import rdflib.graph
import rdflib.namespace
import rdflib.paths
import rdflib.query
import rdflib.resource
import rdflib.util

from kgprobe.selection.discovery.python.interfaces import CONSTRUCTORS, HARMLESS_NAMES, INTERFACES
from kgprobe.selection.discovery.python_files import PYTHON
from kgprobe.selection.tests import Test

from ..finding import find
from .interface_cases import CASES, DATA, FAILING, HEAD, IRRELEVANT, IRRELEVANT_EVERYWHERE, MODULES, cases
from .python_files import found
from .recorded_reads import run

_SPACES = {"rdf": str(rdflib.RDF), "rdfs": str(rdflib.RDFS)}
_PREFIXED = re.compile(r"\b(rdfs?):(\w+)")  # in queries
FIXTURES = frozenset(["g", "h", "ds", "r", "c", "store", "quads", "quad"])
_NAMESPACES = (rdflib.Namespace, rdflib.namespace.DefinedNamespaceMeta)
MAKERS = ("Graph", "Dataset", "ConjunctiveGraph")
_CLASSES: dict[str, type] = {
    "rdflib.Graph": rdflib.Graph,
    "rdflib.Dataset": rdflib.Dataset,
    "rdflib.ConjunctiveGraph": rdflib.ConjunctiveGraph,
    "rdflib.Resource": rdflib.resource.Resource,
    "rdflib.Collection": rdflib.collection.Collection,
    "rdflib.Container": rdflib.container.Container,
    "rdflib.graph.Seq": rdflib.graph.Seq,
    "rdflib.NamespaceManager": rdflib.namespace.NamespaceManager,
    "rdflib.Result": rdflib.query.Result,
    "pyoxigraph.Store": pyoxigraph.Store,
    "pyoxigraph.Dataset": pyoxigraph.Dataset,
}


def _members(owner: type) -> set[str]:
    """The public members that a class itself defines, and those of its bases outside of the other classes."""
    bases = [each for each in owner.__mro__ if each is owner or each not in (object, *_CLASSES.values())]
    own = {name for each in bases for name in vars(each)}
    return {name for name in own if not name.startswith("_") or name.startswith("__")}


def test_every_public_member_has_a_small_test() -> None:
    missing = []
    for name, owner in _CLASSES.items():
        known = CASES[name].keys() | IRRELEVANT_EVERYWHERE.keys()
        missing += [f"{name}.{each}" for each in _members(owner) - known if f"{name}.{each}" not in IRRELEVANT]
    assert sorted(missing) == []
    for module in (rdflib.compare, rdflib.util, rdflib.paths):
        names = {name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}
        known = CASES[module.__name__].keys() | IRRELEVANT.keys()
        missing += [f"{module.__name__}.{name}" for name in names - known if not name.startswith("_")]
    missing += [each for each in _named_at_top() if each.rpartition(".")[2] not in CASES["pyoxigraph"]]
    assert [name for name in missing if name not in IRRELEVANT] == []


def _named_at_top() -> list[str]:
    """The names that the two packages export, except for values without a graph and for classes of the table."""
    names = [f"rdflib.{name}" for name in rdflib.__all__] + [f"pyoxigraph.{name}" for name in pyoxigraph.__all__]
    spaces = {f"rdflib.{name}" for name in rdflib.__all__ if isinstance(getattr(rdflib, name), _NAMESPACES)}
    return [name for name in names if name not in {*CONSTRUCTORS, *HARMLESS_NAMES, *spaces}]


def test_every_module_of_rdflib_is_known() -> None:
    modules = [each.name for each in pkgutil.walk_packages(rdflib.__path__, "rdflib.")]
    known = tuple(f"{name}." for name in MODULES)
    assert [name for name in modules if not f"{name}.".startswith(known)] == []


def test_the_table_names_no_member_that_the_libraries_do_not_have() -> None:
    """A misspelt entry would be understood nowhere."""
    for name, owner in _CLASSES.items():
        known = INTERFACES.get(name, {}).keys() - {"*"}
        value = {"toPython", "n3", "language", "datatype"} if name == "rdflib.Resource" else set()
        operators = {each for each in known if each.startswith("__")}
        own = set(dir(owner)) | {"uri", "graph", "vars", "type", "askAnswer", "base"}
        assert known - operators - value - own == set(), name


def _module(maker: str, lines: list[str], file: Path) -> str:
    head = HEAD.replace("{maker}", maker)
    tests = []
    for number, line in enumerate(lines):
        body = _PREFIXED.sub(lambda each: f"<{_SPACES[each[1]]}{each[2]}>", line.replace("\\n", "\n"))
        words = {node.id for node in ast.walk(ast.parse(f"def f():\n    {body}")) if isinstance(node, ast.Name)}
        tests.append(f"def test_{number}({', '.join(sorted(words & FIXTURES))}):\n    {body}\n")
    return (head + "\n".join(tests)).replace("FILE", repr(file.name))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("maker", MAKERS)
def test_every_read_is_a_use_of_the_test_or_the_test_is_unanalysable(
    tmp_path: Path, maker: str, capsys: pytest.CaptureFixture[str]
) -> None:
    own = [(name, line) for name, line in cases() if maker == "Graph" or name.startswith("rdflib.Graph.")]
    (tmp_path / "pizza.ttl").write_text(DATA)
    module = _module(maker, [line for _, line in own], tmp_path / "pizza.ttl")
    tests = found(find(tmp_path, {"test_a.py": module}))
    reads, errors = run(module, tmp_path)
    failed = {own[int(name[5:])]: error for name, error in errors.items()}
    if maker == "Graph":
        assert {line: error for (name, line), error in failed.items() if name not in FAILING} == {}
    capsys.readouterr()
    missed = {}
    for number, (name, line) in enumerate(own):
        test = tests.get(f"test_{number}", Test("", PYTHON))
        if lost := reads[f"test_{number}"].missed_by(test):
            missed[f"{name}: {line}"] = lost
    assert missed == {}
    counts = Counter(bool(reads[f"test_{number}"]) for number in range(len(own)))
    assert counts[True] >= (300 if maker == "Graph" else 150), counts
