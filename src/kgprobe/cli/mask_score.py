"""`kgprobe mask score`: how well masks fit judged mutants."""

from __future__ import annotations

from pathlib import Path

import click

from kgprobe.cli.judged_cases import Given, judged_cases, takes_csv_files
from kgprobe.cli.options import print_json
from kgprobe.cli.progress import counting_progress
from kgprobe.errors import InputError
from kgprobe.masks.files import read_checks
from kgprobe.masks.learning.scoring import MaskScore, score_mask
from kgprobe.masks.mask import Mask
from kgprobe.wording import number_of

_EXAMPLES = """\b
Examples:
  kgprobe mask score mask.ttl run.sqlite          a mask and a campaign
  kgprobe mask score a.ttl b.ttl run.sqlite       a mask of two files
  kgprobe mask score mask.ttl --graph seed.ttl --mutants a.mutants.csv --verdicts a.verdicts.csv
"""


@click.command("score", epilog=_EXAMPLES, short_help="judge a mask by passing and failing mutants")
@click.argument("files", metavar="MASK... [RUN]", nargs=-1, required=True)
@takes_csv_files
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(files: tuple[str, ...], given: Given, as_json: bool) -> None:
    """Say how many mutants a mask judges as the system does: it should admit passing ones, and exclude failing ones.

    Each MASK is a file of SHACL shapes or an ASK query; several files are one mask. The mutants come from RUN, the
    store of a campaign or its profile, or from CSV files.
    """
    masks, store = (files, None) if not given.is_empty() else (files[:-1], files[-1])
    if not masks:
        hint = "name the mask and the store: kgprobe mask score MASK RUN"
        raise InputError("a mask or a store is missing", hint=hint)
    for path in masks:
        if not Path(path).exists():
            raise InputError(f"there is no file '{path}'", hint="a mask is a file of shapes, or an ASK query")
    mask = Mask(read_checks(masks))
    cases = judged_cases(store, given)
    with counting_progress("checking mutants", len(cases)) as advance:
        score = score_mask(mask, cases, on_progress=advance)
    if as_json:
        print_json(score.as_json())
        return
    for line in _lines(score):
        click.echo(line)


def _lines(score: MaskScore) -> list[str]:
    lines = [
        f"{score.correct} of {number_of(score.cases, 'case')} right: {100 * score.accuracy:.1f}%",
        f"no mask can exceed {100 * score.ceiling:.1f}%",
    ]
    if score.too_permissive:
        lines.append(f"admitted, but failing: {', '.join(score.too_permissive)}")
    if score.too_strict:
        lines.append(f"excluded, but passing: {', '.join(score.too_strict)}")
    return lines
