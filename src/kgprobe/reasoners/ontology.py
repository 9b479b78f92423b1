"""An ontology as reasoners see it: its axioms, its names, and the features of OWL that it uses.

For graphs that share a table, such as mutants, only differences are read. The table is read once, in the clusters of
`owl.axioms`. A graph with a few changes has the axioms of all clusters that the changes do not touch, and those read
from the remaining triples of the touched clusters. This holds only if the changes do not touch the header of an
ontology, and if there are no rules, which share variables. Otherwise the graph is read as a whole.

`owl.axioms.AxiomView` also follows changes, but those of one graph over time, and assigns each triple to exactly one
axiom. Mutants come in any order, all from one table, and a reasoner needs all axioms of each in a fixed order. Both ask
`read_again` what a change touches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from kgprobe.formats.functional import render
from kgprobe.owl.axiom_reader import AxiomReader, Stated, find_header, read
from kgprobe.owl.axioms import Clusters, read_again
from kgprobe.owl.expression import Expression, OntologyDocument, inner, is_headed, name, without_annotations
from kgprobe.owl.grammar import (
    CLASS,
    DATA_PROPERTY,
    DATATYPE,
    INDIVIDUAL,
    OBJECT_PROPERTY,
    SWRL,
    argument_kinds,
)
from kgprobe.owl.name_kinds import (
    EntityKinds,
    NameKinds,
)
from kgprobe.owl.triple_index import Statement, TripleIndex
from kgprobe.owl.unusual_axioms import Loose, loose_axioms
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import TripleTable
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, NamedNode, Term, Triple
from kgprobe.reasoners.features import features

__all__ = ["Content", "Ontology", "as_lines", "content", "declarations", "entities"]

_KINDS = frozenset({CLASS, OBJECT_PROPERTY, DATA_PROPERTY, DATATYPE, INDIVIDUAL})
# Many small ontologies are variants of each other, so the names in their axioms, and their texts, are cached.
_FEW = 1_000
_BUILT_IN = tuple(vocabulary.iri for vocabulary in (OWL, RDF, RDFS, XSD))
_OF_HEADERS = frozenset({OWL.imports, OWL.versionIRI})
_WITHOUT_MEANING = frozenset(
    {"AnnotationAssertion", "SubAnnotationPropertyOf", "AnnotationPropertyDomain", "AnnotationPropertyRange"}
    | {"Ontology", "Import", "Variable"}
)
_MOST_CHANGES = 0.25  # of the triples: beyond that, this saves little


def entities(axioms: Iterable[Expression]) -> set[tuple[str, NamedNode]]:
    """The names that the axioms use, each with its kind, without those of OWL's own vocabulary."""
    stated = list(axioms)
    if len(stated) <= _FEW:
        return set().union(*map(_named_in, stated))
    return _without_built_in(named for axiom in stated for named in _used(axiom))


def declarations(axioms: Iterable[Expression]) -> list[Expression]:
    """A declaration for each name that the axioms use, in an order that depends only on the names."""
    used = sorted(entities(axioms), key=lambda found: (found[0], found[1].value))
    return [Expression("Declaration", Expression(kind, name)) for kind, name in used]


@lru_cache(maxsize=16 * _FEW)
def _named_in(axiom: Expression) -> frozenset[tuple[str, NamedNode]]:
    return frozenset(_without_built_in(_used(axiom)))


def _without_built_in(found: Iterable[tuple[str, NamedNode]]) -> set[tuple[str, NamedNode]]:
    return {(kind, name) for kind, name in set(found) if not name.value.startswith(_BUILT_IN)}


def _used(axiom: Expression) -> Iterator[tuple[str, NamedNode]]:
    # As in `contents_of`, but without annotations and literals: this walks all axioms of large ontologies.
    pending: list[tuple[Expression, str | None]] = [(axiom, None)]
    while pending:
        tree, of_list = pending.pop()
        arguments = tree.args
        kinds = argument_kinds(tree.head, len(arguments)) if tree.head else (of_list,) * len(arguments)
        for kind, argument in zip(kinds, arguments, strict=False):
            if type(argument) is NamedNode:
                if kind in _KINDS:
                    yield kind, argument
            elif type(argument) is Expression:
                pending.append((argument, kind))


def doubt_about(leftovers: int) -> str:
    """A sentence about triples that were left out because they are unreadable; empty if all were read."""
    if not leftovers:
        return ""
    if leftovers == 1:
        return "1 triple is not an OWL 2 axiom and was left out"
    return f"{leftovers} triples are not OWL 2 axioms and were left out"


@dataclass(frozen=True)
class Ontology:
    """Logical axioms without their annotations, the declared names, and the number of triples that are neither.

    No supported reasoner handles statements beyond OWL 2, so their number is kept and reported.
    """

    axioms: tuple[Expression, ...]
    declared: tuple[Expression, ...] = ()
    leftovers: int = 0
    _lines: dict[Expression, str] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, graph: Graph | Ontology) -> Ontology:
        """The ontology in a graph."""
        if isinstance(graph, Ontology):
            return graph
        found = content(graph)
        return cls(tuple(dict.fromkeys(found.axioms)), tuple(found.declared), found.leftovers)

    def subset(self, axioms: Iterable[Expression]) -> Ontology:
        """An ontology of some of these axioms. Their text is not made again."""
        return Ontology(tuple(axioms), _lines=self._lines)

    def restated(self, axioms: tuple[Expression, ...]) -> Ontology:
        """This ontology with rewritten axioms; the same object if nothing changes. Unchanged axioms keep their text."""
        if axioms == self.axioms:
            return self
        return Ontology(axioms, self.declared, self.leftovers, _lines=self._lines)

    @property
    def doubt(self) -> str:
        """A sentence about triples that were left out because they are unreadable; empty if all were read."""
        return doubt_about(self.leftovers)

    @cached_property
    def features(self) -> frozenset[str]:
        """The features of the axioms that reasoners treat differently."""
        return features(self.axioms)

    @cached_property
    def classes(self) -> frozenset[NamedNode]:
        """The named classes, declared or used."""
        return frozenset(class_ for kind, class_ in self._entities if kind == "Class")

    @cached_property
    def _entities(self) -> set[tuple[str, NamedNode]]:
        stated = (inner(declaration.args[0]) for declaration in self.declared)
        return {(entity.head, name(entity.args[0])) for entity in stated} | entities(self.axioms)

    @cached_property
    def text(self) -> str:
        """The declarations and axioms in functional syntax, one per line, without a header.

        It states exactly what the graph states, without the annotations.
        """
        stated = [
            declaration for declaration in self.declared if not is_headed(declaration.args[0], "AnnotationProperty")
        ]
        return "".join([*self._texts(stated), *self._texts(self.axioms)])

    @cached_property
    def missing_declarations(self) -> str:
        """A declaration for each name that is used but not declared: OWL 2 DL requires one."""
        stated = set(self.declared)
        return "".join(
            self._texts([declaration for declaration in declarations(self.axioms) if declaration not in stated])
        )

    def _texts(self, axioms: Collection[Expression]) -> Iterable[str]:
        if len(self.axioms) <= _FEW:
            return map(_line, axioms)
        new = [axiom for axiom in axioms if axiom not in self._lines]
        self._lines.update(zip(new, as_lines(new), strict=True))
        return (self._lines[axiom] for axiom in axioms)


@lru_cache(maxsize=16 * _FEW)
def _line(axiom: Expression) -> str:
    (line,) = as_lines([axiom])
    return line


def as_lines(axioms: Iterable[Expression]) -> list[str]:
    """Each axiom in functional syntax, with full IRIs."""
    return list(render(OntologyDocument(axioms=tuple(axioms))))[1:-1]


class Content(NamedTuple):
    """Logical axioms and declarations without annotations, and the number of triples that are not part of an axiom."""

    axioms: list[Expression]
    declared: list[Expression]
    leftovers: int


def content(graph: Graph) -> Content:
    """The axioms of a graph, in the order of the triples' text."""
    known = reading_of(graph)
    found = None if known is None else known.content(graph)
    return found or _as_whole(graph)


def reading_of(graph: Graph) -> TableReading | None:
    """The axioms of the graph's table, by cluster, if it pays off to read them: from the second changed graph."""
    if not 0 < len(graph.changed_keys) <= _MOST_CHANGES * len(graph.table):
        return None
    known = READINGS.of(graph.table) if _CHANGED_ONCE.knows(graph.table) else None
    _CHANGED_ONCE.of(graph.table)
    return known


def _as_whole(graph: Graph) -> Content:
    reading = read(graph)
    loose = loose_axioms(reading.leftovers, NameKinds(graph))
    parts: dict[bool, list[Expression]] = {True: [], False: []}
    for axiom in (*reading.document.axioms, *(axiom for _, axiom in sorted(loose.axioms, key=itemgetter(0)))):
        if axiom.head not in _WITHOUT_MEANING:
            parts[axiom.head == "Declaration"].append(without_annotations(axiom))
    return Content(parts[False], parts[True], loose.leftovers)


class Change(NamedTuple):
    """The axioms that a variant of an ontology states more, and those it lacks, and its leftovers."""

    added: list[Expression]
    removed: frozenset[Expression]
    leftovers: int


class _Part(NamedTuple):
    """An axiom, the text of its first triple, whether it has an unusual spelling, and its origin."""

    is_loose: bool
    text: tuple[str, ...]
    axiom: Expression
    cluster: int


class TableReading:
    """The axioms of a table, by cluster."""

    def __init__(self, table: TripleTable) -> None:
        graph = Graph.from_table(table)
        index = TripleIndex(graph)
        kinds = EntityKinds(index)
        reader = AxiomReader(index, kinds)
        header = find_header(index, reader)
        self._ontologies = [] if header is None else [header.subject]
        reader.read(self._ontologies)
        self._clusters = Clusters(graph)
        self._cluster_of = self._clusters.numbered(graph)
        rows = [graph.keys(index.original(number)) for number in range(len(index.statements))]
        self._parts = [self._part(index, stated, self._cluster_of[rows[stated.number]]) for stated in _stated(reader)]
        left: dict[int, list[Triple]] = {}
        for number, row in enumerate(rows):
            if number not in reader.used:
                left.setdefault(self._cluster_of[row], []).append(index.original(number))
        loose = {cluster: loose_axioms(triples, kinds.known) for cluster, triples in left.items()}
        self._leftovers = Counter({cluster: unusual.leftovers for cluster, unusual in loose.items()})
        self._all_leftovers = self._leftovers.total()
        self._parts += sorted(
            (part for cluster, unusual in loose.items() for part in _loose_parts(unusual, cluster)), key=_place
        )

    def content(self, graph: Graph) -> Content | None:
        """The axioms of a graph of this table; None if it has to be read as a whole."""
        found = self._reread(graph)
        if found is None:
            return None
        touched, new, leftovers = found
        parts = [part for part in self._parts if part.cluster not in touched]
        if new:
            parts += new
            parts.sort(key=_place)
        axioms = [part.axiom for part in parts if part.axiom.head != "Declaration"]
        return Content(axioms, [part.axiom for part in parts if part.axiom.head == "Declaration"], leftovers)

    def change(self, graph: Graph) -> Change | None:
        """What a graph of this table states more, and what it lacks; None if it has to be read as a whole."""
        found = self._reread(graph)
        if found is None:
            return None
        touched, new, leftovers = found
        gone = Counter(part.axiom for cluster in touched for part in self._by_cluster.get(cluster, ()))
        stated = dict.fromkeys(part.axiom for part in new if part.axiom.head != "Declaration")
        removed = frozenset(axiom for axiom, count in gone.items() if count == self._counts[axiom])
        added = [axiom for axiom in stated if axiom not in self._counts]
        return Change(added, removed.difference(stated), leftovers)

    @cached_property
    def axioms(self) -> tuple[Expression, ...]:
        """The axioms of the table."""
        return tuple(axiom for axiom in self._counts if axiom.head != "Declaration")

    @cached_property
    def _counts(self) -> Counter[Expression]:
        return Counter(part.axiom for part in self._parts)

    @cached_property
    def _by_cluster(self) -> dict[int, list[_Part]]:
        found: dict[int, list[_Part]] = {}
        for part in self._parts:
            found.setdefault(part.cluster, []).append(part)
        return found

    def _reread(self, graph: Graph) -> tuple[set[int], list[_Part], int] | None:
        """The clusters that a graph of this table changes, what they state now, and the number of leftovers in all."""
        base = Graph.from_table(graph.table)
        if any(state.count(None, None, state.key(SWRL.Variable)) for state in (base, graph)):
            return None  # rules share their variables
        kinds_before = NameKinds(base)
        change, before, rows = read_again(base, graph, graph.changed_keys, kinds_before, self._clusters)
        touched = {self._cluster_of[keys] for keys in before}
        statements: list[Statement] = [tuple(map(graph.term, keys)) for keys in rows]  # type: ignore[misc]
        gone = (map(base.term, keys) for keys in before)
        if any(self._is_of_header(*terms) for terms in chain(gone, statements)):
            return None
        leftovers = self._all_leftovers - sum(self._leftovers[cluster] for cluster in touched)
        if not statements:
            return touched, [], leftovers
        index = TripleIndex((), parts=statements)
        kinds = _Changed(change.kinds, kinds_before)
        reader = AxiomReader(index, EntityKinds(index, kinds))
        reader.read(self._ontologies)
        parts = [self._part(index, stated, 0) for stated in _stated(reader)]
        left = (index.original(number) for number in range(len(statements)) if number not in reader.used)
        loose = loose_axioms(left, kinds)
        return touched, [*parts, *_loose_parts(loose, 0)], leftovers + loose.leftovers

    @staticmethod
    def _part(index: TripleIndex, stated: Stated, cluster: int) -> _Part:
        return _Part(False, tuple(map(str, index.statements[stated.number])), without_annotations(stated.tree), cluster)

    def _is_of_header(self, subject: Term, predicate: Term, value: object) -> bool:
        """Whether a triple belongs to the header of an ontology, which is read first."""
        return (
            predicate in _OF_HEADERS
            or value == OWL.Ontology
            or subject in self._ontologies
            or value in self._ontologies
        )


class _Changed(NamedTuple):
    """The kinds of names after a change: those that it may have changed, and all others."""

    changed: dict[Term, frozenset[str]]
    others: NameKinds

    def get(self, term: Term, default: frozenset[str], /) -> frozenset[str]:
        return self.changed[term] if term in self.changed else self.others.get(term, default)


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


READINGS = PerTable(TableReading)

_CHANGED_ONCE = PerTable(lambda _: True)  # known for tables with a changed graph that was read
