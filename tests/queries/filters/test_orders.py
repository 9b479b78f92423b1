"""Difference constraints: against brute force, and against z3 where it is installed."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgprobe.queries.filters.orders import Constraint, contradiction

_NAMES = "xyz"

constraints = st.lists(
    st.builds(
        Constraint,
        st.sampled_from(_NAMES),
        st.sampled_from(_NAMES),
        st.integers(-3, 3).map(Fraction),
        st.booleans(),
        st.integers(0, 99),
    ),
    max_size=8,
)


def _has_solution(system: list[Constraint], parts: int) -> bool:
    """Whether some multiples of 1/parts solve the system. Only differences count, so x is 0, and none is above 7."""
    steps = [(str(each.left), str(each.right), int(each.limit * parts) - each.is_strict) for each in system]
    numbers = range(-7 * parts, 7 * parts + 1)
    rows = ({"x": 0, "y": y, "z": z} for y, z in product(numbers, repeat=2))
    return any(all(row[left] - row[right] <= limit for left, right, limit in steps) for row in rows)


@given(constraints)
def test_whole_numbers_agree_with_brute_force(system: list[Constraint]) -> None:
    assert (contradiction(system, frozenset(_NAMES)) is None) == _has_solution(system, 1)


@given(constraints)
def test_other_numbers_agree_with_brute_force(system: list[Constraint]) -> None:
    # With three variables, a strict constraint leaves room for steps of a third.
    assert (contradiction(system) is None) == _has_solution(system, 3)


@given(constraints)
def test_the_constraints_found_form_a_cycle_that_fails_alone(system: list[Constraint]) -> None:
    found = contradiction(system)
    if found is None:
        return
    assert all(constraint in system for constraint in found)
    assert contradiction(found) is not None
    assert {constraint.left for constraint in found} == {constraint.right for constraint in found}
    total = sum(constraint.limit for constraint in found)
    assert total < 0 or (total == 0 and any(constraint.is_strict for constraint in found))


def test_whole_numbers_have_no_room_between_neighbours() -> None:
    system = [Constraint("x", "y", Fraction(0), is_strict=True), Constraint("y", "x", Fraction(1), is_strict=True)]
    assert contradiction(system) is None
    assert contradiction(system, {"x", "y"}) is not None


def test_a_long_chain_is_found() -> None:
    chain = [Constraint(number, number + 1, Fraction(0)) for number in range(300)]
    assert contradiction(chain) is None
    found = contradiction([*chain, Constraint(300, 0, Fraction(-1, 1000))])
    assert found is not None
    assert len(found) == 301


def test_z3_agrees_on_random_systems() -> None:
    z3 = pytest.importorskip("z3", reason="z3-solver is not installed")
    random = Random(0)
    for _ in range(480):
        system = [
            Constraint(left, right, Fraction(random.randint(-4, 4)), random.random() < 0.5)
            for left, right in (random.sample(range(6), 2) for _ in range(random.randint(2, 14)))
        ]
        numbers = [z3.Int(f"x{number}") for number in range(6)]
        solver = z3.Solver()
        for constraint in system:
            difference = numbers[int(str(constraint.left))] - numbers[int(str(constraint.right))]
            limit = int(constraint.limit)
            solver.add(difference < limit if constraint.is_strict else difference <= limit)
        assert (contradiction(system, frozenset(range(6))) is None) == (solver.check() == z3.sat)
