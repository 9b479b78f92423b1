"""Commands, functions and services that are asked questions, opened as a profile describes them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from support.counting_server import Answer, serving

from kgprobe.campaign.harness import Opening, open_system
from kgprobe.config.system_table import PromptSent, SystemTable
from kgprobe.config.systems import ChatTable, CommandTable, FunctionTable, HttpTable, ReasonerTable
from kgprobe.errors import InputError
from kgprobe.model import Case, Dialogue, Observation, Prompt, Status
from kgprobe.systems.protocol import System

FUNCTIONS = """
import os, time
from pathlib import Path

def prompt(text):
    print("noise")
    return text.upper()

def is_long(text):
    return len(text) > 40

def question(asked):
    return asked["question"] + "|" + asked["context"] + "|" + asked["prompt"]

def several(prompts):
    with Path(__file__).with_name("calls").open("a") as calls:
        calls.write(f"{len(prompts)}\\n")
    time.sleep(0.05)
    if any("poison" in each for each in prompts):
        raise ValueError("poison")
    return ["long" if len(each) > 40 else each for each in prompts]

def few(prompts):
    return ["one", "two", "three"]

def broken(text):
    raise KeyError(text)

def ends(text):
    os._exit(3)
"""
LINES = """
import json, os, sys, time

print("ready", flush=True)
print('{"id": "1"}', flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    text = asked["question"]
    if "die" in text:
        print("last words", file=sys.stderr, flush=True)
        os._exit(4)
    if "sleep" in text:
        time.sleep(60)
    if "close" in text:
        os.close(1)
        time.sleep(60)
    print("thinking about", text, flush=True)
    print(json.dumps({"id": "other", "answer": "wrong"}))
    print(json.dumps({"id": asked["id"], "answer": f"{os.getpid()} {text} {asked['context']} {asked['prompt']}"}))
    sys.stdout.flush()
"""


@pytest.fixture(name="folder")
def folder_with_programs(tmp_path: Path) -> Path:
    (tmp_path / "qa.py").write_text(FUNCTIONS)
    (tmp_path / "lines.py").write_text(LINES)
    return tmp_path


@contextmanager
def opened(table: SystemTable, folder: Path) -> Iterator[System]:
    with closing(open_system(table, Opening(folder, (0, 200), "dialogue"))) as system:
        yield system


def question(text: str = "Is it?", context: str = "") -> Case:
    return Case("q", Dialogue((Prompt(text, context),)))


def asked(table: SystemTable, folder: Path, text: str = "Is it?", context: str = "") -> Observation:
    with opened(table, folder) as system:
        return system.run(question(text, context))


def command(*words: str, **more: object) -> CommandTable:
    return CommandTable(command=words, name="tool", seconds=20, **more)  # type: ignore[arg-type]


def function(name: str, **more: object) -> FunctionTable:
    return FunctionTable(function=f"qa.py:{name}", name="tool", seconds=20, **more)  # type: ignore[arg-type]


def test_a_command_gets_the_prompt_on_standard_input_or_as_an_argument(folder: Path) -> None:
    expected = "C.\nIs {it}?\nAnswer yes or no."
    assert asked(command("cat"), folder, "Is {it}?", "C.").stdout == expected
    shown = asked(command("printf", "%s", "{prompt}"), folder, "Is {it}?", "C.")
    assert (shown.stdout, shown.status) == (expected, Status.FINISHED)
    short = command("cat", asks=PromptSent("{question}!"))
    assert asked(short, folder, "Is {it}?", "C.").stdout == "Is {it}?!"


@pytest.mark.parametrize("text", ["x" * 200_000, "a\0b"])
def test_a_prompt_that_cannot_be_an_argument(folder: Path, text: str) -> None:
    seen = asked(command("printf", "%s", "{prompt}"), folder, text)
    assert seen.status is Status.INEXPRESSIBLE
    assert seen.remark.startswith("an argument cannot")
    assert text in asked(command("cat"), folder, text).stdout


def test_the_answer_of_a_command_can_be_a_file(folder: Path) -> None:
    seen = asked(command("sh", "-c", "printf No > {output}; echo noise"), folder)
    assert (seen.stdout, seen.output) == ("No", None)


def test_a_command_that_fails_has_no_answer(folder: Path) -> None:
    seen = asked(command("sh", "-c", "echo yes; exit 3"), folder)
    assert (seen.status, seen.remark) == (Status.CRASHED, "no answer: exit status 3")


# -- a line for each question ------------------------------------------------------------------------------------------


def lines(**more: object) -> CommandTable:
    return command("{python}", "lines.py", questions="lines", **more)


def test_a_program_answers_a_line_for_each_question(folder: Path) -> None:
    with opened(lines(), folder) as system:
        first = system.run(question("Is\nit?", "C."))
        assert first.status is Status.FINISHED
        pid, _, rest = first.stdout.partition(" ")
        assert rest == "Is\nit? C. C.\nIs\nit?\nAnswer yes or no."
        for number in range(20):
            assert system.run(question(f"{number}é?")).stdout.startswith(f"{pid} {number}é? ")
        huge = system.run(question("x" * 300_000))
        assert len(huge.stdout) > 600_000


def test_a_program_that_ends_is_started_again(folder: Path) -> None:
    with opened(lines(), folder) as system:
        seen = system.run(question("die?"))
        assert (seen.status, seen.exit_code, seen.stderr) == (Status.CRASHED, 4, "last words\n")
        assert "it?" in system.run(question("it?")).stdout
        closed = system.run(question("close?"))
        assert closed.status is Status.CRASHED
        assert "it?" in system.run(question("it?")).stdout


def test_a_program_that_is_too_slow_is_ended(folder: Path) -> None:
    table = CommandTable(command=("{python}", "lines.py"), questions="lines", name="tool", seconds=0.5)
    with opened(table, folder) as system:
        seen = system.run(question("sleep?"))
        assert (seen.status, seen.remark) == (Status.TIMED_OUT, "time limit of 0.5 s passed")


def test_a_program_that_does_not_exist(folder: Path) -> None:
    seen = asked(command("no-such-program-anywhere", questions="lines"), folder)
    assert seen.status is Status.UNREACHABLE
    assert "no-such-program-anywhere" in seen.remark


# -- functions ---------------------------------------------------------------------------------------------------------


def test_a_function_gets_the_prompt_or_the_question(folder: Path) -> None:
    assert asked(function("prompt"), folder).stdout == "IS IT?\nANSWER YES OR NO."
    assert asked(function("prompt", input="prompt", asks=PromptSent("{question}")), folder).stdout == "IS IT?"
    assert asked(function("is_long"), folder).stdout == "no"
    seen = asked(function("question", input="question"), folder, "Q?", "C.")
    assert (seen.stdout, seen.value) == ("Q?|C.|C.\nQ?\nAnswer yes or no.", None)


@pytest.mark.parametrize(("name", "kind"), [("broken", "KeyError"), ("ends", "exit code 3")])
def test_a_function_that_fails_has_no_answer(folder: Path, name: str, kind: str) -> None:
    seen = asked(function(name), folder)
    assert seen.status is Status.CRASHED
    assert seen.crash is not None
    assert seen.crash.kind == kind


def test_threads_share_the_batches_of_a_function(folder: Path) -> None:
    table = function("several", input="prompts", asks=PromptSent("{question}"))
    systems = [open_system(table, Opening(folder, (0,), "dialogue")) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(lambda number: systems[number % 8].run(question(f"{number}?")).stdout, range(40)))
    assert seen == [f"{number}?" for number in range(40)]
    calls = [int(line) for line in (folder / "calls").read_text().split()]
    assert sum(calls) == 40
    assert max(calls) > 1


def test_one_question_cannot_spoil_a_batch(folder: Path) -> None:
    table = function("several", input="prompts", asks=PromptSent("{question}"))
    systems = [open_system(table, Opening(folder, (0,), "dialogue")) for _ in range(4)]
    barrier = threading.Barrier(4)

    def ask(number: int) -> Observation:
        barrier.wait()
        return systems[number].run(question("poison" if number == 2 else f"{number}?"))

    with ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(ask, range(4)))
    assert [each.status for each in seen] == [Status.CRASHED if number == 2 else Status.FINISHED for number in range(4)]


def test_a_batch_with_the_wrong_number_of_answers(folder: Path) -> None:
    seen = asked(function("few", input="prompts"), folder)
    assert (seen.status, seen.remark) == (Status.CRASHED, "it must return a list with an answer to each question")


# -- services ----------------------------------------------------------------------------------------------------------


def test_a_service_gets_the_question_as_json(folder: Path) -> None:
    def answer(body: bytes) -> Answer:
        value = json.loads(body)
        assert value == {"question": "Q?", "context": "C.", "prompt": "C.\nQ?\nAnswer yes or no."}
        return 200, "application/json", b'{"answer": "No"}'

    with serving(answer) as server:
        assert asked(HttpTable(http=server.url), folder, "Q?", "C.").stdout == "No"
    with serving(lambda _: (200, "text/plain", "Sí.".encode())) as server:
        assert asked(HttpTable(http=server.url), folder).stdout == "Sí."
    with serving(lambda _: (500, "text/plain", b"yes")) as server:
        assert asked(HttpTable(http=server.url), folder).status is Status.CRASHED
    with serving(lambda _: (200, "application/json", b"{")) as server:
        assert asked(HttpTable(http=server.url), folder).stdout == "{"


# -- which systems take which inputs -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "kind", "complaint"),
    [
        (ReasonerTable(reasoner="elk"), "dialogue", "'elk' takes graphs, and cannot be asked questions"),
        (ChatTable(chat="http://x/v1", model="m"), "graph", "'m' is a chat system: it takes questions, not graphs"),
        (FunctionTable(function="a.py:f", input="graph"), "dialogue", "but is asked questions"),
        (FunctionTable(function="a.py:f", input="prompts"), "graph", "but gets graphs"),
    ],
)
def test_systems_that_cannot_get_an_input(table: SystemTable, kind: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        open_system(table, Opening(Path(), (0,), kind))
