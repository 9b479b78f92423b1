"""Tab-separated triples: the values of each column, errors with positions, and real benchmarks by their counts."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.shared_data import shared

from kgprobe.errors import InputError
from kgprobe.formats.syntaxes import tsv
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import TableBuilder
from kgprobe.rdf.terms import XSD, BlankNode, Literal, NamedNode, Term, Triple

DATA = shared("")
BASE = "http://example.org/"


def read(text: str) -> list[Triple]:
    builder = TableBuilder()
    tsv.read(text.splitlines(keepends=True), "file.tsv", builder, BASE)
    return list(Graph.from_table(builder.build()))


def name(local: str) -> NamedNode:
    return NamedNode(BASE + local)


COLUMNS: dict[str, Term] = {
    "o": name("o"),
    "00260622": name("00260622"),
    "_hypernym": name("_hypernym"),
    "a b/c#d?e%20": name("a%20b%2Fc%23d%3Fe%2520"),
    "Köln": name("Köln"),
    "Alien:_Resurrection": name("Alien:_Resurrection"),
    "etc.": name("etc."),
    " o ": name("%20o%20"),
    "<Baku>": name("Baku"),
    "<Baku>.": name("Baku"),
    "<a b> .": name("a%20b"),
    "<http://e.org/x>": NamedNode("http://e.org/x"),
    "<urn:x:y>": NamedNode("urn:x:y"),
    "http://e.org/x": NamedNode("http://e.org/x"),
    "_:x": BlankNode("x"),
    "_:x.": BlankNode("x"),
    '""': Literal(""),
    '"a \\"b\\" \\u00e9\\n"': Literal('a "b" é\n'),
    '"a".': Literal("a"),
    '"a"@en': Literal("a", language="en"),
    '"a"@en-GB .': Literal("a", language="en-GB"),
    '"1"^^<http://e.org/t>': Literal("1", datatype=NamedNode("http://e.org/t")),
    '"2020-01-01"^^xsd:date': Literal("2020-01-01", datatype=XSD.date),
    '"2020-01-01"^^xsd:date.': Literal("2020-01-01", datatype=XSD.date),
}


@pytest.mark.parametrize("column", COLUMNS)
def test_values_of_columns(column: str) -> None:
    assert read(f"s\tp\t{column}\n") == [Triple(name("s"), name("p"), COLUMNS[column])]


@pytest.mark.parametrize(
    "text",
    [
        "s\tp\to",
        "s\tp\to\r\n",
        "\n  \ns\tp\to\n\n",
        "s\tp\to\t.\n",
        "s\tp\to\t\n",
        "\ufeffs\tp\to\n",
        "s\tp\to\n" * 3,
        "subject\tpredicate\tobject\ns\tp\to\n",
        "Head\tRelation\tTail\ns\tp\to\n",
    ],
)
def test_equivalent_spellings(text: str) -> None:
    assert read(text) == [Triple(name("s"), name("p"), name("o"))]


def test_only_the_first_line_can_be_a_header() -> None:
    assert len(read("s\tp\to\nsubject\tpredicate\tobject\n")) == 2


ERRORS = {
    "s p o\n": "1:1: expected three columns, found 1 (columns are separated by tabs)",
    "s\tp\to\ns\tp\n": "2:1: expected three columns, found 2",
    "s\tp\to\tx\n": "1:1: expected three columns, found 4",
    "s\t\to\n": "1:3: expected the predicate of a triple, found nothing",
    "<>\tp\to\n": "1:1: expected the subject of a triple, found nothing",
    '"a"\tp\to\n': "1:1: a literal cannot be the subject of a triple",
    's\t"p"@en\to\n': "1:3: a literal cannot be the predicate of a triple",
    "s\t_:p\to\n": "1:3: a blank node cannot be the predicate of a triple",
    's\tp\t"never\n': "1:5: the quotes of this literal are never closed",
    's\tp\t"a" b\n': "1:8: expected a language, a datatype or the end of the column",
    's\tp\t"a"^^x:y\n': "1:10: the prefix 'x:' of the datatype is not known",
    's\tp\t"\\x"\n': "1:5: not a literal: '\\x' is not a valid escape",
    's\tp\t"\\UFFFFFFFF"\n': "1:5: not a literal: '\\UFFFFFFFF' is not a character",
    "s\tp\thttp://a b\n": "1:5: not a term",
    "s\tp\t_:a b\n": "1:5: not a term",
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors_and_their_positions(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).startswith(f"file.tsv:{ERRORS[text]}")


def test_a_base_must_be_an_iri() -> None:
    with pytest.raises(InputError, match="the base 'here' is not an IRI"):
        tsv.read([], "file.tsv", TableBuilder(), "here")


def test_an_empty_file_has_no_triples_but_its_prefixes() -> None:
    builder = TableBuilder()
    assert tsv.read([], "file.tsv", builder, BASE)[""] == BASE
    assert len(builder) == 0


def test_long_lines_and_strange_characters_are_names_like_any_other() -> None:
    long = "x" * 1_000_000
    assert read(f"{long}\ta\0b\t<{long}>\n") == [Triple(name(long), name("a%00b"), name(long))]


@given(st.sets(st.text(st.characters(exclude_categories=[])), min_size=2, max_size=2))
def test_two_names_never_become_one_iri(names: set[str]) -> None:
    iris = {NamedNode(BASE + tsv.encode(local)) for local in names}
    assert len(iris) == 2


@given(st.sets(st.from_regex(r"[a<> .%/é-]*[a.%/ é-]", fullmatch=True).filter(str.strip), min_size=2, max_size=2))
def test_two_columns_that_are_names_never_become_one_iri(names: set[str]) -> None:
    bare = [column for column in names if column.strip()[0] != "<"]
    assert len({triple.object for column in bare for triple in read(f"s\tp\t{column}\n")}) == len(bare)


@pytest.mark.parametrize(
    ("path", "triples", "terms"), [("kg/wn18rr.tsv.gz", 86835, 40570), ("kg/yago-sample.tsv.gz", 46654, 42979)]
)
def test_real_benchmarks(path: str, triples: int, terms: int) -> None:
    if not (DATA / path).exists():
        pytest.skip(f"the data folder with {path} is not here")
    builder = TableBuilder()
    with gzip.open(DATA / path, "rt", encoding="utf-8") as lines:
        tsv.read(lines, path, builder, BASE)
    graph = Graph.from_table(builder.build())
    assert (len(graph), len(list(graph.terms()))) == (triples, terms)
