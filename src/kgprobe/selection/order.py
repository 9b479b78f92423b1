"""The order of selected tests: those whose answers are most likely to change come first.

A changed triple that matches one pattern of a test rarely changes its answer: it also has to fit the other patterns. A
new label matches `?kind rdfs:label ?label`, but the answer stays the same if `?kind rdfs:subClassOf :Pizza` does not
hold for that kind. So the patterns that share a variable with the matching one are looked up in the graph.

This looks at pairs of patterns, and not at OPTIONAL, UNION or FILTER: it is a good guess, for the order only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from kgprobe.errors import InputError, Position
from kgprobe.given_files import read_bytes
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.reachability import walk
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import Term, Triple
from kgprobe.selection.impact import Hit, Impact, Selected
from kgprobe.selection.tests import Test
from kgprobe.sparql.uses import PathUse, TripleUse

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

__all__ = ["past_failures"]

# So many changed triples are tried with the other patterns of a test. More take time, and hardly change the order.
_MOST_TRIED = 5
# Further from a change than this, a name is less urgent than a test of which nobody can tell.
_NEAR = 3


class Urgency(IntEnum):
    """What the change means for a test, the most urgent first."""

    BROKEN = 0  # it names an entity that is deleted or deprecated
    EDITED = 1  # the test itself has changed
    DIRECT = 2  # a stated triple that changed matches one of its patterns, and fits the others
    FOLLOWS = 3  # the same for a triple that follows from a changed one, or is connected with one
    UNKNOWN = 4  # nobody can tell
    REMOTE = 5  # a changed triple matches one of its patterns, but does not fit the others, or is far away


Rank = tuple[Urgency, float, int, float]
"""How early a test should run; the least comes first."""


def rank_of(selected: Selected, impact: Impact | None = None) -> Rank:
    """How early a test should run. Without the impact of the change, only distances count."""
    joins = _Joins(selected.test.patterns, impact, _repeated(selected.test))
    return min((_rank(hit, joins, impact) for hit in selected.hits), default=(Urgency.UNKNOWN, 0.0, 0, 0.0))


def _rank(hit: Hit, joins: _Joins, impact: Impact | None) -> Rank:
    """The rank by one hit: its urgency, the share of patterns that it fits, its distance, and how little it changes."""
    fit = joins.fit(hit)
    distance = 0 if isinstance(hit.use, PathUse) else max(len(hit.path) - 1, 0)
    is_stated = impact is None or impact.change.is_asserted(hit.changed.triple)
    if fit < 1 or distance > _NEAR:
        urgency = Urgency.REMOTE
    else:
        urgency = Urgency.DIRECT if is_stated and len(hit.path) <= 1 else Urgency.FOLLOWS
    matches = 1 if impact is None else _matches(hit, impact)
    return urgency, -fit, distance, matches / hit.size


def _matches(hit: Hit, impact: Impact) -> int:
    """About how many triples of the old version match the use of a hit. In the new one, counting takes longer."""
    use = hit.use
    if not isinstance(use, TripleUse):
        return 1
    slots = (use.subject, use.predicate, use.object)
    firsts = [None if slot.terms is None else min(slot.terms, key=str, default=None) for slot in slots]
    old = impact.change.old
    return max(1, old.count(*(term and old.key(term) for term in firsts)))


def _repeated(test: Test) -> frozenset[Term]:
    """The predicates that a path of the test repeats; its patterns do not say that."""
    return frozenset(name for use in test.uses if isinstance(use, PathUse) for name, _ in use.edges)


class _Joins:
    """Tells whether a changed triple that matches one pattern of a test fits the other patterns."""

    def __init__(self, patterns: Sequence[TriplePattern], impact: Impact | None, repeated: frozenset[Term]) -> None:
        self._patterns = patterns
        self._impact = impact
        self._repeated = repeated

    def fit(self, hit: Hit) -> float:
        """The share of patterns with a common variable that a changed triple fits; 1 if nothing is known."""
        fits = [fit for triple, added in self._changed(hit) for fit in self._fits(triple, added=added)]
        return max(fits, default=1.0)

    def _changed(self, hit: Hit) -> Iterator[tuple[Triple, bool]]:
        """Changed triples that match the use of a hit; for a chain of edges, one from its beginning to its end."""
        if self._impact is None:
            return
        if isinstance(hit.use, TripleUse):
            for keys in islice(self._impact.triples.matching(hit.use), _MOST_TRIED):
                found = self._impact.triples.in_terms(keys)
                yield found.triple, found.added
        elif isinstance(hit.use, PathUse) and hit.path and len(hit.use.edges) == 1:
            [(predicate, is_backwards)] = hit.use.edges
            first, last = (hit.path[-1], hit.path[0]) if is_backwards else (hit.path[0], hit.path[-1])
            yield Triple(first.subject, predicate, last.object), hit.changed.added

    def _fits(self, triple: Triple, *, added: bool) -> Iterator[float]:
        """For each pattern that a changed triple matches, how well the triple fits the others."""
        assert self._impact is not None  # noqa: S101 - otherwise there are no changed triples
        graph = self._impact.change.new if added else self._impact.change.old
        for pattern in self._patterns:
            bindings = _bindings(pattern, triple)
            if bindings is not None:
                others = [other for other in self._patterns if other is not pattern and _shares(other, bindings)]
                yield sum(self._holds(other, bindings, graph) for other in others) / len(others) if others else 1.0

    def _holds(self, pattern: TriplePattern, bindings: Mapping[str, Term], graph: Graph) -> bool:
        subject, predicate, object_ = (_key(part, bindings, graph) for part in pattern)
        if predicate is None or pattern[1] not in self._repeated or subject is None:
            return graph.count(subject, predicate, object_) > 0
        if subject == object_:
            return True
        above = walk(subject, lambda node: graph.objects(node, predicate))
        return object_ in above or (object_ is None and bool(above))


def _bindings(pattern: TriplePattern, triple: Triple) -> Mapping[str, Term] | None:
    """The variables of a pattern in a triple; None if the triple does not match."""
    bindings: dict[str, Term] = {}
    terms: tuple[Term, Term, Term] = (triple.subject, triple.predicate, triple.object)  # type: ignore[assignment]  # no RDF 1.2
    for part, term in zip(pattern, terms, strict=True):
        known = bindings.setdefault(part.name, term) if isinstance(part, Variable) else part
        if known != term:
            return None
    return bindings


def _shares(pattern: TriplePattern, bindings: Mapping[str, Term]) -> bool:
    return any(isinstance(part, Variable) and part.name in bindings for part in pattern)


def _key(part: Variable | Term, bindings: Mapping[str, Term], graph: Graph) -> Key | None:
    if isinstance(part, Variable):
        return graph.key(bindings[part.name]) if part.name in bindings else None
    return graph.key(part)


# -- the tests that failed in earlier runs, from reports in JUnit format -----------------------------------------------


_FAILURES = ("failure", "error")
_LARGEST_REPORT = 1 << 28


def past_failures(files: Iterable[Path]) -> Counter[str]:
    """The number of failures of each test in reports in JUnit format. Names: `file::name`, `class.name`, `name`."""
    counted: Counter[str] = Counter()
    for file in files:
        for case in _report(file).iter("testcase"):
            if any(case.find(tag) is not None for tag in _FAILURES):
                counted.update(_names_in(case))
    return counted


def _report(file: Path) -> Element:
    text = read_bytes(file, _LARGEST_REPORT)
    if b"<!DOCTYPE" in text:
        raise InputError("has a document type declaration, which test reports do not need", where=Position(str(file)))
    from xml.etree import ElementTree

    try:
        return ElementTree.fromstring(text)  # noqa: S314 - without a document type there are no entities to expand
    except ElementTree.ParseError as error:
        line, column = error.position
        raise InputError(f"is not XML: {error.msg}", where=Position(str(file), line, column + 1)) from None


def _names_in(case: Element) -> set[str]:
    """The possible names of a test: reports do not agree on one."""
    name, group, file = (case.get(key, "") for key in ("name", "classname", "file"))
    plain = name.partition("[")[0]
    names = {name, plain}
    if file:
        names |= {file, f"{file}::{plain}"}
    if group:
        module = group.replace(".", "/") + ".py"
        names |= {f"{group}.{name}", f"{module}::{plain}"}
        outer, _, inner = group.rpartition(".")
        if outer:
            names.add(f"{outer.replace('.', '/')}.py::{inner}::{plain}")
    return names - {""}
