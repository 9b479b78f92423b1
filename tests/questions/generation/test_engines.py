"""The cases are the same whatever engine makes them."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from kgprobe.errors import InputError
from kgprobe.questions.generation.steps import generate
from kgprobe.questions.settings import Settings
from questions.cities import CITIES, SETTINGS


def test_an_unknown_engine_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no engine 'sparc' \(did you mean 'spark'\?\)"):
        generate([tmp_path], Settings(), engine="sparc")


def test_spark_makes_the_same_cases_as_duckdb(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")
    rng = random.Random(7)
    more = "".join(
        f':x{n} rdfs:label "X {n}" ; a :City ; :contains :x{rng.randrange(n + 1, 90)} ;'
        f" :composer :x{rng.randrange(90)} .\n"
        for n in range(80)
    )
    file = tmp_path / "graph.ttl"
    file.write_text(CITIES + more, "utf-8")
    settings = replace(SETTINGS, limit=20, seed=3, unique_names=True, closed=("contains", "birthPlace"))
    with generate([file], settings) as ours, generate([file], settings, engine="spark") as theirs:
        assert list(theirs.cases) == list(ours.cases)
        assert (theirs.by_rule, theirs.dropped, theirs.empty) == (ours.by_rule, ours.dropped, ours.empty)
        assert len(ours.cases) > 100
