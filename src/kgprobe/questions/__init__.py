"""Questions made from the facts of a graph, so that some answers follow from others.

Entry points: `generate` makes cases from a graph, and `read_answer` reads the answer of a system. A case is a value of
`cases`; `settings` has everything that decides which cases are made. In reading order: `facts` (graphs in a database),
`schema` (traits and axioms), `wording` (claims as sentences), `rules`, `generation`, then `reading` for answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgprobe.questions.generation.generating import generate as generate
    from kgprobe.questions.reading import read_answer as read_answer

__all__ = ["generate", "read_answer"]

_MODULES = {"generate": "kgprobe.questions.generation.generating", "read_answer": "kgprobe.questions.reading"}


def __getattr__(name: str) -> Any:
    # The database is imported only if cases are made.
    if name not in _MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)
