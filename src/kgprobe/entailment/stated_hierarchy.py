"""The stated hierarchy of the named classes of a graph, and whether a reasoner could find more of it.

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

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kgprobe.entailment.triple_columns import BLANK, LITERAL, NAME, RESERVED, Columns, Numbers
from kgprobe.owl.expression import Expression
from kgprobe.owl.name_kinds import BUILT_IN, is_reserved
from kgprobe.rdf.graph import BrokenListError, Graph, read_list
from kgprobe.rdf.table import Interner, Key, collection_paused
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Term

_T = TypeVar("_T")
_CLASS_TYPES = (OWL.Class, RDFS.Class)
_ABOUT_PROPERTIES = (RDFS.subPropertyOf, OWL.equivalentProperty, OWL.inverseOf, OWL.propertyChainAxiom)
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


@dataclass(frozen=True, eq=False)
class ClassNodes:
    """The classes, and the edges from classes to classes above them, as numbers, which are faster than names."""

    terms: list[Term]
    """The classes, followed by other names with edges: those that are datatypes as well."""
    count: int
    """The number of classes among the terms."""
    rows: NDArray[np.int64]
    """For each edge, the indexes of its lower and upper end among the terms."""

    @classmethod
    def of(cls, classes: Iterable[Term], edges: Iterable[tuple[Term, Term]]) -> ClassNodes:
        """Build the nodes from classes and pairs of classes."""
        places = Interner()
        count = len({places[term] for term in classes})
        ends = [places[end] for edge in edges for end in edge]
        return cls(list(places), count, np.array(ends, dtype=np.int64).reshape(-1, 2))

    def renamed(self, name: Callable[[Term], Term]) -> ClassNodes:
        """A copy with other names."""
        return ClassNodes(list(map(name, self.terms)), self.count, self.rows)

    @property
    def classes(self) -> list[Term]:
        """The classes alone."""
        return self.terms[: self.count]

    def edges(self) -> list[tuple[Term, Term]]:
        """The edges, by their ends."""
        return pairs_of(self.terms, self.rows)


def pairs_of(values: Sequence[_T], rows: NDArray[np.int64]) -> list[tuple[_T, _T]]:
    """Replace the indexes in rows of two by the values at these indexes."""
    lower, upper = (map(values.__getitem__, column) for column in rows.T.tolist())
    return list(zip(lower, upper, strict=True))


@dataclass(frozen=True, eq=False)
class StatedHierarchy:
    """The stated classes and edges, and whether they are complete.

    `why` says why they are complete, or names the first construct that needs a reasoner.
    """

    nodes: ClassNodes
    keys: list[Key]
    """The keys of the nodes."""
    complete: bool
    why: str

    def edge_keys(self) -> list[tuple[Key, Key]]:
        """The edges, by the keys of the classes."""
        return pairs_of(self.keys, self.nodes.rows)


def stated_hierarchy(graph: Graph) -> StatedHierarchy:
    """The stated hierarchy of the named classes of a graph."""
    with collection_paused():
        reading = _Reading(graph)
        lower, upper = reading.edges()
        objection = (
            "a list of classes is broken" if reading.is_broken else next(objections(graph, reading.columns), None)
        )
        columns, classes = reading.columns, reading.classes(lower, upper)
        numbers = np.concatenate((classes, np.setdiff1d(np.concatenate((lower, upper)), classes)))
        place = np.zeros(len(columns.terms), dtype=np.int64)
        place[numbers] = np.arange(len(numbers))
        nodes = ClassNodes(columns.named(numbers.tolist()), len(classes), place[np.column_stack((lower, upper))])
        return StatedHierarchy(nodes, columns.keys(numbers), objection is None, objection or reading.summary())


class _Reading:
    """Reads the hierarchy of one graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.columns = Columns(graph)
        self.is_broken = False

    def edges(self) -> tuple[Numbers, Numbers]:
        """All stated edges: the lower and the upper ends."""
        lower, upper = self.columns.of(RDFS.subClassOf)
        one, other = self.columns.of(OWL.equivalentClass)
        inner, members = self._intersected(lower, upper)
        lower, upper = np.concatenate((lower, inner, one, other)), np.concatenate((upper, members, other, one))
        kept = self.columns.are(NAME, lower) & self.columns.are(NAME, upper) & (lower != upper)
        return lower[kept], upper[kept]

    def _intersected(self, lower: Numbers, upper: Numbers) -> tuple[Numbers, Numbers]:
        """The lower classes of intersections, and the members of these intersections."""
        found: list[tuple[int, int]] = []
        if self.columns.has(OWL.intersectionOf):
            unnamed = self.columns.are(BLANK, upper)
            for class_, node in zip(lower[unnamed].tolist(), upper[unnamed].tolist(), strict=True):
                found += ((class_, member) for member in self._members(node))
        pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    def _members(self, node: int) -> list[int]:
        """The members of an intersection and of the intersections nested in it."""
        graph, columns = self._graph, self.columns
        how = graph.key(OWL.intersectionOf)
        found: list[int] = []
        pending, seen = [columns.terms[node]], {columns.terms[node]}
        while pending:
            for head in graph.objects(graph.key(pending.pop()), how):
                try:
                    members = read_list(graph, graph.term(head)).members
                except BrokenListError:
                    self.is_broken = True
                    continue
                found += map(columns.number, members)
                pending += (member for member in members if type(member) is BlankNode and member not in seen)
                seen.update(members)
        return found

    def classes(self, lower: Numbers, upper: Numbers) -> Numbers:
        """The classes that are declared, or used where only a class is allowed."""
        used = [self.columns.of_types(*_CLASS_TYPES), lower, upper]
        used += (np.unique(self.columns.of(predicate)[1]) for predicate in (RDF.type, RDFS.domain, RDFS.range))
        used.append(self.columns.of(OWL.someValuesFrom)[1])
        nodes = np.unique(self.columns.of(OWL.intersectionOf)[0]).tolist()
        used.append(np.array([member for node in nodes for member in self._members(node)], dtype=np.int64))
        found: Numbers = np.unique(np.concatenate(used))
        return found[self.columns.are(NAME, found) & ~np.isin(found, self.columns.of_types(RDFS.Datatype))]

    def summary(self) -> str:
        """The constructs that the graph uses, in a few words."""
        parts = ["SubClassOf between names"]
        parts += ["EquivalentClasses of names"] if self.columns.has(OWL.equivalentClass) else []
        parts += ["existential restrictions"] if self.columns.has(OWL.onProperty) else []
        parts += ["axioms about properties"] if any(map(self.columns.has, _ABOUT_PROPERTIES)) else []
        return f"only {', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else f"only {parts[0]}"


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
        from kgprobe.owl.wording import name_in_words

        return name_in_words(term, self._graph) if type(term) is NamedNode else "an anonymous node"
