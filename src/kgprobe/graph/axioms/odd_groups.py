"""What a group of triples says that is no single axiom, because its blank nodes are shared or its structure is broken.

The mapping of OWL 2 to RDF gives each axiom blank nodes of its own. Files that other tools wrote share them, and in
mutants they are torn apart. OWLAPI reads such a group as the axioms that it would be if each had its own copy; so does
this module, for those who want to judge what a graph says. What cannot be read even so is told as None.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from kgprobe.graph.axioms.axiom_groups import axiom_groups
from kgprobe.graph.axioms.entity_kinds import ANNOTATION, BUILT_IN, KnownKinds, is_reserved
from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.axioms.vocabulary import SWRL
from kgprobe.graph.terms import OWL, RDF, RDFS, BlankNode, NamedNode, Triple

__all__ = ["says_nothing", "statements_within"]

# Copies of what is shared on each of n levels would be 2^n, and those of a circle have no end.
_MOST_TRIPLES = 10_000
_COPY = "kgprobe-copy-"  # no label that a file is likely to have
_BETWEEN_CLASSES = (RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith)
_NODES_THAT_ARE_AXIOMS = {
    *(OWL.AllDisjointClasses, OWL.AllDisjointProperties, OWL.AllDifferent, OWL.NegativePropertyAssertion, SWRL.Imp)
}
_DATA_RANGES = {RDFS.Datatype, OWL.DataRange}


def statements_within(triples: Iterable[Triple], kinds: KnownKinds) -> list[Expression | None]:
    """The axioms in a group that is none, each with its own copy of what is shared; None for what is not readable.

    Expressions and lists that no axiom uses say nothing, and are left out, as OWLAPI leaves them out.
    """
    group = _Group(triples)
    return [_read(copied, kinds) for copied in group.statements()]


def _read(copied: list[Triple] | None, kinds: KnownKinds) -> Expression | None:
    groups = axiom_groups(copied, kinds) if copied is not None else ()
    return groups[0].expression if len(groups) == 1 else None


class _Group:
    def __init__(self, triples: Iterable[Triple]) -> None:
        self._triples = tuple(triples)
        self._about: defaultdict[object, list[Triple]] = defaultdict(list)
        for triple in self._triples:
            self._about[triple.subject].append(triple)
        self._uses = Counter(triple.object for triple in self._triples if type(triple.object) is BlankNode)
        self._labels = 0

    def statements(self) -> Iterator[list[Triple] | None]:
        """The triples of each statement, with blank nodes of its own; None if there would be too many."""
        for triple in self._triples:
            subject, predicate, value = triple.subject, triple.predicate, triple.object
            if type(subject) is NamedNode:
                if not says_nothing(triple):
                    yield self._copied([triple])
            elif predicate in _BETWEEN_CLASSES:
                yield self._copied([triple, *self._structure(subject)])
            elif predicate == RDF.type and value in _NODES_THAT_ARE_AXIOMS:
                yield self._copied(self._about[subject])
            elif predicate == RDF.type and type(value) is BlankNode:  # an individual without a name
                yield self._copied([triple])
            elif not _is_structural(predicate):
                yield [triple]

    def _structure(self, node: object) -> list[Triple]:
        """What makes a blank node an expression or a list: neither its annotations nor the axioms about it."""
        return [
            triple
            for triple in self._about[node]
            if _is_structural(triple.predicate) and triple.predicate not in _BETWEEN_CLASSES
        ]

    def _copied(self, start: list[Triple]) -> list[Triple] | None:
        """These triples and all that their objects lead to; each way to a blank node leads to its own copy of it."""
        top = start[0].subject
        copies: list[Triple] = []
        pending = [(triple, triple.subject) for triple in start]
        while pending:
            triple, subject = pending.pop()
            value = triple.object
            if type(value) is BlankNode and value != top:
                below = self._structure(value)
                if self._is_shared_range(value, below) or len(copies) + len(pending) + len(below) > _MOST_TRIPLES:
                    return None
                self._labels += 1
                copy = BlankNode(f"{_COPY}{self._labels}")
                pending += ((each, copy) for each in below)
                value = copy
            copies.append(Triple(subject, triple.predicate, value))
        return copies

    def _is_shared_range(self, node: BlankNode, below: list[Triple]) -> bool:
        # OWLAPI reads shared classes and properties, but the second use of a data range is an error to it.
        return self._uses[node] > 1 and any(each.object in _DATA_RANGES for each in below)


def _is_structural(predicate: NamedNode) -> bool:
    if predicate.value.startswith(SWRL.iri):
        return True
    return is_reserved(predicate) and BUILT_IN.get(predicate) != ANNOTATION


def says_nothing(triple: Triple) -> bool:
    """Whether a triple of a name is one that OWLAPI passes over: part of a list, or a type such as rdf:Property."""
    value = triple.object
    is_type = triple.predicate == RDF.type and type(value) is NamedNode and is_reserved(value)
    return is_type or triple.predicate in (RDF.first, RDF.rest)
