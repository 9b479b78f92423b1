"""A case of inference testing as a value, as a line of JSON, and in files of JSON lines or Parquet.

Files are counted and checked when they are opened, then read case by case.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from kgprobe.errors import InputError, Position, UnavailableError
from kgprobe.given_files import open_file
from kgprobe.model import Inference, Prompt
from kgprobe.questions.settings import FORMS

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Question", "QuestionCase", "case_of_value", "line_of", "open_cases", "sentences_of", "value_of"]


# After the end of a sentence, but not after an initial: J. R. Rotem is one name.
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?。])(?<!\b[^\W\d_]\.)\s+|\n+")
Fact: TypeAlias = tuple[str, str, str]
"""A triple of IRIs; the object may be a literal as in N-Triples."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim that a question is about: from the subject along the path to the object, all by their IRIs.

    The path of "is a" is rdf:type, and the object is then a class.
    """

    subject: str
    path: tuple[str, ...]
    object: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its context and the expected answer.

    `claim` is None if the question is about a name ("X is the alternative name for Y"), about a number, or about
    several claims. `kind` is "basic" or "extended" for a conclusion, and empty for a premise; `why` says why the
    expected answer is right.
    """

    text: str
    expected: str
    context: str = ""
    claim: Claim | None = None
    kind: str = ""
    why: str = ""
    form: str = "yes-no"
    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()

    @property
    def prompt(self) -> Prompt:
        """The part that a system and an oracle need."""
        return Prompt(self.text, self.context, self.expected, self.form, self.right, self.wrong, self.kind)


@dataclass(frozen=True, slots=True)
class QuestionCase:
    """Premises that the graph states, and conclusions that follow from them by a rule."""

    id: str
    rule: str
    relations: tuple[str, ...]
    facts: tuple[Fact, ...]
    antecedents: tuple[Question, ...]
    consequences: tuple[Question, ...]
    is_mined: bool = False

    @property
    def input(self) -> Inference:
        """The case as an input of a campaign."""
        premises = tuple(antecedent.prompt for antecedent in self.antecedents)
        conclusions = tuple(consequence.prompt for consequence in self.consequences)
        return Inference(self.rule, self.relations, premises, conclusions, self.is_mined)


def sentences_of(context: str) -> tuple[str, ...]:
    """The sentences of a context. A name with a full stop can make two of one, which does no harm."""
    return tuple(part for part in _BETWEEN_SENTENCES.split(context) if part.strip())


def value_of(case: QuestionCase) -> dict[str, Any]:
    """The case as a JSON value."""
    return {
        "id": case.id,
        "rule": case.rule,
        "relations": list(case.relations),
        "facts": [list(fact) for fact in case.facts],
        "antecedents": [_question_value(antecedent) for antecedent in case.antecedents],
        "consequences": [_question_value(consequence) for consequence in case.consequences],
        **({"mined": True} if case.is_mined else {}),
    }


def line_of(case: QuestionCase) -> str:
    """The case as a line of JSON, without a line end."""
    return json.dumps(value_of(case), ensure_ascii=False)


def _question_value(question: Question) -> dict[str, Any]:
    claim = question.claim
    value: dict[str, Any] = {
        "question": question.text,
        "context": question.context,
        "expected": question.expected,
        "claim": None
        if claim is None
        else {"subject": claim.subject, "path": list(claim.path), "object": claim.object},
    }
    if question.kind:
        value |= {"kind": question.kind, "why": question.why}
    if question.form != "yes-no":
        value |= {"form": question.form, "right": list(question.right), "wrong": list(question.wrong)}
    return value


def case_of_line(line: str, where: Position) -> QuestionCase:
    """The case in a line of JSON. InputError if it is broken; `where` is the line."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError("this line is not JSON", where=where) from None
    try:
        return case_of_value(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"'{error.args[0]}' is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"this line is not a case: {what}", where=where) from None


def case_of_value(value: Mapping[str, Any]) -> QuestionCase:
    """The case in a JSON value. KeyError, TypeError or ValueError if it is not one."""
    if not isinstance(value, Mapping):
        raise TypeError("it is not an object")
    case = QuestionCase(
        _text(value["id"]),
        _text(value["rule"]),
        _texts(value["relations"]),
        tuple(_fact(fact) for fact in _list(value["facts"])),
        tuple(map(_question, _list(value["antecedents"]))),
        tuple(map(_question, _list(value["consequences"]))),
        value.get("mined", False) is True,
    )
    if not case.consequences:
        raise ValueError("it has no consequences")
    return case


def _question(value: Any) -> Question:
    if not isinstance(value, Mapping):
        raise TypeError("a question is not an object")
    given = value["claim"]
    claim = None if given is None else Claim(_text(given["subject"]), _texts(given["path"]), _text(given["object"]))
    _check_form(value)
    return Question(
        _text(value["question"]),
        _text(value["expected"]),
        _text(value["context"]),
        claim,
        _text(value.get("kind", "")),
        _text(value.get("why", "")),
        _text(value.get("form", "yes-no")),
        _texts(value.get("right", [])),
        _texts(value.get("wrong", [])),
    )


def _check_form(value: Mapping[str, Any]) -> None:
    form, expected, kind = value.get("form", "yes-no"), value["expected"], value.get("kind", "")
    if form not in FORMS:
        raise ValueError(f"the form {form!r:.40} is not {', '.join(FORMS)}")
    if form == "yes-no" and expected not in ("yes", "no"):
        raise ValueError(f"the expected answer {expected!r:.40} is not yes or no")
    if form != "yes-no" and not value.get("right"):
        raise ValueError(f"a question of the form {form} has no right answer")
    if kind not in ("", "basic", "extended"):
        raise ValueError(f"the kind {kind!r:.40} is not basic or extended")


def _fact(value: Any) -> Fact:
    subject, predicate, object_ = _texts(value)
    return subject, predicate, object_


def _list(value: Any) -> Iterator[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r:.40} is not a list")
    return iter(value)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, _list(value)))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is not a text")
    if not value.isascii():
        value.encode()  # JSON can escape half a character, which no file can hold; this is a ValueError
    return value


# -- files of cases ----------------------------------------------------------------------------------------------------

_LONGEST_LINE = 16 << 20  # bytes
_PARQUET = b"PAR1"
_ROWS_AT_ONCE = 1_000
_COLUMNS = ("id", "rule", "relations", "facts", "antecedents", "consequences")


@dataclass(frozen=True)
class CaseFile:
    """A file in which each case was checked. `total` is the number of cases."""

    path: Path
    total: int
    notes: tuple[str, ...] = ()

    @property
    def about(self) -> Mapping[str, Any]:
        """Nothing: what was dropped when the cases were made is not known."""
        return {}

    def starting_at(self, number: int) -> Iterator[QuestionCase]:
        """The cases from this one on, counted from 0. InputError if the file has changed and is broken now."""
        return _cases(self.path, number)


def open_cases(path: Path) -> CaseFile:
    """Check a file of cases, and count them. InputError, with the line, if one is broken or two have the same id."""
    seen: set[int] = set()
    for number, case in enumerate(_cases(path), start=1):
        seen.add(hash(case.id))
        if len(seen) < number:
            message = f"two cases have the id '{case.id}'"
            raise InputError(message, where=Position(str(path), None if _is_parquet(path) else number))
    return CaseFile(path, len(seen))


def _cases(path: Path, start: int = 0) -> Iterator[QuestionCase]:
    return _in_parquet(path, start) if _is_parquet(path) else _in_lines(path, start)


def _is_parquet(path: Path) -> bool:
    with os.fdopen(open_file(path), "rb") as stream:
        return stream.read(len(_PARQUET)) == _PARQUET


def _in_lines(path: Path, start: int) -> Iterator[QuestionCase]:
    """Each line that is not empty is a case."""
    number, cases = 0, 0
    with os.fdopen(open_file(path), "rb") as stream:
        while line := stream.readline(_LONGEST_LINE + 1):
            number += 1
            where = Position(str(path), number)
            if len(line) > _LONGEST_LINE:
                raise InputError(f"this line has more than {_LONGEST_LINE >> 20} MB", where=where)
            if not line.strip():
                continue
            cases += 1
            if cases > start:
                yield case_of_line(_decoded(line, where), where)


def _decoded(line: bytes, where: Position) -> str:
    try:
        return line.decode("utf-8-sig" if where.line == 1 else "utf-8")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", where=where, hint="save it as UTF-8") from None


def _in_parquet(path: Path, start: int) -> Iterator[QuestionCase]:
    try:
        import duckdb
    except ImportError:
        raise UnavailableError("a Parquet file needs DuckDB", hint="pip install 'kgprobe[questions]'") from None

    where = Position(str(path))
    number = start
    with duckdb.connect() as connection:
        try:
            shapes = _shapes(connection, path)
            rows = connection.execute("SELECT * FROM read_parquet(?) OFFSET ?", [str(path), start])
            columns = [column[0] for column in rows.description or ()]
            for missing in (name for name in _COLUMNS if shapes is None and name not in columns):
                raise InputError(f"is not a file of cases: it has no column '{missing}'", where=where)
            while some := rows.fetchmany(_ROWS_AT_ONCE):
                for row in some:
                    number += 1
                    yield _case_of_row(dict(zip(columns, row, strict=True)), shapes, number, where)
        except duckdb.Error as error:
            raise InputError(f"is not a Parquet file that can be read: {error}", where=where) from None


def _shapes(connection: DuckDBPyConnection, path: Path) -> list[str] | None:
    """The shapes of cases that kgprobe has written; None if the file is from elsewhere."""
    from kgprobe.questions.generation.conclusions import SHAPES  # other files do not need the modules that make cases

    query = "SELECT decode(value) FROM parquet_kv_metadata(?) WHERE decode(key) = ?"
    row = connection.execute(query, [str(path), SHAPES]).fetchone()
    if row is None:
        return None
    try:
        return [str(shape) for shape in json.loads(row[0])]
    except (ValueError, TypeError, RecursionError):
        raise InputError("is not a file of cases: its metadata are damaged", where=Position(str(path))) from None


def _case_of_row(row: dict[str, Any], shapes: Sequence[str] | None, number: int, where: Position) -> QuestionCase:
    """The case in a row. Without shapes, it has a column for each key of a case; nested values may be JSON texts."""
    try:
        if shapes is not None:
            from kgprobe.questions.generation.conclusions import case_of, row_of

            # A damaged shape can give anything, so that the case is checked like one from elsewhere.
            return case_of_value(value_of(case_of(row_of(row, shapes))))
        nested = {
            key: json.loads(value) for key, value in row.items() if key in _COLUMNS[2:] and isinstance(value, str)
        }
        return case_of_value({**row, **nested})
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        what = f"'{error.args[0]}' is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"row {number} is not a case: {what}", where=where) from None
