"""`kgprobe questions export`: training data from the cases in a store."""

from __future__ import annotations

import json
from pathlib import Path

import click

from kgprobe.campaign.store import read_store
from kgprobe.campaign.summary import check_questions
from kgprobe.cli.app import tell
from kgprobe.cli.options import print_json
from kgprobe.errors import InputError, Position
from kgprobe.questions.cases import QuestionCase, case_of_value
from kgprobe.questions.training import FORMATS, entities_of, examples, split
from kgprobe.systems.prompts import PromptText
from kgprobe.wording import number_of
from kgprobe.written_files import check_new, write_new

_EXAMPLES = """\b
Examples:
  kgprobe questions export qa.sqlite --format chat --out data        messages, for chat models
  kgprobe questions export qa.sqlite --format text2text --out data   input and output, as for UnifiedQA
"""


@click.command("export", epilog=_EXAMPLES, short_help="write training data")
@click.argument("path", metavar="STORE", type=click.Path(path_type=Path))
@click.option(
    "--format", "format_name", type=click.Choice(list(FORMATS)), default="chat", show_default=True, help="The format."
)
@click.option(
    "--out", "folder", required=True, metavar="FOLDER", type=click.Path(path_type=Path), help="Where the files go."
)
@click.option("--force", is_flag=True, help="Replace files that exist.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(path: Path, format_name: str, folder: Path, force: bool, as_json: bool) -> None:
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
