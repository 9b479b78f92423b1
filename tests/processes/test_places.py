"""Each place that starts processes leaves neither a daemon nor a folder behind, whether closed or killed.

The processes that a place starts run a `sitecustomize` module of ours. It starts a daemon that has left its session and
lost its parent, and makes a temporary folder.
"""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from support.processes import are_gone, needs_linux

import kgprobe
from kgprobe.processes.tree import descendants

SECONDS = 240  # a bound for a busy computer
NOTE, TARGET = "KGPROBE_TEST_NOTE", "KGPROBE_TEST_TARGET"
HOOK = f"""
import os, sys
if os.environ.get("{TARGET}") in sys.orig_argv:
    import tempfile, time
    folder = tempfile.mkdtemp()
    note = os.environ["{NOTE}"]
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 256)
            with open(note + ".part", "w") as stream:
                stream.write(f"{{os.getpid()}} {{folder}}")
            os.rename(note + ".part", note)
            time.sleep(600)
        os._exit(0)
    os.wait()
"""
PARENT = """
import os, sys, threading, time
from pathlib import Path
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import BlankNode, NamedNode, Triple
from kgprobe.processes.limits import Limits

folder, is_first = Path(sys.argv[1]), True
NOTED = "import os, sys, time\\nwhile not os.path.exists(sys.argv[2]): time.sleep(0.02)\\n"

def program():  # it ends by itself in the first round, and is at work in the second
    code = NOTED + ("" if is_first else "time.sleep(600)")
    return [sys.executable, "-c", code, "target", os.environ["KGPROBE_TEST_NOTE"]]

def meanwhile(work):  # a call that returns when its process has ended
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread.join

def case():
    from kgprobe.model import Case
    return Case.of_graph("1", Graph())

{begin}

for name in ("first", "second"):
    note = folder / name
    os.environ["KGPROBE_TEST_NOTE"] = str(note)
    close = begin()
    while not note.exists():
        time.sleep(0.02)
    if is_first:
        close()
    print(name, flush=True)
    if is_first:
        sys.stdin.readline()
    is_first = False
time.sleep(600)
"""
PLACES = {
    "a command as a system": (
        "target",
        """
def begin():
    from kgprobe.systems.command import CommandSystem
    system = CommandSystem("s", program(), limits=Limits(500, 1024))
    join = meanwhile(lambda: system.run(case()))
    return lambda: (join(), system.close())
""",
    ),
    "a function as a system": (
        "kgprobe.systems.function_worker",
        """
def begin():
    from kgprobe.systems.function import FunctionSystem
    system = FunctionSystem("s", "os:fspath")
    system.start()
    return system.close
""",
    ),
    "a service": (
        "target",
        """
def begin():
    from kgprobe.systems.remote import Service
    global is_first
    was_first, is_first = is_first, False  # a service ends on request
    service = Service(program(), health=["true"], seconds_to_start=200)
    service.start()
    is_first = was_first
    return service.close
""",
    ),
    "a reasoner": (
        "kgprobe.reasoners.engines",
        """
def begin():
    from kgprobe.reasoners.host import Host
    host = Host("rustdl", Limits(200, 1024))
    list(host.ask([(lambda: "", [{"ask": "consistent"}])]))
    return host.close
""",
    ),
    "Konclude": (
        "target",
        """
def begin():
    from kgprobe.reasoners.host import Host
    quoted = " ".join(f"'{word}'" for word in program())
    (folder / "Konclude").write_text(f"#!/bin/sh\\nexec {quoted}\\n")
    (folder / "Konclude").chmod(0o755)
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
    host = Host("konclude", Limits(500, 1024))
    join = meanwhile(lambda: list(host.ask([(lambda: "", [{"ask": "consistent"}])])))
    return lambda: (join(), host.close())
""",
    ),
    "a mask that may run away": (
        "kgprobe.rdf.limited_worker",
        """
def begin():
    from kgprobe.masks.ask import AskCheck
    from kgprobe.rdf.limited import GraphWorker
    from kgprobe.masks.judge import Judge
    assert Judge(AskCheck("ASK {}", "q", seconds=None), 200).admits(Graph())
    return GraphWorker.shared().worker.end
""",
    ),
    "pyshacl": (
        "kgprobe.masks.pyshacl_worker",
        """
def begin():
    from kgprobe.masks.shacl import PyshaclEngine
    engine = PyshaclEngine(Graph(), "shapes", 200)
    return lambda: engine._worker.end()
""",
    ),
    "selected tests": (
        "target",
        """
def begin():
    from kgprobe.selection.running import run_tests
    return meanwhile(lambda: run_tests(["t"], lambda _: program(), limit=500, on_done=lambda _: None))
""",
    ),
    "commands for the terms of a test": (
        "target",
        """
def begin():
    from kgprobe.selection.discovery.finder import find_tests
    from kgprobe.selection.discovery.search import FinderOptions
    from kgprobe.selection.vocabulary import Vocabulary
    tests = folder / "tests"
    tests.mkdir(exist_ok=True)
    (tests / "a.x").touch()
    command = (*program(), "{test}")
    options = FinderOptions(root=folder, test_files=("*.x",), terms_command=command, command_seconds=500)
    return meanwhile(lambda: find_tests([tests], Vocabulary.of(Graph(), Graph()), options))
""",
    ),
    "workers of a campaign": (
        "kgprobe.campaign.worker",
        """
def begin():
    from kgprobe.campaign.local import LocalWorkers
    class Job:
        def __reduce__(self):
            return time.sleep, (600,)  # when the worker receives it
    return LocalWorkers(Job(), 1).close
""",
    ),
    "canonicalization": (
        "kgprobe.rdf.rdfc",
        """
def begin():
    from kgprobe.rdf.rdfc import canonical_lines
    nodes = [BlankNode(str(n)) for n in range(6 if is_first else 12)]  # the second takes forever
    alike = [Triple(one, NamedNode("urn:p"), other) for one in nodes for other in nodes if one != other]
    return meanwhile(lambda: canonical_lines(alike, seconds=500))
""",
    ),
    "the demo": (
        "kgprobe.campaign.worker",
        """
def begin():
    from kgprobe.demo import parts
    parts._MASKS = {"0-no-mask": "no mask"}
    return meanwhile(lambda: list(parts.show_campaigns()))
""",
    ),
}


class Left(NamedTuple):
    """A daemon that a place has started, and the temporary folder of the process that started it."""

    daemon: int
    folder: Path


class Parent:
    """A Python process that uses a place twice: it closes it once, then waits to be killed."""

    def __init__(self, target: str, begin: str, folder: Path) -> None:
        self._folder = folder
        self.temporary = folder / "temporary"
        (folder / "hook").mkdir()
        (folder / "hook" / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
        self.temporary.mkdir()
        self.process = subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", PARENT.replace("{begin}", begin), str(folder)],
            env={
                **os.environ,
                "PYTHONPATH": str(folder / "hook"),
                "TMPDIR": str(self.temporary),
                TARGET: target,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def reached(self, name: str) -> Left:
        """Wait for one round."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], SECONDS)
        assert ready, f"the {name} round did not come"
        assert self.process.stdout.readline().decode().strip() == name
        pid, _, folder = (self._folder / name).read_text(encoding="utf-8").partition(" ")
        return Left(int(pid), Path(folder))

    def go_on(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def parent(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Parent]:
    target, begin = PLACES[request.param]
    made = Parent(target, begin, tmp_path)
    yield made
    made.kill()


@needs_linux
@pytest.mark.parametrize("parent", PLACES, indirect=True)
def test_nothing_is_left_behind(parent: Parent) -> None:
    closed = parent.reached("first")
    assert are_gone(closed.daemon)
    assert not closed.folder.exists()
    parent.go_on()
    killed = parent.reached("second")
    assert killed.folder.is_dir()
    below = descendants(parent.process.pid)
    assert killed.daemon in below
    parent.kill()
    assert are_gone(*below)
    assert not killed.folder.exists()
    assert list(parent.temporary.iterdir()) == []


def test_no_other_module_starts_processes() -> None:
    source = Path(kgprobe.__file__).parent
    starts = re.compile(
        r"^\s*(?:import|from) (?:subprocess|multiprocessing)\b|\bos\.(?:fork|system|popen|exec|spawn|posix_spawn)\w*\(",
        re.MULTILINE,
    )
    found = {file for file in source.rglob("*.py") if starts.search(file.read_text(encoding="utf-8"))}
    # git is trusted, and runs so often that a guard would slow it down noticeably.
    expected = {"processes/guard.py", "processes/guard_process.py", "git/repository.py"}
    assert {file.relative_to(source).as_posix() for file in found} == expected
