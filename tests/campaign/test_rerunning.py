"""Cases run again after the software has changed: what is said of each, and what the store holds then."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commands import INTERRUPTIBLE, assert_refused, kgprobe

from kgprobe.campaign.store import Store, read_store
from kgprobe.model import Outcome

from .campaigns import results_in, run, write_campaign

_CRASHES_WITHOUT_LINKS = """
from pyoxigraph import NamedNode

def inspect(graph):
    names = sorted(str(triple.predicate) for triple in graph)
    if len(names) % 3 == 1:
        raise {error}("a third of all graphs")
    return {{"mission": "complete", "inspected": [], "missed": []}}
"""


def _campaign(folder: Path, more: str = "[campaign]\nreduce = 0", *, mutants: int = 20) -> Path:
    system = _CRASHES_WITHOUT_LINKS.format(error="ValueError")
    profile = write_campaign(folder, more, mutants=mutants, system=system)
    profile.write_text(profile.read_text().replace('oracle = "mission.py:is_complete"', ""))
    run(profile, workers=2)
    return profile


def _failing(profile: Path) -> list[int]:
    with read_store(profile.with_suffix(".sqlite")) as store:
        return [number for number, outcome, _, _ in store.results() if outcome is Outcome.FAIL]


def _edited(profile: Path, change: Callable[[str], str]) -> None:
    program = profile.parent / "robot.py"
    program.write_text(change(program.read_text()))


def test_runs_of_the_former_program_do_not_count_when_all_cases_run_again(tmp_path: Path) -> None:
    """A reduction that was interrupted has kept its runs. They say nothing about the changed program."""
    profile = _campaign(tmp_path / "a")
    store = profile.with_suffix(".sqlite")
    with Store.reopen(store) as opened:
        finding = opened.findings()[0]
        opened.reduction_runs(finding.signature, finding.first).keep_verdict("a part", failed=True)
        opened.keep_unreduced(finding.signature, finding.first, "it did not fail again")
    _edited(profile, lambda text: text + "# only a comment\n")
    assert kgprobe("test", profile, "--rerun", "all").returncode == 1
    with Store.reopen(store) as opened:
        assert opened.findings()[0].unreduced == ()
        assert opened.reduction_runs(finding.signature, finding.first).next_verdict("a part") is None


@pytest.mark.parametrize(
    ("change", "expected", "code"),
    [
        (lambda text: text + "# only a comment\n", "still failing", 1),
        (lambda text: text.replace("% 3 == 1", "% 3 == 4"), "fixed", 0),
        (lambda text: text.replace("ValueError", "KeyError"), "failing differently", 1),
    ],
)
def test_each_failing_case_is_fixed_still_failing_or_different(
    tmp_path: Path, change: Callable[[str], str], expected: str, code: int
) -> None:
    profile = _campaign(tmp_path / "a")
    before, failing = results_in(profile), _failing(profile)
    assert 0 < len(failing) < 20
    _edited(profile, change)
    assert_refused(kgprobe("test", profile), "robot.py changed since", "--rerun failing")
    done = kgprobe("test", profile, "--rerun", "failing", "--json")
    assert done.returncode == code, done.stderr
    value = json.loads(done.stdout)
    assert [case["number"] for case in value["cases"]] == failing
    assert {case["change"] for case in value["cases"]} == {expected}
    assert value["changes"][expected] == len(failing)
    assert results_in(profile) == before
    text = kgprobe("test", profile, "--rerun", "failing")
    assert f"{len(failing)} failing cases ran again: {len(failing)} {expected}" in text.stdout


def test_all_cases_run_again_with_the_changed_program_and_the_campaign_goes_on(tmp_path: Path) -> None:
    profile = _campaign(tmp_path / "a")
    failing = set(_failing(profile))
    _edited(profile, lambda text: text.replace("% 3 == 1", "% 3 == 2"))
    done = kgprobe("test", profile, "--rerun", "all", "--json")
    changes = {case["number"]: case["change"] for case in json.loads(done.stdout)["rerun"]["cases"]}
    assert {number for number, change in changes.items() if change == "fixed"} == failing
    assert {number for number, change in changes.items() if change == "new failure"} == set(_failing(profile))
    assert set(_failing(profile)).isdisjoint(failing)
    # Now it is the campaign of the changed program: the same results as if that had run from the start.
    other = write_campaign(
        tmp_path / "b", "[campaign]\nreduce = 0", mutants=30, system=(profile.parent / "robot.py").read_text()
    )
    other.write_text(other.read_text().replace('oracle = "mission.py:is_complete"', ""))
    run(other)
    profile.write_text(profile.read_text().replace("mutants = 20", "mutants = 30"))
    run(profile)
    assert results_in(profile)[:2] == results_in(other)[:2]


def test_running_all_again_resumes_if_it_was_interrupted(tmp_path: Path) -> None:
    profile = _campaign(tmp_path / "a")
    _edited(profile, lambda text: text.replace("ValueError", "KeyError"))
    stopped = kgprobe("test", profile, "--rerun", "all", "--findings", "1", "--json")
    before = json.loads(stopped.stdout)["cases"]
    assert 0 < before < 20
    done = json.loads(kgprobe("test", profile, "--rerun", "all", "--json").stdout)
    assert done["cases"] == 20
    assert set(done["rerun"]["changes"].items()) >= {("failing differently", len(_failing(profile))), ("fixed", 0)}


@pytest.mark.parametrize("which", ["failing", "all"])
def test_cases_of_a_changed_graph_are_not_run_again(tmp_path: Path, which: str) -> None:
    profile = _campaign(tmp_path / "a", mutants=5)
    seed = profile.parent / "pipes.ttl"
    seed.write_text(seed.read_text() + "\n<urn:new> a <urn:Thing> .\n")
    before = results_in(profile)
    assert_refused(kgprobe("test", profile, "--rerun", which), "pipes.ttl changed since", "--fresh")
    assert results_in(profile) == before


@pytest.mark.parametrize("which", ["failing", "all"])
def test_without_a_store_there_is_nothing_to_run_again(tmp_path: Path, which: str) -> None:
    profile = write_campaign(tmp_path / "a")
    assert_refused(kgprobe("test", profile, "--rerun", which), "does not exist")
    assert not profile.with_suffix(".sqlite").exists()


def test_that_nothing_could_be_judged_is_not_fixed(tmp_path: Path) -> None:
    profile = write_campaign(tmp_path / "a", "[campaign]\nreduce = 0")
    run(profile)
    failing = _failing(profile)
    assert failing
    _edited(profile, lambda _: "def inspect(graph):\n    return 0\n")
    (profile.parent / "mission.py").write_text("def is_complete(*_):\n    return None\n")
    done = kgprobe("test", profile, "--rerun", "failing")
    assert f"{len(failing)} undecided" in done.stdout
    assert "fixed" not in done.stdout
    assert (done.returncode, "nothing was tested" in done.stderr) == (3, True)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--rerun", "failing", "--on", "x.ttl"), "--on does not go with --rerun failing"),
        (("--rerun", "all", "--fresh"), "--fresh does not go with --rerun all"),
        (("--rerun", "failing", "--junit", "x.xml"), "--junit does not go with --rerun failing"),
        (("--watch", "--json"), "--json does not go with --watch"),
        (("--rerun", "all", "--learn-mask"), "--learn-mask does not go with --rerun all"),
    ],
)
def test_options_that_contradict_each_other_are_refused(tmp_path: Path, options: tuple[str, ...], told: str) -> None:
    profile = write_campaign(tmp_path / "a")
    assert_refused(kgprobe("test", profile, *options), told)


def test_watch_runs_the_failing_cases_after_each_save(tmp_path: Path) -> None:
    profile = _campaign(tmp_path / "a", mutants=10)
    module = profile.parent / "imported.py"  # the profile does not name it
    with subprocess.Popen(  # noqa: S603 - our own command
        [*INTERRUPTIBLE, "test", str(profile), "--watch", "--workers", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None

        def told_until(wanted: str) -> str:
            lines: list[str] = []
            assert process.stdout is not None
            for line in process.stdout:
                lines.append(line)
                if wanted in line:
                    return "".join(lines)
            pytest.fail(f"it ended: {''.join(lines)}")

        try:
            assert "still failing" in told_until("watching")
            _edited(profile, lambda text: f"{text}(\n")
            assert "robot.py has changed" in told_until("watching")
            _edited(profile, lambda text: text[:-2].replace("ValueError", "KeyError"))
            assert "failing differently" in told_until("watching")
            module.write_text("")
            assert "imported.py has changed" in told_until("watching")
            _edited(profile, lambda text: text.replace("% 3 == 1", "% 3 == 4"))
            assert "fixed" in told_until("watching")
            process.send_signal(signal.SIGINT)
            process.stdout.read()
            process.wait()
        finally:
            process.kill()  # it would wait for the next save
    assert process.returncode == 0
