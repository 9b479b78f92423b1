"""The paper's model of an ontology: classes as nodes, and two kinds of edges, subclass edges and property edges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from kgprobe.entailment.class_hierarchy import ClassEdges
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Interner, Key, collection_paused
from kgprobe.rdf.terms import OWL, RDFS, NamedNode, Term
from kgprobe.selection.paper.expressions import (
    SUB_PROPERTY,
    Entity,
    Expressions,
    ExpressionTexts,
    Restriction,
    edges_by_name,
    spelled,
)

THING, NOTHING = 0, 1
"""The numbers of owl:Thing and owl:Nothing in every graph."""


@dataclass(frozen=True, eq=False)
class OntologyGraph:
    """An ontology as a graph. A subclass edge is a row with the numbers of the lower class and of the upper one.

    Every graph has owl:Thing and owl:Nothing. A class that is stated to be below owl:Thing has an edge to it, and an
    unsatisfiable class has one to owl:Nothing.
    """

    numbers: Mapping[Term, int]
    subclass_edges: NDArray[np.int64]
    property_edges: frozenset[Entity]

    @cached_property
    def terms(self) -> list[Term]:
        """The classes in the order of their numbers."""
        return list(self.numbers)

    @property
    def classes(self) -> list[Term]:
        """The classes, without owl:Thing and owl:Nothing."""
        return self.terms[2:]

    @cached_property
    def edges_by_source(self) -> Mapping[Term, list[Entity]]:
        """The property edges from each class."""
        found: dict[Term, list[Entity]] = {}
        for edge in self.property_edges:
            found.setdefault(edge.source, []).append(edge)
        return found

    @cached_property
    def edges_by_name(self) -> Mapping[str, list[Entity]]:
        """The property edges by the IRIs in their labels, and those between properties by their ends."""
        return edges_by_name(self.property_edges)

    def hierarchy(self, *, has_thing: bool, has_nothing: bool) -> NDArray[np.int64]:
        """The subclass edges, and on request those that hold by definition, to owl:Thing and from owl:Nothing."""
        classes = np.arange(len(self.numbers))
        edges = [self.subclass_edges]
        if has_thing:
            edges.append(np.column_stack([classes, np.full_like(classes, THING)]))
        if has_nothing:
            above = classes if has_thing else classes[NOTHING:]
            edges.append(np.column_stack([np.full_like(above, NOTHING), above]))
        return np.concatenate(edges)


def ontology_graph(graph: Graph, edges: ClassEdges) -> OntologyGraph:
    """The model of an ontology, with the class hierarchy from its classification."""
    with collection_paused():
        return _model(graph, edges)


def _model(graph: Graph, edges: ClassEdges) -> OntologyGraph:
    numbers = Interner({OWL.Thing: THING, OWL.Nothing: NOTHING})
    number = numbers.__getitem__
    nodes = edges.nodes
    found = np.fromiter(map(number, nodes.terms), dtype=np.int64, count=len(nodes.terms))[nodes.rows]
    below_thing = map(graph.term, graph.subjects(graph.key(RDFS.subClassOf), graph.key(OWL.Thing)))
    others = [(number(term), THING) for term in below_thing if type(term) is NamedNode]
    others += ((number(term), NOTHING) for term in edges.unsatisfiable)
    return OntologyGraph(
        numbers, np.concatenate([found, np.array(others, dtype=np.int64).reshape(-1, 2)]), property_edges(graph)
    )


_Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Alignment:
    """The classes of both versions and of one version only, by their numbers, and the subclass edges of each version.

    In addition to the edges of a classification, there are those that hold by definition. If either version has an
    edge with owl:Thing, all classes are below it in both; else it is not a node. If either version has an edge with
    owl:Nothing, it is below all classes in both, so that an unsatisfiable class is below all classes, too.
    """

    common: dict[int, Term]
    added: dict[int, Term]
    deleted: dict[int, Term]
    old_edges: _Numbers
    new_edges: _Numbers
    nodes: int


def align(old: OntologyGraph, new: OntologyGraph) -> Alignment:
    """Match the classes of two versions by their IRIs."""
    numbers = dict(old.numbers)
    renumbered = np.fromiter((numbers.setdefault(term, len(numbers)) for term in new.numbers), dtype=np.int64)
    in_new = np.zeros(len(numbers), dtype=bool)
    in_new[renumbered] = True
    common: dict[int, Term] = {}
    added: dict[int, Term] = {}
    deleted: dict[int, Term] = {}
    for (term, number), is_in_new in zip(numbers.items(), in_new.tolist(), strict=True):
        (added if number >= len(old.numbers) else common if is_in_new else deleted)[number] = term
    has_thing, has_nothing = (
        any((graph.subclass_edges == number).any() for graph in (old, new)) for number in (THING, NOTHING)
    )
    return Alignment(
        common,
        added,
        deleted,
        old_edges=old.hierarchy(has_thing=has_thing, has_nothing=has_nothing),
        new_edges=renumbered[new.hierarchy(has_thing=has_thing, has_nothing=has_nothing)],
        nodes=len(numbers),
    )


# -- the property edges ⟨s, t, p⟩ of an ontology: properties by their domains and ranges, restrictions, sub-properties -


def property_edges(graph: Graph) -> frozenset[Entity]:
    """All property edges ⟨s, t, p⟩ of an ontology. These have edges:

    - A property with a domain and a range: `<p>`, from each domain to each range. If one of them is not stated, it is
      owl:Thing, or rdfs:Literal for the range of a datatype property. An anonymous domain or range is in the label,
      `<p>[from (<A> or <B>)]`, `<p>[to …]`, and the edge starts or ends at each name in it.
    - A restriction that a named class is below or the same as, by itself or as part of an intersection: `<p>[some]`,
      `[only]`, `[value]`, `[self]`, `[min 2]`, `[max 1]`, `[exactly 3]`. For nested fillers see
      `kgprobe.selection.paper.expressions`. The target of a cardinality without a class is owl:Thing. The target of a
      value that is a literal is its datatype, and the literal is in the label.
    - Any other expression with a restriction inside, such as a union: the label is all of it.
    - A property and its named super-property: `subPropertyOf`. Here the ends are properties.

    The paper's model has no edges for annotation properties; individuals; inverses, characteristics, chains and
    disjointness of properties; disjointness of classes; unions of names; axioms about anonymous classes.
    """
    expressions = Expressions(graph)
    texts = ExpressionTexts(graph, expressions)
    annotations = _annotation_properties(graph)
    return frozenset(
        chain(
            _restriction_edges(graph, expressions, texts),
            _domain_range_edges(graph, expressions, texts, annotations),
            _sub_property_edges(graph, annotations),
        )
    )


def _restriction_edges(graph: Graph, expressions: Expressions, texts: ExpressionTexts) -> Iterator[Entity]:
    """The edges of the restrictions on named classes; there may be duplicates."""
    for source, expression in definitions(graph, expressions):
        plain = texts.plain(expression)
        if plain is not None:
            yield Entity(source, *plain)
        else:
            for part in expressions.conjuncts(expression):
                yield from part_edges(source, part, expressions, texts)


def definitions(graph: Graph, expressions: Expressions) -> Iterator[tuple[Term, Key]]:
    """The named classes, each with the expressions that it is below or equivalent to."""
    anonymous, term = expressions.anonymous, graph.term
    for lower, _, upper in graph.rows(None, graph.key(RDFS.subClassOf)):
        if upper in anonymous and type(term(lower)) is NamedNode:
            yield term(lower), upper
    for one, _, other in graph.rows(None, graph.key(OWL.equivalentClass)):
        for name, expression in ((one, other), (other, one)):
            if expression in anonymous and type(term(name)) is NamedNode:
                yield term(name), expression
    for name in expressions.named:
        yield term(name), name


def part_edges(source: Term, part: Key, expressions: Expressions, texts: ExpressionTexts) -> Iterator[Entity]:
    """The edges from a class to the fillers of an expression that is not an intersection."""
    restrictions = expressions.restrictions(part)
    for restriction in restrictions:
        label = texts.label(restriction)
        for target in _targets(source, restriction, expressions):
            yield Entity(source, target, label)
    if not restrictions and expressions.has_restriction(part):
        label = texts.definition(part)
        for target in expressions.names(part) or [OWL.Thing]:
            yield Entity(source, target, label)


def _targets(source: Term, restriction: Restriction, expressions: Expressions) -> list[Term]:
    if restriction.filler is None:
        return [restriction.default or source]
    return expressions.ends(restriction.filler)


def _domain_range_edges(
    graph: Graph, expressions: Expressions, texts: ExpressionTexts, annotations: set[Key]
) -> Iterator[Entity]:
    domains, ranges = (_stated(graph, predicate) for predicate in (RDFS.domain, RDFS.range))
    data = graph.key(OWL.DatatypeProperty)
    for key in domains | ranges:
        name = graph.term(key)
        if key in annotations or type(name) is not NamedNode:
            continue
        anything = RDFS.Literal if graph.has(key, graph.table.is_a, data) else OWL.Thing
        for start, from_ in _ends(domains.get(key), OWL.Thing, expressions, texts):
            for end, to in _ends(ranges.get(key), anything, expressions, texts):
                told = ", ".join([f"from {from_}"] * bool(from_) + [f"to {to}"] * bool(to))
                yield Entity(start, end, f"{spelled(name)}[{told}]" if told else spelled(name))


def _stated(graph: Graph, predicate: NamedNode) -> dict[Key, list[Key]]:
    found: dict[Key, list[Key]] = {}
    for subject, _, value in graph.rows(None, graph.key(predicate)):
        found.setdefault(subject, []).append(value)
    return found


def _ends(
    stated: list[Key] | None, anything: NamedNode, expressions: Expressions, texts: ExpressionTexts
) -> list[tuple[Term, str]]:
    """The starts or ends of a property's edges, and the text of the anonymous expression that states them, if any."""
    if stated is None:
        return [(anything, "")]
    return [
        (end, texts.text(key) if key in expressions.anonymous else "")
        for key in stated
        for end in expressions.ends(key)
    ]


def _sub_property_edges(graph: Graph, annotations: set[Key]) -> Iterator[Entity]:
    for lower, _, upper in graph.rows(None, graph.key(RDFS.subPropertyOf)):
        ends = graph.term(lower), graph.term(upper)
        if lower != upper and lower not in annotations and all(type(end) is NamedNode for end in ends):
            yield Entity(*ends, SUB_PROPERTY)


def _annotation_properties(graph: Graph) -> set[Key]:
    is_a = graph.table.is_a
    kinds = (OWL.AnnotationProperty, OWL.ObjectProperty, OWL.DatatypeProperty)
    annotation, *others = ({*graph.subjects(is_a, graph.key(kind))} for kind in kinds)
    return annotation.difference(*others)
