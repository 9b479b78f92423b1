"""The commands of `kgprobe questions` about answers: asking, reporting, comparing, and reading what answers decide."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from kgprobe.campaign.store import read_store
from kgprobe.campaign.summary import check_questions, summary_of
from kgprobe.cli.campaign import CampaignOptions, questions_exit_code, run_profile
from kgprobe.cli.options import named_store, print_json, takes
from kgprobe.config.loading import load_profile, profile_in
from kgprobe.config.profile import Profile
from kgprobe.config.toml import Places
from kgprobe.errors import InputError, Position, visible
from kgprobe.given_files import open_file, parse_json
from kgprobe.questions.reading import READERS, yes_no_reader
from kgprobe.report.questions import (
    StoredAnswers,
    comparison_lines,
    comparison_value,
    overlap_lines,
    overlap_value,
    paired,
    report_lines,
    report_value,
    reported,
    stored_answers,
)

# -- run: the systems of a profile, or one chat model ------------------------------------------------------------------

_RUN_EXAMPLES = """\b
Examples:
  kgprobe questions run qa.toml                               ask all systems of a profile, or resume
  kgprobe questions run qa.toml --reader paper --json         read answers as the paper does
  kgprobe questions run qa.toml --case 17                     ask one case again
  kgprobe questions run cities.ttl --chat http://127.0.0.1:8080/v1 --model smol
"""


@click.command("run", epilog=_RUN_EXAMPLES, short_help="ask questions, and find wrong conclusions")
@click.argument("source", metavar="PROFILE|GRAPH")
@click.option("--chat", metavar="URL", help="With a GRAPH: the address of an OpenAI-compatible server.")
@click.option("--model", metavar="NAME", help="With a GRAPH: the model to ask.")
@click.option("--key-env", metavar="VARIABLE", help="With a GRAPH: the environment variable that has the key.")
@takes(CampaignOptions)
def run(source: str, chat: str | None, model: str | None, key_env: str | None, options: CampaignOptions) -> int:
    """Ask questions made from facts, and report wrong conclusions from premises that a system knows.

    With a PROFILE that has [questions], this is the same as 'kgprobe test PROFILE'. With a GRAPH, the model at --chat
    is asked, with all settings at their defaults. Exit code 1: there are findings that are not known bugs.
    """
    if source.casefold().endswith(".toml"):
        for option, value in (("--chat", chat), ("--model", model), ("--key-env", key_env)):
            if value is not None:
                raise InputError(f"{option} goes with a graph", hint="a profile names its systems in [[systems]]")
        return run_profile(lambda: _with_questions(load_profile(source)), source, options)
    return run_profile(lambda: _profile_for(source, chat, model, key_env), source, options)


def _with_questions(profile: Profile) -> Profile:
    _ = profile.questions  # InputError if it has none
    return profile


def _profile_for(graph: str, chat: str | None, model: str | None, key_env: str | None) -> Profile:
    """A profile with one chat system, and defaults for everything else."""
    if chat is None or model is None:
        missing = "--chat" if chat is None else "--model"
        hint = "write --chat http://127.0.0.1:8080/v1 --model NAME, or name a profile (.toml)"
        raise InputError(f"a graph needs {missing}", hint=hint)
    is_url = graph.casefold().startswith(("http://", "https://"))
    path = Path("questions") if is_url else Path(graph)
    system = {"name": model, "chat": chat, "model": model, **({"key-env": key_env} if key_env else {})}
    facts = graph if is_url else str(path.absolute())
    document = {"questions": {"facts": [facts]}, "systems": [system]}
    words = ["kgprobe", "questions", "run", graph, "--chat", chat, "--model", model]
    command_line = shlex.join([*words, *(["--key-env", key_env] if key_env else [])])
    made = profile_in(document, path, Places("the command line"))
    return replace(made, command=command_line)


# -- report: the results in a store ------------------------------------------------------------------------------------

_REPORT_EXAMPLES = """\b
Examples:
  kgprobe questions report qa.sqlite          a table for each system
  kgprobe questions report qa.sqlite --json   the same for a program
"""


@click.command("report", epilog=_REPORT_EXAMPLES, short_help="show what the systems got right and wrong")
@click.argument("name", metavar="STORE")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def report(name: str, as_json: bool) -> int:
    """Report the answers in the STORE of a campaign: for each system, rule and relation, the wrong conclusions.

    The STORE may be named by its profile, which may have known bugs. The campaign may still be running. Exit codes are
    those of 'kgprobe questions run'.
    """
    path, known = named_store(name)
    with read_store(path) as store:
        check_questions(store)
        report = reported(store, summary_of(store, known))
    if as_json:
        print_json(report_value(report, ""))
    else:
        for line in report_lines(report, path.name):
            click.echo(line)
    return questions_exit_code(report)


# -- compare: several stores -------------------------------------------------------------------------------------------

_COMPARE_EXAMPLES = """\b
Examples:
  kgprobe questions compare old.sqlite new.sqlite            what was fixed, and what was broken
  kgprobe questions compare qa.sqlite --overlap              which bugs the systems of one campaign share
  kgprobe questions compare a.sqlite b.sqlite c.sqlite --overlap --json
"""


@click.command(
    "compare", epilog=_COMPARE_EXAMPLES, short_help="compare the answers of two campaigns, or of several systems"
)
@click.argument("paths", metavar="STORE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--overlap", is_flag=True, help="Count the bugs that each set of systems has in common.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(paths: tuple[Path, ...], overlap: bool, as_json: bool) -> None:
    """Compare two campaigns with the same cases: the bugs that were fixed, those that are new, and McNemar's test.

    Only cases that both systems were tested on count. With --overlap, any number of STOREs is compared, and each of
    their systems is one of the sets.
    """
    answers = [_answers(path) for path in paths]
    if overlap:
        if as_json:
            print_json(overlap_value(answers))
        else:
            _echo(overlap_lines(answers))
        return
    if len(answers) != 2:
        raise InputError(f"two stores are compared, not {len(answers)}", hint="--overlap takes any number")
    pairs = paired(answers[0], answers[1])
    if as_json:
        print_json(comparison_value(pairs))
    else:
        _echo(comparison_lines(pairs))


def _answers(path: Path) -> StoredAnswers:
    with read_store(path) as store:
        return stored_answers(store)


def _echo(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


# -- read: what answers decide -----------------------------------------------------------------------------------------

_READ_EXAMPLES = """\b
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


@click.command("read", epilog=_READ_EXAMPLES, short_help="read answers: yes, no or undecided")
@click.argument("file", metavar="FILE")
@click.option(
    "--reader", default="words", metavar="NAME", show_default=True, help=f"How to read answers: {', '.join(READERS)}."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def read(file: str, reader: str, as_json: bool) -> None:
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
