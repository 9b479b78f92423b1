"""From RDF to OWL structure: the axioms that a graph states, and the triples that state none.

This is section 3 of "OWL 2 Web Ontology Language: Mapping to RDF Graphs", read so that nothing is lost: the triples of
the axioms, written again by `to_triples`, together with the leftovers are the same graph. A triple is a leftover if it
is no OWL, or if OWL's mapping would not write it in this way: a blank node that two expressions share, a list with a
branch, an owl:Class type that is missing, an older spelling such as owl:distinctMembers.

Each axiom is a unit of triples and of blank nodes. It is accepted only if its blank nodes occur in no triple outside
of it. So every unit is judged by itself; no odd part of a graph can spoil another part, and no node is visited by more
than one unit, which bounds the work by the size of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from kgprobe.graph.axioms.axiom_patterns import AxiomPatterns, Pattern
from kgprobe.graph.axioms.entity_kinds import EntityKinds
from kgprobe.graph.axioms.expression import Expression, OntologyDocument
from kgprobe.graph.axioms.node_annotations import NodeAnnotations
from kgprobe.graph.axioms.node_definitions import Definitions
from kgprobe.graph.axioms.triple_index import TripleIndex
from kgprobe.graph.axioms.units import Unit, Units
from kgprobe.graph.terms import OWL, RDF, BlankNode, NamedNode, Subject, Triple

__all__ = ["Reading", "read"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a graph states in OWL; `has_header` is False for axioms without an owl:Ontology around them."""

    document: OntologyDocument
    has_header: bool
    leftovers: tuple[Triple, ...]


def read(triples: Iterable[Triple]) -> Reading:
    """The ontology in a graph. Declarations come first; the rest is in the order of the triples' text.

    A property that is neither declared nor used in a way that shows its kind is an annotation property, as in the OWL
    API. If the leftovers and the ontology are written to one graph again, pass the leftovers' blank node labels to
    `to_triples.triples` as reserved ones.
    """
    index = TripleIndex(triples)
    return _Reader(index).read()


class _Reader:
    def __init__(self, index: TripleIndex) -> None:
        self._index = index
        kinds = EntityKinds(index)
        definitions = Definitions(index, kinds)
        self._patterns = AxiomPatterns(index, kinds, definitions)
        self._annotations = NodeAnnotations(index, kinds)
        self._units = Units(index, definitions)
        self._found: list[tuple[bool, int, Expression]] = []
        self._ontology: Subject | None = None
        self._about_ontology: list[Expression] = []

    def read(self) -> Reading:
        iri, version, imports = self._header()
        # What uses up blank nodes goes first: later, a blank node that is still free is an individual.
        assertions = []
        for number in range(len(self._index.statements)):
            if self._patterns.is_assertion(number) and not self._annotations.of_axiom(number):
                assertions.append(number)
            else:
                self._read_axiom(number)
        for number in assertions:
            if number not in self._units.used:
                self._read_axiom(number)
        self._found.sort(key=lambda found: found[:2])
        document = OntologyDocument(
            iri=iri,
            version=version,
            imports=imports,
            annotations=tuple(self._about_ontology),
            axioms=tuple(axiom for _, _, axiom in self._found),
        )
        left = (each for number, each in enumerate(self._index.originals) if number not in self._units.used)
        return Reading(document, self._ontology is not None, tuple(left))

    def _header(self) -> tuple[NamedNode | None, NamedNode | None, tuple[NamedNode, ...]]:
        for number in self._ontology_candidates():
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
            if about is not None and self._units.accept(unit):
                self._ontology, self._about_ontology = subject, about
                named = subject if type(subject) is NamedNode else None
                stated = cast(NamedNode, version[1]) if version and version[0] in unit.triples else None
                return named, stated, tuple(imports)
        return None, None, ()

    def _ontology_candidates(self) -> list[int]:
        """The headers of the graph; of several, the ones that no other imports come first, and names before none."""
        statements = self._index.statements
        imported = {value for _, predicate, value in statements if predicate == OWL.imports}
        headers = [n for n, each in enumerate(statements) if each[1:] == (RDF.type, OWL.Ontology)]
        return sorted(headers, key=lambda n: (statements[n][0] in imported, type(statements[n][0]) is BlankNode))

    def _read_axiom(self, number: int) -> None:
        pattern = self._patterns.match(number)
        if pattern is None:
            return
        unit = Unit(set(pattern.triples), set(pattern.nodes))
        arguments = self._units.expand(pattern, unit)
        if arguments is None:
            return
        if pattern.node is not None:
            self._read_node_axiom(pattern, pattern.node, unit, arguments)
        elif unit.nodes:
            self._read_with_nodes(pattern, unit, arguments)
        else:
            self._read_named(pattern, unit, arguments)

    def _read_node_axiom(self, pattern: Pattern, node: BlankNode, unit: Unit, arguments: Expression) -> None:
        """An axiom that has a node of its own, with the annotations directly on it."""
        rest = [number for number in self._index.about[node] if number not in unit.triples]
        annotations = self._annotations.on(node, rest, unit)
        if annotations is not None and self._units.accept(unit):
            self._keep(pattern, annotations, arguments)

    def _read_with_nodes(self, pattern: Pattern, unit: Unit, arguments: Expression) -> None:
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
            self._keep(pattern, annotations, arguments)

    def _read_named(self, pattern: Pattern, plain: Unit, arguments: Expression) -> None:
        """An axiom whose triple speaks of names and individuals only: one axiom for each of its annotation nodes."""
        (number,) = pattern.main
        kept = False
        for node in self._annotations.of_axiom(number):
            unit = Unit({number}, individuals=set(plain.individuals))
            annotations = self._annotations.by(node, unit)
            if annotations is not None and self._units.accept(unit):
                self._keep(pattern, annotations, arguments)
                kept = True
        if self._reads_ontology_annotation(pattern, number, kept) or kept:
            return
        if self._units.accept(plain):
            self._keep(pattern, [], arguments)

    def _reads_ontology_annotation(self, pattern: Pattern, number: int, kept: bool) -> bool:
        """Takes the triple as an annotation of the ontology itself, if it can be one."""
        subject = self._index.statements[number][0]
        if pattern.head != "AnnotationAssertion" or subject != self._ontology:
            return False
        if kept and not self._annotations.of_annotation(number):
            return False
        for nested in (True, False):  # odd annotations of the annotation do not spoil it
            unit = Unit()
            annotations = self._annotations.on(subject, [number], unit, nested=nested)
            if annotations is not None and self._units.accept(unit):
                self._about_ontology += annotations
                return True
        return False

    def _keep(self, pattern: Pattern, annotations: list[Expression], arguments: Expression) -> None:
        axiom: Expression = (pattern.head, *annotations, *arguments)
        self._found.append((pattern.head != "Declaration", pattern.main[0], axiom))
