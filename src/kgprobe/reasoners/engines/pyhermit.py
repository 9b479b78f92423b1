"""pyHermiT: HermiT's method in Rust. Its classification does not come to an end, so that it is not asked for one."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kgprobe.errors import UnavailableError
from kgprobe.reasoners.engines.engine import SOMETHING, Engine, RefutingEngine, UnanswerableError, document

__all__ = ["engine"]

_SOMETHING = "Declaration(NamedIndividual(<urn:kgprobe:something>))\n" + SOMETHING


def engine(_name: str, _memory_mb: int, _folder: Path) -> Engine:
    """The engine, ready."""
    return _PyHermit()


class _PyHermit(RefutingEngine):
    def __init__(self) -> None:
        super().__init__()
        try:
            self._pyhermit: Any = importlib.import_module("pyhermit")
        except ImportError as error:
            raise UnavailableError(f"pyHermiT cannot be loaded: {error}", hint="pip install pyHermiT") from None

    def consistent_with(self, more: str) -> bool:
        view = self._pyhermit.load_snapshot(document(_SOMETHING + self.body + more).encode())
        with self._pyhermit.Reasoner(view) as reasoner:
            found: bool = reasoner.is_consistent()
        return found

    def entails(self, axiom: str, refutations: Sequence[str] | None) -> bool:
        if refutations is not None:
            return super().entails(axiom, refutations)
        view = self._pyhermit.load_snapshot(document(self.body).encode())
        asked = self._pyhermit.load_snapshot(document(axiom).encode())
        with self._pyhermit.Reasoner(view) as reasoner:
            found: bool = reasoner.entails_all(each for each in asked.iter_axioms() if not hasattr(each, "entity"))
        return found

    def classify(self) -> dict[str, Any]:
        raise UnanswerableError("pyHermiT's classification does not come to an end")
