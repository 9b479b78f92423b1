"""The search for rules in graphs: all rules of the language with enough matches and enough confidence.

A rule is a body of one or two atoms and a head. An atom is a triple whose predicate is constant, and whose subject and
object are variables or constants. Each variable is in at least two atoms, and never twice in one; variables connect all
atoms; no atom occurs twice; and the head has a variable. With three atoms, this leaves nine forms, and there is a step
of the search for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import TypeAlias

import numpy as np

from kgprobe.errors import InputError, did_you_mean
from kgprobe.mining.heads import BinaryHeads, SharedPairs, UnaryHeads
from kgprobe.mining.index import CONSTANTS, Index, Numbers
from kgprobe.mining.paths import Paths
from kgprobe.mining.rules import (
    Atom,
    Budget,
    Finding,
    Head,
    MinedRules,
    RelationAtom,
    Rule,
    SetAtom,
    Thresholds,
    UsedUpError,
    united,
)
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import Binding, TriplePattern, Variable
from kgprobe.rdf.table import collection_paused
from kgprobe.rdf.terms import Term
from kgprobe.wording import number_of

__all__ = ["mine", "mine_named"]

MOST_ATOMS = 3
_EXAMPLES = 3
# The index of a graph takes about this much for each triple.
_BYTES_PER_TRIPLE = 400
# To find examples of a rule with little confidence, this many bindings of its body are tried.
_MOST_TRIES = 10_000
_VARIABLES = tuple(Variable(name) for name in "abc")


# -- matches of bodies -------------------------------------------------------------------------------------------------


def _first_matches(index: Index, finding: Finding, number: int) -> list[dict[int, int]]:
    """The first matches of body and head, by variable. Each has other values of the head's variables."""
    head = finding.head
    matches: dict[tuple[int, ...], dict[int, int]] = {}
    for match in islice(_body_matches(index, finding.body), _MOST_TRIES):
        if isinstance(head, RelationAtom):
            key: tuple[int, ...] = (match[head.x], match[head.y])
            holds = index.has(head.relation, *key)
        else:
            key = (match[0],)
            holds = _is_member(index, head.set, match[0])
        if holds and key not in matches:
            matches[key] = match
            if len(matches) == number:
                break
    return list(matches.values())


def _body_matches(index: Index, body: tuple[Atom, ...]) -> Iterator[dict[int, int]]:
    """The matches of a body, one after the other."""
    first, *rest = sorted(body, key=lambda atom: _size(index, atom))
    for match in _matches(index, first, {}):
        if rest:
            yield from _matches(index, rest[0], match)
        else:
            yield match


def _size(index: Index, atom: Atom) -> int:
    return len(index.relations[atom.relation]) if isinstance(atom, RelationAtom) else int(index.sets.sizes[atom.set])


def _matches(index: Index, atom: Atom, known: dict[int, int]) -> Iterator[dict[int, int]]:
    """The matches of an atom that agree with the known values."""
    if isinstance(atom, RelationAtom):
        return _link_matches(index, atom, known)
    if atom.variable not in known:
        return ({**known, atom.variable: value} for value in index.sets.members[atom.set].tolist())
    return iter([known] if _is_member(index, atom.set, known[atom.variable]) else [])


def _link_matches(index: Index, atom: RelationAtom, known: dict[int, int]) -> Iterator[dict[int, int]]:
    relation, x, y = atom.relation, atom.x, atom.y
    if x not in known and y in known:
        relation, x, y = relation ^ 1, y, x
    pairs = index.relations[relation]
    if x not in known:
        for one, other in zip(pairs.x.tolist(), pairs.y.tolist(), strict=True):
            yield {**known, x: one, y: other}
    elif y not in known:
        for other in pairs.of_node(known[x]).tolist():
            yield {**known, y: other}
    elif index.has(relation, known[x], known[y]):
        yield known


def _is_member(index: Index, set_: int, node: int) -> bool:
    members = index.sets.members[set_]
    place = int(np.searchsorted(members, node))
    return place < len(members) and int(members[place]) == node


def _only_values(index: Index, body: tuple[Atom, ...]) -> dict[int, int]:
    """The variables that have the same value in all matches of a body, with this value."""
    match body:
        case (RelationAtom() as link, SetAtom() as member):  # searches put the link first
            return _only(_table_of_members(index, link, member))
    tables = [_table(index, atom) for atom in body]
    if len(tables) == 2:
        one, other = tables
        common = sorted(one.keys() & other.keys())
        if len(common) == 2:
            shared = np.intersect1d(_codes(index, one, common), _codes(index, other, common))
            tables = [dict(zip(common, np.divmod(shared, index.nodes), strict=True))]
        elif common:  # each row of the one table whose value is in the other is part of a match
            [variable] = common
            kept = [np.isin(table[variable], rest[variable]) for table, rest in ((one, other), (other, one))]
            tables = [
                {name: column[rows] for name, column in table.items()} for table, rows in zip(tables, kept, strict=True)
            ]
    return {variable: value for table in tables for variable, value in _only(table).items()}


def _only(table: dict[int, Numbers]) -> dict[int, int]:
    """The columns with one value only, with this value."""
    return {
        variable: int(column[0])
        for variable, column in table.items()
        if len(column) and bool((column == column[0]).all())
    }


def _table_of_members(index: Index, link: RelationAtom, member: SetAtom) -> dict[int, Numbers]:
    """The matches of a link whose one end is a member of a set."""
    starts_here = link.x == member.variable
    relation = index.relations[link.relation if starts_here else link.relation ^ 1]
    members = index.sets.members[member.set]
    values, place = relation.expanded(members)
    return {member.variable: members[place], link.y if starts_here else link.x: values}


def _table(index: Index, atom: Atom) -> dict[int, Numbers]:
    """The matches of an atom, as columns."""
    if isinstance(atom, SetAtom):
        return {atom.variable: index.sets.members[atom.set]}
    return {atom.x: index.relations[atom.relation].x, atom.y: index.relations[atom.relation].y}


def _codes(index: Index, table: dict[int, Numbers], variables: list[int]) -> Numbers:
    one, other = variables
    return table[one] * index.nodes + table[other]


# -- rules that say nothing --------------------------------------------------------------------------------------------

# A variable, or the number of a node.
_Part: TypeAlias = tuple[str, int]


@dataclass(frozen=True)
class _Atom:
    predicate: int
    subject: _Part
    object: _Part


class _Disguise:
    """Recognises heads of one finding that are a body atom in disguise: such rules say nothing.

    Some variables can have one value only: in all matches of the body, the value is the same. With these values in
    place of the variables, the head of such a rule is a body atom. The same holds through a functional predicate: if a
    body atom and the head have the same subject, then wherever both hold, they have the same object, so that they are
    one triple. In the same way for objects, if no object has two subjects.

    That the head follows from a part of the body as well is found where rules are counted.
    """

    def __init__(self, index: Index, finding: Finding) -> None:
        self._index = index
        self._finding = finding
        self._values: dict[int, int] | None = None

    def hides(self, body_items: tuple[int | None, ...], head_item: int | None) -> bool:
        """Whether the head is one of the atoms. An item fills in the constant of an atom with one variable."""
        head = self._atom(self._finding.head, head_item)
        for part, item in zip(self._finding.body, body_items, strict=True):
            atom = self._atom(part, item)
            if atom.predicate == head.predicate and self._is_same(atom, head):
                return True
        return False

    def can_hide(self) -> bool:
        """Whether the head and a body atom have the same predicate."""
        predicates = set(self._predicates(self._finding.head))
        return any(predicates.intersection(self._predicates(part)) for part in self._finding.body)

    def _predicates(self, part: RelationAtom | SetAtom | Head) -> Iterator[int]:
        if isinstance(part, SetAtom):
            sets = self._index.sets
            yield from (sets.relation[sets.items[part.set]] // 2).tolist()
        else:
            yield part.relation // 2

    def _is_same(self, atom: _Atom, head: _Atom) -> bool:
        subjects = self._are_equal(atom.subject, head.subject)
        objects = self._are_equal(atom.object, head.object)
        if subjects and objects:
            return True
        forward, backward = self._index.relations[2 * head.predicate], self._index.relations[2 * head.predicate + 1]
        return (subjects and forward.is_functional) or (objects and backward.is_functional)

    def _are_equal(self, one: _Part, other: _Part) -> bool:
        if one == other:
            return True
        return "variable" in (one[0], other[0]) and self._replaced(one) == self._replaced(other)

    def _replaced(self, part: _Part) -> _Part:
        kind, number = part
        if kind == "node":
            return part
        if self._values is None:
            self._values = _only_values(self._index, self._finding.body)
        return ("node", self._values[number]) if number in self._values else part

    def _atom(self, part: RelationAtom | SetAtom | Head, item: int | None) -> _Atom:
        ends: tuple[_Part, _Part]
        if isinstance(part, RelationAtom):
            relation, ends = part.relation, (("variable", part.x), ("variable", part.y))
        else:
            assert item is not None  # noqa: S101 - sets have items
            relation, constant = self._index.sets.pairs_of_items[item]
            ends = (("variable", part.variable if isinstance(part, SetAtom) else 0), ("node", constant))
        subject, object_ = ends if relation % 2 == 0 else ends[::-1]
        return _Atom(relation // 2, subject, object_)


# -- from findings to rules --------------------------------------------------------------------------------------------


class Assembly:
    """Makes the rules of findings in one graph."""

    def __init__(self, index: Index, *, examples: int, keep_redundant: bool, budget: Budget) -> None:
        self._index = index
        self._examples = examples
        self._keep_redundant = keep_redundant
        self._budget = budget
        self._texts: dict[int, str] = {}
        self._patterns: dict[tuple[int, int], tuple[str, TriplePattern]] = {}

    def rules(self, finding: Finding) -> Iterator[Rule]:
        """The rules that a finding stands for."""
        examples: tuple[Binding, ...] | None = None
        disguise = _Disguise(self._index, finding)
        judge = not self._keep_redundant and disguise.can_hide()
        heads = self._heads(finding.head)
        for items in self._bodies(finding.body):
            self._budget.check()
            atoms = [self._pattern(part, item) for part, item in zip(finding.body, items, strict=True)]
            body = tuple(pattern for _, pattern in sorted(atoms, key=lambda atom: atom[0]))
            for head in heads:
                if self._is_body_atom(finding, items, head) or (judge and disguise.hides(items, head)):
                    continue
                if examples is None:
                    examples = self._bindings(finding)
                yield Rule(
                    body,
                    self._pattern(finding.head, head)[1],
                    support=finding.support,
                    body_size=finding.body_size,
                    head_size=finding.head_size,
                    pca_body_size=finding.pca_body_size,
                    examples=examples,
                )

    def _is_body_atom(self, finding: Finding, items: tuple[int | None, ...], head: int | None) -> bool:
        return head in items and any(
            item == head and isinstance(part, SetAtom) and part.variable == 0
            for part, item in zip(finding.body, items, strict=True)
        )

    def _heads(self, head: RelationAtom | Head) -> list[int | None]:
        if isinstance(head, RelationAtom):
            return [None]
        sets = self._index.sets
        items = sets.items[head.set]
        return [*items[sets.relation[items] == head.relation].tolist()]

    def _bodies(self, body: tuple[Atom, ...]) -> Iterable[tuple[int | None, ...]]:
        """The items for the atoms of the body."""
        if len(body) == 2 and body[0] == body[1] and isinstance(body[0], SetAtom):
            return combinations(self._index.sets.items[body[0].set].tolist(), 2)
        return product(*([None] if isinstance(part, RelationAtom) else self._items(part) for part in body))

    def _items(self, part: SetAtom) -> list[int | None]:
        return [*self._index.sets.items[part.set].tolist()]

    def _pattern(self, part: RelationAtom | SetAtom | Head, item: int | None) -> tuple[str, TriplePattern]:
        """An atom, and its text."""
        if isinstance(part, RelationAtom):
            return self._made(part.relation, _VARIABLES[part.x], _VARIABLES[part.y])
        variable = part.variable if isinstance(part, SetAtom) else 0
        assert item is not None  # noqa: S101 - sets have items
        known = self._patterns.get((variable, item))
        if known is None:
            relation, constant = self._index.sets.pairs_of_items[item]
            known = self._made(relation, _VARIABLES[variable], self._index.terms[constant])
            self._patterns[variable, item] = known
        return known

    def _made(self, relation: int, x: Variable | Term, y: Variable | Term) -> tuple[str, TriplePattern]:
        subject, object_ = (x, y) if relation % 2 == 0 else (y, x)
        predicate = self._index.predicates[relation // 2]
        # A body lists its atoms by subject, with variables first.
        return f"{subject} {predicate} {object_}", (subject, predicate, object_)

    def _bindings(self, finding: Finding) -> tuple[Binding, ...]:
        terms = self._index.terms
        return tuple(
            {_VARIABLES[variable].name: terms[match[variable]] for variable in sorted(match)}
            for match in _first_matches(self._index, finding, self._examples)
        )


# -- the search --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Step:
    """Rules of one form, found in several parts."""

    form: str
    parts: Sequence[Callable[[], Iterator[Finding]]]


def mine(
    graphs: Graph | Iterable[Graph],
    *,
    max_atoms: int = MOST_ATOMS,
    constants: str = "all",
    min_support: int = 1,
    min_body: int = 50,
    min_head: int = 20,
    min_confidence: float = 0.8,
    keep_redundant: bool = False,
    vocabulary_only: bool = False,
    time_limit: float | None = None,
    memory_mb: int | None = None,
    on_progress: Callable[[str], object] | None = None,
) -> MinedRules:
    """The rules of a graph, or of several: each is searched alone, and the rules are united.

    A rule that several graphs have is there once, with the sums of its counts in these graphs. `time_limit` is in
    seconds, `memory_mb` for the whole process; when they are used up, the result says what was not explored.
    `vocabulary_only` leaves out rules with IRIs outside of RDF, RDFS, OWL and XSD. `on_progress` gets a text now and
    then.
    """
    given = [graphs] if isinstance(graphs, Graph) else graphs
    named = ((f"graph {number}", graph) for number, graph in enumerate(given, 1))
    return mine_named(
        named,
        max_atoms=max_atoms,
        constants=constants,
        thresholds=Thresholds(min_support, min_body, min_head, min_confidence, keep_redundant),
        vocabulary_only=vocabulary_only,
        budget=Budget(time_limit, memory_mb),
        on_progress=on_progress,
    )


def mine_named(
    graphs: Iterable[tuple[str, Graph]],
    *,
    thresholds: Thresholds,
    budget: Budget,
    max_atoms: int = MOST_ATOMS,
    constants: str = "all",
    vocabulary_only: bool = False,
    on_progress: Callable[[str], object] | None = None,
) -> MinedRules:
    """The same for graphs with names, which can be made one after the other."""
    _check(max_atoms, constants, thresholds)
    show = on_progress or (lambda _text: None)
    by_graph: list[list[Rule]] = []
    not_explored: list[str] = []
    for name, graph in graphs:
        if not len(graph):
            raise InputError(f"{name} is empty: there are no rules to find", hint="give graphs with triples")
        rules: list[Rule] = []
        try:
            budget.check(_BYTES_PER_TRIPLE * len(graph))
            index = Index(graph, constants=constants, vocabulary_only=vocabulary_only)
            steps = _steps(index, thresholds, max_atoms, budget)
        except UsedUpError as error:
            not_explored.append(f"{name}: all rules ({error.reason})")
            continue
        assembly = Assembly(index, examples=_EXAMPLES, keep_redundant=thresholds.keep_redundant, budget=budget)
        with collection_paused():  # rules are many, and stay
            not_explored += _explore(name, steps, assembly, rules, show)
        by_graph.append(rules)
    return MinedRules(united(by_graph), tuple(not_explored))


def _explore(
    name: str, steps: Sequence[_Step], assembly: Assembly, rules: list[Rule], show: Callable[[str], object]
) -> list[str]:
    """Search for the rules of each step, and say what was not explored."""
    for number, step in enumerate(steps):
        done = 0
        try:
            for part in step.parts:
                show(f"{name}: {number_of(len(rules), 'rule')}; next: {step.form}")
                for finding in part():
                    rules.extend(assembly.rules(finding))
                done += 1
        except UsedUpError as error:
            first = f"some rules of the form {step.form}" if done else f"rules of the form {step.form}"
            rest = [f"rules of the form {step.form}" for step in steps[number + 1 :]]
            return [f"{name}: {form} ({error.reason})" for form in (first, *rest)]
    return []


def _steps(index: Index, thresholds: Thresholds, max_atoms: int, budget: Budget) -> list[_Step]:
    shared = SharedPairs(index, thresholds.least, budget)
    unary, binary = UnaryHeads(index, thresholds, shared, budget), BinaryHeads(index, thresholds, shared, budget)
    paths = Paths(index, thresholds, budget)
    relations = range(len(index.relations))
    short = [
        _Step("?a q D => ?a p C", [unary.one_set]),
        _Step("?a q ?b => ?a p ?b", [binary.one_relation]),
    ]
    long = [
        _Step("?a q D, ?a r E => ?a p C", [unary.two_sets]),
        _Step("?a q ?b, ?a r ?b => ?a p C", [unary.related_twice]),
        _Step("?a q ?b, ?b r D => ?a p C", [_call(unary.related_to_member, number) for number in relations]),
        _Step("?a q ?b, ?a r ?b => ?a p ?b", [binary.two_relations]),
        _Step("?a q ?b, ?a r D => ?a p ?b", [binary.relation_and_set]),
        _Step("?a q D, ?b r E => ?a p ?b", [_call(binary.two_sets, number) for number in binary.heads]),
        _Step("?a q ?c, ?c r ?b => ?a p ?b", [_call(paths.with_head, number) for number in binary.heads]),
    ]
    return short if max_atoms < MOST_ATOMS else short + long


def _call(search: Callable[[int], Iterator[Finding]], number: int) -> Callable[[], Iterator[Finding]]:
    return lambda: search(number)


def _check(max_atoms: int, constants: str, thresholds: Thresholds) -> None:
    if max_atoms not in (2, MOST_ATOMS):
        raise InputError(f"max_atoms is {max_atoms}", hint=f"rules have 2 or {MOST_ATOMS} atoms, the head included")
    if constants not in CONSTANTS:
        hint = did_you_mean(constants, CONSTANTS, f"choose one of {', '.join(CONSTANTS)}")
        raise InputError(f"no constants called '{constants}'", hint=hint)
    if not 0 <= thresholds.min_confidence <= 1:
        raise InputError(f"min_confidence is {thresholds.min_confidence}", hint="it is a share, from 0 to 1")
    for name in ("min_support", "min_body", "min_head"):
        if getattr(thresholds, name) < 1:
            raise InputError(f"{name} is {getattr(thresholds, name)}", hint="it is a number of matches: 1 or more")
