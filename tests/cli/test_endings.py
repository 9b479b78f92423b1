"""However a command is read, stopped or short of space: its exit code is right, and it leaves nothing behind.

Each row of the table is a command, each column a condition. Some cells run always, all of them with `--thorough`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from support.commands import kgprobe, kgprobe_in_the_background, needs_linux

from kgprobe.errors import InputError
from kgprobe.written_files import new_file, write_file

FILES = Path("docs/files").resolve()
QUERY = ("social-network/queries/1.rq", "--ontology", "social-network/ontology.ttl")
COMMANDS: dict[str, tuple[list[str], int]] = {
    "query check": (["query", "check", *QUERY], 1),
    "questions generate": (["questions", "generate", "questions/qa.toml", "--sample", "2"], 0),
    "info": (["info", "cafe.ttl"], 0),
    "convert": (["convert", "prices.ttl", "-", "--format", "nt"], 0),
    "check": (["check", "cafe.ttl", "--imports", "ontologies", "--mask", "cheap.rq"], 1),
    "diff": (["diff", "pizzeria/menu-1.ttl", "pizzeria/menu-2.ttl"], 1),
    "select": (["select", "pizzeria/menu-1.ttl", "pizzeria/menu-2.ttl", "--tests", "pizzeria/tests"], 0),
    "score": (["score", "pizzeria/menu-2.ttl", "--tests", "pizzeria/tests", "--skip-failing"], 0),
    "explain": (["explain", "broken.ttl"], 2),
    "reasoners": (["reasoners"], 0),
    "coverage": (["coverage", "cafe.ttl", "--imports", "ontologies"], 0),
    "operators": (["operators"], 0),
    "operators mine": (["operators", "mine", "cafe.ttl", "--min-body", "2", "--min-head", "2"], 0),
    "mutate": (["mutate", "cafe.ttl", "--imports", "ontologies", "--count", "3", "--operators", "owl-el"], 0),
    "query test": (["query", "test", *QUERY, "--nonempty", "--tests", "20"], 1),
    "test": (["test", "menu.toml", "--count", "4"], 1),
    "questions run": (["questions", "run", "questions/qa.toml"], 1),
    "init": (["init", "prices.ttl", "--out", "new.toml"], 0),
    "schema": (["schema"], 0),
}
ALWAYS = ("query check",)
CONDITIONS: dict[str, str] = {
    "stdout closed": ">&-",
    "stderr closed": "2>&-",
    "both closed": ">&- 2>&-",
    "all closed": "<&- >&- 2>&-",
    "stdin closed": "<&-",
    "stderr full": "2>/dev/full",
    "no temporary folder": "",
}
CELLS = [
    pytest.param(command, condition, marks=() if command in ALWAYS else pytest.mark.thorough)
    for command in COMMANDS
    for condition in CONDITIONS
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example files, which is the current folder, with an empty folder for temporary files beside it."""
    copy = tmp_path / "files"
    shutil.copytree(FILES, copy)
    (copy / "cheap.rq").write_text("ASK { FILTER NOT EXISTS { ?drink :price ?price FILTER(?price > 3) } }")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.chdir(copy)
    return copy


def _code(command: list[str]) -> int:
    """What the command exits with if nothing is unusual."""
    return kgprobe(*command).returncode


def _run(command: list[str], redirection: str = "", **how: Any) -> subprocess.CompletedProcess[bytes]:
    line = f'exec "$0" -m kgprobe "$@" {redirection}'
    return subprocess.run(  # noqa: S603 - our own command, our own arguments
        ["/bin/sh", "-c", line, sys.executable, *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        **how,
    )


@pytest.mark.parametrize(("command", "condition"), CELLS)
@pytest.mark.usefixtures("folder")
def test_nobody_has_to_read(command: str, condition: str) -> None:
    words, expected = COMMANDS[command]
    if command == "convert" and CONDITIONS[condition].startswith((">&-", "<&- >&-")):
        expected = 2  # the graph would be lost
    environment = {**os.environ, "TMPDIR": "/nowhere"} if condition == "no temporary folder" else None
    done = _run(words, CONDITIONS[condition], env=environment)
    assert done.returncode == expected, (done.stdout[-500:], done.stderr[-500:])
    assert b"internal error" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.parametrize(
    "command", [each if each in ALWAYS else pytest.param(each, marks=pytest.mark.thorough) for each in COMMANDS]
)
@pytest.mark.usefixtures("folder")
def test_a_reader_that_has_gone_changes_no_exit_code(command: str) -> None:
    words, expected = COMMANDS[command]
    with subprocess.Popen(  # noqa: S603 - our own command, our own arguments
        [sys.executable, "-m", "kgprobe", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        told = process.stderr.read()
        assert process.wait(120) == expected, told
    assert b"Error" not in told


@pytest.mark.parametrize(
    "command", [each if each in ALWAYS else pytest.param(each, marks=pytest.mark.thorough) for each in COMMANDS]
)
@pytest.mark.usefixtures("folder")
def test_a_full_disk_is_said(command: str) -> None:
    words, expected = COMMANDS[command]
    done = _run(words, ">/dev/full")
    if expected == 2:  # it has nothing to print
        assert done.returncode == 2
        return
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == b"kgprobe: error: the output cannot be written: no space left"


def test_a_pipe_that_does_not_wait_loses_nothing(folder: Path) -> None:
    (folder / "long.nt").write_text("".join(f"<urn:a> <urn:b> <urn:{n}> .\n" for n in range(20_000)))
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with subprocess.Popen(
        [sys.executable, "-m", "kgprobe", "convert", "long.nt", "-", "--format", "nt"], stdout=writing
    ) as process:
        os.close(writing)
        with os.fdopen(reading, "rb") as stream:
            assert len(stream.read().splitlines()) == 20_000
        assert process.wait(60) == 0


# -- signals -----------------------------------------------------------------------------------------------------------

SLOW_FUNCTION = "import time\ndef answer(graph):\n    time.sleep(0.05)\n    return len(graph)\n"
SLOW_TOML = """[graph]
seeds = ["pizzeria/menu-2.ttl"]
[mutation]
operators = ["generic"]
mutants = 5000
[[python.systems]]
function = "slow.py:answer"
"""


def _slow_campaign(folder: Path) -> list[str]:
    (folder / "slow.py").write_text(SLOW_FUNCTION)
    (folder / "slow.toml").write_text(SLOW_TOML)
    return ["test", "slow.toml", "--workers", "1"]


def _many_facts(folder: Path) -> None:
    lines = (f"<urn:{n % 7000}> <urn:p{n % 3}> <urn:{n * 7 % 9000}> .\n" for n in range(300_000))
    (folder / "many.nt").write_text("".join(lines))
    (folder / "many.toml").write_text('[questions]\nfacts = ["many.nt"]\nrules = ["transitive"]\n')


def _generating(folder: Path) -> list[str]:
    _many_facts(folder)
    return ["questions", "generate", "many.toml", "--out", "cases.jsonl", "--facts", "facts.duckdb"]


def _generating_in_memory(folder: Path) -> list[str]:
    return [*_generating(folder)[:-2]]


def _mutating(_folder: Path) -> list[str]:
    return ["mutate", "pizzeria/menu-2.ttl", "--count", "100000", "--operators", "generic", "--out", "mutants"]


def _measuring(_folder: Path) -> list[str]:
    return ["coverage", "cafe.ttl", "--imports", "ontologies", "--operators", "owl-el", "--count", "100000"]


def _scoring(_folder: Path) -> list[str]:
    how = ["--tests", "pizzeria/tests", "--skip-failing", "--operators", "owl-el", "--count", "100000"]
    return ["score", "pizzeria/menu-2.ttl", *how, "--store", "score.sqlite"]


def _auditing(_folder: Path) -> list[str]:
    return ["select", "pizzeria/menu-2.ttl", "--tests", "pizzeria/tests", "--audit", "--mutants", "100000"]


def _testing_a_query(_folder: Path) -> list[str]:
    return [
        "query",
        "test",
        "social-network/queries/2.rq",
        "--ontology",
        "social-network/ontology.ttl",
        "--seconds",
        "60",
    ]


def _reducing(folder: Path) -> list[str]:
    (folder / "large.nt").write_text("".join(f"<urn:a> <urn:b> <urn:{n}> .\n" for n in range(5000)))
    return ["reduce", "large.nt", "--system", "sh -c 'sleep 0.05; exit 1'", "--exact"]


LONG: dict[str, tuple[Callable[[Path], list[str]], bool]] = {
    "test": (_slow_campaign, True),
    "questions generate --facts": (_generating, True),
    "questions generate": (_generating_in_memory, False),
    "mutate": (_mutating, False),
    "coverage": (_measuring, False),
    "score": (_scoring, True),
    "select --audit": (_auditing, False),
    "query test": (_testing_a_query, False),
    "reduce": (_reducing, False),
}
RESUMED = b"kgprobe: error: interrupted; run the same command to resume"
SIGNALLED = [
    *(pytest.param("test", number, 1.5) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)),
    pytest.param("questions generate", signal.SIGTERM, 1.0),
    pytest.param("score", signal.SIGHUP, 1.0),
    *(
        pytest.param(command, number, delay, marks=pytest.mark.thorough)
        for command in LONG
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        for delay in (0.1, 0.5, 2.0, 4.0)
    ),
]


def _notices_signals() -> None:
    """Undo what the test run itself may ignore: under `nohup`, children would ignore SIGHUP, too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _with_mark(mark: str) -> Iterator[int]:
    """The processes with this text in their environment."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes() and int(process.name) != os.getpid():
                yield int(process.name)
        except (OSError, ValueError):
            continue


@needs_linux
@pytest.mark.parametrize(("command", "number", "delay"), SIGNALLED)
def test_a_signal_leaves_nothing_behind(command: str, number: int, delay: float, folder: Path) -> None:
    make, is_resumable = LONG[command]
    words = make(folder)
    temporary = folder.parent / "temporary"
    mark = f"KGPROBE_TEST_MARK={folder}"
    errors = folder.parent / "errors"
    with errors.open("wb") as stream:
        process = subprocess.Popen(  # noqa: S603 - our own command, our own arguments
            [sys.executable, "-m", "kgprobe", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stream,
            env={**os.environ, "KGPROBE_TEST_MARK": str(folder)},
            start_new_session=True,
            preexec_fn=_notices_signals,
        )
        if delay > 1 and command == "test":
            _wait_for(folder / "slow.sqlite")
        time.sleep(delay)
        process.send_signal(number)
        code = process.wait(60)
    told = errors.read_bytes()
    assert code in (-number, 128 + number), (code, told)
    assert b"Traceback" not in told
    assert b"internal error" not in told
    if code == 128 + number:
        last = told.splitlines()[-1]
        assert last in (RESUMED, b"kgprobe: error: interrupted"), told
        assert is_resumable or last != RESUMED
        if command == "test" and delay > 1:
            assert last == RESUMED
    assert not list(temporary.iterdir())
    assert not list(_with_mark(mark))
    assert not [
        path.name for path in folder.iterdir() if path.name.endswith(("-wal", "-shm", ".part", ".tmp", ".parts"))
    ]
    assert not list(folder.glob("kgprobe-*"))


ENGINE = """import signal, sys, threading
import duckdb
from kgprobe.cli.app import end_in_order, interruption_behind
number = signal.Signals(int(sys.argv[1]))
assert interruption_behind(ValueError()) is None
end_in_order()
threading.Timer(0.3, signal.raise_signal, [number]).start()
try:
    while True:
        duckdb.execute("SELECT max(a.range + b.range) FROM range(3000) a, range(3000) b").fetchall()
except BaseException as error:
    print(interruption_behind(error).exit_code)
print(interruption_behind(RuntimeError("Query interrupted")).exit_code)
"""


@needs_linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_the_command_line_is_imported_shows_no_traceback(number: int) -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", _INTERRUPTED_IMPORT, str(int(number)), "--version"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", "kgprobe: error: interrupted\n")


_INTERRUPTED_IMPORT = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, *_):
        if name == "kgprobe.cli.app":
            os.kill(os.getpid(), int(sys.argv[1]))

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupting())
from kgprobe.__main__ import main
main()
"""


@needs_linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_engine_that_has_an_error_of_its_own_for_a_signal_is_interrupted(number: int) -> None:
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", ENGINE, str(int(number))],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=_notices_signals,
    )
    assert done.stdout.split() == [str(128 + number)] * 2, done


def _wait_for(file: Path) -> None:
    end = time.monotonic() + 60
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.02)


@needs_linux
def test_what_a_killed_command_leaves_is_removed_by_the_next_one(folder: Path) -> None:
    temporary = folder.parent / "temporary"
    words = _generating_in_memory(folder)
    process = kgprobe_in_the_background(*words, environment={"TMPDIR": str(temporary)})
    end = time.monotonic() + 60
    while not list(temporary.glob("kgprobe-held_*/*")) and time.monotonic() < end:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(60)
    left = list(temporary.glob("kgprobe-held_*"))
    assert left
    assert kgprobe("schema", environment={"TMPDIR": str(temporary)}).returncode == 0, "a command that needs no folder"
    assert not [path for path in left if path.exists()]
    others = temporary / "kgprobe-other"
    others.mkdir()
    alive = kgprobe_in_the_background(*_slow_campaign(folder), environment={"TMPDIR": str(temporary)})
    while not list(temporary.glob("kgprobe-held_*")) and time.monotonic() < end:
        time.sleep(0.02)
    used = set(temporary.glob("kgprobe-held_*"))
    assert used
    again = kgprobe("schema", environment={"TMPDIR": str(temporary)})
    assert again.returncode == 0
    assert used <= set(temporary.glob("kgprobe-held_*"))
    assert others.exists()
    assert not alive.is_over
    os.kill(alive.pid, signal.SIGTERM)
    assert alive.wait(60) == 143
    assert list(temporary.iterdir()) == [others]


# -- output files ------------------------------------------------------------------------------------------------------

WRITING: dict[str, tuple[list[str], str]] = {
    "questions generate": (["questions", "generate", "questions/qa.toml", "--out"], "new.jsonl"),
    "operators mine": (["operators", "mine", "cafe.ttl", "--min-body", "2", "--min-head", "2", "--rules"], "new.json"),
    "coverage --csv": (["coverage", "cafe.ttl", "--mutations", "0", "--csv"], "new.csv"),
    "coverage --mutants": (["coverage", "cafe.ttl", "--mutations", "0", "--mutants"], "new.jsonl"),
    "coverage --plot": (["coverage", "cafe.ttl", "--mutations", "0", "--plot"], "new.svg"),
    "query check --sarif": (["query", "check", *QUERY, "--sarif"], "new.sarif"),
    "convert": (["convert", "prices.ttl"], "new.nt"),
    "init": (["init", "prices.ttl", "--out"], "new.toml"),
}


@pytest.mark.parametrize("command", WRITING)
def test_no_file_of_the_user_is_replaced(command: str, folder: Path) -> None:
    words, name = WRITING[command]
    (folder / name).write_text("mine")
    done = kgprobe(*words, name)
    assert done.returncode == 2, done
    assert name in done.stderr
    assert (folder / name).read_text() == "mine"
    (folder / name).unlink()
    assert kgprobe(*words, name).returncode in (0, 1)
    first = (folder / name).read_bytes()
    assert first != b"mine"
    if command == "query check --sarif":  # a report replaces a report
        assert kgprobe(*words, name).returncode == 1
    else:
        assert kgprobe(*words, name).returncode == 2
        assert kgprobe(*words, name, "--force").returncode in (0, 1)


def test_no_graph_is_replaced_by_a_report(folder: Path) -> None:
    assert kgprobe("convert", "pizzeria/menu-2.ttl", "menu.owl", "--format", "rdf").returncode == 0
    before = (folder / "menu.owl").read_bytes()
    assert before.startswith(b"<?xml")
    done = kgprobe("score", "menu.owl", "--tests", "pizzeria/tests", "--skip-failing", "--junit", "menu.owl")
    assert (done.returncode, "menu.owl: is not a report" in done.stderr) == (2, True), done.stderr
    assert (folder / "menu.owl").read_bytes() == before


def test_a_record_is_added_to_a_record_only(folder: Path) -> None:
    before = (folder / "prices.ttl").read_bytes()
    run = ("select", "pizzeria/menu-2.ttl", "--tests", "pizzeria/tests", "--record", "true {test}", "--recorded")
    done = kgprobe(*run, "prices.ttl")
    assert (done.returncode, "prices.ttl: is not a record" in done.stderr) == (2, True), done.stderr
    assert (folder / "prices.ttl").read_bytes() == before
    for _ in range(2):  # a record replaces nothing, but grows
        assert kgprobe(*run, "new.jsonl").returncode == 0
        (folder / "new.jsonl").write_text('{"test": "a.rq", "queries": []}\n')


def test_no_result_replaces_its_input(folder: Path) -> None:
    run = [f"robots/run1.{kind}.csv" for kind in ("mutants", "verdicts")]
    before = (folder / "robots/robots.ttl").read_bytes()
    learn = ("mask", "learn", "--graph", "robots/robots.ttl", "--mutants", run[0], "--verdicts", run[1])
    done = kgprobe(*learn, "--out", "robots/robots.ttl", "--force")
    assert (done.returncode, "is an input file" in done.stderr) == (2, True), done.stderr
    assert (folder / "robots/robots.ttl").read_bytes() == before
    assert kgprobe("mutate", "cafe.ttl", "--operators", "generic", "--count", "1").returncode == 0
    replay = ("mutate", "--replay", "mutants/manifest.jsonl#1", "--out", "mutants/manifest.jsonl", "--force")
    done = kgprobe(*replay)
    assert (done.returncode, "is an input file" in done.stderr) == (2, True), done.stderr


def test_of_two_writers_of_a_new_file_one_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "new.txt"
    with ExitStack() as first:
        first.enter_context(new_file(target, force=False)).write_text("mine")
        write_file(target, b"theirs", force=False)
        with pytest.raises(InputError, match="already exists"):
            first.close()
    assert target.read_text() == "theirs"
    assert [path.name for path in tmp_path.iterdir()] == ["new.txt"]


def test_an_unfinished_file_of_a_killed_process_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".kgprobe-0123abcd.part").write_text("left behind")
    (tmp_path / ".kgprobe-notes.part").write_text("of the user")
    with new_file(tmp_path / "a", force=False) as unfinished:
        write_file(tmp_path / "b", b"b")
        assert unfinished.exists()
        unfinished.write_bytes(b"a")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".kgprobe-notes.part", "a", "b"]


# -- terminals ---------------------------------------------------------------------------------------------------------


def test_what_a_label_says_cannot_change_what_a_terminal_shows(folder: Path) -> None:
    (folder / "odd.ttl").write_text(
        "@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ':in a <http://www.w3.org/2002/07/owl#TransitiveProperty> ; rdfs:label "place in" .\n'
        ':a rdfs:label "A\\u202Ecod\\u001B[8m\\u2066" ; :in :b .\n'
        ':b rdfs:label "B\\u0007" ; :in :c . :c rdfs:label "C" .\n'
    )
    (folder / "odd.toml").write_text('[questions]\nfacts = ["odd.ttl"]\nrules = ["transitive"]\n')
    for more in ([], ["--json"]):
        done = kgprobe("questions", "generate", "odd.toml", "--sample", "1", *more)
        assert done.returncode == 0, done
        for sign in "\u202e\u2066\x1b\x07":
            assert sign not in done.stdout + done.stderr
    value = json.loads(done.stdout)
    assert "\u202e" in json.dumps(value, ensure_ascii=False), "the value is the same"
