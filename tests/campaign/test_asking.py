"""Campaigns that ask a chat system: nothing is asked twice, caps hold, and an interrupted campaign resumes."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from support.chat_server import Said, chatting, completion

from kgprobe.campaign.answers import Tally, tally_in
from kgprobe.campaign.executor import Job
from kgprobe.campaign.harness import harness_of
from kgprobe.campaign.local import LocalWorkers, WaitingWorkers, usual_count, usual_workers
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import remove_campaign
from kgprobe.config.loading import load_profile
from kgprobe.config.system_table import SystemTable
from kgprobe.config.systems import ChatTable, HttpTable
from kgprobe.errors import InputError, UnavailableError
from kgprobe.model import Usage
from kgprobe.systems import pacing

from .asking import ended, judged, run, write_questions

SHARED = ("Is water wet at all?", "Is {n} red?")
KEY = "sk-very-secret-1234"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing.Patience, "wait", lambda *_: 0.01)


def tally(profile: Path, system: str = "small") -> Tally:
    return tally_in(load_profile(profile).campaign.answers, system)


def kept_in(profile: Path) -> int:
    """The number of kept answers."""
    with closing(sqlite3.connect(load_profile(profile).campaign.answers)) as file:
        [count] = file.execute("SELECT count(*) FROM answers").fetchone()
    return int(count)


def files_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_shared_premise_is_asked_once_by_200_concurrent_cases(tmp_path: Path) -> None:
    with chatting(lambda *_: Said(completion("Yes.").body, pause=0.01)) as chat:
        path = write_questions(tmp_path / "c", chat.url, "concurrency = 40", cases=200, premises=SHARED)
        events = run(path, workers=200)
        assert judged(events) == ["pass"] * 200
        assert Counter(chat.prompts)["Is water wet at all?\nAnswer yes or no."] == 1
        assert (len(chat.requests), chat.repeated) == (1 + 2 * 200, [])
        assert 2 < chat.most_at_once <= 40
        assert tally(path) == Tally(Usage(401, 4010, 802), 199)


def test_the_executor_is_chosen_by_the_systems(tmp_path: Path) -> None:
    path = write_questions(tmp_path / "c", "http://127.0.0.1:9/v1", "concurrency = 7")
    harness = harness_of(load_profile(path))
    chosen = usual_workers(Job(harness))
    assert isinstance(chosen, WaitingWorkers)
    assert chosen.capacity == 7 + 4
    chosen.close()
    chat, http = ChatTable(chat="http://x", model="m", concurrency=9), HttpTable(http="http://x")
    together: list[list[SystemTable]] = [[chat], [chat, chat], [http], [chat, http]]
    assert list(map(usual_count, together)) == [9, 18, 16, 16]


# -- caps --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cap", "higher", "most"),
    [
        ("max-requests = 7", "max-requests = 1000", 7),
        ("max-tokens = 60", "max-tokens = 100000", 5 + 2),
        ("max-cost = 0.0005\nprices = { input = 10, output = 0 }", "max-cost = 9\nprices = { input = 10 }", 5 + 2),
    ],
)
def test_a_cap_ends_a_run_and_a_higher_one_resumes_it(tmp_path: Path, cap: str, higher: str, most: int) -> None:
    with chatting(lambda *_: completion("Yes.", tokens=(10, 2))) as chat:
        path = write_questions(tmp_path / "c", chat.url, f"concurrency = 3\n{cap}", cases=12)
        events = run(path)
        name = cap.partition("\n")[0]
        assert ended(events) == f"'small' has reached {name} (a higher limit resumes the campaign)"
        before = len(chat.requests)
        assert (5 if "requests" not in cap else 7) <= before <= most
        assert len(judged(events)) < 12
        assert run(path)  # the cap still holds
        assert len(chat.requests) == before == tally(path).usage.requests
        path.write_text(path.read_text().replace(cap, higher))
        events = run(path)
        assert ended(events) == "all cases have run"
        assert (len(chat.requests), chat.repeated) == (24, [])
        assert tally(path).usage == Usage(24, 240, 48)


def test_a_cap_of_zero_asks_nothing(tmp_path: Path) -> None:
    with chatting(lambda *_: "Yes.") as chat:
        path = write_questions(tmp_path / "c", chat.url, "max-requests = 0", cases=3)
        assert "max-requests = 0" in ended(run(path))
        assert not chat.requests


def test_requests_that_failed_count(tmp_path: Path) -> None:
    def answer(_: str, number: int) -> Said:
        return Said(b"", 503) if number % 2 else completion("Yes.")

    with chatting(answer) as chat:
        path = write_questions(tmp_path / "c", chat.url, "concurrency = 1", cases=4)
        assert judged(run(path)) == ["pass"] * 4
        assert tally(path).usage.requests == len(chat.requests) == 15


# -- interruptions -----------------------------------------------------------------------------------------------------


def test_a_refused_key_ends_the_run_and_another_one_resumes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_valid = threading.Event()

    def answer(prompt: str, _: int) -> Said:
        if "Is 5" in prompt and not is_valid.is_set():
            return Said(f'{{"error": {{"message": "{KEY} has expired"}}}}'.encode(), 401)
        return completion(f"Yes. {KEY}")

    monkeypatch.setenv("TEST_KEY", KEY)
    with chatting(answer) as chat:
        path = write_questions(tmp_path / "c", chat.url, 'key-env = "TEST_KEY"', cases=12)
        with pytest.raises(UnavailableError, match=r"401: \[key\] has expired \(check the variable TEST_KEY"):
            run(path)
        is_valid.set()
        assert ended(run(path)) == "all cases have run"
        assert [prompt for prompt in chat.repeated if "Is 5" not in prompt] == []
    assert {headers["Authorization"] for headers in chat.headers} == {f"Bearer {KEY}"}
    assert KEY.encode() not in files_of(tmp_path)


def test_a_missing_key_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_KEY", raising=False)
    path = write_questions(tmp_path / "c", "http://127.0.0.1:9/v1", 'key-env = "TEST_KEY"')
    with pytest.raises(InputError, match="TEST_KEY"):
        run(path)


def test_a_server_that_breaks_ends_the_run_and_the_same_command_resumes_it(tmp_path: Path) -> None:
    def answer(_: str, number: int) -> Said:
        return Said(b"", 500) if number >= 11 else completion("Yes.")

    with chatting(answer) as chat:
        path = write_questions(tmp_path / "c", chat.url, cases=12)
        with pytest.raises(UnavailableError, match="answered 500"):
            run(path)
        answered = set(chat.prompts[:11])
        asked = len(chat.requests)
    with chatting(lambda *_: "Yes.", chat.port) as again:  # the address is a parameter of an answer
        events = run(path)
        assert ended(events) == "all cases have run"
        assert not answered & set(again.prompts)
        assert len(again.requests) == 24 - 11
        assert tally(path).usage.requests == asked + len(again.requests)


def test_a_failed_question_is_not_kept(tmp_path: Path) -> None:
    is_well = threading.Event()

    def answer(prompt: str, _: int) -> Said:
        return Said(b"", 400) if "3 red" in prompt and not is_well.is_set() else completion("Yes.")

    with chatting(answer) as chat:
        path = write_questions(tmp_path / "c", chat.url, cases=5)
        assert sorted(judged(run(path))) == ["invalid input", *["pass"] * 4]
        remove_campaign(path.with_suffix(".sqlite"))
        is_well.set()
        chat.requests.clear()
        assert judged(run(path)) == ["pass"] * 5
        assert len(chat.requests) == 2
        assert tally(path) == Tally(Usage(2, 20, 4), 8)  # of the new campaign only


@pytest.mark.parametrize(
    ("old", "new", "asked"),
    [
        ('model = "smol"', 'model = "large"', 6),
        ('model = "smol"', 'model = "smol"\nprompt = "{question}"', 6),
        ('model = "smol"', 'model = "smol"\nanswer-tokens = 5', 6),
        ('model = "smol"', 'model = "smol"\nconcurrency = 1\nseconds = 7\nmax-requests = 100', 0),
    ],
)
def test_answers_are_kept_under_everything_that_affects_them(tmp_path: Path, old: str, new: str, asked: int) -> None:
    with chatting(lambda *_: "Yes.") as chat:
        path = write_questions(tmp_path / "c", chat.url, cases=3)
        run(path)
        remove_campaign(path.with_suffix(".sqlite"))
        chat.requests.clear()
        path.write_text(path.read_text().replace(old, new))
        run(path)
        assert len(chat.requests) == asked
        assert tally(path).recalled == 6 - asked


DRIVER = """
import sys
sys.path.insert(0, sys.argv[2])
from campaign.asking import run
run(__import__("pathlib").Path(sys.argv[1]))
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_a_killed_run_asks_again_only_what_was_in_flight(tmp_path: Path) -> None:
    with chatting(lambda *_: Said(completion("Yes.").body, pause=0.05)) as chat:
        path = write_questions(tmp_path / "c", chat.url, "concurrency = 4", cases=40, premises=SHARED)
        tests = str(Path(__file__).parents[1])
        command = [sys.executable, "-c", DRIVER, str(path), tests]
        with subprocess.Popen(command) as process:  # noqa: S603 - our own script
            end = time.monotonic() + 60
            while len(chat.requests) < 30:
                assert time.monotonic() < end
                time.sleep(0.005)
            process.kill()
        time.sleep(0.2)
        asked = len(chat.requests)
        kept = kept_in(path)
        assert asked - 4 <= kept <= asked  # at most 4 were in flight
        assert ended(run(path)) == "all cases have run"
        assert len(chat.requests) - asked == 81 - kept
        assert set(Counter(chat.prompts).values()) <= {1, 2}
    assert process.returncode == -signal.SIGKILL


# -- other systems -----------------------------------------------------------------------------------------------------

BATCHES = """
import time
from pathlib import Path

def answers(prompts):
    time.sleep(0.01)
    with Path(__file__).with_name("calls").open("a") as calls:
        calls.write(f"{len(prompts)}\\n")
    return ["Yes"] * len(prompts)
"""
FUNCTION = """
from pathlib import Path

def answer(prompt):
    with Path(__file__).with_name("calls").open("a") as calls:
        calls.write("x")
    return "2 coloured" not in prompt
"""


def test_a_function_and_a_chat_system_are_asked_together(tmp_path: Path) -> None:
    with chatting(lambda *_: "Yes.") as chat:
        path = write_questions(tmp_path / "c", chat.url, "concurrency = 1", cases=6)
        (tmp_path / "c" / "qa.py").write_text(FUNCTION)
        path.write_text(path.read_text() + '\n[[python.systems]]\nname = "own"\nfunction = "qa.py:answer"\n')
        events = run(path, workers=2)
        assert judged(events) == ["pass", "pass", "fail", "pass", "pass", "pass"]
        assert len((tmp_path / "c" / "calls").read_text()) == tally(path, "own").usage.requests == 12
        assert (len(chat.requests), chat.repeated) == (12, [])
        assert chat.most_at_once == 1


def test_a_cap_ends_a_run_with_processes(tmp_path: Path) -> None:
    with chatting(lambda *_: "Yes.") as chat:
        path = write_questions(tmp_path / "c", chat.url, "concurrency = 2\nmax-requests = 5", cases=6)
        (tmp_path / "c" / "qa.py").write_text(FUNCTION)
        path.write_text(path.read_text() + '\n[[python.systems]]\nname = "own"\nfunction = "qa.py:answer"\n')
        assert "max-requests = 5" in ended(run(path, workers=2))
        assert len(chat.requests) == 5
        path.write_text(path.read_text().replace("max-requests = 5", "max-requests = 50"))
        assert ended(run(path, workers=2)) == "all cases have run"
        assert (len(chat.requests), chat.repeated) == (12, [])


@pytest.mark.parametrize("executor", [LocalWorkers, WaitingWorkers])
def test_a_function_that_takes_batches(tmp_path: Path, executor: type[LocalWorkers | WaitingWorkers]) -> None:
    path = write_questions(tmp_path / "c", "http://127.0.0.1:9/v1", cases=30)
    text = path.read_text()
    (tmp_path / "c" / "qa.py").write_text(BATCHES)
    system = '[[python.systems]]\nname = "own"\nfunction = "qa.py:answers"\ninput = "prompts"\n'
    path.write_text(text[: text.index("[[systems]]")] + system)
    harness = harness_of(load_profile(path))
    with closing(usual_workers(Job(harness))) as usual:
        assert isinstance(usual, WaitingWorkers)
    events = list(run_campaign(load_profile(path), lambda job: executor(job, 2 if executor is LocalWorkers else 16)))
    assert judged(events) == ["pass"] * 30
    calls = [int(line) for line in (tmp_path / "c" / "calls").read_text().split()]
    assert sum(calls) == 60
    assert (max(calls) > 1) == (executor is WaitingWorkers)
