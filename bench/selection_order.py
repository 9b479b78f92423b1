"""How good is the order of selected tests? `python -m bench.selection_order [ONTOLOGY …]`.

For each ontology, this makes queries about its terms and edits like those that people commit: an entity is renamed,
deleted, deprecated, moved or described, or a new one is added. All queries run on both versions. The figure is the
share of pairs, of a selected test whose answer changed and one whose answer did not, in which the former comes first:
50 % is chance, 100 % the best order. Without names, the vocabularies and the pizza ontology in ../shared are used.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import load
from kgprobe.rdf.diff import aligned
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Term, Triple
from kgprobe.selection.audit import placed_first
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.gaps_and_repairs import with_gaps_and_repairs
from kgprobe.selection.plan import safe_plan
from kgprobe.selection.tests import Suite
from kgprobe.selection.vocabulary import Vocabulary
from kgprobe.sparql.engine.exact_store import GraphStore, answer_of

SHARED = Path(__file__).resolve().parents[2] / "shared"
USUAL = (
    "data/pizza/pizza-old.owl",
    *(f"vocabularies/{name}" for name in ("ssn.ttl", "prov-o.ttl", "time.ttl", "org.ttl")),
)

PROLOGUE = """PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
"""
ABOUT_ALL = (
    "SELECT ?x ?label WHERE { ?x a owl:Class ; rdfs:label ?label }",
    "SELECT ?x WHERE { ?x a owl:Class FILTER NOT EXISTS { ?x rdfs:comment ?text } }",
    "SELECT (COUNT(?p) AS ?count) WHERE { ?p a owl:ObjectProperty }",
    "SELECT ?x WHERE { ?x rdfs:subClassOf ?y . ?y owl:deprecated true }",
    "SELECT ?p WHERE { ?p rdfs:domain ?c FILTER NOT EXISTS { ?c rdfs:label ?label } }",
    "ASK { ?x rdfs:label ?label . ?y rdfs:label ?label FILTER(STR(?x) < STR(?y)) }",
)
ABOUT_CLASSES = (
    "SELECT ?label WHERE { %s rdfs:label ?label }",
    "SELECT ?text WHERE { %s rdfs:comment ?text }",
    "SELECT ?x WHERE { ?x rdfs:subClassOf* %s }",
    "SELECT ?x WHERE { ?x rdfs:subClassOf %s }",
    "SELECT ?x WHERE { %s rdfs:subClassOf+ ?x }",
    "SELECT ?x ?label WHERE { ?x rdfs:subClassOf %s ; rdfs:label ?label }",
    "SELECT ?x ?label WHERE { ?x rdfs:subClassOf+ %s OPTIONAL { ?x rdfs:label ?label } }",
    "SELECT ?p WHERE { ?p rdfs:domain %s }",
    "SELECT ?p WHERE { ?p rdfs:range ?r . ?r rdfs:subClassOf* %s }",
    "SELECT ?p ?v WHERE { %s rdfs:subClassOf [ owl:onProperty ?p ; owl:someValuesFrom ?v ] }",
    "SELECT ?x WHERE { ?x rdfs:subClassOf+ %s FILTER NOT EXISTS { ?x rdfs:label ?label } }",
    "ASK { %s owl:disjointWith ?x }",
    "ASK { %s a owl:Class }",
    "SELECT ?x WHERE { ?x a/rdfs:subClassOf* %s }",
)
ABOUT_PROPERTIES = (
    "SELECT ?label WHERE { %s rdfs:label ?label }",
    "SELECT ?domain ?range WHERE { %s rdfs:domain ?domain ; rdfs:range ?range }",
    "SELECT ?x WHERE { ?x rdfs:subClassOf [ owl:onProperty %s ] }",
    "SELECT ?p WHERE { ?p rdfs:subPropertyOf+ %s }",
    "SELECT ?x ?y WHERE { ?x %s ?y }",
)
TERMS, COMMITS = 25, 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ontologies", nargs="*", type=Path, default=[SHARED / name for name in USUAL])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--regime", type=Regime, default=Regime.NONE)
    given = parser.parse_args()
    everything: list[float] = []
    print(f"{'ontology':24} {'tests':>6} {'commits':>8} {'selected':>9} {'changed':>8} {'changed first':>14}")
    for ontology in given.ontologies:
        found = measured(load(ontology).graph, given.regime, random.Random(given.seed))
        everything += found.shares
        print(
            f"{ontology.name:24} {found.tests:6} {COMMITS:8} {found.selected:9} {found.changed:8} "
            f"{_mean(found.shares):14.1%}"
        )
    print(f"{'mean of all commits':24} {'':34} {_mean(everything):14.1%}")


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


@dataclass
class Measured:
    tests: int
    selected: int = 0
    changed: int = 0
    shares: list[float] = None  # type: ignore[assignment]


def measured(graph: Graph, regime: Regime, chance: random.Random) -> Measured:
    """The order of the selected tests after each of some commits."""
    suite = _suite(graph, chance)
    found = Measured(len(suite.tests), shares=[])
    before = _answers(suite, graph)
    for _ in range(COMMITS):
        versions = aligned(graph, edited(graph, chance))
        plan = with_gaps_and_repairs(safe_plan(versions, suite, regime), versions)
        after = _answers(suite, versions.new)
        changed = frozenset(name for name, answer in after.items() if answer != before[name])
        names = [planned.test.name for planned in plan.chosen]
        found.selected += len(names)
        found.changed += len(changed)
        share = placed_first(names, changed)
        if share is not None:
            found.shares.append(share)
    return found


def _answers(suite: Suite, graph: Graph) -> dict[str, object]:
    store = GraphStore(graph)
    return {test.name: answer_of(test.queries[0], store) for test in suite.tests}


def _suite(graph: Graph, chance: random.Random) -> Suite:
    classes, properties = _named(graph, OWL.Class), _named(graph, OWL.ObjectProperty, OWL.DatatypeProperty)
    texts = list(ABOUT_ALL)
    for templates, terms in ((ABOUT_CLASSES, classes), (ABOUT_PROPERTIES, properties)):
        for term in chance.sample(terms, min(TERMS, len(terms))):
            texts += (template % term for template in templates)
    with TemporaryDirectory() as folder:
        for text in texts:
            # Names that say nothing: they break ties.
            Path(folder, f"{chance.getrandbits(64):016x}.rq").write_text(PROLOGUE + text, encoding="utf-8")
        return find_tests([Path(folder)], Vocabulary.of(graph, graph), FinderOptions(root=Path(folder)))


def _named(graph: Graph, *kinds: NamedNode) -> list[NamedNode]:
    found = {triple.subject for kind in kinds for triple in graph.triples(None, RDF.type, kind)}
    return sorted((term for term in found if isinstance(term, NamedNode)), key=str)


# -- commits -----------------------------------------------------------------------------------------------------------


def edited(graph: Graph, chance: random.Random) -> Graph:
    """The graph after one commit: one to four edits."""
    new = graph.copy()
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        chance.choice(EDITS)(new, chance)
    return new


def _entity(graph: Graph, chance: random.Random) -> NamedNode:
    return chance.choice(_named(graph, OWL.Class, OWL.ObjectProperty))


def _class(graph: Graph, chance: random.Random) -> NamedNode:
    return chance.choice(_named(graph, OWL.Class))


def _about(graph: Graph, term: Term) -> list[Triple]:
    return [triple for triple in graph if term in (triple.subject, triple.predicate, triple.object)]


def rename(graph: Graph, chance: random.Random) -> None:
    term = _entity(graph, chance)
    other = NamedNode(f"{term.value}Renamed")
    for triple in _about(graph, term):
        graph.remove(triple)
        parts = (other if part == term else part for part in (triple.subject, triple.predicate, triple.object))
        graph.add(Triple(*parts))  # type: ignore[arg-type]


def delete(graph: Graph, chance: random.Random) -> None:
    for triple in _about(graph, _entity(graph, chance)):
        graph.remove(triple)


def deprecate(graph: Graph, chance: random.Random) -> None:
    term = _entity(graph, chance)
    for triple in list(graph.triples(term, RDFS.subClassOf)):
        graph.remove(triple)
    graph.add(Triple(term, OWL.deprecated, Literal("true", datatype=XSD.boolean)))


def add_class(graph: Graph, chance: random.Random) -> None:
    parent = _class(graph, chance)
    term = NamedNode(f"{parent.value}{chance.randrange(10**6)}")
    graph.add(Triple(term, RDF.type, OWL.Class))
    graph.add(Triple(term, RDFS.subClassOf, parent))
    if chance.random() < 0.8:
        graph.add(Triple(term, RDFS.label, Literal("new", language="en")))


def relabel(graph: Graph, chance: random.Random) -> None:
    term = _entity(graph, chance)
    for triple in list(graph.triples(term, RDFS.label))[:1]:
        graph.remove(triple)
    graph.add(Triple(term, RDFS.label, Literal("another label", language="en")))


def comment(graph: Graph, chance: random.Random) -> None:
    graph.add(Triple(_entity(graph, chance), RDFS.comment, Literal("A better text.", language="en")))


def move(graph: Graph, chance: random.Random) -> None:
    term = _class(graph, chance)
    for triple in [each for each in graph.triples(term, RDFS.subClassOf) if isinstance(each.object, NamedNode)]:
        graph.remove(triple)
    graph.add(Triple(term, RDFS.subClassOf, _class(graph, chance)))


def set_domain(graph: Graph, chance: random.Random) -> None:
    properties = _named(graph, OWL.ObjectProperty)
    if properties:
        graph.add(Triple(chance.choice(properties), chance.choice((RDFS.domain, RDFS.range)), _class(graph, chance)))


def disjoint(graph: Graph, chance: random.Random) -> None:
    graph.add(Triple(_class(graph, chance), OWL.disjointWith, _class(graph, chance)))


EDITS: tuple[Callable[[Graph, random.Random], None], ...] = (
    *(rename, delete, deprecate, add_class, add_class, relabel, comment, move, set_domain, disjoint),
)


if __name__ == "__main__":
    main()
