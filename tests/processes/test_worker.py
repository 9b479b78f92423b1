"""A worker answers, or says why it does not; what it has started ends with it, and the next request is answered."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.processes import are_gone, is_running, needs_linux

from kgprobe.errors import UnavailableError
from kgprobe.processes.child import Output, Setup
from kgprobe.processes.limits import Limits, Passed
from kgprobe.processes.worker import NoReplyError, Pool, Worker

pytestmark = needs_linux
LIMITS = Limits(60, 300)
# Each request is Python, with `reply` for what it answers.
SERVING = """
import json, os, signal, socket, sys, time
from kgprobe.processes.limits import bound_memory
from kgprobe.processes.channel import serving_parent

if __name__ == "__main__":
    with serving_parent(int(sys.argv[-1])) as channel:
        while True:
            names = {"reply": None, "channel": channel, **globals()}
            exec(channel.receive().decode(), names)
            channel.send(json.dumps(names["reply"]).encode())
"""
TAKE = "taken = bytearray(900 << 20)\nfor place in range(0, len(taken), 4096): taken[place] = 1\ntime.sleep(60)"
DAEMON = """
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        channel.close()
        os.write(writing, str(os.getpid()).encode())
        time.sleep(600)
    os._exit(0)
os.wait()
reply = int(os.read(reading, 20))
"""


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Callable[..., Worker]]:
    (tmp_path / "serving_requests.py").write_text(SERVING, encoding="utf-8")
    workers = []

    def make(*, output: Output = Output.CAPTURED, bounds_itself: bool = False) -> Worker:
        setup = Setup(environment={"PYTHONPATH": str(tmp_path)}, output=output, in_memory=True)
        worker = Worker("serving_requests", what="process", setup=setup, read=json.loads, bounds_itself=bounds_itself)
        workers.append(worker)
        return worker

    yield make
    for worker in workers:
        worker.end()


def asked(worker: Worker, request: str, limits: Limits = LIMITS) -> object:
    worker.start()
    return worker.ask(request.encode(), limits=limits)


@pytest.mark.parametrize(
    ("request_", "limits", "passed", "code", "why"),
    [
        ("time.sleep(60)", Limits(0.3, 0), Passed.TIME, None, "no answer within 0.3 s"),
        ("os.kill(os.getpid(), signal.SIGSTOP)", Limits(0.3, 0), Passed.TIME, None, "no answer within 0.3 s"),
        (TAKE, LIMITS, Passed.MEMORY, None, "it needs more memory than is available"),
        ("raise MemoryError", LIMITS, Passed.MEMORY, 3, "it needs more memory than is available"),
        ("bound_memory(1 << 20); x = 'x' * (1 << 30)", LIMITS, Passed.MEMORY, 3, "it needs more memory than"),
        ("print('std::bad_alloc', file=sys.stderr); os._exit(1)", LIMITS, Passed.MEMORY, 1, "it needs more memory"),
        ("os._exit(7)", LIMITS, None, 7, r"its process ended \(exit code 7\)"),
        ("os.kill(os.getpid(), signal.SIGKILL)", LIMITS, None, -9, r"its process ended \(SIGKILL\)"),
        ("1 / 0", LIMITS, None, 1, r"its process ended \(exit code 1\)"),
        ("channel.close(); time.sleep(60)", LIMITS, None, None, "its process does not answer"),
        ("channel.send(b'BANANA')", LIMITS, None, None, "its process does not answer"),
        ("os.write(channel.fileno(), b'x' * 100); time.sleep(60)", Limits(0.5, 0), Passed.TIME, None, "no answer"),
    ],
)
def test_no_reply_has_a_reason_and_the_next_request_is_answered(
    made: Callable[..., Worker], request_: str, limits: Limits, passed: Passed | None, code: int | None, why: str
) -> None:
    worker = made()
    assert asked(worker, "reply = [1]") == [1]
    pid = worker.child.pid
    with pytest.raises(NoReplyError, match=why) as raised:
        asked(worker, request_, limits)
    assert (raised.value.passed, raised.value.code) == (passed, code)
    assert not worker.is_running
    assert are_gone(pid)
    assert asked(worker, "reply = [2]") == [2]


def test_the_last_words_of_a_process_are_kept(made: Callable[..., Worker]) -> None:
    with pytest.raises(NoReplyError) as raised:
        asked(made(), "raise ValueError('no such request')")
    assert raised.value.words.endswith("ValueError: no such request")


def test_a_process_that_bounds_itself_and_is_ended_ran_out_of_memory(made: Callable[..., Worker]) -> None:
    for number in (signal.SIGABRT, signal.SIGKILL):
        with pytest.raises(NoReplyError, match="it needs more memory than is available"):
            asked(made(bounds_itself=True, output=Output.DROPPED), f"os.kill(os.getpid(), {int(number)})")


def test_output_that_fills_a_pipe_does_not_stop_it(made: Callable[..., Worker]) -> None:
    assert asked(made(), "sys.stdout.write('x' * (1 << 22)); sys.stdout.flush(); reply = 1") == 1


def test_its_daemons_and_its_folder_end_with_it(made: Callable[..., Worker]) -> None:
    worker = made()
    daemon = asked(worker, DAEMON)
    assert isinstance(daemon, int)
    folder = worker.child.scratch
    assert is_running(daemon)
    assert asked(worker, "reply = os.getcwd()") == str(folder)
    worker.end()
    assert are_gone(daemon)
    assert not folder.exists()


def test_it_starts_once_and_again_after_its_end(made: Callable[..., Worker]) -> None:
    worker = made()
    assert (worker.start(), worker.start()) == (True, False)
    os.kill(worker.child.pid, signal.SIGKILL)
    worker.child.wait(60)
    assert worker.start()


def test_a_pool_replaces_what_is_killed_or_stopped(
    made: Callable[..., Worker],
) -> None:
    pool: Pool[str] = Pool(made, lambda _: b"reply = 'ready'")
    pool.grow(2)
    first, second = pool.members
    for member in (first, second):
        member.work.append("work")
        member.send(b"time.sleep(0.5); reply = 'done'")
    os.kill(first.worker.child.pid, signal.SIGKILL)
    os.kill(second.worker.child.pid, signal.SIGSTOP)
    lost: dict[int, str] = {}
    while len(lost) < 2:
        for member, frame in pool.news():
            if frame is None:
                lost[id(member)] = member.trouble
                pool.replace(member, member.trouble).work.extend(member.work)
    assert lost == {id(first): "ended (SIGKILL)", id(second): "stopped"}
    ready: set[int] = set()
    while len(ready) < 2:
        ready |= {id(member) for member, frame in pool.news() if frame == b'"ready"'}
    assert ready == {id(member) for member in pool.members if list(member.work) == ["work"]}
    pids = [member.worker.child.pid for member in pool.members]
    pool.close()
    assert are_gone(*pids)


def test_a_pool_gives_up_on_workers_that_never_start(made: Callable[..., Worker]) -> None:
    pool: Pool[str] = Pool(made, lambda _: b"os._exit(5)")
    pool.grow(1)

    def wait() -> None:
        while True:
            for member, _ in pool.news():
                pool.replace(member, member.trouble)

    with pytest.raises(UnavailableError, match=r"a worker ended \(exit code 5\) before its first task"):
        wait()
    pool.close()
