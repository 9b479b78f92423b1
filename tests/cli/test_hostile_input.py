"""Whatever a file contains, the command line reads it or refuses it in one line: no traceback, no hang, no flood.

Each hostile file goes through the real command, in a separate process: once for `info` and once for `convert`, whose
old output must survive. Tests that would need too many processes call `run` in this one.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from support.commands import Done, assert_refused, kgprobe, needs_linux

from kgprobe.cli.app import run
from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.rdf.canonical import isomorphic

TRIPLE = b"<urn:a> <urn:b> <urn:c> .\n"
RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:e#"'
OWL = 'xmlns="http://www.w3.org/2002/07/owl#"'
DEEP = 100_000
HUGE = 50_000_000
MOST_MEGABYTES = 600


def rdfxml(value: str, doctype: str = "") -> bytes:
    described = f'<rdf:Description rdf:about="urn:a"><e:p>{value}</e:p></rdf:Description>'
    return f'<?xml version="1.0"?>\n{doctype}<rdf:RDF {RDF}>{described}</rdf:RDF>\n'.encode()


def owlxml(value: str, doctype: str = "") -> bytes:
    annotation = f'<Annotation><AnnotationProperty IRI="urn:p"/><Literal>{value}</Literal></Annotation>'
    return f'<?xml version="1.0"?>\n{doctype}<Ontology {OWL}>{annotation}</Ontology>\n'.encode()


def functional(value: str) -> bytes:
    return f'Prefix(:=<urn:x#>)\nOntology(<urn:o>\nAnnotationAssertion(:p :a "{value}")\n)\n'.encode()


def manchester(value: str) -> bytes:
    annotation = f'AnnotationProperty: <urn:p>\nClass: <urn:a>\n  Annotations: <urn:p> "{value}"\n'
    return f"Ontology: <urn:o>\n{annotation}".encode()


def obo(value: str) -> bytes:
    return f"format-version: 1.2\nontology: x\n\n[Term]\nid: X:1\nname: {value}\n".encode()


def jsonld(value: str) -> bytes:
    return json.dumps({"@id": "urn:a", "urn:p": value}, ensure_ascii=False).encode() + b"\n"


def turtle(value: str) -> bytes:
    return f'@prefix e: <urn:e#> .\ne:a e:b "{value}" .\n'.encode()


def tsv(value: str) -> bytes:
    return f'a\tb\tc\na\tb\t"{value}"\n'.encode()


# One document of each format, around a value that the test supplies.
DOCUMENTS: dict[str, Callable[[str], bytes]] = {
    "ttl": turtle,
    "nt": lambda value: TRIPLE + f'<urn:a> <urn:b> "{value}" .\n'.encode(),
    "nq": lambda value: TRIPLE + f'<urn:a> <urn:b> "{value}" .\n'.encode(),
    "trig": lambda value: f'@prefix e: <urn:e#> .\n{{ e:a e:b "{value}" }}\n'.encode(),
    "rdf": rdfxml,
    "jsonld": jsonld,
    "ofn": functional,
    "omn": manchester,
    "owx": owlxml,
    "obo": obo,
    "tsv": tsv,
}


def bomb(start: bytes, filler: bytes) -> bytes:
    """Less than a megabyte that unpacks to 500; many identical members make it quick to create."""
    return gzip.compress(start) + gzip.compress(filler * (10_000_000 // len(filler))) * 50


class Evil(NamedTuple):
    """A hostile file and the expected message."""

    name: str
    make: Callable[[], bytes]
    told: str


def damaged(make: Callable[[str], bytes]) -> bytes:
    return make("é").replace(b"\xc3", b"\xff")


def entities(declarations: str, use: str) -> dict[str, bytes]:
    return {
        "rdf": rdfxml(use, f"<!DOCTYPE rdf:RDF [{declarations}]>\n"),
        "owx": owlxml(use, f"<!DOCTYPE Ontology [{declarations}]>\n"),
    }


def xml_evils() -> dict[str, Evil]:
    laughs = '<!ENTITY l0 "ha">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    cases = {
        "billion laughs": (laughs, "&l9;", "the entity 'l1' is refused"),
        "long entity": (f'<!ENTITY a "{"x" * 100_000}">', "&a;" * 20_000, "the entity 'a' is refused"),
        "many references": (f'<!ENTITY a "{"x" * 200}">', "&a;" * 2_000_000, "more than 10 times its length"),
        "external entity": ('<!ENTITY a SYSTEM "file:///etc/passwd">', "&a;", "the entity 'a' is refused"),
        "parameter entity": ("<!ENTITY % a \"<!ENTITY b 'x'>\"> %a;", "&b;", "the entity 'a' is refused"),
        "external parameter entity": ('<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;', "", "the entity 'a' is refused"),
        "entity of itself": ('<!ENTITY a "&a;">', "&a;", "the entity 'a' is refused"),
        "entity that is declared twice": (
            f'<!ENTITY a "x"><!ENTITY a "{"x" * 100_000}">',
            "&a;" * 5000,
            "the entity 'a' is refused: it is declared more than once",
        ),
        "default attribute": ('<!ATTLIST Literal IRI CDATA "x">', "", "the attribute 'IRI' is refused"),
    }
    return {
        f"{name} in {extension}": Evil(f"x.{extension}", partial(bytes, data), told)
        for name, (declarations, use, told) in cases.items()
        for extension, data in entities(declarations, use).items()
    }


EVILS = {
    "random bytes": Evil("x.ttl", lambda: Random(1).randbytes(5000), "is a binary file, not a graph"),
    "random bytes without zero": Evil("x.ttl", lambda: Random(1).randbytes(5000).replace(b"\0", b"x"), "Invalid UTF-8"),
    "PNG": Evil("x.owl", lambda: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + Random(2).randbytes(99), "is a binary file"),
    "ELF": Evil("x", lambda: b"\x7fELF\x02\x01\x01" + bytes(200), "is a binary file"),
    "SQLite": Evil("x.nt", lambda: b"SQLite format 3\0" + Random(3).randbytes(99), "is a binary file"),
    "zip": Evil("x.ttl", lambda: b"PK\x03\x04\x14\0\0\0\x08\0" + Random(4).randbytes(99), "is a binary file"),
    "zero byte far inside": Evil("x.nt", lambda: TRIPLE * 9000 + b"\0", "x.nt:9001:1: "),
    "UTF-16": Evil("x.ttl", lambda: turtle("x").decode().encode("utf-16"), "is UTF-16 or UTF-32 text"),
    "UTF-16 without a mark": Evil("x.ttl", lambda: turtle("x").decode().encode("utf-16-le"), "is a binary file"),
    "UTF-16 XML": Evil("x.rdf", lambda: rdfxml("x").decode().encode("utf-16"), "is UTF-16 or UTF-32 text"),
    "unknown encoding": Evil(
        "x.rdf", lambda: rdfxml("x").replace(b"?>", b' encoding="klingon"?>', 1), "unknown encoding: klingon"
    ),
    "Latin-1 XML": Evil(
        "x.rdf",
        lambda: rdfxml("é").replace(b"?>", b' encoding="iso-8859-1"?>', 1).decode().encode("latin-1"),
        "Only UTF-8 is supported",
    ),
    "cut gzip": Evil("x.nt.gz", lambda: gzip.compress(TRIPLE * 9000)[:-9], "the gzip file is cut short or damaged"),
    "damaged gzip": Evil(
        "x.nt.gz", lambda: gzip.compress(TRIPLE)[:-8] + b"damaged!", "the gzip file is damaged: CRC check failed"
    ),
    "gzip with a tail": Evil("x.nt.gz", lambda: gzip.compress(TRIPLE) + b"tail", "the gzip file is damaged"),
    "gzip in gzip": Evil("x.nt.gz", lambda: gzip.compress(gzip.compress(TRIPLE)), "is a binary file"),
    "undeclared entity": Evil("x.rdf", lambda: rdfxml("&b;"), "x.rdf:2:"),
    "entity of an unread DTD": Evil(
        "x.rdf", lambda: rdfxml("&b;", '<!DOCTYPE x SYSTEM "file:///etc/passwd">'), "'b' is not declared in this file"
    ),
    "web page": Evil("x.owl", lambda: b"<!DOCTYPE html>\n<html><p>Not found</html>", "is a web page, not a graph"),
    "remote context": Evil(
        "x.jsonld", lambda: b'{"@context": "http://example.org/c", "p": 1}', "which kgprobe does not fetch"
    ),
    "two JSON documents": Evil("x.json", lambda: b"{} {}", "x.json:1:4: "),
    "triple term": Evil("x.ttl", lambda: b"<urn:a> <urn:b> <<( <urn:a> <urn:b> 1 )>> .", "x.ttl:1:17: found '<<'"),
    "nested triple terms": Evil(
        "x.ttl", lambda: b"<urn:a> <urn:b> " + b"<<( <urn:a> <urn:b> " * DEEP + b"1" + b" )>>" * DEEP, "found '<<'"
    ),
    "relative IRI": Evil("x.ofn", lambda: b"Ontology(<o>)", "x.ofn:1:10: <o> is not an IRI"),
    "prose": Evil("x.txt", lambda: b"It was a dark and stormy night.", "not a graph in any format"),
    "one long word": Evil("x", lambda: b"x" * 1_000_000, "not a graph in any format"),
    **{
        f"empty {extension}": Evil(f"x.{extension}", lambda: b"", f"x.{extension}:1:1: ")
        for extension in ("rdf", "jsonld", "ofn", "omn", "owx")
    },
    **{
        f"not UTF-8 in {extension}": Evil(f"x.{extension}", partial(damaged, make), f"x.{extension}:")
        for extension, make in DOCUMENTS.items()
    },
    **xml_evils(),
}
# Large or deep files, each with a limit on the memory that it may take.
FLOODS = {
    "gzip bomb in Turtle": Evil("x.ttl.gz", lambda: bomb(b"", b"#" * 999 + b"\n"), "200 times its size"),
    "gzip bomb in RDF/XML": Evil(
        "x.rdf.gz", lambda: bomb(rdfxml("").partition(b"</e:p>")[0], b" "), "200 times its size"
    ),
    "gzip bomb in functional syntax": Evil("x.ofn.gz", lambda: bomb(b"Ontology(", b" "), "200 times its size"),
    "huge literal in Turtle": Evil("x.ttl", lambda: turtle("x" * HUGE), "of more than 16 MiB"),
    "huge literal in N-Triples": Evil("x.nt", lambda: DOCUMENTS["nt"]("x" * HUGE), "of more than 16 MiB"),
    "huge literal in JSON-LD": Evil("x.jsonld", lambda: jsonld("x" * HUGE), "of more than 16 MiB"),
    "huge literal without an end": Evil("x.ttl", lambda: turtle("x" * HUGE)[:-10], "of more than 16 MiB"),
    "huge comment": Evil("x.ttl", lambda: b"#" * HUGE + b"\n" + TRIPLE, "of more than 16 MiB"),
    "deep JSON-LD": Evil(
        "x.jsonld", lambda: b'{"@id":"urn:a","urn:p":' * DEEP + b"1" + b"}" * DEEP, "nested too deeply to read"
    ),
    "deep JSON": Evil("x.json", lambda: b"[" * DEEP + b"]" * DEEP, "nested too deeply to read"),
    "deep RDF/XML": Evil(
        "x.rdf",
        lambda: rdfxml("<rdf:Description><e:p>" * DEEP + "</e:p></rdf:Description>" * DEEP),
        "nested more than 5,000 levels deep",
    ),
    "deep functional syntax": Evil(
        "x.ofn",
        lambda: b"Ontology(SubClassOf(<urn:a> " + b"ObjectComplementOf(" * DEEP + b"<urn:b>" + b")" * DEEP + b"))",
        "nested more than 500 levels deep",
    ),
    "deep Manchester syntax": Evil(
        "x.omn",
        lambda: b"Ontology: <urn:o>\nClass: <urn:a>\n SubClassOf: " + b"(" * DEEP + b"<urn:b>" + b")" * DEEP,
        "nested more than 200 levels deep",
    ),
    "deep OWL/XML": Evil(
        "x.owx",
        lambda: (
            f'<Ontology {OWL}><SubClassOf><Class IRI="urn:a"/>'.encode()
            + b"<ObjectComplementOf>" * DEEP
            + b'<Class IRI="urn:b"/>'
            + b"</ObjectComplementOf>" * DEEP
            + b"</SubClassOf></Ontology>"
        ),
        "nested more than 500 levels deep",
    ),
}
# Files that look hostile but are harmless, each with its number of triples.
HARMLESS: dict[str, tuple[str, Callable[[], bytes], int]] = {
    "empty Turtle": ("x.ttl", lambda: b"", 0),
    "empty file without a name that tells": ("x", lambda: b"", 0),
    "empty gzip": ("x.ttl.gz", lambda: gzip.compress(b""), 0),
    "only a comment": ("x", lambda: b"# nothing\n", 0),
    "byte order mark": ("x.ttl", lambda: b"\xef\xbb\xbf" + TRIPLE, 1),
    "byte order mark in XML": ("x.rdf", lambda: b"\xef\xbb\xbf" + rdfxml("x"), 1),
    "packed byte order mark": ("x.nt.gz", lambda: gzip.compress(b"\xef\xbb\xbf" + TRIPLE), 1),
    "gzip of two parts": ("x.nt.gz", lambda: gzip.compress(TRIPLE) + gzip.compress(b"<urn:a> <urn:b> <urn:d> .\n"), 2),
    "gzip without its extension": ("x", lambda: gzip.compress(TRIPLE), 1),
    "extension of gzip without gzip": ("x.nt.gz", lambda: TRIPLE, 1),
    "DTD that is not read": ("x.rdf", lambda: rdfxml("x", '<!DOCTYPE x SYSTEM "file:///etc/passwd">'), 1),
    "broken list": (
        "x.ttl",
        lambda: (
            b"@prefix r: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . <urn:a> <http://www.w3.org/2002/07/owl#unionOf>"
            b" _:x . _:x r:first 1 , 2 ; r:rest _:x ."
        ),
        4,
    ),
    "one long line": ("x.ttl", lambda: b" ".join(b"<urn:a> <urn:b> <urn:%d> ." % n for n in range(50_000)), 50_000),
    "long literal": ("x.ttl", lambda: turtle("x" * 15_000_000), 1),
    "huge literal in RDF/XML": ("x.rdf", lambda: rdfxml("x" * HUGE), 1),
    "huge literal in functional syntax": ("x.ofn", lambda: functional("x" * HUGE), 2),
    "huge literal in OBO": ("x.obo", lambda: obo("x" * HUGE), 7),
    "deep lists": ("x.ttl", lambda: b"<urn:a> <urn:b> " + b"(" * DEEP + b")" * DEEP + b" .", 2 * DEEP - 1),
    "deep blank nodes": (
        "x.ttl",
        lambda: b"<urn:a> <urn:b> " + b"[ <urn:p> " * DEEP + b"1" + b"]" * DEEP + b" .",
        DEEP + 1,
    ),
}


def arguments(command: str, path: Path) -> list[Path | str]:
    """The arguments; `convert` gets an existing output, which must not change."""
    if command == "info":
        return ["info", path]
    (path.parent / "old.nt").write_text("old")
    return ["convert", path, path.parent / "old.nt", "--force"]


def assert_nothing_was_written(command: str, folder: Path) -> None:
    if command == "convert":
        assert (folder / "old.nt").read_text() == "old"
        assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("command", ["info", "convert"])
@pytest.mark.parametrize("evil", EVILS.values(), ids=EVILS)
def test_evil_files_are_refused(evil: Evil, command: str, tmp_path: Path) -> None:
    path = tmp_path / evil.name
    path.write_bytes(evil.make())
    done = kgprobe(*arguments(command, path))
    assert_refused(done, str(path), evil.told)
    assert "root:" not in done.stderr  # of /etc/passwd
    assert_nothing_was_written(command, tmp_path)


@needs_linux
@pytest.mark.parametrize("evil", FLOODS.values(), ids=FLOODS)
def test_floods_are_refused_before_they_fill_memory(evil: Evil, tmp_path: Path) -> None:
    path = tmp_path / evil.name
    path.write_bytes(evil.make())
    done = kgprobe(*arguments("convert", path), measured=True)  # it reads as `info` does, and has more to lose
    assert_refused(done, str(path), evil.told)
    assert done.megabytes is not None
    assert done.megabytes < MOST_MEGABYTES
    assert_nothing_was_written("convert", tmp_path)


@needs_linux
@pytest.mark.parametrize(("name", "make", "triples"), HARMLESS.values(), ids=HARMLESS)
def test_harmless_files_are_read(name: str, make: Callable[[], bytes], triples: int, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(make())
    done = kgprobe("info", "--json", tmp_path / name, measured=True)
    assert done.returncode == 0, done
    assert [line for line in done.told.splitlines() if not line.startswith("kgprobe: note: ")] == []
    assert json.loads(done.stdout)["triples"] == triples
    assert done.megabytes is not None
    assert done.megabytes < MOST_MEGABYTES


# -- not regular files -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["info", "convert"])
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("piza.owl", "piza.owl: no such file (did you mean "),
        ("missing/graph.ttl", "no such file (there is no folder "),
        ("folder", "folder: is a folder, not a graph file"),
        ("pizza.owl/graph.ttl", "cannot be read: Not a directory"),
        ("two\nlines.ttl", "two\\nlines.ttl: no such file"),
        ("pipe", "pipe: is a pipe or a device, not a file (give it as input: - < "),
    ],
)
def test_paths_that_are_not_files_are_refused(name: str, told: str, command: str, tmp_path: Path) -> None:
    (tmp_path / "pizza.owl").write_bytes(TRIPLE)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    out = [] if command == "info" else [tmp_path / "out.nt"]
    assert_refused(kgprobe(command, tmp_path / name, *out), told)
    assert not (tmp_path / "out.nt").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["mutate", "pipe.toml"],
        ["test", "pipe.toml"],
        ["mutate", "--replay", "pipe.toml#1"],
        ["mutate", "graph.nt", "--operators", "pipe.ru"],
        ["check", "graph.nt", "--mask", "pipe.rq"],
        ["import-rdfmutate", "pipe.toml"],
        ["select", "graph.nt", "graph.nt", "--tests", ".", "--matrix", "pipe.toml"],
        ["select", "graph.nt", "graph.nt", "--tests", ".", "--failures", "pipe.toml"],
    ],
)
def test_no_command_waits_for_a_pipe(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("graph.nt").write_bytes(TRIPLE)
    for name in ("pipe.toml", "pipe.ru", "pipe.rq"):
        os.mkfifo(name)
    assert_refused(kgprobe(*arguments, seconds=120), ": is a pipe or a device, not a file")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a file without an end")
def test_an_endless_device_is_refused() -> None:
    assert_refused(kgprobe("info", "/dev/zero"), "/dev/zero: is a pipe or a device, not a file")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.ttl").write_bytes(TRIPLE)
    (tmp_path / "secret.ttl").chmod(0)
    assert_refused(kgprobe("info", tmp_path / "secret.ttl"), "secret.ttl: cannot be read: Permission denied")


@pytest.mark.parametrize("name", ["PNG", "UTF-16", "cut gzip", "billion laughs in rdf", "nested triple terms"])
def test_standard_input_gets_the_same_checks(name: str) -> None:
    done = kgprobe("info", "-", stdin=EVILS[name].make())
    assert_refused(done, "<stdin>", EVILS[name].told.removeprefix(EVILS[name].name))


# -- truncated documents ---------------------------------------------------------------------------------------------

# In these syntaxes, a truncated document is never valid.
CLOSED = ["rdf", "jsonld", "ofn", "owx"]


def in_this_process(capsys: pytest.CaptureFixture[str], *given: str | Path) -> Done:
    code = run([str(argument) for argument in given])
    printed = capsys.readouterr()
    return Done(code, printed.out, printed.err)


def positions(data: bytes, most: int = 60) -> list[int]:
    """Where to cut: at every position, or at evenly spaced ones if there are too many."""
    step = max(1, len(data) // most)
    return [*range(1, len(data), step), len(data) - 1]


@pytest.mark.parametrize("extension", DOCUMENTS)
def test_a_truncated_document(extension: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = DOCUMENTS[extension]('é \\" & ☃'.replace("&", "&amp;" if extension in ("rdf", "owx") else "&")).rstrip()
    path = tmp_path / f"x.{extension}"
    for cut in positions(whole):
        path.write_bytes(whole[:cut])
        done = in_this_process(capsys, "info", path)
        if extension in CLOSED or done.returncode != 0:
            assert_refused(done, str(path))
        else:
            assert done.stderr == "", done


@pytest.mark.parametrize("extension", ["ttl", "nt", "rdf", "ofn", "obo"])
def test_a_truncated_compressed_document(extension: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packed = gzip.compress(DOCUMENTS[extension]("x"))
    path = tmp_path / f"x.{extension}.gz"
    for cut in positions(packed)[1:]:
        path.write_bytes(packed[:cut])
        assert_refused(in_this_process(capsys, "info", path), "the gzip file is cut short or damaged")


@pytest.mark.parametrize("extension", DOCUMENTS)
def test_a_document_with_a_damaged_byte(extension: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = DOCUMENTS[extension]("some text")
    path = tmp_path / f"x.{extension}"
    random = Random(extension)
    for position in positions(whole):
        path.write_bytes(whole[:position] + bytes([random.randrange(256)]) + whole[position + 1 :])
        done = in_this_process(capsys, "info", path)
        if done.returncode != 0:
            assert_refused(done, str(path))


@pytest.mark.parametrize("extension", ["ttl", "rdf", "jsonld", "ofn", "omn", "owx"])
def test_a_truncated_document_through_the_real_command(extension: str, tmp_path: Path) -> None:
    whole = DOCUMENTS[extension]("some text")
    (tmp_path / f"x.{extension}").write_bytes(whole[: whole.index(b"some") + 2])
    assert_refused(kgprobe("info", tmp_path / f"x.{extension}"), f"x.{extension}:")


# -- line ends and byte order marks ----------------------------------------------------------------------------------


@pytest.mark.parametrize("extension", DOCUMENTS)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_foreign_line_ends_and_a_byte_order_mark(extension: str, mark: bytes, tmp_path: Path) -> None:
    plain, other = tmp_path / "one" / f"x.{extension}", tmp_path / "other" / f"x.{extension}"
    for path in (plain, other):
        path.parent.mkdir()
    plain.write_bytes(DOCUMENTS[extension]("text"))
    other.write_bytes(mark + DOCUMENTS[extension]("text").replace(b"\n", b"\r\n"))
    assert isomorphic(load(other).graph, load(plain).graph)


@pytest.mark.parametrize("extension", ["ttl", "jsonld", "ofn", "omn", "nt"])
def test_positions_count_characters_and_foreign_line_ends(extension: str, tmp_path: Path) -> None:
    lines = {
        "ttl": b"@prefix e: <urn:e#> .\r\n\r\ne:a e:b '\xc3\xa9' oops .\r\n",
        "nt": TRIPLE + b"\r\n<urn:a> <urn:b> oops .\r\n",
        "jsonld": b'{\r\n\r\n"@id": oops}\r\n',
        "ofn": b"Prefix(:=<urn:e#>)\r\nOntology(\r\nOops(:a)\r\n)\r\n",
        "omn": b"Ontology: <urn:o>\r\nClass: <urn:a>\r\n  Oops: <urn:b>\r\n",
    }
    (tmp_path / f"x.{extension}").write_bytes(lines[extension])
    with pytest.raises(InputError) as raised:
        load(tmp_path / f"x.{extension}")
    assert raised.value.where is not None
    assert raised.value.where.line == 3


# -- memory ----------------------------------------------------------------------------------------------------------

# More than 100,000 triples, so that `info` only reads and counts.
MEGABYTES = {"nt": 15, "ttl": 8, "rdf": 11, "jsonld": 11, "ofn": 8, "omn": 8, "owx": 8, "obo": 8, "tsv": 8}
# The allowed memory beyond the program itself, as a multiple of the file size. The same holds for files of 30 MB.
MULTIPLES = {"nt": 8, "ttl": 11, "rdf": 8, "jsonld": 8, "ofn": 15, "omn": 30, "owx": 12, "obo": 22, "tsv": 12}


def large(extension: str) -> bytes:
    """A few megabytes of statements that look like those of real files."""
    units: dict[str, tuple[str, str, str]] = {
        "nt": (
            "",
            "<http://example.org/onto#Class_{n}> <http://www.w3.org/2000/01/rdf-schema#label> "
            '"the label of class number {n}, with some text"@en .\n',
            "",
        ),
        "ttl": (
            "@prefix e: <http://example.org/onto#> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n",
            "e:Class_{n} a e:Thing ;\n  rdfs:subClassOf e:Class_{m} ;\n"
            '  rdfs:label "the label of class number {n}"@en .\n',
            "",
        ),
        "rdf": (
            f"<rdf:RDF {RDF}>",
            '<rdf:Description rdf:about="http://example.org/onto#Class_{n}">\n  <e:label>the label of class number {n}'
            '</e:label>\n  <e:of rdf:resource="http://example.org/onto#Class_{m}"/>\n</rdf:Description>\n',
            "</rdf:RDF>",
        ),
        "jsonld": (
            "[",
            '{{"@id":"http://example.org/onto#Class_{n}",'
            '"http://example.org/onto#label":[{{"@value":"the label of {n}"}}],"http://example.org/onto#of":[{{"@id":"http://example.org/onto#Class_{m}"}}]}},\n',
            '{"@id":"urn:end"}]',
        ),
        "ofn": (
            "Prefix(:=<http://example.org/onto#>)\nOntology(<urn:o>\n",
            "Declaration(Class(:Class_{n}))\nSubClassOf(:Class_{n} ObjectSomeValuesFrom(:property :Class_{m}))\n"
            'AnnotationAssertion(rdfs:label :Class_{n} "the label of class number {n}"@en)\n',
            ")",
        ),
        "omn": (
            "Prefix: : <http://example.org/onto#>\nPrefix: rdfs: <http://www.w3.org/2000/01/rdf-schema#>\n"
            "Ontology: <urn:o>\nObjectProperty: :property\nAnnotationProperty: rdfs:label\n",
            'Class: :Class_{n}\n  Annotations: rdfs:label "the label of class number {n}"@en\n'
            "  SubClassOf: :property some :Class_{m}\n",
            "",
        ),
        "owx": (
            f'<Ontology {OWL} xml:base="http://example.org/onto">',
            '<Declaration><Class IRI="#Class_{n}"/></Declaration>\n<SubClassOf><Class IRI="#Class_{n}"/>'
            '<ObjectSomeValuesFrom><ObjectProperty IRI="#property"/><Class IRI="#Class_{m}"/></ObjectSomeValuesFrom>'
            "</SubClassOf>\n",
            "</Ontology>",
        ),
        "obo": (
            "format-version: 1.2\nontology: x\n",
            '\n[Term]\nid: X:{n}\nname: the name of term number {n}\ndef: "A definition of some length." [X:{m}]\n'
            "is_a: X:{m} ! the name of term number {m}\n",
            "",
        ),
        "tsv": ("", "Entity_number_{n}\trelation_of_entities\tEntity_number_{m}\n", ""),
    }
    before, unit, after = units[extension]
    count = MEGABYTES[extension] * 1_000_000 // len(unit.format(n=100_000, m=50_000))
    return (before + "".join(unit.format(n=n, m=n // 2) for n in range(count)) + after).encode()


@needs_linux
@pytest.mark.parametrize("extension", MULTIPLES)
def test_memory_is_a_small_multiple_of_the_size_of_the_file(extension: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{extension}"
    path.write_bytes(large(extension))
    (tmp_path / "empty.ttl").touch()
    program = kgprobe("info", tmp_path / "empty.ttl", measured=True).megabytes
    done = kgprobe("info", "--json", path, measured=True, seconds=120)
    assert done.returncode == 0, done.stderr
    assert program is not None
    assert done.megabytes is not None
    multiple = (done.megabytes - program) / (path.stat().st_size / 1_000_000)
    assert multiple < MULTIPLES[extension], f"{multiple:.1f} times {path.stat().st_size:,} bytes"
