"""Combinations: changes that are harmless alone and fail together. A shape then requires one of several conditions."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from kgprobe.graph.graph import Graph
from kgprobe.graph.table import Key, KeyTriple
from kgprobe.graph.terms import NamedNode, Term, Triple
from kgprobe.masks.learning.candidates import Candidate
from kgprobe.masks.learning.conditions import Clause, Condition, Link, Linked
from kgprobe.masks.learning.observations import Evidence
from kgprobe.masks.paths import Inverse, Path, Predicate, Sequence_

__all__ = ["Links", "Option", "combinations_of", "path_between", "single_options"]

_FOR_JOINING = 2.0
_MOST_PARTS = 1_500
_MOST_PAIRS = 400
_LARGEST = 4  # conditions in one combination
_LONGEST_LINK = 6
_MOST_VISITED = 5_000
_TRIED_FOR_A_PATTERN = 3


@dataclass(frozen=True)
class Option:
    """A shape that learning can choose: its clause, the cases that violate it, and its description length."""

    clause: Clause
    violated: int
    bits: float


def single_options(candidates: Iterable[Candidate]) -> list[Option]:
    """Each candidate as a shape of its own."""
    return [Option(Clause(each.condition), each.violated, each.bits) for each in candidates]


def combinations_of(candidates: Sequence[Candidate], evidence: Evidence, links: Links, *, noise: float) -> list[Option]:
    """Pairs that explain failing cases which their parts do not explain alone, and larger ones for what is left."""
    parts = _parts(candidates, evidence)
    explained = 0
    for each in candidates:
        if not each.violated & evidence.passing:
            explained |= each.violated
    found = _pairs(parts, evidence, links, noise, explained)
    if not noise:
        for option in found:
            explained |= option.violated
        left = evidence.failing & ~explained
        for number in range(len(evidence.cases)):
            larger = _larger(number, parts, evidence, links) if left >> number & 1 else None
            if larger is not None:
                found.append(larger)
                left &= ~larger.violated
    return found


def _parts(candidates: Sequence[Candidate], evidence: Evidence) -> list[Candidate]:
    """The simplest condition for each set of cases, among those about one node."""
    best: dict[int, Candidate] = {}
    for each in candidates:
        if each.condition.focus.is_class or not each.violated & evidence.passing:
            continue
        known = best.get(each.violated)
        if known is None or each.bits < known.bits:
            best[each.violated] = each
    ordered = sorted(best.values(), key=lambda each: -(each.violated & evidence.failing).bit_count())
    return ordered[:_MOST_PARTS]


def _worthwhile(
    by_pattern: dict[int, list[tuple[float, int, int]]], explained: int, failing: int
) -> list[list[tuple[float, int, int]]]:
    """The pairs that explain several failing cases, or one that nothing else explains; those that explain most."""
    kept = [both for both in by_pattern if (both & failing).bit_count() > 1 or both & failing & ~explained]
    kept.sort(key=lambda both: (-(both & failing).bit_count(), min(by_pattern[both])))
    alone = [both for both in kept if both & failing & ~explained]
    return [by_pattern[both] for both in dict.fromkeys((*kept[:_MOST_PAIRS], *alone))]


def _pairs(
    parts: Sequence[Candidate], evidence: Evidence, links: Links, noise: float, parts_alone: int
) -> list[Option]:
    failing, passing = evidence.failing, evidence.passing
    by_pattern: dict[int, list[tuple[float, int, int]]] = {}
    for i, one in enumerate(parts):
        violated = one.violated
        if not violated & failing:
            continue
        for j in range(i + 1, len(parts)):
            both = violated & parts[j].violated
            if not both & failing:
                continue
            wrong = both & passing
            if wrong and (not noise or 2 * wrong.bit_count() >= (both & failing).bit_count()):
                continue
            by_pattern.setdefault(both, []).append((one.bits + parts[j].bits + _FOR_JOINING, i, j))
    found = []
    for options in _worthwhile(by_pattern, parts_alone, failing):
        for bits, i, j in sorted(options)[:_TRIED_FOR_A_PATTERN]:
            option = _joined((parts[i], parts[j]), bits, links)
            if option is not None:
                found.append(option)
                break
    return found


def _larger(number: int, parts: Sequence[Candidate], evidence: Evidence, links: Links) -> Option | None:
    """A combination that this failing case violates and no passing one: each part takes away most of those left."""
    here = [each for each in parts if each.violated >> number & 1]
    chosen: list[Candidate] = []
    together = -1
    while together & evidence.passing and len(chosen) < _LARGEST:
        rest = [each for each in here if each not in chosen]
        if not rest:
            return None
        best = min(rest, key=lambda each: ((together & each.violated & evidence.passing).bit_count(), each.bits))
        chosen.append(best)
        together &= best.violated
    if together & evidence.passing:
        return None
    return _joined(chosen, sum(each.bits for each in chosen) + _FOR_JOINING, links)


def _joined(parts: Sequence[Candidate], bits: float, links: Links) -> Option | None:
    """The combination as one shape; None if no path leads from the node of the first part to one of the others."""
    first, *others = sorted(parts, key=lambda each: each.condition.focus.via is not None)
    violated = first.violated
    alternatives: list[tuple[Linked, ...]] = []
    for part in others:
        linked = links.to(first.condition, part.condition)
        if linked is None:
            return None
        alternatives.append((linked,))
        violated &= part.violated | (0 if linked.link is None else links.broken(linked.link))
    return Option(Clause(first.condition, tuple(alternatives)), violated, bits)


class Links:
    """Paths between nodes, over triples that no case removes if possible."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._removed = {triple for case in evidence.cases for triple in case.change.removed}
        self._known: dict[tuple[NamedNode, NamedNode], Link | None] = {}
        self._broken: dict[Link, int] = {}

    def to(self, first: Condition, other: Condition) -> Linked | None:
        """The other condition as part of a shape for the node of the first; None if no path leads there."""
        if other.focus.term == first.focus.term:
            return Linked(other)
        link = self.between(first.focus.term, other.focus.term)
        return None if link is None else Linked(other, link)

    def between(self, start: NamedNode, end: NamedNode) -> Link | None:
        pair = (start, end)
        if pair not in self._known:
            seed = self._evidence.seeds[0]
            stable = path_between(seed, start, end, avoiding=self._removed)
            path = stable or path_between(seed, start, end)
            link = None if path is None else Link(start, path, end)
            if link is not None and stable is not None and len(self._evidence.seeds) == 1:
                self._broken[link] = 0
            if link is not None and not all(link.holds(each) for each in self._evidence.seeds):
                link = None
            self._known[pair] = link
        return self._known[pair]

    def broken(self, link: Link) -> int:
        """The cases in which the path does not lead to the node."""
        known = self._broken.get(link)
        if known is None:
            known = self._broken[link] = sum(
                1 << number for number, graph in enumerate(self._evidence.graphs) if not link.holds(graph)
            )
        return known


def path_between(graph: Graph, start: Term, end: Term, *, avoiding: Collection[Triple] = ()) -> Path | None:
    """The shortest path from one node to another, in either direction of each triple; None if it would be long."""
    goal, origin = graph.key(end), graph.key(start)
    came: dict[Key, tuple[Key, Path]] = {}
    waiting = deque([(origin, 0)])
    seen = {origin}
    while waiting and len(seen) < _MOST_VISITED:
        node, length = waiting.popleft()
        if length == _LONGEST_LINK:
            continue
        for row, step, other in _steps(graph, node):
            if other in seen or (avoiding and graph.triple(row) in avoiding):
                continue
            seen.add(other)
            came[other] = (node, step)
            if other == goal:
                return _followed(came, origin, goal)
            waiting.append((other, length + 1))
    return None


def _steps(seed: Graph, node: Key) -> Iterable[tuple[KeyTriple, Path, Key]]:
    for row in seed.about(node):
        predicate = seed.term(row[1])
        assert isinstance(predicate, NamedNode)  # noqa: S101 - RDF requires it
        yield row, Predicate(predicate), row[2]
    for row in seed.to(node):
        predicate = seed.term(row[1])
        assert isinstance(predicate, NamedNode)  # noqa: S101 - RDF requires it
        yield row, Inverse(Predicate(predicate)), row[0]


def _followed(came: dict[Key, tuple[Key, Path]], origin: Key, goal: Key) -> Path:
    steps: list[Path] = []
    node = goal
    while node != origin:
        node, step = came[node]
        steps.append(step)
    steps.reverse()
    return steps[0] if len(steps) == 1 else Sequence_(tuple(steps))
