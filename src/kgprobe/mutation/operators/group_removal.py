"""Operators that remove axioms about groups: individuals that differ, or classes or properties that are disjoint."""

from __future__ import annotations

from collections.abc import Sequence

from kgprobe.mutation.axiom_rows import unlinked, with_what_hangs_on
from kgprobe.mutation.operator import Change, Propose, Site, described
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import OWL, RDF, BlankNode, NamedNode

__all__ = ["OPERATORS"]

# A larger group loses one of its first members instead: a group may have thousands of members, and removing it as a
# whole is not a small step.
_LONG = 8
_TRIES = 5


def _removal(kind: NamedNode, lists: Sequence[NamedNode]) -> Propose:
    def propose(site: Site) -> Change | None:
        graph = site.graph
        for _ in range(_TRIES):
            row = graph.sample(site.random, None, graph.key(RDF.type), graph.key(kind))
            if row is None:
                return None
            change = _without(site, row, lists) if isinstance(graph.term(row[0]), BlankNode) else None
            if change is not None:
                return change
        return None

    return propose


def _without(site: Site, row: KeyTriple, lists: Sequence[NamedNode]) -> Change | None:
    graph = site.graph
    heads = [head for name in lists for head in graph.objects(row[0], graph.key(name))]
    cells = _first_cells(graph, heads[0]) if len(heads) == 1 else []
    binding = {"axiom": row[0]}
    gone, added = [row], list[KeyTriple]()
    if len(cells) > _LONG:
        cell = cells[int(site.random.random() * _LONG)]
        gone, added = unlinked(graph, cell)
        binding["member"] = graph.objects(cell, graph.key(RDF.first))[0]
    removed = with_what_hangs_on(graph, gone, added)
    return Change(removed, added, binding) if site.pins.allow(graph, [*removed, *added]) else None


def _first_cells(graph: Graph, head: Key) -> list[Key]:
    """The first cells of a list, one more than the limit for a short list; empty if they do not form a list."""
    first, rest, nil = (graph.key(name) for name in (RDF.first, RDF.rest, RDF.nil))
    cells: list[Key] = []
    while head != nil and len(cells) <= _LONG:
        following = graph.objects(head, rest)
        if len(following) != 1 or len(graph.objects(head, first)) != 1 or graph.count(None, None, head) != 1:
            return []
        cells.append(head)
        head = following[0]
    return cells


OPERATORS = (
    described(
        """
name: RemoveAllDifferent
does: remove an axiom that several individuals differ; from a long one, only one individual
target: abox
sets: owl-el, owl-dl, abox
paper: table 2, row 52
before:
  [] a owl:AllDifferent ; owl:distinctMembers ( :a :b :c ) .
  :a a owl:NamedIndividual .
after:
  :a a owl:NamedIndividual .
before:
  [] a owl:AllDifferent ; owl:members ( :a :b :c :d :e :f :g :h :i ) .
after:
  [] a owl:AllDifferent ; owl:members ( :a :b :d :e :f :g :h :i ) .
""",
        _removal(OWL.AllDifferent, (OWL.members, OWL.distinctMembers)),
    ),
    described(
        """
name: RemoveAllDisjointClasses
does: remove an axiom that several classes are disjoint; from a long one, only one class
target: tbox
sets: owl-el, owl-dl
paper: table 2, row 9
before:
  [] a owl:AllDisjointClasses ; owl:members ( :Pump :Pipe :Robot ) .
  :Pump a owl:Class .
after:
  :Pump a owl:Class .
""",
        _removal(OWL.AllDisjointClasses, (OWL.members,)),
    ),
)
