"""Reads the axioms of a set of triples, each with its triples and blank nodes.

Each axiom is a unit of triples and of blank nodes. It is accepted only if its blank nodes occur in no triple outside of
it. So every unit is judged separately, and an odd part of a graph cannot affect another part. No node is visited by
more than one unit, which limits the work to the size of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from kgprobe.owl.axiom_patterns import AxiomPatterns, Pattern
from kgprobe.owl.expression import Argument, Expression, OntologyDocument
from kgprobe.owl.grammar import DEEPEST
from kgprobe.owl.name_kinds import ANNOTATION, EntityKinds, is_reserved
from kgprobe.owl.node_definitions import BlankPlace, Definition, Definitions, Item
from kgprobe.owl.triple_index import Statement, TripleIndex
from kgprobe.rdf.terms import OWL, RDF, BlankNode, NamedNode, Subject, Term, Triple

__all__ = ["AxiomReader", "Header", "Reading", "Stated", "find_header", "read"]


class Stated(NamedTuple):
    """An axiom or an annotation of the ontology, its first main triple, and all its triples and blank nodes."""

    number: int
    tree: Expression
    unit: Unit


@dataclass(frozen=True, slots=True)
class Header:
    """The header of an ontology; the annotations are those of an ontology without a name."""

    subject: Subject
    version: NamedNode | None
    imports: tuple[NamedNode, ...]
    annotations: tuple[Expression, ...]
    unit: Unit


class AxiomReader:
    """Reads one index. Call `header` for each header that counts as one, then `read`, then use the results."""

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
        """The triples of the results so far."""
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
            rest = [other for other in self._index.about[subject] if other not in unit.triples]
            about = self._annotations.on(subject, rest, unit)
        if about is None or not self._units.accept(unit):
            return None
        stated = cast(NamedNode, version[1]) if version and version[0] in unit.triples else None
        return Header(subject, stated, tuple(imports), tuple(about), unit)

    def read(self, ontologies: Iterable[Subject]) -> None:
        """Finds the axioms, and the annotations of these ontologies."""
        self._ontologies = frozenset(ontologies)
        # Axioms that use up blank nodes come first: a blank node that is still free after them is an individual.
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
        """An axiom that is a node, with the annotations directly on it."""
        rest = [number for number in self._index.about[node] if number not in unit.triples]
        annotations = self._annotations.on(node, rest, unit)
        if annotations is not None and self._units.accept(unit):
            self._keep(pattern, annotations, arguments, unit)

    def _read_with_nodes(self, pattern: Pattern, unit: Unit, arguments: Sequence[Argument]) -> None:
        """An axiom with unnamed expressions: no second axiom can share them, so it is annotated at most once."""
        stated: list[list[Expression] | None] = []
        for number in pattern.main:
            nodes = self._annotations.of_axiom(number)
            if len(nodes) > 1:
                return
            stated.append(self._annotations.by(nodes[0], unit) if nodes else [])
        annotations = stated[0]
        if annotations is None or any(other != annotations for other in stated):
            return
        if self._units.accept(unit):
            self._keep(pattern, annotations, arguments, unit)

    def _read_named(self, pattern: Pattern, plain: Unit, arguments: Sequence[Argument]) -> None:
        """An axiom whose triple has only names and individuals: one axiom for each of its annotation nodes."""
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
        for nested in (True, False):  # odd annotations of the annotation do not invalidate it
            unit = Unit()
            annotations = self._annotations.on(subject, [number], unit, nested=nested)
            if annotations is not None and self._units.accept(unit):
                self.about_ontologies += (Stated(number, annotation, unit) for annotation in annotations)
                return True
        return False

    def _keep(self, pattern: Pattern, annotations: list[Expression], arguments: Sequence[Argument], unit: Unit) -> None:
        tree = Expression(pattern.head, *annotations, *arguments)
        self.axioms.append(Stated(pattern.main[0], tree, unit))


# -- units: the triples and blank nodes of one axiom -------------------------------------------------------------------


class Unit:
    """The triples and blank nodes of one axiom."""

    __slots__ = ("individuals", "nodes", "triples")

    def __init__(
        self, triples: Iterable[int] = (), nodes: Iterable[BlankNode] = (), individuals: Iterable[Term] = ()
    ) -> None:
        self.triples = set(triples)
        """The numbers of its triples."""
        self.nodes = set(nodes)
        """The blank nodes that only express its structure."""
        self.individuals = set(individuals)
        """The anonymous individuals in it."""


class Units:
    """The units accepted so far, and the step from a pattern to a whole tree."""

    def __init__(self, index: TripleIndex, definitions: Definitions) -> None:
        self._index = index
        self._definitions = definitions
        self._taken: set[BlankNode] = set()
        self.used: set[int] = set()

    def accept(self, unit: Unit) -> bool:
        """Accepts the unit if it contains all triples about its blank nodes, and OWL can express all of it."""
        if self._index.opaque and not unit.triples.isdisjoint(self._index.opaque):
            return False
        if unit.nodes:
            if not unit.nodes.isdisjoint(self._taken) or not unit.nodes.isdisjoint(unit.individuals):
                return False
            for node in unit.nodes:
                if not unit.triples.issuperset(self._index.mentions[node]):
                    return False
            self._taken |= unit.nodes
        self.used |= unit.triples
        return True

    def expand(self, pattern: Pattern, unit: Unit) -> Sequence[Argument] | None:
        """The pattern's arguments with the expression of each blank node in its place; adds to the unit."""
        trees: dict[BlankNode, Expression] = {}
        pending = [(slot, 1) for slot in self._slots(pattern.items, unit)]
        order: list[tuple[BlankNode, Definition]] = []
        while pending:
            slot, depth = pending.pop()
            definition = self._definitions.of(slot.node)
            if definition is None or definition.role != slot.role or depth > DEEPEST or slot.node in unit.nodes:
                return None
            ways = definition.spare + self._index.parents.get(slot.node, 0)
            if ways != (2 if depth == 1 and slot.node in pattern.shared else 1):
                return None
            unit.nodes.add(slot.node)
            unit.nodes.update(definition.nodes)
            unit.triples.update(definition.triples)
            order.append((slot.node, definition))
            pending += [(inner, depth + 1) for inner in self._slots(definition.arguments, unit)]
        for node, definition in reversed(order):  # children come after their parents
            trees[node] = Expression(definition.head, *[_filled(item, trees) for item in definition.arguments])
        arguments = [_filled(item, trees) for item in pattern.items]
        return arguments if pattern.arrange is None else pattern.arrange(arguments)

    @staticmethod
    def _slots(items: list[Item], unit: Unit) -> list[BlankPlace]:
        """The places for expressions among these; adds the individuals to the unit."""
        slots = []
        for item in items:
            if type(item) is BlankPlace:
                slots.append(item)
            elif type(item) is BlankNode:
                unit.individuals.add(item)
        return slots


def _filled(item: Item, trees: dict[BlankNode, Expression]) -> Argument:
    return trees[item.node] if type(item) is BlankPlace else item


# -- annotations: nodes that reify a triple ----------------------------------------------------------------------------


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
        # Unless the node has an annotation, the mapping would not write it again.
        if len(found) < 4 or len(self._index.about[node]) < 5:
            return
        source, predicate, target = (term for _, term in found[:3])
        self._own[node] = {number for number, _ in found}
        by_statement.setdefault((source, predicate, target), []).append(node)  # type: ignore[arg-type]

    def of_axiom(self, number: int) -> list[BlankNode]:
        """The nodes that annotate the axiom of a triple."""
        return self._of_axioms.get(self._index.statements[number], []) if self._of_axioms else []

    def of_annotation(self, number: int) -> list[BlankNode]:
        """The nodes that annotate a triple that is itself an annotation."""
        return self._of_annotations.get(self._index.statements[number], []) if self._of_annotations else []

    def by(self, node: BlankNode, unit: Unit) -> list[Expression] | None:
        """The annotations on a node of `of_axiom`; adds to the unit."""
        unit.nodes.add(node)
        unit.triples.update(self._own[node])
        return self.on(node, self._rest(node), unit)

    def on(self, owner: Subject, numbers: list[int], unit: Unit, *, nested: bool = True) -> list[Expression] | None:
        """The triples as annotations of their subject, with their own annotations; None if one of them is invalid."""
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
        """The triples of a node, except those that identify the annotated triple."""
        return [number for number in self._index.about[node] if number not in self._own[node]]

    def _can_annotate(self, predicate: NamedNode) -> bool:
        kinds = self._kinds.properties(predicate)
        return ANNOTATION in kinds or (not kinds and not is_reserved(predicate))


# -- from RDF to OWL structure: the axioms that a graph states, and the triples that state none ------------------------


@dataclass(frozen=True, slots=True)
class Reading:
    """The OWL content of a graph; `has_header` is False for axioms without an owl:Ontology around them."""

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
    reader = AxiomReader(index, EntityKinds(index))
    header = find_header(index, reader)
    reader.read([] if header is None else [header.subject])
    found = sorted(reader.axioms, key=_place)
    about = tuple(stated.tree for stated in reader.about_ontologies)
    document = OntologyDocument(
        iri=header.subject if header and type(header.subject) is NamedNode else None,
        version=header.version if header else None,
        imports=header.imports if header else (),
        annotations=(*header.annotations, *about) if header else (),
        axioms=tuple(stated.tree for stated in found),
    )
    used = reader.used
    left = [number for number in range(len(index.statements)) if number not in used]
    return Reading(document, header is not None, tuple(map(index.original, left)))


def find_header(index: TripleIndex, reader: AxiomReader) -> Header | None:
    """The header that makes the graph an ontology; the reader records it."""
    headers = (reader.header(number) for number in _headers(index))
    return next((header for header in headers if header is not None), None)


def _place(stated: Stated) -> tuple[bool, int]:
    return stated.tree.head != "Declaration", stated.number


def _headers(index: TripleIndex) -> list[int]:
    """The headers of the graph: first those that no other ontology imports, and named ones before unnamed ones."""
    statements = index.statements
    headers = [n for n in index.having(RDF.type) if statements[n][2] == OWL.Ontology]
    imported = {value for _, _, value in index.stating(OWL.imports)}
    return sorted(headers, key=lambda n: (statements[n][0] in imported, type(statements[n][0]) is BlankNode))
