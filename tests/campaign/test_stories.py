"""From a failing mutant to the report for the user: a reduced graph with the same bug, its story, file and test."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.commands import assert_refused, kgprobe

from kgprobe.campaign import experiment, reducing
from kgprobe.campaign.events import Event, Reducing, ReductionDone, ReductionsLeft
from kgprobe.campaign.local import LocalWorkers
from kgprobe.campaign.plan import Plan
from kgprobe.campaign.reducing import reductions
from kgprobe.campaign.reproduction import failing_graph
from kgprobe.campaign.reproduction import test_text as text_of_test
from kgprobe.campaign.run import job_of, open_store
from kgprobe.campaign.sources.mutants import Mutants
from kgprobe.campaign.store import read_store
from kgprobe.campaign.summary import NumberedFinding, summary_of
from kgprobe.cli.show import command
from kgprobe.config.loading import load_profile
from kgprobe.config.preparation import prepare
from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.reduction import problem
from kgprobe.report.campaign import story_lines, summary_lines

from .campaigns import run

_SEED = "@prefix : <https://example.org/cafe#> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n" + "".join(
    f':c{n} a :Coffee ; rdfs:label "C{n}" ; :origin :o{n} ; :price {n}.5 .\n' for n in range(1, 6)
)
_SHAPES = """
@prefix : <https://example.org/cafe#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:S a sh:NodeShape ; sh:targetClass :Coffee ;
  sh:property [ sh:path :origin ; sh:minCount 1 ] , [ sh:path rdfs:label ; sh:minCount 1 ] .
"""
# Without a price, it fails in one line; without a label, in another line of the same function, with the same exception.
_MENU = """
import sys
from pyoxigraph import NamedNode

TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
LABEL = NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
CAFE = "https://example.org/cafe#"


def value(graph, subject, predicate):
    return next((triple.object.value for triple in graph.triples(subject, predicate)), None)


def menu(graph):
    print("a menu of", len(graph), "triples", file=sys.stderr)
    for triple in graph.triples(None, TYPE, NamedNode(CAFE + "Coffee")):
        label = value(graph, triple.subject, LABEL)
        letter = float(label) if label is None else label[:1]
        whole = value(graph, triple.subject, NamedNode(CAFE + "price"))[0]
"""
_LINES = _MENU.split("\n")
_BROKEN = _LINES[-2]
_OPERATOR = """# name: RemovePrice
# does: remove the price of a coffee
# target: abox

PREFIX : <https://example.org/cafe#>

DELETE { ?coffee :price ?price }
WHERE  { ?coffee :price ?price }
"""
_PROFILE = """
[graph]
seeds = ["cafe.ttl"]

[mutation]
operators = ["remove-price.ru"]
mutations = 1
mutants = 3
seed = 1

[mask]
shapes = ["shapes.ttl"]

[[python.systems]]
function = "menu.py:menu"

[campaign]
workers = 1
"""


def write_cafe(folder: Path, more: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "cafe.ttl").write_text(_SEED)
    (folder / "shapes.ttl").write_text(_SHAPES)
    (folder / "menu.py").write_text(_MENU)
    (folder / "remove-price.ru").write_text(_OPERATOR)
    (folder / "profile.toml").write_text(_PROFILE + more)
    return folder / "profile.toml"


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign that has run."""
    written = write_cafe(tmp_path_factory.mktemp("cafe"))
    run(written, 1)
    return written


def finding(profile: Path) -> NumberedFinding:
    with read_store(profile.with_suffix(".sqlite")) as store:
        [found] = summary_of(store, KnownBugs([])).findings
        return found


def story(profile: Path) -> str:
    with read_store(profile.with_suffix(".sqlite")) as store:
        return "\n".join(story_lines(finding(profile), store))


def test_the_reduced_graph_is_admissible_and_fails_in_the_same_way(profile: Path) -> None:
    with read_store(profile.with_suffix(".sqlite")) as store:
        graph = failing_graph(finding(profile).finding, store, whole=False)
        whole = failing_graph(finding(profile).finding, store, whole=True)
    assert len(whole) == 19
    # A coffee without a price; the label keeps it from breaking earlier, and the mask asks for an origin.
    assert len(graph) == 3
    with prepare(load_profile(profile)) as preparation:
        assert preparation.seeds[0].mask.admits(graph)


def test_the_story_shows_the_line_the_end_of_standard_error_and_the_outcome_of_the_reduced_graph(profile: Path) -> None:
    told = story(profile)
    seen, reduced = told.split("Failure of the reduced graph")
    for part in (seen, reduced):
        assert "TypeError: 'NoneType' object is not subscriptable" in part
        assert f"menu.py:{_LINES.index(_BROKEN) + 1}: {_BROKEN.strip()}\n  at menu.py:menu" in part
    assert "standard error:\n    a menu of 19 triples" in seen
    assert "standard error:\n    a menu of 3 triples" in reduced
    assert "it fails 10 of 10 runs" in reduced
    assert "the failure needs this change to the seed graph:\n    - :c" in reduced


def show(source: str, **options: object) -> None:
    """Run the command in this process."""
    given = {"case": None, "whole": False, "as_test": None, "force": False, "as_json": False, **options}
    assert command.callback is not None
    command.callback(source, **given)


def test_a_finding_as_a_file(profile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, file = f"{profile}#1", str(tmp_path / "failing.nt")
    show(source, case=file)
    assert capsys.readouterr().out == f"{file}: 3 triples\n"
    assert len(load(file).graph) == 3
    show(source, case=file, whole=True, force=True)
    assert len(load(file).graph) == 19
    for refused, options, message in (
        (source, {"case": file}, "already exists"),
        (str(profile), {"case": str(tmp_path / "x.ttl")}, "does not name a finding"),
        (source, {"whole": True}, "--whole needs --case"),
        (source, {"as_test": str(tmp_path / "x.ttl")}, "is not the name of a Python file"),
        (source, {"case": str(tmp_path / "x.docx")}, "docx"),
    ):
        with pytest.raises(InputError, match=message):
            show(refused, **options)


def test_the_reduce_command_respects_the_mask_and_keeps_the_failure(profile: Path, tmp_path: Path) -> None:
    graph = tmp_path / "unpriced.ttl"
    graph.write_text(_SEED.replace(" ; :price 3.5", ""))
    options = ["--profile", str(profile), "--no-simplify", "--repeats", "2", "--workers", "1"]
    within = kgprobe("reduce", graph, *options, "--out", tmp_path / "within.ttl")
    assert within.returncode == 0, within.stderr
    assert "no axiom and no triple can be left out within the mask" in within.stdout
    assert "gives        TypeError: 'NoneType' object is not subscriptable" in within.stdout
    assert len(load(tmp_path / "within.ttl").graph) == 3
    outside = kgprobe("reduce", graph, *options, "--outside-mask", "--out", tmp_path / "outside.ttl")
    assert "gives        TypeError: 'NoneType' object is not subscriptable" in outside.stdout
    left = load(tmp_path / "outside.ttl").graph
    assert sorted(triple.predicate.value.rpartition("#")[2] for triple in left) == ["label", "type"]
    graph.write_text(graph.read_text().replace(" ; :origin :o2", ""))
    refused = kgprobe("reduce", graph, *options)
    assert_refused(refused, "unpriced.ttl: is not admissible: ", "shapes.ttl", ":origin", "--outside-mask")


def pytest_on(file: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    return subprocess.run(command, cwd=file.parent, capture_output=True, text=True, check=False)  # noqa: S603 - our own


def test_a_finding_as_a_test_that_fails_until_the_bug_is_fixed(profile: Path, tmp_path: Path) -> None:
    test = tmp_path / "tests" / "test_menu.py"
    test.parent.mkdir()
    show(f"{profile}#1", as_test=str(test))
    assert sorted(path.name for path in test.parent.iterdir()) == ["test_menu.py", "test_menu.ttl"]
    failed = pytest_on(test)
    assert failed.returncode == 1
    assert "TypeError: 'NoneType' object is not subscriptable" in failed.stdout
    code = profile.parent / "menu.py"
    try:
        code.write_text(_MENU.replace('"price"))[0]', '"price"))'))
        fixed = pytest_on(test)
    finally:
        code.write_text(_MENU)
    assert fixed.returncode == 0, fixed.stdout
    assert "1 passed" in fixed.stdout


def test_the_test_of_a_flaky_failure_tries_more_often(profile: Path, tmp_path: Path) -> None:
    with read_store(profile.with_suffix(".sqlite")) as store:
        found = finding(profile).finding
        reduced = found.reductions[0]
        assert "\nRUNS = 1\n" in text_of_test(found, store, tmp_path / "t.py", tmp_path / "t.ttl")
        reduced.figures["rate"] = 0.5  # type: ignore[index]  # as read from JSON, it is a dictionary
        assert "\nRUNS = 7\n" in text_of_test(found, store, tmp_path / "t.py", tmp_path / "t.ttl")


def test_the_time_limit_covers_reductions_which_resume_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = write_cafe(tmp_path / "cafe", "reduce = 0\n")
    run(written, 1)
    profile = load_profile(written)
    profile = replace(profile, campaign=replace(profile.campaign, reduce=1))
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(problem, "time", SimpleNamespace(monotonic=lambda: clock.now))

    def events(deadline: float | None) -> list[Event]:
        kind = Mutants()
        with kind.prepare(profile) as prepared, open_store(profile, prepared) as store:
            sources = prepared.open(store)
            plan = Plan(kind, sources, store)
            found: list[Event] = []
            with closing(LocalWorkers(job_of(profile, sources), 1)) as executor:
                for event in reductions(profile, plan, store, executor, deadline):
                    if isinstance(event, Reducing):
                        clock.now = float(event.size < 19)  # time runs out as soon as something can be left out
                    else:
                        found.append(event)
            return found

    assert events(time.monotonic() - 1) == [ReductionsLeft(1)]
    assert not finding(written).finding.reductions
    monkeypatch.setattr(reducing, "time", SimpleNamespace(monotonic=lambda: 0.0))
    monkeypatch.setattr(experiment, "time", SimpleNamespace(monotonic=lambda: 0.0))
    begun, left = events(0.5)
    assert isinstance(begun, ReductionDone)
    assert begun.reduced is not None
    assert (begun.reduced.is_finished, left) == (False, ReductionsLeft(1))
    assert 3 < begun.reduced.figures["triples_after"] < 19
    assert "not finished: the same command" in story(written)
    assert "so far" in "\n".join(_summary(written))
    [done] = events(None)
    assert isinstance(done, ReductionDone)
    assert done.reduced is not None
    figures = done.reduced.figures
    assert (done.reduced.is_finished, figures["triples_before"], figures["triples_after"]) == (True, 19, 3)
    assert figures["system_runs"] > begun.reduced.figures["system_runs"]
    assert "to the seed graph:" in story(written)  # the resumed reduction began with the whole case, too
    assert events(None) == []


def _summary(profile: Path) -> list[str]:
    with read_store(profile.with_suffix(".sqlite")) as store:
        return list(summary_lines(summary_of(store, KnownBugs([])), "cafe"))
