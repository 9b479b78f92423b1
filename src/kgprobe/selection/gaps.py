"""New entities that no test looks at, and a test to begin with for each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kgprobe.graph.graph import Graph
from kgprobe.graph.spelling import Spelling
from kgprobe.graph.terms import OWL, RDF, RDFS, NamedNode
from kgprobe.selection.tests import TermUse, Test

__all__ = ["Gap", "gaps"]

_PARENTS = (RDFS.subClassOf, RDFS.subPropertyOf, RDF.type)
_BUILT_IN = (RDF.iri, RDFS.iri, OWL.iri)


@dataclass(frozen=True, slots=True)
class Gap:
    """A new entity that no test uses, and a query that asks for what the ontology says about it."""

    term: NamedNode
    suggestion: str


def gaps(added: Iterable[NamedNode], tests: Iterable[Test], new: Graph) -> list[Gap]:
    """The new entities that no test names, nor anything that they are right below or an instance of."""
    named = {term for test in tests for term in _named(test)}
    return [Gap(term, _suggestion(term, new)) for term in added if not _is_covered(term, named, new)]


def _named(test: Test) -> set[object]:
    found: set[object] = {mention.term for mention in test.mentions}
    found |= {use.term for use in test.uses if isinstance(use, TermUse)}
    return found


def _is_covered(term: NamedNode, named: set[object], graph: Graph) -> bool:
    """Whether a test names the entity or something above it: the members of a class are those of its subclasses too."""
    seen = {term}
    pending = [term]
    for each in pending:
        if each in named:
            return True
        for parent in _parents(each, graph):
            if parent not in seen:
                seen.add(parent)
                pending.append(parent)
    return False


def _parents(term: NamedNode, graph: Graph) -> list[NamedNode]:
    found = []
    for predicate in _PARENTS:
        for triple in graph.triples(term, predicate):
            if isinstance(triple.object, NamedNode) and not triple.object.value.startswith(_BUILT_IN):
                found.append(triple.object)
    return found


def _suggestion(term: NamedNode, graph: Graph) -> str:
    """A query that is true of the new ontology."""
    facts = [
        triple
        for predicate in (*_PARENTS, RDFS.domain, RDFS.range)
        for triple in graph.triples(term, predicate)
        if isinstance(triple.object, NamedNode)
    ]
    told = [fact for fact in facts if not str(fact.object).startswith(f"<{OWL.iri}")] or facts
    if not told:
        return f"ASK {{ {term} ?property ?value }}"
    spelling = Spelling({**_USUAL, **graph.spelling.prefixes})
    text = spelling.triple(told[0])
    names = [part.partition(":")[0] for part in text.split(" ") if ":" in part and not part.startswith("<")]
    prologue = "".join(f"PREFIX {name}: <{spelling.prefixes[name]}> " for name in dict.fromkeys(names))
    return f"{prologue}ASK {{ {text} }}"


_USUAL = {"rdf": RDF.iri, "rdfs": RDFS.iri, "owl": OWL.iri}
