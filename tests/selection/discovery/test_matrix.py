"""A matrix of tests and terms, kept by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgprobe.errors import InputError
from kgprobe.selection.tests import Suite, Test

from .finding import EX, find, terms


def matrix(folder: Path, text: str | bytes, *, name: str = "matrix.csv", **files: str) -> Suite:
    content = text if isinstance(text, bytes) else text.encode()
    return find(folder, {name: content, **files}, matrix=folder / name)


def by_name(suite: Suite) -> dict[str, Test]:
    return {test.name: test for test in suite.tests}


TABLE_1 = """test,term,target,label
t1,VeggiePizza,,
t2,Pizza,,
t2,ex:MushroomPizza,,
t3,MushroomPizza,Mozzarella,hasTopping[some]
t4,<http://example.org/pizza#Food>,,
"""


def test_the_first_table_of_the_paper(tmp_path: Path) -> None:
    found = by_name(matrix(tmp_path, TABLE_1))
    assert {name: terms(test) for name, test in found.items()} == {
        "t1": {"VeggiePizza"},
        "t2": {"Pizza", "MushroomPizza"},
        "t3": {"MushroomPizza", "Mozzarella"},
        "t4": {"Food"},
    }
    assert found["t3"].edges == ((EX.MushroomPizza, EX.Mozzarella, "hasTopping[some]"),)
    assert {use.text for use in found["t3"].uses} == {"MushroomPizza hasTopping[some] Mozzarella"}
    assert all(test.language.name == "matrix" and not test.unseen and not test.file for test in found.values())


def test_the_same_table_in_toml(tmp_path: Path) -> None:
    text = """
[tests]
t1 = "VeggiePizza"
t2 = ["Pizza", "ex:MushroomPizza"]
"t 4" = ["http://example.org/pizza#Food"]
t5 = []

[[edge]]
test = "t3"
source = "MushroomPizza"
target = "Mozzarella"
label = "hasTopping[some]"
"""
    found = by_name(matrix(tmp_path, text, name="matrix.toml"))
    assert [terms(test) for test in found.values()] == [
        {"Food"},
        {"VeggiePizza"},
        {"Pizza", "MushroomPizza"},
        {"MushroomPizza", "Mozzarella"},
        set(),
    ]
    assert found["t3"].edges == ((EX.MushroomPizza, EX.Mozzarella, "hasTopping[some]"),)
    assert found["t5"].unseen


def test_columns_may_have_any_order_and_separator(tmp_path: Path) -> None:
    found = by_name(matrix(tmp_path, "\ufeffTerm;owner;TEST\n\nPizza;me;a\n;me;b\n"))
    assert terms(found["a"]) == {"Pizza"}
    assert found["b"].unseen == ("cannot see what this test uses: the matrix names no term for it",)


def test_a_label_of_two_terms_means_both(tmp_path: Path) -> None:
    found = by_name(matrix(tmp_path, "test,term\nt,Twin's pizza\n"))
    assert terms(found["t"]) == {"Margherita", "MushroomPizza"}


def test_an_unknown_name_is_noted_and_its_test_is_always_selected(tmp_path: Path) -> None:
    suite = matrix(tmp_path, "test,term\nt,Piza\nu,ex:Calzone\n")
    found = by_name(suite)
    assert found["t"].unseen == ("cannot see what this test uses: no term is called 'Piza'",)
    assert (terms(found["u"]), found["u"].unseen) == ({"Calzone"}, ())
    assert suite.notes == (
        f"{tmp_path / 'matrix.csv'}:2: no term of the ontology is called 'Piza' (did you mean 'Pizza'?)",
        f"{tmp_path / 'matrix.csv'}:3: no term of the ontology is called 'ex:Calzone'",
    )


def test_many_unknown_names_are_counted(tmp_path: Path) -> None:
    suite = matrix(tmp_path, "test,term\n" + "".join(f"t,nothing at all {n}\n" for n in range(30)))
    assert len(suite.notes) == 11
    assert suite.notes[-1] == "20 more names are not in the ontology"


def test_a_matrix_completes_the_found_uses(tmp_path: Path) -> None:
    queries = {"a.rq": "SELECT ?x { ?x a <{cls}> }", "b.rq": "SELECT ?x { ?x a ex:Pizza }"}
    found = by_name(matrix(tmp_path, "test,term\na.rq,Food\nb.rq,Food\nc.rq,Food\n", **queries))
    assert (found["a.rq"].language.name, terms(found["a.rq"]), found["a.rq"].unseen) == ("sparql", {"Food"}, ())
    assert terms(found["b.rq"]) == {"type", "Pizza", "Food"}
    assert found["c.rq"].language.name == "matrix"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("m.csv", "tests,term\nt,Pizza\n", "m.csv:1: the matrix has no column 'test' (is 'tests' meant?)"),
        ("m.csv", "", "m.csv:1: the matrix has no column 'test'"),
        ("m.csv", "test,term\n,Pizza\n", "m.csv:2: this row names no test"),
        ("m.csv", b"test,term\n\xff,Pizza\n", "m.csv:2: is not UTF-8 text"),
        ("m.toml", "a = ]\n", "m.toml:1:5: this is not TOML"),
        ("m.toml", "test = 1", "m.toml: a matrix has no 'test' (did you mean 'tests'?)"),
        ("m.toml", "tests = 1", "m.toml: 'tests' is not a table"),
        ("m.toml", "[tests]\na = 1", "m.toml: the terms of 'a' are not a list of strings: 1"),
        ("m.toml", "edge = 1", "m.toml: 'edge' is not a list of tables"),
        ("m.toml", "[[edge]]\nsorce = 'a'", "m.toml: an edge has no 'sorce' (did you mean 'source'?)"),
        ("m.toml", "[[edge]]\ntest = 1", "m.toml: the test of an edge is not a string: 1"),
        ("m.toml", "[[edge]]\ntest = 'a'", "m.toml: an edge needs a test and a source"),
    ],
)
def test_an_invalid_matrix_is_an_error(tmp_path: Path, name: str, text: str | bytes, message: str) -> None:
    with pytest.raises(InputError) as error:
        matrix(tmp_path, text, name=name)
    assert str(error.value).replace(f"{tmp_path}/", "").startswith(message)


def test_a_missing_matrix_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        find(tmp_path, {}, matrix=tmp_path / "missing.csv")


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.sampled_from(["m.csv", "m.toml"]),
    st.one_of(st.binary(max_size=100), st.text(max_size=60).map(lambda text: f"test,term\n{text}".encode())),
)
def test_any_content_is_a_matrix_or_an_error(tmp_path: Path, name: str, content: bytes) -> None:
    try:
        suite = matrix(tmp_path, content, name=name)
    except InputError:
        return
    assert all(test.uses or test.unseen for test in suite.tests)
