"""Shapes as a check: refused shapes, rejected graphs, and the messages."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from kgprobe.errors import InputError
from kgprobe.formats.files import load, read_graph
from kgprobe.masks.shacl import ShaclCheck, read_shapes
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Literal, NamedNode, Triple

PREFIXES = """
@prefix ex: <http://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""


def graph_of(tmp_path: Path, text: str, name: str = "g.ttl") -> Graph:
    path = tmp_path / name
    path.write_text(PREFIXES + text, encoding="utf-8")
    return load(path).graph


def shapes_of(tmp_path: Path, text: str) -> ShaclCheck:
    return ShaclCheck(graph_of(tmp_path, text, "m.ttl"), "m.ttl")


def words(tmp_path: Path, shape: str, data: str) -> list[str]:
    """The verdict of a shape for ex:a on data."""
    check = shapes_of(tmp_path, f"ex:S a sh:NodeShape ; sh:targetNode ex:a ; {shape} .")
    graph = graph_of(tmp_path, data)
    found = check.rejections(graph)
    assert check.admits(graph) is (not found)
    assert all(rejection.check == "m.ttl" for rejection in found)
    return [rejection.words for rejection in found]


def test_a_shapes_graph_without_triples_admits_everything(tmp_path: Path) -> None:
    check = shapes_of(tmp_path, "")
    assert check.admits(graph_of(tmp_path, "ex:a ex:p ex:b ."))
    assert check.rejections(graph_of(tmp_path, "ex:a ex:p ex:b .")) == []


@pytest.mark.parametrize(
    ("shape", "data", "expected"),
    [
        ("sh:property [ sh:path ex:p ; sh:minCount 1 ]", "", "ex:a must have at least 1 value for ex:p (shape ex:S)"),
        (
            "sh:property [ sh:path [ sh:inversePath ex:p ] ; sh:qualifiedMinCount 2 ; sh:qualifiedValueShape ex:T ]",
            "ex:b ex:p ex:a .",
            "ex:a must have, for ^ex:p, at least 2 values conforming to ex:T (shape ex:S)",
        ),
        (
            "sh:property [ sh:path ( ex:p [ sh:alternativePath ( ex:q ex:r ) ] ) ; sh:datatype xsd:integer ]",
            "ex:a ex:p ex:b . ex:b ex:r 2.5 .",
            "ex:a has 2.5 for ex:p/(ex:q|ex:r), which must be a well-formed literal of type xsd:integer (shape ex:S)",
        ),
        (
            "sh:property [ sh:path ex:p ; sh:in ( ex:b ex:c ) ]",
            "ex:a ex:p _:x .",
            "ex:a has _:x for ex:p, which must be one of ex:b, ex:c (shape ex:S)",
        ),
        ("sh:closed true", "ex:a ex:p 1e0 .", 'ex:a must not have ex:p, and has "1e0"^^xsd:double (shape ex:S)'),
        ("sh:not [ sh:nodeKind sh:IRI ]", "", "ex:a must not conform to [ sh:nodeKind sh:IRI ] (shape ex:S)"),
        (
            "sh:not [ sh:not [ sh:not [ sh:class ex:C ] ] ] , [ sh:property [ sh:path ex:p ; sh:in ( 1 2 ) ] ]",
            "ex:a a ex:C ; ex:p 3 .",
            "ex:a must not conform to [ sh:not [ sh:not [ … ] ] ], [ sh:property [ sh:path ex:p ; sh:in ( 1 2 ) ] ]"
            " (shape ex:S)",
        ),
        (
            "sh:or ( [ sh:class ex:C ] ex:T ) . ex:T sh:class ex:D",
            "",
            "ex:a must conform to at least one of [ sh:class ex:C ], ex:T (shape ex:S)",
        ),
        (
            "sh:property [ sh:path ex:p ; sh:equals ex:q ]",
            "ex:a ex:q 2 .",
            "ex:a must have the same values for ex:p and ex:q, and has 2 for only one of them (shape ex:S)",
        ),
        ("sh:equals ex:q", "ex:a ex:q ex:a, 2 .", "ex:a must have itself, and nothing else, for ex:q (shape ex:S)"),
        ('sh:class ex:C ; sh:message "needs a class"', "", "ex:a is rejected: needs a class (shape ex:S)"),
        ("sh:hasValue ex:b", "", "ex:a must be ex:b (shape ex:S)"),
        (
            'sh:sparql [ sh:select "SELECT $this ?value { $this <http://example.org/p> ?value }" ]',
            "ex:a ex:p 1 .",
            "ex:a is found by a query that must find nothing, with 1 (shape ex:S)",
        ),
        (
            'sh:sparql [ sh:message "no p" ; sh:select "SELECT $this { $this <http://example.org/p> ?value }" ]',
            "ex:a ex:p 1 .",
            "ex:a is rejected: no p (shape ex:S)",
        ),
    ],
)
def test_a_rejection_describes_the_violation(tmp_path: Path, shape: str, data: str, expected: str) -> None:
    (found,) = words(tmp_path, shape, data)
    assert found == expected


def test_a_rejection_is_about_a_node(tmp_path: Path) -> None:
    check = shapes_of(
        tmp_path, "ex:S a sh:NodeShape ; sh:targetClass ex:C ; sh:property [ sh:path ex:p ; sh:minCount 1 ] ."
    )
    graph = graph_of(tmp_path, "ex:a a ex:C . ex:b a ex:D ; ex:p 1 . ex:D rdfs:subClassOf ex:C .")
    assert [rejection.node for rejection in check.rejections(graph)] == [NamedNode("http://example.org/a")]


def test_only_the_graph_itself_is_validated(tmp_path: Path) -> None:
    check = shapes_of(
        tmp_path, "ex:S a sh:NodeShape ; sh:targetNode ex:a ; sh:class ex:C . ex:D rdfs:subClassOf ex:C . ex:a a ex:C ."
    )
    assert not check.admits(graph_of(tmp_path, "ex:a a ex:D ."))


def test_a_result_of_any_severity_rejects(tmp_path: Path) -> None:
    assert len(words(tmp_path, "sh:class ex:C ; sh:severity sh:Info", "")) == 1


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ("ex:a ex:p ex:b .", "has triples, but no SHACL shape, and would admit everything"),
        ("ex:S sh:targetNode ex:a ; sh:minCout 1 .", r"sh:minCout is not known \(did you mean sh:minCount\?\)"),
        ("ex:S sh:targetNode ex:a ; sh:property [ sh:minCount 1 ] .", "is used with sh:property, but has no sh:path"),
        ("ex:S sh:path ex:p ; sh:minCount 'a' .", 'sh:minCount of ex:S must be a whole number .*, not "a"'),
        ("ex:S sh:path ex:p ; sh:minCount 1, 2 .", "ex:S has more than one sh:minCount"),
        ("ex:S sh:path ex:p, ex:q .", "ex:S has more than one sh:path"),
        ("ex:S sh:path [ sh:inversePath 1 ] .", "sh:path of ex:S: .* is not a path"),
        ("ex:S sh:path ( ex:p ) .", "a list of paths needs at least two"),
        ("ex:S sh:path _:x . _:x sh:inversePath _:x .", "a path is part of itself"),
        ("ex:S sh:path ex:p ; sh:in ex:a .", "sh:in must be a list"),
        ("ex:S sh:targetNode ex:a ; sh:pattern '([' .", r'sh:pattern of ex:S is not a regular expression: "\(\["'),
        ("ex:S sh:targetNode ex:a ; sh:nodeKind sh:Iri .", "sh:nodeKind of ex:S must be a node kind such as sh:IRI"),
        ("ex:S sh:targetNode ex:a ; sh:closed '1'^^xsd:boolean .", "sh:closed of ex:S must be true or false"),
        ("ex:S sh:targetNode ex:a ; sh:class 'C' .", "sh:class of ex:S must be an IRI"),
        ("ex:S sh:targetNode ex:a ; sh:rule [] .", "sh:rule is not supported: rules add triples"),
        ("ex:S sh:targetNode ex:a ; sh:js [] .", "sh:js is not supported: JavaScript is not run"),
        ("ex:S sh:entailment ex:a .", "sh:entailment is not supported"),
        ("ex:S sh:targetNode ex:a ; sh:sparql [ sh:select 'SELECT $this {' ] .", "these shapes cannot be used"),
        (
            "ex:S sh:targetNode ex:a ; sh:sparql [ sh:select 'SELECT $this { SERVICE ex:s { ?a ?b ?c } }' ] .",
            "SERVICE would use the network",
        ),
        ("ex:S sh:target [ ] ; sh:class ex:C .", "these shapes cannot be used"),
    ],
)
def test_constructs_that_an_engine_would_ignore_are_refused(tmp_path: Path, shapes: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^m.ttl: .*{message}"):
        shapes_of(tmp_path, shapes)


def test_parameters_of_components_that_the_file_defines_are_known(tmp_path: Path) -> None:
    component = """
    sh:MineComponent a sh:ConstraintComponent ; sh:parameter [ sh:path sh:mine ] ;
        sh:validator [ a sh:SPARQLAskValidator ; sh:ask "ASK { FILTER(isIRI($value)) }" ] .
    ex:S a sh:NodeShape ; sh:targetNode ex:a, "x" ; sh:mine true .
    """
    check = shapes_of(tmp_path, component)
    (rejection,) = check.rejections(Graph())
    assert rejection.node == Literal("x")
    assert rejection.words.startswith('"x" is rejected by MineComponent: ')


def nested(levels: int, before: str, innermost: str, after: str) -> str:
    return before * levels + innermost + after * levels


def test_deep_shapes_are_validated_and_endless_paths_refused(tmp_path: Path) -> None:
    deep = nested(120, "[ sh:node ", "[ sh:class ex:C ]", " ]")
    graph = graph_of(tmp_path, "ex:a a ex:C .")
    check = shapes_of(tmp_path, f"ex:S a sh:NodeShape ; sh:targetNode ex:a ; sh:node {deep} .")
    assert check.admits(graph)
    graph.remove(next(iter(graph)))
    assert not check.admits(graph)
    with pytest.raises(InputError, match="a path is nested too deeply"):
        shapes_of(tmp_path, f"ex:S sh:path {nested(120, '[ sh:inversePath ', 'ex:p', ' ]')} .")


def test_shapes_are_read_in_any_format(tmp_path: Path) -> None:
    path = tmp_path / "mask.nt"
    sh = "http://www.w3.org/ns/shacl#"
    path.write_text(f"<urn:s> <{sh}targetNode> <urn:a> .\n<urn:s> <{sh}nodeKind> <{sh}Literal> .\n", encoding="utf-8")
    assert [r.words for r in read_shapes(path)[0].rejections(Graph())] == [
        f"<urn:a> must be of kind <{sh}Literal> (shape <urn:s>)"
    ]


def test_shacl_checks_can_be_pickled(tmp_path: Path) -> None:
    check = shapes_of(
        tmp_path, "ex:S a sh:NodeShape ; sh:targetNode ex:a ; sh:property [ sh:path ex:p ; sh:minCount 1 ] ."
    )
    graph = graph_of(tmp_path, "")
    again = pickle.loads(pickle.dumps(check))  # noqa: S301 - our own bytes
    assert not again.admits(graph)
    graph.add(Triple(*(NamedNode(f"http://example.org/{name}") for name in "apb")))
    assert again.admits(graph)


_PREFIXES = "@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> .\n"
_NEEDS_P = ":S a sh:NodeShape ; sh:targetClass :C ; sh:property [ sh:path :p ; sh:minCount 1 ] ."


@pytest.mark.parametrize(
    ("files", "names", "is_admitted"),
    [
        ((_NEEDS_P, ":S sh:deactivated true ."), ["a.ttl and b.ttl"], True),
        ((":T a sh:NodeShape ; sh:targetClass :C ; sh:node :S .", ":S sh:nodeKind sh:Literal ."), None, False),
        ((_NEEDS_P, ":T a sh:NodeShape ; sh:targetClass :C ; sh:nodeKind sh:IRI ."), ["a.ttl", "b.ttl"], False),
        ((_NEEDS_P, ":U sh:deactivated true .", ":S sh:targetClass :D ."), ["a.ttl and c.ttl", "b.ttl"], False),
    ],
)
def test_files_that_complete_each_other_are_one_shapes_graph(
    tmp_path: Path, files: tuple[str, ...], names: list[str] | None, is_admitted: bool
) -> None:
    paths = []
    for name, text in zip("abc", files, strict=False):
        paths.append(tmp_path / f"{name}.ttl")
        paths[-1].write_text(_PREFIXES + text)
    checks = read_shapes(*paths)
    assert [check.name.replace(f"{tmp_path}/", "") for check in checks] == (names or ["a.ttl and b.ttl"])
    graph = read_graph(b"<http://e/x> a <http://e/C> .")
    # In any order, and as one file, the verdict is the same.
    whole = tmp_path / "whole.ttl"
    whole.write_text(_PREFIXES + "\n".join(files))
    for given in (paths, paths[::-1], [whole]):
        assert all(check.admits(graph) for check in read_shapes(*given)) == is_admitted
