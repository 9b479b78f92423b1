"""The demo with ontologies: tests that depend on one, how good they are, queries, and questions."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from kgprobe.campaign.inferences import AnsweredCase, Standing, answered_cases
from kgprobe.campaign.local import LocalWorkers
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import read_store
from kgprobe.campaign.summary import summary_of
from kgprobe.config.loading import load_profile
from kgprobe.demo.examples import case_study
from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import load
from kgprobe.mutation.catalogue import operator_set
from kgprobe.mutation.generator import Generator
from kgprobe.mutation.strategies import Weighted
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.processes.guard import guarded_folder
from kgprobe.queries.diagnosis.checking import Checker
from kgprobe.queries.files.texts import QueryText
from kgprobe.queries.schema import load_schema
from kgprobe.queries.testing.entry import prepared_test
from kgprobe.queries.testing.request import Request
from kgprobe.queries.testing.run import Settings
from kgprobe.rdf.diff import aligned
from kgprobe.rdf.graph import Graph
from kgprobe.reasoners.auto import opened
from kgprobe.report.queries import diagnostic_lines
from kgprobe.report.questions import QuestionsReport, reported
from kgprobe.selection.audit import audit
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.discovery.vocabulary import Vocabulary
from kgprobe.selection.paper.planning import PaperSelector
from kgprobe.selection.plan import safe_plan
from kgprobe.selection.tests import Suite
from kgprobe.suite_score.model import Selecting
from kgprobe.suite_score.scoring import Asked, scored

__all__ = ["show_queries", "show_questions", "show_score", "show_selection"]

_MUTANTS_IN_AUDIT = 100
_SHOWN = 3
_EXPECTED = "?user1: sn:age some xsd:integer[>= 40]"
_FAULT = "two-steps"
_MODES = {"safe": "the default", "paper": "the published method"}


def show_selection() -> Iterator[str]:
    """Select tests for one change, and audit the selection on many."""
    folder = case_study("pizzeria")
    versions = aligned(load(folder / "menu-1.ttl").graph, load(folder / "menu-2.ttl").graph)
    removed, added = len(versions.gone), len(versions.come)
    yield f"Change     a new menu: {removed} triples removed, {added} added"
    suite = find_tests([folder / "tests"], Vocabulary.of(versions.new, versions.old), FinderOptions(root=folder))
    plan = safe_plan(versions, suite, Regime.NONE)
    yield f"Tests      {len(plan.chosen)} of {len(plan.tests)} must run again (SPARQL, SQL and Python); for example:"
    for each in islice((each for each in reversed(plan.chosen) if each.because[0].change), _SHOWN):
        yield f"             {each.test.name}"
        yield f"               {each.because[0]}"
    yield from _audited(versions.old, suite)


def _audited(graph: Graph, suite: Suite) -> Iterator[str]:
    operators = [Weighted(operator) for name in ("owl-el", "abox") for operator in operator_set(name)]
    mutants = (mutant.delta for mutant in Generator(graph, operators, mutations=2).mutants(_MUTANTS_IN_AUDIT))
    with opened() as reasoner:
        found = audit(graph, suite, mutants, Regime.NONE, others={"paper": PaperSelector(graph, suite, reasoner)})
    yield "Audit      does the selection miss a test whose answer changes?"
    yield f"           {found.tests} queries on each of {found.changes} mutants: {found.altered} answers change"
    for name, mode in found.modes.items():
        mean = mode.selected / mode.changes
        yield f"             {name:<6} selects {mean:.1f} tests on average, misses {len(mode.misses)} ({_MODES[name]})"


def show_score() -> Iterator[str]:
    """Take out each axiom of an ontology, and count how often a test notices."""
    folder = case_study("pizzeria")
    graph = load(folder / "menu-1.ttl").graph
    suite = find_tests([folder / "tests"], Vocabulary.of(graph, graph), FinderOptions(root=folder))
    found = scored(Asked(graph=graph, suite=suite, selecting=Selecting.ALWAYS))
    yield f"Mutants    {found.mutants}: the first menu, each without one of its axioms"
    without = found.executions_without_selection
    yield f"Tests      {len(found.tests)} queries: {without:,} runs, of which selection leaves {found.executions}"
    yield f"Score      {found.score:.1f} %: {found.killed} mutants are killed, {found.survived} survive"
    yield f"Idle       {len(found.idle)} tests kill nothing, such as {found.idle[0]}"
    yield "Survivors  for example these, each with a query that would kill it:"
    for each in found.survivors[:_SHOWN]:
        yield f"             {each.change}"
        yield f"               {(each.suggestion or '').rpartition('> ')[2]}"


def show_queries() -> Iterator[str]:
    """Find out why a query has no answer, and that another one has wrong answers."""
    folder = case_study("social-network")
    schema = load_schema([folder / "ontology.ttl"])
    empty, wrong = ((folder / "queries" / name).read_text(encoding="utf-8") for name in ("1.rq", "3.rq"))
    yield "Check      events, and users who like them: the query finds nothing, and this is why:"
    with Checker(schema) as checker:
        for each in checker.check(QueryText.whole("1.rq", empty)).diagnostics:
            yield from (f"             {line}" for line in diagnostic_lines(each))
    yield "Test       events, and who added them: users of 40 years or more, as the author thinks"
    yield f"           expected of each answer: {_EXPECTED}"
    with opened() as reasoner:
        results = [
            prepared_test(text, schema, Request([_EXPECTED]), reasoner, Settings()).run()
            for text in (wrong, wrong.replace("?user2 sn:age", "?user1 sn:age"))
        ]
    if (found := results[0].counterexample) is not None:
        yield f"           {results[0].outcome}, by {len(found.triples)} triples besides the ontology:"
        data = found.turtle.splitlines()
        yield from (f"             {line}" for line in data if line and not line.startswith("@prefix"))
    proven = "yes" if results[1].proven else "NO"
    yield f"Fix        compare the age of ?user1: {results[1].outcome}; proven for all data: {proven}"


def show_questions() -> Iterator[str]:
    """Ask a program with and without faults, and show under which rules its conclusions are wrong."""
    yield "Program    answers questions about places, people and novels; five faults can be switched on"
    yield "Questions  made from a graph: if the program knows the premises, it should know the conclusion"
    with guarded_folder() as temporary:
        folder = Path(shutil.copytree(case_study("qa"), temporary / "qa"))
        report, example_case = _asked(folder / "cases.toml")
    yield f"Findings   in {report.cases} cases, by fault of the program:"
    for name, tally in report.systems.items():
        wrong = Counter[str]()
        for (rule, _), counts in tally.rules.items():
            wrong[rule] += counts.bugs_extended
        found = ", ".join(f"{rule} {count}" for rule, count in wrong.most_common() if count)
        yield f"             {name:<18}{found or 'none'}"
    yield from _conclusion(example_case)


def _asked(path: Path) -> tuple[QuestionsReport, AnsweredCase]:
    """The report, and a case in which a fault led to a wrong conclusion."""
    profile = load_profile(path)
    for _ in run_campaign(profile, lambda job: LocalWorkers(job, 1)):
        pass
    with read_store(profile.campaign.store) as store:
        case = next(each for each in answered_cases(store) if each.systems[_FAULT].standing is Standing.BUG)
        return reported(store, summary_of(store, KnownBugs([]))), case


def _conclusion(case: AnsweredCase) -> Iterator[str]:
    """The story of a case: premises and conclusion, with the answers of the faulty program."""
    answers = case.systems[_FAULT]
    yield f"Example    {_FAULT}, rule {case.case.rule}:"
    questions = (*case.case.antecedents, *case.case.consequences)
    for question, answer in zip(questions, (*answers.premises, *answers.conclusions), strict=True):
        note = "" if answer.result == "right" else f", which is wrong: {question.why}"
        yield f"             {question.text} {answer.decision}{note}"
