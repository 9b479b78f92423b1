"""Combinations: changes that are harmless alone and fail together. A shape then requires one of several conditions."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from kgprobe.masks.learning.candidates import Candidate, simplest
from kgprobe.masks.learning.conditions import Clause, LinkedCondition, ShapeLink
from kgprobe.masks.learning.observations import Evidence, OnProgress, ends_of, nobody_watches, predicates_of
from kgprobe.masks.paths import Alternative, Inverse, Path, Predicate, Repeat, Sequence_
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import NamedNode, Term, Triple

_FOR_JOINING = 2.0
_MOST_PARTS = 1_500
_MOST_PAIRS = 400
_LARGEST = 4  # conditions in one combination
_LONGEST_LINK = 6
_MOST_HUBS = 2
_MOST_STEPS = 100
_MOST_VISITED = 5_000
_MOST_SEARCHED = 5_000  # triples
_TRIED_FOR_A_PATTERN = 3


@dataclass(frozen=True)
class Option:
    """A shape that learning can choose: its clause, the cases that violate it, and its description length.

    `excepted` are the passing cases that its alternatives were made for. The description length leaves out which ones
    these are: a mask says so once for all of its shapes.
    """

    clause: Clause
    violated: int
    bits: float
    excepted: int = 0


def single_options(candidates: Iterable[Candidate]) -> list[Option]:
    """Each candidate as a shape of its own."""
    return [Option(Clause(candidate.condition), candidate.violated, candidate.bits) for candidate in candidates]


def combinations_of(
    candidates: Sequence[Candidate],
    evidence: Evidence,
    links: Links,
    *,
    noise: float,
    on_progress: OnProgress = nobody_watches,
) -> list[Option]:
    """Pairs that explain failing cases which their parts do not explain alone, and larger ones for what is left."""
    parts = _parts(candidates, evidence)
    explained = 0
    for candidate in candidates:
        if not candidate.violated & evidence.passing:
            explained |= candidate.violated
    options = _pairs(parts, evidence, links, noise, explained, on_progress)
    if not noise:
        for option in options:
            explained |= option.violated
        left = evidence.failing & ~explained
        for number in range(len(evidence.cases)):
            larger = _larger(number, parts, evidence, links) if left >> number & 1 else None
            if larger is not None:
                options.append(larger)
                left &= ~larger.violated
    return options


def _parts(candidates: Sequence[Candidate], evidence: Evidence) -> list[Candidate]:
    """The simplest condition for each set of cases, among those about one node."""
    parts = simplest(
        candidate
        for candidate in candidates
        if not candidate.condition.focus.is_class and candidate.violated & evidence.passing
    )
    return sorted(parts, key=lambda part: -(part.violated & evidence.failing).bit_count())[:_MOST_PARTS]


def _worthwhile(
    by_pattern: dict[int, list[tuple[float, int, int]]], explained: int, failing: int
) -> list[list[tuple[float, int, int]]]:
    """The pairs that explain several failing cases, or one that nothing else explains; those that explain most."""
    kept = [both for both in by_pattern if (both & failing).bit_count() > 1 or both & failing & ~explained]
    kept.sort(key=lambda both: (-(both & failing).bit_count(), min(by_pattern[both])))
    alone = [both for both in kept if both & failing & ~explained]
    return [by_pattern[both] for both in dict.fromkeys((*kept[:_MOST_PAIRS], *alone))]


def _pairs(
    parts: Sequence[Candidate],
    evidence: Evidence,
    links: Links,
    noise: float,
    parts_alone: int,
    on_progress: OnProgress,
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
    pairs = []
    patterns = _worthwhile(by_pattern, parts_alone, failing)
    for number, options in enumerate(patterns):
        on_progress("combining changes", number, len(patterns))
        for bits, i, j in sorted(options)[:_TRIED_FOR_A_PATTERN]:
            option = _joined((parts[i], parts[j]), bits, links)
            if option is not None:
                pairs.append(option)
                break
    return pairs


def _larger(number: int, parts: Sequence[Candidate], evidence: Evidence, links: Links) -> Option | None:
    """A combination that this failing case violates and no passing one: each part takes away most of those left."""
    here = [part for part in parts if part.violated >> number & 1]
    chosen: list[Candidate] = []
    together = -1
    while together & evidence.passing and len(chosen) < _LARGEST:
        rest = [part for part in here if part not in chosen]
        if not rest:
            return None
        best = min(rest, key=lambda part: ((together & part.violated & evidence.passing).bit_count(), part.bits))
        chosen.append(best)
        together &= best.violated
    if together & evidence.passing:
        return None
    return _joined(chosen, sum(part.bits for part in chosen) + _FOR_JOINING, links)


def _joined(parts: Sequence[Candidate], bits: float, links: Links) -> Option | None:
    """The combination as one shape, which looks from the node that reaches the nodes of all parts most reliably."""
    nodes = list(dict.fromkeys(part.condition.focus.term for part in parts))
    together = -1
    for part in parts:
        together &= part.violated
    best: Option | None = None
    for start in nodes if len(nodes) == 1 else [*nodes, *links.hubs(nodes)]:
        option = _seen_from(start, parts, bits, links)
        if option is not None and option.violated == together:
            return option
        if option is not None and (best is None or option.violated.bit_count() < best.violated.bit_count()):
            best = option
    # Over a path, a combination also fails in cases that break the path. A search over all triples hardly ever does.
    hub = links.hub
    anywhere = (
        None if hub is None or hub in nodes else _seen_from(hub, parts, bits + _FOR_JOINING, links, anywhere=True)
    )
    if anywhere is None or (best is not None and best.violated.bit_count() <= anywhere.violated.bit_count()):
        return best
    return anywhere


def _seen_from(
    start: NamedNode, parts: Sequence[Candidate], bits: float, links: Links, *, anywhere: bool = False
) -> Option | None:
    violated = -1
    linked: list[LinkedCondition] = []
    for part in parts:
        end = part.condition.focus.term
        link = None if start == end else links.anywhere(start, end) if anywhere else links.between(start, end)
        if link is None and start != end:
            return None
        linked.append(LinkedCondition(part.condition, link))
        violated &= part.violated | (0 if link is None else links.broken(link))
    # The condition about the node itself comes first.
    first, *others = sorted(linked, key=lambda part: part.link is not None)
    return Option(Clause(first.condition, tuple((other,) for other in others), first.link), violated, bits)


class Links:
    """Paths between nodes, over triples that no case removes if possible."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._removed = {triple for case in evidence.cases for triple in case.change.removed}
        self._known: dict[tuple[NamedNode, NamedNode], ShapeLink | None] = {}
        self._broken: dict[ShapeLink, int] = {}

    def hubs(self, nodes: Sequence[NamedNode]) -> list[NamedNode]:
        """Nodes that are one step away from all of these, with most neighbours first: classes, as a rule."""
        seed = self._evidence.seeds[0]
        common: dict[Key, None] | None = None
        for node in nodes:
            near = dict.fromkeys(other for _, _, other in islice(_steps(seed, seed.key(node)), _MOST_STEPS))
            common = near if common is None else {node: None for node in common if node in near}
        terms = [seed.term(key) for key in common or ()]
        named = [term for term in terms if isinstance(term, NamedNode) and term not in nodes]
        named.sort(key=lambda term: (-seed.count(None, None, seed.key(term)), term.value))
        return named[:_MOST_HUBS]

    def between(self, start: NamedNode, end: NamedNode) -> ShapeLink | None:
        pair = (start, end)
        if pair not in self._known:
            seed = self._evidence.seeds[0]
            stable = path_between(seed, start, end, avoiding=self._removed)
            path = stable or path_between(seed, start, end)
            link = None if path is None else ShapeLink(start, path, end)
            if link is not None and stable is not None and len(self._evidence.seeds) == 1:
                self._broken[link] = 0
            if link is not None and not all(link.holds(graph) for graph in self._evidence.seeds):
                link = None
            self._known[pair] = link
        return self._known[pair]

    @cached_property
    def hub(self) -> NamedNode | None:
        """The node that is connected with most others in most cases; None if the graphs are too large to search."""
        seeds = self._evidence.seeds
        if sum(map(len, seeds)) > _MOST_SEARCHED:
            return None
        ends = Counter(
            end for seed in seeds for triple in seed for end in ends_of(triple) if isinstance(end, NamedNode)
        )
        nodes = sorted(ends, key=lambda node: (-ends[node], node.value))[:_MOST_STEPS]
        reached = dict.fromkeys(nodes, 0)
        for graph, parts in zip(self._evidence.graphs, self._connected, strict=True):
            sizes = Counter(parts.values())
            for node in nodes:
                reached[node] += sizes[parts.get(graph.key(node), -1)]
        return max(nodes, key=lambda node: reached[node], default=None)

    def anywhere(self, start: NamedNode, end: NamedNode) -> ShapeLink | None:
        """A link over any triples, in either direction, that have a predicate of the seed graphs."""
        link = ShapeLink(start, self._any_triples, end)
        if link not in self._broken:
            self._broken[link] = sum(
                1 << number
                for number, (graph, parts) in enumerate(zip(self._evidence.graphs, self._connected, strict=True))
                if (part := parts.get(graph.key(start))) is None or part != parts.get(graph.key(end))
            )
        return link if all(link.holds(seed) for seed in self._evidence.seeds) else None

    @cached_property
    def _any_triples(self) -> Path:
        predicates = {triple.predicate for seed in self._evidence.seeds for triple in seed}
        steps = [Predicate(predicate) for predicate in sorted(predicates, key=lambda predicate: predicate.value)]
        return Repeat(Alternative(tuple(way for step in steps for way in (step, Inverse(step)))), "*")

    @cached_property
    def _connected(self) -> list[dict[Key, int]]:
        """For each case, its nodes, with a number for each part of the graph that such triples connect."""
        followed = set(predicates_of(self._any_triples))
        return [_parts_of(graph, {graph.key(predicate) for predicate in followed}) for graph in self._evidence.graphs]

    def broken(self, link: ShapeLink) -> int:
        """The cases in which the path does not lead to the node."""
        known = self._broken.get(link)
        if known is None:
            graphs = self._evidence.graphs
            touched = self._evidence.without(predicates_of(link.path))
            known = self._broken[link] = sum(1 << number for number in touched if not link.holds(graphs[number]))
        return known


def _parts_of(graph: Graph, predicates: Collection[Key]) -> dict[Key, int]:
    import numpy as np  # `kgprobe test --help` need not wait for it

    from kgprobe.rdf.rows import connected_components

    nodes: dict[Key, int] = {}
    pairs = [
        (nodes.setdefault(s, len(nodes)), nodes.setdefault(o, len(nodes)))
        for s, p, o in graph.rows()
        if p in predicates
    ]
    parts = connected_components(len(nodes), np.array(pairs, dtype=np.int64).reshape(-1, 2)).tolist()
    return dict(zip(nodes, parts, strict=True))


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
