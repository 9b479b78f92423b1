"""The axioms of an ontology as rules: what follows from facts about individuals.

Axioms that can be applied forwards are subclasses, domains, ranges, subproperties, inverses, chains and functional
properties. All facts that they add are certain: they hold in every model. Axioms that promise something without saying
which (`some`, `or`) leave an obligation, which `model_search` fulfils.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from kgprobe.owl.expression import Argument, Expression, is_headed
from kgprobe.queries.testing.facts import BeyondRulesError, Facts, ValueSpace, inverse
from kgprobe.rdf.terms import OWL, NamedNode, Term

__all__ = ["Rules"]

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
            case Expression("EquivalentObjectProperties", parts):
                self.chains += [((one,), other) for one in parts for other in parts if one is not other]
            case Expression("InverseObjectProperties", (one, other)):
                self.chains += [((one,), inverse(other)), ((other,), inverse(one))]
            case Expression("SymmetricObjectProperty", (name,)):
                self.chains.append(((name,), inverse(name)))
            case Expression("TransitiveObjectProperty", (name,)):
                self.chains.append(((name, name), name))
            case Expression("SubDataPropertyOf", (lower, upper)):
                self.data_chains.append((lower, upper))  # type: ignore[arg-type]
            case Expression("EquivalentDataProperties", parts):
                self.data_chains += [(one, two) for one in parts for two in parts if one is not two]  # type: ignore[misc]
            case Expression("FunctionalObjectProperty", (name,)):
                self.functional.append(name)
            case Expression("InverseFunctionalObjectProperty", (name,)):
                self.functional.append(inverse(name))
            case Expression("ReflexiveObjectProperty", (name,)):
                self.reflexive.append(name)

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
