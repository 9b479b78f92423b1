"""`kgprobe questions`: test question-answering software with questions made from a graph."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgprobe.campaign.sources.questions import generated_from
from kgprobe.campaign.store import read_store
from kgprobe.campaign.summary import check_questions
from kgprobe.cli.app import resumable, tell
from kgprobe.cli.options import option, print_json, takes
from kgprobe.cli.progress import loading_progress
from kgprobe.cli.question_answers import compare, read, report, run
from kgprobe.config.loading import load_profile
from kgprobe.errors import InputError, Position
from kgprobe.questions.cases import QuestionCase, case_of_value, line_of
from kgprobe.questions.facts.names import NO_NAME
from kgprobe.questions.rules import built_in, rule_named
from kgprobe.questions.schema.traits import ANNOTATION
from kgprobe.questions.training import FORMATS, entities_of, examples, split
from kgprobe.systems.prompts import PromptText
from kgprobe.wording import number_of
from kgprobe.written_files import check_new, check_writable, write_new

if TYPE_CHECKING:
    from kgprobe.questions.generation.texts import Generated

_EXAMPLES = """\b
Examples:
  kgprobe questions generate qa.toml --sample 20    make questions, and look at some of them
  kgprobe questions run qa.toml                     ask all systems of a profile
  kgprobe questions report qa.sqlite                what they got right and wrong
  kgprobe questions compare old.sqlite new.sqlite   what a change has fixed and broken
  kgprobe questions read answers.jsonl              what do these answers decide?
"""


@click.group("questions", epilog=_EXAMPLES)
def command() -> None:
    """Test whether the answers of question-answering software follow from each other."""


for _about_answers in (run, report, compare, read):
    command.add_command(_about_answers)


# -- generate: cases from facts ----------------------------------------------------------------------------------------

_MOST_SHOWN = 10
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")

_GENERATE_EXAMPLES = """\b
Examples:
  kgprobe questions generate qa.toml --out cases.jsonl     all cases that qa.toml asks for
  kgprobe questions generate qa.toml --sample 20           some of them, to inspect
"""


@dataclass(frozen=True, kw_only=True)
class GenerateOptions:
    """The options of the command."""

    out: Path | None = option(
        "--out", metavar="FILE", type=click.Path(path_type=Path), help="Write the cases to .jsonl or .parquet."
    )
    force: bool = option("--force", is_flag=True, help="Replace the file of cases if it exists.")
    facts: Path | None = option(
        "--facts",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Keep the loaded facts in FILE for the next time.",
    )
    engine: str = option(
        "--engine", metavar="NAME", default="duckdb", help="duckdb (the default) or spark, for the large joins."
    )
    sample: int | None = option(
        "--sample", metavar="N", type=click.IntRange(1, 100_000), help="Print N random cases for inspection."
    )
    as_json: bool = option("--json", is_flag=True, help="Print the counts as JSON.")


@command.command("generate", epilog=_GENERATE_EXAMPLES, short_help="make questions from facts")
@click.argument("profile", metavar="PROFILE")
@takes(GenerateOptions)
def generate(profile: str, options: GenerateOptions) -> None:
    """Make cases from the facts of a PROFILE: premises that the facts state, and conclusions from them."""
    if options.out is None and options.sample is None:
        raise InputError("nothing to do with the cases", hint="write --out cases.jsonl, or --sample 20")
    if options.out is not None and options.out.suffix.casefold() not in (".jsonl", ".parquet"):
        raise InputError(
            "has an unsupported extension", where=Position(str(options.out)), hint="write .jsonl or .parquet"
        )
    if options.out is not None:
        check_writable(options.out, force=options.force)
    loaded = load_profile(profile)
    with (
        resumable(options.facts, result=None if options.force else options.out),
        loading_progress() as on_progress,
        generated_from(loaded, facts_file=options.facts, engine=options.engine, on_progress=on_progress) as made,
    ):
        for note in made.notes:
            tell("note", note)
        if options.out is not None:
            made.write(options.out, force=options.force)
        shown = _sampled(made, options.sample or 0, loaded.questions.seed)
        if options.as_json:
            value = {"cases": len(made.cases), "by_rule": made.by_rule, "dropped": made.dropped, "empty": made.empty}
            value["not_asked"] = {name: why for name, (why, _) in made.not_asked.items()}
            print_json(
                value if options.sample is None else {**value, "sample": [json.loads(line_of(case)) for case in shown]}
            )
            return
        for case in shown:
            click.echo("\n".join(_described(case)) + "\n")
        for line in _summary(made, options.out):
            click.echo(line)


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


# -- export: training data from a store --------------------------------------------------------------------------------

_EXPORT_EXAMPLES = """\b
Examples:
  kgprobe questions export qa.sqlite --format chat --out data        messages, for chat models
  kgprobe questions export qa.sqlite --format text2text --out data   input and output, as for UnifiedQA
"""


@command.command("export", epilog=_EXPORT_EXAMPLES, short_help="write training data")
@click.argument("path", metavar="STORE", type=click.Path(path_type=Path))
@click.option(
    "--format", "format_name", type=click.Choice(list(FORMATS)), default="chat", show_default=True, help="The format."
)
@click.option(
    "--out", "folder", required=True, metavar="FOLDER", type=click.Path(path_type=Path), help="Where the files go."
)
@click.option("--force", is_flag=True, help="Replace files that exist.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def export(path: Path, format_name: str, folder: Path, force: bool, as_json: bool) -> None:
    """Write the questions of a STORE with their right answers: train.jsonl, validation.jsonl and test.jsonl.

    The cases are split 6:2:2 so that no entity is on two sides. Cases that connect two sides are dropped and counted.
    """
    cases = _cases(path)
    parts = split([entities_of(case) for case in cases])
    written: dict[str, dict[str, int]] = {}
    for side in parts.sides:
        check_new(folder / f"{side}.jsonl", force=force)
    for side, numbers in parts.sides.items():
        lines = [
            json.dumps(example, ensure_ascii=False)
            for example in examples((cases[number] for number in numbers), format_name, PromptText().filled)
        ]
        write_new(folder / f"{side}.jsonl", "".join(f"{line}\n" for line in lines), force=force)
        written[side] = {"cases": len(numbers), "examples": len(lines)}
    if as_json:
        print_json({"folder": str(folder), "format": format_name, "dropped": len(parts.dropped), "sides": written})
    else:
        for side, counts in written.items():
            shown = f"{number_of(counts['cases'], 'case')}, {number_of(counts['examples'], 'example')}"
            click.echo(f"{folder / side}.jsonl: {shown}")
        if parts.dropped:
            click.echo(f"dropped: {number_of(len(parts.dropped), 'case')} with entities of two sides")
    for side, counts in written.items():
        if not counts["cases"]:
            tell("warning", f"{side}.jsonl is empty: too many cases share an entity")


def _cases(path: Path) -> list[QuestionCase]:
    with read_store(path) as store:
        check_questions(store)
        cases = []
        for planned, _, _ in store.details():
            with store.reading():
                cases.append(case_of_value(planned.recipe))
    if not cases:
        raise InputError("holds no case that has run", where=Position(str(path)))
    return cases


# -- rules: what cases are made with -----------------------------------------------------------------------------------

_RULES_EXAMPLES = """\b
Examples:
  kgprobe questions rules              all built-in rules
  kgprobe questions rules transitive   its file, as a start for your own rule
"""


@command.command("rules", epilog=_RULES_EXAMPLES, short_help="list the rules of inference, or show one of them")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def rules(name: str | None, as_json: bool) -> None:
    """List the built-in rules, or show the file of the rule NAME."""
    rules = built_in().values() if name is None else [rule_named(name)]
    if as_json:
        print_json([{"name": rule.name, "about": rule.about, "source": rule.source} for rule in rules])
    elif name is not None:
        click.echo(rule_named(name).source.rstrip())
    else:
        width = max(len(rule.name) for rule in rules)
        for rule in rules:
            click.echo(f"{rule.name:<{width}}  {rule.about}")
