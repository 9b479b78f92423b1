"""Results of queries: rows, their formats, and whether two results are the same."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pyoxigraph import QueryResultsFormat, parse_query_results

from kgprobe.rdf.canonical import fingerprint, isomorphic
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, XSD, BlankNode, Literal, NamedNode, Namespace, Term, Triple
from kgprobe.sparql.tokens import UNREPEATABLE, words

__all__ = ["ComparableAnswer", "Row", "Rows", "are_alike", "counted", "is_determined", "serialized"]

Row: TypeAlias = Mapping[str, Term]
_ROWS = Namespace("urn:kgprobe:row:")


@dataclass(frozen=True)
class Rows:
    """The solutions of a SELECT query: the names of its variables, and their bindings."""

    names: tuple[str, ...]
    rows: Iterator[dict[str, Term]]


Answer: TypeAlias = Rows | bool | Iterator[Triple]

"""The answer to SELECT, to ASK, or to CONSTRUCT and DESCRIBE."""


def serialized(answer: Rows | bool, wanted: QueryResultsFormat) -> bytes:
    """An answer in a format. pyoxigraph can make results only from a text; JSON is the simplest."""
    document: dict[str, object]
    if isinstance(answer, bool):
        document = {"head": {}, "boolean": answer}
    else:
        bindings = [{name: _as_json(term) for name, term in row.items()} for row in answer.rows]
        document = {"head": {"vars": list(answer.names)}, "results": {"bindings": bindings}}
    text = json.dumps(document, ensure_ascii=False).encode()
    if wanted == QueryResultsFormat.JSON:
        return text
    return parse_query_results(text, format=QueryResultsFormat.JSON).serialize(format=wanted) or b""


def _as_json(term: Term) -> dict[str, str]:
    match term:
        case NamedNode():
            return {"type": "uri", "value": term.value}
        case BlankNode():
            return {"type": "bnode", "value": term.value}
        case Literal() if term.datatype == RDF.langString:
            return {"type": "literal", "value": term.value, "xml:lang": term.language or ""}
        case Literal() if term.datatype == XSD.string:
            return {"type": "literal", "value": term.value}
    return {"type": "literal", "value": term.value, "datatype": term.datatype.value}


# -- comparison --------------------------------------------------------------------------------------------------------


def are_alike(rows: Sequence[Row], others: Sequence[Row]) -> bool:
    """Whether two tables have the same rows, in any order, up to the labels of blank nodes."""
    if len(rows) != len(others):
        return False
    if any(isinstance(term, BlankNode) for row in (*rows, *others) for term in row.values()):
        return isomorphic(_as_graph(rows), _as_graph(others))
    return counted(rows) == counted(others)


def counted(rows: Iterable[Row]) -> Counter[frozenset[tuple[str, Term]]]:
    """How often each row occurs. Blank nodes are told apart by their labels."""
    return Counter(frozenset(row.items()) for row in rows)


def _as_graph(rows: Iterable[Row]) -> Graph:
    """A node for each row, so that tables can be compared up to the labels of blank nodes."""
    triples = []
    for number, row in enumerate(rows):
        node = BlankNode(f"row{number}")
        triples.append(Triple(node, _ROWS["is"], NamedNode(_ROWS.iri)))
        for name, term in row.items():
            # Blank nodes of the table must not be taken for rows.
            value = BlankNode(f"value-{term.value}") if isinstance(term, BlankNode) else term
            triples.append(Triple(node, _ROWS[name], value))
    return Graph(triples)


# The rows or triples, and how often each occurs; or whether the answer is yes. An error is its message.
ComparableAnswer: TypeAlias = Counter[str] | bool | str


def comparable(answer: Answer) -> ComparableAnswer:
    """The answer as a value. Rows are not ordered, since engines may order them freely.

    CONSTRUCT can make blank nodes, whose labels differ each time, so graphs with blank nodes are compared by structure.
    """
    if isinstance(answer, bool):
        return answer
    if isinstance(answer, Rows):
        return Counter(" ".join(str(row.get(name)) for name in answer.names) for row in answer.rows)
    triples = list(answer)
    if any(BlankNode in (type(triple.subject), type(triple.object)) for triple in triples):
        return f"graph: {fingerprint(Graph(triples))}"
    return Counter({str(triple): 1 for triple in triples})


# With these, an answer depends on more than the graph: the engine's order of rows, chance, or time.
_UNDETERMINED = frozenset(["LIMIT", "OFFSET", "SAMPLE", "GROUP_CONCAT", *UNREPEATABLE, "SERVICE", "DESCRIBE"])


def is_determined(query: str) -> bool:
    """Whether the answer depends only on the graph."""
    return _UNDETERMINED.isdisjoint(words(query))
