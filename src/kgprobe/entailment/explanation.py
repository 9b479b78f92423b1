"""Derivations: why a triple follows from a graph, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kgprobe.entailment.class_hierarchy import Classified, Classify
from kgprobe.entailment.facts import Fact, Facts
from kgprobe.entailment.rule_conclusions import Conclude
from kgprobe.entailment.rules import Regime
from kgprobe.entailment.saturation import Saturation
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import OWL, RDF, RDFS, Triple
from kgprobe.reasoners.protocol import Reasoner

__all__ = ["Inference", "derivation"]


@dataclass(frozen=True)
class Inference:
    """One conclusion with its rule and premises. Conclusions of a reasoner have no premises."""

    rule: str
    conclusion: Triple
    premises: tuple[Triple, ...]


def derivation(graph: Graph, triple: Triple, regime: Regime, reasoner: Reasoner | None = None) -> list[Inference]:
    """One derivation of a triple: each premise is stated, or is the conclusion of an earlier inference.

    Empty if the triple is stated. Raises ValueError if it does not follow.
    """
    if triple in graph:
        return []
    if regime is Regime.NONE:
        raise ValueError(f"{triple} does not follow")
    if regime is Regime.DL:
        return list(_by_classification(graph.cached(Classify(reasoner)), triple))
    return _by_rules(graph.cached(Conclude(regime)).saturation, graph.keys(triple), triple)


def _by_rules(saturation: Saturation, keys: KeyTriple, triple: Triple) -> list[Inference]:
    facts, derivations = saturation.facts, saturation.derivations
    goal = facts.fact(keys)
    if goal not in derivations:
        raise ValueError(f"{triple} does not follow")
    order: list[Fact] = []
    pending, seen = [(goal, False)], set()
    while pending:  # each fact after its premises
        fact, is_done = pending.pop()
        if is_done:
            order.append(fact)
        elif fact not in seen and fact in derivations:
            seen.add(fact)
            pending.append((fact, True))
            pending += ((premise, False) for premise in reversed(derivations[fact].premises))
    made: dict[Fact, tuple[Fact, ...]] = {}
    for fact in order:  # replace facts that are not triples by their premises
        premises = derivations[fact].premises
        made[fact] = tuple(dict.fromkeys(visible for premise in premises for visible in _visible(facts, premise, made)))
    return [
        Inference(derivations[fact].rule, next(_triples(saturation, [fact])), tuple(_triples(saturation, made[fact])))
        for fact in order
        if not facts.is_hidden(fact)
    ]


def _visible(facts: Facts, fact: Fact, made: dict[Fact, tuple[Fact, ...]]) -> tuple[Fact, ...]:
    return made[fact] if facts.is_hidden(fact) else (fact,)


def _triples(saturation: Saturation, facts: Iterable[Fact]) -> Iterator[Triple]:
    return (Triple(*map(saturation.facts.term, fact)) for fact in facts)  # type: ignore[arg-type]


def _by_classification(found: Classified, triple: Triple) -> Iterator[Inference]:
    """The path in the hierarchy that leads to a triple that is not stated."""
    graph = found.graph
    subject, predicate, value = keys = graph.keys(triple)
    if not found.entails(keys):
        raise ValueError(f"{triple} does not follow")
    if triple.object == OWL.Nothing:
        yield Inference(found.how, triple, ())
    elif triple.predicate == RDF.type:
        kind = next(kind for kind in graph.objects(subject, predicate) if value in found.ancestry.above(kind))
        yield from _up(found, kind, value)
        premises = ((subject, predicate, kind), (kind, graph.key(RDFS.subClassOf), value))
        yield Inference("members of a class are in all its superclasses", triple, tuple(map(graph.triple, premises)))
    elif triple.predicate == OWL.equivalentClass:
        yield from _up(found, subject, value)
        yield from _up(found, value, subject)
        below = graph.key(RDFS.subClassOf)
        premises = ((subject, below, value), (value, below, subject))
        yield Inference("classes below each other are equivalent", triple, tuple(map(graph.triple, premises)))
    else:
        yield from _up(found, subject, value)


def _up(found: Classified, lower: Key, upper: Key) -> Iterator[Inference]:
    """The inferences that put one class below another; none if that is stated."""
    graph, below = found.graph, found.graph.key(RDFS.subClassOf)
    if graph.has(lower, below, upper):
        return
    edges = [(one, below, other) for one, other in found.ancestry.way(lower, upper)]
    for edge in edges:
        if not graph.has(*edge):
            yield _edge(found, edge)
    if len(edges) > 1:
        yield Inference(
            "rdfs:subClassOf is transitive", graph.triple((lower, below, upper)), tuple(map(graph.triple, edges))
        )


def _edge(found: Classified, edge: KeyTriple) -> Inference:
    """The reason for an edge that is not stated as rdfs:subClassOf."""
    lower, _, upper = edge
    graph, same = found.graph, found.graph.key(OWL.equivalentClass)
    stated = [keys for keys in ((lower, same, upper), (upper, same, lower)) if graph.has(*keys)]
    rule = "equivalent classes are below each other" if stated else found.how
    return Inference(rule, graph.triple(edge), tuple(map(graph.triple, stated[:1])))
