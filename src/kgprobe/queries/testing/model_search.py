"""Finite models: a proof that data are consistent, and that an individual need not be in a class.

The facts that follow for certain (`facts`, `fact_rules`) are extended to a model: each obligation that is open gets a
witness or a choice. The result counts only if every axiom holds in it, checked one by one (`models`), so a poor choice
costs time, not truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from kgprobe.owl.expression import Argument, Expression, is_headed, number
from kgprobe.queries.testing.fact_rules import Rules
from kgprobe.queries.testing.facts import BeyondRulesError, Facts, ValueSpace
from kgprobe.queries.testing.models import Model, has_link
from kgprobe.rdf.terms import OWL, BlankNode, NamedNode, Term

__all__ = ["ASSERTIONS", "ModelFinder", "Structure"]

ASSERTIONS = frozenset(
    [
        *("ClassAssertion", "ObjectPropertyAssertion", "DataPropertyAssertion", "SameIndividual"),
        *("DifferentIndividuals", "NegativeObjectPropertyAssertion", "NegativeDataPropertyAssertion"),
    ]
)
_MOST_WITNESSES = 40
_DEEPEST_WITNESS = 3


class Structure:
    """What is known about some data: facts that hold in all models, and one model, if one was found.

    `is_impossible`: the facts that hold in all models contradict an axiom, so there is no model.
    """

    def __init__(self, certain: Facts | None, model: Model | None, *, is_impossible: bool = False) -> None:
        self._certain = certain
        self.model = model
        self.is_impossible = is_impossible

    @property
    def is_consistent(self) -> bool:
        """Whether a model was found. False proves nothing."""
        return self.model is not None

    def is_member(self, individual: Term, kind: Argument) -> bool | None:
        """Whether it follows that an individual is in a class; None if this is not known."""
        try:
            if self._certain is not None and self._certain.certainly(self._certain.node(individual), kind):
                return True
            return None if self.model is None or self.model.has(individual, kind) else False
        except BeyondRulesError:
            return None

    def is_linked(self, name: NamedNode, source: Term, target: Term) -> bool | None:
        """Whether a link, or a value, follows; None if this is not known."""
        try:
            if self._certain is not None and has_link(self._certain, name, source, target):
                return True
            return None if self.model is None or has_link(self.model.facts, name, source, target) else False
        except BeyondRulesError:
            return None

    def is_same(self, one: Term, other: Term) -> bool | None:
        """Whether it follows that two individuals are one; None if this is not known."""
        if self._certain is not None and self._certain.node(one) == self._certain.node(other):
            return True
        is_one = self.model is None or self.model.facts.node(one) == self.model.facts.node(other)
        return None if is_one else False

    def can_be_member(self, individual: Term, kind: Argument) -> bool | None:
        """Whether an individual is in a class in some model; None if this is not known."""
        try:
            return True if self.model is not None and self.model.has(individual, kind) else None
        except BeyondRulesError:
            return None


class ModelFinder:
    """Finds models for data under the axioms of one ontology."""

    def __init__(self, axioms: Iterable[Expression], space: ValueSpace) -> None:
        stated = list(axioms)
        self._assertions = [axiom for axiom in stated if axiom.head in ASSERTIONS]
        self._schema = [axiom for axiom in stated if axiom.head not in ASSERTIONS]
        self._rules = Rules.of(self._schema, space)
        self._space = space

    @cached_property
    def _stated_facts(self) -> Facts:
        """What follows from the assertions of the ontology, before any data."""
        facts = Facts(self._space)
        self._rules.assertions(facts, self._assertions)
        self._rules.saturate(facts)
        return facts

    def find(self, data: Sequence[Expression], *, with_assertions: bool) -> Structure:
        """The structure of some assertions, with or without those of the ontology."""
        stated = [*self._assertions, *data] if with_assertions else list(data)
        try:
            certain = self._stated_facts.copy() if with_assertions else Facts(self._space)
            self._rules.assertions(certain, data)
            self._rules.saturate(certain)
        except BeyondRulesError:
            return Structure(None, None)
        if certain.is_impossible or any(map(Model(certain).contradicts, (*self._schema, *stated))):
            return Structure(certain, None, is_impossible=True)
        facts = certain.copy()
        try:
            self._fulfil(facts)
            model = Model(facts)
            is_model = not facts.is_impossible and all(model.satisfies(axiom) for axiom in (*self._schema, *stated))
        except BeyondRulesError:
            return Structure(certain, None)
        return Structure(certain, model if is_model else None)

    def _fulfil(self, facts: Facts) -> None:
        """Give each open obligation a witness or a choice."""
        depth: dict[Term, int] = {}
        while True:
            model = Model(facts)
            unmet = [each for each in facts.obligations if not model.has(*each)]
            if not unmet:
                return
            if len(depth) > _MOST_WITNESSES:
                raise BeyondRulesError
            for node, promise in unmet:
                if not Model(facts).has(node, promise):
                    self._meet(facts, facts.node(node), promise, depth)
            self._rules.saturate(facts)
            after = [each for each in facts.obligations if not Model(facts).has(*each)]
            if after == unmet:
                raise BeyondRulesError

    def _meet(self, facts: Facts, node: Term, promise: Expression, depth: dict[Term, int]) -> None:
        match promise:
            case Expression("ObjectSomeValuesFrom", (name, kind)):
                facts.add_link(name, node, self._witness(facts, node, kind, depth))
            case Expression("ObjectMinCardinality" | "ObjectExactCardinality", (least, name, *rest)):
                kind = rest[0] if rest else OWL.Thing
                found = sum(Model(facts).has(target, kind) for target in facts.successors(name, node))
                for _ in range(min(number(least) - found, _MOST_WITNESSES)):
                    facts.add_link(name, node, self._witness(facts, node, kind, depth, always_new=True))
            case Expression("DataSomeValuesFrom", (name, kind)):
                self._value(facts, node, name, kind)
            case Expression("DataMinCardinality" | "DataExactCardinality", (1, name, *rest)):
                self._value(facts, node, name, rest[0] if rest else None)
            case Expression("ObjectUnionOf", parts):
                facts.promise(node, min(parts, key=_is_negative))
            case _:
                raise BeyondRulesError

    def _value(self, facts: Facts, node: Term, name: Argument, kind: Argument | None) -> None:
        ranges = [
            axiom.args[1] for axiom in self._schema if axiom.head == "DataPropertyRange" and axiom.args[0] == name
        ]
        for each in (kind, *ranges):
            example = self._space.example(each) if each is not None else None
            if example is not None:
                facts.add_value(name, node, example)
                return
        raise BeyondRulesError

    @staticmethod
    def _witness(facts: Facts, node: Term, kind: Argument, depth: dict[Term, int], *, always_new: bool = False) -> Term:
        level = depth.get(node, 0) + 1
        if level > _DEEPEST_WITNESS and not always_new:
            for known, at in depth.items():
                if at == _DEEPEST_WITNESS and facts.certainly(facts.node(known), kind):
                    return facts.node(known)
        witness = BlankNode(f"witness{len(depth)}")
        depth[witness] = level
        facts.add_node(witness)
        facts.promise(witness, kind)
        return witness


def _is_negative(kind: Argument) -> bool:
    return is_headed(kind, "ObjectComplementOf")
