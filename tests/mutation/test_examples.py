"""Every operator matches its examples."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from kgprobe.mutation.catalogue import all_operators
from kgprobe.mutation.operator import Operator
from kgprobe.mutation.update import read_operator
from kgprobe.rdf.canonical import isomorphic

from .example_runner import fits, graph_of, outcomes, prefixes_of

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
# An operator chooses among places, functions and values. The example is one of the possible results.
_SEEDS = 400


@cache
def _operators() -> dict[str, Operator]:
    files = sorted(_EXAMPLES.rglob("*.ru"))
    assert len(files) >= 6, "the operators for SUAVE"
    operators: list[Operator] = [*all_operators(), *map(read_operator, files)]
    return {operator.description.name: operator for operator in operators}


@pytest.mark.parametrize("name", _operators())
def test_an_operator_does_what_its_examples_say(name: str) -> None:
    operator = _operators()[name]
    assert operator.description.examples, "an operator shows what it does"
    for example in operator.description.examples:
        before, after = (graph_of(text, prefixes_of(operator)) for text in (example.before, example.after))
        found = []
        for graph, _ in outcomes(operator, before, _SEEDS):
            assert not isomorphic(graph, before), "an operator changes something"
            found.append(graph)
            if fits(graph, before, after):
                break
        else:
            shown = "\n".join(map(str, found[0])) if found else "nothing: the operator does not apply"
            pytest.fail(f"{example.after}\nnever came out of\n{example.before}\nbut for example\n{shown}")
