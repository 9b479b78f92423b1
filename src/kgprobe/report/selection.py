"""The results of test selection, as text and as JSON: plans (also in JUnit format) and coverage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from kgprobe.errors import visible
from kgprobe.rdf.terms import NamedNode
from kgprobe.report.junit import JUnitCase, JUnitOutcome, junit_text
from kgprobe.selection.audit import Audit, RealAudit
from kgprobe.selection.plan import PlannedTest, Reason, SelectionPlan
from kgprobe.wording import number_of

if TYPE_CHECKING:
    from kgprobe.selection.paper.planning import EntityCoverage

# Further reasons for a test are only counted; JSON lists all of them.
_MOST_REASONS = 3
_MOST_GAPS = 10


def summary_line(plan: SelectionPlan) -> str:
    """The number of tests to run, and the size of the change."""
    total = len(plan.tests)
    change = f"{number_of(plan.removed, 'triple')} removed, {plan.added:,} added"
    return f"{len(plan.chosen):,} of {total:,} tests to run ({plan.share:.1%}): {change}"


def plan_lines(plan: SelectionPlan, spelled: Callable[[NamedNode], str]) -> Iterator[str]:
    """The plan as lines of text."""
    yield summary_line(plan)
    for said in plan.how:
        yield f"  {said}"
    for planned in plan.chosen:
        yield ""
        yield planned.test.name
        yield from _reason_lines(planned)
    yield from _gap_lines(plan, spelled)
    yield from _broken_lines(plan, spelled)


def _reason_lines(planned: PlannedTest) -> Iterator[str]:
    reasons = planned.because
    strings = [reason for reason in reasons if reason.term]
    if strings:  # one sentence for all strings of a test in SQL
        others = len({reason.use for reason in strings} - {strings[0].use})
        more = "1 other string is" if others == 1 else f"{others} other strings are"
        yield f"  {strings[0]}{f'; {more} affected, too' if others else ''}"
        reasons = tuple(reason for reason in reasons if not reason.term)
    for reason in reasons[:_MOST_REASONS]:
        yield f"  {reason}"
    if len(reasons) > _MOST_REASONS:
        yield f"  and {len(reasons) - _MOST_REASONS} more"


def _gap_lines(plan: SelectionPlan, spelled: Callable[[NamedNode], str]) -> Iterator[str]:
    if not plan.gaps:
        return
    yield ""
    yield f"New entities that no test uses: {len(plan.gaps):,}. A suggested test for each:"
    for gap in plan.gaps[:_MOST_GAPS]:
        yield f"  {spelled(gap.term)}"
        yield f"    {gap.suggestion}"
    if len(plan.gaps) > _MOST_GAPS:
        yield f"  and {len(plan.gaps) - _MOST_GAPS:,} more, which --json lists"


def _broken_lines(plan: SelectionPlan, spelled: Callable[[NamedNode], str]) -> Iterator[str]:
    if not plan.broken:
        return
    yield ""
    named = [use for use in plan.broken if not use.label]
    if named:
        yield "Tests that name a deleted or deprecated entity:"
    for use in named:
        instead = f", replaced by {spelled(use.replacement)}" if use.replacement else ""
        yield f"  {use.test.name}: {spelled(use.term)}{instead}"
    if len(named) < len(plan.broken):
        yield "Tests with a label that no entity has any more:"
    for use in plan.broken:
        if use.label:
            instead = f", replaced by {spelled(use.replacement)}" if use.replacement else ""
            instead = f", which is '{use.now}' now" if use.now is not None else instead
            yield f"  {use.test.name}: '{use.label}' of {spelled(use.term)}{instead}"
    for repair in plan.repairs:
        yield ""
        yield from repair.as_diff().splitlines()
    if plan.repairs:
        yield ""
        yield "Use --fix to make these repairs."


def plan_as_json(plan: SelectionPlan) -> dict[str, object]:
    """The plan as JSON."""
    return {
        "mode": plan.mode,
        "how": list(plan.how),
        "changed": {"removed": plan.removed, "added": plan.added},
        "selected": [_planned_as_json(planned) for planned in plan.chosen],
        **({"left_out": [left.test.name for left in plan.left_out]} if plan.left_out else {}),
        "total": len(plan.tests),
        "share": round(plan.share, 4),
        "untested": [{"entity": gap.term.value, "suggestion": gap.suggestion} for gap in plan.gaps],
        "broken": [
            {
                "test": use.test.name,
                "entity": use.term.value,
                "replacement": use.replacement.value if use.replacement else None,
                **({"label": use.label, "new_label": use.now} if use.label else {}),
            }
            for use in plan.broken
        ],
        "repairs": [{"file": str(repair.file), "diff": repair.as_diff()} for repair in plan.repairs],
    }


def _planned_as_json(planned: PlannedTest) -> dict[str, object]:
    return {
        "test": planned.test.name,
        "because": [str(reason) for reason in planned.because],
        "reasons": [_reason_as_json(reason) for reason in planned.because],
    }


def _reason_as_json(reason: Reason) -> dict[str, object]:
    return {
        "change": reason.change or None,
        "entailed": reason.entailed,
        "path": list(reason.path),
        "use": reason.use,
        "line": reason.line,
        **({"row": reason.row} if reason.row else {}),
    }


def plan_as_junit(plan: SelectionPlan) -> str:
    """The plan as a report in which tests that do not have to run are skipped."""
    chosen = {planned.test.name: planned for planned in plan.chosen}
    cases = [
        JUnitCase(planned.test.language.name, planned.test.name, text="\n".join(map(str, planned.because)))
        for planned in plan.chosen
    ]
    left_out = {left.test.name for left in plan.left_out}
    for test in plan.tests:
        if test.name not in chosen:
            why = "left out by --minimal" if test.name in left_out else "the change cannot affect it"
            cases.append(JUnitCase(test.language.name, test.name, JUnitOutcome.SKIPPED, why))
    return junit_text("select", cases)


# -- coverage of the ontology ------------------------------------------------------------------------------------------

_MOST_UNCOVERED = 10


def coverage_lines(found: EntityCoverage) -> Iterator[str]:
    """The share of the ontology that the tests cover, as in Table 3 of the paper, and the entities not covered."""
    yield ""
    yield "  classes  properties, restrictions  tests  direct  indirect  covered"
    yield (
        f"{found.classes:9,}  {found.properties_and_restrictions:24,}  {found.tests:5,}  {found.direct:6,}"
        f"  {found.indirect:8,}  {found.percent:6.2f}%"
    )
    if found.untouched:
        yield f"Not covered by any test: {len(found.untouched):,}"
        for row in found.untouched_rows()[:_MOST_UNCOVERED]:
            yield f"  {_entity_text(row)}"
        if len(found.untouched) > _MOST_UNCOVERED:
            yield f"  and {len(found.untouched) - _MOST_UNCOVERED:,} more, which --json lists"


def coverage_as_json(found: EntityCoverage) -> dict[str, object]:
    """The coverage as JSON."""
    return {
        "classes": found.classes,
        "properties_and_restrictions": found.properties_and_restrictions,
        "tests": found.tests,
        "direct": found.direct,
        "indirect": found.indirect,
        "percent": round(found.percent, 2),
        "untouched": found.untouched_rows(),
    }


def _entity_text(row: list[str | None]) -> str:
    source, target, label = row
    return f"{source} {label} {target}" if label else f"{source}"


# -- audits ------------------------------------------------------------------------------------------------------------


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
    if found.unanswered:
        many = "1 test takes" if len(found.unanswered) == 1 else f"{len(found.unanswered):,} tests take"
        yield f"{many} too long, or too much memory: not run again after the first time: {', '.join(found.unanswered)}"
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
        "unanswered": found.unanswered,
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
