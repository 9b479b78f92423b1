"""Clashes against HermiT on random ontologies: a clash is one, its reason is enough and minimal, and none is missed."""

from __future__ import annotations

from random import Random

import pytest
from owl.test_modules import random_case, random_ontologies
from reasoners.reasoner_fixtures import needs

from kgprobe.owl.expression import Expression
from kgprobe.processes.limits import Limits
from kgprobe.queries.clashes.clash import ClashFinder
from kgprobe.queries.clashes.reasoning import Engines
from kgprobe.queries.schema import Schema
from kgprobe.queries.statements import Statement
from kgprobe.rdf.graph import Graph
from kgprobe.reasoners.auto import opened
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Consistency, Reasoner


def _is_consistent(axioms: tuple[Expression, ...], hermit: Reasoner) -> bool | None:
    (answer,) = hermit.answer(Ontology(tuple(dict.fromkeys(axioms))), [Consistency()])
    return bool(answer.value) if answer.decided else None


def _finder(axioms: tuple[Expression, ...], engines: Engines) -> ClashFinder:
    schema = Schema(Graph())
    schema.__dict__["ontology"] = Ontology(axioms)  # as if read from a graph
    return ClashFinder(schema, engines, seconds_for_doubt=1.0)


@needs("hermit")
@pytest.mark.parametrize("number", [40, pytest.param(400, marks=pytest.mark.thorough)])
def test_clashes_against_hermit(number: int) -> None:
    consistent = [axioms for axioms, answer in random_ontologies(60) if answer.decided and answer.value is True]
    outcomes = []
    engines = Engines(Limits(5, 1024))
    with opened("hermit", Limits(20, 1024)) as hermit:
        for seed in range(number):
            ontology, stated = random_case(Random(seed), consistent)
            # Keys are about names, which variables do not have.
            if any(axiom.head == "HasKey" for axiom in ontology) or not _is_consistent(ontology, hermit):
                continue
            patterns = list(dict.fromkeys(stated))
            statements = [Statement(axiom, origin) for origin, axiom in enumerate(patterns)]
            found = _finder(ontology, engines).find(statements)
            expected = _is_consistent((*ontology, *stated), hermit)
            if expected is None or not (found.decided or found.clash):
                continue
            assert (found.clash is None) is expected, (seed, found)
            outcomes.append(expected)
            if found.clash is not None:
                parts = (*found.clash.axioms, *(patterns[origin] for origin in found.clash.origins))
                assert _is_consistent(parts, hermit) in (False, None), seed
                smaller = [tuple(part for part in parts if part != left_out) for left_out in parts]
                assert not found.clash.is_minimal or all(_is_consistent(each, hermit) is not False for each in smaller)
    engines.close()
    assert set(outcomes) == {True, False}
    assert len(outcomes) > number / 2
