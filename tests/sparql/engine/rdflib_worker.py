"""rdflib as a second opinion, in a separate process: literals keep their form only under a process-wide setting.

In: a line of JSON with graphs in N-Triples and the queries to ask each. Out: a line with the rows of each answer.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import rdflib

rdflib.NORMALIZE_LITERALS = False


def _term(term: Any) -> Any:
    """A term as a list: its kind, its written form, and its datatype."""
    if isinstance(term, rdflib.Literal):
        datatype = term.language or str(term.datatype or rdflib.XSD.string)
        return ["literal", str(term), datatype]
    return None if term is None else ["other", str(term), ""]


def _answer(graph: rdflib.Graph, query: str) -> list[Any]:
    found = graph.query(query)
    if found.type == "ASK":
        return [found.askAnswer]
    rows: Any = found
    return sorted(([_term(term) for term in row] for row in rows), key=str)


for line in sys.stdin:
    asked = json.loads(line)
    answers = []
    for text, queries in asked:
        graph = rdflib.Graph()
        graph.parse(data=text, format="nt")
        answers.append([_answer(graph, query) for query in queries])
    print(json.dumps(answers), flush=True)
