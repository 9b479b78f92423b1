"""The judged mutants that a command is given: the store of a campaign, or a graph with CSV files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import Reading, reads_graphs
from kgprobe.errors import InputError
from kgprobe.masks.learning.cases import JudgedGraph
from kgprobe.masks.learning.csv_cases import read_judged
from kgprobe.wording import number_of

__all__ = ["Given", "judged_cases", "takes_csv_files"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Given:
    """The options that name cases in CSV files."""

    def __init__(self, graph: str | None, mutants: Sequence[Path], verdicts: Sequence[Path], reading: Reading) -> None:
        self.graph = graph
        self.mutants = mutants
        self.verdicts = verdicts
        self.reading = reading

    @property
    def files(self) -> list[str | Path]:
        """The files that were named."""
        return [*filter(None, [self.graph]), *self.mutants, *self.verdicts]

    def is_empty(self) -> bool:
        """Whether no such option was given."""
        return not self.files


def takes_csv_files(command: _Command) -> Callable[..., Any]:
    """Give a command `--graph`, `--mutants` and `--verdicts`, and the options on how to read a graph."""

    @click.option("--graph", metavar="SEED", help="The seed graph of the mutants in CSV files.")
    @click.option(
        "--mutants",
        metavar="FILE",
        multiple=True,
        type=click.Path(path_type=Path),
        help="A CSV file of mutants: id, addedAxioms, removedAxioms. May be given more than once.",
    )
    @click.option(
        "--verdicts",
        metavar="FILE",
        multiple=True,
        type=click.Path(path_type=Path),
        help="The CSV file with the verdicts on them: id, oracle ('passed' or 'failed'). One for each --mutants.",
    )
    @reads_graphs
    @wraps(command)
    def given(
        graph: str | None, mutants: tuple[Path, ...], verdicts: tuple[Path, ...], reading: Reading, **others: Any
    ) -> Any:
        return command(given=Given(graph, mutants, verdicts, reading), **others)

    return given


def judged_cases(store: str | None, given: Given) -> list[JudgedGraph]:
    """The cases of a store or of CSV files. InputError unless exactly one of them is given."""
    if store is not None:
        if not given.is_empty():
            raise InputError("both a store and files were given", hint="give a store, or --graph with CSV files")
        return _from_store(store)
    if given.is_empty():
        hint = "give the store of a campaign, or --graph SEED --mutants A.csv --verdicts B.csv"
        raise InputError("there are no cases", hint=hint)
    for name, values in (("mutants", given.mutants), ("verdicts", given.verdicts)):
        if not values:
            raise InputError(f"--{name} is missing", hint="mutants and verdicts come in pairs of files")
    if given.graph is None:
        raise InputError("--graph is missing", hint="the mutants in CSV files are changes of a seed graph")
    return read_judged(given.reading.read(given.graph).graph, given.mutants, given.verdicts)


def _from_store(name: str) -> list[JudgedGraph]:
    # Only stores need campaigns.
    from kgprobe.cli.show import named_store
    from kgprobe.learning.store_cases import judged_graphs

    path, _ = named_store(name)
    found = judged_graphs(path)
    if found.undecided:
        tell("note", f"{number_of(found.undecided, 'case')} without a clear verdict left out")
    return list(found.cases)
