"""Programs that answer questions: the one of the documentation, as a function and as a command, right and wrong."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from kgprobe.campaign.events import Judged
from kgprobe.campaign.local import LocalWorkers
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import read_store
from kgprobe.campaign.summary import summary_of
from kgprobe.config.loading import load_profile
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.report.questions import QuestionsReport, reported

from .campaigns import InThisProcess

FILES = Path("docs/files/questions").resolve()
# A line of the program, and one that makes it right.
DIRECT = "    return {IN[place]}"
TRANSITIVE = "    return {IN[place], *(around(IN[place]) if IN[place] in IN else ())}"
LOGGED = """

_answer = answer
def answer(prompt):
    with open(__file__ + ".log", "a") as log:
        log.write(repr(prompt) + chr(10))
    return _answer(prompt)
"""
COMMAND = """

if __name__ == "__main__":
    import sys
    print(answer(sys.stdin.read()))
"""


def write_program(folder: Path, *changes: tuple[str, str], more: str = "") -> Path:
    """The profile of the documentation, with a changed program."""
    shutil.copytree(FILES, folder, dirs_exist_ok=True)
    text = (folder / "qa.py").read_text()
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / "qa.py").write_text(text + more)
    return folder / "qa.toml"


def report_on(profile: Path, workers: int = 0) -> QuestionsReport:
    """The report after a whole campaign."""
    made = load_profile(profile)
    list(run_campaign(made, lambda job: LocalWorkers(job, workers) if workers else InThisProcess(job)))
    with read_store(made.campaign.store) as store:
        return reported(store, summary_of(store, KnownBugs([])))


def bugs_by_rule(report: QuestionsReport) -> dict[str, int]:
    """The number of cases with a bug, for each rule that has any."""
    counts: Counter[str] = Counter()
    for tally in report.systems.values():
        for (rule, _), each in tally.rules.items():
            counts[rule] += each.bugs_extended
    return {rule: count for rule, count in sorted(counts.items()) if count}


def test_a_program_without_faults_has_no_bugs(tmp_path: Path) -> None:
    report = report_on(write_program(tmp_path, (DIRECT, TRANSITIVE)))
    assert report.cases > 10
    assert report.untested == 0
    assert bugs_by_rule(report) == {}
    assert not any(tally.answers["undecided"] for tally in report.systems.values())


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("{OTHER_NAMES.get(words, words)}", "{words}", "alias"),
        (
            "if outer & around(place)}",
            "if outer & around(place)} | {p for x in outer & {*IN} for p in around(x)}",
            "inverse",
        ),
        (TRANSITIVE, DIRECT, "transitive"),
        ("in described(words.removeprefix(start))", "in {words.removeprefix(start)}", "composition"),
    ],
    ids=["blind to other names", "reads both ways", "not transitive", "no composition"],
)
def test_each_fault_is_found_under_its_rule(tmp_path: Path, old: str, new: str, rule: str) -> None:
    found = bugs_by_rule(report_on(write_program(tmp_path, (DIRECT, TRANSITIVE), (old, new))))
    assert found.get(rule), found


def test_a_question_is_asked_once_by_all_workers(tmp_path: Path) -> None:
    report = report_on(write_program(tmp_path, more=LOGGED), workers=2)
    asked = (tmp_path / "qa.py.log").read_text().splitlines()
    assert len(asked) == len(set(asked)) == report.usage["answer"].requests
    assert report.usage["answer"].cached > 0


def test_an_interrupted_campaign_asks_nothing_twice_and_a_fresh_one_everything(tmp_path: Path) -> None:
    path = write_program(tmp_path, more=LOGGED)
    profile = load_profile(path)
    with closing(run_campaign(profile, InThisProcess)) as events:
        judged = 0
        for event in events:
            judged += isinstance(event, Judged)
            if judged == 5:
                break
    log = tmp_path / "qa.py.log"
    before = len(log.read_text().splitlines())
    report = report_on(path)
    asked = log.read_text().splitlines()
    assert 0 < before < len(asked) == len(set(asked))
    assert report.usage["answer"].requests == len(asked)
    profile.campaign.store.unlink()
    report_on(path)
    assert len(log.read_text().splitlines()) == 2 * len(asked)


def test_the_same_program_as_a_command_has_the_same_bugs(tmp_path: Path) -> None:
    as_function = report_on(write_program(tmp_path / "function"))
    profile = write_program(tmp_path / "command", more=COMMAND)
    text = profile.read_text()
    profile.write_text(
        text[: text.index("[[python.systems]]")]
        + f'[[systems]]\nname = "answer"\ncommand = ["{sys.executable}", "{tmp_path}/command/qa.py"]\n'
    )
    as_command = report_on(profile, workers=2)
    assert bugs_by_rule(as_command) == bugs_by_rule(as_function) != {}
    assert as_command.cases == as_function.cases
