"""The facts that match the premises of a rule, as SQL."""

# ruff: noqa: S608 - all parts of the queries are ours
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kgprobe.questions.facts.database import LITERAL
from kgprobe.questions.generation.bindings import Binding, symmetries
from kgprobe.questions.generation.knowledge import Knowledge
from kgprobe.questions.generation.refutation import are_different
from kgprobe.questions.rules.syntax import Variant
from kgprobe.questions.wording.templates import Single

__all__ = ["PremiseJoin", "column", "premise_join"]


def column(thing: str) -> str:
    """The column of a variable."""
    return f"v_{thing.lstrip('?')}"


@dataclass(frozen=True, slots=True)
class PremiseJoin:
    """A join: its tables, its conditions, and an SQL expression for each variable of the premises."""

    tables: tuple[str, ...]
    conditions: tuple[str, ...]
    columns: dict[str, str]

    @property
    def first(self) -> str:
        """The name of the first table."""
        return self.tables[0].rpartition(" ")[2]

    def where(self, *more: str) -> PremiseJoin:
        """The join with more conditions."""
        return PremiseJoin(self.tables, (*self.conditions, *more), self.columns)

    def select(self, what: str, *more: str) -> str:
        """The join as a query."""
        conditions = " AND ".join((*self.conditions, *more)) or "true"
        return f"SELECT {what} FROM {', '.join(self.tables)} WHERE {conditions}"


def premise_join(
    binding: Binding,
    knowledge: Knowledge,
    singles: tuple[Single, ...] = (),
    kinds: frozenset[str] = frozenset(),
) -> PremiseJoin:
    """The join for the premises of a binding, without rows about things that have no name.

    `singles` are the descriptions with "the": rows in which one of them describes several things are left out. `kinds`
    are the variables whose names are worded as kinds of things.
    """
    tables: list[str] = []
    conditions: list[str] = []
    columns: dict[str, str] = {}

    def place(thing: str, expression: str) -> None:
        if thing in columns:
            conditions.append(f"{columns[thing]} = {expression}")
        else:
            columns[thing] = expression

    for number, atom in enumerate(binding.variant.premises):
        if atom.is_alias:
            tables.append(f"alias_numbers AS n{number}")
            place(atom.subject, f"n{number}.id")
            columns[atom.object] = f"n{number}.number"
            continue
        tables.append(f"edges AS e{number}")
        if atom.is_type:
            conditions.append(f"e{number}.p = {knowledge.type_id}")
            conditions.append(f"e{number}.o = {binding.numbers[atom.object]}")
            place(atom.subject, f"e{number}.s")
        else:
            conditions.append(f"e{number}.p = {binding.relations(atom)[0]}")
            place(atom.subject, f"e{number}.s")
            place(atom.object, f"e{number}.o")
    conditions.extend(_row_conditions(binding, knowledge, columns))
    for single in singles:
        if single.variable in columns:
            several = knowledge.several(single)
            conditions.append(f"{columns[single.variable]} NOT IN (SELECT id FROM {several})")
        elif single.variable.startswith("?*"):
            conditions.append("false")  # a description of something that no premise names
    conditions.extend(f"{columns[each]} IN (SELECT id FROM kind_words)" for each in sorted(kinds) if each in columns)
    return PremiseJoin(tuple(tables), tuple(conditions), columns)


def _row_conditions(binding: Binding, knowledge: Knowledge, columns: Mapping[str, str]) -> Iterator[str]:
    things = [thing for thing in columns if thing not in binding.variant.aliases]
    for number, one in enumerate(things):
        for other in things[number + 1 :]:
            yield f"{columns[one]} <> {columns[other]}"
    for exchange in symmetries(binding.variant):
        if all(binding.numbers[new] == binding.numbers[old] for old, new in exchange.letters.items()):
            moved = next(thing for thing in columns if exchange.things[thing] != thing)
            yield f"{columns[moved]} < {columns[exchange.things[moved]]}"
    for thing in _new_subjects(binding.variant, columns):
        # A date has no birth date: literals are only the objects of facts.
        yield f"{columns[thing]} NOT IN (SELECT id FROM terms WHERE kind = {LITERAL})"
    yield from _not_called_like_its_class(binding, knowledge, columns)
    if knowledge.has_unusable:
        for thing in things:
            yield f"{columns[thing]} NOT IN (SELECT id FROM unusable)"
    for condition in binding.variant.conditions:
        if condition.name == "different" and all(part in columns for part in condition.parts):
            one, other = (columns[part] for part in condition.parts)
            wide_one, wide_other = knowledge.closure.number(one), knowledge.closure.number(other)
            yield f"{are_different(one, other, knowledge)} AND {wide_one} <> {wide_other}"


def _not_called_like_its_class(binding: Binding, knowledge: Knowledge, columns: Mapping[str, str]) -> Iterator[str]:
    """ "Is oil an oil?" asks nothing."""
    for atom in (*binding.variant.premises, *binding.variant.conclusion):
        noun = knowledge.class_nouns.get(binding.numbers[atom.object]) if atom.is_type else None
        if noun is not None and atom.subject in columns and atom.subject not in binding.variant.aliases:
            quoted = "'" + noun.lower().replace("'", "''") + "'"
            yield f"{columns[atom.subject]} NOT IN (SELECT id FROM names WHERE lower(name) = {quoted})"


def _new_subjects(variant: Variant, columns: Mapping[str, str]) -> list[str]:
    """The subjects of the conclusion that are only objects in the premises."""
    known = {atom.subject for atom in variant.premises} | {*variant.aliases}
    subjects = dict.fromkeys(atom.subject for atom in variant.conclusion)
    return [thing for thing in subjects if thing in columns and thing not in known]
