"""Sentences with slots for names, filled in Python or inside the database.

Millions of questions are worded by the database itself. `Template.sql` gives an expression for DuckDB and Spark, and
`Template.text` the same string in Python.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.questions.wording.nouns import kind_in_words

__all__ = ["Part", "Single", "Slot", "Template", "capital_article"]

# Spark reads backslashes as escapes and ${…} as variables, and DuckDB does not: such characters are made by chr().
_UNSAFE = re.compile(r"(['\\$\x00-\x1f\x7f])")


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for the name of a variable: as it is ("name"), or as a kind of things ("a-name"): "a city"."""

    variable: str
    form: str = "name"


@dataclass(frozen=True, slots=True)
class Single:
    """A "the" in a sentence: `variable` must not have two values of the relation.

    `is_backwards`: values are the subjects of triples whose object is the variable.
    """

    variable: str
    relation: int
    is_backwards: bool = False


Part: TypeAlias = str | Slot


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence or a question as texts and slots.

    `singles` lists what each "the" in it needs. A full stop at the end is left out after a name that ends with one.
    """

    parts: tuple[Part, ...]
    singles: tuple[Single, ...] = ()

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots, each once, in the order of the sentence."""
        return tuple(dict.fromkeys(part for part in self.parts if isinstance(part, Slot)))

    def text(self, names: Mapping[str, str]) -> str:
        """The sentence, with the names of the variables. ValueError if a kind of things cannot be worded."""
        texts = [part if isinstance(part, str) else _filled(part, names) for part in self.parts]
        if self._may_end_twice and texts[-2].endswith("."):
            texts.pop()
        if self._begins_with_name and texts[0].startswith("the "):
            texts[0] = f"T{texts[0][1:]}"
        return "".join(texts)

    def sql(self, columns: Mapping[Slot, str]) -> str:
        """The sentence as an SQL expression; `columns` has an SQL expression for each slot."""
        terms = [_literal(part) if isinstance(part, str) else columns[part] for part in self.parts]
        first = terms[0] if terms else ""
        if self._may_end_twice:
            terms[-1] = f"CASE WHEN {terms[-2]} LIKE '%.' THEN '' ELSE '.' END"
        if self._begins_with_name:
            terms[0] = capital_article(first)
        return f"({' || '.join(terms)})" if terms else "''"

    @property
    def _begins_with_name(self) -> bool:
        return bool(self.parts) and isinstance(self.parts[0], Slot)

    @property
    def _may_end_twice(self) -> bool:
        return len(self.parts) > 1 and self.parts[-1] == "." and isinstance(self.parts[-2], Slot)


def capital_article(name: str) -> str:
    """An SQL expression for a name that begins a sentence, where "the" becomes "The"."""
    return f"CASE WHEN {name} LIKE 'the %' THEN 'T' || substr({name}, 2) ELSE {name} END"


def _filled(slot: Slot, names: Mapping[str, str]) -> str:
    name = names[slot.variable]
    if slot.form == "name":
        return name
    return kind_in_words(name)


def _literal(text: str) -> str:
    pieces = [
        f"chr({ord(piece)})" if _UNSAFE.fullmatch(piece) else f"'{piece}'" for piece in _UNSAFE.split(text) if piece
    ]
    return " || ".join(pieces) if pieces else "''"
