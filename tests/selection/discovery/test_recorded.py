"""Records of real runs, which refine the uses that discovery finds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgprobe.errors import InputError
from kgprobe.selection.tests import Suite

from .finding import find, only, terms

SEEN = {"a.rq": "SELECT ?x { ?x a ex:Pizza }"}
UNSEEN = {"a.rq": "SELECT ?x { ?x a <{cls}> }"}


def recorded(folder: Path, files: dict[str, str], *entries: object, text: str | bytes | None = None) -> Suite:
    record = folder.with_name(folder.name + ".jsonl")
    lines = "".join(json.dumps(entry) + "\n" for entry in entries)
    record.write_bytes((lines if text is None else text).encode() if not isinstance(text, bytes) else text)
    return find(folder, files, recorded=record)


def test_recorded_uses_replace_reasons(tmp_path: Path) -> None:
    entry = {"test": "a.rq", "terms": ["ex:Food", "http://example.org/pizza#Mozzarella"]}
    test = only(recorded(tmp_path, UNSEEN, entry))
    assert (terms(test), test.unseen) == ({"Food", "Mozzarella"}, ())


def test_recorded_uses_add_to_found_ones(tmp_path: Path) -> None:
    entries = [{"test": "a.rq", "terms": ["Food"]}, {"test": "a.rq", "queries": ["ASK { ex:Mozzarella ?p ?o }"]}]
    test = only(recorded(tmp_path, SEEN, *entries))
    assert terms(test) == {"type", "Pizza", "Food", "Mozzarella"}
    assert len(test.patterns) == 2


def test_a_complete_record_replaces_found_uses(tmp_path: Path) -> None:
    entries = [{"test": "a.rq", "queries": ["ASK { ex:Food ?p ?o }"]}, {"test": "a.rq", "complete": True}]
    test = only(recorded(tmp_path, SEEN, *entries))
    assert (terms(test), len(test.patterns)) == ({"Food"}, 1)


def test_a_record_may_be_one_json_list(tmp_path: Path) -> None:
    text = json.dumps([{"test": "a.rq", "terms": ["Food"]}, {"test": "b.rq", "terms": ["Pizza"]}], indent=1)
    suite = recorded(tmp_path, UNSEEN, text=text)
    assert terms(only(suite)) == {"Food"}
    assert suite.notes == ("1 test of the record was not found, such as b.rq",)


def test_a_query_that_cannot_be_read_keeps_the_test_selected(tmp_path: Path) -> None:
    test = only(recorded(tmp_path, SEEN, {"test": "a.rq", "queries": ["SELECT nothing"], "complete": True}))
    assert test.unseen


def test_queries_without_a_test_count_for_all_tests(tmp_path: Path) -> None:
    entries = [{"test": "a.rq", "terms": ["Food"]}, {"test": None, "queries": ["ASK { ex:Mozzarella ?p ?o }"]}]
    suite = recorded(tmp_path, UNSEEN, *entries)
    assert terms(only(suite)) == {"Food", "Mozzarella"}
    assert len(suite.notes) == 1


def test_a_recorded_test_that_seemed_to_use_no_graph_is_found(tmp_path: Path) -> None:
    files = {"test_a.py": "def test_a(client): assert client.get('/menu')\ndef test_b(): pass\n"}
    suite = recorded(tmp_path, files)
    assert (suite.tests, suite.notes) == ((), ("2 Python tests do not use the graph",))
    suite = recorded(tmp_path, files, {"test": "test_a.py::test_a", "terms": ["Food"]})
    assert terms(only(suite)) == {"Food"}
    assert suite.notes == ("1 Python test does not use the graph",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"test": "a"}\n{"test": ', ":2:10: is not JSON"),
        ('{"tset": "a"}', ":1: this names no test"),
        ('{"test": "a", "term": []}', ":1: a record has no 'term' (did you mean 'terms'?)"),
        ('{"test": "a", "terms": [1]}', ":1: 'terms' is not a list of strings"),
        ('{"test": "a", "complete": 1}', ":1: 'complete' is neither true nor false"),
        ('{"test": 1}', ":1: this names no test"),
        ("1", ":1: this names no test"),
        (b"\xff", ": is not UTF-8 text"),
        ('{"test": ' + "[" * 100_000, ":1: this JSON is nested too deeply"),
    ],
)
def test_an_invalid_record_is_an_error(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(InputError) as error:
        recorded(tmp_path, SEEN, text=text)
    assert message in str(error.value)


def test_a_missing_record_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        find(tmp_path, SEEN, recorded=tmp_path / "missing")


_json = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["test", "terms", "queries", "complete"]), inner, max_size=4),
    ),
    max_leaves=8,
)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.one_of(st.binary(max_size=60), _json.map(lambda value: json.dumps(value).encode())))
def test_any_content_is_a_record_or_an_error(tmp_path: Path, content: bytes) -> None:
    try:
        suite = recorded(tmp_path, SEEN, text=content)
    except InputError:
        return
    assert [test.name for test in suite.tests] == ["a.rq"]
