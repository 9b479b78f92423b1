"""Campaigns on data that are made for a query."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.commands import assert_refused, kgprobe

from kgprobe.campaign.events import Event, Judged, ReductionDone
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import read_store
from kgprobe.campaign.summary import summary_of
from kgprobe.config.loading import load_profile
from kgprobe.model import Outcome
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.report.campaign import story_lines, summary_value

from .campaigns import InThisProcess

_SOCIAL = Path(__file__).parents[2] / "examples" / "social-network"
# Fails on graphs with an age of exactly 40 that the ontology does not have.
_SYSTEM = "if grep -v antonio $1 | grep -q '\"40\"'; then echo forty >&2; exit 4; fi; echo fine"


def _profile(folder: Path, query: str = "", more: str = "") -> Path:
    shutil.copytree(_SOCIAL, folder, dirs_exist_ok=True)
    (folder / "system.sh").write_text(_SYSTEM)
    profile = folder / "profile.toml"
    system = '[[systems]]\nname = "system"\ncommand = ["sh", "system.sh", "{graph}"]\nformat = "ntriples"\n'
    given = query or 'query = "queries/3.rq"\nontology = ["ontology.ttl"]\ncases = 12'
    profile.write_text(f"[query]\n{given}\n{system}{more}")
    return profile


def _run(profile: Path) -> list[Event]:
    return list(run_campaign(load_profile(profile), InThisProcess))


def _judged(events: list[Event]) -> dict[str, Outcome]:
    return {event.name: event.verdict.outcome for event in events if isinstance(event, Judged)}


def test_data_are_run_and_reduced_to_what_was_added(tmp_path: Path) -> None:
    profile = _profile(tmp_path / "a")
    events = _run(profile)
    judged = _judged(events)
    assert len(judged) == 12
    assert set(judged.values()) == {Outcome.PASS, Outcome.FAIL}
    assert any(isinstance(each, ReductionDone) for each in events)
    with read_store(profile.with_suffix(".sqlite")) as store:
        summary = summary_of(store, KnownBugs([]))
        story = "\n".join(story_lines(summary.findings[0], store))
    value = summary_value(summary, "")
    assert value["tested"] == 12
    assert value["data_sets"] >= 12
    assert "triples that were added to the ontology:" in story
    assert "+ <urn:kgprobe:new:" in story


def test_a_campaign_resumes_with_the_same_data(tmp_path: Path) -> None:
    whole, cut = (_profile(tmp_path / name, more="[campaign]\nreduce = 0\n") for name in ("whole", "cut"))
    _run(whole)
    events = run_campaign(load_profile(cut), InThisProcess)
    first = next(event for event in events if isinstance(event, Judged))
    events.close()
    assert first.name not in _judged(_run(cut))
    with read_store(whole.with_suffix(".sqlite")) as one, read_store(cut.with_suffix(".sqlite")) as other:
        assert list(one.results()) == list(other.results())
        assert (one.sources(), other.in_flight()) == (other.sources(), [])
    assert _judged(_run(cut)) == {}


def test_a_case_is_made_again(tmp_path: Path) -> None:
    profile = _profile(tmp_path / "a")
    done = kgprobe("test", profile, "--quiet")
    assert done.returncode == 1, done
    assert "data sets    12 of" in done.stdout
    again = kgprobe("test", profile, "--case", "1", "--quiet")
    assert again.returncode == 1
    assert "3.rq#1: fail" in again.stdout


def test_a_mask_and_wishes_hold_for_the_data(tmp_path: Path) -> None:
    wishes = 'query = "queries/3.rq"\nontology = ["ontology.ttl"]\ncases = 12\ndata = "data.toml"'
    profile = _profile(tmp_path / "a", wishes, '[mask]\nqueries = ["few.rq"]\n')
    (tmp_path / "a" / "data.toml").write_text('[properties."sn:age"]\nvalues = [41, 50]')
    (tmp_path / "a" / "few.rq").write_text("ASK { FILTER NOT EXISTS { ?a sn:friend_of ?b . ?b sn:friend_of ?c } }")
    judged = _judged(_run(profile))
    assert len(judged) == 12
    assert set(judged.values()) == {Outcome.PASS}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ('query = "queries/3.rq"', "[query] needs 'ontology'"),
        ('ontology = ["ontology.ttl"]', "[query] needs 'query'"),
        ('query = "queries/33.rq"\nontology = ["ontology.ttl"]', "33.rq does not exist"),
        ('query = "system.sh"\nontology = ["ontology.ttl"]', "system.sh:1:"),
        ('query = "queries/3.rq"\nontology = ["ontology.ttl"]\n[cases]\ngraphs = ["ontology.ttl"]', "not both"),
        ('query = "queries/3.rq"\nontology = ["ontology.ttl"]\ndata = "system.sh"', "system.sh:1:"),
    ],
)
def test_mistakes_in_a_profile(tmp_path: Path, query: str, message: str) -> None:
    assert_refused(kgprobe("test", _profile(tmp_path / "a", query)), message)


def test_two_engines_are_compared(tmp_path: Path) -> None:
    _profile(tmp_path / "a")
    done = kgprobe("test", tmp_path / "a" / "engines.toml", "--quiet", seconds=120)
    assert "40 cases:" in done.stdout
    assert "data sets    40 of" in done.stdout
