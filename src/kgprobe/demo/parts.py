"""The parts of kgprobe demo: a robot's map for testing, and ontologies with queries and questions."""

from __future__ import annotations

import dataclasses
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from importlib.resources import as_file, files
from itertools import islice
from pathlib import Path
from random import Random

from kgprobe.campaign.local import LocalWorkers
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import read_store
from kgprobe.campaign.store_reading import Finding
from kgprobe.campaign.summary import AnsweredCase, Standing, Summary, answered_cases, summary_of
from kgprobe.config.loading import load_profile
from kgprobe.config.profile import Profile
from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import Loaded, load
from kgprobe.learning.stored_campaign import judged_graphs
from kgprobe.masks.consistency import ConsistencyCheck
from kgprobe.masks.learning.learning import learn_mask, score_mask
from kgprobe.masks.learning.observations import JudgedGraph
from kgprobe.masks.mask import Mask
from kgprobe.masks.shacl import ShaclCheck
from kgprobe.mutation.catalogue import operator_set
from kgprobe.mutation.generator import Generator, Tally, Weighted
from kgprobe.mutation.mutant import Mutant, explained
from kgprobe.mutation.operator import Pins
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.owl.entities import entities
from kgprobe.processes.guard import guarded_folder
from kgprobe.queries.diagnosis.checking import Checker
from kgprobe.queries.files.texts import QueryText
from kgprobe.queries.schema import load_schema
from kgprobe.queries.testing.request import Request
from kgprobe.queries.testing.run import Settings, prepared_test
from kgprobe.rdf.canonical import fingerprint
from kgprobe.rdf.diff import aligned
from kgprobe.rdf.graph import Delta, FreshNames, Graph
from kgprobe.rdf.terms import RDF, NamedNode, Triple
from kgprobe.reasoners.auto import open_reasoner, opened
from kgprobe.reasoners.protocol import Reasoner
from kgprobe.report.queries import diagnostic_lines
from kgprobe.report.questions import QuestionsReport, reported
from kgprobe.selection.audit import audit
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.paper.planning import PaperSelector
from kgprobe.selection.plan import safe_plan
from kgprobe.selection.tests import Suite
from kgprobe.selection.vocabulary import Vocabulary
from kgprobe.sparql.matching import Binding, compile_where
from kgprobe.suite_score.model import Selecting
from kgprobe.suite_score.scoring import ScoreJob, scored

# -- the examples ------------------------------------------------------------------------------------------------------


def example(name: str) -> Loaded:
    """A built-in graph."""
    with as_file(files("kgprobe.demo").joinpath(name)) as path:
        return load(path)


def case_study(name: str) -> Path:
    """The folder of a case study: inside an installed package, or among the examples of a source tree."""
    inside = Path(__file__).parent / name
    return inside if inside.is_dir() else Path(__file__).parents[3] / "examples" / name


# -- ontologies, queries and questions ---------------------------------------------------------------------------------


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
    for each in islice((planned for planned in reversed(plan.chosen) if planned.because[0].change), _SHOWN):
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
    found = scored(ScoreJob(graph=graph, suite=suite, select=Selecting.ALWAYS))
    yield f"Mutants    {found.mutants}: the first menu, each without one of its axioms"
    without = found.executions_without_selection
    yield f"Tests      {len(found.tests)} queries: {without:,} runs, of which selection leaves {found.executions}"
    yield f"Score      {found.score:.1f} %: {found.killed} mutants are killed, {found.survived} survive"
    yield f"Idle       {len(found.idle)} tests kill nothing, such as {found.idle[0]}"
    yield "Survivors  for example these, each with a query that would kill it:"
    for survivor in found.survivors[:_SHOWN]:
        yield f"             {survivor.change}"
        yield f"               {(survivor.suggestion or '').rpartition('> ')[2]}"


def show_queries() -> Iterator[str]:
    """Find out why a query has no answer, and that another one has wrong answers."""
    folder = case_study("social-network")
    schema = load_schema([folder / "ontology.ttl"])
    empty, wrong = ((folder / "queries" / name).read_text(encoding="utf-8") for name in ("1.rq", "3.rq"))
    yield "Check      events, and users who like them: the query finds nothing, and this is why:"
    with Checker(schema) as checker:
        for diagnostic in checker.check(QueryText.whole("1.rq", empty)).diagnostics:
            yield from (f"             {line}" for line in diagnostic_lines(diagnostic))
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
        case = next(answered for answered in answered_cases(store) if answered.systems[_FAULT].standing is Standing.BUG)
        return reported(store, summary_of(store, KnownBugs([]))), case


def _conclusion(case: AnsweredCase) -> Iterator[str]:
    """The story of a case: premises and conclusion, with the answers of the faulty program."""
    answers = case.systems[_FAULT]
    yield f"Example    {_FAULT}, rule {case.case.rule}:"
    questions = (*case.case.antecedents, *case.case.consequences)
    for question, answer in zip(questions, (*answers.premises, *answers.conclusions), strict=True):
        note = "" if answer.result == "right" else f", which is wrong: {question.why}"
        yield f"             {question.text} {answer.decision}{note}"


# -- the robot ---------------------------------------------------------------------------------------------------------


_NAMESPACE = "https://kgprobe.example/inspection#"
_SEED = 7
# Two segments side by side, where the first has no other neighbour.
_PATTERN = "?a :nextTo ?b . FILTER NOT EXISTS { ?a :nextTo ?c . FILTER(?c != ?b) }"
_MUTATIONS = 3
_MUTANTS = 5
_PINNED = f"{_NAMESPACE}robot"
_MUTANTS_IN_CAMPAIGN = 40
_WORKERS = 2
_BUG = "passed and not inspected"
# The condition that each profile of the case study adds to those before it.
_MASKS = {
    "0-no-mask": "no mask",
    "1-position": "the robot is at one segment",
    "2-start": "the robot starts at a pipe's start",
    "3-linear": "the pipe does not branch",
    "4-connected": "all segments are one pipe",
}
_MUTANTS_TO_LEARN_FROM = (150, 100)  # and to judge the mask by
_NOISE = 0.05  # a robot that happens to work on a graph, although it could not rely on that


def show_graphs() -> Iterator[str]:
    """Load a graph, change it, show the change, undo it."""
    loaded = example("inspection.ttl")
    yield from _introduce(loaded)
    graph = loaded.graph
    before, order = fingerprint(graph), list(graph)

    where = compile_where(_PATTERN, graph.spelling.prefixes)
    yield f"Search     {_PATTERN}"
    yield f"           {sum(1 for _ in where.matches(graph))} matches; random seed {_SEED} picks one of them"

    match = where.sample(graph, Random(_SEED))
    assert match is not None  # noqa: S101 - there are matches in this graph
    delta = _insert_segment(graph, match)
    graph.apply(delta)
    yield f"Change     insert a new segment there: {len(delta.removed)} triple removed, {len(delta.added)} added"
    for sign, part in (("-", delta.removed), ("+", delta.added)):
        yield from (f"             {sign} {graph.spelling.triple(triple)} ." for triple in part)
    yield f"           {len(graph)} triples now; the graph has changed: {_yes(fingerprint(graph) != before)}"

    graph.revert(delta)
    yield f"Undo       the graph is exactly as before: {_yes(fingerprint(graph) == before and list(graph) == order)}"


def _introduce(loaded: Loaded) -> Iterator[str]:
    found = entities(loaded.graph)
    yield f"Load       a graph that an underwater robot uses: the pipeline it inspects ({loaded.format.title})"
    yield (
        f"           {len(loaded.graph)} triples: {len(found.classes)} classes, {len(found.individuals)} individuals,"
        f" {len(found.object_properties) + len(found.data_properties)} properties"
    )


def _insert_segment(graph: Graph, match: Binding) -> Delta:
    """A change such as a mutation makes: cut one connection, and put a new segment in between."""
    new = FreshNames(graph, _SEED).iri(_NAMESPACE)
    next_to, segment = NamedNode(_NAMESPACE + "nextTo"), NamedNode(_NAMESPACE + "Segment")
    [cut] = graph.triples(match["a"], next_to, match["b"])
    return Delta(
        removed=[cut],
        added=[
            Triple(new, RDF.type, segment),
            Triple(cut.subject, next_to, new),
            Triple(new, next_to, cut.object),
        ],
    )


def show_masks() -> Iterator[str]:
    """Check a graph, and two broken variants, against a mask."""
    graph = example("inspection.ttl").graph
    with closing(open_reasoner("auto")) as reasoner:
        mask = _mask(reasoner)
        yield f"Mask       SHACL shapes, and no contradiction (OWL); the pipeline passes: {_yes(mask.admits(graph))}"
        for title, delta in _broken(graph):
            graph.apply(delta)
            yield f"Break      {title}; the mask rejects the graph:"
            yield from (f"             {r.check}: {r.words}" for r in mask.rejections(graph))
            graph.revert(delta)
        yield f"Undo       the pipeline passes again: {_yes(mask.admits(graph))}"


def _mask(reasoner: Reasoner) -> Mask:
    return Mask([ShaclCheck(example("inspection-shapes.ttl").graph, "shapes"), ConsistencyCheck(reasoner)])


def _broken(graph: Graph) -> Iterator[tuple[str, Delta]]:
    """A change that the shapes forbid, and one that makes the graph inconsistent."""
    segment, length = NamedNode(_NAMESPACE + "segment3"), NamedNode(_NAMESPACE + "lengthInMetres")
    yield "remove the length of a segment", Delta(removed=graph.triples(segment, length))
    valve, robot = NamedNode(_NAMESPACE + "valve1"), NamedNode(_NAMESPACE + "Robot")
    yield "say that a valve is a robot", Delta(added=[Triple(valve, RDF.type, robot)])


def show_mutants() -> Iterator[str]:
    """Generate mutants that pass the mask, and show how one of them was made."""
    graph = example("inspection.ttl").graph
    operators = operator_set("abox")
    with closing(open_reasoner("auto")) as reasoner:
        generator = Generator(
            graph,
            [Weighted(operator) for operator in operators],
            mutations=_MUTATIONS,
            seed=_SEED,
            mask=_mask(reasoner),
            pins=Pins(namespaces=[_PINNED]),
        )
        yield f"Operators  {len(operators)} that change facts about individuals, but none about the robot itself"
        mutants = list(generator.mutants(_MUTANTS))
    yield from _counted(generator.tally)
    descriptions = {operator.description.name: operator.description for operator in operators}
    mutant = max(mutants, key=_different)
    yield f"Mutant {mutant.number}   {len(mutant.delta)} triples differ from the pipeline, after {_MUTATIONS} steps:"
    for number, step in enumerate(mutant.steps, start=1):
        first, *changes = explained(step, descriptions[step.operator].summary, graph.spelling)
        yield f"             {number}. {first}"
        yield from (f"                  {line}" for line in changes)


def _counted(tally: Tally) -> Iterator[str]:
    rejected = ", ".join(f"{check} {count}" for check, count in tally.rejected.most_common())
    yield f"Mutants    {tally.kept} that pass the mask, from {tally.attempts} attempts (random seed {_SEED})"
    if rejected:
        yield f"           rejected by {rejected}"


def _different(mutant: Mutant) -> tuple[int, int]:
    """How many operators a mutant shows, and how much of their effect is left: more makes a better example."""
    return len({step.operator for step in mutant.steps}), len(mutant.delta)


def show_campaigns() -> Iterator[str]:
    """Run five campaigns, and show the bug that the first one finds."""
    yield "System     a robot that inspects a pipe"
    yield "Oracle     the robot must inspect every segment"
    yield "Campaigns  each mask below adds a condition; mutants that break it are not tested:"
    with guarded_folder() as temporary:
        folder = Path(shutil.copytree(case_study("pipes"), temporary / "pipes"))
        for number, (profile, words) in enumerate(_MASKS.items()):
            summary = _tested(folder / f"{profile}.toml")
            yield f"             {words:<35}{_findings(summary)}"
            if not number:
                bug = next(numbered for numbered in summary.findings if _BUG in numbered.finding.signature)
                story = bug.finding.reductions[0].graph
    yield f"Finding    {bug.finding.signature}"
    yield "           the failing graph, reduced to the triples that matter:"
    yield from (f"             {line}" for line in story.splitlines() if not line.startswith("@prefix"))


def _tested(path: Path) -> Summary:
    profile = load_profile(path)
    profile = dataclasses.replace(profile, method=dataclasses.replace(profile.mutation, mutants=_MUTANTS_IN_CAMPAIGN))
    _run(profile)
    with read_store(profile.campaign.store) as store:
        return summary_of(store, KnownBugs([]))


def _run(profile: Profile) -> None:
    for _ in run_campaign(profile, lambda job: LocalWorkers(job, _WORKERS)):
        pass


def _findings(summary: Summary) -> str:
    kinds = [_kind(numbered.finding) for numbered in summary.findings]
    word = "finding" if len(kinds) == 1 else "findings"
    return f"{summary.cases} mutants, {len(kinds)} {word}" + (f": {', '.join(kinds)}" if kinds else "")


def _kind(finding: Finding) -> str:
    return finding.kind if finding.kind == "crashed" else finding.shape.rpartition(": a segment was ")[2]


def show_learned_mask() -> Iterator[str]:
    """Learn a mask from the results of a campaign, and judge it by mutants of another one."""
    with guarded_folder() as temporary:
        folder = Path(shutil.copytree(case_study("pipes"), temporary / "pipes"))
        known, new = (_judged(folder, count, seed) for seed, count in enumerate(_MUTANTS_TO_LEARN_FROM, start=1))
    learned = learn_mask(known, noise=_NOISE)
    fail = f"{learned.failing} fail, and this is why:"
    yield f"Learn      from the same robot on {len(known)} mutants, without a mask: {fail}"
    for shape in learned.shapes:
        yield f"             {shape.words}"
        yield f"               explains {len(shape.explains)} of the failures ({shape.strength}, {shape.kind})"
    score = score_mask(learned.holds, new)
    yield f"Judge      {len(new)} other mutants: the mask is right about {score.correct} of them"
    shown = len(score.too_permissive), len(score.too_strict)
    yield f"           {shown[0]} fail although it admits them, {shown[1]} pass although it excludes them"


def _judged(folder: Path, mutants: int, seed: int) -> tuple[JudgedGraph, ...]:
    """Mutants for the robot, with its verdicts. Failures are not reduced."""
    profile = load_profile(folder / "0-no-mask.toml")
    store = folder / f"{seed}.sqlite"
    _run(
        dataclasses.replace(
            profile,
            method=dataclasses.replace(profile.mutation, mutants=mutants, seed=seed),
            campaign=dataclasses.replace(profile.campaign, store=store, reduce=0),
        )
    )
    return judged_graphs(store).cases


def _yes(condition: bool) -> str:
    return "yes" if condition else "NO"
