"""A file of facts that is damaged anywhere is one line; one that was killed while it was made is made again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import duckdb
import pytest

from kgprobe.errors import InputError, KgprobeError
from kgprobe.questions.facts.database import remove
from kgprobe.questions.facts.loading import open_facts
from kgprobe.questions.generation.steps import generate
from kgprobe.questions.settings import Settings

GRAPH = """
@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:in a <http://www.w3.org/2002/07/owl#TransitiveProperty> ; rdfs:label "place in" .
:a rdfs:label "A" ; :in :b . :b rdfs:label "B" ; :in :c . :c rdfs:label "C" .
"""
SETTINGS = Settings(rules=("transitive",))
KILLED = """
import os, signal, sys, threading
from kgprobe.questions.facts.loading import open_facts
import duckdb
threading.Timer(float(sys.argv[3]), lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
open_facts([sys.argv[1]], sys.argv[2])
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "a.ttl"
    file.write_text(GRAPH)
    return file


@pytest.mark.parametrize("count", [15, pytest.param(300, marks=pytest.mark.thorough)])
def test_bytes_anywhere(source: Path, tmp_path: Path, count: int) -> None:
    file = tmp_path / "facts.duckdb"
    open_facts([source], file).close()
    whole = file.read_bytes()
    random = Random(4)
    refused: list[KgprobeError] = []
    for number in range(count):
        damaged = bytearray(whole)
        for _ in range(random.choice([1, 1, 8])):
            damaged[random.randrange(len(damaged) if number % 3 else 1 << 14)] ^= 1 << random.randrange(8)
        if number % 7 == 6:
            del damaged[random.randrange(len(damaged)) :]
        file.write_bytes(damaged)
        try:
            with generate([source], SETTINGS, facts_file=file) as made:
                assert len(list(made.cases)) == 1
        except KgprobeError as error:
            refused.append(error)
    assert len(refused) > count / 2
    assert {error.exit_code for error in refused} == {2}
    assert all(str(file) in str(error) for error in refused)
    assert all("damaged" in str(error) or "not a file of facts" in str(error) for error in refused)


@pytest.mark.parametrize("seconds", [0.0, 0.005, 0.01, 0.02, 0.04])
def test_a_load_that_was_killed_right_at_its_start(source: Path, tmp_path: Path, seconds: float) -> None:
    file = tmp_path / "facts.duckdb"
    command = [sys.executable, "-c", KILLED, str(source), str(file), str(seconds)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL  # noqa: S603 - our own code
    with generate([source], SETTINGS, facts_file=file) as made:
        assert len(made.cases) == 1


@pytest.mark.parametrize("size", [0, 12, 100, 4096, 8192])
def test_a_file_with_a_part_of_its_headers(source: Path, tmp_path: Path, size: int) -> None:
    file = tmp_path / "facts.duckdb"
    duckdb.connect(str(file)).close()
    file.write_bytes(file.read_bytes()[:size])
    with open_facts([source], file) as facts:
        assert facts.value("SELECT count(*) FROM facts") > 0


def test_a_database_without_tables_becomes_one_of_facts_and_others_are_left_alone(source: Path, tmp_path: Path) -> None:
    file = tmp_path / "facts.duckdb"
    duckdb.connect(str(file)).close()
    open_facts([source], file).close()
    other = tmp_path / "other.duckdb"
    for made in ("CREATE TABLE mine (x INTEGER)", "CREATE VIEW mine AS SELECT 1"):
        other.unlink(missing_ok=True)
        with duckdb.connect(str(other)) as connection:
            connection.execute(made)
        before = other.read_bytes()
        with pytest.raises(InputError, match="another DuckDB database"):
            open_facts([source], other)
        assert other.read_bytes() == before


def test_what_is_no_regular_file_is_refused_and_left_alone(source: Path, tmp_path: Path) -> None:
    """A device that a file of facts was linked to would be replaced by a file, such as /dev/null."""
    pipe, link = tmp_path / "pipe", tmp_path / "facts.duckdb"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    descriptor = os.open(pipe, os.O_RDWR)  # so that nobody waits for a writer
    try:
        os.write(descriptor, bytes(8) + b"DUCK")
        for file in (pipe, link):
            with pytest.raises(InputError, match="not a regular file"):
                open_facts([source], file)
            with pytest.raises(InputError, match="not a regular file"):
                remove(file)
    finally:
        os.close(descriptor)
    assert pipe.is_fifo()
