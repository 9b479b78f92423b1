"""The facts about individuals that follow from ontology and data under OWL 2 DL, as far as some queries can see them.

A reasoner may not know the whole hierarchy of classes, and still know whether an individual is in a class that a query
names. So only the classes and properties that occur in the queries are asked about, and the hierarchy only if a query
looks at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from kgprobe.entailment.closure import closed
from kgprobe.entailment.rules import Regime, UndecidedError
from kgprobe.owl.expression import Expression
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.judging import Judge
from kgprobe.rdf.terms import OWL, RDF, RDFS, Literal, NamedNode, Triple
from kgprobe.reasoners.protocol import Entails, Reasoner
from kgprobe.sparql.algebra import PlacedTriple, QueryTree
from kgprobe.sparql.paths import predicates_of
from kgprobe.sparql.traversal import elements_within

__all__ = ["Sight", "class_hierarchy", "entailed_facts"]

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
        predicates = {name for each in patterns for name in predicates_of(each.predicate)}
        sees_all = None in predicates or any(tree.form == "DESCRIBE" for tree in trees)
        typing = [each for each in patterns if RDF.type in predicates_of(each.predicate)]
        classes = {each.object for each in typing}
        # In a path, the class may be at its start, or anywhere within.
        is_named = all(isinstance(each.predicate, NamedNode) for each in typing)
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
    candidates = [each for group in judge.groups(data) for each in _candidates(*group, sight)]
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
