"""Programs, functions and reasoners in one campaign: their answers are compared, and the odd one out is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgprobe.campaign.events import Judged
from kgprobe.campaign.reproduction import verdict_on_graph
from kgprobe.config.loading import load_profile
from kgprobe.model import Outcome, Verdict

from .campaigns import run

_SEED = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:A a owl:Class ; rdfs:subClassOf :B .
:B a owl:Class ; rdfs:subClassOf :C .
:C a owl:Class ; rdfs:subClassOf :D .
:D a owl:Class .
:E a owl:Class ; rdfs:subClassOf :A , :D .
"""
# Two ways to tell what is below what: all superclasses in JSON, and the stated ones as an ontology.
_AS_JSON = """
import json, sys
from pyoxigraph import RdfFormat, parse
above = {}
for quad in parse(path=sys.argv[1], format=RdfFormat.TURTLE):
    if quad.predicate.value.endswith("#subClassOf"):
        above.setdefault(quad.subject.value, []).append(quad.object.value)
print(json.dumps(above))
"""
_AS_ONTOLOGY = """
import sys
from pyoxigraph import RdfFormat, parse, serialize
triples = [quad.triple for quad in parse(path=sys.argv[1], format=RdfFormat.TURTLE)]
serialize([t for t in triples if not (BROKEN and t.object.value.endswith("/B"))], sys.argv[2], format=RdfFormat.RDF_XML)
"""


def _profile(folder: Path, systems: str, *, broken: bool = False, more: str = "") -> Path:
    (folder / "seed.ttl").write_text(_SEED)
    (folder / "as_json.py").write_text(_AS_JSON)
    (folder / "as_ontology.py").write_text(_AS_ONTOLOGY.replace("BROKEN", str(broken)))
    profile = folder / "profile.toml"
    profile.write_text(
        '[graph]\nseeds = ["seed.ttl"]\n[mutation]\noperators = ["AddSubClassOf", "RemoveSubClassOf"]\n'
        f"mutations = 2\nmutants = 4\n{systems}\n[campaign]\nreduce = 0\n{more}"
    )
    return profile


_THREE = """
[[systems]]
name = "json"
command = ["{python}", "as_json.py", "{graph}"]
answers = "hierarchy"
[[systems]]
name = "ontology"
command = ["{python}", "as_ontology.py", "{graph}", "{output}"]
answers = "hierarchy"
[[systems]]
reasoner = "rustdl"
task = "hierarchy"
"""


@pytest.mark.parametrize("broken", [False, True], ids=["all right", "one is broken"])
def test_two_programs_and_a_reasoner(tmp_path: Path, broken: bool) -> None:
    profile = _profile(tmp_path, _THREE, broken=broken)
    verdicts = [event.verdict for event in run(profile) if isinstance(event, Judged)]
    assert len(verdicts) == 4
    found = {failure.signature for verdict in verdicts for failure in verdict.failures}
    assert found == ({"ontology: misses: subclass"} if broken else set())
    assert {verdict.outcome for verdict in verdicts} <= {Outcome.PASS, Outcome.FAIL}


def _verdict(folder: Path, systems: str) -> Verdict:
    profile = _profile(folder, systems)
    return verdict_on_graph(load_profile(profile), str(folder / "seed.ttl"))[1]


def _says(name: str, code: str, answers: str | None) -> str:
    key = "" if answers is None else f'answers = "{answers}"\n'
    return f"[[systems]]\nname = \"{name}\"\ncommand = ['{{python}}', '-c', '{code}']\n{key}"


def test_the_reason_why_programs_cannot_be_compared(tmp_path: Path) -> None:
    verdict = _verdict(tmp_path, _says("a", "print(1)", None) + _says("b", "print(2)", "consistency"))
    assert verdict.outcome is Outcome.UNDECIDED
    assert verdict.why == (
        "fewer than two answers to compare; "
        "a: no answer to compare; set 'answers' in the profile to say how to read its output; "
        "b: its answer cannot be read: expected 'consistent' or 'inconsistent', not '2'"
    )


def test_two_that_agree_do_not_hide_a_third_that_says_nonsense(tmp_path: Path) -> None:
    said = {"a": "print(True)", "b": "print(True)", "c": "print(42)"}
    verdict = _verdict(tmp_path, "".join(_says(name, code, "consistency") for name, code in said.items()))
    assert (verdict.outcome, verdict.why) == (
        Outcome.UNDECIDED,
        "c: its answer cannot be read: expected 'consistent' or 'inconsistent', not '42'",
    )


def test_a_program_contradicts_a_reasoner(tmp_path: Path) -> None:
    reasoner = '[[systems]]\nreasoner = "rustdl"\n'
    verdict = _verdict(tmp_path, _says("p", "print(False)", "consistency") + reasoner)
    assert [failure.signature for failure in verdict.failures] == ["p | rustdl: disagree: inconsistency"]


def test_plain_texts_and_functions(tmp_path: Path) -> None:
    (tmp_path / "say.py").write_text("def f(graph):\n    return 'two'\n")
    function = '[[python.systems]]\nfunction = "say.py:f"\nanswers = "text"\n'
    texts = _says("one", "print(1)", "text") + _says("two", 'import sys; sys.stdout.write("two")', "text") + function
    assert [failure.signature for failure in _verdict(tmp_path, texts).failures] == ["one: wrong answer: answer"]
