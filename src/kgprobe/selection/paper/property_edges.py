"""The property edges ⟨s, t, p⟩ of an ontology: properties by their domains and ranges, restrictions, sub-properties.

These have edges:

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

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from kgprobe.graph.graph import Graph
from kgprobe.graph.table import Key
from kgprobe.graph.terms import OWL, RDFS, NamedNode, Term
from kgprobe.selection.paper.entities import SUB_PROPERTY, Entity, spelled
from kgprobe.selection.paper.expressions import Expressions, ExpressionTexts, Restriction

__all__ = ["definitions", "part_edges", "property_edges"]


def property_edges(graph: Graph) -> frozenset[Entity]:
    """All property edges of an ontology."""
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
        (end, texts.text(each) if each in expressions.anonymous else "")
        for each in stated
        for end in expressions.ends(each)
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
