"""`kgprobe mask`: learn masks from mutants on which a system passed or failed, and judge masks by them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from kgprobe.campaign.source import change_lines
from kgprobe.campaign.store import read_store
from kgprobe.cli.app import tell
from kgprobe.cli.options import NumberRange, Reading, named_store, option, print_json, reads_graphs, takes
from kgprobe.cli.progress import counting_progress, steps_progress
from kgprobe.errors import InputError, Position
from kgprobe.formats.files import save
from kgprobe.learning.mask_loop import new_mutants_of
from kgprobe.learning.stored_campaign import cases_of, check_judged, opened_campaign
from kgprobe.learning.suggesting import Suggestion, rivals_of, suggested
from kgprobe.masks.files import read_checks
from kgprobe.masks.learning.csv_cases import read_judged
from kgprobe.masks.learning.learning import FIRM, LearnedMask, LearnedShape, MaskScore, learn_mask, score_mask
from kgprobe.masks.learning.observations import JudgedGraph
from kgprobe.masks.mask import Mask
from kgprobe.mutation.mutant import delta_value
from kgprobe.wording import number_of
from kgprobe.written_files import check_writable, write_new

# -- the judged mutants that a command is given: the store of a campaign, or a graph with CSV files --------------------


@dataclass(frozen=True, kw_only=True)
class CsvFiles:
    """The options that name cases in CSV files."""

    graph: str | None = option("--graph", metavar="SEED", help="The seed graph of the mutants in CSV files.")
    mutants: tuple[Path, ...] = option(
        "--mutants",
        metavar="FILE",
        multiple=True,
        type=click.Path(path_type=Path),
        help="A CSV file of mutants: id, addedAxioms, removedAxioms. May be given more than once.",
    )
    verdicts: tuple[Path, ...] = option(
        "--verdicts",
        metavar="FILE",
        multiple=True,
        type=click.Path(path_type=Path),
        help="The CSV file with the verdicts on them: id, oracle ('passed' or 'failed'). One for each --mutants.",
    )

    @property
    def files(self) -> list[str | Path]:
        """The files that were named."""
        return [*filter(None, [self.graph]), *self.mutants, *self.verdicts]

    def is_empty(self) -> bool:
        """Whether no such option was given."""
        return not self.files


def judged_cases(store: str | None, csv: CsvFiles, reading: Reading) -> list[JudgedGraph]:
    """The cases of a store or of CSV files. InputError unless exactly one of them is given."""
    if store is not None:
        if not csv.is_empty():
            raise InputError("both a store and files were given", hint="give a store, or --graph with CSV files")
        return _from_store(store)
    if csv.is_empty():
        hint = "give the store of a campaign, or --graph SEED --mutants A.csv --verdicts B.csv"
        raise InputError("there are no cases", hint=hint)
    for name, values in (("mutants", csv.mutants), ("verdicts", csv.verdicts)):
        if not values:
            raise InputError(f"--{name} is missing", hint="mutants and verdicts come in pairs of files")
    if csv.graph is None:
        raise InputError("--graph is missing", hint="the mutants in CSV files are changes of a seed graph")
    return read_judged(reading.read(csv.graph).graph, csv.mutants, csv.verdicts)


def _from_store(name: str) -> list[JudgedGraph]:
    # Only stores need campaigns.
    from kgprobe.learning.stored_campaign import judged_graphs

    path, _ = named_store(name)
    found = judged_graphs(path)
    if found.undecided:
        tell("note", f"{number_of(found.undecided, 'case')} without a clear verdict left out")
    return list(found.cases)


# -- kgprobe mask learn ------------------------------------------------------------------------------------------------


_LEARNING = """\b
Examples:
  kgprobe mask learn run.sqlite                  which shapes explain the failures?
  kgprobe mask learn run.sqlite --out mask.ttl   write them as a mask
  kgprobe mask learn run.sqlite --noise 0.05     one verdict in twenty may be wrong
  kgprobe mask learn --graph seed.ttl --mutants a.mutants.csv --verdicts a.verdicts.csv
"""
_MOST_NAMES = 6
_MOST_UNNEEDED = 10


@dataclass(frozen=True, kw_only=True)
class LearnOptions:
    """The options of the command."""

    noise: float = option(
        "--noise",
        metavar="SHARE",
        type=NumberRange(0, 0.5, max_open=True),
        default=0.0,
        show_default=True,
        help="The share of verdicts that may be wrong.",
    )
    out: Path | None = option("--out", type=click.Path(path_type=Path), help="Write the mask to this file, as Turtle.")
    force: bool = option("--force", is_flag=True, help="Replace the file if it exists.")
    as_json: bool = option("--json", is_flag=True, help="Print JSON.")


@click.command("learn", epilog=_LEARNING, short_help="learn a mask from passing and failing mutants")
@click.argument("store", metavar="[RUN]", required=False)
@takes(CsvFiles, "csv")
@reads_graphs
@takes(LearnOptions)
def learn(store: str | None, csv: CsvFiles, reading: Reading, options: LearnOptions) -> None:
    """Learn the smallest mask that excludes failing mutants and no passing ones.

    The mutants come from RUN, the store of a campaign or its profile, or from CSV files. The mask consists of SHACL
    shapes. Each shape says which failures it explains, and whether the cases are enough to rely on it.
    """
    if options.out is not None:
        check_writable(options.out, force=options.force, inputs=[*filter(None, [store]), *csv.files])
    cases = judged_cases(store, csv, reading)
    with steps_progress() as on_progress:
        mask = learn_mask(cases, noise=options.noise, on_progress=on_progress)
    if options.out is not None:
        write_new(options.out, mask.to_turtle(), force=options.force)
    if options.as_json:
        print_json(mask.as_json())
    else:
        for line in _learned_lines(mask):
            click.echo(line)
    if not mask.shapes:
        tell("warning", "no shape was found that explains a failure and excludes no passing mutant")


def _learned_lines(mask: LearnedMask) -> Iterator[str]:
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
        for triple in mask.unneeded[:_MOST_UNNEEDED]:
            yield f"  {triple.words}"


def _evidence(shape: LearnedShape) -> str:
    wrong = f", and excludes {_some(shape.excludes)}, which pass" if shape.excludes else ""
    return f"explains {_some(shape.explains)}{wrong} (p = {shape.p:.2g})"


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - _MOST_NAMES
    shown = ", ".join(names[:_MOST_NAMES])
    return f"{shown} and {more} more" if more > 0 else shown


def _share(share: float, cases: int) -> str:
    return f"{100 * share:.1f}% ({round(share * cases)} of {cases})"


# -- kgprobe mask score ------------------------------------------------------------------------------------------------


_SCORING = """\b
Examples:
  kgprobe mask score mask.ttl run.sqlite          a mask and a campaign
  kgprobe mask score a.ttl b.ttl run.sqlite       a mask of two files
  kgprobe mask score mask.ttl --graph seed.ttl --mutants a.mutants.csv --verdicts a.verdicts.csv
"""


@click.command("score", epilog=_SCORING, short_help="judge a mask by passing and failing mutants")
@click.argument("files", metavar="MASK... [RUN]", nargs=-1, required=True)
@takes(CsvFiles, "csv")
@reads_graphs
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def score(files: tuple[str, ...], csv: CsvFiles, reading: Reading, as_json: bool) -> None:
    """Say how many mutants a mask judges as the system does: it should admit passing ones, and exclude failing ones.

    Each MASK is a file of SHACL shapes or an ASK query; several files are one mask. The mutants come from RUN, the
    store of a campaign or its profile, or from CSV files.
    """
    masks, store = (files, None) if not csv.is_empty() else (files[:-1], files[-1])
    if not masks:
        hint = "name the mask and the store: kgprobe mask score MASK RUN"
        raise InputError("a mask or a store is missing", hint=hint)
    for path in masks:
        if not Path(path).exists():
            raise InputError(f"there is no file '{path}'", hint="a mask is a file of shapes, or an ASK query")
    mask = Mask(read_checks(masks))
    cases = judged_cases(store, csv, reading)
    with counting_progress("checking mutants", len(cases)) as advance:
        score = score_mask(mask, cases, on_progress=advance)
    if as_json:
        print_json(score.as_json())
        return
    for line in _score_lines(score):
        click.echo(line)


def _score_lines(score: MaskScore) -> list[str]:
    lines = [
        f"{score.correct} of {number_of(score.cases, 'case')} right: {100 * score.accuracy:.1f}%",
        f"no mask can exceed {100 * score.ceiling:.1f}%",
    ]
    if score.too_permissive:
        lines.append(f"admitted, but failing: {', '.join(score.too_permissive)}")
    if score.too_strict:
        lines.append(f"excluded, but passing: {', '.join(score.too_strict)}")
    return lines


# -- kgprobe mask suggest ----------------------------------------------------------------------------------------------


_SUGGESTING = """\b
Examples:
  kgprobe mask suggest run.sqlite                   ten mutants, and what each of them decides
  kgprobe mask suggest run.sqlite --count 3 --json  for a machine
  kgprobe mask suggest run.sqlite --out next        write them as graphs into a folder
"""
_POOL = 500
_ATTEMPTS = 3_000
_SHOWN = 3


@click.command("suggest", epilog=_SUGGESTING, short_help="suggest mutants whose verdicts tell most")
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
def suggest(store: str, count: int, noise: float, out: Path | None, force: bool, as_json: bool) -> None:
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
        for line in _suggestion_lines(number, each):
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


def _suggestion_lines(number: int, suggestion: Suggestion) -> Iterator[str]:
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
    yield from (f"     {word}" for word in words[:_SHOWN])
    if len(words) > _SHOWN:
        yield f"     … and {len(words) - _SHOWN} more"


# -- kgprobe mask ------------------------------------------------------------------------------------------------------


_EXAMPLES = """\b
Examples:
  kgprobe mask learn run.sqlite --out mask.ttl   learn a mask from a campaign
  kgprobe mask score mask.ttl run.sqlite         how well does a mask fit a campaign?
  kgprobe mask suggest run.sqlite                which mutants would tell most?
"""


@click.group("mask", epilog=_EXAMPLES)
def command() -> None:
    """Learn masks from mutants on which a system passed or failed, and judge masks by them."""


for _command in (learn, score, suggest):
    command.add_command(_command)
