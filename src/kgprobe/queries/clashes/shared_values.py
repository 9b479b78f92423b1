"""Axioms about shared values that reasoners miss, applied to stated values: keys, and disjoint data properties.

Two statements can be about the same unknown literal, which OWL cannot say. Also, a key applies to named individuals
only, and the caller decides which individuals these are. So both are applied here: their consequences for the stated
values are axioms that all reasoners understand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations, product

from kgprobe.owl.expression import Argument, Expression, inner, is_headed, subject
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.terms import OWL, BlankNode, NamedNode, Subject

__all__ = ["StatedValues"]


class StatedValues:
    """The stated values of individuals, literals that only a variable names included."""

    def __init__(self, axioms: Iterable[Expression], named: Mapping[Expression, str]) -> None:
        """`named` has the variables of unknown literals, by the axiom that says that there is such a literal."""
        self._values: dict[tuple[Argument, Subject], dict[object, None]] = {}
        self._uppers: dict[Argument, list[Argument]] = {}
        self._pairs: dict[tuple[Subject, Subject], NamedNode] = {}
        for axiom in axioms:
            match axiom.head, axiom.args:
                case (("SubObjectPropertyOf" | "SubDataPropertyOf"), (lower, upper)):
                    self._uppers.setdefault(lower, []).append(upper)
                case (("EquivalentObjectProperties" | "EquivalentDataProperties"), parts):
                    for one, two in product(parts, parts):
                        self._uppers.setdefault(one, []).append(two)
        for axiom in axioms:
            match axiom.head, axiom.args:
                case (("ObjectPropertyAssertion" | "DataPropertyAssertion"), (prop, source, value)):
                    self._note(prop, subject(source), value)
                    if axiom.head == "ObjectPropertyAssertion":
                        self._note(_inverse(prop), subject(value), source)
                case "ClassAssertion", (kind, source) if axiom in named and is_headed(kind, "DataSomeValuesFrom"):
                    self._note(kind.args[0], subject(source), named[axiom])

    def _note(self, prop: Argument, source: Subject, value: object) -> None:
        for current in reached([prop], lambda each: self._uppers.get(each, ())):
            self._values.setdefault((current, source), {})[value] = None

    def consequences(self, key: Expression, is_named: Callable[[Subject], bool]) -> Iterator[Expression]:
        """For each pair of named individuals with a common value of each property of the key: both are members of its
        class only if they are the same.
        """
        kind, objects, data = key.args
        properties = [*inner(objects).args, *inner(data).args]
        sources = dict.fromkeys(source for prop, source in self._values if prop == properties[0] and is_named(source))
        for one, two in combinations(sources, 2):
            if all(self._share(prop, one, two, is_named) for prop in properties):
                link = NamedNode(f"urn:kgprobe:pair:{len(self._pairs)}")
                yield from _same_if_members(kind, one, two, self._pairs.setdefault((one, two), link))

    def contradictions(self, axiom: Expression) -> Iterator[Expression]:
        """An individual with one value of two disjoint properties is a contradiction."""
        for one, two in combinations(axiom.args, 2):
            for prop, source in list(self._values):
                if prop == one and not self._values[one, source].keys().isdisjoint(self._values.get((two, source), ())):
                    yield Expression("ClassAssertion", OWL.Nothing, source)

    def _share(self, prop: Argument, one: Subject, two: Subject, is_named: Callable[[Subject], bool]) -> bool:
        common = self._values.get((prop, one), {}).keys() & self._values.get((prop, two), {}).keys()
        return any(not isinstance(each, NamedNode | BlankNode) or is_named(each) for each in common)


def _inverse(prop: Argument) -> Argument:
    return prop.args[0] if is_headed(prop, "ObjectInverseOf") else Expression("ObjectInverseOf", prop)


def _same_if_members(kind: Argument, one: Subject, two: Subject, link: NamedNode) -> Iterator[Expression]:
    """Either one of two individuals is not in a class, or they are the same. The link has no other meaning."""
    outside = Expression("ObjectComplementOf", kind)
    yield Expression("ObjectPropertyAssertion", link, one, two)
    same, other = Expression("ObjectOneOf", two), Expression("ObjectAllValuesFrom", link, outside)
    yield Expression("ClassAssertion", Expression("ObjectUnionOf", outside, same, other), one)
