"""The plan after a change of an ontology: the tests to run, their order, the reasons, and the gaps in the suite."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from heapq import heapify, heapreplace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from kgprobe.entailment.closure import EntailedChange, entailed_change
from kgprobe.entailment.rules import Regime
from kgprobe.owl.wording import Names
from kgprobe.rdf.diff import Versions
from kgprobe.rdf.terms import RDF, NamedNode, Term, Triple
from kgprobe.selection.impact import Hit, Selected, hints, select
from kgprobe.selection.order import Rank, Urgency, rank_of
from kgprobe.selection.renamed import entity_renames
from kgprobe.selection.stale_names import named_but_gone, stale_places
from kgprobe.selection.tests import Suite, TablesUse, TermUse, Test, TestUse
from kgprobe.selection.warehouse.profile import Warehouse
from kgprobe.sparql.uses import PathUse, TripleUse
from kgprobe.wording import number_of

if TYPE_CHECKING:
    from kgprobe.reasoners.protocol import Reasoner

__all__ = ["PlannedTest", "Reason", "SelectionPlan", "minimal", "safe_plan"]

# A pattern can name thousands of terms; readers need only the first few.
_MOST_LABELS = 3
_RENAMED = "only because entities were renamed: what it reads may hold their names"
_UNSEEN = "cannot see what this test uses"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a test was selected: the changed triple, the path from it to the test, and the use that it affects."""

    change: str  # `+ triple` or `- triple`; empty if the uses of the test are unknown
    entailed: bool
    path: tuple[str, ...]  # triples that connect the change to a term of the test
    use: str
    line: int | None
    term: str = ""  # the term that a string in SQL stands for
    row: str = ""  # the row of a table that changes, or the term that a statement names

    def __str__(self) -> str:
        if self.row:
            how = f" via {'; '.join(self.path)}" if self.path else ""
            where = f"line {self.line} reads it" if self.line else f"the test reads it: {self.use}"
            return f"{self.row}, because {self.change}{' (entailed)' if self.entailed else ''}{how}; {where}"
        if self.term:
            how = f" (via {'; '.join(self.path)})" if self.path else ""
            what = "below which" if self.path else "about which"
            said = f"{self.change}{' (entailed)' if self.entailed else ''}"
            where = f" in line {self.line}" if self.line else ""
            return f"'{self.use}'{where} stands for {self.term}, {what} a triple changed: {said}{how}"
        if not self.change:
            return self.use
        where = f"line {self.line}: " if self.line else ""
        how = f" via {'; '.join(self.path)}" if self.path else ""
        return f"{self.change}{' (entailed)' if self.entailed else ''}{how} affects {where}{self.use}"


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """A test to run, and all reasons for it. `failures` is the number of its past failures."""

    test: Test
    because: tuple[Reason, ...]
    urgency: Urgency = Urgency.DIRECT
    failures: int = 0

    @property
    def place(self) -> tuple[int, Urgency]:
        """How early it runs; the least comes first."""
        return -self.failures, self.urgency


@dataclass(frozen=True, slots=True)
class Gap:
    """A new entity that no test uses, and a query about a statement that the ontology makes about it."""

    term: NamedNode
    suggestion: str


@dataclass(frozen=True, slots=True)
class Broken:
    """A test that names a removed or deprecated entity, and the replacement of that entity, if one is known.

    With a `label`, the test has that label as a value, and the entity has it no more: it is gone, or is called `now`.
    """

    test: Test
    term: NamedNode
    replacement: NamedNode | None
    label: str = ""
    now: str | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """A test file before and after its repair. The two texts differ only in names."""

    file: Path
    before: str
    after: str

    def as_diff(self) -> str:
        """The repair in the format of `diff -u`."""
        import difflib  # only here: few plans have anything to repair

        before, after = (text.splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(before, after, f"a/{self.file}", f"b/{self.file}")
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


@dataclass(frozen=True)
class SelectionPlan:
    """The tests to run, those most likely to change first, out of all `tests`. `how` explains the choice."""

    mode: str
    chosen: tuple[PlannedTest, ...]
    tests: tuple[Test, ...]
    removed: int  # the number of triples that the change removed
    added: int
    how: tuple[str, ...] = ()
    left_out: tuple[PlannedTest, ...] = ()  # tests that the change can affect, but that a minimal plan leaves out
    gaps: tuple[Gap, ...] = ()
    broken: tuple[Broken, ...] = ()
    repairs: tuple[Repair, ...] = ()

    @property
    def share(self) -> float:
        """The share of the tests to run, from 0 to 1."""
        return len(self.chosen) / len(self.tests) if self.tests else 0.0


def safe_plan(
    versions: Versions,
    suite: Suite,
    regime: Regime,
    *,
    reasoner: Reasoner | None = None,
    failures: Mapping[str, int] | None = None,
    warehouse: Warehouse | None = None,
) -> SelectionPlan:
    """The tests that a changed triple can affect, asserted or entailed. Those most likely to change come first.

    `warehouse` says what the tables hold that tests in SQL read.
    """
    changes: dict[Regime, EntailedChange] = {}

    def change_under(asked: Regime) -> EntailedChange:
        if asked not in changes:
            # If nothing has changed, no regime has to be applied, which may be slow or impossible.
            applied = asked if versions.gone or versions.come else Regime.NONE
            changes[asked] = entailed_change(versions.old, versions.new, applied, reasoner)
        return changes[asked]

    found = select(suite, regime, change_under, warehouse)
    renames, renamed = entity_renames(versions, warehouse), frozenset[str]()
    how: tuple[str, ...] = ()
    if renames is not None and found.selected:
        found, renamed, how = renames.without(found, reasoner)
    broken = broken_reasons(versions, [selected.test for selected in found.selected])
    ranks = {selected.test.name: rank_of(selected, found.impacts.get(selected.regime)) for selected in found.selected}
    sources = _Sources(versions, reasoner)
    names = Names(versions.old, versions.new)
    chosen = []
    for one in ordered(found.selected, failures, ranks=ranks, broken=broken):
        name = one.test.name
        if one.undecided:
            because = [_undecided(one), *unseen_reasons(one.test)]
        else:
            because = reasons(one, names, changes[one.regime].is_asserted, sources.under(one.regime))
        if name in renamed:
            because.append(Reason("", entailed=False, path=(), use=_RENAMED, line=None))
        urgency = Urgency.BROKEN if name in broken else ranks[name][0]
        chosen.append(PlannedTest(one.test, (*broken.get(name, ()), *because), urgency, (failures or {}).get(name, 0)))
    removed, added = len(versions.gone), len(versions.come)
    same = "" if removed or added else "no triples changed"
    said = tuple(f"regime {used.value}: {same or change.how}" for used, change in changes.items())
    said_hints = () if warehouse is not None else hints(found, names.short)
    return SelectionPlan("safe", tuple(chosen), suite.tests, removed, added, (*said, *how, *said_hints))


def broken_reasons(versions: Versions, tests: Iterable[Test]) -> Mapping[str, tuple[Reason, ...]]:
    """For the names of tests that name deleted or deprecated entities, or have labels that changed: which ones."""
    tests = list(tests)
    known, gone = named_but_gone(versions, tests)
    stale = stale_places(tests, versions)
    if not gone and not stale:
        return {}
    names = Names(versions.old, versions.new)
    found: dict[str, dict[tuple[NamedNode, str], Reason]] = {}
    for test in known:
        for term in gone.get(test.name, ()):
            said = f"names {names.explained(term)}, which {_end_of(term, versions)}"
            found.setdefault(test.name, {})[term, ""] = Reason("", False, (), said, None)
    for place in stale:
        each = place.stale
        if (each.term, "") not in found.get(place.test.name, {}):
            ended = f"which {_end_of(each.term, versions)}" if each.is_gone else "which has another label now"
            if each.now is not None:
                ended = f"which is '{each.now}' now"
            said = f"has the label '{each.label}' of {names.short(each.term)}, {ended}"
            found.setdefault(place.test.name, {})[each.term, each.label] = Reason("", False, (), said, None)
    return {name: tuple(reasons.values()) for name, reasons in found.items()}


def _end_of(term: NamedNode, versions: Versions) -> str:
    return "is deprecated" if versions.new.mentions(term) else "no longer exists"


class _Sources:
    """Finds the asserted triples that an entailed triple follows from, in the version that entails it."""

    def __init__(self, versions: Versions, reasoner: Reasoner | None) -> None:
        self._versions = versions
        self._reasoner = reasoner
        self._known: dict[tuple[Regime, Triple, bool], tuple[Triple, ...]] = {}

    def under(self, regime: Regime) -> Callable[[Triple, bool], tuple[Triple, ...]]:
        """A function from an entailed triple, and whether it was added, to the changed triples behind it."""

        def sources(triple: Triple, added: bool) -> tuple[Triple, ...]:
            key = (regime, triple, added)
            if key not in self._known:
                self._known[key] = self._sources(regime, triple, added=added)
            return self._known[key]

        return sources

    def _sources(self, regime: Regime, triple: Triple, *, added: bool) -> tuple[Triple, ...]:
        from kgprobe.entailment.explanation import derivation  # only here: many plans have no entailed triples

        old, new = self._versions.old, self._versions.new
        graph, other = (new, old) if added else (old, new)
        steps = derivation(graph, triple, regime, self._reasoner)
        stated = dict.fromkeys(premise for step in steps for premise in step.premises if premise in graph)
        return tuple(premise for premise in stated if premise not in other) or tuple(stated)


def ordered(
    selected: Iterable[Selected],
    failures: Mapping[str, int] | None = None,
    *,
    ranks: Mapping[str, Rank] = MappingProxyType({}),
    broken: Collection[str] = (),
) -> tuple[Selected, ...]:
    """The tests, those most likely to change first.

    The criteria, most important first: past failures, whether the test names an entity that is gone (`broken` has the
    names of such tests), its rank, and its name, so that the order is always the same. A test that `ranks` lacks is
    ranked by its distance from the change.
    """
    past = failures or {}

    def key(each: Selected) -> tuple[int, bool, Rank, str]:
        name = each.test.name
        return -past.get(name, 0), name not in broken, ranks.get(name) or rank_of(each), name

    return tuple(sorted(selected, key=key))


def reasons(
    selected: Selected,
    names: Names,
    is_asserted: Callable[[Triple], bool],
    derived_from: Callable[[Triple, bool], tuple[Triple, ...]] = lambda _, __: (),
) -> list[Reason]:
    """All reasons for which a test was selected. `derived_from` gives the asserted triples behind an entailed one."""
    found = []
    has_values = selected.test.language.has_values
    for hit in selected.hits:
        asserted = is_asserted(hit.changed.triple)
        sources = () if asserted else derived_from(hit.changed.triple, hit.changed.added)
        triples = (hit.changed.triple, *sources, *_between(hit))
        first, *path = (_triple(triple, names.explained) for triple in triples)
        shown = {term for triple in triples for term in (triple.subject, triple.object)}
        change = f"{'+' if hit.changed.added else '-'} {first}"
        term = names.explained(hit.use.term) if has_values and isinstance(hit.use, TermUse) else ""
        use = _use(hit, names, shown)
        found.append(Reason(change, not asserted, tuple(path), use, hit.use.line, term, _row(hit, names)))
    if has_values:
        found.sort(key=lambda reason: len(reason.path))
    return list(dict.fromkeys(found + unseen_reasons(selected.test)))  # dialects may differ in nothing that is said


def _row(hit: Hit, names: Names) -> str:
    """What changes in the tables that a statement reads, if that is known."""
    if hit.row is not None:
        return str(hit.row)
    if hit.term is not None:
        return f"rows about {names.explained(hit.term)} may change"
    return "any row may change" if isinstance(hit.use, TablesUse) else ""


def _undecided(selected: Selected) -> Reason:
    why = f"cannot tell what changes under its regime {selected.regime.value}: {selected.undecided}"
    return Reason("", entailed=False, path=(), use=why, line=selected.test.line)


def unseen_reasons(test: Test) -> list[Reason]:
    """Why a test is always selected; empty for other tests."""
    return [Reason("", entailed=False, path=(), use=_unseen(why), line=test.line) for why in test.unseen]


def _unseen(why: str) -> str:
    return why if why.startswith(_UNSEEN) else f"{_UNSEEN}: {why}"


def _between(hit: Hit) -> tuple[Triple, ...]:
    """The triples of the path, without the changed triple itself."""
    return tuple(triple for triple in hit.path if triple != hit.changed.triple)


def _use(hit: Hit, names: Names, shown: Collection[object]) -> str:
    use = hit.use
    if not use.text:
        return names.explained(use.term) if isinstance(use, TermUse) else "any triple"
    labels = ((term, names.label_of_opaque(term)) for term in _named(use) if term not in shown)
    known = [f"{names.short(term)} is '{label}'" for term, label in labels if label is not None]
    return use.text if not known else f"{use.text}, where {' and '.join(known[:_MOST_LABELS])}"


def _named(use: TestUse) -> list[Term]:
    """The terms that a use names, in a fixed order."""
    match use:
        case TermUse():
            return [use.term]
        case TripleUse() | PathUse():
            return [term for slot in (use.subject, use.object) for term in sorted(slot.terms or (), key=str)]
    return []


def _triple(triple: Triple, spelled: Callable[[Term], str]) -> str:
    predicate = "a" if triple.predicate == RDF.type else spelled(triple.predicate)
    return f"{spelled(triple.subject)} {predicate} {spelled(triple.object)}"  # type: ignore[arg-type]  # no RDF 1.2


# -- a small part of a plan that covers the change: each changed triple that a reason names is still in a reason -------


def minimal(plan: SelectionPlan) -> SelectionPlan:
    """The plan with a part of its tests. Tests stay that are broken, or of which too little is known."""
    changes = {planned.test.name: _changes(planned) for planned in plan.chosen}
    needed = {name: found for name, found in changes.items() if found is not None}
    kept = set(covering(needed, list(needed))) | (changes.keys() - needed.keys())
    left_out = tuple(planned for planned in plan.chosen if planned.test.name not in kept)
    covered = len(set().union(*needed.values()))
    of_all = f"{len(kept):,} of {number_of(len(plan.chosen), 'test')}"
    how = (
        f"minimal: {of_all}, which cover every change that a reason names ({covered:,}); this is a choice, and not safe"
    )
    if not left_out:
        how = f"minimal: {of_all}, as none can be left out"
    chosen = tuple(planned for planned in plan.chosen if planned.test.name in kept)
    return replace(plan, chosen=chosen, left_out=left_out, how=(*plan.how, how))


def _changes(planned: PlannedTest) -> frozenset[str] | None:
    """The changes in the reasons; None if there is a reason without one."""
    if not all(reason.change for reason in planned.because):
        return None
    return frozenset(reason.change for reason in planned.because)


def covering(sets: Mapping[str, AbstractSet[str]], order: Sequence[str]) -> list[str]:
    """Names of sets whose union is that of all sets: greedily the one with most that is new, then the first in order.

    None of them is superfluous.
    """
    missing = set().union(*sets.values())
    heap = [(-len(sets[name]), place) for place, name in enumerate(order) if sets[name]]
    heapify(heap)
    chosen: list[str] = []
    while missing:
        size, place = heap[0]
        news = len(sets[order[place]] & missing)
        if -size == news:  # the sizes of all others can only have become smaller
            chosen.append(order[place])
            missing -= sets[order[place]]
            news = 0
        heapreplace(heap, (-news, place))
    return _needed(sets, chosen)


def _needed(sets: Mapping[str, AbstractSet[str]], chosen: Sequence[str]) -> list[str]:
    """Without those that the others cover."""
    times: dict[str, int] = {}
    for name in chosen:
        for element in sets[name]:
            times[element] = times.get(element, 0) + 1
    kept = []
    for name in chosen:
        if all(times[element] > 1 for element in sets[name]):
            for element in sets[name]:
                times[element] -= 1
        else:
            kept.append(name)
    return kept
