"""`kgprobe operators mine`: rules that hold in graphs, and operators made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import NumberRange, Reading, graph_files, print_json, reads_graphs
from kgprobe.cli.progress import live_line
from kgprobe.errors import InputError
from kgprobe.formats.files import Loaded
from kgprobe.mining.files import as_json, check_folder, check_rules_file, rule_text, write_rules
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
_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class _Wanted:
    """What to make of the rules."""

    out: Path | None
    rules: Path | None
    keep_profile: str | None
    force: bool
    as_json: bool

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


def _at_least(option: str, default: int, help_: str) -> Callable[[_Command], _Command]:
    return click.option(option, metavar="N", type=click.IntRange(1), default=default, show_default=True, help=help_)


@click.command("mine", epilog=_EXAMPLES)
@click.argument("graphs", metavar="GRAPH...", nargs=-1, required=True)
@click.option(
    "--out", metavar="DIR", type=click.Path(path_type=Path), help="Write operators to this folder, as .ru files."
)
@click.option(
    "--rules", metavar="FILE", type=click.Path(path_type=Path), help="Write the rules to this .json, .csv or .ttl file."
)
@click.option("--json", "as_json", is_flag=True, help="Print the rules as JSON.")
@_at_least("--min-body", 50, "The body holds at least so often.")
@_at_least("--min-head", 20, "The head holds at least so often.")
@click.option(
    "--min-confidence",
    metavar="SHARE",
    type=NumberRange(0, 1),
    default=0.8,
    show_default=True,
    help="Where the body holds, the head does in at least this share of cases.",
)
@_at_least("--min-support", 1, "Body and head hold together at least so often.")
@click.option(
    "--max-atoms",
    type=click.IntRange(2, 3),
    default=3,
    show_default=True,
    help="The atoms of a rule, its head included.",
)
@click.option(
    "--constants",
    type=click.Choice(CONSTANTS),
    default="all",
    show_default=True,
    help="Where rules may have IRIs and literals, besides their predicates.",
)
@click.option("--keep-redundant", is_flag=True, help="Keep rules that say no more than others, or nothing.")
@click.option("--vocabulary-only", is_flag=True, help="No IRIs outside of rdf, rdfs, owl and xsd.")
@click.option(
    "--keep-profile",
    type=click.Choice(["el"]),
    help="Repair or drop operators whose mutants of the given graphs leave this OWL 2 profile.",
)
@click.option("--force", is_flag=True, help="Replace operators of an earlier run, and FILE.")
@click.option(
    "--time-limit",
    metavar="SECONDS",
    type=NumberRange(min=0, min_open=True),
    help="Stop the search after this time, with the rules found so far.",
)
@click.option(
    "--memory-mb", metavar="N", type=click.IntRange(1), help="Stop the search before kgprobe takes more memory."
)
@reads_graphs
def command(
    graphs: Sequence[str],
    reading: Reading,
    time_limit: float | None,
    memory_mb: int | None,
    max_atoms: int,
    constants: str,
    vocabulary_only: bool,
    **given: Any,
) -> None:
    """Find rules that hold in each GRAPH, a file or a folder, and make operators that add or remove such patterns.

    A rule has up to two body atoms and a head, such as: ?a q ?b, ?b r C => ?a p C. Each graph is searched alone, and
    the rules are united.
    """
    names = {
        each: given.pop(each) for each in ("min_support", "min_body", "min_head", "min_confidence", "keep_redundant")
    }
    wanted = _Wanted(**given)
    files = graph_files(graphs)
    wanted.check(files)
    read: list[Loaded] = []
    budget = Budget(time_limit, memory_mb)
    with live_line() as show:
        mined = mine_named(
            _graphs(files, reading, read, keep=wanted.keep_profile is not None or len(files) == 1),
            thresholds=Thresholds(**names),
            budget=budget,
            max_atoms=max_atoms,
            constants=constants,
            vocabulary_only=vocabulary_only,
            on_progress=lambda text: show(lambda: text),
        )
    if wanted.rules is not None:
        write_rules(wanted.rules, mined, force=wanted.force)
    operators = None
    if wanted.out is not None:
        # Loaded only if needed: trying operators takes half of kgprobe.
        from kgprobe.cli.mined_operators import write_mined_operators

        operators = write_mined_operators(
            mined,
            [each.graph for each in read],
            wanted.out,
            keep_profile=wanted.keep_profile is not None,
            force=wanted.force,
            budget=budget,
        )
    _report(mined, len(files), wanted, operators)
    for each in mined.not_explored:
        tell("warning", f"not complete: {each}")
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


def _report(mined: MinedRules, graphs: int, wanted: _Wanted, operators: dict[str, Any] | None) -> None:
    if wanted.as_json:
        print_json(as_json(mined) | ({} if operators is None else {"operators": operators}))
        return
    click.echo(f"{number_of(len(mined.rules), 'rule')} in {number_of(graphs, 'graph')}")
    if operators is not None:
        from kgprobe.cli.mined_operators import print_operators

        print_operators(operators)
    elif wanted.rules is None and mined.rules:
        click.echo(f"{'confidence':>10}{'support':>9}{'body':>9}{'head':>9}  rule")
        for rule in mined.rules[:_SHOWN]:
            click.echo(
                f"{rule.confidence:>10.3f}{rule.support:>9,}{rule.body_size:>9,}{rule.head_size:>9,}  {rule_text(rule)}"
            )
        if len(mined.rules) > _SHOWN:
            click.echo(f"… and {len(mined.rules) - _SHOWN:,} more; --json or --rules FILE has all of them")
    if wanted.rules is not None:
        click.echo(f"written to {wanted.rules}")
