"""New mutants for a campaign that has run: they equal none of its cases, and differ in their numbers of mutations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from kgprobe.config.preparation import Preparation, Seed
from kgprobe.mutation.generator import Generator
from kgprobe.rdf.graph import Delta, Graph

__all__ = ["NewMutant", "NewMutants"]

_OTHER_SEED = 1_000_003  # attempts of the campaign itself would be repeated with its random seed


@dataclass(frozen=True)
class NewMutant:
    """A mutant: the number of its seed graph, the graph, its change, and the operators that led to it."""

    source: int
    graph: Graph
    change: Delta
    operators: tuple[str, ...]


class NewMutants:
    """Draws mutants of all seed graphs in turn, each once. The same campaign gives the same mutants.

    `known` are the changes that have run before, with the numbers of their seed graphs.
    """

    def __init__(self, preparation: Preparation, known: Iterable[tuple[int, Delta]]) -> None:
        self._seeds = preparation.seeds
        self._mutation = preparation.mutation
        self._operators = preparation.operators
        self._known = set(known)
        self._generators: dict[tuple[int, int], Generator] = {}
        self._attempts = 0

    @property
    def most_mutations(self) -> int:
        """The number of mutations that the campaign makes."""
        return self._mutation.mutations

    def know(self, mutant: NewMutant) -> None:
        """Do not draw this mutant again."""
        self._known.add((mutant.source, mutant.change))

    def drawn(
        self,
        count: int,
        *,
        attempts: int,
        is_small: bool = False,
        admits: Callable[[Graph], bool] | None = None,
    ) -> list[NewMutant]:
        """New mutants that the mask of the campaign admits, and this function; fewer if the attempts do not suffice.

        With `is_small`, the number of mutations is from 1 to that of the campaign, in turn.
        """
        found: list[NewMutant] = []
        new: set[tuple[int, Delta]] = set()
        for mutant in self._attempted(attempts, is_small):
            key = mutant.source, mutant.change
            if key in self._known or key in new or not mutant.change:
                continue
            if (admits is None or admits(mutant.graph)) and self._seeds[mutant.source].mask.admits(mutant.graph):
                new.add(key)
                found.append(mutant)
                if len(found) == count:
                    break
        return found

    def _attempted(self, attempts: int, is_small: bool) -> Iterator[NewMutant]:
        for _ in range(attempts):
            number = self._attempts
            self._attempts += 1
            turn, source = divmod(number, len(self._seeds))
            mutations = 1 + turn % self.most_mutations if is_small else self.most_mutations
            graph, changes = self._generator(source, mutations).attempt(number)
            yield NewMutant(source, graph, graph.changes(), tuple(name for name, _ in changes))

    def _generator(self, source: int, mutations: int) -> Generator:
        if (source, mutations) not in self._generators:
            seed: Seed = self._seeds[source]
            self._generators[source, mutations] = Generator(
                seed.graph,
                self._operators,
                mutations=mutations,
                seed=self._mutation.seed + _OTHER_SEED,
                pins=seed.pins,
            )
        return self._generators[source, mutations]
