"""The last pass: no single axiom and no single loose triple can be removed from its result.

A triple is *loose* if, without it,

- no RDF list is broken that was complete, and none is left that nothing leads to;
- the rest of an axiom still parses as one or more axioms: no class expression is left incomplete.

A triple that is an axiom by itself is loose. All triples of a graph that is not OWL are. If a structure is broken from
the start, its complete lists and expressions stay complete, and the rest is loose.
"""

from __future__ import annotations

from collections.abc import Iterator

from kgprobe.graph.axioms.axiom_groups import axiom_groups
from kgprobe.graph.axioms.name_kinds import NameKinds
from kgprobe.graph.graph import Delta, Graph
from kgprobe.graph.lists import BrokenListError, read_list
from kgprobe.graph.terms import OWL, RDF, RDFS, BlankNode, NamedNode, Term, Triple
from kgprobe.ontology.axioms import Axiom, AxiomView
from kgprobe.reduction.axioms import is_idle
from kgprobe.reduction.graph_problem import GraphProblem, without
from kgprobe.reduction.problem import Steps

__all__ = ["annotation_triples", "loose_triples", "one_minimal", "removals"]


def one_minimal(problem: GraphProblem, graph: Graph) -> Steps[Graph, Graph]:
    """A graph that fails, and that fails no longer without one of its axioms or loose triples.

    Each is tried; after a success, those tried before are tried again, because they may not be needed any longer.
    """
    problem.phase = "single axioms and triples"
    graph = yield from _without_idle(problem, graph)
    place = 0
    while True:
        parts = [part for part in removals(graph) if problem.stays.isdisjoint(part)]
        order = parts[place:] + parts[:place]
        number = yield from problem.first(without(graph, part) for part in order)
        if number is None:
            return graph
        graph = without(graph, order[number])
        place = (place + number) % len(parts)


def removals(graph: Graph) -> Iterator[tuple[Triple, ...]]:
    """All parts that are tried: axioms without logical meaning, other axioms, annotations of axioms, and triples."""
    axioms = list(AxiomView(graph))
    yield from (axiom.triples for axiom in axioms if is_idle(axiom, ()))
    yield from (axiom.triples for axiom in axioms if not is_idle(axiom, ()))
    for axiom in axioms:
        annotations = annotation_triples(axiom)
        if 0 < len(annotations) < len(axiom.triples):
            yield tuple(annotations)
    yield from ((triple,) for triple in loose_triples(graph))


def _without_idle(problem: GraphProblem, graph: Graph) -> Steps[Graph, Graph]:
    """The graph without anything that has no meaning, if it fails so: often there is more of that than of the rest."""
    axioms = list(AxiomView(graph))
    idle = [axiom.triples for axiom in axioms if is_idle(axiom, ())]
    notes = [annotation_triples(axiom) for axiom in axioms if not is_idle(axiom, ())]
    for parts in ([*idle, *notes], notes):
        removed = [triple for part in parts for triple in part if triple not in problem.stays]
        if removed and (yield from problem.fails(smaller := without(graph, removed))):
            return smaller
    return graph


# -- loose triples -----------------------------------------------------------------------------------------------------

_CELL = (RDF.first, RDF.rest)
_PROBE = NamedNode("urn:kgprobe:probe")


def loose_triples(graph: Graph) -> Iterator[Triple]:
    """The loose triples of axioms that have more than one triple. All other loose triples are axioms themselves."""
    view = AxiomView(graph)
    kinds = NameKinds(graph)
    for axiom in list(view):
        if len(axiom.triples) > 1:
            for triple in axiom.triples:
                if not _holds_a_list(graph, triple) and _stays_readable(graph, axiom, triple, view, kinds):
                    yield triple


def annotation_triples(axiom: Axiom) -> list[Triple]:
    """The triples of an axiom that only annotate it, with all that hangs on them."""
    if axiom.expression is None or len(axiom.triples) == 1:
        return []
    nodes = {
        triple.subject
        for triple in axiom.triples
        if triple.predicate == RDF.type
        and triple.object in (OWL.Axiom, OWL.Annotation)
        and type(triple.subject) is BlankNode
    }
    return [triple for triple in axiom.triples if triple.subject in nodes]


def _holds_a_list(graph: Graph, triple: Triple) -> bool:
    """Whether a whole list would be broken without this triple, or left alone."""
    cell = triple.subject if triple.predicate in _CELL else triple.object
    return not isinstance(cell, Triple) and _is_list(graph, cell)


def _is_list(graph: Graph, head: Term) -> bool:
    try:
        return bool(read_list(graph, head).triples)
    except BrokenListError:
        return False


def _stays_readable(graph: Graph, axiom: Axiom, triple: Triple, view: AxiomView, kinds: NameKinds) -> bool:
    if axiom.expression is None:
        return not (type(triple.subject) is BlankNode and _is_expression(graph, triple.subject, kinds))
    delta = Delta(removed=[triple])
    smaller = graph.copy()
    smaller.apply(delta)
    come = view.follow(smaller, delta).come
    view.follow(graph, delta)
    return all(each.expression is not None for each in come)


def _is_expression(graph: Graph, node: BlankNode, kinds: NameKinds) -> bool:
    """Whether the triples below a blank node form one complete class expression."""
    found: dict[Triple, None] = {Triple(_PROBE, RDFS.subClassOf, node): None}
    pending: list[Term] = [node]
    seen: set[Term] = set()
    while pending:
        current = pending.pop()
        if type(current) is BlankNode and current not in seen:
            seen.add(current)
            for triple in graph.triples(current):
                found[triple] = None
                pending.append(triple.object)  # type: ignore[arg-type]  # a triple term leads nowhere
    groups = axiom_groups(found, kinds)
    return len(groups) == 1 and groups[0].expression is not None
