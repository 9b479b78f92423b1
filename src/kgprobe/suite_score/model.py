"""The values of a score: changes of an ontology, what became of each, and the totals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from kgprobe.rdf.graph import Delta

__all__ = ["Change", "Fate", "Judged", "LeftOut", "Outcome", "Score", "Selecting", "Survivor", "TestScore"]


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"  # a test noticed it, or it is inconsistent and a reasoner was asked
    SURVIVED = "survived"  # all tests passed
    EQUIVALENT = "equivalent"  # nothing else follows from it than from the original
    UNDECIDED = "undecided"  # its entailments, or the result of a test, could not be found


class Selecting(StrEnum):
    """For which tests a mutant is compared with what they use before they run."""

    ALWAYS = "always"
    AUTO = "auto"  # those for which that is cheaper than running them
    NEVER = "never"


@dataclass(frozen=True)
class Change:
    """A mutant, as a change of the ontology. `group` is the type of its axiom, or the operator that made it."""

    number: int
    delta: Delta
    group: str
    describe: Callable[[], tuple[str, str, str]]  # the change in words, the type of its axiom, and what it is about


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a mutant, by the numbers of tests. `ran` is None if all tests ran.

    `without` is the number of runs that the same result would have taken without selection.
    """

    fate: Fate
    why: str = ""
    killers: tuple[int, ...] = ()
    ran: tuple[int, ...] | None = ()
    without: int = 0
    suggestion: str | None = None


@dataclass(frozen=True, slots=True)
class TestScore:
    """A test, the number of mutants that it killed, and the number of its runs on mutants."""

    __test__ = False  # keeps pytest from collecting this class

    name: str
    kills: int
    runs: int


@dataclass(frozen=True, slots=True)
class Survivor:
    """A change that no test noticed: in words, the type of its axiom, what it is about, and a query that would."""

    change: str
    axiom: str
    about: str
    suggestion: str | None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A test that was found but does not count, and why."""

    test: str
    why: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The fate of one mutant, with its change in words; `why` if it is equivalent, undecided or inconsistent."""

    fate: Fate
    change: str
    axiom: str
    killers: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Score:
    """The score of a suite. `score` is None if no mutant was killed or survived.

    `outcomes` has the fate of each mutant, in the order of the ontology. `left_out` are tests that could not be run, or
    that fail on the original and were to be skipped.
    """

    mutants: int
    killed: int
    survived: int
    equivalent: int
    undecided: int
    tests: tuple[TestScore, ...]
    survivors: tuple[Survivor, ...]
    executions: int
    executions_without_selection: int
    is_complete: bool = True  # all kills were found, not only the first of each mutant
    inconsistent: int = 0  # killed because a reasoner found them inconsistent
    left_out: tuple[LeftOut, ...] = ()
    reasons: tuple[tuple[str, int], ...] = ()  # why mutants are undecided, and how many
    notes: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()

    @property
    def score(self) -> float | None:
        """The share of killed mutants among those that were killed or survived, in percent."""
        judged = self.killed + self.survived
        return 100 * self.killed / judged if judged else None

    @property
    def idle(self) -> tuple[str, ...]:
        """The tests that killed nothing."""
        return tuple(test.name for test in self.tests if not test.kills)
