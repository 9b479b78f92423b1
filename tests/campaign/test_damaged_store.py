"""A store that is damaged anywhere gives one line that names it; a file that is not a store is left alone."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from support.commands import assert_refused, kgprobe

from kgprobe.campaign.events import Event
from kgprobe.campaign.reproduction import verdict_on_case
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import Store, read_store, remove_campaign
from kgprobe.campaign.summary import summary_of
from kgprobe.config.loading import load_profile
from kgprobe.config.profile import Profile
from kgprobe.errors import InputError, KgprobeError
from kgprobe.learning.located import Located
from kgprobe.learning.locating import failing_cases, locating
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.report.campaign import (
    campaign_as_junit,
    finding_value,
    location_lines,
    story_lines,
    summary_lines,
    summary_value,
)

from .campaigns import InThisProcess

_FEW_OR_MANY = [0, pytest.param(1, marks=pytest.mark.thorough)]


def _write(folder: Path, strategy: str = "coverage") -> Path:
    folder.mkdir(exist_ok=True)
    lines = [f"<http://example.org/s{n}> <http://example.org/p> <http://example.org/o{n}> ." for n in range(12)]
    (folder / "seed.nt").write_text("\n".join(lines))
    (folder / "system.sh").write_text("test $(grep -c example.org/s1 $1) -ge 3 || { echo few in ex:y >&2; exit 1; }")
    profile = folder / "profile.toml"
    profile.write_text(f"""
[graph]
seeds = ["seed.nt"]
[mutation]
operators = ["RemoveTriple", "RemoveNode", "AddRelation"]
strategy = "{strategy}"
mutations = 3
mutants = 12
[[systems]]
name = "system"
command = ["sh", "system.sh", "{{graph}}"]
""")
    return profile


def _run(profile: Profile) -> list[Event]:
    return list(run_campaign(profile, InThisProcess))


@pytest.fixture(scope="module", name="finished", params=["coverage", "uniform"])
def finished_campaign(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Profile:
    """A campaign with findings and reductions, of which a few cases are still in flight."""
    profile = load_profile(_write(tmp_path_factory.mktemp("whole"), request.param))
    _run(profile)
    with sqlite3.connect(profile.campaign.store) as connection:
        connection.execute("UPDATE cases SET outcome = NULL WHERE number IN (3, 5)")
    connection.close()
    return profile


def _copied(whole: Profile, folder: Path, number: int) -> Profile:
    path = folder / f"{number}.sqlite"
    shutil.copy(whole.campaign.store, path)
    return dataclasses.replace(whole, campaign=dataclasses.replace(whole.campaign, store=path))


def _look(profile: Profile) -> None:
    with read_store(profile.campaign.store) as store:
        summary = summary_of(store, KnownBugs([]))
        list(summary_lines(summary, "x"))
        json.dumps(summary_value(summary, ""))
        campaign_as_junit(store, summary, "x")
        list(store.results())
        for found in summary.findings:
            list(story_lines(found, store))
            json.dumps(finding_value(found, summary))


def _resume(profile: Profile) -> None:
    _run(profile)


def _once_more(profile: Profile) -> None:
    verdict_on_case(profile, 2)


def _locate(profile: Profile) -> None:
    with Store.reopen(profile.campaign.store) as store:
        first = failing_cases(store, None, None)[:1]
        located = Located(tuple(locating(store, first, runs=2, make_executor=InThisProcess)))
        list(location_lines(located, "x"))


_USES: list[Callable[[Profile], None]] = [_look, _look, _look, _resume, _once_more, _locate]


def _assert_one_line(use: Callable[[Profile], None], profile: Profile) -> bool:
    """Use a store; whether that was refused."""
    path = profile.campaign.store
    told = ""
    try:
        use(profile)
    except KgprobeError as error:
        told = str(error)
    assert path.exists()
    assert not told or (
        str(path) in told and re.search("damaged|store|another campaign|version|there is no case", told)
    ), told
    return bool(told)


@pytest.mark.parametrize("many", _FEW_OR_MANY)
def test_bytes_anywhere(finished: Profile, tmp_path: Path, many: bool) -> None:
    random = Random(5)
    whole = finished.campaign.store.read_bytes()
    refused = 0
    for number in range(1000 if many else 24):
        profile = _copied(finished, tmp_path, number)
        damaged = bytearray(whole)
        for _ in range(random.choice([1, 3, 30])):
            at = random.randrange(len(whole))
            length = random.choice([1, 4, 100, 4096])
            damaged[at : at + length] = random.randbytes(len(damaged[at : at + length]))
        if random.random() < 0.1:
            del damaged[random.randrange(len(damaged)) :]
        profile.campaign.store.write_bytes(damaged)
        refused += _assert_one_line(_USES[number % len(_USES)], profile)
    assert refused > number / 5, "the damage was nowhere to be seen"


_VALUES: list[object] = [
    "",
    "{",
    "[]",
    "{}",
    "null",
    "[1, 2]",
    '{"a": 1}',
    "[[]]",
    '[{"operator": 1}]',
    "[" * 100_000,
    "9" * 5_000,
    "\udcff",
    -1,
    10**12,
    0.5,
    b"\xff\xfe",
    None,
]


@pytest.mark.parametrize("table", ["cases", "failures", "signatures", "reductions"])
def test_a_damaged_table_is_not_taken_for_an_empty_one(finished: Profile, tmp_path: Path, table: str) -> None:
    profile = _copied(finished, tmp_path, 1)
    with sqlite3.connect(profile.campaign.store) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    damaged = bytearray(profile.campaign.store.read_bytes())
    start = (page - 1) * size
    damaged[start + 8 : start + 200] = b"\xff\x07" * 96  # where the rows of the page are
    profile.campaign.store.write_bytes(damaged)
    with pytest.raises(InputError, match="this store is damaged"), read_store(profile.campaign.store) as store:
        summary_of(store, KnownBugs([]))


@pytest.mark.parametrize("many", _FEW_OR_MANY)
def test_values_anywhere(finished: Profile, tmp_path: Path, many: bool) -> None:
    """Each column in turn holds a value that no campaign writes."""
    with sqlite3.connect(finished.campaign.store) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = [(table, row[1]) for table in tables for row in connection.execute(f"PRAGMA table_info('{table}')")]
    connection.close()
    keys = ["identity", "seconds", "source", "about", "kgprobe-campaign"]
    places = [(table, column, "") for table, column in columns if table != "campaign"]
    places += [("campaign", "value", f" AND key = '{key}'") for key in keys]
    random = Random(9)
    number = 0
    for table, column, which in places:
        for value in _VALUES if many else random.sample(_VALUES, 1):
            number += 1
            profile = _copied(finished, tmp_path, number)
            update = f"UPDATE OR IGNORE {table} SET {column} = ? WHERE 1{which}"  # noqa: S608 - our own names
            if not _set(profile.campaign.store, update, value):
                continue
            _assert_one_line(_look, profile)
            if many or number % 5 == 0:
                _assert_one_line(_resume, profile)
            if many or number % 5 == 1 or table == "failures":
                _assert_one_line(_locate, profile)
                _assert_one_line(_once_more, profile)
    assert number >= len(places) > 25


def _set(path: Path, update: str, value: object) -> bool:
    """Make a change to a store; False if SQLite does not allow it."""
    with sqlite3.connect(path) as connection:
        try:
            # Half a pair of surrogates is bytes that are not UTF-8, in a column of text.
            if isinstance(value, str) and not value.isascii():
                connection.execute(update.replace("?", "CAST(? AS TEXT)"), (b"\xff\xfe",))
            else:
                connection.execute(update, (value,))
        except sqlite3.Error:
            return False
        finally:
            connection.commit()
    connection.close()
    return True


def test_a_case_that_is_made_again_is_the_case_of_the_store(finished: Profile, tmp_path: Path) -> None:
    profile = _copied(finished, tmp_path, 1)
    assert _set(profile.campaign.store, "UPDATE cases SET likeness = likeness + ? WHERE number = 2", 1)
    with pytest.raises(InputError, match="case 2 cannot be made again"):
        verdict_on_case(profile, 2)


def test_the_command_line_says_what_to_do(finished: Profile, tmp_path: Path) -> None:
    profile = _copied(finished, tmp_path, 1)
    store = profile.campaign.store
    text = store.read_bytes()
    store.write_bytes(text[:4096] + b"\xaa" * (len(text) - 4096))
    hint = "this store is damaged: database disk image is malformed (move it away, or start over with --fresh)"
    assert_refused(kgprobe("show", store), f"{store}: {hint}")
    assert store.stat().st_size == len(text)
    remove_campaign(store)
    assert not store.exists()


def test_a_store_of_an_earlier_version_is_refused_in_one_line(finished: Profile, tmp_path: Path) -> None:
    store = _copied(finished, tmp_path, 1).campaign.store
    assert _set(store, "UPDATE campaign SET value = ? WHERE key = 'kgprobe-campaign'", "2")
    refused = "is of version 2, and this kgprobe reads version 4 (start over with --fresh, or name another file"
    assert_refused(kgprobe("show", store), f"{store}: {refused}")


# -- files that are not stores -----------------------------------------------------------------------------------------


def _foreign(folder: Path) -> dict[str, bytes]:
    database = folder / "foreign.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()
    return {"byte": b"x", "text": b"notes\n" * 1000, "magic": b"SQLite format 3\0", "database": database.read_bytes()}


@pytest.mark.parametrize("kind", ["byte", "text", "magic", "database"])
@pytest.mark.parametrize("is_link", [False, True])
def test_a_file_that_is_not_a_store_is_left_alone(tmp_path: Path, kind: str, is_link: bool) -> None:
    profile = load_profile(_write(tmp_path / "a"))
    content = _foreign(tmp_path)[kind]
    file = tmp_path / "precious" if is_link else profile.campaign.store
    file.write_bytes(content)
    if is_link:
        profile.campaign.store.symlink_to(file)
    for use in (_run, _look, lambda each: remove_campaign(each.campaign.store)):
        with pytest.raises(InputError, match="is not a store of a campaign"):
            use(profile)
        assert file.read_bytes() == content
        assert profile.campaign.store.is_symlink() == is_link


def test_starting_over_behind_a_link(finished: Profile, tmp_path: Path) -> None:
    store = _copied(finished, tmp_path, 1).campaign.store
    link = tmp_path / "link.sqlite"
    link.symlink_to(store)
    remove_campaign(link)
    assert link.is_symlink()
    assert not store.exists()


def test_starting_over_on_the_command_line(tmp_path: Path) -> None:
    path = _write(tmp_path / "a")
    (tmp_path / "precious").write_text("x")
    path.with_suffix(".sqlite").symlink_to(tmp_path / "precious")
    assert_refused(kgprobe("test", path, "--fresh"), "is not a store of a campaign")
    assert (tmp_path / "precious").read_text() == "x"


def test_a_lock_that_is_something_else(tmp_path: Path) -> None:
    profile = load_profile(_write(tmp_path / "a"))
    lock = profile.campaign.store.with_name("profile.sqlite.lock")
    (tmp_path / "precious").write_text("x")
    lock.symlink_to(tmp_path / "precious")
    with pytest.raises(InputError, match="cannot be written"):
        _run(profile)
    lock.unlink()
    lock.mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        _run(profile)
    lock.rmdir()
    os.mkfifo(lock)
    assert _run(profile), "nobody waits for the other end of a pipe"


def test_starting_over_removes_the_reduced_graphs_and_nothing_else(tmp_path: Path) -> None:
    profile = load_profile(_write(tmp_path / "a"))
    _run(profile)
    store = profile.campaign.store
    folder = store.with_name("profile-findings")
    [reduced] = folder.iterdir()
    stem = reduced.stem.rpartition("-")[0]
    (folder / f"{stem}-97.ttl").write_text("the best graph of a reduction that was interrupted")
    others = [folder / "notes.txt", folder / f"{reduced.stem}-mine.ttl", folder / "system-crashed-123456-1.ttl"]
    for other in others:
        other.write_text("mine")
    link = folder / f"{stem}-98.ttl"
    link.symlink_to(others[0])
    remove_campaign(store)
    assert not store.exists()
    assert sorted(folder.iterdir()) == sorted([*others, link])
    for other in [*others, link]:
        other.unlink()
    _run(profile)
    remove_campaign(store)
    assert not folder.exists()
