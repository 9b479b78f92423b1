"""Reads the association rules that RDFMutate mines, one in each line: `(?a :p ?b)(?b :q ?c) -> (?a :r ?c)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from kgprobe.errors import InputError, Position, nearest
from kgprobe.given_files import LARGEST_SETTINGS, read_text
from kgprobe.mining.rules import Rule
from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import NamedNode

__all__ = ["read_rules"]

_ATOM = re.compile(r"\(([^()]*)\)")
_VARIABLE = re.compile(r"\?(\w+)")
# A rule with n body atoms gives 2^(n+1) - 1 operators.
_MOST_ATOMS = 8


def read_rules(path: Path, prefixes: Mapping[str, str]) -> Iterator[tuple[Position, Rule | InputError]]:
    """Each rule of a file with its place, or the mistake in it. Empty lines are passed over."""
    for number, line in enumerate(read_text(path, LARGEST_SETTINGS).splitlines(), 1):
        if line.strip():
            where = Position(str(path), number)
            try:
                yield where, _rule(line, prefixes, where)
            except InputError as error:
                yield where, error


def _rule(line: str, prefixes: Mapping[str, str], where: Position) -> Rule:
    body, *heads = line.split("->")
    atoms, heads = _ATOM.findall(body), [atom for head in heads for atom in _ATOM.findall(head)]
    rest = _ATOM.sub("", line).replace("->", "", 1).strip()
    if len(heads) != 1 or rest:
        hint = "write (?a :p ?b)(?b :q ?c) -> (?a :r ?c)"
        raise InputError("this is not a rule with a body, an arrow and one atom after it", where=where, hint=hint)
    if len(atoms) >= _MOST_ATOMS:
        raise InputError(f"a rule has at most {_MOST_ATOMS} atoms, not {len(atoms) + 1}", where=where)
    patterns = [_pattern(atom, prefixes, where) for atom in (*atoms, *heads)]
    return Rule(tuple(dict.fromkeys(patterns[:-1])), patterns[-1], 0, 0, 0, 0)


def _pattern(atom: str, prefixes: Mapping[str, str], where: Position) -> TriplePattern:
    parts = atom.split()
    if len(parts) != 3:
        raise InputError(f"an atom has a subject, a predicate and an object: ({atom})", where=where)
    subject, predicate, value = (_part(part, prefixes, where) for part in parts)
    return subject, predicate, value


def _part(written: str, prefixes: Mapping[str, str], where: Position) -> Variable | NamedNode:
    if variable := _VARIABLE.fullmatch(written):
        return Variable(variable[1])
    prefix, colon, local = written.partition(":")
    iri = prefixes[prefix] + local if colon and prefix in prefixes else written.removeprefix("<").removesuffix(">")
    if iri == written and "//" not in written:
        meant = nearest(prefix, prefixes)
        hint = f"did you mean '{meant}:'?" if meant else f"known are {', '.join(f'{each}:' for each in prefixes)}"
        raise InputError(f"the prefix of '{written}' is not known", where=where, hint=hint)
    try:
        return NamedNode(iri)
    except ValueError:
        raise InputError(f"'{written}' is not an IRI", where=where) from None
