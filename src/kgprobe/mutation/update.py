"""An operator that is a SPARQL Update request: one solution of its WHERE is drawn, and its templates are filled in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kgprobe.errors import InputError, Position
from kgprobe.given_files import read_text
from kgprobe.mutation.axiom_rows import with_what_hangs_on
from kgprobe.mutation.operator import Change, Description, Pins, Propose, Site, read_header
from kgprobe.mutation.profile_rules import TESTS
from kgprobe.mutation.templates import Fill, Gap, NodeChanges, adds_only_new, compile_fill
from kgprobe.mutation.update_syntax import Request, read_request
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import Filter, TriplePattern, Variable, variables_of
from kgprobe.rdf.table import Key, KeyTriple, TripleTable
from kgprobe.rdf.terms import BlankNode, Term
from kgprobe.sparql.matching.sampling import Draw
from kgprobe.sparql.matching.where import Where, compile_where
from kgprobe.sparql.tokens import tokens

__all__ = ["UpdateOperator", "built_in_operator", "parse_operator", "read_operator"]

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
    found: list[tuple[int, Key]] = []
    for _, predicate, object_ in needed:
        if not isinstance(predicate, Variable) and not isinstance(object_, Variable):
            if not graph.count(None, graph.key(predicate), graph.key(object_)):
                found.append((2, graph.key(object_)))
        elif not isinstance(predicate, Variable) and not graph.count(None, graph.key(predicate)):
            found.append((1, graph.key(predicate)))
    return found


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
    found: list[Filter] = []
    if request.insert and not request.delete and not nodes and all(map(is_known, request.insert)):
        are_there = " and ".join("graph.has({}, {}, {})" for _ in request.insert)
        found.append(
            _test(request.insert, lambda graph, rows: not all(graph.has(*row) for row in rows), f"not ({are_there})")
        )
    if pins.are_any:
        touched = filter(is_known, (*request.delete, *request.insert))
        found += [_test([triple], lambda graph, rows: pins.allow(graph, rows)) for triple in touched]
        found += nodes.filters(pins, {variable.name for variable in later})
    return found


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
