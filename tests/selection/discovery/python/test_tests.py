"""Python files that are invalid, harmful, or outside the project."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ..finding import find, only, terms, write
from .python_files import HEAD, PIZZA, found


def test_no_code_is_run(tmp_path: Path) -> None:
    code = "open('run', 'w').close()\nraise SystemExit\ndef test_it(): graph.query('ASK { ex:Food ?p ?o }')\n"
    assert terms(only(find(tmp_path, {"test_a.py": code, "conftest.py": code}))) == {"Food"}
    assert not Path("run").exists()
    assert not (tmp_path / "run").exists()


def test_files_outside_the_project_are_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"outside.rq": PIZZA, "outside.py": f'Q = "{PIZZA}"'})
    code = HEAD + "def test_it(): graph.query(open('../outside.rq').read())\n"
    code += "from ..outside import Q\ndef test_b(): graph.query(Q)\n"
    tests = found(find(tmp_path / "project", {"test_a.py": code}))
    assert all(test.unseen and not test.uses for test in tests.values())


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (b"def test_it(:", "its file is not valid Python: invalid syntax (line 1)"),
        (b"\xff", "its file is no UTF-8 text"),
        (b"x = '\0'", "its file is not valid Python"),
    ],
)
def test_a_file_that_is_not_python_is_always_selected(tmp_path: Path, code: bytes, reason: str) -> None:
    test = only(find(tmp_path, {"test_a.py": code}))
    assert test.name == "test_a.py"
    assert test.unseen[0].startswith(f"cannot see what this test uses: {reason}")


def test_deep_nesting_breaks_nothing(tmp_path: Path) -> None:
    deep = "+".join(["'a'"] * 20_000)
    calls = "f(" * 150 + ")" * 150
    code = f"X = {deep}\nY = {calls}\ndef test_it(): graph.query(X + Y + 'SELECT ?x {{ }}')\n"
    test = only(find(tmp_path, {"test_a.py": code}))
    assert test.unseen


@pytest.mark.parametrize(
    "code",
    [
        "A = B\nB = A\ndef test_it(): graph.query(A)",
        "def f(x): return f(x)\ndef test_it(): graph.query(f('a'))",
        "class A(B): pass\nclass B(A): pass\nclass TestA(A):\n def test_it(self): graph.query(self.q)",
        "from test_a import Q as Q\ndef test_it(): graph.query(Q)",
        "from test_a import *\ndef test_it(): graph.query(Q)",
        "A = 'a'\n"
        + "".join(f"{chr(66 + n)} = {chr(65 + n)} + {chr(65 + n)}\n" for n in range(25))
        + "def test_it(): graph.query(Z)",
        "def test_it(): graph.query('%999999999d' % 1)",
        "def test_it(): graph.query('{:>999999999}'.format(1))",
        "def test_it(): graph.query('a' * 999999999)",
        "def test_it(): graph.query('a'.replace('', 'b' * 5))",
        "@pytest.fixture\ndef a(b): return b\n@pytest.fixture\ndef b(a): return a\ndef test_it(a): graph.query(a)",
        "@pytest.fixture\ndef a(a): return a\ndef test_it(a): graph.query(a)",
    ],
)
def test_cycles_and_large_numbers_break_nothing(tmp_path: Path, code: str) -> None:
    suite = find(tmp_path, {"test_a.py": code})
    assert all(test.unseen for test in suite.tests)


_code = st.text(alphabet="defclastim_ ():=,.'\"{}[]%+@*\n\t01", max_size=80)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.one_of(st.binary(max_size=100), _code.map(str.encode), _code.map(lambda c: f"def test_a(b=1):\n {c}".encode()))
)
def test_no_content_breaks_the_search(tmp_path: Path, content: bytes) -> None:
    suite = find(tmp_path, {"test_x.py": content})
    assert all(test.name.startswith("test_x.py") for test in suite.tests)
