"""Asks a question about the graph that a system wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from kgprobe.errors import InputError
from kgprobe.graph.written import read_graph
from kgprobe.masks.ask import AskCheck
from kgprobe.masks.mask import DEFAULT_SECONDS
from kgprobe.model import Case, Failure, Observation, Outcome, Verdict
from kgprobe.oracles.combined import of_each_finished
from kgprobe.oracles.protocol import Observed, the_case_itself
from kgprobe.oracles.ways import way_told_by

__all__ = ["OutputQuery"]


class OutputQuery:
    """The answer to an ASK query over the output must be true.

    The output is the file that the system wrote, or what it printed if it wrote none.
    """

    compares_systems: ClassVar[bool] = False
    needs = the_case_itself

    def __init__(
        self,
        query: str,
        name: str = "output query",
        prefixes: Mapping[str, str] | None = None,
        *,
        seconds: float = DEFAULT_SECONDS,
    ) -> None:
        """InputError if the query is not an ASK query.

        `prefixes` are those that it may use beside its own, and `seconds` is how long it may take for an output.
        """
        self.name = name
        self._check = AskCheck(query, name, prefixes, seconds=seconds)

    def judge(self, case: Case, observed: Observed) -> Verdict:
        return of_each_finished(observed.on(case.input), self._verdict)

    def _verdict(self, seen: Observation) -> Verdict:
        if seen.output is None and not seen.stdout.strip():
            return Verdict(Outcome.UNDECIDED, f"{seen.system} wrote nothing")
        try:
            graph = read_graph(seen.stdout.encode(errors="surrogatepass") if seen.output is None else seen.output)
        except InputError as error:
            failure = Failure(seen.system, "unreadable output", "", (str(error),), way_told_by(error.message))
            return Verdict(Outcome.FAIL, failures=(failure,))
        rejections = self._check.rejections(graph)
        if not rejections:
            return Verdict(Outcome.PASS)
        words = tuple(rejection.words for rejection in rejections)
        if any(rejection.is_undecided for rejection in rejections):
            return Verdict(Outcome.UNDECIDED, f"{self.name}: {'; '.join(words)}")
        return Verdict(Outcome.FAIL, failures=(Failure(seen.system, "output query", self.name, words),))
