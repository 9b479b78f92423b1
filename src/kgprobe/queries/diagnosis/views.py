"""The facts of a world as OWL statements about individuals.

A variable stands for an individual that the ontology does not have, or for a literal. Only properties that the ontology
declares in one way prove anything: a name that is no property, both an object and a data property, or an annotation
property may connect anything with anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from kgprobe.owl.datatypes import FACET_OF_SIGN
from kgprobe.owl.expression import Expression as Axiom
from kgprobe.owl.literal_values import NUMBERS, Doubt, Value, value_of
from kgprobe.queries.filters.expressions import FLIPPED
from kgprobe.queries.patterns.facts import Binding, Condition, Edge, Fact, Node, Rows, Walk, is_certain, label_of
from kgprobe.queries.schema import Said, Schema
from kgprobe.queries.statements import Statement, variable
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode
from kgprobe.sparql.algebra import Call, Constant, Given, Part, VariableUse
from kgprobe.sparql.algebra import Expression as QueryExpression

__all__ = ["View"]

_PROPERTIES = frozenset({"ObjectProperty", "DataProperty", "AnnotationProperty"})
RESERVED = (OWL.iri, RDF.iri, RDFS.iri)


def kind_of_property(name: NamedNode, schema: Schema) -> str | None:
    """ "ObjectProperty" or "DataProperty", if it is one of them and nothing else."""
    kinds = schema.kinds(name) & _PROPERTIES
    return next(iter(kinds)) if len(kinds) == 1 and "AnnotationProperty" not in kinds else None


def is_iri(part: object) -> bool:
    """Whether a part of a pattern is an IRI, if only one whose base is not known."""
    return isinstance(part, NamedNode) or (isinstance(part, Given) and part.is_iri)


@dataclass(frozen=True)
class KnownEdge:
    """An edge whose predicate is known, and the numbers of the facts behind it."""

    subject: Part
    predicate: NamedNode | None
    object: Part
    origins: tuple[int, ...]


@dataclass(frozen=True)
class Same:
    """Two terms that are the same, and the number of the fact that says so. One of them is a variable."""

    variable: Variable
    other: Part
    origin: int


@dataclass(frozen=True)
class _Said:
    """What some facts say together about individuals, with the name of the variable for a literal."""

    axiom: Axiom
    origins: tuple[int, ...]
    value: str = ""


@dataclass(frozen=True)
class View:
    """The facts of a world by number, and what they say about its variables."""

    facts: tuple[tuple[int, Fact], ...]
    schema: Schema

    @cached_property
    def sames(self) -> tuple[Same, ...]:
        """The equal terms: variables and IRIs. Equal literals may be two terms, and are left to conditions."""
        return tuple(same for number, fact in self.facts for same in _sames(number, fact))

    @cached_property
    def constants(self) -> dict[Variable, tuple[NamedNode, int]]:
        """The variables that are an IRI."""
        return {same.variable: (same.other, same.origin) for same in self.sames if isinstance(same.other, NamedNode)}

    @cached_property
    def links(self) -> tuple[KnownEdge, ...]:
        """The edges. A variable as predicate or class is replaced if it is known to be an IRI."""
        return tuple(self._link(number, fact) for number, fact in self.facts if isinstance(fact, Edge))

    def _link(self, number: int, edge: Edge) -> KnownEdge:
        origins = [number]
        predicate = edge.predicate
        if isinstance(predicate, Variable):
            known = self.constants.get(predicate)
            predicate = None if known is None else known[0]
            origins += () if known is None else (known[1],)
        value = edge.object
        if predicate == RDF.type and isinstance(value, Variable) and value in self.constants:
            value, origin = self.constants[value]
            origins.append(origin)
        return KnownEdge(edge.subject, predicate, value, tuple(origins))

    def kind(self, link: KnownEdge) -> str | None:
        """The kind of the property of a link, if it is certain."""
        return None if link.predicate is None else kind_of_property(link.predicate, self.schema)

    # -- nodes and literals --------------------------------------------------------------------------------------------

    @cached_property
    def nodes(self) -> dict[Variable, tuple[int, ...]]:
        """The variables that stand for an IRI or a blank node, and the facts that say so."""
        found: dict[Variable, tuple[int, ...]] = {}
        for number, fact in self.facts:
            if isinstance(fact, Node):
                found.setdefault(fact.variable, (number,))
            elif isinstance(fact, Edge) and isinstance(fact.predicate, Variable):
                found.setdefault(fact.predicate, (number,))
        for link in self.links:
            if isinstance(link.subject, Variable):
                found.setdefault(link.subject, link.origins[:1])
            if isinstance(link.object, Variable) and self.leads_to_node(link):
                found.setdefault(link.object, link.origins)
        for same in self.sames:
            if is_iri(same.other):
                found.setdefault(same.variable, (same.origin,))
        return found

    @cached_property
    def literals(self) -> dict[Variable, tuple[int, ...]]:
        """The variables that stand for a literal, because they are the value of a data property."""
        found: dict[Variable, tuple[int, ...]] = {}
        for link in self.links:
            if isinstance(link.object, Variable) and self.kind(link) == "DataProperty":
                found.setdefault(link.object, link.origins)
        return found

    def leads_to_node(self, link: KnownEdge) -> bool:
        """Whether the object of a link cannot be a literal."""
        return self.kind(link) == "ObjectProperty"

    # -- statements ----------------------------------------------------------------------------------------------------

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The statements of the facts. Their origins are those of `behind`."""
        numbers = {numbers: -1 - place for place, numbers in enumerate(self._sets)}
        return tuple(
            Statement(said.axiom, said.origins[0] if len(said.origins) == 1 else numbers[said.origins], said.value)
            for said in self._said
        )

    @cached_property
    def _sets(self) -> tuple[tuple[int, ...], ...]:
        """The sets of several facts that make a statement together. Its origin is the place of the set, from -1 on."""
        return tuple(dict.fromkeys(said.origins for said in self._said if len(said.origins) > 1))

    @cached_property
    def _said(self) -> tuple[_Said, ...]:
        found = []
        for link in self.links:
            found += [_Said(axiom, link.origins, value) for axiom, value in self._stated(link)]
            found += self._narrowed(link)
        for number, (walk, said) in self._walks.items():
            source, target = self._individual(walk.subject), self._individual(walk.object)
            if source is not None and target is not None:
                found.append(_Said(Axiom("ObjectPropertyAssertion", said.what, source, target), (number,)))
        for same in self.sames:
            other = self._individual(same.other)
            if same.variable in self.nodes and other is not None:
                axiom = Axiom("SameIndividual", variable(label_of(same.variable)), other)
                found.append(_Said(axiom, (same.origin,)))
        return tuple(found)

    @cached_property
    def _walks(self) -> dict[int, tuple[Walk, Said]]:
        """The walks that connect their ends, because a property is transitive."""
        walks = [(number, fact) for number, fact in self.facts if isinstance(fact, Walk)]
        said = {number: self.schema.transitive(walk.predicate) for number, walk in walks}
        return {
            number: (walk, transitive)
            for number, walk in walks
            if (transitive := said[number]) is not None
            if kind_of_property(walk.predicate, self.schema) == "ObjectProperty"
        }

    def axioms_behind(self, numbers: Iterable[int]) -> tuple[Axiom, ...]:
        """The axioms that make statements of facts, beyond what the facts say themselves."""
        return tuple(axiom for number in numbers if number in self._walks for axiom in self._walks[number][1].axioms)

    def statements_without(self, number: int) -> tuple[Statement, ...]:
        """The statements of all facts but one."""
        if self.sames:  # then a fact can matter for the statements of others
            rest = tuple(fact for fact in self.facts if fact[0] != number)
            return View(rest, self.schema).statements
        return tuple(statement for statement in self.statements if number not in self.behind((statement.origin,)))

    def behind(self, origins: Iterable[int]) -> tuple[int, ...]:
        """The numbers of the facts behind statements with these origins."""
        sets = ((origin,) if origin >= 0 else self._sets[-1 - origin] for origin in origins)
        return tuple(dict.fromkeys(chain.from_iterable(sets)))

    @cached_property
    def named(self) -> tuple[NamedNode, ...]:
        """The individuals of the variables that cannot be blank nodes."""
        found = {variable(label_of(known)): None for known in self.constants}
        for link in self.links:
            ends = (part for part in (link.subject, link.object) if isinstance(part, Given) and part.is_iri)
            found |= {variable(label_of(part)): None for part in ends}
        for _, fact in self.facts:
            if isinstance(fact, Condition) and isinstance(fact.expression, Call):
                call = fact.expression
                if call.name in ("ISIRI", "ISURI") and isinstance(call.arguments[0], VariableUse):
                    found[variable(label_of(call.arguments[0].variable))] = None
        return tuple(found)

    def _individual(self, part: Part) -> NamedNode | None:
        if isinstance(part, Variable):
            return variable(label_of(part))
        return part if isinstance(part, NamedNode) else None

    def _stated(self, link: KnownEdge) -> Iterator[tuple[Axiom, str]]:
        """The statements of a link, each with the name of the variable for its literal."""
        source, predicate = self._individual(link.subject), link.predicate
        if source is None or predicate is None:
            return
        target = self._individual(link.object)
        if predicate == RDF.type:
            if isinstance(link.object, NamedNode) and self._is_class(link.object):
                yield Axiom("ClassAssertion", link.object, source), ""
        elif self.kind(link) == "DataProperty":
            yield from _value_stated(predicate, source, link.object)
        elif target is not None:
            if predicate in _ABOUT_IDENTITY:
                yield Axiom(_ABOUT_IDENTITY[predicate], source, target), ""
            elif self.kind(link) == "ObjectProperty":
                yield Axiom("ObjectPropertyAssertion", predicate, source, target), ""

    def _narrowed(self, link: KnownEdge) -> Iterator[_Said]:
        """What conditions say about the value of a data property: `some` with a smaller range, or a single value."""
        source, value = self._individual(link.subject), link.object
        if source is None or link.predicate is None or not isinstance(value, Variable):
            return
        if self.kind(link) != "DataProperty":
            return
        for literal, origin in self._literals.get(value, ()):
            for axiom, _ in _value_stated(link.predicate, source, literal):
                yield _Said(axiom, (*link.origins, origin))
        if _is_numeric(link.predicate, self.schema):
            bounds = self._bounds.get(value, [])
            together = [bounds] if len(bounds) > 1 else []
            for chosen in (*([bound] for bound in bounds), *together):
                facets = [part for facet, limit, _ in chosen for part in (facet, limit)]
                some = Axiom("DataSomeValuesFrom", link.predicate, Axiom("DatatypeRestriction", XSD.decimal, *facets))
                origins = dict.fromkeys((*link.origins, *(origin for _, _, origin in chosen)))
                yield _Said(Axiom("ClassAssertion", some, source), tuple(origins))

    @cached_property
    def _literals(self) -> dict[Variable, list[tuple[Literal, int]]]:
        """The literals that variables are, by BIND or VALUES."""
        found: dict[Variable, list[tuple[Literal, int]]] = {}
        for number, fact in self.facts:
            match fact:
                case Binding(variable=bound, expression=Constant(term=Literal() as literal)) if is_certain(bound):
                    found.setdefault(bound, []).append((literal, number))
                case Rows(variables=variables, rows=(row,)):
                    for each, term in zip(variables, row, strict=True):
                        if isinstance(term, Literal):
                            found.setdefault(each, []).append((term, number))
                case _:
                    pass
        return found

    @cached_property
    def _bounds(self) -> dict[Variable, list[tuple[NamedNode, Literal, int]]]:
        """The numbers that conditions compare variables with, as facets."""
        found: dict[Variable, list[tuple[NamedNode, Literal, int]]] = {}
        for number, fact in self.facts:
            if isinstance(fact, Condition) and isinstance(fact.expression, Call):
                for each, facet, limit in _bound(fact.expression):
                    found.setdefault(each, []).append((facet, limit, number))
        return found

    def _is_class(self, name: NamedNode) -> bool:
        return not name.value.startswith(RESERVED) and "Class" in self.schema.kinds(name)


_ABOUT_IDENTITY = {OWL.sameAs: "SameIndividual", OWL.differentFrom: "DifferentIndividuals"}


def _value_stated(name: NamedNode, source: NamedNode, value: Part) -> Iterator[tuple[Axiom, str]]:
    if isinstance(value, Literal):
        if not isinstance(value_of(value), Doubt):
            yield Axiom("DataPropertyAssertion", name, source, value), ""
    elif isinstance(value, Variable):
        yield Axiom("ClassAssertion", Axiom("DataSomeValuesFrom", name, RDFS.Literal), source), label_of(value)


_COMPARISONS = frozenset({*FACET_OF_SIGN, "="})


def _bound(call: Call) -> Iterator[tuple[Variable, NamedNode, Literal]]:
    """The facets of `?x < 5`. Only exact numbers: SPARQL rounds others when it compares them."""
    if call.name not in _COMPARISONS or len(call.arguments) != 2:
        return
    for (left, right), name in ((call.arguments, call.name), (call.arguments[::-1], FLIPPED[call.name])):
        if isinstance(left, VariableUse) and isinstance(right, Constant) and isinstance(right.term, Literal):
            value = value_of(right.term)
            if isinstance(value, Value) and value.space in NUMBERS:
                limit = Literal(right.term.value, datatype=XSD.decimal)
                facets = (XSD.minInclusive, XSD.maxInclusive) if name == "=" else (FACET_OF_SIGN[name],)
                yield from ((left.variable, facet, limit) for facet in facets)


def _is_numeric(name: NamedNode, schema: Schema) -> bool:
    """Whether all values of a data property are exact numbers, for which SPARQL and OWL agree on what is smaller."""
    return any(schema.values(said.what).spaces <= set(NUMBERS) for said in schema.data_ranges(name))


# -- equal terms -------------------------------------------------------------------------------------------------------


def _sames(number: int, fact: Fact) -> Iterator[Same]:
    match fact:
        case Condition(expression=Call(name="=" | "SAMETERM", arguments=(one, two))):
            yield from _same_operands(number, one, two)
        case Binding(variable=bound, expression=expression):
            yield from _same_operands(number, VariableUse(bound, expression.span), expression)
        case Rows(variables=variables, rows=(row,)):
            for each, term in zip(variables, row, strict=True):
                if isinstance(term, NamedNode):
                    yield Same(each, term, number)
        case _:
            pass


def _same_operands(number: int, one: QueryExpression, two: QueryExpression) -> Iterator[Same]:
    """Operands that are one term. A BIND of a variable that may have no value says nothing."""
    for left, right in ((one, two), (two, one)):
        if isinstance(left, VariableUse):
            if isinstance(right, Constant) and isinstance(right.term, NamedNode):
                yield Same(left.variable, right.term, number)
                return
            if isinstance(right, VariableUse) and is_certain(right.variable):
                yield Same(left.variable, right.variable, number)
                return
