"""Draws coverage: for each set of operators a panel, and in it a curve for each size of a group.

Matplotlib is imported on first use. The same rows give the same bytes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import Any

from kgprobe.errors import InputError, Position, UnavailableError
from kgprobe.input_coverage.measure import CoverageRow
from kgprobe.written_files import new_file

__all__ = ["check_plot", "plot"]

FORMATS = ("svg", "png")
# Colours by Okabe and Ito, which people with any kind of colour vision can tell apart; and markers, for print.
_LOOKS = (
    ("#0072B2", "o"),
    ("#D55E00", "s"),
    ("#009E73", "^"),
    ("#CC79A7", "D"),
    ("#E69F00", "v"),
    ("#56B4E9", "P"),
    ("#000000", "X"),
)
_MOST_IN_A_ROW = 3
_TITLE_WIDTH, _TITLE_LINES = 44, 3
_STYLE = {
    "svg.hashsalt": "kgprobe",  # otherwise random
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def check_plot(path: Path) -> None:
    """InputError if the name of the file does not show one of the formats; UnavailableError without Matplotlib."""
    if path.suffix.lower().removeprefix(".") not in FORMATS:
        raise InputError(
            f"plots are written as {' or '.join(FORMATS)}", where=Position(str(path)), hint="such as coverage.svg"
        )
    _matplotlib()


def plot(rows: Sequence[CoverageRow], path: Path, *, features: str, size: int, force: bool = True) -> None:
    """Write the plot of these rows to a file; `features` is the name of their set, and `size` how many there are."""
    matplotlib = _matplotlib()
    panels = list(dict.fromkeys(row.operators for row in rows))
    groups = sorted({row.group for row in rows})
    down = ceil(len(panels) / _MOST_IN_A_ROW)
    across = ceil(len(panels) / down)
    with matplotlib.rc_context(_STYLE):
        figure = matplotlib.figure.Figure(figsize=(1.6 + 3.9 * across, 0.9 + 3.3 * down), layout="constrained")
        axes = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).flat
        for place, axis in enumerate(axes):
            if place >= len(panels):
                axis.set_visible(False)
                continue
            _panel(axis, [row for row in rows if row.operators == panels[place]], groups)
            axis.set_title(_title(panels[place]), fontsize=10)
            if place + across >= len(panels):
                axis.set_xlabel("mutations")
                axis.xaxis.set_tick_params(labelbottom=True)
            if place % across == 0:
                axis.set_ylabel(f"covered share of {size} features ({features})")
        handles, labels = next(iter(figure.axes)).get_legend_handles_labels()
        spread = "mean, with bars and bands of one standard deviation"
        figure.legend(
            handles,
            labels,
            loc="outside lower center",
            ncols=min(len(labels), _MOST_IN_A_ROW * across),
            frameon=False,
            title=spread,
            title_fontsize=9,
        )
        _save(figure, path, force=force)


def _title(operators: str | None) -> str:
    """The operators of a panel, on few lines: there may be hundreds of them."""
    text = "seed graphs" if operators is None else operators.replace(",", ", ")
    return "\n".join(textwrap.wrap(text, _TITLE_WIDTH, max_lines=_TITLE_LINES, placeholder=" …"))


def _panel(axis: Any, rows: Sequence[CoverageRow], groups: Sequence[int]) -> None:
    for number, group in enumerate(groups):
        points = sorted((row for row in rows if row.group == group), key=lambda row: row.mutations)
        x = [row.mutations for row in points]
        mean = [100 * row.mean for row in points]
        deviation = [100 * (row.sd or 0.0) for row in points]
        colour, marker = _LOOKS[number % len(_LOOKS)]
        label = "1 graph" if group == 1 else f"{group} graphs together"
        axis.errorbar(
            x, mean, yerr=deviation, color=colour, marker=marker, markersize=4, capsize=3, linewidth=1.5, label=label
        )
        low, high = ([a + sign * b for a, b in zip(mean, deviation, strict=True)] for sign in (-1, 1))
        axis.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
    highest = max((100 * (row.mean + (row.sd or 0)) for row in rows), default=100)
    axis.set_ylim(0, max(102, highest * 1.05))
    steps = {row.mutations for row in rows}
    if len(steps) == 1:
        axis.set_xlim(min(steps) - 1, min(steps) + 1)
    axis.xaxis.get_major_locator().set_params(integer=True)  # no half mutations
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:.0f} %")
    axis.grid(visible=True, axis="y", color="#dddddd", linewidth=0.8)
    axis.set_axisbelow(True)


def _save(figure: Any, path: Path, *, force: bool) -> None:
    kind = path.suffix.lower().removeprefix(".")
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with new_file(path, force=force) as unfinished:
        figure.savefig(unfinished, format=kind, metadata=metadata, dpi=150)


def _matplotlib() -> Any:
    try:
        import matplotlib.figure
    except ImportError:
        raise UnavailableError("a plot needs Matplotlib", hint="pip install 'kgprobe[learn]'") from None
    return matplotlib
