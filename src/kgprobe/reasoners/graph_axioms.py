"""The axioms of a graph, for reasoners. For graphs that share a table, such as mutants, only differences are read.

The table is read once, in clusters: two triples are in one cluster if they share a blank node, or if one belongs to the
annotation of the other. A graph with a few changes has the axioms of all clusters that the changes do not touch, and
those read from the remaining triples of the touched clusters. This holds only if the changes do not alter the kind of
any name, and do not touch triples that are read across clusters: the header of the ontology, annotations, variables of
rules, triple terms. Otherwise the graph is read as a whole.

`ontology.axioms.AxiomView` also follows changes, but those of one graph over time, and assigns each triple to exactly
one axiom. Mutants come in any order, all from one table, and a reasoner needs all axioms of each in a fixed order. Both
use the same clusters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from operator import itemgetter
from typing import NamedTuple

from kgprobe.graph.axioms.axiom_reader import AxiomReader, Stated, find_header, read
from kgprobe.graph.axioms.expression import Expression, without_annotations
from kgprobe.graph.axioms.grammar import SWRL
from kgprobe.graph.axioms.name_kinds import (
    ANNOTATION,
    BUILT_IN,
    DATA,
    KIND_OF_TYPE,
    OBJECT,
    OBJECT_PROPERTY_TYPES,
    EntityKinds,
    NameKinds,
    is_reserved,
)
from kgprobe.graph.axioms.triple_index import Statement, TripleIndex
from kgprobe.graph.axioms.unusual_axioms import Loose, loose_axioms
from kgprobe.graph.derived import PerTable
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import TripleTable
from kgprobe.graph.terms import OWL, RDF, RDFS, NamedNode, Term, Triple
from kgprobe.ontology.axioms import Clusters

__all__ = ["Content", "content"]

_ANNOTATED = (OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget)
_OF_HEADERS = frozenset({OWL.imports, OWL.versionIRI})
_ACROSS_CLUSTERS = _OF_HEADERS | frozenset(_ANNOTATED)
_READ_AS_WHOLE = frozenset({RDFS.Datatype, OWL.Ontology, SWRL.Variable})
# Predicates that reveal the kind of a property: with the property as subject, and as object.
_ABOUT_PROPERTIES = frozenset({OWL.inverseOf, OWL.propertyChainAxiom, RDFS.range})
_TO_PROPERTIES = frozenset({OWL.inverseOf, OWL.onProperty})
_PROPERTIES = frozenset({OBJECT, DATA, ANNOTATION})
_WITHOUT_MEANING = frozenset(
    {"AnnotationAssertion", "SubAnnotationPropertyOf", "AnnotationPropertyDomain", "AnnotationPropertyRange"}
    | {"Ontology", "Import", "Variable"}
)
_MOST_CHANGES = 0.25  # of the triples: beyond that, this saves little


class Content(NamedTuple):
    """Logical axioms and declarations without annotations, and the number of triples that are not part of an axiom."""

    axioms: list[Expression]
    declared: list[Expression]
    leftovers: int


def content(graph: Graph) -> Content:
    """The axioms of a graph, in the order of the triples' text."""
    if not 0 < len(graph.changed_keys) <= _MOST_CHANGES * len(graph.table):
        return _as_whole(graph)
    # Reading the table by cluster pays off only from the second changed graph.
    known = _READINGS.of(graph.table) if _CHANGED_ONCE.knows(graph.table) else None
    _CHANGED_ONCE.of(graph.table)
    found = None if known is None else known.content(graph)
    return found or _as_whole(graph)


def _as_whole(graph: Graph) -> Content:
    reading = read(graph)
    loose = loose_axioms(reading.leftovers, NameKinds(graph))
    parts: dict[bool, list[Expression]] = {True: [], False: []}
    for axiom in (*reading.document.axioms, *(axiom for _, axiom in sorted(loose.axioms, key=itemgetter(0)))):
        if axiom.head not in _WITHOUT_MEANING:
            parts[axiom.head == "Declaration"].append(without_annotations(axiom))
    return Content(parts[False], parts[True], loose.leftovers)


class _Part(NamedTuple):
    """An axiom, the text of its first triple, whether it has an unusual spelling, and its origin."""

    is_loose: bool
    text: tuple[str, ...]
    axiom: Expression
    cluster: int


class _TableReading:
    """The axioms of a table, by cluster."""

    def __init__(self, table: TripleTable) -> None:
        graph = Graph.from_table(table)
        index = TripleIndex(graph)
        kinds = EntityKinds(index)
        reader = AxiomReader(index, kinds)
        header = find_header(index, reader)
        self._ontologies = [] if header is None else [header.subject]
        reader.read(self._ontologies)
        self._kinds = kinds.known
        self._declared = {
            subject for subject, _, value in index.stating(RDF.type) if KIND_OF_TYPE.get(value) in _PROPERTIES
        }
        self._restricted: dict[Term, list[Term]] = {}
        for node, _, value in index.stating(OWL.onProperty):
            self._restricted.setdefault(node, []).append(value)
        self._is_plain = not any(map(_needs_the_whole, index.statements))
        self._clusters = Clusters(graph)
        self._cluster_of = self._clusters.numbered(graph)
        rows = [graph.keys(index.original(number)) for number in range(len(index.statements))]
        self._parts = [self._part(index, each, self._cluster_of[rows[each.number]]) for each in _stated(reader)]
        left: dict[int, list[Triple]] = {}
        for number, row in enumerate(rows):
            if number not in reader.used:
                left.setdefault(self._cluster_of[row], []).append(index.original(number))
        loose = {cluster: loose_axioms(triples, self._kinds) for cluster, triples in left.items()}
        self._leftovers = Counter({cluster: each.leftovers for cluster, each in loose.items()})
        self._parts += sorted(
            (part for cluster, each in loose.items() for part in _loose_parts(each, cluster)), key=_place
        )

    def content(self, graph: Graph) -> Content | None:
        """The axioms of a graph of this table; None if it has to be read as a whole."""
        changes = graph.changed_keys
        if not self._is_plain:
            return None
        if any(self._matters(*map(graph.term, keys)) for keys in changes):
            return None
        before, rows = self._clusters.touched(Graph.from_table(graph.table), graph, changes)
        touched = {self._cluster_of[keys] for keys in before}
        statements: list[Statement] = [tuple(map(graph.term, keys)) for keys in rows]  # type: ignore[misc]
        if any(predicate in _OF_HEADERS or value == OWL.Ontology for _, predicate, value in statements):
            return None
        parts = [part for part in self._parts if part.cluster not in touched]
        leftovers = self._leftovers.total() - sum(self._leftovers[cluster] for cluster in touched)
        if statements:
            index = TripleIndex((), parts=statements)
            reader = AxiomReader(index, EntityKinds(index, self._kinds))
            reader.read(self._ontologies)
            parts += [self._part(index, each, 0) for each in _stated(reader)]
            left = (index.original(number) for number in range(len(statements)) if number not in reader.used)
            loose = loose_axioms(left, self._kinds)
            parts += _loose_parts(loose, 0)
            parts.sort(key=_place)
            leftovers += loose.leftovers
        axioms = [part.axiom for part in parts if part.axiom.head != "Declaration"]
        return Content(axioms, [part.axiom for part in parts if part.axiom.head == "Declaration"], leftovers)

    @staticmethod
    def _part(index: TripleIndex, stated: Stated, cluster: int) -> _Part:
        return _Part(False, tuple(map(str, index.statements[stated.number])), without_annotations(stated.tree), cluster)

    def _matters(self, subject: Term, predicate: Term, value: object) -> bool:
        """Whether an added or removed triple may change how triples outside its cluster are read."""
        if predicate in _ACROSS_CLUSTERS or type(value) is Triple:
            return True
        if subject in self._ontologies or value in self._ontologies:
            return True
        if predicate == RDF.type and value in KIND_OF_TYPE and (type(subject) is NamedNode or value in _READ_AS_WHOLE):
            return True
        shown: list[object] = [*self._restricted.get(subject, ())]
        if predicate in _ABOUT_PROPERTIES or (predicate == RDF.type and value in OBJECT_PROPERTY_TYPES):
            shown.append(subject)
        if predicate in _TO_PROPERTIES:
            shown.append(value)
        return any(map(self._is_inferable, shown))

    def _is_inferable(self, term: object) -> bool:
        """Whether the kind of a property follows from its use, because it is not declared."""
        return type(term) is NamedNode and not (term in self._declared or term in BUILT_IN or is_reserved(term))


def _stated(reader: AxiomReader) -> Iterable[Stated]:
    in_order = sorted(reader.axioms, key=lambda stated: stated.number)
    return [stated for stated in in_order if stated.tree.head not in _WITHOUT_MEANING]


def _loose_parts(loose: Loose, cluster: int) -> list[_Part]:
    return [
        _Part(True, text, without_annotations(axiom), cluster)
        for text, axiom in loose.axioms
        if axiom.head not in _WITHOUT_MEANING
    ]


def _place(part: _Part) -> tuple[bool, tuple[str, ...]]:
    return part.is_loose, part.text


def _needs_the_whole(statement: Statement) -> bool:
    value: object = statement[2]
    return type(value) is Triple or value == SWRL.Variable


_READINGS = PerTable(_TableReading)
_CHANGED_ONCE = PerTable(lambda _: True)  # known for tables with a changed graph that was read
