"""Writes answers in SPARQL's result formats."""

from __future__ import annotations

import json

from pyoxigraph import QueryResultsFormat, parse_query_results

from kgprobe.graph.sparql.exact_store import Rows
from kgprobe.graph.terms import RDF, XSD, BlankNode, Literal, NamedNode, Term

__all__ = ["serialized"]


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
