"""Mutants that were made before: from a folder that `kgprobe mutate` wrote, or from the store of a campaign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kgprobe.campaign.plan import Plan
from kgprobe.campaign.run import open_store, profile_file
from kgprobe.campaign.sources.mutants import Mutants
from kgprobe.campaign.store import Store, read_store
from kgprobe.config.generation import rebuilt_all, seed_graph_of
from kgprobe.config.loading import load_profile
from kgprobe.errors import InputError, Position
from kgprobe.learning.mutant_coverage import GivenMutant
from kgprobe.model import GraphInput
from kgprobe.mutation.catalogue import SETS, operator_set
from kgprobe.mutation.mutant import Manifest, read_manifest
from kgprobe.mutation.output import MANIFEST
from kgprobe.rdf.graph import Graph

__all__ = ["GivenMutants", "opened_mutants"]


@dataclass(frozen=True)
class GivenMutants:
    """The seed graphs, and their mutants, one by one."""

    seeds: Sequence[Graph]
    mutants: Iterator[GivenMutant]


@contextmanager
def opened_mutants(path: Path) -> Iterator[GivenMutants]:
    """The mutants in a folder, or in the store of a campaign."""
    try:
        is_folder, exists = path.is_dir(), path.exists()
    except (OSError, ValueError):
        is_folder = exists = False
    if not exists:
        raise InputError("does not exist", where=Position(str(path)), hint="name a folder of mutants, or a store")
    if is_folder:
        yield _in_folder(path)
        return
    with _in_store(path) as given:
        yield given


# -- folders -----------------------------------------------------------------------------------------------------------


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


# -- stores ------------------------------------------------------------------------------------------------------------


@contextmanager
def _in_store(path: Path) -> Iterator[GivenMutants]:
    with read_store(path) as store:
        if store.source_kind != Mutants.name:
            raise InputError(f"has {store.source_kind or 'no cases'}, not mutants", where=Position(str(path)))
        profile = load_profile(profile_file(store))
    profile = replace(profile, campaign=replace(profile.campaign, store=path))
    source_kind = Mutants()
    with source_kind.prepare(profile) as prepared, open_store(profile, prepared) as opened:
        sources = prepared.open(opened)
        plan = Plan(source_kind, sources, opened)
        label = ",".join([*profile.mutation.operators, *(operator.name for operator in profile.mutation.python)])
        yield GivenMutants(
            [source.seed_graph for source in sources], _of_store(opened, plan, label, profile.mutation.mutations)
        )


def _of_store(store: Store, plan: Plan, label: str, mutations: int) -> Iterator[GivenMutant]:
    for planned in store.cases():
        input_ = plan.remake(planned).input
        assert isinstance(input_, GraphInput)  # noqa: S101 - all inputs of this source are graphs
        yield GivenMutant(planned.source, label, mutations, input_.graph)
