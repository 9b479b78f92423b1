"""Python functions as systems: their results, their failures, and recovery for the next call."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.processes import are_gone, is_running, numbers_in, state_of

from kgprobe.errors import InputError
from kgprobe.model import Observation, Status
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import Literal, NamedNode, Triple
from kgprobe.systems.function import FunctionSystem

from .system_fixtures import case, graph, needs_linux

HEAD = "import os, sys, time\nfrom kgprobe.rdf.graph import Graph\nfrom kgprobe.rdf.terms import *\n"


class Functions:
    """A file of functions, and systems that call them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.systems: list[FunctionSystem] = []

    def system(self, code: str, name: str = "f", *, limits: Limits | None = None, **options: Any) -> FunctionSystem:
        (self.folder / "under_test.py").write_text(HEAD + code, encoding="utf-8")
        system = FunctionSystem(
            "s", f"under_test.py:{name}", limits=limits or Limits(20, 1024), folder=self.folder, **options
        )
        self.systems.append(system)
        return system

    def run(self, code: str, *, limits: Limits | None = None, of: Graph | None = None, **options: Any) -> Observation:
        return self.system(code, limits=limits, **options).run(case(of))

    def returns(self, expression: str) -> Any:
        seen = self.run(f"def f(graph):\n    return {expression}\n")
        assert seen.status is Status.FINISHED, seen
        return seen.value


@pytest.fixture
def functions(tmp_path: Path) -> Any:
    found = Functions(tmp_path)
    yield found
    for system in found.systems:
        system.close()


def test_the_first_call_loads_no_modules(functions: Functions) -> None:
    code = "before = set(sys.modules)\ndef f(graph):\n    return sorted(set(sys.modules) - before)\n"
    assert functions.run(code).value == []


def test_files_in_the_folder_of_the_function_do_not_replace_libraries_that_calls_need(functions: Functions) -> None:
    for name in ("numpy.py", "resource.py"):
        (functions.folder / name).write_text("raise RuntimeError('not the library')\n", encoding="utf-8")
    assert functions.returns("len(graph)") == 3


def test_return_values_of_functions(functions: Functions) -> None:
    values = {
        "None": None,
        "[1, 2.5, 'x', True, None, 10**30]": [1, 2.5, "x", True, None, 10**30],
        "(1, [2, (3,)])": [1, [2, [3]]],
        "{'a': {'b': [1]}, 2: 3}": {"a": {"b": [1]}, "2": 3},
        "{1, (2, 3), frozenset({4}), 'x'}": frozenset({1, (2, 3), frozenset({4}), "x"}),
        "{'set': [{1}, set()]}": {"set": [frozenset({1}), frozenset()]},
        "['l', ['s', [1]]]": ["l", ["s", [1]]],
        "NamedNode('urn:a')": "<urn:a>",
        "{Literal('a', language='en'), BlankNode('b')}": frozenset({'"a"@en', "_:b"}),
        "Triple(NamedNode('urn:a'), NamedNode('urn:b'), Literal('c'))": '<urn:a> <urn:b> "c"',
        "b'bytes'": "b'bytes'",
        "object()": "<object object>",
        "len": "<built-in function len>",
    }
    found = functions.returns(f"[{', '.join(values)}]")
    assert found == list(values.values())
    assert [type(each) for each in found] == [type(each) for each in values.values()]


def test_values_that_cannot_be_serialised_normally(functions: Functions) -> None:
    seen = functions.run("""
class Odd:
    def __repr__(self):
        raise ValueError
def f(graph):
    circle = []
    circle.append(circle)
    return [Odd(), 2**100_000, circle, float("inf"), "\\ud800", range(2)]
""")
    assert seen.status is Status.FINISHED
    odd, large, circle, infinite, half, some = seen.value
    assert (odd, infinite, half, some) == ("<Odd>", float("inf"), "\ud800", "range(0, 2)")
    assert large.startswith("0x1000")
    assert isinstance(circle, list)


def test_an_asynchronous_function_is_awaited(functions: Functions) -> None:
    code = "import asyncio\nlock = None\nasync def f(graph):\n    await asyncio.sleep(0)\n    return len(graph)\n"
    assert functions.run(code, of=graph(3)).value == 3
    seen = functions.run("async def f(graph):\n    raise KeyError('mine')\n")
    assert seen.status is Status.CRASHED
    assert "coroutine" not in str(seen)


def test_a_graph_is_returned_as_its_lines(functions: Functions) -> None:
    assert functions.returns("graph") == "".join(sorted(f"{triple} .\n" for triple in graph()))


def test_the_function_gets_exactly_the_graph_of_the_case(functions: Functions) -> None:
    system = functions.system("def f(graph):\n    return [graph, sorted(graph.spelling.prefixes)]\n")
    seed = Graph(graph(), spelling=Spelling({"x": "urn:"}))
    changed = seed.copy()
    changed.remove(next(iter(seed)))
    changed.add(Triple(NamedNode("urn:new"), NamedNode("urn:p"), Literal("new", language="en")))
    for each in (seed, changed, seed, Graph(), changed):
        lines = "".join(sorted(f"{triple} .\n" for triple in each))
        assert system.run(case(each)).value == [lines, sorted(each.spelling.prefixes)]


def test_a_function_may_change_its_graph(functions: Functions) -> None:
    system = functions.system("def f(graph):\n    graph.remove(next(iter(graph)))\n    return len(graph)\n")
    shared = graph()
    assert [system.run(case(shared)).value for _ in range(3)] == [2, 2, 2]


def test_a_table_is_sent_once(functions: Functions) -> None:
    system = functions.system("def f(graph):\n    return len(graph)\n")
    seeds = [graph(size) for size in (5, 6, 7)]
    for number in range(30):
        for seed in seeds:
            mutant = seed.copy()
            mutant.add(Triple(NamedNode(f"urn:new{number}"), NamedNode("urn:p"), NamedNode("urn:o")))
            assert system.run(case(mutant)).value == len(seed) + 1
    assert system.tables_sent == 3
    for size in range(10, 20):  # the least recently used are dropped, on both sides
        assert system.run(case(graph(size))).value == size
    assert system.run(case(seeds[0])).value == 5
    assert system.tables_sent == 14


def test_the_cost_of_a_call_depends_on_the_changes_not_the_graph(functions: Functions) -> None:
    system = functions.system("def f(graph):\n    return len(graph)\n")
    small, large = graph(5), graph(5_000)

    def seconds(of: Graph) -> float:
        start = time.perf_counter()
        system.run(case(of))
        return time.perf_counter() - start

    first = seconds(small), seconds(large)  # which sends them
    by_turns = [(seconds(small), seconds(large)) for _ in range(200)]
    assert min(each for _, each in by_turns) < 3 * min(each for each, _ in by_turns), first


def test_a_file_in_a_clean_folder(functions: Functions) -> None:
    code = """
def f(file):
    found = [os.path.basename(file), os.path.dirname(file) == os.getcwd(), sorted(os.listdir()), open(file).read()]
    os.makedirs("left/behind")
    open("rubbish", "w").close()
    os.symlink("/", "root")
    os.chdir("/")
    return found
"""
    system = functions.system(code, input="file")
    for _ in range(2):
        name, is_here, listed, text = system.run(case()).value
        assert (name, is_here, listed) == ("graph.ttl", True, ["graph.ttl"])
        assert '<urn:s0> <urn:p> "0"' in text


def test_output_of_a_function_belongs_to_its_call(functions: Functions) -> None:
    code = """
calls = []
def f(graph):
    calls.append(1)
    print("out", len(calls))
    os.write(2, b"err\\n")
"""
    system = functions.system(code)
    for number in (1, 2, 3):
        seen = system.run(case())
        assert (seen.stdout, seen.stderr) == (f"out {number}\n", "err\n")
    loud = functions.run("def f(graph):\n    for _ in range(50):\n        print('x' * 10**6)\n    return 1\n")
    assert loud.value == 1
    assert len(loud.stdout) < 1.1e6


def test_an_exception_is_a_crash_with_its_frames(functions: Functions) -> None:
    code = """
class Wrong(Exception):
    class Very(Exception):
        pass
def inner(text):
    raise Wrong.Very("so" + text)
def f(graph):
    try:
        {}["x"]
    except KeyError:
        inner(" wrong")
"""
    system = functions.system(code)
    seen = system.run(case())
    assert (seen.status, seen.exit_code) == (Status.CRASHED, None)
    assert seen.crash is not None
    assert (seen.crash.kind, seen.crash.message) == ("under_test.Wrong.Very", "so wrong")
    assert seen.crash.frames == ("under_test.py:inner", "under_test.py:f")
    assert "Traceback" in seen.stderr
    pid = system.pid
    assert system.run(case()).crash == seen.crash
    assert system.pid == pid  # an exception does not need a new process


@pytest.mark.parametrize(
    ("statement", "kind", "code"),
    [
        ("sys.exit(4)", "SystemExit", 4),
        ("sys.exit('words')", "SystemExit", 1),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", None),
        ("os._exit(5)", "exit code 5", 5),
        ("os._exit(0)", "exit code 0", 0),
        ("os.kill(os.getpid(), 9)", "SIGKILL", -9),
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV", -11),
        ("f(graph)", "RecursionError", None),
    ],
)
def test_the_next_call_is_served_after_other_failures(
    functions: Functions, statement: str, kind: str, code: int | None
) -> None:
    system = functions.system(f"def f(graph):\n    if len(graph) == 3:\n        {statement}\n    return len(graph)\n")
    seen = system.run(case())
    assert seen.status is Status.CRASHED, seen
    assert seen.crash is not None
    assert (seen.crash.kind, seen.exit_code) == (kind, code)
    if kind in ("SIGSEGV", "SystemExit"):
        assert seen.crash.frames[-1] == "under_test.py:f"
    assert system.run(case(graph(5))).value == 5


@needs_linux
def test_a_call_that_hangs_is_ended_with_its_child_processes(functions: Functions, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = f"""
def f(graph):
    if len(graph) != 3:
        return "served"
    print("before", flush=True)
    if os.fork() == 0:
        os.setsid()
    open({str(pids)!r}, "a").write(f"{{os.getpid()}}\\n")
    time.sleep(60)
"""
    system = functions.system(code, limits=Limits(2, 1024))
    seen = system.run(case())
    assert (seen.status, seen.remark) == (Status.TIMED_OUT, "time limit of 2 s passed")
    assert seen.stdout == "before\n"
    assert 2 <= seen.seconds < 30
    assert are_gone(*numbers_in(pids, at_least=2))
    assert system.run(case(graph(5))).value == "served"


@needs_linux
def test_the_memory_limit(functions: Functions) -> None:
    code = """
def f(graph):
    kept = []
    while len(graph) == 3:
        kept.append(b"x" * 10**7)
    return bytearray(10**18)
"""
    system = functions.system(code, limits=Limits(20, 300))
    seen = system.run(case())
    assert (seen.status, seen.remark) == (Status.OUT_OF_MEMORY, "memory limit of 300 MB passed")
    assert system.run(case(graph(4))).status is Status.OUT_OF_MEMORY


def test_a_function_that_forks_answers_once(functions: Functions) -> None:
    system = functions.system("def f(graph):\n    return [len(graph), os.fork() == 0]\n")
    for size in (3, 4, 5):
        seen = system.run(case(graph(size)))
        assert seen.value == [size, False]


def test_a_function_that_closes_everything_or_ends_later(functions: Functions) -> None:
    code = """
import threading
def f(graph):
    if len(graph) == 3:
        os.closerange(0, 1000)
        time.sleep(60)
    if len(graph) == 4:
        threading.Timer(0.02, os._exit, [6]).start()
    return len(graph)
"""
    system = functions.system(code)
    seen = system.run(case())
    assert seen.status is Status.CRASHED
    assert seen.crash is not None
    assert seen.crash.kind == "garbled answer"
    assert system.run(case(graph(4))).value == 4
    while system._running[0].child.exit_code is None:  # it has ended, but its exit code has not been read yet
        time.sleep(0.01)
    seen = system.run(case(graph(5)))
    assert (seen.value, seen.remark) == (5, "the process had ended (exit code 6) and was restarted")


@needs_linux
def test_a_stopped_process_is_noticed(functions: Functions) -> None:
    code = """
import signal, threading
def f(graph):
    if len(graph) == 3:
        threading.Timer(0.02, os.kill, [os.getpid(), signal.SIGSTOP]).start()
    return len(graph)
"""
    system = functions.system(code, limits=Limits(1, 1024))
    assert system.run(case()).value == 3
    while state_of(system.pid or 0) != "T":
        time.sleep(0.01)
    assert system.run(case(graph(20_000))).status is Status.TIMED_OUT
    assert system.run(case(graph(4))).value == 4


@pytest.mark.parametrize(
    "sent", ["b'{'", "b'[]'", "b'{\"call\": 1}'", 'b\'{"call": 1, "seconds": 1, "value": [7]}\'', "b'[' * 100000"]
)
def test_a_forged_answer_is_at_most_a_crash(functions: Functions, sent: str) -> None:
    code = f"""
import gc
from kgprobe.processes.channel import Channel
def f(graph):
    if len(graph) == 3:
        for each in gc.get_objects():
            if isinstance(each, Channel):
                each.send({sent})
        time.sleep(60)
    return len(graph)
"""
    # The worker hides nothing from the function, but the garbage collector does not list its frozen objects.
    system = functions.system("import gc\ngc.freeze = lambda: None\n" + code, limits=Limits(1, 1024))
    assert system.run(case()).status in (Status.CRASHED, Status.TIMED_OUT)
    assert system.run(case(graph(4))).value == 4


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        ("under_test.py:inspekt", r"no function 'inspekt' \(did you mean 'inspect'\?\)"),
        ("undr_test.py:inspect", r"the file .*undr_test.py does not exist \(did you mean 'under_test.py'\?\)"),
        ("undr_test:inspect", r"the module 'undr_test' does not exist \(did you mean 'under_test'\?\)"),
        ("under_test:number", "cannot be called"),
        ("under_test:stream", "'stream' is an asynchronous generator: it yields, and returns no answer"),
        ("broken.py:f", "broken.py:f cannot be imported: ZeroDivisionError in broken.py:<module>: division"),
        ("needs.py:f", "cannot be imported: ModuleNotFoundError"),
        ("typo.py:f", r"cannot be imported: SyntaxError: '\(' was never closed \(typo.py, line 1\)"),
        ("quits:f", r"quits:f cannot be imported: its process ended \(exit code 7\)"),
        ("exits:f", "exits:f cannot be imported: SystemExit"),
    ],
)
def test_a_function_that_cannot_be_imported(tmp_path: Path, function: str, complaint: str) -> None:
    files = {
        "under_test.py": "number = 1\ndef inspect(graph):\n    return 1\nasync def stream(graph):\n    yield 1\n",
        "broken.py": "1 / 0\n",
        "typo.py": "print(\n",
        "needs.py": "import no_such_module_anywhere\n",
        "quits.py": "import os\nos._exit(7)\n",
        "exits.py": "raise SystemExit(1)\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="ascii")
    system = FunctionSystem("s", function, folder=tmp_path)
    with pytest.raises(InputError, match=complaint):
        system.start()
    assert system.pid is None
    assert system.run(case()).status is Status.UNREACHABLE


@pytest.mark.parametrize("function", ["inspect", "module:", ":f", "module:1x", ""])
def test_names_without_a_function_are_refused(function: str) -> None:
    with pytest.raises(InputError, match="does not name a function"):
        FunctionSystem("s", function)


def test_modules_are_found_in_the_folder_first(tmp_path: Path) -> None:
    package = tmp_path / "mine" / "deep"
    package.mkdir(parents=True)
    (package / "json5.py").write_text("import sys, beside\ndef f(graph): return [sys.path[0], beside.x]\n")
    (tmp_path / "beside.py").write_text("x = 1\n")
    for function in ("mine.deep.json5:f", "mine/deep/json5.py:f"):
        system = FunctionSystem("s", function, folder=tmp_path)
        assert system.run(case()).value == [str(tmp_path.resolve()), 1]
        system.close()


@needs_linux
def test_nothing_is_left_when_the_caller_is_killed(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("import os\ndef f(graph): return [os.getcwd(), os.getpid()]\n")
    code = """
import os
from pathlib import Path
from kgprobe.rdf.graph import Graph
from kgprobe.model import Case
from kgprobe.systems.function import FunctionSystem
print(*FunctionSystem("s", "other:f", folder=Path.cwd()).run(Case.of_graph("case", Graph())).value, flush=True)
os.kill(os.getpid(), 9)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, check=False)  # noqa: S603 - our own code
    folder, pid = done.stdout.decode().split()
    assert are_gone(int(pid))
    assert not Path(folder).exists()


@needs_linux
def test_no_process_and_no_folder_is_left_behind(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("import os\ndef f(graph): return os.getcwd()\n")
    system = FunctionSystem("s", "other:f", folder=tmp_path)
    folder = Path(system.run(case()).value)
    pid = system.pid or 0
    assert pid
    assert folder.is_dir()
    del system
    gc.collect()
    assert not is_running(pid)
    assert not folder.exists()
    assert "other" not in sys.modules
