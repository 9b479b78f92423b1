"""`kgprobe show`: the findings of a campaign, and the story of one of them."""

from __future__ import annotations

from pathlib import Path

import click

from kgprobe.campaign.store import read_store
from kgprobe.campaign.summary import Summary, summary_of
from kgprobe.cli.options import print_json
from kgprobe.config.loading import load_profile
from kgprobe.config.oracles import known_in
from kgprobe.errors import InputError
from kgprobe.oracles.known import KnownBugs
from kgprobe.report.console import summary_lines
from kgprobe.report.story import story_lines
from kgprobe.report.values import finding_value, summary_value

_EXAMPLES = """\b
Examples:
  kgprobe show profile.sqlite           all findings, as they are by now
  kgprobe show profile.sqlite#1         the story of the first
  kgprobe show profile.toml#1           the same, by the profile, whose known bugs are named
  kgprobe show profile.sqlite#1 --json  for a machine
"""


@click.command("show", epilog=_EXAMPLES)
@click.argument("source", metavar="FINDING")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(source: str, as_json: bool) -> None:
    """Print the story of a finding: the mutations in words, the verdict, the reduced graph, and how to see it again.

    A FINDING is the store of a campaign, or its profile, and a number: profile.sqlite#1. Without a number, all findings
    are listed. A campaign that is still running can be looked at.
    """
    name, number = _parted(source)
    path, known = _store(name)
    with read_store(path) as store:
        summary = summary_of(store, known)
        if number is None:
            _print_all(summary, path, as_json)
            return
        found = next((each for each in summary.findings if each.number == number), None)
        if found is None:
            hint = f"it has 1 to {len(summary.findings)}" if summary.findings else "it has none"
            raise InputError(f"there is no finding {number} in {path}", hint=hint)
        if as_json:
            print_json(finding_value(found, summary))
            return
        for line in story_lines(found, store):
            click.echo(line)


def _parted(source: str) -> tuple[str, int | None]:
    name, sign, number = source.rpartition("#")
    if not sign:
        return source, None
    if not name or not (number.isascii() and number.isdecimal()) or len(number) > 9:
        raise InputError(f"'{source}' names no finding", hint="write the store and a number: profile.sqlite#1")
    return name, int(number)


def _store(name: str) -> tuple[Path, KnownBugs]:
    if name.casefold().endswith(".toml"):
        profile = load_profile(name)
        return profile.campaign.store, known_in(profile)
    return Path(name), KnownBugs([])


def _print_all(summary: Summary, path: Path, as_json: bool) -> None:
    if as_json:
        print_json(summary_value(summary, ""))
        return
    for line in summary_lines(summary, path.name):
        click.echo(line)
