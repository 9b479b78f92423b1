"""An ontology as reasoners see it: its axioms, its names, and the features of OWL that it uses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from kgprobe.graph.axioms.expression import Expression, OntologyDocument, inner, is_headed, name
from kgprobe.graph.axioms.grammar import CLASS, DATA_PROPERTY, DATATYPE, INDIVIDUAL, OBJECT_PROPERTY, argument_kinds
from kgprobe.graph.formats.functional import render
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, NamedNode
from kgprobe.reasoners.features import features
from kgprobe.reasoners.graph_axioms import content

__all__ = ["Ontology", "as_lines", "declarations", "entities"]

_KINDS = frozenset({CLASS, OBJECT_PROPERTY, DATA_PROPERTY, DATATYPE, INDIVIDUAL})

# Many small ontologies are variants of each other, so the names in their axioms, and their texts, are cached.
_FEW = 1_000

_BUILT_IN = tuple(vocabulary.iri for vocabulary in (OWL, RDF, RDFS, XSD))


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


# -- logical axioms, as trees and as text ------------------------------------------------------------------------------


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
        if not self.leftovers:
            return ""
        if self.leftovers == 1:
            return "1 triple is not an OWL 2 axiom and was left out"
        return f"{self.leftovers} triples are not OWL 2 axioms and were left out"

    @cached_property
    def features(self) -> frozenset[str]:
        """The features of the axioms that reasoners treat differently."""
        return features(self.axioms)

    @cached_property
    def classes(self) -> frozenset[NamedNode]:
        """The named classes, declared or used."""
        return frozenset(each for kind, each in self._entities if kind == "Class")

    @cached_property
    def _entities(self) -> set[tuple[str, NamedNode]]:
        stated = (inner(declaration.args[0]) for declaration in self.declared)
        return {(entity.head, name(entity.args[0])) for entity in stated} | entities(self.axioms)

    @cached_property
    def text(self) -> str:
        """The declarations and axioms in functional syntax, one per line, without a header.

        It states exactly what the graph states, without the annotations.
        """
        stated = [each for each in self.declared if not is_headed(each.args[0], "AnnotationProperty")]
        return "".join([*self._texts(stated), *self._texts(self.axioms)])

    @cached_property
    def missing_declarations(self) -> str:
        """A declaration for each name that is used but not declared: OWL 2 DL requires one."""
        stated = set(self.declared)
        return "".join(self._texts([each for each in declarations(self.axioms) if each not in stated]))

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
