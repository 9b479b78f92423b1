"""A finite interpretation of an ontology: things, the classes that they are in, their links, and their values.

What is not known here is false here. Facts are only added, and each addition is noted, so that all since a mark can be
taken back: a mutant changes the interpretation of its seed for a moment, at the cost of the change.

A thing is an individual, or a number: something that must exist and has no name. Two individuals may turn out to be one
thing. Then one of them stands for both, and the other one is passed over from then on.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from kgprobe.owl.expression import Argument, Expression
from kgprobe.owl.literal_values import DATES, FLOATS, Doubt, value_of
from kgprobe.owl.meaning import evaluate
from kgprobe.owl.value_sets import ValueSet
from kgprobe.rdf.terms import OWL, BlankNode, Literal, NamedNode, Term

__all__ = ["BeyondModelsError", "Fact", "Interpretation", "Thing"]

Thing: TypeAlias = "Term | int"
Fact: TypeAlias = "tuple[NamedNode, Thing, Thing | Literal | None]"
"""A class and its member, or a property and both ends of a link, or a data property, its owner and a value."""
_Row: TypeAlias = "dict[Thing, None]"

_EXTREME = frozenset({OWL.topObjectProperty, OWL.bottomObjectProperty, OWL.topDataProperty, OWL.bottomDataProperty})


class BeyondModelsError(Exception):
    """Something that no interpretation here can express. It never leaves this package."""


class Interpretation:
    """Classes with their members, properties with their links, and data properties with their values."""

    def __init__(self, ranges: Mapping[Argument, Argument] | None = None) -> None:
        """`ranges` has the data ranges of the datatypes that the ontology defines."""
        self.kinds: dict[Thing, dict[NamedNode, None]] = {}
        self.members: dict[NamedNode, _Row] = {}
        self.links: dict[NamedNode, dict[Thing, _Row]] = {}
        self.backward: dict[NamedNode, dict[Thing, _Row]] = {}
        self.values: dict[NamedNode, dict[Thing, dict[Hashable, Literal]]] = {}
        self.witnesses: dict[Hashable, Thing] = {}
        self.depths: dict[Thing, int] = {}
        self.news: list[Fact] = []  # those that nobody has looked at yet
        self._same: dict[Thing, Thing] = {}
        self._spellings: dict[Hashable, str] = {}
        self._trail: list[tuple[dict[Any, Any], Any]] = []
        self.ranges: Mapping[Argument, Argument] = ranges or {}
        self._sets: dict[Argument, ValueSet] = {}

    # -- changing, and changing back -----------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """The number of changes so far."""
        return len(self._trail)

    def undo(self, size: int) -> None:
        """Take back all changes since there were this number of them."""
        trail = self._trail
        while len(trail) > size:
            table, key = trail.pop()
            del table[key]
        self.news.clear()

    def _put(self, table: dict[Any, Any], key: object, value: object) -> None:
        table[key] = value
        self._trail.append((table, key))

    def _inner(self, table: dict[Any, Any], key: object) -> Any:
        found = table.get(key)
        if found is None:
            found = {}
            self._put(table, key, found)
        return found

    def note(self, table: dict[Any, Any], key: Hashable, value: object) -> None:
        """Put something into one of the tables of this interpretation, so that it is taken back with the facts."""
        self._put(table, key, value)

    def add_thing(self, thing: Thing) -> Thing:
        """A thing, which exists from now on."""
        thing = self.thing(thing)
        if thing not in self.kinds:
            self._put(self.kinds, thing, {})
            self.news.append((OWL.Thing, thing, None))
        return thing

    def add_member(self, kind: NamedNode, thing: Thing) -> None:
        """Put a thing into a named class."""
        kinds = self.kinds[self.add_thing(thing)]
        thing = self.thing(thing)
        if kind != OWL.Thing and kind not in kinds:
            self._put(kinds, kind, None)
            self._put(self._inner(self.members, kind), thing, None)
            self.news.append((kind, thing, None))

    def add_link(self, prop: Argument, source: Thing, target: Thing) -> None:
        """Link two things with a property or an inverse."""
        source, target = self.add_thing(source), self.add_thing(target)
        if type(prop) is Expression:
            prop, source, target = prop.args[0], target, source
        if prop in _EXTREME:
            raise BeyondModelsError
        targets = self._inner(self._inner(self.links, prop), source)
        if target not in targets:
            self._put(targets, target, None)
            self._put(self._inner(self._inner(self.backward, prop), target), source, None)
            self.news.append((prop, source, target))  # type: ignore[arg-type]  # a name

    def add_value(self, prop: Argument, thing: Thing, literal: Literal) -> None:
        """Give a thing a value."""
        thing = self.add_thing(thing)
        if prop in _EXTREME:
            raise BeyondModelsError
        values = self._inner(self._inner(self.values, prop), thing)
        value = self.value(literal)
        if value not in values:
            self._put(values, value, literal)
            self.news.append((prop, thing, literal))  # type: ignore[arg-type]  # a name

    def merge(self, one: Thing, other: Thing) -> bool:
        """Make two things one; False if they are one already. The first has all facts of the other from then on."""
        one, other = self.add_thing(one), self.add_thing(other)
        if one == other:
            return False
        if type(one) is int:
            one, other = other, one
        self._put(self._same, other, one)
        for kind in list(self.kinds[other]):
            self.add_member(kind, one)
        for prop in list(self.links):
            for target in list(self.links[prop].get(other, ())):
                self.add_link(prop, one, self.thing(target))
            for source in list(self.backward.get(prop, {}).get(other, ())):
                self.add_link(prop, self.thing(source), one)
        for prop in list(self.values):
            for literal in list(self.values[prop].get(other, {}).values()):
                self.add_value(prop, one, literal)
        return True

    # -- reading -------------------------------------------------------------------------------------------------------

    @property
    def has_merged(self) -> bool:
        """Whether two things have become one."""
        return bool(self._same)

    def thing(self, name: Thing) -> Thing:
        """What stands for an individual."""
        while name in self._same:
            name = self._same[name]
        return name

    def _left(self, things: Iterable[Thing]) -> Iterable[Thing]:
        """Without those that others stand for."""
        return [thing for thing in things if thing not in self._same] if self._same else things

    def things(self) -> Iterable[Thing]:
        """All things."""
        return self._left(self.kinds)

    def instances(self, kind: NamedNode) -> Iterable[Thing]:
        """The members of a named class."""
        return self._left(self.members.get(kind, ()) if kind != OWL.Thing else self.kinds)

    def targets(self, prop: Argument, source: Thing) -> Iterable[Thing]:
        """What a property, or an inverse, leads to."""
        table = self.links
        if type(prop) is Expression:
            table, prop = self.backward, prop.args[0]
        if prop in _EXTREME:
            raise BeyondModelsError
        rows = table.get(prop)  # type: ignore[arg-type]  # a name
        return self._left(rows.get(source, ())) if rows is not None else ()

    def sources(self, prop: Argument) -> Iterable[Thing]:
        """The things that a property, or an inverse, leads from."""
        table = self.links
        if type(prop) is Expression:
            table, prop = self.backward, prop.args[0]
        if prop in _EXTREME:
            raise BeyondModelsError
        return self._left([thing for thing, row in table.get(prop, {}).items() if row])  # type: ignore[arg-type]

    def literals(self, prop: Argument, thing: Thing) -> Mapping[Hashable, Literal]:
        """The values of a data property, each with one of its literals."""
        if prop in _EXTREME:
            raise BeyondModelsError
        return self.values.get(prop, {}).get(thing, {})  # type: ignore[arg-type]

    def owners(self, prop: Argument) -> Iterable[Thing]:
        """The things with a value of a data property."""
        if prop in _EXTREME:
            raise BeyondModelsError
        return self._left([thing for thing, row in self.values.get(prop, {}).items() if row])  # type: ignore[arg-type]

    def assertions(self) -> Iterator[Expression]:
        """The interpretation as assertions, individual by individual. Things without a name are blank nodes."""
        for thing in self.things():
            owner = _individual(thing)
            for kind in self.kinds[thing] or (OWL.Thing,):
                yield Expression("ClassAssertion", kind, owner)
            for prop in self.links:
                for target in self.targets(prop, thing):
                    yield Expression("ObjectPropertyAssertion", prop, owner, _individual(target))
            for prop in self.values:
                for literal in self.literals(prop, thing).values():
                    yield Expression("DataPropertyAssertion", prop, owner, literal)
        for name in self._same:
            yield Expression("SameIndividual", _individual(name), _individual(self.thing(name)))

    # -- values --------------------------------------------------------------------------------------------------------

    def value(self, literal: Literal) -> Hashable:
        """The value of a literal. Beyond models if it may or may not be the value of another literal here."""
        found = value_of(literal)
        if isinstance(found, Doubt):
            raise BeyondModelsError
        space = found.space.partition(" ")[0]
        # OWL tells two zeros apart, and one point in time in two time zones.
        is_date = space in DATES and not (literal.value.endswith("Z") and "." not in literal.value)
        if is_date or (space in FLOATS and found.key == 0):
            if found not in self._spellings:
                self._put(self._spellings, found, literal.value)
            elif self._spellings[found] != literal.value:
                raise BeyondModelsError
        return found

    def data_range(self, data_range: Argument) -> ValueSet:
        """The values in a data range."""
        found = self._sets.get(data_range)
        if found is None:
            found = self._sets[data_range] = ValueSet.of_range(data_range, self.ranges)  # type: ignore[arg-type]
        return found

    @contextmanager
    def defining(self, ranges: Mapping[Argument, Argument]) -> Iterator[None]:
        """Within this block, there are more datatypes."""
        if not ranges:
            yield
            return
        known, sets = self.ranges, dict(self._sets)
        self.ranges = {**known, **ranges}
        try:
            yield
        finally:
            self.ranges, self._sets = known, sets

    def _contains(self, data_range: Argument, literal: Literal) -> bool:
        found = self.data_range(data_range).contains(literal)
        if found is None:
            raise BeyondModelsError
        return found

    # -- classes -------------------------------------------------------------------------------------------------------

    def has(self, thing: Thing, kind: Argument) -> bool:
        """Whether a thing is in a class."""
        if type(kind) is NamedNode:
            return kind in self.kinds.get(thing, ()) or kind == OWL.Thing
        if type(kind) is Expression and kind.head == "ObjectSomeValuesFrom":  # the most frequent one
            prop, part = kind.args
            return any(self.has(target, part) for target in self.targets(prop, thing))
        return evaluate(kind, self, thing)

    def count(self, thing: Thing, prop: Argument, kind: Argument) -> int:
        """How many things in a class a property leads to."""
        return sum(self.has(target, kind) for target in self.targets(prop, thing))

    def count_values(self, thing: Thing, prop: Argument, data_range: Argument) -> int:
        """How many values in a data range a thing has."""
        return sum(self._contains(data_range, literal) for literal in self.literals(prop, thing).values())

    # An `Evaluation` of class expressions.

    def all_of(self, values: Iterable[bool], /) -> bool:
        return all(values)

    def any_of(self, values: Iterable[bool], /) -> bool:
        return any(values)

    def in_class(self, name: Argument, place: Thing, /, *, is_negated: bool) -> bool:
        return self.has(place, name) != is_negated

    def one_of(self, individuals: Sequence[Argument], place: Thing, /, *, is_negated: bool) -> bool:
        return any(self.thing(name) == place for name in individuals) != is_negated  # type: ignore[arg-type]

    def has_self(self, prop: Argument, place: Thing, /, *, is_negated: bool) -> bool:
        return (place in self.targets(prop, place)) != is_negated

    def has_value(self, prop: Argument, individual: Argument, place: Thing, /, *, is_negated: bool) -> bool:
        return (self.thing(individual) in self.targets(prop, place)) != is_negated  # type: ignore[arg-type]

    def has_literal(self, prop: Argument, literal: Argument, place: Thing, /, *, is_negated: bool) -> bool:
        return (self.value(literal) in self.literals(prop, place)) != is_negated  # type: ignore[arg-type]

    def at_least(self, least: int, prop: Argument, kind: Argument, place: Thing, /, *, is_negated: bool) -> bool:
        is_reached = (self.has(target, kind) for target in self.targets(prop, place))
        return (any(is_reached) if least == 1 else sum(is_reached) >= least) != is_negated

    def at_least_values(
        self, least: int, props: Sequence[Argument], values: Argument, place: Thing, /, *, is_negated: bool
    ) -> bool:
        if len(props) != 1:
            raise BeyondModelsError
        return (self.count_values(place, props[0], values) >= least) != is_negated

    def candidates(self, kind: Argument) -> Iterable[Thing]:
        """Things among which are all members of a class: as few as can be told without looking at each."""
        if type(kind) is NamedNode:
            return self.instances(kind)
        if type(kind) is not Expression:
            raise BeyondModelsError
        match kind.head, kind.args:
            case "ObjectIntersectionOf", parts:
                return min((list(self.candidates(part)) for part in parts), key=len)
            case "ObjectUnionOf", parts:
                return dict.fromkeys(thing for part in parts for thing in self.candidates(part))
            case "ObjectOneOf", names:
                return dict.fromkeys(self.thing(name) for name in names)  # type: ignore[arg-type]
            case (("ObjectSomeValuesFrom" | "ObjectHasValue" | "ObjectHasSelf"), (prop, *_)):
                return self.sources(prop)
            case (("DataSomeValuesFrom" | "DataHasValue"), (prop, _)):
                return self.owners(prop)
            case (("ObjectMinCardinality" | "ObjectExactCardinality"), (bound, prop, *_)) if bound:
                return self.sources(prop)
            case (("DataMinCardinality" | "DataExactCardinality"), (bound, prop, *_)) if bound:
                return self.owners(prop)
        return self.things()

    def along(self, source: Thing, steps: Sequence[Argument]) -> Iterable[Thing]:
        """What a chain of properties leads to."""
        reached: Iterable[Thing] = (source,)
        for step in steps:
            reached = dict.fromkeys(target for thing in reached for target in self.targets(step, thing))
        return reached


def _individual(thing: Thing) -> Term:
    return BlankNode(f"thing{thing}") if isinstance(thing, int) else thing
