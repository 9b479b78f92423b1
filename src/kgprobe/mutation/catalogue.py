"""The built-in operators, by name and by set.

Reading a set reads the headers of all operators; looking up a name reads one file. The request of an operator is read
when the operator is first used.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from kgprobe.errors import InputError, nearest
from kgprobe.mutation.operator import Operator
from kgprobe.mutation.operators import PYTHON_OPERATORS
from kgprobe.mutation.update import built_in_operator

__all__ = ["SETS", "all_operators", "named", "operator_names", "operator_set"]

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
        meant = nearest(name, SETS)
        hint = f"did you mean '{meant}'?" if meant else f"the sets are {', '.join(SETS)}"
        raise InputError(f"no set of operators is named '{name}'", hint=hint)
    return tuple(operator for operator in all_operators() if name in operator.description.sets)


def named(name: str) -> Operator:
    """The operator with this name; upper and lower case do not matter."""
    found = next((each for each in operator_names() if each.casefold() == name.casefold()), None)
    if found is None:
        meant = nearest(name, operator_names())
        hint = f"did you mean '{meant}'?" if meant else "see 'kgprobe operators list'"
        raise InputError(f"no operator is named '{name}'", hint=hint)
    return _read(found)


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
    found = (path for folder in folders for path in folder.iterdir())
    return {path.name.removesuffix(".ru"): path for path in found if path.name.endswith(".ru")}
