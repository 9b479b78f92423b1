"""Random conditions, judged and evaluated: what is proven impossible must not happen in any engine."""

from __future__ import annotations

from random import Random

import pytest

from kgprobe.graph.terms import OWL, Literal, Term
from kgprobe.sparql.conditions import judge
from sparql.random_conditions import DATES, MIXED, NUMBERS, Case, Pool, fits, random_case, solutions

_POOLS = {"mixed": MIXED, "numbers": NUMBERS, "dates": DATES}


def refuting_row(case: Case, pool: Pool) -> str | None:
    """A sentence about values for which a judgement is wrong."""
    judgement = judge(case.conditions, case.facts)
    for each in judgement.contradictions:
        facts = [fact for fact in case.facts if fact.origin in each.facts]
        for row in solutions(pool, case.only(each.conditions), facts):
            if fits(row, facts) and not (each.unless_nan and any(map(_is_nan, row.values()))):
                return f"{each.reason}: but {row}"
    for always in judgement.always_true:
        true = {tuple(row.items()) for row in solutions(pool, case.only([always.condition]), case.facts)}
        for row in solutions(pool, f"FILTER(true || {case.only([always.condition])[6:]})", case.facts):
            if fits(row, case.facts) and tuple(row.items()) not in true and not any(map(_is_rational, row.values())):
                return f"{case.only([always.condition])} is not true for {row}"
    return None


def _is_nan(term: Term) -> bool:
    return isinstance(term, Literal) and term.value == "NaN"


def _is_rational(term: Term) -> bool:
    return isinstance(term, Literal) and term.datatype == OWL.rational


@pytest.mark.parametrize("name", _POOLS)
@pytest.mark.parametrize("part", range(4))
def test_what_is_proven_holds_in_pyoxigraph(name: str, part: int) -> None:
    pool = _POOLS[name]
    count = proven = 0
    for seed in range(part * 50, part * 50 + 50):
        case = random_case(Random(f"{name} {seed}"), pool)
        assert refuting_row(case, pool) is None, (seed, case.text)
        count += 1
        proven += bool(judge(case.conditions, case.facts).contradictions)
    assert count == 50
    assert proven >= 10  # the test means nothing if nothing is proven
