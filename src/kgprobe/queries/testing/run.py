"""Tests a query on generated data: makes data sets, runs the query on them, and checks its answers."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from kgprobe.entailment.rules import Regime, UndecidedError
from kgprobe.errors import InputError, did_you_mean
from kgprobe.owl.expression import Argument
from kgprobe.owl.value_sets import ValueSet
from kgprobe.queries.schema import Schema, check_consistency, load_schema
from kgprobe.queries.testing.assignments import NAMESPACE
from kgprobe.queries.testing.breaches import Breach, Checker, UndecidedAnswerError, shrunk
from kgprobe.queries.testing.data import (
    Counterexample,
    Data,
    Datum,
    Outcome,
    Result,
    Wishes,
    read_data,
    triple_of,
    written,
)
from kgprobe.queries.testing.datasets import DataSets
from kgprobe.queries.testing.evaluation import Runner
from kgprobe.queries.testing.judging import Judge
from kgprobe.queries.testing.literals import around
from kgprobe.queries.testing.proofs import Pattern, PropertyProver, proven_by_no_match, why_no_match
from kgprobe.queries.testing.request import (
    Ask,
    Empty,
    Expectation,
    Nonempty,
    Property,
    Query,
    Related,
    Request,
    SameAs,
    class_of,
    properties_of,
    read_query,
    refuse_graphs,
)
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import STANDARD_PREFIXES, Spelling
from kgprobe.rdf.terms import Literal, Triple
from kgprobe.reasoners.auto import open_reasoner, opened
from kgprobe.reasoners.protocol import Reasoner

__all__ = ["DataSource", "QueryTest", "Settings", "as_regime", "prepared_test"]

_ATTEMPTS_PER_TEST = 4
_FEWEST_ATTEMPTS = 100
_MOST_UNDECIDED = 50


@dataclass(frozen=True)
class Settings:
    """How to test. `tests` is the number of data sets. `wishes` are for the data."""

    tests: int = 256
    seed: int = 0
    regime: Regime = Regime.NONE
    wishes: Wishes = field(default_factory=Wishes)
    always_asks: bool = False


class _Kind(Enum):
    UNDECIDED = "undecided"
    INCONSISTENT = "inconsistent"
    TRIVIAL = "trivial"
    NONTRIVIAL = "nontrivial"


@dataclass(frozen=True)
class Verdict:
    """What one data set shows: whether it is a test, and the property that the query breaks on it."""

    kind: _Kind
    breach: Breach | None = None

    @property
    def is_nontrivial(self) -> bool:
        """Whether the data are consistent, and the query has an answer."""
        return self.kind is _Kind.NONTRIVIAL


class QueryTest:
    """One query with its properties, over one ontology. The reasoner stays open."""

    def __init__(
        self,
        query: Query,
        schema: Schema,
        properties: Sequence[Property],
        reasoner: Reasoner,
        settings: Settings | None = None,
    ) -> None:
        self._query = query
        self._schema = schema
        self.properties = properties
        self._settings = settings or Settings()
        self._reasoner = reasoner
        asked = _asked(properties)
        self._spelling = _spelling(schema, query)
        self.spell = self._spelling.term
        self.judge = Judge(
            schema,
            reasoner,
            [kind for kinds in asked.values() for kind in kinds],
            always_asks=self._settings.always_asks,
        )
        others = [prop.tree for prop in properties if isinstance(prop, SameAs)]
        asked_trees = [each.tree for each in properties if isinstance(each, Ask)]
        self._runner = Runner(schema, self._settings.regime, reasoner, self.judge, [query.tree, *others, *asked_trees])
        self._checker = Checker(properties, self.judge, self._runner, self._spelling)
        self.data_sets = DataSets(
            [query.tree, *others],
            schema,
            asked,
            self._runner.schema_rows,
            admits=self.judge.is_consistent,
            seed=self._settings.seed,
            wishes=self._settings.wishes,
        )

    def run(self, on_test: Callable[[int], None] = lambda _: None) -> Result:
        """Test the query. `on_test` is called with the number of tests so far."""
        counts = dict.fromkeys(_Kind, 0)
        settings = self._settings
        dead = why_no_match(self._query.tree, self._schema, self._query.text)
        has_others = any(isinstance(prop, SameAs) for prop in self.properties)
        # Near misses of a query that cannot match are not interesting, unless the query is meant to have no answer.
        needs_all = has_others or proven_by_no_match(self.properties)
        data_sets = self.data_sets if needs_all or not dead else self.data_sets.instances()
        for attempts, data in enumerate(data_sets):
            tests = sum(counts.values()) - counts[_Kind.UNDECIDED]
            if not tests and counts[_Kind.UNDECIDED] >= _MOST_UNDECIDED:
                break  # the ontology is beyond the reasoners
            if tests >= settings.tests or attempts >= _ATTEMPTS_PER_TEST * settings.tests + _FEWEST_ATTEMPTS:
                break
            verdict = self.judged(data)
            counts[verdict.kind] += 1
            on_test(tests + 1)
            if verdict.breach is not None:
                return self._result(counts, self._counterexample(data, verdict.breach))
        return self._with_proof(self._result(counts, None), dead)

    def _with_proof(self, result: Result, dead: str) -> Result:
        if dead:
            if result.outcome is Outcome.UNDECIDED:
                result = replace(result, outcome=Outcome.NO_CONSISTENT_DATA)
            is_result = not result.is_passed or proven_by_no_match(self.properties)
            return replace(result, proven=True, proof=dead) if is_result else result
        if not result.is_passed or not self.properties:
            return result
        patterns = Pattern.all_of(self._query.tree, self._schema, self.judge.space)
        prover = PropertyProver(patterns, self._schema, self._reasoner)
        if not all(map(prover.proves, self.properties)):
            return result
        return replace(result, proven=True, proof="whatever matches the pattern has the property")

    def judged(self, data: Sequence[Datum]) -> Verdict:
        """Run the query on data, and check its answers."""
        consistent = self.judge.is_consistent(data)
        if consistent is None:
            return Verdict(_Kind.UNDECIDED)
        if not consistent:
            return Verdict(_Kind.INCONSISTENT)
        try:
            with self._runner.loaded(data) as loaded:
                answers = loaded.answers(self._query.prepared)
                breach = self._checker.breach(data, answers, loaded)
                others = (prop.query for prop in self.properties if isinstance(prop, SameAs))
                is_trivial = not answers and not any(loaded.answers(other) for other in others)
        except (UndecidedAnswerError, UndecidedError):
            return Verdict(_Kind.UNDECIDED)
        return Verdict(_Kind.TRIVIAL if is_trivial else _Kind.NONTRIVIAL, breach)

    def breach(self, data: Sequence[Datum]) -> Breach | None:
        """The property that the query breaks on these data; None if it breaks none, or that is not certain."""
        return self.judged(data).breach

    def _result(self, counts: Mapping[_Kind, int], counterexample: Counterexample | None) -> Result:
        tests = sum(counts.values()) - counts[_Kind.UNDECIDED]
        consistent = tests - counts[_Kind.INCONSISTENT]
        nontrivial = counts[_Kind.NONTRIVIAL]
        needs_no_answer = any(isinstance(prop, Empty | Nonempty) for prop in self.properties)
        if counterexample is not None:
            outcome = Outcome.FALSIFIED
        elif not consistent:
            outcome = Outcome.UNDECIDED if counts[_Kind.UNDECIDED] else Outcome.NO_CONSISTENT_DATA
        elif nontrivial or needs_no_answer:
            outcome = Outcome.PASSED
        else:
            outcome = Outcome.NO_ANSWER
        return Result(
            outcome,
            tests=tests,
            consistent=consistent,
            nontrivial=nontrivial,
            undecided=counts[_Kind.UNDECIDED],
            proven=False,
            seed=self._settings.seed,
            counterexample=counterexample,
        )

    # -- counterexamples -----------------------------------------------------------------------------------------------

    def _counterexample(self, data: Sequence[Datum], breach: Breach) -> Counterexample:
        """The smallest data found that break the same property, read again from their text and run once more.

        They meet each wish of the user that the data met.
        """

        unmet = self._settings.wishes.unmet(data, self._schema)

        def fails(part: Sequence[Datum]) -> bool:
            if not self._settings.wishes.unmet(part, self._schema) <= unmet:
                return False
            found = self.breach(part)
            return found is not None and found.property == breach.property

        smallest = shrunk(
            data,
            fails,
            individuals=self.data_sets.hints.individuals,
            is_stated=self.is_stated,
            simpler=self._simpler,
        )
        for candidate in (smallest, tuple(data)):
            shown = self.shown(candidate)
            if shown is not None and shown.property == breach.property:
                return shown
        raise AssertionError("a counterexample cannot be read again")

    def is_stated(self, datum: Datum) -> bool:
        """Whether the ontology has this triple, so that it counts for nothing in the data."""
        return isinstance(datum, Triple) and datum in self._schema.graph

    def shown(self, data: Sequence[Datum]) -> Counterexample | None:
        """Data as a counterexample. It is read from its own text, and must break a property again."""
        turtle = written(data, dict(self._spelling.prefixes))
        triples = tuple(datum for datum in read_data(turtle) if not self.is_stated(datum))
        breach = self.breach(triples)
        if breach is None:
            return None
        return Counterexample(turtle, triples, breach.answer, breach.property, breach.reason)

    def _simpler(self, literal: Literal) -> Iterable[Literal]:
        for wished in self._settings.wishes.values.values():
            yield from (each for each in wished if isinstance(each, Literal) and each.datatype == literal.datatype)
        yield from ValueSet.of_datatype(literal.datatype).examples(6)
        constants = (constant for found in self.data_sets.hints.constants.values() for constant in found)
        for constant in (*constants, *self.data_sets.constants):
            yield from around(constant, literal.datatype)


def _asked(properties: Sequence[Property]) -> dict[str, list[Argument]]:
    """The classes that properties ask about, by variable."""
    found: dict[str, list[Argument]] = {}
    for prop in properties:
        if isinstance(prop, Expectation):
            found.setdefault(prop.variable, []).append(prop.kind)
        elif isinstance(prop, Related):
            for variable in prop.variables:
                found.setdefault(variable, []).append(class_of(prop))
    return found


def _spelling(schema: Schema, query: Query) -> Spelling:
    return Spelling({**STANDARD_PREFIXES, **schema.graph.spelling.prefixes, **query.prefixes, "new": NAMESPACE})


# -- from Python -------------------------------------------------------------------------------------------------------

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
            found = next((pending for pending in self._pending if self._judge.is_consistent(pending)), None)
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
        hint = did_you_mean(name, list(Regime), f"choose from {', '.join(Regime)}")
        raise InputError(f"no regime is called '{name}'", hint=hint) from None
