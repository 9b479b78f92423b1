"""`kgprobe select` on an ontology whose class hierarchy nobody can be sure of: only what needs it gives up.

The import below has a statement that is no axiom of OWL 2, as old exports have. Each error that gives advice is
followed by the run that takes the advice.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from support.commands import assert_refused, kgprobe

_PREFIXES = """@prefix : <https://example.org/soup#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
_OLD = f"""{_PREFIXES}
<https://example.org/soup> a owl:Ontology ; owl:imports <https://example.org/old-tool> .
:Dish a owl:Class . :Soup a owl:Class ; rdfs:subClassOf :Dish .
"""
_ODD = f"""{_PREFIXES}
<https://example.org/old-tool> a owl:Ontology .
:Constraint a owl:Class ; owl:complementOf [] .
"""
_QUERY = """PREFIX : <https://example.org/soup#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT ?kind WHERE { ?kind rdfs:subClassOf :Dish }
"""


@pytest.fixture
def soup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two versions of an ontology, its import, and one query."""
    monkeypatch.chdir(tmp_path)
    for folder in ("imports", "tests"):
        (tmp_path / folder).mkdir()
    (tmp_path / "imports" / "tool.ttl").write_text(_ODD, encoding="utf-8")
    (tmp_path / "tests" / "kinds.rq").write_text(_QUERY, encoding="utf-8")
    for number, text in enumerate((_OLD, _OLD + ":Stew a owl:Class ; rdfs:subClassOf :Dish .\n")):
        (tmp_path / "soup.ttl").write_text(text, encoding="utf-8")
        if not number:
            _git("init", "--quiet")
        _git("add", ".")
        _git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", f"soup {number}")
    return tmp_path


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)  # noqa: S603, S607


_TESTS = ("--imports", "imports", "--tests", "tests")


@pytest.mark.usefixtures("soup")
def test_a_history_shows_what_needs_no_hierarchy_and_says_what_is_missing() -> None:
    done = kgprobe("select", "soup.ttl", "--history", "3", *_TESTS)
    assert done.returncode == 0, done.stderr
    assert "1 line lacks the results of the algorithm from the paper" in done.stderr
    row = done.stdout.splitlines()[1].split()
    assert row[3:] == ["-", "-", "-", "1", "/", "1", "100.00%", "-"]
    [change] = json.loads(kgprobe("select", "soup.ttl", "--history", "3", *_TESTS, "--json").stdout)["changes"]
    assert (change["selected"], change["selected_by_paper"], change["add"]) == (1, None, None)
    assert "not an axiom of OWL 2" in change["undecided"]


@pytest.mark.usefixtures("soup")
def test_an_audit_does_not_depend_on_the_mode_that_it_compares_with() -> None:
    done = kgprobe("select", "soup.ttl", "--audit", "--mutants", "9", *_TESTS)
    assert done.returncode == 0, done.stderr
    assert "the algorithm from the paper is left out: " in done.stderr
    modes = [line.split()[0] for line in done.stdout.splitlines()[2:]]
    assert modes == ["mode", "safe", "changed"]


@pytest.mark.parametrize(
    ("options", "advice", "instead"),
    [
        (("--since", "HEAD~1", "--regime", "dl"), "use the regime rl, rdfs or none", ("--since", "HEAD~1")),
        (("--since", "HEAD~1", "--mode", "paper"), "use --mode safe", ("--since", "HEAD~1", "--mode", "safe")),
        (("--since", "HEAD~1", "--coverage"), "leave out --coverage", ("--since", "HEAD~1")),
        (
            ("--audit", "--mutants", "3", "--regime", "dl"),
            "use the regime rl, rdfs or none",
            ("--audit", "--mutants", "3", "--regime", "rl"),
        ),
    ],
    ids=lambda options: " ".join(options) if isinstance(options, tuple) else None,
)
@pytest.mark.usefixtures("soup")
def test_the_advice_of_an_error_helps(options: tuple[str, ...], advice: str, instead: tuple[str, ...]) -> None:
    done = kgprobe("select", "soup.ttl", *options, *_TESTS)
    assert done.returncode == 3
    assert advice in done.stderr.splitlines()[-1]
    helped = kgprobe("select", "soup.ttl", *instead, *_TESTS)
    assert helped.returncode == 0, helped.stderr


@pytest.mark.usefixtures("soup")
def test_the_advice_of_diff_helps() -> None:
    done = kgprobe("diff", "soup.ttl", "--since", "HEAD~1", "--imports", "imports", "--mode", "paper")
    assert done.returncode == 3
    assert "leave out --mode paper" in done.stderr
    assert kgprobe("diff", "soup.ttl", "--since", "HEAD~1", "--imports", "imports").returncode == 1


def test_a_test_with_a_regime_that_cannot_be_applied_is_selected_and_stops_nothing(soup: Path) -> None:
    (soup / "tests" / "odd.rq").write_text(
        "# kgprobe: regime=dl\n" + _QUERY.replace("Dish", "Nothing"), encoding="utf-8"
    )
    done = kgprobe("select", "soup.ttl", "--since", "HEAD~1", *_TESTS, "--json")
    assert done.returncode == 0, done.stderr
    because = {each["test"]: each["because"] for each in json.loads(done.stdout)["selected"]}
    assert any("cannot tell what changes under its regime dl: " in reason for reason in because["tests/odd.rq"])
    assert "tests/kinds.rq" in because


def test_a_regime_is_not_applied_to_versions_that_are_equal(soup: Path) -> None:
    (soup / "soup.ttl").write_text("# only a comment\n" + (soup / "soup.ttl").read_text(), encoding="utf-8")
    done = kgprobe("select", "soup.ttl", "--since", "HEAD", *_TESTS, "--regime", "dl")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "0 of 1 tests to run (0.0%): 0 triples removed, 0 added",
        "  regime dl: no triples changed",
    ]


@pytest.mark.usefixtures("soup")
def test_an_audit_that_checked_nothing_is_no_success() -> None:
    done = kgprobe("select", "soup.ttl", "--audit", "--operators", "AddRelation", "--tests", "tests", "--quiet")
    assert_refused(done, "soup.ttl: no mutants could be made")
