"""Reasoners as systems: their own answers, with their own mistakes."""

from __future__ import annotations

import pytest

from kgprobe.errors import InputError
from kgprobe.formats import functional
from kgprobe.model import Case, Observation, Status
from kgprobe.owl import to_triples
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode, Triple
from kgprobe.reasoners.catalogue import REASONERS
from kgprobe.reasoners.protocol import Hierarchy
from kgprobe.systems.reasoner import ReasonerSystem

A, B = NamedNode("urn:test:A"), NamedNode("urn:test:B")


def needs(name: str) -> pytest.MarkDecorator:
    status = REASONERS[name].available()
    return pytest.mark.skipif(not status.usable, reason=f"{name}: {status.missing} ({status.install})")


def graph(axioms: str) -> Graph:
    prefixes = "Prefix(:=<urn:test:>)\nPrefix(xsd:=<http://www.w3.org/2001/XMLSchema#>)\n"
    document = functional.parse(f"{prefixes}Ontology(\n{axioms}\n)", "test")
    triples = to_triples.triples(document)
    return Graph(Triple(*each) for each in triples)


def run(name: str, task: str, *axioms: str, limits: Limits | None = None) -> list[Observation]:
    system = ReasonerSystem(name, task, limits=limits or Limits(30, 1024))  # type: ignore[arg-type]
    system.start()
    try:
        return [system.run(Case.of_graph("case", graph(each))) for each in axioms]
    finally:
        system.close()


REFLEXIVE = """
Declaration(Class(:A)) Declaration(Class(:B)) Declaration(ObjectProperty(:p))
ReflexiveObjectProperty(:p) EquivalentClasses(:B ObjectSomeValuesFrom(:p :A))
"""
CLASH = "DisjointClasses(:A :B) ClassAssertion(:A :a) ClassAssertion(:B :a)"
FINE = "SubClassOf(:A :B)"


@pytest.mark.parametrize(
    ("name", "is_found", "is_partial"),
    [
        pytest.param("hermit", True, False, marks=needs("hermit")),
        pytest.param("openllet", False, False, marks=needs("openllet")),
        pytest.param("elk", True, True, marks=needs("elk")),
        pytest.param("rustdl", True, False, marks=needs("rustdl")),
    ],
)
def test_the_hierarchy_is_the_answer_of_the_reasoner(name: str, is_found: bool, is_partial: bool) -> None:
    tricky, clash, fine = run(name, "hierarchy", REFLEXIVE, CLASH, FINE)
    assert (tricky.system, tricky.status, tricky.is_partial) == (name, Status.FINISHED, is_partial)
    assert isinstance(tricky.value, Hierarchy)
    assert tricky.value.is_below(A, B) is is_found
    assert bool(tricky.remark) is is_partial
    assert (clash.status, clash.value, clash.is_partial) == (Status.FINISHED, False, False)
    assert isinstance(fine.value, Hierarchy)
    assert fine.value.is_below(A, B)
    assert not fine.is_partial


@pytest.mark.parametrize("name", ["auto", *[pytest.param(each, marks=needs(each)) for each in ("rustdl", "pyhermit")]])
def test_consistency(name: str) -> None:
    declared = "Declaration(Class(:A)) Declaration(Class(:B))"
    fine, clash = run(name, "consistency", f"{declared} {FINE}", f"{declared} {CLASH}")
    assert [(each.status, each.value, each.is_partial) for each in (fine, clash)] == [
        (Status.FINISHED, True, False),
        (Status.FINISHED, False, False),
    ]


def test_triples_outside_owl_are_accepted() -> None:
    system = ReasonerSystem("rustdl", "consistency")
    odd = graph(FINE)
    odd.add(Triple(NamedNode("urn:test:x"), NamedNode("http://www.w3.org/2002/07/owl#onProperty"), A))
    seen = system.run(Case.of_graph("case", odd))
    system.close()
    assert (seen.status, seen.value, seen.is_partial, seen.remark) == (Status.FINISHED, True, False, "")


@needs("pyhermit")
def test_a_skipped_question_has_no_answer_and_is_not_a_crash() -> None:
    declared = "Declaration(Class(:A)) Declaration(Class(:B))"
    fine, clash = run("pyhermit", "hierarchy", f"{declared} {FINE}", f"{declared} {CLASH}")
    assert (fine.status, fine.value, fine.is_partial) == (Status.FINISHED, None, True)
    assert "does not terminate" in fine.remark
    assert (clash.status, clash.value) == (Status.FINISHED, False)


@needs("hermit")
def test_an_exception_in_java_has_a_full_name_and_frames() -> None:
    irregular = "SubObjectPropertyOf(ObjectPropertyChain(:p :q) :p) SubObjectPropertyOf(ObjectPropertyChain(:q :p) :q)"
    malformed = 'Declaration(DataProperty(:d)) ClassAssertion(:A :a) DataPropertyAssertion(:d :a "x"^^xsd:integer)'
    first, second, third = run("hermit", "consistency", irregular, malformed, FINE)
    assert first.status is second.status is Status.CRASHED
    assert first.crash is not None
    assert first.crash.kind == "java.lang.IllegalArgumentException"
    assert "not regular" in first.crash.message
    assert first.crash.frames[0].startswith("org.semanticweb.HermiT.structural.ObjectPropertyInclusionManager.")
    assert len(first.crash.frames) <= 10
    assert second.crash is not None
    assert second.crash.kind == "java.lang.NumberFormatException"  # the innermost cause
    assert second.crash.message.startswith("MalformedLiteralException: ")
    assert third.value is True


@needs("rustdl")
def test_the_time_limit() -> None:
    lines = [f"SubClassOf(:A{n} ObjectSomeValuesFrom(:p :A{n + 1})) ClassAssertion(:A{n} :a{n})" for n in range(3_000)]
    slow, fine = run("rustdl", "hierarchy", "\n".join(lines), FINE, limits=Limits(0.05, 4096))
    assert slow.status is Status.TIMED_OUT
    assert slow.remark == "time limit of 0.05 s passed"
    assert fine.status is not Status.CRASHED


@needs("hermit")
def test_a_memory_limit_that_is_too_low_to_start() -> None:
    (seen,) = run("hermit", "consistency", FINE, limits=Limits(10, 1))
    assert seen.status is Status.UNREACHABLE
    assert "did not start with 1 MB" in seen.remark


def test_unknown_names_get_a_suggestion() -> None:
    with pytest.raises(InputError, match=r"no reasoner named 'hermt' \(did you mean 'hermit'\?\)"):
        ReasonerSystem("hermt")
    with pytest.raises(InputError, match=r"no reasoner task is named 'hierarhy'.*did you mean 'hierarchy'"):
        ReasonerSystem("hermit", "hierarhy")  # type: ignore[arg-type]
