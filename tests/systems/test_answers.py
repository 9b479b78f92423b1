"""Answers of programs, functions and services, read as a profile says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgprobe.formats.files import render, writable_format
from kgprobe.model import Observation, Status
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, NamedNode, Triple
from kgprobe.reasoners.protocol import Hierarchy
from kgprobe.systems.answers import UnreadableError, answering, read_answer
from kgprobe.systems.command import CommandSystem
from kgprobe.systems.function import FunctionSystem

from .system_fixtures import case

A, B, C = (NamedNode(f"urn:{name}") for name in "ABC")
THING, NOTHING = OWL.Thing.value, OWL.Nothing.value


@pytest.mark.parametrize(
    ("text", "value"),
    [("consistent\n", True), (" Inconsistent ", False), ("true", True), (b"FALSE\n", False), (True, True)],
)
def test_consistency(text: object, value: bool) -> None:
    assert read_answer("consistency", text) is value


@pytest.mark.parametrize("text", ["", "yes", "consistent inconsistent", "the ontology is consistent", b"\xff", 1, None])
def test_invalid_consistency_answers_are_refused(text: object) -> None:
    with pytest.raises(UnreadableError, match="expected 'consistent' or 'inconsistent', not "):
        read_answer("consistency", text)


def hierarchy(*, unsatisfiable: set[NamedNode] | None = None, **above: set[NamedNode]) -> Hierarchy:
    """A hierarchy without equivalent classes."""
    parents = {NamedNode(f"urn:{name}"): frozenset(uppers) for name, uppers in above.items()}
    return Hierarchy({name: frozenset({name}) for name in parents}, parents, frozenset(unsatisfiable or ()))


def test_json_with_direct_or_all_superclasses_gives_the_same_hierarchy() -> None:
    expected = hierarchy(A={B}, B={C}, C=set())
    for told in (
        {"urn:A": ["urn:B"], "urn:B": ["urn:C"]},
        {"urn:A": ["urn:C", "urn:B", THING, "urn:A"], "urn:B": ["urn:C"], "urn:C": [THING], NOTHING: ["urn:A"]},
        {"<urn:A>": ["<urn:B>", "<urn:C>"], "urn:B": ["urn:C"], "urn:C": []},
    ):
        assert read_answer("hierarchy", json.dumps(told)) == expected
        assert read_answer("hierarchy", told) == expected


def test_equivalent_unsatisfiable_and_universal_classes() -> None:
    both = read_answer("hierarchy", {"urn:B": ["urn:A"], "urn:A": ["urn:B"], "urn:C": ["urn:B"]})
    assert both == Hierarchy(
        {A: frozenset({A, B}), C: frozenset({C})}, {A: frozenset(), C: frozenset({A})}, frozenset()
    )
    below_nothing = read_answer("hierarchy", {"urn:A": ["urn:B"], "urn:B": [NOTHING], "urn:C": []})
    assert below_nothing == hierarchy(C=set(), unsatisfiable={A, B})
    assert read_answer("hierarchy", {THING: ["urn:C"], "urn:A": []}) == hierarchy(A={C}, C=set())


@pytest.mark.parametrize(
    "told", ["false", "inconsistent\n", False, {THING: [NOTHING]}, f'{{"{THING}": ["{NOTHING}"]}}']
)
def test_the_hierarchy_of_an_inconsistent_ontology(told: object) -> None:
    assert read_answer("hierarchy", told) is False


@pytest.mark.parametrize("format_name", ["turtle", "rdfxml", "functional", "jsonld", "ntriples"])
def test_a_hierarchy_in_an_ontology_of_any_format(format_name: str) -> None:
    classes = [Triple(each, RDF.type, OWL.Class) for each in (A, B, C)]
    stated = [Triple(A, RDFS.subClassOf, B), Triple(B, OWL.equivalentClass, A), Triple(C, RDFS.subClassOf, OWL.Nothing)]
    text = render(Graph([*classes, *stated]), writable_format("-", format_name)).text
    expected = Hierarchy({A: frozenset({A, B})}, {A: frozenset()}, frozenset({C}))
    assert read_answer("hierarchy", text) == expected
    assert read_answer("hierarchy", text.decode()) == expected


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("", "an empty text"),
        ("no ontology at all", "'no ontology at all'"),
        ('{"A": ["urn:B"]}', "'A' is not an absolute IRI"),
        ('{"urn:A": "urn:B"}', "the superclasses of urn:A are not an array"),
        ('{"urn:A": ["urn:B"', "expected an ontology"),
        ("<urn:a> <urn:p> <urn:b> .", "it has no axioms about classes"),
        (True, "it is not an object"),
        (["urn:A"], "it is not an object"),
    ],
)
def test_invalid_hierarchies_are_refused(told: object, reason: str) -> None:
    with pytest.raises(UnreadableError) as raised:
        read_answer("hierarchy", told)
    assert "expected an ontology, a JSON object of classes and arrays of their superclasses" in str(raised.value)
    assert reason in str(raised.value)


_JSON_ROWS = {
    "head": {"vars": ["b", "a"]},
    "results": {
        "bindings": [
            {"a": {"type": "uri", "value": "urn:A"}, "b": {"type": "literal", "value": "x"}},
            {"a": {"type": "bnode", "value": "n7"}},
        ]
    },
}


def test_rows_in_all_formats_of_sparql_are_the_same() -> None:
    expected = frozenset({(("<urn:A>", '"x"'), 1), (("_:b", ""), 1)})
    assert read_answer("rows", json.dumps(_JSON_ROWS)) == expected
    assert read_answer("rows", _JSON_ROWS) == expected
    assert read_answer("rows", '?a\t?b\n<urn:A>\t"x"\n_:n\t\n') == expected
    assert read_answer("rows", [{"b": '"x"', "a": "<urn:A>"}, {"a": "_:n", "b": None}]) == expected
    assert read_answer("rows", [["<urn:A>", '"x"'], ["_:n", None]]) == expected


def test_rows_in_csv_and_truth_values() -> None:
    plain = read_answer("rows", "b,a\r\nx,urn:A\r\nx,urn:A\r\n,_:n\r\n")
    assert plain == frozenset({(("urn:A", "x"), 2), (("_:b", ""), 1)})
    assert read_answer("rows", "x\r\n\r\n1\r\n") == frozenset({(("",), 1), (("1",), 1)})
    assert read_answer("rows", '{"head": {}, "boolean": true}') is True
    assert read_answer("rows", False) is False


@pytest.mark.parametrize(
    "told", ["", "not rows at all", "a,b\n1\n", '{"rows": []}', "?a\t?b\n<urn:A", "<p>Error</p>", 7, {"a": 1}, [[1], 2]]
)
def test_invalid_rows_are_refused(told: object) -> None:
    with pytest.raises(UnreadableError, match="expected SPARQL results in JSON, XML, TSV or CSV, not "):
        read_answer("rows", told)


def test_text_and_json() -> None:
    assert read_answer("text", b"two\r\nlines\n") == "two\nlines"
    assert read_answer("text", {"b": 1, "a": 2}) == '{"a": 2, "b": 1}'
    assert read_answer("json", '{"a": [1]}') == {"a": [1]}
    with pytest.raises(UnreadableError, match="expected JSON, not 'hello'"):
        read_answer("json", "hello")


@given(st.sampled_from(["consistency", "hierarchy", "rows", "json"]), st.one_of(st.text(), st.binary()))
def test_every_unreadable_text_is_reported_in_one_line(kind: str, text: Any) -> None:
    try:
        read_answer(kind, text)
    except UnreadableError as error:
        told = str(error)
    else:
        return
    assert "expected" in told
    assert "\n" not in told


def observed(code: str, kind: str, *more: str, statuses: tuple[int, ...] = (0,)) -> Observation:
    system = answering(CommandSystem("s", ["{python}", "-c", code, *more]), kind, statuses)
    system.start()
    seen = system.run(case())
    system.close()
    return seen


def test_a_program_answers_in_its_output_file_or_on_standard_output() -> None:
    assert observed("print('consistent')", "consistency").value is True
    written = observed("import sys; print('ignored'); open(sys.argv[1], 'w').write('false')", "consistency", "{output}")
    assert (written.value, written.stdout) == (False, "ignored\n")


def test_an_answer_counts_only_with_an_accepted_exit_status() -> None:
    code = "import sys; print('inconsistent'); sys.exit(1)"
    seen = observed(code, "consistency")
    assert (seen.status, seen.value, seen.remark) == (Status.FINISHED, None, "no answer: exit status 1")
    assert observed(code, "consistency", statuses=(0, 1)).value is False


def test_a_truncated_answer_is_not_read() -> None:
    seen = observed("print('x' * 3_000_000)", "text")
    assert seen.value is None
    assert "a command can write its answer to {output}" in seen.remark


def test_the_return_value_of_a_function_is_its_answer(tmp_path: Path) -> None:
    (tmp_path / "given.py").write_text("def f(graph):\n    return {'urn:A': ['urn:B'], 'urn:B': []}\n")
    system = answering(FunctionSystem("f", "given.py:f", folder=tmp_path), "hierarchy", (0,))
    assert system.run(case()).value == hierarchy(A={B}, B=set())
    system.close()
