"""A stable choice of rows: those with the smallest hashes.

The hash is arithmetic on integers below 2^62, which gives the same number on every engine. The rows are filtered by a
threshold inside the join, which is much cheaper than sorting them; the threshold comes from an estimate.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["HASHES", "mixed_hash", "row_hash"]

HASHES = 2_147_483_647
"""Hashes are below this prime, 2^31 - 1."""
_FACTORS = (48_271, 69_621, 16_807, 39_373, 62_089, 45_991, 58_657, 31_051)
_START = 1_013_904_223


def row_hash(columns: Sequence[str], seed: int) -> str:
    """SQL for the hash of a row: a linear form of its columns, squared once, because ids that differ by one are common.

    Numbers of terms are below 2^31, so that no product of the linear form exceeds 2^47, and the square 2^62.
    """
    start = (_START + seed * 7_919) % HASHES
    terms = (f"CAST({column} AS BIGINT) * {factor}" for column, factor in zip(columns, _FACTORS, strict=False))
    linear = f"(({' + '.join((*terms, str(start)))}) % {HASHES})"
    return linear


def mixed_hash(column: str, salt: int) -> str:
    """SQL for another hash from the hash in a column."""
    return f"(({column} * 16807 + {(salt * 1_299_709 + 12_345) % HASHES}) % {HASHES})"
