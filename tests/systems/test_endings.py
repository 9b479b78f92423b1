"""Exceptions that are found in the output of programs."""

from __future__ import annotations

import time

import pytest

from kgprobe.model import Crash, Place
from kgprobe.rdf.graph import __file__ as graph_module
from kgprobe.systems.endings import crash_in

CHAINED = """\
loading
Traceback (most recent call last):
  File "/home/me/robot.py", line 12, in parse
    int("x")
    ~~~^^^^^
ValueError: invalid literal for int() with base 10: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/home/me/robot.py", line 30, in <module>
    main()
  File "/home/me/robot.py", line 25, in main
    inspect(graph)
  [Previous line repeated 3 more times]
  File "C:\\\\lib\\\\robot\\\\walls.py", line 14, in inspect
    raise robot.errors.WallError("no wall:
  left") from error
robot.errors.WallError: no wall:
  left
and right
"""
SYNTAX = """\
Traceback (most recent call last):
  File "a.py", line 1, in <module>
    import b
  File "/x/b.py", line 3
    def (
        ^
SyntaxError: invalid syntax
"""
JAVA = """\
10:00 INFO starting
Exception in thread "main" org.x.ReasonerError: it broke
\tat org.x.Reasoner.classify(Reasoner.java:10)
\tat org.x.Main.main(Main.java:3)
\tSuppressed: java.io.IOException: closing
\t\tat org.x.Main.close(Main.java:9)
\tCaused by: java.lang.Error: not this one
Caused by: java.lang.IllegalStateException: bad: state
\tat java.base/java.util.ArrayList.get(ArrayList.java:427)
\tat app//org.x.Tableau$Node.<init>(Tableau.java:5)
\tat org.x.Tableau$$Lambda$14/0x0000000800066840.run(Unknown Source)
\tat org.x.Tableau.lambda$expand$0(Tableau.java:77)
\t... 1 more
done
"""
FATAL = """\
Fatal Python error: Segmentation fault

Current thread 0x00007f (most recent call first):
  File "/x/native.py", line 3 in poke
  File "/x/main.py", line 9 in <module>

Thread 0x00008f (most recent call first):
  File "/x/other.py", line 3 in other
"""


@pytest.mark.parametrize(
    ("text", "crash"),
    [
        pytest.param(
            CHAINED,
            Crash(
                "robot.errors.WallError",
                "no wall:\n  left\nand right",
                ("walls.py:inspect", "robot.py:main", "robot.py:<module>"),
                Place("C:\\\\lib\\\\robot\\\\walls.py", 14, 'raise robot.errors.WallError("no wall:'),
            ),
            id="the last of a chain",
        ),
        pytest.param(
            SYNTAX,
            Crash("SyntaxError", "invalid syntax", ("a.py:<module>",), Place("/x/b.py", 3, "def (")),
            id="syntax",
        ),
        pytest.param(
            JAVA,
            Crash(
                "java.lang.IllegalStateException",
                "bad: state",
                (
                    "java.util.ArrayList.get",
                    "org.x.Tableau$Node.<init>",
                    "org.x.Tableau$$Lambda.run",
                    "org.x.Tableau.lambda$expand$0",
                ),
                Place("Tableau.java", 5),
            ),
            id="the innermost cause in Java",
        ),
        pytest.param(
            "org.x.A: one\n\tat a.B.c(X.java:1)\nlog: fine\norg.x.D: two\nlines\n\tat e.F.g(X.java:1)\n",
            Crash("org.x.D", "two", ("e.F.g",), Place("X.java", 1)),
            id="the last in Java",
        ),
        pytest.param(
            'Exception in thread "main" java.lang.StackOverflowError\n',
            Crash("java.lang.StackOverflowError"),
            id="no frames",
        ),
        pytest.param(
            FATAL,
            Crash(
                "Fatal Python error",
                "Segmentation fault",
                ("native.py:poke", "main.py:<module>"),
                Place("/x/native.py", 3),
            ),
            id="faulthandler",
        ),
        pytest.param("Traceback (most recent call last):\n  File", None, id="cut off"),
        pytest.param("ValueError: in a log\nusage: x\n", None, id="only words"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_crashes_are_found_in_output(text: str, crash: Crash | None) -> None:
    assert crash_in(text) == crash


@pytest.mark.parametrize(
    "library",
    [
        "/usr/lib/python3.11/json/decoder.py",
        "/opt/env/lib/python3.13t/site-packages/rdflib/graph.py",
        "/usr/lib/python3/dist-packages/yaml/__init__.py",
        "C:\\Python312\\Lib\\json\\decoder.py",
        "<frozen importlib._bootstrap>",
        graph_module,
    ],
)
def test_the_innermost_line_of_the_users_own_code(library: str) -> None:
    frames = [("main.py", 3, "main()"), ("/me/lib/robot.py", 7, "json.loads(text)"), (library, 355, "raise error")]
    text = "".join(f'  File "{file}", line {line}, in f\n    {code}\n' for file, line, code in frames)
    crash = crash_in(f"Traceback (most recent call last):\n{text}ValueError: bad\n")
    assert crash is not None
    assert crash.place == Place("/me/lib/robot.py", 7, "json.loads(text)")
    only = crash_in(f'Traceback (most recent call last):\n  File "{library}", line 2, in f\nValueError: bad\n')
    assert only is not None
    assert only.place == Place(library, 2)


def test_carriage_returns_do_not_matter() -> None:
    assert crash_in(CHAINED.replace("\n", "\r\n")) == crash_in(CHAINED)


@pytest.mark.parametrize("piece", ["A", "a.", " ", "\tat ", "at a/", '"', "A.A$", "\n\tat a.b(", "Caused by: A\n"])
def test_hostile_text_does_not_take_long(piece: str) -> None:
    start = time.process_time()
    crash_in("Traceback (most recent call last):\n" + piece * (500_000 // len(piece)) + "!\n\tat a.B.c(X.java:1)\n")
    assert time.process_time() - start < 5


def test_a_deep_recursion_has_a_bounded_number_of_frames() -> None:
    frames = '  File "x.py", line 1, in f\n    f()\n' * 900
    crash = crash_in(f"Traceback (most recent call last):\n{frames}RecursionError: too deep\n")
    assert crash is not None
    assert crash.frames == ("x.py:f",) * 50
