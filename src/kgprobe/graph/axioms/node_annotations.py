"""Annotations in a graph: the nodes that reify a triple to say something about it, and what they say."""

from __future__ import annotations

from kgprobe.graph.axioms.entity_kinds import ANNOTATION, EntityKinds, is_reserved
from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.axioms.grammar import DEEPEST
from kgprobe.graph.axioms.triple_index import Statement, TripleIndex
from kgprobe.graph.axioms.units import Unit
from kgprobe.graph.terms import OWL, RDF, BlankNode, NamedNode, Subject, Term

__all__ = ["NodeAnnotations"]


class NodeAnnotations:
    """The owl:Axiom and owl:Annotation nodes of a graph, by the triple that they are about."""

    def __init__(self, index: TripleIndex, kinds: EntityKinds) -> None:
        self._index = index
        self._kinds = kinds
        self._own: dict[BlankNode, set[int]] = {}
        self._of_axioms: dict[Statement, list[BlankNode]] = {}
        self._of_annotations: dict[Statement, list[BlankNode]] = {}
        for subject, _, value in index.stating(RDF.type):
            if type(subject) is BlankNode:
                if value == OWL.Axiom:
                    self._note(subject, self._of_axioms)
                elif value == OWL.Annotation:
                    self._note(subject, self._of_annotations)

    def _note(self, node: BlankNode, by_statement: dict[Statement, list[BlankNode]]) -> None:
        parts = [
            self._index.value(node, predicate)
            for predicate in (OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget, RDF.type)
        ]
        found = [part for part in parts if part is not None]
        # Without an annotation of its own, nothing would make the mapping write the node again.
        if len(found) < 4 or len(self._index.about[node]) < 5:
            return
        source, predicate, target = (term for _, term in found[:3])
        self._own[node] = {number for number, _ in found}
        by_statement.setdefault((source, predicate, target), []).append(node)  # type: ignore[arg-type]

    def of_axiom(self, number: int) -> list[BlankNode]:
        """The nodes that annotate the axiom of a triple."""
        return self._of_axioms.get(self._index.statements[number], []) if self._of_axioms else []

    def of_annotation(self, number: int) -> list[BlankNode]:
        """The nodes that annotate the annotation that a triple is."""
        return self._of_annotations.get(self._index.statements[number], []) if self._of_annotations else []

    def by(self, node: BlankNode, unit: Unit) -> list[Expression] | None:
        """What a node of `of_axiom` says; adds to the unit."""
        unit.nodes.add(node)
        unit.triples.update(self._own[node])
        return self.on(node, self._rest(node), unit)

    def on(self, owner: Subject, numbers: list[int], unit: Unit, *, nested: bool = True) -> list[Expression] | None:
        """The triples as annotations of their subject, with their own annotations; None if one cannot be any."""
        order = self._reachable(owner, numbers, unit, nested)
        if order is None:
            return None
        trees: dict[Term, list[Expression]] = {}
        for node, about in reversed(order):  # the annotations of an annotation come after it
            trees[node] = []
            for number in about:
                _, predicate, value = self._index.statements[number]
                inners = self.of_annotation(number) if nested else []
                for inner in inners:
                    trees[node].append(Expression("Annotation", *trees[inner], predicate, value))
                if not inners:
                    trees[node].append(Expression("Annotation", predicate, value))
        return trees[owner]

    def _reachable(
        self, owner: Subject, numbers: list[int], unit: Unit, nested: bool
    ) -> list[tuple[Subject, list[int]]] | None:
        """The owner and the nodes that annotate its annotations, and theirs, each with its annotation triples."""
        found = [(owner, numbers)]
        depths: dict[Term, int] = {owner: 1}
        for node, about in found:
            if depths[node] > DEEPEST:
                return None
            for number in about:
                _, predicate, value = self._index.statements[number]
                if not self._can_annotate(predicate):
                    return None
                unit.triples.add(number)
                if type(value) is BlankNode:
                    unit.individuals.add(value)
                for inner in self.of_annotation(number) if nested else ():
                    if inner in depths:
                        return None
                    depths[inner] = depths[node] + 1
                    unit.nodes.add(inner)
                    unit.triples.update(self._own[inner])
                    found.append((inner, self._rest(inner)))
        return found

    def _rest(self, node: BlankNode) -> list[int]:
        """The triples of a node besides those that say what it annotates."""
        return [number for number in self._index.about[node] if number not in self._own[node]]

    def _can_annotate(self, predicate: NamedNode) -> bool:
        kinds = self._kinds.properties(predicate)
        return ANNOTATION in kinds or (not kinds and not is_reserved(predicate))
