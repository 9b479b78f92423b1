"""The texts of all cases as one SQL query, and the cases that it yields: counted, read one by one, or written.

The fixed parts of the sentences are columns of a table with a row for each binding, and the names of things are joined
once for each place in a case. So the number of rules and bindings does not matter: bindings whose sentences have their
names in different places differ only in a CASE of the expression.
"""

# ruff: noqa: S608 - all parts of the queries are ours
from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import overload

from kgprobe.errors import InputError, Position
from kgprobe.processes.limits import clean_folder
from kgprobe.questions.cases import QuestionCase, line_of
from kgprobe.questions.facts.database import IRI, LITERAL
from kgprobe.questions.generation.conclusions import OTHER, SHAPES, Made, Row, Shaped, case_of, row_of
from kgprobe.questions.generation.engines import Engine
from kgprobe.questions.generation.further_questions import Forms
from kgprobe.questions.generation.knowledge import Knowledge
from kgprobe.questions.generation.premises import column
from kgprobe.questions.generation.samples import row_hash
from kgprobe.questions.rules import Atom, Variant
from kgprobe.questions.wording.sentences import Slot, Template, capital_article
from kgprobe.written_files import new_file

__all__ = ["Cases", "Generated"]

_NO_NUMBER = "CAST(NULL AS INTEGER)"


@dataclass(frozen=True)
class CaseTexts:
    """The query, in parts. Its columns are those of `shapes.Row`."""

    what: str
    tables: str

    def select(self, condition: str = "true", *, positions: bool = False) -> str:
        """The query, for cases that meet a condition on `c.made` and `c.position`."""
        first = "c.made, c.position, " if positions else ""
        order = " ORDER BY c.made, c.position" if positions else ""
        return f"SELECT {first}{self.what} FROM {self.tables} WHERE {condition}{order}"


def _make_texts(engine: Engine, made: Sequence[Made], context: str) -> CaseTexts:
    """Make the tables that the query needs, and the query."""
    layout = _Layout(
        max((len(cases.things) for cases in made), default=1),
        max((len(cases.variant.aliases) for cases in made), default=0),
        max((len(cases.variant.premises) for cases in made), default=1),
    )
    patterns: dict[object, int] = {}
    rows: list[tuple[object, ...]] = []
    sentences: list[_Sentences] = []
    for number, cases in enumerate(made):
        for binding, shaped in enumerate(cases.bindings):
            worded = _Sentences.of(shaped, cases.variant, context)
            pattern = patterns.setdefault(worded.pattern, len(patterns))
            if pattern == len(sentences):
                sentences.append(worded)
            named = (cases.rule, " ".join(shaped.relations), *digests(shaped.key))
            rows.append((number, binding, pattern, len(rows), *named, worded.texts))
    width = max((len(sentence.texts) for sentence in sentences), default=0)
    engine.rows(
        "case_parts",
        "made INTEGER, binding INTEGER, pattern INTEGER, shape INTEGER, rule VARCHAR, relations VARCHAR,"
        " d0 BIGINT, d1 BIGINT" + "".join(f", t{number} VARCHAR" for number in range(width)),
        ((*row[:-1], *_filled(row[-1], width)) for row in rows),
    )
    engine.view("all_cases", _all_cases(made, layout))
    engine.table(
        "things",
        f"SELECT names.id, name, {_term()} AS term, {_digest('text', 1)} AS d0, {_digest('text', 9)} AS d1"
        " FROM names JOIN terms USING (id)",
    )
    engine.table(
        "alias_texts",
        f"SELECT number, name, is_only, {_digest('name', 1)} AS d0, {_digest('name', 9)} AS d1 FROM alias_numbers",
    )
    has_others = any(int(engine.value(f"SELECT count(other) FROM {cases.table}")) for cases in made)
    return CaseTexts(
        ", ".join(_columns(sentences, layout, has_others)), " ".join(_tables(sentences, layout, has_others))
    )


@dataclass(frozen=True)
class _Layout:
    """How many things, aliases and premises a case has at most."""

    things: int
    aliases: int
    premises: int


@dataclass
class _Sentences:
    """The sentences of a binding as SQL over the columns of `case_parts`, and the texts for these columns."""

    places: dict[str, str]
    texts: list[str] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    premises: list[str] = field(default_factory=list)
    context: str = "''"
    question: str = ""
    extended: str = ""

    @classmethod
    def of(cls, shaped: Shaped, variant: Variant, context: str) -> _Sentences:
        things = [thing for thing in variant.things if thing not in variant.aliases]
        places = {thing: f"n{number}" for number, thing in enumerate(things, 1)}
        places |= {alias: f"a{number}" for number, alias in enumerate(variant.aliases, 1)}
        sentences = cls({**places, OTHER: "nx"})
        wording = shaped.wording
        for atom, template in zip(variant.premises, wording.premises, strict=True):
            sentences.premises.append(_concat(sentences._premise(atom, template)))
        stated: list[str] = []
        for atom, template in zip(variant.premises, wording.statements, strict=True):
            stated += (["' '"] if stated else []) + sentences._premise(atom, template)
        if context != "none":
            sentences.context = _concat(stated)
        sentences.question = _concat(sentences._terms(wording.question))
        sentences.extended = _concat(sentences._terms(wording.other))
        return sentences

    @property
    def pattern(self) -> object:
        """Equal for sentences that have the same names in the same places."""
        return tuple(self.premises), self.context, self.question, self.extended

    def _terms(self, template: Template) -> list[str]:
        """SQL for each part of a sentence."""
        terms: list[str] = []
        for number, part in enumerate(template.parts):
            if isinstance(part, Slot):
                terms.append(self._name(part) if number else capital_article(self._name(part)))
            elif part == "." and number:
                terms.append(f"CASE WHEN {terms[-1]} LIKE '%.' THEN '' ELSE '.' END")
            else:
                self.texts.append(part)
                terms.append(f"p.t{len(self.texts) - 1}")
        return terms

    def _premise(self, atom: Atom, template: Template) -> list[str]:
        """SQL for each part of a sentence about a premise. A thing with several aliases has "an alternative name"."""
        if not atom.is_alias:
            return self._terms(template)
        several = f"NOT {self.places[atom.object]}.is_only"
        return [
            f"CASE WHEN {several} THEN replace({term}, 'the alternative', 'an alternative') ELSE {term} END"
            if term.startswith("p.")
            else term
            for term in self._terms(template)
        ]

    def _name(self, slot: Slot) -> str:
        place = self.places[slot.variable]
        if slot.form == "name":
            return f"{place}.name"
        self.kinds.add(place)
        return f"k{place}.name"


def _filled(texts: object, width: int) -> list[str | None]:
    assert isinstance(texts, list)  # noqa: S101 - the last item of a row
    return [*texts, *([None] * (width - len(texts)))]


def _columns(sentences: Sequence[_Sentences], layout: _Layout, has_others: bool) -> Iterator[str]:
    things = range(1, layout.things + 1)
    places = [f"n{number}" for number in things] + [f"a{number}" for number in range(1, layout.aliases + 1)]
    halves = [
        row_hash([f"p.{name}", *(f"coalesce({place}.{name}, 0)" for place in places)], salt)
        for salt, name in enumerate(("d0", "d1"))
    ]
    yield f"concat(p.rule, '-', CAST({halves[0]} * {1 << 31} + {halves[1]} AS VARCHAR)) AS id"
    yield "p.rule"
    yield "p.relations"
    for number in range(layout.premises):
        texts = [sentence.premises[number] if number < len(sentence.premises) else "NULL" for sentence in sentences]
        yield f"{_by_pattern(texts)} AS premise_{number + 1}"
    yield f"{_by_pattern([sentence.context for sentence in sentences])} AS context"
    yield f"{_by_pattern([sentence.question for sentence in sentences])} AS question"
    extended = _by_pattern([sentence.extended for sentence in sentences]) if has_others else "NULL"
    yield f"CASE WHEN c.other IS NULL THEN NULL ELSE {extended} END AS extended"
    yield from (f"n{number}.term AS thing_{number}" for number in things)
    yield f"{'nx.term' if has_others else 'CAST(NULL AS VARCHAR)'} AS other"
    yield "c.reason"
    yield "c.other_reason"
    yield "p.shape"


def _by_pattern(texts: Sequence[str]) -> str:
    if len(set(texts)) <= 1:
        return texts[0] if texts else "''"
    cases = " ".join(f"WHEN {number} THEN {text}" for number, text in enumerate(texts))
    return f"CASE p.pattern {cases} END"


def _tables(sentences: Sequence[_Sentences], layout: _Layout, has_others: bool) -> Iterator[str]:
    yield "all_cases AS c JOIN case_parts AS p ON p.made = c.made AND p.binding = c.binding"
    yield "JOIN things AS n1 ON n1.id = c.v1"
    for number in range(2, layout.things + 1):
        yield f"LEFT JOIN things AS n{number} ON n{number}.id = c.v{number}"
    for number in range(1, layout.aliases + 1):
        yield f"LEFT JOIN alias_texts AS a{number} ON a{number}.number = c.alias{number}"
    if has_others:
        yield "LEFT JOIN things AS nx ON nx.id = c.other"
    for place in sorted({place for sentence in sentences for place in sentence.kinds}):
        on = "other" if place == "nx" else place.replace("n", "v")
        yield f"LEFT JOIN kind_words AS k{place} ON k{place}.id = c.{on}"


def _all_cases(made: Sequence[Made], layout: _Layout) -> str:
    def query(number: int, cases: Made) -> str:
        columns = [column(thing) for thing in cases.things]
        columns += [_NO_NUMBER] * (layout.things - len(columns))
        aliases = [column(alias) for alias in cases.variant.aliases]
        aliases += [_NO_NUMBER] * (layout.aliases - len(aliases))
        named = [f"{sql} AS v{place}" for place, sql in enumerate(columns, 1)]
        named += [f"{sql} AS alias{place}" for place, sql in enumerate(aliases, 1)]
        return (
            f"SELECT {number} AS made, rowid AS position, binding, {', '.join(named)}, other, reason, other_reason"
            f" FROM {cases.table}"
        )

    nothing = "SELECT 0 AS made, 0 AS position, 0 AS binding, 0 AS v1, 0 AS other, 0 AS reason, 0 AS other_reason"
    queries = [query(number, cases) for number, cases in enumerate(made)]
    return " UNION ALL ".join(queries) or f"{nothing} WHERE false"


def _digest(column_: str, start: int) -> str:
    """SQL for a part of the digest of a text, as a number below 2^31."""
    return f"CAST(('0x' || substr(md5({column_}), {start}, 8)) AS BIGINT) & {(1 << 31) - 1}"


def digests(text: str) -> tuple[int, int]:
    """Two parts of the digest of a text, as in SQL."""
    hexadecimal = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    return int(hexadecimal[:8], 16) & ((1 << 31) - 1), int(hexadecimal[8:16], 16) & ((1 << 31) - 1)


def _concat(terms: Sequence[str]) -> str:
    return f"concat({', '.join(terms)})" if len(terms) > 1 else terms[0]


def _term() -> str:
    """SQL for a term as in N-Triples, except that an IRI has no angle brackets."""
    text = "text"
    for raw, escaped in (("chr(92)", "chr(92) || chr(92)"), ("'\"'", "chr(92) || '\"'")):
        text = f"replace({text}, {raw}, {escaped})"
    for code, letter in ((10, "n"), (13, "r")):
        text = f"replace({text}, chr({code}), chr(92) || '{letter}')"
    literal = (
        f"concat('\"', {text}, '\"', CASE WHEN extra = 'http://www.w3.org/2001/XMLSchema#string' THEN ''"
        " WHEN contains(extra, ':') THEN concat('^^<', extra, '>') ELSE concat('@', extra) END)"
    )
    return f"CASE kind WHEN {LITERAL} THEN {literal} WHEN {IRI} THEN text ELSE concat('_:', text) END"


_BATCH = 10_000
_PARQUET = "FORMAT parquet, COMPRESSION snappy, USE_TMP_FILE false"  # the target is a temporary file


class Cases(Sequence[QuestionCase]):
    """The cases in their order. They are numbers in the database; a case is made when it is read."""

    def __init__(self, generated: Generated) -> None:
        self._generated = generated

    def __len__(self) -> int:
        return sum(cases.count for cases in self._generated.made)

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
        for cases in self.made:
            counts[cases.rule] += cases.count
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
        return tuple(cases.count for cases in self.made)

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
            raise InputError("has an unsupported extension", where=Position(str(target)), hint=hint)
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
            quoted, source = (str(path).replace("'", "''") for path in (target, lines))
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
        return [binding.shape for made in self.made for binding in made.bindings]

    @cached_property
    def _texts(self) -> CaseTexts:
        return _make_texts(self._knowledge.engine, self.made, self._knowledge.settings.context)

    def _read(self, number: int, start: int, end: int) -> list[Row]:
        """Some cases of a variant: their positions are the numbers of their rows in its table."""
        condition = f"c.made = {number} AND c.position BETWEEN {start} AND {end - 1}"
        query = self._texts.select(condition, positions=True)
        answer = self._knowledge.engine.facts.connection.execute(query)
        names = [column[0] for column in answer.description or ()]
        return [row_of(dict(zip(names, values, strict=True)), self._shapes) for values in answer.fetchall()]
