"""Reads the axioms of a set of triples, each with the triples and blank nodes that it is made of.

Each axiom is a unit of triples and of blank nodes. It is accepted only if its blank nodes occur in no triple outside
of it. So every unit is judged by itself; no odd part of a graph can spoil another part, and no node is visited by more
than one unit, which bounds the work by the size of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from kgprobe.graph.axioms.axiom_patterns import AxiomPatterns, Pattern
from kgprobe.graph.axioms.entity_kinds import EntityKinds
from kgprobe.graph.axioms.expression import Argument, Expression
from kgprobe.graph.axioms.node_annotations import NodeAnnotations
from kgprobe.graph.axioms.node_definitions import Definitions
from kgprobe.graph.axioms.triple_index import TripleIndex
from kgprobe.graph.axioms.units import Unit, Units
from kgprobe.graph.terms import OWL, BlankNode, NamedNode, Subject

__all__ = ["AxiomReader", "Header", "Stated"]


class Stated(NamedTuple):
    """An axiom or an annotation of the ontology, its first main triple, and all that it is made of."""

    number: int
    tree: Expression
    unit: Unit


@dataclass(frozen=True, slots=True)
class Header:
    """What says that there is an ontology; the annotations are those of an ontology without a name."""

    subject: Subject
    version: NamedNode | None
    imports: tuple[NamedNode, ...]
    annotations: tuple[Expression, ...]
    unit: Unit


class AxiomReader:
    """Reads one index. Call `header` for each header that counts as one, then `read`, then look at what was found."""

    def __init__(self, index: TripleIndex, kinds: EntityKinds) -> None:
        self._index = index
        definitions = Definitions(index, kinds)
        self._patterns = AxiomPatterns(index, kinds, definitions)
        self._annotations = NodeAnnotations(index, kinds)
        self._units = Units(index, definitions)
        self._ontologies: frozenset[Subject] = frozenset()
        self.axioms: list[Stated] = []
        self.about_ontologies: list[Stated] = []

    @property
    def used(self) -> set[int]:
        """The triples that belong to what was found so far."""
        return self._units.used

    def header(self, number: int) -> Header | None:
        """The header that begins with this triple, which gives an owl:Ontology its type; None if it is odd."""
        subject = self._index.statements[number][0]
        unit = Unit({number})
        version = self._index.value(subject, OWL.versionIRI)
        if version is not None and type(version[1]) is NamedNode:
            unit.triples.add(version[0])
        imports = []
        for imported in self._index.select(subject, OWL.imports):
            value = self._index.statements[imported][2]
            if type(value) is NamedNode:
                imports.append(value)
                unit.triples.add(imported)
        about: list[Expression] | None = []
        if type(subject) is BlankNode:
            unit.nodes.add(subject)
            rest = [each for each in self._index.about[subject] if each not in unit.triples]
            about = self._annotations.on(subject, rest, unit)
        if about is None or not self._units.accept(unit):
            return None
        stated = cast(NamedNode, version[1]) if version and version[0] in unit.triples else None
        return Header(subject, stated, tuple(imports), tuple(about), unit)

    def read(self, ontologies: Iterable[Subject]) -> None:
        """Finds the axioms, and the annotations of these ontologies."""
        self._ontologies = frozenset(ontologies)
        # What uses up blank nodes goes first: later, a blank node that is still free is an individual.
        assertions, used = [], self._units.used
        for number in range(len(self._index.statements)):
            if self._patterns.is_assertion(number) and not self._annotations.of_axiom(number):
                assertions.append(number)
            else:
                self._read_axiom(number)
        for number in assertions:
            if number not in used:
                self._read_axiom(number)

    def _read_axiom(self, number: int) -> None:
        pattern = self._patterns.match(number)
        if pattern is None:
            return
        unit = Unit(pattern.triples, pattern.nodes)
        arguments = self._units.expand(pattern, unit)
        if arguments is None:
            return
        if pattern.node is not None:
            self._read_node_axiom(pattern, pattern.node, unit, arguments)
        elif unit.nodes:
            self._read_with_nodes(pattern, unit, arguments)
        else:
            self._read_named(pattern, unit, arguments)

    def _read_node_axiom(self, pattern: Pattern, node: BlankNode, unit: Unit, arguments: Sequence[Argument]) -> None:
        """An axiom that has a node of its own, with the annotations directly on it."""
        rest = [number for number in self._index.about[node] if number not in unit.triples]
        annotations = self._annotations.on(node, rest, unit)
        if annotations is not None and self._units.accept(unit):
            self._keep(pattern, annotations, arguments, unit)

    def _read_with_nodes(self, pattern: Pattern, unit: Unit, arguments: Sequence[Argument]) -> None:
        """An axiom with unnamed expressions: no second axiom can share them, so it is annotated once at most."""
        stated: list[list[Expression] | None] = []
        for number in pattern.main:
            nodes = self._annotations.of_axiom(number)
            if len(nodes) > 1:
                return
            stated.append(self._annotations.by(nodes[0], unit) if nodes else [])
        annotations = stated[0]
        if annotations is None or any(each != annotations for each in stated):
            return
        if self._units.accept(unit):
            self._keep(pattern, annotations, arguments, unit)

    def _read_named(self, pattern: Pattern, plain: Unit, arguments: Sequence[Argument]) -> None:
        """An axiom whose triple speaks of names and individuals only: one axiom for each of its annotation nodes."""
        (number,) = pattern.main
        kept = False
        for node in self._annotations.of_axiom(number):
            unit = Unit({number}, individuals=plain.individuals)
            annotations = self._annotations.by(node, unit)
            if annotations is not None and self._units.accept(unit):
                self._keep(pattern, annotations, arguments, unit)
                kept = True
        if self._reads_ontology_annotation(pattern, number, kept) or kept:
            return
        if self._units.accept(plain):
            self._keep(pattern, [], arguments, plain)

    def _reads_ontology_annotation(self, pattern: Pattern, number: int, kept: bool) -> bool:
        """Takes the triple as an annotation of the ontology itself, if it can be one."""
        subject = self._index.statements[number][0]
        if pattern.head != "AnnotationAssertion" or subject not in self._ontologies:
            return False
        if kept and not self._annotations.of_annotation(number):
            return False
        for nested in (True, False):  # odd annotations of the annotation do not spoil it
            unit = Unit()
            annotations = self._annotations.on(subject, [number], unit, nested=nested)
            if annotations is not None and self._units.accept(unit):
                self.about_ontologies += (Stated(number, annotation, unit) for annotation in annotations)
                return True
        return False

    def _keep(self, pattern: Pattern, annotations: list[Expression], arguments: Sequence[Argument], unit: Unit) -> None:
        tree = Expression(pattern.head, *annotations, *arguments)
        self.axioms.append(Stated(pattern.main[0], tree, unit))
