"""Compares graphs up to the names of blank nodes.

Connected blank nodes form a *component*. A component gets a fingerprint that does not depend on labels. Two graphs are
isomorphic if their other triples are equal and their components have the same fingerprints. Colours distinguish most
blank nodes: a colour is a hash of a node's surroundings, refined until it no longer changes. This takes time in
proportion to the graph. Only nodes that still share their colour are left to RDFC-1.0.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.rdfc import canonical_lines
from kgprobe.rdf.table import Interner
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Triple, with_blanks

__all__ = ["Component", "Fingerprints", "components", "fingerprint", "isomorphic"]

Component = list[Triple]

_COLOUR = "urn:kgprobe:colour:"
_MODULUS = 1 << 256


def isomorphic(one: Graph, other: Graph) -> bool:
    """Whether the graphs have the same triples up to the names of blank nodes."""
    return len(one) == len(other) and (one == other or fingerprint(one) == fingerprint(other))


def fingerprint(graph: Graph) -> int:
    """A number that two graphs share if they are isomorphic and, barring hash collisions, only then.

    It is the sum of one number for each triple without blank nodes and for each component, so small changes can update
    it.
    """
    ground, blank = components(graph)
    return sum(map(_number, [*map(str, ground), *map(component_fingerprint, blank)])) % _MODULUS


class Fingerprints:
    """The fingerprints of many graphs that have most triples in common: those of their parts are kept.

    `of_component` is `component_fingerprint`, or a function that does not raise its errors.
    """

    def __init__(self, of_component: Callable[[Component], str] | None = None) -> None:
        self._of_component = of_component or component_fingerprint
        self._triples: dict[Triple, int] = {}
        self._components: dict[frozenset[Triple], int] = {}

    def of(self, graph: Graph) -> int:
        """The fingerprint of a graph."""
        ground, blank = components(graph)
        return (sum(map(self._triple, ground)) + sum(map(self._component, blank))) % _MODULUS

    def _triple(self, triple: Triple) -> int:
        known = self._triples.get(triple)
        if known is None:
            known = self._triples[triple] = _number(str(triple))
        return known

    def _component(self, component: Component) -> int:
        key = frozenset(component)
        known = self._components.get(key)
        if known is None:
            known = self._components[key] = _number(self._of_component(component))
        return known


def components(triples: Iterable[Triple]) -> tuple[list[Triple], list[Component]]:
    """The triples without blank nodes, and the others in groups that do not share blank nodes."""
    ground: list[Triple] = []
    rest: list[Triple] = []
    ends: list[tuple[int, int]] = []  # the blank nodes of the rest: two of them, or one of them twice
    numbers = Interner()
    for triple in triples:
        match triple.subject, triple.object:
            case BlankNode() as subject, BlankNode() as object_:
                ends.append((numbers[subject], numbers[object_]))
                rest.append(triple)
            case (BlankNode() as node, _) | (_, BlankNode() as node):
                ends.append((numbers[node], numbers[node]))
                rest.append(triple)
            case _:
                ground.append(triple)
    if not rest:
        return ground, []
    import numpy as np  # see `rows`

    from kgprobe.rdf.rows import connected_components

    pairs = np.array(ends, dtype=np.int64)
    groups: dict[int, Component] = defaultdict(list)
    for component, triple in zip(connected_components(len(numbers), pairs)[pairs[:, 0]].tolist(), rest, strict=True):
        groups[component].append(triple)
    return ground, list(groups.values())


def component_fingerprint(component: Component) -> str:
    """A hash of the component that does not depend on the labels of its blank nodes."""
    colours = _colours(component)
    shared = {colour for colour, count in Counter(colours.values()).items() if count > 1}
    named = {node: NamedNode(_COLOUR + colour) for node, colour in colours.items() if colour not in shared}
    lines = [with_blanks(triple, lambda node: named.get(node, node)) for triple in component]
    if not shared:
        return _digest("\n".join(sorted(map(str, lines))))
    # Nodes that still look the same keep their colour, so RDFC-1.0 need not compute it again.
    lines += [Triple(node, NamedNode(_COLOUR), Literal(colour)) for node, colour in colours.items() if colour in shared]
    return _digest("\n".join(canonical_lines(lines)))


def _colours(component: Component) -> dict[BlankNode, str]:
    """A colour for each blank node. Two nodes share a colour if no chain of triples from them differs."""
    known: dict[BlankNode, list[str]] = defaultdict(list)
    neighbours: dict[BlankNode, list[tuple[str, BlankNode]]] = defaultdict(list)
    for triple in component:
        s, p, o = triple.subject, triple.predicate.value, triple.object
        if isinstance(s, BlankNode) and isinstance(o, BlankNode):
            # For each end, how the triple looks from the other end.
            neighbours[s].append((f"<{p}", o))
            neighbours[o].append((f">{p}", s))
        elif isinstance(s, BlankNode):
            known[s].append(f">{p} {o}")
        elif isinstance(o, BlankNode):
            known[o].append(f"<{p} {s}")
    nodes = dict.fromkeys([*known, *neighbours])
    colours = {node: _digest("\n".join(sorted(known[node]))) for node in nodes}
    _refine(colours, neighbours)
    return colours


def _refine(colours: dict[BlankNode, str], neighbours: Mapping[BlankNode, list[tuple[str, BlankNode]]]) -> None:
    """Distinguish nodes by the colours of their neighbours, until no colour changes.

    Each round looks only at the neighbours of nodes whose colour is new. A long chain takes many rounds, and this
    keeps each of them from visiting the whole chain.
    """
    sizes = Counter(colours.values())
    recoloured = list(colours)
    while recoloured:
        seen: dict[BlankNode, list[str]] = defaultdict(list)
        for node in recoloured:
            for how, neighbour in neighbours[node]:
                if sizes[colours[neighbour]] > 1:
                    seen[neighbour].append(f"{how} {colours[node]}")
        groups: dict[str, dict[str, list[BlankNode]]] = defaultdict(lambda: defaultdict(list))
        for node, sights in seen.items():
            groups[colours[node]]["\n".join(sorted(sights))].append(node)
        recoloured = []
        for colour, by_sight in groups.items():
            for sight in _told_apart(by_sight, sizes[colour]):
                nodes = by_sight[sight]
                new = _digest(f"{colour}\n{sight}")
                sizes[colour] -= len(nodes)
                sizes[new] += len(nodes)
                colours.update(dict.fromkeys(nodes, new))
                recoloured += nodes


def _told_apart(by_sight: Mapping[str, list[BlankNode]], size: int) -> list[str]:
    """The groups of nodes with one old colour that get a new colour.

    If every node sees something, the largest group keeps the old colour: in a long chain, only the ends change.
    """
    if sum(map(len, by_sight.values())) < size:
        return list(by_sight)
    largest = max(map(len, by_sight.values()))
    keeping = [sight for sight, nodes in by_sight.items() if len(nodes) == largest]
    return [sight for sight in by_sight if len(keeping) > 1 or sight != keeping[0]]


def _number(text: str) -> int:
    return int(_digest(text), 16)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
