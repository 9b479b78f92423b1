"""A stable choice of rows: those with the smallest hashes.

The hash is arithmetic on integers below 2^62, which gives the same number on every engine. The rows are filtered by a
threshold inside the join, which is much cheaper than sorting all of them; the threshold comes from an estimate. The
result depends neither on the estimate nor on the order of the rows.

Several bindings of a rule can be about the same relations: variants of the rule, or different classes. They share one
limit, and those with the smallest hashes stay, whichever binding they are of.
"""

# ruff: noqa: S608 - all parts of the queries are ours
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgprobe.questions.generation.conclusions import Made
from kgprobe.questions.generation.engines import Engine
from kgprobe.questions.generation.premises import PremiseJoin, column

_HASHES = 2_147_483_648  # 2^31
# Odd numbers below 2^28: the sum of eight products with numbers of terms, which are below 2^31, is below 2^62.
_FACTORS = (
    *(265_443_577, 224_682_251, 193_877_359, 266_826_533),
    *(164_603_309, 241_537_307, 137_461_951, 209_884_691),
)
_START = 1_013_904_223
_SMALL = 300_000
_SHARE = 61  # an estimate looks at one fact in this many


def row_hash(columns: Sequence[str], seed: int) -> str:
    """SQL for the hash of a row: a linear form of its columns. Numbers of terms are below 2^31."""
    start = (_START + seed * 7_919) % _HASHES
    terms = (f"CAST({name} AS BIGINT) * {factor}" for name, factor in zip(columns, _FACTORS, strict=False))
    return f"(({' + '.join((*terms, str(start)))}) & {_HASHES - 1})"


def mixed_hash(hash_: str, salt: int) -> str:
    """SQL for another hash from a hash: its square, so that near hashes are not near any more."""
    return f"(({hash_} * {hash_} + {(salt * 1_299_709 + 12_345) % _HASHES}) % 2147483647)"


def draw(engine: Engine, join: PremiseJoin, wanted: int, seed: int, facts: int) -> int:
    """Make the table `sample` of rows with their hash `h`: at least those with the smallest hashes, as many as wanted.

    `facts` is the number of facts that the join reads. Returns the number of rows.
    """
    columns = list(join.columns.values())
    hash_ = row_hash(columns, seed)
    what = ", ".join((*(f"{sql} AS {column(thing)}" for thing, sql in join.columns.items()), f"{hash_} AS h"))
    share = _first_share(engine, join, wanted) if facts > _SMALL else 1.0
    while True:
        more = (f"{hash_} < {int(share * _HASHES)}",) if share < 1 else ()
        drawn = engine.sample("sample", join.select(what, *more))
        if drawn >= wanted or share >= 1:
            return drawn
        share *= 1.5 * wanted / drawn if drawn * 4 > wanted else 4.0


def _first_share(engine: Engine, join: PremiseJoin, wanted: int) -> float:
    """The share of the rows that is very likely enough."""
    of_first = [sql for sql in join.columns.values() if sql.startswith(f"{join.first}.")]
    estimate = engine.joined_count(join.select("count(*)", f"{row_hash(of_first, 0)} % {_SHARE} = 0")) * _SHARE
    likely = wanted + 6 * math.sqrt(wanted) + 0.05 * wanted
    return 1.0 if estimate <= 2 * likely else likely / estimate


def cut(engine: Engine, table: str, columns: Sequence[str], rows: int, limit: int) -> str:
    """A condition for the rows with the smallest hashes, as many as the limit allows. A query must name the table t.

    A histogram of the hashes says near which one the limit is. Only the rows near it are sorted.
    """
    if rows <= limit:
        return "true"
    share = max(_HASHES // 16_384, 1)
    left = limit
    for bucket, count in engine.query(
        f"SELECT h // {share} AS bucket, count(*) FROM {table} GROUP BY bucket ORDER BY bucket"
    ):
        if count > left:
            start, order = bucket * share, ", ".join(("h", *columns))
            last = f"SELECT rowid FROM {table} WHERE h >= {start} AND h < {start + share} ORDER BY {order} LIMIT {left}"
            return f"(t.h < {start} OR t.rowid IN ({last}))"
        left -= count
    return "true"


def limited(engine: Engine, made: Sequence[Made], limit: int) -> list[Made]:
    """The cases of a rule, at most as many for each combination of relations as the limit allows."""
    groups = _groups(made)
    if len(set(groups.values())) == len(groups):  # no binding shares its relations with another
        return list(made)
    totals: Counter[int] = Counter()
    for number, cases in enumerate(made):
        for binding, count in engine.query(f"SELECT binding, count(*) FROM {cases.table} GROUP BY binding"):
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
        for number, cases in enumerate(made)
        for binding, shaped in enumerate(cases.bindings)
    }


def _find_excess(engine: Engine, made: Sequence[Made], groups: dict[tuple[int, int], int], limit: int) -> None:
    """Make the table `excess` of rows that are over the limit."""
    rows = ((number, binding, group) for (number, binding), group in groups.items())
    engine.rows("groups_of_bindings", "made INTEGER, binding INTEGER, number INTEGER", rows)
    all_rows = " UNION ALL ".join(
        f"SELECT {number} AS made, binding, rowid AS row, h FROM {cases.table}" for number, cases in enumerate(made)
    )
    engine.table(
        "excess",
        "SELECT made, row FROM (SELECT made, row,"
        " row_number() OVER (PARTITION BY number ORDER BY h, made, row) AS place"
        f" FROM ({all_rows}) JOIN groups_of_bindings USING (made, binding)) WHERE place > {limit}",
    )


def _without_excess(engine: Engine, made: Sequence[Made]) -> Iterator[Made]:
    for number, cases in enumerate(made):
        over = f"SELECT row FROM excess WHERE made = {number}"
        left = engine.table("within", f"SELECT * FROM {cases.table} WHERE rowid NOT IN ({over}) ORDER BY rowid")
        engine.rename("within", cases.table)
        if left:
            yield replace(cases, count=left)
