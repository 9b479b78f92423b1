"""Contradictions that follow in simple steps, each with the axioms and patterns behind it.

Most mistakes in queries contradict an ontology in a few steps: a range, some superclasses, two disjoint classes.
Forward chaining finds these steps in a fraction of the time of a question to a reasoner, and it knows the premises of
each step. So the search for the reason of a clash starts from a few axioms and patterns, not from all of them.

The steps are sound, but few. The only cases are the parts of a union, each of which is compared with the known types. A
value of `p some C` is invented only if there is no contradiction without it, and only for an individual with some
`p only D`. If no contradiction is found here, there may be one.

Each fact keeps the first of its derivations. Facts are taken in the order of the number of patterns and axioms behind
them, so this is a short derivation, but not always the shortest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias

from kgprobe.owl.expression import Argument, Expression, is_headed
from kgprobe.queries.statements import ToldAxioms, Unit, text_of
from kgprobe.rdf.terms import OWL, NamedNode

# A limit for ontologies in which everything is connected: the search is only worth its time while it is quick.
_MOST_FACTS = 6000
_MOST_FOUND = 40


class Support(NamedTuple):
    """Patterns and axioms that together imply something."""

    units: frozenset[Unit]
    axioms: frozenset[Expression]

    @property
    def cost(self) -> tuple[int, int]:
        """The size of a support: patterns count first."""
        return len(self.units), len(self.axioms)

    def __or__(self, other: Support) -> Support:
        return Support(self.units | other.units, self.axioms | other.axioms)

    def and_axiom(self, axiom: Expression) -> Support:
        """The support of a step by an axiom."""
        return Support(self.units, self.axioms | {axiom})


# Tuples of different classes are equal if their members are, so each fact also has its sort.


class _Type(NamedTuple):
    kind: Argument
    individual: Argument
    sort: str = "type"


class _Link(NamedTuple):
    prop: Argument
    source: Argument
    target: Argument


class _Has(NamedTuple):
    """The individual has some value of the property."""

    prop: Argument
    individual: Argument
    sort: str = "has"


class _Same(NamedTuple):
    one: Argument
    other: Argument
    sort: str = "same"


_Fact: TypeAlias = "_Type | _Link | _Has | _Same"

_AT_LEAST_ONE = frozenset(
    {"ObjectMinCardinality", "ObjectExactCardinality", "DataMinCardinality", "DataExactCardinality"}
)
_SOME = frozenset({"ObjectSomeValuesFrom", "DataSomeValuesFrom", "DataHasValue"})


class Derivations:
    """Derives from the axioms of one ontology. They are read once, for many queries."""

    def __init__(self, axioms: Iterable[Expression]) -> None:
        self._told = ToldAxioms(axioms)

    def contradictions(self, units: Iterable[Unit]) -> list[Support]:
        """Contradictions of the units with the ontology, the shortest first, at most one for each pair of facts."""
        return _Chase(self._told).run(units)


class _Chase:
    """The facts that follow from some units."""

    def __init__(self, told: ToldAxioms) -> None:
        self._told = told
        self._support: dict[_Fact, Support] = {}
        self._pending: list[tuple[tuple[int, int], int, _Fact, Support]] = []
        self._number = 0
        self._types: dict[Argument, list[Argument]] = {}
        self._out: dict[Argument, list[_Link]] = {}
        self._in: dict[Argument, list[_Link]] = {}
        self._same: dict[Argument, list[Argument]] = {}
        self._reached: set[Argument] = set()
        self._unions: dict[_Type, None] = {}
        self._somes: dict[_Type, None] = {}
        self._invented: set[Argument] = set()
        self._found: dict[Support, None] = {}

    def run(self, units: Iterable[Unit]) -> list[Support]:
        for unit in sorted(units, key=text_of):
            support = Support(frozenset({unit}), frozenset())
            for said in sorted(unit, key=str):
                self._state(said.axiom, support)
        while self._pending and len(self._support) < _MOST_FACTS and len(self._found) < _MOST_FOUND:
            _, _, fact, support = heappop(self._pending)
            if fact not in self._support:
                self._support[fact] = support
                _STEPS[type(fact)](self, fact, support)
            if not self._pending:
                self._from_unions()
            if not self._pending and not self._found:
                self._invent_values()
        return sorted(self._found, key=lambda each: (each.cost, sorted(map(text_of, each.units))))

    def _state(self, axiom: Expression, support: Support) -> None:
        match axiom.head, axiom.args:
            case "ClassAssertion", (kind, individual):
                self._add(_Type(kind, individual), support)
                self._reach(individual)
            case "ObjectPropertyAssertion", (prop, source, target):
                self._link(prop, source, target, support)
                self._reach(source)
                self._reach(target)
            case "DataPropertyAssertion", (prop, source, _):
                self._add(_Has(prop, source), support)
                self._reach(source)
            case "SameIndividual", (first, *others):
                for other in others:
                    self._add(_Same(first, other), support)
                    self._add(_Same(other, first), support)

    def _reach(self, individual: Argument) -> None:
        """What the ontology states about an individual."""
        if individual not in self._reached:
            self._reached.add(individual)
            for axiom in self._told.about.get(individual, ()):
                self._state(axiom, Support(frozenset(), frozenset({axiom})))

    def _add(self, fact: _Fact, support: Support) -> None:
        if fact not in self._support:
            self._number += 1
            heappush(self._pending, (support.cost, self._number, fact, support))

    def _link(self, prop: Argument, source: Argument, target: Argument, support: Support) -> None:
        if is_headed(prop, "ObjectInverseOf"):
            self._add(_Link(prop.args[0], target, source), support)
        else:
            self._add(_Link(prop, source, target), support)

    def _contradiction(self, support: Support) -> None:
        self._found[support] = None

    # -- steps --------------------------------------------------------------------------------------------------------

    def _from_type(self, fact: _Type, support: Support) -> None:
        kind, individual, _ = fact
        known = self._types.setdefault(individual, [])
        known.append(kind)
        if kind == OWL.Nothing:
            self._contradiction(support)
        for upper, axiom in self._told.above.get(kind, ()):
            self._add(_Type(upper, individual), support.and_axiom(axiom))
        for other, axiom in self._told.apart.get(kind, ()):
            against = self._support.get(_Type(other, individual))
            if against is not None:
                self._contradiction((support | against).and_axiom(axiom))
        negated = self._support.get(_Type(Expression("ObjectComplementOf", kind), individual))
        if negated is not None:
            self._contradiction(support | negated)
        for parts, upper, axiom in self._told.conjunctions.get(kind, ()):
            supports = [self._support.get(_Type(part, individual)) for part in parts]
            if all(each is not None for each in supports):
                self._add(_Type(upper, individual), _united(supports).and_axiom(axiom))
        self._somes_of(self._in.get(individual, ()), [kind])
        for other_name in self._same.get(individual, ()):
            self._add(_Type(kind, other_name), support | self._support[_Same(individual, other_name)])
        if type(kind) is Expression:
            self._from_expression(kind, individual, support)

    def _from_expression(self, kind: Expression, individual: Argument, support: Support) -> None:
        args = kind.args
        match kind.head:
            case "ObjectIntersectionOf":
                for part in args:
                    self._add(_Type(part, individual), support)
            case "ObjectUnionOf":
                self._unions[_Type(kind, individual)] = None
            case "ObjectComplementOf":
                self._from_complement(args[0], individual, support)
            case "ObjectAllValuesFrom":
                for link in (*self._out.get(individual, ()), *self._in.get(individual, ())):
                    self._restricted(kind, individual, link, support | self._support[link])
            case "ObjectHasValue":
                self._link(args[0], individual, args[1], support)
                self._reach(args[1])
            case head if head in _SOME:
                self._from_some(kind, individual, support)
            case head if head in _AT_LEAST_ONE and args[0] != 0:
                self._add(_Has(args[1], individual), support)

    def _from_some(self, kind: Expression, individual: Argument, support: Support) -> None:
        self._add(_Has(kind.args[0], individual), support)
        if kind.head == "ObjectSomeValuesFrom" and individual not in self._invented:
            self._somes[_Type(kind, individual)] = None

    def _from_unions(self) -> None:
        """Something in a union is in the one part that its other types allow. If they allow none, it cannot be."""
        for fact in list(self._unions):
            assert type(fact.kind) is Expression  # noqa: S101 - a union
            support = self._support[fact]
            left: list[Argument] = []
            for part in fact.kind.args:
                if self._support.get(_Type(part, fact.individual)) is not None:
                    left = [part, part]  # nothing new
                against = self._excluded(part, fact.individual)
                if against is None:
                    left.append(part)
                else:
                    support |= against
                if len(left) > 1:
                    break
            if not left:
                self._contradiction(support)
            if len(left) < 2:
                del self._unions[fact]
                for part in left:
                    self._add(_Type(part, fact.individual), support)

    def _invent_values(self) -> None:
        """Values for `p some C`, where something is known about all values. They get no such values themselves."""
        for fact in self._somes:
            assert type(fact.kind) is Expression  # noqa: S101 - `p some C`
            prop, kind = fact.kind.args
            if not any(is_headed(expression, "ObjectAllValuesFrom") for expression in self._types[fact.individual]):
                continue
            value = NamedNode(f"urn:kgprobe:some:{len(self._invented)}")
            self._invented.add(value)
            self._link(prop, fact.individual, value, self._support[fact])
            self._add(_Type(kind, value), self._support[fact])
        self._somes.clear()

    def _excluded(self, kind: Argument, individual: Argument) -> Support | None:
        """The reason why an individual is not in a class: one of the classes above it is disjoint with a known type."""
        ways: dict[Argument, frozenset[Expression]] = {kind: frozenset()}
        pending = [kind]
        for current in pending:
            for other, axiom in self._told.apart.get(current, ()):
                against = self._support.get(_Type(other, individual))
                if against is not None:
                    return Support(against.units, against.axioms | ways[current] | {axiom})
            for upper, axiom in self._told.above.get(current, ()):
                if upper not in ways:
                    ways[upper] = ways[current] | {axiom}
                    pending.append(upper)
        return None

    def _from_complement(self, kind: Argument, individual: Argument, support: Support) -> None:
        against = self._support.get(_Type(kind, individual))
        if against is not None:
            self._contradiction(support | against)
        if is_headed(kind, "ObjectUnionOf"):
            for part in kind.args:
                self._add(_Type(Expression("ObjectComplementOf", part), individual), support)

    def _restricted(self, kind: Expression, individual: Argument, link: _Link, support: Support) -> None:
        """The value of a link from an individual whose values of a property are all of one class."""
        prop, values = kind.args
        if prop == link.prop and link.source == individual:
            self._add(_Type(values, link.target), support)
        if is_headed(prop, "ObjectInverseOf") and prop.args[0] == link.prop and link.target == individual:
            self._add(_Type(values, link.source), support)

    def _from_has(self, fact: _Has, support: Support) -> None:
        prop, individual, _ = fact
        if prop in (OWL.bottomObjectProperty, OWL.bottomDataProperty):
            self._contradiction(support)
        for upper, axiom in self._told.properties_above.get(prop, ()):
            self._add(_Has(upper, individual), support.and_axiom(axiom))
        for kind, axiom in self._told.domains.get(prop, ()):
            self._add(_Type(kind, individual), support.and_axiom(axiom))
        for inverse, axiom in self._told.inverses.get(prop, ()):
            for kind, ranging in self._told.ranges.get(inverse, ()):
                self._add(_Type(kind, individual), support.and_axiom(axiom).and_axiom(ranging))

    def _from_link(self, fact: _Link, support: Support) -> None:
        told, (prop, source, target) = self._told, fact
        self._add(_Has(prop, source), support)
        for kind, axiom in told.ranges.get(prop, ()):
            self._add(_Type(kind, target), support.and_axiom(axiom))
        for upper, axiom in told.properties_above.get(prop, ()):
            self._link(upper, source, target, support.and_axiom(axiom))
        for upper, axiom in told.properties_above.get(Expression("ObjectInverseOf", prop), ()):
            self._link(upper, target, source, support.and_axiom(axiom))
        for inverse, axiom in told.inverses.get(prop, ()):
            self._link(inverse, target, source, support.and_axiom(axiom))
        self._impossible(fact, support)
        self._equal(fact, support)
        self._chained(fact, support)
        self._somes_of([fact], self._types.get(target, ()))
        for end in {source, target}:
            for kind in self._types.get(end, ()):
                if is_headed(kind, "ObjectAllValuesFrom"):
                    self._restricted(kind, end, fact, support | self._support[_Type(kind, end)])
        for other in self._same.get(source, ()):
            self._add(_Link(prop, other, target), support | self._support[_Same(source, other)])
        for other in self._same.get(target, ()):
            self._add(_Link(prop, source, other), support | self._support[_Same(target, other)])
        self._out.setdefault(source, []).append(fact)
        self._in.setdefault(target, []).append(fact)

    def _chained(self, fact: _Link, support: Support) -> None:
        """The links that follow from two in a row: of a transitive property, or by a chain of properties."""
        for second, upper, axiom in self._told.chains.get(fact.prop, ()):
            for link in self._out.get(fact.target, ()):
                if link.prop == second:
                    self._link(upper, fact.source, link.target, (support | self._support[link]).and_axiom(axiom))
        for link in self._in.get(fact.source, ()):
            for second, upper, axiom in self._told.chains.get(link.prop, ()):
                if second == fact.prop:
                    self._link(upper, link.source, fact.target, (support | self._support[link]).and_axiom(axiom))

    def _somes_of(self, links: Iterable[_Link], kinds: Iterable[Argument]) -> None:
        """`p some C`, where axioms speak of it, for the sources of links to members of C."""
        for link in links:
            for some in self._told.somes.get(link.prop, ()):
                for kind in kinds:
                    if some.args[1] == kind:
                        support = self._support[link] | self._support[_Type(kind, link.target)]
                        self._add(_Type(some, link.source), support)

    def _impossible(self, fact: _Link, support: Support) -> None:
        told, (prop, source, target) = self._told, fact
        irreflexive = told.traits.get(("IrreflexiveObjectProperty", prop))
        if irreflexive is not None and source == target:
            self._contradiction(support.and_axiom(irreflexive))
        asymmetric = told.traits.get(("AsymmetricObjectProperty", prop))
        back = self._support.get(_Link(prop, target, source))
        if asymmetric is not None and back is not None:
            self._contradiction((support | back).and_axiom(asymmetric))
        for other, axiom in told.properties_apart.get(prop, ()):
            beside = self._support.get(_Link(other, source, target))
            if beside is not None:
                self._contradiction((support | beside).and_axiom(axiom))

    def _equal(self, fact: _Link, support: Support) -> None:
        """The ends of links that are one, because the property is functional in this direction."""
        told, (prop, source, target) = self._told, fact
        functional = told.traits.get(("FunctionalObjectProperty", prop))
        if functional is not None:
            for link in self._out.get(source, ()):
                if link.prop == prop:
                    self._one(target, link.target, (support | self._support[link]).and_axiom(functional))
        inverse = told.traits.get(("InverseFunctionalObjectProperty", prop))
        if inverse is not None:
            for link in self._in.get(target, ()):
                if link.prop == prop:
                    self._one(source, link.source, (support | self._support[link]).and_axiom(inverse))

    def _one(self, one: Argument, other: Argument, support: Support) -> None:
        if one != other:
            self._add(_Same(one, other), support)
            self._add(_Same(other, one), support)

    def _from_same(self, fact: _Same, support: Support) -> None:
        one, other, _ = fact
        self._same.setdefault(one, []).append(other)
        for kind in self._types.get(one, ()):
            self._add(_Type(kind, other), support | self._support[_Type(kind, one)])
        for link in self._out.get(one, ()):
            self._add(_Link(link.prop, other, link.target), support | self._support[link])
        for link in self._in.get(one, ()):
            self._add(_Link(link.prop, link.source, other), support | self._support[link])


def _united(supports: Iterable[Support | None]) -> Support:
    found = Support(frozenset(), frozenset())
    for support in supports:
        if support is not None:
            found |= support
    return found


_STEPS: dict[type, Callable[..., None]] = {
    _Type: _Chase._from_type,
    _Link: _Chase._from_link,
    _Has: _Chase._from_has,
    _Same: _Chase._from_same,
}
