"""Chat systems, asked through a real server: failures, retries, keys, and servers that cannot be trusted."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from html import escape
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.chat_server import Chat, Said, chatting, completion

from kgprobe.errors import InputError, LimitReachedError, UnavailableError
from kgprobe.model import Case, Dialogue, Observation, Prompt, Status, Usage
from kgprobe.network.exchange import HttpAnswer
from kgprobe.processes.channel import MOST_KEPT
from kgprobe.processes.limits import Limits
from kgprobe.systems.chat import ChatSystem, Model, _FailedError, _reply_in, _Secret, request_url
from kgprobe.systems.pacing import LONGEST_WAIT, Gate, Patience, seconds_asked_for

QUICK = Patience(tries=4, tries_if_busy=6, first_wait=0.01)
KEY = "sk-very-secret-1234"
NAMES = ["choices", "message", "content", "text", "type", "error", "usage", "prompt_tokens", "refusal"]


def question(text: str = "Is it?", context: str = "") -> Case:
    return Case("q", Dialogue((Prompt(text, context),)))


def system(chat: Chat, **options: Any) -> ChatSystem:
    values: dict[str, Any] = {"patience": QUICK, "limits": Limits(5, 0), **options}
    asked = {
        name: values.pop(name) for name in ("key_env", "concurrency", "answer_tokens", "temperature") if name in values
    }
    return ChatSystem("small", Model(chat.url, "smol", **asked), **values)


def ask(chat: Chat, text: str = "Is it?", **options: Any) -> Observation:
    return system(chat, **options).run(question(text))


def at_first(*failures: Said) -> Callable[[str, int], Said]:
    """Answers that start with some failures."""
    return lambda _, number: failures[number] if number < len(failures) else completion("Yes.")


def test_one_request_for_each_question() -> None:
    with chatting(lambda *_: completion("Yes, it is.", tokens=(21, 4))) as chat:
        asked = system(chat, answer_tokens=50)
        asked.start()
        seen = asked.run(question("Is it?", "It is."))
        assert (seen.status, seen.stdout, seen.usage) == (Status.FINISHED, "Yes, it is.", Usage(1, 21, 4))
        assert seen.exit_code is None
    assert chat.requests == [
        {
            "model": "smol",
            "messages": [{"role": "user", "content": "It is.\nIs it?\nAnswer yes or no."}],
            "temperature": 0,
            "stream": False,
            "max_tokens": 50,
        }
    ]
    assert "Authorization" not in chat.headers[0]


@pytest.mark.parametrize(("temperature", "sent"), [(0, 0), (1, 1), (0.7, 0.7), (None, "none")])
def test_the_temperature_is_sent_unless_the_model_shall_choose(temperature: float | None, sent: object) -> None:
    with chatting(lambda *_: completion("Yes.")) as chat:
        assert ask(chat, temperature=temperature).stdout == "Yes."
    assert chat.requests[0].get("temperature", "none") == sent


def _rejected(parameter: str) -> Said:
    message = f"Unsupported value: '{parameter}' does not support this value with this model."
    return Said(json.dumps({"error": {"message": message, "param": parameter}}).encode(), 400)


def test_a_rejected_parameter_ends_the_run_and_says_what_to_write() -> None:
    with chatting(lambda *_: _rejected("temperature")) as chat, pytest.raises(UnavailableError) as refused:
        ask(chat)
    assert "does not support this value" in refused.value.message
    assert refused.value.hint is not None
    assert 'temperature = "default"' in refused.value.hint
    assert len(chat.requests) == 1
    with (
        chatting(lambda *_: _rejected("max_tokens")) as chat,
        pytest.raises(UnavailableError, match="max_tokens") as no,
    ):
        ask(chat, answer_tokens=5)
    assert no.value.hint is not None
    assert "remove 'answer-tokens'" in no.value.hint


def test_a_question_about_temperature_is_not_taken_for_the_parameter() -> None:
    with chatting(lambda prompt, _: completion("Yes.") if "water" in prompt else _rejected("temperature")) as chat:
        assert ask(chat, "Is 20 degrees the temperature of Lyon?").status is Status.CRASHED


def test_the_connection_stays_open() -> None:
    with chatting(lambda *_: "Yes") as chat:
        asked = system(chat)
        for _ in range(10):
            assert asked.run(question()).stdout == "Yes"
        assert len(chat.connections) == 1


@pytest.mark.parametrize(
    ("content", "message", "text"),
    [
        ("", {}, ""),
        (None, {}, ""),
        (None, {"reasoning_content": "I think yes."}, ""),
        ("No.", {"reasoning_content": "I think yes.", "reasoning": "yes"}, "No."),
        (None, {"refusal": "I can't help with that."}, "I can't help with that."),
        ([{"type": "text", "text": "Yes"}, {"type": "text", "text": "."}], {}, "Yes."),
        ([{"type": "thinking", "text": "no"}, {"type": "output_text", "text": "Yes"}, {"type": "image"}], {}, "Yes"),
        ("half \ud83d", {}, "half \ufffd"),
        ("a\0b\n", {}, "a\0b\n"),
    ],
)
def test_what_counts_as_the_reply(content: Any, message: dict[str, Any], text: str) -> None:
    with chatting(lambda *_: completion(content, **message)) as chat:
        seen = ask(chat)
    assert (seen.status, seen.stdout, len(chat.requests)) == (Status.FINISHED, text, 1)


@pytest.mark.parametrize("tokens", [None, (-1, True), ("many", 10**30)])
def test_tokens_are_estimated_if_the_server_does_not_tell(tokens: Any) -> None:
    with chatting(lambda *_: completion("abcdefgh", tokens=tokens)) as chat:
        seen = ask(chat, "x" * 40)
    assert seen.usage.output_tokens == 2
    assert 10 <= seen.usage.input_tokens <= 30


@pytest.mark.parametrize(
    "failure",
    [
        Said(b"slow down", 429),
        Said(b"", 500),
        Said(b"", 503),
        Said(b'{"choices": [', 200),
        Said(b"<html>", 200),
        Said(b"[]", 200),
        Said(b'{"choices": []}', 200),
        Said(b'{"choices": [{"message": "Yes"}]}', 200),
        Said(b'{"choices": [{"message": ["Yes"]}]}', 200),
        Said(b'{"choices": [{"message": {"content": 3}}]}', 200),
        Said(b'{"error": {"message": "overloaded", "code": 529}}', 200),
        Said(b"[" * 100_000, 200),
        Said(b"\xff\xfe", 200),
        Said(b"", closes=True),
    ],
)
def test_failures_are_tried_again(failure: Said) -> None:
    with chatting(at_first(failure, failure)) as chat:
        seen = ask(chat)
    assert (seen.status, seen.stdout, len(chat.requests)) == (Status.FINISHED, "Yes.", 3)
    assert seen.usage.requests == 3


def test_the_server_says_when_to_try_again() -> None:
    with chatting(at_first(Said(b"", 429, {"Retry-After": "0.6"}))) as chat:
        assert ask(chat).stdout == "Yes."
    assert 0.6 <= chat.times[1] - chat.times[0] < 30


def test_all_threads_wait_if_the_server_asks_for_a_pause() -> None:
    with chatting(at_first(Said(b"", 429, {"Retry-After": "0.5"}))) as chat:
        asked = system(chat, concurrency=8)
        with ThreadPoolExecutor(8) as pool:
            first = pool.submit(asked.run, question("0"))
            time.sleep(0.2)
            rest = [pool.submit(system(chat, concurrency=8).run, question(str(n))) for n in range(1, 8)]
            assert {each.result().stdout for each in [first, *rest]} == {"Yes."}
    assert min(chat.times[1:]) - chat.times[0] >= 0.5


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("3", 3.0), ("0.5", 0.5), ("100000", LONGEST_WAIT), ("-5", None), ("soon", None), ("", None), ("٣", None)],
)
def test_pauses_in_seconds(header: str, seconds: float | None) -> None:
    assert seconds_asked_for(header) == seconds


def test_pauses_until_a_date() -> None:
    now = datetime.now(UTC)
    assert 15 < (seconds_asked_for(format_datetime(now + timedelta(seconds=20), usegmt=True)) or 0) <= 20
    assert seconds_asked_for(format_datetime(now - timedelta(days=1), usegmt=True)) == 0
    assert seconds_asked_for(format_datetime(now + timedelta(days=1), usegmt=True)) == LONGEST_WAIT
    assert seconds_asked_for("Wed, 99 Nov 2026 99:99:99 GMT") is None


def test_waits_grow_and_depend_on_the_seed_only() -> None:
    patience = Patience(first_wait=0.5)
    waits = [patience.wait(attempt, "a") for attempt in range(12)]
    assert waits == [patience.wait(attempt, "a") for attempt in range(12)]
    assert all(0.25 * 2**n <= wait <= 0.75 * 2**n for n, wait in enumerate(waits[:6]))
    assert max(waits) <= LONGEST_WAIT
    assert patience.wait(0, "a") != patience.wait(0, "b")
    assert 5 <= patience.wait(0, "a", 5) <= 5.5


def test_a_gate_lets_fewer_pass_after_failures_and_recovers_slowly() -> None:
    gate = Gate(16)
    now = time.monotonic()
    gate.slow_down(now)
    gate.slow_down(now)  # it was in flight at the same time
    assert gate.limit == 8
    for _ in range(10):
        gate.slow_down(time.monotonic())
    assert gate.limit == 1
    gate.speed_up()
    assert gate.limit == 2
    for _ in range(2):
        gate.speed_up()
    assert gate.limit == 2
    for _ in range(500):
        gate.speed_up()
    assert gate.limit == 16


def test_concurrency_bounds_the_requests_in_flight() -> None:
    with chatting(lambda *_: Said(completion("Yes").body, pause=0.02)) as chat:
        with ThreadPoolExecutor(20) as pool:
            systems = [system(chat, concurrency=3) for _ in range(20)]
            seen = list(pool.map(lambda n: systems[n % 20].run(question(str(n))), range(60)))
        assert {each.stdout for each in seen} == {"Yes"}
    assert chat.most_at_once == 3


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), inner),
    max_leaves=8,
)
COMPLETIONS = st.builds(
    lambda message, usage: {"choices": [{"message": message}], "usage": usage},
    JSON | st.builds(lambda content: {"content": content}, JSON),
    JSON,
)


@given(st.builds(lambda value: json.dumps(value).encode(), JSON | COMPLETIONS) | st.binary(max_size=30))
def test_any_answer_is_a_reply_or_a_failure(body: bytes) -> None:
    answer = HttpAnswer(200, "application/json", body)
    try:
        reply = _reply_in(answer, "prompt", _Secret(KEY))
    except _FailedError:
        return
    reply.text.encode()
    assert min(reply.input_tokens, reply.output_tokens) >= 0


# -- failures that last ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_ends_everything_at_once(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", f" {KEY}\n")
    said = Said(json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode(), status)
    with chatting(lambda *_: said) as chat:
        with pytest.raises(UnavailableError) as caught:
            ask(chat, key_env="SOME_KEY")
        assert len(chat.requests) == 1
    assert chat.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert f"{status}: Incorrect API key provided: [key] (check the variable SOME_KEY)" in str(caught.value)
    assert KEY not in repr(caught.value)


def test_a_server_that_repeats_the_key_does_not_reveal_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    with chatting(at_first(Said(KEY.encode(), 500), Said(b"", 429), completion(f"Yes {KEY}"))) as chat:
        seen = ask(chat, key_env="SOME_KEY")
    assert seen.stdout == "Yes [key]"
    assert KEY not in repr(seen)
    with chatting(lambda *_: Said(f"<p>{KEY}".encode(), 400)) as chat, pytest.raises(UnavailableError) as caught:
        ask(chat, key_env="SOME_KEY")
    assert KEY not in repr(caught.value)


LONG_KEY = 'sk-proj/"0123456789abcdefghijklmn'


@pytest.mark.parametrize("written", [LONG_KEY, json.dumps(LONG_KEY)[1:-1], quote(LONG_KEY, safe=""), escape(LONG_KEY)])
@pytest.mark.parametrize("is_json", [True, False])
@pytest.mark.parametrize("status", [200, 400, 401, 404, 500])
def test_no_part_of_a_key_is_left_where_a_text_is_cut(
    status: int, is_json: bool, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", LONG_KEY)
    one_try = Patience(tries=1, tries_if_busy=1, first_wait=0.01)
    for before in (270, 299, 2971, 2999):  # the message is cut at 300 and at 3,000 characters
        said = "x" * before + written
        body = json.dumps({"error": {"message": said}}) if is_json else said
        with chatting(lambda *_, body=body: Said(body.encode(), status)) as chat:
            try:
                shown = repr(ask(chat, key_env="SOME_KEY", patience=one_try))
            except UnavailableError as error:
                shown = str(error)
        assert "sk-p" not in shown


def test_no_part_of_a_key_is_left_in_an_answer_that_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", LONG_KEY)
    with chatting(lambda *_: completion("x" * (MOST_KEPT - 10) + LONG_KEY)) as chat:
        seen = ask(chat, key_env="SOME_KEY")
    assert "sk-p" not in seen.stdout
    assert "[key]" in seen.stdout


@pytest.mark.parametrize(
    ("value", "complaint"), [(None, "which is not set"), (" ", "not set"), ("ä\x01b", "characters")]
)
def test_a_missing_or_impossible_key(value: str | None, complaint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("SOME_KEY", value)
    with chatting(lambda *_: "Yes") as chat:
        asked = system(chat, key_env="SOME_KEY")
        with pytest.raises(InputError, match=f"SOME_KEY.*{complaint}"):
            asked.start()
        assert not chat.requests


def test_a_wrong_model_or_address_ends_everything() -> None:
    with chatting(lambda *_: Said(b'{"error": {"message": "The model `smol` does not exist"}}', 404)) as chat:
        with pytest.raises(UnavailableError, match=r"404: The model `smol` does not exist \(check 'chat' and 'model'"):
            ask(chat)
        assert len(chat.requests) == 1
        wrong = ChatSystem("s", Model(chat.url.replace("/v1", "/v2"), "smol"))
        with pytest.raises(UnavailableError, match="404: no such path"):
            wrong.run(question())


def test_redirects_are_not_followed() -> None:
    with chatting(lambda *_: Said(b"", 307, {"Location": "http://evil.invalid/"})) as chat:
        with pytest.raises(UnavailableError, match=r"redirects to http://evil.invalid/ \(.*not follow"):
            ask(chat)
        assert len(chat.requests) == 1


def test_a_server_that_does_not_exist() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        gone = ChatSystem("s", Model(f"http://127.0.0.1:{probe.getsockname()[1]}/v1", "m"), patience=QUICK)
        with pytest.raises(UnavailableError, match=r"'s': .*cannot be reached: Connection refused.*start the server"):
            gone.start()
        with pytest.raises(UnavailableError, match="cannot be reached"):
            gone.run(question())


def test_a_server_that_keeps_failing_ends_everything() -> None:
    with chatting(lambda *_: Said(b'{"detail": "no memory"}', 500)) as chat:
        with pytest.raises(UnavailableError, match=r"answered 500: no memory, 4 times .*resumes"):
            ask(chat)
        assert chat.prompts[:4] == ["Is it?\nAnswer yes or no."] * 4
        assert len(chat.requests) == 5  # the last one is a trivial question


def test_too_many_requests_are_never_the_fault_of_a_question() -> None:
    busy = Said(b'{"error": {"message": "quota"}}', 429, {"Retry-After": "0"})
    with chatting(at_first(*[busy] * 5)) as chat:
        assert ask(chat).stdout == "Yes."
    with chatting(at_first(*[busy] * 6)) as chat:
        with pytest.raises(UnavailableError, match=r"answered 429: quota, 6 times .*resumes"):
            ask(chat)
        assert len(chat.requests) == 6


@pytest.mark.parametrize("status", [500, 400, 413, 422])
def test_a_question_that_fails_alone_is_not_the_end(status: int) -> None:
    def answer(prompt: str, _: int) -> Said:
        return Said(b'{"error": "too long"}', status) if "poison" in prompt else completion("Yes")

    with chatting(answer) as chat:
        seen = ask(chat, "poison?")
        assert (seen.status, seen.stdout) == (Status.CRASHED, "")
        assert seen.crash is not None
        assert seen.crash.kind == f"HTTP {status}"
        assert seen.remark.endswith(f"answered {status}: too long")
        assert len(chat.requests) == (5 if status == 500 else 2)
        assert ask(chat, "other?").stdout == "Yes"


def test_a_slow_server() -> None:
    def answer(prompt: str, _: int) -> Said:
        return Said(completion("Yes").body, pause=60.0 if "slow" in prompt else 0.0)

    with chatting(answer) as chat:
        start = time.monotonic()
        seen = ask(chat, "slow?", limits=Limits(1.5, 0))
        assert (seen.status, seen.remark) == (Status.TIMED_OUT, "no answer within 1.5 s")
        assert time.monotonic() - start < 50
        assert [prompt.startswith("slow?") for prompt in chat.prompts] == [True, True, False]
        assert ask(chat, "quick?").stdout == "Yes"


def test_an_endless_answer_is_not_an_answer() -> None:
    def drip(connection: socket.socket) -> None:
        with connection:
            connection.recv(1 << 16)
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            try:
                while True:
                    connection.sendall(b" ")
                    time.sleep(0.02)
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=drip, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(UnavailableError, match=r"no answer within 0.2 s, 2 times"):
            ChatSystem("s", Model(url, "m"), limits=Limits(0.2, 0), patience=QUICK).run(question())


def test_a_limit_is_checked_before_each_request() -> None:
    left = [3]

    def begin() -> None:
        if not left[0]:
            raise LimitReachedError("enough")
        left[0] -= 1

    with chatting(at_first(Said(b"", 500), Said(b"", 500))) as chat:
        asked = system(chat, begin=begin)
        assert asked.run(question()).stdout == "Yes."
        with pytest.raises(LimitReachedError):
            asked.run(question("Again?"))
        assert len(chat.requests) == 3


def test_addresses() -> None:
    assert request_url("http://h:1/v1") == "http://h:1/v1/chat/completions"
    assert request_url("http://h:1/v1/") == "http://h:1/v1/chat/completions"
    assert request_url("https://h/v1/chat/completions") == "https://h/v1/chat/completions"
    assert request_url("https://h/v1/?version=2#x") == "https://h/v1/chat/completions?version=2"
    with pytest.raises(InputError, match="URL"):
        request_url("localhost:80")
    with pytest.raises(InputError, match="no name or password") as caught:
        request_url("https://me:secret@h/v1")
    assert "secret" not in str(caught.value)


def test_nobody_waits_for_a_server_that_refuses_the_key() -> None:
    def answer(prompt: str, _: int) -> Said:
        return Said(b"", 401, pause=1.0) if "wrong" in prompt else Said(b"", 429, {"Retry-After": "50"})

    with chatting(answer) as chat, ThreadPoolExecutor(3) as pool:
        systems = [system(chat, concurrency=3) for _ in range(3)]
        start = time.monotonic()
        refused = pool.submit(systems[0].run, question("wrong?"))
        while not chat.requests:
            time.sleep(0.01)
        waiting = [pool.submit(each.run, question(f"{number}?")) for number, each in enumerate(systems[1:])]
        for each in (refused, *waiting):
            with pytest.raises(UnavailableError, match="401"):
                each.result()
        assert time.monotonic() - start < 30
