"""`auto` against HermiT on random ontologies: it may be undecided, but never differs."""

from __future__ import annotations

from random import Random

import pytest
from support.random_ontologies import Source

from kgprobe.processes.limits import Limits
from kgprobe.reasoners.auto import open_reasoner
from kgprobe.reasoners.protocol import Consistency

from .reasoner_fixtures import needs


@needs("rustdl")
@needs("pyhermit")
@needs("hermit")
@pytest.mark.parametrize("number", [40, pytest.param(600, marks=pytest.mark.thorough)])
def test_auto_does_not_contradict_hermit(number: int) -> None:
    ontologies = [Source(Random(seed)).ontology() for seed in range(number)]
    answers = {}
    for name in ("auto", "hermit"):
        reasoner = open_reasoner(name, Limits(20, 1024))
        try:
            given = reasoner.answer_many([(each, [Consistency()]) for each in ontologies])
        finally:
            reasoner.close()
        answers[name] = [answer for (answer,) in given]
    both = [
        (seed, ours.value, theirs.value)
        for seed, (ours, theirs) in enumerate(zip(answers["auto"], answers["hermit"], strict=True))
        if ours.decided and theirs.decided
    ]
    assert [seed for seed, ours, theirs in both if ours != theirs] == []
    assert len(both) >= number // 2
    assert {ours for _, ours, _ in both} == {True, False}
