"""The option `--kg-queries` and the fixture `kg_query`, in separate pytest sessions."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from support.pytest_sessions import pytest_session

_NETWORK = Path(__file__).parents[1] / "examples" / "social-network"
_PREFIX = "PREFIX sn: <https://example.org/social-network#>\n"
_GOOD = _PREFIX + "SELECT ?user { ?user sn:likes ?event . ?event a sn:Event }"
_DEAD = _PREFIX + "SELECT ?user {\n  ?user sn:friend_of ?user }"
_STRANGE = _PREFIX + "SELECT ?user { ?user sn:friend_of sn:nobody }"
_DATA = (
    "@prefix sn: <https://example.org/social-network#> . sn:a sn:likes sn:e . sn:e a sn:Event . sn:b sn:likes sn:m ."
)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Queries outside of the folder with the tests, and an ontology."""
    shutil.copy(_NETWORK / "ontology.ttl", tmp_path)
    _write(tmp_path / "pytest.ini", "[pytest]\ntestpaths = tests\nkg_ontology = ontology.ttl\n")
    _write(tmp_path / "tests" / "test_nothing.py", "def test_nothing(): pass\n")
    _write(tmp_path / "queries" / "good.rq", _GOOD)
    _write(tmp_path / "queries" / "dead.rq", _DEAD)
    _write(tmp_path / "queries" / "strange.sparql", _STRANGE)
    _write(tmp_path / "queries" / "notes.txt", "not a query")
    return tmp_path


def _outcomes(output: str) -> dict[str, str]:
    """The tests by name; xdist prints the status before the name."""
    found = re.findall(r"^(\S+::\w+) (PASSED|FAILED)|(PASSED|FAILED) (\S+::\w+)(?!.* - )", output, re.MULTILINE)
    return {first or last: status or earlier for first, status, earlier, last in found}


_EXPECTED = {
    "tests/test_nothing.py::test_nothing": "PASSED",
    "queries/dead.rq::check": "FAILED",
    "queries/good.rq::check": "PASSED",
    "queries/strange.sparql::check": "PASSED",
}


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "xdist"])
def test_each_query_file_is_a_test_that_fails_with_its_errors(project: Path, workers: tuple[str, ...]) -> None:
    output = pytest_session(project, "--kg-queries", "queries/*", *workers, code=1)
    assert _outcomes(output) == _EXPECTED
    assert "queries/dead.rq:3:3: error [contradiction]: `friend_of` never connects a thing with itself" in output
    assert "because: Irreflexive: friend_of" in output
    assert "Traceback" not in output
    assert "pytest_queries.py" not in output
    summary = output.partition("kgprobe: warnings about queries")[2]
    assert summary.count("queries/strange.sparql:2:35: warning [unknown-term]") == 1


def test_queries_below_the_given_paths_are_collected_once(project: Path) -> None:
    output = pytest_session(project, ".", "--kg-queries", "queries/**/*.rq", "--kg-queries", "queries", code=1)
    assert _outcomes(output) == _EXPECTED
    assert "1 failed, 3 passed" in output
    # The shell expands a glob without quotes: only the first file belongs to the option.
    output = pytest_session(project, "--kg-queries", "queries/good.rq", "queries/strange.sparql")
    assert _outcomes(output) == {
        "queries/strange.sparql::check": "PASSED",
        "queries/good.rq::check": "PASSED",
    }


def test_without_the_option_no_query_is_a_test(project: Path) -> None:
    assert _outcomes(pytest_session(project, "tests", ".")) == {"tests/test_nothing.py::test_nothing": "PASSED"}


def test_a_glob_without_query_files_is_refused(project: Path) -> None:
    output = pytest_session(project, "--kg-queries", "queries/*.txt", code=4)
    assert "--kg-queries queries/*.txt: no query file (.rq, .sparql, .ru) matches" in output


_UPDATE = _PREFIX + "INSERT { ?user sn:friend_of ?user } WHERE { ?user a sn:User }"


def test_the_ontology_of_a_query(project: Path) -> None:
    """The option comes first, then a comment in the query, then the setting."""
    other = (project / "ontology.ttl").read_text(encoding="utf-8").replace(", owl:IrreflexiveProperty", "")
    _write(project / "loose" / "loose.ttl", other)
    _write(project / "loose" / "commented.rq", "# kgprobe: ontology loose.ttl\n" + _DEAD)
    _write(project / "loose" / "update.ru", _UPDATE)
    _write(project / "loose" / "lost.rq", "# kgprobe: ontology los.ttl\n" + _GOOD)
    _write(project / "loose" / "broken.rq", "SELECT ?x {")
    output = pytest_session(project, "--kg-queries", "loose", "--kg-queries", "queries/good.rq", code=1)
    assert {name: status for name, status in _outcomes(output).items() if "loose" in name} == {
        "loose/broken.rq::check": "FAILED",
        "loose/commented.rq::check": "PASSED",
        "loose/lost.rq::check": "FAILED",
        "loose/update.ru::check": "FAILED",
    }
    assert re.search(r"^kgprobe: .*los\.ttl", output, re.MULTILINE)
    assert re.search(r"^kgprobe: loose/broken\.rq:1:12: ", output, re.MULTILINE)
    options = ("--kg-ontology", "loose/loose.ttl", "--kg-queries", "loose/[cu]*", "--kg-queries", "queries/dead.rq")
    assert "4 passed" in pytest_session(project, *options)


def test_a_query_without_an_ontology_or_with_an_inconsistent_one_fails(project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    contradiction = "\nsn:antonio a sn:Activity ."
    _write(project / "bad" / "bad.ttl", (_NETWORK / "ontology.ttl").read_text(encoding="utf-8") + contradiction)
    _write(project / "bad" / "bad.rq", "# kgprobe: ontology bad.ttl\n" + _GOOD)
    output = pytest_session(project, "--kg-queries", "queries/good.rq", "bad/bad.rq", code=1)
    assert set(_outcomes(output).values()) == {"FAILED"}
    assert "no ontology is given" in output
    assert "inconsistent" in output


def test_selection_keeps_the_checks(project: Path) -> None:
    """Any axiom can matter for a check, so that a check is never deselected."""
    _write(project / "new.ttl", (_NETWORK / "ontology.ttl").read_text(encoding="utf-8") + "\nsn:Party a owl:Class .")
    _write(project / "queries" / "update.ru", _UPDATE)
    selection = ("--kg-old", "ontology.ttl", "--kg-new", "new.ttl")
    output = pytest_session(project, "--kg-queries", "queries", *selection, code=1)
    assert _outcomes(output) == _EXPECTED | {"queries/update.ru::check": "FAILED"}


_TESTS = """
import kgprobe
import pytest

NETWORK = "https://example.org/social-network#"

def test_rows(kg_query):
    rows = kg_query("../queries/good.rq", "../data.ttl")
    assert [row["user"].value for row in rows] == [NETWORK + "a"]

def test_graphs(kg_query):
    import rdflib
    for graph in (kgprobe.load("data.ttl"), rdflib.Graph().parse("data.ttl")):
        assert len(kg_query("../queries/good.rq", graph)) == 1

def test_text(kg_query):
    text = "PREFIX sn: <https://example.org/social-network#> ASK { ?user sn:likes ?event }"
    assert kg_query(text, "../data.ttl") is True
    built = kg_query(text.replace("ASK", "CONSTRUCT WHERE"), "../data.ttl", ontology="../ontology.ttl")
    assert isinstance(built, kgprobe.Graph) and len(built) == 2

def test_warning(kg_query):
    assert kg_query("../queries/strange.sparql", "../data.ttl") == []

def test_error(kg_query):
    kg_query("../queries/dead.rq", "../data.ttl")

def test_update(kg_query):
    kg_query("PREFIX sn: <https://example.org/social-network#> INSERT DATA { sn:a a sn:User }", "../data.ttl")

def test_missing(kg_query):
    kg_query("../queries/goood.rq", "../data.ttl")
"""


def test_kg_query_checks_a_query_and_runs_it(project: Path) -> None:
    _write(project / "tests" / "test_it.py", _TESTS)
    _write(project / "data.ttl", _DATA)
    output = pytest_session(project, "tests/test_it.py", code=1)
    outcomes = {name.partition("::")[2]: status for name, status in _outcomes(output).items()}
    assert {name for name, status in outcomes.items() if status == "PASSED"} == {
        "test_rows",
        "test_graphs",
        "test_text",
        "test_warning",
    }
    assert {name for name, status in outcomes.items() if status == "FAILED"} == {
        "test_error",
        "test_update",
        "test_missing",
    }
    assert "queries/dead.rq:3:3: error [contradiction]" in output
    assert "kg_query runs queries, and this is an update" in output
    assert "goood.rq" in output
    assert output.partition("kgprobe: warnings about queries")[2].count("strange.sparql:2:35: warning") == 1
    assert "Traceback" not in output


_SEPARATE = ("--kg-queries", "queries/*.rq", "--kg-ontology", "ontology/ontology.ttl")
_JOINED = tuple(f"{_SEPARATE[each]}={_SEPARATE[each + 1]}" for each in (0, 2))


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "xdist"])
@pytest.mark.parametrize("has_settings", [True, False], ids=["settings", "none"])
def test_a_space_or_an_equals_sign_name_the_same_files(
    project: Path, workers: tuple[str, ...], *, has_settings: bool
) -> None:
    """pytest looks for its settings before it knows our options: a value after a space looks like a path to tests."""
    folder = project / "ontology"
    folder.mkdir()
    (project / "ontology.ttl").rename(folder / "ontology.ttl")
    (project / "pytest.ini").unlink()
    if has_settings:
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    output = pytest_session(project, *_SEPARATE, *workers, code=1)
    names = [name for name in _outcomes(output) if name.startswith("queries")]
    assert names
    assert all((project / name.partition("::")[0]).is_file() for name in names)
    assert "FAILED queries/dead.rq::check" in output
    assert "ontology/queries" not in output
    assert ("write --kg-ontology=ontology/ontology.ttl" in output) is has_settings
    joined = pytest_session(project, *_JOINED, *workers, code=1)
    assert _outcomes(joined).items() >= {name: _outcomes(output)[name] for name in names}.items()
    assert "instead of your settings" not in joined


def test_settings_that_pytest_did_not_find_are_pointed_out(project: Path) -> None:
    (project / "inner").mkdir()
    (project / "pytest.ini").rename(project / "inner" / "pytest.ini")
    arguments = ("--kg-queries", "../queries/*.rq", "--kg-ontology", "../ontology.ttl")
    output = pytest_session(project / "inner", *arguments, code=1)
    assert "pytest took the value of --kg-ontology for a path to tests" in output
    assert "FAILED ../queries/dead.rq::check" in output


def test_a_program_of_the_project_gives_a_variable_its_value(project: Path) -> None:
    _write(project / "queries" / "limit.rq", _PREFIX + "SELECT ?user { ?user sn:age ?age FILTER(?age > ?limit) }")
    output = pytest_session(project, "--kg-queries", "queries/limit.rq", code=1)
    assert "?limit is never bound here" in output
    _write(
        project / "src" / "app.py",
        "def adults(graph, text):\n    return graph.query(text, initBindings={'limit': 17})\n",
    )
    output = pytest_session(project, "--kg-queries", "queries/limit.rq", code=0)
    assert _outcomes(output)["queries/limit.rq::check"] == "PASSED"
