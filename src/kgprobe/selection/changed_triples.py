"""The triples that a change added or removed, with lookup by pattern."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import TypeAlias

from pyoxigraph import Quad, QuerySolutions, Store

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.reachability import walk, way
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import RDF, XSD, Literal, NamedNode, Term, Triple
from kgprobe.sparql.engine.exact_store import PreparedQuery
from kgprobe.sparql.engine.rewriting import stored_forms
from kgprobe.sparql.pyoxigraph import answer
from kgprobe.sparql.tokens import words
from kgprobe.sparql.uses import Condition, Slot, TripleUse

_NAME = re.compile(r"\w+")
_NO_NAME = re.compile(r"\W")
# Datatypes of literals whose written form is their value.
PLAIN = (XSD.string, RDF.langString)
# Words that may occur in a condition on the values of literals.
_VALUE_WORDS = frozenset(["IN", "NOT", "TRUE", "FALSE", "BOUND", "ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC"])
_LANGUAGE = re.compile(r"\bLANG\s*\(", re.IGNORECASE)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', re.DOTALL)
Changed: TypeAlias = tuple[KeyTriple, bool]
"""A changed triple as keys."""


@dataclass(frozen=True, slots=True)
class ChangedTriple:
    """A triple that only one of two graphs has: the new one if it was added, else the old one."""

    triple: Triple
    added: bool


_Index = dict[tuple[Key, ...], list[Changed]]


class ChangedTriples:
    """An index of changed triples. It costs O(change), and its parts are built when first needed."""

    def __init__(self, names: Graph, removed: Iterable[KeyTriple], added: Iterable[KeyTriple]) -> None:
        """`removed` and `added` are triples as keys of the graph `names`."""
        self._names = names
        self._all: list[Changed] = [(keys, False) for keys in removed]
        self._all += [(keys, True) for keys in added]
        self._indexes: dict[tuple[Key | None, tuple[int, ...]], _Index] = {}
        self._stored: dict[frozenset[Term] | None, _Stored] = {}

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Changed]:
        return iter(self._all)

    def in_terms(self, changed: Changed) -> ChangedTriple:
        """A changed triple with terms instead of keys."""
        return ChangedTriple(self._names.triple(changed[0]), changed[1])

    def with_predicate(self, predicate: Term) -> Sequence[Changed]:
        """The changed triples with this predicate."""
        return self._by_predicate.get(self._names.key(predicate), ())

    def matching(self, use: TripleUse) -> Iterator[Changed]:
        """The changed triples that match a pattern and meet its conditions.

        Literals such as `1` and `01` count as equal, because some engines treat them so.
        """
        slots = (use.subject, use.predicate, use.object)
        has_literal = any(isinstance(term, Literal) for term in use.object.terms or ())
        if has_literal or use.conditions or _repeats(slots):
            return self._by_engine(use)
        return self._with_constants(slots)

    # -- by constants --------------------------------------------------------------------------------------------

    def _with_constants(self, slots: tuple[Slot, ...]) -> Iterator[Changed]:
        key = self._names.key
        subject, predicate, object_ = slots
        places = tuple(place for place, slot in ((0, subject), (2, object_)) if slot.terms is not None)
        groups = [None] if predicate.terms is None else [key(term) for term in _in_order(predicate.terms)]
        constants = [[key(term) for term in _in_order(slots[place].terms)] for place in places]
        for group in groups:
            index = self._indexed(group, places)
            for parts in product(*constants):
                yield from index.get(parts, ())

    def _indexed(self, predicate: Key | None, places: tuple[int, ...]) -> _Index:
        """The changed triples with a predicate (None: any), by their parts at these positions."""
        if (predicate, places) not in self._indexes:
            found: _Index = defaultdict(list)
            for changed in self._all if predicate is None else self._by_predicate.get(predicate, ()):
                keys = changed[0]
                found[tuple([keys[place] for place in places])].append(changed)
            self._indexes[predicate, places] = dict(found)
        return self._indexes[predicate, places]

    @cached_property
    def _by_predicate(self) -> dict[Key, list[Changed]]:
        found: dict[Key, list[Changed]] = defaultdict(list)
        for changed in self._all:
            found[changed[0][1]].append(changed)
        return dict(found)

    # -- by conditions -------------------------------------------------------------------------------------------

    def _by_engine(self, use: TripleUse) -> Iterator[Changed]:
        """Match in a pyoxigraph store of the changed triples with the same predicates.

        A store rewrites some literals to a canonical form. It can judge conditions on their values, but not conditions
        on how they are written: a triple with such a literal counts as meeting those.
        """
        predicates = use.predicate.terms
        if predicates not in self._stored:
            slots = (Slot(), Slot(predicates), Slot())
            self._stored[predicates] = _Stored(self._names, list(self._with_constants(slots)))
        return self._stored[predicates].matching(use)


class _Stored:
    """Changed triples in a store."""

    def __init__(self, names: Graph, changed: list[Changed]) -> None:
        self._names = names
        self._store = Store()
        self._store.bulk_extend(Quad(*names.triple(keys)) for keys, _ in changed)
        self._exact: _Index = defaultdict(list)
        for row in changed:
            self._exact[row[0]].append(row)
        self._rewritten = self._in_another_form(changed)

    def matching(self, use: TripleUse) -> Iterator[Changed]:
        """The triples that match a pattern and meet the conditions that can be judged."""
        yield from self._asked(use, use.conditions, self._exact)
        if self._rewritten:
            yield from self._asked(use, [part for part in use.conditions if _is_about_value(part)], self._rewritten)

    def _asked(self, use: TripleUse, conditions: Iterable[Condition], known: _Index) -> Iterator[Changed]:
        """The triples that the store finds; `known` has them by their form in the store."""
        pattern = (use.subject, use.predicate, use.object)
        query, names = _query(pattern, conditions)
        if not PreparedQuery.of(query, "<pattern>").is_tame:
            query, names = _query(pattern, ())  # without conditions, more triples match
        solutions = answer(self._store, query, "<pattern>")
        assert isinstance(solutions, QuerySolutions)  # noqa: S101 - the result of a SELECT query
        key = self._names.key
        for solution in solutions:
            parts: list[Term] = [solution[name] for name in names]
            yield from known.get(tuple(map(key, parts)), ())

    def _in_another_form(self, changed: list[Changed]) -> _Index:
        """The triples with a literal that the store rewrites, by their form in the store."""
        term_of, key_of = self._names.term, self._names.key
        objects = [term_of(key) for key in dict.fromkeys(keys[2] for keys, _ in changed)]
        typed = [term for term in objects if isinstance(term, Literal) and term.datatype not in PLAIN]
        forms = {key_of(literal): key_of(form) for literal, form in stored_forms(typed).items()}
        found: _Index = defaultdict(list)
        for row in changed:
            s, p, o = row[0]
            if forms.get(o, o) != o:
                found[s, p, forms[o]].append(row)
        return found


def _in_order(terms: frozenset[Term] | None) -> Iterable[Term]:
    return sorted(terms, key=str) if terms and len(terms) > 1 else terms or ()


def _repeats(slots: tuple[Slot, ...]) -> bool:
    variables = [slot.variable for slot in slots if slot.variable]
    return len(set(variables)) < len(variables)


def _query(slots: tuple[Slot, ...], conditions: Iterable[Condition]) -> tuple[str, tuple[str, ...]]:
    """The query for a pattern, and the names of its subject, predicate and object in the solutions."""
    names = tuple(
        slot.variable if slot.variable and _NAME.fullmatch(slot.variable) else f"hidden_{slot.variable or number}"
        for number, slot in enumerate(slots)
    )
    names = tuple(_NO_NAME.sub("_", name) for name in names)
    values = [
        f"VALUES ?{name} {{ {' '.join(sorted(map(str, slot.terms)))} }}"
        for name, slot in zip(names, slots, strict=True)
        if slot.terms is not None
    ]
    judged = [f"FILTER({condition.text})" for condition in conditions if _can_be_judged(condition)]
    pattern = " ".join(f"?{name}" for name in names)
    return f"SELECT * WHERE {{ {' '.join(values)} {pattern} {' '.join(judged)} }}", names


def _is_about_value(condition: Condition) -> bool:
    """Whether a condition depends only on the value of a literal, and not on how it is written."""
    return words(condition.text) <= _VALUE_WORDS


def _can_be_judged(condition: Condition) -> bool:
    """Whether pyoxigraph judges a condition correctly. It lowercases language tags, so others would not match."""
    if not _LANGUAGE.search(condition.text):
        return True
    return all(text == text.lower() for text in _STRING.findall(condition.text))


# -- chains of edges in two states of a graph, and the pairs of nodes that only one state connects ---------------------


# Walks from single nodes are cheap until many nodes with large subtrees are looked up. Then one walk over all changed
# edges is cheaper.
_PATIENCE = 50_000


@dataclass(frozen=True, slots=True)
class ChainChange:
    """A chain that only one state has: its edges from the lower end to the upper, and the edge that changed."""

    edges: tuple[Triple, ...]
    changed: Triple
    added: bool


_Step = Callable[[Key], Iterable[Key]]


class Chains:
    """The chains over some kinds of edges in two states of a graph, which share a table.

    A kind of edge is a predicate and whether it is followed backwards. `changed` has the keys of the edges that only
    one of the states has.
    """

    def __init__(
        self, old: Graph, new: Graph, edges: Iterable[tuple[NamedNode, bool]], changed: Iterable[KeyTriple]
    ) -> None:
        self._states = (old, new)
        self._edges = [(old.key(predicate), backwards) for predicate, backwards in sorted(edges, key=str)]
        self._changed = list(changed)
        self._steps = 0
        self._known: dict[tuple[Key | None, Key | None], ChainChange | None] = {}

    def change(self, lower: Key | None, upper: Key | None) -> ChainChange | None:
        """A chain between two nodes that only one state has. None stands for any node; at least one end is given."""
        if not self._changed:
            return None
        ends = (lower, upper)
        if ends not in self._known:
            self._known[ends] = self._look(lower, upper)
        return self._known[ends]

    def _look(self, lower: Key | None, upper: Key | None) -> ChainChange | None:
        if lower is not None:
            return self._difference(lower, self._steps_up, upper)
        assert upper is not None  # noqa: S101 - one end is known
        if self._steps <= _PATIENCE:
            return self._difference(upper, self._steps_down, None)
        below = self._changed_ends.get(upper)
        return None if below is None else self._difference(below, self._steps_up, upper)

    def _difference(self, start: Key, steps: tuple[_Step, _Step], wanted: Key | None) -> ChainChange | None:
        """A chain that only one state has, from the start to the wanted node, or to any node if none is given."""
        before, after = (walk(start, step) for step in steps)
        self._steps += len(before) + len(after)
        for state, here, there in ((1, after, before), (0, before, after)):
            ends = here if wanted is None else [wanted] if wanted in here else []
            end = next((node for node in ends if node not in there), None)
            if end is not None:
                chain = way(start, end, here)
                return self._chain_change(state, chain if steps is self._steps_up else chain[::-1])
        return None

    def _chain_change(self, state: int, chain: list[Key]) -> ChainChange:
        graph, other = self._states[state], self._states[1 - state]
        edges = [self._edge(graph, below, above) for below, above in pairwise(chain)]
        return ChainChange(tuple(edges), next(edge for edge in edges if edge not in other), added=state == 1)

    def _edge(self, graph: Graph, below: Key, above: Key) -> Triple:
        for predicate, backwards in self._edges:
            keys = (above, predicate, below) if backwards else (below, predicate, above)
            if graph.has(*keys):
                return graph.triple(keys)
        raise AssertionError("a chain is made of edges")

    @cached_property
    def _changed_ends(self) -> dict[Key, Key]:
        """The nodes with different nodes below them in the two states, each with one node that is below it in one only.

        If x is below n in one state only, then so is the lower end of a changed edge: follow the chain from x to n, and
        take the last node that is below n in that state only. Its edge to the next node, which is n or is below n in
        both states, is missing in the other state. So it is enough to walk up from the lower ends of changed edges.
        """
        found: dict[Key, Key] = {}
        before, after = map(_remembered, self._steps_up)
        for node in dict.fromkeys(self._lower_ends()):
            for end in walk(node, before).keys() ^ walk(node, after).keys():
                found.setdefault(end, node)
        return found

    def _lower_ends(self) -> Iterator[Key]:
        directions: dict[Key, set[bool]] = {}
        for predicate, backwards in self._edges:
            directions.setdefault(predicate, set()).add(backwards)
        for s, p, o in self._changed:
            yield from (o if backwards else s for backwards in directions[p])

    @cached_property
    def _steps_up(self) -> tuple[_Step, _Step]:
        old, new = self._states
        return _step(old, self._edges), _step(new, self._edges)

    @cached_property
    def _steps_down(self) -> tuple[_Step, _Step]:
        edges = [(predicate, not backwards) for predicate, backwards in self._edges]
        old, new = self._states
        return _step(old, edges), _step(new, edges)


def _step(state: Graph, edges: list[tuple[Key, bool]]) -> _Step:
    """A function from a node to the nodes that one edge leads to."""
    if len(edges) == 1:
        [(predicate, backwards)] = edges
        if backwards:
            return lambda node: state.subjects(predicate, node)
        return lambda node: state.objects(node, predicate)

    def following(node: Key) -> list[Key]:
        found: list[Key] = []
        for predicate, backwards in edges:
            found += state.subjects(predicate, node) if backwards else state.objects(node, predicate)
        return found

    return following


def _remembered(step: _Step) -> _Step:
    known: dict[Key, tuple[Key, ...]] = {}

    def following(node: Key) -> tuple[Key, ...]:
        found = known.get(node)
        if found is None:
            found = known[node] = tuple(step(node))
        return found

    return following
