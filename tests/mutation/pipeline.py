"""A pipeline to mutate, and short operators for it."""

from __future__ import annotations

from itertools import pairwise

from kgprobe.mutation.update import UpdateOperator, parse_operator
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, NamedNode, Triple

__all__ = ["EX", "operator", "pipeline"]

EX = "https://kgprobe.example/#"


def pipeline(length: int) -> Graph:
    """Pipes p1, p2, … each next to the following one."""
    pipes = [NamedNode(f"{EX}p{number}") for number in range(1, length + 1)]
    typed = [Triple(pipe, RDF.type, NamedNode(f"{EX}Pipe")) for pipe in pipes]
    linked = [Triple(one, NamedNode(f"{EX}next"), two) for one, two in pairwise(pipes)]
    return Graph([*typed, *linked])


def operator(name: str, request: str) -> UpdateOperator:
    """An operator with this request, which may use ex: and kg:."""
    header = f"# name: {name}\n# does: test\n# target: both\n"
    prefixes = f"PREFIX ex: <{EX}>\nPREFIX kg: <urn:kgprobe:function:>\n"
    return parse_operator(header + prefixes + request, f"{name}.ru")
