"""owl:imports, from folders and catalogs on this machine. Remote imports are reported and never fetched."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from pathlib import Path

import pytest

from kgprobe.errors import InputError
from kgprobe.formats.files import Loaded, load
from kgprobe.formats.imports import Catalog, Library, imports_of, read_catalog, with_imports
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDFS, BlankNode, Literal, NamedNode

EX = "http://example.org/"
CATALOG = '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">{}</catalog>'


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "socket", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


def ontology(path: Path, name: str, *imports: str, more: str = "") -> Path:
    """Write an ontology with a unique label, so that tests can recognise it."""
    statements = "".join(f"<{EX}{name}> owl:imports <{EX}{imported}> .\n" for imported in imports)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        f'<{EX}{name}> a owl:Ontology ; rdfs:label "{name}" .\n{statements}{more}'
    )
    return path


def catalog(path: Path, entries: str) -> Catalog:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(CATALOG.format(entries))
    return read_catalog(path)


def labels(graph: Graph) -> list[str]:
    found = [triple.object for triple in graph.triples(None, RDFS.label)]
    return sorted(label.value for label in found if isinstance(label, Literal))


def imported(path: Path, *, catalogs: Sequence[Catalog] = (), folders: Sequence[Path] = ()) -> Loaded:
    return with_imports(load(path), Library(catalogs, folders))


# -- folders -----------------------------------------------------------------------------------------------------------


def test_imports_are_found_in_folders_under_any_file_name(tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "b")
    ontology(tmp_path / "lib" / "deep" / "something.owl", "b", "c")
    ontology(tmp_path / "more" / "c.ttl", "c")
    found = imported(main, folders=[tmp_path / "lib", tmp_path / "more"])
    assert labels(found.graph) == ["b", "c", "main"]
    assert found.notes == ()


def test_imports_are_found_by_version_iri(tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "b/2.0")
    ontology(tmp_path / "lib" / "b.ttl", "b", more=f"<{EX}b> owl:versionIRI <{EX}b/2.0> .")
    assert labels(imported(main, folders=[tmp_path / "lib"]).graph) == ["b", "main"]


def test_a_folder_may_contain_other_files(tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "b")
    lib = tmp_path / "lib"
    ontology(lib / "z" / "b.ttl", "b")
    (lib / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (lib / "b.ttl").write_text("this is broken Turtle <")
    (lib / "b.rdf").write_text("<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>")
    (lib / "b").mkdir()
    (lib / "b.gz").write_bytes(b"\x1f\x8b cut")
    (lib / "dangling.ttl").symlink_to("nowhere")
    (lib / "empty").touch()
    assert labels(imported(main, folders=[lib]).graph) == ["b", "main"]


def test_each_file_of_a_folder_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main = ontology(tmp_path / "main.ttl", "main", *(f"missing{n}" for n in range(5)))
    ontology(tmp_path / "lib" / "other.ttl", "other")
    loaded = load(main)
    read: list[str] = []

    def counted(path: Path) -> Loaded:
        read.append(path.name)
        return load(path)

    monkeypatch.setattr("kgprobe.formats.imports.load", counted)
    with_imports(loaded, Library(folders=[tmp_path / "lib"]))
    assert read == ["other.ttl"]


# -- graphs of imports -------------------------------------------------------------------------------------------------


def test_cyclic_imports_terminate(tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "b", "main")
    ontology(tmp_path / "b.ttl", "b", "c")
    ontology(tmp_path / "c.ttl", "c", "b", "main")
    assert labels(imported(main, folders=[tmp_path]).graph) == ["b", "c", "main"]


def test_an_ontology_imported_twice_is_merged_once(tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "b", "c")
    ontology(tmp_path / "b.ttl", "b", "d")
    ontology(tmp_path / "c.ttl", "c", "d/2")
    ontology(tmp_path / "d.ttl", "d", more=f'<{EX}d> owl:versionIRI <{EX}d/2> . [] rdfs:comment "once" .')
    found = imported(main, folders=[tmp_path]).graph
    assert labels(found) == ["b", "c", "d", "main"]
    assert len(list(found.triples(None, RDFS.comment))) == 1


def test_a_file_with_two_names_is_merged_once(tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "b", "c", "self", more='[] rdfs:comment "main" .')
    ontology(tmp_path / "b.ttl", "b", more='[] rdfs:comment "b" .')
    (tmp_path / "link.ttl").symlink_to("b.ttl")
    entries = f'<uri name="{EX}b" uri="b.ttl"/><uri name="{EX}c" uri="link.ttl"/><uri name="{EX}self" uri="main.ttl"/>'
    found = imported(main, catalogs=[catalog(tmp_path / "catalog.xml", entries)]).graph
    assert len(list(found.triples(None, RDFS.comment))) == 2


def test_blank_nodes_of_different_files_stay_apart(tmp_path: Path) -> None:
    # The second file has exactly the labels that renaming would choose.
    main = ontology(tmp_path / "main.ttl", "main", "b", "c", more='_:x rdfs:comment "main" .')
    ontology(
        tmp_path / "b.ttl", "b", more='_:x rdfs:comment "bx" . _:xi1 rdfs:comment "bxi1" . _:xi1i1 rdfs:comment "b3" .'
    )
    ontology(
        tmp_path / "c.ttl", "c", more='_:x rdfs:comment "cx" . _:xi2 rdfs:comment "cxi2" . _:y rdfs:comment "cy" .'
    )
    comments = list(imported(main, folders=[tmp_path]).graph.triples(None, RDFS.comment))
    assert len(comments) == 7
    assert len({triple.subject for triple in comments}) == 7
    assert all(isinstance(triple.subject, BlankNode) for triple in comments)


def test_blank_nodes_of_one_file_stay_together(tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "b", more='_:x rdfs:comment "main" .')
    ontology(tmp_path / "b.ttl", "b", more=f'_:x rdfs:comment "b" ; rdfs:seeAlso _:x . <{EX}b> rdfs:seeAlso _:x .')
    graph = imported(main, folders=[tmp_path]).graph
    (renamed,) = (triple.subject for triple in graph.triples(None, RDFS.comment, Literal("b")))
    assert {(triple.subject, triple.object) for triple in graph.triples(None, RDFS.seeAlso)} == {
        (renamed, renamed),
        (NamedNode(EX + "b"), renamed),
    }


def test_prefixes_and_language_tags_are_joined_and_the_importing_file_comes_first(tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "b", more='@prefix x: <urn:main#> . x:a x:b "t"@en-GB .')
    ontology(tmp_path / "b.ttl", "b", more='@prefix x: <urn:b#> . @prefix y: <urn:y#> . x:a x:b "t"@EN-gb , "t"@DE .')
    spelling = imported(main, folders=[tmp_path]).graph.spelling
    assert (spelling.prefixes["x"], spelling.prefixes["y"]) == ("urn:main#", "urn:y#")
    assert spelling.language_tags == {"en-gb": "en-GB", "de": "DE"}


# -- missing imports --------------------------------------------------------------------------------------------------


def test_missing_imports_are_reported(tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "z")
    assert imported(main).notes == (f"imports <{EX}z>, which was not found and is left out",)


def test_many_missing_imports_are_reported_on_one_line(tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "b", "z")
    b = ontology(tmp_path / "b.ttl", "b", "y")
    found = imported(main, folders=[tmp_path]).notes
    assert found == (f"2 imports were not found and are left out: <{EX}z>, <{EX}y> through {b}",)
    many = ontology(tmp_path / "many.ttl", "many", *(f"m{n:02}" for n in range(40)))
    assert imported(many).notes == (
        f"40 imports were not found and are left out: <{EX}m00>, <{EX}m01>, <{EX}m02> and 37 more",
    )


def test_missing_imports_are_an_error_on_request(tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "y", "z")
    with pytest.raises(InputError) as raised:
        with_imports(load(main), Library(), strict=True)
    assert str(raised.value) == (
        f"{main}: imports <{EX}y>, which was not found, and 1 more like it"
        " (name its folder with --imports, or a catalog with --catalog)"
    )


def test_omissions_of_an_imported_file_are_reported(tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "b")
    b = ontology(tmp_path / "b.trig", "b", more="<urn:g> { <urn:a> <urn:b> 1 }")
    (note,) = imported(main, folders=[tmp_path]).notes
    assert note.startswith(f"{b}: only the default graph is read, without 1 triple in 1 named graph")


def test_a_graph_without_imports_stays_the_same_object(tmp_path: Path) -> None:
    loaded = load(ontology(tmp_path / "main.ttl", "main"))
    assert with_imports(loaded, Library(), strict=True).graph is loaded.graph


def test_imports_are_listed_in_a_fixed_order(tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "c", "b", "a", more=f'<{EX}main> owl:imports "text", [] .')
    assert [term.value for term in imports_of(load(main).graph)] == [EX + "a", EX + "b", EX + "c"]


# -- catalogs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entries", "file"),
    [
        ('<uri name="{EX}b" uri="lib/b.ttl"/>', "lib/b.ttl"),
        ('<uri name="{EX}b" uri="{ROOT}/lib/b.ttl"/>', "lib/b.ttl"),
        ('<uri name="{EX}b" uri="file://{ROOT}/lib/b.ttl"/>', "lib/b.ttl"),
        ('<uri name="{EX}b" uri="file://localhost{ROOT}/lib/b.ttl"/>', "lib/b.ttl"),
        ('<uri name="{EX}b" uri="a%20folder/b.ttl"/>', "a folder/b.ttl"),
        ('<system systemId="{EX}b" uri="lib/b.ttl"/>', "lib/b.ttl"),
        ('<rewriteURI uriStartString="{EX}" rewritePrefix="lib/"/>', "lib/b"),
        (
            '<rewriteURI uriStartString="http://" rewritePrefix="x/"/>'
            '<rewriteURI uriStartString="{EX}" rewritePrefix="y/"/>',
            "y/b",
        ),
        ('<uriSuffix uriSuffix="org/b" uri="lib/b.ttl"/>', "lib/b.ttl"),
        ('<group xml:base="lib/"><uri name="{EX}b" uri="b.ttl"/></group>', "lib/b.ttl"),
        (
            '<group xml:base="lib/"><group xml:base="deep/"><uri name="{EX}b" uri="b.ttl"/></group></group>',
            "lib/deep/b.ttl",
        ),
        ('<group prefer="public"><uri name="{EX}b" uri="lib/b.ttl" xml:base="more/"/></group>', "more/lib/b.ttl"),
        ('<uri name="{EX}b" uri="first.ttl"/><uri name="{EX}b" uri="second.ttl"/>', "first.ttl"),
        ('<rewriteURI uriStartString="{EX}" rewritePrefix="x/"/><uri name="{EX}b" uri="exact.ttl"/>', "exact.ttl"),
    ],
)
def test_a_catalog_maps_an_iri_to_a_file(entries: str, file: str, tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "b")
    ontology(tmp_path / file, "b")
    filled = entries.replace("{EX}", EX).replace("{ROOT}", str(tmp_path))
    found = imported(main, catalogs=[catalog(tmp_path / "catalog.xml", filled)])
    assert labels(found.graph) == ["b", "main"]
    assert found.notes == ()


@pytest.mark.parametrize(
    "entries",
    [
        '<uri name="http://example.org/b" uri="http://example.org/elsewhere.ttl"/>',
        '<uri name="http://example.org/b" uri="//example.org/elsewhere.ttl"/>',
        '<uri name="http://example.org/b" uri="file://server/b.ttl"/>',
        '<uri name="http://example.org/b" uri="ftp://example.org/b.ttl"/>',
        '<rewriteURI uriStartString="http://example.org/" rewritePrefix="https://example.com/"/>',
        '<nextCatalog catalog="http://example.org/catalog.xml"/>',
        '<uri name="http://example.org/b" uri="http://[broken"/>',
        '<uri name="http://example.org/b" uri="nul%00.ttl"/>',
        '<nextCatalog catalog="nul%00.xml"/>',
        '<uri name="http://example.org/b"/>',
        '<uri uri="b.ttl"/>',
        '<uri name="http://example.org/b" uri="missing.ttl"/>',
        '<rewriteURI uriStartString="http://example.org/" rewritePrefix="missing/"/>',
        '<unknown name="http://example.org/b" uri="b.ttl"/>',
    ],
)
def test_remote_entries_of_a_catalog_are_not_found(entries: str, tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "b")
    found = imported(main, catalogs=[catalog(tmp_path / "catalog.xml", entries)])
    assert found.notes == (f"imports <{EX}b>, which was not found and is left out",)


def test_folders_are_searched_if_a_catalog_entry_is_missing(tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "b")
    ontology(tmp_path / "lib" / "b.ttl", "b")
    found = catalog(tmp_path / "catalog.xml", f'<uri name="{EX}b" uri="missing.ttl"/>')
    assert labels(imported(main, catalogs=[found], folders=[tmp_path / "lib"]).graph) == ["b", "main"]


def test_a_file_that_a_catalog_names_must_be_a_graph(tmp_path: Path) -> None:
    main = ontology(tmp_path / "main.ttl", "main", "b")
    (tmp_path / "b.ttl").write_text("<urn:a> <urn:b> oops .")
    found = catalog(tmp_path / "catalog.xml", f'<uri name="{EX}b" uri="b.ttl"/>')
    with pytest.raises(InputError, match=r"b\.ttl:1:17: "):
        imported(main, catalogs=[found])


def test_nested_catalogs_are_read_in_order_and_once_each(tmp_path: Path) -> None:
    def next_to(*names: str) -> str:
        return "".join(f'<nextCatalog catalog="{name}.xml"/>' for name in names)

    # Each of thirty catalogs names the next one twice, and the last one the first.
    for number in range(30):
        entries = next_to(*[f"c{(number + 1) % 30}"] * 2) + f'<uri name="{EX}{number}" uri="{number}.ttl"/>'
        (tmp_path / f"c{number}.xml").write_text(CATALOG.format(entries + f'<uri name="{EX}all" uri="{number}.ttl"/>'))
    first = read_catalog(tmp_path / "c0.xml")
    assert len(first.following) == 29
    assert first.find(EX + "29") == tmp_path / "29.ttl"
    assert first.find(EX + "all") == tmp_path / "0.ttl"
    assert first.find(EX + "none") is None


def test_a_long_chain_of_catalogs_is_read(tmp_path: Path) -> None:
    length = 1500
    for number in range(length):
        following = f'<nextCatalog catalog="c{number + 1}.xml"/>' if number + 1 < length else ""
        (tmp_path / f"c{number}.xml").write_text(CATALOG.format(following))
    assert len(read_catalog(tmp_path / "c0.xml").following) == length - 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: not XML: no element found"),
        ("<catalog", "not XML: unclosed token"),
        ("<catalog/>", ": this is not an OASIS XML catalog"),
        ('<catalog xmlns="a}b"/>', "1:1: not XML: syntax error"),
        ("<x:catalog/>", "1:1: not XML: unbound prefix"),
        (CATALOG.format('\n<uri p:name="a" uri="b"/>'), "2:1: not XML: unbound prefix"),
        (CATALOG.format('<uri xmlns:p="" name="a" uri="b"/>'), "not XML: must not undeclare prefix"),
        ("not XML at all", "not XML: syntax error"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "the entity 'b' is refused"),
        (CATALOG.format('<nextCatalog catalog="missing.xml"/>'), "missing.xml: no such file"),
        ("\0", "is a binary file"),
    ],
)
def test_a_malformed_catalog_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "catalog.xml").write_text(text)
    with pytest.raises(InputError) as raised:
        read_catalog(tmp_path / "catalog.xml")
    assert message in str(raised.value)
    assert str(raised.value).startswith(str(tmp_path))


def test_a_folder_of_imports_is_a_folder(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "missing"):
        with pytest.raises(InputError, match=f"{name} is not a folder"):
            Library(folders=[tmp_path / name])
