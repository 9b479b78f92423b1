"""The inferred hierarchy of named classes: the stated one if it is complete, otherwise that of a reasoner."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from kgprobe.entailment.rules import UndecidedError
from kgprobe.entailment.stated_hierarchy import ClassNodes, stated_hierarchy
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, Term, Triple

if TYPE_CHECKING:
    from kgprobe.reasoners.ontology import Ontology
    from kgprobe.reasoners.protocol import Answer, Availability, Hierarchy, Reasoner

__all__ = ["ClassEdges", "class_edges", "readable_ontology", "share_class_edges"]

_SECOND = "hermit"
"""The fallback if no reasoner was chosen and `auto` gives no reliable answer, and the advice if another was."""
_ABOUT_TRIPLES = frozenset({RDF.subject, RDF.predicate, RDF.object})


@dataclass(frozen=True, eq=False)
class ClassEdges:
    """Edges from classes to classes above them. Paths lead to all ancestors; equivalent classes form a cycle.

    owl:Thing and owl:Nothing do not count as classes here. Unsatisfiable classes are listed in `unsatisfiable`; edges
    from a reasoner do not start or end at them.
    """

    nodes: ClassNodes
    unsatisfiable: frozenset[Term]
    how: str

    @property
    def edges(self) -> list[tuple[Term, Term]]:
        """The edges, by the classes at their ends."""
        return self.nodes.edges()

    @property
    def classes(self) -> list[Term]:
        """All classes, each once."""
        return self.nodes.classes


def class_edges(graph: Graph, reasoner: Reasoner | None = None) -> ClassEdges:
    """The hierarchy of the named classes of a graph.

    The given reasoner stays open. Without one, this asks `auto`, then HermiT if `auto` is not sure and HermiT is
    installed, and closes them afterwards. Raises UndecidedError if neither gives a reliable answer.

    The graph caches the answer until it changes.
    """
    return graph.cached(_Edges(reasoner))


def share_class_edges(known: Graph, graph: Graph, reasoner: Reasoner | None = None) -> None:
    """Copy the cached hierarchy to another graph with the same triples, up to blank node labels."""
    graph.remember(_Edges(reasoner), class_edges(known, reasoner))


@dataclass(frozen=True)
class _Edges:
    """Finds the hierarchy; for `Graph.found`, which keeps it for each reasoner."""

    reasoner: Reasoner | None

    def __call__(self, graph: Graph) -> ClassEdges:
        stated = graph.cached(stated_hierarchy)
        if stated.complete:
            how = f"the stated hierarchy, which is complete: {stated.why}"
            return ClassEdges(stated.nodes, frozenset(), how)
        # Reasoners are imported only if needed: a complete stated hierarchy needs none.
        from kgprobe.reasoners.protocol import Hierarchy

        answer = _answer(readable_ontology(graph), self.reasoner)
        if not isinstance(answer.value, Hierarchy):  # decided answers always are
            raise TypeError(f"a classification is not a {type(answer.value).__name__}")
        return _from_hierarchy(answer.value, f"classified by {answer.reasoner}, since {stated.why}")


def readable_ontology(graph: Graph) -> Ontology:
    """The axioms of a graph, including older and looser spellings. Raises UndecidedError if it cannot read a triple.

    A reasoner would ignore that triple and might miss conclusions.
    """
    from kgprobe.reasoners.ontology import Ontology

    found = Ontology.of(graph)
    if not found.leftovers:
        return found
    _refuse_what_cannot_be_read(graph)
    return replace(found, leftovers=0)


def _refuse_what_cannot_be_read(graph: Graph) -> None:
    from kgprobe.owl.axiom_groups import axiom_groups
    from kgprobe.owl.name_kinds import NameKinds
    from kgprobe.owl.unusual_axioms import statements_within

    kinds = NameKinds(graph)
    for group in axiom_groups(graph):
        if group.expression is not None or None not in statements_within(group.triples, kinds):
            continue
        if not all(map(_is_about_triple, group.triples)):
            first = graph.spelling.triple(group.triples[0])
            raise UndecidedError(
                f"the class hierarchy is uncertain, since this is not an axiom of OWL 2: {first}",
                hint="correct it",
            )


def _is_about_triple(triple: Triple) -> bool:
    return triple.predicate in _ABOUT_TRIPLES


def _answer(ontology: Ontology, reasoner: Reasoner | None) -> Answer:
    from kgprobe.reasoners.protocol import Classification

    if reasoner is not None:
        [answer] = reasoner.answer(ontology, [Classification()])
        return _sure(answer)
    from kgprobe.reasoners.auto import opened

    with opened("auto") as first:
        [answer] = first.answer(ontology, [Classification()])
    if answer.decided or not _second_status().usable:
        return _sure(answer)
    with opened(_SECOND) as second:
        [answer] = second.answer(ontology, [Classification()])
    return _sure(answer)


def _second_status() -> Availability:
    from kgprobe.reasoners.catalogue import REASONERS

    return REASONERS[_SECOND].available()


def _sure(answer: Answer) -> Answer:
    if answer.decided:
        return answer
    hint = None
    if answer.reasoner != _SECOND:
        status = _second_status()
        install = "" if status.usable else f", which is not installed ({status.install})"
        hint = f"choose the reasoner {_SECOND}{install}"
    why = f": {answer.why}" if answer.why else ""
    raise UndecidedError(f"{answer.reasoner} is not sure of the class hierarchy{why}", hint=hint)


def _from_hierarchy(found: Hierarchy, how: str) -> ClassEdges:
    edges: list[tuple[Term, Term]] = []
    classes: list[Term] = []
    for name, members in sorted(found.groups.items(), key=lambda group: group[0].value):
        in_order = sorted(members, key=lambda member: member.value)
        classes += in_order
        if len(in_order) > 1:
            edges += pairwise([*in_order, in_order[0]])
        edges += ((name, above) for above in sorted(found.parents.get(name, ()), key=lambda class_: class_.value))
    empty = sorted(found.unsatisfiable, key=lambda class_: class_.value)
    return ClassEdges(ClassNodes.of([*classes, *empty], edges), frozenset(empty), how)
