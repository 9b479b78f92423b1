"""Axioms in triples that OWL's mapping to RDF would write differently, or that share blank nodes.

The mapping gives each axiom its own blank nodes. Files from other tools share them, and mutants break them up. OWLAPI
reads such a group as if each axiom had its own copy of the shared parts. So does `statements_within`. `loose_axioms`
reads all remaining triples in this way, and reports those that are still unreadable.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kgprobe.owl.axiom_groups import Axiom, axiom_groups
from kgprobe.owl.expression import Argument, Expression
from kgprobe.owl.grammar import SWRL
from kgprobe.owl.name_kinds import ANNOTATION, BUILT_IN, KnownKinds, is_reserved
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, NamedNode, Triple

__all__ = ["Loose", "loose_axioms", "loose_axioms_of", "says_nothing", "statements_within"]

# Sharing on each of n levels would make 2^n copies, and a circle would make infinitely many.
_MOST_TRIPLES = 10_000
_COPY = "kgprobe-copy-"  # a label that is unlikely to occur in a file
_BETWEEN_CLASSES = (RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith)
_NODES_THAT_ARE_AXIOMS = {
    *(OWL.AllDisjointClasses, OWL.AllDisjointProperties, OWL.AllDifferent, OWL.NegativePropertyAssertion, SWRL.Imp)
}
_DATA_RANGES = {RDFS.Datatype, OWL.DataRange}


def statements_within(triples: Iterable[Triple], kinds: KnownKinds) -> list[Expression | None]:
    """The axioms in a group that is not a single axiom, each with its own copy of the shared parts.

    None stands for an axiom that cannot be read. Expressions and lists that no axiom uses are left out, as in OWLAPI.
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
        """The triples of each statement, with copies of the blank nodes; None if there would be too many."""
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
        """The triples that make a blank node an expression or a list, without annotations and axioms about it."""
        return [
            triple
            for triple in self._about[node]
            if _is_structural(triple.predicate) and triple.predicate not in _BETWEEN_CLASSES
        ]

    def _copied(self, start: list[Triple]) -> list[Triple] | None:
        """These triples and all that their objects lead to; each path to a blank node leads to a separate copy."""
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
                pending += ((inner, copy) for inner in below)
                value = copy
            copies.append(Triple(subject, triple.predicate, value))
        return copies

    def _is_shared_range(self, node: BlankNode, below: list[Triple]) -> bool:
        # OWLAPI reads shared classes and properties, but the second use of a data range is an error to it.
        return self._uses[node] > 1 and any(triple.object in _DATA_RANGES for triple in below)


def _is_structural(predicate: NamedNode) -> bool:
    if predicate.value.startswith(SWRL.iri):
        return True
    return is_reserved(predicate) and BUILT_IN.get(predicate) != ANNOTATION


def says_nothing(triple: Triple) -> bool:
    """Whether OWLAPI ignores this triple of a name: part of a list, or a type such as rdf:Property."""
    value = triple.object
    is_type = triple.predicate == RDF.type and type(value) is NamedNode and is_reserved(value)
    return is_type or triple.predicate in (RDF.first, RDF.rest)


# -- all remaining triples ---------------------------------------------------------------------------------------------

_PARTS_OF_HEADERS = frozenset({"Ontology", "Import", "Variable"})


class Loose(NamedTuple):
    """Axioms, each with the text of one of its triples; unreadable triples; and triples that are not part of an axiom.

    Examples of the last: a type rdfs:Class beside owl:Class, the header of another ontology, an expression that nothing
    uses.
    """

    axioms: list[tuple[tuple[str, ...], Expression]]
    unread: list[Triple]
    silent: list[Triple]
    absorbed: list[Triple]

    @property
    def leftovers(self) -> int:
        """The number of triples that may mean something and are in none of the axioms."""
        return len(self.unread) + sum(
            type(triple.subject) is not BlankNode and type(triple.object) is not BlankNode for triple in self.silent
        )


def loose_axioms(triples: Iterable[Triple], kinds: KnownKinds) -> Loose:
    """The axioms in these triples, none of which belongs to an axiom as the mapping writes it."""
    found = Loose([], [], [], [])
    joined = []
    for triple in triples:
        if type(triple.subject) is BlankNode or type(triple.object) is BlankNode:
            joined.append(triple)
        else:  # without blank nodes, there is only one way to write an axiom
            is_silent = says_nothing(triple) or triple.predicate == OWL.versionIRI
            (found.silent if is_silent else found.unread).append(triple)
    for group in axiom_groups(joined, kinds) if joined else ():
        _add(group, kinds, found)
    return found


def loose_axioms_of(triples: Iterable[Triple], leftovers: Iterable[Triple], kinds: KnownKinds) -> Loose:
    """The same for a whole graph, of which these triples are left over: they may need others to form an axiom.

    Those others are `absorbed`: an annotation of a node of a loose axiom is not a separate assertion.
    """
    left = frozenset(leftovers)
    found = Loose([], [], [], [])
    for group in axiom_groups(triples, kinds):
        if not left.isdisjoint(group.triples):
            _add(group, kinds, found)
            found.absorbed.extend(triple for triple in group.triples if triple not in left)
    return found


def _add(group: Axiom, kinds: KnownKinds, found: Loose) -> None:
    if group.head in _PARTS_OF_HEADERS:
        found.silent.extend(group.triples)
        return
    whole = group.expression
    trees = [whole] if whole is not None else statements_within(group.triples, kinds)
    first = group.triples[0]
    text = (str(first.subject), str(first.predicate), str(first.object))
    found.axioms.extend((text, tree) for tree in trees if tree is not None)
    if whole is None and not all(_is_all_said(tree, group.triples) for tree in trees):
        found.unread.extend(group.triples)
    elif not trees:
        found.silent.extend(group.triples)


def _is_all_said(tree: Expression | None, triples: Iterable[Triple]) -> bool:
    """Whether nothing is lost. Shared parts are copied, and an anonymous individual differs from its copy."""
    if tree is None:
        return False
    original = {term for triple in triples for term in (triple.subject, triple.object) if type(term) is BlankNode}
    return _blank_nodes(tree) <= original


def _blank_nodes(part: Argument) -> set[object]:
    """The blank nodes in an axiom."""
    if type(part) is Expression:
        return set().union(*map(_blank_nodes, part.args))
    return {part} if type(part) is BlankNode else set()
