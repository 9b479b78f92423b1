"""rustdl: a native reasoner. It reads files only, so that each question is written to one."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import Any

from kgprobe.errors import UnavailableError
from kgprobe.reasoners.engines.engine import SOMETHING, Engine, RefutingEngine, document

__all__ = ["engine"]


def engine(_name: str, _memory_mb: int, folder: Path) -> Engine:
    """The engine, ready."""
    return _Rustdl(folder)


class _Rustdl(RefutingEngine):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        try:
            self._rustdl: Any = importlib.import_module("rustdl")
        except ImportError as error:
            raise UnavailableError(f"rustdl cannot be loaded: {error}", hint="pip install rustdl") from None
        warnings.simplefilter("ignore")  # what they say is asked for below
        self._file = folder / "ontology.ofn"

    def consistent_with(self, more: str) -> bool:
        self._file.write_text(document(self.body + SOMETHING + more), encoding="utf-8")
        found: bool = self._rustdl.is_consistent(str(self._file))
        return found

    def classify(self) -> dict[str, Any]:
        # Our own limit ends it if it takes too long: a hierarchy that is cut short is worse than none.
        found = self._rustdl.classify_bytes(
            document(self.body).encode(), format="ofn", per_pair_timeout_ms=0, global_timeout_ms=0
        )
        satisfiable = sorted(set(found.classes) - set(found.unsatisfiable))
        return {
            "equivalents": [sorted({name, *found.equivalent_classes(name)}) for name in satisfiable],
            "parents": [[name, parent] for name in satisfiable for parent in found.direct_subsumers(name)],
            "unsatisfiable": sorted(found.classes if found.inconsistent else found.unsatisfiable),
            "complete": found.complete and not found.wedge_hierarchy_blind and not found.wedge_clauses_refused,
        }
