"""The table of kinds: classes and other objects that read as "a city" in a sentence.

- `kinds(id, noun, name)`: "city" and "a city" for each kind that can be asked about.
- `unusable_kinds(id, reason)`: the others, and why.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kgprobe.questions.facts.database import Facts
from kgprobe.questions.wording.nouns import flaw_of_noun, noun_of, split_local_name, with_article

__all__ = ["NO_NOUN", "make_kinds", "noun_of_local_name", "usable_nouns"]

NO_NOUN = "class has no name"
_LONGEST = 200


def usable_nouns(names: Mapping[int, str]) -> tuple[dict[int, str], dict[int, str]]:
    """The nouns of kinds by id, from their names; and why the others have none.

    Two kinds with the same noun cannot be told apart.
    """
    nouns = {id_: noun_of(" ".join(name.split())) for id_, name in sorted(names.items())}
    count = Counter(map(_key, nouns.values()))
    flaws = {id_: flaw for id_, noun in nouns.items() if (flaw := _flaw(noun, count)) is not None}
    return {id_: noun for id_, noun in nouns.items() if id_ not in flaws}, flaws


def make_kinds(facts: Facts, names: Mapping[int, str]) -> None:
    """Make the tables from the name of each kind."""
    nouns, flaws = usable_nouns(names)
    rows = [(id_, noun, with_article(noun)) for id_, noun in nouns.items()]
    _fill(facts, "kinds", {"id": "INTEGER", "noun": "VARCHAR", "name": "VARCHAR"}, rows)
    _fill(facts, "unusable_kinds", {"id": "INTEGER", "reason": "VARCHAR"}, flaws.items())


def noun_of_local_name(name: str) -> str | None:
    """The noun in the last part of the IRI of a class: "MusicGroup"; None if it is a code."""
    words = split_local_name(name)
    return " ".join(words) if words and all(word.replace("'", "").isalpha() for word in words) else None


def _key(noun: str) -> str:
    return unicodedata.normalize("NFC", noun).casefold()


def _flaw(noun: str, count: Mapping[str, int]) -> str | None:
    if len(noun) > _LONGEST:
        return "class name is too long"
    if count[_key(noun)] > 1:
        return "class name is shared"
    return flaw_of_noun(noun)


def _fill(facts: Facts, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
    declared = ", ".join(f"{name} {type_}" for name, type_ in columns.items())
    facts.sql(f"CREATE OR REPLACE TEMP TABLE {table} ({declared})")
    values = [list(column) for column in zip(*rows, strict=True)]
    if values:
        unnested = ", ".join("unnest(?)" for _ in values)
        facts.sql(f"INSERT INTO {table} SELECT {unnested}", values)
