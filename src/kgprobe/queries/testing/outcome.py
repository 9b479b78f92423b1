"""The result of testing a query: frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from kgprobe.errors import KgprobeError
from kgprobe.queries.testing.data import Data
from kgprobe.rdf.terms import Term

__all__ = ["Answer", "Counterexample", "Outcome", "Result"]

Answer = Mapping[str, Term]
"""One answer of a query: its variables that are bound. The answer of an ASK query that is true has none."""


class Outcome(StrEnum):
    """The outcomes of a test."""

    PASSED = "passed"
    FALSIFIED = "falsified"
    NO_ANSWER = "no-answer"
    NO_CONSISTENT_DATA = "no-consistent-data"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Counterexample:
    """Data on which the query breaks a property: only the triples that are added to the ontology.

    `turtle` is in TriG if some of the triples are in named graphs; in `triples`, these are quads. `answer` is the one
    that breaks the property, and None if the property is about all answers together.
    """

    turtle: str
    triples: Data
    answer: Answer | None
    property: str
    reason: str

    def value(self) -> dict[str, Any]:
        """The counterexample for JSON."""
        answer = None if self.answer is None else {name: str(term) for name, term in self.answer.items()}
        return {
            "turtle": self.turtle,
            "triples": len(self.triples),
            "answer": answer,
            "property": self.property,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Result:
    """The outcome, and how much was tried.

    `tests` counts the data sets whose consistency was decided, `consistent` those of them that are consistent, and
    `nontrivial` those of them on which the query has an answer. `undecided` counts data sets that are not tests,
    because no reasoner decides whether they are consistent or whether an answer has a property. `proven`: a proof
    covers all data, not just the tests. `proof` states it in words.
    """

    outcome: Outcome
    tests: int
    consistent: int
    nontrivial: int
    undecided: int
    proven: bool
    seed: int
    counterexample: Counterexample | None = None
    proof: str = ""

    @property
    def is_passed(self) -> bool:
        """Whether the query passed."""
        return self.outcome is Outcome.PASSED

    @property
    def exit_code(self) -> int:
        """The exit code of a command with this result."""
        return {Outcome.PASSED: 0, Outcome.UNDECIDED: KgprobeError.exit_code}.get(self.outcome, 1)

    def value(self) -> dict[str, Any]:
        """The result for JSON."""
        return {
            "outcome": str(self.outcome),
            "tests": self.tests,
            "consistent": self.consistent,
            "nontrivial": self.nontrivial,
            "undecided": self.undecided,
            "proven": self.proven,
            "proof": self.proof,
            "seed": self.seed,
            "counterexample": None if self.counterexample is None else self.counterexample.value(),
        }
