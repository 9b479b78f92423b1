"""One graph through the systems and oracles of a profile, without a campaign around it."""

from __future__ import annotations

from pathlib import Path

from kgprobe.campaign.plan import Plan
from kgprobe.campaign.run import check_systems, job_of, open_store
from kgprobe.campaign.source import CaseSource
from kgprobe.campaign.sources.catalogue import kind_for
from kgprobe.campaign.store import Store, read_store
from kgprobe.campaign.store_values import Planned
from kgprobe.campaign.task import Task
from kgprobe.campaign.trial import Trial
from kgprobe.config.profile import Profile
from kgprobe.errors import InputError, Position
from kgprobe.graph.files import load
from kgprobe.model import GraphInput, Input, Outcome, Verdict

__all__ = ["input_of_case", "verdict_on_case", "verdict_on_graph"]


def verdict_on_graph(profile: Profile, path: str | Path, *, origin: str | None = None) -> tuple[str, Verdict]:
    """The verdict on the graph in a file. It counts as derived from the graph of this name, or the first."""
    check_systems(profile)
    graph = load(path).graph
    with kind_for(profile).prepare(profile) as prepared:
        sources = prepared.open(None)
        source = next((source for source in sources if source.name == origin), sources[0])
        return Path(path).name, _verdict(profile, source, source.task(0, "graph", GraphInput(graph), origin))


def input_of_case(profile: Profile, number: int) -> Input:
    """The input of a case of the profile's store, made once more."""
    kind = kind_for(profile)
    with kind.prepare(profile) as prepared, open_store(profile, prepared) as store:
        return Plan(kind, prepared.open(store), store).again(_planned(store, number)).input


def verdict_on_case(profile: Profile, number: int) -> tuple[str, Verdict]:
    """The verdict on a case of the profile's store, run once more."""
    check_systems(profile)
    with read_store(profile.campaign.store):  # it must exist: opening it would create it
        pass
    kind = kind_for(profile)
    with kind.prepare(profile) as prepared, open_store(profile, prepared) as store:
        planned = _planned(store, number)
        plan = Plan(kind, prepared.open(store), store)
        name = plan.name(planned)
        task = plan.task(0, name, planned, plan.again(planned).input)
        return name, _verdict(profile, plan.source(planned), task)


def _planned(store: Store, number: int) -> Planned:
    planned = store.case(number)
    if planned is None:
        raise InputError(f"there is no case {number}", where=Position(str(store.path)))
    return planned


def _verdict(profile: Profile, source: CaseSource, task: Task) -> Verdict:
    with Trial(job_of(profile, [source])) as trial:
        result = trial.result(task)
    if result.error is not None:
        raise result.error
    return result.verdict or Verdict(Outcome.UNDECIDED, "there is no verdict")
