"""pyHermiT: HermiT's method in Rust. Its classification does not terminate, so kgprobe never requests one."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kgprobe.errors import UnavailableError
from kgprobe.reasoners.engines import Engine, RefutingEngine, UnanswerableError, document

_UNDECLARED = "OWL2DL_MISSING_DECLARATION"
_ADVICE = "declare each class, property and datatype"


def engine(_name: str, _memory_mb: int, _folder: Path) -> Engine:
    """The engine, ready for use."""
    return _PyHermit()


class _PyHermit(RefutingEngine):
    def __init__(self) -> None:
        super().__init__()
        try:
            self._pyhermit: Any = importlib.import_module("pyhermit")
        except ImportError as error:
            raise UnavailableError(f"pyHermiT cannot be loaded: {error}", hint="pip install pyHermiT") from None

    def consistent_with(self, more: str) -> bool:
        with self._about(self.body + more) as reasoner:
            found: bool = reasoner.is_consistent()
        return found

    def entails(self, axiom: str, refutations: Sequence[str] | None) -> bool:
        if refutations is not None:
            return super().entails(axiom, refutations)
        asked = self._pyhermit.load_snapshot(document(axiom).encode())
        with self._about(self.body) as reasoner:
            found: bool = reasoner.entails_all(
                stated for stated in asked.iter_axioms() if not hasattr(stated, "entity")
            )
        return found

    @contextlib.contextmanager
    def _about(self, axioms: str) -> Iterator[Any]:
        try:
            with self._pyhermit.Reasoner(self._pyhermit.load_snapshot(document(axioms).encode())) as reasoner:
                yield reasoner
        except self._pyhermit.OntologyProfileError as error:
            # pyHermiT accepts only OWL 2 DL. A refusal is a valid answer about the input, not a failure.
            rules = str(error.context.get("rule_ids", error)).replace(_UNDECLARED, f"{_UNDECLARED}, {_ADVICE}")
            raise UnanswerableError(f"pyHermiT accepts OWL 2 DL only: {rules}") from None

    def classify(self) -> dict[str, Any]:
        raise UnanswerableError("pyHermiT's classification does not terminate")
