"""Input coverage of seed graphs and their mutants: mutants are made, or read, and their features counted.

The mutants are those of `kgprobe mutate`, so each of them can be made again. The first graph has the given seed for its
random choices, the second one the next number: with equal numbers, the mutants of all graphs would be made by the same
choices. A mutant costs as much as its changes, if the set of features can follow changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from kgprobe.errors import InputError
from kgprobe.input_coverage.feature_set import FeatureSet, Find
from kgprobe.input_coverage.features import feature_set
from kgprobe.input_coverage.iris import IriFeatures, NamespaceFeatures
from kgprobe.input_coverage.measure import CoverageRow, FeatureBits, MeasuredGraph, check_scipy, summarized
from kgprobe.mutation.catalogue import all_operators, example_graph, prefixes_of, resolve_operators, trials
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.mutation.operator import Operator
from kgprobe.mutation.update import UpdateOperator
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import Variable

if TYPE_CHECKING:
    from kgprobe.learning.stored_campaign import GivenMutant

__all__ = [
    "DEFAULT_COUNT",
    "DEFAULT_GROUPS",
    "DEFAULT_MUTATIONS",
    "Coverage",
    "CoveragePlan",
    "Curve",
    "coverage",
    "curve_of",
    "measure_given",
    "measure_made",
]


# Enough to see most of what an operator draws at random. The constants of its templates are looked up as well.
_TRIALS = 12
# Calls in an operator that have a constant, or a value of a constant datatype, as their result.
_CALLS = ("pick", "value")


def bringers(features: FeatureSet, missing: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """For each missing feature, the names of the operators that would bring it, or a part of it."""
    parts = {feature: features.parts(feature) for feature in missing}
    if not parts:
        return {}
    brought = {operator.description.name: _brought(operator, features.basis) for operator in all_operators()}
    return {
        feature: tuple(name for name, parts_brought in brought.items() if not parts_brought.isdisjoint(needed))
        for feature, needed in parts.items()
    }


def _brought(operator: Operator, features: FeatureSet) -> set[str]:
    """The features that the operator adds to its examples, and those of the constants that it inserts."""
    brought = set(_in_templates(operator, features))
    examples = [example_graph(example.before, prefixes_of(operator)) for example in operator.description.examples]
    for before in (*examples, Graph()):  # declarations need nothing to begin with
        find = features.finder(before)
        had = set(find(before))
        for graph in trials(operator, before, _TRIALS):
            brought.update(feature for feature in find(graph) if feature not in had)
    return brought


def _in_templates(operator: Operator, features: FeatureSet) -> Iterator[str]:
    if not isinstance(operator, UpdateOperator) or not isinstance(features, IriFeatures | NamespaceFeatures):
        return
    request = operator.request
    known = {part for triple in (*request.delete, *operator.where.needed) for part in triple}
    parts = [part for triple in request.insert for part in triple]
    parts += [part for call in request.calls if call.function in _CALLS for part in call.arguments]
    for part in parts:
        if not isinstance(part, Variable) and part not in known:
            yield from features.counted(part)


# A point of a curve: its operators, a number of mutations, and the graphs.
_Point: TypeAlias = tuple[str | None, int, list[MeasuredGraph]]

DEFAULT_MUTATIONS = (0, 1, 5, 50)
DEFAULT_COUNT = 500
DEFAULT_GROUPS = (1, 10, 100)


@dataclass(frozen=True)
class Curve:
    """Operators that are used together, with the name that the user gave them."""

    name: str
    operators: tuple[Operator, ...]


@dataclass(frozen=True)
class CoveragePlan:
    """What to make and how to summarise it: the options of the command."""

    mutations: tuple[int, ...] = DEFAULT_MUTATIONS
    count: int = DEFAULT_COUNT
    groups: tuple[int, ...] = DEFAULT_GROUPS
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.mutations or min(self.mutations) < 0:
            raise InputError("numbers of mutations are 0 or more", hint="0 stands for the seed graphs")
        if self.count < 1:
            raise InputError(f"the number of mutants is {self.count}, and must be 1 or more")
        if not self.groups or min(self.groups) < 1:
            raise InputError("a group has at least one graph")


@dataclass(frozen=True)
class NeverCovered:
    """A feature in no graph, and the built-in operators that would bring it."""

    feature: str
    short: str
    operators: tuple[str, ...]


@dataclass(frozen=True)
class Coverage:
    """The result: the number of features, a row for each point of a curve, and the features that never occur.

    `graphs` are the measured graphs, seed graphs first. Their features are bits: bit n stands for `names[n]`. The first
    `listed` names are those of the set; `features` is the number that makes a share of 1. `missing` says how many
    mutants could not be made.
    """

    features: int
    rows: tuple[CoverageRow, ...]
    never: tuple[NeverCovered, ...]
    graphs: tuple[MeasuredGraph, ...]
    missing: int
    names: tuple[str, ...]
    listed: int

    def value(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "features": self.features,
            "rows": [asdict(row) for row in self.rows],
            "never": [{"feature": row.feature, "operators": list(row.operators)} for row in self.never],
        }

    def features_of(self, graph: MeasuredGraph) -> list[str]:
        """The features of one of the graphs."""
        return [name for number, name in enumerate(self.names) if graph.features >> number & 1]

    @property
    def covered(self) -> int:
        """How many features of the set occur in any graph."""
        return self.listed - len(self.never)


def coverage(
    graphs: Graph | Iterable[Graph],
    *,
    features: str | FeatureSet = "owl-el",
    operators: Iterable[str] = (),
    mutations: Sequence[int] = DEFAULT_MUTATIONS,
    count: int = DEFAULT_COUNT,
    groups: Sequence[int] = DEFAULT_GROUPS,
    seed: int = 0,
    count_as: str = "list",
) -> Coverage:
    """Which features occur in a graph or several, and in mutants made from them.

    `features` is the name of a set, a file, or `terms:` and the file of an ontology. Each of `operators` makes a curve:
    it names operators, sets and files, separated by commas. Without any, only the graphs are measured.
    """
    chosen = feature_set(features, count_as=count_as) if isinstance(features, str) else features
    curves = [curve_of(names) for names in operators]
    given = [graphs] if isinstance(graphs, Graph) else list(graphs)
    return measure_made(given, chosen, curves, CoveragePlan(tuple(mutations), count, tuple(groups), seed))


def curve_of(names: str, folder: Path = Path()) -> Curve:
    """The curve for operators and sets of operators, separated by commas; files are relative to the folder."""
    parts = [part.strip() for part in names.split(",")]
    if not all(parts):
        hint = "separate them by commas: owl-el,annotations"
        raise InputError(f"'{names}' is not a list of operators", hint=hint)
    return Curve(names, tuple(resolve_operators(parts, folder)))


def measure_made(
    seeds: Sequence[Graph],
    features: FeatureSet,
    curves: Sequence[Curve],
    plan: CoveragePlan,
    on_progress: Callable[[int], object] = lambda _done: None,
) -> Coverage:
    """The coverage of seed graphs, and of mutants made from them in turn. `on_progress` gets the number of mutants."""
    _check(seeds, curves)
    if curves:
        check_scipy()
    bits = FeatureBits(features)
    seed_graphs: list[MeasuredGraph] = []
    made: dict[tuple[int, int], list[list[MeasuredGraph]]] = {}
    done = 0
    for number, seed in enumerate(seeds):
        find = features.finder(seed)
        seed_graphs.append(_measured(None, 0, seed, find, bits))
        share = len(range(number, plan.count, len(seeds)))
        for place, curve in enumerate(curves):
            for mutations in filter(None, dict.fromkeys(plan.mutations)):
                mutants = made.setdefault((place, mutations), [])
                mutants.append([])
                for graph in _mutants(seed, curve, mutations, share, plan.seed + number):
                    mutants[-1].append(_measured(curve.name, mutations, graph, find, bits))
                    done += 1
                    on_progress(done)
                done += share - len(mutants[-1])
    points: list[_Point] = [
        (curve.name, mutations, list(_in_turn(made.get((place, mutations), []))))
        for place, curve in enumerate(curves)
        for mutations in dict.fromkeys(plan.mutations)
    ]
    asked = len(curves) * len(set(plan.mutations) - {0}) * plan.count
    return _coverage(seed_graphs, points or [(None, 0, [])], bits, plan, asked)


def measure_given(
    origins: Sequence[Graph],
    mutants: Iterable[GivenMutant],
    features: FeatureSet,
    plan: CoveragePlan,
    *,
    instead: Sequence[Graph] = (),
) -> Coverage:
    """The coverage of mutants that were made before, and of the graphs that they come from.

    `instead` are other graphs to compare the mutants with.
    """
    seeds = instead or origins
    _check(seeds, ())
    check_scipy()
    bits = FeatureBits(features)
    seed_graphs = [_measured(None, 0, seed, features.finder(seed), bits) for seed in seeds]
    find: tuple[int, Find] | None = None  # for one seed graph: its mutants follow each other
    by_point: dict[tuple[str, int], list[MeasuredGraph]] = {}
    for mutant in mutants:
        if find is None or find[0] != mutant.seed:
            find = mutant.seed, features.finder(origins[mutant.seed])
        measured = _measured(mutant.operators, mutant.mutations, mutant.graph, find[1], bits)
        by_point.setdefault((mutant.operators, mutant.mutations), []).append(measured)
    if not by_point:
        raise InputError("there are no mutants")
    points: list[_Point] = [
        (name, mutations, by_point.get((name, mutations), []))
        for name in dict.fromkeys(name for name, _ in by_point)
        for mutations in (0, *sorted(number for other, number in by_point if other == name))
    ]
    return _coverage(seed_graphs, points, bits, plan, 0)


def _check(seeds: Sequence[Graph], curves: Sequence[Curve]) -> None:
    if not seeds:
        raise InputError("there is no graph to measure")
    for number, seed in enumerate(seeds, start=1):
        if not len(seed):
            raise InputError(f"graph {number} is empty: it has no features, and no mutants")
    names = [curve.name for curve in curves]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"the operators '{name}' are named twice", hint="each --operators makes one curve")


def _mutants(seed: Graph, curve: Curve, mutations: int, count: int, random_seed: int) -> Iterator[Graph]:
    generator = Generator(
        seed, [Weighted(operator) for operator in curve.operators], mutations=mutations, seed=random_seed
    )
    return (mutant.graph for mutant in generator.mutants(count))


def _measured(operators: str | None, mutations: int, graph: Graph, find: Find, bits: FeatureBits) -> MeasuredGraph:
    return MeasuredGraph(operators, mutations, bits.pack(find(graph)))


def _in_turn(by_seed: Sequence[Sequence[MeasuredGraph]]) -> Iterator[MeasuredGraph]:
    """The first mutant of each seed graph, then the second of each, and so on."""
    for number in range(max(map(len, by_seed), default=0)):
        yield from (mutants[number] for mutants in by_seed if number < len(mutants))


def _coverage(
    seeds: list[MeasuredGraph],
    points: Sequence[_Point],
    bits: FeatureBits,
    plan: CoveragePlan,
    asked: int,
) -> Coverage:
    for name, mutations, made in points:
        if mutations and not made:
            raise InputError(f"no mutant with {mutations} mutations could be made with '{name}'")
    rows = summarized(seeds, points, groups=plan.groups, size=bits.features.size, seed=plan.seed)
    mutants = [graph for _, _, made in points for graph in made]
    graphs = (*seeds, *mutants)
    missing = bits.missing(graphs)
    operators = bringers(bits.features, missing)
    never = [NeverCovered(feature, bits.features.short(feature), operators[feature]) for feature in missing]
    lacking = max(asked - len(mutants), 0)
    return Coverage(
        features=bits.features.size,
        rows=tuple(rows),
        never=tuple(never),
        graphs=graphs,
        missing=lacking,
        names=bits.names(),
        listed=len(bits.features.features),
    )
