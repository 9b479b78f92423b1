"""Kept answers: a server that counts requests is never asked for the same answer twice."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import kgprobe, kgprobe_in_the_background
from support.counting_server import Answer, serving

from kgprobe.campaign.answers import AnswerKey, Answers, is_answer, parameters_of, remove_answers
from kgprobe.campaign.cluster import DaskWorkers
from kgprobe.campaign.executor import Job, Result, Task, packed_graph
from kgprobe.campaign.harness import harness_of
from kgprobe.campaign.local import LocalWorkers, WaitingWorkers
from kgprobe.campaign.observation_text import observation_in, observation_text
from kgprobe.config.loading import load_profile
from kgprobe.config.system_table import SystemTable
from kgprobe.config.systems import CommandTable, FunctionTable, HttpTable, SparqlTable
from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.model import Crash, Observation, Place, Status
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode
from kgprobe.reasoners.protocol import Hierarchy

from .campaigns import write_campaign
from .test_waiting import profile_for, run

KEEP = "keep-answers = true"
EXECUTORS: list[type[LocalWorkers | WaitingWorkers]] = [LocalWorkers, WaitingWorkers]
CASES = 15
KEY = AnswerKey("planner", "p", "i")
SEEN = Observation("planner", Status.FINISHED, 0.25, value={"plan": [1, 2.5]}, exit_code=200)


def answer_with_size(body: bytes) -> Answer:
    """The number of lines; a third of all answers are failures."""
    lines = body.count(b"\n")
    return (404 if lines % 3 == 0 else 200), "application/json", str(lines).encode()


def kept_rows(profile: Path) -> int:
    """How many answers are in the file."""
    path = load_profile(profile).campaign.answers
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])
        except sqlite3.OperationalError:  # the table does not exist yet
            return 0


def forget_results(profile: Path) -> None:
    """Remove the store, and nothing else."""
    store = load_profile(profile).campaign.store
    for file in store.parent.glob(f"{store.name}*"):
        file.unlink()


# -- as text -----------------------------------------------------------------------------------------------------------

_names = st.text(max_size=5)
_scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
_nodes = _names.map(lambda name: NamedNode(f"urn:{name.encode().hex()}"))
_hashable = _scalars | _nodes | st.lists(_scalars, max_size=3).map(tuple) | st.frozensets(_scalars | _nodes, max_size=3)
_values = st.recursive(
    _hashable,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(_hashable, inner, max_size=3) | st.sets(_hashable, max_size=3)
    ),
    max_leaves=6,
)


def exactly(value: Any) -> Any:
    """A value with the types of all its parts, since True equals 1 and 1 equals 1.0."""
    if isinstance(value, dict):
        return "dict", [(exactly(key), exactly(inner)) for key, inner in value.items()]
    if isinstance(value, list | tuple):
        return type(value), [exactly(item) for item in value]
    if isinstance(value, set | frozenset):
        return type(value), sorted(map(str, map(exactly, value)))
    return type(value), repr(value)


@given(_values)
def test_every_value_is_read_back_exactly(value: Any) -> None:
    read = observation_in(observation_text(replace(SEEN, value=value)), "planner")
    assert exactly(read.value) == exactly(value)


@pytest.mark.parametrize(
    "seen",
    [
        SEEN,
        Observation("planner", Status.FINISHED),
        replace(SEEN, value=frozenset({(("<urn:a>", ""), 2), (("<urn:b>", '"x"'), 1)})),  # rows
        replace(SEEN, value=None, stdout="grün\n\ud800", stderr="\x00", output=b"\xff\x00", remark="odd"),
        replace(
            SEEN,
            value=[
                BlankNode("b"),
                Literal("a", language="en"),
                Literal("1"),
                Literal("x", datatype=NamedNode("urn:t")),
            ],
        ),
        replace(SEEN, crash=Crash("KeyError", "x", ("a", "b"), Place("f.py", 3, "x = 1")), is_partial=True),
        replace(SEEN, value=float("inf"), exit_code=None),
    ],
)
def test_an_observation_is_read_back_exactly(seen: Observation) -> None:
    assert observation_in(observation_text(seen), "planner") == seen


def test_a_hierarchy_is_read_back_exactly() -> None:
    a, b, c, d = (NamedNode(f"urn:{name}") for name in "abcd")
    value = Hierarchy({a: frozenset({a}), b: frozenset({b, c})}, {a: frozenset({b}), b: frozenset()}, frozenset({d}))
    assert observation_in(observation_text(replace(SEEN, value=value)), "planner").value == value


# -- campaigns ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_kept_answer_is_not_asked_for_again(tmp_path: Path, executor: type[LocalWorkers | WaitingWorkers]) -> None:
    with serving(answer_with_size) as server:
        path = profile_for(tmp_path / "campaign", server.url, KEEP, mutants=CASES)
        path.write_text(path.read_text().replace("reduce = 0", "reduce = 1"))
        first = run(path, executor, 2)
        assert any(event.verdict.failures for event in first)
        assert server.repeated == []  # not even by the reduction
        asked = len(server.bodies)
        assert asked > CASES + 1
        assert kept_rows(path) == asked

        forget_results(path)
        path.write_text(path.read_text() + "[oracle]\nexit = [200, 404]\n")  # judged in another way
        second = run(path, executor, 2)
        assert len(second) == len(first)
        assert not any(event.verdict.failures for event in second)
        assert len(server.bodies) == asked

        path.write_text(path.read_text().replace(KEEP, f'{KEEP}\nheaders = {{ Authorization = "another key" }}'))
        forget_results(path)
        run(path, executor, 2)
        assert len(server.bodies) == asked

        path.write_text(path.read_text().replace("Authorization", "X-Model"))
        forget_results(path)
        run(path, executor, 2)
        assert len(server.bodies) == asked + CASES + 1  # this is another system; nothing fails, and nothing is reduced


@pytest.mark.parametrize("executor", ["local", "waiting"])
def test_after_a_kill_nothing_is_asked_for_again(tmp_path: Path, executor: str) -> None:
    answered = 6
    permits = threading.Semaphore(answered)
    is_resumed = threading.Event()

    def answer(body: bytes) -> Answer:
        if not is_resumed.is_set() and not permits.acquire(blocking=False):
            is_resumed.wait(60)
        return answer_with_size(body)

    with serving(answer) as server:
        path = profile_for(tmp_path / "campaign", server.url, KEEP, mutants=CASES)
        command = ["test", str(path), "--executor", executor, "--workers", "2"]
        process = kgprobe_in_the_background(*command)
        end = time.monotonic() + 60
        while kept_rows(path) < answered or len(server.bodies) < answered + 2:
            assert time.monotonic() < end
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(60)
        unanswered = server.bodies[answered:]
        time.sleep(1.5)  # worker processes notice that their parent is gone
        is_resumed.set()
        finished = kgprobe(*command, seconds=100)
        assert f"{CASES} cases" in finished.stdout, finished.stderr
        assert set(server.repeated) == set(unanswered)
        assert len(set(server.bodies)) == CASES + 1
        assert kept_rows(path) == CASES + 1


@pytest.mark.parametrize("executor", EXECUTORS)
def test_workers_that_need_the_same_answer_ask_once(
    tmp_path: Path, executor: type[LocalWorkers | WaitingWorkers]
) -> None:
    def answer(body: bytes) -> Answer:
        time.sleep(0.5)
        return answer_with_size(body)

    with serving(answer) as server:
        path = profile_for(tmp_path / "campaign", server.url, KEEP)
        graph = packed_graph(load(path.parent / "pipes.ttl").graph)
        with closing(executor(Job(harness_of(load_profile(path))), 3)) as workers:
            for ticket in range(3):
                workers.submit(Task(ticket, "case", graph))
            results: list[Result] = []
            while len(results) < 3:
                results += workers.wait()
        assert len(server.bodies) == 1
    assert [result.error for result in results] == [None] * 3
    assert len({json.dumps(str(result.verdict)) for result in results}) == 1


def test_each_of_several_runs_is_kept(tmp_path: Path) -> None:
    with serving(answer_with_size) as server:
        path = profile_for(tmp_path / "campaign", server.url, f"{KEEP}\n[oracle]\nruns = 3", mutants=4)
        run(path, WaitingWorkers, 4)
        assert set(Counter(server.bodies).values()) == {3}
        asked = len(server.bodies)
        forget_results(path)
        run(path, WaitingWorkers, 4)
        assert len(server.bodies) == asked


def test_a_system_whose_answers_are_all_kept_is_not_started(tmp_path: Path) -> None:
    with serving(answer_with_size) as server:
        path = profile_for(tmp_path / "campaign", server.url, KEEP, mutants=4)
        before = run(path, LocalWorkers, 1)
    forget_results(path)
    assert len(run(path, LocalWorkers, 1)) == len(before)  # the server is gone


def failing_once(server_answer: Answer) -> Callable[[bytes], Answer]:
    """Each body gets this answer first, and then another."""
    seen: set[bytes] = set()

    def answer(body: bytes) -> Answer:
        if body in seen:
            return answer_with_size(body)
        seen.add(body)
        return server_answer

    return answer


@pytest.mark.parametrize(("status", "asked"), [(500, 2), (503, 2), (429, 2), (401, 2), (400, 1), (404, 1), (200, 1)])
def test_only_answers_that_arrived_are_kept(tmp_path: Path, status: int, asked: int) -> None:
    with serving(failing_once((status, "text/plain", b"words"))) as server:
        path = profile_for(tmp_path / "campaign", server.url, KEEP)
        task = Task(1, "case", packed_graph(load(path.parent / "pipes.ttl").graph))
        with closing(WaitingWorkers(Job(harness_of(load_profile(path))), 1)) as workers:
            for _ in range(3):
                workers.submit(task)
                workers.wait()
        assert len(server.bodies) == asked


@pytest.mark.parametrize(
    ("table", "seen", "expected"),
    [
        (CommandTable(command=("x",)), Observation("x", Status.FINISHED, exit_code=0), True),
        (CommandTable(command=("x",)), Observation("x", Status.FINISHED, exit_code=3), True),
        (CommandTable(command=("x",)), Observation("x", Status.FINISHED, exit_code=1), False),
        (CommandTable(command=("x",)), Observation("x", Status.CRASHED, exit_code=0), False),
        (FunctionTable(function="x.py:f"), Observation("x", Status.FINISHED), True),
        (FunctionTable(function="x.py:f"), Observation("x", Status.TIMED_OUT), False),
        (HttpTable(http="http://x/"), Observation("x", Status.UNREACHABLE), False),
        (SparqlTable(sparql="http://x/"), Observation("x", Status.FINISHED, exit_code=200), True),
        (SparqlTable(sparql="http://x/"), Observation("x", Status.FINISHED, exit_code=400), False),
    ],
)
def test_which_observations_are_answers(table: SystemTable, seen: Observation, expected: bool) -> None:
    assert is_answer(seen, table, {0, 3}) is expected


def test_parameters_that_an_answer_depends_on(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("1")
    command = CommandTable(command=("python", "model.py"), seconds=3)
    before = parameters_of(command, tmp_path)
    assert parameters_of(replace(command, seconds=9, answers="json", name="other"), tmp_path) == before
    assert parameters_of(replace(command, command=("python", "model.py", "-v")), tmp_path) != before
    file.write_text("2")
    assert parameters_of(command, tmp_path) != before


# -- the file ----------------------------------------------------------------------------------------------------------


def test_damaged_answers_are_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    with closing(Answers(path)) as answers:
        answers.keep(KEY, SEEN)
        assert answers.kept(KEY) == SEEN
    text = observation_text(SEEN)
    other_types = [text.replace('"dict"', '"nothing"'), text.replace("200", '"200"'), text.replace("finished", "done")]
    for value in ["", "{}", "[]", text[:-9], *other_types, 7, b"\xff"]:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE answers SET observation = ?", (value,))
        with closing(Answers(path)) as answers, pytest.raises(InputError) as refused:
            answers.kept(KEY)
        assert "this file of kept answers is damaged" in str(refused.value)
        assert "--forget-answers" in str(refused.value)
        assert "\n" not in str(refused.value)


def test_a_file_that_is_something_else_is_neither_used_nor_removed(tmp_path: Path) -> None:
    path = tmp_path / "store-answers.sqlite"
    path.write_text("mine")
    for use in (lambda: Answers(path), lambda: remove_answers(path, tmp_path / "store.sqlite")):
        with pytest.raises(InputError, match="is not a file of kept answers"):
            use()
    assert path.read_text() == "mine"


def test_fresh_keeps_answers_and_forget_answers_removes_them(tmp_path: Path) -> None:
    with serving(lambda _: (200, "application/json", b"1")) as server:
        path = profile_for(tmp_path / "campaign", server.url, KEEP, mutants=4)

        def asked_by(*options: str) -> int:
            before = len(server.bodies)
            done = kgprobe("test", path, "--executor", "waiting", *options, seconds=100)
            assert done.returncode == 0, done.stderr
            return len(server.bodies) - before

        assert asked_by() == 5
        assert asked_by("--fresh") == 0
        assert asked_by("--on", str(path.parent / "pipes.ttl")) == 0
        assert asked_by("--fresh", "--forget-answers") == 5
        assert asked_by("--forget-answers") == 0  # the campaign is over
        assert kept_rows(path) == 0
        assert asked_by("--on", str(path.parent / "pipes.ttl")) == 1


def test_a_cluster_is_refused(tmp_path: Path) -> None:
    path = profile_for(tmp_path / "campaign", "http://127.0.0.1:9/", KEEP)
    with pytest.raises(InputError, match=r"'planner' are kept .*--executor local"):
        DaskWorkers(Job(harness_of(load_profile(path))), "tcp://127.0.0.1:9")


def test_a_reasoner_has_no_answers_to_keep(tmp_path: Path) -> None:
    path = profile_for(tmp_path / "campaign", "http://127.0.0.1:9/", KEEP)
    path.write_text(path.read_text().replace('http = "http://127.0.0.1:9/"', 'reasoner = "auto"'))
    with pytest.raises(InputError, match="keep-answers"):
        load_profile(path)


COUNTED = """
from pathlib import Path

def inspect(graph):
    with Path(__file__).with_name("calls").open("a") as calls:
        calls.write("x")
    return {"size": len(graph), "kinds": frozenset({"a"}), "steps": [(1, "x")]}
"""


def test_the_answers_of_a_function_are_kept(tmp_path: Path) -> None:
    path = write_campaign(tmp_path / "campaign", "[oracle]\nsame-as-seed = true", mutants=6, system=COUNTED)
    text = path.read_text().replace('oracle = "mission.py:is_complete"\n', "")
    path.write_text(text.replace("seconds = 20", "seconds = 20, keep-answers = true"))
    first = run(path, LocalWorkers, 2)
    calls = path.parent / "calls"
    asked = len(calls.read_text())
    forget_results(path)
    second = run(path, LocalWorkers, 2)
    assert sorted((event.name, event.verdict) for event in second) == sorted(
        (event.name, event.verdict) for event in first
    )
    assert len(calls.read_text()) == asked == kept_rows(path)


def test_a_kept_observation_has_everything_that_it_is_judged_by() -> None:
    """An answer that cannot be read must not pass when it comes from the file of kept answers."""
    crash = Crash("KeyError", "x", ("a.py:f",))
    seen = Observation("s", Status.FINISHED, 1.5, [1], 3, "out", "error", b"file", crash, remark="a remark")
    flags = {each.name: True for each in fields(Observation) if each.type == "bool"}
    assert len(flags) >= 4
    for name in flags:
        each = replace(seen, **{name: True})  # type: ignore[arg-type]  # all are flags
        assert observation_in(observation_text(each), "s") == each


def test_an_answer_that_cannot_be_read_is_undecided_when_it_was_kept(tmp_path: Path) -> None:
    with serving(lambda _: (200, "application/json", b"{no JSON")) as server:
        (tmp_path / "seed.ttl").write_text("<urn:a> <urn:p> <urn:b> , <urn:c> . <urn:b> <urn:q> <urn:c> .")
        profile = tmp_path / "profile.toml"
        profile.write_text(
            '[graph]\nseeds = ["seed.ttl"]\n[mutation]\noperators = ["RemoveTriple"]\nmutations = 1\nmutants = 2\n'
            f'[[systems]]\nname = "service"\nhttp = "{server.url}"\nkeep-answers = true\n'
        )
        for _ in range(2):
            done = kgprobe("test", profile, "--fresh", "--quiet")
            assert (done.returncode, "2 are undecided" in done.stdout) == (3, True), done.stdout
