"""A change as text that other tools can carry out: RDF Patch, and SPARQL Update."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from kgprobe.errors import InputError
from kgprobe.graph.delta import Delta
from kgprobe.graph.graph import Graph
from kgprobe.graph.patterns.enumeration import MOST_LOOPS
from kgprobe.graph.patterns.native import NativeMatcher
from kgprobe.graph.patterns.pattern import Pattern, TriplePattern, Variable
from kgprobe.graph.terms import BlankNode, Subject, Term, Triple

__all__ = ["rdf_patch", "sparql_update"]


def rdf_patch(delta: Delta) -> str:
    """The change as RDF Patch: a line `D` for each triple that goes and `A` for each that comes, as in N-Quads.

    Blank nodes have the labels that they have in the seed graph's file or, if they have none there, that kgprobe gives
    them when it reads the file.
    """
    removed = [f"D {triple} ." for triple in delta.removed]
    added = [f"A {triple} ." for triple in delta.added]
    return "\n".join(["TX .", *removed, *added, "TC .", ""])


def sparql_update(delta: Delta, seed: Graph) -> str:
    """The change as a SPARQL Update request. `seed` is the graph that it applies to.

    A request cannot name a blank node. One that the change touches becomes a variable, and the WHERE tells it by what
    surrounds it in the seed graph; InputError if that fits other blank nodes as well.
    """
    touched = [node for triple in (*delta.removed, *delta.added) for node in _blanks(triple) if seed.mentions(node)]
    described: dict[Triple, None] = {}
    known: set[BlankNode] = set()
    for node in dict.fromkeys(touched):
        if node not in known:
            around = _surroundings(seed, node)
            known.update(other for triple in around for other in _blanks(triple))
            described.update(dict.fromkeys(around))
            if not _is_unambiguous(seed, around):
                raise InputError(
                    "a SPARQL Update cannot tell apart the blank nodes that this change touches",
                    hint="write patches or whole graphs instead",
                )
    verbs = ("DELETE", "INSERT") if known else ("DELETE DATA", "INSERT DATA")
    parts = [(verb, part) for verb, part in zip(verbs, (delta.removed, delta.added), strict=True) if part]
    requests = [f"{verb} {_braces(triples, known)}" for verb, triples in parts]
    if not known:
        return " ;\n".join(requests) + "\n"
    conditions = [f"FILTER(isBlank(?{node.value}))" for node in sorted(known, key=str)]
    return "\n".join([*requests, f"WHERE {_braces(described, known, conditions)}", ""])


def _surroundings(seed: Graph, node: BlankNode) -> list[Triple]:
    """What the graph says about a blank node and those that hang together with it, nearest first.

    It is cut where it gets too long to be matched; whether it is enough is checked after.
    """
    waiting = [node]
    found: dict[Triple, None] = {}
    for known in waiting:
        for triple in (*seed.triples(None, None, known), *seed.triples(known)):
            if len(found) == MOST_LOOPS:
                return list(found)
            found[triple] = None
            waiting += [other for other in _blanks(triple) if other not in waiting]
    return list(found)


def _is_unambiguous(seed: Graph, described: list[Triple]) -> bool:
    matches = NativeMatcher(Pattern(tuple(map(_pattern, described)))).matches(seed)
    return len(list(islice(matches, 2))) == 1


def _pattern(triple: Triple) -> TriplePattern:
    subject, object_ = triple.subject, triple.object
    assert not isinstance(subject, Triple)  # noqa: S101 - no reader of ours makes triples about triples
    assert not isinstance(object_, Triple)  # noqa: S101
    return _part(subject), triple.predicate, _part(object_)


def _part(term: Term) -> Variable | Term:
    return Variable(term.value) if isinstance(term, BlankNode) else term


def _braces(triples: Iterable[Triple], known: set[BlankNode], more: Iterable[str] = ()) -> str:
    """Triples between braces, with variables for the blank nodes that are known."""

    def text(term: object) -> str:
        return f"?{term.value}" if isinstance(term, BlankNode) and term in known else str(term)

    lines = [f"{text(t.subject)} {t.predicate} {text(t.object)} ." for t in triples]
    return "\n".join(["{", *(f"  {line}" for line in [*lines, *more]), "}"])


def _blanks(triple: Triple) -> list[BlankNode]:
    ends: tuple[Subject | Term | Triple, ...] = triple.subject, triple.object
    return [term for term in ends if isinstance(term, BlankNode)]
