"""Runs queries on an ontology together with data, under an entailment regime.

Under OWL 2 DL, a reasoner may not know the whole hierarchy of classes, and still know whether an individual is in a
class that a query names. So only the classes and properties that occur in the queries are asked about, and the
hierarchy only if a query looks at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from pyoxigraph import Quad

from kgprobe.entailment.closure import closed
from kgprobe.entailment.rules import Regime, UndecidedError
from kgprobe.errors import InputError
from kgprobe.owl.expression import Expression
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.assignments import Assignment
from kgprobe.queries.testing.data import Answer, Datum, GraphName, by_graph, triple_of
from kgprobe.queries.testing.judging import Judge
from kgprobe.queries.testing.models import ASSERTIONS
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Term, Triple
from kgprobe.reasoners.protocol import Entails, Reasoner
from kgprobe.sparql.algebra import PlacedTriple, QueryTree
from kgprobe.sparql.engine.exact_store import ExactStore, PreparedQuery
from kgprobe.sparql.engine.results import Rows
from kgprobe.sparql.paths import predicates_of
from kgprobe.sparql.pyoxigraph import as_input_error
from kgprobe.sparql.traversal import elements_within

_HIERARCHY = frozenset([RDFS.subClassOf, OWL.equivalentClass])
_MOST_QUESTIONS = 100_000
_MOST_PAIRS = 400
_SECONDS_FOR_PAIRS = 60.0


@dataclass(frozen=True)
class Sight:
    """The classes and properties that some queries can see, and whether they see the hierarchy of classes."""

    classes: tuple[NamedNode, ...]
    object_properties: tuple[NamedNode, ...]
    data_properties: tuple[NamedNode, ...]
    sees_hierarchy: bool
    sees_same: bool

    @classmethod
    def of(cls, queries: Iterable[QueryTree], schema: Schema) -> Sight:
        """What these queries can see."""
        trees = list(queries)
        patterns = [element for element in elements_within(trees) if isinstance(element, PlacedTriple)]
        predicates = {name for pattern in patterns for name in predicates_of(pattern.predicate)}
        sees_all = None in predicates or any(tree.form == "DESCRIBE" for tree in trees)
        typing = [triple for triple in patterns if RDF.type in predicates_of(triple.predicate)]
        classes = {triple.object for triple in typing}
        # In a path, the class may be at its start, or anywhere within.
        is_named = all(isinstance(triple.predicate, NamedNode) for triple in typing)
        sees_classes = sees_all or not is_named or any(not isinstance(each, NamedNode) for each in classes)

        def seen(kind: str, names: Iterable[object], *, is_all: bool) -> tuple[NamedNode, ...]:
            known = [name for name in sorted(schema.names, key=str) if kind in schema.kinds(name)]
            chosen = frozenset(names)
            return tuple(name for name in known if is_all or name in chosen)

        return cls(
            seen("Class", classes, is_all=sees_classes),
            seen("ObjectProperty", predicates, is_all=sees_all),
            seen("DataProperty", predicates, is_all=sees_all),
            sees_all or bool(predicates & _HIERARCHY),
            sees_all or OWL.sameAs in predicates,
        )


def entailed_facts(data: Sequence[Triple], sight: Sight, judge: Judge) -> list[Triple]:
    """The facts that follow from an ontology and data. UndecidedError if this is not known for one of them."""
    candidates = [candidate for group in judge.groups(data) for candidate in _candidates(*group, sight)]
    if len(candidates) > _MOST_QUESTIONS:
        raise UndecidedError("too many facts can follow from the data")
    answers = judge.all_follow(data, candidates)
    if None in answers:
        raise UndecidedError("no reasoner decides which facts follow from the data")
    return [triple for triple, follows in zip(candidates, answers, strict=True) if follows]


def _candidates(individuals: Sequence[object], literals: Sequence[Literal], sight: Sight) -> Iterator[Triple]:
    for one in individuals:
        yield from (Triple(one, RDF.type, name) for name in sight.classes)  # type: ignore[arg-type]
    links = (*sight.object_properties, *((OWL.sameAs,) if sight.sees_same else ()))
    for name, one, other in product(links, individuals, individuals):
        yield Triple(one, name, other)  # type: ignore[arg-type]
    for name, one, literal in product(sight.data_properties, individuals, literals):
        yield Triple(one, name, literal)  # type: ignore[arg-type]


# -- the hierarchy of classes ------------------------------------------------------------------------------------------


def class_hierarchy(schema: Schema, reasoner: Reasoner) -> list[Triple]:
    """The triples between classes that follow from an ontology. UndecidedError if they are not known.

    A reasoner that is not sure of the whole hierarchy may be sure of each pair of classes.
    """
    try:
        whole = closed(schema.graph, Regime.DL, reasoner).graph
        return [triple for triple in whole if triple.predicate in _HIERARCHY]
    except UndecidedError:
        names = [name for name in sorted(schema.names, key=str) if "Class" in schema.kinds(name)]
        own = [name for name in names if name not in (OWL.Thing, OWL.Nothing)]
        if len(own) ** 2 > _MOST_PAIRS:
            raise
        return _by_pairs(own, schema, reasoner)


def _by_pairs(classes: Sequence[NamedNode], schema: Schema, reasoner: Reasoner) -> list[Triple]:
    pairs = [(one, other) for one in classes for other in (*classes, OWL.Nothing) if one != other]
    questions = [Entails(Expression("SubClassOf", *pair)) for pair in pairs]
    answers = reasoner.answer(schema.ontology, questions, seconds=_SECONDS_FOR_PAIRS)
    if not all(answer.decided for answer in answers):
        raise UndecidedError("no reasoner decides which classes are below which")
    below = {pair for pair, answer in zip(pairs, answers, strict=True) if answer.value}
    empty = {one for one, other in below if other == OWL.Nothing}
    kept = [
        (one, other) for one, other in pairs if (one, other) in below and (other == OWL.Nothing or one not in empty)
    ]
    found = [Triple(one, RDFS.subClassOf, other) for one, other in kept]
    found += [Triple(one, OWL.equivalentClass, other) for one, other in kept if (other, one) in below or one in empty]
    return found


# -- regimes -----------------------------------------------------------------------------------------------------------


class Loaded:
    """Ontology and data, ready for queries."""

    def __init__(self, store: ExactStore) -> None:
        self._store = store

    def answers(self, query: PreparedQuery, bindings: Mapping[str, Term] | None = None) -> list[Answer]:
        """The answers of a query. True is one answer without variables; a triple has three.

        Raises InputError if the query cannot be evaluated.
        """
        try:
            found = self._store.ask(query, bindings)
            if isinstance(found, bool):
                return [{}] if found else []
            if isinstance(found, Rows):
                return list(found.rows)
            return [
                {"subject": triple.subject, "predicate": triple.predicate, "object": triple.object}  # type: ignore[dict-item]
                for triple in found
            ]
        except SyntaxError as error:
            raise as_input_error(error, query.name) from None
        except (RuntimeError, OSError) as error:
            raise InputError(f"{query.name} cannot be evaluated: {error}") from None


# A store slows down with the number of triples that it has held, even after they are removed. So it is made again after
# this many, or after as many as the ontology has.
_MOST_HELD = 1_000


class Runner:
    """Runs queries on data, together with one ontology. Without entailment, the ontology is loaded once.

    UndecidedError if the regime cannot be applied to the ontology.
    """

    def __init__(
        self, schema: Schema, regime: Regime, reasoner: Reasoner, judge: Judge, queries: Sequence[QueryTree] = ()
    ) -> None:
        """Under OWL 2 DL, the data get only the triples that these queries can see."""
        self._schema = schema
        self._regime = regime
        self._reasoner = reasoner
        self._judge = judge
        self._sight = Sight.of(queries, schema)
        self._store = ExactStore(schema.graph)
        self._held = 0
        self._subjects = frozenset(triple.subject for triple in schema.graph)
        if regime is Regime.DL:  # if nobody knows what follows from the ontology alone, no data can be tested
            self._closed(schema, judge)

    @contextmanager
    def loaded(self, data: Sequence[Datum]) -> Iterator[Loaded]:
        """Ontology and data together; use it only within the block. UndecidedError if the regime cannot be applied."""
        if self._regime is not Regime.NONE:
            graphs = by_graph(data)
            store = ExactStore(self._closed(self._schema, self._judge, graphs.pop(None, [])))
            with store.holding([quad for name, triples in graphs.items() for quad in self._named(name, triples)]):
                yield Loaded(store)
            return
        known = self._subjects  # most triples are about new individuals, which the ontology does not have
        new = [datum for datum in data if datum.subject not in known or not self._is_stated(datum)]
        self._held += len(new)
        if self._held > max(_MOST_HELD, len(self._schema.graph)):
            self._store, self._held = ExactStore(self._schema.graph), 0
        with self._store.holding(new):
            yield Loaded(self._store)

    def _is_stated(self, datum: Datum) -> bool:
        return isinstance(datum, Triple) and datum in self._schema.graph

    def _closed(self, ontology: Schema, judge: Judge, triples: Sequence[Triple] = ()) -> Graph:
        """An ontology with some triples, and all that follows."""
        graph = ontology.graph.copy()
        for triple in triples:
            graph.add(triple)
        if self._regime is not Regime.DL:
            return closed(graph, self._regime, self._reasoner).graph
        hierarchy = self._hierarchy
        if self._sight.sees_hierarchy and not judge.is_separable:  # data can change it
            hierarchy = class_hierarchy(Schema(graph.copy()), self._reasoner)
        for triple in (*hierarchy, *entailed_facts(triples, self._sight, judge)):
            graph.add(triple)
        return graph

    @cached_property
    def _hierarchy(self) -> list[Triple]:
        return class_hierarchy(self._schema, self._reasoner) if self._sight.sees_hierarchy else []

    @cached_property
    def _without_facts(self) -> Schema:
        """The ontology without its facts about individuals, which are in the default graph."""
        facts = (axiom.args for axiom in self._schema.ontology.axioms if axiom.head in ASSERTIONS)
        individuals = {argument for args in facts for argument in args if isinstance(argument, NamedNode | BlankNode)}
        kept = [
            triple
            for triple in self._schema.graph
            if triple.subject not in individuals or self._is_schema(triple.subject)
        ]
        return Schema(Graph(kept, spelling=self._schema.graph.spelling))

    def _is_schema(self, term: object) -> bool:
        return isinstance(term, NamedNode) and bool(self._schema.kinds(term) - {"NamedIndividual"})

    @cached_property
    def _judge_without_facts(self) -> Judge:
        return Judge(self._without_facts, self._reasoner)

    @cached_property
    def _of_axioms(self) -> Graph:
        return self._closed(self._without_facts, self._judge_without_facts)

    def _named(self, name: GraphName | None, triples: Sequence[Triple]) -> list[Quad]:
        """A named graph with what follows from it and the axioms, but not from the axioms alone."""
        whole = self._closed(self._without_facts, self._judge_without_facts, triples)
        found = dict.fromkeys((*triples, *(triple for triple in whole if triple not in self._of_axioms)))
        return [Quad(triple.subject, triple.predicate, triple.object, name) for triple in found]

    def graph(self, data: Sequence[Datum]) -> Graph:
        """The ontology and the data of all graphs as one graph."""
        graph = self._schema.graph.copy()
        for datum in data:
            graph.add(triple_of(datum))
        return graph

    def schema_rows(self, query: str) -> list[Assignment]:
        """The answers of a query on the ontology alone."""
        with self.loaded(()) as loaded:
            try:
                rows = loaded.answers(PreparedQuery.of(query, "<ontology>"))
            except InputError:
                return []
        return [{Variable(name): term for name, term in row.items()} for row in rows]
