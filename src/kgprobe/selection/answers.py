"""The answer to a query, in a form that can be compared."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

from kgprobe.errors import InputError
from kgprobe.graph.patterns.syntax import words
from kgprobe.graph.sparql.exact_store import ExactStore, Rows

__all__ = ["Answer", "answer_of", "is_determined"]

# The rows or triples, and how often each occurs; or whether the answer is yes. An error is its message.
Answer: TypeAlias = Counter[str] | bool | str

# What makes an answer depend on more than the graph: the engine's order of rows, chance, or time.
_UNDETERMINED = frozenset(
    ["LIMIT", "OFFSET", "SAMPLE", "GROUP_CONCAT", "RAND", "NOW", "UUID", "STRUUID", "BNODE", "SERVICE", "DESCRIBE"]
)


def is_determined(query: str) -> bool:
    """Whether the graph alone decides what the answer is."""
    return _UNDETERMINED.isdisjoint(words(query))


def answer_of(query: str, store: ExactStore) -> Answer:
    """What a store answers. The order of rows is left out: engines are free in it."""
    try:
        found = store.query(query)
        if isinstance(found, bool):
            return found
        if isinstance(found, Rows):
            return Counter(" ".join(str(row.get(name)) for name in found.names) for row in found.rows)
        return Counter({str(triple): 1 for triple in found})
    except (RuntimeError, OSError, InputError) as error:  # a function that the engine does not have, for example
        return f"error: {error}"
