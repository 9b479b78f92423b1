"""The closure in the database has the facts that the rules of OWL 2 RL derive."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from kgprobe.entailment.closure import closed
from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import load
from kgprobe.questions.facts.loading import open_facts
from kgprobe.questions.generation.closure import close
from kgprobe.questions.generation.engines import Engine
from kgprobe.questions.schema.traits import schema_of
from kgprobe.questions.settings import Settings
from kgprobe.rdf.terms import NamedNode
from questions.random_worlds import IRI, random_world, turtle


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(n, marks=pytest.mark.thorough) for n in range(12, 200))])
def test_the_closure_is_that_of_owl_rl(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    world = random_world(rng)
    text, left = turtle(world, rng, all_traits=True)
    assert not left
    file = tmp_path / "world.ttl"
    file.write_text(text, "utf-8")
    expected = _by_rules(file)
    with open_facts([file]) as facts:
        schema = schema_of(facts, Settings())
        engine = Engine(facts)
        made = close(engine, schema, schema.type_id)
        numbers = dict(facts.sql("SELECT text, id FROM terms WHERE kind = 0"))
        same = dict(facts.sql("SELECT id, rep FROM same"))
        merged = dict(engine.query("SELECT id, rep FROM merged")) if made.has_merged else {}
        widest = set(engine.query("SELECT s, p, o FROM widest"))
        narrow = set(engine.query("SELECT s, p, o FROM closure"))

    def number(iri: str) -> Any:
        found = same.get(numbers[iri], numbers[iri])
        return merged.get(found, found)

    assert {(number(s), numbers[p], number(o)) for s, p, o in expected} == widest
    assert {(merged.get(s, s), p, merged.get(o, o)) for s, p, o in narrow} <= widest


def _by_rules(file: Path) -> set[tuple[str, str, str]]:
    """The facts about things that follow under OWL 2 RL."""
    things, relations = f"{IRI}t", f"{IRI}r"
    found = set()
    for triple in closed(load(str(file)).graph, Regime.RL).graph:
        s, p, o = triple.subject, triple.predicate, triple.object
        if not (isinstance(s, NamedNode) and isinstance(o, NamedNode) and s.value.startswith(things)):
            continue
        is_type = p.value.endswith("#type") and o.value.startswith(f"{IRI}c")
        if is_type or (p.value.startswith(relations) and o.value.startswith(things)):
            found.add((s.value, p.value, o.value))
    return found
