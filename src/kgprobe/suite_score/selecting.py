"""Which tests are compared with a change before they run, and in which order tests run.

`auto` decides by counts, not by the clock, so that a result does not depend on the load of the machine: a process
always costs more than the comparison; a query costs at least as much as the triples that its patterns match one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import RDF, RDFS, NamedNode, Term, Triple
from kgprobe.selection.sql.reads import TablesUse
from kgprobe.selection.tests import TermUse, Test, TestUse
from kgprobe.sparql.uses import AnyUse, PathUse, Slot, TripleUse
from kgprobe.suite_score.model import Change, Selecting
from kgprobe.suite_score.tests import Runnable

# Comparing a change with one use of a test takes about as long as matching this many triples; a path takes longer.
_TRIPLES_PER_USE = 400
_TRIPLES_PER_PATH = 1000


def compared(tests: Sequence[Runnable], graph: Graph, selecting: Selecting) -> frozenset[int]:
    """The numbers of the tests that run on a mutant only if selection says that the change can affect them."""
    if selecting is Selecting.NEVER:
        return frozenset()
    if selecting is Selecting.ALWAYS:
        return frozenset(range(len(tests)))
    return frozenset(
        number for number, runnable in enumerate(tests) if runnable.is_process or _pays(runnable.test, graph)
    )


def _pays(test: Test, graph: Graph) -> bool:
    if test.unseen or not test.queries:
        return False
    comparing = sum(_TRIPLES_PER_PATH if isinstance(use, PathUse) else _TRIPLES_PER_USE for use in test.uses)
    return sum(_matching(use, graph) for use in test.uses) > comparing


def _matching(use: TestUse, graph: Graph) -> int:
    """The number of triples that match a use, if it has at most one term in each place."""
    match use:
        case TripleUse():
            slots = (use.subject, use.predicate, use.object)
            if any(slot.terms is not None and len(slot.terms) != 1 for slot in slots):
                return 0
            return graph.count(*(_key(slot, graph) for slot in slots))
        case PathUse():
            if use.subject.terms is not None or use.object.terms is not None:
                return 0  # from a given node, a path reaches few others
            return sum(graph.count(None, graph.key(predicate)) for predicate, _ in use.edges)
        case TermUse() | TablesUse():
            return 0
        case AnyUse():
            return len(graph)


def _key(slot: Slot, graph: Graph) -> Key | None:
    return None if slot.terms is None else graph.key(next(iter(slot.terms)))


class Order:
    """Which tests are likely to kill a mutant: those that name its terms, and those that killed others of its kind.

    The order does not depend on which tests were left out by selection, because these kill nothing. So the first test
    that kills is the same with and without selection, and the runs without selection can be counted.
    """

    def __init__(self, tests: Sequence[Runnable]) -> None:
        self._count = len(tests)
        self._names = [runnable.test.name for runnable in tests]
        self._using: dict[Term, list[int]] = {}
        for number, runnable in enumerate(tests):
            for term in sorted(_terms(runnable.test), key=str):
                self._using.setdefault(term, []).append(number)
        self._kills: Counter[tuple[str, int]] = Counter()

    def note(self, change: Change, killers: Iterable[int]) -> None:
        """Learn which tests killed a mutant."""
        for number in killers:
            self._kills[change.group, number] += 1

    def of(self, change: Change) -> tuple[int, ...]:
        """All tests by their numbers, the most likely killers first."""
        shared: Counter[int] = Counter()
        for term in _changed_terms(change):
            shared.update(self._using.get(term, ()))

        def rank(number: int) -> tuple[int, str]:
            return -(1 + shared[number]) * (1 + self._kills[change.group, number]), self._names[number]

        return tuple(sorted(range(self._count), key=rank))


def _terms(test: Test) -> set[Term]:
    found: set[Term] = {mention.term for mention in test.mentions}
    for use in (*test.uses, *test.terms):
        match use:
            case TermUse():
                found.add(use.term)
            case TripleUse():
                for slot in (use.subject, use.predicate, use.object):
                    found |= slot.terms or frozenset()
            case PathUse():
                found |= (use.subject.terms or frozenset()) | (use.object.terms or frozenset())
                found |= {predicate for predicate, _ in use.edges}
    return found - {RDF.type, RDFS.subClassOf}


def _changed_terms(change: Change) -> set[Term]:
    triples: Iterable[Triple] = (*change.delta.removed, *change.delta.added)
    return {
        term
        for triple in triples
        for term in (triple.subject, triple.predicate, triple.object)
        if type(term) is NamedNode
    }
