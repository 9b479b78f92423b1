"""Features that are IRIs: each counts wherever it occurs in a triple, also as the datatype of a literal.

The seed graph is counted once. A graph made from it differs by its changes, so its features cost O(changes).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from kgprobe.input_coverage.feature_set import Elementary, FeatureSet, Find
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import STANDARD_PREFIXES, Spelling
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import Literal, NamedNode, Triple

__all__ = ["IriFeatures", "NamespaceFeatures"]

_NAMESPACES = tuple(STANDARD_PREFIXES.values())
_TOGETHER = " + "


@dataclass(frozen=True)
class IriFeatures(Elementary):
    """The IRIs of a list."""

    name: str
    features: Sequence[str]
    prefixes: Mapping[str, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return len(self.features)

    def finder(self, seed: Graph) -> Find:
        occurrences = _Occurrences(seed, self)
        return lambda graph: sorted(occurrences.of(graph), key=self._place.__getitem__)

    def short(self, feature: str) -> str:
        return _spelled(feature, self.prefixes)

    def counted(self, term: object) -> Iterator[str]:
        """The features that a term has."""
        if isinstance(term, NamedNode):
            if term.value in self._place:
                yield term.value
        elif isinstance(term, Literal):
            if term.datatype.value in self._place:
                yield term.datatype.value
        elif isinstance(term, Triple):  # RDF 1.2: a triple as an object
            for part in (term.subject, term.predicate, term.object):
                yield from self.counted(part)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {feature: place for place, feature in enumerate(self.features)}


@dataclass(frozen=True)
class NamespaceFeatures(Elementary):
    """What RDFMutate counts: any IRI of the namespaces rdf, rdfs, owl and xsd, whether or not it is in the list.

    Datatypes of literals do not count. Shares refer to the size of the list, and can exceed 1.
    """

    listed: IriFeatures

    @property
    def name(self) -> str:
        return self.listed.name

    @property
    def features(self) -> Sequence[str]:
        return self.listed.features

    @property
    def size(self) -> int:
        return self.listed.size

    def finder(self, seed: Graph) -> Find:
        occurrences = _Occurrences(seed, self)
        return lambda graph: sorted(occurrences.of(graph))

    def short(self, feature: str) -> str:
        return _spelled(feature, {})

    def counted(self, term: object) -> Iterator[str]:
        """The features that a term has."""
        if isinstance(term, NamedNode):
            if term.value.startswith(_NAMESPACES):
                yield term.value
        elif isinstance(term, Triple):
            for part in (term.subject, term.predicate, term.object):
                yield from self.counted(part)


@dataclass(frozen=True)
class PairFeatures:
    """Two features of a list that occur in the same graph."""

    name: str
    single: IriFeatures

    @cached_property
    def features(self) -> Sequence[str]:
        return tuple(map(_TOGETHER.join, combinations(self.single.features, 2)))

    @property
    def size(self) -> int:
        return len(self.features)

    def finder(self, seed: Graph) -> Find:
        find = self.single.finder(seed)
        return lambda graph: map(_TOGETHER.join, combinations(find(graph), 2))

    def short(self, feature: str) -> str:
        return _TOGETHER.join(map(self.single.short, self.parts(feature)))

    @property
    def basis(self) -> FeatureSet:
        return self.single

    def parts(self, feature: str) -> tuple[str, ...]:
        return tuple(feature.split(_TOGETHER))


class _Occurrences:
    """How often each feature occurs in the triples of a seed graph, and from that in graphs made from it."""

    def __init__(self, seed: Graph, counts: IriFeatures | NamespaceFeatures) -> None:
        self._counts = counts
        self._table = seed.table
        self._in_table: Counter[str] = Counter()
        loaded = Graph.from_table(seed.table)
        for number, term in enumerate(seed.table.terms):
            for feature in counts.counted(term):
                self._in_table[feature] += sum(
                    loaded.count(*(number if place == i else None for i in range(3))) for place in range(3)
                )

    def of(self, graph: Graph) -> set[str]:
        """The features that occur."""
        if graph.table is not self._table:
            raise ValueError("this graph was not made from the seed graph")
        change: Counter[str] = Counter()
        for keys, is_added in graph.changed_keys.items():
            for feature in self._counted(graph, keys):
                change[feature] += 1 if is_added else -1
        features = {feature for feature, times in self._in_table.items() if times + change[feature] > 0}
        features.update(feature for feature, times in change.items() if times + self._in_table[feature] > 0)
        return features

    def _counted(self, graph: Graph, keys: Sequence[Key]) -> Iterator[str]:
        for key in keys:
            yield from self._counts.counted(graph.term(key))


def _spelled(iri: str, prefixes: Mapping[str, str]) -> str:
    return Spelling({**STANDARD_PREFIXES, **prefixes}).term(NamedNode(iri))
