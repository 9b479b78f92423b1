"""Plots of coverage: how panels are laid out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kgprobe.input_coverage.measure import CoverageRow
from kgprobe.input_coverage.plotting import plot


@pytest.mark.parametrize(
    ("panels", "across", "down"), [(1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 2, 2), (5, 3, 2), (7, 3, 3)]
)
def test_panels_fill_a_rectangle(panels: int, across: int, down: int, tmp_path: Path) -> None:
    rows = [CoverageRow(f"set {each}", n, 1, 0.5, 0.1, 3) for each in range(panels) for n in (0, 5)]
    plot(rows, tmp_path / "plot.svg", features="owl-el", size=64)
    drawn = (tmp_path / "plot.svg").read_text()
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawn)
    assert found
    inches = [float(each) / 72 for each in found.groups()]
    assert inches == pytest.approx([1.6 + 3.9 * across, 0.9 + 3.3 * down])
    assert all(f"set {each}" in drawn for each in range(panels))


@pytest.mark.parametrize("mutations", [(0,), (0, 3), (0, 1, 2)])
def test_mutations_are_whole_numbers(mutations: tuple[int, ...], tmp_path: Path) -> None:
    plot([CoverageRow("set", n, 1, 0.5, 0.1, 3) for n in mutations], tmp_path / "plot.svg", features="owl-el", size=64)
    words = re.findall(r">([^<>]+)</text>", (tmp_path / "plot.svg").read_text())
    ticks = [word for word in words if re.fullmatch(r"[-\u2212]?[\d.]+", word)]
    assert set(map(str, mutations)) <= set(ticks)
    assert not [tick for tick in ticks if "." in tick]
