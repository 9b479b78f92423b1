"""Axioms as conditions on an interpretation, and which new facts can break them.

Most axioms are inclusions: whatever is in one class is in another. A new fact can break an inclusion only if its name
occurs where more facts make the first class larger, or the second one smaller. Each such place is a trigger: the name,
and the path of properties from the thing for which the inclusion is then checked again. So a few new facts lead to a
few checks, however large the ontology is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, product
from typing import TypeAlias

from kgprobe.owl.expression import Argument, Expression, inner, inverse, is_headed, parts_of
from kgprobe.owl.meaning import evaluate, simpler
from kgprobe.rdf.terms import OWL, NamedNode
from kgprobe.reasoners.interpretation import BeyondModelsError, Interpretation, Thing
from kgprobe.reasoners.rephrase import positive
from kgprobe.reasoners.swrl import Binding, head_holds, matches

__all__ = [
    "Apart",
    "Chain",
    "Condition",
    "Conditions",
    "Inclusion",
    "Path",
    "conditions_of",
    "satisfies",
    "sharing_a_key",
    "unmet",
]

Path: TypeAlias = tuple[Argument, ...]
"""Properties that lead from the thing with a new fact to the thing for which an inclusion is checked again."""


@dataclass(frozen=True, slots=True, eq=False)
class Inclusion:
    """Whatever is in the lower class is in the upper one."""

    axiom: Expression
    lower: Argument
    upper: Argument


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Where a chain of properties leads, another one leads, too. For data properties, the chain has one step."""

    axiom: Expression
    steps: tuple[Argument, ...]
    upper: Argument
    is_data: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Apart:
    """Two properties never lead from one thing to the same target or value."""

    axiom: Expression
    one: Argument
    other: Argument
    is_data: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Assertion:
    """An axiom about individuals, which is true or false as a whole; also keys and rules."""

    axiom: Expression


Condition: TypeAlias = "Inclusion | Chain | Apart | Assertion"


# -- from axioms to conditions -----------------------------------------------------------------------------------------


def conditions_of(axiom: Expression) -> Iterator[Condition]:
    """The conditions that are true exactly if the axiom is."""
    return _conditions(axiom, axiom)


def _conditions(source: Expression, axiom: Expression) -> Iterator[Condition]:
    explained = simpler(axiom)
    if explained:
        for part in explained:
            yield from _conditions(source, part)
        return
    make = _CONDITIONS.get(axiom.head)
    if make is None:
        raise BeyondModelsError
    for condition in make(axiom, *axiom.args):
        yield condition if axiom is source else replace(condition, axiom=source)


def _included(axiom: Expression, lower: Argument, upper: Argument) -> Iterator[Condition]:
    yield Inclusion(axiom, lower, positive(upper))


def _disjoint(axiom: Expression, *parts: Argument) -> Iterator[Condition]:
    for pair in combinations(parts, 2):
        yield Inclusion(axiom, Expression("ObjectIntersectionOf", *pair), OWL.Nothing)


def _domain(axiom: Expression, prop: Argument, kind: Argument) -> Iterator[Condition]:
    return _included(axiom, Expression("ObjectSomeValuesFrom", prop, OWL.Thing), kind)


def _data_range(axiom: Expression, prop: Argument, kind: Argument) -> Iterator[Condition]:
    yield Inclusion(axiom, OWL.Thing, Expression("DataAllValuesFrom", prop, kind))


def _functional(axiom: Expression, prop: Argument) -> Iterator[Condition]:
    head = "DataMaxCardinality" if axiom.head == "FunctionalDataProperty" else "ObjectMaxCardinality"
    yield Inclusion(axiom, OWL.Thing, Expression(head, 1, prop))


def _reflexive(axiom: Expression, prop: Argument) -> Iterator[Condition]:
    yield Inclusion(axiom, OWL.Thing, Expression("ObjectHasSelf", prop))


def _irreflexive(axiom: Expression, prop: Argument) -> Iterator[Condition]:
    yield Inclusion(axiom, Expression("ObjectHasSelf", prop), OWL.Nothing)


def _sub_property(axiom: Expression, lower: Argument, upper: Argument) -> Iterator[Condition]:
    if upper in (OWL.topObjectProperty, OWL.topDataProperty):
        return  # every property is below it
    steps = lower.args if is_headed(lower, "ObjectPropertyChain") else (lower,)
    yield Chain(axiom, steps, upper, axiom.head == "SubDataPropertyOf")


def _disjoint_properties(axiom: Expression, *parts: Argument) -> Iterator[Condition]:
    for one, other in combinations(parts, 2):
        yield Apart(axiom, one, other, axiom.head == "DisjointDataProperties")


def _member(axiom: Expression, kind: Argument, individual: Argument) -> Iterator[Condition]:
    return _included(axiom, Expression("ObjectOneOf", individual), kind)


def _fact(axiom: Expression, prop: Argument, owner: Argument, value: Argument) -> Iterator[Condition]:
    head = "DataHasValue" if axiom.head.endswith("DataPropertyAssertion") else "ObjectHasValue"
    has_value = Expression(head, prop, value)
    is_true = not axiom.head.startswith("Negative")
    return _member(axiom, has_value if is_true else Expression("ObjectComplementOf", has_value), owner)


def _as_a_whole(axiom: Expression, *_: Argument) -> Iterator[Condition]:
    yield Assertion(axiom)


def _nothing(_axiom: Expression, *_: Argument) -> Iterator[Condition]:
    return iter(())


# The other axioms are explained by these.
_CONDITIONS: dict[str, Callable[..., Iterator[Condition]]] = {
    "SubClassOf": _included,
    "DisjointClasses": _disjoint,
    "ObjectPropertyDomain": _domain,
    "DataPropertyRange": _data_range,
    **dict.fromkeys(("FunctionalObjectProperty", "FunctionalDataProperty"), _functional),
    "ReflexiveObjectProperty": _reflexive,
    "IrreflexiveObjectProperty": _irreflexive,
    **dict.fromkeys(("SubObjectPropertyOf", "SubDataPropertyOf"), _sub_property),
    **dict.fromkeys(("DisjointObjectProperties", "DisjointDataProperties"), _disjoint_properties),
    "ClassAssertion": _member,
    **dict.fromkeys(("ObjectPropertyAssertion", "NegativeObjectPropertyAssertion"), _fact),
    **dict.fromkeys(("DataPropertyAssertion", "NegativeDataPropertyAssertion"), _fact),
    **dict.fromkeys(("SameIndividual", "DifferentIndividuals", "HasKey", "DLSafeRule"), _as_a_whole),
    "DatatypeDefinition": _nothing,  # the interpretation has the data ranges
}


# -- whether a condition holds -----------------------------------------------------------------------------------------


def satisfies(model: Interpretation, axiom: Expression) -> bool:
    """Whether an axiom is true in an interpretation, looked at as a whole."""
    return all(_holds(model, condition) for condition in conditions_of(axiom))


def _holds(model: Interpretation, condition: Condition) -> bool:
    match condition:
        case Inclusion(lower=lower, upper=upper):
            members = [thing for thing in model.candidates(lower) if model.has(thing, lower)]
            return all(model.has(thing, upper) for thing in members)
        case Chain(steps=steps, upper=upper, is_data=True):
            owners = model.owners(steps[0])
            return all(
                model.literals(steps[0], thing).keys() <= model.literals(upper, thing).keys() for thing in owners
            )
        case Chain(steps=steps, upper=upper):
            sources = model.sources(steps[0])
            return all(set(model.along(one, steps)) <= set(model.targets(upper, one)) for one in sources)
        case Apart(is_data=True, one=one, other=other):
            owners = model.owners(one)
            return not any(model.literals(one, thing).keys() & model.literals(other, thing).keys() for thing in owners)
        case Apart(one=one, other=other):
            return not any(
                set(model.targets(one, thing)) & set(model.targets(other, thing)) for thing in model.sources(one)
            )
        case Assertion(axiom=axiom):
            return _WHOLES[axiom.head](model, *axiom.args)


def _are_same(model: Interpretation, *names: Argument) -> bool:
    return len({model.thing(name) for name in names}) == 1  # type: ignore[arg-type]


def _are_different(model: Interpretation, *names: Argument) -> bool:
    return len({model.thing(name) for name in names}) == len(names)  # type: ignore[arg-type]


def is_key(model: Interpretation, kind: Argument, objects: Argument, data: Argument) -> bool:
    """Whether a key holds: no two members with names share a target or a value of each property."""
    return next(sharing_a_key(model, kind, objects, data), None) is None


def sharing_a_key(
    model: Interpretation, kind: Argument, objects: Argument, data: Argument
) -> Iterator[tuple[Thing, Thing]]:
    """Pairs of members of a class, with names, that share a target or a value of each property."""
    seen: dict[tuple[Hashable, ...], Thing] = {}
    for thing in model.candidates(kind):
        if type(thing) is NamedNode and model.has(thing, kind):
            ends: list[Iterable[Hashable]] = [model.targets(prop, thing) for prop in inner(objects).args]
            ends += [model.literals(prop, thing) for prop in inner(data).args]
            for row in product(*ends):
                if seen.setdefault(row, thing) != thing:
                    yield seen[row], thing


def unmet(model: Interpretation, body: Argument, head: Argument) -> Iterator[tuple[list[Expression], Binding]]:
    """The atoms of a rule's head that are false although the body is true, each time with the values of variables."""
    atoms = [inner(atom) for atom in inner(head).args]
    for known in matches(model, [inner(atom) for atom in inner(body).args]):
        false = [atom for atom in atoms if not head_holds(model, atom, known)]
        if false or not atoms:
            yield false, known


def _is_rule_met(model: Interpretation, body: Argument, head: Argument) -> bool:
    return next(unmet(model, body, head), None) is None


_WHOLES: dict[str, Callable[..., bool]] = {
    "DLSafeRule": _is_rule_met,
    "SameIndividual": _are_same,
    "DifferentIndividuals": _are_different,
    "HasKey": is_key,
}


# -- which facts can break a condition ---------------------------------------------------------------------------------


@dataclass
class Conditions:
    """Conditions by the names of the facts that can break them."""

    by_class: dict[NamedNode, list[tuple[Path, Inclusion]]] = field(default_factory=dict)
    by_link: dict[NamedNode, list[tuple[Path, Inclusion]]] = field(default_factory=dict)
    by_backward_link: dict[NamedNode, list[tuple[Path, Inclusion]]] = field(default_factory=dict)
    by_value: dict[NamedNode, list[tuple[Path, Inclusion]]] = field(default_factory=dict)
    everywhere: list[Inclusion] = field(default_factory=list)  # things without any facts can break them
    inclusions: list[Inclusion] = field(default_factory=list)
    chains: dict[NamedNode, list[tuple[Chain, int]]] = field(default_factory=dict)
    aparts: dict[NamedNode, list[Apart]] = field(default_factory=dict)
    wholes: dict[Expression, frozenset[Argument]] = field(default_factory=dict)  # each with the names in it
    functional: set[Argument] = field(default_factory=set)
    data_ranges: dict[Argument, list[tuple[Expression, Argument]]] = field(default_factory=dict)

    def add(self, conditions: Iterable[Condition]) -> None:
        """Add conditions."""
        for condition in conditions:
            match condition:
                case Inclusion():
                    self._add_inclusion(condition)
                case Chain(steps=steps):
                    for place, step in enumerate(steps):
                        self.chains.setdefault(_name(step), []).append((condition, place))
                case Apart(one=one, other=other):
                    for prop in dict.fromkeys((_name(one), _name(other))):
                        self.aparts.setdefault(prop, []).append(condition)
                case Assertion(axiom=axiom):
                    self.wholes[axiom] = frozenset(part for part in parts_of(axiom) if type(part) is NamedNode)

    def _add_inclusion(self, inclusion: Inclusion) -> None:
        self.inclusions.append(inclusion)
        upper = inclusion.upper
        if inclusion.lower == OWL.Thing and type(upper) is Expression:
            if upper.head == "ObjectMaxCardinality" and upper.args[0] == 1 and len(upper.args) == 2:
                self.functional.add(upper.args[1])
            if upper.head == "DataAllValuesFrom":
                self.data_ranges.setdefault(upper.args[0], []).append((inclusion.axiom, upper.args[1]))
        if _NO_FACTS.has(0, inclusion.lower):
            self.everywhere.append(inclusion)
        lower = evaluate(inclusion.lower, _TRIGGERS, ())
        for kind, name, path in dict.fromkeys((*lower, *evaluate(upper, _TRIGGERS, (), is_negated=True))):
            table: dict[NamedNode, list[tuple[Path, Inclusion]]] = getattr(self, kind)
            table.setdefault(name, []).append((path, inclusion))


def _name(prop: Argument) -> NamedNode:
    found = prop.args[0] if type(prop) is Expression else prop
    if type(found) is not NamedNode:
        raise BeyondModelsError
    return found


_Trigger: TypeAlias = "tuple[str, NamedNode, Path]"


class _Triggers:
    """An `Evaluation`: the facts that can put a thing into a class, each with the path that leads from it to there."""

    def all_of(self, values: Iterable[list[_Trigger]], /) -> list[_Trigger]:
        return list(chain.from_iterable(values))

    any_of = all_of

    def in_class(self, name: Argument, place: Path, /, *, is_negated: bool) -> list[_Trigger]:
        is_never_new = is_negated or name in (OWL.Thing, OWL.Nothing)
        return [] if is_never_new or type(name) is not NamedNode else [("by_class", name, place)]

    def one_of(self, _individuals: Sequence[Argument], _place: Path, /, *, is_negated: bool) -> list[_Trigger]:  # noqa: ARG002
        return []  # only if two things become one

    def has_self(self, prop: Argument, place: Path, /, *, is_negated: bool) -> list[_Trigger]:
        return [] if is_negated else [_link_of(prop, place)]

    def has_value(self, prop: Argument, _individual: Argument, place: Path, /, *, is_negated: bool) -> list[_Trigger]:
        return [] if is_negated else [_link_of(prop, place)]

    def has_literal(self, prop: Argument, _literal: Argument, place: Path, /, *, is_negated: bool) -> list[_Trigger]:
        return [] if is_negated else [("by_value", _name(prop), place)]

    def at_least(
        self, _least: int, prop: Argument, kind: Argument, place: Path, /, *, is_negated: bool
    ) -> list[_Trigger]:
        found = evaluate(kind, self, (inverse(prop), *place), is_negated=is_negated)
        return found if is_negated else [_link_of(prop, place), *found]

    def at_least_values(
        self, _least: int, props: Sequence[Argument], _values: Argument, place: Path, /, *, is_negated: bool
    ) -> list[_Trigger]:
        if len(props) != 1:
            raise BeyondModelsError
        return [] if is_negated else [("by_value", _name(props[0]), place)]


def _link_of(prop: Argument, path: Path) -> _Trigger:
    return "by_backward_link" if type(prop) is Expression else "by_link", _name(prop), path


def _without_facts() -> Interpretation:
    model = Interpretation()
    model.add_thing(0)
    return model


_TRIGGERS = _Triggers()
_NO_FACTS = _without_facts()
