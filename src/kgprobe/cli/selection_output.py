"""What `kgprobe select` prints: a plan in one of the formats, and the repairs that it makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import print_json
from kgprobe.owl.wording import Names
from kgprobe.rdf.diff import Versions
from kgprobe.report.selection import coverage_as_json, coverage_lines, plan_as_json, plan_as_junit, plan_lines
from kgprobe.selection.plan import SelectionPlan
from kgprobe.selection.tests import Suite
from kgprobe.wording import number_of

if TYPE_CHECKING:
    from kgprobe.selection.paper.planning import EntityCoverage

__all__ = ["fix", "print_plan"]


def print_plan(
    plan: SelectionPlan,
    suite: Suite,
    extra: dict[str, object],
    versions: Versions,
    covered: EntityCoverage | None,
    output: str,
) -> None:
    if output == "json":
        print_json({**plan_as_json(plan), **extra, **_coverage_as_json(covered)})
    elif output == "junit":
        click.echo(plan_as_junit(plan), nl=False)
    elif output == "text":
        names = Names(versions.old, versions.new)
        click.echo("\n".join((*plan_lines(plan, names.explained), *(coverage_lines(covered) if covered else ()))))
    else:
        _print_names(plan, suite, for_pytest=output == "pytest")


def _coverage_as_json(covered: EntityCoverage | None) -> dict[str, object]:
    return {} if covered is None else {"coverage": coverage_as_json(covered)}


def _print_names(plan: SelectionPlan, suite: Suite, *, for_pytest: bool) -> None:
    """The names of the tests to run; for pytest, what its plugin runs: also tests that do not use the graph."""
    named = [each.test.name for each in plan.chosen if each.test.kind == "python" or not for_pytest]
    for name in (*named, *(suite.unrelated if for_pytest else ())):
        click.echo(name)
    if len(named) < len(plan.chosen):
        others = len(plan.chosen) - len(named)
        tell("note", f"{others} selected tests are not for pytest; --format list has them")


def fix(plan: SelectionPlan) -> None:
    """Repair tests that name a deleted entity, and show the changes."""
    from kgprobe.selection.gaps_and_repairs import apply

    for repair in plan.repairs:
        click.echo(repair.as_diff(), nl=False, err=True)
    apply(plan.repairs)
    repaired = sum(each.replacement is not None or each.now is not None for each in plan.broken)
    left = len(plan.broken) - repaired
    rest = f"; {number_of(left, 'name')} without a known replacement" if left else ""
    tell("note", f"{number_of(len(plan.repairs), 'file')} repaired{rest}")
