"""`kgprobe questions read`: what answers decide."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import click

from kgprobe.cli.options import print_json
from kgprobe.errors import InputError, Position, visible
from kgprobe.given_files import open_file, parse_json
from kgprobe.questions.reading import READERS, yes_no_reader

_EXAMPLES = """\b
Examples:
  kgprobe questions read answers.jsonl               the decision of each answer
  kgprobe questions read answers.jsonl --json        as JSON, with reasons
  kgprobe questions read - < answers.jsonl           standard input
"""
_LONGEST_LINE = 10 << 20


@dataclass(frozen=True, slots=True)
class _Line:
    id: Any
    answer: str
    question: str


@click.command("read", epilog=_EXAMPLES, short_help="read answers: yes, no or undecided")
@click.argument("file", metavar="FILE")
@click.option(
    "--reader", default="words", metavar="NAME", show_default=True, help=f"How to read answers: {', '.join(READERS)}."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(file: str, reader: str, as_json: bool) -> None:
    """Print whether each answer in FILE is a yes, a no, or undecided, and why.

    FILE has one JSON object on each line: "answer", and optionally "id" and "question"; - is standard input.
    """
    read, readings = yes_no_reader(reader), []
    for line in _lines(file):
        reading = read(line.answer, line.question)
        if as_json:
            readings.append({"id": line.id, "reading": reading.decision, "why": reading.why})
        else:
            click.echo(f"{visible(str(line.id))}: {reading.decision} ({visible(reading.why)})")
    if as_json:
        print_json({"readings": readings})


def _lines(file: str) -> Iterator[_Line]:
    """The lines of the file that are not empty. A line without an id gets its number."""
    with ExitStack() as stack:
        content = sys.stdin.buffer if file == "-" else stack.enter_context(os.fdopen(open_file(file), "rb"))
        name = "standard input" if file == "-" else file
        number = 0
        while raw := content.readline(_LONGEST_LINE):
            number += 1
            where = Position(name, number)
            if len(raw) >= _LONGEST_LINE:
                raise InputError(f"this line is longer than {_LONGEST_LINE >> 20} MB", where=where)
            if raw.strip():
                yield _line(raw.removeprefix(b"\xef\xbb\xbf"), where)


def _line(raw: bytes, where: Position) -> _Line:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", where=where) from None
    value = parse_json(text.strip(), where)
    if not isinstance(value, dict):
        raise InputError('this line is not a JSON object with "answer"', where=where)
    if not isinstance(answer := value.get("answer"), str):
        problem = '"answer" is missing' if "answer" not in value else f'"answer" is not a text: {answer!r:.40}'
        raise InputError(problem, where=where)
    if not isinstance(question := value.get("question") or "", str):
        raise InputError(f'"question" is not a text: {question!r:.40}', where=where)
    return _Line(value.get("id", where.line), answer, question)
