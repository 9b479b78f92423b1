"""rustdl: a native reasoner. It only reads files, so each question is written to a file."""

from __future__ import annotations

import importlib
import re
import warnings
from pathlib import Path
from typing import Any

from kgprobe.errors import UnavailableError
from kgprobe.reasoners.engines import Engine, RefutingEngine, document

MAY_BE_LEFT_OUT = re.compile("Data|HasKey|DLSafeRule|ObjectPropertyChain")
"""Text that occurs in every axiom that rustdl ignores. Asking rustdl would cost as much as another read."""


def engine(_name: str, _memory_mb: int, folder: Path) -> Engine:
    """The engine, ready for use."""
    return _Rustdl(folder)


class _Rustdl(RefutingEngine):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        try:
            self._rustdl: Any = importlib.import_module("rustdl")
        except ImportError as error:
            raise UnavailableError(f"rustdl cannot be loaded: {error}", hint="pip install rustdl") from None
        warnings.simplefilter("ignore")  # the code below queries the same information
        self._file = folder / "ontology.ofn"
        self._written = ""

    def consistent_with(self, more: str) -> bool:
        self._write(self.body + more)
        found: bool = self._rustdl.is_consistent(str(self._file))
        if found:  # a contradiction stays one, whatever was left out
            self._admit(self._dropped())
        return found

    def classify(self) -> dict[str, Any]:
        self._write(self.body)
        # kgprobe's own limit ends it if it takes too long: an incomplete hierarchy is worse than none.
        found = self._rustdl.classify(str(self._file), per_pair_timeout_ms=0, global_timeout_ms=0)
        if not found.inconsistent:
            self._admit([*self._dropped(), *_excuses(found)])
        satisfiable = sorted(set(found.classes) - set(found.unsatisfiable))
        return {
            "equivalents": [sorted({name, *found.equivalent_classes(name)}) for name in satisfiable],
            "parents": [[name, parent] for name in satisfiable for parent in found.direct_subsumers(name)],
            "unsatisfiable": sorted(found.classes if found.inconsistent else found.unsatisfiable),
        }

    def _write(self, axioms: str) -> None:
        self._written = axioms
        self._file.write_text(document(axioms), encoding="utf-8")

    def _dropped(self) -> list[str]:
        """The axioms of the last ontology that rustdl did not understand. It answers without them."""
        if not MAY_BE_LEFT_OUT.search(self._written):
            return []
        dropped: dict[str, int] = self._rustdl.dropped_axioms(str(self._file))
        return [f"left out {kind} ({number} axiom{'s' * (number > 1)})" for kind, number in sorted(dropped.items())]

    def _admit(self, excuses: list[str]) -> None:
        self.omission = f"rustdl says that it {', '.join(excuses)}" if excuses else ""


def _excuses(found: Any) -> list[str]:
    """rustdl's remark about a hierarchy that may be incomplete."""
    says = {
        "did not finish": not found.complete,
        "did not find out whether the ontology is consistent": found.consistency_undetermined,
        "did not follow the hierarchy of properties": found.wedge_hierarchy_blind,
        f"refused {found.wedge_clauses_refused} clauses": found.wedge_clauses_refused > 0,
    }
    return [excuse for excuse, is_so in says.items() if is_so]
