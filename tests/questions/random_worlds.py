"""Random graphs with random schemas: as a world to answer from, and as Turtle with settings for the generator."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from kgprobe.questions.settings import RelationSettings, Settings
from questions.answering import TYPE, Triple, World

IRI = "http://e.org/"
_NOUNS = ("keeper", "rider", "maker", "guard", "pilot", "tutor", "baker")
_PREPOSITIONS = ("of", "in", "for")
_TRAITS = ("asymmetric", "functional", "inverse-functional", "irreflexive", "symmetric", "transitive")
_OWL = {
    "asymmetric": "AsymmetricProperty",
    "functional": "FunctionalProperty",
    "inverse-functional": "InverseFunctionalProperty",
    "irreflexive": "IrreflexiveProperty",
    "symmetric": "SymmetricProperty",
    "transitive": "TransitiveProperty",
}


def random_world(rng: random.Random, *, density: int = 3) -> World:
    """A world with a random schema; few of its axioms contradict each other, and some of its facts do.

    `density` is the most facts for each thing.
    """
    relations = [f"r{number}" for number in range(rng.randint(2, 6))]
    classes = [f"c{number}" for number in range(rng.randint(2, 5))]
    things = [f"t{number}" for number in range(rng.randint(6, 22))]
    traits = {(each, trait) for each in relations for trait in _TRAITS if rng.random() < 0.13}
    types = {(thing, TYPE, rng.choice(classes)) for thing in things if rng.random() < 0.6}
    chains = {
        (tuple(rng.choices(relations, k=rng.choice((2, 2, 3)))), rng.choice(relations))
        for _ in range(rng.choice((0, 0, 1, 2)))
    }
    same = _pairs(rng, things, things, (0, 0, 1, 2))
    return World(
        triples=frozenset(_facts(rng, relations, things, density) | types),
        traits=frozenset(traits),
        sub_properties=_pairs(rng, relations, relations, (0, 1, 2)),
        inverses=_pairs(rng, relations, relations, (0, 0, 1)),
        chains=frozenset(chains),
        domains=_pairs(rng, relations, classes, (0, 1, 2)),
        ranges=_pairs(rng, relations, classes, (0, 1, 2)),
        sub_classes=_pairs(rng, classes, classes, (0, 1, 2, 3)),
        disjoint_classes=_both(_pairs(rng, classes, classes, (0, 1, 2))),
        disjoint_properties=_both(_pairs(rng, relations, relations, (0, 0, 1))),
        same=same,
        different=_both(_pairs(rng, things, things, (0, 3, 30)) - _both(same)),
        closed=frozenset(each for each in relations if rng.random() < 0.5),
        unique_names=rng.random() < 0.5,
        names=_names(rng, things),
        words={
            each: (rng.choice(("a", "the")), _NOUNS[number], rng.choice(_PREPOSITIONS), rng.random() < 0.25)
            for number, each in enumerate(relations)
        },
        nouns={f"kind{each}": each for each in classes},
    )


def _pairs(
    rng: random.Random, left: Sequence[str], right: Sequence[str], counts: Sequence[int]
) -> frozenset[tuple[str, str]]:
    found = ((rng.choice(left), rng.choice(right)) for _ in range(rng.choice(counts)))
    return frozenset((a, b) for a, b in found if a != b)


def _facts(rng: random.Random, relations: Sequence[str], things: Sequence[str], density: int) -> set[Triple]:
    """Facts, mostly along an order of the things, so that not every transitive relation is a cycle."""
    found: set[Triple] = set()
    for _ in range(rng.randint(5, density * len(things))):
        a, b = sorted(rng.sample(range(len(things)), 2))
        if rng.random() < 0.1:
            a, b = b, a
        found.add((things[a], rng.choice(relations), things[b]))
    if rng.random() < 0.1:
        thing = rng.choice(things)
        found.add((thing, rng.choice(relations), thing))
    return found


def _names(rng: random.Random, things: Sequence[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for thing in things:
        if rng.random() < 0.95:
            names[f"Name-{thing}"] = thing
        for number in range(rng.choice((0, 0, 0, 1, 2))):
            names[f"Alias{number}-{thing}"] = thing
    return names


def _both(pairs: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    return frozenset(each for a, b in pairs for each in ((a, b), (b, a)))


def turtle(world: World, rng: random.Random, *, all_traits: bool = False) -> tuple[str, frozenset[tuple[str, str]]]:
    """The world as Turtle, and the traits that are left to the settings; none if the graph states all."""
    lines = [
        "@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .",
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .",
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .",
    ]
    left = frozenset(each for each in world.traits if not all_traits and rng.random() < 0.5)
    lines += [f":{s} {'a' if p == TYPE else f':{p}'} :{o} ." for s, p, o in sorted(world.triples)]
    lines += [f":{each} a owl:{_OWL[trait]} ." for each, trait in sorted(world.traits - left)]
    for predicate, pairs in (
        ("rdfs:subPropertyOf", world.sub_properties),
        ("owl:inverseOf", world.inverses),
        ("rdfs:domain", world.domains),
        ("rdfs:range", world.ranges),
        ("rdfs:subClassOf", world.sub_classes),
        ("owl:disjointWith", world.disjoint_classes),
        ("owl:propertyDisjointWith", world.disjoint_properties),
        ("owl:sameAs", world.same),
        ("owl:differentFrom", world.different),
    ):
        lines += [f":{a} {predicate} :{b} ." for a, b in sorted(pairs)]
    lines += [
        f":{end} owl:propertyChainAxiom ({' '.join(f':{step}' for step in path)}) ."
        for path, end in sorted(world.chains)
    ]
    lines += [f":{each} a owl:ObjectProperty ." for each in world.words]
    for name, thing in world.names.items():
        lines.append(f':{thing} {"rdfs:label" if name.startswith("Name") else "skos:altLabel"} "{name}" .')
    lines += [f':{class_} rdfs:label "{noun}" .' for noun, class_ in world.nouns.items()]
    return "\n".join(lines), left


def settings_for(world: World, left: frozenset[tuple[str, str]], *, limit: int, seed: int) -> Settings:
    """Settings for the generator: words, closed relations, and the traits that the graph does not state."""
    return Settings(
        closed=tuple(sorted(world.closed)),
        limit=limit,
        seed=seed,
        unique_names=world.unique_names,
        relations={
            each: RelationSettings(
                words=words[:3], turned=words[3], traits=tuple(sorted(trait for p, trait in left if p == each))
            )
            for each, words in world.words.items()
        },
    )
