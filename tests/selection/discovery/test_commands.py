"""Tests of any other kind, with a command that prints their terms."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from kgprobe.errors import InputError
from kgprobe.selection.discovery import declared

from .finding import find, only, terms

CYPHER = {"a.cypher": "Pizza\nex:Food\n<http://example.org/pizza#Mozzarella>\n\n"}


def python(code: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code, *(arguments or ("{test}",)))


CAT = python("import sys; print(open(sys.argv[1]).read())")


def test_each_line_is_a_term(tmp_path: Path) -> None:
    test = only(find(tmp_path, CYPHER, test_files=("*.cypher",), terms_command=CAT))
    assert (test.name, test.language.name, test.unseen) == ("a.cypher", "command", ())
    assert terms(test) == {"Pizza", "Food", "Mozzarella"}


def test_the_output_may_be_a_query(tmp_path: Path) -> None:
    files = {"a.cypher": "SELECT ?x {\n ?x a <http://example.org/pizza#Pizza> }"}
    test = only(find(tmp_path, files, test_files=("*.cypher",), terms_command=CAT))
    assert terms(test) == {"type", "Pizza"}
    assert len(test.patterns) == 1


def test_the_name_replaces_the_placeholder_without_a_shell(tmp_path: Path) -> None:
    name = "$(touch hacked); 'x'.cypher"
    code = "import sys; print('Pizza' if sys.argv[1:] == ['--in=' + sys.argv[2], sys.argv[2]] else 'bad')"
    test = only(
        find(tmp_path, {name: ""}, test_files=("*.cypher",), terms_command=python(code, "--in={test}", "{test}"))
    )
    assert terms(test) == {"Pizza"}
    assert sorted(each.name for each in tmp_path.iterdir()) == [name]


def test_a_name_that_looks_like_an_option_is_a_file(tmp_path: Path) -> None:
    code = "import sys; print('Pizza' if sys.argv[1] == './-rf.cypher' else sys.argv)"
    test = only(find(tmp_path, {"-rf.cypher": ""}, test_files=("*.cypher",), terms_command=python(code)))
    assert (test.name, terms(test)) == ("-rf.cypher", {"Pizza"})


def test_globs_match_names_and_paths_and_take_precedence(tmp_path: Path) -> None:
    files = {"a/x.rq": "Pizza", "b/x.rq": "ASK {}", "c/y.cypher": "Food"}
    suite = find(tmp_path, files, test_files=("a/*.rq", "*.cypher"), terms_command=CAT)
    assert [(test.name, test.language.name) for test in suite.tests] == [
        ("a/x.rq", "command"),
        ("b/x.rq", "sparql"),
        ("c/y.cypher", "command"),
    ]
    assert terms(suite.tests[0]) == {"Pizza"}


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import sys; sys.exit('cannot read it')", "the command ended with 1: cannot read it"),
        ("print('Piza')", "no term is called 'Piza'"),
        ("print('  ')", "the command printed no term"),
        ("import sys; sys.stdout.buffer.write(bytes([255]))", "the output of the command is not UTF-8 text"),
        ("print('Pizza\\n' * 1000000)", "the command printed more than 1 MB"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "the command ended with -9"),
        ("print('SELECT ?x { ?x a }')", "this is not a SPARQL query (line 1)"),
    ],
)
def test_a_problem_of_the_command_is_a_reason_of_the_test(tmp_path: Path, code: str, reason: str) -> None:
    test = only(find(tmp_path, CYPHER, test_files=("*.cypher",), terms_command=python(code)))
    assert test.unseen == (f"cannot see what this test uses: {reason}",)


@pytest.mark.parametrize(
    "late", ["import time; time.sleep(60)", "import sys, time; sys.stdout.close(); time.sleep(60)"]
)
def test_a_command_that_takes_too_long_is_ended(tmp_path: Path, late: str) -> None:
    start = time.monotonic()
    options = {"test_files": ("*.cypher",), "terms_command": python(late), "command_seconds": 0.3}
    test = only(find(tmp_path, CYPHER, **options))
    assert test.unseen == ("cannot see what this test uses: the command took longer than 0.3 s",)
    assert time.monotonic() - start < 20


def test_processes_that_a_command_leaves_behind_do_not_block(tmp_path: Path) -> None:
    left = "[sys.executable, '-c', 'import time; time.sleep(60)']"
    code = f"import subprocess, sys; subprocess.Popen({left}); print('Pizza')"
    start = time.monotonic()
    test = only(find(tmp_path, CYPHER, test_files=("*.cypher",), terms_command=python(code)))
    assert terms(test) == {"Pizza"}
    assert time.monotonic() - start < 20


def test_without_a_command_the_names_in_such_tests_count(tmp_path: Path) -> None:
    test = only(find(tmp_path, CYPHER, test_files=("*.cypher",)))
    assert (test.language.name, test.unseen, terms(test)) == ("text", (), {"Pizza", "Food", "Mozzarella"})


def test_many_files_come_in_order(tmp_path: Path) -> None:
    files = {f"{n:02}.cypher": ("Pizza", "Food")[n % 2] for n in range(12)}
    suite = find(tmp_path, files, test_files=("*.cypher",), terms_command=CAT)
    assert [terms(test) for test in suite.tests] == [{("Pizza", "Food")[n % 2]} for n in range(12)]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("no-such-program", "{test}"), "does not exist"),
        ((sys.executable, "-c", "1"), "has no place for the file"),
        (("", "{test}"), "names no program"),
    ],
)
def test_an_invalid_command_is_an_error(tmp_path: Path, command: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        find(tmp_path, CYPHER, test_files=("*.cypher",), terms_command=command)


def test_the_output_limit_limits_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declared, "_MOST_OUTPUT", 1 << 20)
    code = "import sys\nwhile True: sys.stdout.write('Pizza\\n' * 1000)"
    start = time.monotonic()
    test = only(find(tmp_path, CYPHER, test_files=("*.cypher",), terms_command=python(code)))
    assert test.unseen == ("cannot see what this test uses: the command printed more than 1 MB",)
    assert time.monotonic() - start < 20
