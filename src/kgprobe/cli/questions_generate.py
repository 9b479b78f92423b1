"""`kgprobe questions generate`: make cases from facts, and write them to a file."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgprobe.campaign.sources.questions import generated_from
from kgprobe.cli.app import resumable, tell
from kgprobe.cli.options import print_json
from kgprobe.cli.progress import loading_progress
from kgprobe.config.loading import load_profile
from kgprobe.errors import InputError, Position
from kgprobe.questions.facts.names import NO_NAME
from kgprobe.questions.schema.traits import ANNOTATION
from kgprobe.wording import number_of
from kgprobe.written_files import check_writable

if TYPE_CHECKING:
    from kgprobe.questions.cases import QuestionCase
    from kgprobe.questions.generation.texts import Generated

_MOST_SHOWN = 10
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")

_EXAMPLES = """\b
Examples:
  kgprobe questions generate qa.toml --out cases.jsonl     all cases that qa.toml asks for
  kgprobe questions generate qa.toml --sample 20           some of them, to inspect
"""


@click.command("generate", epilog=_EXAMPLES, short_help="make questions from facts")
@click.argument("profile", metavar="PROFILE")
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path), help="Write the cases to .jsonl or .parquet.")
@click.option("--force", is_flag=True, help="Replace the file of cases if it exists.")
@click.option(
    "--facts", metavar="FILE", type=click.Path(path_type=Path), help="Keep the loaded facts in FILE for the next time."
)
@click.option("--engine", metavar="NAME", default="duckdb", help="duckdb (the default) or spark, for the large joins.")
@click.option("--sample", metavar="N", type=click.IntRange(1, 100_000), help="Print N random cases for inspection.")
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
def command(
    profile: str, out: Path | None, force: bool, facts: Path | None, engine: str, sample: int | None, as_json: bool
) -> None:
    """Make cases from the facts of a PROFILE: premises that the facts state, and conclusions from them."""
    if out is None and sample is None:
        raise InputError("nothing to do with the cases", hint="write --out cases.jsonl, or --sample 20")
    if out is not None and out.suffix.casefold() not in (".jsonl", ".parquet"):
        raise InputError("has an unknown kind of name", where=Position(str(out)), hint="write .jsonl or .parquet")
    if out is not None:
        check_writable(out, force=force)
    loaded = load_profile(profile)
    with (
        resumable(facts, result=None if force else out),
        loading_progress() as on_progress,
        generated_from(loaded, facts_file=facts, engine=engine, on_progress=on_progress) as made,
    ):
        for note in made.notes:
            tell("note", note)
        if out is not None:
            made.write(out, force=force)
        shown = _sampled(made, sample or 0, loaded.questions.seed)
        if as_json:
            value = {"cases": len(made.cases), "by_rule": made.by_rule, "dropped": made.dropped, "empty": made.empty}
            value["not_asked"] = {name: why for name, (why, _) in made.not_asked.items()}
            print_json(value if sample is None else {**value, "sample": [json.loads(_line(case)) for case in shown]})
            return
        for case in shown:
            click.echo("\n".join(_described(case)) + "\n")
        for line in _summary(made, out):
            click.echo(line)


def _line(case: QuestionCase) -> str:
    from kgprobe.questions.cases import line_of

    return line_of(case)


def _sampled(made: Generated, count: int, seed: int) -> list[QuestionCase]:
    numbers = random.Random(seed).sample(range(len(made.cases)), min(count, len(made.cases)))
    return [made.cases[number] for number in sorted(numbers)]


def _described(case: QuestionCase) -> Iterator[str]:
    yield f"{case.id}  {' '.join(case.relations)}{'  (relies on mined traits)' if case.is_mined else ''}"
    for question in case.antecedents:
        yield f"  premise   {question.text}  {question.expected}"
    for question in case.consequences:
        yield f"  {question.kind:<8}  {question.text}  {question.expected}"
        yield f"            because {question.why}"
    if case.consequences and case.consequences[0].context:
        yield f"  context   {case.consequences[0].context}"


def _summary(made: Generated, out: Path | None) -> Iterator[str]:
    yield f"{number_of(len(made.cases), 'case')}{f' in {out}' if out else ''}"
    width = max(map(len, (*made.by_rule, *made.dropped, *made.empty)), default=0)
    yield from (f"  {rule:<{width}}  {count:>9,}" for rule, count in made.by_rule.items())
    if made.dropped:
        yield "Dropped:"
        yield from (f"  {reason:<{width}}  {count:>9,}" for reason, count in made.dropped.items())
    if not made.cases and NO_NAME in made.dropped:
        yield "To name things, add their labels to the facts, in the language of the profile:"
        yield '  <http://example.org/thing> <http://www.w3.org/2000/01/rdf-schema#label> "name"@en .'
    if made.empty:
        yield "No cases:"
        yield from (f"  {rule:<{width}}  {why}" for rule, why in made.empty.items())
    if made.not_asked:
        yield from _not_asked(made.not_asked)


def _not_asked(relations: dict[str, tuple[str, int]]) -> Iterator[str]:
    """The relations without words, and the lines of a profile that give them some."""
    shown = dict(islice(relations.items(), _MOST_SHOWN))
    width = max(map(len, shown))
    yield "Not asked about:"
    for name, (why, count) in shown.items():
        yield f"  {name:<{width}}  {why} ({number_of(count, 'fact')})"
    if len(relations) > len(shown):
        yield f"  and {number_of(len(relations) - len(shown), 'more relation')}"
    wordable = [name for name, (why, _) in shown.items() if why != ANNOTATION]
    if wordable:
        yield "To ask about them, complete these lines in the profile, and delete those that you do not need:"
        yield "  [questions.relations]"
        for name in wordable:
            key = name if _BARE_KEY.fullmatch(name) else json.dumps(name)
            yield f'  # {key} = {{ words = ["a", "NOUN", "of"] }}  # (A, {name}, B): B is a NOUN of A'
            yield f'  # {key} = {{ words = ["a", "NOUN", "of"], turned = true }}  # A is a NOUN of B'
