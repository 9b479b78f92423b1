"""The results that a test expects, in each format."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgprobe.formats.files import read_graph
from kgprobe.sparql.engine.exact_store import GraphStore, PreparedQuery
from kgprobe.suite_score.answers import NotUnderstoodError, read_expected

GRAPH = b"""@prefix : <urn:> . :a :p 1 , 2 . :b :p "x"@en . :c :q [ :r :d ] , [ :r :e ] ."""
ROWS = "SELECT ?s ?v WHERE { ?s <urn:p> ?v }"
WORDS = "CONSTRUCT { ?s <urn:s> ?v } WHERE { ?s <urn:p> ?v FILTER(LANG(?v) = 'en') }"
BLANKS = "CONSTRUCT { ?b <urn:s> ?x } WHERE { ?b <urn:r> ?x }"
SRX = """<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#"><head><variable name="s"/>
<variable name="v"/></head><results>{}</results></sparql>"""
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
CELLS = (
    f'<result><binding name="s"><uri>urn:a</uri></binding><binding name="v"><literal datatype="{INTEGER}">1</literal>'
    "</binding></result>",
    f'<result><binding name="s"><uri>urn:a</uri></binding><binding name="v"><literal datatype="{INTEGER}">2</literal>'
    "</binding></result>",
    '<result><binding name="s"><uri>urn:b</uri></binding><binding name="v"><literal xml:lang="en">x</literal>'
    "</binding></result>",
)
SRJ = """{"head":{"vars":["s","v"]},"results":{"bindings":[
{"s":{"type":"uri","value":"urn:b"},"v":{"type":"literal","value":"x","xml:lang":"en"}},
{"s":{"type":"uri","value":"urn:a"},"v":{"type":"literal","value":"1","datatype":"%s"}},
{"s":{"type":"uri","value":"urn:a"},"v":{"type":"literal","value":"2","datatype":"%s"}}]}}"""


def is_met(file: Path, text: str, query: str) -> bool:
    file.write_text(text, encoding="utf-8")
    store = GraphStore(read_graph(GRAPH))
    return read_expected(file).is_met(PreparedQuery.of(query, "q"), store)


@pytest.mark.parametrize(
    ("name", "text", "query", "wanted"),
    [
        ("a.srx", SRX.format("".join(CELLS)), ROWS, True),
        ("a.srx", SRX.format("".join(reversed(CELLS))), ROWS, True),
        ("a.srx", SRX.format("".join(CELLS[:2])), ROWS, False),
        ("a.srx", SRX.format("".join((*CELLS, CELLS[0]))), ROWS, False),
        ("a.srx", SRX.format("".join(CELLS)), "SELECT ?s WHERE { ?s <urn:p> ?v }", False),
        ("a.srj", SRJ % (INTEGER, INTEGER), ROWS, True),
        ("a.json", SRJ % (INTEGER, INTEGER), ROWS, True),
        ("a.srj", SRJ % (INTEGER, "http://www.w3.org/2001/XMLSchema#decimal"), ROWS, False),
        ("a.srj", '{"head":{},"boolean":true}', "ASK { <urn:a> <urn:p> 1 }", True),
        ("a.srj", '{"head":{},"boolean":false}', "ASK { <urn:a> <urn:p> 1 }", False),
        ("a.tsv", '?s\t?v\n<urn:a>\t1\n<urn:a>\t2\n<urn:b>\t"x"@en\n', ROWS, True),
        ("a.tsv", '?s\t?v\n<urn:a>\t1\n<urn:a>\t2\n<urn:b>\t"x"@de\n', ROWS, False),
        ("a.csv", "s,v\r\nurn:b,x\r\nurn:a,1\r\nurn:a,2\r\n", ROWS, True),
        ("a.csv", "v,s\nx,urn:b\n1,urn:a\n2,urn:a\n", ROWS, True),
        ("a.csv", "s,v\nurn:b,x\nurn:a,1\nurn:a,3\n", ROWS, False),
        ("a.csv", "b\n_:x\n_:y\n", "SELECT ?b WHERE { ?b <urn:r> ?x }", True),
        ("a.csv", "b\n_:x\n", "SELECT ?b WHERE { ?b <urn:r> ?x }", False),
        ("a.tsv", "?b\t?x\n_:one\t<urn:d>\n_:two\t<urn:e>\n", "SELECT ?b ?x WHERE { ?b <urn:r> ?x }", True),
        ("a.tsv", "?b\t?x\n_:one\t<urn:d>\n_:one\t<urn:e>\n", "SELECT ?b ?x WHERE { ?b <urn:r> ?x }", False),
        ("a.txt", "True\n", "ASK { <urn:a> <urn:p> 1 }", True),
        ("a.txt", "no", "ASK { <urn:a> <urn:p> 1 }", False),
        ("a.ttl", "<urn:b> <urn:s> 'x'@en .", WORDS, True),
        ("a.ttl", "[] <urn:s> <urn:d> . [] <urn:s> <urn:e> .", BLANKS, True),
        ("a.ttl", "[] <urn:s> <urn:d> , <urn:e> .", BLANKS, False),
    ],
)
def test_results_are_compared_as_terms(tmp_path: Path, name: str, text: str, query: str, wanted: bool) -> None:
    assert is_met(tmp_path / name, text, query) is wanted


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.srx", "<html/>"),
        ("a.srj", "[1]"),
        ("a.csv", ""),
        ("a.csv", "a,b\n1\n"),
        ("a.txt", "see the wiki"),
        ("a.ttl", "{"),
    ],
)
def test_other_files_are_not_understood(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(NotUnderstoodError):
        read_expected(tmp_path / name)
