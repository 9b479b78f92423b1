"""`kgprobe operators`: list and show the built-in operators, and find new ones in graphs."""

from __future__ import annotations

import click

from kgprobe.cli.app import with_quiet_option
from kgprobe.cli.options import print_json
from kgprobe.errors import InputError
from kgprobe.mutation.catalogue import SETS, all_operators, named, operator_set
from kgprobe.mutation.operator import Description, Operator
from kgprobe.processes.limits import without_idle_threads
from kgprobe.wording import number_of

_EXAMPLES = """\b
Examples:
  kgprobe operators list                        all built-in operators
  kgprobe operators list --set owl-el           the operators of one set
  kgprobe operators show AddSubClassOf          its source, with examples
  kgprobe operators mine pizza.owl --out mined  new operators, from rules that hold in a graph
"""


class _Group(click.Group):
    """Loads `mine` only if it is used: it needs numpy, which takes longer to load than a list takes to print."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), "mine"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name != "mine":
            return super().get_command(ctx, cmd_name)
        with without_idle_threads():
            from kgprobe.cli.operators_mine import command as mine
        return with_quiet_option(mine)


@click.group("operators", cls=_Group, epilog=_EXAMPLES)
def command() -> None:
    """List the built-in operators, show one of them, or make new ones from rules that hold in graphs."""


@command.command("list", epilog=_EXAMPLES)
@click.option("--set", "set_name", metavar="SET", help=f"Only the operators of a set: {', '.join(SETS)}.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(set_name: str | None, as_json: bool) -> None:
    """List operators: their names, what they change (abox, tbox, both), and what they do."""
    found = operator_set(set_name) if set_name else all_operators()
    if as_json:
        print_json([_as_json(operator.description) for operator in found])
        return
    width = max(len(operator.description.name) for operator in found)
    for operator in found:
        described = operator.description
        click.echo(f"{described.name:<{width}}  {described.target:<4}  {described.summary}")
    if not set_name:
        click.echo("\nSets:")
        for name, words in SETS.items():
            click.echo(f"  {name:<8}  {number_of(len(operator_set(name)), 'operator'):>12} for {words}")


@command.command("show", epilog=_EXAMPLES)
@click.argument("name")
def show(name: str) -> None:
    """Show the source of an operator: SPARQL Update with a header, or Python."""
    click.echo(_named(name).source.rstrip())


def _named(name: str) -> Operator:
    if name in SETS:
        raise InputError(f"'{name}' is a set of operators", hint=f"see 'kgprobe operators list --set {name}'")
    return named(name)


def _as_json(described: Description) -> dict[str, object]:
    return {
        "name": described.name,
        "does": described.summary,
        "target": described.target.value,
        "domain_specific": described.domain_specific,
        "sets": list(described.sets),
        "paper": described.paper,
        "rdfmutate": list(described.rdfmutate),
    }
