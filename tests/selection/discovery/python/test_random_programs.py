"""Random programs are run, and what they read of graphs is compared with what the analysis says of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from kgprobe.selection.discovery.python_files import PYTHON
from kgprobe.selection.tests import Test
from kgprobe.sparql.uses import AnyUse

from ..finding import find
from .interface_cases import DATA
from .python_files import found
from .random_programs import ACCESSES, HOPS, SOURCES, module
from .recorded_reads import run

_PER_MODULE = 150


def _judged(folder: Path, seed: int, counts: Counter[str]) -> dict[str, list[object]]:
    """The programs of a seed that read something that the analysis neither names nor declares unknown."""
    folder.mkdir()
    (folder / "pizza.ttl").write_text(DATA)
    code, programs = module(Random(seed), _PER_MODULE, "pizza.ttl")
    reads, errors = run(code, folder)
    tests = found(find(folder, {"test_a.py": code}))
    missed = {}
    for number, program in enumerate(programs):
        name = f"test_{number}"
        test = tests.get(name, Test(name, PYTHON))
        counts["programs"] += 1
        counts["errors"] += name in errors
        counts["reads"] += bool(reads[name])
        is_precise = not test.unseen and not any(isinstance(use, AnyUse) for use in test.uses)
        counts["precise"] += is_precise and bool(reads[name])
        if lost := reads[name].missed_by(test):
            missed[program] = lost
    return missed


@pytest.mark.filterwarnings("ignore")
def test_no_read_of_a_random_program_is_missed(
    tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    counts: Counter[str] = Counter()
    seeds = range(40 if request.config.getoption("--thorough") else 2)
    for seed in seeds:
        missed = _judged(tmp_path / str(seed), seed, counts)
        capsys.readouterr()
        assert missed == {}
    assert counts["programs"] == len(seeds) * _PER_MODULE
    assert counts["errors"] <= counts["programs"] // 50, counts
    assert counts["reads"] >= counts["programs"] * 9 // 10, counts
    # To call everything unknown would miss nothing, too.
    assert counts["precise"] >= counts["programs"] // 8, counts


def test_the_generator_has_many_ways() -> None:
    assert len(SOURCES) >= 150
    assert len(ACCESSES) >= 100
    assert len(HOPS) >= 15
