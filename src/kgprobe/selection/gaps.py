"""New entities that no test uses, and a first test for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.spelling import Spelling
from kgprobe.graph.terms import OWL, RDF, RDFS, NamedNode, Term
from kgprobe.selection.tests import TermUse, Test

__all__ = ["Gap", "gaps"]

_PARENTS = (RDFS.subClassOf, RDFS.subPropertyOf, RDF.type)
_BUILT_IN = (RDF.iri, RDFS.iri, OWL.iri)


@dataclass(frozen=True, slots=True)
class Gap:
    """A new entity that no test uses, and a query about a statement that the ontology makes about it."""

    term: NamedNode
    suggestion: str


def gaps(added: Iterable[NamedNode], tests: Iterable[Test], new: Graph) -> list[Gap]:
    """The new entities that no test names, and for which no test names a term above them."""
    named = {new.key(term) for test in tests for term in _named(test)}
    upwards = [new.key(predicate) for predicate in _PARENTS]
    suggest = _Suggestions(new).about
    known: set[Key] = set()  # terms for which no test names a term above them
    found = []
    for term in added:
        if not _is_covered(new.key(term), named, known, lambda key: _parents(key, upwards, new)):
            found.append(Gap(term, suggest(term)))
    return found


def _named(test: Test) -> set[Term]:
    found: set[Term] = {mention.term for mention in test.mentions}
    found |= {use.term for use in test.uses if isinstance(use, TermUse)}
    return found


def _is_covered(start: Key, named: set[Key], known: set[Key], parents: Callable[[Key], Iterable[Key]]) -> bool:
    seen = {start}
    pending = [start]
    for key in pending:
        if key in named:
            return True
        for parent in parents(key):
            if parent not in seen and parent not in known:
                seen.add(parent)
                pending.append(parent)
    known |= seen
    return False


def _parents(key: Key, upwards: Iterable[Key], graph: Graph) -> Iterator[Key]:
    for predicate in upwards:
        for parent in graph.objects(key, predicate):
            term = graph.term(parent)
            if isinstance(term, NamedNode) and not term.value.startswith(_BUILT_IN):
                yield parent


class _Suggestions:
    """Queries that are true of a graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._spelling = Spelling({**_USUAL, **graph.spelling.prefixes})
        self._predicates = [(each, graph.key(each)) for each in (*_PARENTS, RDFS.domain, RDFS.range)]

    def about(self, term: NamedNode) -> str:
        """A query about an entity: the term directly above it, or any type."""
        told = None
        for fact in self._facts(term):
            told = told or fact
            if not fact[1].value.startswith(OWL.iri):
                told = fact
                break
        if told is None:
            return f"ASK {{ {term} ?property ?value }}"
        subject, predicate, object_ = map(self._spelling.term, (term, *told))
        names = [part.partition(":")[0] for part in (subject, predicate, object_) if not part.startswith("<")]
        prologue = "".join(f"PREFIX {name}: <{self._spelling.prefixes[name]}> " for name in dict.fromkeys(names))
        return f"{prologue}ASK {{ {subject} {predicate} {object_} }}"

    def _facts(self, term: NamedNode) -> Iterator[tuple[NamedNode, NamedNode]]:
        key = self._graph.key(term)
        for predicate, predicate_key in self._predicates:
            for object_ in map(self._graph.term, self._graph.objects(key, predicate_key)):
                if isinstance(object_, NamedNode):
                    yield predicate, object_


_USUAL = {"rdf": RDF.iri, "rdfs": RDFS.iri, "owl": OWL.iri}
