"""A program that answers exactly from what follows has no bug in any case; and each No has a reason."""

from __future__ import annotations

import random
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from kgprobe.questions.cases import Claim, Question, QuestionCase
from kgprobe.questions.generation.steps import generate
from questions.answering import TYPE, Triple, World
from questions.random_worlds import IRI, random_world, settings_for, turtle

_CASES, _ALL_CASES = 600, 100_000


@pytest.mark.parametrize("cases", [_CASES, pytest.param(_ALL_CASES, marks=pytest.mark.thorough)])
def test_an_exact_answerer_has_no_bugs(tmp_path: Path, cases: int) -> None:
    seen: Counter[str] = Counter()
    answers: Counter[str] = Counter()
    for seed in count():
        rng = random.Random(seed)
        world = random_world(rng, density=3 if cases == _CASES else 15)
        text, left = turtle(world, rng)
        file = tmp_path / "world.ttl"
        file.write_text(text, "utf-8")
        with generate([file], settings_for(world, left, limit=15 if cases == _CASES else 400, seed=seed)) as generated:
            for case in generated.cases:
                _check(world, case, seed)
                seen[case.rule] += 1
                answers.update(f"{each.kind} {each.expected}" for each in case.consequences)
        if sum(seen.values()) >= cases and (len(seen) == 15 or seed >= 60):  # few worlds have two inverse relations
            break
    assert len(seen) == 15, seen
    assert all(answers[each] > cases / 100 for each in ("basic yes", "basic no", "extended no")), answers


def _check(world: World, case: QuestionCase, seed: int) -> None:
    where = f"world {seed}, {case.id}"
    for question in (*case.antecedents, *case.consequences):
        assert world.answer(question.text) == question.expected, f"{where}: {question}"
        if question.claim is not None:
            known = world.follows(*_short(question.claim))
            assert known == (question.expected == "yes"), f"{where}: {question}"
    assert all(question.expected == "yes" for question in case.antecedents)
    for question in case.consequences:
        if question.expected == "no":
            assert _has_reason(world, question), f"{where}: {question}"


def _has_reason(world: World, question: Question) -> bool:
    """Whether the relations of a claim are closed, or the claim would be a contradiction."""
    if question.claim is None:  # a number, or one of several claims
        return bool(question.why)
    subject, path, object_ = _short(question.claim)
    if all(step in world.closed for step in path):
        return True
    return world.is_contradictory(_chain(subject, path, object_))


def _chain(subject: str, path: tuple[str, ...], object_: str) -> list[Triple]:
    stops = [subject, *(f"between{number}" for number in range(len(path) - 1)), object_]
    return [(stops[number], step, stops[number + 1]) for number, step in enumerate(path)]


def _short(claim: Claim) -> tuple[str, tuple[str, ...], str]:
    path = tuple(TYPE if step.endswith("#type") else step.removeprefix(IRI) for step in claim.path)
    return claim.subject.removeprefix(IRI), path, claim.object.removeprefix(IRI)
