"""The operators of `kgprobe operators mine`: made from rules, tried on the graphs, and written to a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from kgprobe.cli.progress import steps_progress
from kgprobe.learning.operator_trials import Outcome, TriedOperators, keep_in_el
from kgprobe.mining.files import write_operators
from kgprobe.mining.operators import MinedOperator, mined_operators, update_of
from kgprobe.mining.rules import Budget, MinedRules
from kgprobe.rdf.graph import Graph
from kgprobe.wording import number_of

# With more operators that were changed, one line stands for all with the same reason.
_MOST_LINES = 200


def write_mined_operators(
    mined: MinedRules, graphs: Sequence[Graph], folder: Path, *, keep_profile: bool, force: bool, budget: Budget
) -> dict[str, Any]:
    """Write the operators of the rules, and say what became of them, as JSON.

    `graphs` are those to try the operators on. If there is one only, its labels are used in descriptions.
    """
    operators = mined_operators(mined.rules)
    labels = graphs[0] if len(graphs) == 1 else None
    result: dict[str, Any] = {"folder": str(folder), "made": len(operators)}
    if keep_profile and operators:
        tried = _tried(operators, graphs, labels, budget)
        updates = tried.updates
        result |= {outcome.value: tried.count(outcome) for outcome in Outcome}
        result["changed"] = [
            {"name": each.name, "outcome": each.outcome.value, "reason": each.reason}
            for each in tried.operators
            if each.reason is not None
        ]
        result["trial"] = {"mutants": tried.mutants, "invalid": tried.invalid}
    else:
        updates = tuple(update_of(operator, labels) for operator in operators)
    written = write_operators(updates, folder, force=force)
    result["files"] = [str(path) for path in written.files]
    result["removed"] = [str(path) for path in written.removed]
    return result


def _tried(
    operators: Sequence[MinedOperator], graphs: Sequence[Graph], labels: Graph | None, budget: Budget
) -> TriedOperators:
    with steps_progress() as on_progress:
        return keep_in_el(
            operators,
            graphs,
            labels=labels,
            budget=budget,
            on_progress=on_progress,
        )


def print_operators(result: dict[str, Any]) -> None:
    """Print what became of the operators: a line for each that was changed or dropped, or for each reason if many."""
    changed = result.get("changed", ())
    if len(changed) <= _MOST_LINES:
        for each in changed:
            click.echo(f"  {each['name']} was {each['outcome']}: {each['reason']}")
    else:
        alike: dict[tuple[str, str], list[str]] = {}
        for each in changed:
            reason = each["reason"].partition("; repaired,")[0]
            alike.setdefault((each["outcome"], reason), []).append(each["name"])
        for (outcome, reason), names in sorted(alike.items(), key=lambda item: -len(item[1])):
            click.echo(f"  {number_of(len(names), 'operator')}, such as {names[0]}: {outcome}: {reason}")
        click.echo("  --json has the reason for each of them")
    if "changed" in result:
        counts = ", ".join(f"{result[outcome.value]} {outcome.value}" for outcome in Outcome)
        click.echo(f"{number_of(result['made'], 'operator')} tried: {counts}")
    for name in result["removed"]:
        click.echo(f"  {name} of an earlier run was removed")
    click.echo(f"{number_of(len(result['files']), 'operator')} in {result['folder']}")
