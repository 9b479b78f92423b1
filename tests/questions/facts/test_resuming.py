"""A load that was killed continues, a changed file is noticed, and a file that is not ours is never replaced."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from kgprobe.errors import InputError
from kgprobe.questions.facts.database import Facts
from kgprobe.questions.facts.loading import Progress, open_facts

_TABLES = ("terms", "facts", "same", "edges", "names", "aliases", "unusable", "labels")
_LOAD = """
import os, signal, sys
from kgprobe.questions.facts.loading import open_facts
paths, file, most = sys.argv[1].split("|"), sys.argv[2], int(sys.argv[3])
def on_progress(progress):
    print(progress.triples, flush=True)
    if progress.triples >= most:
        os.kill(os.getpid(), signal.SIGKILL)
open_facts(paths, file, part=100, on_progress=on_progress)
"""


def _killed_after(triples: int, paths: list[Path], file: Path) -> None:
    """Load in another process, which is killed after so many triples."""
    command = [sys.executable, "-c", _LOAD, "|".join(map(str, paths)), str(file), str(triples)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)  # noqa: S603 - our own code
    assert ended.returncode == -signal.SIGKILL, ended.stderr


def _written(file: Path, number: int, *, first: int = 0) -> Path:
    lines = (f'<x:{n * 7 % 400}> <x:p{n % 3}> _:b{n % 90} .\n<x:{n}> <x:name> "{n}" .\n' for n in range(number // 2))
    file.write_text(f"<x:s> <x:p> <x:{first}> .\n" + "".join(lines), encoding="utf-8")
    return file


def _same_tables(one: Facts, other: Facts) -> bool:
    return all(one.sql(f"FROM {each} ORDER BY ALL") == other.sql(f"FROM {each} ORDER BY ALL") for each in _TABLES)


def test_a_killed_load_continues_after_its_last_part(tmp_path: Path) -> None:
    paths = [_written(tmp_path / "a.nt", 1000), _written(tmp_path / "b.ttl", 1000, first=1)]
    file = tmp_path / "facts.duckdb"
    _killed_after(500, paths, file)
    _killed_after(1400, paths, file)
    seen: list[Progress] = []
    with open_facts(paths, file, part=100, on_progress=seen.append) as facts, open_facts(paths) as whole:
        assert _same_tables(facts, whole)
        assert facts.notes == ()
    assert seen[0].triples > 1400
    assert seen[0].loaded == 1
    assert {each.name for each in tmp_path.iterdir()} == {"a.nt", "b.ttl", "facts.duckdb"}


def test_a_killed_load_into_a_folder_of_facts_leaves_no_new_source(tmp_path: Path) -> None:
    _written(tmp_path / "a.nt", 1000)
    file = tmp_path / "facts.duckdb"
    _killed_after(500, [tmp_path], file)
    with open_facts([tmp_path], file, part=100) as facts, open_facts([tmp_path / "a.nt"]) as whole:
        assert facts.notes == ()
        assert _same_tables(facts, whole)


def test_a_load_that_is_killed_at_any_time_continues(tmp_path: Path) -> None:
    path = _written(tmp_path / "a.nt", 3000)
    file = tmp_path / "facts.duckdb"
    for delay in (0.0, 0.05, 0.15, 0.3):
        command = [sys.executable, "-c", _LOAD, str(path), str(file), "1000000"]
        child = subprocess.Popen(command, stdout=subprocess.PIPE)  # noqa: S603 - our own code
        assert child.stdout is not None
        child.stdout.readline()  # the first part is loaded
        time.sleep(delay)
        child.kill()
        child.communicate()
    with open_facts([path], file, part=100) as facts, open_facts([path]) as whole:
        assert _same_tables(facts, whole)


def test_a_file_with_unlabelled_blank_nodes_begins_again_since_their_labels_are_random(tmp_path: Path) -> None:
    first, second = tmp_path / "a.nt", tmp_path / "b.ttl"
    _written(first, 300)
    second.write_text("".join(f"<x:{n}> <x:p> [ <x:q> {n} ] .\n" for n in range(300)), encoding="utf-8")
    file = tmp_path / "facts.duckdb"
    _killed_after(700, [first, second], file)
    with open_facts([first, second], file, part=100) as facts, open_facts([first, second]) as whole:
        assert _same_tables(facts, whole)


def test_a_finished_load_is_used_again_without_reading_the_graph(tmp_path: Path) -> None:
    path = _written(tmp_path / "a.nt", 10)
    file = tmp_path / "facts.duckdb"
    open_facts([path], file).close()
    seen: list[Progress] = []
    with open_facts([path], file, on_progress=seen.append) as facts:
        assert facts.value("SELECT count(*) FROM facts") == 11
    assert seen == []


def test_names_in_another_language_need_no_second_load(tmp_path: Path) -> None:
    path = tmp_path / "a.ttl"
    path.write_text('<x:a> <http://www.w3.org/2000/01/rdf-schema#label> "Rome"@en, "Roma"@it .', encoding="utf-8")
    file = tmp_path / "facts.duckdb"
    open_facts([path], file).close()
    seen: list[Progress] = []
    with open_facts([path], file, language="it", on_progress=seen.append) as facts:
        assert facts.sql("SELECT name FROM names") == [("Roma",)]
    assert {each.step for each in seen} == {"the names"}


def test_a_changed_file_is_noticed_even_if_its_size_and_time_are_the_same(tmp_path: Path) -> None:
    path = _written(tmp_path / "a.nt", 10)
    file = tmp_path / "facts.duckdb"
    open_facts([path], file).close()
    before = path.stat()
    _written(path, 10, first=9)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with open_facts([path], file) as facts, open_facts([path]) as whole:
        assert facts.notes == (f"{path} has changed since it was loaded: all facts are loaded again",)
        assert _same_tables(facts, whole)


def test_other_files_start_over(tmp_path: Path) -> None:
    one, two = _written(tmp_path / "a.nt", 10), _written(tmp_path / "b.nt", 20)
    file = tmp_path / "facts.duckdb"
    open_facts([one], file).close()
    with open_facts([one, two], file) as facts:
        assert facts.notes == ("other sources are given than those that were loaded: all facts are loaded again",)


def test_notes_about_a_file_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.nq"
    path.write_text("<x:a> <x:p> <x:b> <x:g> .\n", encoding="utf-8")
    file = tmp_path / "facts.duckdb"
    with open_facts([path], file) as facts:
        notes = facts.notes
    with open_facts([path], file) as facts:
        assert facts.notes == notes
    assert "only the default graph is read" in notes[0]


@pytest.mark.parametrize("content", [b"important", b"SQLite format 3\0" + b"x" * 100])
def test_a_file_that_is_not_ours_is_not_touched(tmp_path: Path, content: bytes) -> None:
    path = _written(tmp_path / "a.nt", 10)
    file = tmp_path / "notes.txt"
    file.write_bytes(content)
    with pytest.raises(InputError, match="is not a file of facts"):
        open_facts([path], file)
    assert file.read_bytes() == content


def test_another_database_is_not_touched(tmp_path: Path) -> None:
    path = _written(tmp_path / "a.nt", 10)
    file = tmp_path / "other.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE precious AS SELECT 1 AS a")
    content = file.read_bytes()
    with pytest.raises(InputError, match="is another DuckDB database"):
        open_facts([path], file)
    assert file.read_bytes() == content


def test_a_damaged_file_and_a_missing_folder_are_input_errors(tmp_path: Path) -> None:
    path = _written(tmp_path / "a.nt", 10)
    file = tmp_path / "facts.duckdb"
    open_facts([path], file).close()
    content = file.read_bytes()
    file.write_bytes(content[:20] + bytes(4096) + content[4116:])
    with pytest.raises(InputError, match=r"facts\.duckdb: "):
        open_facts([path], file)
    with pytest.raises(InputError, match="there is no folder"):
        open_facts([path], tmp_path / "missing" / "facts.duckdb")
    with pytest.raises(InputError, match=r"cannot be"):
        open_facts([path], tmp_path)


def test_a_file_in_use_is_an_input_error(tmp_path: Path) -> None:
    path = _written(tmp_path / "a.nt", 10)
    file = tmp_path / "facts.duckdb"
    open_facts([path], file).close()
    code = f"import duckdb; c = duckdb.connect({str(file)!r}); print(1, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:  # noqa: S603 - our own code
        assert child.stdout is not None
        child.stdout.readline()
        with pytest.raises(InputError, match="another process uses it"):
            open_facts([path], file)
        child.kill()


def test_names_of_files_and_folders_can_have_special_characters(tmp_path: Path) -> None:
    folder = tmp_path / "a[b]* {x}'\""
    folder.mkdir()
    path = _written(folder / "a[b]*?.nt", 10)
    with pytest.raises(InputError, match="question mark"):
        open_facts([path], folder / "what?.duckdb")
    with open_facts([path], folder / "f'[x]*.duckdb") as facts:
        assert facts.value("SELECT count(*) FROM facts") == 11
