"""Reads the OWL expression that a blank node stands for from the triples around it.

A definition is one step deep: its arguments are terms, or `BlankPlace`s where another blank node's expression belongs.
It exists only if the mapping to RDF would write exactly these triples; an odd node (a missing type, two values, a list
with a branch, a number in an unusual spelling) has no definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias, TypeVar, final

from kgprobe.owl.expression import Argument, Expression
from kgprobe.owl.grammar import ATOMS, CARDINALITIES, COLLECTIONS, COMPLEMENTS, FILLERS, SWRL
from kgprobe.owl.name_kinds import OBJECT, EntityKinds
from kgprobe.owl.triple_index import TripleIndex
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Term

_T = TypeVar("_T")

_TRUE = Literal("true", datatype=XSD.boolean)
_MOST_DIGITS = 1000

_CLASS_PREDICATES = {how: head for head, (kind, how) in (COLLECTIONS | COMPLEMENTS).items() if kind == OWL.Class}
_RANGE_PREDICATES = {how: head for head, (kind, how) in (COLLECTIONS | COMPLEMENTS).items() if kind != OWL.Class}
_FILLER_HEADS = {
    prefix: {how: head for head, how in FILLERS.items() if head.startswith(prefix)} for prefix in ("Object", "Data")
}
# Each with the predicate of the filler, if it has one.
_COUNTS: dict[str, list[tuple[NamedNode, str, NamedNode | None]]] = {
    prefix: [
        found
        for head, (unqualified, qualified, on_filler) in CARDINALITIES.items()
        if head.startswith(prefix)
        for found in ((qualified, head, on_filler), (unqualified, head, None))
    ]
    for prefix in ("Object", "Data")
}
_ATOM_HEADS: dict[Term, str] = {kind: head for head, (kind, _) in ATOMS.items()}
_ATOM_ROLES = {
    "ClassAtom": ("class", "individual"),
    "DataRangeAtom": ("range", "literal"),
    "ObjectPropertyAtom": ("objectProperty", "individual", "individual"),
    "DataPropertyAtom": ("name", "individual", "literal"),
    "SameIndividualAtom": ("individual", "individual"),
    "DifferentIndividualsAtom": ("individual", "individual"),
}


# Named tuples are faster to create than other immutable types, and a graph has many of each.
@final
class BlankPlace(NamedTuple):
    """A place for the expression that a blank node stands for, and its required sort."""

    role: str
    node: BlankNode


Item: TypeAlias = "Argument | BlankPlace"


class Members(NamedTuple):
    """A well-formed list: its members, its triples, and its cells."""

    terms: list[Term]
    triples: list[int]
    cells: list[BlankNode]


class Definition(NamedTuple):
    """An expression one step deep, its triples, and the blank nodes that it uses up."""

    role: str
    head: str
    arguments: list[Item]
    triples: list[int]
    nodes: list[BlankNode]
    spare: int
    """The number of further triples with the node as subject."""


_EXPRESSIONS = frozenset({"class", "range", "objectProperty", "atom"})


class _NoDefinition(Exception):  # noqa: N818 - not an error: the answer "no definition" from deep inside
    pass


class Definitions:
    """The definitions of one graph's blank nodes; each is computed once."""

    def __init__(self, index: TripleIndex, kinds: EntityKinds) -> None:
        self._index = index
        self._kinds = kinds
        self._known: dict[BlankNode, Definition | None] = {}

    def of(self, node: BlankNode) -> Definition | None:
        if node not in self._known:
            try:
                self._known[node] = self._define(node)
            except _NoDefinition:
                self._known[node] = None
        return self._known[node]

    def item(self, role: str, term: Term) -> Item | None:
        """The term as an argument of this role; None if it cannot be one."""
        if role == "individual":
            return None if type(term) is Literal else term
        if type(term) is BlankNode:
            return BlankPlace(role, term) if role in _EXPRESSIONS else None
        if type(term) is NamedNode:
            if role == "class":
                return None if self._kinds.is_datatype(term) else term
            if role == "range":
                return None if self._kinds.is_class(term) else term
            return None if role in ("literal", "atom") else term
        return term if role == "literal" and type(term) is Literal else None

    def members(self, head: Term, cell_type: NamedNode | None = None) -> Members | None:
        """The list that begins at `head`, if each cell has one member, one successor, and one incoming triple."""
        found = Members([], [], [])
        expected = 2 if cell_type is None else 3
        while head != RDF.nil:
            if type(head) is not BlankNode or self._index.parents.get(head) != 1:
                return None
            numbers = self._index.about.get(head, [])
            first, rest = self._index.value(head, RDF.first), self._index.value(head, RDF.rest)
            if first is None or rest is None or len(numbers) != expected:
                return None
            if cell_type is not None and self._index.types(head) != [cell_type]:
                return None
            found.terms.append(first[1])
            found.triples.extend(numbers)
            found.cells.append(head)
            head = rest[1]
        return found

    def _define(self, node: BlankNode) -> Definition:
        readers = [reader for kind in self._index.types(node) if (reader := _READERS.get(kind)) is not None]
        if len(readers) == 1:
            return readers[0](self, node, _Making(self._index, node))
        if not readers and self._index.select(node, OWL.inverseOf):
            return self._inverse(node)
        raise _NoDefinition

    def _inverse(self, node: BlankNode) -> Definition:
        for number in self._index.select(node, OWL.inverseOf):
            inverted = self._index.statements[number][2]
            if type(inverted) is NamedNode:
                making = _Making(self._index, node)
                making.triples.append(number)
                return making.finish("objectProperty", "ObjectInverseOf", [inverted])
        raise _NoDefinition

    def _items(self, role: str, terms: Iterable[Term]) -> list[Item]:
        items: list[Item] = []
        for term in terms:
            item = self.item(role, term)
            if item is None:
                raise _NoDefinition
            items.append(item)
        return items

    def _list(self, making: _Making, head: Term) -> list[Term]:
        members = _sure(self.members(head))
        making.triples.extend(members.triples)
        making.nodes.extend(members.cells)
        return members.terms

    def _combination(self, making: _Making, role: str, heads: dict[NamedNode, str]) -> Definition:
        """An expression made by one predicate: a list, or one operand."""
        how = _only(heads.keys() & making.predicates)
        head = heads[how]
        value = making.take(how)
        if head in COMPLEMENTS:
            return making.finish(role, head, self._items(role, [value]))
        terms = self._list(making, value)
        member = {"ObjectOneOf": "individual", "DataOneOf": "literal"}.get(head, role)
        if len(terms) < (1 if head.endswith("OneOf") else 2):
            raise _NoDefinition
        return making.finish(role, head, self._items(member, terms))

    def _class(self, _: BlankNode, making: _Making) -> Definition:
        making.take(RDF.type, OWL.Class)
        return self._combination(making, "class", _CLASS_PREDICATES)

    def _range(self, _: BlankNode, making: _Making) -> Definition:
        making.take(RDF.type, RDFS.Datatype)
        if OWL.onDatatype not in making.predicates:
            return self._combination(making, "range", _RANGE_PREDICATES)
        arguments = self._items("name", [making.take(OWL.onDatatype)])
        facets = self._list(making, making.take(OWL.withRestrictions))
        for facet in facets:
            if type(facet) is not BlankNode or self._index.parents[facet] != 1:
                raise _NoDefinition
            number = _only(self._index.about.get(facet, []))
            predicate, value = self._index.statements[number][1:]
            arguments += [predicate, *self._items("literal", [value])]
            making.triples.append(number)
            making.nodes.append(facet)
        if not facets:
            raise _NoDefinition
        return making.finish("range", "DatatypeRestriction", arguments)

    def _restriction(self, node: BlankNode, making: _Making) -> Definition:
        making.take(RDF.type, OWL.Restriction)
        if OWL.onProperties in making.predicates:
            return self._nary_restriction(making)
        prop = making.take(OWL.onProperty)
        kind = _sure(self._kinds.restricted(node, prop))
        items = self._items("objectProperty" if kind == OBJECT else "name", [prop])
        if OWL.hasSelf in making.predicates:
            if kind != OBJECT or making.take(OWL.hasSelf) != _TRUE:
                raise _NoDefinition
            return making.finish("class", "ObjectHasSelf", items)
        prefix = kind.removesuffix("Property")
        fillers = _FILLER_HEADS[prefix]
        used = fillers.keys() & making.predicates
        if not used:
            return self._cardinality(making, prefix, items)
        how = _only(used)
        role = "class" if kind == OBJECT else "range"
        if how == OWL.hasValue:
            role = "individual" if kind == OBJECT else "literal"
        return making.finish("class", fillers[how], items + self._items(role, [making.take(how)]))

    def _nary_restriction(self, making: _Making) -> Definition:
        properties = self._items("name", self._list(making, making.take(OWL.onProperties)))
        heads = {OWL.someValuesFrom: "DataSomeValuesFrom", OWL.allValuesFrom: "DataAllValuesFrom"}
        how = _only(heads.keys() & making.predicates)
        if len(properties) < 2:
            raise _NoDefinition
        return making.finish("class", heads[how], properties + self._items("range", [making.take(how)]))

    def _cardinality(self, making: _Making, prefix: str, prop: list[Item]) -> Definition:
        for predicate, head, on_filler in _COUNTS[prefix]:
            if predicate in making.predicates:
                items: list[Item] = [_number(making.take(predicate)), *prop]
                if on_filler is not None:
                    items += self._items("class" if prefix == "Object" else "range", [making.take(on_filler)])
                return making.finish("class", head, items)
        raise _NoDefinition

    def _atom(self, _: BlankNode, making: _Making) -> Definition:
        kind = making.take(RDF.type)
        if kind == SWRL.BuiltinAtom:
            built_in = self._items("name", [making.take(SWRL.builtin)])
            terms = self._list(making, making.take(SWRL.arguments))
            if not terms:
                raise _NoDefinition
            return making.finish("atom", "BuiltInAtom", built_in + self._atom_items(making, "literal", terms))
        head = _ATOM_HEADS[kind]
        arguments: list[Item] = []
        for predicate, role in zip(ATOMS[head][1], _ATOM_ROLES[head], strict=True):
            arguments += self._atom_items(making, role, [making.take(predicate)])
        return making.finish("atom", head, arguments)

    def _atom_items(self, making: _Making, role: str, terms: Iterable[Term]) -> list[Item]:
        items: list[Item] = []
        for term in terms:
            if role not in ("individual", "literal") or not self._kinds.is_variable(term):
                items += self._items(role, [term])
                continue
            typing = self._index.numbers.get((term, RDF.type, SWRL.Variable))
            if typing is not None:  # in a part of a graph, the type of a name may be elsewhere
                making.triples.append(typing)
            items.append(Expression("Variable", term))
        return items


class _Making:
    """The triples of one node that its definition has used so far."""

    def __init__(self, index: TripleIndex, node: BlankNode) -> None:
        self._index = index
        self._node = node
        self.predicates: dict[NamedNode, list[int]] = {}
        """The predicates of the node, each with the numbers of its triples."""
        self.triples: list[int] = []
        self.nodes: list[BlankNode] = []
        for number in index.about[node]:
            self.predicates.setdefault(index.statements[number][1], []).append(number)

    def take(self, predicate: NamedNode, value: Term | None = None) -> Term:
        """Uses up the only triple with this predicate (and value), and returns its object."""
        numbers = self.predicates.get(predicate, [])
        if value is not None:
            numbers = [number for number in numbers if self._index.statements[number][2] == value]
        number = _only(numbers)
        self.triples.append(number)
        return self._index.statements[number][2]

    def finish(self, role: str, head: str, arguments: list[Item]) -> Definition:
        statements, node = self._index.statements, self._node
        own = sum([statements[number][0] == node for number in self.triples])
        spare = len(self._index.about[self._node]) - own
        return Definition(role, head, arguments, self.triples, self.nodes, spare)


def _sure(value: _T | None) -> _T:
    if value is None:
        raise _NoDefinition
    return value


def _only(values: Iterable[_T]) -> _T:
    found = tuple(values)
    if len(found) != 1:
        raise _NoDefinition
    return found[0]


def _number(term: Term) -> int:
    """A cardinality in the one spelling that the mapping writes."""
    if type(term) is not Literal or term.datatype != XSD.nonNegativeInteger or len(term.value) > _MOST_DIGITS:
        raise _NoDefinition
    if not (term.value.isascii() and term.value.isdigit()) or str(int(term.value)) != term.value:
        raise _NoDefinition
    return int(term.value)


_READERS: dict[Term, Callable[[Definitions, BlankNode, _Making], Definition]] = {
    OWL.Class: Definitions._class,
    RDFS.Datatype: Definitions._range,
    OWL.Restriction: Definitions._restriction,
    SWRL.BuiltinAtom: Definitions._atom,
    **dict.fromkeys(_ATOM_HEADS, Definitions._atom),
}
