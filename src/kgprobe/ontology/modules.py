"""Modules: the few axioms of an ontology that can matter for some names, found without looking at the others.

A module decides the same as the whole: if the ontology is consistent, then statements about some names contradict it
exactly if they contradict the module of these names. The method is syntactic locality (Cuenca Grau and others, "Modular
Reuse of Ontologies", 2008). An axiom that is true whenever all names outside the signature are empty cannot matter. An
axiom that can matter joins the module, and its names join the signature, until nothing changes.

Individuals. A model of the statements and the module, beside a model of the ontology, is a model of both, if nothing
connects the two. So an assertion joins the module only if it mentions an individual of the signature. Four things look
at all individuals at once: classes that list individuals, keys, rules, and the universal property. If the module has
one of the first three, or the ontology has the last, the module gets all assertions.

Speed. For each axiom, the names that must join the signature before the axiom can matter are its *guards*. For
`A and (p some B) SubClassOf C`, one guard is enough: `A`. When a guard joins, the axiom is examined again, and gets
another guard or joins the module. So the cost depends on the module, not on the ontology.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from kgprobe.graph.axioms.expression import Argument, Expression, inner, is_headed, number, subject
from kgprobe.graph.axioms.grammar import CLASS, DATA_PROPERTY, DATATYPE, INDIVIDUAL, OBJECT_PROPERTY, contents_of
from kgprobe.graph.terms import OWL, RDFS, NamedNode, Subject

__all__ = ["Module", "Modules"]


class _Individual(NamedTuple):
    """An individual in a signature. The same name may also be a class or a property there."""

    name: Subject


_Symbol: TypeAlias = NamedNode | _Individual
_Guards: TypeAlias = frozenset[_Symbol] | None
"""The symbols one of which must join before a condition can hold; None if it holds, empty if it never will."""

_NEVER: frozenset[_Symbol] = frozenset()
_NAMED = frozenset({CLASS, OBJECT_PROPERTY, DATA_PROPERTY, DATATYPE})
_TOPS = frozenset({OWL.Thing, OWL.topObjectProperty, OWL.topDataProperty})
_BOTTOMS = frozenset({OWL.Nothing, OWL.bottomObjectProperty, OWL.bottomDataProperty})
_NOMINALS = frozenset({"ObjectOneOf", "ObjectHasValue"})
_LOOKING_AT_ALL = _NOMINALS | {"HasKey", "DLSafeRule"}


@dataclass(frozen=True, slots=True)
class Module:
    """The axioms that can matter, in the order of the ontology.

    `shortened` has axioms that say that many individuals differ, each with its form for the individuals that matter.
    With `is_connected`, the module looks at all individuals at once, and `has_nominals` if it lists some in a class.
    """

    axioms: tuple[Expression, ...]
    shortened: dict[Expression, Expression]
    is_connected: bool
    has_nominals: bool

    def stated(self) -> Iterator[Expression]:
        """The axioms, with the shortened ones in place of the original ones."""
        return (self.shortened.get(axiom, axiom) for axiom in self.axioms)


class Modules:
    """The modules of one ontology. Built in time linear in the ontology, for many signatures."""

    def __init__(self, axioms: Iterable[Expression]) -> None:
        self._axioms = tuple(dict.fromkeys(axioms))
        self._symbols = [_symbols_of(axiom) for axiom in self._axioms]
        has_universal = any(map(_is_universal, self._axioms, self._symbols))
        individuals: set[_Symbol] = {each for symbols in self._symbols for each in symbols if type(each) is _Individual}
        self._connected = _Base(self._axioms, self._symbols, individuals)
        self._separate = self._connected if has_universal else _Base(self._axioms, self._symbols, set())

    def of(self, statements: Iterable[Expression]) -> Module:
        """The module for statements: for all names in them."""
        wanted = {symbol for each in statements for symbol in _symbols_of(each)}
        found = self._separate.extended(wanted)
        is_connected = self._separate is self._connected or self._have(found.chosen, _LOOKING_AT_ALL)
        if is_connected and self._separate is not self._connected:
            found = self._connected.extended(wanted)
        return self._module(found, is_connected)

    def _have(self, places: Iterable[int], heads: frozenset[str]) -> bool:
        return any(_has_head(self._axioms[place], heads) for place in places)

    def _module(self, found: _Extraction, is_connected: bool) -> Module:
        axioms = [self._axioms[place] for place in sorted(found.chosen)]
        shortened = {}
        for axiom in axioms:
            if axiom.head == "DifferentIndividuals":
                kept = [each for each in axiom.args if _Individual(subject(each)) in found.signature]
                if len(kept) < len(axiom.args):
                    shortened[axiom] = Expression(axiom.head, *kept)
        has_nominals = is_connected and self._have(found.chosen, _NOMINALS)
        return Module(tuple(axioms), shortened, is_connected, has_nominals)


@dataclass(slots=True)
class _Extraction:
    signature: set[_Symbol]
    chosen: set[int]


class _Base:
    """The part of every module, and the guards of all other axioms."""

    def __init__(
        self, axioms: Sequence[Expression], symbols: Sequence[frozenset[_Symbol]], individuals: set[_Symbol]
    ) -> None:
        self._axioms = axioms
        self._symbols = symbols
        self._guarded: dict[_Symbol, list[int]] = {}
        self._base = _Extraction(set(individuals), set())
        self._extend(self._base, range(len(axioms)), [], self._guarded)

    def extended(self, symbols: Iterable[_Symbol]) -> _Extraction:
        """The module for a signature."""
        found = _Extraction(set(self._base.signature), set(self._base.chosen))
        new = [symbol for symbol in symbols if symbol not in found.signature]
        found.signature.update(new)
        self._extend(found, (), new, {})
        return found

    def _extend(
        self, found: _Extraction, places: Iterable[int], new: list[_Symbol], guarded: dict[_Symbol, list[int]]
    ) -> None:
        """Examines the axioms in these places, and all that become relevant because of new symbols."""
        locality = _Locality(found.signature)
        examined = list(places)
        while examined or new:
            for place in examined:
                if place in found.chosen:
                    continue
                guards = locality.matters(self._axioms[place])
                if guards is None:
                    found.chosen.add(place)
                    joined = [each for each in self._joining(place) if each not in found.signature]
                    found.signature.update(joined)
                    new += joined
                else:
                    for guard in guards:
                        guarded.setdefault(guard, []).append(place)
            examined = []
            while new and not examined:
                symbol = new.pop()
                examined = guarded.pop(symbol, [])
                if guarded is not self._guarded:
                    examined = examined + self._guarded.get(symbol, [])

    def _joining(self, place: int) -> Iterable[_Symbol]:
        """The symbols that join with an axiom. Individuals that it only tells apart do not."""
        if self._axioms[place].head == "DifferentIndividuals":
            return ()
        return self._symbols[place]


def _symbols_of(axiom: Expression) -> frozenset[_Symbol]:
    found: set[_Symbol] = set()
    for kind, term in contents_of(axiom).names:
        if kind == INDIVIDUAL:
            found.add(_Individual(subject(term)))
        elif kind in _NAMED and type(term) is NamedNode:
            found.add(term)
    return frozenset(found)


def _is_universal(axiom: Expression, symbols: frozenset[_Symbol]) -> bool:
    """Whether an axiom uses the property that links everything, other than to say that it is above a property."""
    is_truism = axiom.head == "SubObjectPropertyOf" and axiom.args[1] == OWL.topObjectProperty
    return OWL.topObjectProperty in symbols and not is_truism


def _has_head(tree: Expression, heads: frozenset[str]) -> bool:
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
    found: list[frozenset[_Symbol]] = []
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


class _Locality:
    """Which axioms can matter for a signature. Names outside it count as empty; so do individuals in class lists."""

    def __init__(self, signature: set[_Symbol]) -> None:
        self._signature = signature

    def matters(self, axiom: Expression) -> _Guards:
        """The condition under which an axiom may be false if all other names are empty."""
        judge = _AXIOMS.get(axiom.head)
        if judge is None:
            return None
        guards = judge(self, *axiom.args)
        if guards is None or axiom.head in _ABOUT_INDIVIDUALS or not _has_head(axiom, _LOOKING_AT_ALL):
            return guards
        return _any([guards, *map(self.known, sorted(_individuals_in(axiom), key=str))])

    def known(self, individual: Subject) -> _Guards:
        """The individual is in the signature."""
        symbol = _Individual(individual)
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


def _always(_locality: _Locality, *_parts: Argument) -> _Guards:
    return None


def _counted(locality: _Locality, prop: Argument, *kind: Argument) -> _Guards:
    return _all([locality.used(prop), *map(locality.filled, kind)])


def _at_least(locality: _Locality, least: Argument, prop: Argument, *kind: Argument) -> _Guards:
    return _counted(locality, prop, *kind) if number(least) else None


def _data_at_least(locality: _Locality, least: Argument, prop: Argument, *_values: Argument) -> _Guards:
    return locality.used(prop) if number(least) else None


def _data_some(locality: _Locality, *parts: Argument) -> _Guards:
    return _all(map(locality.used, parts[:-1]))


_FILLED: dict[str, _Judge] = {
    "ObjectIntersectionOf": lambda locality, *parts: _all(map(locality.filled, parts)),
    "ObjectUnionOf": lambda locality, *parts: _any(map(locality.filled, parts)),
    "ObjectComplementOf": lambda locality, part: locality.partial(part),
    "ObjectOneOf": _Locality.one,
    "ObjectSomeValuesFrom": _counted,
    "ObjectAllValuesFrom": _always,
    "ObjectHasValue": lambda locality, prop, value: _all([locality.used(prop), locality.one(value)]),
    "ObjectHasSelf": _Locality.used,
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


def _no_less(_locality: _Locality, least: Argument, *_rest: Argument) -> _Guards:
    return None if number(least) else _NEVER


def _at_most(locality: _Locality, _most: Argument, prop: Argument, *kind: Argument) -> _Guards:
    return _counted(locality, prop, *kind)


def _exactly(locality: _Locality, wanted: Argument, prop: Argument, *kind: Argument) -> _Guards:
    return None if number(wanted) else _counted(locality, prop, *kind)


def _data_at_most(locality: _Locality, _most: Argument, prop: Argument, *_values: Argument) -> _Guards:
    return locality.used(prop)


def _data_exactly(locality: _Locality, wanted: Argument, prop: Argument, *_values: Argument) -> _Guards:
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


# -- axioms ----------------------------------------------------------------------------------------------------------


def _sub_class(locality: _Locality, lower: Argument, upper: Argument) -> _Guards:
    return _all([locality.filled(lower), locality.partial(upper)])


def _equivalent_classes(locality: _Locality, *parts: Argument) -> _Guards:
    return _all([_any(map(locality.filled, parts)), _any(map(locality.partial, parts))])


def _sub_property(locality: _Locality, lower: Argument, upper: Argument) -> _Guards:
    if upper in _TOPS:
        return _NEVER
    steps = lower.args if is_headed(lower, "ObjectPropertyChain") else (lower,)
    return _all(map(locality.used, steps))


def _some_property(locality: _Locality, *parts: Argument) -> _Guards:
    return _any(map(locality.used, parts))


def _two_properties(locality: _Locality, *parts: Argument) -> _Guards:
    return _two(map(locality.used, parts))


def _domain_or_range(locality: _Locality, prop: Argument, kind: Argument) -> _Guards:
    return _all([locality.used(prop), locality.partial(kind)])


def _key(locality: _Locality, kind: Argument, objects: Argument, data: Argument) -> _Guards:
    return _all([locality.filled(kind), *map(locality.used, (*inner(objects).args, *inner(data).args))])


def _class_assertion(locality: _Locality, kind: Argument, individual: Argument) -> _Guards:
    others = contents_of(kind).names if type(kind) is Expression else []
    named = [subject(term) for what, term in others if what == INDIVIDUAL]
    return _any([_all([locality.one(individual), locality.partial(kind)]), *map(locality.known, named)])


def _assertion(locality: _Locality, prop: Argument, *ends: Argument) -> _Guards:
    return _NEVER if prop in _TOPS else locality.one(*ends)


def _negative_assertion(locality: _Locality, prop: Argument, *ends: Argument) -> _Guards:
    return _all([locality.used(prop), locality.both(*ends)])


def _different(locality: _Locality, *individuals: Argument) -> _Guards:
    return _two(locality.known(subject(each)) for each in individuals)


_ABOUT_INDIVIDUALS: dict[str, _Judge] = {
    "ClassAssertion": _class_assertion,
    "ObjectPropertyAssertion": _assertion,
    "DataPropertyAssertion": lambda locality, prop, source, _value: _assertion(locality, prop, source),
    "NegativeObjectPropertyAssertion": _negative_assertion,
    "NegativeDataPropertyAssertion": lambda locality, prop, source, _value: _negative_assertion(locality, prop, source),
    "SameIndividual": _Locality.one,
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
    **dict.fromkeys(["FunctionalObjectProperty", "InverseFunctionalObjectProperty"], _Locality.used),
    **dict.fromkeys(["FunctionalDataProperty", "TransitiveObjectProperty"], _Locality.used),
    **dict.fromkeys(["SymmetricObjectProperty", "AsymmetricObjectProperty"], _Locality.used),
    "IrreflexiveObjectProperty": _Locality.used,
    "DatatypeDefinition": lambda locality, name, _values: locality.used(name),
    "HasKey": _key,
    **_ABOUT_INDIVIDUALS,
}
"""Axioms with other heads, such as ReflexiveObjectProperty and rules, always matter."""
