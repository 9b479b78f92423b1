"""The input that reasoners get, and the omissions that they report."""

from __future__ import annotations

import contextlib
import importlib
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.turtle import graph_of

from kgprobe.formats import functional
from kgprobe.formats.files import render, writable_format
from kgprobe.model import Case, Observation, Outcome, Status
from kgprobe.oracles.differential import Differential
from kgprobe.oracles.protocol import Observed
from kgprobe.owl import to_triples
from kgprobe.owl.expression import Expression
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode, Triple
from kgprobe.reasoners import auto
from kgprobe.reasoners.auto import open_reasoner, opened
from kgprobe.reasoners.cases import all_cases
from kgprobe.reasoners.engines import document
from kgprobe.reasoners.engines.rustdl import MAY_BE_LEFT_OUT
from kgprobe.reasoners.host import Question, Reply
from kgprobe.reasoners.ontology import Ontology, as_lines
from kgprobe.reasoners.protocol import Answer, Classification, Consistency, Entails, Hierarchy, Task, Unsatisfiable
from kgprobe.systems.reasoner import ReasonerSystem

from .reasoner_fixtures import each, needs, ontology

CASE = Case.of_graph("case", Graph())

_PREFIXES = """Prefix(:=<urn:test:>)
Prefix(owl:=<http://www.w3.org/2002/07/owl#>)
Prefix(xsd:=<http://www.w3.org/2001/XMLSchema#>)
"""
_ALL = ["rustdl", "pyhermit", "hermit", "openllet", "elk", "jfact", "konclude"]
_ENTITIES = (
    "Declaration(Class(:A)) Declaration(Class(:B)) Declaration(ObjectProperty(:p)) Declaration(DataProperty(:d))"
)
_LOOP = "AsymmetricObjectProperty(:p) ReflexiveObjectProperty(:p)"
# rustdl does not know the datatype, and says so.
_LEFT_OUT = "SubClassOf(owl:Thing DataSomeValuesFrom(:d xsd:normalizedString))"
_MISSED = f"DataPropertyDomain(:d :A) {_LEFT_OUT} DisjointClasses(owl:Thing :A)"


def graph(axioms: str) -> Graph:
    document = functional.parse(f"{_PREFIXES}Ontology(\n{axioms}\n)", "test")
    return Graph(Triple(*triple) for triple in to_triples.triples(document))


def lines(axioms: str) -> set[str]:
    """The axioms of a text in functional syntax."""
    return set(as_lines(functional.parse(f"{_PREFIXES}Ontology(\n{axioms}\n)", "test").axioms))


# -- nothing is added --------------------------------------------------------------------------------------------------


class _Recorder:
    """Replaces the process of a reasoner, and records its input."""

    told: list[str]

    def __init__(self, _engine: str, _limits: Limits) -> None:
        type(self).told = []

    def ask(
        self,
        work: Sequence[tuple[Callable[[], str | None], Sequence[Question]]],
        *,
        seconds: float | None = None,  # noqa: ARG002 - nobody answers
    ) -> Iterator[tuple[int, Reply]]:
        for number, (text, questions) in enumerate(work):
            self.told.append(text() or "")
            for _ in questions:
                yield number, Reply(None, 0.0, why="nobody is there")

    def close(self) -> None:
        """Do nothing: no process was started."""


@each(_ALL)
@pytest.mark.parametrize("task", ["consistency", "hierarchy"])
@pytest.mark.parametrize(
    "axioms",
    [
        pytest.param(_LOOP, id="no declarations"),
        pytest.param("Declaration(NamedIndividual(:a)) SubClassOf(:A :B)", id="some declarations"),
        pytest.param(
            f"{_ENTITIES} DisjointUnion(:A :B ObjectHasSelf(:p)) FunctionalObjectProperty(ObjectInverseOf(:p))"
            ' NegativeObjectPropertyAssertion(:p :a :b) DataPropertyAssertion(:d :a "x")',
            id="what rustdl misreads",
        ),
    ],
)
def test_a_reasoner_under_test_gets_the_unmodified_graph(
    monkeypatch: pytest.MonkeyPatch, name: str, task: str, axioms: str
) -> None:
    monkeypatch.setattr("kgprobe.reasoners.catalogue.Host", _Recorder)
    ReasonerSystem(name, task).run(Case.of_graph("case", graph(axioms)))  # type: ignore[arg-type]
    (told,) = _Recorder.told
    assert lines(told) == lines(axioms)


_FAKE = """#!{python}
import pathlib, shutil, sys
arguments = sys.argv[1:]
shutil.copy(arguments[arguments.index("-i") + 1], pathlib.Path(__file__).with_name(arguments[0]))
if "-o" in arguments:
    pathlib.Path(arguments[arguments.index("-o") + 1]).write_text(
        '<Ontology xmlns="http://www.w3.org/2002/07/owl#">'
        '<Declaration><Class IRI="urn:test:A"/></Declaration></Ontology>'
    )
print("Ontology is consistent.")
"""


def test_the_input_file_of_a_program_has_the_unmodified_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "Konclude"
    program.write_text(_FAKE.format(python=sys.executable), encoding="utf-8")
    program.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    system = ReasonerSystem("konclude", "hierarchy")
    seen = system.run(Case.of_graph("case", graph(_LOOP)))
    system.close()
    assert isinstance(seen.value, Hierarchy)
    for question in ("consistency", "classification"):
        document = functional.parse((tmp_path / question).read_text(encoding="utf-8"), "told")
        assert set(as_lines(document.axioms)) == lines(_LOOP)


@needs("konclude")
def test_konclude_gives_the_same_answers_with_and_without_kgprobe() -> None:
    system = ReasonerSystem("konclude", "consistency")
    try:
        alone, with_one = (
            system.run(Case.of_graph("case", graph(each))) for each in (_LOOP, f"{_LOOP} ClassAssertion(:A :a)")
        )
    finally:
        system.close()
    assert (alone.value, with_one.value) == (False, True)  # the second is wrong, which is a bug of Konclude


@needs("pyhermit")
def test_a_rejected_graph_is_not_a_crash() -> None:
    system = ReasonerSystem("pyhermit", "consistency")
    try:
        refused, accepted = (
            system.run(Case.of_graph("case", graph(each)))
            for each in ("SubClassOf(:A :B)", f"{_ENTITIES} SubClassOf(:A :B) ClassAssertion(:A :a)")
        )
    finally:
        system.close()
    assert (refused.status, refused.value, refused.is_partial) == (Status.FINISHED, None, True)
    assert refused.remark == (
        "pyHermiT accepts OWL 2 DL only: OWL2DL_MISSING_DECLARATION, declare each class, property and datatype"
    )
    assert accepted.value is True


@needs("pyhermit")
def test_as_a_tool_a_strict_reasoner_gets_missing_declarations() -> None:
    with opened("pyhermit") as reasoner:
        (fine,) = reasoner.answer(graph("SubClassOf(:A :B)"), [Consistency()])
        (empty,) = reasoner.answer(graph("SubClassOf(owl:Thing owl:Nothing)"), [Consistency()])
    assert (fine.value, empty.value) == (True, False)


# -- what a reasoner left out ------------------------------------------------------------------------------------------


@needs("rustdl")
def test_omissions_of_rustdl_make_its_answers_partial() -> None:
    below = Entails(Expression("SubClassOf", NamedNode("urn:test:B"), NamedNode("urn:test:A")))
    tasks: list[Task] = [Consistency(), Classification(), Unsatisfiable(), below]
    with opened("rustdl") as reasoner:
        answers = reasoner.answer(ontology(_MISSED), tasks)
        (clash,) = reasoner.answer(ontology(f"{_LEFT_OUT} SubClassOf(owl:Thing owl:Nothing)"), [Consistency()])
        (whole,) = reasoner.answer(ontology("SubClassOf(:A :B)"), [Consistency()])
    told = "rustdl says that it left out SubClassOf: unsupported data range (1 axiom)"
    for answer in answers:
        assert answer.omission == told
        assert not answer.complete
        assert told in answer.why
    assert (clash.value, clash.omission) == (False, "")  # an inconsistency remains one despite omissions
    assert (whole.value, whole.omission, whole.complete) == (True, "", True)


@needs("rustdl")
def test_axioms_that_rustdl_may_drop_are_recognised(tmp_path: Path) -> None:
    rustdl: Any = importlib.import_module("rustdl")
    asked, file = 0, tmp_path / "ontology.ofn"
    for case in all_cases():
        if MAY_BE_LEFT_OUT.search(case.ontology.text):
            asked += 1
            continue
        file.write_text(document(case.ontology.text), encoding="utf-8")
        with contextlib.suppress(rustdl.ParseError):  # then rustdl gives no answer
            assert rustdl.dropped_axioms(str(file)) == {}, case.name
    assert 0 < asked < len(all_cases()) / 2


@needs("rustdl")
@pytest.mark.parametrize("task", ["consistency", "hierarchy"])
def test_a_partial_answer_does_not_vote_like_a_complete_one(task: str) -> None:
    system = ReasonerSystem("rustdl", task)  # type: ignore[arg-type]
    try:
        seen = system.run(Case.of_graph("case", graph(_MISSED)))
    finally:
        system.close()
    assert seen.is_partial
    assert "left out SubClassOf: unsupported data range" in seen.remark
    others = [Observation(name, Status.FINISHED, value=False) for name in ("one", "two")]
    oracle = Differential("consistency" if task == "consistency" else "")
    assert oracle.judge(CASE, Observed.of(CASE, [seen, *others])).outcome is Outcome.PASS
    assert oracle.judge(CASE, Observed.of(CASE, [seen, *others[:1]])).outcome is Outcome.UNDECIDED


@needs("rustdl")
@needs("pyhermit")
def test_auto_asks_again_if_rustdl_left_something_out() -> None:
    """Besides the known bugs of rustdl, its own reports of omissions count."""
    auto = open_reasoner("auto")
    try:
        (answer,) = auto.answer(ontology(_MISSED), [Consistency()])
    finally:
        auto.close()
    assert answer.value is not True


@needs("rustdl")
def test_a_hierarchy_is_partial_if_rustdl_is_known_to_miss_subclasses() -> None:
    one_member = "SubClassOf(:A ObjectOneOf(:b)) SubClassOf(:B :A) ClassAssertion(:B :a)"  # A ⊑ B follows
    plain = "SubClassOf(:A ObjectSomeValuesFrom(:p :B))"
    system = ReasonerSystem("rustdl", "hierarchy")
    try:
        missed, fine = (system.run(Case.of_graph("case", graph(each))) for each in (one_member, plain))
    finally:
        system.close()
    assert isinstance(missed.value, Hierarchy)
    assert (missed.is_partial, fine.is_partial) == (True, False)
    assert missed.remark == "rustdl is known to miss subclasses with ObjectOneOf"
    above = NamedNode("urn:test:A"), NamedNode("urn:test:B")
    right = replace(missed.value, parents={}, groups={above[0]: frozenset(above)})
    others = [Observation(name, Status.FINISHED, value=right) for name in ("one", "two")]
    assert Differential().judge(CASE, Observed.of(CASE, [missed, *others])).outcome is Outcome.PASS
    with opened("auto") as auto:
        (answer,) = auto.answer(ontology(one_member), [Classification()])
    assert not answer.complete


# -- what a finding shows ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "turtle",
    [
        ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] .",
        "[] a owl:AllDifferent ; owl:distinctMembers (:a :b :c) .",
        ":A rdfs:subClassOf _:e . :B rdfs:subClassOf _:e . _:e a owl:Class ; owl:complementOf :A .",
        ":A a owl:Class ; rdfs:label 'A' . :p a owl:ReflexiveProperty , owl:AsymmetricProperty .",
    ],
)
def test_convert_writes_the_input_of_a_reasoner(turtle: str) -> None:
    found = graph_of(turtle)
    document = functional.parse(render(found, writable_format("", "functional")).text.decode(), "written")
    stated = [axiom for axiom in document.axioms if axiom.head != "AnnotationAssertion"]
    assert Ontology.of(found).text.splitlines(keepends=True) == as_lines(stated)


@pytest.mark.parametrize(
    ("said", "judged"),
    [
        # What the first reasoner misreads was rewritten for it, so that its own doubt does not count.
        (Answer(True, "rustdl", 0.1, complete=False, why="not reliable"), (True, True, "")),
        (Answer(None, "rustdl", 0.1, complete=False, why="time limit"), (None, False, "time limit")),
    ],
)
def test_auto_decides_itself_what_the_first_answer_is_worth(said: Answer, judged: tuple[object, bool, str]) -> None:
    plain = Ontology((Expression("SubClassOf", NamedNode("urn:A"), NamedNode("urn:B")),))
    answer = auto._judged(auto._Asked(plain, plain, Consistency(), 0, 0), said)
    assert answer.reasoner == "auto:rustdl"
    assert (answer.value, answer.complete, answer.why) == judged
