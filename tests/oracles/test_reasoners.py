"""A disagreement of real reasoners, found and named."""

from __future__ import annotations

import pytest

from kgprobe.formats import functional
from kgprobe.model import Observation, Outcome, Status
from kgprobe.oracles.differential import Differential
from kgprobe.oracles.protocol import Observed
from kgprobe.processes.limits import Limits
from kgprobe.reasoners.auto import open_reasoner
from kgprobe.reasoners.catalogue import REASONERS
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Answer, Classification, Consistency

from .made import CASE

JAVA = ["elk", "hermit", "openllet"]
# Openllet misses that every member of A is related to itself.
REFLEXIVE = """
Prefix(:=<urn:test:>)
Ontology(
Declaration(Class(:A)) Declaration(Class(:B)) Declaration(ObjectProperty(:p))
EquivalentClasses(:B ObjectSomeValuesFrom(:p :A))
ReflexiveObjectProperty(:p)
)
"""


def answers(name: str) -> list[Answer]:
    reasoner = open_reasoner(name, Limits(60, 512))
    try:
        return reasoner.answer(Ontology(functional.parse(REFLEXIVE, "test").axioms), [Consistency(), Classification()])
    finally:
        reasoner.close()


def observation(name: str, answer: Answer) -> Observation:
    return Observation(
        name, Status.FINISHED, answer.seconds, answer.value, is_partial=not answer.complete, remark=answer.why
    )


@pytest.mark.skipif(
    not all(REASONERS[name].available().usable for name in JAVA), reason="a reasoner in Java is not installed"
)
def test_a_reasoner_that_misses_something_is_named() -> None:
    given = {name: answers(name) for name in JAVA}
    consistency, classification = ([observation(name, given[name][task]) for name in JAVA] for task in (0, 1))
    assert Differential("consistency").judge(CASE, Observed.of(CASE, consistency)).outcome is Outcome.PASS
    (failure,) = Differential().judge(CASE, Observed.of(CASE, classification)).failures
    assert failure.signature == "openllet: misses: subclass"
    assert failure.words == ("<urn:test:A> ⊑ <urn:test:B>: elk and hermit have it",)
