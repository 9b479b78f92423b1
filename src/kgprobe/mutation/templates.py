"""From one solution of a WHERE to triples: the values of calls, filled templates, and nodes that change as a whole.

As for patterns, a function is generated for each operator. Its source contains only fixed words and numbers; all terms
and names are passed as values.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from typing import Any, TypeAlias

from kgprobe.mutation.functions import BINDINGS
from kgprobe.mutation.operator import Pins, Site
from kgprobe.mutation.update_syntax import Call, Request
from kgprobe.rdf import terms as rdf
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import Filter, TriplePattern, Variable, variables_of
from kgprobe.rdf.table import Key, KeyTriple, TripleTable
from kgprobe.rdf.terms import BlankNode, NamedNode, Term
from kgprobe.sparql.matching.generated import function_from

__all__ = ["Fill", "Gap", "NodeChanges", "adds_only_new", "compile_fill"]


class Gap(Enum):
    """Why a template is not filled in, since a template with a gap could be half a list: a call has no value."""

    HERE = "for this solution"
    EVERYWHERE = "for any solution"


# The triples to remove and those to add; the values of calls are added to the solution.
Fill: TypeAlias = Callable[[Site, dict[str, Key]], tuple[list[KeyTriple], list[KeyTriple]] | Gap]


def compile_fill(request: Request, needed: Sequence[TriplePattern], table: TripleTable) -> Fill:
    """The function for one operator, in the graphs of one table. `needed` are triples that every solution has."""
    return _Writer(request, needed, table).compiled()


def adds_only_new(request: Request) -> bool:
    """Whether every added triple contains a new node, and none is added twice."""
    new: set[Variable | Term] = {call.variable for call in request.calls if call.function == "fresh"}
    new.update(part for triple in request.insert for part in triple if isinstance(part, BlankNode))

    def may_be_equal(one: Variable | Term, other: Variable | Term) -> bool:
        return one == other or (not {one, other} & new and any(isinstance(part, Variable) for part in (one, other)))

    pairs = itertools.combinations(request.insert, 2)
    return all(new.intersection(triple) for triple in request.insert) and not any(
        all(map(may_be_equal, one, other)) for one, other in pairs
    )


class _Writer:
    """Writes the source of one function."""

    def __init__(self, request: Request, needed: Sequence[TriplePattern], table: TripleTable) -> None:
        self._request = request
        self._key = table.key
        self._names: dict[Variable | Term, str] = {}
        self._values: dict[str, Any] = {"terms": table.terms, "NamedNode": NamedNode, "Literal": rdf.Literal}
        self._values |= {"here": Gap.HERE, "everywhere": Gap.EVERYWHERE}
        # Variables that have a value in every solution; those that are never literals; those that are always IRIs.
        self._certain: set[Variable | Term] = set(variables_of(needed))
        self._subjects = {subject for subject, _, _ in needed}
        self._predicates = {predicate for _, predicate, _ in needed}
        self._lines: list[str] = []

    def compiled(self) -> Fill:
        for call in self._request.calls:
            self._write_call(call)
        self._write_template("come", self._request.insert)
        self._write_template("leave", self._request.delete)
        lines = ["def fill(site, binding):", *("    " + line for line in [*self._lines, "return leave, come"])]
        fill: Fill = function_from(lines, "fill", self._values)
        return fill

    def _write_call(self, call: Call) -> None:
        give = f"give{len(self._values)}"
        self._values[give] = BINDINGS[call.function].give
        arguments = "".join(f"{self._name(argument)}, " for argument in call.arguments)
        unsure = "".join(f"None if {self._name(a)} is None else " for a in call.arguments if self._may_lack(a))
        target = self._new_name(call.variable)
        gap = "here" if any(isinstance(argument, Variable) for argument in call.arguments) else "everywhere"
        self._lines += [
            f"{target} = {unsure}{give}(site, ({arguments}))",
            f"if {target} is None: return {gap}",
            f"binding[{self._value(call.variable.name)}] = {target}",
        ]
        self._certain.add(call.variable)

    def _write_template(self, target: str, triples: Sequence[TriplePattern]) -> None:
        """As in SPARQL, skip triples with an unbound variable, a literal as subject, or a non-IRI predicate."""
        for part in dict.fromkeys(part for triple in triples for part in triple):
            self._name(part)
        written = [f"({', '.join(map(self._name, triple))})" for triple in triples]
        conditions = [self._conditions(triple) for triple in triples]
        if not any(conditions):
            self._lines.append(f"{target} = [{', '.join(written)}]")
            return
        self._lines.append(f"{target} = []")
        for triple, unsure in zip(written, conditions, strict=True):
            line = f"{target}.append({triple})"
            self._lines.append(f"if {' and '.join(unsure)}: {line}" if unsure else line)

    def _conditions(self, triple: TriplePattern) -> list[str]:
        """The conditions for a triple that are not certain to hold."""
        subject, predicate, _ = triple
        found = [f"{self._name(part)} is not None" for part in triple if self._may_lack(part)]
        if isinstance(subject, Variable) and subject not in self._subjects:
            found.append(f"type({_term(self._name(subject))}) is not Literal")
        if isinstance(predicate, Variable) and predicate not in self._predicates:
            found.append(f"type({_term(self._name(predicate))}) is NamedNode")
        return found

    def _may_lack(self, part: Variable | Term) -> bool:
        return isinstance(part, Variable) and part not in self._certain

    def _name(self, part: Variable | Term) -> str:
        """The name of a part's value."""
        if part in self._names:
            return self._names[part]
        if not isinstance(part, Variable | BlankNode):
            self._names[part] = self._value(self._key(part))
            return self._names[part]
        name = self._new_name(part)
        found = f"binding.get({self._value(part.name)})" if isinstance(part, Variable) else "site.fresh.blank()"
        self._lines.append(f"{name} = {found}")
        return name

    def _new_name(self, part: Variable | Term) -> str:
        return self._names.setdefault(part, f"v{len(self._names)}")

    def _value(self, value: object) -> str:
        name = f"c{len(self._values)}"
        self._values[name] = value
        return name


def _term(name: str) -> str:
    return f"(terms[{name}] if type({name}) is int else {name})"


# -- nodes as a whole --------------------------------------------------------------------------------------------------


class NodeChanges:
    """Changes in all triples of a node: variables whose values are removed, and pairs of an old node and a new one.

    The templates of SPARQL Update list their triples one by one, and the number of a node's triples is not known
    beforehand.
    """

    def __init__(self, deleted: Sequence[str], replaced: Sequence[tuple[str, str]]) -> None:
        self._deleted = tuple(deleted)
        self._replaced = tuple(replaced)

    def __bool__(self) -> bool:
        return bool(self._deleted or self._replaced)

    @property
    def variables(self) -> tuple[str, ...]:
        """All variables that are named."""
        return (*self._deleted, *(name for pair in self._replaced for name in pair))

    def change(self, graph: Graph, binding: Mapping[str, Key]) -> tuple[list[KeyTriple], list[KeyTriple]] | None:
        """The triples to remove and those to add; None if RDF does not allow one of them."""
        names = {binding[old]: binding[new] for old, new in self._replaced if old in binding and new in binding}
        go = dict.fromkeys(row for name in self._deleted if name in binding for row in _rows_with(graph, binding[name]))
        come: dict[KeyTriple, None] = {}
        for old in names:
            for row in _rows_with(graph, old):
                s, p, o = (names.get(key, key) for key in row)
                if isinstance(graph.term(s), rdf.Literal) or not isinstance(graph.term(p), NamedNode):
                    return None
                if row not in go:
                    come[s, p, o] = None
        go.update(dict.fromkeys(row for old in names for row in _rows_with(graph, old)))
        return list(go), list(come)

    def filters(self, pins: Pins, later: Collection[str]) -> list[Filter]:
        """Conditions that exclude nodes with pinned triples. Variables in `later` have no value yet."""
        going = dict.fromkeys((*self._deleted, *(old for old, _ in self._replaced)))
        return [Filter((Variable(name),), _is_free(pins)) for name in going if pins.are_any and name not in later]


def _is_free(pins: Pins) -> Callable[[Graph, tuple[Key, ...]], bool]:
    def holds(graph: Graph, keys: tuple[Key, ...]) -> bool:
        return pins.allow(graph, _rows_with(graph, keys[0]))

    return holds


def _rows_with(graph: Graph, node: Key) -> list[KeyTriple]:
    """All triples that contain a node, in any position."""
    places = (graph.about(node), graph.rows(None, node), graph.to(node))
    return list(dict.fromkeys(row for rows in places for row in rows))
