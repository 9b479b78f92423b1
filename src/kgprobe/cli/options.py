"""Options that several commands share."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from kgprobe.cli.app import tell
from kgprobe.cli.progress import reading_progress
from kgprobe.graph.files import Loaded, load
from kgprobe.graph.formats.catalogue import by_name
from kgprobe.graph.imports import Files, Library, with_imports
from kgprobe.graph.table import collection_paused

__all__ = [
    "Reading",
    "accepts_old_format_option",
    "kept_until_the_end",
    "print_json",
    "prints_text_or_json",
    "reads_graph",
    "reads_graphs",
    "says_how_to_read",
    "warn",
    "writes_graphs",
]

_PRINTED = ("text", "json")
_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Reading:
    """How graphs are read."""

    format_name: str | None = None
    base: str | None = None
    folders: tuple[Path, ...] = ()
    catalogs: tuple[Path, ...] = ()
    strict_imports: bool = False

    def library(self, files: Files | None = None, others: Sequence[Path] = ()) -> Library:
        """Where imports are looked for. `others` are files that nobody named, and that may be imported."""
        files = files or Files()
        return Library([files.catalog(path) for path in self.catalogs], self.folders, others, files)

    def read(self, path: str | Path, library: Library | None = None) -> Loaded:
        """A graph with all that it imports. What its reader should know is told on stderr."""
        with reading_progress(str(path)) as on_read:
            loaded = load(path, format_name=self.format_name, base=self.base, on_read=on_read)
        return self.completed(loaded, library or self.library())

    def completed(self, loaded: Loaded, library: Library) -> Loaded:
        """A graph that was read, with all that it imports. What its reader should know is told on stderr."""
        loaded = with_imports(loaded, library, strict=self.strict_imports)
        warn(loaded)
        return loaded


def says_how_to_read(command: _Command) -> _Command:
    """Give a command the options on how to read a graph: its format, its base, and where its imports are."""
    options = (
        click.option(
            "--input-format", "format_name", metavar="FORMAT", help="Read this format, whatever it looks like."
        ),
        click.option("--base", metavar="IRI", help="What relative IRIs, and bare names in TSV, are relative to."),
        click.option(
            "--imports",
            "folders",
            metavar="FOLDER",
            multiple=True,
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            help="Look for owl:imports in the files of this folder. May be given more than once.",
        ),
        click.option(
            "--catalog",
            "catalogs",
            metavar="FILE",
            multiple=True,
            type=click.Path(path_type=Path),
            help="Look for owl:imports in this OASIS XML catalog. May be given more than once.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def reads_graphs(command: _Command) -> Callable[..., Any]:
    """Give a command all options on how to read graphs; it gets them as a `Reading`."""

    @click.option("--strict-imports", is_flag=True, help="An import that is not found is an error.")
    @wraps(command)
    def reading(**given: Any) -> Any:
        said = Reading(**{each.name: given.pop(each.name) for each in fields(Reading)})
        return command(reading=said, **given)

    return says_how_to_read(reading)


def reads_graph(name: str) -> Callable[[_Command], Callable[..., Any]]:
    """Give a command an argument with this name for a graph file, and all options on how to read it.

    The command gets the graph that was read; what its reader should know is told on stderr.
    """

    def decorate(command: _Command) -> Callable[..., Any]:
        @wraps(command)
        def with_graph(reading: Reading, **others: Any) -> Any:
            return command(reading.read(others.pop(name)), **others)

        return click.argument(name, metavar=name.upper())(reads_graphs(with_graph))

    return decorate


def accepts_old_format_option(command: _Command) -> Callable[..., Any]:
    """Let `--format` stand for `--input-format`, as it once did, in a command that has no other use for it."""

    @click.option("--format", "old_format", hidden=True)
    @wraps(command)
    def accepting(old_format: str | None, format_name: str | None, **given: Any) -> Any:
        return command(format_name=format_name or old_format, **given)

    return accepting


def prints_text_or_json(command: _Command) -> Callable[..., Any]:
    """Give a command that reads a graph `--format` and `--json`; it gets `as_json`.

    `--format` once was `--input-format` in these commands: the name of a format of graphs still means that.
    """

    @click.option("--format", "printed", metavar="[text|json]", help="What to print.  [text]")
    @click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
    @wraps(command)
    def printing(printed: str | None, as_json: bool, format_name: str | None, **given: Any) -> Any:
        if printed not in (None, *_PRINTED):
            format_name = format_name or by_name(printed).name
        return command(as_json=as_json or printed == "json", format_name=format_name, **given)

    return printing


def writes_graphs(name: str, words: str) -> Callable[[_Command], Callable[..., Any]]:
    """Give a command `--format` for the graphs that it writes, which it gets by this name; `--to` is its old name."""

    def decorate(command: _Command) -> Callable[..., Any]:
        @click.option("--format", "written_format", metavar="FORMAT", help=words)
        @click.option("--to", "old_written_format", hidden=True)
        @wraps(command)
        def writing(written_format: str | None, old_written_format: str | None, **given: Any) -> Any:
            return command(**{name: written_format or old_written_format}, **given)

        return writing

    return decorate


@contextmanager
def kept_until_the_end() -> Iterator[None]:
    """What is made stays until the end of the program; to look through all of it there takes a tenth of the time."""
    with collection_paused():
        yield
        gc.freeze()


def warn(loaded: Loaded) -> None:
    """Tell on stderr what the reader of a graph should know."""
    for note in loaded.notes:
        tell("warning", f"{loaded.name}: {note}")


def print_json(value: object) -> None:
    """Print a value for a machine: one JSON document, keys in the order in which we name them."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))
