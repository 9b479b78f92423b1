"""`kgprobe select --audit`: check on mutants of the ontology whether selection is safe for these tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

import click

from kgprobe.cli.options import Reading, print_json
from kgprobe.cli.progress import counting_progress
from kgprobe.cli.selection_options import SelectOptions, found_tests
from kgprobe.errors import InputError
from kgprobe.graph.diff import Versions
from kgprobe.graph.graph import Delta, Graph
from kgprobe.mutation.catalogue import SETS, named, operator_set
from kgprobe.mutation.generator import Generator
from kgprobe.mutation.operator import Operator
from kgprobe.mutation.strategies import Weighted
from kgprobe.reasoners.choice import opened
from kgprobe.reasoners.protocol import Reasoner
from kgprobe.report.selection import audit_as_json, audit_lines
from kgprobe.selection.audit import audit
from kgprobe.selection.paper.planning import PaperSelector

__all__ = ["audited"]

_USUAL_SETS = ("generic", "owl-dl", "abox")


def audited(
    path: Path,
    places: Sequence[Path],
    options: SelectOptions,
    reading: Reading,
    reasoner: Reasoner | None,
) -> int:
    """Make mutants, run all queries on both versions, and print how many tests each mode selected and missed."""
    graph = reading.read(path).graph
    suite = found_tests(places, Versions(graph, graph), options.finder())
    count = options.mutants
    with opened() if reasoner is None else nullcontext(reasoner) as asked:
        others = {"paper": PaperSelector(graph, suite, asked)}
        with counting_progress("mutants", count) as advance:
            found = audit(
                graph,
                suite,
                _changes(graph, options),
                options.regime,
                others=others,
                reasoner=asked,
                on_progress=advance,
            )
    if not found.tests:
        raise InputError("none of the tests is a query that can be run", hint="--tests names a folder with .rq files")
    if options.prints_json:
        print_json(audit_as_json(found))
    else:
        for line in audit_lines(found):
            click.echo(line)
    return int(bool(found.modes["safe"].misses))


def _changes(graph: Graph, options: SelectOptions) -> Iterator[Delta]:
    """The mutants, as changes. The number of mutations varies from one to the requested number."""
    operators = [Weighted(operator) for operator in _operators(options.operators)]
    most = options.mutations
    generators = [
        Generator(graph, operators, mutations=mutations, seed=options.seed + mutations).mutants(options.mutants)
        for mutations in range(1, most + 1)
    ]
    for number in range(options.mutants):
        mutant = next(generators[number % most], None)
        if mutant is not None:
            yield mutant.delta


def _operators(names: Sequence[str]) -> list[Operator]:
    found: dict[str, Operator] = {}
    for name in names or _USUAL_SETS:
        for operator in operator_set(name) if name in SETS else [named(name)]:
            found[operator.description.name] = operator
    return list(found.values())
