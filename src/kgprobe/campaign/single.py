"""One graph through the systems and oracles of a profile, without a campaign around it."""

from __future__ import annotations

from pathlib import Path

from kgprobe.campaign.identity import identity_of
from kgprobe.campaign.plan import Plan
from kgprobe.campaign.run import check_systems, job_of
from kgprobe.campaign.store import Store, read_store
from kgprobe.campaign.task import ChangedGraph
from kgprobe.campaign.trial import Trial
from kgprobe.config.generation import names_of
from kgprobe.config.preparation import Preparation, prepare
from kgprobe.config.profile import Profile
from kgprobe.errors import InputError, Position
from kgprobe.graph.files import load
from kgprobe.graph.graph import Graph
from kgprobe.model import Case, Verdict

__all__ = ["graph_of_case", "verdict_on_case", "verdict_on_graph"]


def verdict_on_graph(profile: Profile, path: str | Path, *, seed: str | None = None) -> tuple[str, Verdict]:
    """What is to be said about the graph in a file. It counts as made of the seed graph of this name, or the first."""
    check_systems(profile)
    graph = load(path).graph
    with prepare(profile) as preparation:
        names = names_of(preparation)
        return Path(path).name, _verdict(preparation, graph, seed if seed in names else names[0])


def graph_of_case(profile: Profile, number: int) -> Graph:
    """The graph of a case of the profile's store, made once more."""
    with prepare(profile) as preparation, _opened(preparation) as store:
        planned = store.case(number)
        if planned is None:
            raise InputError(f"there is no case {number}", where=Position(str(store.path)))
        return Plan(preparation, store).again(planned).graph


def verdict_on_case(profile: Profile, number: int) -> tuple[str, Verdict]:
    """What is to be said about a case of the profile's store, run once more."""
    check_systems(profile)
    with read_store(profile.campaign.store):  # it must be there: opening it would make one
        pass
    with prepare(profile) as preparation, _opened(preparation) as store:
        planned = store.case(number)
        if planned is None:
            raise InputError(f"there is no case {number}", where=Position(str(store.path)))
        plan = Plan(preparation, store)
        name = plan.name_of(planned)
        return name, _verdict(preparation, plan.again(planned).graph, names_of(preparation)[planned.seed])


def _opened(preparation: Preparation) -> Store:
    return Store.open(preparation.profile.campaign.store, identity_of(preparation), names_of(preparation))


def _verdict(preparation: Preparation, graph: Graph, seed: str) -> Verdict:
    with Trial(job_of(preparation)) as trial:
        verdict, _ = trial.judge(Case.of_graph("graph", graph, seed), ChangedGraph(seed, {}))
        return verdict
