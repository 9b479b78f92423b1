"""Anything that consists of parts can be reduced: texts, dialogues, rows. Nothing here is a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgprobe.errors import InputError
from kgprobe.reduction.problem import Better, Effort, Progress, Rate
from kgprobe.reduction.search import reduce_parts, reducing_parts

ONCE = Effort(repeats=1)
PROGRAM = [
    "import sys",
    'names = ["tea", "milk"]',
    "total = 0",
    "for name in names:",
    "    total += len(name)",
    "print(total)",
    "print(total / 0)",
    "sys.exit(3)",
]


def one_by_one(
    fails: Callable[[tuple[str, ...]], bool],
) -> Callable[[Sequence[tuple[str, ...]]], list[bool]]:
    return lambda candidates: [fails(each) for each in candidates]


def divides_by_zero(lines: tuple[str, ...]) -> bool:
    try:
        exec(compile("\n".join(lines), "program", "exec"), {"print": lambda _: None})  # noqa: S102 - the text above
    except ZeroDivisionError:
        return True
    except (Exception, SystemExit):
        return False
    return False


def test_the_lines_of_a_text() -> None:
    result = reduce_parts(PROGRAM, one_by_one(divides_by_zero), effort=ONCE)
    assert result.parts == ("total = 0", "print(total / 0)")
    assert result.is_minimal


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9), max_size=25), st.randoms(use_true_random=False), st.integers(1, 4))
def test_the_result_fails_and_no_part_of_it_can_be_left_out(parts: list[int], random: Random, batch: int) -> None:
    cause = set(random.sample(parts, min(len(parts), 3)))
    odd = random.randrange(4)
    asked: list[tuple[int, ...]] = []

    def fails(candidate: tuple[int, ...]) -> bool:
        return cause <= set(candidate) and (len(candidate) == len(parts) or len(candidate) % 4 != odd)

    def still_fails(candidates: Sequence[tuple[int, ...]]) -> list[bool]:
        asked.extend(candidates)
        return [fails(each) for each in candidates]

    result = reduce_parts(parts, still_fails, effort=Effort(repeats=1, batch=batch))
    assert fails(result.parts)
    assert not any(fails(result.parts[:n] + result.parts[n + 1 :]) for n in range(len(result.parts)))
    assert result.runs == len(asked) == len(set(asked))


def test_only_admissible_candidates_are_run_and_none_twice() -> None:
    words = ["the", "cat", "sat", "on", "the", "mat", "near", "the", "dog"]
    asked: list[tuple[str, ...]] = []

    def still_fails(candidates: Sequence[tuple[str, ...]]) -> list[bool]:
        asked.extend(candidates)
        return ["mat" in each for each in candidates]

    # A sentence needs its first word. The order of the words does not matter to the system.
    result = reduce_parts(words, still_fails, admits=lambda some: some[:1] == ("the",), digest=frozenset, effort=ONCE)
    assert result.parts == ("the", "mat")
    assert all(each[0] == "the" for each in asked)
    assert len({frozenset(each) for each in asked}) == len(asked)


def test_events_lead_to_the_result() -> None:
    steps = reducing_parts(PROGRAM, one_by_one(divides_by_zero), effort=ONCE)
    events = []
    while True:
        try:
            events.append(next(steps))
        except StopIteration as end:
            result = end.value
            break
    better = [event.candidate for event in events if isinstance(event, Better)]
    assert better[0] == tuple(PROGRAM)
    assert better[-1] == result.parts
    assert [event.runs for event in events if isinstance(event, Progress)] == list(range(1, result.runs + 1))


def test_a_flaky_failure() -> None:
    random = Random(3)
    parts = [str(number) for number in range(40)]
    result = reduce_parts(
        parts,
        one_by_one(lambda some: {"7", "21"} <= set(some) and random.random() < 0.5),
        effort=Effort(repeats=30, confidence=0.999),
    )
    assert result.parts == ("7", "21")
    assert 0.25 < result.rate_before.share < 0.75
    assert result.rate.share > 0.25


def test_a_limit_on_the_runs_and_an_input_that_does_not_fail() -> None:
    short = reduce_parts(PROGRAM, one_by_one(divides_by_zero), effort=Effort(repeats=1, most_runs=4))
    assert (short.runs, short.is_minimal, divides_by_zero(short.parts)) == (4, False, True)
    always = reduce_parts(PROGRAM, one_by_one(lambda _: True))
    assert (always.parts, always.rate_before) == ((), Rate(10, 10))
    with pytest.raises(InputError, match="this input fails in none of 3 runs"):
        reduce_parts(PROGRAM, one_by_one(lambda _: False), effort=Effort(repeats=3))
