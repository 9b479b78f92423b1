"""`kgprobe convert`: the same graph in another format. An old file survives every error."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import assert_refused, kgprobe, kgprobe_on_a_terminal

from kgprobe.formats.files import load
from kgprobe.rdf.canonical import isomorphic

TURTLE = """@prefix ex: <http://example.org/> .
ex:a ex:p "colour"@en-GB , "1.0"^^<http://www.w3.org/2001/XMLSchema#decimal> , [ ex:q ( 1 2 ) ] .
"""


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    (tmp_path / "graph.ttl").write_text(TURTLE)
    return tmp_path / "graph.ttl"


@pytest.mark.parametrize("extension", ["ttl", "nt", "nq", "trig", "rdf", "jsonld"])
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_a_round_trip_preserves_the_graph(extension: str, packed: str, graph: Path, tmp_path: Path) -> None:
    there, back = tmp_path / f"there.{extension}{packed}", tmp_path / f"back.ttl{packed}"
    assert kgprobe("convert", graph, there).returncode == 0
    done = kgprobe("convert", there, back)
    assert (done.returncode, done.stderr) == (0, "")
    assert isomorphic(load(back).graph, load(graph).graph)
    assert load(back).graph.spelling.language_tags == {"en-gb": "en-GB"}
    assert there.read_bytes().startswith(b"\x1f\x8b") is bool(packed)


def test_an_existing_file_is_replaced_only_with_force(graph: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.nt"
    out.write_text("mine")
    assert_refused(kgprobe("convert", graph, out), f"{out}: already exists (--force replaces it)")
    assert_refused(kgprobe("convert", "-", out, stdin=TURTLE.encode()), "already exists")
    assert out.read_text() == "mine"
    assert kgprobe("convert", graph, out, "--force").returncode == 0
    assert len(load(out).graph) == 8


@pytest.mark.parametrize(("answer", "code", "triples"), [("y", 0, 8), ("n", 2, 0), ("", 2, 0)])
def test_at_a_terminal_convert_asks_before_it_replaces(
    answer: str, code: int, triples: int, graph: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.nt"
    out.write_text("")
    ended, _, shown = kgprobe_on_a_terminal("convert", graph, out, typed=f"{answer}\n")
    assert f"{out} exists. Replace it? [y/N]" in shown
    assert (ended, len(load(out, format_name="nt").graph)) == (code, triples)


def test_a_device_is_written_to_without_a_question(graph: Path) -> None:
    assert kgprobe("convert", graph, "/dev/null", "--format", "nt").returncode == 0


def test_to_is_an_old_spelling_of_format(graph: Path, tmp_path: Path) -> None:
    assert kgprobe("convert", graph, tmp_path / "out", "--to", "ntriples", "--input-format", "turtle").returncode == 0
    assert load(tmp_path / "out").format.name == "ntriples"


def test_the_conversion_is_reported(graph: Path, tmp_path: Path) -> None:
    done = kgprobe("convert", graph, tmp_path / "out.nt")
    assert done.stdout == f"{graph} (Turtle) → {tmp_path}/out.nt (N-Triples): 8 triples\n"


def test_the_conversion_is_reported_as_json(graph: Path, tmp_path: Path) -> None:
    done = kgprobe("convert", graph, tmp_path / "out", "--format", "rdfxml", "--json")
    assert json.loads(done.stdout) == {
        "in": str(graph),
        "in_format": "turtle",
        "out": str(tmp_path / "out"),
        "out_format": "rdfxml",
        "triples": 8,
    }


def test_a_filter_prints_only_the_graph() -> None:
    done = kgprobe("convert", "-", "-", "--format", "nt", stdin=b'{"@id": "urn:a", "urn:b": "x"}')
    assert (done.returncode, done.stdout, done.stderr) == (0, '<urn:a> <urn:b> "x" .\n', "")


def test_the_input_may_be_the_output(graph: Path) -> None:
    before = load(graph).graph
    assert kgprobe("convert", graph, graph, "--force").returncode == 0
    assert isomorphic(load(graph).graph, before)


def test_an_empty_graph_keeps_its_prefixes(tmp_path: Path) -> None:
    (tmp_path / "empty.ttl").write_text("@prefix ex: <http://example.org/> .")
    done = kgprobe("convert", tmp_path / "empty.ttl", "-", "--format", "turtle")
    assert done.stdout == "@prefix ex: <http://example.org/> .\n"


def test_named_graphs_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.trig").write_text("<urn:g> { <urn:a> <urn:b> 1 }")
    done = kgprobe("convert", tmp_path / "a.trig", tmp_path / "out.nt")
    assert done.returncode == 0
    assert done.stderr == (
        f"kgprobe: warning: {tmp_path}/a.trig: only the default graph is read,"
        " without 1 triple in 1 named graph (<urn:g>)\n"
    )


def test_functional_syntax_reports_that_it_adds_a_header(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text("<urn:a> a <http://www.w3.org/2002/07/owl#Class> .")
    done = kgprobe("convert", tmp_path / "a.ttl", tmp_path / "out.ofn")
    assert done.returncode == 0
    assert done.stderr == (
        f"kgprobe: warning: {tmp_path}/out.ofn: declares an ontology, which functional syntax requires\n"
    )


@pytest.mark.parametrize(
    ("text", "extension", "told"),
    [
        (
            "<urn:a> <urn:p/> 1 .",
            "rdf",
            "RDF/XML cannot express the predicate <urn:p/>: it does not end in an XML name",
        ),
        ("<urn:a> <urn:p> '\\u0007' .", "rdf", "RDF/XML cannot express the character U+0007"),
        (
            "<urn:a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#li> 1 .",
            "rdf",
            "RDF/XML cannot express the predicate <http://www.w3.org/1999/02/22-rdf-syntax-ns#li>",
        ),
        ("<urn:a> <urn:p> <urn:b> ; <urn:q> ( 1 2 ) .", "ofn", "triples are not OWL axioms"),
        ("<urn:a> <urn:p> '\\u0000' .", "ofn", "functional syntax cannot express the character U+0000"),
        ("<urn:a> <urn:p> oops .", "nt", "in.ttl:1:17: "),
        ("", "obo", "OBO can be read, but not written"),
        ("", "txt", "this file name does not imply a format (choose with --format: turtle, "),
    ],
)
def test_a_failed_conversion_leaves_the_old_file(text: str, extension: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "in.ttl").write_text(text)
    (tmp_path / f"out.{extension}").write_text("old")
    assert_refused(kgprobe("convert", tmp_path / "in.ttl", tmp_path / f"out.{extension}", "--force"), told)
    assert (tmp_path / f"out.{extension}").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["in.ttl", f"out.{extension}"])


@pytest.mark.parametrize(
    ("out", "told"),
    [
        ("missing/out.ttl", "cannot be written: No such file or directory (there is no folder "),
        ("folder.ttl", "is a folder (name the file to write)"),
        ("graph.ttl/out.ttl", "cannot be written: Not a directory"),
        ("x" * 300 + ".ttl", "cannot be written: File name too long"),
    ],
)
def test_unwritable_destinations_are_reported(out: str, told: str, graph: Path, tmp_path: Path) -> None:
    (tmp_path / "folder.ttl").mkdir()
    assert_refused(kgprobe("convert", graph, tmp_path / out), told)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--format", "tutle"], "no format named 'tutle' (did you mean 'turtle'?)"),
        (["--format", "manchester"], "OWL Manchester syntax can be read, but not written (choose with --format: "),
        (["--input-format", "rdf-xml"], "no format named 'rdf-xml' (did you mean 'rdfxml'?)"),
        (["--input-format", "jsonld"], "graph.ttl:1:"),
        (["--base", "no iri"], "the base is not an absolute IRI: no iri"),
        (["--nope"], "--nope"),
        (["--imports", "missing"], "missing"),
        (["--catalog", "missing.xml"], "missing.xml: no such file"),
    ],
)
def test_invalid_options_are_reported(options: list[str], told: str, graph: Path, tmp_path: Path) -> None:
    assert_refused(kgprobe("convert", graph, tmp_path / "out.ttl", *options), told)
    assert not (tmp_path / "out.ttl").exists()


def test_a_reader_that_stops_early_ends_the_command_quietly(tmp_path: Path) -> None:
    (tmp_path / "long.nt").write_text("".join(f"<urn:a> <urn:b> <urn:{n}> .\n" for n in range(20_000)))
    arguments = [sys.executable, "-m", "kgprobe", "convert", str(tmp_path / "long.nt"), "-", "--format", "ttl"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [["info"], ["convert", "-", "--format", "nt"]])
def test_a_full_device_is_reported(arguments: list[str], graph: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-m", "kgprobe", arguments[0], str(graph), *arguments[1:]],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 3
    assert done.stderr == b"kgprobe: error: the output cannot be written: no space left\n"


@pytest.mark.parametrize(
    ("redirection", "code", "told"),
    [(">&-", 2, "standard output is closed"), ("<&-", 2, "<stdin>: standard input is closed")],
)
def test_a_closed_stream_is_reported(redirection: str, code: int, told: str) -> None:
    command = f'exec "$1" -m kgprobe convert - - --format nt {redirection}'
    done = subprocess.run(  # noqa: S603
        ["/bin/sh", "-c", command, "sh", sys.executable], input=b"", capture_output=True, check=False
    )
    assert done.returncode == code
    assert done.stderr.startswith(b"kgprobe: error: ")
    assert told.encode() in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_the_output_is_the_same_on_every_day(graph: Path, tmp_path: Path) -> None:
    for name in ("one.nt.gz", "two.nt.gz"):
        assert kgprobe("convert", graph, tmp_path / name).returncode == 0
    assert (tmp_path / "one.nt.gz").read_bytes() == (tmp_path / "two.nt.gz").read_bytes()
    assert len(gzip.decompress((tmp_path / "one.nt.gz").read_bytes()).splitlines()) == 8
