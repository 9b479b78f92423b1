"""Finds the axiom that a main triple states, one step deep.

A pattern gives the axiom's arguments without reading unnamed expressions; `axiom_reader` does that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from kgprobe.owl.expression import Argument, Expression
from kgprobe.owl.grammar import CHARACTERISTICS, ENTITIES, SWRL
from kgprobe.owl.name_kinds import ANNOTATION, DATA, OBJECT, EntityKinds, is_reserved
from kgprobe.owl.node_definitions import Definitions, Item
from kgprobe.owl.triple_index import TripleIndex
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Term

_ENTITY_OF_TYPE: dict[Term, str] = {iri: kind for kind, iri in ENTITIES.items()}
_CHARACTERISTIC_OF_TYPE: dict[Term, str] = {
    iri: head for head, iri in CHARACTERISTICS.items() if iri != OWL.FunctionalProperty
}
_GROUP_TYPES = {OWL.AllDisjointClasses, OWL.AllDisjointProperties, OWL.AllDifferent}
_NODE_TYPES = _GROUP_TYPES | {OWL.NegativePropertyAssertion, SWRL.Imp}


class Pattern(NamedTuple):
    """An axiom one step deep: its arguments as items, its main triples, and everything else that it uses."""

    head: str
    items: list[Item]
    main: list[int]
    triples: Sequence[int] = ()
    nodes: Sequence[BlankNode] = ()
    node: BlankNode | None = None
    """The axiom's own node, for axioms that have one; their annotations are on it."""
    shared: frozenset[Term] = frozenset()
    """Nodes that two main triples of this axiom have in common."""
    arrange: Callable[[Sequence[Argument]], Sequence[Argument]] | None = None
    """From the items in a row to the arguments of the axiom, if they differ."""


class AxiomPatterns:
    """Matches the triples of one graph."""

    def __init__(self, index: TripleIndex, kinds: EntityKinds, definitions: Definitions) -> None:
        self._index = index
        self._kinds = kinds
        self._definitions = definitions

    def is_assertion(self, number: int) -> bool:
        """Whether the triple can only be an assertion about individuals, or an annotation."""
        return self._index.statements[number][1] not in _BY_PREDICATE

    def match(self, number: int) -> Pattern | None:
        """The axiom whose first main triple this is."""
        matcher = _BY_PREDICATE.get(self._index.statements[number][1], AxiomPatterns._assertion)
        return matcher(self, number)

    def _pattern(self, number: int, head: str, *arguments: tuple[str, Term]) -> Pattern | None:
        """A pattern whose only main triple is this one."""
        items = self._items(arguments)
        return None if items is None else Pattern(head, items, [number], [number])

    def _items(self, arguments: Iterable[tuple[str, Term]]) -> list[Item] | None:
        """The terms in their roles; None if one of them cannot have its role."""
        items = []
        for role, term in arguments:
            item = self._definitions.item(role, term)
            if item is None:
                return None
            items.append(item)
        return items

    def _type(self, number: int) -> Pattern | None:
        subject, _, kind = self._index.statements[number]
        entity = _ENTITY_OF_TYPE.get(kind)
        if entity is not None:
            if type(subject) is not NamedNode:
                return None
            return Pattern("Declaration", [Expression(entity, subject)], [number], [number])
        if kind == OWL.FunctionalProperty:
            functional = self._kinds.common([subject], among=(OBJECT, DATA))
            if functional is None:
                return None
            return self._pattern(number, f"Functional{functional}", (_role(functional), subject))
        if kind in _CHARACTERISTIC_OF_TYPE:
            return self._pattern(number, _CHARACTERISTIC_OF_TYPE[kind], ("objectProperty", subject))
        if kind in _NODE_TYPES and type(subject) is BlankNode:
            return self._node_axiom(number, subject, kind)
        if type(kind) is NamedNode and is_reserved(kind) and kind not in (OWL.Thing, OWL.Nothing):
            return None
        return self._pattern(number, "ClassAssertion", ("class", kind), ("individual", subject))

    def _classes(self, number: int, head: str) -> Pattern | None:
        subject, _, value = self._index.statements[number]
        return self._pattern(number, head, ("class", subject), ("class", value))

    def _sub_class(self, number: int) -> Pattern | None:
        return self._classes(number, "SubClassOf")

    def _disjoint_classes(self, number: int) -> Pattern | None:
        return self._classes(number, "DisjointClasses")

    def _equivalent_classes(self, number: int) -> Pattern | None:
        subject, _, value = self._index.statements[number]
        if type(subject) is NamedNode and self._kinds.is_datatype(subject):
            return self._pattern(number, "DatatypeDefinition", ("name", subject), ("range", value))
        if self._kinds.is_datatype(subject) or self._kinds.is_datatype(value):
            return None
        return self._chain(number, "EquivalentClasses", "class")

    def _equivalent_properties(self, number: int) -> Pattern | None:
        subject, _, value = self._index.statements[number]
        kind = self._kinds.common([subject, value], among=(OBJECT, DATA))
        return self._chain(number, f"Equivalent{_plural(kind)}", _role(kind)) if kind else None

    def _chain(self, number: int, head: str, role: str) -> Pattern | None:
        """A row of triples of one predicate, joined by blank nodes: one axiom with more than two arguments."""
        subject, predicate, value = self._index.statements[number]
        if type(subject) is BlankNode and self._index.parents.get(subject) == 1:
            return None  # not the first triple of its row
        terms, main = [subject, value], [number]
        while type(value) is BlankNode and self._index.parents[value] == 1:
            following = self._index.select(value, predicate)
            if len(following) != 1:
                break
            main += following
            value = self._index.statements[following[0]][2]
            terms.append(value)
        items = self._items((role, term) for term in terms)
        if items is None:
            return None
        return Pattern(head, items, main, main, shared=frozenset(terms[1:-1]))

    def _disjoint_union(self, number: int) -> Pattern | None:
        subject, _, value = self._index.statements[number]
        return self._with_list(number, "DisjointUnion", ("name", subject), "class", value)

    def _property_chain(self, number: int) -> Pattern | None:
        subject, _, value = self._index.statements[number]
        return self._with_list(
            number,
            "SubObjectPropertyOf",
            ("objectProperty", subject),
            "objectProperty",
            value,
            arrange=lambda arguments: (Expression("ObjectPropertyChain", *arguments[1:]), arguments[0]),
        )

    def _with_list(
        self,
        number: int,
        head: str,
        first: tuple[str, Term],
        role: str,
        listed: Term,
        arrange: Callable[[Sequence[Argument]], Sequence[Argument]] | None = None,
    ) -> Pattern | None:
        """A main triple that leads from the first argument to a list of two or more others."""
        members = self._definitions.members(listed)
        if members is None or len(members.terms) < 2:
            return None
        items = self._items([first, *((role, term) for term in members.terms)])
        if items is None:
            return None
        return Pattern(
            head,
            items,
            [number],
            [number, *members.triples],
            list(members.cells),
            arrange=arrange,
        )

    def _has_key(self, number: int) -> Pattern | None:
        subject, _, value = self._index.statements[number]
        members = self._definitions.members(value)
        if members is None or not members.terms:
            return None
        kinds = [self._kinds.common([term], among=(OBJECT, DATA)) for term in members.terms]
        objects = kinds.count(OBJECT)
        if kinds != [OBJECT] * objects + [DATA] * (len(kinds) - objects):
            return None  # unknown, or in an order that the mapping does not write
        roles = ["objectProperty"] * objects + ["name"] * (len(kinds) - objects)
        items = self._items([("class", subject), *zip(roles, members.terms, strict=True)])
        if items is None:
            return None

        def arrange(arguments: Sequence[Argument]) -> Sequence[Argument]:
            return arguments[0], Expression("", *arguments[1 : objects + 1]), Expression("", *arguments[objects + 1 :])

        triples = [number, *members.triples]
        return Pattern("HasKey", items, [number], triples, members.cells, arrange=arrange)

    def _sub_property(self, number: int) -> Pattern | None:
        return self._properties(number, "Sub{}Of")

    def _disjoint_properties(self, number: int) -> Pattern | None:
        subject, _, value = self._index.statements[number]
        kind = self._kinds.common([subject, value], among=(OBJECT, DATA))
        if kind is None:
            return None
        return self._pattern(number, f"Disjoint{_plural(kind)}", (_role(kind), subject), (_role(kind), value))

    def _properties(self, number: int, head: str) -> Pattern | None:
        subject, _, value = self._index.statements[number]
        kind = self._kinds.common([subject, value])
        if kind is None:
            return None
        return self._pattern(number, head.format(kind), (_role(kind), subject), (_role(kind), value))

    def _domain(self, number: int) -> Pattern | None:
        return self._about_property(number, "Domain", {OBJECT: "class", DATA: "class", ANNOTATION: "name"})

    def _range(self, number: int) -> Pattern | None:
        return self._about_property(number, "Range", {OBJECT: "class", DATA: "range", ANNOTATION: "name"})

    def _about_property(self, number: int, suffix: str, roles: dict[str, str]) -> Pattern | None:
        subject, _, value = self._index.statements[number]
        for kind in roles:
            if kind in self._kinds.properties(subject):
                found = self._pattern(number, kind + suffix, (_role(kind), subject), (roles[kind], value))
                if found is not None:
                    return found
        return None

    def _inverse(self, number: int) -> Pattern | None:
        subject, _, value = self._index.statements[number]
        if type(subject) is BlankNode:
            definition = self._definitions.of(subject)
            if definition is None or number in definition.triples:
                return None  # the triple defines the unnamed property, and states nothing
        return self._pattern(number, "InverseObjectProperties", ("objectProperty", subject), ("objectProperty", value))

    def _same(self, number: int) -> Pattern | None:
        return self._individuals(number, "SameIndividual")

    def _different(self, number: int) -> Pattern | None:
        return self._individuals(number, "DifferentIndividuals")

    def _individuals(self, number: int, head: str) -> Pattern | None:
        subject, _, value = self._index.statements[number]
        return self._pattern(number, head, ("individual", subject), ("individual", value))

    def _assertion(self, number: int) -> Pattern | None:
        subject, predicate, value = self._index.statements[number]
        kinds = self._kinds.properties(predicate)
        if not kinds and is_reserved(predicate):
            return None
        kind, role = (DATA, "literal") if type(value) is Literal else (OBJECT, "individual")
        if kind in kinds:
            return self._pattern(
                number, f"{kind}Assertion", ("name", predicate), ("individual", subject), (role, value)
            )
        if kinds and ANNOTATION not in kinds:
            return None
        return self._pattern(number, "AnnotationAssertion", ("name", predicate), ("individual", subject), (role, value))

    def _node_axiom(self, number: int, node: BlankNode, kind: Term) -> Pattern | None:
        if self._index.parents.get(node):
            return None
        if kind == OWL.NegativePropertyAssertion:
            return self._negative_assertion(number, node)
        return self._rule(number, node) if kind == SWRL.Imp else self._group(number, node, kind)

    def _group(self, number: int, node: BlankNode, kind: Term) -> Pattern | None:
        listed = self._index.value(node, OWL.members)
        members = self._definitions.members(listed[1]) if listed else None
        if listed is None or members is None or len(members.terms) < 3:
            return None
        if kind == OWL.AllDisjointProperties:
            shared = self._kinds.common(members.terms, among=(OBJECT, DATA))
            if shared is None:
                return None
            head, role = f"Disjoint{_plural(shared)}", _role(shared)
        elif kind == OWL.AllDisjointClasses:
            head, role = "DisjointClasses", "class"
        else:
            head, role = "DifferentIndividuals", "individual"
        items = self._items((role, term) for term in members.terms)
        if items is None:
            return None
        triples = [number, listed[0], *members.triples]
        return Pattern(head, items, [number], triples, [node, *members.cells], node)

    def _negative_assertion(self, number: int, node: BlankNode) -> Pattern | None:
        target = OWL.targetValue if self._index.select(node, OWL.targetValue) else OWL.targetIndividual
        parts = [
            self._index.value(node, predicate) for predicate in (OWL.assertionProperty, OWL.sourceIndividual, target)
        ]
        found = [part for part in parts if part is not None]
        if len(found) < 3:
            return None
        kind = DATA if target == OWL.targetValue else OBJECT
        roles = (_role(kind), "individual", "literal" if kind == DATA else "individual")
        items = self._items(zip(roles, (term for _, term in found), strict=True))
        if items is None:
            return None
        triples = [number, *(other for other, _ in found)]
        return Pattern(f"Negative{kind}Assertion", items, [number], triples, [node], node)

    def _rule(self, number: int, node: BlankNode) -> Pattern | None:
        body, head = self._index.value(node, SWRL.body), self._index.value(node, SWRL.head)
        if body is None or head is None:
            return None
        bodies = self._definitions.members(body[1], SWRL.AtomList)
        heads = self._definitions.members(head[1], SWRL.AtomList)
        if bodies is None or heads is None:
            return None
        items = self._items(("atom", term) for term in (*bodies.terms, *heads.terms))
        if items is None:
            return None
        split = len(bodies.terms)

        def arrange(arguments: Sequence[Argument]) -> Sequence[Argument]:
            return Expression("Body", *arguments[:split]), Expression("Head", *arguments[split:])

        return Pattern(
            "DLSafeRule",
            items,
            [number],
            [number, body[0], head[0], *bodies.triples, *heads.triples],
            [node, *bodies.cells, *heads.cells],
            node,
            arrange=arrange,
        )


def _role(kind: str) -> str:
    return "objectProperty" if kind == OBJECT else "name"


def _plural(kind: str) -> str:
    return kind.removesuffix("y") + "ies"


_BY_PREDICATE: dict[NamedNode, Callable[[AxiomPatterns, int], Pattern | None]] = {
    RDF.type: AxiomPatterns._type,
    RDFS.subClassOf: AxiomPatterns._sub_class,
    OWL.equivalentClass: AxiomPatterns._equivalent_classes,
    OWL.disjointWith: AxiomPatterns._disjoint_classes,
    OWL.disjointUnionOf: AxiomPatterns._disjoint_union,
    OWL.hasKey: AxiomPatterns._has_key,
    RDFS.subPropertyOf: AxiomPatterns._sub_property,
    OWL.propertyChainAxiom: AxiomPatterns._property_chain,
    OWL.equivalentProperty: AxiomPatterns._equivalent_properties,
    OWL.propertyDisjointWith: AxiomPatterns._disjoint_properties,
    OWL.inverseOf: AxiomPatterns._inverse,
    RDFS.domain: AxiomPatterns._domain,
    RDFS.range: AxiomPatterns._range,
    OWL.sameAs: AxiomPatterns._same,
    OWL.differentFrom: AxiomPatterns._different,
}
