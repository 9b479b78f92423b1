"""The operator that takes an operand out of a union. SPARQL cannot follow a list to its end and mend it."""

from __future__ import annotations

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, BlankNode
from kgprobe.mutation.class_lists import cells_from
from kgprobe.mutation.operator import Change, Site
from kgprobe.mutation.operators.described import described
from kgprobe.mutation.tidying import with_what_hangs_on

__all__ = ["OPERATORS"]

# A union may be pinned, or hang on a broken list. How often another one is drawn.
_TRIES = 20


def _propose(site: Site) -> Change | None:
    """Draw a union, then one of its operands."""
    graph = site.graph
    for _ in range(_TRIES):
        union = graph.sample(site.random, None, graph.key(OWL.unionOf))
        if union is None:
            return None
        cells = cells_from(graph, union[2]) or []
        if len(cells) < 2:
            continue
        place = int(site.random.random() * len(cells))
        if len(cells) > 2:
            removed, added = _unlinked(graph, union, cells, place)
        elif isinstance(graph.term(union[0]), BlankNode):
            removed, added = _replaced(graph, union[0], cells[1 - place][1])
        else:
            continue
        if any(s == o for s, _, o in added):  # a class that is below, or disjoint with, itself
            continue
        removed = with_what_hangs_on(graph, removed, added)
        if site.pins.allow(graph, [*removed, *added]):
            return Change(removed, added, {"expression": union[0], "operand": cells[place][1]})
    return None


def _unlinked(
    graph: Graph, union: KeyTriple, cells: list[tuple[Key, Key]], place: int
) -> tuple[list[KeyTriple], list[KeyTriple]]:
    """The list goes on behind the cell at this place."""
    rest = graph.key(RDF.rest)
    before = union[:2] if place == 0 else (cells[place - 1][0], rest)
    [following] = graph.objects(cells[place][0], rest)
    return [(*before, cells[place][0])], [(*before, following)]


def _replaced(graph: Graph, union: Key, operand: Key) -> tuple[list[KeyTriple], list[KeyTriple]]:
    """What is said with the union is said with the operand. Annotations of an axiom go with it: it is another one."""
    own = list(graph.rows(union))
    uses = list(graph.rows(None, None, union))
    expression = {graph.key(RDF.type), graph.key(OWL.unionOf)}
    annotated = {graph.key(OWL.annotatedSource), graph.key(OWL.annotatedTarget)}
    said = [(s, p, operand) for s, p, _ in uses if p not in annotated]
    said += [(operand, p, o) for _, p, o in own if p not in expression]
    return [*own, *uses], [keys for keys in dict.fromkeys(said) if not graph.has(*keys)]


OPERATORS = (
    described(
        """
name: CEUO
does: remove one operand of a union, such as that of a subclass axiom; what is left of two takes the union's place
target: tbox
tidies: yes
sets: generic, owl-dl
paper: table 1
rdfmutate: CEUOMutation
before:
  :Pump rdfs:subClassOf [ a owl:Class ; owl:unionOf (:Device :Driven :Part) ] .
after:
  :Pump rdfs:subClassOf [ a owl:Class ; owl:unionOf (:Device :Part) ] .
before:
  :Pump rdfs:subClassOf [ a owl:Class ; owl:unionOf (:Device [ a owl:Class ; owl:complementOf :Part ]) ] .
after:
  :Pump rdfs:subClassOf [ a owl:Class ; owl:complementOf :Part ] .
before:
  [ a owl:Class ; owl:unionOf (:Device :Part) ] rdfs:subClassOf :Thing .
after:
  :Part rdfs:subClassOf :Thing .
before:
  [ a owl:Class ; owl:unionOf (:Device [ a owl:Class ; owl:complementOf :Part ]) ] rdfs:subClassOf :Thing .
after:
  [ a owl:Class ; owl:complementOf :Part ] rdfs:subClassOf :Thing .
""",
        _propose,
    ),
)
