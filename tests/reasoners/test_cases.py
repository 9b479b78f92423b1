"""The table of cases on each reasoner: `auto` is never wrong, and wrong answers are flagged as unreliable."""

from __future__ import annotations

from collections import Counter

import pytest

from kgprobe.owl.grammar import HEADS
from kgprobe.processes.limits import Limits
from kgprobe.reasoners.auto import AutoReasoner
from kgprobe.reasoners.cases import all_cases, score
from kgprobe.reasoners.catalogue import hosted
from kgprobe.reasoners.features import features
from kgprobe.reasoners.gaps import used_by
from kgprobe.reasoners.protocol import Consistency, Entails

from .reasoner_fixtures import JAVA, NATIVE, each, needs

CASES = all_cases()
NOT_LOGICAL = {
    *("Ontology", "Import", "Annotation", "Declaration", "Class", "Datatype", "ObjectProperty", "DataProperty"),
    *("AnnotationProperty", "NamedIndividual", "AnnotationAssertion", "SubAnnotationPropertyOf"),
    *("AnnotationPropertyDomain", "AnnotationPropertyRange", "DLSafeRule", "Body", "Head", "Variable", "ClassAtom"),
    *("DataRangeAtom", "ObjectPropertyAtom", "DataPropertyAtom", "BuiltInAtom", "SameIndividualAtom"),
    "DifferentIndividualsAtom",
}

# The minimum numbers of right answers; the rest are bugs of the reasoners, which later versions may fix.
FLOORS = {"rustdl": 800, "pyhermit": 800, "hermit": 870, "openllet": 840, "elk": 470, "jfact": 190}


def test_the_table_is_large_and_balanced() -> None:
    assert len(CASES) == 918
    assert len({case.name for case in CASES}) == len(CASES)
    kinds = Counter((type(case.task), case.expected) for case in CASES)
    assert kinds[Consistency, True] > 300
    assert kinds[Consistency, False] > 300
    assert kinds[Entails, True] > 100
    assert kinds[Entails, False] > 50


@pytest.mark.parametrize("construct", sorted(HEADS - NOT_LOGICAL))
def test_each_construct_has_cases_with_both_answers(construct: str) -> None:
    answers = {case.expected for case in CASES if construct in used_by(case.ontology, case.task)}
    assert answers == {True, False}


def test_pairs_of_constructs() -> None:
    pairs = {frozenset(case.name.rpartition("-")[0].split("+")) for case in CASES if "+" in case.name}
    assert len(pairs) > 200


def test_a_pair_uses_both_of_its_constructs() -> None:
    for case in CASES:
        first, plus, second = case.name.rpartition("-")[0].partition("+")
        if plus:
            assert {first, second} - {"Class"} <= features(case.ontology.axioms), case.name


@needs("rustdl")
@needs("pyhermit")
def test_auto_is_never_wrong() -> None:
    reasoner = AutoReasoner(Limits(20))
    try:
        result = score(reasoner)
    finally:
        reasoner.close()
    assert result.total == len(CASES)
    assert result.wrong == ()
    assert len(result.undecided) <= 35


@each([*NATIVE, *JAVA])
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.thorough)])
def test_wrong_answers_are_flagged_as_unreliable(name: str, step: int) -> None:
    tried = CASES[:: 4 * step if name == "jfact" else step]  # it is slow, and does not terminate on two cases
    reasoner = hosted(name, Limits(4 if name == "jfact" else 20, 1024))
    try:
        result = score(reasoner, tried)
    finally:
        reasoner.close()
    assert result.total == len(tried)
    assert result.misleading == ()
    assert len(result.right) >= FLOORS[name] // step - (10 if step > 1 else 0)  # a sample differs from the whole


@needs("konclude")
def test_konclude_on_a_part_of_the_table() -> None:
    reasoner = hosted("konclude", Limits(20))
    try:
        result = score(reasoner, CASES[::12])
    finally:
        reasoner.close()
    assert result.total == 77
    assert result.misleading == ()
    assert len(result.right) >= 60
