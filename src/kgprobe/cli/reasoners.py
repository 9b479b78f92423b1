"""`kgprobe reasoners`: list the reasoners, and test them."""

from __future__ import annotations

import click

from kgprobe.cli.options import NumberRange, print_json
from kgprobe.processes.limits import Limits
from kgprobe.reasoners.auto import open_reasoner
from kgprobe.reasoners.cases import Score, all_cases, score
from kgprobe.reasoners.catalogue import REASONERS, Entry, entry
from kgprobe.reasoners.protocol import Availability

_EXAMPLES = """\b
Examples:
  kgprobe reasoners                             which are usable, and how to install the others
  kgprobe reasoners --selftest                  run the test cases on each
  kgprobe reasoners --selftest --only auto      run them on one reasoner
"""


@click.command("reasoners", epilog=_EXAMPLES)
@click.option("--selftest", is_flag=True, help="Run the test cases on each reasoner, and print its score.")
@click.option("--only", metavar="NAME", multiple=True, help="Use only this reasoner. Repeatable.")
@click.option(
    "--time-limit", metavar="SECONDS", type=NumberRange(min=0.1), default=5.0, help="Time limit for one case."
)
@click.option(
    "--memory", metavar="MB", type=click.IntRange(min=16), default=2048, help="Memory limit for one reasoner."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(selftest: bool, only: tuple[str, ...], time_limit: float, memory: int, as_json: bool) -> None:
    """List the reasoners that kgprobe supports: which are usable here, and how to install the others."""
    names = [name if name == "auto" else entry(name).name for name in only] or [*REASONERS, "auto"]
    found = {name: _availability(name) for name in names}
    limits = Limits(time_limit, memory)
    if selftest:
        _print_scores(found, limits, as_json)
    elif as_json:
        print_json([_as_json(name, status) for name, status in found.items()])
    else:
        for name, status in found.items():
            click.echo(_line(name, status))


def _availability(name: str) -> Availability:
    # `auto` is usable if its first reasoner is: the second runs only if the first is not enough.
    return REASONERS["rustdl" if name == "auto" else name].available()


def _title(name: str) -> tuple[str, str]:
    known: Entry | None = REASONERS.get(name)
    return (known.title, known.kind) if known else ("auto", "rustdl, with pyHermiT as a second opinion")


def _line(name: str, status: Availability) -> str:
    title, kind = _title(name)
    if name == "auto" and status.usable:
        return f"{title:<10}{'usable':<10}{kind}"
    if status.usable:
        return f"{title:<10}{'usable':<10}{status.version or '':<12}{kind}"
    return f"{title:<10}{'missing':<10}{status.missing}; install: {status.install}"


def _as_json(name: str, status: Availability) -> dict[str, object]:
    title, kind = _title(name)
    about = {"name": name, "title": title, "kind": kind, "usable": status.usable, "version": status.version}
    return about if status.usable else {**about, "missing": status.missing, "install": status.install}


def _print_scores(found: dict[str, Availability], limits: Limits, as_json: bool) -> None:
    scores = []
    if not as_json:
        click.echo(f"{'':<10}{'right':>7}{'wrong':>7}{'undecided':>11}{'seconds':>9}   of {len(all_cases())} cases")
    for name, status in found.items():
        if not status.usable:
            if not as_json:
                click.echo(_line(name, status))
            continue
        reasoner = open_reasoner(name, limits)
        try:
            result = score(reasoner)
        finally:
            reasoner.close()
        scores.append(_score_as_json(name, result))
        if not as_json:
            counts = f"{len(result.right):>7}{len(result.wrong):>7}{len(result.undecided):>11}"
            click.echo(f"{_title(name)[0]:<10}{counts}{result.seconds:>9.1f}")
    if as_json:
        print_json(scores)


def _score_as_json(name: str, result: Score) -> dict[str, object]:
    return {
        "name": name,
        "cases": result.total,
        "right": len(result.right),
        "wrong": result.wrong,
        "undecided": result.undecided,
        "seconds": round(result.seconds, 3),
    }
