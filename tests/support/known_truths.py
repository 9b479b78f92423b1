"""Mutants whose verdicts follow from a hidden mask, so that a learned mask can be judged on any number of new ones.

A seed graph describes a plant: machines with sensors, rooms, settings and parts. Mutants have random changes. A mutant
fails if it violates the hidden truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from random import Random

from kgprobe.masks.learning.observations import JudgedGraph
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, XSD, Literal, NamedNode, Triple

__all__ = ["HELD_OUT", "TUNED", "Truth", "judged", "plant", "with_wrong_verdicts"]

_NAMESPACE = "https://kgprobe.example/plant#"
_RELATIONS = ("monitors", "locatedIn", "feeds", "usesPart")
_SETTINGS = ("limit", "speed")


def _name(text: str) -> NamedNode:
    return NamedNode(_NAMESPACE + text)


def _decimal(value: Decimal) -> Literal:
    return Literal(str(value), datatype=XSD.decimal)


def plant(random: Random, size: int = 8) -> Graph:
    """A seed graph of about `14 * size` triples."""
    machines = [_name(f"machine{i}") for i in range(size)]
    sensors = [_name(f"sensor{i}") for i in range(size)]
    rooms = [_name(f"room{i}") for i in range(max(4, size // 2))]
    parts = [_name(f"part{i}") for i in range(size)]
    triples: list[Triple] = []
    for kind, nodes in (("Machine", machines), ("Sensor", sensors), ("Room", rooms), ("Part", parts)):
        triples += [Triple(node, RDF.type, _name(kind)) for node in nodes]
    for i, machine in enumerate(machines):
        triples.append(Triple(machine, _name("locatedIn"), random.choice(rooms)))
        triples.append(Triple(sensors[i], _name("monitors"), machine))
        triples += [Triple(machine, _name("usesPart"), part) for part in random.sample(parts, 2)]
        triples.append(Triple(machine, _name("feeds"), machines[(i + 1) % size]))
        triples += [
            Triple(machine, _name(setting), _decimal(Decimal(random.randint(10, 90)) / 10)) for setting in _SETTINGS
        ]
    return Graph(triples)


# -- mutants -----------------------------------------------------------------------------------------------------------


def _mutant(seed: Graph, random: Random) -> Graph:
    graph = seed.copy()
    for _ in range(random.randint(1, 5)):
        random.choice((_remove, _retarget, _change_number, _add_relation, _remove_node, _add_machine))(graph, random)
    return graph


def _some(graph: Graph, random: Random, predicate: NamedNode | None = None) -> Triple | None:
    found = graph.sample(random, None, None if predicate is None else graph.key(predicate))
    return None if found is None else graph.triple(found)


def _remove(graph: Graph, random: Random) -> None:
    triple = _some(graph, random)
    if triple is not None:
        graph.remove(triple)


def _retarget(graph: Graph, random: Random) -> None:
    predicate = _name(random.choice(_RELATIONS))
    triple, other = _some(graph, random, predicate), _some(graph, random, predicate)
    if triple is not None and other is not None and triple.object != other.object:
        graph.remove(triple)
        graph.add(Triple(triple.subject, predicate, other.object))


def _change_number(graph: Graph, random: Random) -> None:
    predicate = _name(random.choice(_SETTINGS))
    triple = _some(graph, random, predicate)
    if triple is not None:
        graph.remove(triple)
        graph.add(Triple(triple.subject, predicate, _decimal(Decimal(random.randint(-100, 250)) / 10)))


def _add_relation(graph: Graph, random: Random) -> None:
    predicate = _name(random.choice(_RELATIONS))
    triple, other = _some(graph, random, predicate), _some(graph, random, predicate)
    if triple is not None and other is not None:
        graph.add(Triple(triple.subject, predicate, other.object))


def _remove_node(graph: Graph, random: Random) -> None:
    triple = _some(graph, random, RDF.type)
    if triple is not None:
        for gone in [*graph.triples(triple.subject), *graph.triples(None, None, triple.subject)]:  # type: ignore[arg-type]
            graph.remove(gone)


def _add_machine(graph: Graph, random: Random) -> None:
    node = _name(f"new{random.randrange(10**6)}")
    graph.add(Triple(node, RDF.type, _name("Machine")))
    room = _some(graph, random, _name("locatedIn"))
    if room is not None and random.random() < 0.7:
        graph.add(Triple(node, _name("locatedIn"), room.object))


# -- truths ------------------------------------------------------------------------------------------------------------

Truth = Callable[[Graph], bool]


def _pins(seed: Graph, random: Random) -> Truth:
    pinned = random.sample(sorted(seed, key=str), 4)
    return lambda graph: all(triple in graph for triple in pinned)


def _numbers(graph: Graph, setting: NamedNode) -> list[Decimal]:
    return [Decimal(triple.object.value) for triple in graph.triples(None, setting)]  # type: ignore[union-attr]


def _range(_seed: Graph, random: Random) -> Truth:
    setting = _name(random.choice(_SETTINGS))
    low, high = Decimal(random.randint(-6, 1)), Decimal(random.randint(10, 20))
    return lambda graph: all(low <= number <= high for number in _numbers(graph, setting))


def _pairs(seed: Graph, random: Random) -> Truth:
    chosen = random.sample(sorted(seed.triples(None, _name("usesPart")), key=str), 4)
    pairs = list(zip(chosen[::2], chosen[1::2], strict=True))
    return lambda graph: all(one in graph or other in graph for one, other in pairs)


def _subjects(graph: Graph, kind: str) -> list[NamedNode]:
    return [triple.subject for triple in graph.triples(None, RDF.type, _name(kind))]  # type: ignore[misc]  # named


def _cardinality(_seed: Graph, random: Random) -> Truth:
    predicate, most = random.choice((("usesPart", 2), ("locatedIn", 1), ("feeds", 1)))
    return lambda graph: all(
        graph.count(graph.key(node), graph.key(_name(predicate))) <= most for node in _subjects(graph, "Machine")
    )


def _least(_seed: Graph, random: Random) -> Truth:
    predicate = random.choice(("usesPart", "locatedIn"))
    return lambda graph: all(
        graph.count(graph.key(node), graph.key(_name(predicate))) >= 1 for node in _subjects(graph, "Machine")
    )


def _allowed(seed: Graph, random: Random) -> Truth:
    machine = _name(f"machine{random.randrange(3)}")
    rooms = {triple.object for triple in seed.triples(machine, _name("locatedIn"))} | {_name("room0")}
    return lambda graph: all(triple.object in rooms for triple in graph.triples(machine, _name("locatedIn")))


def _mixed(seed: Graph, random: Random) -> Truth:
    parts = [_pins(seed, random), _range(seed, random), _cardinality(seed, random)]
    return lambda graph: all(part(graph) for part in parts)


def _at_a_node(seed: Graph, _random: Random) -> Truth:
    room = max(
        sorted({triple.object for triple in seed.triples(None, _name("locatedIn"))}, key=str),
        key=lambda each: seed.count(None, seed.key(_name("locatedIn")), seed.key(each)),  # type: ignore[arg-type]
    )
    least = seed.count(None, seed.key(_name("locatedIn")), seed.key(room)) - 1  # type: ignore[arg-type]
    return lambda graph: graph.count(None, graph.key(_name("locatedIn")), graph.key(room)) >= least  # type: ignore[arg-type]


TUNED: dict[str, Callable[[Graph, Random], Truth]] = {
    "pin": _pins,
    "range": _range,
    "pair": _pairs,
    "cardinality": _cardinality,
}
HELD_OUT: dict[str, Callable[[Graph, Random], Truth]] = {
    "minimum": _least,
    "allowed values": _allowed,
    "at a node": _at_a_node,
    "mixed": _mixed,
}


# -- cases -------------------------------------------------------------------------------------------------------------


def judged(seed: Graph, truth: Truth, random: Random, *, balanced: bool = False) -> Iterator[JudgedGraph]:
    """Mutants without end, with their true verdicts. `balanced` draws half of them among the failing ones."""
    number = 0
    while True:
        wanted = random.random() < 0.5 if balanced else None
        graph = _mutant(seed, random)
        for _ in range(400):
            if wanted is None or truth(graph) is not wanted:
                break
            graph = _mutant(seed, random)
        number += 1
        yield JudgedGraph(f"known#{number}", seed, graph.changes(), not truth(graph))


def with_wrong_verdicts(cases: list[JudgedGraph], share: float, random: Random) -> list[JudgedGraph]:
    """The cases, with this share of verdicts turned round."""
    wrong = set(random.sample(range(len(cases)), round(share * len(cases))))
    return [
        JudgedGraph(case.name, case.seed, case.change, case.failed is not (number in wrong))
        for number, case in enumerate(cases)
    ]
