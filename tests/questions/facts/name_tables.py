"""The names in a database of facts, for tests."""

from __future__ import annotations

from kgprobe.questions.facts.database import Facts
from questions.fact_tables import EXAMPLE

__all__ = ["names_of", "reasons_of"]


def names_of(facts: Facts, table: str = "names") -> set[tuple[str, str]]:
    """The rows of a table of names, with the local names of IRIs."""
    return {(_local(facts, id_), name) for id_, name in facts.sql(f"FROM {table}")}


def reasons_of(facts: Facts) -> dict[str, str]:
    """Why things cannot be asked about, by their local names."""
    return {_local(facts, id_): reason for id_, reason in facts.sql("SELECT * FROM unusable")}


def _local(facts: Facts, id_: int) -> str:
    return facts.term(id_).value.removeprefix(EXAMPLE)
