"""`kgprobe check`: whether a graph is admissible."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import print_json, reads_graph
from kgprobe.graph.files import Loaded
from kgprobe.masks.consistency import ConsistencyCheck
from kgprobe.masks.files import read_check, read_pins
from kgprobe.masks.mask import Check, Mask, Rejection
from kgprobe.masks.shacl import DEFAULT_ENGINE, ENGINES
from kgprobe.reasoners.choice import open_reasoner

_EXAMPLES = """\b
Examples:
  kgprobe check robot.ttl --mask shapes.ttl                      SHACL shapes
  kgprobe check robot.ttl --mask shapes.ttl --mask has-task.rq   and an ASK query that must be true
  kgprobe check robot.ttl --pin fixed.ttl                        all triples of fixed.ttl must be there
  kgprobe check robot.ttl --reasoner auto                        it must be consistent
  kgprobe check robot.ttl --mask shapes.ttl --json               for a machine
"""


@click.command("check", epilog=_EXAMPLES)
@reads_graph("graph")
@click.option(
    "--mask",
    "masks",
    metavar="FILE",
    multiple=True,
    help="SHACL shapes, or an ASK query in a file named .rq or .sparql. May be given more than once.",
)
@click.option("--pin", "pins", metavar="FILE", multiple=True, help="Triples that must be there. May be repeated.")
@click.option(
    "--shacl-engine",
    "engine",
    type=click.Choice(list(ENGINES)),
    default=DEFAULT_ENGINE,
    show_default=True,
    help="What validates shapes.",
)
@click.option("--reasoner", metavar="NAME", help="The graph must be consistent, by this reasoner; auto needs no Java.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    loaded: Loaded, masks: tuple[str, ...], pins: tuple[str, ...], engine: str, reasoner: str | None, as_json: bool
) -> int:
    """Say whether GRAPH is admissible: whether it passes all masks, has all pinned triples, and is consistent."""
    prefixes = loaded.graph.spelling.prefixes
    checks: list[Check] = [read_pins(path) for path in pins]
    checks += [read_check(path, engine=engine, prefixes=prefixes) for path in masks]
    with _opened(reasoner) as consistency:
        mask = Mask([*checks, *consistency])
        if not mask.checks:
            tell("warning", "without --mask, --pin or --reasoner every graph is admissible")
        rejections = mask.rejections(loaded.graph)
    if as_json:
        print_json({"name": loaded.name, "admissible": not rejections, "rejections": list(map(_as_json, rejections))})
    else:
        _print(loaded.name, rejections)
    return 1 if rejections else 0


@contextmanager
def _opened(reasoner: str | None) -> Iterator[list[Check]]:
    if reasoner is None:
        yield []
        return
    opened = open_reasoner(reasoner)
    try:
        yield [ConsistencyCheck(opened)]
    finally:
        opened.close()


def _as_json(rejection: Rejection) -> dict[str, str | None]:
    node = None if rejection.node is None else str(rejection.node)
    return {"check": rejection.check, "node": node, "words": rejection.words}


def _print(name: str, rejections: list[Rejection]) -> None:
    if not rejections:
        click.echo(f"{name}: admissible")
        return
    click.echo(f"{name}: not admissible")
    for rejection in rejections:
        click.echo(f"  {rejection.check}: {rejection.words}")
