"""Which axioms can matter for a signature: syntactic locality.

An axiom cannot matter if it is true whatever the names of the signature mean, provided that all other names mean
nothing (`EmptyOutside`), or that they mean everything (`FullOutside`). Both are decided by looking at the axiom alone.

The answer is not yes or no, but a condition: the names one of which must join the signature before the axiom can
matter, its *guards*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from kgprobe.graph.axioms.expression import Argument, Expression, inner, is_headed, number, subject
from kgprobe.graph.axioms.grammar import CLASS, DATA_PROPERTY, DATATYPE, INDIVIDUAL, OBJECT_PROPERTY, contents_of
from kgprobe.graph.terms import OWL, RDFS, XSD, Literal, NamedNode, Subject
from kgprobe.ontology.datatypes import BUILT_IN_DATATYPES, is_well_formed

__all__ = [
    "LOOKING_AT_ALL",
    "NOMINALS",
    "EmptyOutside",
    "FullOutside",
    "Individual",
    "Symbol",
    "has_head",
    "symbols_of",
]


class Individual(NamedTuple):
    """An individual in a signature. The same name may also be a class or a property there."""

    name: Subject


Symbol: TypeAlias = NamedNode | Individual
_Guards: TypeAlias = frozenset[Symbol] | None
"""The symbols one of which must join before a condition can hold; None if it holds, empty if it never will."""

_NEVER: frozenset[Symbol] = frozenset()
_NAMED = frozenset({CLASS, OBJECT_PROPERTY, DATA_PROPERTY, DATATYPE})
_TOPS = frozenset({OWL.Thing, OWL.topObjectProperty, OWL.topDataProperty})
_BOTTOMS = frozenset({OWL.Nothing, OWL.bottomObjectProperty, OWL.bottomDataProperty})

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


def has_head(tree: Expression, heads: frozenset[str]) -> bool:
    """Whether one of these constructs occurs in an expression."""
    pending = [tree]
    while pending:
        current = pending.pop()
        if current.head in heads:
            return True
        pending += (argument for argument in current.args if type(argument) is Expression)
    return False


# -- conditions ------------------------------------------------------------------------------------------------------


def _all(conditions: Iterable[_Guards]) -> _Guards:
    """All must hold: the fewest guards of one that does not hold yet."""
    best: _Guards = None
    for guards in conditions:
        if guards is not None and (best is None or len(guards) < len(best)):
            if not guards:
                return guards
            best = guards
    return best


def _any(conditions: Iterable[_Guards]) -> _Guards:
    """One must hold."""
    found: list[frozenset[Symbol]] = []
    for guards in conditions:
        if guards is None:
            return None
        found.append(guards)
    return _NEVER.union(*found)


def _two(conditions: Iterable[_Guards]) -> _Guards:
    """At least two must hold. Without any one of those that do not hold yet, one of the others is needed."""
    given = list(conditions)
    waiting = sorted((guards for guards in given if guards is not None), key=len)
    held = len(given) - len(waiting)
    if held >= 2:
        return None
    return _NEVER.union(*waiting) if held == 1 else _NEVER.union(*waiting[:-1])


class EmptyOutside:
    """Names outside the signature are empty, and individuals outside it are somewhere else."""

    def __init__(self, signature: set[Symbol]) -> None:
        self._signature = signature

    def matters(self, axiom: Expression) -> _Guards:
        """The condition under which an axiom may be false if all other names are empty."""
        judge = _AXIOMS.get(axiom.head)
        if judge is None:
            return None
        guards = judge(self, *axiom.args)
        if guards is None or axiom.head in _ABOUT_INDIVIDUALS or not has_head(axiom, LOOKING_AT_ALL):
            return guards
        return _any([guards, *map(self.known, sorted(_individuals_in(axiom), key=str))])

    def known(self, individual: Subject) -> _Guards:
        """The individual is in the signature."""
        symbol = Individual(individual)
        return None if symbol in self._signature else frozenset({symbol})

    def one(self, *individuals: Argument) -> _Guards:
        return _any(self.known(subject(each)) for each in individuals)

    def both(self, *individuals: Argument) -> _Guards:
        return _all(self.known(subject(each)) for each in individuals)

    def used(self, name: Argument) -> _Guards:
        """A named class or a property may have members."""
        if type(name) is Expression:  # the inverse of a property
            name = name.args[0]
        if name in self._signature or name in _TOPS or type(name) is not NamedNode:
            return None
        return _NEVER if name in _BOTTOMS else frozenset({name})

    def filled(self, kind: Argument) -> _Guards:
        """A class expression may have members."""
        if type(kind) is not Expression:
            return self.used(kind)
        return _FILLED[kind.head](self, *kind.args)

    def partial(self, kind: Argument) -> _Guards:
        """A class expression or a data range may lack something."""
        if type(kind) is not Expression:
            return _NEVER if kind in (OWL.Thing, RDFS.Literal) else None
        judge = _PARTIAL.get(kind.head)
        return None if judge is None else judge(self, *kind.args)


def _individuals_in(axiom: Expression) -> set[Subject]:
    return {subject(term) for kind, term in contents_of(axiom).names if kind == INDIVIDUAL}


_Judge: TypeAlias = Callable[..., _Guards]


def _always(_locality: EmptyOutside, *_parts: Argument) -> _Guards:
    return None


def _counted(locality: EmptyOutside, prop: Argument, *kind: Argument) -> _Guards:
    return _all([locality.used(prop), *map(locality.filled, kind)])


def _at_least(locality: EmptyOutside, least: Argument, prop: Argument, *kind: Argument) -> _Guards:
    return _counted(locality, prop, *kind) if number(least) else None


def _data_at_least(locality: EmptyOutside, least: Argument, prop: Argument, *_values: Argument) -> _Guards:
    return locality.used(prop) if number(least) else None


def _data_some(locality: EmptyOutside, *parts: Argument) -> _Guards:
    return _all(map(locality.used, parts[:-1]))


_FILLED: dict[str, _Judge] = {
    "ObjectIntersectionOf": lambda locality, *parts: _all(map(locality.filled, parts)),
    "ObjectUnionOf": lambda locality, *parts: _any(map(locality.filled, parts)),
    "ObjectComplementOf": lambda locality, part: locality.partial(part),
    "ObjectOneOf": EmptyOutside.one,
    "ObjectSomeValuesFrom": _counted,
    "ObjectAllValuesFrom": _always,
    "ObjectHasValue": lambda locality, prop, value: _all([locality.used(prop), locality.one(value)]),
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


def _no_less(_locality: EmptyOutside, least: Argument, *_rest: Argument) -> _Guards:
    return None if number(least) else _NEVER


def _at_most(locality: EmptyOutside, _most: Argument, prop: Argument, *kind: Argument) -> _Guards:
    return _counted(locality, prop, *kind)


def _exactly(locality: EmptyOutside, wanted: Argument, prop: Argument, *kind: Argument) -> _Guards:
    return None if number(wanted) else _counted(locality, prop, *kind)


def _data_at_most(locality: EmptyOutside, _most: Argument, prop: Argument, *_values: Argument) -> _Guards:
    return locality.used(prop)


def _data_exactly(locality: EmptyOutside, wanted: Argument, prop: Argument, *_values: Argument) -> _Guards:
    return None if number(wanted) else locality.used(prop)


_PARTIAL: dict[str, _Judge] = {
    "ObjectIntersectionOf": lambda locality, *parts: _any(map(locality.partial, parts)),
    "ObjectUnionOf": lambda locality, *parts: _all(map(locality.partial, parts)),
    "ObjectComplementOf": lambda locality, part: locality.filled(part),
    "ObjectAllValuesFrom": lambda locality, prop, kind: _all([locality.used(prop), locality.partial(kind)]),
    "ObjectMinCardinality": _no_less,
    "ObjectMaxCardinality": _at_most,
    "ObjectExactCardinality": _exactly,
    "DataAllValuesFrom": lambda locality, *parts: _all([*map(locality.used, parts[:-1]), locality.partial(parts[-1])]),
    "DataMinCardinality": _no_less,
    "DataMaxCardinality": _data_at_most,
    "DataExactCardinality": _data_exactly,
}


# -- axioms, if all other names are empty -----------------------------------------------------------------------------


def _sub_class(locality: EmptyOutside, lower: Argument, upper: Argument) -> _Guards:
    return _all([locality.filled(lower), locality.partial(upper)])


def _equivalent_classes(locality: EmptyOutside, *parts: Argument) -> _Guards:
    return _all([_any(map(locality.filled, parts)), _any(map(locality.partial, parts))])


def _sub_property(locality: EmptyOutside, lower: Argument, upper: Argument) -> _Guards:
    if upper in _TOPS:
        return _NEVER
    steps = lower.args if is_headed(lower, "ObjectPropertyChain") else (lower,)
    return _all(map(locality.used, steps))


def _some_property(locality: EmptyOutside, *parts: Argument) -> _Guards:
    return _any(map(locality.used, parts))


def _two_properties(locality: EmptyOutside, *parts: Argument) -> _Guards:
    return _two(map(locality.used, parts))


def _domain_or_range(locality: EmptyOutside, prop: Argument, kind: Argument) -> _Guards:
    return _all([locality.used(prop), locality.partial(kind)])


def _key(locality: EmptyOutside, kind: Argument, objects: Argument, data: Argument) -> _Guards:
    return _all([locality.filled(kind), *map(locality.used, (*inner(objects).args, *inner(data).args))])


def _class_assertion(locality: EmptyOutside, kind: Argument, individual: Argument) -> _Guards:
    others = contents_of(kind).names if type(kind) is Expression else []
    named = [subject(term) for what, term in others if what == INDIVIDUAL]
    return _any([_all([locality.one(individual), locality.partial(kind)]), *map(locality.known, named)])


def _assertion(locality: EmptyOutside, prop: Argument, *ends: Argument) -> _Guards:
    return _NEVER if prop in _TOPS else locality.one(*ends)


def _negative_assertion(locality: EmptyOutside, prop: Argument, *ends: Argument) -> _Guards:
    return _all([locality.used(prop), locality.both(*ends)])


def _different(locality: EmptyOutside, *individuals: Argument) -> _Guards:
    return _two(locality.known(subject(each)) for each in individuals)


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
    "DisjointUnion": lambda locality, *parts: _any(map(locality.filled, parts)),
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


# -- axioms, if all other names are full -------------------------------------------------------------------------------

_MOST_DIGITS = 20  # more would need more precision than Decimal has by default
_INFINITE = frozenset({RDFS.Literal, XSD.string, XSD.integer, XSD.decimal})


class FullOutside:
    """Classes and properties outside the signature have all members. Individuals are never outside."""

    def __init__(self, signature: set[Symbol]) -> None:
        self._signature = signature

    def matters(self, axiom: Expression) -> _Guards:
        """The condition under which an axiom may be false if all other names are full."""
        judge = _FULL_AXIOMS.get(axiom.head)
        return None if judge is None else judge(self, *axiom.args)

    def used(self, name: Argument) -> _Guards:
        """A named class or a property may lack members."""
        if type(name) is Expression:  # the inverse of a property
            name = name.args[0]
        if name in _TOPS:
            return _NEVER
        if name in self._signature or name in _BOTTOMS or type(name) is not NamedNode:
            return None
        return frozenset({name})

    def partial(self, kind: Argument) -> _Guards:
        """A class expression may lack something."""
        if type(kind) is not Expression:
            return self.used(kind)
        judge = _FULL_PARTIAL.get(kind.head)
        return None if judge is None else judge(self, *kind.args)

    def filled(self, kind: Argument) -> _Guards:
        """A class expression may have members."""
        if type(kind) is not Expression:
            return _NEVER if kind in _BOTTOMS else None
        match kind.head:
            case "ObjectComplementOf":
                return self.partial(kind.args[0])
            case "ObjectIntersectionOf":
                return _all(map(self.filled, kind.args))
            case "ObjectUnionOf":
                return _any(map(self.filled, kind.args))
            case "ObjectSomeValuesFrom":
                return self.filled(kind.args[1])
        return None

    def values(self, prop: Argument, *values: Argument) -> _Guards:
        """A data property may lack one of any number of values of a range."""
        return self.used(prop) if all(each in _INFINITE for each in values) else None

    def value(self, prop: Argument, values: Argument) -> _Guards:
        """A data property may lack all values of a range."""
        return self.used(prop) if _has_values(values) else None


def _full_some(locality: FullOutside, prop: Argument, *kind: Argument) -> _Guards:
    return _any([locality.used(prop), *map(locality.partial, kind)])


def _full_at_least(locality: FullOutside, least: Argument, prop: Argument, *kind: Argument) -> _Guards:
    if number(least) == 0:
        return _NEVER
    return _full_some(locality, prop, *kind) if number(least) == 1 else None


def _full_data_some(locality: FullOutside, *parts: Argument) -> _Guards:
    return locality.value(*parts) if len(parts) == 2 else None


def _has_values(values: Argument) -> bool:
    """Whether a data range is known to have values: a datatype, or numbers with bounds that leave room."""
    if type(values) is not Expression:
        return values in BUILT_IN_DATATYPES
    if values.head == "DataUnionOf":
        return any(map(_has_values, values.args))
    if values.head != "DatatypeRestriction" or values.args[0] not in (XSD.integer, XSD.decimal):
        return False
    bounds: dict[Argument, list[Decimal]] = {}
    for facet, bound in zip(values.args[1::2], values.args[2::2], strict=True):
        found = _number(bound)
        if found is None:
            return False
        bounds.setdefault(facet, []).append(found)
    step = 1 if values.args[0] == XSD.integer else 0
    least = max(
        [*bounds.pop(XSD.minInclusive, []), *(each + step for each in bounds.pop(XSD.minExclusive, []))], default=None
    )
    most = min(
        [*bounds.pop(XSD.maxInclusive, []), *(each - step for each in bounds.pop(XSD.maxExclusive, []))], default=None
    )
    # Strictly less, since the bounds of decimals may be exclusive.
    return not bounds and (least is None or most is None or least < most or (step == 1 and least == most))


def _number(argument: Argument) -> Decimal | None:
    """A whole number, if the argument is one: the bounds of filters are."""
    if type(argument) is not Literal or argument.datatype != XSD.integer or len(argument.value) > _MOST_DIGITS:
        return None
    return Decimal(argument.value) if is_well_formed(argument) else None


def _full_data_at_least(locality: FullOutside, least: Argument, *parts: Argument) -> _Guards:
    return locality.values(*parts) if number(least) else _NEVER


_FULL_PARTIAL: dict[str, Callable[..., _Guards]] = {
    "ObjectIntersectionOf": lambda locality, *parts: _any(map(locality.partial, parts)),
    "ObjectUnionOf": lambda locality, *parts: _all(map(locality.partial, parts)),
    "ObjectComplementOf": lambda locality, part: locality.filled(part),
    "ObjectSomeValuesFrom": _full_some,
    "ObjectAllValuesFrom": lambda locality, _prop, kind: locality.partial(kind),
    "ObjectHasValue": lambda locality, prop, _value: locality.used(prop),
    "ObjectHasSelf": FullOutside.used,
    "ObjectMinCardinality": _full_at_least,
    "DataSomeValuesFrom": _full_data_some,
    "DataHasValue": lambda locality, prop, _value: locality.used(prop),
    "DataMinCardinality": _full_data_at_least,
}


def _full_sub_class(locality: FullOutside, lower: Argument, upper: Argument) -> _Guards:
    return _all([locality.filled(lower), locality.partial(upper)])


def _full_equivalent(locality: FullOutside, *parts: Argument) -> _Guards:
    return _all([_any(map(locality.filled, parts)), _any(map(locality.partial, parts))])


def _full_upper(locality: FullOutside, _lower: Argument, upper: Argument) -> _Guards:
    return locality.used(upper)


def _full_any(locality: FullOutside, *parts: Argument) -> _Guards:
    return _any(map(locality.used, parts))


def _full_end(locality: FullOutside, _prop: Argument, kind: Argument) -> _Guards:
    return locality.partial(kind)


def _full_link(locality: FullOutside, prop: Argument, *_ends: Argument) -> _Guards:
    return locality.used(prop)


_FULL_AXIOMS: dict[str, Callable[..., _Guards]] = {
    "SubClassOf": _full_sub_class,
    "EquivalentClasses": _full_equivalent,
    **dict.fromkeys(["SubObjectPropertyOf", "SubDataPropertyOf"], _full_upper),
    **dict.fromkeys(["EquivalentObjectProperties", "EquivalentDataProperties"], _full_any),
    "InverseObjectProperties": _full_any,
    **dict.fromkeys(
        ["ObjectPropertyDomain", "ObjectPropertyRange", "DataPropertyDomain"],
        lambda locality, _, kind: locality.partial(kind),
    ),
    **dict.fromkeys(
        ["SymmetricObjectProperty", "TransitiveObjectProperty", "ReflexiveObjectProperty"], FullOutside.used
    ),
    "DataPropertyRange": lambda _, _prop, values: _NEVER if values == RDFS.Literal else None,
    "DatatypeDefinition": lambda locality, name, _values: locality.used(name),
    "ClassAssertion": lambda locality, kind, _individual: locality.partial(kind),
    **dict.fromkeys(
        ["ObjectPropertyAssertion", "DataPropertyAssertion"], lambda locality, prop, *_: locality.used(prop)
    ),
}
"""Axioms with other heads always matter: only they and the empty class can be the cause of a contradiction."""
