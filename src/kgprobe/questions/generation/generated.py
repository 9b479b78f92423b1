"""Cases that were made: counted, read one by one or all in a row, and written to a file."""

# ruff: noqa: S608 - all parts of the queries are ours
from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import overload

from kgprobe.errors import InputError, Position
from kgprobe.processes.limits import clean_folder
from kgprobe.questions.cases import QuestionCase, line_of
from kgprobe.questions.generation.forms import Forms
from kgprobe.questions.generation.knowledge import Knowledge
from kgprobe.questions.generation.shapes import SHAPES, Made, Row, case_of, row_of
from kgprobe.questions.generation.texts import CaseTexts, make_texts
from kgprobe.written_files import new_file

__all__ = ["Cases", "Generated"]

_BATCH = 10_000
_PARQUET = "FORMAT parquet, COMPRESSION snappy, USE_TMP_FILE false"  # the target is a temporary file


class Cases(Sequence[QuestionCase]):
    """The cases in their order. They are numbers in the database; a case is made when it is read."""

    def __init__(self, generated: Generated) -> None:
        self._generated = generated

    def __len__(self) -> int:
        return sum(each.count for each in self._generated.made)

    def __iter__(self) -> Iterator[QuestionCase]:
        return self._generated.all()

    @overload
    def __getitem__(self, index: int) -> QuestionCase: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[QuestionCase]: ...
    def __getitem__(self, index: int | slice) -> QuestionCase | Sequence[QuestionCase]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(index)
        return self._generated.one(number)


class Generated:
    """Cases, with the counts of what was made and dropped. Close it, or use it in a `with` statement."""

    def __init__(
        self, knowledge: Knowledge, made: Sequence[Made], dropped: Mapping[str, int], empty: Mapping[str, str]
    ) -> None:
        """`dropped` has a count for each reason, and `empty` the reason why a rule has no cases."""
        self._knowledge = knowledge
        self.made = tuple(made)
        self.dropped = dict(dropped)
        self.empty = dict(empty)

    def __enter__(self) -> Generated:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._knowledge.engine.facts.__exit__(kind, error, trace)

    def close(self) -> None:
        """Close the database of facts. The cases cannot be read after that."""
        self._knowledge.engine.facts.close()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know about the facts and the schema, such as contradictions."""
        return (*self._knowledge.engine.facts.notes, *self._knowledge.schema.notes)

    @property
    def cases(self) -> Cases:
        """The cases, in a stable order."""
        return Cases(self)

    @property
    def by_rule(self) -> dict[str, int]:
        """The number of cases of each rule that has any."""
        counts: Counter[str] = Counter()
        for each in self.made:
            counts[each.rule] += each.count
        return dict(counts)

    @cached_property
    def not_asked(self) -> dict[str, tuple[str, int]]:
        """Why there are no questions about a relation, and how many facts it has; the relations by their names."""
        relations = self._knowledge.schema.relations
        counts = self._knowledge.engine.query("SELECT p, count(*) AS n FROM edges GROUP BY p ORDER BY n DESC, p")
        return {
            self._knowledge.named(number): (relations[number].why_no_words, count)
            for number, count in counts
            if number in relations and relations[number].words is None
        }

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of cases in each block: cases of one rule that are worded in the same way."""
        return tuple(each.count for each in self.made)

    def some(self, block: int, start: int, end: int) -> list[QuestionCase]:
        """The cases of a block with these numbers, counted from 0; `end` is not included."""
        made = self.made[block]
        end = min(end, made.count)
        return self._forms.applied(made, start, end, list(map(case_of, self._read(block, start, end))))

    def all(self) -> Iterator[QuestionCase]:
        """All cases, in their order."""
        for block, made in enumerate(self.made):
            for start in range(0, made.count, _BATCH):
                yield from self.some(block, start, start + _BATCH)

    def one(self, index: int) -> QuestionCase:
        """One case by its number."""
        for block, made in enumerate(self.made):
            if index < made.count:
                return self.some(block, index, index + 1)[0]
            index -= made.count
        raise IndexError(index)

    def write(self, path: str | Path, *, force: bool = True) -> None:
        """Write all cases, as JSON Lines or as Parquet. The name of the file decides.

        Without `force`, a file that exists is not replaced, but an InputError.
        """
        from duckdb import IOException

        target = Path(path)
        writers = {".jsonl": self._write_lines, ".parquet": self._write_nested_parquet}
        if self._forms.is_plain:
            writers[".parquet"] = self._write_parquet
        write = writers.get(target.suffix.casefold())
        if write is None:
            hint = "write .jsonl for JSON Lines, or .parquet"
            raise InputError("has an unknown kind of name", where=Position(str(target)), hint=hint)
        try:
            with new_file(target, force=force) as unfinished:
                write(unfinished)
        except IOException as error:
            raise InputError(f"cannot be written: {error}", where=Position(str(target))) from None

    def _write_lines(self, target: Path) -> None:
        with target.open("w", encoding="utf-8", newline="\n") as stream:
            for case in self.cases:
                stream.write(line_of(case) + "\n")

    def _write_nested_parquet(self, target: Path) -> None:
        """A column for each key of a line, in which lists are JSON texts."""
        columns = dict.fromkeys(("id", "rule"), "VARCHAR")
        columns |= dict.fromkeys(("relations", "facts", "antecedents", "consequences"), "JSON") | {"mined": "BOOLEAN"}
        with clean_folder(target.parent) as folder:  # its disk has room for them
            lines = folder / "cases.jsonl"
            self._write_lines(lines)
            quoted, source = (str(each).replace("'", "''") for each in (target, lines))
            given = f"read_json('{source}', columns = {columns}, maximum_object_size = {1 << 26})"
            rows = f"SELECT * REPLACE (coalesce(mined, false) AS mined) FROM {given}"
            self._knowledge.engine.facts.sql(f"COPY ({rows}) TO '{quoted}' ({_PARQUET})")

    @cached_property
    def _forms(self) -> Forms:
        return Forms(self._knowledge)

    def _write_parquet(self, target: Path) -> None:
        name = str(target).replace("'", "''")
        shapes = json.dumps(self._shapes).replace("'", "''")
        sql = self._knowledge.engine.facts.sql
        query = self._texts.select()
        # Joins keep the order of the cases as long as these are not moved to the side that is hashed.
        sql("SET disabled_optimizers = 'join_order,build_side_probe_side'")
        try:
            sql(f"COPY ({query}) TO '{name}' ({_PARQUET}, KV_METADATA {{{SHAPES}: '{shapes}'}})")
        finally:
            sql("SET disabled_optimizers = ''")

    @cached_property
    def _shapes(self) -> list[str]:
        return [each.shape for made in self.made for each in made.bindings]

    @cached_property
    def _texts(self) -> CaseTexts:
        return make_texts(self._knowledge.engine, self.made, self._knowledge.settings.context)

    def _read(self, number: int, start: int, end: int) -> list[Row]:
        """Some cases of a variant: their positions are the numbers of their rows in its table."""
        condition = f"c.made = {number} AND c.position BETWEEN {start} AND {end - 1}"
        query = self._texts.select(condition, positions=True)
        found = self._knowledge.engine.facts.connection.execute(query)
        names = [each[0] for each in found.description or ()]
        return [row_of(dict(zip(names, values, strict=True)), self._shapes) for values in found.fetchall()]
