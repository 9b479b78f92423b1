"""Things that make a claim false: the other value of a functional relation, and the new name in an extended question.

A candidate is another thing at the same end of the same relation. A row gets a few candidates, one after the other, and
takes the first for which the claim is refuted.
"""

# ruff: noqa: S608 - all parts of the queries are ours
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgprobe.questions.generation.engine import Engine
from kgprobe.questions.generation.knowledge import Knowledge
from kgprobe.questions.generation.refutation import Asserted, Reason, holds, is_not_near
from kgprobe.questions.generation.sampling import mixed_hash

__all__ = ["Search", "choose", "refute"]

_ROUNDS = 6
_SMALL = 20_000


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for: a thing from a pool for which a claim is false, other than the things in some columns.

    `among` is a condition for the rows that get one, in a query that names their table t.
    """

    pool: tuple[str, int]
    claim: Asserted
    reasons: tuple[Reason, ...]
    besides: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    salt: int = 0
    among: str = "true"


def refute(engine: Engine, knowledge: Knowledge, table: str, claim: Asserted, why: Sequence[Reason]) -> int:
    """Add a column `reason` to a table: the number of the reason for which a claim is false. Other rows are dropped.

    Returns the number of rows.
    """
    case = _reason(why, [holds(claim, knowledge)])
    found = engine.table(
        f"{table}_judged",
        f"SELECT * FROM (SELECT c.* EXCLUDE (wide_s, wide_o), {case} AS reason"
        f" FROM ({_with_wide(table, claim, knowledge)}) AS c) AS judged WHERE reason IS NOT NULL",
    )
    engine.rename(f"{table}_judged", table)
    return found


def choose(engine: Engine, knowledge: Knowledge, table: str, rows: int, search: Search) -> int:
    """Make the table `chosen` with a sound thing for each row of a table that has one.

    It has the columns `row` (the row's rowid), `found` and `reason`, the number of the reason why the claim is false.
    Small tables try all candidates in one query, and large ones those that are needed: the result is the same.
    """
    step = _ROUNDS if rows <= _SMALL else 1
    found = 0
    for first in range(0, _ROUNDS, step):
        sql = _attempt(knowledge, table, search, range(first, first + step), is_first=not first)
        if first:
            more = engine.append("chosen", sql)
            found += more
        else:
            found = engine.table("chosen", sql)
        if found == rows:
            break
    return found


def _attempt(knowledge: Knowledge, table: str, search: Search, rounds: range, *, is_first: bool) -> str:
    pool, size = search.pool
    barred = [holds(search.claim, knowledge), *(f"NOT ({each})" for each in search.conditions)]
    barred += [f"c.found = {each}" for each in search.besides]
    near = is_not_near(search.claim, knowledge)
    case = _reason(search.reasons, barred if near == "true" else [*barred, f"NOT ({near})"])
    salts = [mixed_hash("t.h", search.salt * 31 + each) for each in rounds]
    number = f"(CASE r.round {' '.join(f'WHEN {n} THEN {salt}' for n, salt in enumerate(salts))} END) % {size}"
    left = f" WHERE {search.among}" + ("" if is_first else " AND t.rowid NOT IN (SELECT row FROM chosen)")
    drawn = (
        f"(SELECT t.rowid AS row, r.round, t.*, pool.id AS found"
        f" FROM {table} AS t CROSS JOIN range({len(salts)}) AS r(round) JOIN {pool} AS pool ON pool.n = {number}{left})"
    )
    tried = f"SELECT c.row, c.round, c.found, {case} AS reason FROM ({_with_wide(drawn, search.claim, knowledge)}) AS c"
    return (
        f"SELECT row, arg_min(found, round) AS found, arg_min(reason, round) AS reason FROM ({tried}) AS tried"
        " WHERE reason IS NOT NULL GROUP BY row"
    )


def _reason(why: Sequence[Reason], barred: Sequence[str]) -> str:
    """SQL: the number of the first reason that applies, from 1; null if none does, or something bars the claim."""
    numbered = " ".join(f"WHEN {each.condition} THEN {number}" for number, each in enumerate(why, 1))
    return f"CASE WHEN {' OR '.join(barred)} THEN NULL {numbered} END" if numbered else "CAST(NULL AS INTEGER)"


def _with_wide(table: str, claim: Asserted, knowledge: Knowledge) -> str:
    """The rows of a table with the numbers that the ends of a claim have in the widest closure."""
    subject, object_ = claim.subject.removeprefix("c."), claim.object.removeprefix("c.")
    if not knowledge.closure.has_merged:
        return f"SELECT *, 0 AS wide_s, 0 AS wide_o FROM {table} AS given"
    if claim.class_ is not None:
        object_ = subject
    return (
        f"SELECT given.*, coalesce(ms.rep, given.{subject}) AS wide_s, coalesce(mo.rep, given.{object_}) AS wide_o"
        f" FROM {table} AS given LEFT JOIN merged AS ms ON ms.id = given.{subject}"
        f" LEFT JOIN merged AS mo ON mo.id = given.{object_}"
    )
