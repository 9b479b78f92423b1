"""Campaigns on graphs that exist: files, and all versions of a file in git."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from support.commands import assert_refused, kgprobe
from support.repositories import needs_git

from kgprobe.campaign.events import Event, Judged, Note, ReductionDone
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import read_store
from kgprobe.campaign.summary import Summary, summary_of
from kgprobe.config.loading import load_profile
from kgprobe.errors import InputError
from kgprobe.model import Outcome
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.report.campaign import campaign_as_junit, story_lines, summary_lines, summary_value

from .campaigns import InThisProcess

_PREFIX = "@prefix : <http://example.org/> .\n"
_FINE = f"{_PREFIX}:a :p :b ; :q :c ."
_BAD = f"{_PREFIX}:a :p :b ; :q :bad ; :r :c ."
_NO_P = f"{_PREFIX}:a :q :c ."
_UNREADABLE = f"{_PREFIX}:a :p"
# Fails on graphs that mention :bad, and prints how many triples a graph has otherwise.
_SYSTEM = "if grep -q 'org/bad' $1; then echo bad graph >&2; exit 4; fi; grep -c example $1"
_SYSTEMS = '[[systems]]\nname = "system"\ncommand = ["sh", "system.sh", "{graph}"]\nformat = "ntriples"\n'
_MASK = '[mask]\nqueries = ["has-p.rq"]\n'


def _write(folder: Path, cases: str, more: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "system.sh").write_text(_SYSTEM)
    (folder / "has-p.rq").write_text("ASK { ?s :p ?o }")
    profile = folder / "profile.toml"
    profile.write_text(f"[cases]\n{cases}\n{_SYSTEMS}{more}")
    return profile


def _corpus(folder: Path, more: str = "", **graphs: str) -> Path:
    (folder / "corpus").mkdir(parents=True)
    for name, text in graphs.items():
        (folder / "corpus" / f"{name}.ttl").write_text(text)
    return _write(folder, 'graphs = ["corpus/*.ttl"]', more)


def _history(folder: Path, *versions: str | None, more: str = "") -> Path:
    """A repository with these versions of a file, each in a commit; None: the file is deleted."""
    profile = _write(folder, 'history = "HEAD"\nfile = "menu.ttl"', more)
    _git(folder, "init", "-q")
    for number, text in enumerate(versions):
        file = folder / "menu.ttl"
        file.unlink() if text is None else file.write_text(text)
        _git(folder, "add", "-A")
        _git(folder, "-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", f"version {number}")
        _git(folder, "tag", f"v{number}")
    return profile


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)  # noqa: S603, S607


def _run(profile: Path) -> list[Event]:
    return list(run_campaign(load_profile(profile), InThisProcess))


def _judged(events: list[Event]) -> dict[str, Outcome]:
    return {event.name: event.verdict.outcome for event in events if isinstance(event, Judged)}


def _summary(profile: Path) -> Summary:
    with read_store(profile.with_suffix(".sqlite")) as store:
        return summary_of(store, KnownBugs([]))


def test_files_are_read_masked_run_and_reduced(tmp_path: Path) -> None:
    profile = _corpus(tmp_path / "c", _MASK, a=_FINE, b=_UNREADABLE, c=_NO_P, d=_BAD)
    events = _run(profile)
    assert _judged(events) == {"corpus/a.ttl": Outcome.PASS, "corpus/d.ttl": Outcome.FAIL}
    [note] = [event.text for event in events if isinstance(event, Note)]
    assert note.startswith("corpus/b.ttl is left out: line 2: ")
    [done] = [event for event in events if isinstance(event, ReductionDone)]
    assert done.reduced is not None
    assert done.reduced.figures["triples_after"] == 2  # the mask wants :p
    summary = _summary(profile)
    rejected = {str(tmp_path / "c" / "has-p.rq"): 1}
    assert (summary.counts.attempts, summary.counts.kept, summary.counts.rejected) == (4, 2, rejected)
    lines = list(summary_lines(summary, "profile"))
    assert "  graphs       2 of 4 were tested" in lines
    assert any(line.startswith("  left out     corpus/b.ttl: line 2: ") for line in lines)
    value = summary_value(summary, "")
    assert (value["graphs"], value["tested"], value["rejected"]) == (4, 2, rejected)
    with read_store(profile.with_suffix(".sqlite")) as store:
        report = campaign_as_junit(store, summary, "profile")
        assert next(iter(story_lines(summary.findings[0], store))).startswith("1. system: exit status")
    assert 'tests="3" failures="1" skipped="1"' in report
    assert summary.findings[0].case == "corpus/d.ttl"
    assert summary.findings[0].finding.first == 4


def test_a_campaign_resumes_after_an_interruption(tmp_path: Path) -> None:
    graphs = {f"g{number}": f"{_FINE} :n :q {number} ." for number in range(5)} | {"g9": _BAD}
    whole = _corpus(tmp_path / "whole", "[campaign]\nreduce = 0\n", **graphs)
    cut = _corpus(tmp_path / "cut", "[campaign]\nreduce = 0\n", **graphs)
    _run(whole)
    events = run_campaign(load_profile(cut), InThisProcess)
    first = next(event for event in events if isinstance(event, Judged))
    events.close()
    rest = _judged(_run(cut))
    assert first.name not in rest
    with read_store(whole.with_suffix(".sqlite")) as one, read_store(cut.with_suffix(".sqlite")) as other:
        assert list(one.results()) == list(other.results())
        assert (one.sources(), other.in_flight()) == (other.sources(), [])
    assert _judged(_run(cut)) == {}


def test_a_graph_that_has_changed_makes_another_campaign(tmp_path: Path) -> None:
    profile = _corpus(tmp_path / "c", a=_FINE)
    _run(profile)
    (tmp_path / "c" / "corpus" / "a.ttl").write_text(_BAD)
    with pytest.raises(InputError, match=r"holds the results of another campaign: corpus/a\.ttl changed since"):
        _run(profile)


@needs_git
def test_every_version_of_a_file(tmp_path: Path) -> None:
    profile = _history(tmp_path / "h", _FINE, _BAD, _UNREADABLE, None, f"{_FINE} :n :q 1 .")
    events = _run(profile)
    outcomes = _judged(events)
    assert list(outcomes.values()) == [Outcome.PASS, Outcome.FAIL, Outcome.PASS]
    assert all(name.startswith("menu.ttl at ") for name in outcomes)
    counts = _summary(profile).counts
    assert (counts.attempts, counts.kept) == (5, 3)
    assert sorted(why.split(":")[0] for why in counts.left_out.values()) == ["line 2", "the file does not exist"]
    with read_store(profile.with_suffix(".sqlite")) as store:
        story = list(story_lines(_summary(profile).findings[0], store))
    assert any(line.startswith("  commit ") and line.endswith(": version 1") for line in story)
    [start] = [number for number, line in enumerate(story) if line.startswith("  changes since menu.ttl at ")]
    changes = story[start + 1 : story.index("", start)]
    assert changes
    assert all(line.startswith(("    - ", "    + ")) for line in changes)
    assert any(":bad" in line for line in changes if line.startswith("    + "))


@needs_git
def test_a_range_starts_with_the_version_at_its_start(tmp_path: Path) -> None:
    profile = _history(tmp_path / "h", _BAD, _FINE, f"{_FINE} :n :q 1 .", f"{_FINE} :n :q 2 .")
    profile.write_text(profile.read_text().replace('"HEAD"', '"v1..HEAD"'))
    assert list(_judged(_run(profile)).values()) == [Outcome.PASS] * 3


@needs_git
def test_versions_are_compared_with_the_one_before(tmp_path: Path) -> None:
    more = "[oracle]\nsame-as-seed = true\n[campaign]\nreduce = 0\n"
    longer = f"{_FINE} :n :q 1 ."
    profile = _history(tmp_path / "h", _FINE, f"{_FINE}\n", longer, _UNREADABLE, f"{longer}\n", more=more)
    assert list(_judged(_run(profile)).values()) == [Outcome.PASS, Outcome.PASS, Outcome.FAIL, Outcome.PASS]
    assert _summary(profile).findings[0].finding.signature == "system: changed: stdout"


def test_files_are_compared_with_the_first(tmp_path: Path) -> None:
    more = "[oracle]\nsame-as-seed = true\n[campaign]\nreduce = 0\n"
    longer = f"{_FINE} :n :q 1 ."
    profile = _corpus(tmp_path / "c", more, a=_FINE, b=longer, c=f"{longer}\n", d=f"{_FINE}\n")
    assert list(_judged(_run(profile)).values()) == [Outcome.PASS, Outcome.FAIL, Outcome.FAIL, Outcome.PASS]


def test_the_commands(tmp_path: Path) -> None:
    profile = _corpus(tmp_path / "c", a=_FINE, b=_BAD)
    done = kgprobe("test", profile, "--quiet", "--workers", "1", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["outcomes"]["fail"] == 1
    again = kgprobe("test", profile, "--case", "2")
    assert (again.returncode, again.stdout.splitlines()[0]) == (1, "corpus/b.ttl: fail")
    whole = tmp_path / "whole.ttl"
    assert kgprobe("show", f"{profile}#1", "--case", whole, "--whole").returncode == 0
    assert kgprobe("test", profile, "--on", whole).returncode == 1
    assert_refused(kgprobe("test", profile, "--count", "3"), "--count works only for profiles with [mutation]")
    assert_refused(kgprobe("mutate", profile, "--out", tmp_path / "m"), "this profile has no [mutation]")


def test_nothing_that_was_not_tested_looks_green(tmp_path: Path) -> None:
    profile = _corpus(tmp_path / "c", _MASK, a=_UNREADABLE, b=_NO_P)
    done = kgprobe("test", profile, "--quiet", "--workers", "1")
    assert done.returncode == 3
    assert "nothing was tested: no graph can be read and is admissible" in done.stderr


@needs_git
@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ("", "[cases] needs 'graphs' or 'history'"),
        ('graphs = ["nothing/*.ttl"]', "nothing/*.ttl does not exist"),
        ('graph = ["a.ttl"]', "[cases] has no key 'graph' (did you mean 'graphs'?)"),
        ('history = "v1..HEAD"', "[cases] history needs 'file'"),
        ('file = "menu.ttl"', "[cases] needs 'graphs' or 'history'"),
        ('graphs = ["menu.ttl"]\nfile = "menu.ttl"', "[cases] 'file' is for 'history'"),
        ('graphs = ["menu.ttl"]\nhistory = "HEAD"', "[cases] has one of 'graphs' and 'history', not both"),
        ('graphs = ["menu.ttl"]\n[mutation]', "a profile has one of [mutation] and [cases], not both"),
        ('graphs = ["menu.ttl"]\n[graph]\nseeds = ["menu.ttl"]', "[graph] seeds are for [mutation]"),
        ('history = "v7..HEAD"\nfile = "menu.ttl"', "git has no revision 'v7'"),
        ('history = "HEAD..HEAD"\nfile = "menu.ttl"', "menu.ttl has no version in HEAD..HEAD"),
        ('history = "HEAD"\nfile = "other.ttl"', "other.ttl has no version in HEAD"),
    ],
)
def test_mistakes_in_a_profile(tmp_path: Path, cases: str, message: str) -> None:
    _history(tmp_path, _FINE, _BAD)
    profile = _write(tmp_path, cases)
    with pytest.raises(InputError) as error:
        _run(profile)
    assert message in str(error.value)
