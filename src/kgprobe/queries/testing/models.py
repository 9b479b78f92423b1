"""Finite models: a proof that data are consistent, and that an individual need not be in a class.

The facts that follow for certain (`facts`) are extended to a model: each obligation that is open gets a witness or a
choice. In it, an individual is in a class, or linked, only if the facts say so. The result counts only if every axiom
holds in it, checked one by one, so a poor choice costs time, not truth.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from itertools import combinations, islice

from kgprobe.owl.expression import Argument, Expression, inner, is_headed, number
from kgprobe.owl.meaning import evaluate, simpler
from kgprobe.queries.testing.facts import BeyondRulesError, Facts, Rules, ValueSpace, has_link, plain
from kgprobe.rdf.terms import OWL, BlankNode, Literal, NamedNode, Term


class Model:
    """Facts read as a model: an individual is in a class, or linked, only if the facts say so."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._extensions: dict[Argument, frozenset[Term]] = {}

    def has(self, individual: Term, kind: Argument) -> bool:
        """Whether an individual is in a class."""
        node = self.facts.node(individual)
        if isinstance(kind, NamedNode):
            return kind == OWL.Thing or kind in self.facts.kinds.get(node, ())
        return isinstance(kind, Expression) and evaluate(kind, self, node)

    # -- class expressions (see `owl.meaning`) -------------------------------------------------------------------------

    all_of = staticmethod(all)
    any_of = staticmethod(any)

    def in_class(self, name: Argument, node: Term, *, is_negated: bool) -> bool:
        return self.has(node, name) != is_negated

    def one_of(self, individuals: Sequence[Argument], node: Term, *, is_negated: bool) -> bool:
        return any(self.facts.node(each) == node for each in individuals) != is_negated  # type: ignore[arg-type]

    def has_self(self, name: Argument, node: Term, *, is_negated: bool) -> bool:
        return (node in self._targets(name, node)) != is_negated

    def has_value(self, name: Argument, individual: Argument, node: Term, *, is_negated: bool) -> bool:
        return (self.facts.node(individual) in self._targets(name, node)) != is_negated  # type: ignore[arg-type]

    def has_literal(self, name: Argument, literal: Argument, node: Term, *, is_negated: bool) -> bool:
        return has_link(self.facts, name, node, literal) != is_negated  # type: ignore[arg-type]

    def at_least(self, least: int, name: Argument, kind: Argument, node: Term, *, is_negated: bool) -> bool:
        return _are_many((self.has(target, kind) for target in self._targets(name, node)), least) != is_negated

    def at_least_values(
        self, least: int, names: Sequence[Argument], values: Argument, node: Term, *, is_negated: bool
    ) -> bool:
        if len(names) > 1:
            raise BeyondRulesError
        literals = self.facts.literals(names[0], node)
        return _are_many((self._contains(values, literal) for literal in literals), least) != is_negated

    def _targets(self, name: Argument, node: Term) -> Iterable[Term]:
        if plain(name) in (OWL.topObjectProperty, OWL.bottomObjectProperty):
            raise BeyondRulesError
        return self.facts.successors(name, node)

    def _contains(self, part: Argument, literal: Literal) -> bool:
        found = self.facts.contains(part, literal)
        if found is None:
            raise BeyondRulesError
        return found

    # -- axioms --------------------------------------------------------------------------------------------------------

    def satisfies(self, axiom: Expression) -> bool:
        """Whether an axiom holds in this model."""
        judge = _JUDGES.get(axiom.head)
        if judge is not None:
            return judge(self, *axiom.args)
        parts = simpler(axiom)
        if not parts:
            raise BeyondRulesError
        return all(map(self.satisfies, parts))

    def contradicts(self, axiom: Expression) -> bool:
        """Whether an axiom forbids something that is a fact here. More facts cannot change that."""
        if axiom.head not in _FORBIDDING or (axiom.head == "DisjointClasses" and not _all_named(axiom.args)):
            return False
        try:
            return not self.satisfies(axiom)
        except BeyondRulesError:
            return False

    def members(self, kind: Argument) -> Iterable[Term]:
        if isinstance(kind, NamedNode) and kind != OWL.Thing:
            return self.facts.members.get(kind, ())
        known = self._extensions.get(kind)
        if known is None:
            found = (node for node in self.facts.candidates(kind) if self.has(node, kind))
            known = self._extensions[kind] = frozenset(found)
        return known

    def sub_class(self, lower: Argument, upper: Argument) -> bool:
        return upper == OWL.Thing or all(self.has(node, upper) for node in self.members(lower))

    def disjoint_classes(self, *parts: Argument) -> bool:
        return not any(self.has(node, two) for one, two in combinations(parts, 2) for node in self.members(one))

    def sub_property(self, lower: Argument, upper: Argument) -> bool:
        steps = lower.args if is_headed(lower, "ObjectPropertyChain") else (lower,)
        return all(
            target in self._targets(upper, source)
            for source in self.facts.sources(steps[0])
            for target in self._along(source, steps)
        )

    def _along(self, source: Term, steps: Sequence[Argument]) -> set[Term]:
        reached = {source}
        for step in steps:
            reached = {target for node in reached for target in self._targets(step, node)}
        return reached

    def disjoint_properties(self, *parts: Argument) -> bool:
        return not any(
            target in self._targets(two, source)
            for one, two in combinations(parts, 2)
            for source, target in self.facts.pairs(one)
        )

    def domain(self, name: Argument, kind: Argument) -> bool:
        return all(self.has(node, kind) for node in self.facts.sources(name))

    def functional(self, name: Argument) -> bool:
        return all(len(set(self._targets(name, node))) <= 1 for node in self.facts.sources(name))

    def reflexive(self, name: Argument) -> bool:
        return all(node in self._targets(name, node) for node in self.facts.kinds)

    def irreflexive(self, name: Argument) -> bool:
        return all(node not in self._targets(name, node) for node in self.facts.sources(name))

    # data properties

    def _data_rows(self, name: Argument) -> dict[Term, dict[Hashable, Literal]]:
        if name in (OWL.topDataProperty, OWL.bottomDataProperty):
            raise BeyondRulesError
        return self.facts.values.get(name, {})  # type: ignore[arg-type]

    def sub_data_property(self, lower: Argument, upper: Argument) -> bool:
        above = self._data_rows(upper)
        return all(own.keys() <= above.get(node, {}).keys() for node, own in self._data_rows(lower).items())

    def disjoint_data_properties(self, *parts: Argument) -> bool:
        return not any(
            own.keys() & self._data_rows(two).get(node, {}).keys()
            for one, two in combinations(parts, 2)
            for node, own in self._data_rows(one).items()
        )

    def data_range(self, name: Argument, kind: Argument) -> bool:
        return all(self._contains(kind, each) for own in self._data_rows(name).values() for each in own.values())

    def functional_data(self, name: Argument) -> bool:
        return all(len(own) <= 1 for own in self._data_rows(name).values())

    def key(self, kind: Argument, objects: Argument, data: Argument) -> bool:
        """A key holds for named individuals; here, for all, which is stricter."""
        nodes = [node for node in self.members(kind) if isinstance(node, NamedNode)]
        for one, two in combinations(nodes, 2):
            shares = [set(self._targets(name, one)) & set(self._targets(name, two)) for name in inner(objects).args]
            shares += [
                set(self._data_rows(name).get(one, {})) & set(self._data_rows(name).get(two, {}))  # type: ignore[misc]
                for name in inner(data).args
            ]
            if all(shares):
                return False
        return True

    # assertions

    def class_assertion(self, kind: Argument, node: Argument) -> bool:
        return self.has(node, kind)  # type: ignore[arg-type]

    def link_assertion(self, name: Argument, source: Argument, target: Argument) -> bool:
        return self.facts.node(target) in self._targets(name, self.facts.node(source))  # type: ignore[arg-type]

    def no_link_assertion(self, name: Argument, source: Argument, target: Argument) -> bool:
        return not self.link_assertion(name, source, target)

    def value_assertion(self, name: Argument, node: Argument, literal: Argument) -> bool:
        return has_link(self.facts, name, node, literal)  # type: ignore[arg-type]

    def no_value_assertion(self, name: Argument, node: Argument, literal: Argument) -> bool:
        return not self.value_assertion(name, node, literal)

    def same(self, *nodes: Argument) -> bool:
        return len({self.facts.node(node) for node in nodes}) == 1  # type: ignore[arg-type]

    def different(self, *nodes: Argument) -> bool:
        return len({self.facts.node(node) for node in nodes}) == len(nodes)  # type: ignore[arg-type]


_FORBIDDING = frozenset(
    [
        *("DisjointClasses", "DisjointObjectProperties", "DisjointDataProperties", "FunctionalDataProperty"),
        *("IrreflexiveObjectProperty", "AsymmetricObjectProperty", "DataPropertyRange", "DifferentIndividuals"),
        *("NegativeObjectPropertyAssertion", "NegativeDataPropertyAssertion"),
    ]
)


def _are_many(found: Iterable[bool], least: int) -> bool:
    """Whether at least this number are true. It looks no further than necessary."""
    return sum(islice(filter(None, found), least)) == least


def _all_named(parts: Iterable[Argument]) -> bool:
    return all(isinstance(part, NamedNode) for part in parts)


# The other axioms are explained by these.
_JUDGES: dict[str, Callable[..., bool]] = {
    "SubClassOf": Model.sub_class,
    "DisjointClasses": Model.disjoint_classes,
    "SubObjectPropertyOf": Model.sub_property,
    "DisjointObjectProperties": Model.disjoint_properties,
    "ObjectPropertyDomain": Model.domain,
    "FunctionalObjectProperty": Model.functional,
    "ReflexiveObjectProperty": Model.reflexive,
    "IrreflexiveObjectProperty": Model.irreflexive,
    "SubDataPropertyOf": Model.sub_data_property,
    "DisjointDataProperties": Model.disjoint_data_properties,
    "DataPropertyRange": Model.data_range,
    "FunctionalDataProperty": Model.functional_data,
    "HasKey": Model.key,
    "DatatypeDefinition": lambda *_: True,
    "ClassAssertion": Model.class_assertion,
    "ObjectPropertyAssertion": Model.link_assertion,
    "NegativeObjectPropertyAssertion": Model.no_link_assertion,
    "DataPropertyAssertion": Model.value_assertion,
    "NegativeDataPropertyAssertion": Model.no_value_assertion,
    "SameIndividual": Model.same,
    "DifferentIndividuals": Model.different,
}


# -- search ------------------------------------------------------------------------------------------------------------

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
