"""The facts that match the premises of a rule, as SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kgprobe.questions.generation.bindings import Binding, symmetries
from kgprobe.questions.generation.knowledge import Knowledge
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
    columns: Mapping[str, str]

    def select(self, what: str, *more: str) -> str:
        """The join as a query."""
        conditions = " AND ".join((*self.conditions, *more)) or "true"
        return f"SELECT {what} FROM {', '.join(self.tables)} WHERE {conditions}"  # noqa: S608 - our names


def premise_join(binding: Binding, knowledge: Knowledge, singles: tuple[Single, ...] = ()) -> PremiseJoin:
    """The join for the premises of a binding, without rows about things that have no name.

    `singles` are the descriptions with "the": rows in which one of them describes several things are left out.
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
    conditions.extend(_row_conditions(binding, knowledge, columns, singles))
    return PremiseJoin(tuple(tables), tuple(conditions), columns)


def _row_conditions(
    binding: Binding, knowledge: Knowledge, columns: Mapping[str, str], singles: tuple[Single, ...]
) -> Iterator[str]:
    things = [thing for thing in columns if thing not in binding.variant.aliases]
    for number, one in enumerate(things):
        for other in things[number + 1 :]:
            yield f"{columns[one]} <> {columns[other]}"
    for exchange in symmetries(binding.variant):
        if all(binding.numbers[new] == binding.numbers[old] for old, new in exchange.letters.items()):
            moved = next(thing for thing in columns if exchange.things[thing] != thing)
            yield f"{columns[moved]} < {columns[exchange.things[moved]]}"
    if knowledge.has_unusable:
        for thing in things:
            yield f"{columns[thing]} NOT IN (SELECT id FROM unusable)"
    for single in singles:
        if single.variable in columns:
            yield f"{columns[single.variable]} NOT IN (SELECT id FROM {knowledge.several(single)})"
