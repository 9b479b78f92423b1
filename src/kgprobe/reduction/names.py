"""Gives names that say nothing in place of those of the input: A, B for classes, p, q for properties, a, b for others.

A reader of the result then sees its structure, and is not led to think that the names have to do with the failure.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping

from kgprobe.graph.axioms.entity_kinds import is_reserved
from kgprobe.graph.graph import Graph
from kgprobe.graph.spelling import Spelling
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Term, Triple
from kgprobe.ontology.entities import entities
from kgprobe.reduction.problem import Problem
from kgprobe.reduction.subgraphs import exactly

__all__ = ["generic_names", "simpler_names"]

_NAMESPACE = "http://example.org/"
_WORDS = re.compile(r"[A-Za-z]+")
_PREFIXES = {"": _NAMESPACE, "owl": OWL.iri, "rdf": RDF.iri, "rdfs": RDFS.iri, "xsd": XSD.iri}
_CLASSES, _PROPERTIES, _OTHERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "pqrstuvw", "abcdefghijklmno"


def simpler_names(problem: Problem, graph: Graph, *, keep: Collection[Term] = ()) -> Graph:
    """The graph with generic names, for as many of its names as it still fails with."""
    problem.phase = "names"
    mapping = generic_names(graph, keep)
    pending = [list(mapping)] if mapping else []
    done: dict[NamedNode, NamedNode] = {}
    result = graph
    while pending:
        some = pending.pop(0)
        tried = done | {name: mapping[name] for name in some}
        candidate = renamed(graph, tried)
        if problem.fails(candidate):
            done, result = tried, candidate
        elif len(some) > 1:
            middle = len(some) // 2
            pending += [some[:middle], some[middle:]]
    if done:
        problem.adopt(result)
        full = _full(graph, done)
        problem.trail.replace(lambda triple: _mapped(triple, full))
    return result


def generic_names(graph: Graph, keep: Collection[Term] = ()) -> dict[NamedNode, NamedNode]:
    """A new name for each name that can have one, in the order in which the names first appear."""
    known = entities(graph)
    properties = known.object_properties | known.data_properties | known.annotation_properties
    fixed = frozenset(keep) | _datatypes_of_literals(graph)
    taken = {name for name in _names(graph) if name in fixed}
    fresh = {letters: _fresh(letters, taken) for letters in (_CLASSES, _PROPERTIES, _OTHERS)}
    found: dict[NamedNode, NamedNode] = {}
    for name in _names(graph):
        if name not in taken and not is_reserved(name):
            if name in known.classes or name in known.datatypes:
                letters = _CLASSES
            else:
                letters = _PROPERTIES if name in properties else _OTHERS
            found[name] = next(fresh[letters])
    return {old: new for old, new in found.items() if old != new} if _changes(found) else {}


def renamed(graph: Graph, mapping: Mapping[NamedNode, NamedNode]) -> Graph:
    """The graph under other names."""
    full = _full(graph, mapping)
    return exactly(
        (_mapped(triple, full) for triple in graph),
        Spelling(_prefixes(graph, full), graph.spelling.language_tags),
    )


def _full(graph: Graph, mapping: Mapping[NamedNode, NamedNode]) -> dict[object, NamedNode]:
    """The mapping, and more: a name that another one gets and that stays itself makes way for it."""
    clashes = {new for new in mapping.values() if new not in mapping}
    full: dict[object, NamedNode] = dict(mapping.items())
    spare = (NamedNode(f"{_NAMESPACE}old{number}") for number in itertools.count())
    for name in _names(graph):
        if name in clashes:
            full[name] = next(each for each in spare if not graph.mentions(each))
    return full


def _prefixes(graph: Graph, mapping: Mapping[object, NamedNode]) -> dict[str, str]:
    """Those for generic names and the vocabularies, and those of the graph that names which stay still need."""
    stay = [name.value for name in _names(graph) if name not in mapping and not is_reserved(name)]
    needed = {
        prefix or _prefix_for(namespace): namespace
        for prefix, namespace in graph.spelling.prefixes.items()
        if namespace != _NAMESPACE and any(name.startswith(namespace) for name in stay)
    }
    return needed | _PREFIXES


def _prefix_for(namespace: str) -> str:
    """The last word of a namespace that had the empty prefix, which is for generic names now."""
    words: list[str] = _WORDS.findall(namespace)
    return words[-1].lower() if words else "former"


def _mapped(triple: Triple, mapping: Mapping[object, NamedNode]) -> Triple:
    value = triple.object
    return Triple(
        mapping.get(triple.subject, triple.subject),
        mapping.get(triple.predicate, triple.predicate),
        _mapped(value, mapping) if type(value) is Triple else mapping.get(value, value),
    )


def _changes(mapping: Mapping[NamedNode, NamedNode]) -> bool:
    """Whether a new name is needed at all: names that are generic already stay, whichever letter each has."""
    return any(not _is_generic(name) for name in mapping)


def _is_generic(name: NamedNode) -> bool:
    local = name.value.removeprefix(_NAMESPACE)
    return local != name.value and local[:1].isalpha() and (len(local) == 1 or local[1:].isdigit())


def _names(graph: Graph) -> Iterator[NamedNode]:
    """Each name once, in the order of appearance."""
    seen: set[object] = set()
    pending: list[Triple] = list(graph)[::-1]
    while pending:
        triple = pending.pop()
        for part in (triple.subject, triple.predicate, triple.object):
            if type(part) is Triple:
                pending.append(part)
            elif type(part) is NamedNode and part not in seen:
                seen.add(part)
                yield part


def _datatypes_of_literals(graph: Graph) -> frozenset[Term]:
    return frozenset(term.datatype for term in graph.terms() if type(term) is Literal)


def _fresh(letters: str, taken: Collection[NamedNode]) -> Iterator[NamedNode]:
    locals_ = itertools.chain(letters, (f"{letters[0]}{number}" for number in itertools.count(1)))
    return (name for name in map(NamedNode, (_NAMESPACE + local for local in locals_)) if name not in taken)
