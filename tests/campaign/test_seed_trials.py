"""The systems run on each seed graph before its mutants. A seed graph that fails is reported and left out."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.commands import kgprobe

from kgprobe.campaign.events import Begun, Event, Judged, Note, ReductionDone
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import read_store
from kgprobe.campaign.summary import summary_of
from kgprobe.config.loading import load_profile
from kgprobe.errors import UnavailableError
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.report.campaign import campaign_as_junit, summary_lines, summary_value

from .campaigns import InThisProcess

_TURTLE = "@prefix : <http://example.org/> . :a :p :b ; :q {more} . :b :p :c ."
# Logs each call, and fails on graphs that mention :bad.
_SYSTEM = """
echo $(grep -c ":bad" $1) >> calls
if grep -q ":bad" $1; then echo bad graph >&2; exit 4; fi
"""
_SH = '[[systems]]\nname = "system"\ncommand = ["sh", "system.sh", "{graph}"]\n'


def _write(
    folder: Path, seeds: dict[str, str], more: str = "[campaign]\nreduce = 0", *, systems: str = _SH, mutants: int = 4
) -> Path:
    """A campaign whose seed graphs have these objects in one triple."""
    folder.mkdir(exist_ok=True)
    for name, object_ in seeds.items():
        (folder / f"{name}.ttl").write_text(_TURTLE.format(more=object_))
    (folder / "system.sh").write_text(_SYSTEM)
    names = ", ".join(f'"{name}.ttl"' for name in seeds)
    profile = folder / "profile.toml"
    profile.write_text(f"""
[graph]
seeds = [{names}]
[mutation]
operators = ["AddRelation"]
mutations = 1
mutants = {mutants}
{systems}
{more}
""")
    return profile


def _run(profile: Path) -> tuple[list[Event], list[str]]:
    """All events except notes, and the texts of the notes."""
    events = list(run_campaign(load_profile(profile), InThisProcess))
    notes = [event.text for event in events if isinstance(event, Note)]
    return [event for event in events if not isinstance(event, Note)], notes


def _names(events: list[Event]) -> set[str]:
    return {event.name.partition("#")[0] for event in events if isinstance(event, Judged)}


def _calls(profile: Path) -> list[str]:
    return (profile.parent / "calls").read_text().split()


def test_a_failing_seed_graph_is_reported_and_left_out(tmp_path: Path) -> None:
    profile = _write(tmp_path, {"one": ":bad", "two": ":good"})
    events, notes = _run(profile)
    assert events[0] == Begun(4, 0, 0)
    assert _names(events) == {"two"}
    why = "system fails on it: exit status: 4: bad graph"
    assert notes == [f"one.ttl: {why}; this seed graph is left out"]
    # A second run only reports, with the same result.
    calls = _calls(profile)
    assert calls.count("1") == 2, "a failure is seen twice before it counts"
    again, told_again = _run(profile)
    assert not _names(again)
    assert told_again == notes
    assert _calls(profile) == calls

    with read_store(profile.with_suffix(".sqlite")) as store:
        summary = summary_of(store, KnownBugs([]))
        junit = ElementTree.fromstring(campaign_as_junit(store, summary, "profile"))  # noqa: S314 - our own
    assert summary_value(summary, "")["left_out"] == {"one": why}
    assert f"  left out     one: {why}" in list(summary_lines(summary, "profile"))
    [skipped] = junit.findall("testsuite/testcase[@classname='one']/skipped")
    assert skipped.get("message") == f"left out: {why}"


def test_a_campaign_without_usable_seed_graphs_stops_and_tries_them_again_next_time(tmp_path: Path) -> None:
    function = '[[python.systems]]\nname = "system"\nfunction = "system.py:run"\n'
    profile = _write(tmp_path, {"one": ":a"}, systems=function)
    (tmp_path / "system.py").write_text("def run(graph):\n    import no_such_module\n")
    done = kgprobe("test", profile)
    assert done.returncode == 3
    assert done.stdout == ""
    assert "no seed graph can be used: one.ttl: system fails on it: crashed: ModuleNotFoundError" in done.stderr
    assert "No module named 'no_such_module'" in done.stderr
    assert "--keep-going tests its mutants anyway" in done.stderr
    with read_store(profile.with_suffix(".sqlite")) as store:
        assert not store.findings()
    (tmp_path / "no_such_module.py").write_text("")  # the missing module now exists, and no known input has changed
    events, notes = _run(profile)
    assert _names(events) == {"one"}
    assert not notes


def test_keep_going_uses_failing_seed_graphs(tmp_path: Path) -> None:
    profile = _write(tmp_path, {"one": ":bad", "two": ":good"})
    done = kgprobe("test", profile, "--keep-going", "--workers", "1")
    assert done.returncode == 1
    assert "kgprobe: warning: one.ttl: system fails on it" in done.stderr
    assert "used all the same" in done.stderr
    assert "8 cases" in done.stdout
    assert "  used anyway  one: system fails on it" in done.stdout
    assert "left out" not in done.stdout


def test_a_seed_graph_that_the_mask_rejects(tmp_path: Path) -> None:
    (tmp_path / "good.rq").write_text("ASK { :a :q :good }")
    mask = '[mask]\nqueries = ["GOOD"]'.replace("GOOD", str(tmp_path / "good.rq"))
    profile = _write(tmp_path / "a", {"one": ":other", "two": ":good"}, mask)
    events, notes = _run(profile)
    assert _names(events) == {"two"}
    [note] = notes
    assert note.startswith(f"one.ttl: is not admissible: {tmp_path / 'good.rq'}: the answer is false")
    assert len(_calls(profile)) == 5, "a graph that is not admissible is not run"
    (tmp_path / "good.rq").write_text("ASK { :a :q :neither }")
    with pytest.raises(UnavailableError, match=r"no seed graph can be used: one.ttl: is not admissible: .*and 1 more"):
        _run(_write(tmp_path / "b", {"one": ":other", "two": ":good"}, mask))


def test_systems_that_disagree_on_a_seed_graph_are_a_finding(tmp_path: Path) -> None:
    table = '[[python.systems]]\nname = "{0}"\nfunction = "{0}.py:run"\n'
    profile = _write(tmp_path, {"one": ":good", "two": ":odd"}, "", systems=table.format("a") + table.format("b"))
    (tmp_path / "a.py").write_text("def run(graph):\n    return 'odd' in str(list(graph))\n")
    (tmp_path / "b.py").write_text("def run(graph):\n    return False\n")
    events, notes = _run(profile)
    assert not notes
    assert _names(events) == {"one", "two"}, "it is used like any other"
    with read_store(profile.with_suffix(".sqlite")) as store:
        [finding] = store.findings()
        assert finding.first == 0
        assert finding.cases == 1 + sum(bool(event.verdict.failures) for event in events if isinstance(event, Judged))
        assert store.outcomes().total() == 9
    [reduced] = [event.reduced for event in events if isinstance(event, ReductionDone)]
    assert reduced is not None
    assert reduced.figures["triples_after"] == 1
    assert "the first is two\n" in kgprobe("show", f"{profile}#1").stdout
    again = kgprobe("test", profile, "--case", "0")
    assert again.returncode == 1
    assert again.stdout.startswith("two: fail")


def test_a_known_bug_does_not_exclude_a_seed_graph(tmp_path: Path) -> None:
    events, notes = _run(_write(tmp_path, {"one": ":bad"}, '[[known]]\nsignature = "system: exit status*"\n'))
    assert _names(events) == {"one"}
    assert not notes


def test_a_flaky_failure_does_not_exclude_a_seed_graph(tmp_path: Path) -> None:
    profile = _write(tmp_path, {"one": ":good"})
    (tmp_path / "system.sh").write_text("echo x >> calls; test $(wc -l < calls) -gt 1")
    events, notes = _run(profile)
    assert _names(events) == {"one"}
    assert not notes


def test_a_seed_graph_that_mutants_are_compared_with_runs_once(tmp_path: Path) -> None:
    profile = _write(tmp_path, {"one": ":good"}, "[oracle]\nsame-as-seed = true\n[campaign]\nreduce = 0")
    events, _ = _run(profile)
    assert sum(isinstance(event, Judged) for event in events) == 4
    assert len(_calls(profile)) == 1 + 4


def test_after_an_interruption_seed_graphs_are_not_run_again(tmp_path: Path) -> None:
    profile = _write(tmp_path, {"one": ":good", "two": ":good"}, mutants=3)
    events = run_campaign(load_profile(profile), InThisProcess)
    next(events)
    events.close()  # before the first mutant
    assert len(_calls(profile)) == 2
    _run(profile)
    assert len(_calls(profile)) == 2 + 6
