"""An underwater robot that inspects a pipe, segment by segment, using a graph.

It has a bug on purpose: whenever it moves on, it forgets the other neighbours.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TypedDict

from kgprobe.errors import KgprobeError
from kgprobe.formats.files import load
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, NamedNode, Term

NAMESPACE = "https://kgprobe.example/pipes#"
AUV, IS_AT, NEXT_TO, PIPE = (NamedNode(NAMESPACE + name) for name in ("auv", "isAt", "nextTo", "Pipe"))

COMPLETE = "complete"
PASSED = "a segment was passed and not inspected"
UNREACHED = "a segment was never reached"
_EXIT = {COMPLETE: 0, PASSED: 1, UNREACHED: 3}  # 2 means that the input is not a graph


class Report(TypedDict):
    """The result of a mission. `missed` lists the segments that were not inspected, and `mission` is the outcome."""

    mission: str
    inspected: list[str]
    missed: list[str]


def inspect(graph: Graph) -> Report:
    """Inspect the pipe where the robot is. Raise LookupError unless the robot has exactly one position."""

    def query(subject: Term, predicate: NamedNode) -> list[Term]:
        return sorted(map(graph.term, graph.objects(graph.key(subject), graph.key(predicate))), key=str)

    positions = query(AUV, IS_AT)
    if len(positions) != 1:
        raise LookupError(
            f"the initial position cannot be extracted: there {'are several' if positions else 'is none'}"
        )
    [here] = positions
    inspected = {here}
    adjacent = query(here, NEXT_TO)
    seen = {here, *adjacent}
    while adjacent:
        here = adjacent.pop()
        if here not in inspected:
            inspected.add(here)
            adjacent = query(here, NEXT_TO)  # the bug: this forgets the remaining neighbours
            seen.update(adjacent)

    pipes = set(map(graph.term, graph.subjects(graph.key(RDF.type), graph.key(PIPE))))
    missed = (pipes | seen) - inspected
    mission = PASSED if seen - inspected else UNREACHED if missed else COMPLETE
    return {"mission": mission, "inspected": _names(inspected), "missed": _names(missed)}


def _names(segments: Iterable[Term]) -> list[str]:
    return sorted(segment.value.removeprefix(NAMESPACE) for segment in segments)


def main(arguments: Sequence[str]) -> int:
    """Inspect the pipe in a file, print a report, and return the exit code."""
    if len(arguments) != 1:
        print("usage: python robot.py GRAPH.ttl", file=sys.stderr)
        return 2
    try:
        graph = load(arguments[0]).graph
    except KgprobeError as error:
        print(error, file=sys.stderr)
        return 2
    report = inspect(graph)
    print(f"mission    {report['mission']}")
    print("inspected ", *report["inspected"])
    print("missed    ", *report["missed"] or ["nothing"])
    return _EXIT[report["mission"]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
