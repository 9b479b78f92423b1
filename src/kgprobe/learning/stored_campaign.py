"""Makes mutants again: the cases of a campaign, from its store, and those in a folder that `kgprobe mutate` wrote.

A store names its profile. A campaign that has changed since is refused: its cases would be others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from kgprobe.campaign.identity import identity_of
from kgprobe.campaign.plan import Plan
from kgprobe.campaign.run import profile_file
from kgprobe.campaign.source import CaseSource
from kgprobe.campaign.sources import kind_in
from kgprobe.campaign.sources.mutants import Mutants, MutantSource, PreparedMutants
from kgprobe.campaign.store import Store, read_store
from kgprobe.campaign.store_reading import FurtherRun
from kgprobe.config.generation import rebuilt_all, seed_graph_of
from kgprobe.config.loading import load_profile
from kgprobe.config.profile import MutationTable, Profile
from kgprobe.errors import InputError, Position
from kgprobe.given_files import is_there
from kgprobe.masks.learning.observations import JudgedGraph
from kgprobe.model import GraphInput, Outcome
from kgprobe.mutation.catalogue import SETS, operator_set
from kgprobe.mutation.mutant import Manifest, read_delta, read_manifest
from kgprobe.mutation.output import MANIFEST
from kgprobe.rdf.graph import Graph

__all__ = ["cases_of", "check_judged", "judged_graphs", "opened_campaign", "opened_mutants"]


_OTHERS = {"given graphs": "graphs that were given", "query data": "data for a query", "questions": "questions"}


@dataclass(frozen=True)
class StoredCampaign:
    """A campaign with mutants, ready to make its cases again."""

    profile: Profile
    prepared: PreparedMutants
    sources: tuple[MutantSource, ...]
    plan: Plan


@contextmanager
def opened_campaign(store: Store, *, runs_systems: bool = False) -> Iterator[StoredCampaign]:
    """The campaign of a store. InputError if it has no mutants, or if its files are gone or have changed.

    Its systems and oracles may have changed if nothing is run: the store has their verdicts.
    """
    check_mutants(store)
    profile = profile_of(store)
    if not isinstance(profile.method, MutationTable):
        raise _changed(store, [f"{profile.path} makes no mutants any more"])
    kind = Mutants()
    with kind.prepare(profile) as prepared:
        now = dict(identity_of(profile, prepared).parts) if runs_systems else prepared.identity()
        _check_unchanged(store, now)
        if prepared.names() != [source.name for source in store.sources()]:
            raise _changed(store, ["the seed graphs are not the same any more"])
        sources = prepared.open(store)
        yield StoredCampaign(profile, prepared, tuple(sources), Plan(kind, sources, store))


def check_mutants(store: Store) -> None:
    """InputError if the cases of a store are not mutants."""
    if store.source_kind != Mutants.name:
        what = _OTHERS.get(store.source_kind, "other cases")
        hint = "name the store of a campaign with mutants: its profile has [mutation]"
        raise InputError(f"this store has {what}, not mutants of a seed graph", where=_at(store), hint=hint)


def profile_of(store: Store) -> Profile:
    """The profile that a campaign ran, with its random seed."""
    profile = load_profile(profile_file(store))
    profile = replace(profile, campaign=replace(profile.campaign, store=store.path))
    seed = store.value("seed")
    if seed is not None and isinstance(profile.method, MutationTable):
        with store.reading():
            profile = replace(profile, method=replace(profile.method, seed=int(seed)))
    return profile


def _check_unchanged(store: Store, now: dict[str, str]) -> None:
    before = store.identity
    changed = [part for part, digest in now.items() if before.get(part) != digest]
    if changed:
        raise _changed(store, [f"{', '.join(changed[:3])} changed since"])


def _changed(store: Store, words: list[str]) -> InputError:
    message = f"holds the results of another campaign: {', '.join(words)}"
    return InputError(message, where=_at(store), hint="undo the change, or run the campaign again with --fresh")


def _at(store: Store) -> Position:
    return Position(str(store.path))


# -- judged mutants, for learned masks ---------------------------------------------------------------------------------

_FAILED = {Outcome.FAIL: True, Outcome.PASS: False}


@dataclass(frozen=True)
class StoreCases:
    """The judged cases of a store. `undecided` counts cases that have run without a clear verdict, and are left out."""

    cases: tuple[JudgedGraph, ...]
    undecided: int = 0


def judged_graphs(path: str | PathLike[str]) -> StoreCases:
    """All mutants in a store that passed or failed, in the order of their numbers. The campaign may still be running.

    A case is called after the store, with the number that `kgprobe test --case` takes: `profile.sqlite` has
    `profile#1`, `profile#2` and so on. Mutants that `kgprobe test --learn-mask` ran after these are `profile#+1` and so
    on. All cases of one seed graph share its table. A seed graph that failed is a case, too, without changes.

    InputError if this is not the store of a campaign with mutants, if nothing has a verdict yet, or if the profile, the
    seed graphs or the operators are gone or have changed.
    """
    with read_store(Path(path)) as store:
        check_judged(store)
        return judged_in(store)


def check_judged(store: Store) -> None:
    """InputError if no case of a campaign passed or failed."""
    outcomes = store.outcomes()
    if any(outcomes[outcome] for outcome in _FAILED):
        return
    undecided = outcomes.total()
    why = f": all {undecided} cases are undecided" if undecided else ""
    hint = f"'kgprobe show {store.path}' says why" if undecided else "'kgprobe test PROFILE' runs it"
    raise InputError(f"no case of this campaign has a verdict{why}", where=Position(str(store.path)), hint=hint)


def judged_in(store: Store) -> StoreCases:
    """The judged cases of a store that is open."""
    with opened_campaign(store) as campaign:
        cases = cases_of(store, campaign.sources)
    outcomes = store.outcomes()
    return StoreCases(cases, outcomes[Outcome.UNDECIDED] + outcomes[Outcome.INVALID])


def cases_of(store: Store, sources: Sequence[CaseSource]) -> tuple[JudgedGraph, ...]:
    """The judged cases of these sources: those of the campaign, then those that were run to learn a mask."""
    return (*_cases(store, sources), *_further_cases(store, sources))


def _cases(store: Store, sources: Sequence[CaseSource]) -> Iterator[JudgedGraph]:
    for planned, outcome in store.judged():
        if outcome in _FAILED:
            source = sources[planned.source]
            made, seed = source.remake(planned).input, source.seed_graph
            assert isinstance(made, GraphInput) and seed is not None  # noqa: S101, PT018 - mutants are graphs
            name = kind_in(store).case_name(source.name, planned.recipe)
            yield JudgedGraph(name, seed, made.graph.changes(), _FAILED[outcome])


def _further_cases(store: Store, sources: Sequence[CaseSource]) -> Iterator[JudgedGraph]:
    for run in store.further_runs():
        case = further_case(store, run, sources)
        if case is not None:
            yield case


def further_case(store: Store, run: FurtherRun, sources: Sequence[CaseSource]) -> JudgedGraph | None:
    """A mutant that was run to learn a mask; None if it has no clear verdict."""
    seed = sources[run.source].seed_graph
    if run.outcome not in _FAILED or seed is None:
        return None
    with store.reading():
        change = read_delta(run.change)
        seed.copy().apply(change)
    return JudgedGraph(f"{store.path.stem}#+{run.number}", seed, change, _FAILED[run.outcome])


# -- mutants with or without verdicts, for coverage --------------------------------------------------------------------


@dataclass(frozen=True)
class GivenMutant:
    """A mutant that was made before: the position of its seed graph, how it was made, and its graph."""

    seed: int
    operators: str
    mutations: int
    graph: Graph


@dataclass(frozen=True)
class GivenMutants:
    """The seed graphs, and their mutants, one by one."""

    seeds: Sequence[Graph]
    mutants: Iterator[GivenMutant]


@contextmanager
def opened_mutants(path: Path) -> Iterator[GivenMutants]:
    """The mutants in a folder, or in the store of a campaign."""
    if not is_there(path):
        raise InputError("does not exist", where=Position(str(path)), hint="name a folder of mutants, or a store")
    if path.is_dir():
        yield _in_folder(path)
        return
    with _in_store(path) as given:
        yield given


def _in_folder(folder: Path) -> GivenMutants:
    """With several seed graphs, each has a folder of its own."""
    paths = [folder / MANIFEST] if (folder / MANIFEST).is_file() else sorted(folder.glob(f"*/{MANIFEST}"))
    if not paths:
        hint = "name a folder that 'kgprobe mutate' has written"
        raise InputError(f"has no {MANIFEST}", where=Position(str(folder)), hint=hint)
    manifests = [read_manifest(path) for path in paths]
    seeds = [seed_graph_of(manifest) for manifest in manifests]
    return GivenMutants(seeds, _of_manifests(manifests, seeds))


def _of_manifests(manifests: Sequence[Manifest], seeds: Sequence[Graph]) -> Iterator[GivenMutant]:
    for number, (manifest, seed) in enumerate(zip(manifests, seeds, strict=True)):
        operators = _label(manifest)
        for graph, entry in rebuilt_all(manifest, seed):
            if not entry.operators:
                raise InputError(f"mutant {entry.number} has no steps", where=Position(str(manifest.path)))
            yield GivenMutant(number, operators, len(entry.operators), graph)


def _label(manifest: Manifest) -> str:
    """The operators of a manifest, by the sets that they form if possible."""
    told: Any = manifest.header.get("operators")
    if not isinstance(told, list) or not told or not all(isinstance(name, str) for name in told):
        raise InputError("this manifest does not name its operators", where=Position(str(manifest.path), 1))
    names = set(told)
    inside = {name: {operator.description.name for operator in operator_set(name)} for name in SETS}
    inside = {name: members for name, members in inside.items() if members <= names}
    sets = [
        name
        for name, members in inside.items()
        if not any(members < others for other, others in inside.items() if other != name)
    ]
    rest = [name for name in told if not any(name in inside[set_name] for set_name in sets)]
    return ",".join([*sets, *rest])


@contextmanager
def _in_store(path: Path) -> Iterator[GivenMutants]:
    with read_store(path) as store, opened_campaign(store) as campaign:
        mutation = campaign.profile.mutation
        label = ",".join([*mutation.operators, *(operator.name for operator in mutation.python)])
        seeds = [source.seed_graph for source in campaign.sources]
        yield GivenMutants(seeds, _of_store(store, campaign.plan, label, mutation.mutations))


def _of_store(store: Store, plan: Plan, label: str, mutations: int) -> Iterator[GivenMutant]:
    for planned in store.cases():
        input_ = plan.remake(planned).input
        assert isinstance(input_, GraphInput)  # noqa: S101 - all inputs of this source are graphs
        yield GivenMutant(planned.source, label, mutations, input_.graph)
