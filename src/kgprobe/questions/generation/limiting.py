"""The limit for each rule and relation, where several variants or classes share it.

Each binding of a rule has at most as many cases as the limit allows. Several bindings can be about the same relations:
variants of a rule, or different classes. Then those with the smallest hashes stay, whichever binding they are of.
"""

# ruff: noqa: S608 - all parts of the queries are ours
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgprobe.questions.generation.engine import Engine
from kgprobe.questions.generation.shapes import Made

__all__ = ["limited"]


def limited(engine: Engine, made: Sequence[Made], limit: int) -> list[Made]:
    """The cases of a rule, at most as many for each combination of relations as the limit allows."""
    groups = _groups(made)
    if len(set(groups.values())) == len(groups):  # no binding shares its relations with another
        return list(made)
    totals: Counter[int] = Counter()
    for number, each in enumerate(made):
        for binding, count in engine.query(f"SELECT binding, count(*) FROM {each.table} GROUP BY binding"):
            totals[groups[number, binding]] += count
    if all(total <= limit for total in totals.values()):
        return list(made)
    _find_excess(engine, made, groups, limit)
    return list(_without_excess(engine, made))


def _groups(made: Sequence[Made]) -> dict[tuple[int, int], int]:
    """A number for the relations of each binding, by the number of its variant and its own."""
    known: dict[tuple[str, ...], int] = {}
    return {
        (number, binding): known.setdefault(tuple(dict.fromkeys(shaped.relations)), len(known))
        for number, each in enumerate(made)
        for binding, shaped in enumerate(each.bindings)
    }


def _find_excess(engine: Engine, made: Sequence[Made], groups: dict[tuple[int, int], int], limit: int) -> None:
    """Make the table `excess` of rows that are over the limit."""
    rows = ((number, binding, group) for (number, binding), group in groups.items())
    engine.rows("groups_of_bindings", "made INTEGER, binding INTEGER, number INTEGER", rows)
    all_rows = " UNION ALL ".join(
        f"SELECT {number} AS made, binding, rowid AS row, h FROM {each.table}" for number, each in enumerate(made)
    )
    engine.table(
        "excess",
        "SELECT made, row FROM (SELECT made, row,"
        " row_number() OVER (PARTITION BY number ORDER BY h, made, row) AS place"
        f" FROM ({all_rows}) JOIN groups_of_bindings USING (made, binding)) WHERE place > {limit}",
    )


def _without_excess(engine: Engine, made: Sequence[Made]) -> Iterator[Made]:
    for number, each in enumerate(made):
        over = f"SELECT row FROM excess WHERE made = {number}"
        left = engine.table("within", f"SELECT * FROM {each.table} WHERE rowid NOT IN ({over}) ORDER BY rowid")
        engine.rename("within", each.table)
        if left:
            yield replace(each, count=left)
