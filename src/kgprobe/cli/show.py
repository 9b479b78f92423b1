"""`kgprobe show`: show the findings of a campaign, or the story of one of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from kgprobe.campaign.reproduction import compared_graph, failing_graph, failing_question, test_text
from kgprobe.campaign.store import Store, read_store, seed_file
from kgprobe.campaign.summary import NumberedFinding, Summary, summary_of
from kgprobe.cli.options import named_store, option, parted, print_json, takes
from kgprobe.errors import InputError
from kgprobe.formats.files import save
from kgprobe.learning.located import located_in
from kgprobe.rdf.graph import Graph
from kgprobe.report.campaign import finding_value, story_lines, summary_lines, summary_value
from kgprobe.wording import number_of
from kgprobe.written_files import check_writable, write_new

_EXAMPLES = """\b
Examples:
  kgprobe show profile.sqlite                           all findings so far
  kgprobe show profile.sqlite#1                         the story of the first finding
  kgprobe show profile.toml#1                           the same, with the known bugs of the profile
  kgprobe show profile.sqlite#1 --json                  for a machine
  kgprobe show profile.sqlite#1 --case failing.ttl      write the failing graph, reduced if it was
  kgprobe show profile.sqlite#1 --as-test test_menu.py  write a test that fails until the bug is fixed
"""


@dataclass(frozen=True, kw_only=True)
class ShowOptions:
    """The options of the command."""

    case: str | None = option(
        "--case", metavar="FILE", help="Write the failing graph to this file, in the format of its suffix."
    )
    whole: bool = option("--whole", is_flag=True, help="With --case: write the whole graph, not the reduced one.")
    as_test: str | None = option(
        "--as-test", metavar="FILE", help="Write a test for pytest to this file, and its graph beside it."
    )
    force: bool = option("--force", is_flag=True, help="Replace files that exist.")
    as_json: bool = option("--json", is_flag=True, help="Print JSON.")


@click.command("show", epilog=_EXAMPLES)
@click.argument("source", metavar="FINDING")
@takes(ShowOptions)
def command(source: str, options: ShowOptions) -> None:
    """Print the story of a finding: the failure, the origin of its case, the reduced graph, and how to reproduce it.

    A FINDING is the store of a campaign, or its profile, with a number: profile.sqlite#1. Without a number, all
    findings are listed. The campaign may still be running. --case and --as-test write the finding to files.
    """
    name, number = parted(source)
    if number is None and (options.case is not None or options.as_test is not None):
        raise InputError(f"'{source}' does not name a finding", hint=f"write {source}#1 for the first")
    if options.whole and options.case is None:
        raise InputError("--whole needs --case")
    path, known = named_store(name)
    with read_store(path) as store:
        summary = summary_of(store, known)
        if number is None:
            _print_all(summary, path, options.as_json)
            return
        found = next((finding for finding in summary.findings if finding.number == number), None)
        if found is None:
            hint = f"it has findings 1 to {len(summary.findings)}" if summary.findings else "it has no findings"
            raise InputError(f"{path} has no finding {number}", hint=hint)
        if options.case is not None:
            _write_case(found, store, Path(options.case), whole=options.whole, force=options.force)
        if options.as_test is not None:
            _write_test(found, store, Path(options.as_test), force=options.force)
        if options.case is not None or options.as_test is not None:
            return
        if options.as_json:
            print_json(finding_value(found, summary, located_in(store, [found.finding.signature])))
            return
        for line in story_lines(found, store):
            click.echo(line)


def _write_case(found: NumberedFinding, store: Store, file: Path, *, whole: bool, force: bool) -> None:
    check_writable(file, force=force, inputs=[store.path])
    question = failing_question(found.finding, store)
    if question is not None:
        write_new(file, question, force=force)
        click.echo(f"{file}: 1 case; [questions] cases in a profile can name it")
        return
    graph = failing_graph(found.finding, store, whole=whole)
    compared = compared_graph(found.finding, store, whole=whole)
    if compared is not None:
        _save_compared(compared, file, force=force)
    save(graph, file, force=force)
    click.echo(f"{file}: {number_of(len(graph), 'triple')}")


def _save_compared(graph: Graph, beside: Path, *, force: bool) -> None:
    """Write the graph that a failing graph is compared with to a file beside it."""
    file = seed_file(beside)
    check_writable(file, force=force)
    save(graph, file, force=force)
    click.echo(f"{file}: {number_of(len(graph), 'triple')} of the seed graph, to compare with")


def _write_test(found: NumberedFinding, store: Store, file: Path, *, force: bool) -> None:
    if file.suffix != ".py":
        raise InputError(f"'{file}' is not the name of a Python file", hint="write test_something.py")
    graph = file.with_suffix(".ttl")
    for written in (file, graph):
        check_writable(written, force=force)
    text = test_text(found.finding, store, file, graph)
    compared = compared_graph(found.finding, store, whole=False)
    if compared is not None:
        _save_compared(compared, graph, force=force)
    save(failing_graph(found.finding, store, whole=False), graph, force=force)
    write_new(file, text, force=force)
    click.echo(f"{file}: a test that fails until the bug is fixed, on {graph.name}; run it with pytest {file}")


def _print_all(summary: Summary, path: Path, as_json: bool) -> None:
    if as_json:
        print_json(summary_value(summary, ""))
        return
    for line in summary_lines(summary, path.name):
        click.echo(line)
