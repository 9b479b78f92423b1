"""`kgprobe questions rules`: list and show the rules of inference."""

from __future__ import annotations

import click

from kgprobe.cli.options import print_json
from kgprobe.questions.rules.language import built_in, rule_named

_EXAMPLES = """\b
Examples:
  kgprobe questions rules              all built-in rules
  kgprobe questions rules transitive   its file, as a start for your own rule
"""


@click.command("rules", epilog=_EXAMPLES, short_help="list the rules of inference, or show one of them")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(name: str | None, as_json: bool) -> None:
    """List the built-in rules, or show the file of the rule NAME."""
    rules = built_in().values() if name is None else [rule_named(name)]
    if as_json:
        print_json([{"name": rule.name, "about": rule.about, "source": rule.source} for rule in rules])
    elif name is not None:
        click.echo(rule_named(name).source.rstrip())
    else:
        width = max(len(rule.name) for rule in rules)
        for rule in rules:
            click.echo(f"{rule.name:<{width}}  {rule.about}")
