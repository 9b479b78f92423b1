"""The reasoners behind clashes: a fast one, and a careful one for what the fast one may get wrong."""

from __future__ import annotations

import time
from collections.abc import Sequence

from kgprobe.owl.expression import Expression
from kgprobe.processes.limits import Limits
from kgprobe.reasoners.auto import NO_MODEL, AutoReasoner
from kgprobe.reasoners.catalogue import hosted
from kgprobe.reasoners.gaps import IN_OTHER_WORDS, gaps_of
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Answer, Consistency
from kgprobe.reasoners.rephrase import rephrased
from kgprobe.reasoners.small_model import has_small_model

__all__ = ["Engines", "may_miss"]

_SIZES = (3, 8)  # of models that are tried before the careful reasoner


class Engines:
    """The reasoners behind clashes. They can serve several ontologies; each starts when it is first needed."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self.fast = hosted("rustdl", self._limits)
        self._careful: AutoReasoner | None = None
        self.checks = 0
        """How many questions the fast reasoner was asked."""

    @property
    def careful(self) -> AutoReasoner:
        """The reasoner for what the fast one may get wrong."""
        if self._careful is None:
            self._careful = AutoReasoner(self._limits)
        return self._careful

    def find_clashes(self, sets: Sequence[tuple[Expression, ...]]) -> list[bool]:
        """Whether the fast reasoner finds a contradiction in each of these sets of axioms, in one round trip."""
        if not sets:
            return []
        self.checks += len(sets)
        asked = [(Ontology(rephrased(axioms, with_marks=True)), [Consistency()]) for axioms in sets]
        return [answer.value is False for (answer,) in self.fast.answer_many(asked)]

    def is_clash(self, axioms: tuple[Expression, ...], seconds: float) -> Answer:
        """The careful answer to the question whether the axioms have a model."""
        start = time.perf_counter()
        ontology = Ontology(axioms)
        if ontology.features & NO_MODEL:
            why = f"no reasoner is certain about {', '.join(sorted(ontology.features & NO_MODEL))}"
            return Answer(None, "", 0.0, complete=False, why=why)
        if has_small_model(axioms, _SIZES):
            return Answer(True, "model", time.perf_counter() - start, complete=True)
        (answer,) = self.careful.answer(ontology, [Consistency()], seconds=seconds)
        return answer

    def close(self) -> None:
        """End their processes."""
        self.fast.close()
        if self._careful is not None:
            self._careful.close()


def may_miss(axioms: tuple[Expression, ...]) -> bool:
    """Whether the fast reasoner may miss a contradiction in these axioms."""
    return bool(gaps_of("rustdl" + IN_OTHER_WORDS, Ontology(rephrased(axioms, with_marks=True)).features))
