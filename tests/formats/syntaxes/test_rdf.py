"""The RDF syntaxes: the checks that pyoxigraph leaves to its users."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from kgprobe.errors import InputError
from kgprobe.formats.catalogue import FORMATS
from kgprobe.formats.files import Loaded, load, render, save
from kgprobe.rdf.canonical import isomorphic
from kgprobe.rdf.terms import Literal

RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'


def read(text: str | bytes, name: str, tmp_path: Path, *, base: str | None = None) -> Loaded:
    (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return load(tmp_path / name, base=base)


def refusal(text: str, name: str, tmp_path: Path) -> str:
    with pytest.raises(InputError) as raised:
        read(text, name, tmp_path)
    return str(raised.value).removeprefix(f"{tmp_path}/")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.ttl", "<urn:a> <urn:b>\n  <urn:c>", "a.ttl:2:10: "),
        ("a.ttl", "@prefix e: <urn:e> .\ne:a e:b f:c .", "a.ttl:2:9: The prefix f: has not been declared"),
        ("a.nt", "<urn:a> <urn:b> <urn:c> .\n<urn:a> <urn:b> oops .\n", "a.nt:2:17: "),
        ("a.nq", "<urn:a> <urn:b> <urn:c> <urn:g> .\n<urn:a> <urn:b> .\n", "a.nq:2:17: "),
        ("a.trig", "{ <urn:a> <urn:b> 1", "a.trig:1:20: "),
        ("a.jsonld", '{"@id": "urn:a",\n "urn:b": }', "a.jsonld:2:11: "),
        ("a.rdf", f"<rdf:RDF {RDF}>\n<rdf:Description>\n</rdf:RDF>", "a.rdf:3:3: not XML: mismatched tag"),
        ("a.rdf", f"<rdf:RDF {RDF}>\n\n<rdf:li/>\n</rdf:RDF>", "a.rdf:3: "),
    ],
)
def test_a_syntax_error_is_reported_with_its_position(name: str, text: str, told: str, tmp_path: Path) -> None:
    message = refusal(text, name, tmp_path)
    assert message.startswith(told)
    assert len(message) > len(told) or not told.endswith(" ")
    assert "Parser error" not in message


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("a.ttl", "<urn:a> <urn:b> <<( <urn:a> <urn:b> <urn:c> )>> .", ":1:17"),
        ("a.ttl", "# <<\n<urn:a> <urn:b> '<<' .\n<< <urn:é> <urn:b> 1 >> <urn:b> 1 .", ":3:1"),
        ("a.nt", "<urn:a> <urn:é> <<( <urn:a> <urn:b> <urn:c> )>> .", ":1:17"),
        ("a.trig", "{ <urn:a> <urn:b> <<( <urn:a> <urn:b> <urn:c> )>> }", ":1:19"),
        ("a.ttl", "<urn:a> <urn:b> <urn:c> {| <urn:d> 1 |} .", ""),
        ("a.ttl", '<urn:a> <urn:b> "x"@en--ltr .', ""),
        ("a.jsonld", '{"@id": "urn:a", "urn:p": {"@value": "x", "@direction": "rtl", "@language": "ar"}}', ""),
        (
            "a.rdf",
            f'<rdf:RDF {RDF} rdf:version="1.2" xmlns:e="urn:e#"><rdf:Description rdf:about="urn:a"><e:p'
            ' rdf:parseType="Triple"><rdf:Description rdf:about="urn:a"><e:p rdf:resource="urn:c"/></rdf:Description>'
            "</e:p></rdf:Description></rdf:RDF>",
            "",
        ),
    ],
)
def test_rdf_1_2_is_refused(name: str, text: str, place: str, tmp_path: Path) -> None:
    message = refusal(text, name, tmp_path)
    assert message.startswith(f"{name}{place}: ")
    assert "RDF 1.2" in message


@pytest.mark.parametrize(
    "text",
    [
        '<urn:a> <urn:b> "<<" .',
        "<urn:a> <urn:b> '''\n<<\n''' .",
        '<urn:a> <urn:b> """ "<< """ .',
        "<urn:a> <urn:b> 1 . # <<",
        '<urn:a> <urn:b> "\\"<<" .',
        r"@prefix e: <urn:> . e:a\' e:b '<<' .",
        '<urn:a> <urn:b> "' + "x" * 1006 + '<<" .',  # pyoxigraph reads 1,024 bytes at a time
    ],
)
def test_a_string_may_contain_text_that_looks_like_a_triple_term(text: str, tmp_path: Path) -> None:
    assert len(read(text, "a.ttl", tmp_path).graph) == 1


@pytest.mark.parametrize("padding", range(990, 1020))
def test_a_triple_term_is_found_wherever_chunks_end(padding: int, tmp_path: Path) -> None:
    # pyoxigraph reads 1,024 bytes first.
    text = "#" * padding + "\n<urn:a> <urn:b> <<( <urn:a> <urn:b> <urn:c> )>> ."
    assert refusal(text, "a.ttl", tmp_path).startswith("a.ttl:2:17: found '<<'")


@pytest.mark.parametrize("padding", range(0, 1100, 7))
def test_line_ends_in_xml_are_line_feeds(padding: int, tmp_path: Path) -> None:
    value = f"{'x' * padding}\r\n\r\n\r\r\n&#13;"
    described = f'<rdf:Description rdf:about="urn:a"><e:p>{value}</e:p></rdf:Description>'
    loaded = read(f'<rdf:RDF {RDF} xmlns:e="urn:e#">\r\n{described}</rdf:RDF>', "a.rdf", tmp_path)
    assert [triple.object for triple in loaded.graph] == [Literal(f"{'x' * padding}\n\n\n\n\r")]


def test_a_carriage_return_is_written_so_that_every_xml_parser_keeps_it(tmp_path: Path) -> None:
    graph = read('<urn:a> <urn:b> "x\\ry" .', "a.nt", tmp_path).graph
    text = render(graph, FORMATS["rdfxml"]).text
    assert "".join(ElementTree.fromstring(text).itertext()).strip() == "x\ry"  # noqa: S314 - our own text
    assert read(text, "a.rdf", tmp_path).graph == graph


@pytest.mark.parametrize(
    ("name", "text", "note"),
    [
        ("a.nq", "<urn:a> <urn:b> <urn:c> <urn:g> .\n", "1 triple in 1 named graph (<urn:g>)"),
        (
            "a.trig",
            "".join(f"<urn:g{n}> {{ <urn:a> <urn:b> 1, 2 }}" for n in range(4)),
            "8 triples in 4 named graphs (<urn:g0>, <urn:g1>, <urn:g2>, …)",
        ),
        (
            "a.jsonld",
            '{"@id": "urn:g", "@graph": {"@id": "urn:a", "urn:p": 1}}',
            "1 triple in 1 named graph (<urn:g>)",
        ),
    ],
)
def test_named_graphs_are_left_out_and_reported(name: str, text: str, note: str, tmp_path: Path) -> None:
    loaded = read(text, name, tmp_path)
    assert len(loaded.graph) == 0
    assert loaded.notes == (f"only the default graph is read, without {note}",)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ('{"name": "Ada"}', True),
        ('[{"name": "Ada"}]', True),
        ('{"@context": {"name": "urn:name"}, "title": "Ada"}', True),
        ("{}", False),
        ("[ ]", False),
        ('{"@context": {"name": "urn:name"}, "@graph": []}', False),
        ('{"urn:name": "Ada"}', False),
    ],
)
def test_json_that_is_not_jsonld_is_reported(text: str, is_told: bool, tmp_path: Path) -> None:
    notes = read(text, "a.json", tmp_path).notes
    assert bool(notes) is is_told
    assert all("has no triples" in note for note in notes)


@pytest.mark.parametrize(
    "context",
    [
        '"http://example.org/context"',
        '["http://example.org/context", {"p": "urn:p"}]',
        '{"@version": 1.1, "@import": "http://example.org/context"}',
        '"context.jsonld"',
        '{"p": {"@id": "urn:p", "@context": "http://example.org/context"}}',
    ],
)
def test_no_context_is_fetched(context: str, tmp_path: Path) -> None:
    text = f'{{"@context": {context}, "@id": "urn:a", "p": {{"q": 1}}}}'
    assert refusal(text, "a.jsonld", tmp_path) == (
        "a.jsonld: uses a JSON-LD context from the network, which kgprobe does not fetch"
        " (put the context into the file)"
    )


@pytest.mark.parametrize(
    ("name", "text", "base", "expected"),
    [
        ("a b.ttl", "<> <#p> <../c> .", None, "<file:///a%20b.ttl> <file:///a%20b.ttl#p> <file:///c>"),
        ("a.ttl", "<> <#p> <../c> .", "http://example.org/x/y", "<http://example.org/x/y> <http://example.org/x/y#p> "),
        ("a.ttl", "@base <http://other.example/> . <> <p> <c> .", "http://example.org/", "<http://other.example/> "),
        ("a.jsonld", '{"@id": "x", "urn:p": 1}', "http://example.org/", "<http://example.org/x> <urn:p> "),
        ("é#.nt", '<urn:a> <urn:b> "x" .', None, '<urn:a> <urn:b> "x"'),
    ],
)
def test_relative_iris_have_a_base_without_a_folder(
    name: str, text: str, base: str | None, expected: str, tmp_path: Path
) -> None:
    (triple,) = read(text, name, tmp_path, base=base).graph
    assert str(triple).startswith(expected)


def test_a_relative_iri_is_refused_if_the_syntax_does_not_allow_it(tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text("<urn:a> <urn:b> <urn:c> .\n<a> <urn:b> <urn:c> .\n")
    with pytest.raises(InputError, match=r"a\.nt:2:1: "):
        load(tmp_path / "a.nt", format_name="ntriples")


def test_two_prefixes_for_one_namespace_are_both_written_in_xml(tmp_path: Path) -> None:
    text = (
        '@prefix a: <urn:a#> . @prefix : <urn:a#> . @prefix xml: <http://www.w3.org/XML/1998/namespace> . :x :p "1" .'
    )
    loaded = read(text, "a.ttl", tmp_path)
    written = render(loaded.graph, FORMATS["rdfxml"]).text
    again = read(written, "a.rdf", tmp_path)
    assert again.graph == loaded.graph
    assert set(again.graph.spelling.prefixes) == {"a", "", "xml", "rdf"}
    assert b"its=" not in written


@pytest.mark.parametrize("format_name", ["turtle", "trig", "rdfxml", "jsonld", "functional"])
def test_a_prefix_that_the_format_does_not_allow_is_left_out(format_name: str, tmp_path: Path) -> None:
    # XML allows these names, but a Turtle file with them could not be read back.
    text = f'<rdf:RDF {RDF} xmlns:_a="urn:a#" xmlns:b.="urn:b#" xmlns:ok="urn:ok#" xmlns:no="not an IRI"/>'
    loaded = read(text, "a.rdf", tmp_path)
    assert set(loaded.graph.spelling.prefixes) == {"rdf", "_a", "b.", "ok", "no"}
    (tmp_path / "out").write_bytes(render(loaded.graph, FORMATS[format_name]).text)
    assert "ok" in load(tmp_path / "out", format_name=format_name).graph.spelling.prefixes


def test_a_type_that_cannot_name_an_xml_element(tmp_path: Path) -> None:
    """pyoxigraph writes an element without a name for it."""
    (tmp_path / "g.ttl").write_text(
        "@prefix p: <http://x#1101> . @prefix q: <urn:q:> . <urn:a> a <http://x#1101> , <http://x#1102> , q:B ;"
        " q:p [ a <http://x#7> ] . [] a <http://x#7> , q:B ; q:p 'oxprefix: <oxprefix: > </oxprefix:>' ."
    )
    graph = load(tmp_path / "g.ttl").graph
    save(graph, tmp_path / "g.rdf")
    ElementTree.parse(tmp_path / "g.rdf")  # noqa: S314 - a file of our own
    assert isomorphic(load(tmp_path / "g.rdf").graph, graph)
