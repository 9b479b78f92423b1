"""What a graph states about relations and classes, and what that implies about other relations.

Axioms in OWL and RDFS are read by the ids of their terms. What follows is added: an inverse of a transitive relation is
transitive.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

from kgprobe.questions.facts.database import IRI, Facts
from kgprobe.questions.facts.names import SCHEMA_ORG
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.terms import OWL, RDF, RDFS

Pair: TypeAlias = tuple[int, int]

_TRAITS = {
    OWL.TransitiveProperty.value: "transitive",
    OWL.SymmetricProperty.value: "symmetric",
    OWL.AsymmetricProperty.value: "asymmetric",
    OWL.FunctionalProperty.value: "functional",
    OWL.InverseFunctionalProperty.value: "inverse-functional",
    OWL.IrreflexiveProperty.value: "irreflexive",
}
_PROPERTY_TYPES = {
    RDF.Property.value,
    OWL.ObjectProperty.value,
    OWL.DatatypeProperty.value,
    *_TRAITS,
}
_CLASS_TYPES = {RDFS.Class.value, OWL.Class.value}
_ANNOTATIONS = {OWL.AnnotationProperty.value}
_GROUPS = {OWL.AllDifferent.value, OWL.AllDisjointClasses.value, OWL.AllDisjointProperties.value}
_LISTS = {OWL.propertyChainAxiom.value, OWL.disjointUnionOf.value, OWL.members.value, OWL.distinctMembers.value}
_LIST_NODES = (RDF.first.value, RDF.rest.value)
_SCHEMA_CLASSES = {*_PROPERTY_TYPES, *_ANNOTATIONS, *_CLASS_TYPES, *_GROUPS}
_INVERSES = {OWL.inverseOf.value, *(f"{namespace}inverseOf" for namespace in SCHEMA_ORG)}
_PREDICATES = {
    *_INVERSES,
    *_LISTS,
    RDFS.subPropertyOf.value,
    RDFS.subClassOf.value,
    RDFS.domain.value,
    RDFS.range.value,
    OWL.equivalentProperty.value,
    OWL.equivalentClass.value,
    OWL.disjointWith.value,
    OWL.complementOf.value,
    OWL.propertyDisjointWith.value,
    OWL.differentFrom.value,
}


@dataclass(frozen=True, slots=True)
class Axioms:
    """Axioms by ids. Only axioms about names are here: class expressions and inverse expressions are left out.

    `sub_properties` and `sub_classes` are (narrow, wide); equivalence is both ways. A chain is its path and the
    relation that follows from it. `annotations` are relations that only describe names.
    `different` has groups of things that all differ from each other.
    """

    properties: frozenset[int] = frozenset()
    annotations: frozenset[int] = frozenset()
    classes: frozenset[int] = frozenset()
    traits: frozenset[tuple[int, str]] = frozenset()
    inverses: frozenset[Pair] = frozenset()
    sub_properties: frozenset[Pair] = frozenset()
    chains: frozenset[tuple[tuple[int, ...], int]] = frozenset()
    domains: frozenset[Pair] = frozenset()
    ranges: frozenset[Pair] = frozenset()
    sub_classes: frozenset[Pair] = frozenset()
    disjoint_classes: frozenset[Pair] = frozenset()
    disjoint_properties: frozenset[Pair] = frozenset()
    different: frozenset[tuple[int, ...]] = frozenset()

    def __or__(self, other: Axioms) -> Axioms:
        """The axioms of both."""
        return Axioms(*(getattr(self, name) | getattr(other, name) for name in self.__slots__))


def stated_axioms(facts: Facts, predicates: Mapping[str, int]) -> Axioms:
    """The axioms that the graph states; `predicates` has the ids of its predicates.

    Each term is replaced by the one that stands for it under owl:sameAs.
    """
    stated = _Stated(facts, predicates)
    unions = stated.lists(OWL.disjointUnionOf.value)
    return Axioms(
        properties=frozenset(stated.instances(*_PROPERTY_TYPES)),
        annotations=frozenset(stated.instances(*_ANNOTATIONS)) - frozenset(stated.instances(*_PROPERTY_TYPES)),
        classes=frozenset(stated.instances(*_CLASS_TYPES)),
        traits=frozenset((instance, trait) for name, trait in _TRAITS.items() for instance in stated.instances(name)),
        inverses=_both_ways(stated.pairs(*_INVERSES)),
        sub_properties=stated.pairs(RDFS.subPropertyOf.value) | _both_ways(stated.pairs(OWL.equivalentProperty.value)),
        chains=frozenset((path, subject) for subject, path in stated.lists(OWL.propertyChainAxiom.value)),
        domains=stated.pairs(RDFS.domain.value),
        ranges=stated.pairs(RDFS.range.value),
        sub_classes=stated.pairs(RDFS.subClassOf.value)
        | _both_ways(stated.pairs(OWL.equivalentClass.value))
        | {(part, whole) for whole, parts in unions for part in parts},
        disjoint_classes=_both_ways(
            stated.pairs(OWL.disjointWith.value, OWL.complementOf.value)
            | _all_pairs([*(parts for _, parts in unions), *stated.groups(OWL.AllDisjointClasses.value)])
        ),
        disjoint_properties=_both_ways(
            stated.pairs(OWL.propertyDisjointWith.value) | _all_pairs(stated.groups(OWL.AllDisjointProperties.value))
        ),
        different=stated.pairs(OWL.differentFrom.value) | frozenset(stated.groups(OWL.AllDifferent.value)),
    )


class _Stated:
    """The triples of a graph that can be part of an axiom."""

    def __init__(self, facts: Facts, predicates: Mapping[str, int]) -> None:
        self._pairs: dict[str, set[Pair]] = defaultdict(set)
        self._instances: dict[str, set[int]] = defaultdict(set)
        for subject, predicate, object_ in _rows(facts, predicates, _PREDICATES):
            self._pairs[predicate].add((subject, object_))
        type_id = predicates.get(RDF["type"].value)
        for subject, class_ in _types(facts, type_id) if type_id is not None else ():
            self._instances[class_].add(subject)
        heads = {head for predicate in _LISTS for _, head in self._pairs[predicate]}
        self._lists = _lists(_rows(facts, predicates, _LIST_NODES), heads) if heads else {}
        mentioned = {end for pairs in self._pairs.values() for pair in pairs for end in pair}
        mentioned |= {member for members in self._lists.values() for member in members}
        mentioned |= {member for members in self._instances.values() for member in members}
        self._named = {name for (name,) in facts.sql(_NAMED, [sorted(mentioned)])}

    def instances(self, *classes: str) -> set[int]:
        """The named instances of the classes."""
        return {instance for name in classes for instance in self._instances[name]} & self._named

    def pairs(self, *predicates: str) -> frozenset[Pair]:
        """Subject and object of the triples with one of the predicates, if both are named."""
        rows = (pair for name in predicates for pair in self._pairs[name])
        return frozenset((a, b) for a, b in rows if a in self._named and b in self._named)

    def lists(self, predicate: str) -> list[tuple[int, tuple[int, ...]]]:
        """Subject and list of the triples with the predicate, if all in them are named."""
        rows = ((subject, self._lists.get(head, ())) for subject, head in self._pairs[predicate])
        return [
            (subject, members)
            for subject, members in rows
            if members and subject in self._named and self._named.issuperset(members)
        ]

    def groups(self, class_: str) -> list[tuple[int, ...]]:
        """The members of each group of a kind, such as owl:AllDifferent. A group is an anonymous thing."""
        rows = (
            self._lists.get(head, ())
            for predicate in (OWL.members.value, OWL.distinctMembers.value)
            for subject, head in self._pairs[predicate]
            if subject in self._instances[class_]
        )
        return [tuple(sorted(named)) for members in rows if len(named := {*members} & self._named) > 1]


_ROWS = """
SELECT coalesce(a.rep, s), p, coalesce(b.rep, o) FROM facts
LEFT JOIN same AS a ON s = a.id LEFT JOIN same AS b ON o = b.id WHERE p IN (SELECT unnest(?::BIGINT[]))
"""
_NAMED = f"SELECT id FROM terms WHERE kind = {IRI} AND id IN (SELECT unnest(?::BIGINT[]))"  # noqa: S608 - a constant


def predicates_of(facts: Facts) -> dict[str, int]:
    """The ids of the predicates of a graph, by their IRIs."""
    # A graph has few predicates and many terms, so this is much faster than to look for their texts.
    rows = facts.sql("SELECT text, id FROM terms WHERE id IN (SELECT DISTINCT p FROM facts)")
    return dict(rows)


def _rows(facts: Facts, predicates: Mapping[str, int], wanted: Iterable[str]) -> list[tuple[int, str, int]]:
    """The triples with one of the predicates."""
    names = {predicates[iri]: iri for iri in wanted if iri in predicates}
    rows = facts.sql(_ROWS, [sorted(names)]) if names else []
    return [(subject, names[predicate], object_) for subject, predicate, object_ in rows]


def _types(facts: Facts, type_id: int) -> list[tuple[int, str]]:
    """The instances of the classes of OWL and RDFS, each with the IRI of its class."""
    classes = facts.sql("SELECT id, text FROM terms WHERE id IN (SELECT DISTINCT o FROM facts WHERE p = ?)", [type_id])
    names = {id_: iri for id_, iri in classes if iri in _SCHEMA_CLASSES}
    rows = facts.sql(
        "SELECT coalesce(rep, s), o FROM facts LEFT JOIN same ON s = same.id"
        " WHERE p = ? AND o IN (SELECT unnest(?::BIGINT[]))",
        [type_id, sorted(names)],
    )
    return [(subject, names[class_]) for subject, class_ in rows]


def _lists(rows: Iterable[tuple[int, str, int]], heads: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """The members of the lists that begin at these nodes; a broken list ends where it breaks."""
    nodes: dict[str, dict[int, int]] = {predicate: {} for predicate in _LIST_NODES}
    for subject, predicate, object_ in sorted(rows, reverse=True):
        nodes[predicate][subject] = object_
    first, rest = nodes.values()
    lists = {}
    for head in heads:
        members, node, seen = [], head, set[int]()
        while node in first and node not in seen:
            seen.add(node)
            members.append(first[node])
            node = rest.get(node, -1)
        lists[head] = tuple(members)
    return lists


def _both_ways(pairs: Iterable[Pair]) -> frozenset[Pair]:
    return frozenset(pair for a, b in pairs for pair in ((a, b), (b, a)))


def _all_pairs(groups: Iterable[tuple[int, ...]]) -> frozenset[Pair]:
    return frozenset(pair for group in groups for pair in combinations(sorted(set(group)), 2))


_OF_INVERSES = {
    "transitive": "transitive",
    "symmetric": "symmetric",
    "asymmetric": "asymmetric",
    "irreflexive": "irreflexive",
    "functional": "inverse-functional",
    "inverse-functional": "functional",
}
_OF_NARROWER = frozenset({"asymmetric", "irreflexive", "functional", "inverse-functional"})
# A taxonomy with more pairs than this is kept as it is stated.
_MOST_PAIRS = 3_000_000


def completed(axioms: Axioms) -> Axioms:
    """The axioms with their consequences for traits, hierarchies, domains and ranges."""
    wider = _transitively_closed(axioms.sub_properties | _of_inverses(axioms))
    inverses = _inverses(axioms, wider)
    # A relation that is its own inverse is symmetric, and that is all that it is.
    symmetric = {(a, "symmetric") for a, b in inverses if a == b}
    inverses = {(a, b) for a, b in inverses if a != b}
    traits = _traits(axioms.traits | symmetric, inverses, wider)
    domains = axioms.domains | {(inverse, c) for r, c in axioms.ranges for inverse in _partners(inverses)[r]}
    ranges = axioms.ranges | {(inverse, c) for r, c in axioms.domains for inverse in _partners(inverses)[r]}
    return replace(
        axioms,
        traits=frozenset(traits),
        inverses=frozenset(inverses),
        sub_properties=frozenset(wider),
        sub_classes=frozenset(_transitively_closed(axioms.sub_classes)),
        domains=frozenset(domains | {(narrow, c) for narrow, wide in wider for r, c in domains if r == wide}),
        ranges=frozenset(ranges | {(narrow, c) for narrow, wide in wider for r, c in ranges if r == wide}),
        disjoint_properties=axioms.disjoint_properties | _narrower_pairs(axioms.disjoint_properties, wider),
    )


def _transitively_closed(pairs: Iterable[Pair]) -> set[Pair]:
    """All (narrow, wide) pairs that follow, without pairs of a name with itself."""
    stated = set(pairs)
    wider: dict[int, set[int]] = defaultdict(set)
    for narrow, wide in stated:
        wider[narrow].add(wide)
    closed: set[Pair] = set()
    for start in wider:
        above = reached(wider[start], lambda relation: wider.get(relation, ()))
        closed.update((start, relation) for relation in above if relation != start)
        if len(closed) > _MOST_PAIRS:
            return {(a, b) for a, b in stated if a != b}
    return closed


def _partners(pairs: Iterable[Pair]) -> dict[int, set[int]]:
    partners: dict[int, set[int]] = defaultdict(set)
    for a, b in pairs:
        partners[a].add(b)
    return partners


def _of_inverses(axioms: Axioms) -> set[Pair]:
    """Inverses of relations with a wider relation have a wider relation: the inverse of that, if it has a name."""
    inverse = _partners(axioms.inverses)
    return {(a, b) for narrow, wide in axioms.sub_properties for a in inverse[narrow] for b in inverse[wide]}


def _inverses(axioms: Axioms, wider: set[Pair]) -> set[Pair]:
    """Two relations that are wider than each other have the same inverses, and so on."""
    equal = _partners((a, b) for a, b in wider if (b, a) in wider)
    return {(a, b) for r, s in axioms.inverses for a in (r, *equal.get(r, ())) for b in (s, *equal.get(s, ()))}


def _traits(stated: Iterable[tuple[int, str]], inverses: set[Pair], wider: set[Pair]) -> set[tuple[int, str]]:
    inverse = _partners(inverses)
    narrower = _partners((wide, narrow) for narrow, wide in wider)
    equal = _partners((a, b) for a, b in wider if (b, a) in wider)
    traits: set[tuple[int, str]] = set()
    waiting = list(stated)
    while waiting:
        relation, trait = waiting.pop()
        if (relation, trait) in traits:
            continue
        traits.add((relation, trait))
        waiting.extend((other, _OF_INVERSES[trait]) for other in inverse.get(relation, ()))
        waiting.extend((other, trait) for other in equal.get(relation, ()))
        if trait in _OF_NARROWER:
            waiting.extend((other, trait) for other in narrower.get(relation, ()))
        if trait == "asymmetric":
            waiting.append((relation, "irreflexive"))
        if {(relation, "transitive"), (relation, "irreflexive")} <= traits:
            waiting.append((relation, "asymmetric"))
        if (relation, "symmetric") in traits:
            waiting.extend((relation, _OF_INVERSES[other]) for r, other in list(traits) if r == relation)
    return traits


def _narrower_pairs(disjoint: Iterable[Pair], wider: set[Pair]) -> frozenset[Pair]:
    narrower = _partners((wide, narrow) for narrow, wide in wider)
    return frozenset((c, d) for a, b in disjoint for c in (a, *narrower.get(a, ())) for d in (b, *narrower.get(b, ())))
