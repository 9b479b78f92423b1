"""Every SPARQL text passes one guard, which refuses texts that would overflow the stack."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kgprobe
from kgprobe.errors import InputError
from kgprobe.masks.ask import AskCheck
from kgprobe.masks.shacl import ShaclCheck
from kgprobe.mutation.update import parse_operator
from kgprobe.oracles.single_run import OutputQuery
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import SH, Literal, NamedNode, Triple
from kgprobe.sparql.engine.exact_store import ExactStore, answer_of
from kgprobe.sparql.matching import compile_where
from kgprobe.sparql.pyoxigraph import check_evaluable

MANY = 20_000
DEEP = {
    "groups": "{" * 2500 + "}" * 2500,
    "brackets": "FILTER(" + "(" * MANY + "1" + ")" * MANY + ")",
    "functions": "FILTER(" + "STR(" * 2500 + "1" + ")" * 2500 + ")",
    "subqueries": "{ SELECT * " * 2500 + "{}" + "}" * 2500,
    "collections": "?x ?y " + "(" * MANY + ")" * MANY,
    "blank nodes": "?x ?y " + "[ ?p " * 2500 + "1" + "]" * 2500,
    "paths": "?x " + "(" * MANY + "<urn:p>" + ")" * MANY + " ?y",
    "exists": "FILTER NOT EXISTS {" * 2500 + "}" * 2500,
    "negations": "FILTER(" + "!" * MANY + "true)",
    "triple terms": "?x ?y " + "<<( ?x ?y " * 2500 + "1" + ")>>" * 2500,
    "sum": "FILTER(" + "1+" * MANY + "1 > 0)",
    "differences": "FILTER(1" + " -1" * MANY + " > 0)",
    "conjunction": "FILTER(" + "?x=1&&" * MANY + "true)",
    "a chain that looks like an IRI": "FILTER(?x<1" + "+1" * MANY + "&&2>?y)",
    "steps": "?x " + "<urn:p>/" * MANY + "<urn:p> ?y",
    "inverses": "?x " + "^" * MANY + "<urn:p> ?y",
    "binds": "".join(f"BIND(1 AS ?x{n})" for n in range(MANY)),
    "filters": "FILTER(?x)" * MANY,
    "triples": "?x ?y ?z." * MANY,
    "list": "?x ?y (" + "1 " * MANY + ")",
}


@pytest.mark.parametrize("kind", DEEP)
def test_texts_that_would_overflow_the_stack_are_refused_everywhere(kind: str) -> None:
    pattern = DEEP[kind]
    shapes = [
        Triple(NamedNode("urn:s"), SH.targetNode, NamedNode("urn:a")),
        Triple(NamedNode("urn:s"), SH.sparql, NamedNode("urn:c")),
        Triple(NamedNode("urn:c"), SH.select, Literal(f"SELECT $this {{ {pattern} }}")),
    ]
    with pytest.raises(InputError):
        AskCheck(f"ASK {{ {pattern} }}", "q.rq")
    with pytest.raises(InputError):
        OutputQuery(f"ASK {{ {pattern} }}")
    with pytest.raises(InputError):
        compile_where(pattern)
    with pytest.raises(InputError):
        parse_operator(f"# name: Odd\nINSERT {{ ?x <urn:p> ?y }} WHERE {{ {pattern} }}", "odd.ru")
    with pytest.raises(InputError):
        ShaclCheck(Graph(shapes), "shapes.ttl")
    assert str(answer_of(f"ASK {{ {pattern} }}", ExactStore(Graph()))).startswith("error: ")


@pytest.mark.parametrize(
    "text",
    [
        "ASK { FILTER(?x IN (" + "1, 'a', <urn:b>, " * MANY + "1)) }",
        "ASK { VALUES (?x ?y) {" + "(1 -1) (<urn:a> UNDEF) ('{[(' 1.5)" * MANY + "} }",
        "ASK { ?x ?y '" + "(+{" * MANY + "' } # " + "{(+" * MANY,
        "ASK { ?x ?y <urn:" + "a-b&c=d," * 500 + "> }",
        "ASK { " + "?x <urn:p> 'a text' . " * 900 + "}",
    ],
    ids=["IN", "VALUES", "strings and comments", "an IRI", "900 triples"],
)
def test_long_texts_without_deep_nesting_are_accepted(text: str) -> None:
    check_evaluable(text, "q.rq")


def test_only_one_module_passes_texts_to_pyoxigraph() -> None:
    """`Store.query` and `Store.update` have one caller, which checks the nesting depth of a text."""
    source = Path(kgprobe.__file__).parent
    call = re.compile(r"\b(?:_?store|Store\(\)|_nothing\(\)|dataset)\.(?:query|update)\(")
    imports = re.compile(r"from pyoxigraph import[^\n]*(?:\([^)]*)?\bStore\b|pyoxigraph\.Store\b")
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if imports.search(text := path.read_text(encoding="utf-8")) and call.search(text)
    }
    # The others ask an `ExactStore`, and have no store of pyoxigraph's.
    assert found == {"sparql/pyoxigraph.py"}
