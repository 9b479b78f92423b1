"""Facts about individuals: their classes, links and values, and the obligations that are still open."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.owl.expression import Argument, Expression, number
from kgprobe.rdf.terms import OWL, Literal, NamedNode, Term

__all__ = ["BeyondRulesError", "Facts", "Obligation", "ValueSpace", "inverse", "plain"]

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


def inverse(name: Argument) -> Argument:
    """The inverse of a property."""
    return name.args[0] if isinstance(name, Expression) else Expression("ObjectInverseOf", name)


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

    def certainly(self, node: Term, kind: Argument) -> bool:  # noqa: C901 - one case for each expression
        """Whether the facts alone put an individual in a class. False proves nothing."""
        match kind:
            case NamedNode():
                return kind == OWL.Thing or kind in self.kinds.get(node, ())
            case Expression("ObjectIntersectionOf", parts):
                return all(self.certainly(node, part) for part in parts)
            case Expression("ObjectUnionOf", parts):
                return any(self.certainly(node, part) for part in parts)
            case Expression("ObjectSomeValuesFrom", (name, part)):
                return any(self.certainly(target, part) for target in self.successors(name, node))
            case Expression("ObjectHasValue", (name, target)):
                return self.node(target) in self.successors(name, node)  # type: ignore[arg-type]
            case Expression("ObjectHasSelf", (name,)):
                return node in self.successors(name, node)
            case Expression("ObjectOneOf", names):
                return any(self.node(name) == node for name in names)  # type: ignore[arg-type]
            case Expression("ObjectMinCardinality", (least, name, *rest)):
                part = rest[0] if rest else OWL.Thing
                found = sum(self.certainly(target, part) for target in self.successors(name, node))
                return number(least) <= min(found, 1)  # two individuals may be one
            case Expression("DataSomeValuesFrom", (name, part)):
                return any(self.space.contains(part, literal) is True for literal in self.literals(name, node))
            case Expression("DataHasValue", (name, literal)):
                return self.value(literal) in self.values.get(name, {}).get(node, {})  # type: ignore[arg-type]
            case Expression("DataMinCardinality", (least, name, *rest)):
                literals = self.literals(name, node)
                inside = [each for each in literals if not rest or self.space.contains(rest[0], each) is True]
                return len(inside) >= number(least)
            case _:
                return False
