"""The interface of oracles: the observations that they need, and their verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from kgprobe.model import Case, Input, Observation, Verdict

__all__ = ["Observed", "Oracle", "the_case_itself"]


class Observed:
    """The observations for one case, by input. Each input that was run has one observation of each system."""

    def __init__(self, observations: Iterable[tuple[Input, Sequence[Observation]]] = ()) -> None:
        self._observations = tuple(observations)

    @classmethod
    def of(cls, case: Case, observations: Sequence[Observation]) -> Observed:
        """Observations on the input of a case only."""
        return cls([(case.input, observations)])

    def on(self, given: Input) -> Sequence[Observation]:
        """The observations on an input; none if it was not run."""
        return self._found(given) or ()

    def has(self, given: Input) -> bool:
        """Whether an input was run."""
        return self._found(given) is not None

    def and_on(self, given: Input, observations: Sequence[Observation]) -> Observed:
        """These observations, and those on one more input."""
        return Observed([*self._observations, (given, observations)])

    def _found(self, given: Input) -> Sequence[Observation] | None:
        return next((observations for known, observations in self._observations if known == given), None)


class Oracle(Protocol):
    """Judges observations. It runs nothing, has no state, and is deterministic."""

    @property
    def name(self) -> str: ...

    @property
    def compares_systems(self) -> bool:
        """Whether a failure is a difference between several systems, rather than a fault of one."""
        ...

    def needs(self, case: Case, observed: Observed) -> Sequence[Input]:
        """The inputs that it needs observations on before it can judge; those in `observed` have been run.

        This is called again after each run. So a case can have stages: an oracle can ask for the premises first, and
        for the input of the case only if the answers to the premises were right. If no oracle needs anything at first,
        the input of the case is run.
        """
        ...

    def judge(self, case: Case, observed: Observed) -> Verdict:
        """The verdict on a case."""
        ...


def the_case_itself(_oracle: Oracle, case: Case, _observed: Observed) -> Sequence[Input]:
    """The method `needs` of most oracles: they need observations on the input of the case."""
    return (case.input,)
