"""An answer that nobody can read is never green: one system or several, and in every command that reads results."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import assert_refused, kgprobe

from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import read_store
from kgprobe.config.loading import load_profile
from kgprobe.errors import InputError
from kgprobe.learning.stored_campaign import judged_graphs
from kgprobe.model import Outcome

from .campaigns import InThisProcess

_SEED = "@prefix : <http://example.org/> .\n:a a :A ; :p :b . :b a :B ; :p :a .\n"
_SYSTEM = '[[python.systems]]\nname = "{name}"\nfunction = "answer.py:{function}"\n{answers}\n'
_ANSWERS = """
def banana(graph):
    return "BANANA"

def nothing(graph):
    return ""

def listed(graph):
    return [1]

def consistent(graph):
    return True
"""


def write(folder: Path, *systems: tuple[str, str], more: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "seed.ttl").write_text(_SEED)
    (folder / "answer.py").write_text(_ANSWERS)
    tables = [
        _SYSTEM.format(name=f"s{number}", function=function, answers=f'answers = "{kind}"' if kind else "")
        for number, (function, kind) in enumerate(systems)
    ]
    profile = folder / "profile.toml"
    profile.write_text(
        '[graph]\nseeds = ["seed.ttl"]\n[mutation]\noperators = ["abox"]\nmutations = 1\nmutants = 3\nseed = 1\n'
        f"{more}\n{''.join(tables)}"
    )
    return profile


def outcomes(profile: Path) -> dict[Outcome, int]:
    list(run_campaign(load_profile(profile), InThisProcess))
    with read_store(profile.with_suffix(".sqlite")) as store:
        return dict(store.outcomes())


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        ("banana", "consistency"),
        ("nothing", "consistency"),
        ("listed", "consistency"),
        ("banana", "hierarchy"),
        ("listed", "hierarchy"),
        ("banana", "json"),
        ("nothing", "json"),
        ("nothing", "rows"),
        ("listed", "rows"),
    ],
)
@pytest.mark.parametrize("more", ["", "[oracle]\nsame-as-seed = true"])
def test_one_system(tmp_path: Path, function: str, kind: str, more: str) -> None:
    assert outcomes(write(tmp_path / "c", (function, kind), more=more)) == {Outcome.UNDECIDED: 3}


def test_an_answer_that_can_be_read_passes(tmp_path: Path) -> None:
    assert outcomes(write(tmp_path / "c", ("consistent", "consistency"))) == {Outcome.PASS: 3}
    assert outcomes(write(tmp_path / "d", ("banana", "text"))) == {Outcome.PASS: 3}
    assert outcomes(write(tmp_path / "e", ("banana", ""))) == {Outcome.PASS: 3}


def test_of_several_systems_one_is_enough(tmp_path: Path) -> None:
    systems = [("consistent", "consistency"), ("consistent", "consistency"), ("banana", "consistency")]
    profile = write(tmp_path / "c", *systems)
    assert outcomes(profile) == {Outcome.UNDECIDED: 3}
    with read_store(profile.with_suffix(".sqlite")) as store:
        [why] = store.reasons()[Outcome.UNDECIDED]
    assert why.count("s2: its answer cannot be read") == 1


def test_answers_that_differ_in_names_are_one_reason(tmp_path: Path) -> None:
    profile = write(tmp_path / "c", ("different", "consistency"))
    answer = "import uuid\n\ndef different(graph):\n    return f'/tmp/kgprobe-{uuid.uuid4()}/graph.ttl'\n"
    (profile.parent / "answer.py").write_text(answer)
    lines = [line for line in kgprobe("test", profile).stdout.splitlines() if line.startswith("  undecided")]
    [line] = lines
    assert line.startswith("  undecided    3: s0: its answer cannot be read: ")
    assert line.endswith(", or the like")


def test_commands_say_that_nothing_was_judged(tmp_path: Path) -> None:
    profile = write(tmp_path / "c", ("banana", "consistency"))
    done = kgprobe("test", profile, "--quiet", "--workers", "1")
    assert done.returncode == 3
    assert "3 are undecided" in done.stdout
    assert "its answer cannot be read: expected 'consistent' or 'inconsistent', not 'BANANA'" in done.stdout
    assert "nothing was tested: no case could be judged" in done.stderr
    one = kgprobe("test", profile, "--on", profile.parent / "seed.ttl")
    assert (one.returncode, "cannot be read" in one.stdout) == (3, True)
    store = profile.with_suffix(".sqlite")
    for command in (["locate"], ["mask", "learn"], ["mask", "suggest"]):
        assert_refused(kgprobe(*command, store), "no case of this campaign has a verdict: all 3 cases are undecided")
    reduced = kgprobe("reduce", profile.parent / "seed.ttl", "--profile", profile)
    assert reduced.returncode == 2
    assert "cannot be read" in reduced.stderr
    with pytest.raises(InputError, match="no case of this campaign has a verdict"):
        judged_graphs(store)


def test_why_no_mutant_is_valid_is_said(tmp_path: Path) -> None:
    profile = write(tmp_path / "c", ("consistent", ""))
    profile.write_text(profile.read_text().replace('"abox"', '"own.ru"'))
    operator = "DELETE { ?a <urn:x> ?b } WHERE { ?a <urn:x> ?b }"
    (tmp_path / "c" / "own.ru").write_text(f"# name: Own\n# does: a change\n# target: abox\n\n{operator}\n")
    done = kgprobe("test", profile, "--quiet", "--workers", "1")
    assert done.returncode == 3
    assert "nothing was tested: no mutant is valid (the reasons are above)" in done.stderr
    assert "  stuck        1000: no operator applied before all mutations were made" in done.stdout
