"""Class expressions and axioms mean what the direct semantics of OWL 2 says, in random interpretations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from operator import eq, ge, le
from random import Random

from support.random_ontologies import CLASSES, COMPOSITE, DATA, INDIVIDUALS, SIMPLE, Source

from kgprobe.owl.expression import Argument, Expression, inverse, is_headed, number, parts_of
from kgprobe.owl.grammar import CLASS_EXPRESSIONS
from kgprobe.owl.meaning import evaluate, simpler
from kgprobe.rdf.terms import OWL, RDFS

THINGS = range(3)
VALUES = range(4)


@dataclass(frozen=True)
class Interpretation:
    """A few things: the members of classes, the links of properties, and what individuals are."""

    members: Mapping[Argument, set[int]]
    links: Mapping[Argument, set[tuple[int, int]]]
    individuals: Mapping[Argument, int]

    @classmethod
    def drawn(cls, random: Random) -> Interpretation:
        def some(pairs: list[tuple[int, int]]) -> set[tuple[int, int]]:
            share = random.choice([0, 0.3, 0.7, 1])
            return {pair for pair in pairs if random.random() < share}

        members: dict[Argument, set[int]] = {OWL.Thing: set(THINGS), OWL.Nothing: set()}
        members |= {name: {thing for thing in THINGS if random.random() < 0.5} for name in CLASSES}
        links: dict[Argument, set[tuple[int, int]]] = {OWL.topObjectProperty: set(product(THINGS, THINGS))}
        links |= {OWL.bottomObjectProperty: set(), OWL.bottomDataProperty: set()}
        links |= {name: some(list(product(THINGS, THINGS))) for name in (*SIMPLE, *COMPOSITE)}
        links |= {name: some(list(product(THINGS, VALUES))) for name in DATA}
        return cls(members, links, {name: random.choice(THINGS) for name in INDIVIDUALS})

    def linked(self, prop: Argument) -> set[tuple[int, int]]:
        if is_headed(prop, "ObjectPropertyChain"):
            first, *rest = map(self.linked, prop.args)
            for step in rest:
                first = {(source, end) for source, middle in first for start, end in step if start == middle}
            return first
        if type(prop) is Expression:
            return {(target, source) for source, target in self.links[inverse(prop)]}
        return self.links[prop]

    @staticmethod
    def values(data_range: Argument) -> set[int]:
        """The values in a data range, of which only the complement has a meaning here."""
        if data_range == RDFS.Literal:
            return set(VALUES)
        if is_headed(data_range, "DataComplementOf"):
            return set(VALUES) - Interpretation.values(data_range.args[0])
        drawn = Random(str(data_range))
        return {value for value in VALUES if drawn.random() < 0.5}

    def of(self, kind: Argument) -> set[int]:  # noqa: C901 - one case for each construct
        """The members of a class, in the words of the specification."""
        if type(kind) is not Expression:
            return self.members[kind]
        head, args = kind.head, kind.args
        match head:
            case "ObjectIntersectionOf":
                return set.intersection(*map(self.of, args))
            case "ObjectUnionOf":
                return set.union(*map(self.of, args))
            case "ObjectComplementOf":
                return set(THINGS) - self.of(args[0])
            case "ObjectOneOf":
                return {self.individuals[name] for name in args}
            case "ObjectHasSelf":
                return {thing for thing in THINGS if (thing, thing) in self.linked(args[0])}
            case "ObjectHasValue":
                return {source for source, target in self.linked(args[0]) if target == self.individuals[args[1]]}
            case "DataHasValue":
                return {source for source, value in self.linked(args[0]) if value == value_of_literal(args[1])}
        ends = self.values if head.startswith("Data") else self.of
        match head.removeprefix("Data").removeprefix("Object"):
            case "SomeValuesFrom":
                return {source for source, end in self.linked(args[0]) if end in ends(args[1])}
            case "AllValuesFrom":
                return set(THINGS) - {source for source, end in self.linked(args[0]) if end not in ends(args[1])}
        limit, prop, *rest = args
        counts = Counter(source for source, end in self.linked(prop) if not rest or end in ends(rest[0]))
        fits = {"Min": ge, "Max": le, "Exact": eq}[
            head.removeprefix("Data").removeprefix("Object")[: -len("Cardinality")]
        ]
        return {thing for thing in THINGS if fits(counts[thing], number(limit))}

    def holds(self, axiom: Expression) -> bool:  # noqa: C901 - one case for each construct
        """Whether an axiom holds, for the kinds that the others are explained by, and for those."""
        args = axiom.args
        match axiom.head:
            case "SubClassOf":
                return self.of(args[0]) <= self.of(args[1])
            case "EquivalentClasses":
                return all(self.of(one) == self.of(two) for one, two in pairwise(args))
            case "DisjointClasses":
                return sum(map(len, map(self.of, args))) == len(set.union(*map(self.of, args)))
            case "DisjointUnion":
                parts = Expression("ObjectUnionOf", *args[1:])
                return self.of(args[0]) == self.of(parts) and self.holds(Expression("DisjointClasses", *args[1:]))
            case "SubObjectPropertyOf" | "SubDataPropertyOf":
                return self.linked(args[0]) <= self.linked(args[1])
            case "EquivalentObjectProperties" | "EquivalentDataProperties":
                return all(self.linked(one) == self.linked(two) for one, two in pairwise(args))
            case "InverseObjectProperties":
                return self.linked(args[0]) == self.linked(inverse(args[1]))
            case "DisjointObjectProperties":
                return self.linked(args[0]).isdisjoint(self.linked(args[1]))
            case "AsymmetricObjectProperty":
                return not any((target, source) in self.linked(args[0]) for source, target in self.linked(args[0]))
            case "ObjectPropertyDomain" | "DataPropertyDomain":
                return {source for source, _ in self.linked(args[0])} <= self.of(args[1])
            case "ObjectPropertyRange":
                return {target for _, target in self.linked(args[0])} <= self.of(args[1])
            case "FunctionalObjectProperty":
                return max(Counter(source for source, _ in self.linked(args[0])).values(), default=0) <= 1
            case "InverseFunctionalObjectProperty":
                return max(Counter(target for _, target in self.linked(args[0])).values(), default=0) <= 1
            case "SymmetricObjectProperty":
                return self.linked(args[0]) == self.linked(inverse(args[0]))
        assert axiom.head == "TransitiveObjectProperty"
        steps = self.linked(args[0])
        return all((one, three) in steps for one, two in steps for other, three in steps if other == two)


def value_of_literal(literal: Argument) -> int:
    return len(str(literal)) % len(VALUES)


class Membership:
    """The evaluation that says whether a thing is a member of a class in an interpretation."""

    all_of = staticmethod(all)
    any_of = staticmethod(any)

    def __init__(self, interpretation: Interpretation) -> None:
        self.given = interpretation

    def has(self, kind: Argument, thing: int, *, is_negated: bool = False) -> bool:
        return evaluate(kind, self, thing, is_negated=is_negated)

    def in_class(self, name: Argument, thing: int, *, is_negated: bool) -> bool:
        return (thing in self.given.members[name]) != is_negated

    def one_of(self, individuals: Sequence[Argument], thing: int, *, is_negated: bool) -> bool:
        return (thing in {self.given.individuals[name] for name in individuals}) != is_negated

    def has_self(self, prop: Argument, thing: int, *, is_negated: bool) -> bool:
        return ((thing, thing) in self.given.linked(prop)) != is_negated

    def has_value(self, prop: Argument, individual: Argument, thing: int, *, is_negated: bool) -> bool:
        return ((thing, self.given.individuals[individual]) in self.given.linked(prop)) != is_negated

    def has_literal(self, prop: Argument, literal: Argument, thing: int, *, is_negated: bool) -> bool:
        return ((thing, value_of_literal(literal)) in self.given.linked(prop)) != is_negated

    def at_least(self, least: int, prop: Argument, kind: Argument, thing: int, *, is_negated: bool) -> bool:
        ends = {target for source, target in self.given.linked(prop) if source == thing}
        return (sum(self.has(kind, end) for end in ends) >= least) != is_negated

    def at_least_values(
        self, least: int, props: Sequence[Argument], values: Argument, thing: int, *, is_negated: bool
    ) -> bool:
        (prop,) = props
        found = {value for source, value in self.given.linked(prop) if source == thing}
        return (len(found & self.given.values(values)) >= least) != is_negated


def test_the_value_of_a_class_is_its_members() -> None:
    heads: Counter[str] = Counter()
    sizes: Counter[int] = Counter()
    for seed in range(3000):
        random = Random(seed)
        kind = Source(random).complex_kind()
        drawn = Interpretation.drawn(random)
        membership = Membership(drawn)
        members = {thing for thing in THINGS if membership.has(kind, thing)}
        assert members == drawn.of(kind), kind
        others = {thing for thing in THINGS if membership.has(kind, thing, is_negated=True)}
        assert others == set(THINGS) - members, kind
        heads.update(part.head for part in parts_of(kind) if type(part) is Expression)
        sizes[len(members)] += 1
    assert set(CLASS_EXPRESSIONS) <= set(heads)
    assert min(sizes[size] for size in range(len(THINGS) + 1)) > 100


def test_simpler_axioms_hold_exactly_if_the_axiom_holds() -> None:
    verdicts: Counter[tuple[str, bool]] = Counter()
    for seed in range(4000):
        random = Random(seed)
        drawn = Interpretation.drawn(random)
        for axiom in Source(random).ontology().axioms:
            parts = simpler(axiom)
            if parts:
                expected = drawn.holds(axiom)
                assert all(map(drawn.holds, parts)) is expected, axiom
                assert all(part.head != axiom.head for part in parts)
                verdicts[axiom.head, expected] += 1
    assert {head for head, _ in verdicts} == {
        *("EquivalentClasses", "DisjointUnion", "EquivalentObjectProperties", "EquivalentDataProperties"),
        *("InverseObjectProperties", "ObjectPropertyRange", "InverseFunctionalObjectProperty"),
        *("SymmetricObjectProperty", "TransitiveObjectProperty", "AsymmetricObjectProperty", "DataPropertyDomain"),
    }
    assert all(verdicts[head, True] and verdicts[head, False] for head, _ in list(verdicts)), verdicts
