"""Facts read as a model: an individual is in a class, or linked, only if the facts say so. Which axioms hold then?"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import combinations

from kgprobe.owl.expression import Argument, Expression, inner, is_headed, number
from kgprobe.queries.testing.facts import BeyondRulesError, Facts, inverse, plain
from kgprobe.rdf.terms import OWL, Literal, NamedNode, Term

__all__ = ["Model", "has_link"]


def has_link(facts: Facts, name: NamedNode, source: Term, target: Term) -> bool:
    """Whether the facts have a link or a value."""
    if isinstance(target, Literal):
        values = facts.values.get(name, {}).get(facts.node(source), {})
        return facts.value(target) in values
    return facts.node(target) in facts.successors(name, facts.node(source))


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
        return isinstance(kind, Expression) and self._holds(node, kind)

    def _holds(self, node: Term, kind: Expression) -> bool:  # noqa: C901 - one case each
        facts = self.facts
        match kind:
            case Expression("ObjectIntersectionOf", parts):
                return all(self.has(node, part) for part in parts)
            case Expression("ObjectUnionOf", parts):
                return any(self.has(node, part) for part in parts)
            case Expression("ObjectComplementOf", (part,)):
                return not self.has(node, part)
            case Expression("ObjectOneOf", names):
                return any(facts.node(name) == node for name in names)  # type: ignore[arg-type]
            case Expression("ObjectSomeValuesFrom", (name, part)):
                return any(self.has(target, part) for target in self._targets(name, node))
            case Expression("ObjectAllValuesFrom", (name, part)):
                return all(self.has(target, part) for target in self._targets(name, node))
            case Expression("ObjectHasValue", (name, target)):
                return facts.node(target) in self._targets(name, node)  # type: ignore[arg-type]
            case Expression("ObjectHasSelf", (name,)):
                return node in self._targets(name, node)
            case Expression("DataSomeValuesFrom", (name, part)):
                return any(self._contains(part, literal) for literal in facts.literals(name, node))
            case Expression("DataAllValuesFrom", (name, part)):
                return all(self._contains(part, literal) for literal in facts.literals(name, node))
            case Expression("DataHasValue", (name, literal)):
                return has_link(facts, name, node, literal)  # type: ignore[arg-type]
            case Expression(head, (bound, name, *rest)) if head.endswith("Cardinality"):
                found = self._count(head, node, name, rest)
                if head.endswith("MinCardinality"):
                    return found >= number(bound)
                return found <= number(bound) if head.endswith("MaxCardinality") else found == number(bound)
            case _:
                raise BeyondRulesError

    def _count(self, head: str, node: Term, name: Argument, rest: Sequence[Argument]) -> int:
        if head.startswith("Object"):
            kind = rest[0] if rest else OWL.Thing
            return sum(self.has(target, kind) for target in self._targets(name, node))
        literals = self.facts.literals(name, node)
        return sum(not rest or self._contains(rest[0], literal) for literal in literals)

    def _targets(self, name: Argument, node: Term) -> Iterable[Term]:
        if plain(name) in (OWL.topObjectProperty, OWL.bottomObjectProperty):
            raise BeyondRulesError
        return self.facts.successors(name, node)

    def _contains(self, part: Argument, literal: Literal) -> bool:
        found = self.facts.space.contains(part, literal)
        if found is None:
            raise BeyondRulesError
        return found

    # -- axioms --------------------------------------------------------------------------------------------------------

    def satisfies(self, axiom: Expression) -> bool:
        """Whether an axiom holds in this model."""
        judge = _JUDGES.get(axiom.head)
        if judge is None:
            raise BeyondRulesError
        return judge(self, *axiom.args)

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

    def equivalent_classes(self, *parts: Argument) -> bool:
        return all(self.sub_class(one, other) for one in parts for other in parts if one is not other)

    def disjoint_classes(self, *parts: Argument) -> bool:
        return not any(self.has(node, two) for one, two in combinations(parts, 2) for node in self.members(one))

    def disjoint_union(self, whole: Argument, *parts: Argument) -> bool:
        return self.equivalent_classes(whole, Expression("ObjectUnionOf", *parts)) and self.disjoint_classes(*parts)

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

    def equivalent_properties(self, *parts: Argument) -> bool:
        return all(self.sub_property(one, other) for one in parts for other in parts if one is not other)

    def disjoint_properties(self, *parts: Argument) -> bool:
        return not any(
            target in self._targets(two, source)
            for one, two in combinations(parts, 2)
            for source, target in self.facts.pairs(one)
        )

    def inverse_properties(self, one: Argument, other: Argument) -> bool:
        return self.equivalent_properties(one, inverse(other))

    def domain(self, name: Argument, kind: Argument) -> bool:
        return all(self.has(node, kind) for node in self.facts.sources(name))

    def range(self, name: Argument, kind: Argument) -> bool:
        return all(self.has(target, kind) for _, target in self.facts.pairs(name))

    def functional(self, name: Argument) -> bool:
        return all(len(set(self._targets(name, node))) <= 1 for node in self.facts.sources(name))

    def reflexive(self, name: Argument) -> bool:
        return all(node in self._targets(name, node) for node in self.facts.kinds)

    def irreflexive(self, name: Argument) -> bool:
        return all(node not in self._targets(name, node) for node in self.facts.sources(name))

    def symmetric(self, name: Argument) -> bool:
        return self.sub_property(name, inverse(name))

    def asymmetric(self, name: Argument) -> bool:
        return not any(source in self._targets(name, target) for source, target in self.facts.pairs(name))

    def transitive(self, name: Argument) -> bool:
        return self.sub_property(Expression("ObjectPropertyChain", name, name), name)

    # data properties

    def _data_rows(self, name: Argument) -> dict[Term, dict[Hashable, Literal]]:
        if name in (OWL.topDataProperty, OWL.bottomDataProperty):
            raise BeyondRulesError
        return self.facts.values.get(name, {})  # type: ignore[arg-type]

    def sub_data_property(self, lower: Argument, upper: Argument) -> bool:
        above = self._data_rows(upper)
        return all(own.keys() <= above.get(node, {}).keys() for node, own in self._data_rows(lower).items())

    def equivalent_data_properties(self, *parts: Argument) -> bool:
        return all(self.sub_data_property(one, other) for one in parts for other in parts if one is not other)

    def disjoint_data_properties(self, *parts: Argument) -> bool:
        return not any(
            own.keys() & self._data_rows(two).get(node, {}).keys()
            for one, two in combinations(parts, 2)
            for node, own in self._data_rows(one).items()
        )

    def data_domain(self, name: Argument, kind: Argument) -> bool:
        return all(self.has(node, kind) for node, own in self._data_rows(name).items() if own)

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


def _all_named(parts: Iterable[Argument]) -> bool:
    return all(isinstance(part, NamedNode) for part in parts)


_JUDGES: dict[str, Callable[..., bool]] = {
    "SubClassOf": Model.sub_class,
    "EquivalentClasses": Model.equivalent_classes,
    "DisjointClasses": Model.disjoint_classes,
    "DisjointUnion": Model.disjoint_union,
    "SubObjectPropertyOf": Model.sub_property,
    "EquivalentObjectProperties": Model.equivalent_properties,
    "DisjointObjectProperties": Model.disjoint_properties,
    "InverseObjectProperties": Model.inverse_properties,
    "ObjectPropertyDomain": Model.domain,
    "ObjectPropertyRange": Model.range,
    "FunctionalObjectProperty": Model.functional,
    "InverseFunctionalObjectProperty": lambda model, name: model.functional(inverse(name)),
    "ReflexiveObjectProperty": Model.reflexive,
    "IrreflexiveObjectProperty": Model.irreflexive,
    "SymmetricObjectProperty": Model.symmetric,
    "AsymmetricObjectProperty": Model.asymmetric,
    "TransitiveObjectProperty": Model.transitive,
    "SubDataPropertyOf": Model.sub_data_property,
    "EquivalentDataProperties": Model.equivalent_data_properties,
    "DisjointDataProperties": Model.disjoint_data_properties,
    "DataPropertyDomain": Model.data_domain,
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
