"""The ways in which the pattern of a query can match, each as a template: triples, conditions and values.

A query leaves choices open: the branches of a UNION, an OPTIONAL that is present or missing, the number of steps of a
path, the number of rows that an aggregate counts, the graph that a pattern is in. `Expansion` walks the tree of a query
and asks a `Chooser` at each of these. Option 0 is always the usual one: present, one step, one row, and no match for
NOT EXISTS and MINUS. The usual template comes first, then those that differ from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random
from typing import TypeAlias

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import XSD, Literal, NamedNode, Term
from kgprobe.sparql.algebra import (
    Bind,
    Constant,
    Exists,
    Expression,
    Filter,
    GraphGroup,
    Group,
    Minus,
    Optional,
    Part,
    PlacedTriple,
    QueryTree,
    Service,
    Union,
    Values,
    VariableUse,
)
from kgprobe.sparql.paths import (
    AlternativePath,
    EdgePath,
    NegatedPath,
    Path,
    RepeatedPath,
    SequencePath,
    directed,
    legs,
)
from kgprobe.sparql.scopes import is_aggregated, visible_variables
from kgprobe.sparql.traversal import (
    conjuncts,
    elements_within,
    expressions_in,
    has_aggregate,
    replaced,
    variables_in,
    without_negation,
)

TriplePattern: TypeAlias = tuple[Part, "Variable | NamedNode", Part]

MOST_ROWS = 8
_NO_LETTER = re.compile(r"\W+")


@dataclass(frozen=True)
class Template:
    """One way to match: triples over variables, conditions on their values, and values that the query gives.

    `graphs` has the named graph of each triple, or None for the default graph. `computed` are the variables that an
    aggregate computes: no data set gives them a value.
    """

    triples: tuple[TriplePattern, ...]
    graphs: tuple[Part | None, ...] = ()
    conditions: tuple[Expression, ...] = ()
    binds: tuple[tuple[Variable, Expression], ...] = ()
    given: Mapping[Variable, Term] = field(default_factory=dict)
    computed: frozenset[Variable] = frozenset()


class Chooser:
    """Answers the choices of an expansion, and records how many options each of them had."""

    def __init__(self, answers: Sequence[int] = (), random: Random | None = None) -> None:
        self._answers = answers
        self._random = random
        self.options: list[int] = []

    def choose(self, options: int) -> int:
        """The number of one of the options."""
        at = len(self.options)
        self.options.append(options)
        if at < len(self._answers):
            return min(self._answers[at], options - 1)
        if self._random is None or self._random.random() < 0.5:  # every other choice is the usual one
            return 0
        return int(self._random.random() * options)


class Expansion:
    """Collects the parts of one template."""

    def __init__(self, chooser: Chooser, numbers: tuple[int, ...]) -> None:
        self._choose = chooser.choose
        self._numbers = numbers
        self._fresh = count(1)
        self._triples: dict[tuple[TriplePattern, Part | None], None] = {}
        self._default: tuple[Part, ...] = ()  # the graphs that FROM names
        self._named: tuple[Part, ...] | None = None  # those that FROM NAMED names; None: all
        self._graph: Part | None = None  # the graph of GRAPH around the present group
        self._conditions: list[Expression] = []
        self._binds: list[tuple[Variable, Expression]] = []
        self._given: dict[Variable, Term] = {}
        self._computed: set[Variable] = set()
        self._equal: dict[Part, Part] = {}

    def query(self, query: QueryTree) -> Template:
        """The template of a query."""
        if query.datasets:
            self._default = tuple(dataset.name for dataset in query.datasets if not dataset.is_named)
            self._named = tuple(dataset.name for dataset in query.datasets if dataset.is_named)
        self._select(query, {})
        placed = dict.fromkeys((self._merged(triple), self._merged_graph(graph)) for triple, graph in self._triples)
        return Template(
            tuple(triple for triple, _ in placed),
            tuple(graph for _, graph in placed),
            tuple(_renamed(condition, self._names()) for condition in self._conditions),
            tuple((variable, _renamed(value, self._names())) for variable, value in self._binds),
            {self._root(variable): term for variable, term in self._given.items()},  # type: ignore[misc]
            frozenset(self._computed),
        )

    def _select(self, query: QueryTree, outer: Mapping[Variable, Variable]) -> None:
        """A query or a sub-select; `outer` renames the variables of the group around it."""
        if query.where is None:
            return
        names: dict[Variable, Variable] = dict(outer)
        aggregates = is_aggregated(query)
        keys = _variables_of_groups(query) if aggregates else None
        for projected in query.projected or ():
            if projected.expression is not None:
                visible = _named(projected.variable, outer)
                if has_aggregate(projected.expression):
                    self._computed.add(visible)
                else:
                    self._binds.append((visible, _renamed(projected.expression, outer)))
        for row in range(self._rows() if aggregates else 1):
            renamed = names if row == 0 else self._other_row(query.where, names, keys or frozenset())
            self._group(query.where, renamed)
        if query.values is not None:
            self._values(query.values, names)

    def _rows(self) -> int:
        options = tuple(dict.fromkeys((1, 2, 3, *self._numbers)))
        return options[self._choose(len(options))]

    def _other_row(
        self, group: Group, names: Mapping[Variable, Variable], keys: frozenset[Variable]
    ) -> dict[Variable, Variable]:
        """New names for one more row of a group: the variables that it is grouped by are the same."""
        suffix = f"_{next(self._fresh) + 1}"
        return {
            variable: _named(variable, names)
            if variable in keys
            else Variable(_named(variable, names).name + suffix, variable.hidden)
            for variable in visible_variables(group)
        }

    def _sub_select(self, query: QueryTree, outer: Mapping[Variable, Variable]) -> None:
        visible = None if query.projected is None else {projected.variable for projected in query.projected}
        names = dict(outer)
        if visible is not None and query.where is not None:
            suffix = f"_{next(self._fresh)}"
            for variable in visible_variables(query.where) - visible:
                names[variable] = Variable(variable.name + suffix, variable.hidden)
        self._select(query, names)

    def _group(self, group: Group, names: Mapping[Variable, Variable]) -> None:  # noqa: C901 - one case each
        for element in group.elements:
            match element:
                case PlacedTriple():
                    self._triple(element, names)
                case Filter(condition=condition):
                    for part in conjuncts(condition):
                        self._condition(part, names)
                case Bind(expression=expression, variable=variable):
                    self._binds.append((_named(variable, names), _renamed(expression, names)))
                case Values():
                    self._values(element, names)
                case Group():
                    self._group(element, names)
                case GraphGroup(name=name, group=inner):
                    self._in_graph(_part(name, names), inner, names)
                case Optional(group=inner):
                    if self._choose(2) == 0:
                        self._group(inner, names)
                case Union(branches=branches):
                    self._group(branches[self._choose(len(branches))], names)
                case Minus(group=inner):
                    if self._choose(2) == 1:
                        self._group(inner, names)
                case QueryTree():
                    self._sub_select(element, names)
                case Service():
                    pass

    def _in_graph(self, name: Part, group: Group, names: Mapping[Variable, Variable]) -> None:
        before, self._graph = self._graph, name
        if self._named and isinstance(name, Variable):
            self._given[name] = self._named[self._choose(len(self._named))]  # type: ignore[assignment]
        self._group(group, names)
        self._graph = before

    def _add(self, subject: Part, predicate: Variable | NamedNode, object_: Part) -> None:
        graph = self._graph
        if graph is None and self._default:
            at = self._choose(len(self._default)) if len(self._default) > 1 else 0
            graph = self._default[at]
        self._triples[(subject, predicate, object_), graph] = None

    def _condition(self, condition: Expression, names: Mapping[Variable, Variable]) -> None:
        inner, negated = without_negation(condition)
        if isinstance(inner, Exists):
            # A match is the usual option for EXISTS, and no match for NOT EXISTS.
            is_absent = inner.is_negated is not negated
            if (self._choose(2) == 0) is not is_absent:
                self._group(inner.group, names)
            return
        self._conditions.append(_renamed(condition, names))

    def _values(self, values: Values, names: Mapping[Variable, Variable]) -> None:
        if not values.rows:
            return
        row = values.rows[self._choose(min(len(values.rows), MOST_ROWS))]
        for variable, term in zip(values.variables, row, strict=True):
            if term is not None:
                self._given[_named(variable, names)] = term

    # Triples and paths

    def _triple(self, triple: PlacedTriple, names: Mapping[Variable, Variable]) -> None:
        subject, object_ = _part(triple.subject, names), _part(triple.object, names)
        if isinstance(triple.predicate, Variable):
            self._add(subject, _named(triple.predicate, names), object_)
        elif isinstance(triple.predicate, NamedNode):
            self._add(subject, triple.predicate, object_)
        else:
            self._path(subject, triple.predicate, object_)

    def _path(self, subject: Part, path: Path, object_: Part) -> None:
        match path:
            case EdgePath(edges):
                ordered = sorted(edges, key=lambda edge: (edge[1], edge[0].value))
                predicate, backwards = ordered[self._choose(len(ordered))] if len(ordered) > 1 else ordered[0]
                start, end = directed(subject, object_, backwards=backwards)
                self._add(start, predicate, end)
            case NegatedPath(_, backwards):
                start, end = directed(subject, object_, backwards=backwards)
                self._add(start, self._hidden("predicate"), end)
            case SequencePath(parts):
                self._sequence(subject, parts, object_)
            case AlternativePath(parts):
                self._path(subject, parts[self._choose(len(parts))], object_)
            case RepeatedPath(inner, may_be_none, many):
                steps = (1, *((2,) if many else ()), *((0,) if may_be_none else ()))
                number = steps[self._choose(len(steps))]
                if number == 0:
                    self._equate(subject, object_)
                else:
                    self._sequence(subject, (inner,) * number, object_)

    def _sequence(self, subject: Part, parts: Sequence[Path], object_: Part) -> None:
        for leg in legs(subject, parts, object_, lambda: self._hidden("step")):
            self._path(*leg)

    def _hidden(self, kind: str) -> Variable:
        return Variable(f"{kind}_{next(self._fresh)}", hidden=True)

    # Variables that a path without a step makes equal

    def _equate(self, one: Part, other: Part) -> None:
        first, second = self._root(one), self._root(other)
        if first == second:
            return
        if isinstance(second, Variable):
            self._equal[second] = first
        elif isinstance(first, Variable):
            self._equal[first] = second

    def _root(self, part: Part) -> Part:
        while part in self._equal:
            part = self._equal[part]
        return part

    def _merged(self, triple: TriplePattern) -> TriplePattern:
        subject, predicate, object_ = triple
        return self._root(subject), predicate, self._root(object_)

    def _merged_graph(self, graph: Part | None) -> Part | None:
        return None if graph is None else self._root(graph)

    def _names(self) -> dict[Variable, Variable]:
        roots = {part: self._root(part) for part in self._equal}
        return {part: root for part, root in roots.items() if isinstance(part, Variable) and isinstance(root, Variable)}


def _part(part: Part, names: Mapping[Variable, Variable]) -> Part:
    return _named(part, names) if isinstance(part, Variable) else part


def _named(variable: Variable, names: Mapping[Variable, Variable]) -> Variable:
    found = names.get(variable, variable)
    if not found.hidden:
        return found
    # The name of a blank node may have signs that a variable must not have.
    return Variable("node_" + _NO_LETTER.sub("_", found.name).strip("_"), hidden=True)


def _renamed(expression: Expression, names: Mapping[Variable, Variable]) -> Expression:
    if not names:
        return expression

    def rename(part: Expression) -> Expression | None:
        return replace(part, variable=_named(part.variable, names)) if isinstance(part, VariableUse) else None

    return replaced(expression, rename)


def _variables_of_groups(query: QueryTree) -> frozenset[Variable]:
    found: set[Variable] = set()
    for group in query.groups:
        found.update(variables_in(group.expression if isinstance(group, Bind) else group))
        found |= {group.variable} if isinstance(group, Bind) else set()
    return frozenset(found)


# -- all ways ----------------------------------------------------------------------------------------------------------

_MOST_TEMPLATES = 64


def template(query: QueryTree, chooser: Chooser | None = None) -> Template:
    """The template for these choices."""
    return Expansion(chooser or Chooser(), _small_numbers(query)).query(query)


def deviations(query: QueryTree) -> list[Template]:
    """The usual template, then those that differ from it in one choice, each once."""
    first = Chooser()
    found = [template(query, first)]
    pending = [(at, option) for at, options in enumerate(first.options) for option in range(1, options)]
    for at, option in pending[:_MOST_TEMPLATES]:
        chooser = Chooser([0] * at + [option])
        found.append(template(query, chooser))
        # A choice can open others: a branch of a UNION has its own.
        for later in range(at + 1, len(chooser.options)):
            if len(chooser.options) != len(first.options) and len(found) < _MOST_TEMPLATES:
                found += [
                    template(query, Chooser([0] * at + [option] + [0] * (later - at - 1) + [other]))
                    for other in range(1, chooser.options[later])
                ]
    return list(
        {(each.triples, each.graphs, each.conditions, frozenset(each.given.items())): each for each in found}.values()
    )


def random_template(query: QueryTree, random: Random) -> Template:
    """A template with random choices."""
    return template(query, Chooser(random=random))


def _small_numbers(query: QueryTree) -> tuple[int, ...]:
    """The small whole numbers in the conditions of a query: counts may be compared with them."""
    found: set[int] = set()
    for condition in _all_conditions(query):
        for part in expressions_in(condition):
            if isinstance(part, Constant) and isinstance(part.term, Literal) and part.term.datatype == XSD.integer:
                text = part.term.value
                if text.isdecimal() and int(text) < MOST_ROWS:
                    found |= {int(text), int(text) + 1}
    return tuple(sorted(found - {0, 1}))


def _all_conditions(query: QueryTree) -> Iterator[Expression]:
    for element in elements_within([query]):
        if isinstance(element, Filter):
            yield element.condition
        elif isinstance(element, QueryTree):
            yield from (having.condition for having in element.having)
