"""The code that runs in a child process: one module for each library, all with the same few methods."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any


class UnanswerableError(Exception):
    """The engine has no answer to this question; the message says why.

    If something broke, `kind` is the full name of the original exception, and `trace` lists its frames.
    """

    def __init__(self, message: str, *, kind: str = "", trace: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.kind = kind
        self.trace = tuple(trace)


def document(body: str) -> str:
    """An ontology in functional syntax around axioms."""
    return f"Ontology(\n{body})\n"


class Engine(abc.ABC):
    """One library, which works on one ontology at a time. It gets the axioms as they are, and nothing else."""

    limits_itself = False
    """Whether the library enforces a memory limit; if not, the parent watches its memory use."""

    omission = ""
    """The axioms that the library reports as ignored in its last answer; empty if it reports none."""

    @abc.abstractmethod
    def load(self, body: str) -> None:
        """Load these axioms as the ontology for further questions."""

    @abc.abstractmethod
    def consistent(self) -> bool:
        """Whether the ontology has a model."""

    @abc.abstractmethod
    def entails(self, axiom: str, refutations: Sequence[str] | None) -> bool:
        """Whether the axiom follows; the refutations state the ways in which it can be false."""

    @abc.abstractmethod
    def classify(self) -> dict[str, Any]:
        """{"equivalents": [[iri, …], …], "parents": [[iri, iri], …], "unsatisfiable": [iri, …]}."""

    def unsatisfiable(self) -> list[str]:
        """The IRIs of the classes that can have no member."""
        found: list[str] = self.classify()["unsatisfiable"]
        return found


class RefutingEngine(Engine):
    """An engine that only checks consistency: an axiom follows if each of its refutations is impossible."""

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
