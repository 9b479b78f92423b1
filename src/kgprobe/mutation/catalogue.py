"""The operators that come along, by name and by set."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from kgprobe.errors import InputError, nearest
from kgprobe.mutation.operator import Operator
from kgprobe.mutation.operators import PYTHON_OPERATORS
from kgprobe.mutation.update import parse_operator

__all__ = ["SETS", "all_operators", "named", "operator_set"]

# What is in each set is said by the operators themselves.
SETS = {
    "generic": "any RDF graph: triples, nodes, relations and values come, go and change",
    "owl-el": "an ontology in the EL profile of OWL 2, which it stays in",
    "owl-dl": "an ontology in OWL 2 DL: all of owl-el, and what only DL has",
    "abox": "individuals and what is said of them; classes and properties stay as they are",
    "imports": "an ontology that was read together with its imports: owl:imports come and go",
}


@cache
def all_operators() -> tuple[Operator, ...]:
    """All operators, in order of their names."""
    found: list[Operator] = list(PYTHON_OPERATORS)
    found += [parse_operator(path.read_text(encoding="utf-8"), path.name) for path in _update_files()]
    return tuple(sorted(found, key=lambda operator: operator.description.name))


def operator_set(name: str) -> tuple[Operator, ...]:
    """The operators of a set."""
    if name not in SETS:
        meant = nearest(name, SETS)
        hint = f"did you mean '{meant}'?" if meant else f"there are {', '.join(SETS)}"
        raise InputError(f"there is no set of operators named '{name}'", hint=hint)
    return tuple(operator for operator in all_operators() if name in operator.description.sets)


def named(name: str) -> Operator:
    """The operator with this name, whatever the case of its letters."""
    by_name = {operator.description.name.casefold(): operator for operator in all_operators()}
    if name.casefold() not in by_name:
        meant = nearest(name, (operator.description.name for operator in all_operators()))
        hint = f"did you mean '{meant}'?" if meant else "see 'kgprobe operators list'"
        raise InputError(f"there is no operator named '{name}'", hint=hint)
    return by_name[name.casefold()]


def _update_files() -> Iterator[Traversable]:
    for folder in files("kgprobe.mutation.operators").iterdir():
        if folder.is_dir():
            yield from (path for path in folder.iterdir() if path.name.endswith(".ru"))
