"""Programs as systems: each one does something that a program under test may do."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from support.processes import are_gone, numbers_in

from kgprobe.errors import InputError, UnavailableError
from kgprobe.formats.files import load
from kgprobe.model import Case, Observation, Status
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, NamedNode, Triple
from kgprobe.systems.command import CommandSystem
from kgprobe.systems.protocol import GraphText

from .system_fixtures import case, graph, needs_linux


def run(code: str, *arguments: str, limits: Limits | None = None, of: Graph | None = None) -> Observation:
    """Run some Python code."""
    system = CommandSystem("s", ["{python}", "-c", code, *arguments], limits=limits or Limits(20, 1024))
    system.start()
    return system.run(case(of))


def test_the_graph_and_the_answer_are_passed_as_files(tmp_path: Path) -> None:
    code = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2]); print(sys.argv[3:])"
    seen = run(code, "{graph}", "{output}", "{x}", '{"a": 1}', "{}")
    assert (seen.status, seen.exit_code, seen.stdout) == (Status.FINISHED, 0, "['{x}', '{\"a\": 1}', '{}']\n")
    assert seen.output is not None
    copy = tmp_path / "copy.ttl"
    copy.write_bytes(seen.output)
    assert load(copy).graph == graph()
    assert seen.seconds > 0


def test_without_a_placeholder_the_graph_comes_through_standard_input() -> None:
    system = CommandSystem("s", ["cat"], payload=GraphText("ntriples"))
    assert system.run(case()).stdout.count("\n") == 3
    seen = CommandSystem("s", ["true"]).run(case(graph(20_000)))  # it does not read its input
    assert seen.status is Status.FINISHED


def test_each_run_has_a_clean_folder_that_is_removed_afterwards() -> None:
    code = (
        "import os, sys, tempfile; print(os.getcwd(), tempfile.gettempdir(), sys.argv[1], sorted(os.listdir()));"
        "open('left', 'w').close(); os.makedirs('a/b'); os.chmod('a', 0)"
    )
    for _ in range(2):
        seen = run(code, "{folder}", "{graph}")
        where, temporary, told, *listed = seen.stdout.split()
        assert where == temporary == told
        assert listed == ["['graph.ttl']"]
        assert not Path(where).exists()


def test_a_folder_and_an_environment_can_be_given(tmp_path: Path) -> None:
    script = tmp_path / "bin" / "tool"
    script.parent.mkdir()
    script.write_text('#!/bin/sh\necho "$WORD" "$(pwd)" "$1"\n', encoding="ascii")
    script.chmod(0o755)
    system = CommandSystem("s", ["bin/tool", "{graph}"], folder=tmp_path, environment={"WORD": "hello"})
    system.start()
    word, where, file = system.run(case()).stdout.split()
    assert (word, Path(where)) == ("hello", tmp_path.resolve())
    assert not file.startswith(str(tmp_path))


def test_exit_codes_are_not_crashes() -> None:
    seen = run("import sys; sys.exit(3)")
    assert (seen.status, seen.exit_code, seen.crash) == (Status.FINISHED, 3, None)


def test_an_exception_is_a_crash_with_its_frames() -> None:
    code = "def inner():\n    raise KeyError('x')\ndef outer():\n    inner()\nouter()"
    seen = run(code)
    assert (seen.status, seen.exit_code) == (Status.CRASHED, 1)
    assert seen.crash is not None
    assert (seen.crash.kind, seen.crash.message) == ("KeyError", "'x'")
    assert seen.crash.frames == ("<string>:inner", "<string>:outer", "<string>:<module>")


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGTERM", "SIGKILL"])
def test_a_signal_is_a_crash(name: str) -> None:
    seen = run(f"import os, signal; os.kill(os.getpid(), signal.{name})")
    assert (seen.status, seen.exit_code) == (Status.CRASHED, -signal.Signals[name])
    assert seen.crash is not None
    assert seen.crash.kind == name


@needs_linux
def test_a_run_that_hangs_is_ended_with_all_its_processes(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    # A child in the same group, an orphan in a separate session, and all of them ignore signals.
    code = f"""
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
note = "import os, time; open({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\\\n'); time.sleep(60)"
subprocess.Popen([sys.executable, "-c", note])
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", note])
    os._exit(0)
exec(note)
"""
    seen = run(code, limits=Limits(4, 1024))
    assert seen.status is Status.TIMED_OUT
    assert seen.remark == "time limit of 4 s passed"
    assert 4 <= seen.seconds < 30
    assert seen.exit_code is None
    assert are_gone(*numbers_in(pids, at_least=3))


@needs_linux
def test_leftover_processes_are_ended_at_once(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = f"""
import os, time
for number in range(5):
    if os.fork() == 0:
        if number % 2:
            os.setsid()
        open({str(pids)!r}, "a").write(f"{{os.getpid()}}\\n")
        while True:
            time.sleep(60)  # and it holds on to standard output
while len(open({str(pids)!r}, "a+").read()) == 0 and sum(1 for _ in open({str(pids)!r})) < 5:
    time.sleep(0.01)
print("done")
"""
    start = time.perf_counter()
    seen = run(code)
    assert (seen.status, seen.stdout) == (Status.FINISHED, "done\n")
    assert time.perf_counter() - start < 30
    assert are_gone(*numbers_in(pids, at_least=5))


@needs_linux
@pytest.mark.parametrize("prefix", ["", "import os\nif os.fork(): os.wait()\n"], ids=["itself", "its child"])
def test_a_program_that_uses_too_much_memory_is_ended(prefix: str) -> None:
    code = f"{prefix}kept = []\nwhile True:\n    kept.append(b'x' * 10**7)"
    seen = run(code, limits=Limits(20, 200))
    assert seen.status is Status.OUT_OF_MEMORY
    assert seen.remark == "memory limit of 200 MB passed"
    assert seen.seconds < 20


_DAEMON = """
import os, sys
def daemon(code, pids):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            note = f"import os; open({pids!r}, 'a').write(str(os.getpid()) + chr(10)); "
            os.execve(sys.executable, [sys.executable, "-c", note + code], {})
        os._exit(0)
    os.wait()
def started(pids):
    while not os.path.exists(pids) or not open(pids).read():
        pass
"""


@needs_linux
def test_a_daemon_without_an_environment_is_ended(tmp_path: Path) -> None:
    pids = str(tmp_path / "pids")
    seen = run(f"{_DAEMON}daemon('import time; time.sleep(60)', {pids!r}); started({pids!r}); print('done')")
    assert (seen.status, seen.stdout) == (Status.FINISHED, "done\n")
    assert are_gone(*numbers_in(Path(pids), at_least=1))


@needs_linux
@pytest.mark.parametrize("in_thread", [False, True], ids=["by a process", "by a thread"])
def test_the_memory_of_a_daemon_counts(tmp_path: Path, in_thread: bool) -> None:
    pids = str(tmp_path / "pids")
    start = f"daemon('kept = b\"x\" * 300_000_000; import time; time.sleep(60)', {pids!r})"
    started = f"import threading; threading.Thread(target=lambda: {start}).start()" if in_thread else start
    seen = run(f"{_DAEMON}{started}\nimport time; time.sleep(60)", limits=Limits(40, 200))
    assert seen.status is Status.OUT_OF_MEMORY
    assert are_gone(*numbers_in(Path(pids), at_least=1))


@needs_linux
@pytest.mark.parametrize("how", ["killed", "stopped"])
def test_a_program_that_signals_its_parent_has_crashed_and_the_next_run_is_not_blamed(how: str) -> None:
    number = signal.SIGKILL if how == "killed" else signal.SIGSTOP
    code = f"import os, sys; len(sys.stdin.read()) > 300 and os.kill(os.getppid(), {int(number)})"
    system = CommandSystem("s", ["{python}", "-c", code], limits=Limits(20, 1024))
    for size, status in [(3, Status.FINISHED), (20, Status.CRASHED), (3, Status.FINISHED)]:
        seen = system.run(case(graph(size)))
        assert seen.status is status, seen
        assert (seen.crash.kind if seen.crash else "") == ("" if size == 3 else f"{how} its parent process")
    system.close()


def test_a_program_may_remove_its_folder_and_close_its_files() -> None:
    seen = run("import os, shutil, sys; shutil.rmtree(sys.argv[1]); os.closerange(0, 100)", "{folder}", "{output}")
    assert (seen.status, seen.exit_code, seen.output) == (Status.FINISHED, 0, None)


def test_a_program_that_reports_lack_of_memory_is_believed() -> None:
    seen = run("x = bytearray(10**18)")
    assert seen.status is Status.OUT_OF_MEMORY
    assert seen.crash is not None
    assert seen.crash.kind == "MemoryError"


def test_excess_output_is_dropped_and_the_end_is_kept() -> None:
    code = """
import sys
sys.stderr.write("first words\\n")
for _ in range(40):
    sys.stdout.write("x" * 10**6)
    sys.stderr.write("y" * 10**6)
print("last")
raise ValueError("last words")
"""
    seen = run(code)
    assert seen.status is Status.CRASHED
    assert seen.crash is not None
    assert (seen.crash.kind, seen.crash.message) == ("ValueError", "last words")
    assert len(seen.stdout) < 1.1e6
    assert len(seen.stderr) < 1.1e6
    assert seen.stdout.endswith("last\n")
    assert seen.stderr.startswith("first words\n")
    assert "bytes were dropped here" in seen.stdout
    assert "bytes were dropped here" in seen.stderr


def test_output_is_bytes_that_need_not_be_text() -> None:
    seen = run("import sys; sys.stdout.buffer.write(b'\\xff\\x00')")
    assert seen.stdout == "\ufffd\0"


@pytest.mark.parametrize(
    ("code", "remark"),
    [
        ("import os, sys; os.symlink('/etc/hostname', sys.argv[1])", ""),
        ("import os, sys; os.mkfifo(sys.argv[1])", "is not a regular file"),
        ("import os, sys; os.mkdir(sys.argv[1])", "is not a regular file"),
    ],
)
def test_an_output_that_is_not_a_file_is_not_read(code: str, remark: str) -> None:
    seen = run(code, "{output}")
    assert (seen.status, seen.output) == (Status.FINISHED, None)
    assert remark in seen.remark


@needs_linux
def test_a_large_output_file_is_truncated() -> None:
    seen = run("import sys; open(sys.argv[1], 'wb').truncate(2**30)", "{output}")
    assert seen.output is not None
    assert len(seen.output) == 1 << 24
    assert "was cut" in seen.remark


def test_a_program_that_does_not_exist() -> None:
    system = CommandSystem("s", ["no-such-program-anywhere", "{graph}"])
    with pytest.raises(UnavailableError, match="no-such-program-anywhere of 's' does not exist"):
        system.start()
    seen = system.run(case())
    assert seen.status is Status.UNREACHABLE
    assert "No such file" in seen.remark


def test_a_file_that_is_not_a_program(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text("no program", encoding="ascii")
    system = CommandSystem("s", [str(file)])
    with pytest.raises(UnavailableError, match="is not executable"):
        system.start()
    file.chmod(0o755)
    assert system.run(case()).status is Status.UNREACHABLE


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("cat {graph}", r'not a list of arguments.*write \["cat", "\{graph\}"\]'),
        ([], "needs a program"),
        (["cat", 1], "needs a program"),
        (["cat", "{grpah}"], r"no placeholder '\{grpah\}'.*did you mean '\{graph\}'"),
        (["cat", "-o={Output}"], r"did you mean '\{output\}'"),
        (["cat", "\0"], "does not name a program"),
    ],
)
def test_invalid_arguments_are_refused(arguments: list[str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        CommandSystem("s", arguments)


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("python x.py {graph}", 'each argument is a separate string: write ["python", "x.py", "{graph}"]'),
        ("./bin", "./bin of 's' is a folder"),
        ("./bin/tool.py", '["{python}", "./bin/tool.py", …]'),
        ("./bin/tol.py", "did you mean './bin/tool.py'?"),
        ("beside.py", 'it is in the folder of the profile: write ["{python}", "beside.py", …]'),
        ("beside", "it is in the folder of the profile: write ./beside"),
        ("shh", "did you mean 'sh'?"),
        ("no-such-program-anywhere", "install it, or write its whole path"),
    ],
)
def test_the_advice_for_a_program_that_cannot_be_run(tmp_path: Path, program: str, told: str) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("bin/tool.py", "beside.py", "beside"):
        (tmp_path / name).write_text("")
    (tmp_path / "beside").chmod(0o755)
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "sh").symlink_to("/bin/sh")
    system = CommandSystem("s", [program], folder=tmp_path, environment={"PATH": str(tmp_path / "path")})
    with pytest.raises(UnavailableError) as raised:
        system.start()
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [("echo hello", "a script begins with a line such as #!/bin/sh"), ("#!/no/such\n", "the interpreter in its first")],
)
def test_a_script_without_a_usable_interpreter(tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "script").write_text(content)
    (tmp_path / "script").chmod(0o755)
    system = CommandSystem("s", ["./script"], folder=tmp_path)
    system.start()
    seen = system.run(case())
    assert seen.status is Status.UNREACHABLE
    assert told in seen.remark


def test_nothing_goes_through_a_shell() -> None:
    assert run("import sys; print(sys.argv[1:])", "$HOME; ls *", "a b").stdout == "['$HOME; ls *', 'a b']\n"


def test_a_graph_that_the_format_cannot_express_is_not_a_fault_of_the_system() -> None:
    odd = Graph([Triple(NamedNode("urn:x"), OWL.onProperty, NamedNode("urn:p"))])
    seen = CommandSystem("s", ["cat"], payload=GraphText("functional")).run(case(odd))
    assert seen.status is Status.INEXPRESSIBLE
    assert "1 triple is not an OWL axiom" in seen.remark


def test_no_descriptors_are_left() -> None:
    descriptors = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0  # noqa: PTH112, PTH208
    for _ in range(5):
        run("print(1)", "{graph}")
        CommandSystem("s", ["no-such-program-anywhere"]).run(case())
    assert not descriptors or len(os.listdir("/proc/self/fd")) == descriptors  # noqa: PTH208


class Question:
    """A payload that is not a graph."""

    name, extension, media_type, is_argument = "prompt", "txt", "text/plain", False

    def content(self, case: Case) -> bytes:
        return f"Is {case.name} a cup?".encode()


def test_a_payload_need_not_be_a_graph() -> None:
    for arguments in (["cat", "{prompt}"], ["cat"]):
        assert CommandSystem("s", arguments, payload=Question()).run(case()).stdout == "Is case a cup?"
    with pytest.raises(InputError, match=r"no placeholder '{promt}' \(did you mean '{prompt}'\?\)"):
        CommandSystem("s", ["cat", "{promt}"], payload=Question())
