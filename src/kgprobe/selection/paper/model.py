"""The paper's model of an ontology, and its matrix of tests.

An ontology has classes as nodes, and two kinds of edges: subclass edges and property edges. The matrix M has the
entities of the ontology that each test uses, found by reading the test, not by running it:

- A class that a test names is a node, unless it occurs only inside a property edge.
- A property edge is an edge in a matrix file, a restriction that a query spells out, or a triple pattern from one class
  to another. Without a kind of restriction, it stands for every kind.
- A property that is named alone stands for all edges with it.

To find restrictions, the triple patterns of a query are read as a graph in which variables are blank nodes, by the same
reader as an ontology. A restriction counts if it has a class, a property, a kind and a filler without variables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgprobe.entailment.class_hierarchy import ClassEdges
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.table import Interner, Key, collection_paused
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, NamedNode, Term, Triple
from kgprobe.selection.paper.expressions import (
    SUB_PROPERTY,
    UNDEFINED,
    Entity,
    Expressions,
    ExpressionTexts,
    Restriction,
    edges_by_name,
    local_name,
    names_in,
    spelled,
    with_names,
)
from kgprobe.selection.tests import TermUse, Test, TestUse, named_in
from kgprobe.selection.vocabulary import names_of
from kgprobe.sparql.uses import Slot, TripleUse

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


# -- the matrix of tests -----------------------------------------------------------------------------------------------

_Shape: TypeAlias = tuple[Term | Slot | None, ...]  # a pattern with None for its variables


@dataclass(frozen=True)
class Row:
    """A test, the entities that it names, and the properties that it names alone, which stand for many entities."""

    test: Test
    entities: frozenset[Entity]
    properties: frozenset[str]


def matrix(tests: Iterable[Test], graph: OntologyGraph) -> list[Row]:
    """The entities of the old version of an ontology that tests use."""
    return [_row(test, graph) for test in tests]


def entities_of(test: Test, graph: OntologyGraph) -> frozenset[Entity]:
    """All entities that a test uses. An edge that the ontology lacks is included as written."""
    row = _row(test, graph)
    return row.entities.union(*(graph.edges_by_name[name] for name in row.properties))


def _row(test: Test, graph: OntologyGraph) -> Row:
    restrictions = query_edges(test.patterns)
    direct = {pattern: edges for pattern in restrictions.others if (edges := _direct_edges(pattern, graph))}
    others = [pattern for pattern in restrictions.others if pattern not in direct]
    as_edges = {*map(_shape, test.patterns)}.difference(map(_shape, others))
    spelled_out = frozenset(_as_known(edge, graph) for edge in restrictions.edges)
    entities = spelled_out.union(*direct.values(), *(_written_edges(*edge, graph) for edge in test.edges))
    uses = [use for use in (*test.uses, *test.terms) if not _is_end_of_edge(use, test)]
    names = dict.fromkeys(chain(_names_in_patterns(others), _names_in_uses(uses, as_edges)))
    classes = [Entity(name) for name in names if graph.numbers.get(name, NOTHING) != NOTHING]
    properties = [name.value for name in names if name not in graph.numbers and name.value in graph.edges_by_name]
    return Row(test, entities.union(classes), frozenset(properties))


# -- property edges that tests use -------------------------------------------------------------------------------------


def _direct_edges(pattern: TriplePattern, graph: OntologyGraph) -> list[Entity]:
    """The edges that a triple pattern between two classes refers to."""
    source, name, target = pattern
    if not (isinstance(source, NamedNode) and isinstance(name, NamedNode) and isinstance(target, NamedNode)):
        return []
    if source not in graph.numbers or target not in graph.numbers or name.value not in graph.edges_by_name:
        return []
    return _of_any_kind(source, target, spelled(name), graph) or [Entity(source, target, spelled(name))]


def _as_known(edge: Entity, graph: OntologyGraph) -> Entity:
    """An edge of a query in the ontology's spelling: a query need not say that a property is a data property."""
    of_data = edge._replace(target=RDFS.Literal)
    return of_data if edge.target == OWL.Thing and of_data in graph.property_edges else edge


def _written_edges(source: Term, target: Term | None, written: str, graph: OntologyGraph) -> list[Entity]:
    """The edges that a row of a matrix file denotes; without a target, edges to any target."""
    label = _normal(written)
    found = [edge for edge in _between(source, target, graph) if label in _spellings(edge.label or "")]
    if not found and "[" not in label:
        found = _of_any_kind(source, target, label, graph)
    return found or [Entity(source, target, written)]


def _of_any_kind(source: Term, target: Term | None, name: str, graph: OntologyGraph) -> list[Entity]:
    return [
        edge
        for edge in _between(source, target, graph)
        if any(name in _spellings(f"<{iri}>") for iri in names_in(edge.label or ""))
    ]


def _between(source: Term, target: Term | None, graph: OntologyGraph) -> Iterator[Entity]:
    edges = graph.edges_by_source.get(source, ())
    return (edge for edge in edges if target is None or edge.target == target)


def _spellings(label: str) -> set[str]:
    """The ways to write a label: unchanged, with bare IRIs, and with short names."""
    return {_normal(text) for text in (label, with_names(label, str), with_names(label, local_name))}


def _normal(label: str) -> str:
    return " ".join(label.split()).replace(" [", "[")


# -- names that tests use ----------------------------------------------------------------------------------------------


def _is_end_of_edge(use: TestUse, test: Test) -> bool:
    """Whether a matrix file names a term only as an end of an edge, `source label target`."""
    if not isinstance(use, TermUse):
        return False
    return any(use.term in (source, target) and f" {label}" in use.text for source, target, label in test.edges)


def _names_in_patterns(patterns: Iterable[TriplePattern]) -> Iterator[NamedNode]:
    return (part for pattern in patterns for part in pattern if isinstance(part, NamedNode))


def _names_in_uses(uses: Iterable[TestUse], as_edges: Collection[_Shape]) -> Iterator[NamedNode]:
    """The names in all uses except those of patterns that became edges as a whole."""
    for use in uses:
        if not (isinstance(use, TripleUse) and as_edges and _shape_of(use) in as_edges):
            yield from (term for term in named_in(use) if isinstance(term, NamedNode))
        for condition in use.conditions if isinstance(use, TripleUse) else ():
            yield from names_of(names_in(condition.text))  # `?a<?b&&?c>?d` has none between its signs


def _shape_of(use: TripleUse) -> _Shape:
    return tuple(map(_only_term, (use.subject, use.predicate, use.object)))


def _only_term(slot: Slot) -> Term | Slot | None:
    """The term of a slot, or None for a variable, as in a shape; no shape has a choice of terms."""
    if slot.terms is None:
        return None
    return next(iter(slot.terms)) if len(slot.terms) == 1 else slot


def _shape(pattern: TriplePattern) -> _Shape:
    return tuple(None if isinstance(part, Variable) else part for part in pattern)


# -- restrictions in queries -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class QueryEdges:
    """The property edges that a query spells out, and the remaining patterns."""

    edges: frozenset[Entity]
    others: tuple[TriplePattern, ...]


def query_edges(patterns: Sequence[TriplePattern]) -> QueryEdges:
    """Find the restrictions in the patterns of a query."""
    has_restrictions = any(predicate == OWL.onProperty for _, predicate, _ in patterns)
    if not has_restrictions or not any(map(_is_about_a_class, patterns)):
        return QueryEdges(frozenset(), tuple(patterns))
    triples = _as_triples(patterns)
    graph = Graph(triple for triple in triples if triple is not None)
    expressions = Expressions(graph)
    texts = ExpressionTexts(graph, expressions)
    edges: set[Entity] = set()
    spent: set[Triple] = set()
    for source, expression in definitions(graph, expressions):
        for part in expressions.conjuncts(expression):
            found = list(part_edges(source, part, expressions, texts))
            if found and not any(UNDEFINED in (edge.label or "") for edge in found):
                edges.update(found)
                spent |= _making_up(graph, source, expression, part)
    return QueryEdges(frozenset(edges), tuple(p for p, t in zip(patterns, triples, strict=True) if t not in spent))


def _is_about_a_class(pattern: TriplePattern) -> bool:
    """Whether it can put a named class below or equal to an expression: exactly one end has a name."""
    one, predicate, other = pattern
    if isinstance(one, Variable) == isinstance(other, Variable):
        return False
    return predicate in (RDFS.subClassOf, OWL.equivalentClass, OWL.intersectionOf, OWL.unionOf, OWL.complementOf)


def _as_triples(patterns: Iterable[TriplePattern]) -> list[Triple | None]:
    """The patterns as triples, with blank nodes for variables; None for a pattern that cannot be a triple."""
    blanks: dict[Variable, BlankNode] = {}

    def term(part: Variable | Term) -> Term:
        return blanks.setdefault(part, BlankNode(f"v{len(blanks)}")) if isinstance(part, Variable) else part

    triples: list[Triple | None] = []
    for pattern in patterns:
        s, p, o = map(term, pattern)
        if isinstance(s, NamedNode | BlankNode) and isinstance(p, NamedNode):
            triples.append(Triple(s, p, o))
        else:
            triples.append(None)
    return triples


def _making_up(graph: Graph, source: Term, expression: Key, part: Key) -> set[Triple]:
    """The triples that define a part and connect it to the class."""
    name = graph.key(source)
    rows = {row for link in ((name, expression), (expression, name)) for row in graph.rows(link[0], None, link[1])}
    pending, seen = [part], {part}
    while pending:
        node = pending.pop()
        if type(graph.term(node)) is BlankNode:
            spelling = [row for row in graph.rows(node) if _spells(graph.term(row[1]))]
            rows.update(spelling)
            following = {row[2] for row in spelling} - seen
            seen |= following
            pending += following
    return set(map(graph.triple, rows))


def _spells(predicate: Term) -> bool:
    """Whether triples with this predicate are part of how an expression is written."""
    return predicate.value.startswith(OWL.iri) or predicate in (RDF.first, RDF.rest)
