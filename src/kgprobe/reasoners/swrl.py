"""Rules in an interpretation: what matches their bodies, and whether their heads are true.

Variables stand for individuals with a name and for values, not for things that only have to exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any, TypeAlias

from kgprobe.owl.expression import Argument, Expression, inverse, is_headed
from kgprobe.owl.literal_values import FLOATS, NUMBERS, Doubt, value_of
from kgprobe.rdf.terms import Literal, Namespace
from kgprobe.reasoners.interpretation import BeyondModelsError, Interpretation, Thing

__all__ = ["Binding", "bound", "head_holds", "matches"]

Binding: TypeAlias = "Mapping[Argument, Thing | Literal]"

_BUILT_INS = Namespace("http://www.w3.org/2003/11/swrlb#")
_EQUALITIES = {_BUILT_INS.equal: eq, _BUILT_INS.notEqual: ne}
_ORDERS = {
    _BUILT_INS.lessThan: lt,
    _BUILT_INS.lessThanOrEqual: le,
    _BUILT_INS.greaterThan: gt,
    _BUILT_INS.greaterThanOrEqual: ge,
}


def matches(model: Interpretation, atoms: Sequence[Expression], known: Binding | None = None) -> Iterator[Binding]:
    """The ways to give values to the variables so that all atoms are true."""
    known = known or {}
    if not atoms:
        yield known
        return
    place = min(range(len(atoms)), key=lambda number: _effort(atoms[number], known))
    atom, others = atoms[place], [*atoms[:place], *atoms[place + 1 :]]
    for more in _of_atom(model, atom, known):
        yield from matches(model, others, {**known, **more})


def bound(argument: Argument, known: Binding) -> Any:
    """The value of a variable, or what is not a variable; None if the variable has no value yet."""
    return known.get(argument) if is_headed(argument, "Variable") else argument


def head_holds(model: Interpretation, atom: Expression, known: Binding) -> bool:
    """Whether an atom of a head is true."""
    return any(True for _ in _of_atom(model, atom, known))


def _effort(atom: Expression, known: Binding) -> tuple[bool, int]:
    """Atoms with many known values come first, and those that only compare values come once all are known."""
    unknown = sum(bound(argument, known) is None for argument in atom.args[1:])
    is_comparison = atom.head in ("BuiltInAtom", "DataRangeAtom", "SameIndividualAtom", "DifferentIndividualsAtom")
    if atom.head in ("SameIndividualAtom", "DifferentIndividualsAtom"):
        unknown = sum(bound(argument, known) is None for argument in atom.args)
    return is_comparison and unknown > 0, unknown


def _of_atom(model: Interpretation, atom: Expression, known: Binding) -> Iterator[Binding]:  # noqa: C901 - a case each
    """The values of further variables with which an atom is true."""
    match atom.head, atom.args:
        case "ClassAtom", (kind, one):
            for thing in _things(model, one, known, model.candidates(kind)):
                if model.has(thing, kind):
                    yield {one: thing}
        case "ObjectPropertyAtom", (prop, one, other):
            yield from _links(model, prop, one, other, known)
        case "DataPropertyAtom", (prop, one, value):
            for thing in _things(model, one, known, model.owners(prop)):
                wanted = bound(value, known)
                for key, literal in model.literals(prop, thing).items():
                    if wanted is None or model.value(wanted) == key:
                        yield {one: thing, value: literal}
        case (("SameIndividualAtom" | "DifferentIndividualsAtom"), (one, other)):
            ends = [model.thing(end) for end in (bound(one, known), bound(other, known)) if end is not None]
            if len(ends) < 2:
                raise BeyondModelsError
            if (ends[0] == ends[1]) == (atom.head == "SameIndividualAtom"):
                yield {}
        case "DataRangeAtom", (data_range, value):
            if model.data_range(data_range).contains(_literal(value, known)):
                yield {}
        case "BuiltInAtom", (name, *arguments):
            if _compares(name, [_literal(argument, known) for argument in arguments]):
                yield {}
        case _:
            raise BeyondModelsError


def _links(
    model: Interpretation, prop: Argument, one: Argument, other: Argument, known: Binding
) -> Iterator[dict[Argument, Thing | Literal]]:
    source, target = bound(one, known), bound(other, known)
    if source is None and target is not None:
        for thing in _named(model.targets(inverse(prop), model.thing(target))):
            yield {one: thing}
        return
    sources = _named(model.sources(prop)) if source is None else [model.thing(source)]
    for start in sources:
        for end in _named(model.targets(prop, start)):
            if (target is None or model.thing(target) == end) and (one != other or start == end):
                yield {one: start, other: end}


def _things(model: Interpretation, argument: Argument, known: Binding, others: Iterable[Thing]) -> list[Thing]:
    thing = bound(argument, known)
    return _named(others) if thing is None else [model.thing(thing)]


def _named(things: Iterable[Thing]) -> list[Thing]:
    return [thing for thing in things if type(thing) is not int]


def _literal(argument: Argument, known: Binding) -> Literal:
    found = bound(argument, known)
    if not isinstance(found, Literal):
        raise BeyondModelsError
    return found


def _compares(name: Argument, literals: Sequence[Literal]) -> bool:
    values = [value_of(literal) for literal in literals]
    known = [value for value in values if not isinstance(value, Doubt)]
    spaces = {value.space for value in known}
    is_alike = len(spaces) == 1 or spaces <= set(NUMBERS)
    if len(known) != 2 or len(values) != 2 or not is_alike:
        raise BeyondModelsError
    keys: list[Any] = [value.key for value in known]
    if name in _EQUALITIES:
        return bool(_EQUALITIES[name](*known))  # type: ignore[index]  # a name
    if name in _ORDERS and spaces <= {*NUMBERS, *FLOATS}:
        return bool(_ORDERS[name](*keys))  # type: ignore[index]
    raise BeyondModelsError
