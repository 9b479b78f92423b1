"""Files of cases, in JSON lines or Parquet: counted and checked when they are opened, then read case by case."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgprobe.errors import InputError, Position, UnavailableError
from kgprobe.given_files import open_file
from kgprobe.questions.cases import QuestionCase, case_of_line, case_of_value, value_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

if TYPE_CHECKING:
    pass

__all__ = ["CaseFile", "open_cases"]

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
    number, found = 0, 0
    with os.fdopen(open_file(path), "rb") as stream:
        while line := stream.readline(_LONGEST_LINE + 1):
            number += 1
            where = Position(str(path), number)
            if len(line) > _LONGEST_LINE:
                raise InputError(f"this line has more than {_LONGEST_LINE >> 20} MB", where=where)
            if not line.strip():
                continue
            found += 1
            if found > start:
                yield case_of_line(_text(line, where), where)


def _text(line: bytes, where: Position) -> str:
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
