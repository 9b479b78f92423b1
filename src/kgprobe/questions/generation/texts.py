"""The texts of cases as SQL: one query for all bindings whose templates have the same slots in the same order.

The fixed parts of the sentences are columns of a small table with a row for each binding, so that the names of things
are joined once, whatever the number of bindings is.
"""

# ruff: noqa: S608 - all parts of the queries are ours
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kgprobe.questions.facts.database import IRI, LITERAL
from kgprobe.questions.generation.engine import Engine
from kgprobe.questions.generation.joins import column
from kgprobe.questions.generation.shapes import Made, Shaped
from kgprobe.questions.generation.wordings import OTHER
from kgprobe.questions.rules.syntax import Atom
from kgprobe.questions.wording.templates import Slot, Template

__all__ = ["MOST_PREMISES", "MOST_THINGS", "text_queries"]

MOST_PREMISES = 6
MOST_THINGS = 7


def text_queries(engine: Engine, made: Made, number: int, context: str) -> Iterator[str]:
    """Queries whose rows are the cases of a variant as texts. The tables that they need are made first."""
    groups: dict[tuple[object, ...], list[tuple[int, Shaped]]] = defaultdict(list)
    for binding, shaped in enumerate(made.bindings):
        groups[_pattern(_templates(shaped))].append((binding, shaped))
    for group, members in enumerate(groups.values()):
        yield _query(engine, made, f"parts_{number}_{group}", members, context)


def _templates(shaped: Shaped) -> list[Template]:
    wording = shaped.wording
    return [*wording.premises, *wording.statements, wording.question, wording.other]


def _pattern(templates: Sequence[Template]) -> tuple[object, ...]:
    return tuple(
        tuple(part if isinstance(part, Slot) or part == "." else "" for part in template.parts)
        for template in templates
    )


@dataclass
class _Sentences:
    """Templates as SQL over a table of their fixed parts."""

    texts: list[str] = field(default_factory=list)
    slots: dict[Slot, None] = field(default_factory=dict)

    def terms(self, template: Template) -> list[str]:
        """SQL for each part of a sentence."""
        found: list[str] = []
        for number, part in enumerate(template.parts):
            if isinstance(part, Slot):
                self.slots[part] = None
                found.append(self.name(part))
            elif part == "." and number:
                found.append(f"CASE WHEN {found[-1]} LIKE '%.' THEN '' ELSE '.' END")
            else:
                self.texts.append(part)
                found.append(f"p.t{len(self.texts) - 1}")
        return found

    def premise(self, atom: Atom, template: Template) -> list[str]:
        """SQL for each part of a sentence about a premise. A thing with several aliases has "an alternative name"."""
        if not atom.is_alias:
            return self.terms(template)
        several = f"NOT {self.name(Slot(atom.object)).removesuffix('.name')}.is_only"
        return [
            f"CASE WHEN {several} THEN replace({term}, 'the alternative', 'an alternative') ELSE {term} END"
            if term.startswith("p.")
            else term
            for term in self.terms(template)
        ]

    @staticmethod
    def name(slot: Slot) -> str:
        """The column for the name in a slot."""
        prefix = "k" if slot.form == "a-name" else "n"
        return f"{prefix}{_suffix(slot.variable)}.name"


def _suffix(variable: str) -> str:
    return "_other" if variable == OTHER else column(variable)[1:]


def _query(engine: Engine, made: Made, table: str, members: Sequence[tuple[int, Shaped]], context: str) -> str:
    _, first = members[0]
    wording = first.wording
    sentences_ = _Sentences()
    atoms = made.variant.premises
    premises = [_concat(sentences_.premise(atom, each)) for atom, each in zip(atoms, wording.premises, strict=True)]
    stated: list[str] = []
    for atom, each in zip(atoms, wording.statements, strict=True):
        stated += (["' '"] if stated else []) + sentences_.premise(atom, each)
    question = _concat(sentences_.terms(wording.question))
    extended = _concat(sentences_.terms(wording.other))
    rows = [(binding, shaped.shape, *_fixed(_templates(shaped))) for binding, shaped in members]
    columns = ", ".join(
        ("binding INTEGER", "shape VARCHAR", *(f"t{number} VARCHAR" for number in range(len(sentences_.texts))))
    )
    engine.rows(table, columns, rows)
    things = [f"{_iri(thing)} AS thing_{number}" for number, thing in enumerate(made.things, 1)]
    things += [f"NULL AS thing_{number}" for number in range(len(made.things) + 1, MOST_THINGS + 1)]
    asked = [f"{sql} AS premise_{number}" for number, sql in enumerate(premises, 1)]
    asked += [f"NULL AS premise_{number}" for number in range(len(premises) + 1, MOST_PREMISES + 1)]
    what = ", ".join(
        (
            "p.shape",
            *asked,
            f"{_concat(stated) if context != 'none' else chr(39) * 2} AS context",
            f"{question} AS question",
            f"CASE WHEN c.other IS NULL THEN NULL ELSE {extended} END AS extended",
            *things,
            f"{_iri(OTHER)} AS other",
            "c.reason",
            "c.other_reason",
        )
    )
    return f"SELECT {what} FROM {' '.join(_tables(made, table, sentences_.slots))}"


def _tables(made: Made, parts: str, slots: Sequence[Slot] | dict[Slot, None]) -> Iterator[str]:
    yield f"{made.table} AS c JOIN {parts} AS p ON p.binding = c.binding"
    for slot in slots:
        suffix = _suffix(slot.variable)
        if slot.variable in made.variant.aliases:
            yield f"JOIN alias_numbers AS n{suffix} ON n{suffix}.number = c.{column(slot.variable)}"
            continue
        join = "LEFT JOIN" if slot.variable == OTHER else "JOIN"
        on = "other" if slot.variable == OTHER else column(slot.variable)
        if slot.form == "a-name":
            yield f"{join} kind_words AS k{suffix} ON k{suffix}.id = c.{on}"
        else:
            yield f"{join} names AS n{suffix} ON n{suffix}.id = c.{on}"
    for thing in made.things:
        yield f"JOIN terms AS i{_suffix(thing)} ON i{_suffix(thing)}.id = c.{column(thing)}"
    yield f"LEFT JOIN terms AS i{_suffix(OTHER)} ON i{_suffix(OTHER)}.id = c.other"


def _fixed(templates: Sequence[Template]) -> list[str]:
    """The fixed parts that `_Sentences` puts into columns."""
    return [
        part
        for template in templates
        for number, part in enumerate(template.parts)
        if isinstance(part, str) and not (part == "." and number)
    ]


def _concat(terms: Sequence[str]) -> str:
    return f"concat({', '.join(terms)})" if len(terms) > 1 else terms[0]


def _iri(variable: str) -> str:
    """SQL for a term as in N-Triples, except that an IRI has no angle brackets."""
    term = f"i{_suffix(variable)}"
    text = f"{term}.text"
    for raw, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
        text = f"replace({text}, {_quoted(raw)}, {_quoted(escaped)})"
    literal = (
        f"concat('\"', {text}, '\"', CASE WHEN {term}.extra = 'http://www.w3.org/2001/XMLSchema#string' THEN ''"
        f" WHEN contains({term}.extra, ':') THEN concat('^^<', {term}.extra, '>') ELSE concat('@', {term}.extra) END)"
    )
    return (
        f"CASE {term}.kind WHEN {LITERAL} THEN {literal} WHEN {IRI} THEN {term}.text ELSE concat('_:', {term}.text) END"
    )


def _quoted(text: str) -> str:
    return f"chr({ord(text)})" if text in "\n\r" else "'" + text.replace("'", "''") + "'"
