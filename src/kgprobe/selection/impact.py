"""Selects the tests that a change of a graph can affect, and finds the triples that affect them.

The change consists of the triples that only one of the two graphs has, including entailed triples if the system under
test sees those. If no changed triple affects a use of a test, the test has the same answers on both graphs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice, product
from typing import Final

from kgprobe.entailment.closure import EntailedChange
from kgprobe.entailment.rules import Regime, UndecidedError
from kgprobe.errors import InputError
from kgprobe.owl.name_kinds import is_reserved
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import OWL, RDFS, SKOS, Literal, NamedNode, Term, Triple
from kgprobe.selection.changed_triples import PLAIN, Chains, Changed, ChangedTriple, ChangedTriples
from kgprobe.selection.cones import Cones
from kgprobe.selection.tests import Suite, TablesUse, TermUse, Test, TestUse
from kgprobe.selection.warehouse.profile import Warehouse
from kgprobe.selection.warehouse.with_profile import ChangedRow, Loaded, unknown_parts
from kgprobe.selection.warehouse.without_profile import Regions
from kgprobe.sparql.uses import AnyUse, PathUse, Slot, TripleUse

__all__ = ["select"]


_OPEN = Slot()
# Matching triples are counted up to this number. Beyond it, the exact number makes no difference to the order of tests.
_MOST_COUNTED = 10


@dataclass(frozen=True, slots=True)
class Hit:
    """A use that the change affects: the changed triple, and the triples that connect it to a term of the use.

    `size` is the number of matching changed triples, up to a limit.
    """

    use: TestUse
    changed: ChangedTriple
    path: tuple[Triple, ...] = ()
    size: int = 1
    term: Term | None = None  # the term that a statement names, if tables are read in the widest way
    row: ChangedRow | None = None  # the row that changes, if a profile says what the tables hold


class Impact:
    """The uses that a change affects. Indexes that cost more than the change are built when first needed."""

    def __init__(self, change: EntailedChange, warehouse: Warehouse | None = None) -> None:
        self.change = change
        self._warehouse = warehouse
        self.triples = ChangedTriples(change.names, change.gone, change.come)
        self._known: dict[object, Hit | None] = {}
        self._typed: dict[NamedNode, bool] = {}  # whether a property has values that engines may equate
        self._chains: dict[frozenset[tuple[NamedNode, bool]], Chains] = {}

    def hit(self, use: TestUse) -> Hit | None:
        """How the change affects a use; None if it does not."""
        if not len(self.triples):
            return None
        key = _meaning(use)
        if key not in self._known:
            self._known[key] = self._look(use)
        found = self._known[key]
        return None if found is None else replace(found, use=use)

    def _look(self, use: TestUse) -> Hit | None:
        match use:
            case TripleUse():
                return self._first(use, self.triples.matching(use))
            case PathUse():
                return self._path(use)
            case TermUse():
                return self._term(use)
            case AnyUse():
                return self._first(use, iter(self.triples))
            case TablesUse():
                return self._tables(use) if self._loaded is None else self._rows(use, self._loaded)

    def _first(self, use: TestUse, found: Iterator[Changed]) -> Hit | None:
        first = next(found, None)
        if first is None:
            return None
        return Hit(use, self.triples.in_terms(first), size=1 + sum(1 for _ in islice(found, _MOST_COUNTED - 1)))

    def _in_closures(self, keys: KeyTriple) -> KeyTriple:
        """The keys of a triple in the closures, which number the terms as the old graph does."""
        s, p, o = (key if type(key) is int else self.change.old.key(key) for key in keys)  # type: ignore[arg-type]
        return s, p, o

    # -- paths ---------------------------------------------------------------------------------------------------

    def _path(self, use: PathUse) -> Hit | None:
        chains = self._chains_of(use.edges)
        lower, upper = (self._keys(slot.terms) for slot in (use.subject, use.object))
        if lower == upper == [None] or self._equates(use):
            return self._first(use, chain(self._edges(use.edges), self._nodes() if use.reflexive else ()))
        for pair in product(lower, upper):
            if (found := chains.change(*pair)) is not None:
                return Hit(use, ChangedTriple(found.changed, found.added), found.edges)
        return self._first(use, self._come_or_gone({*lower, *upper} - {None})) if use.reflexive else None

    def _equates(self, use: PathUse) -> bool:
        """Whether an engine that treats `5` and `05` as equal may see chains that this graph does not have."""
        if any(map(_is_typed, chain(use.subject.terms or (), use.object.terms or ()))):
            return True
        directions = {backwards for _, backwards in use.edges}
        return len(directions) > 1 and any(self._has_typed_objects(predicate) for predicate, _ in use.edges)

    def _has_typed_objects(self, predicate: NamedNode) -> bool:
        if predicate not in self._typed:
            rows = chain.from_iterable(
                state.rows(None, state.key(predicate), None) for state in (self.change.old, self.change.new)
            )
            self._typed[predicate] = any(_is_typed(self.change.old.term(object_)) for _, _, object_ in rows)
        return self._typed[predicate]

    def _chains_of(self, edges: frozenset[tuple[NamedNode, bool]]) -> Chains:
        if edges not in self._chains:
            changed = [self._in_closures(keys) for keys, _ in self._edges(edges)]
            self._chains[edges] = Chains(self.change.old, self.change.new, edges, changed)
        return self._chains[edges]

    def _edges(self, edges: Iterable[tuple[NamedNode, bool]]) -> Iterator[Changed]:
        for predicate in sorted({predicate for predicate, _ in edges}, key=str):
            yield from self.triples.with_predicate(predicate)

    def _nodes(self) -> Iterator[Changed]:
        """Changed triples with a subject or object that is a node of only one of the graphs."""
        for changed in self.triples:
            other = self.change.old if changed[1] else self.change.new
            subject, _, object_ = other.keys(self.triples.in_terms(changed).triple)
            if not (_is_node(other, subject) and _is_node(other, object_)):
                yield changed

    def _come_or_gone(self, constants: set[Key | None]) -> Iterator[Changed]:
        """Changed triples with a constant that is a node of only one of the graphs.

        A path without edges connects a constant to itself in any graph, but some engines require that the constant
        is a node.
        """
        for key in constants:
            if key is not None and _is_node(self.change.old, key) != _is_node(self.change.new, key):
                term = Slot(frozenset([self.change.old.term(key)]))
                yield from self.triples.matching(TripleUse(term, _OPEN, _OPEN))
                yield from self.triples.matching(TripleUse(_OPEN, _OPEN, term))

    def _keys(self, terms: Iterable[Term] | None) -> Sequence[Key | None]:
        return [None] if terms is None else [self.change.old.key(term) for term in sorted(terms, key=str)]

    # -- terms that are only named -------------------------------------------------------------------------------

    def _term(self, use: TermUse) -> Hit | None:
        found = self.cones.way_to(use.term, use.direction)
        return None if found is None else Hit(use, self.triples.in_terms(found.changed), found.path, found.size)

    # -- tables --------------------------------------------------------------------------------------------------

    def _rows(self, use: TablesUse, loaded: Loaded) -> Hit | None:
        row = loaded.hit(use)
        if row is None:
            return None
        changed = row.changed or next(iter(self.triples))
        return Hit(use, self.triples.in_terms(changed), row=row)

    def doubts(self, use: TablesUse) -> Iterator[str]:
        """Why a profile may not fit the tables that a statement reads."""
        return iter(()) if self._loaded is None else self._loaded.doubts(use)

    def _tables(self, use: TablesUse) -> Hit | None:
        found = self._regions.way_to(use)
        if isinstance(found, tuple):
            way, term = found
            return Hit(use, self.triples.in_terms(way.changed), way.path, way.size, term)
        return self._first(use, iter(self.triples)) if found else None

    @cached_property
    def _loaded(self) -> Loaded | None:
        if self._warehouse is None:
            return None
        return Loaded(self._warehouse, (self.change.old, self.change.new), self.triples, self.cones)

    @cached_property
    def _regions(self) -> Regions:
        return Regions((self.change.old, self.change.new), self.cones)

    @cached_property
    def cones(self) -> Cones:
        """The terms that the change concerns."""
        return Cones(self.change.old, self.change.new, self.in_closures)

    @cached_property
    def in_closures(self) -> list[tuple[KeyTriple, Changed]]:
        """The changed triples, by their keys in the closures."""
        shares_keys = self.change.names.table is self.change.old.table
        return [(changed[0] if shares_keys else self._in_closures(changed[0]), changed) for changed in self.triples]


def _meaning(use: TestUse) -> object:
    """The meaning of a use, without its text and line: many tests have uses with the same meaning."""
    match use:
        case TripleUse():
            return use.subject, use.predicate, use.object, use.conditions
        case PathUse():
            return use.subject, use.edges, use.object, use.reflexive
        case TermUse():
            return use.term, use.direction
        case AnyUse():
            return None
        case TablesUse():  # the hash of a use leaves out the constants, in which the tests of a template differ
            return tuple(frozenset(source.constants.items()) for source in use.sources), use


def _is_typed(term: Term) -> bool:
    return isinstance(term, Literal) and term.datatype not in PLAIN


def _is_node(graph: Graph, key: Key) -> bool:
    return bool(graph.count(key, None, None) or graph.count(None, None, key))


# -- the selected tests ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Selected:
    """A test to run, and how the change affects its uses. Without hits, it is unknown whether the change does.

    `undecided` says why, if nobody knows what the change is under the regime that the test states.
    """

    test: Test
    regime: Regime
    hits: tuple[Hit, ...] = ()
    undecided: str = ""


@dataclass(frozen=True)
class Selection:
    """The tests to run, in the order of the suite. `impacts` has the changes under each regime."""

    selected: tuple[Selected, ...]
    total: int
    impacts: Mapping[Regime, Impact] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """The share of the tests that was selected, from 0 to 1."""
        return len(self.selected) / self.total if self.total else 0.0


def select(
    suite: Suite,
    regime: Regime,
    change_under: Callable[[Regime], EntailedChange],
    warehouse: Warehouse | None = None,
) -> Selection:
    """Select the tests that a changed triple can affect. `regime` is for tests that do not state one.

    `warehouse` says what the tables hold that tests in SQL read. If no triple changed, no test is selected. If a test
    states a regime under which nobody knows what follows, it is selected; if that is `regime` itself, the error is
    raised.
    """
    impacts: dict[Regime, Impact] = {}
    undecided: dict[Regime, str] = {}
    selected = []
    for test in suite.tests:
        reads_tables = warehouse is not None and any(isinstance(use, TablesUse) for use in test.uses)
        own = test.regime or (Regime(warehouse.regime) if warehouse is not None and reads_tables else regime)
        if warehouse is not None and reads_tables:
            test = _as_described(test, warehouse)
        if own not in impacts and own not in undecided:
            try:
                impacts[own] = Impact(change_under(own), warehouse)
            except (InputError, UndecidedError) as error:  # the closure is too large, or uncertain
                if own is regime:
                    raise
                undecided[own] = error.message
        found = Selected(test, own, (), undecided[own]) if own in undecided else _selected(test, own, impacts[own])
        if found is not None:
            selected.append(found)
    return Selection(tuple(selected), len(suite.tests), impacts)


def _as_described(test: Test, warehouse: Warehouse) -> Test:
    """A test without the statements that read something that a profile does not describe: these cannot be analysed."""
    uses: list[TestUse] = []
    unseen: dict[str, None] = dict.fromkeys(test.unseen)
    for use in test.uses:
        if isinstance(use, TermUse) and use.line is None and use.text.lower() in warehouse.identifiers_of_tables:
            continue
        unknown = list(unknown_parts(warehouse, use)) if isinstance(use, TablesUse) else []
        unseen.update(dict.fromkeys(unknown))
        if not unknown:
            uses.append(use)
    return replace(test, uses=tuple(uses), unseen=tuple(unseen)) if len(uses) < len(test.uses) else test


def _selected(test: Test, regime: Regime, impact: Impact) -> Selected | None:
    if not len(impact.triples):
        return None
    doubts = tuple(doubt for use in test.uses if isinstance(use, TablesUse) for doubt in impact.doubts(use))
    if doubts:
        test = replace(test, unseen=(*test.unseen, *doubts))
    hits = tuple(hit for use in test.uses if (hit := impact.hit(use)) is not None)
    return Selected(test, regime, hits) if hits or test.unseen else None


# -- what a profile of the tables would save: tests that are selected only because some annotation has changed ---------

# With fewer tests, a hint is not worth the time to find it.
_FEWEST: Final = 10
_LEAST_SHARE: Final = 0.2
# What annotations of axioms are written with, beside their properties.
_OF_ANNOTATIONS: Final = (OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget, OWL.Axiom)
_MOST_NAMED: Final = 3


def hints(found: Selection, spelled: Callable[[Term], str]) -> tuple[str, ...]:
    """Lines about the annotations that no table may hold, and how many of the selected tests they account for."""
    statements: dict[Regime, list[list[TablesUse]]] = {}
    for selected in found.selected:
        uses = [hit.use for hit in selected.hits if isinstance(hit.use, TablesUse)]
        if uses and len(uses) == len(selected.hits) and not selected.test.unseen:
            statements.setdefault(selected.regime, []).append(uses)
    said = (
        _hint(found.impacts[regime].change, found.impacts[regime].in_closures, tests, spelled)
        for regime, tests in statements.items()
        if len(tests) >= _FEWEST
    )
    return tuple(filter(None, said))


def _hint(
    change: EntailedChange,
    changed: Sequence[tuple[KeyTriple, Changed]],
    tests: Sequence[Sequence[TablesUse]],
    spelled: Callable[[Term], str],
) -> str:
    counts = _annotations(change, changed)
    if not counts:
        return ""
    common = [key for key, _ in counts.most_common()]
    for predicates in ([common[0]], common):
        ignored = {*predicates, *(map(change.old.key, _OF_ANNOTATIONS) if predicates is common else ())}
        left = [triple for triple in changed if ignored.isdisjoint(triple[0][1:])]
        regions = Regions((change.old, change.new), Cones(change.old, change.new, left))
        saved = sum(not any(regions.way_to(use) for use in uses) for uses in tests) if left else len(tests)
        if saved >= len(tests) * _LEAST_SHARE:
            names = [spelled(change.old.term(key)) for key in predicates[:_MOST_NAMED]]
            more = " and others" if len(predicates) > _MOST_NAMED else ""
            return (
                f"hint: {saved:,} of the {len(tests):,} selected tests in SQL are selected only because of "
                f"{', '.join(names)}{more}; if no table holds that, say so in a warehouse profile (--warehouse)"
            )
    return ""


def _annotations(change: EntailedChange, changed: Iterable[tuple[KeyTriple, Changed]]) -> Counter[Key]:
    """How often each property has changed that is not about labels or the structure of the ontology."""
    graph = change.old
    counts = Counter(keys[1] for keys, _ in changed)
    for key in list(counts):
        term = graph.term(key)
        if type(term) is NamedNode and (term == SKOS.prefLabel or (is_reserved(term) and term != RDFS.comment)):
            del counts[key]
    return counts
