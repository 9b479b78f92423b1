"""What a use of tables says about their rows, by brute force: the rows of each source that pass all restrictions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from kgprobe.selection.tests import Constants, Source, TablesUse

from .random_sql import Row

__all__ = ["rows_read"]


def rows_read(use: TablesUse, tables: Mapping[str, Sequence[Row]]) -> list[Counter[tuple[object, ...]]]:
    """The rows of each source, as far as their values can matter: the smallest sets that fit."""
    candidates = [
        [
            row
            for row in tables[source.table]
            if all(_allows(said, row[name]) for name, said in source.constants.items())
        ]
        for source in use.sources
    ]
    passing: list[set[int]] = [set() for _ in use.sources]
    grows = True
    while grows:
        grows = False
        for number, source in enumerate(use.sources):
            for place, row in enumerate(candidates[number]):
                if place not in passing[number] and _fits(source, row, candidates, passing):
                    passing[number].add(place)
                    grows = True
    return [
        Counter(_seen(source, candidates[number][place]) for place in passing[number])
        for number, source in enumerate(use.sources)
    ]


def _fits(source: Source, row: Row, candidates: list[list[Row]], passing: list[set[int]]) -> bool:
    for equal in source.equal:
        value = row[equal.column]
        within = (candidates[at.source][place][at.column] for at in equal.values_of for place in passing[at.source])
        if value is None or value not in within:
            return False
    return True


def _seen(source: Source, row: Row) -> tuple[object, ...]:
    return tuple(value for name, value in row.items() if source.columns is None or name in source.columns)


def _allows(said: Constants, value: object) -> bool:
    if value is None:
        return False
    text = str(value)
    flags = re.DOTALL | (re.IGNORECASE if said.folds else 0)
    if text in said.texts or (said.folds and text.casefold() in {each.casefold() for each in said.texts}):
        return True
    return any(re.fullmatch(_regular(*pattern), text, flags) for pattern in said.patterns)


def _regular(pattern: str, escape: str | None) -> str:
    parts, characters = [], iter(pattern)
    for character in characters:
        if character == escape:
            parts.append(re.escape(next(characters, "")))
        else:
            parts.append({"%": ".*", "_": "."}.get(character, re.escape(character)))
    return "".join(parts)
