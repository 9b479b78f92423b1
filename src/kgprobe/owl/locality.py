"""Which axioms can matter for a signature: syntactic locality.

An axiom cannot matter if it is true whatever the names of the signature mean, provided that all other names mean
nothing (`EmptyOutside`), or that they mean everything (`modules.FullOutside`). Both are decided by looking at the
axiom alone.

The answer is not yes or no, but a condition: the names one of which must join the signature before the axiom can
matter, its *guards*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from kgprobe.owl.expression import Argument, Expression, has_head, inner, is_headed, number, subject
from kgprobe.owl.grammar import CLASS, DATA_PROPERTY, DATATYPE, INDIVIDUAL, OBJECT_PROPERTY, contents_of
from kgprobe.rdf.terms import OWL, RDFS, NamedNode, Subject


class Individual(NamedTuple):
    """An individual in a signature. The same name may also be a class or a property there."""

    name: Subject


Symbol: TypeAlias = NamedNode | Individual
Guards: TypeAlias = frozenset[Symbol] | None
"""The symbols one of which must join before a condition can hold; None if it holds, empty if it never will."""

NEVER: frozenset[Symbol] = frozenset()
_NAMED = frozenset({CLASS, OBJECT_PROPERTY, DATA_PROPERTY, DATATYPE})
TOPS = frozenset({OWL.Thing, OWL.topObjectProperty, OWL.topDataProperty})
BOTTOMS = frozenset({OWL.Nothing, OWL.bottomObjectProperty, OWL.bottomDataProperty})

NOMINALS = frozenset({"ObjectOneOf", "ObjectHasValue"})
"""Class expressions that list individuals."""
LOOKING_AT_ALL = NOMINALS | {"HasKey", "DLSafeRule"}
"""Constructs that connect individuals without a property between them."""


# The axioms of a module are examined again for each group of statements.
@lru_cache(maxsize=1 << 15)
def symbols_of(axiom: Expression) -> frozenset[Symbol]:
    """The names and individuals in an axiom."""
    found: set[Symbol] = set()
    for kind, term in contents_of(axiom).names:
        if kind == INDIVIDUAL:
            found.add(Individual(subject(term)))
        elif kind in _NAMED and type(term) is NamedNode:
            found.add(term)
    return frozenset(found)


# -- conditions ------------------------------------------------------------------------------------------------------


def all_of(conditions: Iterable[Guards]) -> Guards:
    """All must hold: the fewest guards of one that does not hold yet."""
    best: Guards = None
    for guards in conditions:
        if guards is not None and (best is None or len(guards) < len(best)):
            if not guards:
                return guards
            best = guards
    return best


def any_of(conditions: Iterable[Guards]) -> Guards:
    """One must hold."""
    found: list[frozenset[Symbol]] = []
    for guards in conditions:
        if guards is None:
            return None
        found.append(guards)
    return NEVER.union(*found)


def _two(conditions: Iterable[Guards]) -> Guards:
    """At least two must hold. Without any one of those that do not hold yet, one of the others is needed."""
    given = list(conditions)
    waiting = sorted((guards for guards in given if guards is not None), key=len)
    held = len(given) - len(waiting)
    if held >= 2:
        return None
    return NEVER.union(*waiting) if held == 1 else NEVER.union(*waiting[:-1])


class EmptyOutside:
    """Names outside the signature are empty, and individuals outside it are somewhere else."""

    def __init__(self, signature: set[Symbol]) -> None:
        self._signature = signature

    def matters(self, axiom: Expression) -> Guards:
        """The condition under which an axiom may be false if all other names are empty."""
        judge = _AXIOMS.get(axiom.head)
        if judge is None:
            return None
        guards = judge(self, *axiom.args)
        if guards is None or axiom.head in _ABOUT_INDIVIDUALS or not has_head(axiom, LOOKING_AT_ALL):
            return guards
        return any_of([guards, *map(self.known, sorted(_individuals_in(axiom), key=str))])

    def known(self, individual: Subject) -> Guards:
        """The individual is in the signature."""
        symbol = Individual(individual)
        return None if symbol in self._signature else frozenset({symbol})

    def one(self, *individuals: Argument) -> Guards:
        return any_of(self.known(subject(individual)) for individual in individuals)

    def both(self, *individuals: Argument) -> Guards:
        return all_of(self.known(subject(individual)) for individual in individuals)

    def used(self, name: Argument) -> Guards:
        """A named class or a property may have members."""
        if type(name) is Expression:  # the inverse of a property
            name = name.args[0]
        if name in self._signature or name in TOPS or type(name) is not NamedNode:
            return None
        return NEVER if name in BOTTOMS else frozenset({name})

    def filled(self, kind: Argument) -> Guards:
        """A class expression may have members."""
        if type(kind) is not Expression:
            return self.used(kind)
        return _FILLED[kind.head](self, *kind.args)

    def partial(self, kind: Argument) -> Guards:
        """A class expression or a data range may lack something."""
        if type(kind) is not Expression:
            return NEVER if kind in (OWL.Thing, RDFS.Literal) else None
        judge = _PARTIAL.get(kind.head)
        return None if judge is None else judge(self, *kind.args)


def _individuals_in(axiom: Expression) -> set[Subject]:
    return {subject(term) for kind, term in contents_of(axiom).names if kind == INDIVIDUAL}


_Judge: TypeAlias = Callable[..., Guards]


def _always(_locality: EmptyOutside, *_parts: Argument) -> Guards:
    return None


def _counted(locality: EmptyOutside, prop: Argument, *kind: Argument) -> Guards:
    return all_of([locality.used(prop), *map(locality.filled, kind)])


def _at_least(locality: EmptyOutside, least: Argument, prop: Argument, *kind: Argument) -> Guards:
    return _counted(locality, prop, *kind) if number(least) else None


def _data_at_least(locality: EmptyOutside, least: Argument, prop: Argument, *_values: Argument) -> Guards:
    return locality.used(prop) if number(least) else None


def _data_some(locality: EmptyOutside, *parts: Argument) -> Guards:
    return all_of(map(locality.used, parts[:-1]))


_FILLED: dict[str, _Judge] = {
    "ObjectIntersectionOf": lambda locality, *parts: all_of(map(locality.filled, parts)),
    "ObjectUnionOf": lambda locality, *parts: any_of(map(locality.filled, parts)),
    "ObjectComplementOf": lambda locality, part: locality.partial(part),
    "ObjectOneOf": EmptyOutside.one,
    "ObjectSomeValuesFrom": _counted,
    "ObjectAllValuesFrom": _always,
    "ObjectHasValue": lambda locality, prop, value: all_of([locality.used(prop), locality.one(value)]),
    "ObjectHasSelf": EmptyOutside.used,
    "ObjectMinCardinality": _at_least,
    "ObjectMaxCardinality": _always,
    "ObjectExactCardinality": _at_least,
    "DataSomeValuesFrom": _data_some,
    "DataAllValuesFrom": _always,
    "DataHasValue": _data_some,
    "DataMinCardinality": _data_at_least,
    "DataMaxCardinality": _always,
    "DataExactCardinality": _data_at_least,
}


def _no_less(_locality: EmptyOutside, least: Argument, *_rest: Argument) -> Guards:
    return None if number(least) else NEVER


def _at_most(locality: EmptyOutside, _most: Argument, prop: Argument, *kind: Argument) -> Guards:
    return _counted(locality, prop, *kind)


def _exactly(locality: EmptyOutside, wanted: Argument, prop: Argument, *kind: Argument) -> Guards:
    return None if number(wanted) else _counted(locality, prop, *kind)


def _data_at_most(locality: EmptyOutside, _most: Argument, prop: Argument, *_values: Argument) -> Guards:
    return locality.used(prop)


def _data_exactly(locality: EmptyOutside, wanted: Argument, prop: Argument, *_values: Argument) -> Guards:
    return None if number(wanted) else locality.used(prop)


_PARTIAL: dict[str, _Judge] = {
    "ObjectIntersectionOf": lambda locality, *parts: any_of(map(locality.partial, parts)),
    "ObjectUnionOf": lambda locality, *parts: all_of(map(locality.partial, parts)),
    "ObjectComplementOf": lambda locality, part: locality.filled(part),
    "ObjectAllValuesFrom": lambda locality, prop, kind: all_of([locality.used(prop), locality.partial(kind)]),
    "ObjectMinCardinality": _no_less,
    "ObjectMaxCardinality": _at_most,
    "ObjectExactCardinality": _exactly,
    "DataAllValuesFrom": lambda locality, *parts: all_of(
        [*map(locality.used, parts[:-1]), locality.partial(parts[-1])]
    ),
    "DataMinCardinality": _no_less,
    "DataMaxCardinality": _data_at_most,
    "DataExactCardinality": _data_exactly,
}


# -- axioms, if all other names are empty -----------------------------------------------------------------------------


def _sub_class(locality: EmptyOutside, lower: Argument, upper: Argument) -> Guards:
    return all_of([locality.filled(lower), locality.partial(upper)])


def _equivalent_classes(locality: EmptyOutside, *parts: Argument) -> Guards:
    return all_of([any_of(map(locality.filled, parts)), any_of(map(locality.partial, parts))])


def _sub_property(locality: EmptyOutside, lower: Argument, upper: Argument) -> Guards:
    if upper in TOPS:
        return NEVER
    steps = lower.args if is_headed(lower, "ObjectPropertyChain") else (lower,)
    return all_of(map(locality.used, steps))


def _some_property(locality: EmptyOutside, *parts: Argument) -> Guards:
    return any_of(map(locality.used, parts))


def _two_properties(locality: EmptyOutside, *parts: Argument) -> Guards:
    return _two(map(locality.used, parts))


def _domain_or_range(locality: EmptyOutside, prop: Argument, kind: Argument) -> Guards:
    return all_of([locality.used(prop), locality.partial(kind)])


def _key(locality: EmptyOutside, kind: Argument, objects: Argument, data: Argument) -> Guards:
    return all_of([locality.filled(kind), *map(locality.used, (*inner(objects).args, *inner(data).args))])


def _class_assertion(locality: EmptyOutside, kind: Argument, individual: Argument) -> Guards:
    others = contents_of(kind).names if type(kind) is Expression else []
    named = [subject(term) for what, term in others if what == INDIVIDUAL]
    return any_of([all_of([locality.one(individual), locality.partial(kind)]), *map(locality.known, named)])


def _assertion(locality: EmptyOutside, prop: Argument, *ends: Argument) -> Guards:
    return NEVER if prop in TOPS else locality.one(*ends)


def _negative_assertion(locality: EmptyOutside, prop: Argument, *ends: Argument) -> Guards:
    return all_of([locality.used(prop), locality.both(*ends)])


def _different(locality: EmptyOutside, *individuals: Argument) -> Guards:
    return _two(locality.known(subject(individual)) for individual in individuals)


_ABOUT_INDIVIDUALS: dict[str, _Judge] = {
    "ClassAssertion": _class_assertion,
    "ObjectPropertyAssertion": _assertion,
    "DataPropertyAssertion": lambda locality, prop, source, _value: _assertion(locality, prop, source),
    "NegativeObjectPropertyAssertion": _negative_assertion,
    "NegativeDataPropertyAssertion": lambda locality, prop, source, _value: _negative_assertion(locality, prop, source),
    "SameIndividual": EmptyOutside.one,
    "DifferentIndividuals": _different,
}

_AXIOMS: dict[str, _Judge] = {
    "SubClassOf": _sub_class,
    "EquivalentClasses": _equivalent_classes,
    "DisjointClasses": lambda locality, *parts: _two(map(locality.filled, parts)),
    "DisjointUnion": lambda locality, *parts: any_of(map(locality.filled, parts)),
    "SubObjectPropertyOf": _sub_property,
    "SubDataPropertyOf": _sub_property,
    **dict.fromkeys(["EquivalentObjectProperties", "EquivalentDataProperties"], _some_property),
    "InverseObjectProperties": _some_property,
    **dict.fromkeys(["DisjointObjectProperties", "DisjointDataProperties"], _two_properties),
    **dict.fromkeys(["ObjectPropertyDomain", "ObjectPropertyRange"], _domain_or_range),
    **dict.fromkeys(["DataPropertyDomain", "DataPropertyRange"], _domain_or_range),
    **dict.fromkeys(["FunctionalObjectProperty", "InverseFunctionalObjectProperty"], EmptyOutside.used),
    **dict.fromkeys(["FunctionalDataProperty", "TransitiveObjectProperty"], EmptyOutside.used),
    **dict.fromkeys(["SymmetricObjectProperty", "AsymmetricObjectProperty"], EmptyOutside.used),
    "IrreflexiveObjectProperty": EmptyOutside.used,
    "DatatypeDefinition": lambda locality, name, _values: locality.used(name),
    "HasKey": _key,
    **_ABOUT_INDIVIDUALS,
}
"""Axioms with other heads, such as ReflexiveObjectProperty and rules, always matter."""
