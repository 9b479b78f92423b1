"""Child processes that die, hang or exceed their memory: only the request that caused it fails."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgprobe.errors import UnavailableError
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.reasoners.auto import AutoReasoner
from kgprobe.reasoners.catalogue import HostedReasoner, hosted
from kgprobe.reasoners.host import Host, Work
from kgprobe.reasoners.protocol import Classification, Consistency

from .reasoner_fixtures import JAVA, NATIVE, chain, each, needs, one_of, ontology

SMALL = ontology("SubClassOf(:A :B) ClassAssertion(:A :a)")
CLASH = ontology("DisjointClasses(:A :B) ClassAssertion(:A :a) ClassAssertion(:B :a)")
ASK = [Consistency()]


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def serves(reasoner: HostedReasoner) -> bool:
    return [reasoner.answer(each, ASK)[0].value for each in (SMALL, CLASH)] == [True, False]


@one_of(NATIVE)
def test_a_killed_native_child_is_replaced(name: str) -> None:
    check_that_a_killed_child_is_replaced(name)


@one_of(JAVA)
def test_a_killed_java_child_is_replaced(name: str) -> None:
    check_that_a_killed_child_is_replaced(name)


def check_that_a_killed_child_is_replaced(name: str) -> None:
    reasoner = hosted(name, Limits(30, 512))
    try:
        assert serves(reasoner)
        first = reasoner.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        assert serves(reasoner)
        assert reasoner.pid != first
        assert not is_running(first)
    finally:
        reasoner.close()


@one_of(["rustdl", "hermit"])
def test_a_hanging_child_is_killed_and_the_rest_of_the_batch_is_answered(name: str) -> None:
    seconds = 5 if name == "hermit" else 2
    reasoner = hosted(name, Limits(seconds, 512))
    try:
        assert serves(reasoner)
        stopped = reasoner.pid
        assert stopped is not None
        os.kill(stopped, signal.SIGSTOP)
        hung, *others = (given[0] for given in reasoner.answer_many([(SMALL, ASK), (CLASH, ASK), (SMALL, ASK)]))
        assert hung.value is None
        assert not hung.complete
        assert hung.why == f"time limit of {seconds} s passed"
        assert hung.seconds >= seconds
        assert [answer.value for answer in others] == [False, True]
        assert not is_running(stopped)
    finally:
        reasoner.close()


@needs("rustdl")
def test_a_child_that_dies_fails_only_one_question() -> None:
    reasoner = hosted("rustdl", Limits(30, 1024))

    def kill_when_it_works() -> None:
        while not reasoner._host._sending:
            time.sleep(0.01)
        time.sleep(0.3)  # the question is on its way
        pid = reasoner.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_when_it_works)
    killer.start()
    try:
        first, second = (given[0] for given in reasoner.answer_many([(chain(6_000), ASK), (CLASH, ASK)]))
        assert first.value is None
        assert first.why == "the reasoner's process was ended by SIGKILL"
        assert first.kind == "SIGKILL"
        assert second.value is False
    finally:
        killer.join()
        reasoner.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how much memory a process uses")
@needs("rustdl")
def test_a_native_reasoner_that_exceeds_its_memory_is_killed() -> None:
    # Less than the process needs at startup, so that its first longer task exceeds it.
    reasoner = hosted("rustdl", Limits(60, 16))
    try:
        first, second = (given[0] for given in reasoner.answer_many([(chain(4_000), ASK), (CLASH, ASK)]))
        assert first.value is None
        assert first.why == "out of memory: the limit is 16 MB"
        assert second.value is False
    finally:
        reasoner.close()


@one_of(JAVA)
def test_a_java_reasoner_out_of_memory_says_so_and_answers_the_next_question(name: str) -> None:
    # Far too large for the memory: if it almost fits, Java takes long to give up.
    reasoner = hosted(name, Limits(60, 16))
    try:
        first, second = (given[0] for given in reasoner.answer_many([(chain(20_000), ASK), (CLASH, ASK)]))
        assert first.value is None
        assert first.why == "out of memory: the limit is 16 MB"
        assert second.value is False
    finally:
        reasoner.close()


@needs("hermit")
def test_too_little_memory_to_start_is_one_clear_error() -> None:
    reasoner = hosted("hermit", Limits(10, 1))
    with pytest.raises(UnavailableError, match="hermit did not start with 1 MB"):
        reasoner.answer(SMALL, ASK)
    assert reasoner.pid is None


@each(["hermit", "rustdl"])
def test_an_exception_is_reported_with_its_full_name_and_origin(name: str) -> None:
    """Questions that two reasoners answer with exceptions: one from Java, and one from Python."""
    host = Host(name, Limits(30, 512))
    try:
        questions = [{"ask": "consistent"}] if name == "hermit" else [{"ask": "entails"}]
        ((_, reply),) = host.ask([(lambda: "SubClassOf(this is no axiom", questions)])
        assert reply.value is None
        if name == "hermit":
            assert reply.kind.startswith("org.semanticweb.owlapi.")
            assert reply.trace[0].startswith("org.semanticweb.owlapi.functional.parser.")
            assert len(reply.trace) <= 10
        else:
            assert (reply.kind, reply.why, list(reply.trace)) == ("KeyError", "KeyError: 'axiom'", [])
    finally:
        host.close()


@needs("rustdl")
def test_no_process_and_no_file_is_left_behind() -> None:
    reasoner = hosted("rustdl")
    assert serves(reasoner)
    pid = reasoner.pid
    assert pid is not None
    folder = Path(f"/proc/{pid}/cwd").resolve()
    assert folder.is_dir()
    del reasoner
    gc.collect()
    assert not is_running(pid)
    assert not folder.exists()


@needs("rustdl")
def test_one_round_trip_for_many_graphs() -> None:
    reasoner = hosted("rustdl")
    try:
        answers = reasoner.answer_many([(SMALL, ASK), (CLASH, [])] * 50 + [(CLASH, [Consistency()] * 3)])
        assert [len(given) for given in answers] == [1, 0] * 50 + [3]
        assert [answer.value for given in answers for answer in given] == [True] * 50 + [False] * 3
        assert all(answer.reasoner == "rustdl" and answer.seconds > 0 for given in answers for answer in given)
    finally:
        reasoner.close()


class _Unreadable(Graph):
    def rows(self, *_keys: Key | None) -> Iterator[KeyTriple]:
        raise ValueError("cannot be read")


@needs("rustdl")
def test_an_unreadable_graph_is_an_input_error_and_the_next_batch_is_answered() -> None:
    reasoner = hosted("rustdl")
    try:
        with pytest.raises(ValueError, match="cannot be read"):
            reasoner.answer_many([(SMALL, ASK), (_Unreadable(), ASK), (CLASH, ASK)])
        assert serves(reasoner)
    finally:
        reasoner.close()


@needs("rustdl")
def test_texts_larger_than_the_pipe_buffer_do_not_block() -> None:
    reasoner = hosted("rustdl", Limits(60))
    large = ontology("\n".join(f"SubClassOf(:A{n} :B{n})" for n in range(2_000)))
    try:
        answers = reasoner.answer_many([(large, [Classification(), Consistency()])] * 4)
        assert [given[1].value for given in answers] == [True] * 4
    finally:
        reasoner.close()


@needs("rustdl")
def test_no_child_is_started_without_need() -> None:
    host = Host("rustdl", Limits())
    body, ask = SMALL.text, [{"ask": "consistent"}]
    try:
        assert list(host.ask([(lambda: None, ask)] * 3)) == []
        assert host.pid is None
        work: list[Work] = [(lambda: None, ask), (lambda: body, ask * 2), (lambda: None, ask), (lambda: body, ask)]
        for _ in range(2):  # the second time, a child is running
            assert [(number, reply.value) for number, reply in host.ask(work)] == [(1, True), (1, True), (3, True)]
        assert list(host.ask([(lambda: None, ask)])) == []
    finally:
        host.close()


@needs("rustdl")
def test_auto_starts_no_reasoner_if_a_model_is_obvious() -> None:
    reasoner = AutoReasoner()
    try:
        answers = reasoner.answer_many([(SMALL, ASK)] * 3)
        assert [given[0].reasoner for given in answers] == ["auto:model"] * 3
        assert reasoner._first.pid is None
        answers = reasoner.answer_many([(SMALL, ASK), (CLASH, ASK), (SMALL, ASK), (SMALL, [])])
        assert [[each.value for each in given] for given in answers] == [[True], [False], [True], []]
        assert answers[1][0].reasoner == "auto:rustdl"
    finally:
        reasoner.close()
