"""Which axioms can matter for a signature if all other names mean everything: the other kind of locality."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from kgprobe.owl.datatypes import BUILT_IN_DATATYPES, is_well_formed
from kgprobe.owl.expression import Argument, Expression, number
from kgprobe.owl.locality import BOTTOMS, NEVER, TOPS, Guards, Symbol, all_of, any_of
from kgprobe.rdf.terms import RDFS, XSD, Literal, NamedNode

__all__ = ["FullOutside"]

_MOST_DIGITS = 20  # more would need more precision than Decimal has by default
_INFINITE = frozenset({RDFS.Literal, XSD.string, XSD.integer, XSD.decimal})


class FullOutside:
    """Classes and properties outside the signature have all members. Individuals are never outside."""

    def __init__(self, signature: set[Symbol]) -> None:
        self._signature = signature

    def matters(self, axiom: Expression) -> Guards:
        """The condition under which an axiom may be false if all other names are full."""
        judge = _FULL_AXIOMS.get(axiom.head)
        return None if judge is None else judge(self, *axiom.args)

    def used(self, name: Argument) -> Guards:
        """A named class or a property may lack members."""
        if type(name) is Expression:  # the inverse of a property
            name = name.args[0]
        if name in TOPS:
            return NEVER
        if name in self._signature or name in BOTTOMS or type(name) is not NamedNode:
            return None
        return frozenset({name})

    def partial(self, kind: Argument) -> Guards:
        """A class expression may lack something."""
        if type(kind) is not Expression:
            return self.used(kind)
        judge = _FULL_PARTIAL.get(kind.head)
        return None if judge is None else judge(self, *kind.args)

    def filled(self, kind: Argument) -> Guards:
        """A class expression may have members."""
        if type(kind) is not Expression:
            return NEVER if kind in BOTTOMS else None
        match kind.head:
            case "ObjectComplementOf":
                return self.partial(kind.args[0])
            case "ObjectIntersectionOf":
                return all_of(map(self.filled, kind.args))
            case "ObjectUnionOf":
                return any_of(map(self.filled, kind.args))
            case "ObjectSomeValuesFrom":
                return self.filled(kind.args[1])
        return None

    def values(self, prop: Argument, *values: Argument) -> Guards:
        """A data property may lack one of any number of values of a range."""
        return self.used(prop) if all(each in _INFINITE for each in values) else None

    def value(self, prop: Argument, values: Argument) -> Guards:
        """A data property may lack all values of a range."""
        return self.used(prop) if _has_values(values) else None


def _full_some(locality: FullOutside, prop: Argument, *kind: Argument) -> Guards:
    return any_of([locality.used(prop), *map(locality.partial, kind)])


def _full_at_least(locality: FullOutside, least: Argument, prop: Argument, *kind: Argument) -> Guards:
    if number(least) == 0:
        return NEVER
    return _full_some(locality, prop, *kind) if number(least) == 1 else None


def _full_data_some(locality: FullOutside, *parts: Argument) -> Guards:
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


def _full_data_at_least(locality: FullOutside, least: Argument, *parts: Argument) -> Guards:
    return locality.values(*parts) if number(least) else NEVER


_FULL_PARTIAL: dict[str, Callable[..., Guards]] = {
    "ObjectIntersectionOf": lambda locality, *parts: any_of(map(locality.partial, parts)),
    "ObjectUnionOf": lambda locality, *parts: all_of(map(locality.partial, parts)),
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


def _full_sub_class(locality: FullOutside, lower: Argument, upper: Argument) -> Guards:
    return all_of([locality.filled(lower), locality.partial(upper)])


def _full_equivalent(locality: FullOutside, *parts: Argument) -> Guards:
    return all_of([any_of(map(locality.filled, parts)), any_of(map(locality.partial, parts))])


def _full_upper(locality: FullOutside, _lower: Argument, upper: Argument) -> Guards:
    return locality.used(upper)


def _full_any(locality: FullOutside, *parts: Argument) -> Guards:
    return any_of(map(locality.used, parts))


def _full_end(locality: FullOutside, _prop: Argument, kind: Argument) -> Guards:
    return locality.partial(kind)


def _full_link(locality: FullOutside, prop: Argument, *_ends: Argument) -> Guards:
    return locality.used(prop)


_FULL_AXIOMS: dict[str, Callable[..., Guards]] = {
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
    "DataPropertyRange": lambda _, _prop, values: NEVER if values == RDFS.Literal else None,
    "DatatypeDefinition": lambda locality, name, _values: locality.used(name),
    "ClassAssertion": lambda locality, kind, _individual: locality.partial(kind),
    **dict.fromkeys(
        ["ObjectPropertyAssertion", "DataPropertyAssertion"], lambda locality, prop, *_: locality.used(prop)
    ),
}
"""Axioms with other heads always matter: only they and the empty class can be the cause of a contradiction."""
