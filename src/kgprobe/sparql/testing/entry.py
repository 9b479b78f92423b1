"""Tests a query from Python: `kgprobe.sparql.test`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError, nearest
from kgprobe.graph.graph import Graph
from kgprobe.reasoners.auto import opened
from kgprobe.reasoners.protocol import Reasoner
from kgprobe.sparql.schema import Schema, check_consistency, load_schema
from kgprobe.sparql.testing.datasets import Wishes
from kgprobe.sparql.testing.outcome import Result
from kgprobe.sparql.testing.request import Request, properties_of
from kgprobe.sparql.testing.run import QueryTest, Settings, read_query

__all__ = ["Ontologies", "as_regime", "as_schema", "prepared_test", "run_test"]

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
    return QueryTest(query, schema, properties_of(request, query, schema), reasoner, settings)


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
