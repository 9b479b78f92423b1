"""`kgprobe mask learn`: the smallest mask that excludes failing mutants and no passing ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from kgprobe.cli.app import tell
from kgprobe.cli.judged_cases import Given, judged_cases, takes_csv_files
from kgprobe.cli.options import NumberRange, print_json
from kgprobe.cli.progress import steps_progress
from kgprobe.masks.learning.learning import FIRM, LearnedMask, LearnedShape, learn_mask
from kgprobe.wording import number_of
from kgprobe.written_files import check_writable, write_new

_EXAMPLES = """\b
Examples:
  kgprobe mask learn run.sqlite                  which shapes explain the failures?
  kgprobe mask learn run.sqlite --out mask.ttl   write them as a mask
  kgprobe mask learn run.sqlite --noise 0.05     one verdict in twenty may be wrong
  kgprobe mask learn --graph seed.ttl --mutants a.mutants.csv --verdicts a.verdicts.csv
"""
_MOST_NAMES = 6
_MOST_UNNEEDED = 10


@click.command("learn", epilog=_EXAMPLES, short_help="learn a mask from passing and failing mutants")
@click.argument("store", metavar="[RUN]", required=False)
@takes_csv_files
@click.option(
    "--noise",
    metavar="SHARE",
    type=NumberRange(0, 0.5, max_open=True),
    default=0.0,
    show_default=True,
    help="The share of verdicts that may be wrong.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write the mask to this file, as Turtle.")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(store: str | None, given: Given, noise: float, out: Path | None, force: bool, as_json: bool) -> None:
    """Learn the smallest mask that excludes failing mutants and no passing ones.

    The mutants come from RUN, the store of a campaign or its profile, or from CSV files. The mask consists of SHACL
    shapes. Each shape says which failures it explains, and whether the cases are enough to rely on it.
    """
    if out is not None:
        check_writable(out, force=force, inputs=[*filter(None, [store]), *given.files])
    cases = judged_cases(store, given)
    with steps_progress() as on_progress:
        mask = learn_mask(cases, noise=noise, on_progress=on_progress)
    if out is not None:
        write_new(out, mask.to_turtle(), force=force)
    if as_json:
        print_json(mask.as_json())
    else:
        for line in _lines(mask):
            click.echo(line)
    if not mask.shapes:
        tell("warning", "no shape was found that explains a failure and excludes no passing mutant")


def _lines(mask: LearnedMask) -> Iterator[str]:
    cases = number_of(mask.cases, "case")
    yield f"{cases}: {mask.failing} failing, {mask.passing} passing"
    for shape in mask.shapes:
        yield ""
        yield f"{shape.name} ({shape.kind}, {shape.strength})"
        yield f"  {shape.words}"
        yield f"  {_evidence(shape)}"
    yield ""
    if mask.unexplained:
        yield f"unexplained  {_some(mask.unexplained)}"
    for group in mask.conflicts:
        yield f"conflict     {' and '.join(group)} are equal, but their verdicts differ"
    accuracy, ceiling = _share(mask.accuracy, mask.cases), _share(mask.ceiling, mask.cases)
    seen = f"of the cases that it was learned from, {mask.failing} of them failing"
    yield f"accuracy     {accuracy} {seen}; no mask can exceed {ceiling}"
    guesses = [shape for shape in mask.shapes if shape.strength != FIRM]
    if guesses:
        named = ", ".join(shape.name for shape in guesses)
        yield f"a guess      {named}: too few cases decide; 'kgprobe mask suggest' names mutants that would"
    if mask.unneeded:
        count = number_of(len(mask.unneeded), "triple")
        yield f"not needed   {count} of the seed that no failure depends on, such as:"
        for each in mask.unneeded[:_MOST_UNNEEDED]:
            yield f"  {each.words}"


def _evidence(shape: LearnedShape) -> str:
    wrong = f", and excludes {_some(shape.excludes)}, which pass" if shape.excludes else ""
    return f"explains {_some(shape.explains)}{wrong} (p = {shape.p:.2g})"


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - _MOST_NAMES
    shown = ", ".join(names[:_MOST_NAMES])
    return f"{shown} and {more} more" if more > 0 else shown


def _share(share: float, cases: int) -> str:
    return f"{100 * share:.1f}% ({round(share * cases)} of {cases})"
