"""Options that several commands share."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from kgprobe.cli.app import tell
from kgprobe.cli.progress import reading_progress
from kgprobe.graph.catalogs import read_catalog
from kgprobe.graph.files import Loaded, load
from kgprobe.graph.imports import Library, with_imports

__all__ = ["print_json", "reads_graph", "says_how_to_read", "warn"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def says_how_to_read(command: _Command) -> _Command:
    """Give a command the options on how to read a graph: its format, its base, and where its imports are."""
    options = (
        click.option("--format", "format_name", metavar="FORMAT", help="Read this format, whatever it looks like."),
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


def reads_graph(name: str) -> Callable[[_Command], Callable[..., Any]]:
    """Give a command an argument with this name for a graph file, and all options on how to read it.

    The command gets the graph that was read; what its reader should know is told on stderr.
    """

    def decorate(command: _Command) -> Callable[..., Any]:
        @click.argument(name, metavar=name.upper())
        @says_how_to_read
        @click.option("--strict-imports", is_flag=True, help="An import that is not found is an error.")
        @wraps(command)
        def reading(
            format_name: str | None,
            base: str | None,
            folders: tuple[Path, ...],
            catalogs: tuple[Path, ...],
            strict_imports: bool,
            **others: Any,
        ) -> Any:
            library = Library([read_catalog(path) for path in catalogs], folders)
            path = others.pop(name)
            with reading_progress(path) as on_read:
                loaded = load(path, format_name=format_name, base=base, on_read=on_read)
            loaded = with_imports(loaded, library, strict=strict_imports)
            warn(loaded)
            return command(loaded, **others)

        return reading

    return decorate


def warn(loaded: Loaded) -> None:
    """Tell on stderr what the reader of a graph should know."""
    for note in loaded.notes:
        tell("warning", f"{loaded.name}: {note}")


def print_json(value: object) -> None:
    """Print a value for a machine: one JSON document, keys in the order in which we name them."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))
