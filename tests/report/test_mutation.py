"""What `kgprobe mutate` reports on the mutants of a graph."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from kgprobe.mutation.generator import Tally
from kgprobe.report.mutation import Made


def made(kept: int, asked: int, attempts: int) -> Made:
    tally = Tally(
        attempts=attempts, kept=kept, rejected=Counter({"shapes.ttl": 2}), duplicates=1, applied=Counter({"Add": 3})
    )
    return Made(Path("cafe.ttl"), Path("mutants/manifest.jsonl"), tally, asked)


def test_all_mutants() -> None:
    assert list(made(1, 1, 4).lines()) == [
        "cafe.ttl: 1 mutant in mutants",
        "  attempts     4, 4.0 per mutant",
        "  rejected by  shapes.ttl: 2",
        "  duplicates   1",
        "  operators    1, most often Add 3",
        "  manifest     mutants/manifest.jsonl",
    ]


def test_missing_mutants() -> None:
    few = made(0, 1, 1000)
    assert few.missing == 1
    assert next(iter(few.lines())) == "cafe.ttl: 0 of 1 mutant in mutants"
    assert next(iter(made(1, 2, 1000).lines())) == "cafe.ttl: 1 of 2 mutants in mutants"
    assert few.value()["rejected"] == {"shapes.ttl": 2}


def test_a_sample_without_what_is_hard_to_judge() -> None:
    tally = Tally(attempts=9, kept=5, rejected=Counter({"consistency (auto)": 1, "consistency (auto) (undecided)": 3}))
    biased = Made(Path("cafe.ttl"), Path("mutants/manifest.jsonl"), tally, 5)
    assert "  biased       3 of 9 attempts were undecided: inputs that are hard to judge are missing" in biased.lines()
    assert biased.value()["undecided"] == 3
    assert not any("biased" in line for line in made(1, 1, 4).lines())
