"""The pytest plugin, in separate sessions."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from support.commands import kgprobe
from support.pytest_sessions import pytest_session
from support.repositories import Repo, needs_git

pytestmark = needs_git
PIZZERIA = Path(__file__).parent.parent / "examples" / "pizzeria"
TESTS = "tests/test_menu.py"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a menu and tests of it, in a repository; the menu has changed since the commit v1."""
    (tmp_path / "tests").mkdir()
    shutil.copy(PIZZERIA / TESTS, tmp_path / TESTS)
    for number in (1, 2):
        shutil.copy(PIZZERIA / f"menu-{number}.ttl", tmp_path / f"menu-{number}.ttl")
    (tmp_path / "pytest.ini").write_text("[pytest]\nkg_ontology = menu.ttl\n", encoding="utf-8")
    shutil.copy(PIZZERIA / "menu-1.ttl", tmp_path / "menu.ttl")
    Repo.at(tmp_path)
    shutil.copy(PIZZERIA / "menu-2.ttl", tmp_path / "menu.ttl")
    return tmp_path


def _commit(project: Path, *files: str, tag: str) -> None:
    repo = Repo(project)
    repo.git("add", *files)
    repo.git("commit", "--quiet", "-m", tag)
    repo.git("tag", tag)


def _ran(output: str) -> set[str]:
    """The tests that passed; xdist prints the status before the name."""
    return {
        name
        for pair in re.findall(r"::(test_\w+)(?:\[\S*\])? PASSED|PASSED \S*::(test_\w+)", output)
        for name in pair
        if name
    }


AFFECTED = {"test_there_are_kinds_of_pizza", "test_there_is_a_branch"}
WITHOUT_GRAPH = {"test_prices_are_rounded"}
ALL = AFFECTED | WITHOUT_GRAPH | {"test_lemonade_is_a_drink", "test_salami_is_known"}


def test_without_its_options_the_plugin_does_nothing(project: Path) -> None:
    assert _ran(pytest_session(project)) == ALL


@pytest.mark.parametrize(
    "options",
    [("--kg-since", "v1"), ("--kg-old", "menu-1.ttl", "--kg-new", "menu-2.ttl"), ("--kg-since", "v1", "-n", "2")],
)
def test_tests_that_the_change_cannot_affect_are_deselected(project: Path, options: tuple[str, ...]) -> None:
    output = pytest_session(project, *options, all_plugins=True)  # kgprobe's own is found without being named
    assert _ran(output) == AFFECTED | WITHOUT_GRAPH


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_the_reasons_are_shown(project: Path, workers: tuple[str, ...]) -> None:
    output = pytest_session(project, "--kg-since", "v1", "--kg-explain", *workers)
    assert "3 tests to run, 2 deselected" in output
    assert re.search(r"\+ :Calzone rdfs:subClassOf :Pizza affects line \d+: \?kind rdfs:subClassOf\+ :Pizza", output)


def test_without_a_configuration_changed_graphs_are_found(project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    _commit(project, "pytest.ini", tag="v2")
    assert _ran(pytest_session(project, "--kg-since", "v2")) == AFFECTED | WITHOUT_GRAPH


TWO_FILES = ("--kg-old", "menu-1.ttl", "--kg-new", "menu-2.ttl")


def test_only_explicitly_declared_terms_count(project: Path) -> None:
    file = project / TESTS
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('kg_terms(":Branch")', 'kg_terms(":Lemonade")'), encoding="utf-8")
    assert _ran(pytest_session(project, *TWO_FILES)) == (AFFECTED | WITHOUT_GRAPH) - {"test_there_is_a_branch"}


def test_a_mark_on_a_parameter_counts(project: Path) -> None:
    (project / "tests" / "test_marks.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('n', [pytest.param(1, marks=pytest.mark.kg_terms(':Lemonade'))])\n"
        "def test_one(n): pass\n"
        "@pytest.mark.parametrize('n', [pytest.param(1, marks=pytest.mark.kg_terms(':Cola'))])\n"
        "def test_two(n): pass\n",
        encoding="utf-8",
    )
    output = pytest_session(project, *TWO_FILES, "tests/test_marks.py")
    assert "test_two[1] PASSED" in output
    assert "test_one" not in output


def test_no_change_deselects_every_test_of_the_graph(project: Path) -> None:
    shutil.copy(project / "menu-1.ttl", project / "menu.ttl")
    assert _ran(pytest_session(project, "--kg-since", "v1")) == WITHOUT_GRAPH


# -- tests that have changed -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_changed_tests_run_and_the_reason_is_shown(project: Path, workers: tuple[str, ...]) -> None:
    file = project / TESTS
    text = file.read_text(encoding="utf-8")
    edited = text.replace("def test_there_is_a_branch(", "def test_there_is_a_branch(  # why\n", 1)
    edited = edited.replace(
        "def test_salami_is_known(", "@pytest.mark.filterwarnings('ignore')\ndef test_salami_is_known("
    )
    new = "\n\ndef test_new(menu):\n    assert menu.query('ASK { :Salami ?p ?o }', prefixes=PREFIXES)\n"
    file.write_text(edited + new, encoding="utf-8")
    output = pytest_session(project, "--kg-since", "v1", "--kg-explain", *workers)
    assert _ran(output) == AFFECTED | WITHOUT_GRAPH | {"test_salami_is_known", "test_new"}
    assert "the test itself has changed: it is new" in output
    assert "the test itself has changed: it was edited" in output
    assert "2 tests have changed since v1" in output


def test_a_plugin_of_the_project_counts_for_all_tests(project: Path) -> None:
    shutil.copy(project / "menu-1.ttl", project / "menu.ttl")
    (project / "plugin.py").write_text("import sys\n", encoding="utf-8")
    assert _ran(pytest_session(project, "--kg-since", "v1", "-p", "plugin")) == ALL


# -- databases -------------------------------------------------------------------------------------------------------

_DATABASE = """
import sqlite3
import pytest
BELOW = "SELECT * FROM closure WHERE ancestor = ?"
@pytest.fixture
def con():
    made = sqlite3.connect(":memory:")
    made.execute("CREATE TABLE closure (ancestor TEXT, descendant TEXT)")
    return made
@pytest.mark.parametrize("name", ["SoftDrink"])
def test_drinks(con, name): assert con.execute(BELOW, (name,)).fetchall() == []
def test_prices(con): assert con.execute(BELOW, ("Lemonade",)).fetchall() == []
def test_unknown(con): assert con.execute(BELOW.replace("closure", str("clo" + "sure")), ("x",)).fetchall() == []
def test_dynamic(con): assert con.execute(open(__file__).name and "SELECT 1").fetchall()
def test_plain(): assert True
"""
_MENU = (
    "@prefix : <http://example.org/menu#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n:Lemonade a owl:Class .\n"
)


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    """A project whose tests ask a database: the change deletes :SoftDrink."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_menu.py").write_text(_DATABASE.replace("made.execute", "made.executescript"))
    (tmp_path / "tests" / "schema.sql").write_text("CREATE TABLE closure (ancestor TEXT, descendant TEXT);\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\nkg_ontology = menu.ttl\n")
    (tmp_path / "menu-2.ttl").write_text(_MENU)
    (tmp_path / "menu-1.ttl").write_text(f"{_MENU}:SoftDrink a owl:Class .\n")
    shutil.copy(tmp_path / "menu-1.ttl", tmp_path / "menu.ttl")
    Repo.at(tmp_path)
    shutil.copy(tmp_path / "menu-2.ttl", tmp_path / "menu.ttl")
    return tmp_path


def test_the_plugin_and_select_agree_on_tests_of_a_database(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = _ran(pytest_session(warehouse, "--kg-old", "menu-1.ttl", "--kg-new", "menu-2.ttl"))
    monkeypatch.chdir(warehouse)
    done = kgprobe("select", "menu-1.ttl", "menu-2.ttl", "--tests", "tests", "--format", "pytest")
    assert {line.rpartition("::")[2] for line in done.stdout.split()} == ran
    assert "test_drinks" in ran
    assert "test_prices" not in ran


def test_an_edited_definition_of_a_table_selects_the_tests_that_ask_for_it(warehouse: Path) -> None:
    shutil.copy(warehouse / "menu-1.ttl", warehouse / "menu.ttl")
    assert "test_prices" not in _ran(pytest_session(warehouse, "--kg-since", "v1"))
    (warehouse / "tests" / "schema.sql").write_text("CREATE TABLE closure (ancestor TEXT, descendant TEXT, x TEXT);\n")
    output = pytest_session(warehouse, "--kg-since", "v1", "--kg-explain")
    assert "test_prices" in _ran(output)
    assert "it uses tests/schema.sql, which was edited" in output


# -- imports ---------------------------------------------------------------------------------------------------------


def _with_import(project: Path) -> Path:
    """The project, with all of the menu in a file that the ontology imports."""
    menu = (project / "menu-1.ttl").read_text(encoding="utf-8")
    main, food = ("<https://example.org/main>", "<https://example.org/food>")
    imported = project / "imports" / "food.ttl"
    imported.parent.mkdir()
    imported.write_text(f"{menu}\n{food} a owl:Ontology .\n", encoding="utf-8")
    prefix = "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
    (project / "menu.ttl").write_text(f"{prefix}{main} a owl:Ontology ; owl:imports {food} .\n", encoding="utf-8")
    _commit(project, ".", tag="v2")
    return imported


def test_a_changed_import_selects(project: Path) -> None:
    imported = _with_import(project)
    text = imported.read_text(encoding="utf-8") + "\n:Calzone rdfs:subClassOf :Pizza .\n"
    imported.write_text(text, encoding="utf-8")
    expected = (AFFECTED | WITHOUT_GRAPH) - {"test_there_is_a_branch"}
    assert _ran(pytest_session(project, "--kg-since", "v2")) == expected


def test_an_import_that_is_not_found_is_a_warning(project: Path) -> None:
    _with_import(project).unlink()
    output = pytest_session(project, "--kg-since", "v2", "-n", "1")
    assert re.search(r"warning: \S*menu\.ttl: imports <https://example.org/food>, which was not found", output)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--kg-since", "v9"), "revision"),
        (("--kg-old", "menu-1.ttl"), "--kg-new is missing"),
        (("--kg-since", "v1", "--kg-regime", "rfds"), "did you mean 'rdfs'?"),
        (("--kg-old", "menu-1.ttl", "--kg-new", "pytest.ini"), "pytest.ini"),
    ],
)
def test_invalid_options_are_reported_in_one_line(project: Path, options: tuple[str, ...], words: str) -> None:
    output = pytest_session(project, *options, code=4)
    assert words in output
    assert "Traceback" not in output
