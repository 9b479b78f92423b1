"""Campaigns: each case runs once, results do not depend on the speed of workers, and untested is not green."""

from __future__ import annotations

import json
import os
import signal
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.commands import assert_refused, kgprobe

from kgprobe.campaign.events import Begun, Ended, Judged, NewFinding, ReductionDone
from kgprobe.campaign.executor import Job
from kgprobe.campaign.local import LocalWorkers
from kgprobe.campaign.run import Events, MakeExecutor, run_campaign
from kgprobe.campaign.store import read_store
from kgprobe.config.loading import load_profile
from kgprobe.errors import InputError, UnavailableError
from kgprobe.model import Outcome

from .campaigns import results_in, run, write_campaign

_RIGHT = "def inspect(graph):\n    return {'mission': 'complete', 'inspected': [], 'missed': []}\n"


def test_events_and_store_have_all_results(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path / "a")
    events = run(profile, workers=2)
    assert events[0] == Begun(40, 0, 0)
    judged = [event for event in events if isinstance(event, Judged)]
    assert sorted(event.number for event in judged) == list(range(1, 41))
    assert {event.name for event in judged} == {f"pipes#{number}" for number in range(1, 41)}
    found = {event.signature for event in events if isinstance(event, NewFinding)}
    reduced = {event.signature: event.reduced for event in events if isinstance(event, ReductionDone)}
    assert found == set(reduced)
    assert Ended("all cases have run") in events
    passed = "robot: predicate: is_complete: a segment was passed and not inspected"
    smallest = reduced[passed]
    assert smallest is not None
    assert smallest.figures["triples_after"] == 3
    with read_store(profile.with_suffix(".sqlite")) as store:
        assert {number: outcome for number, outcome, _, _ in store.results()} == {
            event.number: event.verdict.outcome for event in judged
        }
        assert {finding.signature for finding in store.findings()} == found
        file = next((tmp_path / "a" / "profile-findings").glob("robot-predicate-*"))
        assert file.read_text() in {each.graph for finding in store.findings() for each in finding.reductions}


def test_a_complete_campaign_only_reports_and_more_mutants_resume_it(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path / "a", mutants=10)
    run(profile, workers=2)
    before = results_in(profile)
    events = run(profile)
    assert [type(event) for event in events] == [Begun, Ended]
    assert results_in(profile) == before
    profile.write_text(profile.read_text().replace("mutants = 10", "mutants = 30"))
    assert sum(isinstance(event, Judged) for event in run(profile, workers=2)) == 20
    assert results_in(profile)[0] == _all_at_once(tmp_path / "b", 30)


def _all_at_once(folder: Path, mutants: int) -> object:
    profile = write_campaign(folder, mutants=mutants)
    run(profile, workers=1)
    return results_in(profile)[0]


def test_it_stops_at_the_same_case_with_any_number_of_workers(tmp_path: Path) -> None:
    found = []
    for workers in (1, 3):
        profile = write_campaign(tmp_path / str(workers), "[campaign]\nfindings = 2\nreduce = 0")
        events = run(profile, workers)
        assert events[-1] == Ended("2 findings")
        found.append(results_in(profile)[:2])
    assert found[0] == found[1]
    results, findings = found[0]
    assert isinstance(results, list)
    assert isinstance(findings, list)
    assert len(findings) == 2
    assert len(results) == max(finding.first for finding in findings) < 40

    # With more findings asked for, it resumes as if it had never stopped.
    for name in ("3", "new"):
        profile = write_campaign(tmp_path / name, "[campaign]\nfindings = 3\nreduce = 0")
        assert run(profile)[-1] == Ended("3 findings")
    assert results_in(tmp_path / "3" / "profile.toml")[:2] == results_in(tmp_path / "new" / "profile.toml")[:2]


def test_enough_findings_are_reduced_while_later_cases_are_still_under_way(tmp_path: Path) -> None:
    reduced = []
    for workers in (1, 2):
        profile = write_campaign(tmp_path / str(workers), "[campaign]\nfindings = 1")
        done = run(profile, workers)[-1]
        assert isinstance(done, ReductionDone)
        assert done.reduced is not None
        reduced.append(done.reduced.graph)
    assert reduced[0] == reduced[1]


def test_it_stops_after_a_time_and_resumes_later(tmp_path: Path) -> None:
    slow = "import time\ndef inspect(graph):\n    time.sleep(0.05)\n    return {'mission': 'complete', 'missed': []}\n"
    profile = write_campaign(tmp_path / "a", '[campaign]\nfor = "1h"', mutants=200, system=slow)
    with closing(_events(profile, lambda job: LocalWorkers(job, 1))) as begun:
        next(begun)  # the systems have run on the seed graph, which takes as long as it takes
    with read_store(profile.with_suffix(".sqlite")) as store:
        seconds = float(store.value("seconds") or 0) + 0.5
    profile.write_text(profile.read_text().replace('"1h"', f'"{seconds:.3f}s"'))
    events = run(profile)
    assert isinstance(events[-1], Ended)
    assert events[-1].why.endswith(" s have passed")
    assert 0 < sum(isinstance(event, Judged) for event in events) < 200
    assert not results_in(profile)[3], "what was in flight has been waited for"


def test_all_seed_graphs_are_used_equally_often(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path / "a", "[campaign]\nreduce = 0\nfindings = 1", system=_RIGHT)
    for name in ("b", "c"):
        (profile.parent / f"{name}.ttl").write_text((profile.parent / "pipes.ttl").read_text())
    profile.write_text(profile.read_text().replace('["pipes.ttl"]', '["*.ttl"]').replace("findings = 1", ""))
    profile.write_text(profile.read_text().replace("mutants = 40", "mutants = 7"))
    events = run(profile)
    names = sorted(event.name for event in events if isinstance(event, Judged))
    assert names == sorted(f"{seed}#{number}" for seed in ("b", "c", "pipes") for number in range(1, 8))
    assert {event.number for event in events if isinstance(event, Judged)} == set(range(1, 22))


def test_a_changed_profile_is_named_and_results_are_not_mixed(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path / "a", mutants=3)
    run(profile)
    (profile.parent / "robot.py").write_text(_RIGHT)
    with pytest.raises(InputError, match=r"holds the results of another campaign: .*robot\.py changed since"):
        run(profile)
    assert_refused(kgprobe("test", profile), "start over with --fresh")
    assert kgprobe("test", profile, "--fresh").returncode == 0


def test_two_campaigns_do_not_write_to_one_store(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path / "a", mutants=3)
    with closing(_events(profile, lambda job: LocalWorkers(job, 1))) as first:
        next(first)
        with pytest.raises(InputError, match="another campaign is writing"):
            run(profile)


def _events(profile: Path, workers: MakeExecutor) -> Events:
    return run_campaign(load_profile(profile), workers)


def test_known_bugs_are_counted_separately(tmp_path: Path) -> None:
    known = '[[known]]\nsignature = "robot: *"\nnote = "issue 12"'
    profile = write_campaign(tmp_path / "a", known)
    done = kgprobe("test", profile)
    assert done.returncode == 0, done.stdout
    assert "findings     0, and 3 known bugs" in done.stdout
    assert "(known: issue 12)" in done.stdout
    assert "reduced" not in done.stdout


def test_nothing_tested_is_not_green(tmp_path: Path) -> None:
    (tmp_path / "never.rq").write_text("ASK { <urn:a> <urn:b> <urn:c> }")
    profile = write_campaign(tmp_path, '[mask]\nqueries = ["never.rq"]', mutants=2)
    profile.write_text(profile.read_text().replace("seed = 1", "seed = 1\nattempts = 20"))
    done = kgprobe("test", profile, "--keep-going")
    assert done.returncode == 3
    assert "nothing was tested: no mutant is valid" in done.stderr


def test_a_system_that_does_not_exist(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path, '[[systems]]\ncommand = ["no-such-program", "{graph}"]', mutants=2)
    done = kgprobe("test", profile)
    assert done.returncode == 3
    assert "no-such-program" in done.stderr
    profile = write_campaign(tmp_path, mutants=2)
    profile.write_text(profile.read_text().replace("robot.py:inspect", "robot.py:inspekt"))
    assert_refused(kgprobe("test", profile), "inspect")


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path / "a")
    made: list[LocalWorkers] = []

    def workers(job: Job) -> LocalWorkers:
        made.append(LocalWorkers(job, 2))
        return made[0]

    events = []
    for event in _events(profile, workers):
        events.append(event)
        if len(events) in (5, 9):
            os.kill(made[0].pids[0], signal.SIGKILL)
    assert sum(isinstance(event, Judged) for event in events) == 40
    assert results_in(profile)[0] == _all_at_once(tmp_path / "b", 40)


def test_a_failure_that_does_not_recur_is_reported(tmp_path: Path) -> None:
    # It fails in the second run of a process, which is that of the first case, and never again.
    code = (
        "def inspect(graph):\n    inspect.runs = getattr(inspect, 'runs', 0) + 1\n"
        "    return {'mission': 'odd', 'missed': ['x'] * (inspect.runs == 2)}\n"
    )
    profile = write_campaign(tmp_path / "a", mutants=3, system=code)
    done = kgprobe("test", profile, "--workers", "1")
    assert done.returncode == 1
    assert "\n       case 1 is not reduced: it did not fail again in 10 runs\n" in done.stdout
    told = kgprobe("show", f"{profile.with_suffix('.sqlite')}#1").stdout
    assert "\nCase 1 is not reduced: it did not fail again in 10 runs\n" in told
    assert "note: case 1 is not reduced, it did not fail again in 10 runs: robot: predicate: is_complete" in done.stderr


def test_an_oracle_that_fails_is_the_users_error(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path, mutants=2)
    (tmp_path / "mission.py").write_text("def is_complete(case, seen):\n    return seen.nothing\n")
    assert_refused(kgprobe("test", profile), "mission.py:2")


def test_reasons_of_undecided_cases_are_counted_and_one_graph_has_the_same_exit_code(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path, mutants=4, system=_RIGHT)
    (tmp_path / "mission.py").write_text("import beside\ndef is_complete(case, seen):\n    return beside.CANNOT_TELL\n")
    (tmp_path / "beside.py").write_text("CANNOT_TELL = None\n")
    why = "the predicate 'is_complete' cannot tell for robot"
    done = kgprobe("test", profile)
    assert done.returncode == 3
    assert f"  undecided    4: {why}\n" in done.stdout
    assert json.loads(kgprobe("show", profile, "--json").stdout)["reasons"] == {"undecided": {why: 4}}
    one = kgprobe("test", profile, "--on", tmp_path / "pipes.ttl")
    assert one.returncode == 3
    assert one.stdout == f"pipes.ttl: undecided: {why}\n"
    assert "nothing was tested: pipes.ttl could not be judged" in one.stderr


def test_one_graph_with_a_known_bug_exits_as_the_campaign_would(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path, '[[known]]\nsignature = "robot: *"', system="def inspect(graph): 1 / 0")
    done = kgprobe("test", profile, "--on", tmp_path / "pipes.ttl")
    assert done.returncode == 0
    assert "ZeroDivisionError" in done.stdout


def test_junit_and_json_reports(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path / "a")
    junit = tmp_path / "report.xml"
    done = kgprobe("test", profile, "--json", "--junit", junit)
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["cases"] == 40 == sum(told["outcomes"].values())
    assert told["outcomes"]["fail"] == sum(finding["cases"] for finding in told["findings"])
    [suite] = ElementTree.parse(junit).getroot()  # noqa: S314 - our own
    failures = suite.findall("testcase/failure")
    assert int(suite.get("failures", "")) == len(failures) == told["outcomes"]["fail"]
    assert {failure.get("message") for failure in failures} == {found["signature"] for found in told["findings"]}
    assert int(suite.get("tests", "")) == len(suite.findall("testcase"))
    assert sorted(case.get("name", "") for case in suite) == sorted(f"pipes#{number}" for number in range(1, 41))
    assert {case.get("classname") for case in suite} == {"pipes"}
    assert len(suite.findall("testcase[failure]")) == told["outcomes"]["fail"]


@pytest.mark.parametrize(
    ("report", "why"), [("no/where.xml", "cannot be written: its folder does not exist"), (".", "is a folder")]
)
def test_an_unwritable_report_is_refused_before_the_campaign(tmp_path: Path, report: str, why: str) -> None:
    profile = write_campaign(tmp_path / "a")
    assert_refused(kgprobe("test", profile, "--junit", tmp_path / report), why)
    assert not profile.with_suffix(".sqlite").exists()


def test_a_report_replaces_only_a_report(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path / "a", mutants=1)
    before = profile.read_bytes()
    assert_refused(kgprobe("test", profile, "--junit", profile), "is not a report; it was not replaced")
    assert profile.read_bytes() == before


def test_the_story_of_a_finding_and_its_commands(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path / "a")
    assert kgprobe("test", profile).returncode == 1
    listed = kgprobe("show", profile.with_suffix(".sqlite"))
    assert "a segment was never reached" in listed.stdout
    number = next(
        line.split(".")[0].strip() for line in listed.stdout.splitlines() if "passed and not inspected" in line
    )
    story = kgprobe("show", f"{profile}#{number}").stdout
    assert "was made, in 6 steps" in story
    assert "to 3, in" in story
    commands = story.partition("Reproduce with\n")[2].splitlines()
    assert len(commands) == 2
    for command in commands:
        again = kgprobe(*command.split()[1:])
        assert again.returncode == 1
        assert "a segment was passed and not inspected" in again.stdout
    assert_refused(kgprobe("show", f"{profile}#99"), "has no finding 99")
    assert_refused(kgprobe("show", tmp_path / "nothing.sqlite"), "does not exist")
    assert_refused(kgprobe("show", profile.parent / "pipes.ttl"), "is not a store of a campaign")
    assert_refused(kgprobe("test", profile, "--case", "99"), "there is no case 99")


def test_runs_that_differ_are_judged_by_their_majority(tmp_path: Path) -> None:
    # Right in two of three runs of each case.
    code = """
def inspect(graph):
    inspect.calls = getattr(inspect, "calls", 0) + 1
    return {"mission": "odd", "missed": ["x"] if inspect.calls % 3 == 0 else []}
"""
    profile = write_campaign(tmp_path / "a", "[oracle]\nruns = 3", mutants=6, system=code)
    run(profile, workers=1)
    assert [outcome for _, outcome, _, _ in results_in(profile)[0]] == [Outcome.PASS] * 6  # type: ignore[attr-defined]


def test_unreachable_services_end_the_campaign_and_it_resumes_later(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path, '[[systems]]\nhttp = "http://127.0.0.1:9/none"', mutants=2)
    with pytest.raises(UnavailableError):
        run(profile)
    with read_store(profile.with_suffix(".sqlite")) as store:
        assert [source.state for source in store.sources()] == [None], "it is tried again"
