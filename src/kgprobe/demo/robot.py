"""The demo with an underwater robot: graphs, masks, mutants, campaigns, and a learned mask."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

from kgprobe.campaign.local import LocalWorkers
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import read_store
from kgprobe.campaign.store_reading import Finding
from kgprobe.campaign.summary import Summary, summary_of
from kgprobe.config.loading import load_profile
from kgprobe.config.profile import Profile
from kgprobe.demo.examples import case_study, example
from kgprobe.formats.files import Loaded
from kgprobe.learning.store_cases import judged_graphs
from kgprobe.masks.consistency import ConsistencyCheck
from kgprobe.masks.learning.cases import JudgedGraph
from kgprobe.masks.learning.learning import learn_mask
from kgprobe.masks.learning.scoring import score_mask
from kgprobe.masks.mask import Mask
from kgprobe.masks.shacl import ShaclCheck
from kgprobe.mutation.catalogue import operator_set
from kgprobe.mutation.generator import Generator, Tally
from kgprobe.mutation.mutant import Mutant, explained
from kgprobe.mutation.operator import Pins
from kgprobe.mutation.strategies import Weighted
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.owl.entities import entities
from kgprobe.processes.guard import guarded_folder
from kgprobe.rdf.canonical import fingerprint
from kgprobe.rdf.graph import Delta, FreshNames, Graph
from kgprobe.rdf.terms import RDF, NamedNode, Triple
from kgprobe.reasoners.auto import open_reasoner
from kgprobe.reasoners.protocol import Reasoner
from kgprobe.sparql.matching import Binding, compile_where

__all__ = ["show_campaigns", "show_graphs", "show_learned_mask", "show_masks", "show_mutants"]

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
                bug = next(found for found in summary.findings if _BUG in found.finding.signature)
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
    kinds = [_kind(found.finding) for found in summary.findings]
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
