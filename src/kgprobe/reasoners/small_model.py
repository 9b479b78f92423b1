"""Searches for a model with a few things: a proof that an ontology is consistent, whatever reasoners answer.

With a fixed number of things, each "is in this class", "is linked to that", "has this name" is true or false, and the
axioms become clauses over these. No data property has a value in these models. The search fails for an ontology that
needs such a value, that only has infinite models, or that is too large; a failure proves nothing about the ontology.

`has_tiny_model` looks only at two models with a single thing, without a search. In the first, the thing is in no class
and has no property, which works for most ontologies without individuals. In the second, it is in every class and has
every object property, to itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, pairwise, product

from kgprobe.owl.expression import Argument, Expression, inner, is_headed, number, term
from kgprobe.rdf.terms import OWL, NamedNode, Term
from kgprobe.reasoners.satisfaction import satisfying

__all__ = ["has_small_model"]


_SIZES = (1, 2, 3, 5)
# Models with more things are easy to find, or take too long. They are worth a try if that number occurs in an ontology.
_MORE_SIZES = (8, 12)
_MOST_CLAUSES = 100_000
_MOST_CONFLICTS, _MOST_CONFLICTS_IF_MORE = 400, 60
_MOST_AXIOMS = 5_000

_YES, _NO = 1, -1  # a variable that is true
_EXTREMES: dict[object, int] = {
    **dict.fromkeys((OWL.Thing, OWL.topObjectProperty), _YES),
    **dict.fromkeys((OWL.Nothing, OWL.bottomObjectProperty), _NO),
}


def has_small_model(axioms: Iterable[Expression], sizes: Sequence[int] | None = None) -> bool:
    """Whether a model with one of these numbers of things was found. All literals must be valid for their datatypes.

    Without `sizes`, the ontology decides which numbers are tried.
    """
    stated = list(axioms)
    if len(stated) > _MOST_AXIOMS:
        return False
    try:
        if any(_has_model(stated, size) for size in sizes or _SIZES):
            return True
        return (
            sizes is None and _stated(stated, 1).may_be_many and any(_has_model(stated, size) for size in _MORE_SIZES)
        )
    except _TooMuchError:
        return False


def has_tiny_model(axioms: Iterable[Expression]) -> bool:
    """Whether one of the two is a model of the axioms. All literals must be valid for their datatypes."""
    stated = list(axioms)
    return any(_OneThing(named).satisfies(stated) for named in (_NO, _YES))


class _TooMuchError(Exception):
    """An unsupported axiom, or too many clauses."""


def _has_model(axioms: Sequence[Expression], size: int) -> bool:
    things = _stated(axioms, size)
    most_conflicts = _MOST_CONFLICTS if size < min(_MORE_SIZES) else _MOST_CONFLICTS_IF_MORE
    return satisfying(things.clauses, things.variables, most_conflicts=most_conflicts) is not None


def _stated(axioms: Sequence[Expression], size: int) -> _Things:
    things = _Things(size)
    for axiom in axioms:
        things.state(axiom)
    things.name_individuals()
    return things


class _Things:
    """A number of things, and the clauses that must be true for them."""

    def __init__(self, size: int) -> None:
        self._all = range(size)
        self._known: dict[object, int] = {}
        self._individuals: dict[Term, None] = {}
        self._keys: list[tuple[Argument, ...]] = []
        self._largest_number = 0
        self.variables = 1
        self.clauses: list[list[int]] = [[_YES]]

    @property
    def may_be_many(self) -> bool:
        """Whether the ontology has as many individuals as the largest of the usual models, or a number that large."""
        return max(len(self._individuals), self._largest_number) >= max(_SIZES)

    def state(self, axiom: Expression) -> None:
        """Adds an axiom."""
        judge = _AXIOMS.get(axiom.head)
        if judge is None:
            raise _TooMuchError
        judge(self, *axiom.args)

    def need(self, *literals: int) -> None:
        """One of these is true."""
        if _YES in literals:
            return
        self.clauses.append([literal for literal in literals if literal != _NO])
        if len(self.clauses) > _MOST_CLAUSES:
            raise _TooMuchError

    def _variable(self, key: object) -> int:
        found = self._known.get(key)
        if found is None:
            self.variables += 1
            found = self._known[key] = self.variables
        return found

    def any_of(self, literals: Iterable[int]) -> int:
        """True exactly if one of these is."""
        parts = frozenset(literals) - {_NO}
        if not parts or _YES in parts:
            return _YES if parts else _NO
        if len(parts) == 1:
            return next(iter(parts))
        key = ("any", parts)
        is_new = key not in self._known
        found = self._variable(key)
        if is_new:
            self.need(-found, *sorted(parts))
            for part in sorted(parts):
                self.need(found, -part)
        return found

    def all_of(self, literals: Iterable[int]) -> int:
        """True exactly if all of these are."""
        return -self.any_of([-literal for literal in literals])

    def at_least(self, wanted: int, literals: Sequence[int]) -> int:
        """True exactly if at least this number of them are."""
        self._largest_number = max(self._largest_number, wanted)
        if wanted <= 0:
            return _YES
        if wanted > len(literals):
            return _NO
        *others, last = literals
        return self.any_of([self.at_least(wanted, others), self.all_of([last, self.at_least(wanted - 1, others)])])

    def pairs(self) -> Iterator[tuple[int, int]]:
        return product(self._all, self._all)

    def things(self) -> range:
        return self._all

    def is_called(self, individual: Argument, thing: int) -> int:
        """Whether the individual denotes this thing."""
        self._individuals[term(individual)] = None
        return self._variable(("individual", individual, thing))

    def linked(self, prop: Argument, source: int, target: int) -> int:
        """Whether the property leads from the first thing to the second."""
        if type(prop) is Expression:
            return self.linked(prop.args[0], target, source)
        return _EXTREMES.get(prop) or self._variable(("property", prop, source, target))

    def is_in(self, kind: Argument, thing: int) -> int:
        """Whether the thing is in the class."""
        if type(kind) is Expression:
            judge = _CLASSES.get(kind.head)
            if judge is not None:
                return judge(self, thing, *kind.args)
            return self._counted(kind.head, thing, number(kind.args[0]), *kind.args[1:])
        return _EXTREMES.get(kind) or self._variable(("class", kind, thing))

    def leads_to(self, thing: int, prop: Argument, kind: Argument) -> int:
        """Whether the property leads from the thing to one in the class."""
        return self.any_of(self._led_to(thing, prop, kind))

    def _led_to(self, thing: int, prop: Argument, kind: Argument) -> list[int]:
        return [self.all_of([self.linked(prop, thing, target), self.is_in(kind, target)]) for target in self._all]

    def _counted(self, head: str, thing: int, wanted: int, prop: Argument, kind: Argument = OWL.Thing) -> int:
        found = self._led_to(thing, prop, kind) if head.startswith("Object") else []
        least, more = self.at_least(wanted, found), self.at_least(wanted + 1, found)
        if head.endswith("MinCardinality"):
            return least
        return -more if head.endswith("MaxCardinality") else self.all_of([least, -more])

    def key(self, *parts: Argument) -> None:
        """A key. It applies to all named things, which are known only at the end."""
        self._keys.append(parts)

    def name_individuals(self) -> None:
        """Each individual denotes one thing, and all keys hold."""
        for individual in self._individuals:
            places = [self.is_called(individual, thing) for thing in self._all]
            self.need(*places)
            for pair in combinations(places, 2):
                self.need(*(-variable for variable in pair))
        names = [individual for individual in self._individuals if isinstance(individual, NamedNode)]
        named = [self.any_of(self.is_called(name, thing) for name in names) for thing in self._all]
        for kind, objects, data in self._keys:
            if inner(data).args:
                continue  # nothing has a value
            for one, two in combinations(self._all, 2):
                shared = [
                    self.any_of(
                        self.all_of([self.linked(prop, one, target), self.linked(prop, two, target), named[target]])
                        for target in self._all
                    )
                    for prop in inner(objects).args
                ]
                alike = [self.is_in(kind, one), self.is_in(kind, two), named[one], named[two], *shared]
                self.need(*(-fact for fact in alike))


class _OneThing(_Things):
    """One thing, which is in all named classes and has all properties, or none: what is said of it is true or false."""

    def __init__(self, named: int) -> None:
        super().__init__(1)
        self._named = named

    def satisfies(self, axioms: Iterable[Expression]) -> bool:
        """Whether the axioms are true; False for unknown constructs."""
        try:
            for axiom in axioms:
                self.state(axiom)
        except _TooMuchError:
            return False
        return True

    def need(self, *literals: int) -> None:
        if _YES not in literals:
            raise _TooMuchError

    def is_in(self, kind: Argument, thing: int) -> int:  # most axioms are about names
        return _EXTREMES.get(kind, self._named) if type(kind) is NamedNode else super().is_in(kind, thing)

    def _variable(self, _key: object) -> int:
        return self._named

    def is_called(self, _individual: Argument, _thing: int) -> int:
        return _YES

    def any_of(self, literals: Iterable[int]) -> int:
        return _YES if _YES in literals else _NO


_CLASSES: dict[str, Callable[..., int]] = {
    "ObjectIntersectionOf": lambda things, thing, *parts: things.all_of(things.is_in(part, thing) for part in parts),
    "ObjectUnionOf": lambda things, thing, *parts: things.any_of(things.is_in(part, thing) for part in parts),
    "ObjectComplementOf": lambda things, thing, part: -things.is_in(part, thing),
    "ObjectOneOf": lambda things, thing, *names: things.any_of(things.is_called(name, thing) for name in names),
    "ObjectSomeValuesFrom": _Things.leads_to,
    "ObjectAllValuesFrom": lambda things, thing, prop, part: -things.leads_to(thing, prop, _not(part)),
    "ObjectHasValue": lambda things, thing, prop, name: things.leads_to(thing, prop, Expression("ObjectOneOf", name)),
    "ObjectHasSelf": lambda things, thing, prop: things.linked(prop, thing, thing),
    "DataSomeValuesFrom": lambda *_: _NO,
    "DataHasValue": lambda *_: _NO,
    "DataAllValuesFrom": lambda *_: _YES,
}


def _not(kind: Argument) -> Expression:
    return Expression("ObjectComplementOf", kind)


def _sub_class(things: _Things, lower: Argument, upper: Argument) -> None:
    for thing in things.things():
        things.need(-things.is_in(lower, thing), things.is_in(upper, thing))


def _equivalent_classes(things: _Things, *parts: Argument) -> None:
    for one, two in pairwise((*parts, parts[0])):
        _sub_class(things, one, two)


def _disjoint_classes(things: _Things, *parts: Argument) -> None:
    for one, two in combinations(parts, 2):
        for thing in things.things():
            things.need(-things.is_in(one, thing), -things.is_in(two, thing))


def _disjoint_union(things: _Things, whole: Argument, *parts: Argument) -> None:
    _equivalent_classes(things, whole, Expression("ObjectUnionOf", *parts))
    _disjoint_classes(things, *parts)


def _sub_property(things: _Things, lower: Argument, upper: Argument) -> None:
    steps = lower.args if is_headed(lower, "ObjectPropertyChain") else (lower,)
    for way in product(things.things(), repeat=len(steps) + 1):
        path = [-things.linked(step, *ends) for step, ends in zip(steps, pairwise(way), strict=True)]
        things.need(*path, things.linked(upper, way[0], way[-1]))


def _equivalent_properties(things: _Things, *parts: Argument) -> None:
    for one, two in pairwise((*parts, parts[0])):
        _sub_property(things, one, two)


def _disjoint_properties(things: _Things, *parts: Argument) -> None:
    for one, two in combinations(parts, 2):
        for ends in things.pairs():
            things.need(-things.linked(one, *ends), -things.linked(two, *ends))


def _inverse_properties(things: _Things, one: Argument, two: Argument) -> None:
    _equivalent_properties(things, one, Expression("ObjectInverseOf", two))


def _domain(things: _Things, prop: Argument, kind: Argument) -> None:
    for source, target in things.pairs():
        things.need(-things.linked(prop, source, target), things.is_in(kind, source))


def _range(things: _Things, prop: Argument, kind: Argument) -> None:
    _domain(things, Expression("ObjectInverseOf", prop), kind)


def _functional(things: _Things, prop: Argument) -> None:
    for source in things.things():
        for one, two in combinations(things.things(), 2):
            things.need(-things.linked(prop, source, one), -things.linked(prop, source, two))


def _inverse_functional(things: _Things, prop: Argument) -> None:
    _functional(things, Expression("ObjectInverseOf", prop))


def _reflexive(things: _Things, prop: Argument) -> None:
    for thing in things.things():
        things.need(things.linked(prop, thing, thing))


def _irreflexive(things: _Things, prop: Argument) -> None:
    for thing in things.things():
        things.need(-things.linked(prop, thing, thing))


def _symmetric(things: _Things, prop: Argument) -> None:
    _sub_property(things, prop, Expression("ObjectInverseOf", prop))


def _asymmetric(things: _Things, prop: Argument) -> None:
    for source, target in things.pairs():
        things.need(-things.linked(prop, source, target), -things.linked(prop, target, source))


def _transitive(things: _Things, prop: Argument) -> None:
    _sub_property(things, Expression("ObjectPropertyChain", prop, prop), prop)


def _same(things: _Things, *individuals: Argument) -> None:
    for one, two in pairwise((*individuals, individuals[0])):
        for thing in things.things():
            things.need(-things.is_called(one, thing), things.is_called(two, thing))


def _different(things: _Things, *individuals: Argument) -> None:
    for one, two in combinations(individuals, 2):
        for thing in things.things():
            things.need(-things.is_called(one, thing), -things.is_called(two, thing))


def _class_assertion(things: _Things, kind: Argument, individual: Argument) -> None:
    for thing in things.things():
        things.need(-things.is_called(individual, thing), things.is_in(kind, thing))


def _assertion(things: _Things, prop: Argument, one: Argument, two: Argument) -> None:
    for source, target in things.pairs():
        named = -things.is_called(one, source), -things.is_called(two, target)
        things.need(*named, things.linked(prop, source, target))


def _negative_assertion(things: _Things, prop: Argument, one: Argument, two: Argument) -> None:
    for source, target in things.pairs():
        named = -things.is_called(one, source), -things.is_called(two, target)
        things.need(*named, -things.linked(prop, source, target))


def _true(_things: _Things, *_parts: Argument) -> None:
    """Axioms about data properties, none of which has a value."""


_AXIOMS: dict[str, Callable[..., None]] = {
    "SubClassOf": _sub_class,
    "EquivalentClasses": _equivalent_classes,
    "DisjointClasses": _disjoint_classes,
    "DisjointUnion": _disjoint_union,
    "SubObjectPropertyOf": _sub_property,
    "EquivalentObjectProperties": _equivalent_properties,
    "DisjointObjectProperties": _disjoint_properties,
    "InverseObjectProperties": _inverse_properties,
    "ObjectPropertyDomain": _domain,
    "ObjectPropertyRange": _range,
    "FunctionalObjectProperty": _functional,
    "InverseFunctionalObjectProperty": _inverse_functional,
    "ReflexiveObjectProperty": _reflexive,
    "IrreflexiveObjectProperty": _irreflexive,
    "SymmetricObjectProperty": _symmetric,
    "AsymmetricObjectProperty": _asymmetric,
    "TransitiveObjectProperty": _transitive,
    "HasKey": _Things.key,
    "SameIndividual": _same,
    "DifferentIndividuals": _different,
    "ClassAssertion": _class_assertion,
    "ObjectPropertyAssertion": _assertion,
    "NegativeObjectPropertyAssertion": _negative_assertion,
    **dict.fromkeys(["SubDataPropertyOf", "EquivalentDataProperties", "DisjointDataProperties"], _true),
    **dict.fromkeys(["DataPropertyDomain", "DataPropertyRange", "FunctionalDataProperty"], _true),
    "NegativeDataPropertyAssertion": _true,
}
