"""Random conditions, judged and evaluated: what is proven impossible must not happen in any engine."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
import rdflib

from kgprobe.queries.filters.conditions import judge
from kgprobe.queries.filters.refutation import KnownTerms, SameValue
from kgprobe.rdf.terms import OWL, Literal, NamedNode, Term
from queries.filters.random_conditions import (
    DATES,
    FINITE,
    MIXED,
    NUMBERS,
    Case,
    Pool,
    fits,
    names_in,
    question,
    random_case,
    solutions,
)

_POOLS = {"mixed": MIXED, "numbers": NUMBERS, "dates": DATES}


def refuting_row(case: Case, pool: Pool) -> str | None:
    """A sentence about values for which a judgement is wrong."""
    judgement = judge(case.conditions, case.facts)
    for contradiction in judgement.contradictions:
        facts = [fact for fact in case.facts if fact.origin in contradiction.facts]
        for row in solutions(pool, case.only(contradiction.conditions), facts):
            if fits(row, facts) and not (contradiction.unless_nan and any(map(_is_nan, row.values()))):
                return f"{contradiction.reason}: but {row}"
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


# rdflib is compared on finite numbers only, and without IN: it orders values of different kinds, which SPARQL does not,
# and IN compares how numbers are written.


def test_what_is_proven_holds_in_rdflib() -> None:
    graph = rdflib.Graph()
    graph.parse(data="\n".join(f"<u:s> <u:p> {term} ." for term in FINITE.terms), format="nt")
    count = 0
    for seed in range(80):
        case = random_case(Random(f"rdflib {seed}"), FINITE)
        for found in judge(case.conditions, case.facts).contradictions:
            text = case.only(found.conditions)
            if " IN (" not in text and found.conditions:
                assert not _has_row(graph, text, [fact for fact in case.facts if fact.origin in found.facts]), text
                count += 1
    assert count >= 15


def _has_row(graph: rdflib.Graph, text: str, facts: Sequence[KnownTerms | SameValue]) -> bool:
    names = names_in(FINITE, text, facts)
    try:
        rows = graph.query(question(names, text)).bindings
    except (ArithmeticError, ValueError, AttributeError):  # rdflib does not catch all errors of its operators
        return False
    for row in rows:
        terms = {name: row[rdflib.Variable(name)] for name in names}
        values = {name: _plain(term) for name, term in terms.items() if isinstance(term, rdflib.Literal)}
        if fits(values, facts):
            return True
    return False


def _plain(literal: rdflib.Literal) -> Literal:
    return Literal(str(literal), datatype=NamedNode(str(literal.datatype)))


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
