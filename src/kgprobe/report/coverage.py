"""The coverage of graphs as text, as CSV, and as lines of JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import astuple, fields

from kgprobe.input_coverage.measure import CoverageRow
from kgprobe.learning.mutant_coverage import Coverage
from kgprobe.wording import number_of

__all__ = ["coverage_csv", "coverage_lines", "measured_lines"]

# How many operators a line names: dozens bring some features.
_NAMED = 3
_WIDEST = 60


def coverage_lines(coverage: Coverage) -> Iterator[str]:
    """A table of all rows, and the features that never occur."""
    seeds = sum(graph.mutations == 0 for graph in coverage.graphs)
    mutants = len(coverage.graphs) - seeds
    made = f"{number_of(seeds, 'seed graph')}" + (f" and {number_of(mutants, 'mutant')}" if mutants else "")
    verb = "covers" if len(coverage.graphs) == 1 else "together cover"
    yield f"{made} {verb} {coverage.covered} of {number_of(coverage.listed, 'feature')}"
    for operators in dict.fromkeys(row.operators for row in coverage.rows):
        rows = [row for row in coverage.rows if row.operators == operators]
        yield ""
        yield f"operators: {operators}" if operators else "seed graphs"
        yield f"  {'mutations':>9}  {'graphs':>6}  {'mean':>6}  {'sd':>6}  {'n':>5}  mutants minus seeds (95 %)"
        yield from map(_line, rows)
    if coverage.never:
        yield ""
        yield "in no graph, and which operators would bring it:"
    width = min(max((len(missing.short) for missing in coverage.never), default=0), _WIDEST)
    for missing in coverage.never:
        yield f"  {missing.short:<{width}}  {_brought_by(missing.operators)}"


def coverage_csv(coverage: Coverage) -> str:
    """The rows as CSV, with a header; values that do not exist are empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(CoverageRow)])
    writer.writerows(astuple(row) for row in coverage.rows)
    return text.getvalue()


def measured_lines(coverage: Coverage) -> Iterator[str]:
    """A line of JSON for each graph: how it was made, and its features."""
    for graph in coverage.graphs:
        value = {
            "mutations": graph.mutations,
            "operators": graph.operators,
            "features": coverage.features_of(graph),
        }
        yield json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _line(row: CoverageRow) -> str:
    deviation = "" if row.sd is None else f"{100 * row.sd:.1f} %"
    start = f"  {row.mutations:>9}  {row.group:>6}  {100 * row.mean:>4.1f} %  {deviation:>6}  {row.n:>5}"
    if row.low is None or row.high is None or row.p is None:
        return (
            f"{start}  no test: {'too few values' if row.n < 2 else 'all values are equal'}" if row.mutations else start
        )
    p = "p < 0.001" if row.p < 0.001 else f"p = {row.p:.3f}"
    return f"{start}  {100 * row.low:+.1f} to {100 * row.high:+.1f} points, {p}"


def _brought_by(operators: tuple[str, ...]) -> str:
    if not operators:
        return "no built-in operator brings it"
    more = f" and {len(operators) - _NAMED} more" if len(operators) > _NAMED else ""
    return ", ".join(operators[:_NAMED]) + more
