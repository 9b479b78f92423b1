"""The smallest set of shapes, compared with all subsets; Fisher's test, compared with counting."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, combinations
from math import comb, log2
from random import Random

import pytest

from kgprobe.masks.learning.choosing import choose
from kgprobe.masks.learning.combinations import Option
from kgprobe.masks.learning.conditions import AtLeast, Clause, Focus, ShapeCondition
from kgprobe.masks.learning.learning import fisher
from kgprobe.masks.paths import Predicate
from kgprobe.rdf.terms import NamedNode

CLAUSE = Clause(ShapeCondition(Focus(NamedNode("urn:n")), Predicate(NamedNode("urn:p")), AtLeast(1)))


def random_options(random: Random, cases: int) -> list[Option]:
    return [
        Option(CLAUSE, random.getrandbits(cases) & random.getrandbits(cases), random.randint(1, 9) + i / 100)
        for i in range(9)
    ]


def with_exceptions(options: list[Option], passing: int) -> list[Option]:
    """Passing cases that would be excluded are exceptions, with every second shape."""
    return [
        replace(each, violated=each.violated & ~passing, excepted=each.violated & passing) if i % 2 else each
        for i, each in enumerate(options)
    ]


def best_cost(options: list[Option], failing: int, passing: int) -> tuple[int, float]:
    """The fewest unexplained cases, and the fewest bits for that, over all subsets that exclude no passing case."""
    usable = [each for each in options if not each.violated & passing]
    costs = []
    for chosen in chain.from_iterable(combinations(usable, size) for size in range(len(usable) + 1)):
        excluded = 0
        for each in chosen:
            excluded |= each.violated
        costs.append(((failing & ~excluded).bit_count(), length(chosen, passing)))
    return min(costs)


def length(chosen: Iterable[Option], passing: int) -> float:
    """The bits of the shapes, and those that name the exceptions, once for all shapes."""
    excepted = {bit for each in chosen for bit in range(60) if each.excepted >> bit & 1}
    count = passing.bit_count()
    return sum(each.bits for each in chosen) + log2(comb(count, min(len(excepted), count // 2)))


@pytest.mark.parametrize("seed", range(40))
def test_the_choice_is_the_smallest_cover(seed: int) -> None:
    random = Random(seed)
    failing = random.getrandbits(12) | 1
    passing = ~failing & random.getrandbits(12) & (random.getrandbits(12) if seed % 2 else -1)
    options = with_exceptions(random_options(random, 12), passing)
    chosen = choose(options, failing, passing, noise=0.0)
    excluded = 0
    for each in chosen:
        excluded |= each.violated
    assert not excluded & passing
    found = ((failing & ~excluded).bit_count(), length(chosen, passing))
    assert found == pytest.approx(best_cost(options, failing, passing))


def test_with_noise_a_shape_may_exclude_a_few_passing_cases() -> None:
    failing, passing = (1 << 20) - 1, ((1 << 60) - 1) ^ ((1 << 20) - 1)
    mostly_right = Option(CLAUSE, ((1 << 19) - 1) | 1 << 30, 10.0)
    for_one_case = Option(CLAUSE, 1 << 19, 10.0)
    assert choose([mostly_right, for_one_case], failing, passing, noise=0.06) == [mostly_right]
    assert choose([mostly_right, for_one_case], failing, passing, noise=0.0) == [for_one_case]


def test_with_noise_one_broad_shape_does_not_hide_several_that_are_right() -> None:
    """The broad one is the best shape alone, and no single change leads from it to the other four."""
    parts = [Option(CLAUSE, 0b1111111111 << 10 * i, 7.0) for i in range(4)]
    failing, passing = (1 << 40) - 1, ((1 << 80) - 1) ^ ((1 << 40) - 1)
    missed = sum(1 << 10 * i for i in range(4))
    broad = Option(CLAUSE, failing & ~missed | 0b111 << 40, 10.0)
    assert sorted(map(id, choose([broad, *parts], failing, passing, noise=0.05))) == sorted(map(id, parts))


def test_fisher_counts_the_tables_that_are_at_least_as_extreme() -> None:
    cases = 0
    for total in range(1, 13):
        for failing in range(total + 1):
            for excluded in range(total + 1):
                for explained in range(max(0, excluded - (total - failing)), min(excluded, failing) + 1):
                    ways = sum(
                        comb(failing, hits) * comb(total - failing, excluded - hits)
                        for hits in range(explained, min(excluded, failing) + 1)
                    )
                    assert fisher(explained, excluded, failing, total) == pytest.approx(ways / comb(total, excluded))
                    cases += 1
    assert cases > 1000
