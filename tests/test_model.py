"""Cases and their inputs."""

from __future__ import annotations

import pickle

import pytest

from kgprobe.errors import InputError
from kgprobe.model import Case, Dialogue, GraphInput, Prompt
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode, Triple

_A, _B, _P = (NamedNode(f"urn:{name}") for name in "abp")
_ONE, _OTHER = Triple(_A, _P, _B), Triple(_B, _P, _A)


def test_the_digest_of_a_graph_is_that_of_its_triples() -> None:
    whole = GraphInput(Graph([_ONE, _OTHER]))
    changed = Graph([_OTHER])
    changed.add(_ONE)
    assert GraphInput(changed).digest() == whole.digest()
    changed.remove(_OTHER)
    assert GraphInput(changed).digest() != whole.digest()


def test_the_digest_of_a_dialogue_leaves_out_the_expected_answers() -> None:
    asked = Dialogue((Prompt("Is it?", "It is.", "yes"), Prompt("Why?")))
    assert asked.digest() == Dialogue((Prompt("Is it?", "It is.", "no"), Prompt("Why?"))).digest()
    others = [Dialogue((Prompt("Is it?", "It was."), Prompt("Why?"))), Dialogue((Prompt("Why?"), Prompt("Is it?")))]
    assert asked.digest() not in {other.digest() for other in others}


def test_the_graph_of_a_case() -> None:
    case = Case.of_graph("menu#1", Graph([_ONE]), "menu")
    assert (list(case.graph), case.origin, case.input.kind) == ([_ONE], "menu", "graph")
    assert list(pickle.loads(pickle.dumps(case)).graph) == [_ONE]  # noqa: S301 - our own bytes


def test_the_graph_of_a_case_without_one_is_an_error() -> None:
    case = Case("question 7", Dialogue((Prompt("Is it?"),)))
    with pytest.raises(InputError, match="case question 7 is a dialogue, not a graph"):
        _ = case.graph
