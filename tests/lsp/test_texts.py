"""Positions, definitions, completion and hover, on plain texts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgprobe.lsp.completion import completions, prefix_place
from kgprobe.lsp.editing import Lines
from kgprobe.lsp.hover import definition_of, hover
from kgprobe.lsp.sessions import Ontologies, Session
from kgprobe.queries.files.texts import QueryText
from kgprobe.rdf.terms import NamedNode
from kgprobe.sparql.documents import read_document

NS = "http://example.org/town#"
PREFIX = f"PREFIX : <{NS}>\n"
ONTOLOGY = f"""\
@prefix : <{NS}> .
@prefix town: <{NS}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .

<http://example.org/town> a owl:Ontology .
:Person a owl:Class .
:City a owl:Class ; owl:disjointWith :Person .
:Inhabitant a owl:Class ; owl:equivalentClass [ a owl:Class ;
    owl:intersectionOf ( :Person [ a owl:Restriction ; owl:onProperty :livesIn ; owl:someValuesFrom :City ] ) ] .
:livesIn a owl:ObjectProperty ; rdfs:range :City ; rdfs:comment "Where *somebody* <b>lives</b>." .
:paris a owl:NamedIndividual , :City .
:ann a owl:NamedIndividual , :Person .
"""


@given(st.text(alphabet="ab\n\r🏠é\u2028"))
def test_each_offset_has_a_point_and_back(text: str) -> None:
    lines = Lines(text)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] == "\r\n":
            continue  # inside a line end is not a place
        assert lines.offset(*lines.point(offset)) == offset


def test_a_line_separator_is_not_a_line_end() -> None:
    assert Lines("a\u2028b").point(3) == (0, 3)


def test_points_beyond_the_text_are_its_end() -> None:
    lines = Lines("ab\ncd")
    assert lines.offset(0, 99) == 2
    assert lines.offset(99, 0) == 5


@pytest.mark.parametrize(
    ("suffix", "text", "line"),
    [
        ("ttl", f"@prefix : <{NS}> .\n:x :likes :City .\n:City a :y .\n:CityHall a :z .\n", 2),
        ("ttl", f"<http://a/b> <http://a/c> <{NS}City> .\n<{NS}City> <http://a/c> 1 .\n", 1),
        ("ofn", f"Prefix(:=<{NS}>)\nOntology(\nSubClassOf(:City :X)\nDeclaration(Class(:City))\n)", 3),
        (
            "rdf",
            f'<rdf:RDF>\n<x rdf:resource="{NS}City"/>\n<owl:Class rdf:about="{NS}City"/></rdf:RDF>',
            2,
        ),
        ("omn", f"Prefix: : <{NS}>\n\nClass: :CityHall\n  SubClassOf: :City\nClass: :City\n", 4),
    ],
)
def test_definitions_in_several_formats(tmp_path: Path, suffix: str, text: str, line: int) -> None:
    file = tmp_path / f"town.{suffix}"
    file.write_text(text, encoding="utf-8")
    found = definition_of(NamedNode(f"{NS}City"), [file])
    assert found is not None
    assert found.line == line
    assert found.text[found.start : found.end].strip("<>").endswith("City")


def test_a_definition_in_obo(tmp_path: Path) -> None:
    file = tmp_path / "go.obo"
    file.write_text("[Term]\nid: GO:0000002\nis_a: GO:0000001\n\n[Term]\nid: GO:0000001\n", encoding="utf-8")
    found = definition_of(NamedNode("http://purl.obolibrary.org/obo/GO_0000001"), [file])
    assert found is not None
    assert found.line == 5


def test_a_name_without_a_definition(tmp_path: Path) -> None:
    file = tmp_path / "town.ttl"
    file.write_text(f"@prefix : <{NS}> .\n:CityHall a :z .\n", encoding="utf-8")
    assert definition_of(NamedNode(f"{NS}City"), [file, tmp_path / "missing.ttl"]) is None


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    file = tmp_path_factory.mktemp("town") / "town.ttl"
    file.write_text(ONTOLOGY, encoding="utf-8")
    found = Ontologies().session([file])
    assert found is not None
    assert found.error is None
    return found


def _completed(text: str, session: Session) -> list[str]:
    """The completions at the bar."""
    offset = text.index("|")
    return [completion.text for completion in completions(text.replace("|", ""), offset, session.schema)]


def test_completion_in_a_comment_or_a_string_offers_nothing(session: Session) -> None:
    assert _completed(PREFIX + "SELECT * { # :|\n}", session) == []
    assert _completed(PREFIX + 'SELECT * { ?x :livesIn "a :| b" }', session) == []


def test_completion_of_an_object_offers_individuals_in_the_range_first(session: Session) -> None:
    found = _completed(PREFIX + "SELECT * { ?x :livesIn :| }", session)
    assert found.index(":paris") < found.index(":ann")


def test_completion_after_a_semicolon_knows_the_subject(session: Session) -> None:
    assert ":livesIn" in _completed(PREFIX + "SELECT * { ?x a :Person ; | }", session)


def test_completion_declares_a_prefix_that_is_missing(session: Session) -> None:
    text = "SELECT * { ?x a "
    [city] = [completion for completion in completions(text, len(text), session.schema) if completion.text == ":City"]
    assert city.prefix == ("", NS)


@pytest.mark.parametrize(
    "text",
    ["SELECT * { ?x a town:Ci", "SELECT * { ?x town:livesIn ?y . ?y a ", f"PREFIX : <{NS}> SELECT * {{ ?x a town:"],
)
def test_completion_keeps_to_the_prefix_that_the_query_writes(session: Session, text: str) -> None:
    found = completions(text, len(text), session.schema)
    [city] = [each for each in found if each.text.endswith(":City")]
    assert (city.text, city.search, city.prefix) == ("town:City", "town:City", ("town", NS))


def test_hover_infers_classes_that_no_single_axiom_states(session: Session) -> None:
    text = PREFIX + "SELECT * {\n  ?x a :Person .\n  ?x :livesIn ?y .\n}"
    assert session.schema is not None
    found = hover(read_document(text), text.index("?x :livesIn") + 1, session.schema, session.classes)
    assert found is not None
    assert found.markdown.startswith("**?x**: Inhabitant")
    assert "line 3; line 4" in found.markdown


def test_hover_escapes_markup_of_the_ontology(session: Session) -> None:
    text = PREFIX + "SELECT * { ?x :livesIn ?y }"
    assert session.schema is not None
    found = hover(read_document(text), text.index(":livesIn") + 2, session.schema, session.classes)
    assert found is not None
    assert r"Where \*somebody\* \<b\>lives\</b\>." in found.markdown


@pytest.mark.parametrize(
    "path",
    [
        "a/|",
        "a/:|",
        "^|",
        "^:l|",
        ":livesIn|:|",
        "(:livesIn/|",
        "(a|:|",
        "!|",
        "!(a|:|",
        ":livesIn+/^:|",
        ":livesIn/|)+",
        "",
    ],
)
def test_after_an_operator_of_a_path_come_properties(session: Session, path: str) -> None:
    before, bar, after = path.rpartition("|")
    text = f"{PREFIX}SELECT * {{ ?x a :Person . ?x {before}{bar and ''}{after if bar else ''}"
    offset = len(f"{PREFIX}SELECT * {{ ?x a :Person . ?x {before}")
    for rest in (" ?y }", "", " }", "\n  ?y a :City }"):
        found = completions(text + rest, offset, session.schema)
        kinds = [each.kind for each in found if each.kind in ("property", "class", "individual")]
        assert "property" in kinds, (text, rest)
        assert "class" not in kinds[: kinds.index("property")], (text, rest)
        assert next(each.text for each in found if each.kind == "property") == ":livesIn"


@pytest.mark.parametrize(
    ("text", "wanted", "other"),
    [
        ("|", "SELECT", "FILTER"),
        ("# a note\nPREFIX : <u:> SEL|", "SELECT", "LIMIT"),
        ("SELECT |", "DISTINCT", "OPTIONAL"),
        ("SELECT * { ?s ?p ?o . |", "OPTIONAL", "DISTINCT"),
        ("SELECT * { ?s ?p ?o . opt| }", "OPTIONAL", "HAVING"),
        ("SELECT * { |", "FILTER", "WHERE"),
        ("SELECT * { ?s ?p ?o FILTER(|", "REGEX", "OPTIONAL"),
        ("SELECT * { ?s ?p ?o FILTER(?o > 1 && ST|)", "STRLEN", "OPTIONAL"),
        ("SELECT * { ?s ?p ?o FILTER |", "NOT EXISTS", "OPTIONAL"),
        ("SELECT * { ?s ?p ?o } |", "ORDER BY", "FILTER"),
        ("SELECT * { ?s ?p ?o } ORDER |", "BY", "FILTER"),
        ("SELECT (|", "COUNT", "FILTER"),
        ("DELETE WHERE { ?s ?p ?o } ; |", "INSERT", "LIMIT"),
        ("CLEAR |", "ALL", "FILTER"),
    ],
)
def test_keywords_that_can_stand_there(session: Session, text: str, wanted: str, other: str) -> None:
    found = _completed(text, session)
    assert wanted in found
    assert other not in found


@pytest.mark.parametrize("text", ["SELECT * { ?s |", "SELECT * { ?s :livesIn |", "SELECT * { ?s :livesIn :FIL|"])
def test_no_keywords_within_a_triple(session: Session, text: str) -> None:
    assert not {"FILTER", "OPTIONAL", "SELECT"} & set(_completed(PREFIX + text, session))


def test_prefixes_are_completed_and_declared(session: Session) -> None:
    text = "SELECT * { ?x sk"
    [skos] = [completion for completion in completions(text, len(text), None) if completion.text == "skos:"]
    assert skos.prefix == ("skos", "http://www.w3.org/2004/02/skos/core#")
    text = "SELECT * { ?x skos:prefLabel"
    [whole] = [completion for completion in completions(text, len(text), session.schema) if completion.kind == "prefix"]
    assert (whole.text, whole.prefix) == ("skos:prefLabel", skos.prefix)
    text = "PREFIX skos: <http://www.w3.org/2004/02/skos/core#> SELECT * { ?x sk"
    [declared] = [completion for completion in completions(text, len(text), None) if completion.text == "skos:"]
    assert declared.prefix is None
    text = "PREFIX sk"
    [line] = [completion for completion in completions(text, len(text), None) if completion.label == "skos:"]
    assert line.text == "skos: <http://www.w3.org/2004/02/skos/core#>"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { ?x a |",
        "# kgprobe: regime=rdfs\nSELECT * { ?x a |",
        "PREFIX x: <u:> SELECT * {\n  ?x a |",
        "PREFIX x: <u:> # note\nPREFIX y: <v:>\nSELECT * {\n  ?x a |",
        "DELETE WHERE { ?x a | } ;\nPREFIX x: <u:>\nCLEAR ALL",
        "PREFIX x: <u:>\nDELETE WHERE { ?x a 1 } ; PREFIX y: <u:> DELETE WHERE { ?x a |",
    ],
)
def test_a_declaration_goes_where_it_is_read(session: Session, text: str) -> None:
    offset = text.index("|")
    text = text.replace("|", "")
    [city] = [completion for completion in completions(text, offset, session.schema) if completion.text == ":City"]
    assert city.prefix is not None
    at, before, after = prefix_place(text, city.start)
    assert at <= city.start
    whole = text[: city.start] + city.text + " ." + text[city.end :]
    whole = f"{whole[:at]}{before}PREFIX {city.prefix[0]}: <{city.prefix[1]}>{after}{whole[at:]}"
    document = read_document(whole + (" }" if whole.count("{") > whole.count("}") else ""))
    assert NamedNode(f"{NS}City") in {term.term for term in document.terms}


@pytest.mark.parametrize(("typed", "text"), [("", ":City"), (":", ":City"), (":Ci", ":City"), ("<http", f"<{NS}City>")])
def test_editors_match_what_is_typed_with_the_beginning(session: Session, typed: str, text: str) -> None:
    written = f"{PREFIX}SELECT * {{ ?x a {typed}"
    [city] = [
        completion for completion in completions(written, len(written), session.schema) if completion.text == text
    ]
    assert written[city.start : city.end] == typed
    assert city.search.startswith(typed)


def test_names_are_shown_as_the_query_writes_them_if_their_labels_are_in_another_language(tmp_path: Path) -> None:
    file = tmp_path / "town.ttl"
    labels = ':City rdfs:label "Stadt"@de . :Person rdfs:label "Mensch"@de . :livesIn rdfs:label "wohnt in"@de .'
    file.write_text(f"{ONTOLOGY}{labels}", encoding="utf-8")
    session = Ontologies().session([file])
    assert session is not None
    assert session.schema is not None
    text = PREFIX + "SELECT * {\n  ?x a :City .\n  ?x a :Person .\n}"
    [problem] = session.check(read_document(text), QueryText.whole("q.rq", text), has_fixes=False).errors
    assert "City" in problem.message
    assert "Stadt" not in problem.message + "".join(map(str, problem.axioms))
    found = hover(read_document(text), text.index(":City") + 2, session.schema, session.classes)
    assert found is not None
    assert found.markdown.startswith("**City** (class)\n\nStadt")
    session.close()
