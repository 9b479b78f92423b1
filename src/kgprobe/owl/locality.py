"""Which axioms can matter for a signature: syntactic locality.

An axiom cannot matter if it is true whatever the names of the signature mean, provided that all other names mean
nothing (`EmptyOutside`), or that they mean everything (`FullOutside`). Both are decided by looking at the axiom alone.

The answer is not yes or no, but a condition: the names one of which must join the signature before the axiom can
matter, its *guards*. They follow from whether classes and properties may have members and links, or may lack some; the
two kinds of locality differ only in that. `meaning` explains what class expressions are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeAlias

from kgprobe.owl.datatypes import BUILT_IN_DATATYPES, is_well_formed
from kgprobe.owl.expression import Argument, Expression, has_head, inner, is_headed, subject
from kgprobe.owl.grammar import CLASS, DATA_PROPERTY, DATATYPE, INDIVIDUAL, OBJECT_PROPERTY, contents_of
from kgprobe.owl.meaning import evaluate, simpler
from kgprobe.rdf.terms import OWL, RDFS, XSD, Literal, NamedNode, Subject


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


class _Locality(Protocol):
    """What classes and properties may be like, if the names outside a signature are alike."""

    def matters(self, axiom: Expression) -> Guards:
        """An axiom may be false."""

    def filled(self, kind: Argument) -> Guards:
        """A class expression may have members."""

    def partial(self, kind: Argument) -> Guards:
        """A class expression may lack something."""

    def linking(self, prop: Argument) -> Guards:
        """A property may have links."""

    def lacking(self, prop: Argument) -> Guards:
        """A property may lack links."""

    def known(self, individual: Argument) -> Guards:
        """An individual is in the signature."""

    def used(self, name: Argument) -> Guards:
        """A name is in the signature."""


class EmptyOutside:
    """Names outside the signature are empty, and individuals outside it are somewhere else."""

    all_of = staticmethod(all_of)
    any_of = staticmethod(any_of)

    def __init__(self, signature: set[Symbol]) -> None:
        self._signature = signature

    def matters(self, axiom: Expression) -> Guards:
        """The condition under which an axiom may be false if all other names are empty."""
        judge = _AXIOMS.get(axiom.head)
        guards = _explained(self, axiom) if judge is None else judge(self, *axiom.args)
        if guards is None or not has_head(axiom, LOOKING_AT_ALL):
            return guards
        if axiom.head not in _ABOUT_INDIVIDUALS:
            connected = _individuals_in(axiom)
        elif axiom.head == "ClassAssertion":
            connected = _individuals_in(axiom.args[0])
        else:
            return guards
        return any_of([guards, *map(self.known, sorted(connected, key=str))])

    def known(self, individual: Argument) -> Guards:
        symbol = Individual(subject(individual))
        return None if symbol in self._signature else frozenset({symbol})

    def used(self, name: Argument) -> Guards:
        """A name may have a meaning, as have those in the signature."""
        if type(name) is Expression:  # the inverse of a property
            name = name.args[0]
        if name in self._signature or name in TOPS or type(name) is not NamedNode:
            return None
        return NEVER if name in BOTTOMS else frozenset({name})

    linking = used

    def lacking(self, prop: Argument) -> Guards:
        return NEVER if _without_inverse(prop) in TOPS else None

    def filled(self, kind: Argument) -> Guards:
        return evaluate(kind, self, None) if type(kind) is Expression else self.used(kind)

    def partial(self, kind: Argument) -> Guards:
        if type(kind) is Expression:
            return evaluate(kind, self, None, is_negated=True)
        return NEVER if kind == OWL.Thing else None

    def in_class(self, name: Argument, _: None, *, is_negated: bool) -> Guards:
        return self.partial(name) if is_negated else self.used(name)

    def one_of(self, individuals: Iterable[Argument], _: None, *, is_negated: bool) -> Guards:
        return None if is_negated else any_of(map(self.known, individuals))

    def has_self(self, prop: Argument, _: None, *, is_negated: bool) -> Guards:
        return None if is_negated else self.used(prop)

    def has_value(self, prop: Argument, individual: Argument, _: None, *, is_negated: bool) -> Guards:
        return None if is_negated else all_of([self.used(prop), self.known(individual)])

    def has_literal(self, prop: Argument, _literal: Argument, _: None, *, is_negated: bool) -> Guards:
        return None if is_negated else self.used(prop)

    def at_least(self, least: int, prop: Argument, kind: Argument, _: None, *, is_negated: bool) -> Guards:
        if is_negated:
            return None if least else NEVER
        return all_of([self.used(prop), self.filled(kind)]) if least else None

    def at_least_values(
        self, least: int, props: Sequence[Argument], values: Argument, _: None, *, is_negated: bool
    ) -> Guards:
        if is_negated:
            return None if least else NEVER
        if not least:
            return None
        return NEVER if values == _NO_VALUE else all_of(map(self.used, props))


_NO_VALUE = Expression("DataComplementOf", RDFS.Literal)


def _without_inverse(prop: Argument) -> Argument:
    return prop.args[0] if type(prop) is Expression else prop


def _individuals_in(part: Argument) -> set[Subject]:
    if type(part) is not Expression:
        return set()
    return {subject(term) for kind, term in contents_of(part).names if kind == INDIVIDUAL}


class FullOutside:
    """Classes and properties outside the signature have all members. Individuals are never outside."""

    all_of = staticmethod(all_of)
    any_of = staticmethod(any_of)

    def __init__(self, signature: set[Symbol]) -> None:
        self._signature = signature

    def matters(self, axiom: Expression) -> Guards:
        """The condition under which an axiom may be false if all other names are full."""
        judge = _AXIOMS.get(axiom.head)
        return _explained(self, axiom) if judge is None else judge(self, *axiom.args)

    def known(self, _individual: Argument) -> Guards:
        return None

    def used(self, name: Argument) -> Guards:
        """A name may have another meaning than all, as may those in the signature."""
        if type(name) is Expression:  # the inverse of a property
            name = name.args[0]
        if name in TOPS:
            return NEVER
        if name in self._signature or name in BOTTOMS or type(name) is not NamedNode:
            return None
        return frozenset({name})

    lacking = used

    def linking(self, prop: Argument) -> Guards:
        return NEVER if _without_inverse(prop) in BOTTOMS else None

    def filled(self, kind: Argument) -> Guards:
        if type(kind) is Expression:
            return evaluate(kind, self, None)
        return NEVER if kind in BOTTOMS else None

    def partial(self, kind: Argument) -> Guards:
        return evaluate(kind, self, None, is_negated=True) if type(kind) is Expression else self.used(kind)

    def in_class(self, name: Argument, _: None, *, is_negated: bool) -> Guards:
        return self.used(name) if is_negated else self.filled(name)

    def one_of(self, _individuals: object, _: None, *, is_negated: bool) -> Guards:  # noqa: ARG002 - always
        return None

    def has_self(self, prop: Argument, _: None, *, is_negated: bool) -> Guards:
        return self.used(prop) if is_negated else None

    def has_value(self, prop: Argument, _value: Argument, _: None, *, is_negated: bool) -> Guards:
        return self.used(prop) if is_negated else None

    has_literal = has_value

    def at_least(self, least: int, prop: Argument, kind: Argument, _: None, *, is_negated: bool) -> Guards:
        if not is_negated:
            return self.filled(kind) if least else None
        if least > 1:
            return None
        return any_of([self.used(prop), self.partial(kind)]) if least else NEVER

    def at_least_values(
        self, least: int, props: Sequence[Argument], values: Argument, _: None, *, is_negated: bool
    ) -> Guards:
        if not is_negated:
            return None
        if not least:
            return NEVER
        are_enough = values in _INFINITE or (least == 1 and _has_values(values))
        return self.used(props[0]) if are_enough and len(props) == 1 else None


_MOST_DIGITS = 20  # more would need more precision than Decimal has by default
_INFINITE = frozenset({RDFS.Literal, XSD.string, XSD.integer, XSD.decimal})


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
        [*bounds.pop(XSD.minInclusive, []), *(bound + step for bound in bounds.pop(XSD.minExclusive, []))], default=None
    )
    most = min(
        [*bounds.pop(XSD.maxInclusive, []), *(bound - step for bound in bounds.pop(XSD.maxExclusive, []))], default=None
    )
    # Strictly less, since the bounds of decimals may be exclusive.
    return not bounds and (least is None or most is None or least < most or (step == 1 and least == most))


def _number(argument: Argument) -> Decimal | None:
    """A whole number, if the argument is one: the bounds of filters are."""
    if type(argument) is not Literal or argument.datatype != XSD.integer or len(argument.value) > _MOST_DIGITS:
        return None
    return Decimal(argument.value) if is_well_formed(argument) else None


# -- axioms ------------------------------------------------------------------------------------------------------------


def _explained(locality: _Locality, axiom: Expression) -> Guards:
    parts = simpler(axiom)
    return any_of(map(locality.matters, parts)) if parts else None


def _sub_class(locality: _Locality, lower: Argument, upper: Argument) -> Guards:
    return all_of([locality.filled(lower), locality.partial(upper)])


def _equivalent_classes(locality: _Locality, *parts: Argument) -> Guards:
    return all_of([any_of(map(locality.filled, parts)), any_of(map(locality.partial, parts))])


def _disjoint_classes(locality: _Locality, *parts: Argument) -> Guards:
    return _two(map(locality.filled, parts))


def _sub_property(locality: _Locality, lower: Argument, upper: Argument) -> Guards:
    steps = lower.args if is_headed(lower, "ObjectPropertyChain") else (lower,)
    return all_of([*map(locality.linking, steps), locality.lacking(upper)])


def _disjoint_properties(locality: _Locality, *parts: Argument) -> Guards:
    return _two(map(locality.linking, parts))


def _linking(locality: _Locality, prop: Argument) -> Guards:
    return locality.linking(prop)


def _lacking(locality: _Locality, prop: Argument) -> Guards:
    return locality.lacking(prop)


def _domain(locality: _Locality, prop: Argument, kind: Argument) -> Guards:
    return all_of([locality.linking(prop), locality.partial(kind)])


def _data_range(locality: _Locality, prop: Argument, values: Argument) -> Guards:
    return NEVER if values == RDFS.Literal else locality.linking(prop)


def _datatype(locality: _Locality, name: Argument, _values: Argument) -> Guards:
    return locality.used(name)


def _key(locality: _Locality, kind: Argument, objects: Argument, data: Argument) -> Guards:
    return all_of([locality.filled(kind), *map(locality.linking, (*inner(objects).args, *inner(data).args))])


def _class_assertion(locality: _Locality, kind: Argument, individual: Argument) -> Guards:
    return all_of([locality.known(individual), locality.partial(kind)])


def _assertion(locality: _Locality, prop: Argument, *ends: Argument) -> Guards:
    return all_of([locality.lacking(prop), any_of(map(locality.known, ends))])


def _negative_assertion(locality: _Locality, prop: Argument, *ends: Argument) -> Guards:
    return all_of([locality.linking(prop), *map(locality.known, ends)])


def _same(locality: _Locality, *individuals: Argument) -> Guards:
    return any_of(map(locality.known, individuals))


def _different(locality: _Locality, *individuals: Argument) -> Guards:
    return _two(map(locality.known, individuals))


_ABOUT_INDIVIDUALS: dict[str, Callable[..., Guards]] = {
    "ClassAssertion": _class_assertion,
    "ObjectPropertyAssertion": _assertion,
    "DataPropertyAssertion": lambda locality, prop, source, _value: _assertion(locality, prop, source),
    "NegativeObjectPropertyAssertion": _negative_assertion,
    "NegativeDataPropertyAssertion": lambda locality, prop, source, _value: _negative_assertion(locality, prop, source),
    "SameIndividual": _same,
    "DifferentIndividuals": _different,
}

_AXIOMS: dict[str, Callable[..., Guards]] = {
    "SubClassOf": _sub_class,
    "EquivalentClasses": _equivalent_classes,
    "DisjointClasses": _disjoint_classes,
    **dict.fromkeys(["SubObjectPropertyOf", "SubDataPropertyOf"], _sub_property),
    **dict.fromkeys(["DisjointObjectProperties", "DisjointDataProperties"], _disjoint_properties),
    "ObjectPropertyDomain": _domain,
    "DataPropertyRange": _data_range,
    **dict.fromkeys(["FunctionalObjectProperty", "FunctionalDataProperty", "IrreflexiveObjectProperty"], _linking),
    "ReflexiveObjectProperty": _lacking,
    "DatatypeDefinition": _datatype,
    "HasKey": _key,
    **_ABOUT_INDIVIDUALS,
}
"""The other axioms are explained by these; what cannot be explained, such as a rule, always matters."""
