"""`kgprobe mask suggest`: mutants worth running next, because nobody can say yet whether they pass."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from kgprobe.campaign.source import change_lines
from kgprobe.campaign.store import read_store
from kgprobe.cli.app import tell
from kgprobe.cli.options import NumberRange, print_json
from kgprobe.cli.progress import steps_progress
from kgprobe.cli.show import named_store
from kgprobe.errors import InputError, Position
from kgprobe.formats.files import save
from kgprobe.learning.mask_campaign import new_mutants_of
from kgprobe.learning.store_cases import cases_of, check_judged
from kgprobe.learning.stored_campaign import opened_campaign
from kgprobe.learning.suggesting import Suggestion, rivals_of, suggested
from kgprobe.mutation.mutant import delta_value
from kgprobe.wording import number_of
from kgprobe.written_files import check_writable

_EXAMPLES = """\b
Examples:
  kgprobe mask suggest run.sqlite                   ten mutants, and what each of them decides
  kgprobe mask suggest run.sqlite --count 3 --json  for a machine
  kgprobe mask suggest run.sqlite --out next        write them as graphs into a folder
"""
_POOL = 500
_ATTEMPTS = 3_000
_SHOWN = 3


@click.command("suggest", epilog=_EXAMPLES, short_help="suggest mutants whose verdicts tell most")
@click.argument("store", metavar="RUN")
@click.option("--count", type=click.IntRange(1), default=10, show_default=True, metavar="N", help="How many mutants.")
@click.option(
    "--noise",
    metavar="SHARE",
    type=NumberRange(0, 0.5, max_open=True),
    default=0.0,
    show_default=True,
    help="The share of verdicts that may be wrong.",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Write the mutants to this folder.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(store: str, count: int, noise: float, out: Path | None, force: bool, as_json: bool) -> None:
    """Suggest mutants to run next, so that a better mask can be learned.

    Several shapes can explain the same failures of RUN, the store of a campaign or its profile. The mutants here
    violate some of these shapes and not others, or have changes that no passing case has: whether they pass decides.
    'kgprobe test --learn-mask' runs such mutants by itself.
    """
    files = _files(out, count, force=force)
    found = _suggestions(store, count, noise)
    if not found:
        tell(
            "warning",
            "no new mutant decides anything: all shapes agree, and passing cases have all the changes",
        )
    for suggestion, file in zip(found, files, strict=False):
        save(suggestion.mutant.graph, file, force=force)
    if as_json:
        values = [_value(number, each) for number, each in enumerate(found, start=1)]
        for value, file in zip(values, files, strict=False):
            value["file"] = str(file)
        print_json({"suggestions": values})
        return
    for number, each in enumerate(found, start=1):
        for line in _lines(number, each):
            click.echo(line)
    if out is not None and found:
        click.echo(f"{out}: {number_of(len(found), 'graph')}")


def _suggestions(name: str, count: int, noise: float) -> list[Suggestion]:
    path, _ = named_store(name)
    with read_store(path) as store, opened_campaign(store) as campaign:
        check_judged(store)
        cases = cases_of(store, campaign.sources)
        with steps_progress() as on_progress:
            rivals = rivals_of(cases, noise=noise, on_progress=on_progress)
        pool = new_mutants_of(store, campaign, cases).drawn(_POOL, attempts=_ATTEMPTS, is_small=True)
        return suggested(rivals, pool, count)


def _files(folder: Path | None, count: int, *, force: bool) -> list[Path]:
    """The files to write, checked before anything is computed."""
    if folder is None:
        return []
    files = [folder / f"suggestion-{number}.ttl" for number in range(1, count + 1)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot be made: {reason}", where=Position(str(folder))) from None
    for file in files:
        check_writable(file, force=force)
    return files


def _value(number: int, suggestion: Suggestion) -> dict[str, Any]:
    mutant = suggestion.mutant
    return {
        "number": number,
        "doubt": suggestion.doubt,
        "operators": list(mutant.operators),
        **delta_value(mutant.change),
        "violates": list(suggestion.violates),
        "conforms": list(suggestion.conforms),
        "untried": delta_value(suggestion.untried),
    }


def _lines(number: int, suggestion: Suggestion) -> Iterator[str]:
    mutant = suggestion.mutant
    yield f"{number}. {', '.join(mutant.operators)} (doubt {suggestion.doubt:.2f})"
    spelling = mutant.graph.spelling
    yield from (f"     {line}" for line in change_lines(mutant.change, spelling))
    yield from _listed("if it passes, these shapes are too strict:", suggestion.violates)
    yield from _listed("if it fails, these shapes are not enough:", suggestion.conforms)
    yield from _listed("no passing case has these changes:", tuple(change_lines(suggestion.untried, spelling)))


def _listed(head: str, words: tuple[str, ...]) -> Iterator[str]:
    if words:
        yield f"   {head}"
    yield from (f"     {each}" for each in words[:_SHOWN])
    if len(words) > _SHOWN:
        yield f"     … and {len(words) - _SHOWN} more"
