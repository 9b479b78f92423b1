"""Tests a query from Python: `kgprobe.queries.test`."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError, nearest
from kgprobe.queries.schema import Schema, check_consistency, load_schema
from kgprobe.queries.testing.data import Data, triple_of
from kgprobe.queries.testing.hints import Wishes
from kgprobe.queries.testing.outcome import Result
from kgprobe.queries.testing.request import Request, properties_of
from kgprobe.queries.testing.run import QueryTest, Settings
from kgprobe.queries.testing.tested_query import read_query, refuse_graphs
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Triple
from kgprobe.reasoners.auto import open_reasoner, opened
from kgprobe.reasoners.protocol import Reasoner

__all__ = ["DataSource", "Ontologies", "as_regime", "as_schema", "prepared_test", "run_test"]

_ATTEMPTS_PER_DATA_SET = 4

Ontologies: TypeAlias = "str | Path | Graph | Schema | Iterable[str | Path | Graph]"


def run_test(
    text: str,
    ontology: Ontologies,
    request: Request,
    *,
    name: str = "<query>",
    tests: int = 256,
    seed: int = 0,
    regime: str = "none",
    wishes: Wishes | None = None,
    prefixes: Mapping[str, str] | None = None,
) -> Result:
    """Test a query on generated data. InputError if the query, a property or the ontology is wrong."""
    schema = as_schema(ontology)
    settings = Settings(tests, seed, as_regime(regime), wishes or Wishes())
    known = {**schema.graph.spelling.prefixes, **(prefixes or {})}
    with opened() as reasoner:
        prepared = prepared_test(text, schema, request, reasoner, settings, name=name, prefixes=known)
        check_consistency(schema, reasoner)
        return prepared.run()


def prepared_test(
    text: str,
    schema: Schema,
    request: Request,
    reasoner: Reasoner,
    settings: Settings,
    *,
    name: str = "<query>",
    prefixes: Mapping[str, str] | None = None,
) -> QueryTest:
    """A test of a query, ready to run. The reasoner stays open."""
    query = read_query(text, name, prefixes)
    return QueryTest(
        query, schema, properties_of(request, query, schema, settings.wishes.individuals_named), reasoner, settings
    )


class DataSource:
    """Consistent data for a query, by number. They are made when first needed; the reasoner ends with the source."""

    def __init__(self, text: str, ontology: Ontologies, *, seed: int, most: int) -> None:
        schema = as_schema(ontology)
        self.spelling = schema.graph.spelling
        query = read_query(text, "<query>", self.spelling.prefixes)
        refuse_graphs(query)
        reasoner = open_reasoner()
        weakref.finalize(self, reasoner.close)
        check_consistency(schema, reasoner)
        test = QueryTest(query, schema, [], reasoner, Settings(seed=seed))
        self._judge = test.judge
        self._pending = islice(iter(test.data_sets), _ATTEMPTS_PER_DATA_SET * most)
        self._made: list[Data] = []

    def data(self, number: int) -> Sequence[Triple]:
        """The data set with this number; numbers that are too large start over. Empty if there is none at all."""
        while len(self._made) <= number:
            found = next((each for each in self._pending if self._judge.is_consistent(each)), None)
            if found is None:
                break
            self._made.append(found)
        return tuple(map(triple_of, self._made[number % len(self._made)])) if self._made else ()


def as_schema(ontology: Ontologies) -> Schema:
    """The schema of one or several ontologies."""
    if isinstance(ontology, Schema):
        return ontology
    given: list[Any] = [ontology] if isinstance(ontology, str | Path | Graph) else list(ontology)
    return load_schema(given)


def as_regime(name: str) -> Regime:
    """The regime with this name. InputError if there is none."""
    try:
        return Regime(name)
    except ValueError:
        meant = nearest(name, list(Regime))
        hint = f"did you mean '{meant}'?" if meant else f"choose from {', '.join(Regime)}"
        raise InputError(f"no regime is called '{name}'", hint=hint) from None
