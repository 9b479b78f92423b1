"""`kgprobe operators mine`: rules that hold in graphs, and operators made from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import NumberRange, Reading, graph_files, option, print_json, reads_graphs, takes
from kgprobe.cli.progress import live_line, steps_progress
from kgprobe.errors import InputError
from kgprobe.formats.files import Loaded
from kgprobe.mining.files import as_json, check_folder, check_rules_file, rule_text, write_operators, write_rules
from kgprobe.mining.index import CONSTANTS
from kgprobe.mining.rules import Budget, MinedRules, Thresholds
from kgprobe.mining.search import mine_named
from kgprobe.rdf.graph import Graph
from kgprobe.wording import number_of
from kgprobe.written_files import check_writable

_EXAMPLES = """\b
Examples:
  kgprobe operators mine pizza.owl --out mined                  a .ru file for each operator
  kgprobe operators mine pizza.owl --rules rules.json           the rules only, in a file
  kgprobe operators mine ore --vocabulary-only --keep-profile el --out mined
  kgprobe operators mine facts.tsv --base http://example.org/ --constants none --min-support 100 --json
"""
# So many rules are printed as text.
_SHOWN = 20
# With more operators that were changed, one line stands for all with the same reason.
_MOST_LINES = 200


def _at_least(name: str, default: int, help_: str) -> int:
    made: int = option(name, metavar="N", type=click.IntRange(1), default=default, show_default=True, help=help_)
    return made


@dataclass(frozen=True, kw_only=True)
class MineOptions:
    """The options of the command."""

    out: Path | None = option(
        "--out", metavar="DIR", type=click.Path(path_type=Path), help="Write operators to this folder, as .ru files."
    )
    rules: Path | None = option(
        "--rules",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Write the rules to this .json, .csv or .ttl file.",
    )
    as_json: bool = option("--json", is_flag=True, help="Print the rules as JSON.")
    min_body: int = _at_least("--min-body", 50, "The body holds at least so often.")
    min_head: int = _at_least("--min-head", 20, "The head holds at least so often.")
    min_confidence: float = option(
        "--min-confidence",
        metavar="SHARE",
        type=NumberRange(0, 1),
        default=0.8,
        show_default=True,
        help="Where the body holds, the head does in at least this share of cases.",
    )
    min_support: int = _at_least("--min-support", 1, "Body and head hold together at least so often.")
    max_atoms: int = option(
        "--max-atoms",
        type=click.IntRange(2, 3),
        default=3,
        show_default=True,
        help="The atoms of a rule, its head included.",
    )
    constants: str = option(
        "--constants",
        type=click.Choice(CONSTANTS),
        default="all",
        show_default=True,
        help="Where rules may have IRIs and literals, besides their predicates.",
    )
    keep_redundant: bool = option(
        "--keep-redundant", is_flag=True, help="Keep rules that say no more than others, or nothing."
    )
    vocabulary_only: bool = option("--vocabulary-only", is_flag=True, help="No IRIs outside of rdf, rdfs, owl and xsd.")
    keep_profile: str | None = option(
        "--keep-profile",
        type=click.Choice(["el"]),
        help="Repair or drop operators whose mutants of the given graphs leave this OWL 2 profile.",
    )
    force: bool = option("--force", is_flag=True, help="Replace operators of an earlier run, and FILE.")
    time_limit: float | None = option(
        "--time-limit",
        metavar="SECONDS",
        type=NumberRange(min=0, min_open=True),
        help="Stop the search after this time, with the rules found so far.",
    )
    memory_mb: int | None = option(
        "--memory-mb", metavar="N", type=click.IntRange(1), help="Stop the search before kgprobe takes more memory."
    )

    @property
    def thresholds(self) -> Thresholds:
        """What rules have to reach."""
        return Thresholds(
            min_support=self.min_support,
            min_body=self.min_body,
            min_head=self.min_head,
            min_confidence=self.min_confidence,
            keep_redundant=self.keep_redundant,
        )

    def check(self, inputs: Sequence[str]) -> None:
        """Raise InputError for what cannot work, before any work is done."""
        if self.out is not None:
            check_folder(self.out)
        if self.rules is not None:
            check_rules_file(self.rules)
            check_writable(self.rules, force=self.force, inputs=inputs)
        if self.keep_profile is not None and self.out is None:
            hint = "name a folder with --out"
            raise InputError("--keep-profile is about operators, and none are written", hint=hint)
        if self.force and self.out is None and self.rules is None:
            hint = "name a folder with --out, or a file with --rules"
            raise InputError("--force is about files, and none are written", hint=hint)


@click.command("mine", epilog=_EXAMPLES)
@click.argument("graphs", metavar="GRAPH...", nargs=-1, required=True)
@takes(MineOptions)
@reads_graphs
def command(graphs: Sequence[str], reading: Reading, options: MineOptions) -> None:
    """Find rules that hold in each GRAPH, a file or a folder, and make operators that add or remove such patterns.

    A rule has up to two body atoms and a head, such as: ?a q ?b, ?b r C => ?a p C. Each graph is searched alone, and
    the rules are united.
    """
    files = graph_files(graphs)
    options.check(files)
    read: list[Loaded] = []
    budget = Budget(options.time_limit, options.memory_mb)
    with live_line() as show:
        mined = mine_named(
            _graphs(files, reading, read, keep=options.keep_profile is not None or len(files) == 1),
            thresholds=options.thresholds,
            budget=budget,
            max_atoms=options.max_atoms,
            constants=options.constants,
            vocabulary_only=options.vocabulary_only,
            on_progress=lambda text: show(lambda: text),
        )
    if options.rules is not None:
        write_rules(options.rules, mined, force=options.force)
    operators = None
    if options.out is not None:
        operators = _written(mined, [loaded.graph for loaded in read], options.out, options, budget)
    _report(mined, len(files), options, operators)
    for part in mined.not_explored:
        tell("warning", f"not complete: {part}")
    if not mined.rules:
        advice = "try smaller values of --min-body, --min-head and --min-confidence"
        tell("warning", f"no rules found{f': {advice}' if mined.is_complete else ' within the limits'}")


def _graphs(paths: Sequence[str], reading: Reading, read: list[Loaded], *, keep: bool) -> Iterator[tuple[str, Graph]]:
    """The graphs, one after the other. Only those that are needed later are kept."""
    for path in paths:
        loaded = reading.read(path)
        if keep:
            read.append(loaded)
        yield loaded.name, loaded.graph


def _report(mined: MinedRules, graphs: int, options: MineOptions, operators: dict[str, Any] | None) -> None:
    if options.as_json:
        print_json(as_json(mined) | ({} if operators is None else {"operators": operators}))
        return
    click.echo(f"{number_of(len(mined.rules), 'rule')} in {number_of(graphs, 'graph')}")
    if operators is not None:
        _print_operators(operators)
    elif options.rules is None and mined.rules:
        click.echo(f"{'confidence':>10}{'support':>9}{'body':>9}{'head':>9}  rule")
        for rule in mined.rules[:_SHOWN]:
            click.echo(
                f"{rule.confidence:>10.3f}{rule.support:>9,}{rule.body_size:>9,}{rule.head_size:>9,}  {rule_text(rule)}"
            )
        if len(mined.rules) > _SHOWN:
            click.echo(f"… and {len(mined.rules) - _SHOWN:,} more; --json or --rules FILE has all of them")
    if options.rules is not None:
        click.echo(f"written to {options.rules}")


# -- the operators: made from the rules, tried on the graphs, and written to a folder ----------------------------------


def _written(
    mined: MinedRules, graphs: Sequence[Graph], folder: Path, options: MineOptions, budget: Budget
) -> dict[str, Any]:
    """Write the operators of the rules, and say what became of them, as JSON.

    `graphs` are those to try the operators on. If there is one only, its labels are used in descriptions.
    """
    # Loaded only if needed: trying operators takes half of kgprobe.
    from kgprobe.learning.operator_trials import Outcome, keep_in_el
    from kgprobe.mining.operators import mined_operators, update_of

    operators = mined_operators(mined.rules)
    labels = graphs[0] if len(graphs) == 1 else None
    result: dict[str, Any] = {"folder": str(folder), "made": len(operators)}
    if options.keep_profile is not None and operators:
        with steps_progress() as on_progress:
            tried = keep_in_el(operators, graphs, labels=labels, budget=budget, on_progress=on_progress)
        updates = tried.updates
        result |= {outcome.value: tried.count(outcome) for outcome in Outcome}
        result["changed"] = [
            {"name": operator.name, "outcome": operator.outcome.value, "reason": operator.reason}
            for operator in tried.operators
            if operator.reason is not None
        ]
        result["trial"] = {"mutants": tried.mutants, "invalid": tried.invalid}
    else:
        updates = tuple(update_of(operator, labels) for operator in operators)
    written = write_operators(updates, folder, force=options.force)
    result["files"] = [str(path) for path in written.files]
    result["removed"] = [str(path) for path in written.removed]
    return result


def _print_operators(result: dict[str, Any]) -> None:
    """Print what became of the operators: a line for each that was changed or dropped, or for each reason if many."""
    changed = result.get("changed", ())
    if len(changed) <= _MOST_LINES:
        for operator in changed:
            click.echo(f"  {operator['name']} was {operator['outcome']}: {operator['reason']}")
    else:
        alike: dict[tuple[str, str], list[str]] = {}
        for operator in changed:
            reason = operator["reason"].partition("; repaired,")[0]
            alike.setdefault((operator["outcome"], reason), []).append(operator["name"])
        for (outcome, reason), names in sorted(alike.items(), key=lambda item: -len(item[1])):
            click.echo(f"  {number_of(len(names), 'operator')}, such as {names[0]}: {outcome}: {reason}")
        click.echo("  --json has the reason for each of them")
    if "changed" in result:
        from kgprobe.learning.operator_trials import Outcome

        counts = ", ".join(f"{result[outcome.value]} {outcome.value}" for outcome in Outcome)
        click.echo(f"{number_of(result['made'], 'operator')} tried: {counts}")
    for name in result["removed"]:
        click.echo(f"  {name} of an earlier run was removed")
    click.echo(f"{number_of(len(result['files']), 'operator')} in {result['folder']}")
