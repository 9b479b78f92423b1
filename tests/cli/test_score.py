"""`kgprobe score`, run as a user runs it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from support.commands import assert_refused, kgprobe, kgprobe_in_the_background

PIZZERIA = Path(__file__).parents[2] / "examples" / "pizzeria"
KEYS = ["mutants", "killed", "survived", "equivalent", "undecided", "score", "tests", "survivors", "executions"]
MENU = ("menu-1.ttl", "--tests", "tests")
# A test of a process: it passes if its graph has all lines of the test, as triples in N-Triples.
CHECK = """import sys
from pyoxigraph import Store
import time
store = Store()
store.load(path=sys.argv[2])
time.sleep(float(sys.argv[3]) if len(sys.argv) > 3 else 0)
sys.exit(not all(store.query(line).__bool__() for line in open(sys.argv[1]) if line.strip()))
"""


@pytest.fixture
def pizzeria(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example, as the current folder."""
    shutil.copytree(PIZZERIA, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small ontology with two queries, as the current folder."""
    (tmp_path / "o.ttl").write_text(
        "@prefix : <urn:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ":A a owl:Class . :B a owl:Class ; rdfs:subClassOf :A . :C a owl:Class ; rdfs:subClassOf :B .\n"
        ":D a owl:Class ; rdfs:subClassOf :A , :C . :i a :C .\n",
        encoding="utf-8",
    )
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "below.rq").write_text("SELECT ?x WHERE { ?x rdfs:subClassOf :A }", encoding="utf-8")
    (tmp_path / "tests" / "things.rq").write_text("ASK { :i a :C }", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def checked(small: Path) -> tuple[str, ...]:
    """The arguments that run two tests as processes."""
    (small / "check.py").write_text(CHECK, encoding="utf-8")
    for name, query in {"a b": "ASK { <urn:i> a <urn:C> }", "$(touch x)": "ASK { <urn:B> ?p <urn:A> }"}.items():
        (small / "tests" / f"{name}.rq").write_text(query, encoding="utf-8")
    for name in ("below.rq", "things.rq"):
        (small / "tests" / name).unlink()
    return ("o.ttl", "--tests", "tests", "--run", f"{sys.executable} check.py {{test}} {{graph}}")


def score(*arguments: str) -> dict[str, Any]:
    done = kgprobe("score", *arguments, "--json", "-q")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.usefixtures("pizzeria")
def test_the_pizzeria_has_one_score_and_selection_saves_nine_of_ten_executions() -> None:
    found = {how: score(*MENU, "--every-axiom", "--select", how) for how in ("always", "auto", "never")}
    for each in found.values():
        assert list(each) == [*KEYS, "executions_without_selection"]
        assert each["mutants"] == 52 == sum(each[fate] for fate in ("killed", "survived", "equivalent", "undecided"))
        assert each["score"] == pytest.approx(100 * each["killed"] / (each["killed"] + each["survived"]), abs=1e-3)
        assert each["executions"] == sum(test["runs"] for test in each["tests"])
        assert each["executions_without_selection"] == 28 * 52
        assert all(list(survivor) == ["change", "axiom", "about", "suggestion"] for survivor in each["survivors"])
        assert all(survivor["suggestion"] for survivor in each["survivors"])
        assert len(each["survivors"]) == each["survived"] > 0
    same = [{key: each[key] for key in (*KEYS[:6], "survivors")} for each in found.values()]
    assert same[0] == same[1] == same[2]
    kills = [[(test["name"], test["kills"]) for test in each["tests"]] for each in found.values()]
    assert kills[0] == kills[1] == kills[2]
    assert found["never"]["executions"] == 28 * 52
    assert found["always"]["executions"] * 10 <= 28 * 52


@pytest.mark.usefixtures("pizzeria")
def test_the_report_names_tests_that_were_not_run_or_kill_nothing_and_survivors() -> None:
    done = kgprobe("score", *MENU)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "Score: 67.3 % of the mutants are killed"
    assert "NOT RUN, and not counted: 6 tests" in lines
    assert "  tests/topping-terms.sql: it is SQL, which --run can run" in lines
    assert "Tests that kill nothing: 7" in lines
    assert "  tests/parts.rq" in lines
    assert "    - Margherita SubClassOf hasTopping some tomato" in lines
    assert len(lines) < 100


@pytest.mark.usefixtures("pizzeria")
def test_the_first_kill_is_enough_for_operators() -> None:
    operators = (*MENU, "--operators", "generic", "--operators", "abox", "--count", "40", "--seed", "3")
    first, complete, other = (
        score(*operators),
        score(*operators, "--all-kills"),
        score(*operators[:-1], "4"),
    )
    assert first["mutants"] == complete["mutants"] == 40
    assert first["score"] == complete["score"]
    assert first["executions"] < complete["executions"]
    assert sum(test["kills"] for test in first["tests"]) == first["killed"]
    assert first["survivors"] == complete["survivors"] != other["survivors"]


@pytest.mark.usefixtures("pizzeria")
def test_fail_under_decides_the_exit_code_and_the_report_for_ci_is_complete() -> None:
    assert kgprobe("score", *MENU, "--fail-under", "67").returncode == 0
    done = kgprobe("score", *MENU, "--fail-under", "68", "--junit", "score.xml", "--regime", "rdfs")
    assert done.returncode == 0  # under RDFS, more is killed
    done = kgprobe("score", *MENU, "--fail-under", "68", "--junit", "score.xml")
    assert done.returncode == 1
    assert "the score is 67.3, and --fail-under asks for 68" in done.stderr
    suite = ElementTree.fromstring(Path("score.xml").read_text(encoding="utf-8"))[0]  # noqa: S314
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("52", "17", "0")
    assert len(suite.findall("testcase/failure")) == 17


def test_the_examples_of_the_help_work(small: Path) -> None:
    (small / "o.ttl").rename("onto.ttl")
    (small / "shapes.ttl").write_text(SHAPES, encoding="utf-8")
    (small / "check").write_text(
        f"#!{sys.executable}\n{CHECK.replace('line)', 'PREFIXES + line)')}".replace(
            "import time",
            "import time\nPREFIXES = 'PREFIX : <urn:> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> '",
        ),
        encoding="utf-8",
    )
    (small / "check").chmod(0o755)
    (small / "tests" / "below.rq").write_text("ASK { ?x rdfs:subClassOf :A }", encoding="utf-8")
    shown = kgprobe("score", "--help").stdout.partition("Examples:")[2]
    examples = [re.split(" {3,}", line.strip())[0] for line in shown.splitlines() if line.strip()]
    assert len(examples) == 6
    for example in examples:
        done = kgprobe(*shlex.split(example)[1:])
        assert done.returncode == ("--fail-under" in example), (example, done)
    assert Path("score.xml").is_file()
    assert Path("score.sqlite").is_file()


@pytest.mark.usefixtures("small")
def test_redundant_axioms_are_equivalent_under_a_regime() -> None:
    plain, rdfs = score("o.ttl", "--tests", "tests"), score("o.ttl", "--tests", "tests", "--regime", "rdfs")
    assert (plain["mutants"], plain["equivalent"], plain["killed"]) == (5, 0, 3)
    # :D is below :A in any case.
    assert (rdfs["mutants"], rdfs["equivalent"], rdfs["killed"]) == (5, 1, 3)
    assert rdfs["score"] == 75
    assert [each["change"] for each in rdfs["survivors"]] == ["- D SubClassOf C"]


@pytest.mark.usefixtures("pizzeria")
def test_workers_make_no_difference() -> None:
    operators = ("--operators", "generic", "--count", "150")
    one, two = (score(*MENU, *operators, "--workers", count) for count in "12")
    assert one == two
    assert one["mutants"] == 150


# -- shapes ------------------------------------------------------------------------------------------------------------

SHAPES = """@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix : <urn:> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Below a sh:NodeShape ; sh:targetNode :B , :C ; sh:property [ sh:path rdfs:subClassOf ; sh:minCount 1 ] .
:Typed a sh:NodeShape ; sh:targetNode :i ; sh:class :A .
"""


def test_a_file_of_shapes_counts_once(small: Path) -> None:
    (small / "shapes.ttl").write_text(SHAPES, encoding="utf-8")
    found = score("o.ttl", "--shapes", "shapes.ttl", "--shapes", "./shapes.ttl", "--shapes", "shapes.ttl")
    assert [test["name"] for test in found["tests"]] == ["shapes.ttl:::Below", "shapes.ttl:::Typed"]


def test_shapes_are_tests(small: Path) -> None:
    (small / "shapes.ttl").write_text(SHAPES, encoding="utf-8")
    for how in ("always", "auto", "never"):
        found = score("o.ttl", "--shapes", "shapes.ttl", "--select", how)
        assert [(test["name"], test["kills"]) for test in found["tests"]] == [
            ("shapes.ttl:::Below", 2),
            ("shapes.ttl:::Typed", 3),
        ]
        assert (found["killed"], found["survived"]) == (3, 2)
    both = score("o.ttl", "--shapes", "shapes.ttl", "--tests", "tests")
    assert len(both["tests"]) == 4
    assert both["killed"] == 4


def test_a_shape_that_the_original_violates_fails_on_it(small: Path) -> None:
    (small / "shapes.ttl").write_text(SHAPES.replace("sh:class :A", "sh:class :D"), encoding="utf-8")
    assert_refused(kgprobe("score", "o.ttl", "--shapes", "shapes.ttl"), "shapes.ttl:::Typed", "--skip-failing")
    found = score("o.ttl", "--shapes", "shapes.ttl", "--skip-failing")
    assert [test["name"] for test in found["tests"]] == ["shapes.ttl:::Below"]


# -- tests that are processes ------------------------------------------------------------------------------------------


def test_a_command_runs_each_test_on_the_file_of_a_mutant(small: Path, checked: tuple[str, ...]) -> None:
    always, never = (score(*checked, "--select", how) for how in ("always", "never"))
    assert [(test["name"], test["kills"]) for test in always["tests"]] == [
        ("tests/$(touch x).rq", 1),
        ("tests/a b.rq", 1),
    ]
    assert [(test["name"], test["runs"]) for test in never["tests"]] == [
        ("tests/$(touch x).rq", 5),
        ("tests/a b.rq", 5),
    ]
    assert always["executions"] < never["executions"] == always["executions_without_selection"]
    assert not (small / "x").exists()  # no shell has seen the name
    assert score(*checked)["executions"] == always["executions"]  # processes are worth it
    assert score(*checked, "--workers", "2") == score(*checked)


@pytest.mark.usefixtures("small")
def test_a_test_that_takes_too_long_has_failed(checked: tuple[str, ...]) -> None:
    slow = (*checked[:-1], f"{checked[-1]} 60")
    assert_refused(kgprobe("score", *slow, "--time-limit", "0.5"), "2 tests fail on the original", "longer than 0.5 s")


# -- stores ------------------------------------------------------------------------------------------------------------


def test_a_killed_process_loses_nothing(small: Path, checked: tuple[str, ...]) -> None:
    slow = (*checked[:-1], f"{checked[-1]} 0.3", "--select", "never")
    wanted = score(*slow)
    started = kgprobe_in_the_background("score", *slow, "--store", "s.sqlite")
    end = time.monotonic() + 60
    while _judged(small / "s.sqlite") < 2:
        assert time.monotonic() < end
        time.sleep(0.05)
    os.kill(started.pid, signal.SIGKILL)
    started.wait(30)
    before = _judged(small / "s.sqlite")
    assert 2 <= before < 5
    with sqlite3.connect(small / "s.sqlite") as store:  # a result that no run would give
        store.execute("UPDATE mutants SET suggestion = 'kept' WHERE number = 0")
    found = score(*slow, "--store", "s.sqlite")
    assert [each["suggestion"] for each in found["survivors"]].count("kept") <= 1
    assert _without_suggestions(found) == _without_suggestions(wanted)
    with sqlite3.connect(small / "s.sqlite") as store:
        assert store.execute("SELECT suggestion FROM mutants WHERE number = 0").fetchone() == ("kept",)
    assert _judged(small / "s.sqlite") == 5


def _judged(path: Path) -> int:
    if not path.exists():
        return 0
    with sqlite3.connect(path) as store:
        try:
            (count,) = store.execute("SELECT COUNT(*) FROM mutants").fetchone()
        except sqlite3.OperationalError:  # it is being made
            return 0
    return int(count)


def _without_suggestions(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, "survivors": [each["change"] for each in found["survivors"]]}


def test_a_store_is_of_one_score(small: Path) -> None:
    first = score("o.ttl", "--tests", "tests", "--store", "s.sqlite")
    assert score("o.ttl", "--tests", "tests", "--store", "s.sqlite", "--time-limit", "60") == first  # the default
    assert_refused(
        kgprobe("score", "o.ttl", "--tests", "tests", "--store", "s.sqlite", "--regime", "rdfs"),
        "s.sqlite: holds another score: --regime changed since",
    )
    assert_refused(
        kgprobe("score", "o.ttl", "--tests", "tests", "--store", "s.sqlite", "--time-limit", "1"),
        "--time-limit changed since",
    )
    (small / "tests" / "things.rq").write_text("ASK { :i a :B }", encoding="utf-8")
    assert_refused(
        kgprobe("score", "o.ttl", "--tests", "tests/below.rq", "--store", "s.sqlite"), "the tests changed since"
    )
    (small / "s.sqlite").write_text("notes", encoding="utf-8")
    assert_refused(kgprobe("score", "o.ttl", "--tests", "tests", "--store", "s.sqlite"), "is not a store of a score")
    assert (small / "s.sqlite").read_text(encoding="utf-8") == "notes"


@pytest.mark.usefixtures("pizzeria")
def test_results_that_are_missing_are_computed_as_in_one_go() -> None:
    operators = (*MENU, "--operators", "generic,abox", "--count", "150", "--store", "s.sqlite")
    wanted = score(*operators)
    with sqlite3.connect("s.sqlite") as store:
        store.execute("DELETE FROM mutants WHERE number % 3 = 0 OR number > 90")
    assert _judged(Path("s.sqlite")) == 60
    assert score(*operators, "--workers", "2") == wanted
    Path("s.sqlite").write_bytes(Path("s.sqlite").read_bytes()[:5000] + bytes(3000))
    done = kgprobe("score", *operators)
    assert done.returncode == 2, done
    assert "s.sqlite: this store is damaged" in done.stderr


def test_a_repaired_test_is_not_remembered_as_failing(small: Path) -> None:
    (small / "tests" / "below.csv").write_text("x\nurn:B\n", encoding="utf-8")
    (small / "check.py").write_text("import sys; sys.exit(1)", encoding="utf-8")
    run = ("o.ttl", "--tests", "tests", "--run", f"{sys.executable} check.py {{test}} {{graph}}", "--store", "s.sqlite")
    assert_refused(kgprobe("score", *run), "2 tests fail on the original")
    (small / "check.py").write_text("import sys; sys.exit(0)", encoding="utf-8")
    assert score(*run)["survived"] == 5


# -- tests that do not count -------------------------------------------------------------------------------------------


def test_tests_that_fail_on_the_original_are_named_or_skipped(small: Path) -> None:
    tests = small / "tests"
    (tests / "below.csv").write_text("x\nurn:B\nurn:D\n", encoding="utf-8")
    assert score("o.ttl", "--tests", "tests")["killed"] == 3
    (tests / "below.csv").write_text("x\nurn:B\n", encoding="utf-8")
    (tests / "broken.rq").write_text("SELECT ?x WHERE { ?x", encoding="utf-8")
    done = kgprobe("score", "o.ttl", "--tests", "tests")
    assert_refused(done, "2 tests fail on the original: tests/below.rq, tests/broken.rq: ")
    done = kgprobe("score", "o.ttl", "--tests", "tests", "--skip-failing")
    assert done.returncode == 0
    assert "NOT RUN, and not counted: 2 tests" in done.stdout
    assert [test["name"] for test in score("o.ttl", "--tests", "tests", "--skip-failing")["tests"]] == [
        "tests/things.rq"
    ]


def test_a_graph_is_expected_only_by_construct(small: Path) -> None:
    (small / "o.rq").write_text("ASK { :i a :C }", encoding="utf-8")
    done = kgprobe("score", "o.ttl", "--tests", "o.rq")
    assert done.returncode == 0
    assert (
        "o.ttl is a graph, which only CONSTRUCT gives: o.rq is compared with its answer on the original" in done.stderr
    )
    assert "  1 test, 5 executions; without selection 5" in done.stdout
    (small / "c.rq").write_text("CONSTRUCT { :x :is ?y } WHERE { :i a ?y }", encoding="utf-8")
    (small / "c.ttl").write_text("<urn:x> <urn:is> <urn:C> .", encoding="utf-8")
    assert score("o.ttl", "--tests", "c.rq")["killed"] == 1
    done = kgprobe("score", "o.ttl", "--tests", "c.rq", "--operators", "RemoveClassAssertion", "--count", "1")
    assert "  1 test, 1 execution; without selection 1" in done.stdout


def test_queries_whose_answers_vary_are_left_out_loudly(small: Path) -> None:
    (small / "tests" / "one.rq").write_text("SELECT ?x WHERE { ?x a owl:Class } LIMIT 1", encoding="utf-8")
    (small / "tests" / "template.rq").write_text("SELECT ?x WHERE { ?x a {{kind}} }", encoding="utf-8")
    done = kgprobe("score", "o.ttl", "--tests", "tests", "--json")
    assert done.returncode == 0
    assert "tests that were not run, and do not count: tests/one.rq, tests/template.rq" in done.stderr
    assert [test["name"] for test in json.loads(done.stdout)["tests"]] == ["tests/below.rq", "tests/things.rq"]


def test_without_axioms_there_is_no_score(small: Path) -> None:
    (small / "o.ttl").write_text("<urn:A> a <http://www.w3.org/2002/07/owl#Class> .", encoding="utf-8")
    (small / "q.rq").write_text("SELECT ?x WHERE { ?x a ?y }", encoding="utf-8")
    done = kgprobe("score", "o.ttl", "--tests", "q.rq", "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["score"] is None
    assert "there is no score" in done.stderr
    assert kgprobe("score", "o.ttl", "--tests", "q.rq", "--fail-under", "0").returncode == 1


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("none.ttl", "--tests", "tests"), "none.ttl"),
        (("empty.ttl", "--tests", "tests"), "the ontology is empty"),
        (("o.ttl", "--tests", "nowhere"), "nowhere: does not exist"),
        (("o.ttl", "--tests", "o.ttl"), "no tests were found"),
        (("o.ttl", "--tests", "only.sql"), "none of the 1 tests can be run"),
        (("o.ttl", "--tests", "tests", "--run", "check {test}"), "does not say where the graph goes"),
        (("o.ttl", "--tests", "tests", "--run", "check {graph}"), "does not say where the test goes"),
        (("o.ttl", "--tests", "tests", "--run", "'"), "is not a command"),
        (("o.ttl", "--tests", "tests", "--run", "./no-such-program {test} {graph}"), "no-such-program"),
        (("o.ttl", "--shapes", "o.ttl"), "no SHACL shape"),
        (("o.ttl", "--shapes", "aimless.ttl"), "has no shape with a target"),
        (("o.ttl", "--shapes", "nowhere.ttl"), "nowhere.ttl: does not exist"),
        (("o.ttl", "--tests", "tests", "--operators", "generik"), "did you mean 'generic'?"),
        (("o.ttl", "--tests", "tests", "--operators", "generic", "--every-axiom"), "cannot be combined"),
        (("o.ttl", "--tests", "tests", "--count", "3"), "--count needs --operators"),
        (("o.ttl", "--tests", "tests", "--seed", "3"), "--seed needs --operators"),
        (("o.ttl", "--tests", "tests", "--fail-under", "101"), "--fail-under"),
        (("o.ttl", "--tests", "tests", "--fail-under", "nan"), "'nan' is not a number"),
        (("o.ttl", "--tests", "tests", "--time-limit", "nan"), "'nan' is not a number"),
        (("o.ttl", "--tests", "tests", "--select", "often"), "--select"),
        (("o.ttl", "--tests", "tests", "--junit", "o.ttl"), "is not a report"),
        (("bad.ttl", "--tests", "tests", "--reasoner", "auto"), "the ontology itself is inconsistent"),
    ],
)  # fmt: skip
def test_mistakes_are_told_on_one_line(arguments: tuple[str, ...], told: str) -> None:
    Path("empty.ttl").write_text("", encoding="utf-8")
    Path("only.sql").write_text("SELECT 1 FROM t WHERE x = 'A';", encoding="utf-8")
    aimless = SHAPES.replace("sh:targetNode :B , :C ;", "").replace("sh:targetNode :i ;", "")
    Path("aimless.ttl").write_text(aimless, encoding="utf-8")
    clash = ":i a [ a owl:Class ; owl:complementOf :C ] . "
    Path("bad.ttl").write_text(Path("o.ttl").read_text(encoding="utf-8") + clash, encoding="utf-8")
    assert_refused(kgprobe("score", *arguments), told)
