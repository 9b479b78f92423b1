"""`kgprobe check`: check whether a graph is admissible."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import (
    NumberRange,
    option,
    print_json,
    prints_text_or_json,
    reads_graph,
    searches_for_a_reason,
    takes,
)
from kgprobe.formats.files import Loaded, load
from kgprobe.formats.imports import Library, read_catalog, with_imports
from kgprobe.masks.files import read_checks, read_pin
from kgprobe.masks.mask import DEFAULT_SECONDS, Check, Mask, Rejection
from kgprobe.masks.pins import PinnedNamespace
from kgprobe.masks.shacl import DEFAULT_ENGINE, ENGINES, ShaclCheck
from kgprobe.rdf.graph import Graph

_EXAMPLES = """\b
Examples:
  kgprobe check robot.ttl --mask shapes.ttl                      SHACL shapes
  kgprobe check robot.ttl --mask shapes.ttl --mask has-task.rq   and an ASK query that must be true
  kgprobe check robot.ttl --pin fixed.ttl                        it must have all triples of fixed.ttl
  kgprobe check new.ttl --against old.ttl --pin suave:           nothing about suave: names has changed
  kgprobe check robot.ttl --reasoner auto                        it must be consistent
  kgprobe check robot.ttl --mask shapes.ttl --json               print JSON
"""


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """The options of the command."""

    masks: tuple[str, ...] = option(
        "--mask",
        metavar="FILE",
        multiple=True,
        help="SHACL shapes, or an ASK query in a file named .rq or .sparql. May be given more than once.",
    )
    pins: tuple[str, ...] = option(
        "--pin",
        metavar="FILE|NAMESPACE",
        multiple=True,
        help="A file with triples that the graph must have, or a namespace (prefix: or IRI) that may not change.",
    )
    against: str | None = option(
        "--against", metavar="FILE", help="The earlier version of the graph, for pinned namespaces."
    )
    engine: str = option(
        "--shacl-engine",
        type=click.Choice(list(ENGINES)),
        default=DEFAULT_ENGINE,
        show_default=True,
        help="The validator for shapes.",
    )
    mask_seconds: float = option(
        "--mask-seconds",
        type=NumberRange(0, 1_000_000, min_open=True),
        default=DEFAULT_SECONDS,
        metavar="N",
        help=f"The time limit for each mask; after that, the graph is undecided.  [{DEFAULT_SECONDS:g}]",
    )
    reasoner: str | None = option(
        "--reasoner",
        metavar="NAME",
        help="The graph must be consistent according to this reasoner; auto needs no Java.",
    )


@click.command("check", epilog=_EXAMPLES)
@prints_text_or_json
@reads_graph("graph")
@takes(CheckOptions)
@searches_for_a_reason
def command(loaded: Loaded, seconds: float, as_json: bool, options: CheckOptions) -> int:
    """Check whether GRAPH is admissible: it passes all masks, has all pinned triples, and is consistent."""
    prefixes = loaded.graph.spelling.prefixes
    original = None if options.against is None else _original(options.against)
    pinned = [read_pin(value, *([original] if original else []), loaded.graph) for value in options.pins]
    namespaces = [check for check in pinned if isinstance(check, PinnedNamespace)]
    checks: list[Check] = [check for check in pinned if not isinstance(check, PinnedNamespace)]
    checks += read_checks(options.masks, engine=options.engine, prefixes=prefixes, seconds=options.mask_seconds)
    _warn_of_inexact(checks, loaded.graph)
    report = _Report(loaded.name, is_silent=as_json)
    with _consistency(options.reasoner, seconds, report) as consistency:
        mask = Mask([*checks, *consistency])
        if not mask.checks and not namespaces:
            tell("warning", "without --mask, --pin or --reasoner every graph is admissible")
        rejections = _changed_in(namespaces, loaded.graph, original)
        report.add(rejections)
        for check in mask.checks:
            found = check.rejections(loaded.graph)
            report.add(found)
            rejections += found
    if as_json:
        admissible = None if _is_undecided(rejections) else not rejections
        print_json({"name": loaded.name, "admissible": admissible, "rejections": list(map(_as_json, rejections))})
    elif not rejections:
        click.echo(f"{loaded.name}: admissible")
    report.end()
    return 3 if _is_undecided(rejections) else 1 if rejections else 0


def _is_undecided(rejections: list[Rejection]) -> bool:
    """Whether no check failed, but some have no answer."""
    return bool(rejections) and all(rejection.is_undecided for rejection in rejections)


def _warn_of_inexact(checks: list[Check], graph: Graph) -> None:
    for check in checks:
        if isinstance(check, ShaclCheck) and (doubt := check.doubt(graph)):
            tell("warning", f"{check.name}: {doubt}; --shacl-engine pyshacl does")


def _original(path: str) -> Graph:
    """The graph to compare with, read with the same imports as the checked one."""
    given = click.get_current_context().params
    library = Library([read_catalog(catalog) for catalog in given["catalogs"]], given["folders"])
    return with_imports(load(path), library, strict=given["strict_imports"]).graph


def _changed_in(namespaces: list[PinnedNamespace], graph: Graph, original: Graph | None) -> list[Rejection]:
    if not namespaces:
        return []
    if original is None:
        names = ", ".join(check.name for check in namespaces)
        tell("warning", f"changes to {names} are not checked: that needs --against FILE, the earlier version")
        return []
    from kgprobe.rdf.diff import aligned  # it needs numpy

    return Mask(namespaces).rejections(aligned(original, graph, whole_components=True).new)


@contextmanager
def _consistency(reasoner: str | None, seconds: float, report: _Report) -> Iterator[list[Check]]:
    if reasoner is None:
        yield []
        return
    from kgprobe.masks.consistency import ConsistencyCheck  # imported late: most checks need no reasoner
    from kgprobe.reasoners.auto import opened

    with opened(reasoner) as asked:
        yield [
            ConsistencyCheck(
                asked,
                on_doubt=lambda doubt: tell("warning", doubt),
                seconds=seconds,
                on_contradiction=report.begin,
            )
        ]


def _as_json(rejection: Rejection) -> dict[str, str | None]:
    node = None if rejection.node is None else str(rejection.node)
    return {"check": rejection.check, "node": node, "words": rejection.words}


class _Report:
    """Prints why a graph is not admissible, as soon as each reason is known."""

    def __init__(self, name: str, *, is_silent: bool) -> None:
        self._name = name
        self._is_silent = is_silent
        self._has_title = False
        self._begun = ""
        self._undecided: list[Rejection] = []  # printed last, after the definite rejections

    def begin(self, rejection: Rejection) -> None:
        """Print a rejection whose reason is not known yet, and leave the line open for the reason."""
        if not self._is_silent:
            self._begun = self._line(rejection)
            click.echo(self._begun, nl=False)

    def add(self, rejections: list[Rejection]) -> None:
        """Print rejections, or the rest of one that was begun."""
        if self._is_silent:
            return
        for rejection in rejections:
            if rejection.is_undecided:
                self._undecided.append(rejection)
            else:
                click.echo(self._line(rejection).removeprefix(self._begun))
                self._begun = ""

    def end(self) -> None:
        """Print what is undecided."""
        for rejection in self._undecided:
            click.echo(self._line(rejection))

    def _line(self, rejection: Rejection) -> str:
        if not self._has_title:
            click.echo(f"{self._name}: {'undecided' if rejection.is_undecided else 'not admissible'}")
            self._has_title = True
        return f"  {rejection.check}: {rejection.words}"
