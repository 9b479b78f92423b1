"""The built-in operators, by name and by set.

Reading a set reads the headers of all operators; looking up a name reads one file. The request of an operator is read
when the operator is first used.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from random import Random

import pyoxigraph

from kgprobe.errors import InputError, Position, did_you_mean
from kgprobe.given_files import is_there
from kgprobe.mutation.operator import NO_PINS, Operator, Pins, Site
from kgprobe.mutation.operators import PYTHON_OPERATORS
from kgprobe.mutation.update import UpdateOperator, built_in_operator, read_operator
from kgprobe.rdf.graph import NEW_NAMESPACE, FreshNames, Graph
from kgprobe.rdf.spelling import STANDARD_PREFIXES

# The header of an operator lists its sets.
SETS = {
    "generic": "any RDF graph: they add, remove and change triples, nodes, relations and values",
    "owl-el": "an ontology in the EL profile of OWL 2; mutants stay in the profile",
    "owl-dl": "an ontology in OWL 2 DL: all of owl-el, and the constructs that only DL has",
    "abox": "individuals and statements about them; classes and properties do not change",
    "annotations": "an ontology: they annotate names, axioms and annotations; its meaning does not change",
    "imports": "an ontology that was read together with its imports: they add and remove owl:imports",
}


@cache
def all_operators() -> tuple[Operator, ...]:
    """All operators, in order of their names."""
    return tuple(map(_read, operator_names()))


def operator_set(name: str) -> tuple[Operator, ...]:
    """The operators of a set."""
    if name not in SETS:
        hint = did_you_mean(name, SETS, f"the sets are {', '.join(SETS)}")
        raise InputError(f"no set of operators is named '{name}'", hint=hint)
    return tuple(operator for operator in all_operators() if name in operator.description.sets)


def named(name: str) -> Operator:
    """The operator with this name; upper and lower case do not matter."""
    known = next((other for other in operator_names() if other.casefold() == name.casefold()), None)
    if known is None:
        hint = did_you_mean(name, operator_names(), "see 'kgprobe operators list'")
        raise InputError(f"no operator is named '{name}'", hint=hint)
    return _read(known)


@cache
def operator_names() -> tuple[str, ...]:
    """The names of all operators, in order."""
    return tuple(sorted([*_python_operators(), *_update_files()]))


@cache
def _read(name: str) -> Operator:
    if name in _python_operators():
        return _python_operators()[name]
    path = _update_files()[name]
    return built_in_operator(path.read_text(encoding="utf-8"), path.name)


@cache
def _python_operators() -> dict[str, Operator]:
    return {operator.description.name: operator for operator in PYTHON_OPERATORS}


@cache
def _update_files() -> dict[str, Traversable]:
    """The files of operators in SPARQL Update. Each is named after its operator."""
    folders = (folder for folder in files("kgprobe.mutation.operators").iterdir() if folder.is_dir())
    paths = (path for folder in folders for path in folder.iterdir())
    return {path.name.removesuffix(".ru"): path for path in paths if path.name.endswith(".ru")}


# -- the operators that a user names: by a set, a name, a file, a pattern for files, or a folder -----------------------


def resolve_operators(names: Iterable[str], folder: Path) -> list[Operator]:
    """The operators that these names stand for, each once; files are relative to the folder."""
    return all_different(operator for name in names for operator in operators_for(name, folder))


def operators_for(name: str, folder: Path) -> Sequence[Operator]:
    """The operators that one name stands for."""
    if _is_file(name):
        return [read_operator(path) for path in _files(name, folder)]
    if name in SETS:
        return operator_set(name)
    if name.casefold() in map(str.casefold, operator_names()):
        return [named(name)]
    if is_there(folder / name, Path.is_dir):
        return [read_operator(path) for path in _inside(folder / name)]
    hint = did_you_mean(name, [*SETS, *operator_names()], f"sets are {', '.join(SETS)}; files are named .ru")
    raise InputError(f"'{name}' is not a set of operators, an operator, a file or a folder", hint=hint)


def all_different(operators: Iterable[Operator]) -> list[Operator]:
    """The operators without repetitions. InputError if two different ones have the same name."""
    by_name: dict[str, Operator] = {}
    for operator in operators:
        name = operator.description.name
        known = by_name.setdefault(name, operator)
        if known is not operator and known.source != operator.source:
            message = f"there are two operators named '{name}'"
            raise InputError(message, hint="manifests refer to operators by name: give one of them another 'name:'")
    return list(by_name.values())


def _is_file(name: str) -> bool:
    # Names of operators contain none of these characters.
    return name.endswith(".ru") or any(character in name for character in "/\\*?[")


def _files(name: str, folder: Path) -> list[Path]:
    if not glob.has_magic(name):
        path = _existing(folder / name)
        return _inside(path) if path.is_dir() else [path]
    pattern = str(Path(glob.escape(str(folder))) / name)
    files = [path for path in map(Path, sorted(glob.glob(pattern))) if path.is_file()]  # noqa: PTH207 - may be absolute
    if not files:
        raise InputError(f"no file in {folder} matches '{name}'")
    return files


def _inside(folder: Path) -> list[Path]:
    """The operators in a folder."""
    files = sorted(path for path in folder.glob("*.ru") if path.is_file())
    if not files:
        raise InputError("has no operators", where=Position(str(folder)), hint="operators are files named .ru")
    return files


def _existing(path: Path) -> Path:
    if is_there(path):
        return path
    try:
        beside = [other.name for other in path.parent.iterdir()]
    except (OSError, ValueError):  # no folder, or not a valid file name
        beside = []
    raise InputError(f"{path} does not exist", hint=did_you_mean(path.name, beside))


# -- their examples ----------------------------------------------------------------------------------------------------


EXAMPLE_NAMESPACE = "https://kgprobe.example/#"
_PREFIXES = {"": EXAMPLE_NAMESPACE, "new": NEW_NAMESPACE, **STANDARD_PREFIXES}


def example_graph(turtle: str, prefixes: Mapping[str, str] | None = None) -> Graph:
    """The graph of an example, which may use these prefixes, too."""
    header = "".join(f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in (_PREFIXES | dict(prefixes or {})).items())
    quads = pyoxigraph.parse((header + turtle).encode(), pyoxigraph.RdfFormat.TURTLE)
    return Graph(quad.triple for quad in quads)


def prefixes_of(operator: Operator) -> dict[str, str]:
    """The prefixes that the operator declares."""
    return operator.request.prefixes if isinstance(operator, UpdateOperator) else {}


def trials(operator: Operator, before: Graph, count: int, pins: Pins = NO_PINS) -> Iterator[Graph]:
    """What the operator makes of a graph, with different random choices; fewer if it does not always apply."""
    propose = operator.bound(pins)
    for seed in range(count):
        graph = before.copy()
        change = propose(Site(graph, Random(seed), FreshNames(graph, seed), pins))
        if change is not None:
            graph.change(change.removed, change.added)
            yield graph
