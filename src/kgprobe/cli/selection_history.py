"""`kgprobe select --history`: one line for each change to an ontology in git, as in Tables 4 and 5 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import click

from kgprobe.cli.app import tell
from kgprobe.cli.graph_pair import read_version
from kgprobe.cli.options import Reading, print_json
from kgprobe.cli.progress import counting_progress
from kgprobe.cli.selection_input import found_tests
from kgprobe.cli.selection_options import SelectOptions
from kgprobe.entailment.class_hierarchy import share_class_edges
from kgprobe.errors import InputError, Position
from kgprobe.git.repository import Repository
from kgprobe.git.versions import Version, files_at, history
from kgprobe.graph.diff import Versions, aligned
from kgprobe.graph.graph import Graph
from kgprobe.reasoners.protocol import Reasoner
from kgprobe.selection.paper.planning import paper_plan
from kgprobe.selection.plan import safe_plan

__all__ = ["history_table"]


@dataclass(frozen=True, slots=True)
class _Row:
    old: Version
    new: Version
    add: int
    delete: int
    affect: int
    selected: int
    by_paper: int
    total: int


def history_table(path: Path, changes: str, options: SelectOptions, reading: Reading, reasoner: Reasoner | None) -> int:
    """Print what each change added, deleted and affected, and how many of the current tests it selects."""
    versions = _history(path, changes, reading)
    rows = []
    with counting_progress("changes", len(versions) - 1) as advance:
        old = _graph(path, versions[0], reading)
        for number, (before, after) in enumerate(pairwise(versions), start=1):
            new = _graph(path, after, reading)
            both = aligned(old, new)
            # Otherwise, it would be classified twice: as the new version here, and as the old one in the next row.
            share_class_edges(new, both.new, reasoner)
            rows.append(_row(before, after, both, options, reasoner))
            old = new
            advance(number)
    if options.prints_json:
        print_json({"changes": [_as_json(row) for row in rows]})
    else:
        _print(rows)
    return 0


def _history(path: Path, changes: str, reading: Reading) -> list[Version]:
    """The versions of a graph. A change to one of its imports also makes a version."""
    library = reading.library()
    if path.exists() and (reading.folders or reading.catalogs):
        reading.read(path, library)
    versions = history([path, *library.found.values(), *reading.catalogs], changes)
    wanted = int(changes) if changes.isdecimal() else 1
    hint = Repository.around(path).shallow_hint if len(versions) <= wanted else None
    if len(versions) < 2:
        where = Position(str(path))
        raise InputError(
            "has fewer than two versions in this range", where=where, hint=hint or "--history 10, or v1..v2"
        )
    if hint is not None:
        tell("warning", f"{path} has only {len(versions)} versions here: {hint}")
    return versions


def _graph(path: Path, version: Version, reading: Reading) -> Graph:
    with files_at(path, version.revision) as files:
        return read_version(path, files, reading)[0].graph


def _row(old: Version, new: Version, both: Versions, options: SelectOptions, reasoner: Reasoner | None) -> _Row:
    suite = found_tests(options.places, both, options.finder())
    paper = paper_plan(both, suite, reasoner=reasoner)
    plan = safe_plan(both, suite, options.regime, reasoner=reasoner)
    sets = paper.sets
    sizes = (len(sets.add), len(sets.delete), len(sets.affect))
    return _Row(old, new, *sizes, len(plan.chosen), len(paper.plan.chosen), len(plan.tests))


def _print(rows: Sequence[_Row]) -> None:
    click.echo(
        f"{'versions':19} {'date':10} {'ADD':>7} {'DELETE':>7} {'AFFECT':>7} {'selected':>13} {'':>7} {'paper':>7}"
    )
    for row in rows:
        share, by_paper = (count / row.total if row.total else 0.0 for count in (row.selected, row.by_paper))
        click.echo(
            f"{row.old.revision + ' ' + row.new.revision:19} {row.new.date:10} {row.add:7,} {row.delete:7,} "
            f"{row.affect:7,} {f'{row.selected:,} / {row.total:,}':>13} {share:7.2%} {by_paper:7.2%}"
        )


def _as_json(row: _Row) -> dict[str, object]:
    return {
        "old": row.old.revision,
        "new": row.new.revision,
        "date": row.new.date,
        "subject": row.new.subject,
        "add": row.add,
        "delete": row.delete,
        "affect": row.affect,
        "selected": row.selected,
        "selected_by_paper": row.by_paper,
        "total": row.total,
    }
