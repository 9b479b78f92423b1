"""Questions made from the facts of a graph, so that some answers follow from others.

Entry points: `generate` makes cases from a graph, and `read_answer` reads the answer of a system. The way of a
question, and its rooms:

1. `facts`: graphs become tables in a database, and things get names.
2. `schema`: the traits of relations, and axioms, stated or mined; what the user says about relations.
3. `rules`: what follows from what, one TOML file for each rule.
4. `generation`: rules, schema and facts make cases, whose expected answers are sound.
5. `wording`: claims become sentences and questions.
6. Asking is the work of a campaign: `systems.chat` and the other kinds of systems.
7. `reading`: what an answer decides.
8. Judging is the work of `oracles.inference`: premises right, conclusion wrong.
9. `comparison`: two systems on the same questions. `training` makes examples for fine-tuning from cases.

A case is a value of `cases`, which also reads files of cases. `settings` has everything that decides which cases are
made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgprobe.questions.generation.steps import generate as generate
    from kgprobe.questions.reading import read_answer as read_answer

__all__ = ["generate", "read_answer"]

_MODULES = {"generate": "kgprobe.questions.generation.steps", "read_answer": "kgprobe.questions.reading"}


def __getattr__(name: str) -> Any:
    # The database is imported only if cases are made.
    if name not in _MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)
