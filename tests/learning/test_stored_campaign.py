"""Mutants of a campaign, made again from its store with their verdicts."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from campaign.campaigns import InThisProcess, run, write_campaign
from support.commands import kgprobe

from kgprobe.campaign.reproduction import input_of_case
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import read_store
from kgprobe.config.loading import load_profile
from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.learning.stored_campaign import judged_graphs
from kgprobe.model import GraphInput, Outcome
from kgprobe.rdf.canonical import isomorphic

_MUTANTS = 20
_CORPUS = """
[cases]
graphs = ["pipes.ttl"]

[python]
systems = [{ name = "robot", function = "robot.py:inspect", seconds = 20 }]
oracle = "mission.py:is_complete"
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    profile = write_campaign(tmp_path_factory.mktemp("pipes"), "[campaign]\nreduce = 0\n", mutants=_MUTANTS)
    run(profile)
    return profile


@pytest.fixture
def profile(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy that a test may change. The campaign ran somewhere else, so only the files beside the store are used."""
    folder = tmp_path / "copy"
    shutil.copytree(finished.parent, folder)
    moved = finished.with_name("moved.toml")
    finished.rename(moved)
    monkeypatch.chdir(tmp_path)
    yield Path("copy/profile.toml")
    moved.rename(finished)


def test_all_judged_cases_are_made_again(finished: Path) -> None:
    found = judged_graphs(finished.with_suffix(".sqlite"))
    assert found.undecided == 0
    with read_store(finished.with_suffix(".sqlite")) as store:
        outcomes = {f"pipes#{planned.number}": outcome for planned, outcome in store.judged()}
    assert {case.name: case.failed for case in found.cases} == {
        name: outcome is Outcome.FAIL for name, outcome in outcomes.items()
    }
    assert len(found.cases) == _MUTANTS
    assert set(outcomes.values()) == {Outcome.FAIL, Outcome.PASS}
    seed = load(finished.with_name("pipes.ttl")).graph
    for number, case in enumerate(found.cases, start=1):
        assert case.seed == seed
        again = input_of_case(load_profile(finished), number)
        assert isinstance(again, GraphInput)
        assert isomorphic(case.graph(), again.graph)


def test_a_moved_campaign_is_read_from_any_folder(finished: Path, profile: Path) -> None:
    assert not finished.exists()
    assert len(judged_graphs(profile.with_suffix(".sqlite")).cases) == _MUTANTS


def test_options_in_place_of_the_profile_are_respected(tmp_path: Path) -> None:
    profile = load_profile(write_campaign(tmp_path, mutants=3))
    changed = replace(
        profile,
        method=replace(profile.mutation, seed=77, mutants=5),
        campaign=replace(profile.campaign, reduce=0),
    )
    with closing(run_campaign(changed, InThisProcess)) as events:
        list(events)
    assert len(judged_graphs(profile.campaign.store).cases) == 5


def test_undecided_cases_are_counted(tmp_path: Path) -> None:
    judge = 'def is_complete(case, seen):\n    return None if seen.value["missed"] else True\n'
    profile = write_campaign(tmp_path, "[campaign]\nreduce = 0\n", mutants=10)
    (tmp_path / "mission.py").write_text(judge)
    run(profile)
    found = judged_graphs(profile.with_suffix(".sqlite"))
    assert found.undecided
    assert found.undecided + len(found.cases) == 10


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: (folder / "profile.toml").unlink(), "no longer exists"),
        (lambda folder: (folder / "pipes.ttl").unlink(), "pipes.ttl"),
        (lambda folder: (folder / "pipes.ttl").write_text("<urn:a> <urn:b> <urn:c> ."), "pipes.ttl changed since"),
        (lambda folder: (folder / "operators/MoveRobot.ru").unlink(), "cannot be made again"),
        (lambda folder: (folder / "profile.sqlite").write_text("no store"), "is not a store of a campaign"),
        (lambda folder: (folder / "profile.sqlite").unlink(), "does not exist"),
        (lambda folder: (folder / "profile.toml").write_text(_CORPUS), "makes no mutants any more"),
    ],
)
def test_campaigns_that_cannot_be_read(profile: Path, change: Callable[[Path], object], message: str) -> None:
    change(profile.parent)
    with pytest.raises(InputError, match=message):
        judged_graphs(profile.with_suffix(".sqlite"))


def test_a_changed_system_does_not_matter(profile: Path) -> None:
    (profile.parent / "robot.py").write_text("def inspect(graph):\n    return {'mission': '', 'missed': []}\n")
    assert any(case.failed for case in judged_graphs(profile.with_suffix(".sqlite")).cases)


def test_given_graphs_are_not_mutants(tmp_path: Path) -> None:
    write_campaign(tmp_path)
    (tmp_path / "corpus.toml").write_text(_CORPUS)
    assert kgprobe("test", tmp_path / "corpus.toml").returncode == 0
    with pytest.raises(InputError, match="has graphs that were given, not mutants"):
        judged_graphs(tmp_path / "corpus.sqlite")
