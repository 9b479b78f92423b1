"""Facts about individuals (their classes, links and values, and the obligations that are still open), and what follows.

Axioms that can be applied forwards are subclasses, domains, ranges, subproperties, inverses, chains and functional
properties. All facts that they add are certain: they hold in every model. Axioms that promise something without saying
which (`some`, `or`) leave an obligation, which `models` fulfils.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

from kgprobe.owl.expression import Argument, Expression, is_headed, number
from kgprobe.owl.meaning import evaluate, simpler
from kgprobe.rdf.terms import OWL, RDFS, Literal, NamedNode, Term

Obligation: TypeAlias = tuple[Term, Expression]


class BeyondRulesError(Exception):
    """The rules cannot tell. It never leaves this package."""


@dataclass(frozen=True)
class ValueSpace:
    """The literals as OWL sees them: which value each denotes, and which data ranges it is in, if that is known.

    A value has a mark: two literals with one value and different marks may be equal without being the same.
    """

    value: Callable[[Literal], tuple[Hashable, str]]
    contains: Callable[[Argument, Literal], bool | None]
    example: Callable[[Argument], Literal | None]


_EXTREME = frozenset([OWL.topObjectProperty, OWL.bottomObjectProperty, OWL.topDataProperty, OWL.bottomDataProperty])


def plain(name: Argument) -> Argument:
    """The property itself of a property or its inverse."""
    return name.args[0] if isinstance(name, Expression) else name


class Facts:
    """Classes of individuals, links between them, and their values. An individual that equals another has its facts."""

    def __init__(self, space: ValueSpace) -> None:
        self.space = space
        self.kinds: dict[Term, set[NamedNode]] = {}
        self.members: dict[NamedNode, set[Term]] = {}
        self.links: dict[NamedNode, dict[Term, set[Term]]] = {}
        self.backward: dict[NamedNode, dict[Term, set[Term]]] = {}
        self.values: dict[NamedNode, dict[Term, dict[Hashable, Literal]]] = {}
        self.obligations: dict[Obligation, None] = {}
        self.same: dict[Term, Term] = {}
        self.new_kinds: list[tuple[Term, NamedNode]] = []  # those that no rule has seen yet
        self._marks: dict[Hashable, str] = {}
        self.is_changed = False
        self.is_impossible = False

    def copy(self) -> Facts:
        """Independent facts, with the same content."""
        other = Facts(self.space)
        other.kinds = {node: set(kinds) for node, kinds in self.kinds.items()}
        other.members = {kind: set(nodes) for kind, nodes in self.members.items()}
        other.links = {name: {node: set(to) for node, to in each.items()} for name, each in self.links.items()}
        other.backward = {name: {node: set(to) for node, to in each.items()} for name, each in self.backward.items()}
        other.values = {name: {node: dict(own) for node, own in each.items()} for name, each in self.values.items()}
        other.obligations = dict(self.obligations)
        other.same = dict(self.same)
        other.new_kinds = list(self.new_kinds)
        other._marks = dict(self._marks)
        other.is_impossible = self.is_impossible
        return other

    # -- reading -------------------------------------------------------------------------------------------------------

    def node(self, individual: Term) -> Term:
        """The individual that stands for this one and all that equal it."""
        while individual in self.same:
            individual = self.same[individual]
        return individual

    def successors(self, name: Argument, node: Term) -> Iterable[Term]:
        """The individuals that a property leads to."""
        if isinstance(name, Expression):
            return self.backward.get(name.args[0], {}).get(node, ())  # type: ignore[arg-type]
        return self.links.get(name, {}).get(node, ())  # type: ignore[arg-type]

    def sources(self, name: Argument) -> Iterable[Term]:
        """The individuals that a property leads from."""
        table = self.backward if isinstance(name, Expression) else self.links
        plain = name.args[0] if isinstance(name, Expression) else name
        return [node for node, targets in table.get(plain, {}).items() if targets]  # type: ignore[arg-type]

    def pairs(self, name: Argument) -> list[tuple[Term, Term]]:
        """The links of a property."""
        return [(node, target) for node in self.sources(name) for target in self.successors(name, node)]

    def literals(self, name: Argument, node: Term) -> Iterable[Literal]:
        """The values of a data property, one literal for each."""
        return self.values.get(name, {}).get(node, {}).values()  # type: ignore[arg-type]

    def candidates(self, kind: Argument) -> Iterable[Term]:
        """Individuals among which are all members of a class: as few as can be told without looking at each."""
        match kind:
            case NamedNode() if kind != OWL.Thing:
                return self.members.get(kind, ())
            case Expression("ObjectIntersectionOf", parts):
                return min((list(self.candidates(part)) for part in parts), key=len, default=self.kinds)
            case Expression("ObjectUnionOf", parts):
                return dict.fromkeys(node for part in parts for node in self.candidates(part))
            case Expression("ObjectSomeValuesFrom" | "ObjectHasValue" | "ObjectHasSelf", (name, *_)):
                return self.kinds if plain(name) in _EXTREME else self.sources(name)
            case Expression("ObjectMinCardinality" | "ObjectExactCardinality", (least, name, *_)) if number(least):
                return self.kinds if plain(name) in _EXTREME else self.sources(name)
            case Expression("DataSomeValuesFrom" | "DataHasValue", (name, _)) if name not in _EXTREME:
                return self.values.get(name, {})  # type: ignore[arg-type]
            case Expression("DataMinCardinality", (1, name)) if name not in _EXTREME:
                return self.values.get(name, {})  # type: ignore[arg-type]
            case _:
                return self.kinds

    def value(self, literal: Literal) -> Hashable:
        """The value of a literal. BeyondRulesError if it may or may not be the value of another literal here."""
        value, mark = self.space.value(literal)
        if self._marks.setdefault(value, mark) != mark:
            raise BeyondRulesError
        return value

    def contains(self, values: Argument, literal: Literal) -> bool | None:
        """Whether a data range has a literal; None if this is not known."""
        return values == RDFS.Literal or self.space.contains(values, literal)

    # -- writing -------------------------------------------------------------------------------------------------------

    def add_node(self, node: Term) -> Term:
        node = self.node(node)
        if node not in self.kinds:
            self.kinds[node] = set()
            self.is_changed = True
        return node

    def add_kind(self, node: Term, kind: NamedNode) -> None:
        node = self.add_node(node)
        if kind == OWL.Nothing:
            self.is_impossible = True
        elif kind != OWL.Thing and kind not in self.kinds[node]:
            self.kinds[node].add(kind)
            self.members.setdefault(kind, set()).add(node)
            self.new_kinds.append((node, kind))
            self.is_changed = True

    def add_link(self, name: Argument, source: Term, target: Term) -> None:
        source, target = self.add_node(source), self.add_node(target)
        if isinstance(name, Expression):
            name, source, target = name.args[0], target, source
        if name in _EXTREME:
            raise BeyondRulesError
        targets = self.links.setdefault(name, {}).setdefault(source, set())  # type: ignore[arg-type]
        if target not in targets:
            targets.add(target)
            self.backward.setdefault(name, {}).setdefault(target, set()).add(source)  # type: ignore[arg-type]
            self.is_changed = True

    def add_value(self, name: Argument, node: Term, literal: Literal) -> None:
        node = self.add_node(node)
        if name in _EXTREME:
            raise BeyondRulesError
        values = self.values.setdefault(name, {}).setdefault(node, {})  # type: ignore[arg-type]
        key = self.value(literal)
        if key not in values:
            values[key] = literal
            self.is_changed = True

    def merge(self, one: Term, other: Term) -> None:
        """Make two individuals one."""
        one, other = sorted((self.add_node(one), self.add_node(other)), key=str)
        if one == other:
            return
        self.same[other] = one
        self.is_changed = True
        kinds, links, values, obligations = self.kinds, self.links, self.values, self.obligations
        self.kinds, self.members, self.links, self.backward, self.values = {}, {}, {}, {}, {}
        for node, own in kinds.items():
            self.add_node(node)
            for kind in own:
                self.add_kind(node, kind)
        for name, table in links.items():
            for source, targets in table.items():
                for target in targets:
                    self.add_link(name, source, target)
        for name, rows in values.items():
            for node, literals in rows.items():
                for literal in literals.values():
                    self.add_value(name, node, literal)
        self.obligations = {(self.node(node), promise): None for node, promise in obligations}

    def promise(self, node: Term, kind: Argument) -> None:
        """State that an individual is in a class. What cannot be stated as a fact becomes an obligation."""
        if self.node(node) not in self.kinds:
            self.add_node(node)
        match kind:
            case NamedNode():
                self.add_kind(node, kind)
            case Expression("ObjectIntersectionOf", parts):
                for part in parts:
                    self.promise(node, part)
            case Expression("ObjectHasValue", (name, target)):
                self.add_link(name, node, target)  # type: ignore[arg-type]
            case Expression("ObjectHasSelf", (name,)):
                self.add_link(name, node, node)
            case Expression("DataHasValue", (name, literal)):
                self.add_value(name, node, literal)  # type: ignore[arg-type]
            case Expression():
                obligation = (self.node(node), kind)
                if obligation not in self.obligations:
                    self.obligations[obligation] = None
                    self.is_changed = True

    # -- certain membership --------------------------------------------------------------------------------------------

    def certainly(self, node: Term, kind: Argument) -> bool:
        """Whether the facts alone put an individual in a class. False proves nothing."""
        return evaluate(kind, Certainty(self), node)


@dataclass(frozen=True)
class Certainty:
    """What is certain from facts alone (see `owl.meaning`). No fact excludes an individual from a class."""

    facts: Facts

    all_of = staticmethod(all)
    any_of = staticmethod(any)

    def in_class(self, name: Argument, node: Term, *, is_negated: bool) -> bool:
        return not is_negated and (name == OWL.Thing or name in self.facts.kinds.get(node, ()))

    def one_of(self, individuals: Sequence[Argument], node: Term, *, is_negated: bool) -> bool:
        return not is_negated and any(self.facts.node(each) == node for each in individuals)  # type: ignore[arg-type]

    def has_self(self, name: Argument, node: Term, *, is_negated: bool) -> bool:
        return not is_negated and node in self.facts.successors(name, node)

    def has_value(self, name: Argument, value: Argument, node: Term, *, is_negated: bool) -> bool:
        return not is_negated and has_link(self.facts, name, node, value)  # type: ignore[arg-type]

    has_literal = has_value

    def at_least(self, least: int, name: Argument, kind: Argument, node: Term, *, is_negated: bool) -> bool:
        if is_negated or least > 1:  # two individuals may be one
            return False
        return not least or any(evaluate(kind, self, target) for target in self.facts.successors(name, node))

    def at_least_values(
        self, least: int, names: Sequence[Argument], values: Argument, node: Term, *, is_negated: bool
    ) -> bool:
        if is_negated or len(names) > 1:
            return False
        literals = self.facts.literals(names[0], node)
        return sum(self.facts.contains(values, literal) is True for literal in literals) >= least


def has_link(facts: Facts, name: NamedNode, source: Term, target: Term) -> bool:
    """Whether the facts have a link or a value."""
    if isinstance(target, Literal):
        return facts.value(target) in facts.values.get(name, {}).get(facts.node(source), {})
    return facts.node(target) in facts.successors(name, facts.node(source))


# -- axioms as rules ---------------------------------------------------------------------------------------------------

_POSITIVE = frozenset(
    [
        *("ObjectIntersectionOf", "ObjectUnionOf", "ObjectSomeValuesFrom", "ObjectHasValue", "ObjectHasSelf"),
        *("DataSomeValuesFrom", "DataHasValue"),
    ]
)
_MOST_ROUNDS = 200


def _is_positive(kind: Argument) -> bool:
    if not isinstance(kind, Expression):
        return kind != OWL.Thing
    if kind.head not in _POSITIVE:
        return False
    if kind.head in ("ObjectIntersectionOf", "ObjectUnionOf"):
        return all(map(_is_positive, kind.args))
    if kind.head == "ObjectSomeValuesFrom":
        return kind.args[1] == OWL.Thing or _is_positive(kind.args[1])
    return True


@dataclass
class Rules:
    """The axioms of an ontology as rules, and its assertions about individuals apart from them."""

    space: ValueSpace
    implications: list[tuple[Argument, Argument]] = field(default_factory=list)
    by_class: dict[NamedNode, list[Argument]] = field(default_factory=dict)
    ranges: list[tuple[Argument, Argument]] = field(default_factory=list)
    chains: list[tuple[tuple[Argument, ...], Argument]] = field(default_factory=list)
    data_chains: list[tuple[NamedNode, Argument]] = field(default_factory=list)
    functional: list[Argument] = field(default_factory=list)
    reflexive: list[Argument] = field(default_factory=list)
    universal: list[Argument] = field(default_factory=list)

    @classmethod
    def of(cls, axioms: Iterable[Expression], space: ValueSpace) -> Rules:
        """The rules in these axioms. Axioms that are not rules are ignored."""
        rules = cls(space)
        for axiom in axioms:
            rules._add(axiom)
        return rules

    def _add(self, axiom: Expression) -> None:  # noqa: C901 - one case for each kind of axiom
        match axiom:
            case Expression("SubClassOf", (lower, upper)):
                self._imply(lower, upper)
            case Expression("EquivalentClasses", parts):
                for one in parts:
                    for other in parts:
                        if one is not other:
                            self._imply(one, other)
            case Expression("DisjointUnion", (whole, *parts)):
                self._imply(whole, Expression("ObjectUnionOf", *parts))
                for part in parts:
                    self._imply(part, whole)
            case Expression("ObjectPropertyDomain", (name, kind)):
                self._imply(Expression("ObjectSomeValuesFrom", name, OWL.Thing), kind)
            case Expression("DataPropertyDomain", (name, kind)):
                self.implications.append((Expression("DataMinCardinality", 1, name), kind))
            case Expression("ObjectPropertyRange", (name, kind)):
                self.ranges.append((name, kind))
            case Expression("SubObjectPropertyOf", (lower, upper)):
                steps = lower.args if is_headed(lower, "ObjectPropertyChain") else (lower,)
                self.chains.append((tuple(steps), upper))
            case Expression("SubDataPropertyOf", (lower, upper)):
                self.data_chains.append((lower, upper))  # type: ignore[arg-type]
            case Expression("FunctionalObjectProperty", (name,)):
                self.functional.append(name)
            case Expression("ReflexiveObjectProperty", (name,)):
                self.reflexive.append(name)
            case _:
                for part in simpler(axiom):
                    self._add(part)

    def _imply(self, lower: Argument, upper: Argument) -> None:
        if lower == OWL.Thing:
            self.universal.append(upper)
        elif isinstance(lower, NamedNode):
            self.by_class.setdefault(lower, []).append(upper)
        elif _is_positive(lower):
            self.implications.append((lower, upper))

    def assertions(self, facts: Facts, stated: Iterable[Expression]) -> None:
        """Add assertions to facts. Negative ones are left to the check of the model."""
        for axiom in stated:
            match axiom:
                case Expression("ClassAssertion", (kind, node)):
                    facts.promise(node, kind)  # type: ignore[arg-type]
                case Expression("ObjectPropertyAssertion", (name, source, target)):
                    facts.add_link(name, source, target)  # type: ignore[arg-type]
                case Expression("DataPropertyAssertion", (name, node, literal)):
                    facts.add_value(name, node, literal)  # type: ignore[arg-type]
                case Expression("SameIndividual", (first, *others)):
                    for other in others:
                        facts.merge(first, other)  # type: ignore[arg-type]
                case Expression("DifferentIndividuals", nodes):
                    for node in nodes:
                        facts.add_node(node)  # type: ignore[arg-type]

    def saturate(self, facts: Facts) -> None:
        """Apply the rules until nothing changes."""
        for _ in range(_MOST_ROUNDS):
            facts.is_changed = False
            self._follow_properties(facts)
            self._follow_classes(facts)
            self._follow_obligations(facts)
            self._make_one(facts)
            if not facts.is_changed:
                return
        raise BeyondRulesError

    def _follow_properties(self, facts: Facts) -> None:
        for steps, upper in self.chains:
            for source in list(facts.sources(steps[0])):
                for target in list(_reached(facts, source, steps)):
                    facts.add_link(upper, source, target)
        for below, above in self.data_chains:
            for node, literals in list(facts.values.get(below, {}).items()):
                for literal in list(literals.values()):
                    facts.add_value(above, node, literal)
        for name in self.reflexive:
            for node in list(facts.kinds):
                facts.add_link(name, node, node)

    def _follow_classes(self, facts: Facts) -> None:
        while facts.new_kinds:
            node, kind = facts.new_kinds.pop()
            for upper in self.by_class.get(kind, ()):
                facts.promise(node, upper)
        for upper in self.universal:
            for node in list(facts.kinds):
                facts.promise(node, upper)
        for lower, upper in self.implications:
            for node in list(facts.candidates(lower)):
                if facts.certainly(node, lower):
                    facts.promise(node, upper)
        for name, range_ in self.ranges:
            for target in {target for _, target in facts.pairs(name)}:
                facts.promise(target, range_)

    @staticmethod
    def _follow_obligations(facts: Facts) -> None:
        for node, promise in list(facts.obligations):
            match promise:
                case Expression("ObjectAllValuesFrom", (name, kind)):
                    for target in list(facts.successors(name, node)):
                        facts.promise(target, kind)
                case Expression("ObjectMaxCardinality" | "ObjectExactCardinality", (1, name, *rest)):
                    kind = rest[0] if rest else OWL.Thing
                    first, *others = [
                        target
                        for target in sorted(facts.successors(name, node), key=str)
                        if facts.certainly(target, kind)
                    ] or [node]
                    for other in others:
                        facts.merge(first, other)

    def _make_one(self, facts: Facts) -> None:
        for name in self.functional:
            for node in list(facts.sources(name)):
                first, *others = sorted(facts.successors(name, facts.node(node)), key=str) or [node]
                for other in others:
                    facts.merge(first, other)


def _reached(facts: Facts, source: Term, steps: Sequence[Argument]) -> set[Term]:
    reached = {source}
    for step in steps:
        reached = set(chain.from_iterable(facts.successors(step, node) for node in reached))
    return reached
