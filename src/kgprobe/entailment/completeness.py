"""Decides whether a reasoner could find more of the class hierarchy than is stated.

A stated edge is SubClassOf between two names, either direction of EquivalentClasses between two names, or SubClassOf
from a name to an intersection with a name among its operands.

The stated hierarchy is complete if the axioms have a model in which one named class is below another only if a path of
stated edges leads there. The model used here has one element for each named class, plus a top element. The element of
a class belongs to that class and to all classes that its stated edges lead to. The top element belongs to every class
and interprets every individual. It therefore belongs to every intersection, and any element that has the top element
as a value of a property satisfies every existential restriction on that property. The properties are interpreted in
one of three ways:

- If no property has a domain or a range, every property relates every pair of elements. All axioms about properties
  hold.
- If there are ranges but no domains, and no inverse, symmetric or reflexive properties, every property relates each
  element to the top element. Chains and subproperty axioms hold, and the top element belongs to every range.
- If there are no restrictions and no reflexive properties, every property relates the top element only to itself. The
  top element belongs to every domain as well.

So the hierarchy is complete if the graph has only such axioms, besides declarations and annotations, which have no
logical meaning. The argument also covers data properties, with all data values in the role of the top element, unless
the graph combines datatype ranges with stated values or restrictions.

Any other construct makes the hierarchy count as incomplete: disjointness, which the top element violates; negation;
anonymous classes on the left side; cardinalities, nominals, keys and rules. The checks look at triples, not axioms, so
an accepted graph gains no edge no matter how a tool parses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgprobe.entailment.triple_columns import BLANK, LITERAL, NAME, RESERVED, Columns, Numbers
from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.axioms.name_kinds import BUILT_IN, is_reserved
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Term

__all__ = ["objections"]

_Mask: TypeAlias = NDArray[np.bool_]
_Fits: TypeAlias = Callable[[Numbers], _Mask]

_ANNOTATING = frozenset(name for name, kind in BUILT_IN.items() if kind == "AnnotationProperty")
_PREDICATES = _ANNOTATING.union(
    (RDF.type, RDF.first, RDF.rest, OWL.sameAs),
    (OWL.imports, OWL.versionIRI, OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget),
    (RDFS.subClassOf, OWL.equivalentClass, OWL.onProperty, OWL.someValuesFrom, OWL.intersectionOf),
    (RDFS.subPropertyOf, OWL.equivalentProperty, OWL.inverseOf, OWL.propertyChainAxiom, RDFS.domain, RDFS.range),
)
_CHARACTERISTICS = (OWL.TransitiveProperty, OWL.SymmetricProperty, OWL.ReflexiveProperty)
_TYPES = frozenset(
    (
        *(OWL.Class, RDFS.Class, OWL.Restriction, OWL.Thing, OWL.NamedIndividual, RDFS.Datatype, RDF.List),
        *(OWL.Ontology, OWL.Axiom, OWL.Annotation, *_CHARACTERISTICS),
        *(RDF.Property, OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty),
    )
)
# Datatypes that are never empty.
_DATATYPES = (
    *(XSD.string, XSD.boolean, XSD.decimal, XSD.integer, XSD.double, XSD.float, XSD.dateTime, XSD.anyURI),
    *(XSD.nonNegativeInteger, XSD.positiveInteger, XSD.int, XSD.long, RDFS.Literal, RDF.PlainLiteral),
)


def objections(graph: Graph, columns: Columns) -> Iterator[str]:
    """Describe the constructs that may make the stated hierarchy incomplete."""
    search = _Search(graph, columns)
    for check in (
        search.vocabulary,
        search.places,
        search.ends,
        search.data_properties,
        search.values,
        search.annotations,
    ):
        yield from check()


class _Search:
    """The checks of one graph."""

    def __init__(self, graph: Graph, columns: Columns) -> None:
        self._graph = graph
        self._columns = columns
        self._thing = columns.numbers(OWL.Thing)
        self._datatypes = columns.numbers(*_DATATYPES)
        self._named_datatypes = columns.of_types(RDFS.Datatype)
        self._data = columns.of_types(OWL.DatatypeProperty)
        self._objects = columns.of_types(OWL.ObjectProperty)
        self._annotating = np.setdiff1d(
            columns.of_types(OWL.AnnotationProperty), np.concatenate((self._data, self._objects))
        )

    def vocabulary(self) -> Iterator[str]:
        """Built-in vocabulary that is not known to be harmless."""
        for predicate in self._columns.predicates():
            if is_reserved(predicate) and predicate not in _PREDICATES:
                yield f"it uses {self._word(predicate)}"
        types = np.unique(self._columns.of(RDF.type)[1])
        for kind in self._columns.named(types[self._columns.are(RESERVED, types)].tolist()):
            if kind not in _TYPES:
                yield f"it uses {self._word(kind)}"

    def places(self) -> Iterator[str]:
        """Names and blank nodes in positions where they could add edges."""
        nil, annotations = self._columns.numbers(RDF.nil), self._columns.numbers(*_ANNOTATING)

        def blank(given: Numbers) -> _Mask:
            return self._columns.are(BLANK, given)

        def named(given: Numbers) -> _Mask:
            return self._columns.are(NAME, given)

        def is_class(given: Numbers) -> _Mask:
            return named(given) & ~np.isin(given, self._named_datatypes)

        def above(given: Numbers) -> _Mask:
            return is_class(given) | blank(given) | np.isin(given, self._thing)

        def filler(given: Numbers) -> _Mask:
            return above(given) | np.isin(given, self._datatypes)

        def property_(given: Numbers) -> _Mask:
            return named(given) | blank(given)

        def sub_property(given: Numbers) -> _Mask:
            return property_(given) | np.isin(given, annotations)

        def list_(given: Numbers) -> _Mask:
            return blank(given) | np.isin(given, nil)

        yield from self._misplaced(RDFS.subClassOf, is_class, above)
        yield from self._misplaced(OWL.equivalentClass, is_class, is_class)
        yield from self._misplaced(OWL.someValuesFrom, blank, filler)
        yield from self._misplaced(OWL.onProperty, blank, property_)
        yield from self._misplaced(OWL.intersectionOf, blank, list_)
        yield from self._misplaced(RDF.first, blank, above)
        yield from self._misplaced(RDFS.subPropertyOf, sub_property, sub_property)
        yield from self._misplaced(OWL.equivalentProperty, property_, property_)
        yield from self._misplaced(OWL.inverseOf, property_, property_)
        yield from self._misplaced(OWL.propertyChainAxiom, property_, list_)
        yield from self._misplaced(RDFS.domain, named, above)
        yield from self._misplaced(RDFS.range, named, filler)

    def _misplaced(self, predicate: NamedNode, subjects: _Fits, objects: _Fits) -> Iterator[str]:
        for numbers, fits, side in zip(
            self._columns.of(predicate), (subjects, objects), ("left", "right"), strict=True
        ):
            for term in self._columns.named(numbers[~fits(numbers)].tolist()):
                yield f"it has {self._word(term)} on the {side} side of {self._word(predicate)}"

    def ends(self) -> Iterator[str]:
        """Domains and ranges together with constructs through which they affect classes."""
        domains, ranges = self._ends_of(RDFS.domain), self._ends_of(RDFS.range)
        has = self._columns.has
        demands = has(OWL.onProperty) or has(OWL.someValuesFrom)
        is_reflexive = has(RDF.type, OWL.ReflexiveProperty)
        turns = is_reflexive or has(OWL.inverseOf) or has(RDF.type, OWL.SymmetricProperty)
        if demands and self._are_datatypes(ranges).any():
            yield "it has both ranges of data properties and restrictions"
        if (demands or is_reflexive) and (len(domains) or (len(ranges) and turns)):
            what = "domains" if len(domains) else "ranges"
            yield f"it has both {what} of properties and {'restrictions' if demands else 'reflexive properties'}"

    def _ends_of(self, predicate: NamedNode) -> Numbers:
        """Domains or ranges that have logical meaning."""
        properties, ends = self._columns.of(predicate)
        return ends[~np.isin(properties, self._annotating) & ~np.isin(ends, self._thing)]

    def _are_datatypes(self, numbers: Numbers) -> _Mask:
        return np.isin(numbers, self._datatypes)

    def data_properties(self) -> Iterator[str]:
        """Data properties where object properties belong, and vice versa: tools disagree on how to read them."""
        data, objects = self._data, self._objects
        odd = np.intersect1d(data, objects).size > 0
        odd |= np.intersect1d(data, self._columns.of_types(*_CHARACTERISTICS)).size > 0
        for predicate, column in ((OWL.inverseOf, 0), (OWL.inverseOf, 1), (RDF.first, 1), (OWL.propertyChainAxiom, 0)):
            odd |= bool(np.isin(self._columns.of(predicate)[column], data).any())
        for predicate in (RDFS.subPropertyOf, OWL.equivalentProperty):
            one, other = self._columns.of(predicate)
            odd |= bool((np.isin(one, data) != np.isin(other, data)).any())
        properties, ranges = self._columns.of(RDFS.range)
        odd |= bool((np.isin(properties, data) != self._are_datatypes(ranges)).any())
        restrictions, restricted = self._columns.of(OWL.onProperty)
        nodes, fillers = self._columns.of(OWL.someValuesFrom)
        odd |= np.setxor1d(restrictions[np.isin(restricted, data)], nodes[self._are_datatypes(fillers)]).size > 0
        if odd:
            yield "it uses data properties as object properties, or vice versa"

    def values(self) -> Iterator[str]:
        """Literals that are ill-typed or may violate a range."""
        literals = list(self._stated_values())
        if not literals:
            return
        from kgprobe.reasoners.features import ILL_TYPED, UNKNOWN_DATATYPE, features  # few graphs need it

        if self._are_datatypes(self._columns.of(RDFS.range)[1]).any():
            yield "it has both values and ranges of data properties"
        stated = [Expression("DataPropertyAssertion", OWL.topDataProperty, OWL.Thing, literal) for literal in literals]
        for feature in sorted(features(stated) & {ILL_TYPED, UNKNOWN_DATATYPE}):
            yield f"it has {feature}"

    def _stated_values(self) -> Iterator[Literal]:
        """The values of all predicates that may be data properties."""
        for predicate in self._columns.predicates():
            if not is_reserved(predicate) and self._columns.number(predicate) not in self._annotating:
                objects = self._columns.of(predicate)[1]
                for term in self._columns.named(np.unique(objects[self._columns.are(LITERAL, objects)]).tolist()):
                    if type(term) is Literal:
                        yield term

    def annotations(self) -> Iterator[str]:
        """Annotations of axioms that the graph does not state: some tools infer the axiom from its annotation."""
        graph, key = self._graph, self._graph.key
        nodes, predicates = self._columns.of(OWL.annotatedProperty)
        harmless = self._columns.are(NAME, predicates) | np.isin(predicates, self._columns.numbers(*_ANNOTATING))
        unsure = [self._columns.named(numbers[~harmless].tolist()) for numbers in (nodes, predicates)]
        for node, predicate in zip(*unsure, strict=True):
            sources = graph.objects(key(node), key(OWL.annotatedSource))
            targets = graph.objects(key(node), key(OWL.annotatedTarget))
            if not all(graph.has(source, key(predicate), target) for source in sources for target in targets):
                yield "it annotates an axiom that it does not state"

    def _word(self, term: Term) -> str:
        from kgprobe.ontology.axiom_wording import name_in_words

        return name_in_words(term, self._graph) if type(term) is NamedNode else "an anonymous node"
