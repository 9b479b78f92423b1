"""A change as text that other tools can carry out: RDF Patch, and SPARQL Update."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice

from kgprobe.errors import InputError
from kgprobe.graph.delta import Delta
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import BlankNode, Subject, Term, Triple
from kgprobe.masks.embedding import TooAlikeError, images

__all__ = ["rdf_patch", "sparql_update"]

# How many triples are used to tell a blank node; more only if fewer are not enough. A list of disjoint classes is long.
_ENOUGH = (16, 64, 256)
# How many triples are looked at to see whether it is told. A graph of many nodes that look alike has no end.
_PATIENCE = 20_000


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
            around = _description(seed, node)
            known.update(other for triple in around for other in _blanks(triple))
            described.update(dict.fromkeys(around))
    verbs = ("DELETE", "INSERT") if known else ("DELETE DATA", "INSERT DATA")
    parts = [(verb, part) for verb, part in zip(verbs, (delta.removed, delta.added), strict=True) if part]
    names = _variables(known)
    requests = [f"{verb} {_braces(triples, names)}" for verb, triples in parts]
    if not known:
        return " ;\n".join(requests) + "\n"
    conditions = [f"FILTER(isBlank({variable}))" for variable in sorted(names.values())]
    return "\n".join([*requests, f"WHERE {_braces(described, names, conditions)}", ""])


def _description(seed: Graph, node: BlankNode) -> list[Triple]:
    """What the graph says about a blank node and those around it, as much as tells it from all others."""
    around: list[Triple] = []
    for most in _ENOUGH:
        before, around = around, _surroundings(seed, node, most)
        if len(around) == len(before):
            break  # there is no more to say
        if _is_alone(seed, around):
            return around
    raise InputError(
        "a SPARQL Update cannot tell apart the blank nodes that this change touches",
        hint="write patches or whole graphs instead",
    )


def _is_alone(seed: Graph, described: list[Triple]) -> bool:
    """Whether these triples, with variables for their blank nodes, match only themselves. No if it takes too long."""
    try:
        return len(list(islice(images(described, seed, apart=False, most_steps=_PATIENCE), 2))) == 1
    except TooAlikeError:
        return False


def _surroundings(seed: Graph, node: BlankNode, most: int) -> list[Triple]:
    """What the graph says about a blank node and those that hang together with it, nearest first."""
    waiting = [node]
    found: dict[Triple, None] = {}
    for known in waiting:
        for triple in (*seed.triples(None, None, known), *seed.triples(known)):
            if len(found) == most:
                return list(found)
            found[triple] = None
            waiting += [other for other in _blanks(triple) if other not in waiting]
    return list(found)


def _variables(nodes: Iterable[BlankNode]) -> dict[BlankNode, str]:
    """A variable for each blank node, called like it as far as SPARQL allows: a label may have dots and hyphens."""
    names: dict[BlankNode, str] = {}
    taken = {node.value for node in nodes}
    for node in sorted(nodes, key=str):
        name = re.sub(r"\W", "_", node.value)
        while name != node.value and name in taken:
            name += "_"
        taken.add(name)
        names[node] = f"?{name}"
    return names


def _braces(triples: Iterable[Triple], names: Mapping[BlankNode, str], more: Iterable[str] = ()) -> str:
    """Triples between braces, with variables for the blank nodes that have one."""

    def text(term: object) -> str:
        return names.get(term, str(term)) if isinstance(term, BlankNode) else str(term)

    lines = [f"{text(t.subject)} {t.predicate} {text(t.object)} ." for t in triples]
    return "\n".join(["{", *(f"  {line}" for line in [*lines, *more]), "}"])


def _blanks(triple: Triple) -> list[BlankNode]:
    ends: tuple[Subject | Term | Triple, ...] = triple.subject, triple.object
    return [term for term in ends if isinstance(term, BlankNode)]
