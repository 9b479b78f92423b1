"""The search for the steps that cause a failure, with a truth that is known."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from kgprobe.learning.case_runs import Answer, Steps
from kgprobe.learning.locating import Spectrum, ochiai, search, small_set


class _Truth:
    """Fails if one of some sets of steps is there. Counts the graphs that are asked for."""

    def __init__(self, causes: Sequence[frozenset[int]], most: int) -> None:
        self.causes = causes
        self.most = most
        self.asked: dict[Steps, Answer] = {}

    def ask(self, wanted: Sequence[Steps]) -> list[Answer]:
        found = []
        for steps in wanted:
            if steps not in self.asked:
                if not self.left():
                    break
                fails = any(cause <= steps for cause in self.causes)
                self.asked[steps] = Answer.FAILS if fails else Answer.GONE
            found.append(self.asked[steps])
        return found

    def left(self) -> int:
        return self.most - len(self.asked)


def _alone(step: int) -> Steps:
    return frozenset({step})


@given(st.data())
def test_30_runs_find_up_to_three_steps_among_40(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 40))
    order = data.draw(st.permutations(range(count)))
    cause = data.draw(st.frozensets(st.integers(0, count - 1), min_size=1, max_size=3))
    truth = _Truth([cause], 28)
    search(order, _alone, truth.ask, truth.left)
    assert len(truth.asked) <= 28
    everything = frozenset(range(count))
    gone = {step for step in everything if truth.asked.get(everything - {step}) is Answer.GONE}
    assert gone == cause
    if len(cause) == 1:
        assert truth.asked[cause] is Answer.FAILS


@given(st.data())
def test_steps_that_fail_together_are_as_few_as_possible(data: st.DataObject) -> None:
    count = data.draw(st.integers(2, 12))
    order = data.draw(st.permutations(range(count)))
    sets = st.frozensets(st.integers(0, count - 1), min_size=1, max_size=4)
    causes = data.draw(st.lists(sets, min_size=1, max_size=3))
    truth = _Truth(causes, 1000)
    found = small_set(order, truth.ask)
    assert found is not None
    assert any(cause <= set(found) for cause in causes)
    assert not any(cause <= set(found) - {step} for cause in causes for step in found)


@given(st.integers(1, 30), st.integers(1, 12))
def test_no_more_runs_than_allowed(count: int, most: int) -> None:
    truth = _Truth([frozenset({count - 1})], most)
    search(range(count), _alone, truth.ask, truth.left)
    assert len(truth.asked) <= most


@given(st.lists(st.tuples(st.frozensets(st.sampled_from("abc")), st.booleans())))
def test_suspicion_is_ochiais_coefficient(runs: list[tuple[frozenset[str], bool]]) -> None:
    spectrum = Spectrum[str]()
    for features, fails in runs:
        spectrum.add(features, fails=fails)
    for feature in "abc":
        both = sum(fails and feature in features for features, fails in runs)
        only_failing = sum(fails and feature not in features for features, fails in runs)
        only_with = sum(not fails and feature in features for features, fails in runs)
        product = (both + only_failing) * (both + only_with)
        expected = both / math.sqrt(product) if product else 0.0
        assert math.isclose(spectrum.suspicion(feature), expected)
        assert 0 <= spectrum.suspicion(feature) <= 1
    assert ochiai(0, 0, 0) == 0
