"""Options that several commands share, and what they name: graphs, two versions of one, and stores of campaigns."""

from __future__ import annotations

import gc
import json
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kgprobe.cli.app import tell
from kgprobe.cli.progress import reading_progress
from kgprobe.errors import InputError, Position
from kgprobe.formats.catalogue import by_name
from kgprobe.formats.files import Loaded, load
from kgprobe.formats.imports import Files, Library, with_imports
from kgprobe.rdf.table import collection_paused

if TYPE_CHECKING:
    from kgprobe.git.versions import FilesAt
    from kgprobe.oracles.signatures import KnownBugs
    from kgprobe.selection.ontology_versions import Edits

_PRINTED = ("text", "json")
_OPTION = "option"
_Command = TypeVar("_Command", bound=Callable[..., Any])


# -- classes of options ------------------------------------------------------------------------------------------------


def option(*names: str, old: str | None = None, **attributes: Any) -> Any:
    """A field of a class of options, and the option of the command that fills it, with the attributes of click.

    `old` is a former name of the option, which still works. Without a default, a field is None, false or empty.
    """
    none: Any = () if attributes.get("multiple") else False if attributes.get("is_flag") else None
    return field(default=attributes.get("default", none), metadata={_OPTION: (names, old, attributes)})


def files_to_write(helps: Mapping[str, str]) -> Any:
    """A field of a class of options with the files to write, by the names of the options, which are described here."""
    return field(default_factory=dict, metadata={_OPTION: ((), None, {"helps": helps})})


def takes(
    options: type[Any], parameter: str = "options", *, without: Collection[str] = ()
) -> Callable[[_Command], Callable[..., Any]]:
    """Give a command the options of a class, in their order there. The command gets them in one parameter.

    Fields in `without` are no options of this command, and keep their defaults.
    """
    described = {name: _described(options, name) for name in options.__annotations__ if name not in without}
    several = {name: described[name][2]["helps"] for name in described if "helps" in described[name][2]}

    def decorate(command: _Command) -> Callable[..., Any]:
        @wraps(command)
        def taking(*graphs: Any, **given: Any) -> Any:
            values = {name: given.pop(name) for name in described if name not in several}
            for name, kinds in several.items():
                files = {kind: given.pop(f"{name}_{kind}") for kind in kinds}
                values[name] = {kind: file for kind, file in files.items() if file is not None}
            former = {name: given.pop(f"old_{name}") for name, (_, old, _) in described.items() if old}
            values |= {name: value for name, value in former.items() if values[name] is None}
            return command(*graphs, **{parameter: options(**values)}, **given)

        for name, (names, old, attributes) in reversed(described.items()):
            for kind, words in reversed(several.get(name, {}).items()):
                click.option(f"--{kind}", f"{name}_{kind}", metavar="FILE", help=words)(taking)
            if old:
                click.option(old, f"old_{name}", hidden=True)(taking)
            if names:
                click.option(*names, name, **attributes)(taking)
        return taking

    return decorate


def spelled(options: Any, name: str) -> str:
    """An option as it is written, by the name of its field."""
    names, _, _ = _described(options, name)
    return names[0]


def _described(options: Any, name: str) -> tuple[tuple[str, ...], str | None, dict[str, Any]]:
    described: tuple[tuple[str, ...], str | None, dict[str, Any]]
    [described] = [filled.metadata[_OPTION] for filled in fields(options) if filled.name == name]
    return described


# -- reading graphs ----------------------------------------------------------------------------------------------------


class NumberRange(click.FloatRange):
    """A range of numbers. NaN is in none: without this, it would be in every range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        if math.isnan(found):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return found


@dataclass(frozen=True)
class Reading:
    """How to read graphs: their format, their base, and where their imports are."""

    format_name: str | None = option(
        "--input-format", metavar="FORMAT", help="Read this format instead of detecting it."
    )
    base: str | None = option("--base", metavar="IRI", help="The base for relative IRIs, and for bare names in TSV.")
    folders: tuple[Path, ...] = option(
        "--imports",
        metavar="FOLDER",
        multiple=True,
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="Look for owl:imports in the files of this folder. May be given more than once.",
    )
    catalogs: tuple[Path, ...] = option(
        "--catalog",
        metavar="FILE",
        multiple=True,
        type=click.Path(path_type=Path),
        help="Look for owl:imports in this OASIS XML catalog. May be given more than once.",
    )
    strict_imports: bool = option("--strict-imports", is_flag=True, help="An import that is not found is an error.")

    def library(self, files: Files | None = None, others: Sequence[Path] = ()) -> Library:
        """The places to search for imports. `others` are files that were not named, but may be imported."""
        files = files or Files()
        return Library([files.catalog(path) for path in self.catalogs], self.folders, others, files)

    def read(self, path: str | Path, library: Library | None = None) -> Loaded:
        """A graph with all its imports. Warnings go to stderr."""
        with reading_progress(str(path)) as on_read:
            loaded = load(path, format_name=self.format_name, base=self.base, on_read=on_read)
        return self.completed(loaded, library or self.library())

    def completed(self, loaded: Loaded, library: Library) -> Loaded:
        """A graph that was read, with all its imports. Warnings go to stderr."""
        loaded = with_imports(loaded, library, strict=self.strict_imports)
        warn(loaded)
        return loaded


@dataclass(frozen=True)
class Pair:
    """The old and the new version of a graph, and the other changes between them, if they come from git."""

    old: Loaded
    new: Loaded
    edits: Edits | None = None


def graph_files(graphs: Sequence[str]) -> list[str]:
    """The files that are named, and those in folders that are named."""
    found: list[str] = []
    for name in graphs:
        if name == "-" or not Path(name).is_dir():
            found.append(name)
            continue
        inside = [
            str(path) for path in sorted(Path(name).iterdir()) if path.is_file() and not path.name.startswith(".")
        ]
        if not inside:
            raise InputError("has no files", where=Position(name), hint="name a graph, or a folder of graphs")
        found += inside
    return found


def read_pair(graphs: Sequence[str], since: str | None, reading: Reading, command: str) -> Pair:
    """The old and the new version, given as two files, or as the new file and a revision."""
    help_ = f"see 'kgprobe {command} --help'"
    match list(graphs), since:
        case ["-", "-"], None:
            raise InputError("only one of OLD and NEW can be standard input")
        case [old, new], None:
            return Pair(reading.read(old), reading.read(new))
        case ["-"], str():
            raise InputError("--since needs a file, not standard input", hint="git identifies files by name")
        case [new], str() as revision:
            return _since(Path(new), revision, reading)
        case [_], None:
            raise InputError(
                "the old version is missing", hint="name it before NEW, or use --since REVISION to take it from git"
            )
        case _, str():
            raise InputError("--since takes one graph, the new version", hint=help_)
    raise InputError(f"expected two graphs, the old and the new version, not {len(graphs)}", hint=help_)


def _since(path: Path, revision: str, reading: Reading) -> Pair:
    # Most commands need neither git nor test selection.
    from kgprobe.git.versions import files_at, graphs_among
    from kgprobe.selection.ontology_versions import Edits

    with files_at(path, revision) as files:
        # An import without a given location may be among the changed files.
        changed = graphs_among(files.repository.changes(files.commit))
        others = [each for each in changed if each != path.absolute()]
        old, imported = read_version(path, files, reading, others)
        library = reading.library(others=others)
        new = reading.read(path, library)
    ontology = {path, *imported, *library.found.values(), *reading.catalogs}
    return Pair(old, new, Edits(files.repository, files.commit, revision, ontology))


def read_version(path: Path, files: FilesAt, reading: Reading, others: Sequence[Path] = ()) -> tuple[Loaded, set[Path]]:
    """A graph at a revision, with its imports at the time; and the files of these imports."""
    loaded = files.load_moved(path, format_name=reading.format_name, base=reading.base)
    if loaded is None:
        hint = "choose a later revision, or give both versions as files"
        raise InputError(f"did not exist at {files.revision}", where=Position(str(path)), hint=hint)
    library = reading.library(files, others)
    loaded = reading.completed(loaded, library)
    imported = set(library.found.values())
    for warning in files.warnings(imported):
        tell("warning", warning)
    return loaded, imported


reads_graphs = takes(Reading, "reading")
"""Gives a command all options on how to read graphs."""


def reads_graph(name: str) -> Callable[[_Command], Callable[..., Any]]:
    """Give a command an argument with this name for a graph file, and all options on how to read it.

    The command gets the graph that was read. Warnings go to stderr.
    """

    def decorate(command: _Command) -> Callable[..., Any]:
        @wraps(command)
        def with_graph(reading: Reading, **others: Any) -> Any:
            return command(reading.read(others.pop(name)), **others)

        return click.argument(name, metavar=name.upper())(reads_graphs(with_graph))

    return decorate


def accepts_old_format_option(command: _Command) -> Callable[..., Any]:
    """Accept `--format` as an old name of `--input-format`, in a command that has no other use for it."""

    @click.option("--format", "old_format", hidden=True)
    @wraps(command)
    def accepting(old_format: str | None, format_name: str | None, **given: Any) -> Any:
        return command(format_name=format_name or old_format, **given)

    return accepting


def prints_text_or_json(command: _Command) -> Callable[..., Any]:
    """Give a command that reads a graph `--format` and `--json`; it gets `as_json`.

    In these commands, `--format` used to mean `--input-format`; with the name of a graph format, it still does.
    """

    @click.option("--format", "printed", metavar="[text|json]", help="The format of the output.  [text]")
    @click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
    @wraps(command)
    def printing(printed: str | None, as_json: bool, format_name: str | None, **given: Any) -> Any:
        if printed not in (None, *_PRINTED):
            format_name = format_name or by_name(printed).name
        return command(as_json=as_json or printed == "json", format_name=format_name, **given)

    return printing


def searches_for_a_reason(command: _Command) -> _Command:
    """Give a command `--seconds`, the time to search for the reason for a reasoner's answer."""
    # Other commands do not import reasoners.
    from kgprobe.reasoners.protocol import SECONDS_FOR_A_REASON

    option = click.option(
        "--seconds",
        metavar="N",
        type=NumberRange(min=0, min_open=True),
        default=SECONDS_FOR_A_REASON,
        show_default=True,
        help="The time to search for the reason once the answer is known.",
    )
    return option(command)


# -- stores of campaigns -----------------------------------------------------------------------------------------------


def parted(source: str) -> tuple[str, int | None]:
    """The name of a store or profile, and the number of a finding if there is one."""
    name, sign, number = source.rpartition("#")
    if not sign:
        return source, None
    if not name or not (number.isascii() and number.isdecimal()) or len(number) > 9:
        raise InputError(f"'{source}' does not name a finding", hint="write the store and a number: profile.sqlite#1")
    return name, int(number)


def named_store(name: str) -> tuple[Path, KnownBugs]:
    """A store, named by its file or by its profile, and the known bugs of the profile."""
    # Commands without a campaign do not wait for these.
    from kgprobe.campaign.harness import known_in
    from kgprobe.config.loading import load_profile

    if name.casefold().endswith(".toml"):
        profile = load_profile(name)
        return profile.campaign.store, known_in(profile.known)
    return Path(name), known_in(())


# -- output ------------------------------------------------------------------------------------------------------------


@contextmanager
def kept_until_the_end() -> Iterator[None]:
    """Exempt new objects, which live until the end, from garbage collection: it would take a tenth of the time."""
    with collection_paused():
        yield
        gc.freeze()


def warn(loaded: Loaded) -> None:
    """Print the warnings about a graph on stderr."""
    for note in loaded.notes:
        tell("warning", f"{loaded.name}: {note}")


def print_json(value: object) -> None:
    """Print a value as one JSON document, with its keys in the given order."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))
