"""The results of audits of test selection, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from kgprobe.errors import visible
from kgprobe.selection.audit import Audit
from kgprobe.selection.audit_by_running import RealAudit
from kgprobe.wording import number_of

__all__ = ["audit_as_json", "audit_lines", "real_audit_as_json", "real_audit_lines"]

_MOST_MISSES = 10


def audit_lines(found: Audit) -> Iterator[str]:
    """The audit as lines of text."""
    yield (
        f"{number_of(found.changes, 'mutant')}, {number_of(found.tests, 'test')}, regime {found.regime.value}: "
        f"{number_of(found.runs, 'run')}, "
        f"in {found.altered:,} of which a test's answer changed"
    )
    if found.left_out:
        many = "1 test was not run: it is not a query, or depends"
        if found.left_out > 1:
            many = f"{found.left_out:,} tests were not run: they are not queries, or depend"
        yield f"{many} on more than the graph"
    if found.undecided:
        many = "1 mutant was" if found.undecided == 1 else f"{found.undecided:,} mutants were"
        yield f"{many} left out, since nobody can tell what follows; for the first: {found.why_undecided}"
    yield ""
    yield f"{'mode':8} {'selected on average':>22} {'missed':>8} {'of all changes':>15}"
    for name, mode in found.modes.items():
        mean = mode.selected / mode.changes if mode.changes else 0.0
        share = mean / found.tests if found.tests else 0.0
        missed = len(mode.misses) / mode.altered if mode.altered else 0.0
        line = f"{name:8} {f'{mean:.1f} tests ({share:.1%})':>22} {len(mode.misses):8,} {missed:15.1%}"
        yield (
            line
            if mode.changes == found.changes
            else f"{line}  on {number_of(mode.changes, 'mutant')} that can be classified"
        )
    ideal = found.altered / found.changes if found.changes else 0.0
    yield f"{'changed':8} {f'{ideal:.1f} tests ({ideal / found.tests if found.tests else 0:.1%})':>22}"
    if found.order is not None:
        yield ""
        yield f"order: a test whose answer changed comes before another in {found.order:.1%} of pairs; 50% is chance"
    for miss in found.modes["safe"].misses[:_MOST_MISSES]:
        yield f"MISSED: {miss.test} on mutant {miss.change + 1}"


def audit_as_json(found: Audit) -> dict[str, object]:
    """The audit as JSON."""
    return {
        "regime": found.regime.value,
        "mutants": found.changes,
        "undecided": found.undecided,
        "why_undecided": None if found.why_undecided is None else str(found.why_undecided),
        "tests": found.tests,
        "left_out": found.left_out,
        "changed": found.altered,
        "order": None if found.order is None else round(found.order, 4),
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


# -- audits that run the tests themselves ------------------------------------------------------------------------------

_MOST_NAMED = 20


def real_audit_lines(found: RealAudit) -> Iterator[str]:
    """The audit as lines of text."""
    yield (
        f"{number_of(len(found.results), 'test')}, each run twice on both versions: "
        f"{len(found.altered):,} changed their results, {len(found.selected):,} were selected"
    )
    for count, what in (
        (len(found.missed), "missed: the result changed, but the test was not selected"),
        (len(found.unneeded), "unneeded: selected, but the result is the same"),
        (len(found.unstable), "not comparable: two runs on one version differ, or did not end"),
        (len(found.failing), "failed on both versions in the same way"),
    ):
        yield f"{count:8,}  {what}"
    yield from _named("MISSED", found.missed)
    if found.missed:
        first = found.results[found.missed[0]]
        yield f"  the first of them returned on the old version: {visible(first.old.shown)}"
        yield f"  and on the new one: {visible(first.new.shown)}"
    yield from _named("unneeded", found.unneeded)
    yield from _named("not comparable", found.unstable)


def _named(what: str, names: tuple[str, ...]) -> Iterator[str]:
    for name in names[:_MOST_NAMED]:
        yield f"{what}: {visible(name)}"
    if len(names) > _MOST_NAMED:
        yield f"{what}: {len(names) - _MOST_NAMED:,} more, which --json lists"


def real_audit_as_json(found: RealAudit) -> dict[str, object]:
    """The audit as JSON."""
    return {
        "tests": len(found.results),
        "selected": list(found.selected),
        "changed": list(found.altered),
        "missed": [
            {"test": name, "old": found.results[name].old.shown, "new": found.results[name].new.shown}
            for name in found.missed
        ],
        "unneeded": list(found.unneeded),
        "not_comparable": list(found.unstable),
        "failed_on_both": list(found.failing),
    }
