"""The mark `kg_mutants` and the fixture `kg_reduce`, in separate pytest sessions."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from support.pytest_sessions import pytest_session

from kgprobe import load
from kgprobe.rdf.terms import Literal

_CAFE = Path(__file__).parents[1] / "docs" / "files" / "cafe.ttl"
_HEAD = "import pytest\n"
# Prices are literals. This program fails on a mutant without a price, or with more than one.
_PROGRAM = """
def prices(graph):
    found = [float(triple.object.value) for triple in graph if triple.predicate.value.endswith("price")]
    if any(price > 5 for price in found):
        raise ValueError(f"too expensive: {max(found)}")
    return found
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copy(_CAFE, tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n", encoding="utf-8")
    return tmp_path


def _pytest(folder: Path, text: str, *arguments: str, code: int) -> str:
    (folder / "test_it.py").write_text(_HEAD + text, encoding="utf-8")
    return pytest_session(folder, *arguments, code=code)


_SAVED = """
@pytest.mark.kg_mutants("cafe.ttl", operators="abox", mutations=3, count=8, seed=5)
def test_cafe(mutant, request):
    number = request.node.name.partition("#")[2].strip("]")
    with open(f"{number}-{request.config.getini('kg_reduced').strip('.')}.nt", "w") as file:
        file.writelines(sorted(f"{triple} .\\n" for triple in mutant))
    mutant.remove(next(iter(mutant)))  # the next test has its own
"""


def test_each_mutant_is_a_test_that_can_be_run_again_by_its_id(project: Path) -> None:
    output = _pytest(project, _SAVED, code=0)
    assert re.findall(r"test_cafe\[(cafe#\d)\] PASSED", output) == [f"cafe#{number}" for number in range(1, 9)]
    first = {file.name: file.read_text() for file in project.glob("*.nt")}
    assert len(set(first.values())) == 8
    for file in project.glob("*.nt"):
        file.unlink()
    _pytest(project, _SAVED, "test_it.py::test_cafe[cafe#6]", code=0)
    assert {file.name: file.read_text() for file in project.glob("*.nt")} == {"6-kgprobe.nt": first["6-kgprobe.nt"]}


def test_workers_of_xdist_have_the_same_mutants(project: Path) -> None:
    _pytest(project, _SAVED, code=0)
    first = {file.name: file.read_text() for file in project.glob("*.nt")}
    _pytest(project, _SAVED, "-n", "2", code=0)
    assert {file.name: file.read_text() for file in project.glob("*.nt")} == first


_FAILS = f"""
{_PROGRAM}
@pytest.mark.kg_mutants("cafe.ttl", operators=["ChangeDataProperty"], mutations=6, count=10, seed=1)
def test_prices(mutant, kg_reduce):
    kg_reduce(mutant, prices)
"""


def test_a_failing_graph_is_reduced_and_kept(project: Path) -> None:
    output = _pytest(project, _FAILS, code=1)
    failed = re.findall(r"test_prices\[(cafe#\d+)\] FAILED", output)
    assert 0 < len(failed) < 10
    files = sorted((project / ".kgprobe").iterdir())
    assert len(files) == len(failed)
    for file in files:
        [triple] = load(file)
        assert isinstance(triple.object, Literal)
        assert float(triple.object.value) > 5
        assert f"which are in {file}" in output
    assert "ValueError: too expensive" in output
    assert "fails on 1 of " in output


def test_another_failure_of_a_smaller_graph_does_not_count(project: Path) -> None:
    text = """
def check(graph):
    if len(graph) < 4:
        raise ValueError("too small")
    if len(graph) > 5:
        raise ValueError("too large")

@pytest.mark.kg_mutants("cafe.ttl", count=1)
def test_size(mutant, kg_reduce):
    kg_reduce(mutant, check)
"""
    output = _pytest(project, text, code=1)
    assert "fails on 6 of " in output


def test_a_smaller_graph_is_admissible_for_the_mask_of_the_mark(project: Path) -> None:
    (project / "named.rq").write_text(
        "PREFIX : <https://example.org/cafe#> ASK { ?drink :price ?price . FILTER NOT EXISTS {"
        " ?coffee :price ?other . FILTER NOT EXISTS { ?coffee a ?class } } }"
    )
    output = _pytest(project, _FAILS.replace("mutations=6", 'mutations=6, mask="named.rq"'), code=1)
    assert "fails on 2 of " in output  # the price, and the class that the mask asks for
    for file in (project / ".kgprobe").iterdir():
        assert any(triple.predicate.value.endswith("#type") for triple in load(file))


def test_a_graph_outside_the_mask_is_not_reduced(project: Path) -> None:
    (project / "typed.rq").write_text("ASK { ?s a ?class }")
    text = """
@pytest.mark.kg_mutants("cafe.ttl", operators="abox", mask="typed.rq", count=1)
def test_one(mutant, kg_reduce):
    for triple in list(mutant):
        if triple.predicate.value.endswith("#type"):
            mutant.remove(triple)
    kg_reduce(mutant, lambda graph: 1 / 0)
"""
    output = _pytest(project, text, code=1)
    assert "ZeroDivisionError" in output
    assert re.search(r"not reduced: the graph is not admissible: .*typed.rq: the answer is false", output)


def test_another_message_of_the_same_exception_is_another_failure(project: Path) -> None:
    text = """
def check(graph):
    [one] = [triple for triple in graph if triple.predicate.value.endswith("price")]

@pytest.mark.kg_mutants("cafe.ttl", operators="AddAnnotation", mutations=1, count=1)
def test_prices(mutant, kg_reduce):
    kg_reduce(mutant, check)
"""
    output = _pytest(project, text, code=1)
    assert "ValueError: too many values to unpack (expected 1" in output
    assert "not enough values" not in output
    assert "fails on 2 of " in output


def test_a_failure_that_does_not_come_again_is_told_as_it_was(project: Path) -> None:
    text = """
calls = []
def check(graph):
    calls.append(graph)
    if len(calls) == 1:
        raise ValueError("once")

@pytest.mark.kg_mutants("cafe.ttl", count=1)
def test_once(mutant, kg_reduce):
    kg_reduce(mutant, check)
"""
    output = _pytest(project, text, code=1)
    assert "ValueError: once" in output
    assert "not reduced: it did not fail again" in output


def test_assertions_and_calls_of_fail_are_failures(project: Path) -> None:
    text = """
@pytest.mark.kg_mutants("cafe.ttl", count=1)
def test_one(mutant, kg_reduce):
    def check(graph):
        assert len(graph) < 3
    kg_reduce(mutant, check)

@pytest.mark.kg_mutants("cafe.ttl", count=1)
def test_two(mutant, kg_reduce):
    def check(graph):
        if len(graph) >= 2:
            pytest.fail("large")
    kg_reduce(mutant, check)
"""
    output = _pytest(project, text, code=1)
    assert "fails on 3 of " in output
    assert "fails on 2 of " in output


def test_a_mask_that_admits_nothing_is_not_a_success(project: Path) -> None:
    (project / "never.rq").write_text("ASK { <urn:a> <urn:b> <urn:c> }")
    text = """
@pytest.mark.kg_mutants("cafe.ttl", mask="never.rq", count=2, mutations=1)
def test_cafe(mutant):
    pass
"""
    output = _pytest(project, text, code=1)
    assert "no valid mutant of cafe.ttl was found" in output


def test_fewer_mutants_than_asked_for_are_skips(project: Path) -> None:
    (project / "one.ttl").write_text("<urn:a> <urn:b> <urn:c> .")
    text = """
@pytest.mark.kg_mutants("one.ttl", operators="RemoveTriple", mutations=1, count=3)
def test_one(mutant):
    assert len(mutant) == 0
"""
    output = _pytest(project, text, code=0)
    assert "1 passed, 2 skipped" in output


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('@pytest.mark.kg_mutants("cafe.ttl")\ndef test_it():\n    pass\n', "needs a test that takes 'mutant'"),
        ('@pytest.mark.kg_mutants("nowhere.ttl")\ndef test_it(mutant):\n    pass\n', "nowhere.ttl does not exist"),
        ('@pytest.mark.kg_mutants("cafe.ttl", cont=3)\ndef test_it(mutant):\n    pass\n', "'cont'"),
        ('@pytest.mark.kg_mutants("cafe.ttl", count=0)\ndef test_it(mutant):\n    pass\n', "at least 1"),
    ],
)
def test_invalid_marks_are_reported_during_collection(project: Path, text: str, told: str) -> None:
    output = _pytest(project, text, code=2)
    assert told in output
    assert "INTERNALERROR" not in output


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def test_it(mutant):\n    pass\n", 'needs @pytest.mark.kg_mutants("graph.ttl")'),
        ('@pytest.mark.kg_mutants("cafe.ttl", operators="aboxx")\ndef test_it(mutant):\n    pass\n', "'abox'"),
        ('@pytest.mark.kg_mutants("broken.ttl")\ndef test_it(mutant):\n    pass\n', "broken.ttl:2:"),
    ],
)
def test_other_errors_fail_the_test_in_one_line(project: Path, text: str, told: str) -> None:
    (project / "broken.ttl").write_text("<urn:a> <urn:b> \n")
    output = _pytest(project, text, code=1)
    assert told in output
    assert "Traceback" not in output
