"""`kgprobe diff`: compare two versions of a graph."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click

from kgprobe.cli.app import is_quiet, tell
from kgprobe.cli.options import Reading, kept_until_the_end, option, print_json, read_pair, reads_graphs, takes
from kgprobe.comparison.compare import compare, with_inferred
from kgprobe.comparison.model import Comparison
from kgprobe.comparison.wording import Section, Wording, overview_lines, section_lines
from kgprobe.errors import InputError, KgprobeError, visible
from kgprobe.formats.files import Loaded
from kgprobe.owl.wording import Names
from kgprobe.rdf.terms import NamedNode
from kgprobe.wording import number_of

if TYPE_CHECKING:  # imported when needed, because it imports the reasoners
    from kgprobe.entailment.class_hierarchy import ClassEdges

_EXAMPLES = """\b
Examples:
  kgprobe diff old.owl new.owl                  a summary of at most one page
  kgprobe diff onto.owl --since HEAD~1          the old version is in git
  kgprobe diff old.owl new.owl --all            every change
  kgprobe diff old.obo new.obo --format kgcl    commands of the Knowledge Graph Change Language
  kgprobe diff old.ttl new.ttl --json           JSON output
  kgprobe diff old.owl new.owl --mode paper     the sets ADD, DELETE and AFFECT
"""
_MOST_LINES = 60
# How many of the inferred pairs of classes are listed; all are counted.
_MOST_PAIRS, _MOST_PAIRS_OF_SUMMARY = 1000, 20
_SECONDS_OF_SILENCE = 10.0


@dataclass(frozen=True, kw_only=True)
class DiffOptions:
    """The options of the command."""

    since: str | None = option(
        "--since", metavar="REVISION", help="Use NEW at this git revision as OLD, imports included."
    )
    form: str = option(
        "--format",
        type=click.Choice(["text", "json", "kgcl"]),
        default="text",
        show_default=True,
        help="The output format: text, JSON, or commands of the Knowledge Graph Change Language.",
    )
    as_json: bool = option("--json", is_flag=True, help="Short for --format json.")
    everything: bool = option("--all", is_flag=True, help="Print every change, however many there are.")
    no_inferred: bool = option("--no-inferred", is_flag=True, help="Leave out inferred changes to the class hierarchy.")
    reasoner: str | None = option(
        "--reasoner", metavar="NAME", help="The reasoner to use if the stated hierarchy is incomplete."
    )
    mode: str = option(
        "--mode",
        type=click.Choice(["default", "paper"]),
        default="default",
        show_default=True,
        help="paper: the added, deleted and affected classes and property edges, as in the paper on test selection.",
    )


@click.command("diff", epilog=_EXAMPLES)
@click.argument("graphs", metavar="[OLD] NEW", nargs=-1)
@takes(DiffOptions)
@reads_graphs
def command(graphs: tuple[str, ...], reading: Reading, options: DiffOptions) -> int:
    """Show what changed from OLD to NEW, two versions of a graph: entities, labels, axioms and inferences.

    The exit code is 0 if nothing has changed, and 1 if something has.
    """
    form = "json" if options.as_json else options.form
    if options.mode == "paper" and form == "kgcl":
        raise InputError("--mode paper does not support KGCL", hint="use --format text or json")
    with kept_until_the_end():
        pair = read_pair(graphs, options.since, reading, "diff")
        before, after = pair.old, pair.new
        if options.mode == "paper":
            return _print_sets(before, after, options.reasoner, as_json=form == "json", everything=options.everything)
        if form == "kgcl":
            return _print_commands(before, after)
        found = compare(before.graph, after.graph)
        if found.anything and not options.no_inferred:
            most = _MOST_PAIRS if options.everything or form == "json" else _MOST_PAIRS_OF_SUMMARY
            found = _with_inferred(found, before, after, options.reasoner, most)
        if form == "json":
            from kgprobe.comparison.formats import document

            print_json({"old": before.name, "new": after.name, **document(found, before.graph, after.graph)})
        else:
            _print(found, before, after, everything=options.everything)
        return int(found.anything)


def _with_inferred(found: Comparison, old: Loaded, new: Loaded, reasoner: str | None, most: int) -> Comparison:
    try:
        return with_inferred(found, *_hierarchies(old, new, reasoner), most=most)
    except KgprobeError as error:
        if reasoner is not None:  # the user did not ask for it explicitly
            raise
        tell("warning", f"inferred changes to the class hierarchy are left out: {error}")
        return found


def _hierarchies(old: Loaded, new: Loaded, reasoner: str | None) -> tuple[ClassEdges, ClassEdges]:
    from kgprobe.entailment.class_hierarchy import class_edges
    from kgprobe.reasoners.auto import opened

    with nullcontext() if reasoner is None else opened(reasoner) as asked:
        with _word_if_it_takes_long(f"classifying {old.name}"):
            before = class_edges(old.graph, asked)
        with _word_if_it_takes_long(f"classifying {new.name}"):
            return before, class_edges(new.graph, asked)


@contextmanager
def _word_if_it_takes_long(what: str) -> Iterator[None]:
    if is_quiet():
        yield
        return
    timer = threading.Timer(_SECONDS_OF_SILENCE, lambda: click.echo(f"kgprobe: {what}", err=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _print(found: Comparison, old: Loaded, new: Loaded, *, everything: bool) -> None:
    if not found.anything:
        _say(f"{old.name} → {new.name}: nothing has changed", is_title=False)
        return
    _say(f"{old.name} → {new.name}")
    wording = Wording(found, old.graph, new.graph, summary=not everything)
    first, last = list(overview_lines(found)), wording.how_inferred()
    for line in first:
        _say(f"  {line}")
    sections = wording.sections()
    if not sections:
        gone, come = found.counts.triples
        _say(f"  no changes to entities: {number_of(gone, 'triple')} removed, {come:,} added")
    _print_sections(sections, None if everything else _MOST_LINES - 1 - len(first) - len(last))
    for line in last:
        _say(line, is_title=False)


def _print_sections(sections: Sequence[Section], most: int | None) -> None:
    """Print the sections in at most this many lines. If some do not fit, the last line says how to see the rest."""
    lines = list(section_lines(sections, None if most is None else most - 1))
    for line in lines:
        _say(line)
    if most is not None and any(line.startswith("  …") for line in lines):
        click.echo("Use --all or --json to see every change.")


def _say(line: str, *, is_title: bool | None = None) -> None:
    """Print a line, in bold on a terminal if it is a title. Labels of the graph cannot control the terminal."""
    click.secho(visible(line), bold=not line.startswith(" ") if is_title is None else is_title)


def _print_commands(old: Loaded, new: Loaded) -> int:
    from kgprobe.comparison.formats import commands

    found = compare(old.graph, new.graph, follow_renames=False)
    made = commands(found, Names(old.graph, new.graph))
    for line in made.lines:
        click.echo(line)
    if made.unsaid:
        parts = ", ".join(f"{count:,} {what}" for what, count in made.unsaid.items())
        tell("note", f"KGCL cannot express {sum(made.unsaid.values()):,} of the changes: {parts}")
    return int(found.anything)


def _print_sets(old: Loaded, new: Loaded, reasoner: str | None, *, as_json: bool, everything: bool) -> int:
    """Print the sets from the paper: added, deleted and affected."""
    from kgprobe.entailment.rules import UndecidedError
    from kgprobe.selection.paper.planning import named_sets

    try:
        hierarchies = _hierarchies(old, new, reasoner)
    except UndecidedError as error:
        raise error.or_else("leave out --mode paper, which needs the class hierarchy") from None
    sets = named_sets(old.graph, new.graph, hierarchies)
    if as_json:
        print_json(sets)
    else:
        names = Names(old.graph, new.graph)
        sections = [
            Section(title.upper(), len(rows), len(rows), partial(_set_lines, rows, names))
            for title, rows in sets.items()
        ]
        _say(f"{old.name} → {new.name}")
        _print_sections(sections, None if everything else _MOST_LINES - 1)
    return int(any(sets.values()))


def _set_lines(rows: Iterable[list[str | None]], names: Names) -> Iterator[str]:
    for source, target, label in rows:
        ends = [names.with_label(NamedNode(end)) for end in (source, target) if end is not None]
        yield " → ".join(ends) + (f" ({label})" if label is not None else "")
