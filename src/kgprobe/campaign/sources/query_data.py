"""Data for a query: graphs that are generated from the query and an ontology, for engines that answer the query.

All of them are one source. A case is the ontology with the triples of a data set; its recipe has these triples. Only
data that are consistent with the ontology are cases. To resume, the data sets are made again from the beginning, which
gives the same ones, and those that were drawn before are skipped.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kgprobe.campaign.executor import ChangedGraph, Executor, Resource, Task, packed_graph
from kgprobe.campaign.identity import digest_of_file, digest_of_graph, digest_of_settings
from kgprobe.campaign.source import Counts, Drawn, Json
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_file import expect
from kgprobe.campaign.store_reading import Planned
from kgprobe.config.preparation import Limits, Seed, as_seed, library_of
from kgprobe.config.profile import Profile
from kgprobe.config.query_data import read_wishes
from kgprobe.errors import InputError
from kgprobe.formats.catalogue import by_name
from kgprobe.formats.files import Loaded, load, read_graph
from kgprobe.given_files import LARGEST_TEXT, read_text
from kgprobe.model import GraphInput, Input
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.queries.schema import Schema, check_consistency, load_schema
from kgprobe.queries.testing.data import Data, Wishes, triple_of
from kgprobe.queries.testing.request import Query, read_query, refuse_graphs
from kgprobe.queries.testing.run import QueryTest, Settings
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Triple
from kgprobe.reasoners.auto import opened
from kgprobe.reasoners.protocol import Reasoner

_ORIGIN = "ontology"
_ATTEMPTS_PER_CASE = 10
_FEWEST_ATTEMPTS = 100


@dataclass(frozen=True)
class _State:
    """How many data sets were made, how many of them are cases, and why the others are not."""

    made: int = 0
    kept: int = 0
    inconsistent: int = 0
    undecided: int = 0
    rejected: int = 0
    is_exhausted: bool = False

    def value(self) -> Json:
        return [self.made, self.kept, self.inconsistent, self.undecided, self.rejected, int(self.is_exhausted)]

    @classmethod
    def from_value(cls, value: Json) -> _State:
        if value is None:
            return cls()
        made, kept, inconsistent, undecided, rejected, is_exhausted = (expect(int, count) for count in value)
        return cls(made, kept, inconsistent, undecided, rejected, bool(is_exhausted))

    @property
    def counts(self) -> Counts:
        reasons = {"inconsistent": self.inconsistent, "undecided": self.undecided, "mask": self.rejected}
        return Counts(self.made, self.kept, 0, {name: count for name, count in reasons.items() if count})


class QueryDataSource:
    """The data sets for one query, in their order."""

    def __init__(self, name: str, total: int, test: QueryTest, seed: Seed, store: Store | None) -> None:
        self.name = name
        self._total = total
        self._test = test
        self._seed = seed
        self._store = store
        self._sets: Iterator[Data] | None = None
        self._state = _State()
        if store is not None:
            with store.reading():
                [stored] = store.sources()
                self._state = _State.from_value(stored.state)

    @property
    def total(self) -> int:
        """The number of cases that the profile asks for."""
        return self._total

    @property
    def drawn(self) -> int:
        """The number of cases so far."""
        return self._state.kept

    @property
    def is_over(self) -> bool:
        """Whether there are enough cases, or no more can be made."""
        state = self._state
        is_hopeless = state.made >= _ATTEMPTS_PER_CASE * self._total + _FEWEST_ATTEMPTS
        return state.kept >= self._total or state.is_exhausted or is_hopeless

    @property
    def seed_graph(self) -> Graph:
        """The ontology: all cases add triples to it."""
        return self._seed.graph

    def compared_with(self, _planned: Planned) -> Graph:
        """The ontology."""
        return self.seed_graph

    def state(self) -> Json:
        """The counts so far."""
        return self._state.value()

    def counts(self) -> Counts:
        """The counts of all data sets so far."""
        return self._state.counts

    def notes(self) -> list[str]:
        """None: data sets need no explanation."""
        return []

    def resources(self) -> Sequence[Resource]:
        """The ontology."""
        return (Resource(self.name, pickle.dumps(self._seed.graph)),)

    def further(self, count: int) -> list[Drawn]:
        """The next data sets that are consistent with the ontology and that the mask admits."""
        found: list[Drawn] = []
        while len(found) < count and not self.is_over:
            made = next(self._ready(), None)
            if made is None:
                self._state = replace(self._state, is_exhausted=True)
                break
            data = tuple(map(triple_of, made))
            state = replace(self._state, made=self._state.made + 1)
            consistent = self._test.judge.is_consistent(data)
            graph = self._graph(data)
            if consistent is None:
                state = replace(state, undecided=state.undecided + 1)
            elif not consistent:
                state = replace(state, inconsistent=state.inconsistent + 1)
            elif not self._seed.mask.admits(graph):
                state = replace(state, rejected=state.rejected + 1)
            else:
                state = replace(state, kept=state.kept + 1)
                found.append(self._drawn(state.kept, graph, data))
            self._state = state
        return found

    def _ready(self) -> Iterator[Data]:
        if self._sets is None:
            self._sets = iter(self._test.data_sets)
            for _ in range(self._state.made):
                next(self._sets, None)
        return self._sets

    def remake(self, planned: Planned) -> Drawn:
        """A data set that was drawn before, from its recipe."""
        assert self._store is not None  # noqa: S101 - without a store, nothing was planned
        with self._store.reading():
            lines = [expect(str, line) for line in planned.recipe["added"]]
            try:
                data = tuple(read_graph("\n".join(lines).encode())) if lines else ()
            except InputError as error:
                raise ValueError(str(error)) from None
        return self._drawn(planned.number, self._graph(data), data)

    def _graph(self, data: Sequence[Triple]) -> Graph:
        graph = self._seed.graph.copy()
        for triple in data:
            graph.add(triple)
        return graph

    @staticmethod
    def _drawn(number: int, graph: Graph, data: Sequence[Triple]) -> Drawn:
        recipe = {"number": number, "added": [f"{triple} ." for triple in data]}
        return Drawn(number, GraphInput(graph), recipe, lambda: recipe)

    def task(self, ticket: int, name: str, input_: Input, _origin: str | None = None) -> Task:
        """A graph as a task. It is compared with the ontology alone."""
        assert isinstance(input_, GraphInput)  # noqa: S101 - all inputs of this source are graphs
        packed = packed_graph(input_.graph, self.name, self._seed.graph)
        return Task(ticket, name, packed, origin=_ORIGIN, reference=ChangedGraph(self.name, {}))

    def limits(self, _planned: Planned) -> Limits:
        """The mask and the pins."""
        return Limits.of(self._seed)


class PreparedQueryData:
    """The query and the ontology that a profile names."""

    def __init__(self, profile: Profile, query: Query, schema: Schema, wishes: Wishes, seed: Seed, reasoner: Reasoner):
        self._profile = profile
        self._query = query
        self._schema = schema
        self._wishes = wishes
        self._seed = seed
        self._reasoner = reasoner
        self.notes: Sequence[str] = schema.notes

    def names(self) -> list[str]:
        """The name of the only source: that of the query file."""
        return [Path(self._query.name).name]

    def identity(self) -> dict[str, str]:
        """The query, the ontology, and everything else that the data depend on."""
        table = self._profile.query
        parts = {
            "[query]": digest_of_settings(replace(table, ontology=()), self._profile.folder),
            "the query": digest_of_file(table.query),
            "the ontology": digest_of_graph(self._seed.graph),
        }
        if table.data is not None:
            parts["the wishes for the data"] = digest_of_file(table.data)
        return parts

    def about(self) -> Json:
        """Nothing: a recipe says it all."""
        return {}

    def open(self, store: Store | None) -> list[QueryDataSource]:
        """One source for all data sets."""
        [name] = self.names()
        table = self._profile.query
        settings = Settings(tests=table.cases, seed=table.seed, wishes=self._wishes)
        test = QueryTest(self._query, self._schema, [], self._reasoner, settings)
        return [QueryDataSource(name, table.cases, test, self._seed, store)]

    def begin(self, _store: Store, _executor: Executor, _known: KnownBugs, _seconds: float | None) -> Iterator[str]:
        """Nothing has to run before the first data set."""
        return iter(())


class QueryData:
    """Data for a query as a kind of source."""

    name = "query data"
    thing = "query"
    nothing = "no data for the query are consistent with the ontology"

    @contextmanager
    def prepare(self, profile: Profile, _on_progress: Callable[[str], object] = str) -> Iterator[PreparedQueryData]:
        """Read the query and the ontology. InputError if the ontology is inconsistent."""
        table, reading = profile.query, profile.graph
        loaded = [load(path, format_name=reading.format, base=reading.base) for path in table.ontology]
        schema = load_schema(loaded, library_of(profile.inputs))
        prefixes = dict(schema.graph.spelling.prefixes)
        query = read_query(read_text(table.query, LARGEST_TEXT), str(table.query), prefixes)
        refuse_graphs(query)
        known = {**prefixes, **query.prefixes}
        wishes = Wishes() if table.data is None else read_wishes(table.data, schema, known)
        whole = Loaded(schema.graph, by_name("turtle"), str(table.ontology[0]))
        with ExitStack() as stack:
            reasoner = stack.enter_context(opened())
            check_consistency(schema, reasoner)
            seed = stack.enter_context(as_seed(whole, profile.inputs))
            yield PreparedQueryData(profile, query, schema, wishes, seed, reasoner)

    def state_to_run_again(self, state: Json) -> Json:
        """The same: nothing runs before the cases."""
        return state

    def case_name(self, source: str, recipe: Json) -> str:
        """The query, and the number of the data set."""
        return f"{source}#{expect(int, recipe['number'])}"

    def origin(self, _source: str, _recipe: Json) -> str:
        """The ontology alone."""
        return _ORIGIN

    def state_counts(self, _source: str, state: Json) -> Counts:
        """The counts of all data sets so far."""
        return _State.from_value(state).counts

    def count_lines(self, counts: Counts) -> Iterator[tuple[str, str]]:
        """How many data sets were tested."""
        yield "data sets", f"{counts.kept} of {counts.attempts} were tested"

    def count_values(self, counts: Counts) -> dict[str, Any]:
        """The counts for a JSON report."""
        return {"data_sets": counts.attempts, "tested": counts.kept}

    def story(self, _source: str, name: str, recipe: Json, _about: Json) -> Iterator[str]:
        """The triples that were added to the ontology."""
        yield f"Where {name} comes from"
        yield "  triples that were added to the ontology:"
        yield from (f"    {expect(str, line)}" for line in recipe["added"])
