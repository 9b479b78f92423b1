"""A case that a system cannot be given: it is undecided, and the reason is reported."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from support.commands import kgprobe

from kgprobe.model import Case, Dialogue, GraphInput, Observation, Outcome, Prompt, Status
from kgprobe.oracles.differential import Differential, SameAsSeed
from kgprobe.oracles.protocol import Observed
from kgprobe.oracles.single_run import ExitStatus
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Literal, NamedNode, Triple
from kgprobe.systems.command import CommandSystem
from kgprobe.systems.function import FunctionSystem
from kgprobe.systems.protocol import GraphText, System
from kgprobe.systems.reasoner import ReasonerSystem
from kgprobe.systems.remote import HttpSystem
from kgprobe.systems.sparql import SparqlSystem

from .system_fixtures import case, graph

_ODD = Graph([Triple(NamedNode("urn:a"), NamedNode("urn:p/"), Literal("x"))])
_NOWHERE = "http://127.0.0.1:9/nobody-is-there"
_TOLD = (
    "s cannot be given the graph: RDF/XML cannot express the predicate <urn:p/>: it does not end in an XML name"
    " (choose another format for it in the profile)"
)


@pytest.mark.parametrize(
    "system",
    [
        pytest.param(CommandSystem("s", ["cat"], payload=GraphText("rdfxml")), id="command"),
        pytest.param(HttpSystem("s", _NOWHERE, payload=GraphText("rdfxml")), id="http"),
        pytest.param(SparqlSystem("s", _NOWHERE, {"q": "ASK {}"}, payload=GraphText("rdfxml")), id="sparql"),
    ],
)
def test_the_system_is_not_run_and_the_case_is_undecided(system: System) -> None:
    seen = system.run(case(_ODD))
    assert seen.status is Status.INEXPRESSIBLE
    verdict = ExitStatus().judge(case(_ODD), Observed.of(case(_ODD), [seen]))
    assert (verdict.outcome, verdict.why) == (Outcome.UNDECIDED, _TOLD)
    fine = Observation("s", Status.FINISHED, exit_code=0)
    for before, after in ((fine, seen), (seen, fine)):
        mutant = replace(case(), reference=case(graph(1)).input)
        observed = Observed([(case(graph(1)).input, [before]), (mutant.input, [after])])
        verdict = SameAsSeed().judge(mutant, observed)
        assert (verdict.outcome, verdict.why) == (Outcome.UNDECIDED, _TOLD)
    verdict = Differential().judge(case(), Observed.of(case(), [seen, Observation("t", Status.FINISHED, value=True)]))
    assert verdict.outcome is Outcome.UNDECIDED
    assert "s: cannot be given the graph, RDF/XML cannot express" in verdict.why


@pytest.mark.parametrize(
    "system",
    [
        pytest.param(CommandSystem("s", ["cat"]), id="command"),
        pytest.param(HttpSystem("s", _NOWHERE), id="http"),
        pytest.param(SparqlSystem("s", _NOWHERE, {"q": "ASK {}"}), id="sparql"),
        pytest.param(FunctionSystem("s", "json:dumps"), id="function"),
        pytest.param(ReasonerSystem("auto", name="s"), id="reasoner"),
    ],
)
def test_a_system_for_graphs_cannot_be_given_a_dialogue(system: System) -> None:
    dialogue = Case("d#1", Dialogue((Prompt("Is a rose a plant?"),)))
    seen = system.run(dialogue)
    assert (seen.status, seen.remark) == (Status.INEXPRESSIBLE, "case d#1 is a dialogue, not a graph")


def test_a_payload_says_what_a_function_gets() -> None:
    class Reference:
        def content(self, case: Case) -> Graph:
            assert isinstance(case.reference, GraphInput)
            return case.reference.graph

    mutant = replace(case(), reference=case(graph(1)).input)
    function = FunctionSystem("s", "builtins:len", payload=Reference())
    with closing(function):
        assert function.run(mutant).value == len(graph(1))


def test_the_command_line_reports_the_reason(tmp_path: Path) -> None:
    (tmp_path / "seed.ttl").write_text("<urn:a> <urn:p> 'x' .", encoding="utf-8")
    (tmp_path / "odd.ttl").write_text("<urn:a> <urn:p/> 'x' .", encoding="utf-8")
    (tmp_path / "profile.toml").write_text(
        '[graph]\nseeds = ["seed.ttl"]\n\n[mutation]\noperators = ["generic"]\n\n'
        '[[systems]]\nname = "s"\ncommand = ["cat", "{graph}"]\nformat = "rdfxml"\n',
        encoding="utf-8",
    )
    done = kgprobe("test", tmp_path / "profile.toml", "--on", tmp_path / "odd.ttl")
    assert _TOLD in done.stdout + done.stderr
    assert "could not be reached" not in done.stdout + done.stderr
    assert "odd.ttl: undecided: " in done.stdout
