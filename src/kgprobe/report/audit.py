"""The result of an audit of test selection."""

from __future__ import annotations

from collections.abc import Iterator

from kgprobe.selection.audit import Audit

__all__ = ["audit_as_json", "audit_lines"]

_MOST_MISSES = 10


def audit_lines(found: Audit) -> Iterator[str]:
    """The audit as lines of text."""
    yield (
        f"{found.changes:,} mutants, {found.tests:,} tests, regime {found.regime.value}: {found.runs:,} runs, "
        f"in {found.altered:,} of which a test's answer changed"
    )
    if found.left_out:
        yield f"{found.left_out:,} tests were not run: they are not queries, or depend on more than the graph"
    if found.undecided:
        yield f"{found.undecided:,} mutants were left out: their entailments could not be computed"
    yield ""
    yield f"{'mode':8} {'selected on average':>22} {'missed':>8} {'of all changes':>15}"
    for name, mode in found.modes.items():
        mean = mode.selected / mode.changes if mode.changes else 0.0
        share = mean / found.tests if found.tests else 0.0
        missed = len(mode.misses) / mode.altered if mode.altered else 0.0
        line = f"{name:8} {f'{mean:.1f} tests ({share:.1%})':>22} {len(mode.misses):8,} {missed:15.1%}"
        yield line if mode.changes == found.changes else f"{line}  on {mode.changes:,} mutants that can be classified"
    ideal = found.altered / found.changes if found.changes else 0.0
    yield f"{'changed':8} {f'{ideal:.1f} tests ({ideal / found.tests if found.tests else 0:.1%})':>22}"
    for miss in found.modes["safe"].misses[:_MOST_MISSES]:
        yield f"MISSED: {miss.test} on mutant {miss.change + 1}"


def audit_as_json(found: Audit) -> dict[str, object]:
    """The audit as JSON."""
    return {
        "regime": found.regime.value,
        "mutants": found.changes,
        "undecided": found.undecided,
        "tests": found.tests,
        "left_out": found.left_out,
        "changed": found.altered,
        "modes": {
            name: {
                "mutants": mode.changes,
                "changed": mode.altered,
                "selected": mode.selected,
                "missed": len(mode.misses),
                "misses": [{"mutant": miss.change + 1, "test": miss.test} for miss in mode.misses[:1000]],
            }
            for name, mode in found.modes.items()
        },
    }
