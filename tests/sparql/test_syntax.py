"""Every command that reads SPARQL reads all of SPARQL 1.1, and refuses the rest."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from kgprobe.errors import InputError
from kgprobe.masks.ask import AskCheck
from kgprobe.mutation.update_syntax import read_request
from kgprobe.queries.diagnosis.checking import Checker
from kgprobe.queries.files.texts import QueryText
from kgprobe.queries.schema import load_schema
from kgprobe.queries.testing import request
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, XSD, Literal, NamedNode, Triple
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.engine.exact_store import ExactStore, PreparedQuery, answer_of
from kgprobe.sparql.engine.results import Rows
from kgprobe.sparql.matching.where import compile_where
from kgprobe.sparql.pyoxigraph import parse_query
from kgprobe.sparql.reading import read_query
from kgprobe.sparql.similar_queries import SimilarQueryReader

from .syntax_cases import BROKEN, BROKEN_UPDATES, PROLOGUE, QUERIES, UPDATES

A, P = NamedNode("http://ex.org/a"), NamedNode("http://ex.org/p")
# A literal that a store would rewrite, so that queries are evaluated in their other form.
GRAPH = Graph([Triple(A, P, Literal("01", datatype=XSD.integer)), Triple(A, RDF.type, OWL.Class)])
# What commands refuse for reasons other than syntax, in their words.
REFUSALS = {
    "query test": ("SERVICE", "FROM", "GRAPH", "DESCRIBE", "CONSTRUCT", "only", "not support", "cannot"),
    "mask": ("would use the network", "names another graph", "gives a different answer", "does not exist"),
    "operator": ("is not for operators", "an operator is one request", "gives a different answer", "does not exist"),
    "where": ("gives a different answer", "does not exist", "would use the network"),
}


def _names_its_uses(text: str) -> None:
    for query in (read_query(text), SimilarQueryReader({}).read(text)):
        assert not [each for each in query.unseen if "cannot parse" in each], query.unseen


def _is_evaluated(text: str) -> None:
    query = PreparedQuery.of(text, "<query>")
    assert query.form is not None, "this is taken for more than SPARQL 1.1"
    if "SERVICE" in text.upper():
        return
    for graph in (Graph(), GRAPH):
        try:
            answer = ExactStore(graph).ask(query)
            list(answer.rows if isinstance(answer, Rows) else [] if isinstance(answer, bool) else answer)
        except RuntimeError as error:
            if "is not supported" not in str(error):  # a function that nobody has
                raise


def _has_an_answer(text: str) -> None:
    if "SERVICE" not in text.upper():
        answer = answer_of(PreparedQuery.of(text, "<query>"), ExactStore(GRAPH))
        assert not isinstance(answer, str) or "is not supported" in answer or not answer.startswith("error: "), answer


def _pattern_of(text: str) -> str | None:
    """The pattern of a query that is little more than a pattern."""
    body = text.removeprefix(PROLOGUE)
    return (
        body.partition("{")[2].rpartition("}")[0]
        if body.upper().startswith("SELECT * {") and body.endswith("}")
        else None
    )


def _is_a_where(text: str) -> None:
    if (pattern := _pattern_of(text)) is not None:
        given = {"": "http://ex.org/", "e": "http://ex.org/ns#", "a.b-c": "http://ex.org/dots/"}
        given |= {"\u00e9": "http://ex.org/acute/", "filter": "http://ex.org/words/", "rdf": RDF.iri, "xsd": XSD.iri}
        list(compile_where(pattern, given).matches(GRAPH))


def _is_an_operator(text: str) -> None:
    if (pattern := _pattern_of(text)) is not None:
        text = f"{PROLOGUE}INSERT {{ :a :b :c }} WHERE {{{pattern}}}"
    if text.removeprefix(PROLOGUE).upper().startswith(("INSERT", "DELETE", "WITH")):
        request = read_request(text, "<operator>")
        compile_where(request.where, request.prefixes)


def _is_a_mask(text: str) -> None:
    if text.removeprefix(PROLOGUE).upper().startswith("ASK"):
        check = AskCheck(text, "<mask>", seconds=None)
        if "FILTER" not in text:
            check.admits(GRAPH)


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with Checker(load_schema([GRAPH])) as made:
        yield made


READERS: dict[str, Callable[[str], object]] = {
    "query check": read_document,
    "the editor": lambda text: read_document(text, tolerant=True).broken is None or pytest.fail("it has a mistake"),
    "select": _names_its_uses,
    "queries of masks, suites and pytest": _is_evaluated,
    "score": _has_an_answer,
    "query test": lambda text: request.read_query(text, "<query>"),
    "mask": _is_a_mask,
    "where": _is_a_where,
    "operator": _is_an_operator,
}
READERS_OF_UPDATES: dict[str, Callable[[str], object]] = {
    "query check": read_document,
    "the editor": lambda text: read_document(text, tolerant=True).broken is None or pytest.fail("it has a mistake"),
    "operator": _is_an_operator,
}


def _refused(reader: str, read: Callable[[str], object], texts: list[str]) -> list[str]:
    found = []
    for text in texts:
        try:
            read(PROLOGUE + text)
        except (InputError, SyntaxError, ValueError, AssertionError) as error:
            if not any(reason in str(error) for reason in REFUSALS.get(reader, ())):
                found.append(f"{text}: {error}")
    return found


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("part", QUERIES)
def test_every_reader_accepts_every_query(part: str, reader: str) -> None:
    assert not _refused(reader, READERS[reader], QUERIES[part])


@pytest.mark.parametrize("reader", READERS_OF_UPDATES)
@pytest.mark.parametrize("part", UPDATES)
def test_every_reader_accepts_every_update(part: str, reader: str) -> None:
    assert not _refused(reader, READERS_OF_UPDATES[reader], UPDATES[part])


def test_the_collection_is_large_enough() -> None:
    assert len({text for texts in (*QUERIES.values(), *UPDATES.values()) for text in texts}) > 2000
    assert len({*BROKEN, *BROKEN_UPDATES}) > 170


@pytest.mark.parametrize("part", [*QUERIES, *UPDATES])
def test_a_check_says_nothing_about_syntax(part: str, checker: Checker) -> None:
    """The rules of the checker find all parts of the text; every seventh text is enough to see that."""
    for text in ({**QUERIES, **UPDATES}[part])[::7]:
        report = checker.check(QueryText.whole("<query>", PROLOGUE + text))
        assert not [diagnostic for diagnostic in report.diagnostics if diagnostic.code == "syntax"], text


@pytest.mark.parametrize("read", [read_document, read_query])
@pytest.mark.parametrize("text", BROKEN)
def test_what_is_not_sparql_is_refused_where_it_is_wrong(text: str, read: Callable[[str], object]) -> None:
    with pytest.raises(InputError) as raised:
        read(PROLOGUE + text)
    assert "IRI parsing failed" not in raised.value.message
    assert "unreported" not in raised.value.message
    where = raised.value.where
    assert where is not None
    assert where.line is not None, raised.value.message
    lines = (PROLOGUE + text).split("\n")
    assert where.line >= (1 if text.startswith("SELCT") else 2)
    assert where.line <= len(lines) + 1, where
    assert where.column is not None
    assert where.column <= len(lines[min(where.line, len(lines)) - 1]) + 2, where


@pytest.mark.parametrize("text", BROKEN_UPDATES)
def test_what_is_not_an_update_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_document(PROLOGUE + text)


_CALLS = "REPLACE(" * 8 + "?x" + ", 'a',\n 'b')" * 8


@pytest.mark.parametrize("end", ["?s }", "?s ?p ?o ?x }", "FILTER(?x = )\n }", "FILTER(REPLACE(?x, 'a', )) }", "} }"])
@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("ASK { e:1.1.1.1 ?p ?o . ", "ASK { e:a ?p ?o . "),
        ("ASK { ?s ?p e:caf\\u00e9 .\n?s e:a.b.c.d e:x.y.z.w . ", "ASK { ?s ?p e:a .\n?s ?p ?o . "),
        ("ASK { FILTER(CONCAT ('a') = TRUE) ", "ASK { FILTER(CONCAT('a') = true) "),
        (f"ASK {{\n FILTER(\n{_CALLS}) ", "ASK { FILTER(?x) "),
        ("ASK { ?s !() ?o . e:1.1.1.1 ?p ?o . ", "ASK { ?s !a ?o . e:1 ?p ?o . "),
    ],
)
def test_a_place_is_the_one_in_the_text_that_the_user_wrote(text: str, plain: str, end: str) -> None:
    """A mistake behind syntax that pyoxigraph refuses is where it is behind other syntax."""
    behind = []
    for whole in (PROLOGUE + text + end, PROLOGUE + plain + end):
        with pytest.raises(SyntaxError) as raised:
            parse_query(whole, "<query>")
        line, column = map(int, str(raised.value).removeprefix("error at ").split(": ")[0].split(":"))
        behind.append(len(whole) - sum(len(each) + 1 for each in whole.split("\n")[: line - 1]) - column)
    assert behind[0] == behind[1]


def test_names_mean_the_same_to_the_engine_and_to_the_reader() -> None:
    texts = [text for text in QUERIES["names"] if text.startswith("SELECT (")]
    assert len(texts) > 30
    for text in texts:
        [row] = ExactStore(Graph()).query(PROLOGUE + text).rows  # type: ignore[union-attr]
        document = read_document(PROLOGUE + text)
        assert [term.term for term in document.terms] == list(row.values()), text


def test_names_mean_the_same_however_they_are_written() -> None:
    graph = Graph([Triple(NamedNode("http://ex.org/1.1.1.353"), P, NamedNode("http://ex.org/caf\u00e9"))])
    prefix = "PREFIX e: <http://ex.org/>"
    for name in ("e:1.1.1.353", "e:1\\.1.1\\.353", "<http://ex.org/1.1.1.353>", "e:1.1\\u002e1.353"):
        for other in ("e:caf\u00e9", "e:caf\\u00e9", "e:caf\\U000000e9", "<http://ex.org/caf\\u00e9>"):
            assert ExactStore(graph).query(f"{prefix} ASK {{ {name} ?\\u0070 {other} FILTER(?p = e:p) }}") is True
            found = read_query(f"{prefix} ASK {{ {name} ?\\u0070 {other} }}")
            assert [(each.subject.value, each.object.value) for each in graph] == [  # type: ignore[union-attr]
                tuple(term.term.value for term in found.terms)
            ]


def test_a_column_that_is_named_twice_is_one_column() -> None:
    [row] = ExactStore(Graph([Triple(A, P, A)])).query("SELECT ?s ?p ?s { ?s ?p ?o }").rows  # type: ignore[union-attr]
    assert list(row.values()) == [A, P]


def test_a_negation_of_no_property_matches_all() -> None:
    assert ExactStore(Graph([Triple(A, RDF.type, A)])).query("ASK { ?s !() ?o }") is True


def test_groups_of_a_query_without_select() -> None:
    store = ExactStore(Graph([Triple(A, P, A), Triple(A, P, P), Triple(P, P, A)]))
    assert store.query("ASK { ?s ?p ?o } GROUP BY ?s HAVING (COUNT(*) > 1)") is True
    assert store.query("ASK { ?s ?p ?o } GROUP BY ?s HAVING (COUNT(*) > 2)") is False
    made = store.query("CONSTRUCT { ?s ?s ?s } WHERE { ?s ?p ?o } GROUP BY ?s HAVING (COUNT(*) > 1)")
    assert list(made) == [Triple(A, A, A)]  # type: ignore[arg-type]


def test_nested_calls_take_no_time() -> None:
    """The parser of pyoxigraph would take years for them, and could not be interrupted."""
    program = (
        "import sys\nfrom kgprobe.errors import InputError\nfrom kgprobe.sparql.documents import read_document\n"
        "from kgprobe.rdf.graph import Graph\nfrom kgprobe.sparql.engine.exact_store import ExactStore\n"
        "for text in sys.argv[1:]:\n try: print(len(read_document(text).operations))\n"
        " except InputError as error: print(error.message)\n"
        " try: ExactStore(Graph()).query(text)\n except (InputError, SyntaxError): pass\n"
    )
    texts = []
    for mistake in ("", " ?y", "%%"):
        for function in ("REPLACE({}, 'a', 'b')", "REGEX({}, 'a')", "SUBSTR({}, 1)"):
            expression = "?x" + mistake
            for _ in range(60):
                expression = function.format(expression)
            texts.append(f"ASK {{ FILTER({expression}) }}")
    texts += [f"ASK {{ FILTER({'!(' * 40}?x{mistake}{')' * 40}) }}" for mistake in ("", " ?y")]
    texts.append(f"SELECT ({'GROUP_CONCAT(' * 40}?x{')' * 40} AS ?y) {{ }}")
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program, *texts], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split("\n") == ["1"] * 3 + ["this is not a SPARQL query"] * 6 + [
        "1",
        "this is not a SPARQL query",
        "GROUP_CONCAT is inside another aggregate",
        "",
    ]


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("ASK { ?s ?p <a b> }", 13, "<a b> is not an IRI: it has a space"),
        ("ASK { ?s ?p <http://ex.org/{a}> }", 13, "<http://ex.org/{a}> is not an IRI: it has the character {"),
        ("ASK { ?s e:\\#a ?o }", 10, "e:\\#a stands for something that is not an IRI"),
        ("ASK { ?s ?p e:1.1.1 , 'a'@en-GB-x }", 26, "@en-GB-x is not a language tag, such as @en or @en-GB"),
        ("ASK { ?s ?p 'a\\q' }", 15, "\\q is not an escape of a string: they are \\t \\b \\n \\r \\f \\\" \\' \\\\"),
    ],
)
def test_a_term_that_is_wrong_is_named(text: str, column: int, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read_document(PROLOGUE + text)
    assert raised.value.where is not None
    assert (raised.value.where.line, raised.value.where.column, raised.value.message) == (2, column, message)


def test_a_relative_iri_has_no_meaning_for_an_answer() -> None:
    """A check reads it, because software may know the base; an answer would depend on it."""
    read_document("ASK { ?s ?p <a> }")
    with pytest.raises(SyntaxError, match="1:13: <a> is relative, and the query has no BASE"):
        ExactStore(Graph()).query("ASK { ?s ?p <a> }")
    with pytest.raises(InputError, match="mask:1:13: <a> is relative, and the query has no BASE"):
        AskCheck("ASK { ?s ?p <a> }", "mask", seconds=None)
