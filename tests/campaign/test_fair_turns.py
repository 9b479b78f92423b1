"""The order of cases: rules take turns, and a campaign resumes at any of them."""

from __future__ import annotations

import pytest

from kgprobe.campaign.sources.questions import _firsts, _turns


@pytest.mark.parametrize("sizes", [[], [0], [3], [2, 5], [5, 2, 0, 3], [1, 1, 1], [4, 4, 1]])
def test_blocks_take_turns_and_can_start_anywhere(sizes: list[int]) -> None:
    whole = list(_turns(sizes))
    assert [whole.count(block) for block in range(len(sizes))] == sizes
    for block, size in enumerate(sizes):
        if size:  # each block has its first case before any has its second
            assert whole.index(block) < sum(1 for each in sizes if each)
    for number in range(len(whole) + 2):
        assert list(_turns(sizes, number)) == whole[number:]
        assert _firsts(sizes, number) == [whole[:number].count(block) for block in range(len(sizes))]
