"""A plan of tests to run: as text, as JSON, and in JUnit format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from xml.etree import ElementTree

from kgprobe.graph.terms import NamedNode
from kgprobe.report.wording import xml_text
from kgprobe.selection.plan import PlannedTest, SelectionPlan
from kgprobe.selection.wording import Reason

__all__ = ["plan_as_json", "plan_as_junit", "plan_lines", "summary_line"]

# Further reasons for a test are only counted; JSON lists all of them.
_MOST_REASONS = 3
_MOST_GAPS = 10


def summary_line(plan: SelectionPlan) -> str:
    """The number of tests to run, and the size of the change."""
    total = len(plan.tests)
    change = f"{plan.removed:,} triples removed, {plan.added:,} added"
    return f"{len(plan.chosen):,} of {total:,} tests to run ({plan.share:.1%}): {change}"


def plan_lines(plan: SelectionPlan, spelled: Callable[[NamedNode], str]) -> Iterator[str]:
    """The plan as lines of text."""
    yield summary_line(plan)
    for said in plan.how:
        yield f"  {said}"
    for each in plan.chosen:
        yield ""
        yield each.test.name
        for reason in each.because[:_MOST_REASONS]:
            yield f"  {reason}"
        if len(each.because) > _MOST_REASONS:
            yield f"  and {len(each.because) - _MOST_REASONS} more"
    yield from _gap_lines(plan, spelled)
    yield from _broken_lines(plan, spelled)


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
    yield "Tests that name a deleted or deprecated entity:"
    for each in plan.broken:
        instead = f", replaced by {spelled(each.replacement)}" if each.replacement else ""
        yield f"  {each.test.name}: {spelled(each.term)}{instead}"
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
        "selected": [_planned_as_json(each) for each in plan.chosen],
        "total": len(plan.tests),
        "share": round(plan.share, 4),
        "untested": [{"entity": gap.term.value, "suggestion": gap.suggestion} for gap in plan.gaps],
        "broken": [
            {
                "test": each.test.name,
                "entity": each.term.value,
                "replacement": each.replacement.value if each.replacement else None,
            }
            for each in plan.broken
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
    }


def plan_as_junit(plan: SelectionPlan) -> str:
    """The plan as a report in which tests that do not have to run are skipped."""
    chosen = {each.test.name: each for each in plan.chosen}
    suite = ElementTree.Element("testsuite", name="kgprobe select")
    for test in [*(each.test for each in plan.chosen), *(test for test in plan.tests if test.name not in chosen)]:
        case = ElementTree.SubElement(suite, "testcase", classname=test.kind, name=xml_text(test.name))
        if test.name in chosen:
            text = "\n".join(map(str, chosen[test.name].because))
            ElementTree.SubElement(case, "system-out").text = xml_text(text)
        else:
            ElementTree.SubElement(case, "skipped", message="the change cannot affect it")
    suite.set("tests", str(len(suite)))
    suite.set("skipped", str(len(plan.tests) - len(plan.chosen)))
    suite.set("failures", "0")
    suite.set("errors", "0")
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
