"""An operator that is a SPARQL Update request: one solution of its WHERE is drawn, and its templates are filled in."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from kgprobe.errors import InputError, Position
from kgprobe.given_files import read_text
from kgprobe.mutation.axiom_rows import with_what_hangs_on
from kgprobe.mutation.functions import BINDINGS
from kgprobe.mutation.operator import Change, Description, Pins, Propose, Site, read_header
from kgprobe.mutation.profile_rules import TESTS
from kgprobe.mutation.update_syntax import Call, Request, read_request
from kgprobe.rdf import terms as rdf
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import Filter, TriplePattern, Variable, variables_of
from kgprobe.rdf.table import Key, KeyTriple, TripleTable
from kgprobe.rdf.terms import BlankNode, NamedNode, Term
from kgprobe.sparql.matching.sampling import Draw, function_from
from kgprobe.sparql.matching.where import Where, compile_where
from kgprobe.sparql.tokens import tokens

# -- templates of triples ----------------------------------------------------------------------------------------------

# As for patterns, a function is generated for each operator. Its source contains only fixed words and numbers; all
# terms and names are passed as values.


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
        fill: Fill = function_from(lines, "fill", {**self._values, "here": Gap.HERE, "everywhere": Gap.EVERYWHERE})
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
        conditions = [f"{self._name(part)} is not None" for part in triple if self._may_lack(part)]
        if isinstance(subject, Variable) and subject not in self._subjects:
            conditions.append(f"type({_term(self._name(subject))}) is not Literal")
        if isinstance(predicate, Variable) and predicate not in self._predicates:
            conditions.append(f"type({_term(self._name(predicate))}) is NamedNode")
        return conditions

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
        expression = f"binding.get({self._value(part.name)})" if isinstance(part, Variable) else "site.fresh.blank()"
        self._lines.append(f"{name} = {expression}")
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


# -- operators ---------------------------------------------------------------------------------------------------------


# The number of further solutions drawn when one fails: a generated value equals the old one, or a dependency of a
# removed triple is pinned. The latter cannot be seen from the solution, and may apply to most solutions.
_TRIES = 5
_TRIES_WITH_PINS = 30


@dataclass(frozen=True)
class UpdateOperator:
    """A description, and a request that is read and compiled once, when it is first needed.

    `name` is the source of the text in error messages.
    """

    description: Description
    source: str
    name: str

    @cached_property
    def request(self) -> Request:
        """The request, in parts."""
        return read_request(self.source, self.name)

    @cached_property
    def where(self) -> Where:
        """Its WHERE, without the conditions for pins."""
        return compile_where(self.request.where, self.request.prefixes, name=self.name, tests=TESTS)

    def bound(self, pins: Pins) -> Propose:
        return _Proposer(self, pins).propose


def read_operator(path: str | Path) -> UpdateOperator:
    """The operator in a `.ru` file."""
    return parse_operator(read_text(path), str(path))


def parse_operator(text: str, name: str) -> UpdateOperator:
    """The operator with this text: comments that describe it, then a request. InputError if either is wrong."""
    operator = built_in_operator(text, name)
    _check_variables(operator)
    _ = operator.where  # report errors in the WHERE now, not when it is first used
    return operator


def built_in_operator(text: str, name: str) -> UpdateOperator:
    """The same for a text that is known to be valid: only its description is read now."""
    header = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        header.append(line[1:].removeprefix(" "))
    return UpdateOperator(read_header(header, name), text, name)


@dataclass(slots=True)
class _InTable:
    """The knowledge of an operator about the graphs of one table."""

    # Keys that every solution needs and the table lacks: see `_missing`.
    missing: list[tuple[int, Key]]
    # The functions that draw a solution and fill in the templates; compiled when first needed.
    compiled: tuple[Draw, Fill] | None = None


class _Proposer:
    """Applies one operator.

    It reads the request on the first call, and compiles it once a graph has the keys that every solution needs.
    """

    def __init__(self, operator: UpdateOperator, pins: Pins) -> None:
        self._operator = operator
        self._pins = pins
        self._tidies = operator.description.tidies
        nodes = _node_changes(operator)
        self._nodes = nodes if nodes else None
        self._tries = _TRIES_WITH_PINS if pins.are_any else _TRIES
        self._in_table = PerTable(lambda table: _InTable(_missing(operator.where.needed, table)))

    def propose(self, site: Site) -> Change | None:
        graph = site.graph
        ready = self._in_table.of(graph.table)
        for place, key in ready.missing:
            if key not in graph.changed_parts(place):
                return None
        if ready.compiled is None:
            ready.compiled = self._compiled(graph.table)
        draw, fill = ready.compiled
        chance = site.random.random
        for _ in range(self._tries):
            binding = draw(graph, chance)
            if binding is None:
                return None
            filled = fill(site, binding)
            if filled is Gap.EVERYWHERE:
                return None  # another solution would not help it
            change = None if filled is Gap.HERE else self._change(site, binding, *filled)
            if change is not None:
                return change
        return None

    def _compiled(self, table: TripleTable) -> tuple[Draw, Fill]:
        return self._where.draw_in(table), compile_fill(self._operator.request, self._operator.where.needed, table)

    @cached_property
    def _adds_only_new(self) -> bool:
        return adds_only_new(self._operator.request) and self._nodes is None

    @cached_property
    def _where(self) -> Where:
        return self._operator.where.restricted(_filters(self._operator, self._pins))

    def _change(
        self, site: Site, binding: dict[str, Key], leave: list[KeyTriple], come: list[KeyTriple]
    ) -> Change | None:
        graph = site.graph
        if self._nodes is not None:
            nodes = self._nodes.change(graph, binding)
            if nodes is None:
                return None
            leave += nodes[0]
            come += nodes[1]
        coming = () if self._adds_only_new else dict.fromkeys(come)  # those that may exist already, or are removed
        go = [keys for keys in dict.fromkeys(leave) if keys not in coming and graph.has(*keys)] if leave else []
        added = come if self._adds_only_new else graph.lacking(coming)
        if self._tidies and go:
            go = with_what_hangs_on(graph, go, added)
        if not (go or added) or (site.pins.are_any and not site.pins.allow(graph, [*go, *added])):
            return None
        return Change(go, added, binding)


def _missing(needed: Sequence[TriplePattern], table: TripleTable) -> list[tuple[int, Key]]:
    """Keys that every solution needs and the table lacks: predicates (place 1) and objects (place 2).

    Most operators do not apply to most graphs, and this check detects that at once.
    """
    graph = Graph.from_table(table)
    missing: list[tuple[int, Key]] = []
    for _, predicate, object_ in needed:
        if not isinstance(predicate, Variable) and not isinstance(object_, Variable):
            if not graph.count(None, graph.key(predicate), graph.key(object_)):
                missing.append((2, graph.key(object_)))
        elif not isinstance(predicate, Variable) and not graph.count(None, graph.key(predicate)):
            missing.append((1, graph.key(predicate)))
    return missing


def _node_changes(operator: UpdateOperator) -> NodeChanges:
    return NodeChanges(operator.description.deletes_nodes, operator.description.replaces_nodes)


def _filters(operator: UpdateOperator, pins: Pins) -> list[Filter]:
    """Conditions that exclude solutions that would touch pinned triples, or would change nothing.

    A triple with a value that is only known later is checked then.
    """
    request = operator.request
    later = {call.variable for call in request.calls}

    def is_known(triple: TriplePattern) -> bool:
        return not later & set(variables_of([triple])) and not any(isinstance(part, BlankNode) for part in triple)

    nodes = _node_changes(operator)
    filters: list[Filter] = []
    if request.insert and not request.delete and not nodes and all(map(is_known, request.insert)):
        are_there = " and ".join("graph.has({}, {}, {})" for _ in request.insert)
        filters.append(
            _test(request.insert, lambda graph, rows: not all(graph.has(*row) for row in rows), f"not ({are_there})")
        )
    if pins.are_any:
        touched = filter(is_known, (*request.delete, *request.insert))
        filters += [_test([triple], lambda graph, rows: pins.allow(graph, rows)) for triple in touched]
        filters += nodes.filters(pins, {variable.name for variable in later})
    return filters


def _test(
    triples: Sequence[TriplePattern], holds: Callable[[Graph, list[KeyTriple]], bool], inline: str | None = None
) -> Filter:
    """A condition on these triples in a solution, optionally also as an expression with gaps for their parts."""
    variables = variables_of(triples)
    constants = tuple(dict.fromkeys(part for triple in triples for part in triple if not isinstance(part, Variable)))
    # Each part is an index into the values: those of the variables come first, then those of the constants.
    numbers: dict[Variable | Term, int] = {part: n for n, part in enumerate((*variables, *constants))}
    parts = [(numbers[s], numbers[p], numbers[o]) for s, p, o in triples]
    keys_of = PerTable(lambda table: tuple(map(table.key, constants)))

    def test(graph: Graph, keys: tuple[Key, ...]) -> bool:
        values = keys + keys_of.of(graph.table)
        return holds(graph, [(values[s], values[p], values[o]) for s, p, o in parts])

    gaps = [f"{{{number}}}" for triple in parts for number in triple]
    return Filter(variables, test, inline and inline.format(*gaps), constants)


def _check_variables(operator: UpdateOperator) -> None:
    """Each variable must have a value when it is used: from the WHERE, or from an earlier call."""
    request = operator.request
    matched = {token.text[1:] for token in tokens(request.where) if token.kind == "variable"}
    known = set(matched)
    for call in request.calls:
        if call.variable.name in matched:
            message = f"{call.variable} gets its value after a solution has been chosen: the WHERE cannot use it"
            raise InputError(message, where=_position(operator, call.variable))
        for argument in call.arguments:
            if isinstance(argument, Variable) and argument.name not in known:
                hint = "match it in the WHERE, or in a BIND before this one"
                raise InputError(f"{argument} has no value", where=_position(operator, argument), hint=hint)
        known.add(call.variable.name)
    nodes = map(Variable, _node_changes(operator).variables)
    for variable in [*variables_of([*request.delete, *request.insert]), *nodes]:
        if variable.name not in known:
            hint = f"give it one: BIND(kg:node() AS {variable}) is any node, BIND(kg:fresh() AS {variable}) a new one"
            raise InputError(f"{variable} has no value", where=_position(operator, variable), hint=hint)


def _position(operator: UpdateOperator, variable: Variable) -> Position:
    """The place where the variable is first used."""
    starts = [
        token.start for token in tokens(operator.source) if token.text in (f"?{variable.name}", f"${variable.name}")
    ]
    if not starts:
        return Position(operator.name)
    before = operator.source[: starts[0]]
    return Position(operator.name, before.count("\n") + 1, len(before) - before.rfind("\n"))
