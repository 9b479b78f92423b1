"""What every engine can do, in words that fit through a pipe."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

__all__ = ["Engine", "RefutingEngine", "UnanswerableError", "document"]


class UnanswerableError(Exception):
    """The engine has no answer to this question; the message says why.

    If something broke, `kind` is the full name of the exception at the bottom of it, and `trace` is where it came from.
    """

    def __init__(self, message: str, *, kind: str = "", trace: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.kind = kind
        self.trace = tuple(trace)


def document(body: str) -> str:
    """An ontology in functional syntax around axioms."""
    return f"Ontology(\n{body})\n"


class Engine(abc.ABC):
    """One library, about one ontology at a time. It gets the axioms as they are, and nothing else."""

    limits_itself = False
    """Whether the library keeps to a memory limit; if not, the parent watches how much it uses."""

    omission = ""
    """What the library itself says that its last answer does not take into account; empty if it says nothing."""

    @abc.abstractmethod
    def load(self, body: str) -> None:
        """Take these axioms as the ontology that further questions are about."""

    @abc.abstractmethod
    def consistent(self) -> bool:
        """Whether the ontology has a model."""

    @abc.abstractmethod
    def entails(self, axiom: str, refutations: Sequence[str] | None) -> bool:
        """Whether the axiom follows; the refutations are the ways in which it can be false."""

    @abc.abstractmethod
    def classify(self) -> dict[str, Any]:
        """{"equivalents": [[iri, …], …], "parents": [[iri, iri], …], "unsatisfiable": [iri, …]}."""

    def unsatisfiable(self) -> list[str]:
        """The IRIs of the classes that can have no member."""
        found: list[str] = self.classify()["unsatisfiable"]
        return found


class RefutingEngine(Engine):
    """An engine that is asked about consistency only: an axiom follows if each of its refutations is impossible."""

    def __init__(self) -> None:
        self.body = ""

    def load(self, body: str) -> None:
        self.body = body

    @abc.abstractmethod
    def consistent_with(self, more: str) -> bool:
        """Whether the ontology, with more axioms, has a model."""

    def consistent(self) -> bool:
        return self.consistent_with("")

    def entails(self, axiom: str, refutations: Sequence[str] | None) -> bool:
        if refutations is None:
            raise UnanswerableError(f"the reasoner cannot decide whether this follows: {axiom.splitlines()[-1]}")
        return all(not self.consistent_with(refutation) for refutation in refutations)
